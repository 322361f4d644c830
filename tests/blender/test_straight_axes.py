# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes that single precision leaves nearly parallel are made parallel before they are used, others are left alone."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import swinging
from mathutils import Euler

from redmax.kernels.layout import packing
from redmax.kernels.layout.declaration import Head
from redmax_blender._engine import compile as compiling
from redmax_blender._engine import fields, joints, so3, traits
from redmax_blender.bridge.core.straight_axes import PARALLEL, Placed, angles, least_turn, straightened
from redmax_blender.bridge.extract import extraction as extract

NOISE = 1e-7
EXACTLY = 2e-15
"""Some roundings of directions."""


def frame(rng, R, noise):
    E = np.eye(4)
    E[:3, :3] = so3.exp(rng.uniform(-noise, noise, 3)) @ R
    E[:3, 3] = rng.uniform(-1.0, 1.0, 3)
    return E


def hinge(k, E, parent="last", cls=joints.Revolute, axis=(0.0, 0.0, 1.0)):
    above = None if k == 0 else f"link {k - 1}"
    own = {"axis": axis} if "axis" in fields.specs(cls) else {}
    values = {"parent": above if parent == "last" else parent, "child": f"link {k}", **own}
    return Placed(cls, values, traits.of(cls.part(**own)), E)


def axes_of(frames, axis=(0.0, 0.0, 1.0)):
    return np.einsum("nij,j->ni", frames[:, :3, :3], np.array(axis))


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_of_hinges_becomes_flat_and_is_hardly_turned(seed):
    rng = np.random.default_rng(seed)
    R = so3.exp(rng.uniform(-2.0, 2.0, 3))
    spun = [R @ so3.rot_z(rng.uniform(-3.0, 3.0)) @ so3.rot_x(np.pi * (k % 2)) for k in range(20)]
    before = np.array([frame(rng, one, NOISE) for one in spun])
    after = straightened([hinge(k, E) for k, E in enumerate(before)])
    assert angles(axes_of(after), axes_of(after)[0]).max() < EXACTLY
    assert angles(axes_of(before), axes_of(before)[0]).max() > 0.1 * NOISE
    turned = after[:, :3, :3] @ before[:, :3, :3].transpose(0, 2, 1)
    assert np.abs(turned - np.eye(3)).max() < 4.0 * NOISE
    unit = after[:, :3, :3] @ after[:, :3, :3].transpose(0, 2, 1)
    assert np.abs(unit - np.eye(3)).max() < 1e-14  # some roundings of six products of rotations
    assert np.array_equal(after[:, :3, 3], before[:, :3, 3])


def test_a_hinge_at_the_rim_does_not_divide_the_others():
    """The first is nearer than the bound to some of them and farther from the rest."""
    tilts = [PARALLEL, *np.linspace(-NOISE, NOISE, 11)]
    before = np.array([frame(np.random.default_rng(0), so3.rot_x(tilt), 0.0) for tilt in tilts])
    after = straightened([hinge(k, E) for k, E in enumerate(before)])
    assert angles(axes_of(after)[1:], axes_of(after)[1]).max() < EXACTLY


def test_mechanisms_do_not_touch_each_other():
    rng = np.random.default_rng(1)
    rows = [hinge(k, frame(rng, np.eye(3), NOISE)) for k in range(6)]
    alone = straightened(rows)
    other = [
        joint._replace(values={**joint.values, "parent": None if k == 0 else f"other {k - 1}", "child": f"other {k}"})
        for k, joint in enumerate(hinge(k, frame(rng, np.eye(3), NOISE)) for k in range(4))
    ]
    assert np.array_equal(straightened([*other, *rows])[4:], alone)


def test_slides_and_other_joints_are_square_to_the_plane():
    rng = np.random.default_rng(2)
    rows = [hinge(k, frame(rng, np.eye(3), NOISE)) for k in range(4)]
    rows.append(hinge(4, frame(rng, so3.rot_z(0.3), NOISE), cls=joints.Prismatic, axis=(1.0, 0.0, 0.0)))
    rows.append(hinge(5, frame(rng, so3.rot_x(0.5 * np.pi), NOISE), cls=joints.Spherical))
    rows.append(hinge(6, frame(rng, so3.rot_x(0.4), NOISE), cls=joints.Spherical))
    after = straightened(rows)
    normal = axes_of(after)[0]
    assert abs(after[4, :3, 0] @ normal) < EXACTLY
    assert angles(after[4, :3, 2], normal) < EXACTLY
    assert angles(after[5, :3, 1], normal) < EXACTLY
    assert np.array_equal(after[6], rows[6].E_wj), "meant to slant"


def test_without_a_direction_nothing_is_turned():
    rng = np.random.default_rng(3)
    rows = [hinge(k, frame(rng, np.eye(3), NOISE), cls=joints.Spherical) for k in range(3)]
    rows.append(hinge(3, frame(rng, np.eye(3), NOISE), axis=(0.0, 0.0, 0.0)))
    assert np.array_equal(straightened(rows), [joint.E_wj for joint in rows])
    assert straightened([]).shape == (0, 4, 4)


def test_the_least_turn_takes_one_direction_to_another():
    rng = np.random.default_rng(4)
    a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in rng.standard_normal((2, 10, 3)))
    turns = least_turn(a, b)
    assert np.abs(np.einsum("nij,nj->ni", turns, a) - b).max() < 1e-14
    assert np.allclose(turns[3], least_turn(a[3], b[3]), rtol=0.0, atol=0.0)
    assert np.abs(np.einsum("nij,nj->ni", turns, np.cross(a, b)) - np.cross(a, b)).max() < 1e-14, "about a x b alone"


def test_hinges_of_a_tree_that_stand_anywhere_move_in_a_plane():
    """As modelled they are parallel, but each pin has a rotation of its own, which is rounded by itself."""
    scene = swinging.build()
    bpy.data.objects["Elbow"].rotation_euler = Euler((0.0, 1.1, 0.0))
    bpy.context.view_layer.update()
    turn = Euler((0.4, -1.3, 2.2)).to_matrix().to_4x4()
    for obj in bpy.data.objects:
        obj.matrix_world = turn @ obj.matrix_world
    bpy.context.view_layer.update()
    model = compiling.compile(extract.extract(scene, bpy.context.view_layer).scene)
    assert packing.pack(model).ints[Head.IS_PLANAR], "what kernels simulate in the plane"
    swinging.simulate()
    normal = np.array(turn)[:3, 1]
    for frame_number in (1, 7, 13):
        scene.frame_set(frame_number)
        assert abs(swinging.world("Lower")[:3, 3] @ normal) < 1e-6
