# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops in motion: closed to round-off, energy kept, the same motion wherever the loop is cut."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import MECHANISMS, Builder, four_bar, jansen_leg, parallelogram, scissor_lift, slider_crank
from redmax.compile import compile as compile_scene
from redmax.constraints import Pin
from redmax.dynamics.assembly import mobility, size
from redmax.integrators import INTEGRATORS, Automatic, Dop853, LinearlyImplicitEuler, MaximalEuler, RungeKutta4
from redmax.joints import JOINTS
from redmax.simulate import simulate
from redmax.spatial import so3
from redmax.tables import Table

PRECISE = Dop853(rtol=1e-10, atol=1e-10)
GAP = 1e-12
"""Of the size: ten times what projection leaves, a thousandth of what is promised."""


def run(model, integrator=PRECISE, duration=0.5, fps=24.0):
    samples = list(simulate(model, integrator=integrator, duration=duration, fps=fps))
    assert samples[-1].status == "complete", samples[-1].message
    return samples


def channel(samples, name):
    return np.array([sample.channels[name] for sample in samples])


def worst_gap(model, samples):
    gap = channel(samples, "gap")
    return max(float(gap[:, :, 0].max()), float(gap[:, :, 1].max()) / size(model))


@pytest.mark.parametrize("name", MECHANISMS)
def test_freedoms_and_redundancy(name):
    build, freedoms, redundant = MECHANISMS[name]
    found = mobility(compile_scene(build()))
    assert (found.freedoms, found.redundant) == (freedoms, redundant)


@pytest.mark.parametrize("stages", [1, 3])
def test_a_scissor_lift_has_one_freedom_however_high(stages):
    found = mobility(compile_scene(scissor_lift(stages)))
    assert (found.freedoms, found.rows, found.redundant) == (1, 5 * stages, 3 * stages)


@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_stay_closed_and_energy_stays(name):
    model = compile_scene(MECHANISMS[name][0]())
    samples = run(model)
    assert worst_gap(model, samples) < GAP
    energy, kinetic = channel(samples, "energy"), channel(samples, "kinetic")
    assert kinetic.max() > 1e-3  # it does move
    assert np.ptp(energy) < 1e-8 * kinetic.max()  # tolerance 1e-10 a step, some hundred steps


@pytest.mark.parametrize("build", [parallelogram, four_bar])
def test_the_motion_does_not_depend_on_where_the_loop_is_cut(build):
    """Joints in another order close the loop at another place; the wrench through each joint is the same."""
    scene = build(qdot=2.0)
    a, b, d, c = scene.joints
    flipped = dataclasses.replace(
        c, parent=c.child, child=c.parent, frame_in_parent=c.frame_in_child, frame_in_child=c.frame_in_parent
    )
    other = dataclasses.replace(scene, joints=[a, d, flipped, b])
    one, two = compile_scene(scene), compile_scene(other)
    assert ([one.loops[0].joint.name], [two.loops[0].joint.name]) == ([c.name], [b.name])
    start = run(one, duration=1.0 / 24.0)[0]  # qdot on the loop: joint A alone is told to move
    two = dataclasses.replace(two, qdot0=_velocities(two, start))
    first, second = run(one), run(two)
    where = [two.body_names.index(name) for name in one.body_names]
    E, E_two = (np.array([sample.E_wb for sample in samples]) for samples in (first, second))
    np.testing.assert_allclose(E_two[:, where], E, atol=1e-7)
    reaction_c = channel(second, "reaction")[:, two.joint_names.index(c.name)]
    loop_c = channel(first, "loop_reaction")[:, 0]
    # The joint frame of C is turned against the other side's by its angle: compare what does not depend on that.
    np.testing.assert_allclose(
        np.linalg.norm(reaction_c[:, 3:], axis=1), np.linalg.norm(loop_c[:, 3:], axis=1), rtol=1e-5, atol=1e-6
    )


def _velocities(model, sample):
    """qdot of hinges about y from the bodies' turning; frames have the world's axes at the start."""
    turning = dict(zip(("crank", "coupler", "rocker"), sample.channels["twist"][:, 1], strict=True))
    turning |= dict(zip(("left", "coupler", "right"), sample.channels["twist"][:, 1], strict=True))
    return np.array(
        [
            turning[name] - (turning[model.body_names[parent]] if parent >= 0 else 0.0)
            for name, parent in zip(model.body_names, model.parent.tolist(), strict=True)
        ]
    )


@pytest.mark.parametrize("kind", INTEGRATORS.kinds)
def test_every_integrator_keeps_loops_closed(kind):
    model = compile_scene(four_bar(qdot=2.0))
    exact = run(model, duration=0.125)[-1].state.q
    settings = {"h": 2e-3} if "h" in INTEGRATORS[kind].__dataclass_fields__ else {}
    samples = run(model, INTEGRATORS[kind](**settings), duration=0.125)
    assert worst_gap(model, samples) < GAP
    np.testing.assert_allclose(samples[-1].state.q, exact, atol=1e-2)  # order 1 at h = 2e-3, 40 rad/s^2


