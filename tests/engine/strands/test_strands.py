# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands: closed forms of hanging and swinging ones, masses on bodies, what a trajectory shows, bad input."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.dynamics.energy import center_of_mass
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.integrators import Dop853, LinearlyImplicitEuler, LinearlyImplicitEulerPcg
from redmax.joints import JOINTS
from redmax.reference.projected import mass_matrix
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.strands import Attachment, Strand
from redmax.trajectory import load

NO_GRAVITY = (0.0, 0.0, 0.0)


def run(model, integrator, *, duration, fps):
    result = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=duration), integrator=integrator, fps=fps
    )
    assert result.status == "complete", result.message
    return result


def fixed_ends(count):
    return (Attachment(node=0, body=None), Attachment(node=count - 1, body=None))


# --- a hanging strand is a catenary --------------------------------------------------------------


def hung(segments):
    """Largest distance of the nodes from the catenary, for a strand of length 2.4 between points 2 m apart."""
    span, length, step = 2.0, 2.4, 0.05
    x = np.linspace(0.0, span, segments + 1)
    depth = -0.6 * np.sin(np.pi * x / span)
    strand = Strand(
        name="Rope",
        nodes=tuple(map(tuple, np.stack([x, 0.0 * x, depth], axis=1).tolist())),
        mass=1.0,
        stiffness=1e6,
        rest_lengths=(length / segments,) * segments,
        drag=4.0 / segments,
        attachments=fixed_ends(segments + 1),
    )
    model = compile_scene(Scene(strands=[strand]))
    found = run(model, LinearlyImplicitEuler(h=step), duration=8.0, fps=1.0 / step).channels["nodes"]
    assert np.abs(found[-1] - found[-20]).max() < 1e-5
    low, high = 0.1, 10.0  # 2 a sinh(span / 2 a) = length
    for _ in range(100):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2.0 * a * math.sinh(span / (2.0 * a)) > length else (low, a)
    s = np.linspace(-0.5, 0.5, segments + 1) * length
    shape = np.stack([1.0 + a * np.arcsinh(s / a), 0.0 * s, np.hypot(a, s) - math.hypot(a, 0.5 * length)], axis=1)
    return float(np.linalg.norm(found[-1] - shape, axis=1).max())


def test_hanging_strands_approach_the_catenary_with_the_square_of_their_segments():
    coarse, fine = hung(6), hung(12)
    assert fine < 4e-3
    assert 3.0 < coarse / fine < 5.0


# --- a taut strand is a string -------------------------------------------------------------------


def taut(segments, mode, amplitude):
    """A string of 1 m, 0.1 kg, stretched by a tenth to 20 N, that begins to swing in one of its modes."""
    length, stretch, tension, mass = 1.0, 1.1, 20.0, 0.1
    x = np.linspace(0.0, length, segments + 1)
    velocity = amplitude * np.sin(mode * np.pi * x / length)
    velocity[[0, -1]] = 0.0
    zero = 0.0 * x
    return Strand(
        name="String",
        nodes=tuple(map(tuple, np.stack([x, zero, zero], axis=1).tolist())),
        velocities=tuple(map(tuple, np.stack([zero, velocity, zero], axis=1).tolist())),
        mass=mass,
        stiffness=tension / (stretch - 1.0),
        rest_lengths=(length / segments / stretch,) * segments,
        attachments=fixed_ends(segments + 1),
    )


@pytest.mark.parametrize("mode", [1, 2])
def test_a_string_swings_at_the_frequency_of_its_mode(mode):
    """Lumped masses: omega = 2 sqrt(T / (m d)) sin(pi mode / 2 n), which tends to the wave speed sqrt(T / mu)."""
    segments, tension, mass = 8, 20.0, 0.1
    model = compile_scene(Scene(gravity=NO_GRAVITY, strands=[taut(segments, mode, 1e-4)]))
    rate = 2.0 * math.sqrt(tension * segments / (mass / segments)) * math.sin(math.pi * mode / (2.0 * segments))
    assert rate == pytest.approx(math.pi * mode * math.sqrt(tension / mass), rel=0.03 * mode**2)
    result = run(model, Dop853(rtol=1e-10, atol=1e-13), duration=0.05, fps=400.0)
    x = np.arange(segments + 1) / segments
    swing = 1e-4 / rate * np.sin(rate * result.t)[:, None] * np.sin(mode * np.pi * x)
    assert np.abs(result.channels["nodes"][:, :, 1] - swing).max() <= 1e-5 * 1e-4 / rate


