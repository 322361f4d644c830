# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as JSON: exact round trip, and every problem of a broken text at once."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redmax import io
from redmax.errors import SceneError
from redmax.fields import Pose
from redmax.geometry.solids import Box, Sphere
from redmax.joints import Fixed, Revolute
from redmax.scene import Body, Inertia, Scene

EXAMPLE = Path(__file__).parent / "scenes" / "example.json"

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
names = st.text(min_size=1, max_size=20)


def problems(data) -> list[str]:
    text = data if isinstance(data, str) else json.dumps(data)
    return [str(problem) for problem in io.read(text)[1]]


def base() -> dict:
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


@given(names, finite, finite, finite, st.floats(1e-300, 1e300), finite)
def test_round_trip_is_exact(name, x, y, z, size, gravity):
    scene = Scene(
        name=name,
        gravity=(0.0, gravity, -0.0),
        bodies=[Body(name=name, shapes=(Box(size=(size, 0.1, 1.0), density=size, frame=Pose((x, y, z))),))],
        joints=[Revolute(name=name, parent=None, child=name, q=x, qdot=(y,), axis=(z, 1.0, 0.0))],
    )
    text = io.dumps(scene)
    again, _ = io.read(text)
    assert repr(again) == repr(scene)  # repr tells -0.0 from 0.0
    assert io.dumps(again) == text


def test_round_trip_of_the_documented_example():
    scene = io.load(EXAMPLE)
    assert io.loads(io.dumps(scene)) == scene


def test_numpy_values_are_written_as_plain_numbers():
    scene = Scene(
        gravity=np.array([0.0, 0.0, -1.0]),
        bodies=[Body(name="A", inertia=Inertia(mass=np.float64(2.0), tensor=np.eye(3)))],
        joints=[Fixed(name="J", parent=None, child="A", frame_in_parent=Pose(np.array([1.0, 2.0, 3.0])))],
    )
    again = io.loads(io.dumps(scene))
    assert again.gravity == (0.0, 0.0, -1.0)
    assert again.joints[0].frame_in_parent.position == (1.0, 2.0, 3.0)


def test_saving_a_scene_with_nan_names_the_element():
    scene = Scene(bodies=[Body(name="Lead", shapes=(Sphere(radius=float("nan"), density=1.0),))])
    with pytest.raises(SceneError, match="body 'Lead', shapes\\[0\\]: radius is nan"):
        io.dumps(scene)


def test_saved_file_loads(tmp_path):
    scene = io.load(EXAMPLE)
    io.save(scene, tmp_path / "scene.json")
    assert io.load(tmp_path / "scene.json") == scene


def test_a_scene_that_cannot_be_written_leaves_the_old_file(tmp_path):
    path = tmp_path / "scene.json"
    io.save(io.load(EXAMPLE), path)
    with pytest.raises(SceneError):
        io.save(Scene(gravity=(0.0, 0.0, float("nan"))), path)
    assert io.load(path) == io.load(EXAMPLE)
    assert [file.name for file in tmp_path.iterdir()] == ["scene.json"]


def test_byte_order_mark_is_accepted(tmp_path):
    path = tmp_path / "scene.json"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.read_bytes())
    assert io.load(path) == io.load(EXAMPLE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not valid JSON: Expecting value at line 1, column 1"),
        ('{"format": "redmax-scene",', "is not valid JSON"),
        ("[]", "is not a JSON object"),
        ("7", "is not a JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"version": 1' + "0" * 5000 + "}", "number that is too long"),
        ('{"format": "redmax-scene", "version": 1, "name": "a", "name": "b"}', "the field 'name' twice"),
    ],
)
def test_broken_text_is_one_clear_problem(text, said):
    found = problems(text)
    assert any(said in problem for problem in found), found


def test_missing_file_is_named(tmp_path):
    with pytest.raises(SceneError, match=r"nothing\.json': cannot be read \(No such file"):
        io.load(tmp_path / "nothing.json")


def test_binary_file_is_named(tmp_path):
    path = tmp_path / "scene.json"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(SceneError, match="is not UTF-8 text"):
        io.load(path)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "scene.json"
    with path.open("wb") as huge:
        huge.truncate(10**10)  # takes no room on the disk
    with pytest.raises(SceneError, match=r"scene\.json': cannot be read \(it is larger than 100 MB\)"):
        io.load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are those of POSIX")