@pytest.mark.parametrize(
    "name",
    ["four-bar", *(pytest.param(name, marks=pytest.mark.slow) for name in ("Bennett", "Sarrus", "Peaucellier"))],
)
def test_maximal_coordinates_converge_to_the_same_motion(name):
    """Poses of the bodies by another formulation, of order 1."""
    model = compile_scene(MECHANISMS[name][0]())
    exact = run(model, duration=0.125)[-1].E_wb
    errors = []
    for h in (4e-3, 2e-3):
        samples = run(model, MaximalEuler(h=h), duration=0.125)
        assert worst_gap(model, samples) < GAP
        errors.append(np.abs(samples[-1].E_wb - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)


def test_halving_the_step_halves_the_error_of_euler_and_divides_that_of_rk4_by_16():
    model = compile_scene(four_bar(qdot=2.0))
    exact = run(model, Dop853(rtol=1e-12, atol=1e-12), duration=0.125)[-1].state.q
    for method, order, h in ((LinearlyImplicitEuler, 1, 4e-3), (RungeKutta4, 4, 1.0 / 384.0)):
        errors = [np.abs(run(model, method(h=s), duration=0.125)[-1].state.q - exact).max() for s in (h, h / 2.0)]
        assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.25), method


def test_the_work_of_an_animated_crank_is_the_change_of_energy():
    """Work = energy change: rows of loops do none. 1e-9 of the energies that go to and fro."""
    table = Table(x=(0.0, 1.0, 2.0), y=((0.0,), (5.0,), (12.0,)), interpolation="cubic")
    model = compile_scene(four_bar(motion_type="animated", animation=table))
    samples = run(model, duration=1.0)
    energy, work = channel(samples, "energy"), channel(samples, "work")
    assert np.abs(work).max() > 1.0
    np.testing.assert_allclose(work, energy - energy[0], atol=1e-7 * np.abs(work).max())
    assert worst_gap(model, samples) < GAP
    assert np.abs(channel(samples, "motor")[:, 0]).max() > 1.0


def test_the_loop_reaction_is_what_the_cut_joint_must_carry():
    """Closed form: a bar on two hinges at rest carries half its weight at each."""
    b = Builder("beam")
    b.bar("beam", (0.0, 0.0, 0.0), (2.0, 0.0, 0.0), mass=3.0)
    b.hinge("left", None, "beam", (0.0, 0.0, 0.0))
    b.hinge("right", None, "beam", (2.0, 0.0, 0.0))
    model = compile_scene(b.scene)
    found = mobility(model)
    assert (found.freedoms, found.redundant) == (0, 4)
    samples = run(model)
    force = channel(samples, "loop_reaction")[:, 0, 3:]
    np.testing.assert_allclose(force, np.tile([0.0, 0.0, 0.5 * 3.0 * 9.81], (len(force), 1)), atol=1e-9)
    reaction = channel(samples, "reaction")[:, 0, 3:]
    np.testing.assert_allclose(reaction + force, np.tile([0.0, 0.0, 3.0 * 9.81], (len(force), 1)), atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, np.pi])
def test_a_parallelogram_passes_its_flat_pose(angle):
    """At angles 0 and pi it has two freedoms and may fold; it goes on in either case, closed and with its energy."""
    scene = parallelogram(angle=angle, qdot=-4.0)
    model = compile_scene(dataclasses.replace(scene, gravity=(0.0, 0.0, 0.0)))
    if angle in (0.0, np.pi):
        assert mobility(model).freedoms == 2
    samples = run(model, Dop853(), duration=1.5)
    assert worst_gap(model, samples) < 1e-9
    assert all(np.isfinite(sample.state.q).all() for sample in samples)
    kinetic = channel(samples, "kinetic")
    assert kinetic.min() > 0.5 * kinetic[0]
    assert kinetic.max() < 1.01 * kinetic[0]


@pytest.mark.parametrize("speed", [-4.0, -3.1, 2.9, 3.3, 3.66, 5.74])
def test_passing_a_singular_pose_costs_no_energy_and_gives_none(speed):
    """Rows that move nothing there have any direction nearby: what velocities lose must be judged where they are, and
    rounding is not worth moving joints for. Each speed comes through with other roundings; some were 3 % off."""
    scene = parallelogram(angle=np.pi, qdot=speed)
    samples = run(compile_scene(dataclasses.replace(scene, gravity=(0.0, 0.0, 0.0))), Dop853(), duration=2.0)
    kinetic = channel(samples, "kinetic")[1:]  # the first has what the start could not keep
    assert np.ptp(kinetic) < 1e-4 * kinetic[0]