# --- on bodies -----------------------------------------------------------------------------------


def pendulum_with_strand(**values):
    """An arm that swings, from whose tip a strand hangs."""
    tensor = ((0.01, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.05))
    pin = JOINTS["revolute"](name="Pin", parent=None, child="Arm", axis=(0.0, 1.0, 0.0), q=0.3, qdot=1.0)
    arm = Body(name="Arm", inertia=Inertia(mass=1.0, center=(0.4, 0.0, 0.0), tensor=tensor))
    tip = (math.cos(0.3), 0.0, -math.sin(0.3))
    settings = {
        "name": "Tail",
        "nodes": (tip, (tip[0], 0.0, tip[2] - 0.2), (tip[0], 0.1, tip[2] - 0.4), (tip[0], 0.0, tip[2] - 0.6)),
        "mass": 0.3,
        "stiffness": 60.0,
        "damping": 0.3,
        "attachments": (Attachment(node=0, body="Arm"),),
    }
    return Scene(bodies=[arm], joints=[pin], strands=[Strand(**(settings | values))])


def test_attached_nodes_are_mass_on_their_body():
    """The mass matrix is that of arm and nodes: J^T M J with rows for every node, RBDN eq. 2.88."""
    scene = pendulum_with_strand()
    model = compile_scene(scene)
    masses = scene.strands[0].masses()
    assert masses.sum() == pytest.approx(0.3, abs=1e-15)
    kin = kinematics(model, model.q0, model.qdot0)
    M = mass_matrix(model, kin)
    alone = compile_scene(dataclasses.replace(scene, strands=[]))
    bare = mass_matrix(alone, kinematics(alone, alone.q0, alone.qdot0))
    assert M[0, 0] == pytest.approx(bare[0, 0] + masses[0] * 1.0**2, rel=1e-13)
    assert np.allclose(np.diag(M)[1:], np.repeat(masses[1:], 3), rtol=1e-13)
    assert np.count_nonzero(M - np.diag(np.diag(M))) == 0
    nodes = np.array(scene.strands[0].nodes)
    whole = (alone.mass * center_of_mass(alone, kinematics(alone, alone.q0, alone.qdot0)) + masses @ nodes) / 1.3
    assert np.allclose(center_of_mass(model, kin), whole, rtol=0.0, atol=1e-14)


def test_attached_nodes_stay_where_they_were_put():
    model = compile_scene(pendulum_with_strand())
    result = run(model, Dop853(rtol=1e-9, atol=1e-9), duration=0.5, fps=50.0)
    tip = np.stack([np.cos(result.q[:, 0]), 0.0 * result.t, -np.sin(result.q[:, 0])], axis=1)
    assert np.abs(result.channels["nodes"][:, 0] - tip).max() <= 1e-13


def test_energy_change_is_loss():
    model = compile_scene(pendulum_with_strand(drag=0.02))
    channels = run(model, Dop853(rtol=1e-10, atol=1e-10), duration=0.5, fps=50.0).channels
    drift = channels["energy"] - channels["energy"][0] + channels["loss"] - channels["work"]
    assert np.abs(drift).max() <= 1e-9 * max(1.0, np.abs(channels["energy"]).max())
    assert channels["loss"][-1] > 1e-3


@pytest.mark.parametrize("integrator", [LinearlyImplicitEuler(h=0.01), LinearlyImplicitEulerPcg(h=0.01)])
def test_stiff_strands_stay_calm_in_implicit_steps(integrator):
    """1e7 N on 0.1 kg nodes 0.2 m apart: steps a hundred times too long for an explicit method."""
    model = compile_scene(pendulum_with_strand(stiffness=1e7, damping=1e3))
    nodes = run(model, integrator, duration=0.5, fps=100.0).channels["nodes"]
    lengths = np.linalg.norm(np.diff(nodes, axis=1), axis=2)
    assert np.abs(lengths / lengths[0] - 1.0).max() < 1e-2  # half the square of the turn in one step


def test_ropes_go_slack_and_springs_do_not():
    """Two nodes pushed together: the spring pushes back, the rope does not."""
    nodes = ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    settings = {"name": "R", "nodes": nodes, "mass": 1.0, "stiffness": 10.0, "rest_lengths": (1.0,)}
    settings |= {"attachments": (Attachment(node=0, body=None),)}
    for pulls_only, moves in ((False, True), (True, False)):
        model = compile_scene(Scene(gravity=NO_GRAVITY, strands=[Strand(**settings, pulls_only=pulls_only)]))
        result = run(model, Dop853(), duration=0.2, fps=50.0)
        assert (np.abs(result.channels["nodes"][-1, 1] - nodes[1]).max() > 1e-2) == moves


