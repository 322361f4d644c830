# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops closed by joints of every kind, which carry half of their child where they have no rows of a closed form.

The same joint in the tree, with another one closing the loop, is the same mechanism: bodies, energies and what the
joint passes on must agree. So must the readable rows of the joint (`dynamics.loop_rows`), which know no halves.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

import redmax.compile
from engine.constraints.closed import looped_scene
from engine.mechanisms import Builder, four_bar, scene_pose
from redmax import fast
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.dynamics.assembly import close_loops, mobility
from redmax.dynamics.halves import completed, undivided
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.energy_books import energy_between_samples, unit_energy
from redmax.errors import SceneError
from redmax.integrators import Automatic, Bdf2, Dop853, LinearlyImplicitEuler, MaximalEuler
from redmax.joints import JOINTS, Joint, JointMotion
from redmax.joints.closing import closing_rows
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.scene import Inertia
from redmax.simulate import divergence, record, simulate
from redmax.spatial import pose, so3
from redmax.state import State
from redmax.strands import Attachment, Strand
from redmax.tables import Table

TIGHT = Dop853(rtol=1e-10, atol=1e-10)
AGREES = 1e-7
"""Errors of many steps of 1e-10, relative to sizes of about 1."""


def run(model, integrator=TIGHT, duration=0.25):
    samples = simulate(model, integrator=integrator, fps=24.0, duration=duration)
    result = record(model, samples, integrator=integrator, fps=24.0)
    assert result.status == "complete", result.message
    return result


def in_tree(scene):
    """The scene with its last joint first, so that it carries its child and another joint closes the loop."""
    *others, closing = scene.joints
    return dataclasses.replace(scene, joints=[closing, *others])


def compare(ours, theirs, *, at=AGREES, energies=("energy", "work", "loss")):
    """Bodies, and what was exchanged, of two trajectories of one mechanism in any order of its bodies."""
    order = [theirs.body_names.index(name) for name in ours.body_names]
    np.testing.assert_allclose(ours.position, theirs.position[:, order], atol=at)
    same = np.abs((ours.rotation * theirs.rotation[:, order]).sum(axis=2))
    np.testing.assert_allclose(same, 1.0, atol=at)
    for channel in energies:
        a, b = ours.channels[channel], theirs.channels[channel]
        np.testing.assert_allclose(a, b, atol=10.0 * at * (1.0 + np.abs(b).max()), err_msg=channel)


def compare_reactions(ours, theirs, *, at=AGREES):
    """What joint "closing" passes on: it closes a loop in the one, and carries a body in the other."""
    a, b = ours.channels["loop_reaction"][:, 0], theirs.channels["reaction"][:, theirs.joint_names.index("closing")]
    np.testing.assert_allclose(a, b, atol=100.0 * at * (1.0 + np.abs(b).max()))


def even_table(joint, size=0.3):
    """Coordinates that begin where the joint does, at rest: even functions of time."""
    q = np.broadcast_to(np.asarray(joint.q, float), (joint.ndof,))
    x = np.linspace(-1.0, 1.0, 9)
    swing = size * np.random.default_rng(1).uniform(0.5, 1.0, joint.ndof)
    return Table(x=x, y=q + swing * (1.0 - np.cos(3.0 * x))[:, None], interpolation="cubic")


SPRING = {"stiffness": 20.0, "rest": 0.3, "damping": 0.5, "torque": 1.0}
STOP = {"lower": -1.0, "upper": 0.1, "limit_stiffness": 30.0, "limit_damping": 0.2}
PUSHING = Motor(control="position", target_position=0.4, position_gain=15.0, speed_gain=0.6, maximum=3.0)
MOTIONS = {
    "bare": lambda joint: {},
    "loads": lambda joint: SPRING | STOP,
    "animated": lambda joint: {"motion_type": "animated", "animation": even_table(joint), "stiffness": 3.0},
    "locked": lambda joint: {"motion_type": "locked"},
    "motor": lambda joint: {"motor": PUSHING},
}

CARRIERS = {11: "spherical", 15: "revolute", 16: "universal"}
"""Seeds of chains, and the kind of joint that carries the last body."""


