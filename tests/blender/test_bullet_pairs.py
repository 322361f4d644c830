# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials, layers and constraints of Bullet's in RedMax's terms, by numbers alone."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from redmax_blender.bridge.core import bullet_joints, bullet_pairs
from redmax_blender.bridge.core.bullet_joints import Bound, Constraint, Push, Spring
from redmax_blender.bridge.core.conversion_notes import Notes


def test_frictions_of_all_pairs_are_products():
    for a, b in itertools.product((0.0, 0.3, 0.7, 2.0), repeat=2):
        ours = math.sqrt(bullet_pairs.friction(a) * bullet_pairs.friction(b))
        assert ours == pytest.approx(a * b, abs=1e-12)


def pairs(bullet, moves):
    count = range(len(bullet))
    return [(i, j) for i, j in itertools.combinations(count, 2) if moves[i] or moves[j]]


@pytest.mark.parametrize(
    ("bullet", "moves"),
    [
        ([0.5, 0.5, 0.5], [True, True, False]),
        ([0.3, 0.9, 1.0], [True, False, False]),
        ([0.8, 0.0], [True, False]),
        ([0.0, 0.0, 0.7], [False, False, True]),
    ],
)
def test_bounces_are_products_where_they_can_be(bullet, moves):
    found = bullet_pairs.bounces(bullet, moves)
    assert found.pair is None
    for i, j in pairs(bullet, moves):
        assert max(found.values[i], found.values[j]) == pytest.approx(bullet[i] * bullet[j], abs=1e-6)


def test_bounces_on_what_stands_come_first_and_the_rest_is_named():
    """Two balls on one floor land as they should; on each other they cannot."""
    bullet, moves = [0.3, 0.9, 1.0], [True, True, False]
    found = bullet_pairs.bounces(bullet, moves)
    a, b, floor = found.values
    assert max(a, floor) == pytest.approx(0.3, abs=1e-6)
    assert max(b, floor) == pytest.approx(0.9, abs=1e-6)
    assert found.error == pytest.approx(0.9 - 0.27, abs=1e-6)
    assert set(found.pair) == {0, 1}


def test_no_other_bounces_are_closer():
    """Against a search over a grid, for random bodies."""
    rng = np.random.default_rng(3)
    grid = np.linspace(0.0, 1.0, 11)
    for _ in range(10):
        bullet = rng.choice(grid, 3).tolist()
        moves = [True, False, False]
        found = bullet_pairs.bounces(bullet, moves)

        def off(values, bullet=bullet, moves=moves):
            return max(abs(max(values[i], values[j]) - bullet[i] * bullet[j]) for i, j in pairs(bullet, moves))

        best = min(off(values) for values in itertools.product(grid, repeat=3))
        assert off(found.values) <= best + 1e-6
        assert found.error == pytest.approx(off(found.values), abs=1e-6)


def layers(*numbers, count=20):
    return tuple(k in numbers for k in range(count))


def test_groups_touch_where_layers_are_shared():
    bullet = [layers(0), layers(0), layers(3), layers(0, 3), layers(5), layers(2, 5)]
    found, left = bullet_pairs.groups(bullet)
    assert not left
    for (a, mine), (b, other) in itertools.product(zip(bullet, found, strict=True), repeat=2):
        share = any(x and y for x, y in zip(a, b, strict=True))
        assert (mine.touches[other.number] and other.touches[mine.number]) == share
    assert [each.number for each in found[:3]] == [0, 0, 3], "single layers keep their number"


def test_layers_for_which_no_group_is_left_are_named():
    bullet = [layers(k, (k + 1) % 20) for k in range(20)] + [layers(0, 7)]
    _, left = bullet_pairs.groups(bullet)
    assert left == [20]


# --- constraints ------------------------------------------------------------------------------

LOCKED = Bound(True, 0.0, 0.0)
SOME = Bound(True, -0.2, 0.7)
OPEN = Bound(False, -1.0, 1.0)