# --- trajectories and files ----------------------------------------------------------------------


def test_trajectories_show_the_scenes_bodies_and_the_nodes(tmp_path):
    model = compile_scene(pendulum_with_strand())
    assert (model.body_count, model.shown, model.dof_count) == (4, 1, 10)
    result = run(model, Dop853(), duration=0.1, fps=50.0)
    assert result.body_names == ("Arm",)
    assert result.joint_names == ("Pin",)
    assert result.q.shape == result.channels["qddot"].shape == (6, 1)
    assert result.channels["twist"].shape == (6, 1, 6)
    assert result.channels["nodes"].shape == (6, 4, 3)
    assert result.meta["strands"] == {"Tail": 4}
    result.save(tmp_path / "run.npz")
    assert np.array_equal(load(tmp_path / "run.npz").channels["nodes"], result.channels["nodes"])


def test_scenes_without_strands_have_no_channel_of_nodes():
    model = compile_scene(dataclasses.replace(pendulum_with_strand(), strands=[]))
    assert "nodes" not in run(model, Dop853(), duration=0.1, fps=50.0).channels


def test_strands_are_written_and_read_exactly():
    text = io.dumps(pendulum_with_strand(drag=0.1, pulls_only=True))
    assert io.dumps(io.loads(text)) == text
    assert io.loads(text).strands == pendulum_with_strand(drag=0.1, pulls_only=True).strands


def test_generated_names_make_way_for_the_scenes_own():
    scene = pendulum_with_strand()
    second = dataclasses.replace(scene.bodies[0], name="Tail, node 1")
    joint = dataclasses.replace(scene.joints[0], name="Pin 2", child="Tail, node 1")
    model = compile_scene(dataclasses.replace(scene, bodies=[*scene.bodies, second], joints=[*scene.joints, joint]))
    assert len(set(model.body_names)) == 5
    assert model.body_names[:2] == ("Arm", "Tail, node 1")
    start = body_poses(model, kinematics(model, model.q0, model.qdot0))
    assert np.allclose(model.strands[0].positions(start), scene.strands[0].nodes, rtol=0.0, atol=1e-14)


BAD = [
    ({"nodes": [[0.0, 0.0, 0.0]]}, "has 1 node; give at least two nodes"),
    ({"nodes": [[0.0, 0.0, float("nan")], [0.0, 0.0, 1.0]]}, "nodes has a number that is not finite"),
    ({"nodes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]}, "nodes 0 and 1 coincide"),
    ({"mass": 0.0}, "has no mass"),
    ({"node_masses": [1.0, 1.0]}, "has both mass and node_masses"),
    ({"mass": 0.0, "node_masses": [1.0, 0.0]}, "node_masses has a number that is not above 0"),
    ({"mass": 0.0, "node_masses": [1.0]}, "has 1 node_masses for 2 nodes; give 2"),
    ({"rest_lengths": [1.0, 1.0]}, "has 2 rest_lengths for 2 nodes; give 1"),
    ({"rest_lengths": [0.0]}, "rest_lengths has a number that is not above 0"),
    ({"stiffness": -1.0}, "stiffness is -1"),
    ({"attachments": [{"node": 2, "body": None}]}, "attaches node 2; its nodes are 0 to 1"),
    ({"attachments": [{"node": -1, "body": None}]}, "node is -1"),
    ({"attachments": [{"node": 0, "body": None}, {"node": 0, "body": "Arm"}]}, "attaches node 0 twice"),
    ({"attachments": [{"node": 0, "body": "Leg"}]}, "body is 'Leg', but there is no body of that name"),
]


@pytest.mark.parametrize(("changes", "said"), BAD)
def test_bad_input_is_named(changes, said):
    scene = io.plain(dataclasses.replace(pendulum_with_strand(), strands=[]))
    good = {"name": "S", "nodes": [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], "mass": 1.0, "stiffness": 1.0}
    scene["strands"] = [good | changes]
    _, problems = io.read(json.dumps(scene))
    assert len(problems) == 1, problems
    assert (problems[0].element.sort, problems[0].element.name) == ("strand", "S")
    assert said in str(problems[0])
