# SPDX-License-Identifier: GPL-3.0-or-later
"""Ball joints: printed matrices, changes of coordinates, and that no motion ever meets a singularity."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.joints import Free, FreeTranslationEuler, FreeTranslationRotation, Spherical, SphericalEuler, Universal
from redmax.joints.euler_charts import CHARTS, SMALLEST_DETERMINANT, determinant
from redmax.spatial import euler, so3

ROUND_OFF = 1e-14  # products of a few rotations

# Joint 1 of the golden run_diff_007_BDF2, which goes through the charts 7 -> 1 -> 10.
# (chart, q) at step 341, the last in chart 7; (old chart, first q in the new chart, new chart) at steps 342 and 425.
GOLDEN_STAYS = (7, [0.7915125532451884, -1.0463852959042914, -1.8250214773740956])
GOLDEN_SWITCHES = [
    (7, [-0.5465145596820126, 1.6852130704481585, 2.6417939462861906], 1),
    (1, [-0.2561221892000873, -0.00466472230830739, -2.698865062569937], 10),
]


def test_sdot_at_zero_is_minus_half_the_hat_of_qdot():
    # Erratum: the reference code returns 0 there.
    qdot = np.array([0.3, -1.2, 0.7])
    np.testing.assert_array_equal(Spherical.part().motion(np.zeros(3), qdot).Sdot[:3], -0.5 * so3.hat(qdot))


def test_xzx_is_the_joint_of_the_notes():
    # RBDN eq. 2.34 (columns from 2.33 on) and 2.35
    q, qdot = np.array([0.7, 0.4, 2.0]), np.array([0.5, -1.1, 0.8])
    (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
    S = [[c2, 0.0, 1.0], [-s2 * c3, s3, 0.0], [s2 * s3, c3, 0.0]]
    Sdot = [
        [-s2 * qdot[1], 0.0, 0.0],
        [s3 * s2 * qdot[2] - c3 * c2 * qdot[1], c3 * qdot[2], 0.0],
        [c2 * s3 * qdot[1] + s2 * c3 * qdot[2], -s3 * qdot[2], 0.0],
    ]
    motion = SphericalEuler.part(sequence="xzx").motion(q, qdot)
    np.testing.assert_allclose(motion.S[:3], S, atol=ROUND_OFF)
    np.testing.assert_allclose(motion.Sdot[:3], Sdot, atol=ROUND_OFF)


def test_xyz_with_the_third_angle_at_rest_is_the_universal_joint():
    q, qdot = np.array([0.7, -0.4]), np.array([0.5, -1.1])
    ball = SphericalEuler.part().motion(np.append(q, 0.0), np.append(qdot, 0.0))
    universal = Universal.part().motion(q, qdot)
    np.testing.assert_allclose(ball.Q, universal.Q, atol=ROUND_OFF)
    np.testing.assert_allclose(ball.S[:, :2], universal.S, atol=ROUND_OFF)
    np.testing.assert_allclose(ball.Sdot[:, :2], universal.Sdot, atol=ROUND_OFF)


@pytest.mark.parametrize("kind", [Spherical, Free, FreeTranslationRotation])
def test_rotation_vectors_keep_their_value_up_to_a_turn_and_a_half(kind):
    joint = kind.part()
    turns = [unit == "rad" for unit in joint.dof_units]
    q, qdot = np.ones(joint.ndof), np.ones(joint.ndof)
    for angle, kept in ((1.4999 * np.pi, True), (1.5001 * np.pi, False)):
        q[turns] = angle * np.array([2.0, -1.0, 2.0]) / 3.0
        q1, _, _ = joint.recentre(q, qdot)
        expected = q.copy()
        expected[turns] *= 1.0 if kept else 1.0 - 2.0 * np.pi / angle  # RM19 section 4.7
        np.testing.assert_allclose(q1, expected, rtol=1e-14)


def test_chart_numbers_are_the_reference_implementations():
    assert len(CHARTS) == len(set(CHARTS)) == 12
    # Charts 1, 7 and 10 occur in the golden scene diff 7; the others follow the same cyclic order.
    assert (CHARTS[0], CHARTS[6], CHARTS[9]) == ("xyx", "xyz", "yxz")


@pytest.mark.parametrize("own", CHARTS)
def test_chart_zero_is_the_joints_own_sequence(own):
    q, qdot = np.array([0.3, 0.9, -0.5]), np.array([1.0, 2.0, 3.0])
    joint = SphericalEuler.part(sequence=own)
    for a, b in zip(joint.motion(q, qdot, 0), joint.motion(q, qdot, 1 + CHARTS.index(own)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_chart_is_kept_while_its_determinant_is_above_one_half():
    chart, q = GOLDEN_STAYS
    assert 0.5 < determinant(euler.to_matrix(q, CHARTS[chart - 1]), CHARTS[chart - 1]) < 0.501
    q1, _, chart1 = SphericalEuler.part().recentre(np.array(q), np.ones(3), chart)
    assert chart1 == chart
    np.testing.assert_array_equal(q1, q)


@pytest.mark.parametrize(("old", "q_new", "new"), GOLDEN_SWITCHES)
def test_charts_are_changed_to_where_the_golden_changes(old, q_new, new):
    # The golden stores q after the change; taken back to the old chart, `recentre` must lead to it.
    R = euler.to_matrix(q_new, CHARTS[new - 1])
    q_old = euler.from_matrix(R, CHARTS[old - 1])
    q, _, chart = SphericalEuler.part().recentre(q_old, np.ones(3), old)
    assert chart == new
    np.testing.assert_allclose(q, q_new, atol=1e-13)


@pytest.mark.parametrize("target", CHARTS)
def test_rewrite_finds_any_angles_of_the_rotation(target):
    # Every rotation has two sets of angles, and whole turns of each.
    joint, chart = SphericalEuler.part(sequence="xyz"), 1 + CHARTS.index(target)
    other_middle = -0.8 if target[0] == target[2] else np.pi - 0.8
    for wanted in ([0.4, 0.8, -1.1], [0.4 + np.pi, other_middle, -1.1 - np.pi], [0.4 + 4.0 * np.pi, 0.8, -1.1]):
        R = euler.to_matrix(wanted, target)
        near = np.add(wanted, [0.1, -0.1, 0.1])
        q, _ = joint.rewrite(euler.from_matrix(R, "xyz"), np.ones(3), 0, chart_like=chart, q_like=near)
        np.testing.assert_allclose(q, wanted, atol=1e-13)


def test_determinant_is_the_determinant_of_S():
    rng = np.random.default_rng(30)
    for chart, sequence in enumerate(CHARTS, start=1):
        q = rng.uniform(-3.0, 3.0, 3)
        S = SphericalEuler.part().motion(q, np.zeros(3), chart).S[:3]
        R = euler.to_matrix(q, sequence)
        np.testing.assert_allclose(determinant(R, sequence), abs(np.linalg.det(S)), atol=ROUND_OFF)


def test_the_best_chart_is_never_worse_than_the_square_root_of_two_thirds():
    for R in so3.random(np.random.default_rng(31), (2000,)):
        assert max(determinant(R, sequence) for sequence in CHARTS) >= np.sqrt(2.0 / 3.0)


WALK_STEP = 0.05  # rad, five times a frame of a fast spin at 1000 Hz


@pytest.mark.parametrize(
    ("joint", "bound"),
    [
        # |det S| is 2 (1 - cos a) / a^2, here at the largest angle a step can reach from 1.5 pi, by steps amplified
        # with |S^-1| <= 3.3 there.
        (Spherical.part(), 2.0 * (1.0 - np.cos(1.5 * np.pi + 3.3 * WALK_STEP)) / (1.5 * np.pi + 3.3 * WALK_STEP) ** 2),
        # |det S| changes by the middle angle at most, whose rate is at most |omega|.
        *((SphericalEuler.part(sequence=s), SMALLEST_DETERMINANT - WALK_STEP) for s in ("xyz", "xzx")),
        (FreeTranslationEuler.part(sequence="zyz"), SMALLEST_DETERMINANT - WALK_STEP),
    ],
)
@pytest.mark.parametrize("steps", [1500, pytest.param(10000, marks=pytest.mark.slow)])
def test_a_long_random_walk_never_comes_near_a_singularity(joint, bound, steps):
    rng = np.random.default_rng(32)
    q, chart = np.full(joint.ndof, 0.7), 0
    worst, changes = np.inf, 0
    omega = np.array([1.0, 0.0, 0.0])
    for _ in range(steps):
        S = joint.motion(q, np.zeros(joint.ndof), chart).S
        worst = min(worst, float(np.prod(np.linalg.svd(S, compute_uv=False))))
        old = q
        q, _, chart = joint.recentre(q, np.zeros(joint.ndof), chart)
        changes += not np.array_equal(q, old)
        # A direction that wanders slowly, so that the walk really goes round and round.
        omega += 0.02 * rng.standard_normal(3)
        omega /= np.linalg.norm(omega)
        twist = np.concatenate([WALK_STEP * omega, np.zeros(3)])
        q = q + np.linalg.pinv(joint.motion(q, np.zeros(joint.ndof), chart).S) @ twist
    assert worst > bound
    assert changes >= steps // 750  # it did go round and round
