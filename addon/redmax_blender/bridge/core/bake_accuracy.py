# SPDX-License-Identifier: GPL-3.0-or-later
"""How far baked objects are from the simulated motion, in the world: corners of their boxes, and their angles.

Channels make poses as Blender makes them (`placement`): with N what the parent adds, which for an object that another
body carries is that body's *baked* pose,

    E' = N (delta_location + location, delta_rotation rotation B^-1).

Plain arrays over (object, sample); lengths in Blender units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays, euler, quaternion, trajectory
from .object_motion import Places

Array = arrays.Array
Trajectory = trajectory.Trajectory


class Poses(NamedTuple):
    """Of m bodies over samples: R (m, f, 3, 3) and p (m, f, 3)."""

    R: Array
    p: Array


@dataclass(frozen=True, eq=False)
class Judge:
    """Knows where n bodies should be. corners: (n, 8, 3) of their boxes, in body frames. length: metres per unit."""

    places: Places
    corners: Array
    truth: Trajectory
    length: float

    def levels(self) -> list[list[int]]:
        """Objects by how many bodies carry them: those of a level hang on objects of levels before."""
        row_of = {int(body): row for row, body in enumerate(self.places.body)}
        above = [row_of.get(int(carrier), -1) for carrier in self.places.carrier]
        depth: dict[int, int] = {-1: -1}

        def depth_of(row: int) -> int:
            path = []
            while row not in depth:
                path.append(row)
                row = above[row]
            for each in reversed(path):
                depth[each] = depth[above[each]] + 1
            return depth[path[0]] if path else depth[row]

        levels: list[list[int]] = []
        for row in range(len(above)):
            level = depth_of(row)
            while len(levels) <= level:
                levels.append([])
            levels[level].append(row)
        return levels

    def carried(self, row: int) -> list[int]:
        """Objects that hang on one directly."""
        found: list[int] = np.nonzero(self.places.carrier == self.places.body[row])[0].tolist()
        return found

    def reach(self, row: int) -> float:
        """Farthest corner of an object from its origin."""
        return float(np.linalg.norm(self.corners[row], axis=1).max())

    def true_poses(self, rows: Sequence[int]) -> Poses:
        body = self.places.body[rows]
        q, p = (np.swapaxes(each[:, body], 0, 1) for each in (self.truth.rotation, self.truth.position))
        return Poses(quaternion.to_matrix(q), p / self.length)

    def poses(
        self, rows: Sequence[int], locations: Sequence[Array], rotations: Sequence[Array], baked: Mapping[int, Poses]
    ) -> Poses:
        """Poses that channels (f, 3) and (f, k) give to objects. baked: by row, those of what carries them."""
        places = self.places
        row_of = {int(body): row for row, body in enumerate(places.body)}
        turn = _matrices([places.modes[row] for row in rows], rotations)
        shift = np.array(locations) + places.delta_location[rows][:, None]
        if all(places.some(rows).plain()):
            return Poses(turn, shift)
        C = np.linalg.inv(places.C_inverse[rows])
        turn = places.delta[rows][:, None] @ turn @ np.linalg.inv(places.B[rows])[:, None]
        R, p = C[:, None, :3, :3] @ turn, shift @ np.swapaxes(C[:, :3, :3], 1, 2) + C[:, None, :3, 3]
        for each, row in enumerate(rows):
            if places.carrier[row] >= 0:
                on = baked[row_of[int(places.carrier[row])]]
                R[each], p[each] = on.R[0] @ R[each], (on.R[0] @ p[each][..., None])[..., 0] + on.p[0]
        return Poses(R, p)

    def errors(self, rows: Sequence[int], found: Poses, wanted: Poses) -> tuple[Array, Array]:
        """(m, f) largest distance of a corner from where it should be, and angle [rad]."""
        turned, shifted = found.R - wanted.R, found.p - wanted.p
        # One product for each object: samples and rows in one, which is many times faster than matrices of three.
        m, f = turned.shape[:2]
        moved = turned.reshape(m, 3 * f, 3) @ np.swapaxes(self.corners[rows], 1, 2)
        moved = moved.reshape(m, f, 3, 8) + shifted[..., None]
        distance = np.sqrt(np.einsum("mfic,mfic->mfc", moved, moved).max(axis=-1))
        size = np.sqrt(np.einsum("...ij,...ij->...", turned, turned))
        return distance, 2.0 * np.arcsin(np.minimum(1.0, size / (2.0 * np.sqrt(2.0))))


def _matrices(modes: Sequence[str], rotations: Sequence[Array]) -> Array:
    """(m, f, 3, 3) of rotation channels (f, k), as Blender makes them: quaternions and axes need not be of length 1."""
    found = np.empty((len(modes), len(rotations[0]), 3, 3))
    for mode in set(modes):
        which = [index for index, its in enumerate(modes) if its == mode]
        values = np.array([rotations[index] for index in which])
        if mode == "QUATERNION":
            found[which] = quaternion.to_matrix(values / np.linalg.norm(values, axis=-1, keepdims=True))
        elif mode == "AXIS_ANGLE":
            axis = values[..., 1:] / np.linalg.norm(values[..., 1:], axis=-1, keepdims=True)
            found[which] = quaternion.to_matrix(quaternion.exp(axis * values[..., :1]))
        else:
            sequence: Any = mode[::-1].lower()
            found[which] = euler.to_matrix(values[..., list(euler.axes(sequence))], sequence)
    return found
