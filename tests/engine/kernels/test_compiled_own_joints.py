# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that the engine does not know run compiled like its own: the cam of docs/adding_a_joint.md, and a joint with
an array of its own, Q(0) that is not the identity and coordinates of unit 1."""

from __future__ import annotations

import dataclasses
import logging
from functools import partial

import numpy as np
import pytest

import own_joints
from engine.constraints.closed import looped_scene
from engine.random_trees import random_scene
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.integrators import Automatic, Dop853, LinearlyImplicitEuler
from redmax.joints import JOINTS, Composite, Revolute
from redmax.kernels import route
from redmax.simulate import record, simulate
from redmax.tables import Table

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="compares compiled runs with readable ones")

CAM = own_joints.cam()
KINDS = {"cam": CAM, "patch": own_joints.Patch}
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
AGREES = 1e-7  # some hundred steps of 1e-10, relative to sizes of about 1


@pytest.fixture(autouse=True)
def _registered():
    JOINTS.add(99, CAM)
    JOINTS.add(98, own_joints.Patch)
    yield
    JOINTS.remove("cam")
    JOINTS.remove("patch")


def animated(joint):
    """Coordinates that begin where the joint does, at rest: even functions of time."""
    x = np.linspace(-1.0, 1.0, 17)
    q = np.broadcast_to(np.asarray(joint.q, float), (joint.ndof,))
    return Table(x=x, y=q + 0.2 * (1.0 - np.cos(3.0 * x))[:, None], interpolation="cubic")


CHANGES = {
    "free": lambda joint: {},
    "springs and soft limits": lambda joint: {
        "stiffness": 20.0,
        "damping": 0.3,
        "lower": -0.2,
        "upper": 0.1,
        "limit_stiffness": 300.0,
    },
    "animated": lambda joint: {"motion_type": "animated", "animation": animated(joint)},
    "locked": lambda joint: {"motion_type": "locked"},
}


PLACE = ("name", "parent", "child", "frame_in_parent", "frame_in_child")


def tree(kind, change, made=None):
    """A branching tree in which every other joint is of a kind, and changed. made: makes such a joint in its place."""
    scene = random_scene(np.random.default_rng(7), 6, kinds=["revolute", "spherical"], springs=False, tables=False)
    joints = list(scene.joints)
    for k in range(0, 6, 2):
        place = {name: getattr(joints[k], name) for name in PLACE}
        joint = KINDS[kind](**place, q=0.05, qdot=0.5) if made is None else made(**place)
        joints[k] = dataclasses.replace(joint, **CHANGES[change](joint))
    return dataclasses.replace(scene, joints=joints)


def run(model, integrator, duration=0.125):
    samples = simulate(model, integrator=integrator, fps=24.0, duration=duration)
    result = record(model, samples, integrator=integrator, fps=24.0)
    assert result.status == "complete", result.message
    return result


def compare(scene):
    """Compiled and by the formulas of the paper."""
    model = compile_scene(scene)
    assert fast.describe(model) == route.versions()
    compiled = run(model, Dop853(**TIGHT))
    readable = run(compile_scene(scene), Dop853(dynamics="projected", **TIGHT))
    np.testing.assert_allclose(compiled.position, readable.position, atol=AGREES)
    np.testing.assert_allclose(compiled.q, readable.q, atol=AGREES)
    for channel in ("energy", "work", "loss", "reaction"):
        expected = readable.channels[channel]
        atol = 100.0 * AGREES * (1.0 + np.abs(expected).max())
        np.testing.assert_allclose(compiled.channels[channel], expected, atol=atol, err_msg=channel)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_runs_compiled_as_the_readable_formulas_say(kind, change):
    compare(tree(kind, change))


@pytest.mark.parametrize("kind", KINDS)
def test_a_composite_of_it_runs_compiled(kind):
    parts = (Revolute.part(axis=(1.0, 0.0, 0.0)), KINDS[kind].part(), Revolute.part(axis=(0.0, 1.0, 0.0)))
    compare(tree(kind, "free", partial(Composite, parts=parts, qdot=0.3)))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_that_it_closes_runs_compiled(kind, change):
    """It is the same mechanism as with the joint in the tree and another one closing the loop."""
    scene = looped_scene(kind, 12)
    *chain, closing = scene.joints
    closing = dataclasses.replace(closing, **CHANGES[change](closing))
    models = [compile_scene(dataclasses.replace(scene, joints=j)) for j in ([*chain, closing], [closing, *chain])]
    for model in models:
        assert fast.describe(model) == route.versions()
    ours, theirs = (run(model, Dop853(rtol=1e-9, atol=1e-9), 0.1) for model in models)
    order = [theirs.body_names.index(name) for name in ours.body_names]
    np.testing.assert_allclose(ours.position, theirs.position[:, order], atol=1e-6)
    assert np.abs(ours.channels["gap"]).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_a_hard_limit_holds_it(kind):
    n = KINDS[kind].part().ndof
    limits = {"lower": (-0.5, *[None] * (n - 1)), "upper": (0.2, *[None] * (n - 1))}
    joint = KINDS[kind](name="j", parent=None, child="body 0", qdot=(2.0, *[0.0] * (n - 1)), stiffness=5.0, **limits)
    body = random_scene(np.random.default_rng(1), 1).bodies[0]
    scene = dataclasses.replace(tree(kind, "free"), bodies=[body], joints=[joint])
    result = run(compile_scene(scene), Automatic(), 1.0)
    assert result.q[:, 0].max() <= 0.2 + 1e-9
    assert result.q[:, 0].max() > 0.19  # a frame may fall beside the impact


@pytest.mark.parametrize("kind", KINDS)
def test_implicit_steps_know_it(kind):
    scene = tree(kind, "springs and soft limits")
    compiled = run(compile_scene(scene), LinearlyImplicitEuler(h=1e-3))
    with route.held(route.NUMPY):
        readable = run(compile_scene(scene), LinearlyImplicitEuler(h=1e-3))
    np.testing.assert_allclose(compiled.position, readable.position, atol=1e-9)  # rounding of 125 steps


def test_what_the_compiler_refuses_is_simulated_in_python_and_said(caplog):
    """Slices and matrix products are no plain arithmetic."""

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Sliced(Revolute):
        kind = "sliced"

        @staticmethod
        def evaluate(data, q, qdot, chart, Q, S, Sdot):
            Q[:3, :3] = [[np.cos(q[0]), -np.sin(q[0]), 0.0], [np.sin(q[0]), np.cos(q[0]), 0.0], [0.0, 0.0, 1.0]]
            S[:3, 0] = data.tolist()

        def primitives(self):
            return None

    body = random_scene(np.random.default_rng(1), 1).bodies[0]
    scene = dataclasses.replace(
        tree("cam", "free"), bodies=[body], joints=[Sliced(name="j", parent=None, child=body.name)]
    )
    with caplog.at_level(logging.WARNING):
        model = compile_scene(scene)
        result = run(model, Automatic())
    assert "joint kind 'sliced' cannot be compiled" in caplog.text
    assert result.meta["route"].startswith("numpy")
    assert "'j'" in result.meta["route"]
