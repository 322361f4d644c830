# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in a mechanism: closed forms, all routes and integrators, the energy books, degenerate lengths, bad input."""

from __future__ import annotations

import dataclasses
import json
import math

import force_battery
import numpy as np
import pytest

from engine.random_trees import random_scene
from redmax import io
from redmax.compile import compile as compile_scene
from redmax.dynamics import body_forces
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.kinematics import kinematics
from redmax.errors import SceneError
from redmax.fields import Pose
from redmax.forces import FORCES
from redmax.forces.cable import Cable
from redmax.forces.drag import Drag
from redmax.forces.lines.path import COINCIDENT
from redmax.forces.lines.points import PathPoint
from redmax.forces.muscle import Muscle
from redmax.forces.point_force import PointForce
from redmax.forces.point_to_point import PointToPoint
from redmax.forces.spring_damper import SpringDamper
from redmax.forces.wrench import Wrench
from redmax.integrators import (
    INTEGRATORS,
    Bdf2,
    Dop853,
    LinearlyImplicitEuler,
    LinearlyImplicitEulerPcg,
    MaximalEuler,
    Rk45,
    routes,
)
from redmax.integrators.switching import switch_times
from redmax.joints import JOINTS
from redmax.reference.projected import mass_matrix
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.spatial import pose
from redmax.tables import Table

ROUND_OFF = 1e-9


def block(mass=2.0, **joint):
    """A mass on a slider along z, at rest at the origin, without gravity."""
    slider = JOINTS["prismatic"](name="Rail", parent=None, child="Block", axis=(0.0, 0.0, 1.0), **joint)
    tensor = ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
    return Scene(
        gravity=(0.0, 0.0, 0.0),
        bodies=[Body(name="Block", inertia=Inertia(mass=mass, tensor=tensor))],
        joints=[slider],
    )


def with_force(scene, *forces):
    return compile_scene(dataclasses.replace(scene, forces=list(forces)))


def run(model, integrator=None, *, duration=1.0, fps=50.0):
    integrator = integrator or Dop853(rtol=1e-11, atol=1e-11)
    result = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=duration), integrator=integrator, fps=fps
    )
    assert result.status == "complete", result.message
    return result


# --- closed forms --------------------------------------------------------------------------------


def test_a_block_on_a_spring_swings_at_its_frequency():
    """q = rest + a cos(sqrt(k / m) t)."""
    spring = SpringDamper(name="Spring", body_a="Block", body_b=None, point_b=(0.0, 0.0, 2.0), stiffness=18.0)
    spring = dataclasses.replace(spring, rest_length=1.5)
    result = run(with_force(block(), spring))
    assert np.allclose(result.q[:, 0], 0.5 - 0.5 * np.cos(3.0 * result.t), rtol=0.0, atol=1e-9)


def test_strain_and_stretch_are_the_same_spring():
    """Stiffness per strain [N] is stiffness per stretch [N/m] times the rest length."""
    common = {"name": "Spring", "body_a": "Block", "body_b": None, "point_b": (0.0, 0.0, 2.0), "rest_length": 1.6}
    stretch = SpringDamper(**common, stiffness=18.0, damping=0.7)
    strain = SpringDamper(**common, stiffness=18.0 * 1.6, damping=0.7 * 1.6, measure="strain")
    assert np.allclose(run(with_force(block(), stretch)).q, run(with_force(block(), strain)).q, rtol=0.0, atol=1e-9)


def test_without_rest_length_a_spring_starts_relaxed_where_animation_puts_it():
    table = Table(x=(0.0, 1.0), y=((0.25,), (0.25,)))
    scene = block(motion_type="animated", animation=table)
    spring = SpringDamper(name="Spring", body_a="Block", body_b=None, point_b=(0.0, 0.0, 2.0), stiffness=18.0)
    model = with_force(scene, spring)
    assert model.forces[0].law.rest == pytest.approx(1.75, abs=1e-15)


