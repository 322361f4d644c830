# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled poses of the joint frames in the world."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout.declaration import Link, Pose, Work
from ..layout.memory import fixed, further, get3, get9, put3, put_all
from ..spatial import applied, product


@inner
def world_poses(n, links, work, poses):
    """Rotation and position of every joint frame in the world, after `place_all`."""
    for j in range(n):
        row, pose = further(work, j * Work.SIZE), further(poses, j * Pose.SIZE)
        parent = fixed(links, j * Link.SIZE + Link.PARENT)
        if parent < 0:
            put_all(pose, Pose.R, get9(row, Work.R))
            x, y, z = get3(row, Work.P)
            put3(pose, Pose.P, x, y, z)
            continue
        up = further(poses, parent * Pose.SIZE)
        M = get9(up, Pose.R)
        put_all(pose, Pose.R, product(M, get9(row, Work.R)))
        x, y, z = get3(row, Work.P)
        x, y, z = applied(M, x, y, z)
        a, b, c = get3(up, Pose.P)
        put3(pose, Pose.P, x + a, y + b, z + c)
