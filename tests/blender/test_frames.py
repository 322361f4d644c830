# SPDX-License-Identifier: GPL-3.0-or-later
"""Modelled matrices are Blender's own, in double precision, and do not change while a result moves the object."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from redmax_blender.bridge.objects import frames, kept

MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


def new(name, parent=None):
    obj = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(obj)
    obj.parent = parent
    return obj


def place(obj, rng, mode):
    obj.rotation_mode = mode
    obj.location = rng.normal(size=3)
    obj.delta_location = rng.normal(size=3)
    obj.rotation_euler = rng.normal(size=3)
    obj.delta_rotation_euler = rng.normal(size=3)
    obj.rotation_quaternion = rng.normal(size=4)
    obj.delta_rotation_quaternion = rng.normal(size=4)
    obj.rotation_axis_angle = rng.normal(size=4)
    obj.scale = rng.uniform(0.5, 2.0, 3) * rng.choice([-1.0, 1.0], 3)
    obj.delta_scale = rng.uniform(0.5, 2.0, 3)


def depsgraph():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


@pytest.mark.parametrize("mode", MODES)
def test_modelled_matrix_is_blenders_world_matrix(mode):
    rng = np.random.default_rng(MODES.index(mode))
    parent = new("Parent")
    child = new("Child", parent)
    place(parent, rng, mode)
    place(child, rng, mode)
    child.matrix_parent_inverse = np.vstack([rng.normal(size=(3, 4)), [0, 0, 0, 1]])
    graph = depsgraph()
    found = frames.modelled_matrix(child, graph)
    wanted = np.array(child.evaluated_get(graph).matrix_world)
    assert np.abs(found - wanted).max() < 1e-5 * np.abs(wanted).max()  # Blender multiplies in single precision


def test_modelled_matrix_does_not_move_with_a_result():
    rng = np.random.default_rng(1)
    parent = new("Parent")
    child = new("Child", parent)
    place(parent, rng, "XYZ")
    place(child, rng, "QUATERNION")
    before = frames.modelled_matrix(child, depsgraph())
    for obj in (parent, child):
        kept.keep(obj)
        obj.location = (9.0, 9.0, 9.0)
        obj.rotation_euler = (1.0, 2.0, 3.0)
    assert np.array_equal(frames.modelled_matrix(child, depsgraph()), before)
    for obj in (parent, child):
        kept.restore(obj)
        assert not obj.redmax.kept.active
    assert np.array_equal(frames.modelled_matrix(child, depsgraph()), before)


def test_keeping_twice_keeps_the_first():
    obj = new("Body")
    obj.location = (1.0, 2.0, 3.0)
    kept.keep(obj)
    obj.location = (4.0, 5.0, 6.0)
    kept.keep(obj)
    kept.restore(obj)
    assert tuple(obj.location) == (1.0, 2.0, 3.0)


def test_constrained_objects_stand_where_blender_evaluates_them():
    target, obj = new("Target"), new("Body")
    target.location = (1.0, 2.0, 3.0)
    obj.constraints.new("COPY_LOCATION").target = target
    assert np.allclose(frames.modelled_matrix(obj, depsgraph())[:3, 3], (1.0, 2.0, 3.0))
    obj.constraints[0].mute = True
    assert np.allclose(frames.modelled_matrix(obj, depsgraph())[:3, 3], 0.0)


@pytest.mark.parametrize("signs", [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1)])
def test_rigid_part_and_the_rest_make_the_matrix(signs):
    rng = np.random.default_rng(5)
    M = np.eye(4)
    M[:3, :3] = rng.normal(size=(3, 3)) * np.array(signs)
    M[:3, 3] = rng.normal(size=3)
    E, A = frames.rigid_part(M)
    assert np.allclose(E @ A, M, atol=1e-14)
    assert np.allclose(E[:3, :3].T @ E[:3, :3], np.eye(3), atol=1e-14)
    assert np.linalg.det(E[:3, :3]) == pytest.approx(1.0)
    assert np.allclose(E[:3, 2], M[:3, 2] / np.linalg.norm(M[:3, 2]))  # the axis of a hinge keeps its direction


@pytest.mark.parametrize("scale", [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0), (np.nan, 1.0, 1.0)])
def test_flattened_matrices_have_no_frame(scale):
    with pytest.raises(frames.FrameError):
        frames.rigid_part(np.diag([*scale, 1.0]))


def test_many_matrices_have_the_frames_of_each():
    rng = np.random.default_rng(8)
    M = np.tile(np.eye(4), (6, 1, 1))
    M[:, :3] = rng.normal(size=(6, 3, 4))
    M[1, :3, 2], M[3, 0, 3], M[4, :3, 1] = 0.0, np.inf, M[4, :3, 2]
    E, A, wrong = frames.rigid_parts(M)
    assert [text.split(":")[0] for text in wrong] == [
        "", "is flattened", "", "has a transform that is not finite", "is flattened", "",
    ]  # fmt: skip
    for k in (0, 2, 5):
        one = frames.rigid_part(M[k])
        assert np.array_equal(E[k], one[0])
        assert np.array_equal(A[k], one[1])
    for k in (1, 3, 4):
        with pytest.raises(frames.FrameError, match=wrong[k]):
            frames.rigid_part(M[k])


def test_tiny_and_huge_scales_have_a_frame():
    for size in (1e-6, 1e6):
        E, A = frames.rigid_part(np.diag([size, size, size, 1.0]))
        assert np.allclose(E, np.eye(4))
        assert np.allclose(A[:3, :3], size * np.eye(3))
