# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds contact points of a placed mechanism, and knows how large its surfaces are."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...kernels.contact.detection import Finder
from ...model import Model
from ...surfaces import layout
from ...surfaces.materials import CONVEYOR
from .placed import Placed
from .points import Points, axes_of

FAR = 10.0
"""Planes reach so many times as far as the largest other surface: speeds of moving planes count up to there."""


class Detection:
    """Surfaces of one run. bodies: (s,) -1 for the world. arms: (s,) no point of a surface is farther than this from
    the centre of mass of its body [m]. thickness: (s,) smallest diameter, infinite for planes, 0 for meshes [m].
    sizes: (n,) of the bodies [m]. length: of the smallest body that can move [m]."""

    def __init__(self, model: Model) -> None:
        surfaces = model.surfaces
        assert surfaces is not None
        self.model, self.surfaces = model, surfaces
        self.bodies = surfaces.bodies
        start = int(surfaces.ints[layout.SURFACE_NUMBERS])
        numbers = surfaces.numbers[start : start + len(surfaces) * layout.NUMBERS].reshape(-1, layout.NUMBERS)
        reach, extent = numbers[:, layout.REACH], numbers[:, layout.EXTENT : layout.EXTENT + 3]
        p_ji = np.concatenate([model.E_ji[:, :3, 3], np.zeros((1, 3))])
        arms = np.linalg.norm(surfaces.E_js[:, :3, 3] - p_ji[self.bodies], axis=1) + reach
        finite = np.isfinite(arms)
        largest = float(arms[finite].max(initial=0.0)) or 1.0
        self.arms = np.where(finite, arms, FAR * largest)
        shapes = np.array([surfaces.record(s)[layout.SHAPE] for s in range(len(surfaces))])
        self.thickness = np.where(shapes == layout.MESH, 0.0, 2.0 * extent.min(axis=1))
        sizes = np.zeros(model.body_count)
        on_bodies = finite & (self.bodies >= 0)
        np.maximum.at(sizes, self.bodies[on_bodies], self.arms[on_bodies])
        self.sizes = np.where(sizes > 0.0, sizes, largest)
        moving = np.array([not surfaces.record(s)[layout.SCENERY] for s in range(len(surfaces))]) & on_bodies
        self.length = float(reach[moving].min(initial=np.inf))
        if not np.isfinite(self.length):
            self.length = largest
        self._finder = Finder(surfaces)

    def find(self, placed: Placed, margins: Array) -> Points:
        """Contact points with gaps up to the sum of both margins (s,) [m]."""
        surfaces, feature, x, normal, gap = self._finder.find(placed.kin.E_wj, margins)
        a, b = surfaces.T
        material = self.surfaces.material_of(a, b)
        conveyor = np.zeros((len(gap), 3))
        if self.surfaces.materials[:, CONVEYOR:].any():
            conveyor = self._skin(placed, a) - self._skin(placed, b)
        half = 0.5 * gap[:, None] * normal
        ends = np.stack([x + half, x - half], axis=1)
        return Points(surfaces, feature, self.bodies[surfaces], ends, axes_of(normal), gap, material, conveyor)

    def _skin(self, placed: Placed, surfaces: Array) -> Array:
        """(k, 3) velocities of skins relative to their bodies, along the world's axes [m/s]."""
        R_wj = np.concatenate([placed.kin.E_wj[:, :3, :3], np.eye(3)[None]])[self.bodies[surfaces]]
        R_ws = R_wj @ self.surfaces.E_js[surfaces, :3, :3]
        return np.asarray((R_ws @ self.surfaces.materials[surfaces, CONVEYOR:, None])[:, :, 0])
