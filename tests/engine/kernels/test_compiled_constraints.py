# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints in compiled code: the same rows, accelerations and multipliers as readable code finds."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS, BallLimit, BodyMotion, Coupling, JointLimit, JointMotion, Pin
from redmax.dynamics.assembly import close_loops
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.kinematics import kinematics
from redmax.integrators import INTEGRATORS, Dop853
from redmax.integrators.constrained import ConstrainedRun
from redmax.integrators.routes import FAST, begin
from redmax.simulate import simulate
from redmax.state import State
from redmax.tables import Table

pytest.importorskip("numba")
from redmax import fast

ROUND_OFF = 1e-10


def branching(**last):
    """Three hinges and a slider in space, of which two branches hang on the first body."""
    b = Builder("branching")
    for k in range(4):
        b.body(f"b{k}", (0.2 * k, 0.1, -0.3 * k), 1.0 + k, np.diag([0.1, 0.2, 0.15 + 0.05 * k]))
    b.joint("revolute", "j0", None, "b0", (0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.2), q=0.2, qdot=1.1)
    b.joint("revolute", "j1", "b0", "b1", (0.1, 0.1, -0.1), axis=(1.0, 0.3, 0.0), q=-0.3, qdot=-0.4)
    b.joint("prismatic", "j2", "b0", "b2", (0.3, 0.0, -0.2), axis=(0.0, 0.2, 1.0), q=0.1, qdot=0.7)
    b.joint("universal", "j3", "b2", "b3", (0.5, 0.1, -0.8), q=(0.3, -0.2), qdot=(0.2, 0.5), **last)
    return b


TABLE = Table(x=(0.0, 0.5, 1.0), y=((0.1,), (0.3,), (-0.2,)), interpolation="cubic")
SIX = Table(x=(0.0, 1.0), y=((0.1, -0.2, 0.3, 0.4, 0.5, -0.6), (0.3, 0.1, -0.2, 0.2, 0.1, 0.4)))
SITUATIONS = {
    "coupling": [Coupling(name="c", leader="j1", follower="j2", ratio=0.7, offset=0.05)],
    "coupling of two coordinates of one joint": [
        Coupling(name="c", leader="j3", follower="j3", follower_coordinate=1, ratio=-1.3)
    ],
    "position": [JointMotion(name="c", joint="j1", table=TABLE)],
    "velocity": [JointMotion(name="c", joint="j2", table=TABLE, quantity="velocity")],
    "acceleration": [JointMotion(name="c", joint="j3", coordinate=1, table=TABLE, quantity="acceleration")],
    "body motion": [BodyMotion(name="c", body="b3", components=(0, 1, 0, 1, 0, 1), table=SIX)],
    "pin": [Pin(name="c", body="b3", other="b1", point=(0.1, 0.0, 0.2), other_point=(0.3, -0.1, -0.5), axis=(0, 1, 1))],
    "pin to the world": [Pin(name="c", body="b3", point=(0.1, 0.0, 0.2), other_point=(0.6, 0.1, -1.0), axis=(0, 1, 1))],
    "two at once": [
        Coupling(name="c", leader="j0", follower="j2", ratio=0.2),
        JointMotion(name="d", joint="j1", table=TABLE, quantity="velocity"),
    ],
}


ONE_SIDED = {
    "limit": [JointLimit(name="c", joint="j1", lower=-0.5, upper=0.2)],
    "limits of a joint of two coordinates": [
        JointLimit(name="c", joint="j3", upper=0.5),
        JointLimit(name="d", joint="j3", coordinate=1, lower=-0.3),
    ],
    "ball limit": [BallLimit(name="c", joint="j3", swing_1=0.4, swing_2=0.5, twist_lower=-0.3, twist_upper=0.1)],
    "ball limits with a loop row": [
        BallLimit(name="c", joint="j3", twist_axis="x", swing_2=0.5, twist_lower=-0.2, twist_upper=0.4),
        Coupling(name="d", leader="j1", follower="j2", ratio=0.7),
    ],
}
"""All of them have room at the start."""


def test_every_kind_is_compared():
    compared = {each.kind for listed in (*SITUATIONS.values(), *ONE_SIDED.values()) for each in listed}
    assert compared == set(CONSTRAINTS.kinds) - {"rolling"}  # which only Python knows
    assert {each.kind for listed in ONE_SIDED.values() for each in listed} >= {
        c.kind for c in CONSTRAINTS if c.one_sided
    }


def modelled(name, **last):
    b = branching(**last)
    b.scene.constraints.extend(SITUATIONS[name] if name in SITUATIONS else ONE_SIDED[name])
    return compile_scene(b.scene)


def closed(model):
    """Where the model's start can be closed, moving along all constraints."""
    start = model.initial_state()
    state = State(0.0, close_loops(model, start.q, start.chart).q, start.qdot, start.chart)
    return Dop853().begin(model, state).state


def same_runs(model, start, duration, channels):
    """Simulate by whole frames in compiled code and by steps in Python, and compare; gives the last sample of these."""
    compiled, readable = (
        list(simulate(model, start, integrator=each, fps=24.0, duration=duration))
        for each in (Dop853(rtol=1e-9, atol=1e-9, dynamics=dynamics) for dynamics in (FAST, "recursive"))
    )
    assert Dop853().begin(model, compiled[0].state).tree is not None
    assert (compiled[-1].status, readable[-1].status) == ("complete", "complete")
    for one, other in zip(compiled, readable, strict=True):
        np.testing.assert_allclose(one.E_wb, other.E_wb, atol=1e-6)
        for channel in channels:
            np.testing.assert_allclose(one.channels[channel], other.channels[channel], rtol=1e-5, atol=1e-5)
    return readable[-1]


