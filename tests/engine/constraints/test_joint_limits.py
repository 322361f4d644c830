# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard limits: never passed, impacts by restitution, push and never pull, with every integrator."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointLimit
from redmax.errors import SceneError
from redmax.integrators import INTEGRATORS, Dop853, RungeKutta4
from redmax.simulate import simulate

OVERSHOOT = 1e-9
"""What a run may be beyond a limit [rad]."""


def pendulum(*, limit: JointLimit, q: float = 0.0, qdot: float = 0.0, **fields):
    """A bar on a hinge, level at q = 0; it falls towards positive q."""
    b = Builder("pendulum")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), q=q, qdot=qdot, **fields)
    b.scene.constraints.append(limit)
    return compile_scene(b.scene)


def run(model, integrator, duration=1.0):
    samples = list(simulate(model, integrator=integrator, duration=duration))
    assert samples[-1].status == "complete", samples[-1].message
    return samples


def angles(samples):
    return np.array([sample.state.q for sample in samples])


@pytest.mark.parametrize("kind", INTEGRATORS.kinds)
def test_no_integrator_passes_a_limit(kind):
    """The bar falls onto its stop and lies there; on its way it has the motion of a free one."""
    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.4))
    settings = {"h": 1e-2} if "h" in INTEGRATORS[kind].__dataclass_fields__ else {}
    samples = run(model, INTEGRATORS[kind](**settings), duration=0.375)
    q = angles(samples)[:, 0]
    assert q.max() <= 0.4 + OVERSHOOT
    assert q[-1] == pytest.approx(0.4, abs=1e-8)
    assert samples[-1].state.qdot[0] == pytest.approx(0.0, abs=1e-9)
    # it presses on the stop with the moment of its weight, m g l / 2 cos q
    push = samples[-1].channels["constraint"]
    assert push.shape == (1,)
    assert push[0] == pytest.approx(0.5 * 9.81 * np.cos(0.4), rel=1e-6)


def test_an_inelastic_impact_loses_the_energy_of_the_fall():
    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.4))
    samples = run(model, Dop853(rtol=1e-10, atol=1e-10))
    energy, loss = (np.array([float(s.channels[name]) for s in samples]) for name in ("energy", "loss"))
    np.testing.assert_allclose(energy + loss, energy[0], atol=1e-9)
    assert loss[-1] == pytest.approx(0.5 * 9.81 * np.sin(0.4), rel=1e-8)  # all of the fall


def test_a_stop_gives_back_its_part_of_the_speed():
    """After an impact at speed v the bar rises by e^2 of the height it fell: sin q at the top is sin(stop)(1 - e^2)."""
    e = 0.6
    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.4, restitution=e))
    samples = run(model, Dop853(rtol=1e-10, atol=1e-10), duration=0.375)  # after the first impact, before the second
    assert angles(samples).max() <= 0.4 + OVERSHOOT
    q, v = samples[-1].state.q[0], samples[-1].state.qdot[0]
    assert v < 0.0
    inertia = 1.0 / 3.0 + 2.0 * 0.05**2 / 12.0
    risen = 0.5 * inertia * v**2 / (0.5 * 9.81)  # the height its speed is still good for, as a sine
    assert np.sin(q) - risen == pytest.approx(np.sin(0.4) * (1.0 - e**2), abs=1e-9)


def test_bounces_end():
    """They get shorter by 0.6 each time, in theory for ever; the bar lies still in the end."""
    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.1, restitution=0.6))
    samples = run(model, Dop853(), duration=2.0)
    assert samples[-1].state.qdot[0] == pytest.approx(0.0, abs=1e-9)
    assert angles(samples).max() <= 0.1 + OVERSHOOT


def test_a_stop_does_not_pull():
    """Thrown away from its stop the bar leaves it at once, as if there were none."""
    free = pendulum(limit=JointLimit(name="stop", joint="pin", upper=9.0), q=0.4, qdot=-3.0)
    held = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.4), q=0.4, qdot=-3.0)
    one, two = run(free, Dop853(), duration=0.25), run(held, Dop853(), duration=0.25)
    np.testing.assert_allclose(angles(one), angles(two), atol=1e-9)


def test_it_lets_go_when_nothing_presses_any_more():
    """A torque lifts the bar off after half a second of lying on the stop."""
    from redmax.tables import Table

    table = Table(x=(0.0, 0.5), y=((0.0,), (-8.0,)), interpolation="step")
    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.2), torque_table=table)
    samples = run(model, Dop853(), duration=0.75)
    q = angles(samples)[:, 0]
    assert q[11] == pytest.approx(0.2, abs=1e-8)  # just before
    assert q[-1] < 0.15
    assert samples[-1].channels["constraint"][0] == 0.0


