# SPDX-License-Identifier: GPL-3.0-or-later
"""CHRONO16 section 6: an item on a conveyor belt (frame 8) seen from the end effector (frame 6) of a 4-DOF robot.

0 is the floor, 1-6 the robot, 7 the conveyor, 8 the item. The joints 1 (column, z), 2 (shoulder, y), 3 (elbow, y) and
5 (wrist, x) turn; 4 and 6 are fixed offsets (plain `Frame`s in the chain). The conveyor swivels on its base and the
item slides along the belt while it is being turned, so that every kind of acceleration takes part.
"""

import numpy as np
import pytest
from exact_motion import axis_rotation, chained, derivatives, floats, inverted, kinematics, mp, vector

from redmax.spatial import quaternion
from redmax.spatial.frame import Frame
from redmax.spatial.frame_names import FrameChainError
from redmax.spatial.moving_frame import MovingFrame

TIME = 0.8

# Rates are about 10 and eight frames chain: 2^-53 * 10 * about 100 roundings; measured: 4e-15.
TOLERANCE = 1e-13


def sine(c0, c1, c2, c3):
    return lambda t: mp.mpf(c0) + mp.mpf(c1) * t + mp.mpf(c2) * mp.sin(mp.mpf(c3) * t)


# name: (parent, axis, angle(t) or None for a fixed frame, position(t) in the parent)
LINKS = {
    1: (0, 2, sine(0.3, 0.5, 0.8, 2.0), lambda t: vector((0.0, 0.0, 0.4))),
    2: (1, 1, sine(-0.4, 0.0, 0.6, 3.0), lambda t: vector((0.15, 0.0, 0.35))),
    3: (2, 1, sine(1.1, -0.2, 0.5, 2.5), lambda t: vector((0.0, 0.0, 0.9))),
    4: (3, 1, None, lambda t: vector((0.7, 0.0, 0.1))),
    5: (4, 0, sine(0.0, 2.0, 0.3, 5.0), lambda t: vector((0.12, 0.0, 0.0))),
    6: (5, 2, None, lambda t: vector((0.1, 0.0, -0.02))),
    7: (0, 2, sine(1.2, 0.1, 0.2, 1.5), lambda t: vector((1.4, -0.6, 0.5))),
    8: (
        7,
        2,
        sine(0.1, 0.7, 0.2, 4.0),
        lambda t: np.array([mp.mpf("0.3") * t, mp.sin(t) / 20, mp.mpf(0)], dtype=object),
    ),
}
FIXED_ANGLE = {4: 0.25, 6: -0.6}


def exact_pose(link: int, t):
    _, axis, angle, position = LINKS[link]
    return axis_rotation(axis, mp.mpf(FIXED_ANGLE[link]) if angle is None else angle(t)), position(t)


def frame(link: int) -> Frame:
    """chi_{link,(parent)}: what a program that simulates the cell would know."""
    parent, axis, angle, position = LINKS[link]
    unit = np.eye(3)[axis]
    if angle is None:
        rotation = quaternion.exp(FIXED_ANGLE[link] * unit)
        return Frame(floats(position(mp.mpf(TIME))), rotation, origin=link, base=parent)
    theta, thetadot, thetaddot = map(float, derivatives(angle, TIME))
    r, rdot, rddot = map(floats, derivatives(position, TIME))
    return MovingFrame.from_rates(
        r, quaternion.exp(theta * unit), rdot, rddot,
        omega_local=thetadot * unit, alpha_local=thetaddot * unit, origin=link, base=parent,
    )  # fmt: skip


x10, x21, x32, x43, x54, x65, x70, x87 = (frame(link) for link in LINKS)


def item_in_effector() -> MovingFrame:
    return x87 >> x70 >> ~x10 >> ~x21 >> ~x32 >> ~x43 >> ~x54 >> ~x65


def assert_same_motion(a: MovingFrame, b: MovingFrame) -> None:
    assert a.names == b.names == (8, 6)
    for field in ("r", "q", "rdot", "qdot", "rddot", "qddot"):
        np.testing.assert_allclose(getattr(a, field), getattr(b, field), rtol=0.0, atol=TOLERANCE, err_msg=field)


def test_the_item_in_the_effector_is_the_difference_of_the_world_motions():
    def effector(t):
        pose = exact_pose(1, t)
        for link in (2, 3, 4, 5, 6):
            pose = chained(pose, exact_pose(link, t))
        return pose

    def item(t):
        return chained(exact_pose(7, t), exact_pose(8, t))

    exact = kinematics(lambda t: chained(inverted(effector(t)), item(t)), TIME)
    got = item_in_effector()
    assert got.names == (8, 6)
    assert min(np.linalg.norm(exact[name]) for name in ("rdot", "rddot", "omega_local", "alpha_local")) > 0.5
    for name, value in exact.items():
        np.testing.assert_allclose(getattr(got, name), value, rtol=0.0, atol=TOLERANCE, err_msg=name)


def test_the_expressions_of_the_seed_are_equal():
    robot = x65 >> x54 >> x43 >> x32 >> x21 >> x10
    assert robot.names == (6, 0)
    item = x87 >> x70
    assert item.names == (8, 0)
    assert_same_motion(item_in_effector(), x87 >> x70 >> ~robot)
    assert_same_motion(item_in_effector(), item >> ~robot)
    x06 = ~robot
    assert x06.names == (0, 6)
    assert_same_motion(item_in_effector(), item >> x06)


def test_the_fast_operators_give_the_same_motion():
    robot = x10 * x21 * x32 * x43 * x54 * x65
    assert robot.names == (6, 0)
    assert_same_motion(item_in_effector(), x87 >> x70 << x10 << x21 << x32 << x43 << x54 << x65)
    assert_same_motion(item_in_effector(), robot % (x70 * x87))
    assert_same_motion(item_in_effector(), (x70 * x87) << robot)
    chain = x87
    chain >>= x70
    for link in (x10, x21, x32, x43, x54, x65):
        chain <<= link
    assert_same_motion(item_in_effector(), chain)


def test_a_point_of_the_item_reaches_the_effector_through_every_frame():
    corner = np.array([0.05, 0.02, 0.01])
    stepwise = corner >> x87 >> x70 << x10 << x21 << x32 << x43 << x54 << x65
    np.testing.assert_allclose(stepwise, item_in_effector() * corner, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(
    ("wrong", "left", "right"),
    [
        (lambda: x87 >> x10, "8 in 7", "1 in 0"),
        (lambda: x87 >> x70 >> x10, "8 in 0", "1 in 0"),  # the inverse is forgotten
        (lambda: x87 >> x70 >> ~x21, "8 in 0", "1 in 2"),  # a frame is skipped
        (lambda: x87 * x70, "8 in 7", "7 in 0"),  # the wrong order
        (lambda: x87 << x10, "8 in 7", "1 in 0"),
    ],
)
def test_a_slip_in_the_chain_is_caught(wrong, left, right):
    with pytest.raises(FrameChainError) as caught:
        wrong()
    assert left in str(caught.value)
    assert right in str(caught.value)
