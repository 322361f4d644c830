# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces as elements of a scene: JSON, problems by name, where they stand on a model, and what can touch what."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from redmax import io
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.fields import IDENTITY, Pose
from redmax.geometry.solids import SHAPES, Box
from redmax.joints import JOINTS
from redmax.scene import Body, Scene
from redmax.spatial import pose
from redmax.surfaces import (
    SURFACES,
    BoxSurface,
    HeightfieldSurface,
    HullSurface,
    MeshSurface,
    Piece,
    PiecesSurface,
    PlaneSurface,
    SphereSurface,
    layout,
)
from redmax.surfaces.layout import BORDER, DENT, RIDGE
from redmax.surfaces.materials import PRESETS
from redmax.surfaces.packed import PackedSurfaces
from redmax.surfaces.polyhedra import box_polyhedron, hull_polyhedron

OFF_CENTRE = Pose((0.3, -0.2, 0.5), (0.5, 0.5, -0.5, 0.5))
CUBE = [[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
SHIFTED = [[x + 2.0, y, z + 0.5] for x, y, z in CUBE]
OWN = {
    "hull": {"vertices": CUBE},
    "mesh": {"vertices": CUBE, "faces": [[0, 1, 3, 2], [0, 4, 5, 1]]},
    "heightfield": {"size": (2.0, 1.0), "heights": ((0.0, 0.5, 0.25), (1.0, -0.5, 0.0)), "depth": 0.5},
    "pieces": {"pieces": (Piece(vertices=CUBE), Piece(vertices=SHIFTED))},
}


def body(name):
    return Body(name=name, shapes=(Box(size=(1.0, 2.0, 3.0), mass=2.0, frame=OFF_CENTRE),))


def joint(kind, parent, child, **fields):
    return JOINTS[kind](name=f"{kind} of {child}", parent=parent, child=child, **fields)


def ball(name, of, **fields):
    return SphereSurface(name=name, body=of, radius=0.1, **fields)


def touching(scene):
    surfaces = compile_scene(scene).surfaces
    return {tuple(sorted((surfaces.names[a], surfaces.names[b]))) for a, b in surfaces.pairs()}


@pytest.mark.parametrize("cls", list(SURFACES), ids=lambda cls: cls.kind)
def test_json_round_trip_and_packing_of_every_shape(cls):
    surface = cls(name="it", friction=0.3, conveyor=(1.0, 0.0, 0.0), group=3, touches=5, **OWN.get(cls.kind, {}))
    scene = Scene(bodies=[body("a")], joints=[joint("free", None, "a")], surfaces=[surface, ball("b", "a")])
    text = io.dumps(scene)
    again = io.loads(text)
    assert io.dumps(again) == text
    assert type(again.surfaces[0]) is cls
    packed = compile_scene(again).surfaces
    assert packed.kinds[0] == cls.kind
    assert packed.elements == ("it", "b")
    assert cls.shape_code == (layout.HULL if cls.kind == "pieces" else SURFACES.number(cls.kind))
    assert packed.record(0)[layout.SHAPE] == cls.shape_code
    assert packed.materials[0].tolist() == [0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    for array in (packed.ints, packed.numbers, packed.bodies, packed.E_js, packed.materials):
        assert not array.flags.writeable


def test_a_scene_without_surfaces_has_none():
    scene = Scene(bodies=[body("a")], joints=[joint("free", None, "a")])
    assert compile_scene(scene).surfaces is None
    assert "surfaces" not in io.dumps(scene)


def test_surfaces_stand_where_the_body_frame_says():
    """E_wj E_js is the element's frame in the world, whatever the joint and the principal frame are."""
    frame = Pose((0.1, 0.2, -0.4), (0.8, 0.0, 0.6, 0.0))
    hinge = joint("revolute", None, "a", frame_in_parent=OFF_CENTRE, frame_in_child=frame, q=0.7)
    scene = Scene(
        bodies=[body("a")], joints=[hinge], surfaces=[ball("s", "a", frame=frame), ball("w", None, frame=frame)]
    )
    model = compile_scene(scene)
    kin = kinematics(model, model.q0, model.qdot0, model.initial_state().chart)
    E_wb = body_poses(model, kin)[0]
    E_wj = kin.E_wi[0] @ pose.inverse(model.E_ji[0])
    E_bs = pose.from_quaternion(np.array(frame.position), np.array(frame.rotation))
    np.testing.assert_allclose(E_wj @ model.surfaces.E_js[0], E_wb @ E_bs, atol=1e-14)
    np.testing.assert_allclose(model.surfaces.E_js[1], E_bs, atol=1e-15)


def test_hulls_are_moved_to_their_middle():
    points = (np.array(CUBE) * [1.0, 2.0, 3.0] + [10.0, 20.0, 30.0]).tolist()
    scene = Scene(surfaces=[HullSurface(name="h", vertices=points), ball("b", "a")], bodies=[body("a")])
    scene.joints = [joint("free", None, "a")]
    packed = compile_scene(scene).surfaces
    np.testing.assert_allclose(packed.E_js[0, :3, 3], [10.0, 20.0, 30.0], atol=1e-13)
    assert packed.reaches[0] == pytest.approx(math.sqrt(14.0))


def test_halves_leave_surfaces_with_the_kept_one():
    joints = [
        joint("revolute", None, "a"),
        joint("revolute", "a", "b", frame_in_parent=Pose((1.0, 0.0, 0.0))),
        joint("screw", None, "b", pitch=0.1, frame_in_child=Pose((0.0, 1.0, 0.0))),
    ]
    scene = Scene(bodies=[body("a"), body("b")], joints=joints, surfaces=[ball("s", "b")])
    model = compile_scene(scene)
    assert model.halves, "the screw splits b"
    assert model.body_names[model.surfaces.bodies[0]] == "b"
    assert model.surfaces.bodies[0] not in model.halves


# --- what touches what ---------------------------------------------------------------------------


def chain(**fields):
    """World - free - a - hinge - b - fixed - c - hinge - d, each with a ball, and two pieces of scenery."""
    joints = [
        joint("free", None, "a"),
        joint("revolute", "a", "b"),
        joint("fixed", "b", "c"),
        joint("revolute", "c", "d"),
    ]
    surfaces = [ball(n, n, **fields) for n in "abcd"] + [ball("a2", "a"), ball("w", None), ball("w2", None)]
    return Scene(bodies=[body(n) for n in "abcd"], joints=joints, surfaces=surfaces)


def test_neighbours_bodies_and_scenery_are_filtered():
    world = {(n, w) for n in ("a", "b", "c", "d", "a2") for w in ("w", "w2")}
    assert touching(chain()) == world | {("a", "d"), ("a2", "d")}


def test_neighbours_touch_where_one_of_them_says_so():
    assert touching(chain(touches_neighbours=True)) >= {("a", "b"), ("a", "c"), ("b", "d"), ("a2", "b")}
    assert ("b", "c") not in touching(chain(touches_neighbours=True)), "a fixed joint makes one body of them"


def test_loop_joints_make_neighbours():
    scene = chain()
    assert ("a", "d") in touching(scene)
    scene.joints.append(joint("spherical", "a", "d"))
    assert ("a", "d") not in touching(scene)


def test_a_free_joint_between_bodies_connects_nothing():
    scene = Scene(bodies=[body("a"), body("b")], surfaces=[ball("a", "a"), ball("b", "b")])
    scene.joints = [joint("free", None, "a"), joint("free", "a", "b")]
    assert touching(scene) == {("a", "b")}


def test_animated_scenery_touches_what_moves_only():
    scene = Scene(bodies=[body("a"), body("b")], surfaces=[ball("a", "a"), ball("b", "b"), ball("w", None)])
    locked = joint("free", None, "a", motion_type="locked")
    scene.joints = [locked, joint("free", None, "b")]
    assert touching(scene) == {("a", "b"), ("b", "w")}


@pytest.mark.parametrize(("mask_a", "mask_b", "touch"), [(2, 1, True), (1, 1, False), (2, 2, False), (3, 3, True)])
def test_groups_touch_where_both_agree(mask_a, mask_b, touch):
    scene = Scene(bodies=[body("a"), body("b")], joints=[joint("free", None, "a"), joint("free", None, "b")])
    scene.surfaces = [ball("a", "a", group=0, touches=mask_a), ball("b", "b", group=1, touches=mask_b)]
    assert touching(scene) == ({("a", "b")} if touch else set())


def test_materials_combine():
    scene = Scene(bodies=[body("a")], joints=[joint("free", None, "a")])
    scene.surfaces = [
        ball("a", "a", friction=0.9, kinetic_friction=0.4, bounce=0.2, rolling_friction=0.01),
        ball("w", None, friction=0.1, bounce=0.7, torsional_friction=0.02, bounce_above=0.5),
    ]
    packed = compile_scene(scene).surfaces
    expected = (0.3, 0.2, 0.7, 0.5, 0.01, 0.02)
    np.testing.assert_allclose(packed.material(0, 1), expected)
    assert packed.material(1, 0) == packed.material(0, 1)


def test_presets_are_sound():
    for preset in PRESETS:
        surface = ball(preset.name, None, friction=preset.friction, kinetic_friction=preset.kinetic_friction,
                       bounce=preset.bounce)  # fmt: skip
        assert not list(surface.problems())
    assert len({preset.name for preset in PRESETS}) == len(PRESETS)


# --- what is wrong, by name ----------------------------------------------------------------------

FLAT_SQUARE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
LEVEL = [[0.0, 0.0], [0.0, 0.0]]
WRONG = [
    (ball("s", "nobody"), "there is no body of that name"),
    (ball("s", "a", friction=-1.0), "friction is -1"),
    (ball("s", "a", kinetic_friction=0.7), "more than the static friction"),
    (ball("s", "a", bounce=1.1), "bounce is 1.1"),
    (ball("s", "a", group=31), "group is 31"),
    (ball("s", "a", touches=2**31), "touches is"),
    (ball("s", "a", conveyor=(1.0, 2.0)), "conveyor has shape"),
    (SphereSurface(name="s", body="a", radius=1e-7), "cannot resolve"),
    (BoxSurface(name="s", body="a", size=(1.0, 1e7, 1.0)), "cannot resolve"),
    (BoxSurface(name="s", body="a", size=(1.0, 0.0, 1.0)), "not above 0"),
    (HullSurface(name="s", body="a", vertices=FLAT_SQUARE), "lie in one plane"),
    (MeshSurface(name="s", body="a", vertices=FLAT_SQUARE, faces=[[0, 1, 2, 3]]), "can only be scenery"),
    (HeightfieldSurface(name="s", body="a", heights=LEVEL), "is a heightfield on body 'a', which moves"),
    (HeightfieldSurface(name="s", heights=[[0.0, 1.0, 2.0]]), "heights are 1 x 3; give at least 2 x 2 heights"),
    (HeightfieldSurface(name="s", heights=[[0.0, 1.0], [0.0]]), "give rows of equally many finite heights"),
    (HeightfieldSurface(name="s", heights=[[0.0, 1.0], [0.0, math.nan]]), "heights has a number that is not finite"),
    (HeightfieldSurface(name="s", heights=LEVEL, size=(1.0, 0.0)), "not above 0"),
    (HeightfieldSurface(name="s", heights=LEVEL, depth=0.0), "depth is 0; give a finite number above 0"),
    (HeightfieldSurface(name="s", heights=np.zeros((2, 1001)), size=(1e-4, 1.0)), "measures 1e-07 m"),
    (PiecesSurface(name="s", body="a", pieces=()), "at least 1"),
    (PiecesSurface(name="s", body="a", pieces=(Piece(vertices=CUBE),) * 257), "pieces are 257; use at most 256"),
    (PiecesSurface(name="s", body="a", pieces=(Piece(vertices=CUBE), Piece(vertices=FLAT_SQUARE))), "pieces[1]"),
    (MeshSurface(name="s", vertices=FLAT_SQUARE, faces=[[0, 1, 9]]), "beyond the 4"),
    (MeshSurface(name="s", vertices=FLAT_SQUARE, faces=[[0, 1, 1]]), "have no area"),
]


@pytest.mark.parametrize(("surface", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_is_wrong_is_said_once_and_by_name(surface, words):
    scene = Scene(bodies=[body("a")], joints=[joint("free", None, "a")], surfaces=[PlaneSurface(name="g"), surface])
    problems = [str(problem) for problem in find_problems(scene)]
    assert len(problems) == 1, problems
    assert "surface 's'" in problems[0]
    assert words in problems[0]


def test_large_hulls_are_refused():
    points = np.random.default_rng(1).normal(size=(1100, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    scene = Scene(bodies=[body("a")], joints=[joint("free", None, "a")])
    scene.surfaces = [HullSurface(name="s", body="a", vertices=points.tolist())]
    assert "1100 corners" in str(find_problems(scene)[0])


def test_names_are_unique():
    scene = chain()
    scene.surfaces.append(ball("a", None))
    assert [problem.code for problem in find_problems(scene)] == ["same_name"]


def test_meshes_may_be_on_locked_bodies():
    mesh = MeshSurface(name="s", body="a", vertices=FLAT_SQUARE, faces=[[0, 1, 2, 3]])
    scene = Scene(bodies=[body("a")], joints=[joint("free", None, "a", motion_type="locked")], surfaces=[mesh])
    assert not find_problems(scene)
    scene.surfaces = [dataclasses.replace(mesh, body=None)]
    scene.joints = [joint("free", None, "a")]
    assert not find_problems(scene)


# --- geometry ------------------------------------------------------------------------------------


def is_closed_polyhedron(vertices, planes, faces):
    for (x, y, z, d), face in zip(planes, faces, strict=True):
        n = np.array([x, y, z])
        np.testing.assert_allclose(vertices[face] @ n, d, atol=1e-6 * np.abs(vertices).max())
        assert (vertices @ n <= d + 1e-12 * (1.0 + abs(d))).all(), "outward"
        corners = vertices[face]
        turn = sum(np.cross(corners[k - 1] - corners[0], corners[k] - corners[0]) for k in range(2, len(face)))
        assert turn @ n > 0.0, "counter-clockwise"
    edges = {(face[k - 1], face[k]) for face in faces for k in range(len(face))}
    assert edges == {(b, a) for a, b in edges}
    assert len(vertices) - len(edges) // 2 + len(faces) == 2, "Euler"


def test_a_box_is_a_polyhedron():
    is_closed_polyhedron(*box_polyhedron(np.array([1.0, 2.0, 3.0])))


def test_the_hull_of_a_grid_of_points_is_a_box_with_six_faces():
    grid = np.stack(np.meshgrid(*3 * [np.linspace(0.0, 1.0, 5)]), -1).reshape(-1, 3) @ np.diag([1.0, 2.0, 0.01])
    _, planes, faces = hull_polyhedron(grid)
    assert len(faces) == 6
    used = np.unique(np.concatenate(faces))
    assert len(used) >= 8
    np.testing.assert_allclose(np.sort(np.abs(planes[:, :3]).max(axis=1)), 1.0)


@pytest.mark.parametrize("count", [4, 20, 200])
def test_random_hulls_are_polyhedra(count):
    vertices, planes, faces = hull_polyhedron(np.random.default_rng(count).normal(size=(count, 3)))
    is_closed_polyhedron(vertices, planes, faces)


def test_edges_of_a_mesh_know_what_is_beside_them():
    """A roof (ridge), a gutter (dent), a flat cut of a quadrilateral (dent) and borders."""
    x = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0],
         [3.0, 0.0, 1.0], [3.0, 1.0, 1.0]]  # fmt: skip
    mesh = MeshSurface(name="m", vertices=x, faces=[[0, 2, 3, 1], [2, 4, 5, 3], [4, 6, 7, 5]])
    shape = mesh.shape()
    kinds = sorted(shape.beside[..., 3].ravel().tolist())
    assert kinds.count(RIDGE) == 2
    assert kinds.count(DENT) == 2 * 3 + 2
    assert kinds.count(BORDER) == 18 - 2 - 8
    for face, edge in np.argwhere(shape.beside[..., 3] == RIDGE):
        assert shape.beside[face, edge, :3] @ shape.planes[face, :3] == pytest.approx(0.0, abs=1e-12)


def test_leaves_hold_every_triangle_once():
    rng = np.random.default_rng(3)
    height = rng.normal(size=(12, 12))
    vertices = [[float(i), float(k), float(height[i, k])] for i in range(12) for k in range(12)]
    faces = [[12 * i + k, 12 * i + 12 + k, 12 * i + 13 + k, 12 * i + 1 + k] for i in range(11) for k in range(11)]
    shape = MeshSurface(name="m", vertices=vertices, faces=faces).shape()
    seen = np.zeros(len(shape.faces), int)

    def visit(node, low, high):
        box = shape.boxes[node]
        assert (box[:3] >= low - 1e-12).all()
        assert (box[3:] <= high + 1e-12).all()
        left, second, count = shape.nodes[node]
        if left < 0:
            for face in range(second, second + count):
                seen[face] += 1
                corners = shape.vertices[shape.faces[face]]
                assert (corners >= box[:3] - 1e-12).all()
                assert (corners <= box[3:] + 1e-12).all()
            return
        visit(left, box[:3], box[3:])
        visit(second, box[:3], box[3:])

    visit(0, shape.boxes[0][:3], shape.boxes[0][3:])
    assert (seen == 1).all()


def test_identity_frames_and_solids_are_alike():
    """A surface of the same name as a solid has the same fields, so that one can be made from the other."""
    for kind in ("box", "sphere", "capsule", "cylinder", "cone", "ellipsoid"):
        own = {f.name for f in dataclasses.fields(SHAPES[kind])} - {"frame", "density", "mass"}
        assert own <= {f.name for f in dataclasses.fields(SURFACES[kind])}
    assert PlaneSurface(name="p").frame is IDENTITY
    assert PackedSurfaces.__dataclass_params__.frozen