def test_a_start_on_the_stop_rests_there():
    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.3), q=0.3)
    samples = run(model, RungeKutta4(h=1e-2), duration=0.25)
    np.testing.assert_allclose(angles(samples), 0.3, atol=1e-9)


def test_a_short_touch_between_two_long_steps_is_seen():
    """Without gravity a slow body nearly reaches its stop and a spring throws it back: it would pass for 1 ms only."""
    b = Builder("grazing", gravity=(0.0, 0.0, 0.0))
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    spring = 30.0
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), qdot=2.0, stiffness=spring)
    inertia = 1.0 / 3.0 + 2.0 * 0.05**2 / 12.0
    top = 2.0 * np.sqrt(inertia / spring)
    b.scene.constraints.append(JointLimit(name="stop", joint="pin", upper=top - 1e-5))
    samples = run(compile_scene(b.scene), Dop853(rtol=1e-10, atol=1e-10), duration=0.25)
    assert angles(samples).max() <= top - 1e-5 + OVERSHOOT
    left = 0.5 * spring * (top**2 - (top - 1e-5) ** 2)  # kinetic energy at the stop, all of it lost
    assert samples[-1].channels["loss"] == pytest.approx(left, rel=1e-3)


@pytest.mark.parametrize("fps", [0.5, 1.0, 24.0])
@pytest.mark.parametrize(("accuracy", "error"), [("draft", 1e-3), ("standard", 1e-4), ("high", 1e-8)])
def test_a_stop_that_is_hardly_reached_throws_back_at_any_fps(accuracy, error, fps):
    """A ball on a spring would pass its elastic stop by 1e-4 of its swing, for 4 ms of 0.6 s; thrown back, it is ahead
    of a free one by these 4 ms after each swing. Error as part of the swing."""
    rate, swing, part = 10.0, 0.2, 0.9999
    b = Builder("elastic stop", gravity=(0.0, 0.0, 0.0))
    b.body("ball", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.joint(
        "prismatic", "rail", None, "ball", (0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), qdot=rate * swing, stiffness=100.0
    )
    b.scene.constraints.append(JointLimit(name="stop", joint="rail", upper=part * swing, restitution=1.0))
    integrator = INTEGRATORS["automatic"](accuracy=accuracy)
    samples = list(simulate(compile_scene(b.scene), integrator=integrator, fps=fps, duration=4.0))
    t, met = np.array([sample.t for sample in samples]), np.arcsin(part)
    phase = (rate * t - met) % (np.pi + 2.0 * met)
    true = np.where(rate * t <= met, np.sin(rate * t), np.sin(np.pi - met + phase))
    np.testing.assert_allclose(angles(samples)[:, 0] / swing, true, atol=error)


def test_limits_act_through_loops_and_couplings():
    """A crank driven against a stop of its rocker; a follower stopped by its leader's limit."""
    scene = four_bar(torque=3.0)
    scene.constraints.append(JointLimit(name="stop", joint="D", upper=0.1, lower=-0.1))
    model = compile_scene(dataclasses.replace(scene, gravity=(0.0, 0.0, 0.0)))
    samples = run(model, Dop853(), duration=1.0)
    rocker = angles(samples)[:, model.joint_names.index("D")]
    assert np.abs(rocker).max() <= 0.1 + OVERSHOOT
    assert np.abs(rocker).max() == pytest.approx(0.1, abs=1e-8)
    assert max(np.abs(sample.channels["gap"]).max() for sample in samples) < 1e-12

    b = Builder("geared")
    b.bar("one", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("two", (0.0, 2.0, 0.0), (1.0, 2.0, 0.0))
    b.hinge("first", None, "one", (0.0, 0.0, 0.0))
    b.hinge("second", None, "two", (0.0, 2.0, 0.0))
    b.scene.constraints += [
        Coupling(name="gear", leader="first", follower="second", ratio=0.5),
        JointLimit(name="stop", joint="first", upper=0.3),
    ]
    q = angles(run(compile_scene(b.scene), Dop853(), duration=1.0))
    assert q[:, 0].max() <= 0.3 + OVERSHOOT
    np.testing.assert_allclose(q[:, 1], 0.5 * q[:, 0], atol=1e-13)
    assert q[-1, 0] == pytest.approx(0.3, abs=1e-8)


def test_a_limit_of_a_joint_without_stiffness_is_hard():
    """The joint's own fields say the same as a constraint."""
    b = Builder("own limits")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), upper=0.4)
    own = compile_scene(b.scene)
    (limit,) = own.constraints
    assert (limit.kind, limit.joint, limit.lower, limit.upper) == ("joint_limit", "pin", None, 0.4)
    other = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.4))
    np.testing.assert_array_equal(angles(run(own, Dop853(), 0.5)), angles(run(other, Dop853(), 0.5)))
    b.scene.joints[0] = dataclasses.replace(b.scene.joints[0], limit_stiffness=100.0)
    assert compile_scene(b.scene).constraints == ()


