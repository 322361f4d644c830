# SPDX-License-Identifier: GPL-3.0-or-later
"""What the motion of a joint says of it, against what each kind is known to do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import joint_battery
import numpy as np
import pytest

import own_joints
from redmax.joints import (
    Composite,
    Fixed,
    Free,
    Free2D,
    FreeTranslationEuler,
    FreeTranslationRotation,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalEuler,
    Translational,
    Universal,
    traits,
)
from redmax.joints.base import JointMotion
from redmax.spatial import adjoint, pose, so3

AXIS = (1.0, -2.0, 0.5)
UNIT = np.array(AXIS) / np.linalg.norm(AXIS)
X, Z = np.eye(3)[0], np.eye(3)[2]
ROUND_OFF = 1e-14  # some products of rotations

CYLINDER = Composite.part(parts=(Prismatic.part(axis=AXIS), Revolute.part(axis=AXIS)))
FLAT = Composite.part(parts=(Prismatic.part(axis=(1.0, 0.0, 0.0)), Revolute.part()))
HINGES = Composite.part(parts=(Revolute.part(), Revolute.part(axis=(1.0, 0.0, 0.0))))


def close(found, expected):
    if expected is None:
        assert found is None
    else:
        np.testing.assert_allclose(found, expected, atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("joint", "turns", "slides", "line", "plane", "slide"),
    [
        (Fixed.part(), 0, 0, None, None, None),
        (Revolute.part(axis=AXIS), 1, 0, UNIT, UNIT, None),
        (Prismatic.part(axis=AXIS), 0, 1, None, None, UNIT),
        (Screw.part(axis=AXIS, pitch=1e-3), 1, 0, UNIT, None, None),
        (Screw.part(axis=AXIS, pitch=0.0), 1, 0, UNIT, UNIT, None),
        (Planar.part(), 0, 2, None, Z, None),
        (Translational.part(), 0, 3, None, None, None),
        (Universal.part(), 2, 0, None, None, None),
        (Spherical.part(), 3, 0, None, None, None),
        (SphericalEuler.part(sequence="xzx"), 3, 0, None, None, None),
        (Free.part(), 3, 3, None, None, None),
        (FreeTranslationRotation.part(), 3, 3, None, None, None),
        (FreeTranslationEuler.part(), 3, 3, None, None, None),
        (Free2D.part(), 1, 2, None, Z, None),
        (CYLINDER, 1, 1, UNIT, None, UNIT),
        (FLAT, 1, 1, None, Z, X),
        (HINGES, 2, 0, None, None, None),
        (own_joints.cam().part(), 1, 0, Z, None, None),
        (own_joints.Patch.part(), 1, 1, None, None, None),
    ],
    ids=lambda value: value.kind if hasattr(value, "kind") else "",
)
def test_directions_in_which_a_joint_moves(joint, turns, slides, line, plane, slide):
    found = traits.of(joint)
    assert found.known
    assert (found.turns, found.slides) == (turns, slides)
    close(found.line and found.line.direction, line)
    close(found.line and found.line.point, None if line is None else np.zeros(3))
    close(found.plane, plane)
    if joint.kind != "patch":  # what slides there turns with the other coordinate
        close(found.slide, slide)


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("is_hinge", {"revolute"}),
        ("is_slider", {"prismatic"}),
        ("is_ball", {"spherical", "spherical_euler"}),
        ("is_universal", {"universal"}),
        ("holds_origin", {"fixed", "revolute", "universal", "spherical", "spherical_euler"}),
        (
            "is_directionless",
            {
                "fixed",
                "spherical",
                "spherical_euler",
                "free",
                "free_translation_euler",
                "free_translation_rotation",
            },
        ),
    ],
)
def test_words_for_kinds(word, kinds):
    ours = [joint for _, joint in joint_battery.cases() if joint.kind != "composite"]
    assert {joint.kind for joint in ours if getattr(traits.of(joint), word)} == kinds


def test_a_constant_twist_is_the_whole_motion():
    for _, joint in joint_battery.cases():
        found = traits.of(joint)
        assert (found.twist is not None) == (joint.kind in ("revolute", "prismatic", "screw"))
        if found.twist is not None:
            q = np.array([0.7])
            moved = joint.motion(q, q)
            np.testing.assert_allclose(adjoint.Ad(moved.Q) @ moved.S[:, 0], found.twist, atol=ROUND_OFF)


def test_whole_turns_that_change_nothing():
    periods = {joint.kind: traits.of(joint).periodic for _, joint in joint_battery.cases()}
    assert periods["revolute"] == (True,)
    assert periods["screw"] == periods["prismatic"] == (False,)
    assert periods["spherical"] == (False, False, False)
    assert periods["spherical_euler"] == (True, True, True)
    assert periods["free_2d"] == (False, False, True)
    assert traits.of(own_joints.cam().part()).periodic == (True,)


@dataclass(frozen=True, kw_only=True)
class Beside(Revolute):
    """A hinge whose line is not that of its frame: Q = E exp [axis q] F."""

    kind: ClassVar[str] = "beside"

    def motion(self, q, qdot, chart=0):
        E = pose.make(so3.exp(np.array([0.1, 0.2, 0.3])), np.array([1.0, 2.0, 3.0]))
        F = pose.make(so3.exp(np.array([-0.3, 0.4, 0.5])), np.array([0.3, 0.2, -0.7]))
        Q, S, Sdot = super().motion(q, qdot)
        Ad = adjoint.Ad_inverse(F)
        return JointMotion(E @ Q @ F, Ad @ S, Ad @ Sdot)


def test_a_line_beside_the_origin_is_seen_from_the_frame_on_the_parent():
    found = traits.of(Beside.part())
    assert found.is_hinge
    assert not found.holds_origin
    direction = so3.exp(np.array([0.1, 0.2, 0.3])) @ Z
    close(found.line.direction, direction)
    middle = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(found.line.point, middle - (middle @ direction) * direction, atol=10.0 * ROUND_OFF)
    np.testing.assert_array_equal(found.Q0, Beside.part().motion(np.zeros(1), np.zeros(1)).Q)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_traits_do_not_depend_on_lengths(size):
    assert not traits.of(Screw.part(pitch=1e-4 * size)).is_hinge
    scaled = own_joints.Patch.part(size=(size, size), heights=((0.0, 0.1 * size, 0.2 * size),))
    assert traits.of(scaled).plane is None
    assert traits.of(replace(scaled, turn=0.0)).turns == 0


def test_an_axis_of_no_length_tells_nothing():
    found = traits.of(Revolute.part(axis=(0.0, 0.0, 0.0)))
    assert not found.known
    np.testing.assert_array_equal(found.Q0, np.eye(4))
    assert (found.direction, found.is_hinge, found.is_directionless) == (None, False, False)


def test_they_are_remembered_by_parameters():
    one = traits.of(Revolute.part(axis=AXIS))
    assert traits.of(Revolute(name="J", parent=None, child="B", axis=AXIS, q=0.3)) is one
    assert traits.of(Revolute.part(axis=np.array(AXIS))).line.direction is not one
    assert traits.of(Revolute.part(axis=(1.0, -2.0, 0.6))) is not one
    assert traits.of(Prismatic.part(axis=AXIS)) is not one
    with pytest.raises(ValueError, match="read-only"):
        one.Q0[0, 0] = 2.0
