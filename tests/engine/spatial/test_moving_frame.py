# SPDX-License-Identifier: GPL-3.0-or-later
"""CHRONO16: the group, its velocity and acceleration formulas, the operators and their mixing with points."""

import copy
import pickle

import numpy as np
import pytest
from exact_motion import Curve, chained, derivatives, floats, inverted, kinematics
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.spatial import quaternion
from redmax.spatial.frame import Frame
from redmax.spatial.frame_checks import FrameError
from redmax.spatial.moving_frame import MovingFrame
from redmax.spatial.moving_point import MovingPoint

# The exact oracle is right to 30 digits, so what is left is the rounding of the engine. Accelerations are below 100
# (7 rad/s squared times 2 m), a few dozen roundings of 2^-53 of that; measured: 5e-14.
EXACT = 1e-12

# Three frames of the property tests chain to accelerations of at most (3 * 5.2 rad/s)^2 * 16 m = 4e3 m/s^2 (numbers are
# drawn from [-3, 3], so |omega| <= 5.2); 2^-53 of that, times some tens of operations.
ROUNDING = 1e-11

SEEDS = [0, 1, 2, 3]
TIME = 0.37

FIELDS = {Frame: ("r", "q"), MovingFrame: ("r", "q", "rdot", "qdot", "rddot", "qddot")}


def assert_same(a: Frame, b: Frame, tolerance: float = ROUNDING) -> None:
    """Equal numbers (the quaternions with their sign) and equal names."""
    assert type(a) is type(b)
    assert a.names == b.names
    for field in FIELDS[type(a)]:
        np.testing.assert_allclose(getattr(a, field), getattr(b, field), rtol=0.0, atol=tolerance, err_msg=field)


def assert_moves_as(frame: MovingFrame, exact: dict[str, np.ndarray], tolerance: float = EXACT) -> None:
    for name, value in exact.items():
        np.testing.assert_allclose(getattr(frame, name), value, rtol=0.0, atol=tolerance, err_msg=name)


def moving(curve: Curve, t: float = TIME) -> MovingFrame:
    return MovingFrame(**curve.fields(t))


def moving_from_numbers(numbers) -> MovingFrame:
    """18 numbers, the dimension of the group, to one of its elements."""
    r, turn, rdot, omega, rddot, alpha = np.reshape(numbers, (6, 3))
    return MovingFrame.from_rates(r, quaternion.exp(turn), rdot, rddot, omega_local=omega, alpha_local=alpha)


# No tiny numbers: their squares underflow, which says nothing about the group.
numbers = st.floats(-3.0, 3.0).map(lambda x: 0.0 if abs(x) < 1e-30 else x)
moving_frames = st.lists(numbers, min_size=18, max_size=18).map(moving_from_numbers)
frames = moving_frames.map(lambda f: f.frame)
kinds = pytest.mark.parametrize("kind", [Frame, MovingFrame])
few = settings(max_examples=60, deadline=None)


def draw(data, kind: type[Frame]) -> Frame:
    return data.draw(moving_frames if kind is MovingFrame else frames)


# --- the group -----------------------------------------------------------------------------------------------------


def assert_in_the_group(frame: Frame) -> None:
    assert abs(frame.q @ frame.q - 1.0) < ROUNDING
    if isinstance(frame, MovingFrame):
        assert abs(frame.q @ frame.qdot) < ROUNDING
        assert abs(frame.q @ frame.qddot + frame.qdot @ frame.qdot) < ROUNDING


@kinds
@few
@given(data=st.data())
def test_the_group_is_closed(kind, data):
    a, b = draw(data, kind), draw(data, kind)
    for result in (a >> b, a * b, a << b, a % b, ~a):
        assert_in_the_group(result)


@kinds
@few
@given(data=st.data())
def test_the_chain_is_associative(kind, data):
    a, b, c = draw(data, kind), draw(data, kind), draw(data, kind)
    assert_same((a >> b) >> c, a >> (b >> c))
    assert_same((a * b) * c, a * (b * c))


@kinds
@few
@given(data=st.data())
def test_the_identity_is_neutral_on_both_sides(kind, data):
    a = draw(data, kind)
    assert (a >> kind()) == a
    assert (kind() >> a) == a
    assert (a * kind()) == a
    assert (kind() * a) == a


