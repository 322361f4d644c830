# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of an engine's scene that start inside each other. No Blender here."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays, compile, detection, errors, kinematics, route

Array = arrays.Array

NOTHING = 1e-3
"""Depth as a part of the smaller surface's size that is only how the artist placed it."""

MOST_SURFACES = 300
"""In scenes with more surfaces, pieces counted, nobody looks: plain Python would take too long."""

REMEMBERED = 8


class Overlap(NamedTuple):
    """Two surfaces by name, the depth [m] of one in the other, and the direction (3,) that leads the first out."""

    a: str
    b: str
    depth: float
    normal: Array


_found: OrderedDict[bytes, tuple[Overlap, ...]] = OrderedDict()


def overlaps(scene: Any, digest: bytes) -> tuple[Overlap, ...]:
    """Pairs of surfaces of a sound scene that may touch and start inside each other, the deepest first.

    digest: of the scene, by which they are remembered.
    """
    if digest not in _found:
        _found[digest] = _look(scene)
        if len(_found) > REMEMBERED:
            _found.popitem(last=False)
    _found.move_to_end(digest)
    return _found[digest]


def _look(scene: Any) -> tuple[Overlap, ...]:
    if not 1 < len(scene.surfaces) <= MOST_SURFACES:
        return ()
    try:
        with route.held(route.NUMPY):  # nothing is compiled for a look
            model = compile.compile(scene)
            state = model.initial_state()
            kin = kinematics.kinematics(model, state.q, state.qdot, state.chart)
            if len(model.surfaces) > MOST_SURFACES:
                return ()
            found = detection.Finder(model.surfaces).find(kin.E_wj)
    except errors.RedMaxError:  # Check says what is wrong
        return ()
    names, reach, element = model.surfaces.elements, model.surfaces.reaches, model.surfaces.element.tolist()
    deepest: dict[tuple[int, int], int] = {}
    for number, ((a, b), gap) in enumerate(zip(found.surfaces.tolist(), found.gaps.tolist(), strict=True)):
        if -gap <= NOTHING * min(reach[a], reach[b]):
            continue
        pair = element[a], element[b]
        if pair not in deepest or gap < found.gaps[deepest[pair]]:
            deepest[pair] = number
    made = [
        Overlap(names[a], names[b], -float(found.gaps[k]), np.array(found.normals[k])) for (a, b), k in deepest.items()
    ]
    return tuple(sorted(made, key=lambda each: -each.depth))
