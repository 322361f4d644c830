# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of a scene on the bodies of its model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Array
from .fields import Pose
from .model import Model
from .spatial import pose
from .surfaces import Surface, SurfacePair
from .surfaces.filters import WORLD, Connection, clusters, excluded, scenery
from .surfaces.packed import PackedSurfaces, packed


def packed_surfaces(
    model: Model, surfaces: Sequence[Surface], pairs: Sequence[SurfacePair] = ()
) -> PackedSurfaces | None:
    """The surfaces and surface pairs of a scene on a model without them; None for none.

    Of a body that a loop joint splits in two halves, the kept one has the surfaces: that of the body's own name.
    """
    if not surfaces:
        return None
    index = {name: k for k, name in enumerate(model.body_names)} | {None: WORLD}
    bodies = np.array([index[surface.body] for surface in surfaces], np.int64)
    E_bs = np.array([_matrix(surface.frame) for surface in surfaces])
    E_jb = np.concatenate([model.E_ji @ model.E_ib, np.eye(4)[None]])  # the last is the world's
    connections = [
        Connection(parent, child, joint.ndof)
        for child, (parent, joint) in enumerate(zip(model.parent.tolist(), model.joints, strict=True))
    ]
    connections += [Connection(loop.parent, loop.child, loop.joint.ndof) for loop in model.loops]
    cluster = np.append(clusters(model.body_count, connections), WORLD)
    moves = np.array([not model.prescribed[model.columns(k)].all() for k in range(model.body_count)], np.bool_)
    held = np.append(scenery(model.parent, moves), True)
    return packed(
        surfaces,
        bodies,
        E_jb[bodies] @ E_bs,
        cluster[bodies],
        excluded(surfaces, bodies, cluster, connections),
        held[bodies].tolist(),
        pairs,
    )


def _matrix(frame: Pose) -> Array:
    rotation = np.asarray(frame.rotation, np.float64)
    return pose.from_quaternion(np.asarray(frame.position, np.float64), rotation / np.linalg.norm(rotation))