@kinds
@few
@given(data=st.data())
def test_the_inverse_cancels_on_both_sides(kind, data):
    a = draw(data, kind)
    for product in (a >> ~a, ~a >> a, a * ~a, ~a * a, a << a, a % a):
        assert_same(product, kind())
    assert_same(~~a, a)


@kinds
@few
@given(data=st.data())
def test_the_inverse_of_a_chain_is_the_reversed_chain_of_inverses(kind, data):
    a, b = draw(data, kind), draw(data, kind)
    assert_same(~(a >> b), ~b >> ~a)


def test_the_group_is_not_commutative_and_lshift_is_not_associative():
    a, b, c = (moving(Curve.from_seed(seed)) for seed in (0, 1, 2))
    assert np.linalg.norm((a >> b).r - (b >> a).r) > 0.1
    assert np.linalg.norm(((a << b) << c).r - (a << (b << c)).r) > 0.1


@kinds
@few
@given(data=st.data())
def test_the_four_operators_are_one_product_and_one_inverse(kind, data):
    a, b = draw(data, kind), draw(data, kind)
    assert (b * a) == (a >> b)
    assert_same(a << b, a >> ~b)
    assert_same(a % b, ~a * b)
    assert (a % b) == (b << a)


def test_a_long_chain_stays_on_the_unit_sphere_and_normalized_puts_it_back():
    step = moving(Curve.from_seed(5))
    step = step.replace(r=0.01 * step.r, rdot=0.01 * step.rdot, omega_local=1e-3 * step.omega_local)
    chain = MovingFrame()
    for _ in range(1000):
        chain >>= step
    # Random-walk to linear growth of one rounding error (1e-16) per product.
    assert abs(np.linalg.norm(chain.q) - 1.0) < 1000 * 2.3e-16
    off = MovingFrame._computed(chain.names, **{f: getattr(chain, f) for f in FIELDS[MovingFrame]})
    off.__dict__.update({f: getattr(chain, f) * (1.0 + 1e-4) for f in ("q", "qdot", "qddot")})
    back = off.normalized()
    assert abs(np.linalg.norm(back.q) - 1.0) < 1e-15
    assert_same(back, chain, tolerance=1e-9)  # chain.q itself is off by 1e-13, its rates (1e3) by as much


def test_normalized_removes_the_radial_parts():
    a = moving(Curve.from_seed(1))
    off = copy.copy(a)
    off.__dict__.update(qdot=a.qdot + 1e-3 * a.q, qddot=a.qddot - 2e-3 * a.q)
    assert_same(off.normalized(), a, tolerance=EXACT)
    assert_same(Frame(a.r, a.q).normalized(), a.frame, tolerance=1e-15)


