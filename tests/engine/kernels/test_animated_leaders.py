# SPDX-License-Identifier: GPL-3.0-or-later
"""Couplings on animated and locked joints in compiled code: the motion, forces and books of readable code, and those of
closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.test_compiled_constraints import branching, same_runs
from engine.mechanisms import Builder, four_bar, parallelogram
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.constraints import BallLimit, BodyMotion, Coupling, JointLimit, JointMotion
from redmax.dynamics.animation import prescribed_motion, with_prescribed
from redmax.dynamics.assembly import close_loops
from redmax.integrators import INTEGRATORS, Dop853
from redmax.integrators.constrained import ConstrainedRun
from redmax.integrators.routes import begin
from redmax.kernels import route
from redmax.simulate import simulate
from redmax.state import State
from redmax.tables import Table

pytest.importorskip("numba")

ROUND_OFF = 1e-10
T = 0.3
SWING = Table(x=(0.0, 0.25, 0.6, 1.0), y=((0.0,), (0.5,), (-0.3,), (0.1,)), interpolation="cubic")
SIX = Table(x=(0.0, 1.0), y=((0.1, -0.2, 0.3, 0.4, 0.5, -0.6), (0.3, 0.1, -0.2, 0.2, 0.1, 0.4)))


def led(joint="j1", *constraints, motion="animated", table=SWING):
    """`branching` with one joint that is animated, or locked, and these constraints."""
    scene = branching().scene
    for k, old in enumerate(scene.joints):
        if old.name == joint:
            still = {"q": 0.0, "qdot": 0.0} if motion == "animated" else {"qdot": 0.0}
            moved = {"animation": table} if motion == "animated" else {}
            scene.joints[k] = old.__class__(**{**vars(old), "motion_type": motion, **moved, **still})
    scene.constraints.extend(constraints)
    return scene


def geared_linkage(scene, *, ratio=1.0):
    """A linkage in the x-z plane whose crank follows a gear wheel that is animated."""
    b = Builder("geared")
    b.body("gear", (-0.5, 0.0, 0.0), 2.0, 0.05 * np.eye(3))
    b.hinge("shaft", None, "gear", (-0.5, 0.0, 0.0), motion_type="animated", animation=SWING)
    scene.bodies.extend(b.scene.bodies)
    scene.joints.extend(b.scene.joints)
    scene.constraints.append(Coupling(name="c", leader="shaft", follower="A", ratio=ratio))
    return scene


def coupled(name, leader, follower, ratio, offset=0.0, **fields):
    return Coupling(name=name, leader=leader, follower=follower, ratio=ratio, offset=offset, **fields)


SITUATIONS = {
    "a follower": lambda: led("j1", coupled("c", "j1", "j2", 0.7)),
    "the follower is animated": lambda: led("j1", coupled("c", "j2", "j1", -1.4, 0.02)),
    "a locked leader": lambda: led("j1", coupled("c", "j1", "j2", 0.7, 0.05), motion="locked"),
    "a chain": lambda: led("j0", coupled("c", "j0", "j1", -0.7), coupled("d", "j1", "j2", 0.3)),
    "a chain to one of two coordinates": lambda: led(
        "j2", coupled("c", "j2", "j3", 2.0, follower_coordinate=1), coupled("d", "j3", "j1", 0.5, leader_coordinate=1)
    ),
    "two followers and another motion": lambda: led(
        "j0",
        coupled("c", "j0", "j1", 1.5),
        coupled("d", "j0", "j2", -0.2),
        JointMotion(name="e", joint="j3", table=SWING, quantity="velocity"),
    ),
    "a body is prescribed": lambda: led(
        "j0", coupled("c", "j0", "j1", 1.5), BodyMotion(name="d", body="b3", components=(0, 1, 0, 0, 0, 0), table=SIX)
    ),
    "a loop": lambda: geared_linkage(four_bar(), ratio=-2.0),
}
WITH_STOPS = {
    "a limit of another joint": lambda: led(
        "j0", coupled("c", "j0", "j1", 0.8), JointLimit(name="d", joint="j2", lower=-0.5, restitution=0.3)
    ),
    "limits of what follows and of others": lambda: led(
        "j0",
        coupled("c", "j0", "j3", 0.8),
        JointLimit(name="d", joint="j3", upper=0.5),  # of what follows, which never gets there
        JointLimit(name="e", joint="j3", coordinate=1, upper=1.0),
        JointLimit(name="f", joint="j1", upper=0.7),
    ),
    "a ball limit": lambda: led(
        "j0",
        coupled("c", "j0", "j2", 0.2),
        BallLimit(name="d", joint="j3", swing_1=0.5, swing_2=0.6, twist_lower=-0.3, twist_upper=0.3),
    ),
}


def modelled(name):
    return compile_scene((SITUATIONS | WITH_STOPS)[name]())


def closed(model):
    """Where the model's start can be closed, moving along all constraints."""
    start = model.initial_state()
    state = State(0.0, close_loops(model, start.q, start.chart).q, start.qdot, start.chart)
    return Dop853(dynamics="recursive").begin(model, state).state


