# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes of many nodes at Standard: closed forms, energy, heavy loads, bodies that move, and how much they cost."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.mechanisms import four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.crossings import FORCE
from redmax.dynamics.body_forces import with_world
from redmax.fields import Pose
from redmax.forces import FORCES
from redmax.forces.lines.points import PathPoint
from redmax.integrators import Automatic, Dop853, ExtrapolatedEuler
from redmax.integrators.automatic import CALM
from redmax.integrators.compiled_extrapolation import CompiledExtrapolation, tied_coordinates
from redmax.integrators.extrapolated_euler import Mechanism, extrapolation_of
from redmax.integrators.extrapolation import LinearlyImplicitExtrapolation
from redmax.joints import JOINTS
from redmax.kernels import route
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.strands import Attachment, Strand
from redmax.tables import Table

compiled = pytest.mark.skipif(route.name() != "numba", reason="needs kernels")

SPEED = 0.05
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def rope(nodes, *, ends=(None,), start=(0.0, 0.0, 0.0), towards=(1.0, 0.0, 0.0), **values):
    """1 m, 0.1 kg, EA = 1e4 N, damped, pulls only. ends: bodies (None for the world) of the first and the last node."""
    x = np.asarray(start) + np.linspace(0.0, 1.0, nodes)[:, None] * np.asarray(towards)
    attachments = tuple(Attachment(node=k, body=body) for k, body in zip((0, nodes - 1), ends, strict=False))
    settings = {"name": "Rope", "mass": 0.1, "stiffness": 1e4, "damping": 1.0, "pulls_only": True}
    settings |= {"nodes": tuple(map(tuple, x.tolist())), "attachments": attachments}
    return Strand(**(settings | values))


def run(scene, duration, *, integrator=None, fps=24.0):
    integrator = Automatic() if integrator is None else integrator
    model = compile_scene(scene)
    found = simulate(model, integrator=integrator, fps=fps, duration=duration)
    result = record(model, found, integrator=integrator, fps=fps)
    assert result.status == "complete", result.message
    return result


def assert_books_balance(result, part):
    """Nothing gained, and no more lost beside what is booked than this part of the energies in play."""
    books = result.meta["energy_books"]
    assert books["balanced"]
    assert books["part"] < part


# --- kernels as readable code ---------------------------------------------------------------------------------------


@compiled
def test_particles_accelerate_as_the_projected_equations_say():
    """Strands on a turned body, with drag; wrenches of joints come from the general recursion."""
    scene = pendulum(6, drag=0.2)
    model = compile_scene(scene)
    state, rng = model.initial_state(), np.random.default_rng(3)
    q, qdot = state.q + 0.05 * rng.normal(size=model.dof_count), rng.normal(size=model.dof_count)
    tree = fast.new_tree(model)
    tree.set_chart(state.chart)
    projected = Dop853(dynamics="projected").begin(model, state)
    y = np.concatenate([q, qdot, (0.0, 0.0)])
    expected = projected.slope(0.0, y)
    found = Dop853().begin(model, state).slope(0.0, y)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(tree.accelerations(q, qdot), expected[model.dof_count : 2 * model.dof_count], rtol=1e-9)


def test_a_lookout_sees_segments_as_each_is_alone():
    """A rope on a turned body and a cable of three points, which is in no batch, before it."""
    swing = pendulum(6, drag=0.2)
    points = tuple(PathPoint(body=body, point=point) for body, point in CABLE)
    cable = FORCES["cable"](name="Cable", points=points, stiffness=100.0, rest_length=0.5)
    model = compile_scene(dataclasses.replace(swing, forces=[cable]))
    state, rng = model.initial_state(), np.random.default_rng(4)
    q, qdot = state.q + 0.05 * rng.normal(size=model.dof_count), rng.normal(size=model.dof_count)
    stepper = Dop853().begin(model, state)
    seen = stepper.lookout(rtol=1e-6, atol=1e-6)
    x, v = seen.quantities(0.0, np.concatenate([q, qdot, (0.0, 0.0)]))
    kin = fast.kinematics(model, q, qdot, state.chart)
    E, twists = with_world(kin.E_wi, kin.phi)
    rows = np.flatnonzero(seen.switches.sorts == FORCE)
    assert len(rows) == 6
    for row in rows:
        force = model.forces[seen.switches.indices[row]]
        expected = force.switch_quantity(E[list(force.bodies)], twists[list(force.bodies)])
        np.testing.assert_allclose((x[row], v[row]), expected, rtol=1e-12, atol=1e-14)


