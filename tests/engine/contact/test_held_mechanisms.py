# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops, limits, couplings and drives that touch things: closed forms by both routes, and both beside
each other. Losses are those of impulses and velocities: nothing closes the books, so that they show what is wrong."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import numpy as np
import pytest

from engine.contact.held_scenes import (
    doll,
    dragged_rod,
    four_bar_on_ground,
    gears_under_a_block,
    lift_on_the_ground,
    limited_links,
    slider_at_a_stop,
    stamping_crank,
    walker,
)
from engine.contact_scenes import G, run
from engine.drives.driven import CAM, chain, with_drives
from engine.mechanisms import scissor_lift
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.drives import Drive, DriveInput, Follower
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.integrators.contact import compiled_stepper
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.scene import Scene
from redmax.tables import Table
from redmax.trajectory import Trajectory

needs_kernels = pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")


def imbalance(found: Trajectory) -> float:
    """What energies, losses and work differ by, as part of how much the energy changes."""
    books = found.channels["energy"] + found.channels["loss"] - found.channels["work"]
    return float(np.ptp(books) / np.ptp(found.channels["energy"]))


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.usefixtures("by_route")
def test_a_sledge_that_slides_to_its_stop_comes_back_by_its_restitution(restitution: float) -> None:
    friction, speed, room = 0.3, 2.0, 0.4
    scene = slider_at_a_stop(speed=speed, room=room, restitution=restitution, friction=friction)
    a = friction * 2.0 * G / 3.0  # only the sledge of both weighs on the ground
    arrives = math.sqrt(speed**2 - 2.0 * a * room)
    found = run(scene, 1.5, "high")
    assert found.status == "complete", found.message
    back = (restitution * arrives) ** 2 / (2.0 * a)
    assert found.q[-1, 0] == pytest.approx(room - back, abs=1e-5)
    assert found.q[:, 0].max() <= room + 1e-6
    assert found.channels["loss"][-1] == pytest.approx(0.5 * 3.0 * speed**2, rel=1e-6)
    assert found.channels["impact_loss"][-1] == pytest.approx(1.5 * (1.0 - restitution**2) * arrives**2, rel=1e-4)
    # before the stop and after it, by friction alone
    assert found.channels["friction_loss"][-1] == pytest.approx(3.0 * a * (room + back), rel=1e-4)


@pytest.mark.usefixtures("by_route")
def test_losses_at_stops_and_contacts_together_balance() -> None:
    found = run(limited_links(), 0.5)
    assert found.channels["loss"][-1] > 5.0
    assert imbalance(found) < 1e-3


@pytest.mark.usefixtures("by_route")
def test_a_strong_motor_that_stamps_on_the_ground_keeps_its_books() -> None:
    """Its time constant is that of a step, so that what it does in a step is not what it does in the free motion: by
    that books were off by a third."""
    found = run(stamping_crank(motor=Motor(target_speed=(6.0,), speed_gain=(50.0,)), qdot=(6.0,)), 0.6)
    assert found.status == "complete", found.message
    assert found.channels["work"][-1] > 20.0
    assert imbalance(found) < 1e-2


@pytest.mark.usefixtures("by_route")
def test_a_leg_whose_motor_is_faster_than_steps_keeps_its_books() -> None:
    found = run(walker(), 0.6)
    assert found.status == "complete", found.message
    assert imbalance(found) < 5e-3


