# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten scenes of Blender's rigid bodies, converted: they move alike, within what Bullet's own runs differ by."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import rigid_worlds as rw

from redmax.spatial import quaternion
from redmax_blender.bridge.extract.extraction import extract
from redmax_blender.bridge.results import cache

SUBSTEPS = (170, 120, 90, 60)
"""Runs of Bullet's: what they differ by is its own error, and the first is closest."""

TIMES_THEIR_DIFFERENCE = 1.5
"""Bullet is of order 1, so the finest run is off by about half of what it differs by from the coarsest."""

SINGLE = 3e-4
"""Bullet's numbers are of single precision [m]."""

MOTOR = 0.01
"""A motor misses its speed by up to this part of it, as it pushes fully only then."""

FRAMES = {"bricks": 12, "car": 12, "ragdoll": 16, "chain": 20}
CORNERS = np.array([(x, y, z, 1.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def corners(obj, M):
    """(frames, 8, 3) corners of an object's box in the world."""
    size = np.array([*obj.dimensions, 1.0])
    return (M @ (CORNERS * size).T)[:, :3].transpose(0, 2, 1)


def poses(result, name):
    k = result.body(name)
    M = np.tile(np.eye(4), (len(result.position), 1, 1))
    M[:, :3, :3] = quaternion.to_matrix(result.rotation[:, k])
    M[:, :3, 3] = result.position[:, k]
    return M


@pytest.mark.parametrize("name", rw.SCENES)
def test_a_converted_scene_moves_as_bullet_moves_it(name):
    rw.world()
    rw.SCENES[name]()
    frames = FRAMES.get(name, 24)
    runs = [rw.bullet(frames, substeps) for substeps in SUBSTEPS]
    assert bpy.ops.redmax.convert_rigid_bodies() == {"FINISHED"}
    extraction = extract(bpy.context.scene, bpy.context.view_layer)
    assert not [str(finding) for finding in extraction.findings if finding.severity != "INFO"]
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    result = cache.load(bpy.context.scene)
    assert result.status == "complete", result.message
    for obj in rw.moving():
        theirs = np.array([corners(obj, run[obj.name]) for run in runs])
        ours = corners(obj, poses(result, obj.name))
        differ = np.linalg.norm(theirs.max(axis=0) - theirs.min(axis=0), axis=2).max(axis=1)
        may_be = TIMES_THEIR_DIFFERENCE * np.maximum.accumulate(differ) + SINGLE
        if name == "motor":
            may_be += MOTOR * np.cumsum(
                np.linalg.norm(np.diff(theirs[0], axis=0, prepend=theirs[0, :1]), axis=2).max(axis=1)
            )
        off = np.linalg.norm(ours - theirs[0], axis=2).max(axis=1)
        gone = np.linalg.norm(theirs[0] - theirs[0, 0], axis=2).max()
        print(f"{name}: {obj.name} off by {off.max():.4f} of {gone:.2f} m; runs differ by {differ.max():.4f}")
        assert (off <= may_be).all(), (obj.name, off, may_be)
