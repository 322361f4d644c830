# SPDX-License-Identifier: GPL-3.0-or-later
"""KINDR16's derivatives of rotations and rules of velocities, against differences of what they are derivatives of."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.spatial import rotation_derivatives as derivatives
from redmax.spatial import so3, velocity_rules

STEP = 1e-3
# Central differences of order 6: h^6 = 1e-18 times the seventh derivative, and 1e-16 / h of rounding. Near a half turn
# the inverse Jacobian is below 2.
DIFFERENCED = 1e-11
WEIGHTS = ((1, 3.0 / 4.0), (2, -3.0 / 20.0), (3, 1.0 / 60.0))
ANGLES = (0.0, 1e-7, 0.4, 2.9)


def by_turns(f, is_rotation):
    """Columns of the derivative of f(d), d a small vector (3,); of rotations by their box-minus."""

    def difference(d):
        ahead, behind = f(d), f(-d)
        return so3.box_minus(ahead, behind) if is_rotation else ahead - behind

    return np.stack(
        [sum(w * difference(k * STEP * e) for k, w in WEIGHTS) / STEP for e in np.eye(3)], axis=-1
    )  # fmt: skip


def case(angle, seed=5):
    """Two rotations a known angle apart, a rotation vector of that angle, and a vector."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    v = angle * axis / np.linalg.norm(axis)
    R2 = so3.random(rng)
    return so3.exp(v) @ R2, R2, v, rng.normal(size=3)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(
    ("name", "arguments", "function", "is_rotation"),
    [
        ("rotated_vector_by_vector", "R1", lambda R1, R2, v, r, d: R1 @ (r + d), False),
        ("rotated_vector_by_rotation", "R1 r", lambda R1, R2, v, r, d: so3.box_plus(R1, d) @ r, False),
        ("inverse_by_rotation", "R1", lambda R1, R2, v, r, d: so3.box_plus(R1, d).T, True),
        ("product_by_first", "R1 R2", lambda R1, R2, v, r, d: so3.box_plus(R1, d) @ R2, True),
        ("product_by_second", "R1 R2", lambda R1, R2, v, r, d: R1 @ so3.box_plus(R2, d), True),
        ("exp_by_vector", "v", lambda R1, R2, v, r, d: so3.exp(v + d), True),
        ("log_by_rotation", "exp", lambda R1, R2, v, r, d: so3.log(so3.box_plus(so3.exp(v), d)), False),
        ("box_plus_by_rotation", "R1 v", lambda R1, R2, v, r, d: so3.box_plus(so3.box_plus(R1, d), v), True),
        ("box_plus_by_vector", "R1 v", lambda R1, R2, v, r, d: so3.box_plus(R1, v + d), True),
        ("box_minus_by_first", "R1 R2", lambda R1, R2, v, r, d: so3.box_minus(so3.box_plus(R1, d), R2), False),
        ("box_minus_by_second", "R1 R2", lambda R1, R2, v, r, d: so3.box_minus(R1, so3.box_plus(R2, d)), False),
    ],
    ids=lambda value: value if isinstance(value, str) and "_" in value else "",
)
def test_derivatives_by_small_turns(name, arguments, function, is_rotation, angle):
    R1, R2, v, r = case(angle)
    given = {"R1": R1, "R2": R2, "v": v, "r": r, "exp": so3.exp(v)}
    found = getattr(derivatives, name)(*(given[argument] for argument in arguments.split()))
    expected = by_turns(lambda d: function(R1, R2, v, r, d), is_rotation)
    np.testing.assert_allclose(found, expected, atol=DIFFERENCED)


def test_box_minus_by_second_is_the_chain_rule():
    R1, R2, _, _ = case(2.0)
    chain = (
        derivatives.log_by_rotation(R1 @ R2.T)
        @ derivatives.product_by_second(R1, R2.T)
        @ derivatives.inverse_by_rotation(R2)
    )
    np.testing.assert_allclose(derivatives.box_minus_by_second(R1, R2), chain, atol=1e-14)


