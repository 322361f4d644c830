# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what may be varied follows from the declared fields, and each of its paths leads where it says."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.batch.test_run_batch import chain_scene
from redmax import io
from redmax.batch import PathError, changed, value_at, variables
from redmax.examples import EXAMPLES
from redmax.joints.fixed import Fixed
from redmax.joints.surface_contact import SurfaceContact
from redmax.scene import Body, Inertia, Scene
from redmax.tables import Table


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


def test_a_table_is_varied_as_a_whole():
    """So many times the motion in the same time: values and their slopes, not the times."""
    keyed = Table(x=(0.0, 1.0), y=((0.0,), (0.4,)), interpolation="hermite", slopes=((0.1,), (0.2,)))
    scene = chain_scene(1)
    (joint,) = scene.joints
    scene = replace(scene, joints=[replace(joint, motion_type="animated", animation=keyed)])
    (found,) = (each for each in variables(scene) if "animation" in each.path)
    assert (found.path, found.only) == ("joints.j0.animation", "times")
    faster = changed(scene, found.path, 3.0, "times").joints[0].animation
    assert faster.x == keyed.x
    assert np.allclose(faster.y, 3.0 * np.array(keyed.y), rtol=1e-15)
    assert np.allclose(faster.slopes, 3.0 * np.array(keyed.slopes), rtol=1e-15)
    for how in ("set", "plus"):
        with pytest.raises(PathError, match=r"'joints\.j0\.animation' is many numbers; vary all of them by factors"):
            changed(scene, found.path, 3.0, how)
    straight = replace(keyed, interpolation="linear", slopes=None)
    scene = replace(scene, joints=[replace(scene.joints[0], animation=straight)])
    assert changed(scene, found.path, 3.0, "times").joints[0].animation.y == faster.y


def test_entries_are_called_by_their_axis_coordinate_or_number():
    entries = {each.path: each.entry for each in variables(weighed_scene())}
    assert entries["bodies.Crate.inertia.center[1]"] == "y"
    assert entries["gravity[2]"] == "z"
    touching = SurfaceContact(name="Roll", parent=None, child="Crate")
    scene = Scene(bodies=weighed_scene().bodies, joints=[touching])
    entries = {each.path: each.entry for each in variables(scene)}
    assert entries["joints.Roll.first_size[1]"] == "2", "a size lies along no axis"
    assert entries["joints.Roll.damping[2]"] == touching.dof_names[2]


def test_twice_the_inertia_is_twice_the_mass_of_the_same_shape():
    """Mass and tensor together; the centre stays."""
    scene = weighed_scene()
    grown = changed(scene, "bodies.Crate.inertia", 2.0, "times").bodies[0].inertia
    old = scene.bodies[0].inertia
    assert grown.mass == 2.0 * old.mass
    pairs = zip(grown.tensor, old.tensor, strict=True)
    assert all(math.isclose(a, 2.0 * b) for row, was in pairs for a, b in zip(row, was, strict=True))
    assert tuple(grown.center) == tuple(old.center)