def test_a_cable_pulls_when_taut_and_never_pushes():
    """Thrown against a cable that goes taut at 0.3 m, a block comes back with the speed it had."""
    cable = Cable(
        name="Cable", points=(PathPoint(body=None), PathPoint(body="Block")), stiffness=800.0, rest_length=0.3
    )
    result = run(with_force(block(q=0.1, qdot=2.0), cable), duration=0.5, fps=200.0)
    slack = result.q[:, 0] < 0.3
    assert np.all(result.channels["potential"][slack] == 0.0)
    assert result.qdot[-1, 0] == pytest.approx(-2.0, abs=1e-6)
    half_swing = math.pi / math.sqrt(800.0 / 2.0)
    assert np.count_nonzero(~slack) / 200.0 == pytest.approx(half_swing, abs=1.1 / 200.0)


def test_a_damped_cable_lets_go_before_it_would_push():
    cable = Cable(name="C", points=(PathPoint(body=None), PathPoint(body="B")), stiffness=1.0, rest_length=1.0)
    law = dataclasses.replace(cable, damping=10.0).bind(FakePlacement()).law
    assert law.tension(1.5, -1.0, 0.0) == (0.0, 0.0, 0.0)
    assert law.tension(1.5, 0.1, 0.0) == (1.5, 1.0, 10.0)
    assert law.powers(1.5, -1.0, 0.0) == (0.0, 0.5)  # what the spring gives back is lost


class FakePlacement:
    """Bodies at the origin, in the order of their names."""

    def body(self, name):
        return -1 if name is None else ord(name[0])

    def point(self, name, x):
        return np.asarray(x, np.float64)

    at_start = direction = point


def test_terminal_speed_of_drag():
    """m g = c v^2: v = v_t tanh(g t / v_t)."""
    scene = dataclasses.replace(block(), gravity=(0.0, 0.0, -9.81))
    result = run(with_force(scene, Drag(name="Air", body="Block", quadratic=0.5)), duration=2.0)
    terminal = math.sqrt(2.0 * 9.81 / 0.5)
    assert np.allclose(result.qdot[:, 0], -terminal * np.tanh(9.81 * result.t / terminal), rtol=0.0, atol=1e-8)


def test_linear_drag_decays_and_wind_carries_along():
    """v = w (1 - exp(-c t / m)) from rest in a wind w."""
    result = run(with_force(block(), Drag(name="Air", body="Block", linear=3.0, wind=(5.0, 5.0, 2.0))))
    assert np.allclose(result.qdot[:, 0], 2.0 * (1.0 - np.exp(-1.5 * result.t)), rtol=0.0, atol=1e-9)


def test_what_turns_slows_down_by_angular_drag():
    """I omega' = -c omega: omega = omega_0 exp(-c t / I); what it takes out is what is lost."""
    scene = block()
    hinge = JOINTS["revolute"](name="Axle", parent=None, child="Block", axis=(0.0, 0.0, 1.0), qdot=4.0)
    scene = dataclasses.replace(scene, joints=[hinge])
    result = run(with_force(scene, Drag(name="Air", body="Block", angular=0.05)))
    assert np.allclose(result.qdot[:, 0], 4.0 * np.exp(-0.5 * result.t), rtol=0.0, atol=1e-9)
    lost = 0.5 * 0.1 * (16.0 - result.qdot[-1, 0] ** 2)
    assert result.channels["loss"][-1] == pytest.approx(lost, rel=1e-8)


def test_a_plate_feels_only_what_comes_along_its_normal():
    plate = Drag(name="Plate", body="Block", area=2.0, coefficient=1.1, density=1.2, normal=(1.0, 0.0, 1.0))
    model = with_force(block(qdot=3.0), plate)
    f = body_forces.wrenches(model, *_start(model), 0.0)[0, 3:]
    along = 3.0 / math.sqrt(2.0)
    size = 0.5 * 1.2 * 1.1 * 2.0 * along**2 / math.sqrt(2.0)
    assert np.allclose(f, [-size, 0.0, -size], rtol=1e-14)


def _start(model):
    kin = kinematics(model, model.q0, model.qdot0)
    return kin.E_wi, kin.phi


