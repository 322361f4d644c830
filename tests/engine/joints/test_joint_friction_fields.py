# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction as a joint declares it: where it rubs, what is read and written, what is refused."""

from __future__ import annotations

import pytest

from redmax import io
from redmax.check import find_problems
from redmax.geometry.solids import Box
from redmax.joints import JOINTS, Composite, Prismatic, Revolute, Spherical
from redmax.joints.friction import COORDINATES, BearingKind, Friction
from redmax.scene import Body, Scene


def scene_of(joint):
    made = Scene(name="rubs")
    made.bodies.append(Body(name="B", shapes=(Box(size=(0.1, 0.2, 0.3), density=1000.0),)))
    made.joints.append(joint)
    return made


@pytest.mark.parametrize("cls", [cls for cls in JOINTS if isinstance(cls.dof_names, tuple)], ids=lambda cls: cls.kind)
def test_every_coordinate_moves_at_most_one_bearing(cls):
    moved = [k for kind, first in cls.bearings(cls.__new__(cls)) for k in range(first, first + COORDINATES[kind])]
    assert len(moved) == len(set(moved))
    assert set(moved) <= set(range(len(cls.dof_names)))


def test_a_composite_rubs_where_its_parts_do():
    joint = Composite.part(parts=(Prismatic.part(), Spherical.part(), Revolute.part()))
    assert joint.bearings() == ((BearingKind.GUIDE, 0), (BearingKind.SOCKET, 1), (BearingKind.PIN, 4))


def test_friction_is_written_and_read():
    friction = Friction(coefficient=0.3, radius=0.02, height=0.05, sides=(0.1, 0.2, 0.3))
    given = scene_of(Revolute(name="J", parent=None, child="B", friction=friction))
    assert io.loads(io.dumps(given)).joints[0].friction == friction


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (Revolute(name="J", parent=None, child="B", friction=Friction(coefficient=-0.1)), "coefficient"),
        (Revolute(name="J", parent=None, child="B", friction=Friction(radius=0.0)), "radius"),
        (JOINTS["free"](name="J", parent=None, child="B", friction=Friction()), "nothing in it slides"),
    ],
)
def test_what_cannot_be_is_told(joint, words):
    (found,) = find_problems(scene_of(joint))
    assert words in str(found)
