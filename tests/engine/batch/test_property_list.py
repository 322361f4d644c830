# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what may be varied follows from the declared fields, and each of its paths leads where it says."""

from __future__ import annotations

import math

import pytest

from engine.batch.test_run_batch import chain_scene
from redmax import io
from redmax.batch import changed, value_at, variables
from redmax.examples import EXAMPLES
from redmax.joints.fixed import Fixed
from redmax.scene import Body, Inertia, Scene


def weighed_scene() -> Scene:
    tensor = ((0.3, 0.01, 0.0), (0.01, 0.2, 0.0), (0.0, 0.0, 0.4))
    crate = Body(name="Crate", inertia=Inertia(mass=2.0, center=(0.1, 0.0, 0.0), tensor=tensor))
    return Scene(bodies=[crate], joints=[Fixed(name="Floor", parent=None, child="Crate")])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_path_of_the_examples_is_read_as_listed_and_can_be_written(example):
    scene = io.load(example.path)
    found = list(variables(scene))
    assert len({each.path for each in found}) == len(found)
    for each in found:
        if each.only:
            assert changed(scene, each.path, 1.0, each.only) == scene
            continue
        own = value_at(scene, each.path)  # of a joint with one coordinate a list of one is its value, too
        assert (own[0] if isinstance(own, (tuple, list)) else own) == each.value
        new = changed(scene, each.path, 3)
        assert value_at(new, each.path) == 3


def test_what_a_mechanism_has():
    paths = {each.path: each for each in variables(chain_scene(2))}
    assert paths["gravity[2]"].value == -9.81
    assert paths["joints.j0.stiffness"].unit == "N m/rad"
    assert paths["joints.j1.q"].value == 0.5
    assert paths["joints.j1.q"].unit == "rad"
    weighed = {each.path: each for each in variables(weighed_scene())}
    assert weighed["bodies.Crate.inertia"].only == "times"
    assert weighed["bodies.Crate.inertia.center[0]"].unit == "m"
    assert not any("tensor" in path for path in weighed)


def test_twice_the_inertia_is_twice_the_mass_of_the_same_shape():
    """Mass and tensor together; the centre stays."""
    scene = weighed_scene()
    grown = changed(scene, "bodies.Crate.inertia", 2.0, "times").bodies[0].inertia
    old = scene.bodies[0].inertia
    assert grown.mass == 2.0 * old.mass
    pairs = zip(grown.tensor, old.tensor, strict=True)
    assert all(math.isclose(a, 2.0 * b) for row, was in pairs for a, b in zip(row, was, strict=True))
    assert tuple(grown.center) == tuple(old.center)
