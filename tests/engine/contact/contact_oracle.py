# SPDX-License-Identifier: GPL-3.0-or-later
"""Two surfaces in given poses, and an oracle of their distance that shares nothing with the engine.

The oracle knows shapes by formulas for points of theirs: convex sets as the hull of a core's points and a radius.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

from redmax.kernels.contact.detection import Finder
from redmax.surfaces import SURFACES
from redmax.surfaces.packed import packed

KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull")
FLAT = ("box", "hull")


def surface(kind, name, *, size=1.0, seed=0, **fields):
    """One of each shape, a little more than one size across."""
    rng = np.random.default_rng(seed + 7)
    own = {
        "plane": {},
        "sphere": {"radius": 0.7 * size},
        "capsule": {"radius": 0.4 * size, "height": 1.3 * size},
        "box": {"size": (1.0 * size, 1.6 * size, 0.7 * size)},
        "cylinder": {"radius": 0.8 * size, "height": 0.9 * size},
        "cone": {"radius": 0.8 * size, "height": 1.5 * size},
        "ellipsoid": {"radii": (0.5 * size, 0.9 * size, 1.2 * size)},
        "hull": {"vertices": (size * rng.normal(size=(12, 3)) * 0.6).tolist()},
    }[kind]
    return SURFACES[kind](name=name, **own, **fields)


def finder_of(*surfaces, scenery=()):
    """A finder of surfaces that each have a body of their own, whose joint frame is that of the surface; scenery is in
    the world."""
    listed = [*surfaces, *scenery]
    bodies = np.array([*range(len(surfaces)), *[-1] * len(scenery)])
    held = [body < 0 for body in bodies]
    frames = np.tile(np.eye(4), (len(listed), 1, 1))
    return Finder(packed(listed, bodies, frames, bodies.copy(), [[] for _ in listed], held))


def rotation(rng):
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose(R=None, p=(0.0, 0.0, 0.0)):
    E = np.eye(4)
    E[:3, :3] = np.eye(3) if R is None else R
    E[:3, 3] = p
    return E


def turn(axis, angle):
    """A rotation by Rodrigues' formula."""
    a = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


# --- the oracle ----------------------------------------------------------------------------------


def reach_along(shape, d):
    """max of x . d over the shape, by the formula of each."""
    d = np.asarray(d, float)
    kind, norm, radial = shape.kind, np.linalg.norm(d), math.hypot(d[0], d[1])
    if kind == "sphere":
        return shape.radius * norm
    if kind == "capsule":
        return shape.radius * norm + 0.5 * shape.height * abs(d[2])
    if kind == "box":
        return 0.5 * float(np.asarray(shape.size) @ np.abs(d))
    if kind == "cylinder":
        return shape.radius * radial + 0.5 * shape.height * abs(d[2])
    if kind == "cone":
        return max(0.5 * shape.height * d[2], shape.radius * radial - 0.5 * shape.height * d[2])
    if kind == "ellipsoid":
        return float(np.linalg.norm(np.asarray(shape.radii) * d))
    return float((np.asarray(shape.vertices) @ d).max())


def separation(a, E, b, F, n):
    """Distance of two shapes along a unit direction n from b to a; the gap is the largest over all directions."""
    low = n @ E[:3, 3] - reach_along(a, -E[:3, :3].T @ n)
    high = n @ F[:3, 3] + reach_along(b, F[:3, :3].T @ n)
    return low - high


def gap(a, E, b, F, *, tries=60, seed=0):
    """The signed distance: the separation in the best of many directions, each improved."""
    rng = np.random.default_rng(seed)
    starts = [E[:3, 3] - F[:3, 3], *rng.normal(size=(tries, 3))]
    for X in (E, F):
        starts += [*X[:3, :3].T, *(-X[:3, :3].T)]
    values = sorted(((separation(a, E, b, F, d / np.linalg.norm(d)), tuple(d)) for d in starts), reverse=True)

    def lost(x):
        return -separation(a, E, b, F, x / np.linalg.norm(x))

    best = values[0][0]
    for _, d in values[:6]:
        found = minimize(lost, np.array(d) / np.linalg.norm(d), method="Nelder-Mead",
                         options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 600})  # fmt: skip
        best = max(best, -found.fun)
    return best
