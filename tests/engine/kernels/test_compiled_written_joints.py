# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints from formulas run compiled like any other: free, held by springs, animated, locked, in composites, limited,
geared and in implicit steps."""

from __future__ import annotations

import dataclasses
import math
from functools import partial

import numpy as np
import pytest
from test_compiled_own_joints import CHANGES, compare, run, tree

from engine.random_trees import random_scene
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling
from redmax.integrators import Automatic, Dop853, LinearlyImplicitEuler
from redmax.joints import Composite, Custom, PointContact, Revolute, SurfaceContact
from redmax.kernels import route

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="compares compiled runs with readable ones")

TORI = {"first": "torus", "first_size": (0.6, 0.15, 0.1), "second": "torus", "second_size": (0.5, 0.2, 0.1)}
BALLS = {"first": "sphere", "first_size": (0.5, 0.1, 0.1), "second": "sphere", "second_size": (0.3, 0.1, 0.1)}
MADE = {
    "cam": partial(Custom, transform="Rz(q1) * Tz(0.2 * (1 - cos(2 * q1)) / 2)"),
    "tori": partial(SurfaceContact, **TORI, twist=0.7),
    "balls": partial(SurfaceContact, **BALLS, spin=True),
    "point": partial(PointContact, first="helix", first_size=(0.4, 0.3, 0.1)),
}


@pytest.mark.parametrize(
    ("title", "change"),
    [
        *(("cam", change) for change in CHANGES),
        ("tori", "free"),
        ("point", "free"),
        pytest.param("balls", "springs and soft limits", marks=pytest.mark.slow),
    ],
)
def test_a_tree_runs_compiled_as_the_readable_formulas_say(title, change):
    compare(tree("", change, partial(MADE[title], q=0.05, qdot=0.5)))


def test_a_composite_of_them_runs_compiled():
    written = [Custom.part(transform=text) for text in ("Rz(q1) * Tx(sin(q1) / 3)", "Ry(q1) * Tz(q1**2 / 5)")]
    parts = (Revolute.part(axis=(1.0, 0.0, 0.0)), *written)
    compare(tree("", "free", partial(Composite, parts=parts, qdot=0.3)))


def one(**fields):
    body = random_scene(np.random.default_rng(1), 1).bodies[0]
    cam = MADE["cam"](name="cam", parent=None, child=body.name, **fields)
    return dataclasses.replace(tree("", "free", MADE["cam"]), bodies=[body], joints=[cam])


def test_a_hard_limit_holds_it():
    result = run(compile_scene(one(qdot=2.0, lower=-0.5, upper=0.2)), Automatic(), 1.0)
    assert 0.19 < result.q.max() <= 0.2 + 1e-9


def test_a_gear_couples_it():
    scene = one(qdot=1.0)
    other = random_scene(np.random.default_rng(2), 1).bodies[0]
    other = dataclasses.replace(other, name="wheel")
    wheel = Revolute(name="wheel", parent=None, child="wheel", q=0.0, qdot=-2.0)
    gear = Coupling(name="gear", leader="cam", follower="wheel", ratio=-2.0)
    scene = dataclasses.replace(scene, bodies=[*scene.bodies, other], joints=[*scene.joints, wheel], constraints=[gear])
    model = compile_scene(scene)
    assert fast.describe(model) == route.versions()
    result = run(model, Dop853(rtol=1e-10, atol=1e-10), 0.5)
    np.testing.assert_allclose(result.q[:, 1], -2.0 * result.q[:, 0], atol=1e-12)
    assert np.abs(result.q).max() > 0.2


@pytest.mark.slow
def test_implicit_steps_know_it():
    scene = tree("", "springs and soft limits", partial(MADE["tori"], q=0.05, qdot=0.5))
    compiled = run(compile_scene(scene), LinearlyImplicitEuler(h=1e-3))
    with route.held(route.NUMPY):
        readable = run(compile_scene(scene), LinearlyImplicitEuler(h=1e-3))
    np.testing.assert_allclose(compiled.position, readable.position, atol=1e-9)  # rounding of 125 steps


def test_joints_of_the_same_texts_share_their_numbers():
    first, second = (MADE["tori"](name=name, parent=None, child="body") for name in "ab")
    assert first.packed_data is second.packed_data
    assert not first.packed_data.flags.writeable
    other = dataclasses.replace(first, twist=math.pi / 3.0)
    assert other.packed_data is not first.packed_data