def test_a_pipe_is_named_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "scene.json")
    with pytest.raises(SceneError, match=r"cannot be read \(it is a pipe, not a file\)"):
        io.load(tmp_path / "scene.json")


def edit(**changes):
    """The example with values put at paths such as joints__1__axis; DELETE removes."""
    data = base()
    for path, value in changes.items():
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("__"))
        place = data
        for step in steps:
            place = place[step]
        if value is DELETE:
            del place[last]
        else:
            place[last] = value
    return data


DELETE = object()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "scene"}, 'has format \'scene\'; write "format": "redmax-scene"'),
        ({"version": DELETE}, "has version None"),
        ({"version": 2}, "has version 2; this program reads versions up to 1; use a newer RedMax"),
        ({"version": True}, "has version True"),
        ({"gravty": 1}, "unknown field 'gravty'; did you mean 'gravity'?"),
        ({"gravity": [0, 0]}, "scene: gravity has shape 2; give 3 finite numbers in m/s^2"),
        ({"gravity": "down"}, "gravity is 'down', not a list of numbers"),
        ({"bodies": {}}, "bodies is not a list"),
        ({"bodies__0": 5}, "bodies[0]: is not an object"),
        ({"bodies__0__colour": "red"}, "body 'Tower': has an unknown field 'colour'"),
        ({"bodies__0__shapes__0__kind": "bix"}, "has the unknown kind 'bix'; did you mean 'box'?"),
        ({"bodies__0__shapes__0__kind": DELETE}, "body 'Tower', shapes[0]: has no kind"),
        ({"bodies__0__shapes__0__size": [1, 2]}, "body 'Tower', shapes[0]: size has shape 2"),
        ({"bodies__0__shapes__0__size": [1, 2, 0]}, "size has a number that is not above 0"),
        ({"bodies__0__shapes__0__size": [1, 2, "3"]}, "size holds '3', not a number"),
        ({"bodies__0__shapes__0__size": [1, 2, True]}, "size holds True, not a number"),
        ({"bodies__0__shapes__0__size": [[1], [2, 3], 4]}, "size has rows of different lengths"),
        ({"bodies__0__shapes__0__size": []}, "size is empty"),
        ({"bodies__0__shapes__0__size": DELETE}, "shapes[0]: size is missing; give 3 finite numbers above 0 in m"),
        ({"bodies__0__shapes__0__density": float("nan")}, "density is nan"),
        ({"bodies__0__shapes__0__density": float("inf")}, "density is inf"),
        ({"bodies__0__shapes__0__density": 10**400}, "density is too large"),
        ({"bodies__0__shapes__0__density": -1}, "density is -1; give a finite number above 0 in kg/m^3"),
        ({"bodies__0__shapes__0__density": DELETE}, "shapes[0]: has neither density nor mass"),
        ({"bodies__0__shapes__0__mass": 1.0}, "shapes[0]: has both density and mass"),
        ({"bodies__0__inertia": {"mass": 1.0}}, "body 'Tower': has both shapes and an inertia"),
        ({"bodies__2__inertia": 7}, "body 'Hook': inertia is 7"),
        ({"bodies__2__inertia__tensor": [[1, 0, 0], [0, 1, 0], [0, 0, 9]]}, "body 'Hook', inertia:"),
        ({"bodies__2__inertia__mass": -3}, "body 'Hook', inertia: mass is -3"),
        ({"bodies__1__name": "Tower"}, "body 'Tower': is the name of 2 elements"),
        ({"bodies__1__name": ""}, "body 1: has an empty name"),
        ({"bodies__1__name": 5}, "name is 5; give a text"),
        ({"bodies__1__name": DELETE}, "name is missing"),
        ({"joints__1__kind": "hinge"}, "joint 'Slew': has the unknown kind 'hinge'; write 'revolute'"),
        ({"joints__1__parent": "World"}, "for the world write null, without quotes"),
        (
            {"joints__1__torque_table": {"x": [0, 1], "y": [0, 1]}},
            "give rows of finite numbers, such as [[1.0], [2.0]]",
        ),
        ({"joints__1__axis": [0, 0, 0]}, "joint 'Slew': axis is zero; give a direction such as (0, 0, 1)"),
        ({"joints__1__axis": [1e-200, 0, 0]}, "joint 'Slew': axis is zero"),
        ({"bodies__2__inertia__mass": 1e-200}, "body 'Hook', inertia: has mass 1e-200"),
        ({"joints__1__torque_table": {"x": [0, 1e-200], "y": [[0], [1]]}}, "points so close that its values jump"),
        ({"joints__1__lower": 2, "joints__1__upper": 1}, "has a lower limit above its upper limit; swap them"),
        ({"joints__1__q": [1, 2]}, "joint 'Slew': q has shape 2; give 1 finite number in rad, m or 1"),
        ({"joints__1__q": "x"}, "joint 'Slew': q is 'x', not a number"),
        ({"joints__1__parent": "Towr"}, "parent is 'Towr', but there is no body of that name; did you mean 'Tower'?"),
        (
            {"joints__1__parent": DELETE},
            "joint 'Slew': parent is missing; give the name of a body, or null for the world",
        ),
        ({"joints__1__child": None}, "joint 'Slew': child is missing"),
        ({"joints__1__child": "Tower"}, "connects body 'Tower' to itself"),
        ({"joints__1__frame_in_parent": [0, 0]}, "joint 'Slew': frame_in_parent is (0, 0)"),
        ({"joints__1__frame_in_parent": {"rotation": [2, 0, 0, 0]}}, "frame_in_parent: rotation has length 2"),
        (
            {"joints__1__frame_in_parent": {"position": [0, 0, float("inf")]}},
            "position has a number that is not finite",
        ),
        ({"joints__1__motion_type": "spinning"}, "motion_type is 'spinning'; give one of: simulated, animated, locked"),
        ({"joints__1__motion_type": "animated"}, "joint 'Slew': is animated but has no animation"),
        ({"joints__1__lower": 1.0, "joints__1__upper": 0.0}, "lower limit above its upper limit"),
        ({"joints__0": DELETE}, "body 'Tower': is not carried by any joint"),
        ({"joints__0__parent": "Hook"}, "cycle that nothing holds"),
        ({"bodies__2__inertia": DELETE}, "body 'Hook': can move (joint 'Rope') but neither it nor anything it carries"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "-".join(value),
)
def test_every_defect_is_named_with_a_hint(changes, said):
    found = problems(edit(**changes))
    assert any(said in problem for problem in found), found