CABLE = ((None, (0.0, 0.3, 0.5)), ("Arm", (0.2, 0.0, 0.0)), (None, (0.0, -0.2, 0.4)))


def pendulum(nodes, **values):
    """An arm that swings, from whose tip a rope hangs."""
    tip = (math.cos(0.3), 0.0, -math.sin(0.3))
    pin = JOINTS["revolute"](name="Pin", parent=None, child="Arm", axis=(0.0, 1.0, 0.0), q=0.3, qdot=1.0)
    arm = Body(name="Arm", inertia=Inertia(mass=1.0, center=(0.4, 0.0, 0.0), tensor=UNIT))
    strand = rope(nodes, ends=("Arm",), start=tip, towards=(0.0, 0.6, -0.8), **values)
    return Scene(bodies=[arm], joints=[pin], strands=[strand])


def looped(nodes):
    """A four-bar linkage from whose coupler a rope hangs."""
    scene = four_bar()
    coupler = scene.bodies[1].name
    return Scene(bodies=scene.bodies, joints=scene.joints, strands=[rope(nodes, ends=(coupler,))])


@compiled
@pytest.mark.parametrize("scene", [pendulum(4), looped(3)], ids=["tree", "loop"])
@pytest.mark.parametrize("calm", [False, True])
def test_a_compiled_attempt_is_the_readable_one(scene, calm):
    """Rows, errors and the end of a step, with matrices as entries of a pattern and as a whole; ropes pull here, so
    that what is nearly taut makes no difference."""
    for strand in scene.strands:
        object.__setattr__(strand, "pulls_only", False)
    model = compile_scene(scene)
    stepper = ExtrapolatedEuler(rtol=1e-6, atol=1e-6).begin(model, model.initial_state())
    y = stepper._solver.y
    kernels = extrapolation_of(stepper, y, calm=calm)
    assert isinstance(kernels, CompiledExtrapolation)
    kernels._of_velocities = 1.0
    readable = LinearlyImplicitExtrapolation(
        stepper.slope, Mechanism(stepper).linearised, 0.0, y, rtol=1e-6, atol=1e-6, calm=calm
    )
    a, b = kernels.linearise(0.0, y), readable.linearise(0.0, y)
    for values, dense in ((a.M, b.M), (a.K, b.K), (a.D, b.D)):
        np.testing.assert_allclose(kernels.pattern.dense(values), dense, atol=1e-9 * np.abs(dense).max())
    np.testing.assert_allclose(kernels.rates(a), readable.rates(b), rtol=1e-6)
    for order in (2, 5):
        one, other = kernels._try(a, 1e-4, 1e-4, order), readable._try(b, 1e-4, 1e-4, order)
        assert (one.rows, one.accepted, one.broken) == (other.rows, other.accepted, other.broken)
        np.testing.assert_allclose(one.y, other.y, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(one.errors, other.errors, rtol=1e-2, atol=1e-4)


def test_only_neighbours_of_a_strand_meet():
    model = compile_scene(pendulum(10))
    meets = tied_coordinates(model).dense(np.ones(len(tied_coordinates(model).columns)))
    nodes = np.arange(1, 28).reshape(9, 3)
    for k, node in enumerate(nodes):
        expected = np.zeros(28)
        expected[nodes[max(0, k - 1) : k + 2].ravel()] = 1.0
        expected[0] = float(k == 0)
        np.testing.assert_array_equal(meets[node], np.tile(expected, (3, 1)))


# --- what ropes do --------------------------------------------------------------------------------------------------


@compiled
def test_steps_of_a_falling_rope_hardly_grow_with_its_nodes_and_energy_is_kept():
    """Held at one end, released along x, half a second: until it hangs straight and cracks."""
    evaluations, tips = [], []
    for nodes in (50, 100):
        model = compile_scene(Scene(strands=[rope(nodes)]))
        stepper = Automatic().begin(model, model.initial_state())
        assert stepper.mode == CALM
        for frame in range(1, 11):
            stepper.advance(frame / 24.0)
        evaluations.append(stepper._solver.evaluations)
        tips.append(stepper.state.q[-3:])
    assert evaluations[1] < 1.5 * evaluations[0] < 15_000
    np.testing.assert_allclose(tips[1], tips[0], atol=0.01)
    result = run(Scene(strands=[rope(100)]), 0.5)
    assert_books_balance(result, 1e-3)


@compiled
def test_a_rope_at_standard_is_where_one_that_is_followed_exactly_is():
    """40 nodes of 1e5 N: implicit steps against explicit ones that follow every vibration."""
    scene = Scene(strands=[rope(40, stiffness=1e5)])
    result = run(scene, 0.2, integrator=Automatic())
    assert result.meta["notes"][0]["code"] == "vibrations_die_away"
    exact = run(scene, 0.2, integrator=Dop853(rtol=1e-9, atol=1e-9))
    apart = np.abs(result.channels["nodes"] - exact.channels["nodes"]).max()
    assert apart < 2e-4


@compiled
def test_a_hanging_rope_is_a_catenary():
    """100 nodes, drag, until it rests: 2 a sinh(span / 2 a) = length."""
    span, nodes = 0.8, 100
    low, high = 0.05, 10.0
    for _ in range(100):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2.0 * a * math.sinh(span / (2.0 * a)) > 1.0 else (low, a)
    s = np.linspace(-0.5, 0.5, nodes)
    shape = np.stack([0.5 * span + a * np.arcsinh(s / a), 0.0 * s, np.hypot(a, s) - math.hypot(a, 0.5)], axis=1)
    moved = shape + 0.05 * np.sin(2.0 * np.pi * np.arange(nodes) / (nodes - 1))[:, None] * np.array([0.0, 1.0, 0.0])
    lengths = (1.0 / (nodes - 1),) * (nodes - 1)
    strand = dataclasses.replace(
        rope(nodes, ends=(None, None), drag=0.02, rest_lengths=lengths), nodes=tuple(map(tuple, moved.tolist()))
    )
    found = run(Scene(strands=[strand]), 4.0, integrator=Automatic(accuracy="draft")).channels["nodes"]
    assert np.abs(found[-1] - found[-3]).max() < 1e-3
    assert np.abs(found[-1] - shape).max() < 2e-3


@compiled
@pytest.mark.parametrize("mode", [1, 3])
def test_a_string_of_100_nodes_swings_at_the_frequency_of_its_mode(mode):
    """Transverse swings are slow and followed, whatever happens along the string. They stretch it by 1e-6."""
    nodes, tension, mass, EA = 100, 20.0, 0.1, 1e4
    segments, rest = nodes - 1, 1.0 / (1.0 + tension / EA)
    x = np.linspace(0.0, 1.0, nodes)
    velocities = np.zeros((nodes, 3))
    velocities[1:-1, 1] = SPEED * np.sin(mode * np.pi * x[1:-1])
    strand = rope(
        nodes, ends=(None, None), stiffness=EA, rest_lengths=(rest / segments,) * segments, damping=0.1,
        velocities=tuple(map(tuple, velocities.tolist())),
    )  # fmt: skip
    scene = Scene(gravity=(0.0, 0.0, 0.0), strands=[strand])
    result = run(scene, 0.25, fps=100.0)
    rate = 2.0 * math.sqrt(tension * segments / (mass / segments)) * math.sin(math.pi * mode / (2.0 * segments))
    swing = SPEED / rate * np.sin(rate * result.t)[:, None] * np.sin(mode * np.pi * x)
    assert np.abs(result.channels["nodes"][:, :, 1] - swing).max() < 5e-5  # too small to see, of 1 m


@compiled
def test_a_load_a_thousand_times_as_heavy_swings_as_on_a_rigid_rod():
    """100 kg on a rope of 0.1 kg, a ball on it: the period of a physical pendulum of 1 m, small swings."""
    angle = 0.05
    towards = (math.sin(angle), 0.0, -math.cos(angle))
    load = Body(name="Load", inertia=Inertia(mass=100.0, tensor=UNIT))
    hung = JOINTS["translational"](name="Hung", parent=None, child="Load", frame_in_parent=Pose(towards))
    strand = rope(100, ends=(None, "Load"), towards=towards, stiffness=1e6, damping=100.0)
    result = run(Scene(bodies=[load], joints=[hung], strands=[strand]), 1.0)
    length = 1.0 + 100.0 * 9.81 / 1e6
    expected = length * math.sin(angle) * np.cos(math.sqrt(9.81 / length) * result.t)
    assert np.abs(result.position[:, 0, 0] - expected).max() < 2e-3
    assert_books_balance(result, 0.01)


@compiled
def test_a_slack_rope_snaps_taut_and_holds():
    """A load falls 0.2 m until its rope is taut; it never comes lower than the rope lets it, and loses energy only."""
    towards = (0.0, 0.0, -0.8)
    load = Body(name="Load", inertia=Inertia(mass=1.0, tensor=UNIT))
    hung = JOINTS["translational"](name="Hung", parent=None, child="Load", frame_in_parent=Pose(towards))
    lengths = (1.0 / 19,) * 19
    strand = rope(20, ends=(None, "Load"), towards=towards, rest_lengths=lengths, damping=10.0)
    result = run(Scene(bodies=[load], joints=[hung], strands=[strand]), 0.6)
    z = result.position[:, 0, 2]
    fall = -0.8 - 0.5 * 9.81 * result.t**2
    np.testing.assert_allclose(z[:4], fall[:4], atol=2e-3)
    stretch = math.sqrt(2.0 * 1.2 * 9.81 * 0.25 / 1e4)  # all of the fall's energy in the rope, and some
    assert -1.0 - stretch < z.min() < -0.99
    assert_books_balance(result, 1e-3)


@compiled
@pytest.mark.parametrize("scene", [looped(60), pendulum(60)], ids=["loop", "arm"])
def test_ropes_hang_on_mechanisms(scene):
    result = run(scene, 0.25)
    assert_books_balance(result, 1e-3)
    nodes = result.channels["nodes"]
    assert np.linalg.norm(np.diff(nodes, axis=1), axis=2).max() < 1.02 / 59


@compiled
def test_a_rope_follows_an_animated_joint_and_two_bodies():
    """One end on a slider that is animated, the other on an arm; a second rope in the same scene."""
    table = Table(x=(0.0, 0.25), y=((0.0,), (0.1,)), interpolation="linear")
    slider = JOINTS["prismatic"](
        name="Slider", parent=None, child="Car", axis=(0.0, 0.0, 1.0), motion_type="animated", animation=table
    )
    arm = JOINTS["revolute"](
        name="Pin", parent=None, child="Arm", axis=(0.0, 1.0, 0.0), frame_in_parent=Pose((1.0, 0.0, 0.0))
    )
    bodies = [Body(name=name, inertia=Inertia(mass=1.0, tensor=UNIT)) for name in ("Car", "Arm")]
    ropes = [rope(60, ends=("Car", "Arm")), rope(40, ends=("Car",), name="Other", towards=(0.0, 1.0, 0.0))]
    result = run(Scene(bodies=bodies, joints=[slider, arm], strands=ropes), 0.25)
    np.testing.assert_allclose(result.channels["nodes"][:, 0, 2], result.position[:, 0, 2], atol=1e-9)
    assert_books_balance(result, 1e-3)
