# SPDX-License-Identifier: GPL-3.0-or-later
"""A drive moves as couplings and other constraints would hold the same joints, and as a Lagrangian by hand says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine.drives.driven import (
    CAM,
    branching,
    chain,
    constrained_twin,
    coupled,
    equal_angles,
    hand,
    run,
    with_drives,
)
from redmax.compile import compile as compile_scene
from redmax.drives import Drive, DriveInput, Follower
from redmax.integrators import (
    Bdf1,
    Bdf2,
    Dop853,
    LinearlyImplicitEuler,
    LinearlyImplicitEulerPcg,
    Radau,
    Rk45,
    RungeKutta4,
    SemiImplicitEuler,
)

TIGHT = {"rtol": 1e-12, "atol": 1e-12}
EXACT = [
    SemiImplicitEuler(h=2e-3),
    RungeKutta4(h=5e-3),
    LinearlyImplicitEuler(h=2e-3),
    Bdf1(h=5e-3, tolerance=1e-13),
    Bdf2(h=5e-3, tolerance=1e-13),
    Dop853(**TIGHT),
    Rk45(rtol=1e-11, atol=1e-11),
]
"""Methods that take the same steps along a linear map and along the constraint that holds it, or very accurate ones."""


def geared() -> object:
    """Chain of four hinges about various axes, all moved by the first; springs, damping."""
    scene = chain(4, axes=((0.0, 1.0, 0.0), (0.3, 1.0, 0.0), (0.0, 0.0, 1.0)), stiffness=2.0, damping=0.05)
    first = dataclasses.replace(scene.joints[0], qdot=1.5, q=0.2)
    scene = dataclasses.replace(scene, joints=[first, *scene.joints[1:]])
    ratios = {"h1": 1.0, "h2": -2.0, "h3": 0.5}
    followers = tuple(Follower(joint=name, ratio=ratio, offset=0.1) for name, ratio in ratios.items())
    return with_drives(scene, Drive(name="gears", inputs=(DriveInput(joint="h0"),), followers=followers))


def nested() -> object:
    """A slider moves shoulder, elbow and one finger of a branching tree; the rest moves freely."""
    followers = (
        Follower(joint="shoulder", ratio=1.5),
        Follower(joint="elbow", coordinate=1, ratio=-1.0, offset=0.3),
        Follower(joint="left knuckle", ratio=0.7),
    )
    scene = branching(qdot=1.0, stiffness=20.0)
    return with_drives(scene, Drive(name="lift", inputs=(DriveInput(joint="rail"),), followers=followers))


def assert_same_run(model, other, integrator, tolerance, duration=0.3):
    ours, theirs = (run(each, integrator=integrator, duration=duration) for each in (model, other))
    nr = ours.q.shape[1]
    np.testing.assert_allclose(ours.q, theirs.q[:, :nr], atol=tolerance)
    np.testing.assert_allclose(ours.qdot, theirs.qdot[:, :nr], atol=10.0 * tolerance)
    np.testing.assert_allclose(ours.position, theirs.position, atol=tolerance)
    for name in ("energy", "reaction", "torque"):
        part = theirs.channels[name]
        part = part[:, :nr] if name == "torque" else part
        size = max(1.0, float(np.abs(part).max()))
        np.testing.assert_allclose(ours.channels[name], part, atol=100.0 * tolerance * size, err_msg=name)
    assert np.abs(ours.q[-1] - ours.q[0]).max() > 0.04
    return ours, theirs


SLOW = ("bdf1", "rk45", "rk4")
"""Methods that run the larger scene only in `make test-all`; relatives of each run it always."""


@pytest.mark.parametrize(
    ("scene", "integrator"),
    [
        pytest.param(
            scene,
            integrator,
            marks=[pytest.mark.slow] * (scene is nested and integrator.kind in SLOW),
            id=f"{integrator.kind}-{scene.__name__}",
        )
        for scene in (geared, nested)
        for integrator in EXACT
    ],
)
def test_ratios_move_as_couplings_do(scene, integrator):
    made = scene()
    duration = 0.1 if integrator.kind.startswith("bdf") else 0.3
    assert_same_run(compile_scene(made), coupled(made), integrator, 1e-9, duration)


def test_tables_move_as_constraints_do():
    """Two drives, tables and ratios, two inputs for one joint; one of them with a motor's inertia of its own."""
    model = compile_scene(hand())
    ours, theirs = assert_same_run(model, constrained_twin(model), Dop853(**TIGHT), 1e-9, duration=0.5)
    held = theirs.channels["constraint"]
    rows = model.followers.rows
    np.testing.assert_allclose(ours.channels["drive"][:, rows], held, atol=1e-7 * np.abs(held).max())
    assert ours.channels["input"].shape == (11, 3, 3)
    np.testing.assert_array_equal(ours.channels["input"][:, 0, 0], ours.q[:, model.followers.inputs[0]])
    assert ours.meta["inputs"] == ["rail", "grip, input 0", "axle"]