class Wound(Joint):
    """Known by its motion alone: turns and lifts by curves of two coordinates; at rest it is turned and lifted."""

    kind: ClassVar[str] = "wound"
    label: ClassVar[str] = "Wound"
    dof_names: ClassVar[tuple[str, ...]] = ("angle", "lift")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "m")

    def motion(self, q, qdot, chart=0):
        z, wave = np.array([0.0, 0.0, 1.0]), 0.2 * np.sin(q[0])
        S, Sdot = np.zeros((6, 2)), np.zeros((6, 2))
        S[2, 0] = 1.0
        S[5] = 0.2 * np.cos(q[0]), 1.0
        Sdot[5, 0] = -wave * qdot[0]
        start = pose.make(so3.rot_x(0.4), np.array([0.1, 0.0, 0.2]))
        return JointMotion(start @ pose.make(so3.rot_z(q[0]), (wave + q[1]) * z), S, Sdot)


def with_last(scene, **fields):
    """The scene with other fields of its last joint."""
    *others, joint = scene.joints
    return dataclasses.replace(scene, joints=[*others, dataclasses.replace(joint, **fields)])


def closing(kind, seed, motion, **options):
    """A chain of damped bodies whose last is tied to body 0, or the world, by a joint of the kind; see `MOTIONS`."""
    scene = looped_scene(kind, seed, **options)
    scene = dataclasses.replace(scene, bodies=[dataclasses.replace(body, damping=0.2) for body in scene.bodies])
    return with_last(scene, **MOTIONS[motion](scene.joints[-1])) if scene.joints[-1].ndof else scene


def both(scene, integrator=TIGHT, duration=0.25):
    """Trajectories with the last joint closing the loop and with it in the tree, which must agree."""
    model, tree = compile_scene(scene), compile_scene(in_tree(scene))
    assert [loop.joint.name for loop in model.loops] == ["closing"]
    assert not tree.halves
    ours, theirs = run(model, integrator, duration), run(tree, integrator, duration)
    compare(ours, theirs)
    compare_reactions(ours, theirs)
    assert ours.channels["gap"].max() < 1e-12
    assert np.abs(ours.position - ours.position[0]).max() > 0.02
    return model, ours


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_the_motion_is_that_of_the_same_joint_in_the_tree(kind, motion):
    model, ours = both(closing(kind, 12, motion, world=motion == "loads"))
    joint = model.loops[0].joint
    assert bool(model.halves) == (joint.ndof > 0 and (motion != "bare" or closing_rows(joint) is None))
    if route.name() == route.NUMBA:
        assert ours.meta["route"] == route.versions()


@pytest.mark.parametrize("seed", CARRIERS)
@pytest.mark.parametrize("motion", ["bare", "loads"])
def test_whatever_joint_carries_the_child(seed, motion):
    scene = closing("screw", seed, motion)
    (carrier,) = (joint for joint in scene.joints[:-1] if joint.child == scene.joints[-1].child)
    assert carrier.kind == CARRIERS[seed]
    both(scene)


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_joint_that_is_known_by_its_motion_alone(motion):
    """Where it stands at rest its frames do not coincide. It runs step by step, and the result says so."""
    model, ours = both(closing(Wound, 12, motion), duration=0.1)
    assert model.halves
    if route.name() == route.NUMBA:
        assert ours.meta["route"] != route.versions()


@pytest.mark.parametrize("kind", [kind for kind in JOINTS.kinds if JOINTS[kind].dof_names or kind == "composite"])
def test_the_motion_is_that_of_the_readable_rows(kind, monkeypatch):
    """Every kind by halves, also those with rows of a closed form, beside the rows of `loop_rows`."""
    monkeypatch.setattr(redmax.compile, "closing_rows", lambda joint: None)
    model = compile_scene(looped_scene(kind, 12, bodies=4))
    whole = undivided(model)
    assert model.halves
    assert not whole.halves
    readable = dataclasses.replace(TIGHT, dynamics="recursive")
    ours, theirs = run(model, duration=0.1), run(whole, readable, 0.1)
    compare(ours, theirs)
    a, b = ours.channels["loop_reaction"], theirs.channels["loop_reaction"]
    np.testing.assert_allclose(a, b, atol=1e-5 * (1.0 + np.abs(b).max()))
    assert theirs.channels["gap"].max() < 1e-12


