# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed-form rows of joints that close loops."""

from __future__ import annotations

import dataclasses

import joint_battery
import numpy as np
import pytest

from redmax.joints import Composite, Prismatic, Revolute, Screw
from redmax.joints.closing import PointRow, closing_rows

CASES = dict(joint_battery.cases())
CLOSED_FORM = ("fixed", "revolute", "prismatic", "universal", "spherical", "planar", "translational")


def error(row, Q):
    """What a row says of frame B's pose Q in A."""
    return row.normal @ Q[:3, 3] if isinstance(row, PointRow) else row.axis_a @ Q[:3, :3] @ row.axis_b


@pytest.mark.parametrize("name", CASES)
def test_rows_leave_the_joint_its_freedom(name):
    """They vanish wherever the joint's own motion takes its frames, and are six less its coordinates, independent."""
    joint = CASES[name]
    rows = closing_rows(joint)
    assert rows is not None or joint.kind not in CLOSED_FORM
    rng = np.random.default_rng(0)
    for _ in range(5 if rows is not None else 0):
        q = 0.7 * rng.standard_normal(joint.ndof)
        Q = joint.motion(q, np.zeros_like(q)).Q
        assert max((abs(error(row, Q)) for row in rows), default=0.0) < 1e-14
        assert len(rows) == 6 - joint.ndof
        shifts, axes = ([row for row in rows if isinstance(row, PointRow) == is_point] for is_point in (True, False))
        gradient = [np.append(np.zeros(3), row.normal) for row in shifts]
        gradient += [np.append(np.cross(Q[:3, :3] @ row.axis_b, row.axis_a), np.zeros(3)) for row in axes]
        assert not rows or np.linalg.matrix_rank(np.array(gradient)) == len(rows)


def test_joints_with_rows_of_other_kinds_have_none():
    z = {"axis": (0.0, 0.0, 1.0)}
    assert closing_rows(Screw.part(**z, pitch=0.1)) is None
    assert closing_rows(Composite.part(parts=(Revolute.part(**z), Prismatic.part(axis=(1.0, 0.0, 0.0))))) is None
    oblique = (Revolute.part(**z), Revolute.part(axis=(0.6, 0.0, 0.8)))
    assert closing_rows(Composite.part(parts=oblique)) is None
    assert len(closing_rows(Composite.part(parts=(Revolute.part(**z), Prismatic.part(**z))))) == 4
    assert closing_rows(dataclasses.replace(Revolute.part(**z), motion_type="locked")) is None


class Bent(Revolute):
    """Moves otherwise than the primitives it inherits say."""

    def motion(self, q, qdot, chart=0):
        return super().motion(q + 0.1 * q**2, qdot, chart)


def test_a_joint_that_is_known_by_its_motion_alone_has_none():
    assert closing_rows(Bent.part()) is None
