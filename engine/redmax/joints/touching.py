# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two surfaces touch that stand somewhere: the points and the twist of a surface contact from a pose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..spatial import pose
from ..symbolic.surfaces import SURFACES
from ..symbolic.written import Chart, Texts, evaluated, written
from .surface_contact import SurfaceContact, sized

AROUND, ACROSS = 16, 7
"""Places on a surface that are looked at along u and v."""
STARTS = 8
"""Pairs of places from which the search begins."""
STEPS = 100
SETTLED = 1e-13
ROUNDING = 1e-9
NEARNESS = 0.05
"""How much an offset of the size of the surfaces counts beside an angle of 1 rad: the child is moved rather than
turned."""


def touching(joint: SurfaceContact, E: Array) -> SurfaceContact:
    """The contact whose pose at coordinates 0 is nearest to E (4, 4), the child's surface as seen from the parent's.

    Its points and its twist are found; the child keeps its orientation and is moved as little as possible. The search
    begins at the nearest pairs of places with opposite normals and goes on by damped Gauss-Newton steps.
    """
    free = replace(joint, first_point=(0.0, 0.0), second_point=(0.0, 0.0), twist=0.0, spin=True, q=0.0)
    size = max(_size(joint.first, joint.first_size), _size(joint.second, joint.second_size)) or 1.0
    found = [_settled(free, E, q, size) for q in _starts(joint, E, size)]
    q, _ = min(found, key=lambda each: each[1])
    return replace(joint, **_fields(free, q))


def _size(kind: str, sizes: Any) -> float:
    """The largest of the sizes that a surface has, 0 of a plane [m]."""
    return max(sized(kind, sizes)[1], default=0.0)


def _fields(free: SurfaceContact, q: Array) -> dict[str, Any]:
    """Points and twist from the coordinates of a contact with spin; a held coordinate is 0."""
    by_name = {
        name: _tidy(_within_a_turn(x) if unit == "rad" else x)
        for name, unit, x in zip(free.dof_names, free.dof_units, q.tolist(), strict=True)
    }
    points = [tuple(by_name.get(f"{letter}{number}", 0.0) for letter in "uv") for number in (1, 2)]
    return {"first_point": points[0], "second_point": points[1], "twist": by_name["spin"]}


def _tidy(x: float) -> float:
    """A number without the rounding of 0."""
    return 0.0 if abs(x) < ROUNDING else x


def _within_a_turn(angle: float) -> float:
    return float(np.arctan2(np.sin(angle), np.cos(angle)))


def _settled(free: SurfaceContact, E: Array, q: Array, size: float) -> tuple[Array, float]:
    """Coordinates nearest to a pose, from some that are near, and how far off they are."""
    weights = np.array([1.0, 1.0, 1.0, *[NEARNESS / size] * 3])

    def off(q: Array) -> tuple[Array, Array]:
        motion = free.motion(q, np.zeros(len(q)))
        return weights * pose.log(pose.inverse(motion.Q) @ E), weights[:, None] * motion.S

    damping = 1e-3
    r, S = off(q)
    for _ in range(STEPS):
        A = S.T @ S
        step = np.linalg.lstsq(A + damping * np.diag(A.diagonal() + 1e-12), S.T @ r, rcond=None)[0]
        r_new, S_new = off(q + step)
        if r_new @ r_new < r @ r:
            q, r, S, damping = q + step, r_new, S_new, 0.2 * damping
        else:
            damping *= 8.0
        if np.abs(step).max() < SETTLED or damping > 1e12:
            break
    return q, float(r @ r)


def _starts(joint: SurfaceContact, E: Array, size: float) -> list[Array]:
    """Coordinates at pairs of near places that face each other."""
    names = replace(joint, spin=True).dof_names
    here = _places(joint.first, joint.first_size, E[:3, 3], size)
    there = _places(joint.second, joint.second_size, pose.inverse(E)[:3, 3], size)
    frames = E @ there[1]
    apart = np.linalg.norm(here[1][:, None, :3, 3] - frames[None, :, :3, 3], axis=2)
    facing = np.einsum("ik,jk->ij", here[1][:, :3, 0], frames[:, :3, 0])
    score = apart / size + 1.0 + (-facing if joint.inside else facing)
    chosen = []
    for flat in np.argsort(score, axis=None)[:STARTS]:
        i, k = np.unravel_index(int(flat), score.shape)
        by_name = dict(zip(("u1", "v1", "u2", "v2"), (*here[0][i], *there[0][k]), strict=True))
        # E2 in E1 is Rx(spin), after half a turn about z where the surfaces face each other
        R = here[1][i][:3, :3].T @ frames[k][:3, :3]
        by_name["spin"] = float(np.arctan2(-R[1, 2], R[2, 2]))
        chosen.append(np.array([by_name[name] for name in names]))
    return chosen


def _places(kind: str, sizes: Any, other: Array, size: float) -> tuple[Array, Array]:
    """u and v of places on a surface (n, 2), and the frames there (n, 4, 4). other: (3,) where the other surface is."""
    shape, (_, own) = SURFACES[kind], sized(kind, sizes)
    constants = {f"size{letter}": value for letter, value in zip("abc", own, strict=False)}
    texts = "; ".join(f"{name} = {value!r}" for name, value in constants.items())
    near = {"plane": other[:2], "cylinder": np.array([0.0, other[2]])}.get(kind, np.zeros(2))
    grids = []
    for axis, unit in enumerate(shape.units):
        if unit == "m":
            grids.append(near[axis] + size * np.linspace(-1.0, 1.0, ACROSS))
        elif axis == 1 and shape.poles:
            grids.append(np.linspace(-0.5, 0.5, ACROSS + 2)[1:-1] * np.pi)
        else:
            grids.append(2.0 * np.pi * np.arange(AROUND) / AROUND)
    uv = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, 2)
    listed = written(Texts("u: rad; v: rad", texts, (Chart(shape.frame("u", "v", *constants)),))).listed
    frames = np.tile(np.eye(4), (len(uv), 1, 1))
    unused, still = np.zeros((6, 2)), np.zeros(2)
    for at, frame in zip(uv, frames, strict=True):
        evaluated(listed, 0, at, still, frame, unused, unused)
    return uv, frames