@pytest.mark.parametrize("accuracy", ["draft", "standard"])
@pytest.mark.parametrize("angle", [np.pi, 0.0, 0.3])
@pytest.mark.parametrize("speed", [-2.7, 5.25])
def test_artists_see_nothing_of_singular_poses(angle, speed, accuracy):
    """Begun there or passed on the way."""
    model = compile_scene(dataclasses.replace(parallelogram(angle=angle, qdot=speed), gravity=(0.0, 0.0, 0.0)))
    samples = run(model, Automatic(accuracy=accuracy), duration=2.0)
    assert worst_gap(model, samples) < GAP
    kinetic = channel(samples, "kinetic")[1:]
    assert np.ptp(kinetic) < 1e-4 * kinetic[0]


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
def test_two_links_stretched_between_two_pins_hold(accuracy):
    """A singular pose to rest in: the middle could move at first, but not by a second look."""
    b = Builder("toggle")
    b.bar("left", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("right", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    b.hinge("start", None, "left", (0.0, 0.0, 0.0))
    b.hinge("middle", "left", "right", (1.0, 0.0, 0.0))
    b.hinge("end", None, "right", (2.0, 0.0, 0.0))
    samples = run(compile_scene(b.scene), Automatic(accuracy=accuracy), duration=0.25)
    assert max(np.abs(sample.state.q).max() for sample in samples) < 1e-6


@pytest.mark.parametrize("x", [0.0, 0.5])
def test_a_mechanism_all_of_whose_joints_stand_at_the_origin(x):
    """Its size is then that of the way to the loop's point, not nothing."""
    b = Builder("wiper")
    b.bar("arm", (x, 0.0, 0.0), (x + 1.0, 0.0, 0.0))
    b.joint("spherical", "ball", None, "arm", (x, 0.0, 0.0), qdot=(0.3, 1.0, 2.0))
    slanted = so3.rot_z(2.2) @ so3.rot_y(0.5 * np.pi)  # the plane is askew to the arm
    parts = [JOINTS[kind](name="", parent=None, child="") for kind in ("planar", "spherical")]
    b.joint("composite", "tip", None, "arm", (x + 1.0, 0.0, 0.0), R=slanted, parts=parts)
    model = compile_scene(b.scene)
    assert np.abs(model.E_pj0[:, :3, 3]).max() == x
    samples = run(model, duration=1.0)
    assert worst_gap(model, samples) < GAP
    energy = channel(samples, "energy")
    assert np.ptp(energy) < 1e-8 * channel(samples, "kinetic").max()


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "build",
    [
        lambda: four_bar(qdot=2.0),
        lambda: slider_crank(qdot=2.0),
        lambda: jansen_leg(qdot=3.0),
        lambda: scissor_lift(20, angle=0.9, gravity=(0.0, 0.0, 0.0), stiffness=2e4, rest=0.1),
    ],
    ids=["four-bar", "slider-crank", "Jansen leg", "scissor lift"],
)
def test_ten_thousand_frames(build):
    """Gap below 1e-9 of the size in every frame; energy within a thousandth of what moves to and fro."""
    model = compile_scene(build())
    gap, energies, kinetic = 0.0, [], 0.0
    for sample in simulate(model, integrator=Dop853(rtol=1e-9, atol=1e-9), duration=10_000 / 24.0):
        gap = max(gap, worst_gap(model, [sample]))
        energies.append(float(sample.channels["energy"]))
        kinetic = max(kinetic, float(sample.channels["kinetic"]))
    assert sample.status == "complete", sample.message
    assert gap < 1e-9
    assert np.ptp(energies) < 1e-3 * kinetic


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
def test_a_pin_with_a_free_axis_is_a_slot(accuracy):
    """A bar that swings and slides on a nail moves like one on a sleeve: a hinge, then a slider along the bar."""
    nail = (0.3, 0.0, 0.0)

    def bar(name):
        b = Builder(name)
        b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
        return b

    slot, sleeve = bar("slot"), bar("sleeve")
    slot.joint("free_2d", "plane", None, "bar", (0.5, 0.0, 0.0), R=so3.rot_x(0.5 * np.pi))
    slot.scene.constraints.append(
        Pin(name="slot", body="bar", point=(-0.2, 0.0, 0.0), other_point=nail, axis=(1.0, 0.0, 0.0))
    )
    sleeve.body("sleeve", nail, 1e-9, 1e-9 * np.eye(3))
    sleeve.hinge("turns", None, "sleeve", nail)
    sleeve.joint("prismatic", "slides", "sleeve", "bar", nail, axis=(1.0, 0.0, 0.0))
    integrator = Automatic(accuracy=accuracy)
    places = []
    for b in (slot, sleeve):
        model = compile_scene(b.scene)
        k = model.body_names.index("bar")
        places.append(np.array([sample.E_wb[k, :3, 3] for sample in run(model, integrator)]))
    assert np.ptp(places[0], axis=0).max() > 0.3
    np.testing.assert_allclose(*places, atol=1e-3 if accuracy == "draft" else 1e-5)