def test_given_forces_follow_their_table_and_add_to_their_constant():
    """m q'' = 4 + 6 t: q = t^2 + t^3 / 2 for m = 2."""
    table = Table(x=(0.0, 1.0), y=((0.0,), (6.0,)))
    push = PointForce(name="Push", body="Block", direction=(0.0, 0.0, 5.0), force=4.0, force_table=table)
    result = run(with_force(block(), push))
    assert np.allclose(result.q[:, 0], result.t**2 + 0.5 * result.t**3, rtol=0.0, atol=1e-10)
    six = Table(x=(0.0, 1.0), y=((0.0,) * 6, (0.0, 0.0, 0.0, 0.0, 0.0, 6.0)))
    wrench = Wrench(name="Push", body="Block", force=(0.0, 0.0, 4.0), table=six)
    assert np.allclose(run(with_force(block(), wrench)).q, result.q, rtol=0.0, atol=1e-12)


def test_a_force_along_body_axes_turns_with_the_body():
    """A thruster on a turning arm: constant torque about the pin, whatever the angle."""
    pin = JOINTS["revolute"](name="Pin", parent=None, child="Arm", axis=(0.0, 0.0, 1.0), qdot=2.0)
    tensor = ((2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 4.0))
    scene = Scene(
        gravity=(0.0, 0.0, 0.0), bodies=[Body(name="Arm", inertia=Inertia(mass=1.0, tensor=tensor))], joints=[pin]
    )
    thruster = PointForce(
        name="Jet", body="Arm", point=(2.0, 0.0, 0.0), direction=(0.0, 1.0, 0.0), force=3.0, axes="body"
    )
    result = run(with_force(scene, thruster), duration=2.0)
    assert np.allclose(result.qdot[:, 0], 2.0 + 1.5 * result.t, rtol=0.0, atol=1e-9)


def test_steps_end_where_a_table_jumps():
    """A push of 4 N from 0.3 s on, with steps that would otherwise pass over its beginning."""
    table = Table(x=(0.0, 0.3), y=((0.0,), (4.0,)), interpolation="step")
    model = with_force(block(), PointForce(name="Push", body="Block", force_table=table))
    activation = Table(x=(0.1, 0.2), y=((0.0,), (1.0,)))
    assert 0.3 in switch_times(model)
    assert {0.1, 0.2} <= set(switch_times(compile_scene(muscle_arm(activation_table=activation))))
    result = run(model, Dop853(rtol=1e-6, atol=1e-6), fps=2.0)
    assert result.q[-1, 0] == pytest.approx(0.7**2, abs=1e-12)


def test_a_table_along_body_axes_is_turned_like_a_constant():
    """The same wrench from either, on a body whose principal axes are not its own."""
    values = (1.0, -2.0, 3.0, 0.5, 4.0, -1.0)
    constant = Wrench(name="W", body="A", torque=values[:3], force=values[3:], point=(0.1, 0.2, 0.3), axes="body")
    tabled = Wrench(name="W", body="A", table=Table(x=(0.0,), y=(values,)), point=(0.1, 0.2, 0.3), axes="body")
    one, two = (force_battery.bound(force) for force in (constant, tabled))
    assert np.abs(one[0].E_ib[0, :3, :3] - np.eye(3)).max() > 0.1
    E, phi, t = next(force_battery.situations(one[1]))
    f = one[1].wrenches(E, phi, t)
    assert np.allclose(f, two[1].wrenches(E, phi, t), rtol=1e-14)
    E_ib = one[0].E_ib[one[1].bodies[0]]
    assert np.allclose(f[0, 3:], E_ib[:3, :3] @ values[3:], rtol=1e-13)
    lever = E_ib[:3, :3] @ (0.1, 0.2, 0.3) + E_ib[:3, 3]
    torque = E_ib[:3, :3] @ values[:3] + np.cross(lever, f[0, 3:])
    assert np.allclose(f[0, :3], torque, rtol=1e-12, atol=1e-13)


# --- mechanisms ----------------------------------------------------------------------------------