def guided(*, loads, in_tree):
    """A bar on a hinge whose end slides in a slot: either the slider or the hinge closes the loop."""
    b = Builder("guided")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.5))
    b.body("block", (1.0, 0.0, 0.5), 2.0, 0.01 * np.eye(3))
    b.body("carriage", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    slot = {"axis": (0.0, 0.0, 1.0)}
    if in_tree:
        b.joint("prismatic", "slot", None, "block", (1.0, 0.0, 0.5), **slot, **loads)
    b.joint("prismatic", "rail", None, "carriage", (0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    b.hinge("pin", "carriage", "bar", (0.0, 0.0, 0.0), q=0.0)
    b.hinge("end", "bar", "block", (1.0, 0.0, 0.5))
    if not in_tree:
        b.joint("prismatic", "slot", None, "block", (1.0, 0.0, 0.5), **slot, **loads)
    return compile_scene(b.scene)


def four_bars(*, loads, in_tree):
    """The loads act on joint C, which closes the loop or is in the tree."""
    scene = four_bar()
    a, b, d, c = scene.joints
    c = dataclasses.replace(c, **loads)
    return compile_scene(dataclasses.replace(scene, joints=[a, b, c, d] if in_tree else [a, b, d, c]))


TORQUE = Table(x=(0.0, 0.2, 0.5), y=((0.0,), (2.0,), (-1.0,)), interpolation="linear")
BEND = Table(x=(-1.0, 0.0, 1.0), y=((-20.0,), (0.0,), (40.0,)), interpolation="linear")
LOADS = {
    "spring": {"stiffness": 30.0, "rest": 0.4},
    "damper": {"damping": 1.5},
    "torque": {"torque": 3.0},
    "torque table": {"torque_table": TORQUE},
    "spring table": {"stiffness_table": BEND, "rest": 0.1},
    "soft limit": {"upper": 0.05, "limit_stiffness": 200.0, "limit_damping": 2.0},
    "all": {"stiffness": 30.0, "rest": 0.4, "damping": 1.5, "torque": 3.0, "torque_table": TORQUE},
}


@pytest.mark.parametrize("name", LOADS)
@pytest.mark.parametrize("build", [guided, four_bars])
def test_loads_in_plane_loops_are_those_of_the_same_joint_in_the_tree(build, name):
    """Of the weld's rows three say nothing new in a plane."""
    loop, tree = (build(loads=LOADS[name], in_tree=in_tree) for in_tree in (False, True))
    assert len(loop.halves) == 1
    assert not tree.halves
    ours, theirs = run(loop, duration=0.5), run(tree, duration=0.5)
    compare(ours, theirs)
    assert np.abs(ours.position - ours.position[0]).max() > 0.05
    if route.name() == route.NUMBA:
        assert ours.meta["route"] == route.versions()


def test_a_hard_limit_is_met_where_it_would_be_in_the_tree():
    loop, tree = (four_bars(loads={"lower": -0.05, "upper": 0.05}, in_tree=in_tree) for in_tree in (False, True))
    assert [constraint.joint for constraint in loop.constraints] == ["C"]
    ours, theirs = run(loop, duration=0.3), run(tree, duration=0.3)
    compare(ours, theirs)
    assert ours.channels["loss"][-1] > 1e-3  # of the impact


@pytest.mark.parametrize(
    ("integrator", "error"),
    [
        (Automatic(), 1e-5),
        pytest.param(Bdf2(h=2e-3), 3e-3, marks=pytest.mark.slow),
        (LinearlyImplicitEuler(h=5e-4), 1e-2),
    ],
)
def test_implicit_methods_know_stiff_loads(integrator, error):
    """Automatic to its accuracy; fixed steps jump over the fast beginning, which lasts about as long as one of them."""
    loads = {"stiffness": 1e4, "damping": 300.0, "rest": 0.1}
    loop, tree = (four_bars(loads=loads, in_tree=in_tree) for in_tree in (False, True))
    compare(run(loop, integrator), run(tree), at=error, energies=())


def test_maximal_coordinates_know_halves():
    """Six coordinates for each half; first order, so that both differ by as much as they do from the exact motion."""
    loads = {"stiffness": 30.0, "rest": 0.4}
    loop, tree = (four_bars(loads=loads, in_tree=in_tree) for in_tree in (False, True))
    compare(run(loop, MaximalEuler(h=2e-3), 0.042), run(tree, MaximalEuler(h=2e-3), 0.042), at=1e-4, energies=())


def screwed(**fields):
    """A four-bar with a screw between coupler and rocker: it moves in space no more than in its plane."""
    scene = four_bar()
    *others, pin = scene.joints
    frames = {"frame_in_parent": pin.frame_in_parent, "frame_in_child": pin.frame_in_child}
    screw = JOINTS["screw"](name="C", parent=pin.parent, child=pin.child, axis=pin.axis, pitch=0.1, **frames, **fields)
    return dataclasses.replace(scene, joints=[*others, screw])


def test_two_loops_may_split_one_body():
    """A screw, and a spring in every direction that holds the body where it is. Each of three parts has a third."""
    scene = looped_scene("screw", 12)
    once = compile_scene(scene)
    half, child = next(iter(once.halves.items()))
    start = body_poses(once, kinematics(once, once.q0, once.qdot0))[child]
    held = JOINTS["free_translation_rotation"](
        name="closing", parent=None, child=scene.joints[-1].child, frame_in_parent=scene_pose(start), stiffness=50.0
    )
    scene = dataclasses.replace(with_last(scene, name="screw"), joints=[*with_last(scene, name="screw").joints, held])
    model, tree = compile_scene(scene), compile_scene(in_tree(scene))
    assert list(model.halves.values()) == [child, child]
    np.testing.assert_allclose(model.inertia[child], 2.0 / 3.0 * once.inertia[half])
    assert model.mass == pytest.approx(once.mass)
    np.testing.assert_allclose(undivided(model).inertia, undivided(once).inertia)
    compare(run(model), run(tree))


def test_results_show_the_scenes_own_bodies_and_joints():
    scene = closing("screw", 12, "loads")
    model, whole = compile_scene(scene), undivided(compile_scene(scene))
    result = run(model, duration=0.1)
    assert set(result.body_names) == {body.name for body in scene.bodies}
    assert result.joint_names == whole.joint_names
    assert result.q.shape[1] == whole.dof_count < model.dof_count
    assert result.channels["reaction"].shape[1:] == (len(scene.bodies), 6)
    assert result.channels["loop_reaction"].shape[1:] == (1, 6)
    assert result.channels["gap"].shape[1:] == (1, 2)
    assert result.meta["loops"] == ["closing"]


def test_counts_are_those_of_whole_bodies():
    model = compile_scene(screwed())
    assert model.halves
    found = mobility(model)
    assert found == mobility(undivided(model))
    assert (found.freedoms, found.rows) == (0, 5)
    assert model.mass == pytest.approx(3.0)


def test_a_half_is_never_named():
    model = compile_scene(closing("screw", 12, "loads"))
    (half,) = model.halves
    assert model.named_body(half) == "body 5"
    E, speeds = np.tile(np.eye(4), (model.body_count, 1, 1)), np.zeros((model.body_count, 2))
    E[half, 0, 3] = np.nan
    assert str(divergence(model, E, speeds).element) == "body 'body 5'"
    speeds[half, 1] = 1e9
    assert str(divergence(model, np.nan_to_num(E), speeds).element) == "body 'body 5'"


def test_the_start_is_that_of_whole_bodies():
    """Coordinates typed by hand and velocities of one joint alone: the least change closes the loop, without halves."""
    scene = closing("screw", 12, "bare")
    rng = np.random.default_rng(0)
    scene = dataclasses.replace(
        scene,
        joints=[
            dataclasses.replace(
                joint,
                q=tuple(np.asarray(joint.q) + 1e-4 * rng.uniform(-1.0, 1.0, joint.ndof)),
                qdot=tuple(rng.uniform(-1.0, 1.0, joint.ndof)),
            )
            for joint in scene.joints[:-1]
        ]
        + scene.joints[-1:],
    )
    model, whole = compile_scene(scene), undivided(compile_scene(scene))
    ours, theirs = (TIGHT.begin(each, each.initial_state()).state for each in (model, whole))
    nr = whole.dof_count
    np.testing.assert_allclose(ours.q[:nr], theirs.q, atol=1e-12)
    np.testing.assert_allclose(ours.qdot[:nr], theirs.qdot, atol=1e-11)
    assert np.abs(theirs.qdot - whole.qdot0).max() > 0.1


def test_a_model_starts_with_halves_on_their_children():
    model = compile_scene(with_last(closing("screw", 12, "loads"), q=0.0))
    half, child = next(iter(model.halves.items()))
    E = body_poses(model, kinematics(model, model.q0, model.qdot0))
    np.testing.assert_allclose(E[half], E[child], atol=1e-12)


def test_an_animated_joint_is_brought_to_its_first_key():
    """By 0.01 rad, ten times what a start may be off by otherwise."""
    scene = closing("revolute", 12, "animated")
    off = dataclasses.replace(even_table(scene.joints[-1]), y=np.asarray(even_table(scene.joints[-1]).y) + 0.01)
    model = compile_scene(with_last(scene, animation=off))
    begun = TIGHT.begin(model, model.initial_state()).state
    half, child = next(iter(model.halves.items()))
    E = body_poses(model, kinematics(model, begun.q, begun.qdot))
    np.testing.assert_allclose(E[half], E[child], atol=1e-12)
    assert begun.q[model.columns(half)] == pytest.approx(off.value(0.0))


def test_energy_in_play_is_that_of_whole_bodies():
    model = compile_scene(closing("screw", 12, "loads"))
    acceleration = np.random.default_rng(0).standard_normal((3, model.shown, 6))
    books = [
        (energy_between_samples(each, np.arange(3.0), acceleration, np.arange(3)), unit_energy(each))
        for each in (model, undivided(model))
    ]
    assert books[0] == pytest.approx(books[1])


def test_a_rope_may_hang_on_a_body_that_is_split():
    """The mass of its node is split, too."""
    scene = closing("screw", 12, "loads")
    model = compile_scene(scene)
    child = scene.joints[-1].child
    x = body_poses(model, kinematics(model, model.q0, model.qdot0))[model.loops[0].child, :3, 3]
    nodes = tuple((*x[:2], x[2] - 0.2 * k) for k in range(3))
    tied = (Attachment(node=0, body=child),)
    rope = Strand(name="rope", nodes=nodes, mass=0.5, stiffness=1e3, attachments=tied)
    scene = dataclasses.replace(scene, strands=[rope])
    ours, theirs = run(compile_scene(scene), duration=0.1), run(compile_scene(in_tree(scene)), duration=0.1)
    assert len(ours.body_names) == len(scene.bodies)
    compare(ours, theirs)
    np.testing.assert_allclose(ours.channels["nodes"], theirs.channels["nodes"], atol=AGREES)


def test_a_state_may_leave_the_coordinates_of_loop_joints_to_the_bodies():
    """A state of a trajectory, and one whose loop joint was left where the scene has it."""
    model = compile_scene(closing("screw", 12, "loads"))
    nr = undivided(model).dof_count
    samples = list(simulate(model, integrator=TIGHT, fps=24.0, duration=0.25))
    there = samples[-1].state
    trimmed = State(there.t, there.q[:nr], there.qdot[:nr], there.chart[:-1])
    found = completed(model, trimmed)
    np.testing.assert_allclose(found.q, there.q, atol=1e-12)
    np.testing.assert_allclose(found.qdot, there.qdot, atol=1e-10)
    stale = State(there.t, np.append(there.q[:nr], model.q0[nr:]), np.append(there.qdot[:nr], [0.0]), there.chart)
    begun = TIGHT.begin(model, stale).state
    np.testing.assert_allclose(begun.q, there.q, atol=1e-12)
    np.testing.assert_allclose(begun.qdot, there.qdot, atol=1e-10)


def test_loops_close_from_a_rough_pose():
    model = compile_scene(closing("screw", 12, "bare"))
    q = model.q0 + 0.05 * np.random.default_rng(0).standard_normal(model.dof_count)
    found = close_loops(model, q)
    assert found.closed
    half, child = next(iter(model.halves.items()))
    E = body_poses(model, kinematics(model, found.q, np.zeros_like(q)))
    np.testing.assert_allclose(E[half], E[child], atol=1e-9)


def lightened(scene, inertia):
    """The scene with another inertia of the body that its last joint carries, on which a heavy one hangs by a ball."""
    child = scene.joints[-1].child
    bodies = [dataclasses.replace(body, inertia=inertia) if body.name == child else body for body in scene.bodies]
    heavy = dataclasses.replace(scene.bodies[0], name="heavy")
    hangs = JOINTS["fixed"](name="hangs", parent=child, child="heavy")
    return dataclasses.replace(scene, bodies=[*bodies, heavy], joints=[hangs, *scene.joints])


def test_a_child_without_mass_is_left_to_readable_rows():
    scene = lightened(closing("screw", 12, "bare", bodies=4), None)
    model = compile_scene(scene)
    assert not model.halves
    assert fast.constrained_tree(model) is None
    assert fast.describe(model).startswith("numpy")
    run(model, duration=0.1)


def test_an_animated_joint_carries_half_of_nothing():
    """What a motor moves needs no mass to resist it."""
    model, _ = both(lightened(closing("screw", 12, "animated", bodies=5), None))
    assert model.halves


@pytest.mark.parametrize("fields", [{"damping": 1.0}, {"upper": 3.0}])
def test_what_acts_on_a_loop_joint_needs_mass(fields):
    scene = with_last(closing("revolute", 12, "bare"), **fields)
    (problem,) = find_problems(lightened(scene, None))
    assert str(problem).startswith("joint 'closing': closes a loop, and body 'body 5' has too little mass")
    point = Inertia(mass=1.0, center=scene.joints[-1].frame_in_child.position)  # on the hinge: nothing to turn
    with pytest.raises(SceneError, match="joint 'closing': closes a loop, and body 'body 5' has too little mass"):
        compile_scene(lightened(scene, point))
