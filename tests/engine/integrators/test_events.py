# SPDX-License-Identifier: GPL-3.0-or-later
"""What switches by state ends a step: spring tables, soft limits and slack lines, against closed forms.

Every motion here is made of straight, parabolic and harmonic pieces. Both ways of stepping are asked: `Automatic`,
which does whole frames in kernels where it can, and the readable stepper.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from engine.integrators.pendulums import chain, hinge
from engine.mechanisms import four_bar
from redmax.compile import compile as compile_scene
from redmax.crossings import departure, quintic
from redmax.forces import Cable
from redmax.forces.lines.points import PathPoint
from redmax.integrators import ExtrapolatedEuler
from redmax.integrators.automatic import ACCURACIES, Automatic, AutomaticStepper
from redmax.integrators.energy_balance import energy_of
from redmax.joints import JOINTS
from redmax.scene import Body, Inertia, Scene
from redmax.strands import Attachment, Strand
from redmax.tables import Table

PROMISED = {"draft": 1e-3, "standard": 1e-6, "high": 1e-9}
"""Errors as part of the way that was gone: a thousandth; too small to see; many digits."""

INERTIA, SPEED = 0.05, 10.0
FRAMES_PER_SECOND = (1, 24, 100, 1000)


def begun(model: Any, accuracy: str, how: str) -> Any:
    if how == "kernels":
        return Automatic(accuracy=accuracy).begin(model, model.initial_state())
    return AutomaticStepper(model, model.initial_state(), ACCURACIES[accuracy])


def on_joint(kind: str, *, gravity: float = 0.0, forces: tuple[Any, ...] = (), **fields: Any) -> Any:
    """A body of 1 kg and 0.05 kg m^2 about every axis on a joint in the world."""
    body = Body(name="Body", inertia=Inertia(mass=1.0, tensor=np.diag([INERTIA] * 3).tolist()))
    joint = JOINTS[kind](name="Joint", parent=None, child="Body", **fields)
    return compile_scene(Scene(gravity=(0.0, 0.0, -gravity), bodies=[body], joints=[joint], forces=list(forces)))


def largest_error(stepper: Any, exact: Any, *, fps: int, duration: float) -> float:
    worst = 0.0
    for frame in range(1, round(duration * fps) + 1):
        state = stepper.advance(frame / fps)
        worst = max(worst, abs(float(state.q[0]) - exact(state.t)))
    return worst


# --- bumps of spring tables ----------------------------------------------------------------------


def with_bump(kind: str, width: float, *, at: float = 1.0) -> tuple[Any, float]:
    """A joint that comes at 10 rad/s, or m/s, to a bump of three times its energy; and the frequency [rad/s] at which
    it is on the first half of it."""
    count = len(JOINTS[kind].dof_units)
    inertia = 1.0 if JOINTS[kind].dof_units[0] == "m" else INERTIA
    top = 3.0 * inertia * SPEED**2 / width
    rows = [[0.0] * count, [top, *[0.0] * (count - 1)], [0.0] * count]
    table = Table(x=(at, at + 0.5 * width, at + width), y=rows)
    qdot = SPEED if count == 1 else (SPEED, *[0.0] * (count - 1))
    return on_joint(kind, qdot=qdot, stiffness_table=table), math.sqrt(2.0 * top / width / inertia)


def thrown_back(t: float, omega: float, *, at: float = 1.0) -> float:
    met, gone = at / SPEED, at / SPEED + math.pi / omega
    if t < met:
        return SPEED * t
    return at + SPEED / omega * math.sin(omega * (t - met)) if t < gone else at - SPEED * (t - gone)


@pytest.mark.parametrize("how", ["kernels", "readable"])
@pytest.mark.parametrize("accuracy", list(PROMISED))
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal"])
def test_a_bump_of_three_times_the_energy_throws_a_joint_back(kind, accuracy, how):
    for width in (0.4, 0.05, 0.01, 1e-3):
        model, omega = with_bump(kind, width)
        for fps in (1, 24, 100):
            found = largest_error(
                begun(model, accuracy, how), lambda t, w=omega: thrown_back(t, w), fps=fps, duration=2.0
            )
            assert found < PROMISED[accuracy] * 2.0 * SPEED, (width, fps)


@pytest.mark.parametrize("width", [0.4, 0.01])
def test_implicit_steps_see_a_bump_too(width):
    model, omega = with_bump("revolute", width)
    for fps in (1, 24):
        stepper = ExtrapolatedEuler(rtol=1e-9, atol=1e-9).begin(model, model.initial_state())
        assert largest_error(stepper, lambda t: thrown_back(t, omega), fps=fps, duration=1.0) < 1e-5


@pytest.mark.parametrize("interpolation", ["step", "hermite"])
def test_other_tables_throw_back_too(interpolation):
    """A force that jumps, and one without corners: the joint comes back, with all of its energy."""
    top = 3.0 * INERTIA * SPEED**2 / 0.01
    x = (1.0, 1.002, 1.004, 1.006, 1.008, 1.01)
    y = tuple((value,) for value in (0.0, 0.0, top, top, 0.0, 0.0))
    slopes = ((0.0,),) * 10 if interpolation == "hermite" else None
    table = Table(x=x, y=y, interpolation=interpolation, slopes=slopes)
    model = on_joint("revolute", qdot=SPEED, stiffness_table=table)
    for accuracy, tolerance in PROMISED.items():
        stepper = begun(model, accuracy, "kernels")
        energy = energy_of(model, stepper.state)
        assert stepper.advance(0.5).q[0] < 0.9
        assert energy_of(model, stepper.state) == pytest.approx(energy, rel=2.0 * tolerance)


@pytest.mark.parametrize("how", ["kernels", "readable"])
@pytest.mark.parametrize("accuracy", list(PROMISED))
def test_a_crank_of_a_loop_is_thrown_back(accuracy, how):
    """A four-bar without gravity: when the crank has come back to where it began it is as fast as it was."""
    scene = four_bar()
    scene.gravity = (0.0, 0.0, 0.0)
    crank = scene.joints[0]
    table = Table(x=(0.3, 0.301, 0.302), y=((0.0,), (2e5,), (0.0,)))
    scene.joints[0] = dataclasses.replace(crank, qdot=4.0, stiffness_table=table)
    model = compile_scene(scene)
    for fps in (4, 100):
        stepper = begun(model, accuracy, how)
        column = int(model.dof[model.joint_names.index(crank.name)])
        energy, q = energy_of(model, stepper.state), []
        for frame in range(1, fps // 2 + 1):
            q.append(float(stepper.advance(frame / fps).q[column]))
        assert max(q) < 0.302
        assert q[-1] < 0.0
        assert energy_of(model, stepper.state) == pytest.approx(energy, rel=PROMISED[accuracy])


# --- soft limits and slack lines -----------------------------------------------------------------


def bouncing(t: float, *, stiffness: float, speed: float, limit: float) -> float:
    """1 kg between soft limits on both sides, from the middle on."""
    omega = math.sqrt(stiffness)
    beyond, across = math.pi / omega, 2.0 * limit / speed
    t += 0.5 * across
    side = 1.0 if int(t // (beyond + across)) % 2 == 0 else -1.0
    t %= beyond + across
    return side * (speed * t - limit if t < across else limit + speed / omega * math.sin(omega * (t - across)))


@pytest.mark.parametrize("how", ["kernels", "readable"])
@pytest.mark.parametrize("accuracy", list(PROMISED))
def test_a_slider_bounces_between_soft_limits(accuracy, how):
    for stiffness in (1e4, 1e7):
        model = on_joint("prismatic", qdot=3.0, lower=-0.5, upper=0.5, limit_stiffness=stiffness)
        for fps in FRAMES_PER_SECOND if how == "kernels" else (1, 24):
            stepper = begun(model, accuracy, how)
            exact = lambda t, k=stiffness: bouncing(t, stiffness=k, speed=3.0, limit=0.5)  # noqa: E731
            assert largest_error(stepper, exact, fps=fps, duration=2.0) < 2.0 * PROMISED[accuracy], (stiffness, fps)
            energy = energy_of(model, stepper.state)
            assert energy == pytest.approx(4.5, rel=PROMISED[accuracy])


def on_a_rope(t: float, *, stiffness: float, fall: float) -> float:
    """How far 1 kg has fallen that is on an elastic rope, taut after it has fallen so far."""
    g, omega = 9.81, math.sqrt(stiffness)
    free = math.sqrt(2.0 * fall / g)
    amplitude, phase = math.hypot(g / stiffness, g * free / omega), math.atan2(g * free / omega, -g / stiffness)
    t = math.fmod(t + free, 2.0 * free + 2.0 * phase / omega)
    if t < 2.0 * free:
        return 0.5 * g * (t - free) ** 2
    return fall + g / stiffness + amplitude * math.cos(omega * (t - 2.0 * free) - phase)


@pytest.mark.parametrize("how", ["kernels", "readable"])
@pytest.mark.parametrize("accuracy", list(PROMISED))
def test_a_falling_body_is_caught_by_its_rope(accuracy, how):
    for stiffness in (1e3, 1e5):
        ends = (PathPoint(body=None, point=(0.0, 0.0, 0.0)), PathPoint(body="Body", point=(0.0, 0.0, 0.0)))
        rope = Cable(name="Rope", points=ends, stiffness=stiffness, rest_length=1.0)
        model = on_joint("prismatic", gravity=9.81, axis=(0.0, 0.0, -1.0), q=0.5, forces=(rope,))
        for fps in FRAMES_PER_SECOND if how == "kernels" else (1, 24):
            stepper = begun(model, accuracy, how)
            exact = lambda t, k=stiffness: 0.5 + on_a_rope(t, stiffness=k, fall=0.5)  # noqa: E731
            assert largest_error(stepper, exact, fps=fps, duration=2.0) < 2.0 * PROMISED[accuracy], (stiffness, fps)


def touched_at_the_top(t: float, *, speed: float, depth: float, stiffness: float) -> float:
    """1 kg thrown upwards, whose highest point would be so far beyond a soft limit, or where a rope is taut."""
    g, omega = 9.81, math.sqrt(stiffness)
    level, at_level = 0.5 * speed**2 / g - depth, math.sqrt(2.0 * g * depth)
    met = (speed - at_level) / g
    gone = met + 2.0 * math.atan2(at_level / omega, g / stiffness) / omega
    if t < met:
        return speed * t - 0.5 * g * t**2
    if t < gone:
        x = omega * (t - met)
        return level - g / stiffness * (1.0 - math.cos(x)) + at_level / omega * math.sin(x)
    return level - at_level * (t - gone) - 0.5 * g * (t - gone) ** 2


@pytest.mark.parametrize("accuracy", list(PROMISED))
@pytest.mark.parametrize("by", ["limit", "rope"])
def test_a_short_touch_in_the_middle_of_a_step_is_seen(by, accuracy):
    """Without it the motion is a parabola, for which one step would do."""
    speed, stiffness = 5.0, 1e4
    for depth in (0.1, 1e-2, 1e-4, 1e-6):
        level = 0.5 * speed**2 / 9.81 - depth
        ends = (PathPoint(body=None, point=(0.0, 0.0, -50.0)), PathPoint(body="Body", point=(0.0, 0.0, 0.0)))
        fields: dict[str, Any] = {"upper": level, "limit_stiffness": stiffness}
        if by == "rope":
            fields = {"forces": (Cable(name="Rope", points=ends, stiffness=stiffness, rest_length=50.0 + level),)}
        model = on_joint("prismatic", gravity=9.81, axis=(0.0, 0.0, 1.0), qdot=speed, **fields)
        for fps in FRAMES_PER_SECOND:
            exact = lambda t, d=depth: touched_at_the_top(t, speed=speed, depth=d, stiffness=stiffness)  # noqa: E731
            found = largest_error(begun(model, accuracy, "kernels"), exact, fps=fps, duration=2.0)
            assert found < 2.0 * PROMISED[accuracy], (depth, fps)


@pytest.mark.parametrize("how", ["kernels", "readable"])
@pytest.mark.parametrize("kind", ["spherical", "spherical_euler"])
def test_limits_of_coordinates_that_are_written_in_several_ways(kind, how):
    """A body that can turn about every axis turns to and fro about one, between soft limits."""
    fields = {"upper": (1.0, None, None), "lower": (-1.0, None, None), "limit_stiffness": (500.0, 0.0, 0.0)}
    model = on_joint(kind, qdot=(SPEED, 0.0, 0.0), **fields)
    for fps in (1, 24):
        stepper = begun(model, "standard", how)
        exact = lambda t: bouncing(t, stiffness=1e4, speed=SPEED, limit=1.0)  # noqa: E731
        assert largest_error(stepper, exact, fps=fps, duration=1.0) < 2e-6, fps


def test_a_wheel_that_turns_often_in_a_step_still_meets_its_rope():
    """A rope from a point of a wheel is taut for a short part of each turn, and brakes it: all ways agree."""
    ends = (PathPoint(body=None, point=(2.0, 0.0, 0.0)), PathPoint(body="Body", point=(-0.5, 0.0, 0.0)))
    rope = Cable(name="Rope", points=ends, stiffness=40.0, damping=0.5, rest_length=2.49)
    model = on_joint("revolute", axis=(0.0, 0.0, 1.0), qdot=30.0, q=2.0, forces=(rope,))
    results = [float(begun(model, "high", "kernels").advance(1.0).q[0])]
    for how, fps in (("kernels", 1000), ("readable", 1)):
        stepper = begun(model, "high", how)
        for frame in range(1, fps + 1):
            stepper.advance(frame / fps)
        results.append(float(stepper.state.q[0]))
    assert np.ptp(results) < 1e-7
    assert abs(results[0] - 32.0) > 1e-3  # it was braked


# --- what costs nothing --------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["kernels", "readable"])
@pytest.mark.parametrize("accuracy", ["draft", "standard"])
def test_limits_that_are_not_met_change_no_step(accuracy, how):
    far = {"lower": -9.0, "upper": 9.0, "limit_stiffness": 100.0}
    runs = [begun(chain(*(hinge(k, q=0.3, **f) for k in range(3))), accuracy, how) for f in ({}, far)]
    for frame in range(1, 13):
        a, b = (run.advance(frame / 12.0) for run in runs)
        np.testing.assert_array_equal(a.q, b.q)
    assert runs[0].steps == runs[1].steps


def test_a_rope_whose_segments_rest_at_their_length_is_not_slowed():
    """They pass it by rounding alone; a step for each time would never end."""
    nodes = tuple((0.4 * k, 0.0, 0.0) for k in range(6))
    ends = (Attachment(node=0, body=None), Attachment(node=5, body=None))
    both = []
    for pulls_only in (False, True):
        strand = Strand(
            name="Rope", nodes=nodes, mass=1.0, stiffness=1e3, damping=2.0, attachments=ends, pulls_only=pulls_only
        )
        model = compile_scene(Scene(strands=[strand]))
        stepper = begun(model, "standard", "kernels")
        for frame in range(1, 25):
            stepper.advance(frame / 24.0)
        both.append(stepper.steps)
    assert both[1] < 1.5 * both[0]


def test_a_joint_that_stands_on_a_corner_stays_there():
    table = Table(x=(-0.1, 0.0, 0.1), y=((-1.0,), (0.0,), (1.0,)))
    stepper = begun(on_joint("revolute", stiffness_table=table), "standard", "kernels")
    assert stepper.advance(1.0).q[0] == 0.0
    assert stepper.steps < 20


# --- the parts -----------------------------------------------------------------------------------


def test_the_quintic_has_the_values_of_both_ends_and_is_exact_for_polynomials():
    rng = np.random.default_rng(3)
    p = np.polynomial.Polynomial(rng.normal(size=6))
    v, a = p.deriv(), p.deriv(2)
    for s in (0.0, 0.3, 1.0):
        x, rate = quintic(p(0.0), v(0.0), a(0.0), p(0.7), v(0.7), a(0.7), 0.7, s)
        np.testing.assert_allclose((x, rate), (p(0.7 * s), v(0.7 * s)), atol=1e-12)


def test_departure_finds_the_first_root_of_cubics():
    rng = np.random.default_rng(4)
    met = 0
    for _ in range(2000):
        p = np.polynomial.Polynomial(rng.normal(size=4))
        h, v = 0.6, p.deriv()
        low, high = p(0.0) - rng.uniform(0.0, 1.0), p(0.0) + rng.uniform(0.0, 1.0)
        found = departure(p(0.0), v(0.0), p(h), v(h), h, low, high, 0.0, 0.0)
        roots = np.concatenate([(p - low).roots(), (p - high).roots()])
        inside = roots.real[(np.abs(roots.imag) < 1e-12) & (roots.real > 0.0) & (roots.real <= h)]
        if inside.size:
            met += 1
            assert found * h == pytest.approx(inside.min(), abs=1e-9)
        else:
            assert found == 2.0
    assert 200 < met < 1800


def test_corners_are_where_a_column_bends():
    linear = Table(x=(0.0, 1.0, 2.0, 3.0), y=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 0.0)))
    assert linear.corners(0).tolist() == [0.0, 2.0, 3.0]
    assert linear.corners(1).tolist() == []
    step = Table(x=(0.0, 1.0, 2.0), y=((0.0,), (0.0,), (1.0,)), interpolation="step")
    assert step.corners(0).tolist() == [2.0]