@pytest.mark.parametrize("name", SITUATIONS)
def test_rows_accelerations_and_powers_are_those_of_readable_code(name):
    """At any velocity and time, where rows are met and where they are not; the readable rows of a pin are exact only
    where it is closed and stays so."""
    model = modelled(name)
    tree = fast.constrained_tree(model)
    start, t = closed(model) if "pin" in name else model.initial_state(), 0.3
    readable = begin(model, "recursive", ConstrainedRun(model))
    at = readable.at(t, start.q, start.qdot, start.chart)
    held = readable.held_motion(at)
    qddot, powers, stuck = tree.forward_dynamics(start.q, start.qdot, start.chart, t, np.zeros(model.dof_count))
    assert stuck == -1
    np.testing.assert_allclose(qddot, held.qddot, atol=ROUND_OFF)
    np.testing.assert_allclose(powers, held.powers, atol=ROUND_OFF)
    seen = tree.observe(start.q, start.qdot, start.chart, t)
    np.testing.assert_allclose(seen.constraint, held.multipliers, atol=ROUND_OFF)
    np.testing.assert_allclose(tree.row_errors(start.q, start.qdot, start.chart, t), held.rows.error, atol=ROUND_OFF)
    loops = tree.evaluate_loops(start.q, start.qdot, start.chart, t)
    np.testing.assert_allclose(loops.rates, held.rows.G @ start.qdot - held.rows.rate, atol=ROUND_OFF)


@pytest.mark.parametrize("name", SITUATIONS)
def test_runs_are_those_of_readable_code(name):
    """Whole frames in compiled code, against steps in Python, with all results of samples."""
    model = modelled(name)
    start = closed(model)
    same_runs(model, start, 0.5, ("torque", "constraint", "reaction", "energy", "work", "loss", "motor"))


@pytest.mark.parametrize("name", ONE_SIDED)
def test_rooms_and_rates_are_those_of_readable_code(name):
    """With room and without, at any velocity."""
    model = modelled(name)
    tree, chart = fast.constrained_tree(model), model.initial_state().chart
    rng = np.random.default_rng(8)
    for _ in range(5):
        q, qdot = rng.uniform(-1.0, 1.0, (2, model.dof_count))
        rows = constraint_rows(model, kinematics(model, q, qdot), 0.3)
        seen = tree.evaluate_loops(q, qdot, chart, 0.3)
        order = np.argsort(rows.one_sided, kind="stable")  # kernels have equations first
        np.testing.assert_allclose(seen.errors, rows.error[order], atol=ROUND_OFF)
        np.testing.assert_allclose(seen.rates, (rows.G @ qdot - rows.rate)[order], atol=ROUND_OFF)


@pytest.mark.parametrize("name", ONE_SIDED)
def test_runs_with_stops_are_those_of_readable_code(name):
    """Stops that are met, hold and let go in compiled frames, against steps in Python."""
    model = modelled(name)
    start = closed(model)
    last = same_runs(model, start, 0.75, ("constraint", "energy", "loss"))
    assert last.channels["loss"] > 1e-3  # something was met


def test_a_coupled_loop_stays_closed_and_coupled():
    """A four-bar whose rocker turns a flywheel by a gear: loop and coupling are one system, and energy stays."""
    b = Builder("geared")
    scene = four_bar(qdot=3.0)
    b.body("flywheel", (1.5, 0.0, 0.0), 2.0, 0.05 * np.eye(3))
    b.hinge("shaft", None, "flywheel", (1.5, 0.0, 0.0))
    scene.bodies.extend(b.scene.bodies)
    scene.joints.extend(b.scene.joints)
    scene.constraints.append(Coupling(name="gear", leader="D", follower="shaft", ratio=-2.5))
    model = compile_scene(scene)
    rocker, shaft = (int(model.dof[model.joint_names.index(name)]) for name in ("D", "shaft"))
    samples = list(simulate(model, integrator=INTEGRATORS["automatic"](accuracy="high"), fps=24.0, duration=3.0))
    assert samples[-1].status == "complete"
    energy = np.array([sample.channels["energy"] for sample in samples])
    assert np.abs(energy - energy[0]).max() < 1e-8
    for sample in samples:
        assert abs(sample.state.q[shaft] + 2.5 * sample.state.q[rocker]) < 1e-12
        assert sample.channels["gap"].max() < 1e-12


def test_what_contradicts_a_table_ends_the_run_by_name():
    """Two tables for one joint that part after half a second."""
    b = branching()
    parting = Table(x=(0.0, 0.5, 1.0), y=((0.1,), (0.1,), (0.5,)))
    b.scene.constraints.append(JointMotion(name="one", joint="j2", table=parting))
    b.scene.constraints.append(JointMotion(name="other", joint="j2", table=Table(x=(0.0,), y=((0.1,),))))
    samples = list(simulate(compile_scene(b.scene), integrator=Dop853(), fps=24.0, duration=1.0))
    assert samples[-1].status == "failed"
    assert samples[-1].t == pytest.approx(0.5, abs=0.05)
    assert "o" in str(samples[-1].outcome.element)