# --- velocity and acceleration formulas against exact derivatives of smooth motions --------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_omega_alpha_and_the_matrix_rates_are_derivatives_of_the_rotation(seed):
    curve = Curve.from_seed(seed)
    assert_moves_as(moving(curve), kinematics(curve.pose, TIME))


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_local_is_the_derivative_of_the_numbers_omega_local(seed):
    curve, h = Curve.from_seed(seed), 1e-3
    offsets, weights = (-2, -1, 1, 2), (1.0, -8.0, 8.0, -1.0)
    difference = sum(w * moving(curve, TIME + i * h).omega_local for i, w in zip(offsets, weights, strict=True))
    # Fourth-order differences: the error is h^4 times a fifth derivative (up to 1e3 here) / 30.
    np.testing.assert_allclose(moving(curve).alpha_local, difference / (12 * h), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_product_moves_as_the_composed_motion(seed):
    a, b = Curve.from_seed(seed), Curve.from_seed(seed + 100)
    exact = kinematics(lambda t: chained(b.pose(t), a.pose(t)), TIME)
    assert_moves_as(moving(a) >> moving(b), exact)
    assert_moves_as(moving(b) * moving(a), exact)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_inverse_moves_as_the_inverted_motion(seed):
    a = Curve.from_seed(seed)
    assert_moves_as(~moving(a), kinematics(lambda t: inverted(a.pose(t)), TIME))


@pytest.mark.parametrize("seed", SEEDS)
def test_lshift_and_mod_move_as_the_relative_motion(seed):
    a, b = Curve.from_seed(seed), Curve.from_seed(seed + 100)
    exact = kinematics(lambda t: chained(inverted(b.pose(t)), a.pose(t)), TIME)
    assert_moves_as(moving(a) << moving(b), exact)
    assert_moves_as(moving(b) % moving(a), exact)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_moving_point_moves_as_its_world_curve_and_back(seed):
    frame, path = Curve.from_seed(seed), Curve.from_seed(seed + 100)
    local = MovingPoint(*map(floats, derivatives(path.position, TIME)))

    def world_curve(t):
        A, r = frame.pose(t)
        return r + A @ path.position(t)

    world = moving(frame) * local
    for got, exact in zip((world.r, world.rdot, world.rddot), derivatives(world_curve, TIME), strict=True):
        np.testing.assert_allclose(got, floats(exact), rtol=0.0, atol=EXACT)
    back = moving(frame) % world
    for got, exact in zip((back.r, back.rdot, back.rddot), (local.r, local.rdot, local.rddot), strict=True):
        np.testing.assert_allclose(got, exact, rtol=0.0, atol=EXACT)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_quaternion_rates_of_the_inverse_are_eq_22_and_the_negative_of_eq_23(seed):
    a = moving(Curve.from_seed(seed))
    q_inv = quaternion.inverse(a.q)
    eq_22 = -product(product(q_inv, a.qdot), q_inv)
    eq_23 = product(product(q_inv, a.qddot - 2.0 * product(product(a.qdot, q_inv), a.qdot)), q_inv)
    np.testing.assert_allclose((~a).qdot, eq_22, rtol=0.0, atol=EXACT)
    np.testing.assert_allclose((~a).qddot, -eq_23, rtol=0.0, atol=EXACT)  # erratum: the sign of eq. 23


def product(x, *more):
    for y in more:
        x = quaternion.multiply(x, y)
    return x


def pure(v):
    return np.concatenate([[0.0], v])


@pytest.mark.parametrize("seed", SEEDS)
def test_eqs_7_10_and_21_hold_for_the_vector_part_only(seed):
    a, b = moving(Curve.from_seed(seed)), moving(Curve.from_seed(seed + 100))
    conjugate = quaternion.conjugate
    eq_7 = pure(b.rdot) + 2.0 * product(b.qdot, pure(a.r), conjugate(b.q)) + product(b.q, pure(a.rdot), conjugate(b.q))
    eq_10 = (
        pure(b.rddot)
        + 2.0 * product(b.qddot, pure(a.r), conjugate(b.q))
        + 4.0 * product(b.qdot, pure(a.rdot), conjugate(b.q))
        + 2.0 * product(b.qdot, pure(a.r), conjugate(b.qdot))
        + product(b.q, pure(a.rddot), conjugate(b.q))
    )
    q_inv, star_inv = quaternion.inverse(b.q), quaternion.inverse(conjugate(b.q))
    eq_21 = product(q_inv, -pure(b.rdot) + 2.0 * product(b.qdot, q_inv, pure(b.r)), star_inv)
    for printed, right in ((eq_7, (a >> b).rdot), (eq_10, (a >> b).rddot), (eq_21, (~b).rdot)):
        np.testing.assert_allclose(printed[1:], right, rtol=0.0, atol=EXACT)
        assert abs(printed[0]) > 1e-3  # erratum: not an equation of quaternions


@pytest.mark.parametrize("seed", SEEDS)
def test_the_acceleration_of_the_inverse_is_the_unnumbered_formula_repaired(seed):
    # Erratum, CHRONO16 before eq. 23: its first term must have qddot and r (printed: qdot and rdot), the last one
    # q*^-1 qdot* (printed: q^-1 qdot* q*^-1, outside the bracket), and the velocity in the middle is the pure vector
    # of eq. 21, whose scalar part must go before it is multiplied again.
    b = moving(Curve.from_seed(seed))
    q_inv, star_inv = quaternion.inverse(b.q), quaternion.inverse(quaternion.conjugate(b.q))
    velocity = pure((2.0 * product(b.qdot, q_inv, pure(b.r)))[1:])
    bracket = (
        -pure(b.rddot)
        + 2.0 * product(b.qddot, q_inv, pure(b.r))
        + 4.0 * product(b.qdot, q_inv, pure(b.rdot) - velocity)
        + 2.0 * product(b.qdot, q_inv, pure(b.r), star_inv, quaternion.conjugate(b.qdot))
    )
    np.testing.assert_allclose(product(q_inv, bracket, star_inv)[1:], (~b).rddot, rtol=0.0, atol=EXACT)


# --- building and reading ------------------------------------------------------------------------------------------


@few
@given(frame=moving_frames, v=st.lists(numbers, min_size=6, max_size=6))
def test_omega_and_alpha_come_back_in_both_axes(frame, v):
    omega, alpha = np.reshape(v, (2, 3))
    local = frame.replace(omega_local=omega, alpha_local=alpha)
    parent = frame.replace(omega_parent=omega, alpha_parent=alpha)
    atol = 1e-14  # products of numbers below 30 in a dozen operations
    np.testing.assert_allclose(local.omega_local, omega, rtol=0.0, atol=atol)
    np.testing.assert_allclose(local.alpha_local, alpha, rtol=0.0, atol=atol)
    np.testing.assert_allclose(parent.omega_parent, omega, rtol=0.0, atol=atol)
    np.testing.assert_allclose(parent.alpha_parent, alpha, rtol=0.0, atol=atol)
    np.testing.assert_allclose(local.omega_parent, frame.A @ omega, rtol=0.0, atol=atol)
    np.testing.assert_allclose(parent.alpha_local, frame.A.T @ alpha, rtol=0.0, atol=atol)
    assert_in_the_group(local)
    assert_in_the_group(parent)


@few
@given(frame=moving_frames)
def test_replacing_keeps_what_is_not_named(frame):
    turned = frame.named(origin="a", base="b").replace(q=(0.0, 0.6, 0.8, 0.0), rddot=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(turned.omega_local, frame.omega_local, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(turned.alpha_local, frame.alpha_local, rtol=0.0, atol=1e-13)  # terms up to 27
    np.testing.assert_array_equal(turned.r, frame.r)
    np.testing.assert_array_equal(turned.rdot, frame.rdot)
    np.testing.assert_array_equal(turned.rddot, (1.0, 2.0, 3.0))
    assert turned.names == ("a", "b")
    faster = frame.replace(omega_local=(5.0, 0.0, 0.0))
    np.testing.assert_allclose(faster.alpha_local, frame.alpha_local, rtol=0.0, atol=1e-13)
    moved = Frame((1.0, 2.0, 3.0), origin="a").replace(r=(4.0, 5.0, 6.0))
    assert moved == Frame((4.0, 5.0, 6.0), origin="a")


@few
@given(frame=moving_frames)
def test_pose_twist_and_twist_rate_come_back(frame):
    again = MovingFrame.from_twist(frame.E, frame.twist, frame.twist_rate)
    np.testing.assert_allclose(again.E, frame.E, rtol=0.0, atol=1e-14)  # one matrix to quaternion and back
    np.testing.assert_allclose(again.twist, frame.twist, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(again.rddot, frame.rddot, rtol=0.0, atol=ROUNDING)
    np.testing.assert_allclose(again.alpha_local, frame.alpha_local, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(Frame.from_pose(frame.E).E, frame.E, rtol=0.0, atol=1e-14)
    assert_same(MovingFrame.from_pose(frame.E), MovingFrame.promote(Frame.from_pose(frame.E)), tolerance=0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_twist_rate_is_the_derivative_of_the_numbers_twist(seed):
    curve, h = Curve.from_seed(seed), 1e-3
    offsets, weights = (-2, -1, 1, 2), (1.0, -8.0, 8.0, -1.0)
    difference = sum(w * moving(curve, TIME + i * h).twist for i, w in zip(offsets, weights, strict=True))
    # Fourth-order differences: h^4 / 30 times a fifth derivative, up to 1e4 here.
    np.testing.assert_allclose(moving(curve).twist_rate, difference / (12 * h), rtol=0.0, atol=1e-9)


def test_a_spinning_wheel_has_the_textbook_accelerations():
    # A disc turning at w about z, its centre on an arm that turns at W about z: the rim point beyond the centre has
    # the speed W (R + r) + w r and the acceleration -(W^2 R + (W + w)^2 r) towards the pivot.
    W, w, R, r = 2.0, 3.0, 5.0, 0.5
    arm = MovingFrame.from_rates(omega_parent=(0.0, 0.0, W))
    wheel = MovingFrame.from_rates((R, 0.0, 0.0), omega_local=(0.0, 0.0, w))
    rim = MovingPoint((r, 0.0, 0.0)) >> wheel >> arm
    np.testing.assert_allclose(rim.r, (R + r, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(rim.rdot, (0.0, W * (R + r) + w * r, 0.0), atol=1e-14)
    np.testing.assert_allclose(rim.rddot, (-(W**2 * R + (W + w) ** 2 * r), 0.0, 0.0), atol=1e-14)


def test_coriolis_acceleration_of_a_point_sliding_on_a_turntable():
    table = MovingFrame.from_rates(omega_local=(0.0, 0.0, 3.0))
    slider = table * MovingPoint((2.0, 0.0, 0.0), (5.0, 0.0, 0.0))
    # Centripetal -w^2 x and Coriolis 2 w v.
    np.testing.assert_allclose(slider.rddot, (-18.0, 30.0, 0.0), atol=1e-14)


# --- mixing with Frame, points, directions -------------------------------------------------------------------------


@few
@given(a=moving_frames, f=frames)
def test_mixing_with_a_frame_is_mixing_with_a_moving_frame_at_rest(a, f):
    at_rest = MovingFrame(f.r, f.q)
    assert MovingFrame.promote(f) == at_rest
    assert (a >> f) == (a >> at_rest)
    assert (f >> a) == (at_rest >> a)
    assert (a * f) == (a * at_rest)
    assert (f * a) == (at_rest * a)
    assert (a << f) == (a << at_rest)
    assert (f << a) == (at_rest << a)
    assert (a % f) == (a % at_rest)
    assert (f % a) == (at_rest % a)
    assert type(f >> f) is Frame
    assert_same((a >> a).frame, a.frame >> a.frame)


@few
@given(a=moving_frames, b=moving_frames, v=st.lists(numbers, min_size=3, max_size=3))
def test_points_follow_the_frames(a, b, v):
    v = np.array(v)
    carried = MovingFrame(v)  # a frame that sits at the point
    for frame, at in ((a, carried), (a.frame, carried.frame)):
        np.testing.assert_allclose(v >> frame, (at >> frame).r, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(frame * v, (frame * at).r, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(v << frame, (at << frame).r, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(frame % v, (frame % at).r, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose((v >> frame) << frame, v, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(v >> a >> b, v >> (a >> b), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(b * a * v, b * (a * v), rtol=0.0, atol=1e-13)


@few
@given(a=moving_frames, b=moving_frames)
def test_a_moving_point_follows_the_frame_it_sits_in(a, b):
    point = MovingPoint(a.r, a.rdot, a.rddot)
    for frame in (b, b.frame):
        for got, whole in ((point >> frame, a >> frame), (point << frame, a << frame)):
            np.testing.assert_array_equal(got.r, whole.r)
            np.testing.assert_array_equal(got.rdot, whole.rdot)
            np.testing.assert_array_equal(got.rddot, whole.rddot)
        np.testing.assert_array_equal((frame * point).rddot, (point >> frame).rddot)
        np.testing.assert_array_equal((frame % point).rddot, (point << frame).rddot)


def test_lists_and_integers_are_points_too():
    frame = Frame((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))  # half a turn about z
    np.testing.assert_array_equal([1, 2, 3] >> frame, (0.0, -2.0, 3.0))
    np.testing.assert_array_equal(frame * (1, 2, 3), (0.0, -2.0, 3.0))
    np.testing.assert_array_equal(np.array([1, 2, 3]) >> frame, (0.0, -2.0, 3.0))
    np.testing.assert_array_equal(frame % [0, -2, 3], (1.0, 2.0, 3.0))


@pytest.mark.parametrize("shape", [(3,), (7, 3), (2, 5, 3), (0, 3)])
def test_many_points_at_once_are_each_point_alone(shape):
    rng = np.random.default_rng(4)
    frame = moving(Curve.from_seed(0))
    r, rdot, rddot = rng.normal(size=(3, *shape))
    many = frame * MovingPoint(r, rdot, rddot)
    back = frame % MovingPoint(r, rdot, rddot)
    assert (r >> frame).shape == (r << frame).shape == many.rddot.shape == frame.direction_to_parent(r).shape == shape
    # BLAS may order the sums of a product of many rows otherwise than those of one row: some last bits.
    close = {"rtol": 0.0, "atol": 1e-13}
    for i in np.ndindex(shape[:-1]):
        one, one_back = frame * MovingPoint(r[i], rdot[i], rddot[i]), frame % MovingPoint(r[i], rdot[i], rddot[i])
        np.testing.assert_allclose((r >> frame)[i], r[i] >> frame, **close)
        np.testing.assert_allclose((r << frame)[i], r[i] << frame, **close)
        np.testing.assert_allclose(frame.direction_to_parent(r)[i], frame.direction_to_parent(r[i]), **close)
        for field in ("r", "rdot", "rddot"):
            np.testing.assert_allclose(getattr(many, field)[i], getattr(one, field), **close)
            np.testing.assert_allclose(getattr(back, field)[i], getattr(one_back, field), **close)


@few
@given(frame=moving_frames, v=st.lists(numbers, min_size=6, max_size=6))
def test_a_direction_is_the_difference_of_two_points(frame, v):
    p, q = np.reshape(v, (2, 3))
    np.testing.assert_allclose(frame.direction_to_parent(p - q), (p >> frame) - (q >> frame), rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(frame.direction_to_local(p - q), (p << frame) - (q << frame), rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(frame.direction_to_parent(p), quaternion.rotate(frame.q, p), rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(frame.direction_to_local(frame.direction_to_parent(p)), p, rtol=0.0, atol=1e-14)


# --- values --------------------------------------------------------------------------------------------------------


@kinds
@few
@given(data=st.data())
def test_in_place_forms_equal_the_operators_and_leave_other_names_alone(kind, data):
    a, b = draw(data, kind), draw(data, kind)
    kept = a
    chain = a
    chain >>= b
    assert chain == (kept >> b)
    chain = a
    chain *= b
    assert chain == (kept * b)
    chain = a
    chain <<= b
    assert chain == (kept << b)
    chain = a
    chain %= b
    assert chain == (kept % b)
    assert a is kept
    mixed = a.frame if kind is MovingFrame else a
    mixed >>= MovingFrame.promote(b)
    assert type(mixed) is MovingFrame


@kinds
def test_frames_cannot_change(kind):
    given_r = np.array([1.0, 2.0, 3.0])
    frame = kind(given_r)
    given_r[0] = 9.0
    assert frame.r[0] == 1.0
    with pytest.raises(AttributeError, match="replace"):
        frame.r = (0.0, 0.0, 0.0)
    with pytest.raises(AttributeError, match="cannot lose"):
        del frame.r
    results = [frame, frame >> frame, ~frame, frame << frame, frame.normalized(), kind.promote(Frame(frame.r))]
    for value in [*results, copy.deepcopy(frame), pickle.loads(pickle.dumps(frame))]:
        assert not any(getattr(value, field).flags.writeable for field in FIELDS[kind])
        assert not value.A.flags.writeable
    assert frame.A is frame.A  # computed once
    point = MovingPoint(frame.r)
    assert not point.r.flags.writeable
    with pytest.raises(AttributeError, match="value"):
        point.r = frame.r


def test_copies_and_pickles_are_equal():
    frame = moving(Curve.from_seed(0)).named(origin="tool", base=0)
    for value in (frame, frame.frame):
        assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
        assert value != value.named(origin="other", base=0)
    assert frame != frame.frame
    assert frame != frame.replace(omega_local=(0.0, 0.0, 0.0))
    point = pickle.loads(pickle.dumps(MovingPoint(frame.r, frame.rdot)))
    np.testing.assert_array_equal(point.rdot, frame.rdot)
    assert "tool" in repr(frame)
    assert "rddot" in repr(point)


@pytest.mark.parametrize(
    "expression",
    [
        "frame >> v", "frame << v", "v * frame", "v % frame", "frame >> [1, 2, 3]", "frame >> p", "p * frame",
        "frame * 2.0", "2.0 * frame", "frame >> 2", "2 >> frame", "frame % None", "frame + frame", "v + frame",
    ],
)  # fmt: skip
@kinds
def test_operations_without_meaning_are_refused(kind, expression):
    v = np.ones(3)
    with pytest.raises(TypeError):
        eval(expression, {"frame": kind(), "v": v, "p": MovingPoint(v)})


@pytest.mark.parametrize("statement", ["frame *= v", "frame %= v", "frame >>= v", "frame <<= v", "frame *= p"])
def test_a_frame_is_never_turned_into_a_point_in_place(statement):
    with pytest.raises(TypeError, match=r"write vector|write v"):
        exec(statement, {"frame": Frame(), "v": np.ones(3), "p": MovingPoint(np.ones(3))})


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Frame((1.0, 2.0)), r"'r'.*\(2,\).*3 numbers"),
        (lambda: Frame((1.0, np.nan, 2.0)), r"'r'.*entry 1 is nan.*finite"),
        (lambda: Frame(q=(1.0, 1.0, 0.0, 0.0)), r"'q'.*1\.414.*unit quaternion"),
        (lambda: Frame("abc"), r"'r'.*real numbers"),
        (lambda: Frame((1.0, 2.0, 3j)), r"'r'.*real numbers"),
        (lambda: Frame(([1.0], 2.0, 3.0)), r"'r'.*real numbers"),
        (lambda: MovingFrame(qdot=(0.1, 0.0, 0.0, 0.0)), r"'qdot'.*q \. qdot is 0\.1.*from_rates"),
        (lambda: MovingFrame(qdot=(0.0, 1.0, 0.0, 0.0)), r"'qddot'.*is 1\.0.*from_rates"),
        (lambda: MovingFrame.from_rates(omega_local=(1, 0, 0), omega_parent=(1, 0, 0)), "both given; give one"),
        (lambda: MovingFrame.from_rates(alpha_parent=(1, 0)), "'alpha_parent'.*3 numbers"),
        (lambda: Frame.from_pose(np.eye(3)), r"'E'.*\(3, 3\).*4x4"),
        (lambda: Frame.from_pose(np.full((4, 4), np.inf)), "'E'.*finite"),
        (lambda: Frame.from_pose(np.diag([1.0, 1.0, 1.0, 2.0])), r"'E'.*last row.*\[0, 0, 0, 1\]"),
        (lambda: Frame.from_pose(np.diag([2.0, 1.0, 1.0, 1.0])), "'E'.*not a rotation"),
        (lambda: Frame.from_pose(np.diag([-1.0, 1.0, 1.0, 1.0])), r"'E'.*determinant \+1"),
        (lambda: MovingFrame.from_twist(np.eye(4), np.zeros(3)), "'phi'.*6 numbers"),
        (lambda: Frame(origin=1.5), "'origin'.*1.5.*string"),
        (lambda: Frame(base=""), "'base'.*non-empty"),
        (lambda: Frame(base=True), "'base'.*True"),
        (lambda: Frame() * np.ones((3, 2)), r"\(3, 2\).*length 3"),
        (lambda: Frame() * ["a", "b", "c"], "real numbers"),
        (lambda: Frame().transform(1.0), "length 3"),
        (lambda: MovingPoint((1.0, 2.0)), "'r'.*length 3"),
        (lambda: MovingPoint(np.ones((2, 3)), np.ones((4, 3))), "do not go together"),
    ],
)
def test_bad_values_are_refused_with_the_field_and_the_remedy(build, message):
    with pytest.raises(FrameError, match=message):
        build()


def test_float32_poses_are_accepted_and_made_rigid():
    E = moving(Curve.from_seed(2)).E
    frame = Frame.from_pose(E.astype(np.float32))
    assert abs(np.linalg.norm(frame.q) - 1.0) < 1e-15
    np.testing.assert_allclose(frame.E, E, rtol=0.0, atol=1e-6)  # float32 has seven digits