@pytest.mark.usefixtures("by_route")
def test_keys_that_drag_a_rod_do_the_work_of_its_friction() -> None:
    """What the cart holds against is booked once, though the free motion and the contact both know of it. Moments about
    the hinge: N (a + mu b) = m g a / 2, with the end a behind the hinge and b below."""
    table = Table(x=(0.0, 1.0), y=((0.0,), (1.0,)))
    found = run(dragged_rod(motion_type="animated", animation=table), 0.75, "high")
    assert found.status == "complete", found.message
    a, b = 0.4, 0.5
    force = 0.5 * G * 0.5 * a / (a + 0.5 * b)
    part = found.t >= 0.25
    t, work = found.t[part] - 0.25, found.channels["work"][part] - found.channels["work"][part][0]
    np.testing.assert_allclose(work, force * t, atol=1e-4)
    assert found.channels["friction_loss"][-1] == pytest.approx(found.channels["work"][-1], abs=1e-3)
    books = found.channels["energy"] + found.channels["loss"] - found.channels["work"]
    assert np.ptp(books[part]) < 1e-4


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.usefixtures("by_route")
def test_geared_rollers_stop_by_the_friction_on_both(driven: bool) -> None:
    scene = gears_under_a_block(driven=driven)
    braking = 0.1 * 0.4 * (0.5 * 10.0 * G) / 0.02  # each turns 0.02 kg m^2 against half of the crate's friction
    found = run(scene, 0.2, "high", fps=100.0)
    assert found.q[-1, 0] == pytest.approx(3.0**2 / (2.0 * braking), rel=1e-4)
    np.testing.assert_allclose(found.q[:, 1], -found.q[:, 0], atol=1e-10)
    np.testing.assert_allclose(found.q[:, 2:], 0.0, atol=1e-6)  # the crate is pushed both ways
    assert found.channels["friction_loss"][-1] == pytest.approx(0.5 * 0.04 * 9.0, rel=1e-6)


@pytest.mark.usefixtures("by_route")
def test_gears_of_another_ratio_take_more_of_one_roller() -> None:
    """The crate is carried along: momentum, with what turns counted by the gears."""
    found = run(gears_under_a_block(ratio=-0.5), 0.3, "high", fps=100.0)
    np.testing.assert_allclose(found.q[:, 1], -0.5 * found.q[:, 0], atol=1e-10)
    assert imbalance(found) < 1e-6
    assert found.qdot[-1, 0] < 3.0


SCENES: dict[str, tuple[Callable[[], Scene], float, float]] = {
    "links with a limit": (limited_links, 0.6, 2e-4),
    "links whose limit throws back": (lambda: limited_links(restitution=0.5), 0.33, 2e-4),
    "four-bar": (four_bar_on_ground, 0.6, 2e-4),
    "scissor lift": (lift_on_the_ground, 0.6, 2e-4),
    "gears": (lambda: gears_under_a_block(ratio=-0.5), 0.3, 1e-6),
    "drive": (lambda: gears_under_a_block(ratio=-0.5, driven=True), 0.3, 1e-6),
}


@needs_kernels
@pytest.mark.parametrize("name", SCENES)
def test_kernels_and_readable_steps_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, duration, tolerance = SCENES[name]
    quick = run(make(), duration, "high")
    monkeypatch.setattr(compiled_stepper, "has_compiled_frames", lambda _model, _tree: False)
    slow = run(make(), duration, "high")
    np.testing.assert_allclose(quick.q, slow.q, atol=tolerance)
    for found in (quick, slow):
        assert found.status == "complete", found.message
        assert imbalance(found) < 5e-4
    assert quick.channels["loss"][-1] == pytest.approx(slow.channels["loss"][-1], rel=1e-3)


@needs_kernels
def test_a_doll_falls_within_its_limits() -> None:
    scene = doll(height=1.0, tilt=0.8)
    found = run(scene, 0.75)
    assert found.status == "complete", found.message
    model = compile_scene(scene)
    for q, qdot, chart in zip(found.q, found.qdot, found.channels["chart"], strict=True):
        rows = constraint_rows(model, fast.kinematics(model, q, qdot, chart), 0.0, quick=False)
        assert rows.error[rows.one_sided].min() > -1e-4
    assert imbalance(found) < 2e-3
    assert found.meta["contact"]["deepest"] < 1e-3
    assert np.diff(found.channels["energy"]).max() < 1e-3 * np.ptp(found.channels["energy"])


@needs_kernels
@pytest.mark.parametrize("accuracy", ["draft", "standard"])
def test_a_walker_walks(accuracy: str) -> None:
    """Its motor decays faster than the shortest steps that draft would take for contact are stable."""
    found = run(walker(), 1.0, accuracy)
    assert found.status == "complete", found.message
    assert np.abs(found.channels["gap"]).max() < 1e-9
    assert found.q[-1, 0] > 0.05


