# SPDX-License-Identifier: GPL-3.0-or-later
"""The fingerprint of a scene: it follows every number and name, and nothing else; and what is remembered by it."""

from __future__ import annotations

import dataclasses
import itertools

import bpy
import numpy as np
import pytest
from by_hand import body, extract, inertia_of, joint, said

from redmax import io
from redmax.examples import EXAMPLES
from redmax.fields import Pose
from redmax.joints import Revolute
from redmax.joints.motor import Motor
from redmax.scene import Body, Inertia, Scene
from redmax.surfaces import SurfacePair
from redmax.tables import Table
from redmax_blender.bridge.check.findings import engine_findings
from redmax_blender.bridge.core import scene_digest
from redmax_blender.bridge.extract import mass


def scene(**values):
    return Scene(bodies=[Body(name="A")], joints=[Revolute(name="J", parent=None, child="A", **values)])


def test_every_example_has_its_own_and_keeps_it_when_written_and_read():
    scenes = [io.load(example.path) for example in EXAMPLES]
    digests = [scene_digest.digest(each) for each in scenes]
    assert len(set(digests)) == len(scenes)
    assert digests == [scene_digest.digest(io.loads(io.dumps(each))) for each in scenes]


def test_scenes_that_differ_in_anything_differ():
    table = Table(x=(0.0, 1.0), y=((0.0,), (1.0,)))
    scenes = [
        scene(),
        scene(q=(1.0,)),
        scene(q=1.0),
        scene(q=1),
        scene(q=True),
        scene(q=(1.0, 0.0)),
        scene(q=(np.nextafter(1.0, 2.0),)),
        scene(q=(-0.0,)),
        scene(q=(0.0,)),
        scene(q=(float("nan"),)),
        scene(qdot=(1.0,)),
        scene(lower=(1.0,)),
        scene(upper=(1.0,)),
        scene(lower=(None,)),
        scene(frame_in_parent=Pose(position=(1.0, 0.0, 0.0))),
        scene(frame_in_child=Pose(position=(1.0, 0.0, 0.0))),
        scene(torque_table=table),
        scene(stiffness_table=table),
        scene(torque_table=dataclasses.replace(table, x=(0.0, 2.0))),
        scene(motion_type="locked"),
        scene(motor=Motor(speed_gain=(1.0,))),
        scene(motor=Motor(speed_gain=(2.0,))),
        scene(motor=Motor(speed_gain=(1.0,), target_table=table)),
        dataclasses.replace(scene(), gravity=(0.0, 0.0, -1.0)),
        dataclasses.replace(scene(), name="Other"),
        dataclasses.replace(scene(), bodies=[Body(name="A", inertia=Inertia(mass=1.0))]),
        dataclasses.replace(scene(), bodies=[]),
        dataclasses.replace(scene(), joints=[]),
        dataclasses.replace(scene(), surface_pairs=[SurfacePair(name="P", first="a", second="b")]),
        dataclasses.replace(scene(), surface_pairs=[SurfacePair(name="P", first="a", second="b", friction=0.0)]),
    ]
    for a, b in itertools.combinations(scenes, 2):
        assert scene_digest.digest(a) != scene_digest.digest(b)


def test_it_is_the_same_in_every_version_of_blender():
    """A file that was simulated in one and is opened in another keeps its result."""
    made = scene(q=(0.25,), lower=(None,), frame_in_child=Pose(position=(1.0, -0.0, 1e-300)))
    assert scene_digest.digest(made).hex()[:16] == "2c6f5bcf80b229a4"


def test_where_strings_and_numbers_come_from_does_not_matter():
    """Python keeps some strings and numbers only once; two that are equal count as the same all the same."""
    name, number = "".join(["Arm", " ", "1"]), float("0.125")
    made = [
        Scene(bodies=[Body(name=a), Body(name=b)], joints=[Revolute(name="J", parent=a, child=b, q=(x,), qdot=(y,))])
        for a, b, x, y in ((name, name, number, number), ("Arm 1", "".join(["Arm", " 1"]), 0.125, float("0.125")))
    ]
    assert scene_digest.digest(made[0]) == scene_digest.digest(made[1])


def test_numbers_of_numpy_are_numbers():
    assert scene_digest.digest(scene(q=(0.25,))) == scene_digest.digest(scene(q=np.array([0.25])))
    assert scene_digest.digest(scene(damping=0.5)) == scene_digest.digest(scene(damping=np.float64(0.5)))


def test_a_problem_is_found_again_and_goes_when_it_is_mended():
    engine_findings._checked.clear()
    pin = joint("Pin", body("A", root="LOCKED"), body("B"))
    pin.redmax.joint.use_lower[0] = pin.redmax.joint.use_upper[0] = True
    pin.redmax.joint.lower_angle[0], pin.redmax.joint.upper_angle[0] = 1.0, -1.0
    first = said(extract(), "ERROR")
    assert any("lower limit above its upper limit" in text for text in first)
    assert said(extract(), "ERROR") == first
    assert len(engine_findings._checked) == 1
    pin.redmax.joint.upper_angle[0] = 2.0
    assert not said(extract(), "ERROR")


def test_remembered_problems_are_bounded(monkeypatch):
    monkeypatch.setattr(engine_findings, "REMEMBERED", 3)
    engine_findings._checked.clear()
    box = body("Box")
    for k in range(6):
        box.location.x = k
        extract()
    assert len(engine_findings._checked) == 3


EDITS = {
    "density": lambda box: setattr(box.redmax.body, "density", 10.0),
    "entered mass": lambda box: setattr(box.redmax.body, "mass_source", "MASS"),
    "shape": lambda box: setattr(box.redmax.body, "shape", "sphere"),
    "scale": lambda box: setattr(box, "scale", (2.0, 1.0, 1.0)),
    "vertices": lambda box: setattr(box.data.vertices[0], "co", (-0.4, -0.4, -0.4)),
    "a part": lambda box: setattr(body("Part"), "parent", box) or setattr(part().redmax, "is_body", False),
}


def part():
    return bpy.data.objects["Part"]


@pytest.mark.parametrize("edit", EDITS)
def test_remembered_masses_follow_every_edit(edit):
    mass._known.clear()
    box = body("Box")
    before = inertia_of(extract(), "Box")
    assert len(mass._known) == 1
    EDITS[edit](box)
    after = inertia_of(extract(), "Box")
    mass._known.clear()
    anew = inertia_of(extract(), "Box")
    assert not all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(after, anew, strict=True))


def test_bodies_alike_are_weighed_once_and_those_with_something_to_say_each():
    mass._known.clear()
    for k in range(5):
        body(f"Box {k}")
    extract()
    assert len(mass._known) == 1
    for k in range(2):
        inside_out = body(f"Turned {k}", size=(2.0, 1.0, 1.0))
        inside_out.data.flip_normals()
    for _ in range(2):
        inwards = [text for text in said(extract(), "INFO") if "point inwards" in text]
        assert len(inwards) == 2
    assert len(mass._known) == 1