def test_tables_move_as_constraints_do_by_radau():
    model = compile_scene(hand())
    settings = Radau(rtol=1e-9, atol=1e-9)
    ours, theirs = (run(each, integrator=settings, duration=0.05) for each in (model, constrained_twin(model)))
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "order"),
    [
        (SemiImplicitEuler, 1),
        (LinearlyImplicitEuler, 1),
        (LinearlyImplicitEulerPcg, 1),
        (Bdf1, 1),
        (Bdf2, 2),
        (RungeKutta4, 4),
    ],
    ids=lambda each: getattr(each, "kind", ""),
)
def test_fixed_steps_keep_their_order_along_tables(method, order):
    scene = with_drives(
        chain(2, stiffness=4.0, damping=0.1),
        Drive(
            name="cam",
            inputs=(DriveInput(qdot=0.7, q=0.25, armature=0.3),),
            followers=(Follower(joint="h0", table=CAM), Follower(joint="h1", ratio=-0.6)),
        ),
    )
    model = compile_scene(scene)
    exact = run(model, integrator=Dop853(**TIGHT), duration=0.25, fps=4.0).q[-1]
    errors = [
        np.abs(run(model, integrator=method(h=0.25 / count), duration=0.25, fps=4.0).q[-1] - exact).max()
        for count in (20, 40)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def by_hand(count, length, theta, omega, t):
    """theta(t) of bars of mass 1 + 0.1 k in a vertical plane, bar k turned by (k + 1) theta: Lagrange by hand.

    L = M(theta) omega^2 / 2 - V(theta), so that M theta'' = -M' omega^2 / 2 - V'.
    """
    mass = 1.0 + 0.1 * np.arange(count)
    inertia = mass / 12.0 * (length**2 + 2.0 * (0.05 * length) ** 2)
    turns = np.arange(1, count + 1)

    def parts(theta):
        """First and second derivatives of the centres, and heights."""
        u = np.stack([np.cos(turns * theta), -np.sin(turns * theta)], axis=1) * length
        du = np.stack([-np.sin(turns * theta), -np.cos(turns * theta)], axis=1) * (length * turns)[:, None]
        ddu = -u * (turns**2)[:, None]
        return [np.cumsum(each, axis=0) - 0.5 * each for each in (u, du, ddu)]

    def slope(_, y):
        theta, omega = y
        _, dc, ddc = parts(theta)
        M = float(mass @ (dc**2).sum(axis=1) + inertia @ turns**2)
        dM = float(2.0 * mass @ (dc * ddc).sum(axis=1))
        dV = float(9.81 * mass @ dc[:, 1])
        return omega, (-0.5 * dM * omega**2 - dV) / M

    found = solve_ivp(slope, (t[0], t[-1]), (theta, omega), method="DOP853", t_eval=t, rtol=1e-12, atol=1e-12)
    return found.y


@pytest.mark.parametrize("count", [1, 5, 12])
def test_a_chain_rolled_by_equal_angles_is_a_pendulum_of_one_coordinate(count):
    """RBDN section 2.6's example against a Lagrangian of one coordinate."""
    model = compile_scene(equal_angles(count, q=0.3, qdot=0.5))
    found = run(model, integrator=Dop853(**TIGHT), duration=1.5)
    theta, omega = by_hand(count, 0.4, 0.3, 0.5, found.t)
    np.testing.assert_allclose(found.q, np.repeat(theta[:, None], count, axis=1), atol=1e-8)
    np.testing.assert_allclose(found.channels["input"][:, 0, :2], np.stack([theta, omega], axis=1), atol=1e-7)
    assert np.ptp(theta) > 0.5