def table_of_rows(model, q, qdot):
    """(m, 6 + nr) as kernels have it: see `contact_steps.numbers`."""
    from redmax.kernels.contact_steps import numbers, rows
    from redmax.kernels.layout.declaration import Head

    tree = fast.constrained_tree(model)
    m = int(tree.ints[Head.ROWS])
    table = np.zeros((m, numbers.ROW_LINE + model.dof_count))
    tree.evaluate_loops(q, qdot, np.zeros(model.body_count, np.int64))
    signature = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5, ctypes.c_double, ctypes.c_int64)
    put = signature(rows.put_rows_at.address)
    put(tree.ints.ctypes.data, tree.floats.ctypes.data, 0, 0, table.ctypes.data, 0.0, 0)
    return table


@needs_kernels
@pytest.mark.parametrize(
    "make", [limited_links, doll, lambda: scissor_lift(2), lambda: gears_under_a_block(ratio=-0.5), walker]
)
def test_rows_on_coordinates_are_those_of_readable_code(make: Callable[[], Scene]) -> None:
    from redmax.kernels.contact_steps import numbers as at

    model, rng = compile_scene(make()), np.random.default_rng(4)
    nr = model.dof_count
    q, qdot = model.initial_state().q + rng.uniform(-0.2, 0.2, nr), rng.uniform(-1.0, 1.0, nr)
    table = table_of_rows(model, q, qdot)
    kin = fast.kinematics(model, q, qdot, np.zeros(model.body_count, np.int64))
    rows = constraint_rows(model, kin, 0.0, quick=False)
    np.testing.assert_allclose(table[:, at.ROW_LINE :] @ qdot, table[:, at.ROW_SPEED], atol=1e-12)
    stops = table[:, at.ROW_IS_STOP] != 0.0
    np.testing.assert_allclose(table[stops][:, at.ROW_LINE :], rows.G[rows.one_sided], atol=1e-12)
    np.testing.assert_allclose(table[stops, at.ROW_ERROR], rows.error[rows.one_sided], atol=1e-12)
    np.testing.assert_array_equal(table[stops, at.ROW_BOUNCE], rows.bounce[rows.one_sided])
    # equations may be written otherwise: they allow the same motions
    ours, theirs = table[~stops][:, at.ROW_LINE :], rows.G[~rows.one_sided]
    if len(ours):
        rank = np.linalg.matrix_rank(theirs, tol=1e-9)
        assert np.linalg.matrix_rank(ours, tol=1e-9) == rank
        assert np.linalg.matrix_rank(np.concatenate([ours, theirs]), tol=1e-9) == rank


@needs_kernels
def test_rows_of_drives_are_the_derivatives_of_their_errors() -> None:
    from redmax.kernels.contact_steps import numbers as at

    follower = Follower(joint="h2", ratio=-0.6, table=CAM)
    model = compile_scene(
        with_drives(chain(4), Drive(name="cam", inputs=(DriveInput(joint="h0"),), followers=(follower,)))
    )
    rng, h = np.random.default_rng(5), 1e-6
    q, qdot = rng.uniform(-0.5, 0.5, (2, model.dof_count))
    lines = table_of_rows(model, q, qdot)[:, at.ROW_LINE :]
    slope = [table_of_rows(model, q + s * h * qdot, qdot)[:, at.ROW_ERROR] for s in (1.0, -1.0)]
    np.testing.assert_allclose(lines @ qdot, (slope[0] - slope[1]) / (2.0 * h), atol=1e-8)
    assert np.abs(lines[:, 0]).max() > 0.01


@needs_kernels
@pytest.mark.parametrize("name", ["LEFTOVER", "BRIEF"])
def test_both_routes_know_the_same_numbers(name: str) -> None:
    from redmax.integrators.contact import stepper
    from redmax.kernels.contact_steps import frames

    assert getattr(frames, name) == getattr(stepper, name)
