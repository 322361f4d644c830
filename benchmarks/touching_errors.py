# SPDX-License-Identifier: GPL-3.0-or-later
"""How wrong a run of bodies that touch is, from its poses and energies alone: the same for every engine."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np

from redmax.kernels.contact.detection import Finder
from redmax.surfaces import PlaneSurface
from redmax.surfaces.packed import packed

from .mechanisms import GRAVITY
from .peers.base import FPS
from .peers.touching_base import Course
from .peers.touching_in_redmax import surface
from .touching_scenes import Touching

ROUNDING = 1e-9
"""Errors below this part of a size, or of the energy that lifts everything by one, are not told apart."""


@dataclass(frozen=True)
class Errors:
    """As parts of the scene's size. penetration: the deepest anywhere. slip: how far anything is at most from where it
    should be; nan where that is not known. energy: what is gained or lost too much, in the energy that lifts everything
    by one size. opening: of loops; nan without."""

    penetration: float
    slip: float
    energy: float
    opening: float

    def __str__(self) -> str:
        named = zip(("in", "slip", "energy", "open"), astuple(self), strict=True)
        return ", ".join(f"{name} {value:.0e}" for name, value in named if not math.isnan(value))

    @property
    def worst(self) -> float:
        return float(np.nanmax(astuple(self)))


def finder(scene: Touching) -> Finder:
    """Of all its surfaces, the ground last; bodies are numbered as the parts are."""
    count = len(scene.parts)
    surfaces = [surface(part, scene.friction) for part in scene.parts]
    bodies = list(range(count))
    apart = [sorted(b for a, b in scene.neighbours if a == k) for k in range(count)]
    if scene.ground:
        surfaces.append(PlaneSurface(name="ground"))
        bodies.append(-1)
        apart.append([])
    frames = np.tile(np.eye(4), (len(surfaces), 1, 1))
    numbers = np.array(bodies, np.int64)
    return Finder(packed(surfaces, numbers, frames, numbers, apart, (numbers < 0).tolist()))


def errors(scene: Touching, course: Course, poses: np.ndarray, energy: float, find: Finder) -> Errors:
    """Of a run that began at `poses` (n, 4, 4) with an energy [J]."""
    t = (np.arange(len(course)) + 1.0) / FPS
    places, size = course.poses[..., :3, 3], scene.size
    slip = math.nan
    if scene.path is not None:
        slip = float(np.linalg.norm(places[:, 0] - scene.path(t), axis=1).max()) / size
    elif not scene.falls:
        slip = float(np.linalg.norm(places - poses[:, :3, 3], axis=2).max()) / size
    unit = scene.mass * GRAVITY * size
    whole = np.concatenate([[energy], course.energies])
    if scene.falls:
        wrong = max(0.0, float(np.diff(whole).max()))
    else:
        lost = 0.0 if scene.lost is None else scene.lost(t)
        wrong = float(np.abs(whole[1:] + lost - energy).max())
    return Errors(deepest(course.poses, find) / size, slip, wrong / unit, opening(scene, course.poses, poses) / size)


def deepest(poses: np.ndarray, find: Finder) -> float:
    """Penetration of any two surfaces at any frame [m]."""
    return max([0.0, *(-float(find.find(E, 0.0).gaps.min(initial=0.0)) for E in poses)])


def opening(scene: Touching, poses: np.ndarray, start: np.ndarray) -> float:
    """How far any loop opens [m]; nan without loops."""
    apart = []
    for pin in scene.pins:
        ends = [np.linalg.solve(start[k], [*pin.at, 1.0]) for k in (pin.a, pin.b)]
        a, b = (poses[:, k] @ end for k, end in zip((pin.a, pin.b), ends, strict=True))
        apart.append(float(np.linalg.norm(a - b, axis=1).max()))
    return max(apart, default=math.nan)


def margin(theirs: Errors, ours: Errors, faster: float) -> float:
    """By what factor a run fails to beat ours: below 1 it is faster and in nothing worse. faster: its time as a part of
    ours. Errors that are rounding in both are not compared; where all are, it is as accurate and not more."""
    ratios = [
        max(a, ROUNDING) / max(b, ROUNDING)
        for a, b in zip(astuple(theirs), astuple(ours), strict=True)
        if not (math.isnan(a) or math.isnan(b)) and max(a, b) > ROUNDING
    ]
    return max([faster, *ratios]) if ratios else max(1.0, faster)