def test_a_start_beyond_the_limit_is_named():
    from redmax.simulate import SimulationError

    model = pendulum(limit=JointLimit(name="stop", joint="pin", upper=0.3), q=0.5)
    with pytest.raises(SimulationError, match=r"constraint 'stop' is off by 0.2 rad at the start"):
        simulate(model, integrator=Dop853(), duration=1.0)


def slider(*stops: JointLimit, qdot: float = 1.0):
    """A body on a rail without gravity."""
    b = Builder("slider", gravity=(0.0, 0.0, 0.0))
    b.body("body", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.joint("prismatic", "rail", None, "body", (0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), qdot=qdot)
    b.scene.constraints += stops
    return compile_scene(b.scene)


@pytest.mark.parametrize("restitutions", [(0.0, 1.0), (1.0, 0.0), (0.25, 1.0)])
def test_of_two_stops_in_one_place_the_one_that_bounces_more_counts(restitutions):
    """Once it has thrown the body back the other is not met any more."""
    stops = [JointLimit(name=f"stop {e}", joint="rail", upper=0.1, restitution=e) for e in restitutions]
    samples = run(slider(*stops), Dop853(), duration=0.5)
    assert samples[-1].state.qdot[0] == pytest.approx(-1.0, abs=1e-12)
    assert samples[-1].channels["loss"] == pytest.approx(0.0, abs=1e-12)


def balls(speeds, restitution):
    """Balls in a line that touch, as sliders each on the one before it: its coordinate is the gap between them."""
    b = Builder("balls", gravity=(0.0, 0.0, 0.0))
    before = None
    for k, speed in enumerate(np.diff([0.0, *speeds])):
        b.body(f"ball {k}", (float(k), 0.0, 0.0), 1.0, 0.01 * np.eye(3))
        b.joint("prismatic", f"gap {k}", before, f"ball {k}", (float(k), 0.0, 0.0), axis=(1.0, 0.0, 0.0), qdot=speed)
        if before is not None:
            limit = JointLimit(name=f"contact {k}", joint=f"gap {k}", lower=0.0, restitution=restitution)
            b.scene.constraints.append(limit)
        before = f"ball {k}"
    return compile_scene(b.scene)


@pytest.mark.parametrize("moving", [1, 2])
def test_a_row_of_balls_passes_the_blow_on(moving):
    """Newton's cradle: impacts one after another, although all balls touch."""
    model = balls([2.0] * moving + [0.0] * (4 - moving), 1.0)
    samples = run(model, Dop853(), duration=0.125)
    speeds = np.cumsum(samples[-1].state.qdot)
    np.testing.assert_allclose(speeds, [0.0] * (4 - moving) + [2.0] * moving, atol=1e-12)


def test_a_row_of_dull_balls_moves_on_together():
    samples = run(balls([2.0, 0.0, 0.0, 0.0], 0.0), Dop853(), duration=0.125)
    np.testing.assert_allclose(np.cumsum(samples[-1].state.qdot), 0.5, atol=1e-12)
    assert samples[-1].channels["loss"] == pytest.approx(1.5, rel=1e-12)


def test_a_rattle_that_nobody_sees_comes_to_rest():
    """An elastic joint between stops 1e-6 apart would be thrown back 1e6 times a second. Its energy is lost, and the
    books say so."""
    stop = JointLimit(name="stops", joint="rail", lower=0.0, upper=1e-6, restitution=1.0)
    samples = run(slider(stop), Dop853(), duration=0.25)
    assert samples[-1].state.qdot[0] == pytest.approx(0.0, abs=1e-12)
    assert samples[-1].channels["loss"] == pytest.approx(0.5, rel=1e-12)


def test_a_joint_says_how_much_its_own_limits_bounce():
    """A slider with limits of its own comes back from them with its restitution of the speed."""
    b = Builder("slider", gravity=(0.0, 0.0, 0.0))
    b.body("body", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.joint("prismatic", "rail", None, "body", np.zeros(3), axis=(1.0, 0.0, 0.0), qdot=1.0, upper=0.25, restitution=0.5)
    samples = run(compile_scene(b.scene), Dop853(), duration=0.5)
    assert samples[-1].state.qdot[0] == pytest.approx(-0.5)
    assert samples[-1].state.q[0] == pytest.approx(0.125)


def test_a_joint_cannot_bounce_by_more_than_it_had():
    b = Builder("slider")
    b.body("body", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.joint("prismatic", "rail", None, "body", np.zeros(3), axis=(1.0, 0.0, 0.0), upper=0.25, restitution=1.5)
    with pytest.raises(SceneError, match="'rail': restitution is more than 1"):
        compile_scene(b.scene)