@pytest.mark.parametrize("name", SITUATIONS)
def test_accelerations_forces_and_powers_are_those_of_readable_code(name):
    model = modelled(name)
    tree, start = fast.constrained_tree(model), closed(model)
    q, qdot = with_prescribed(model, T, start.q, start.qdot)
    readable = begin(model, "recursive", ConstrainedRun(model))
    qddot_given = prescribed_motion(model, T)[2]
    at = readable.at(T, q, qdot, start.chart, qddot_given)
    held = readable.held_motion(at)
    qddot, powers, stuck = tree.forward_dynamics(q, qdot, start.chart, T, qddot_given)
    assert stuck == -1
    np.testing.assert_allclose(qddot, held.qddot, atol=ROUND_OFF)
    np.testing.assert_allclose(powers, held.powers, atol=ROUND_OFF)
    seen = tree.observe(q, qdot, start.chart, T)
    np.testing.assert_allclose(seen.constraint, held.multipliers[-len(seen.constraint) :], rtol=1e-9, atol=ROUND_OFF)
    np.testing.assert_allclose(seen.tau - seen.load - seen.drive, motors_of(readable, at, held), atol=ROUND_OFF)
    assert np.abs(seen.constraint).max() > 0.01


def motors_of(readable, at, held):
    """(nr,) what motors of prescribed coordinates push with, by M qddot - f - G^T lambda."""
    model, free = readable.model, readable.unconstrained.motion(at)
    needed = free.tau + at.M @ (held.qddot - free.qddot) - held.rows.G.T @ held.multipliers - at.load.f_r
    return np.where(model.prescribed, needed, 0.0)


@pytest.mark.parametrize("name", [*SITUATIONS, *WITH_STOPS])
def test_runs_are_those_of_readable_code(name):
    """Whole frames in compiled code, against steps in Python, with all results of samples."""
    model = modelled(name)
    assert fast.describe(model) == route.versions()
    last = same_runs(model, closed(model), 0.6, ("torque", "constraint", "reaction", "energy", "work", "loss", "motor"))
    assert bool(last.channels["loss"] > 1e-4) is (name in WITH_STOPS)  # something was met


# --- closed forms ------------------------------------------------------------------------------

INERTIAS, RATIOS, DAMPING = (0.02, 0.05, 0.4, 1.3), (-3.0, 0.5, -0.25), (0.1, 0.0, 0.2, 0.05)


def gear_train(*, motion="animated"):
    """Wheels side by side, each geared to the one before; the first one is animated. A weight hangs on the last."""
    b = Builder("train")
    for k, (inertia, damping) in enumerate(zip(INERTIAS, DAMPING, strict=True)):
        b.body(f"wheel {k}", (float(k), 0.0, 0.0), 1.0, inertia * np.eye(3))
        moved = {"motion_type": motion, "animation": SWING} if k == 0 else {}
        b.hinge(f"arbor {k}", None, f"wheel {k}", (float(k), 0.0, 0.0), damping=damping, **moved)
        if k:
            b.scene.constraints.append(coupled(f"gear {k}", f"arbor {k - 1}", f"arbor {k}", RATIOS[k - 1]))
    b.scene.joints[-1] = b.scene.joints[-1].__class__(**{**vars(b.scene.joints[-1]), "torque": 0.7})
    return b.scene