def loaded_tree(seed, n=6, **options):
    """A random tree with one force of every kind on random bodies."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, n, **options)
    names = [body.name for body in scene.bodies]

    def renamed(value):
        return names[0] if value == "A" else names[-1] if value == "B" else value

    forces = []
    for case, force in force_battery.cases():
        changes = {"name": case}
        for field in ("body", "body_a", "body_b"):
            if hasattr(force, field):
                changes[field] = renamed(getattr(force, field))
        if hasattr(force, "points"):
            changes["points"] = tuple(dataclasses.replace(p, body=renamed(p.body)) for p in force.points)
        forces.append(dataclasses.replace(force, **changes))
    return dataclasses.replace(scene, forces=forces)


@pytest.mark.parametrize("seed", range(3))
def test_every_route_gives_the_same_accelerations(seed):
    model = compile_scene(loaded_tree(seed))
    state = model.initial_state()
    found = {}
    for name in routes.FORMULATIONS:
        route = routes.begin(model, name)
        found[name] = route.accelerations(route.at(0.37, state.q, state.qdot, state.chart))
    scale = max(1.0, np.abs(found["projected"]).max()) * np.linalg.cond(
        mass_matrix(model, kinematics(model, state.q, state.qdot))
    )
    for qddot in found.values():
        assert np.abs(qddot - found["projected"]).max() <= 1e-13 * scale


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("which", [body_forces.IMPLICIT, body_forces.REFERENCE, body_forces.EXACT])
def test_stiffness_and_damping_reach_the_linear_system(seed, which):
    """Less what it has without forces, K is J^T K_m J with all bodies' blocks put together; alike D."""
    scene = loaded_tree(seed)
    model, without = compile_scene(scene), compile_scene(dataclasses.replace(scene, forces=[]))
    state = model.initial_state()
    kin = kinematics(model, state.q, state.qdot)
    J, _ = jacobian(model, kin)
    blocks = body_forces.assembled(body_forces.couplings(model, kin.E_wi, kin.phi, 0.37, which=which), model.body_count)
    for name in ("fast", "recursive"):
        found, bare = (
            route.linear_system(route.at(0.37, state.q, state.qdot, state.chart), which=which)
            for route in (routes.begin(model, name), routes.begin(without, name))
        )
        for ours, bare_one, block_matrix in zip((found.K, found.D), (bare.K, bare.D), blocks, strict=True):
            expected = J.T @ block_matrix @ J
            assert np.abs(ours - bare_one - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def springs_only():
    """Two hinged arms, a spring and damper between them, a cable to the world, a drag."""
    tensor = ((0.02, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
    arm = Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=tensor)
    bodies = [Body(name=name, inertia=arm) for name in ("A", "B")]
    joints = [
        JOINTS["revolute"](name="J1", parent=None, child="A", axis=(0.0, 1.0, 0.0), q=0.4),
        JOINTS["spherical"](
            name="J2", parent="A", child="B", frame_in_parent=pose_at(1.0), q=(0.2, -0.6, 0.3), qdot=(0.5, 1.0, 0.0)
        ),
    ]
    forces = [
        SpringDamper(
            name="Spring", body_a="A", point_a=(0.2, 0.0, 0.3), body_b="B", point_b=(0.8, 0.0, 0.1), stiffness=60.0,
            damping=1.5,
        ),
        Cable(
            name="Cable",
            points=(
                PathPoint(body=None, point=(0.0, 0.0, 1.0)),
                PathPoint(body="A", point=(0.5, 0.0, 0.1)),
                PathPoint(body="B", point=(0.9, 0.1, 0.0)),
            ),
            stiffness=40.0,
            damping=0.8,
            rest_length=1.2,
        ),
        Drag(name="Air", body="B", point=(0.5, 0.0, 0.0), quadratic=0.2, linear=0.05),
        PointForce(name="Push", body="B", direction=(0.0, 1.0, 0.3), force=2.0),
    ]  # fmt: skip
    return compile_scene(Scene(bodies=bodies, joints=joints, forces=forces))


def pose_at(x):
    return Pose((x, 0.0, 0.0))


@pytest.mark.parametrize("seed", range(3))
def test_springs_at_once_are_springs_one_by_one(seed):
    """Also where points coincide, and on cables that are slack."""
    scene = loaded_tree(seed)
    name = scene.bodies[0].name
    start = compile_scene(dataclasses.replace(scene, forces=[]))
    kin = kinematics(start, start.q0, start.qdot0)
    place = tuple((kin.E_wi @ start.E_ib)[start.body_names.index(name), :3, 3].tolist())
    ends = {"body_a": name, "body_b": None, "point_b": place, "stiffness": 7.0}
    extra = [SpringDamper(name="Nothing", **ends, rest_length=1.0), PointToPoint(name="Nowhere", **ends, damping=1.0)]
    model = compile_scene(dataclasses.replace(scene, forces=[*scene.forces, *extra]))
    springs, others = model.once(body_forces._split)
    assert len(springs.k) == 8
    assert len(springs.k) + len(others) == len(model.forces)
    kin = kinematics(model, model.q0, model.qdot0)
    one_by_one = np.zeros((model.body_count + 1, 6))
    for force, bodies, E, phi in body_forces.acting(model, kin.E_wi, kin.phi):
        one_by_one[bodies] += force.wrenches(E, phi, 0.37)
    found = body_forces.wrenches(model, kin.E_wi, kin.phi, 0.37)
    assert np.abs(found - one_by_one[:-1]).max() <= 1e-12 * np.abs(one_by_one).max()


FIRST_ORDER = {
    "linearly_implicit_euler",
    "linearly_implicit_euler_pcg",
    "semi_implicit_euler",
    "bdf1",
    "maximal_euler",
    "contact_euler",
}


@pytest.mark.parametrize("cls", INTEGRATORS, ids=lambda cls: cls.kind)
def test_every_integrator_runs_with_forces(cls):
    """All agree with DOP853 within what their order gives for these steps."""
    model = springs_only()
    exact = run(model, duration=0.1)
    found = run(model, cls(h=1e-3) if hasattr(cls(), "h") else cls(), duration=0.1)
    error = np.abs(found.position - exact.position).max()
    assert error <= (2e-3 if cls.kind in FIRST_ORDER else 1e-5)


@pytest.mark.parametrize("integrator", [Dop853(rtol=1e-10, atol=1e-10), Rk45(rtol=1e-10, atol=1e-10)])
@pytest.mark.parametrize("make", [springs_only, lambda: compile_scene(muscle_arm())])
def test_energy_change_is_work_less_loss(integrator, make):
    model = make()
    result = run(model, integrator, duration=1.0)
    channels = result.channels
    energy = channels["energy"] - channels["energy"][0]
    scale = max(1.0, np.abs(channels["kinetic"]).max(), np.abs(channels["potential"]).max())
    assert np.abs(energy - channels["work"] + channels["loss"]).max() <= ROUND_OFF * scale
    assert np.diff(channels["loss"]).min() >= -1e-12


def muscle_arm(**values):
    tensor = ((0.001, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02))
    arm = Inertia(mass=1.5, center=(0.15, 0.0, 0.0), tensor=tensor)
    elbow = JOINTS["revolute"](name="Elbow", parent=None, child="Forearm", axis=(0.0, -1.0, 0.0), damping=0.05)
    table = Table(x=(0.0, 0.3, 0.6), y=((0.0,), (0.8,), (0.2,)))
    settings = {
        "name": "Biceps",
        "body_a": None,
        "point_a": (0.0, 0.0, 0.25),
        "body_b": "Forearm",
        "point_b": (0.05, 0.0, 0.0),
        "peak_force": 800.0,
        "optimal_length": 0.14,
        "tendon_length": 0.1,
        "activation_table": table,
    }
    return Scene(bodies=[Body(name="Forearm", inertia=arm)], joints=[elbow], forces=[Muscle(**(settings | values))])


def test_a_muscle_lifts_the_arm_and_its_work_is_counted():
    result = run(compile_scene(muscle_arm()), duration=0.6)
    assert result.q[-1, 0] > 0.3
    assert result.channels["work"][-1] > 0.5


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_conjugate_gradients_take_the_same_steps(h):
    model = springs_only()
    direct = run(model, LinearlyImplicitEuler(h=h), duration=0.2)
    iterated = run(model, LinearlyImplicitEulerPcg(h=h, tolerance=1e-14), duration=0.2)
    assert np.abs(direct.q - iterated.q).max() <= 1e-10


@pytest.mark.parametrize("integrator", [LinearlyImplicitEuler, LinearlyImplicitEulerPcg, MaximalEuler, Bdf2])
def test_stiff_springs_stay_calm_in_implicit_steps(integrator):
    """Steps of 1/100 s, 1e7 N/m and 1 kg: h omega = 30. Also squeezed, where the exact K would push away."""
    spring = SpringDamper(name="Rod", body_a="Block", body_b=None, stiffness=1e7, damping=10.0, rest_length=1.5)
    free = JOINTS["translational"](name="Free", parent=None, child="Block", q=(1.0, 0.0, 0.1), qdot=(0.0, 1.0, 0.0))
    scene = dataclasses.replace(block(1.0), joints=[free])
    result = run(with_force(scene, spring), integrator(h=1e-2), duration=1.0)
    distance = np.linalg.norm(result.q, axis=1)
    assert np.abs(distance[-20:] - 1.5).max() < 2e-2


def test_forces_are_not_changed_by_runs():
    model = springs_only()
    before = {id(force): dict(vars(force)) for force in model.forces}
    run(model, duration=0.1)
    assert all(vars(force) == before[id(force)] for force in model.forces)


# --- degenerate lengths --------------------------------------------------------------------------


@pytest.mark.parametrize("distance", [0.0, 1e-300, 1e-13, 1e-11, 1e-6])
@pytest.mark.parametrize("kind", ["spring_damper", "point_to_point", "cable", "muscle"])
def test_coincident_points_give_finite_numbers(kind, distance):
    """And a force that is no larger than the law's at that length."""
    settings = {"name": "F", "body_a": "A", "body_b": "B"}
    made = {
        "spring_damper": SpringDamper(**settings, stiffness=10.0, damping=1.0, rest_length=1.0),
        "point_to_point": PointToPoint(**settings, stiffness=10.0, damping=1.0),
        "cable": Cable(
            name="F", points=(PathPoint(body="A"), PathPoint(body="B")), stiffness=10.0, damping=1.0, rest_length=1.0
        ),
        "muscle": Muscle(**settings, peak_force=10.0, optimal_length=1.0, activation=1.0),
    }[kind]
    bound = made.bind(FakePlacement())
    E = np.stack([np.eye(4), pose.exp(np.array([0.3, 0.0, 0.0, distance, 0.0, 0.0]))])
    E[1, :3, 3] = (distance, 0.0, 0.0)
    phi = np.arange(12.0).reshape(2, 6) / 10.0
    f = bound.wrenches(E, phi, 0.0)
    matrices = (*bound.derivatives(E, phi, 0.0), *bound.implicit(E, phi, 0.0))
    for numbers in (f, *matrices, bound.potential(E), bound.powers(E, phi, 0.0)):
        assert np.isfinite(numbers).all()
    if distance <= COINCIDENT:
        assert np.abs(f).max() <= 10.0 * COINCIDENT


def test_point_to_point_keeps_its_stiffness_where_its_points_coincide():
    bound = PointToPoint(name="F", body_a="A", body_b="B", stiffness=10.0).bind(FakePlacement())
    E = np.tile(np.eye(4), (2, 1, 1))
    for K in (bound.derivatives(E, np.zeros((2, 6)), 0.0)[0], bound.implicit(E, np.zeros((2, 6)), 0.0)[0]):
        assert np.array_equal(K[3:6, 3:6], -10.0 * np.eye(3))
        assert np.array_equal(K[3:6, 9:], 10.0 * np.eye(3))


def test_a_spring_passes_through_its_own_anchor():
    """A block on a spring of rest length zero swings through the point it is drawn to."""
    spring = PointToPoint(name="Spring", body_a="Block", body_b=None, stiffness=18.0)
    result = run(with_force(block(q=0.5), spring), duration=2.0)
    assert np.allclose(result.q[:, 0], 0.5 * np.cos(3.0 * result.t), rtol=0.0, atol=1e-8)


# --- bad input -----------------------------------------------------------------------------------

GOOD = {"name": "S", "body_a": "A", "body_b": "B", "stiffness": 1.0}
POINTS = [{"body": "A"}, {"body": "B", "point": [0.0, 0.0, 1.0]}]
MUSCLE = {"name": "S", "body_a": "A", "body_b": "B", "peak_force": 1.0, "optimal_length": 1.0}
BAD = [
    ("spring_damper", GOOD | {"body_b": "C"}, "body_b is 'C', but there is no body of that name"),
    ("spring_damper", GOOD | {"body_b": "world"}, "for the world write null, without quotes"),
    ("spring_damper", GOOD | {"body_b": "A"}, "has all its points on body 'A'"),
    ("spring_damper", GOOD | {"body_a": None, "body_b": None}, "has all its points on the world"),
    ("spring_damper", GOOD | {"point_a": [0.0, float("nan"), 0.0]}, "point_a has a number that is not finite"),
    ("spring_damper", GOOD | {"stiffness": -1.0}, "stiffness is -1; give a finite number of at least 0"),
    ("spring_damper", GOOD | {"rest_length": 0.0}, "rest_length is 0; give a finite number above 0 in m"),
    ("spring_damper", GOOD | {"rest_length": -2.0}, "rest_length is -2"),
    ("spring_damper", GOOD | {"measure": "hooke"}, "measure is 'hooke'; give one of: stretch, strain"),
    ("cable", {"name": "S", "points": POINTS[:1], "stiffness": 1.0}, "points has 1 of at least 2 entries"),
    ("cable", {"name": "S", "points": [{"body": "A"}, {"body": "C"}], "stiffness": 1.0}, "'S', points[1]: body is 'C'"),
    ("cable", {"name": "S", "points": [{"body": "A"}, 7], "stiffness": 1.0}, "points[1]: is not an object"),
    ("cable", {"name": "S", "points": [{"body": "A"}, {}], "stiffness": 1.0}, "points[1]: body is missing"),
    ("cable", {"name": "S", "points": [{"body": "A"}, {"body": "B", "at": 1}], "stiffness": 1.0}, "unknown field 'at'"),
    ("cable", {"name": "S", "points": 3, "stiffness": 1.0}, "points is 3, not a list"),
    ("point_force", {"name": "S", "body": "A", "direction": [0.0, 0.0, 0.0]}, "direction is zero"),
    (
        "point_force",
        {"name": "S", "body": "A", "force_table": {"x": [0.0], "y": [[1.0, 2.0]]}},
        "force_table has 2 columns; give one column",
    ),
    ("wrench", {"name": "S", "body": "A", "table": {"x": [0.0], "y": [[1.0]]}}, "table has 1 columns; give six"),
    ("drag", {"name": "S", "body": "A", "linear": -1.0}, "linear is -1"),
    ("drag", {"name": "S", "body": "A", "normal": [0.0, 0.0, 0.0]}, "normal is zero"),
    ("muscle", MUSCLE | {"activation": 1.5}, "has an activation of 1.5; keep activations from 0 to 1"),
    ("muscle", MUSCLE | {"activation": -0.5}, "activation is -0.5"),
    ("muscle", MUSCLE | {"optimal_length": 0.0}, "optimal_length is 0"),
    (
        "muscle",
        MUSCLE | {"activation_table": {"x": [0.0, 1.0], "y": [[0.0], [1.1]]}},
        "has an activation of 1.1 at 1 s; keep activations from 0 to 1",
    ),
]


@pytest.mark.parametrize(("kind", "values", "said"), BAD)
def test_bad_input_is_named(kind, values, said):
    scene = io.plain(force_battery.scene_with())
    scene["forces"] = [{"kind": kind} | values]
    _, problems = io.read(json.dumps(scene))
    assert len(problems) == 1, problems
    assert problems[0].element.name == "S"
    assert said in str(problems[0])


def test_a_spring_without_length_at_the_start_asks_for_its_rest_length():
    scene = block()
    forces = [SpringDamper(name=name, body_a="Block", body_b=None, stiffness=1.0) for name in ("S1", "S2")]
    with pytest.raises(SceneError) as raised:
        with_force(scene, *forces)
    assert [str(problem.element) for problem in raised.value.problems] == ["force 'S1'", "force 'S2'"]
    assert "give its rest_length" in str(raised.value)


def test_the_kinds_are_the_documented_ones():
    assert FORCES.kinds == (
        "spring_damper",
        "point_to_point",
        "cable",
        "point_force",
        "wrench",
        "drag",
        "muscle",
        "multi_point_muscle",
    )