def rotation(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    R = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def shift(axis, distance):
    E = np.eye(4)
    E[axis, 3] = distance
    return E


def frame(plan, values):
    """Frame of the joint's child in its parent at some coordinates."""
    E = np.eye(4)
    for motion, value in zip(plan.motions, values, strict=True):
        E = E @ (shift if motion.does == "slide" else rotation)(motion.axis, value)
    return E


def test_backwards_is_the_inverse_with_the_limits_turned_round():
    bounds = Constraint("GENERIC", (SOME, OPEN, LOCKED), (SOME, Bound(True, -0.5, 0.4), OPEN))
    plan = bullet_joints.plan(bounds)
    back = plan.backwards
    values = [0.1 * (k + 1) for k in range(len(plan.motions))]
    np.testing.assert_allclose(frame(plan, values) @ frame(back, [-v for v in reversed(values)]), np.eye(4), atol=1e-14)
    for there, here in zip(plan.motions, reversed(back.motions), strict=True):
        assert (here.lower, here.upper) == (
            None if there.upper is None else -there.upper,
            None if there.lower is None else -there.lower,
        )


def test_angles_of_generic_constraints_are_those_of_the_first_object():
    plan = bullet_joints.plan(Constraint("GENERIC", (LOCKED,) * 3, (SOME, LOCKED, LOCKED)))
    (only,) = plan.motions
    assert (only.does, only.axis, only.lower, only.upper) == ("turn", 0, -0.7, 0.2)


def test_three_angles_turn_about_z_y_x_with_a_narrow_one_in_the_middle():
    narrow = Bound(True, -1.0, 1.0)
    plan = bullet_joints.plan(Constraint("GENERIC", (LOCKED,) * 3, (OPEN, narrow, OPEN)))
    assert [motion.axis for motion in plan.motions] == [2, 1, 0]
    plan = bullet_joints.plan(Constraint("GENERIC", (LOCKED,) * 3, (narrow, OPEN, OPEN)))
    assert [motion.axis for motion in plan.motions] == [2, 0, 1]
    plan = bullet_joints.plan(Constraint("GENERIC", (LOCKED,) * 3, (Bound(True, -3.0, 3.0), OPEN, OPEN)))
    assert [motion.does for motion in plan.motions] == ["ball"]
    assert "85 degrees" in plan.notes[0]


def test_what_is_locked_elsewhere_is_said():
    plan = bullet_joints.plan(Constraint("SLIDER", (Bound(True, 0.3, 0.3), OPEN, OPEN)))
    assert plan.motions == ()
    assert "locked away" in plan.notes[0]


def test_springs_of_old_have_no_damping():
    springs = (Spring(True, 50.0, 0.5), *(bullet_joints.NO_SPRING,) * 2)
    constraint = Constraint("GENERIC_SPRING", (OPEN, LOCKED, LOCKED), (LOCKED,) * 3, springs, springs_as_of_old=True)
    plan = bullet_joints.plan(constraint)
    assert plan.motions[0].stiffness == (50.0,)
    assert plan.motions[0].damping == (0.0,)
    assert plan.notes


def test_a_motor_pushes_fully_until_it_is_nearly_there():
    push = Push(True, 5.0, 3.0)
    assert bullet_joints.speed_gain(push, 1e9) * 5.0 * bullet_joints.FULL_FORCE_WITHIN == pytest.approx(3.0)
    assert bullet_joints.speed_gain(push, 0.01) == bullet_joints.QUICKEST * 0.01
    assert bullet_joints.speed_gain(Push(True, 0.0, 3.0), 0.01) == bullet_joints.QUICKEST * 0.01


def test_notes_name_whom_they_are_said_of():
    notes = Notes()
    for name in "ABCDE":
        notes.say("breaks", name)
    notes.say("Speed")
    assert notes.lines() == ["'A', 'B', 'C' and 2 more: breaks", "Speed"]