def test_the_driver_of_a_gear_train_feels_all_wheels_by_the_squares_of_their_ratios():
    """tau = sum r_k^2 (I_k qddot + d_k qdot) - r_last * the torque on the last; teeth, work and books as well."""
    model = compile_scene(gear_train())
    samples = list(simulate(model, integrator=INTEGRATORS["automatic"](accuracy="high"), fps=24.0, duration=0.9))
    assert samples[-1].status == "complete"
    assert fast.describe(model) == route.versions()
    ratios = np.cumprod((1.0, *RATIOS))
    work, loss, last = 0.0, 0.0, None
    for sample in samples:
        q, qdot, qddot = (x[0] for x in SWING.motion(min(sample.t, np.nextafter(sample.t, 0.0))))
        np.testing.assert_allclose(sample.state.q, ratios * q, atol=1e-14)
        np.testing.assert_allclose(sample.state.qdot, ratios * qdot, atol=1e-13)
        each = ratios * (np.array(INERTIAS) * qddot + np.array(DAMPING) * qdot)  # what each wheel needs, on its arbor
        each[-1] -= 0.7
        np.testing.assert_allclose(sample.channels["motor"][0], ratios @ each, atol=1e-11)
        # gear k holds what all wheels from it on need, seen at its follower
        teeth = [(ratios[k:] / ratios[k]) @ each[k:] for k in (1, 2, 3)]
        np.testing.assert_allclose(sample.channels["constraint"], teeth, atol=1e-11)
        kinetic = 0.5 * np.sum(INERTIAS * (ratios * qdot) ** 2)
        assert sample.channels["energy"] == pytest.approx(kinetic, abs=1e-12)
        imbalance = sample.channels["work"] - sample.channels["loss"] - sample.channels["energy"]
        last = imbalance if last is None else last
        assert imbalance == pytest.approx(last, abs=1e-8)
        work, loss = sample.channels["work"], sample.channels["loss"]
    assert loss > 0.1
    assert abs(work) > 0.1


def test_a_locked_leader_holds_the_whole_train():
    """Nothing moves, and the motor of the first wheel holds the torque on the last, by all ratios."""
    model = compile_scene(gear_train(motion="locked"))
    samples = list(simulate(model, fps=24.0, duration=0.2))
    assert fast.describe(model) == route.versions()
    assert np.abs(samples[-1].state.q).max() < 1e-15
    assert samples[-1].channels["motor"][0] == pytest.approx(-np.prod(RATIOS) * 0.7, rel=1e-13)


def test_what_follows_is_led_against_its_stop_by_name():
    """A follower that its leader moves on at its limit ends the run where it gets there, and says so."""
    table = Table(x=(0.0, 1.0), y=((0.0,), (1.0,)))
    scene = led("j0", coupled("c", "j0", "j1", 1.0), JointLimit(name="stop", joint="j1", upper=0.4), table=table)
    model = compile_scene(scene)
    start = closed(model)
    samples = list(simulate(model, start, fps=24.0, duration=1.0))
    assert samples[-1].status == "failed"
    assert samples[-1].outcome.code == "cannot_close"
    assert samples[-1].t == pytest.approx(0.4, abs=1.0 / 24.0 + 1e-9)
    assert {"stop", "c"} & {samples[-1].outcome.element.name}


# --- singular poses, other methods, contact ------------------------------------------------------


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
def test_a_linkage_whose_crank_is_geared_passes_its_flat_pose(accuracy):
    """A parallelogram that a gear turns through its flat pose keeps to its branch: both cranks stay parallel."""
    turn = Table(x=(0.0, 1.0), y=((0.0,), (-4.0,)))
    scene = geared_linkage(parallelogram(), ratio=0.5)
    joints = {joint.name: k for k, joint in enumerate(scene.joints)}
    shaft = scene.joints[joints["shaft"]]
    scene.joints[joints["shaft"]] = shaft.__class__(**{**vars(shaft), "animation": turn})
    model = compile_scene(scene)
    samples = list(simulate(model, integrator=INTEGRATORS["automatic"](accuracy=accuracy), fps=24.0, duration=1.0))
    assert samples[-1].status == "complete", samples[-1].message
    names = model.joint_names
    for sample in samples:
        q = sample.state.q
        crank = q[int(model.dof[names.index("A")])]
        assert crank == pytest.approx(0.5 * q[int(model.dof[names.index("shaft")])], abs=1e-12)
        assert q[int(model.dof[names.index("D")])] == pytest.approx(crank, abs=1e-4)
    assert crank < -1.5  # from 0.8 rad, beyond flat at -0.8


@pytest.mark.parametrize("kind", [kind for kind in INTEGRATORS.kinds if kind not in ("maximal_euler", "contact_euler")])
def test_every_integrator_moves_the_train_as_its_leader_goes(kind):
    """Couplings are kept to round-off, whatever the method."""
    model = compile_scene(gear_train())
    samples = list(simulate(model, integrator=INTEGRATORS[kind](), fps=24.0, duration=0.25))
    assert samples[-1].status == "complete", samples[-1].message
    ratios = np.cumprod((1.0, *RATIOS))
    for sample in samples:
        np.testing.assert_allclose(sample.state.q, ratios * SWING.value(sample.t)[0], atol=1e-12)