def test_all_problems_are_listed_at_once():
    data = edit(
        gravity=[0],
        bodies__0__shapes__0__size=[1, 1],
        bodies__1__shapes__1__radius=-1,
        joints__1__axis=[0, 0, 0],
        joints__2__parent="Nobody",
        joints__2__qdot=[float("nan")],
    )
    assert len(problems(data)) == 6


def test_one_defect_is_not_reported_as_others_too():
    """An unreadable joint must not make its child look unattached, an unreadable shape its body massless."""
    assert len(problems(edit(joints__1__kind="hinge"))) == 1
    assert len(problems(edit(joints__2__child="Hok"))) == 1
    assert len(problems(edit(bodies__2__inertia={"mass": "heavy"}))) == 1
    assert len(problems(edit(bodies__0__shapes__0__kind="bx"))) == 1
    assert len(problems(edit(bodies__2=None))) == 1
    assert len(problems(edit(bodies__1__name="Tower", joints__2__parent="Tower", joints__1__child="Hook"))) == 1


def test_meshes_are_checked_with_their_body_named():
    tetrahedron = {
        "kind": "mesh",
        "density": 1000.0,
        "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "faces": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    }
    assert problems(edit(bodies__0__shapes=[tetrahedron])) == []
    opened = dict(tetrahedron, faces=tetrahedron["faces"][:3])
    (said,) = problems(edit(bodies__0__shapes=[opened]))
    assert "body 'Tower', shapes[0]" in said
    assert "3 open edges" in said
    for approximation in ("hull", "box"):
        assert problems(edit(bodies__0__shapes=[dict(opened, approximation=approximation)])) == []
    flat = dict(opened, vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], approximation="hull")
    (said,) = problems(edit(bodies__0__shapes=[flat]))
    assert "body 'Tower', shapes[0]" in said
    wild = dict(tetrahedron, faces=[[0, 1, 99], [0, 1], "x"])
    assert problems(edit(bodies__0__shapes=[wild]))


def test_elements_are_frozen():
    scene = io.load(EXAMPLE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        scene.joints[1].axis = (1.0, 0.0, 0.0)