def test_derivatives_are_vectorised_and_own_their_numbers():
    rng = np.random.default_rng(1)
    R, r = so3.random(rng, (4,)), rng.normal(size=(4, 3))
    many = derivatives.rotated_vector_by_rotation(R, r)
    np.testing.assert_array_equal(many[2], derivatives.rotated_vector_by_rotation(R[2], r[2]))
    for found in (derivatives.rotated_vector_by_vector(R), derivatives.product_by_second(R, R[0])):
        found[...] = 0.0
    assert so3.is_rotation(R).all()


# --- rules of velocities -------------------------------------------------------------------------------------------

TURN = np.array([0.4, -0.7, 1.1])
SPIN = np.array([0.9, 0.3, -0.5])


def C(t):
    """A frame that turns with SPIN, in I."""
    return so3.exp(t * SPIN) @ so3.exp(TURN)


def rate(f):
    return sum(w * (f(k * STEP) - f(-k * STEP)) for k, w in WEIGHTS) / STEP


def test_a_point_that_moves_in_a_turning_frame():
    """Positions of A and P in I are differentiated, and turned into B."""
    r0, rdot, v_A = np.array([1.0, 0.2, -0.4]), np.array([0.3, 0.8, 0.1]), np.array([-0.2, 0.5, 0.7])
    r_IP = rate(lambda t: t * v_A + C(t) @ (r0 + t * rdot))
    B = C(0.0).T
    found = velocity_rules.point_velocity(B @ v_A, rdot, B @ SPIN, r0)
    np.testing.assert_allclose(found, B @ r_IP, atol=DIFFERENCED)
    fixed = rate(lambda t: t * v_A + C(t) @ r0)
    np.testing.assert_allclose(velocity_rules.body_point_velocity(B @ v_A, B @ SPIN, r0), B @ fixed, atol=DIFFERENCED)


def test_angular_velocities_seen_from_the_other_frame_and_along_other_axes():
    omega_I = so3.vee(rate(C) @ C(0.0).T)
    omega_B = C(0.0).T @ omega_I
    np.testing.assert_allclose(omega_I, SPIN, atol=DIFFERENCED)
    np.testing.assert_allclose(velocity_rules.angular_velocity_in(C(0.0), omega_B), omega_I, atol=1e-14)
    hat_I = velocity_rules.angular_velocity_matrix_in(C(0.0), so3.hat(omega_B))
    np.testing.assert_allclose(hat_I, so3.hat(omega_I), atol=1e-14)
    # I seen from B, along the axes of B: the rate of C^T.
    seen = so3.vee(rate(lambda t: C(t).T) @ C(0.0))
    np.testing.assert_allclose(velocity_rules.reversed_angular_velocity(omega_B), seen, atol=DIFFERENCED)


def test_angular_velocities_of_a_chain_add_up():
    spins = np.array([[0.3, 0.1, -0.8], [-0.4, 0.9, 0.2], [1.0, -0.3, 0.6]])

    def chain(t, until):
        """A rotation of each link, about axes fixed in the link before."""
        E = np.eye(3)
        for spin in spins[:until]:
            E = E @ so3.exp(TURN + t * spin)
        return E

    relative = []
    for k in range(3):
        before = chain(0.0, k)
        own = so3.vee(rate(lambda t, k=k: so3.exp(TURN + t * spins[k])) @ so3.exp(TURN).T)
        relative.append(before @ own)
    whole = so3.vee(rate(lambda t: chain(t, 3)) @ chain(0.0, 3).T)
    np.testing.assert_allclose(velocity_rules.composed_angular_velocity(*relative), whole, atol=DIFFERENCED)


def test_the_passive_rotation_turns_back():
    """(Phi_BI(t) box_minus Phi_BI(-t)) / 2 t along the axes of B."""
    omega_B = C(0.0).T @ SPIN
    found = sum(w * so3.box_minus(C(k * STEP).T, C(-k * STEP).T) for k, w in WEIGHTS) / STEP
    np.testing.assert_allclose(velocity_rules.passive_rotation_rate(omega_B), found, atol=DIFFERENCED)
