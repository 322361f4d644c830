# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, cables and muscles of templates, with what makes them visible. Places are relative to the 3D cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._engine import arrays, fields
from ..bridge.authoring import elements, shapes
from ..properties.sorts import SORTS
from .assembly import Assembly, Object
from .paint import Paint, blender_material

Array = arrays.Array


class End(NamedTuple):
    """A place (3,) on a body; on the world if there is none."""

    body: Object | None
    place: Sequence[float] | Array


class Look(NamedTuple):
    """How a line is shown. thickness: in times of the usual one. turns: of a coil. bulge: thickness at each point of a
    curve, in times of that."""

    paint: Paint
    thickness: float = 1.0
    turns: float = 8.0
    bulge: Sequence[float] = ()


class Elastic(NamedTuple):
    """stiffness [N/m]. damping [N s/m]. rest: length without tension [Blender units], None for that at the start."""

    stiffness: float
    damping: float
    rest: float | None = None


def spring(made: Assembly, name: str, ends: tuple[End, End], law: Elastic, look: Look | None = None) -> Object:
    """A spring with a damper between two places. look: of its coil, None for none."""
    element, settings = _add(made, name, "spring_damper", ends)
    for side, end in zip("ab", ends, strict=True):
        setattr(settings, f"point_{side}", _local(made, end))
    _set_law(settings, law)
    _show(made, element, look)
    return element


def cable(made: Assembly, name: str, ends: Sequence[End], law: Elastic, look: Look) -> Object:
    """A cable through places, which pulls only."""
    element, settings = _add(made, name, "cable", ends)
    _set_points(made, settings, ends)
    _set_law(settings, law)
    _show(made, element, look)
    return element


class Strength(NamedTuple):
    """Of a muscle, strongest as it stands. force: the greatest active one [N]. tendon: part of the line's length."""

    force: float
    tendon: float


def muscle(
    made: Assembly, name: str, ends: Sequence[End], strength: Strength, keys: Sequence[tuple[float, float]], look: Look
) -> Object:
    """A muscle through places. keys: (seconds after the first frame, activation from 0 to 1)."""
    element, settings = _add(made, name, "multi_point_muscle", ends)
    _set_points(made, settings, ends)
    length = length_of([end.place for end in ends])
    settings.tendon_length = strength.tendon * length
    settings.optimal_length = (1.0 - strength.tendon) * length
    settings.peak_force = min(strength.force, fields.LARGEST)
    made.table_keys(settings, "activation_table", keys)
    _show(made, element, look)
    return element


def length_of(places: Sequence[Sequence[float] | Array]) -> float:
    """Of the line through some places."""
    return float(np.linalg.norm(np.diff(np.array(places, np.float64), axis=0), axis=1).sum())


def _add(made: Assembly, name: str, kind: str, ends: Sequence[End]) -> tuple[Object, Any]:
    """An element of a kind of force between some places, and its properties."""
    bodies = list(dict.fromkeys(end.body for end in ends if end.body is not None))
    middle = np.mean(np.array([end.place for end in ends], np.float64), axis=0) + made.origin
    element = elements.add(made.context, SORTS["force"], kind, bodies, middle, name=name)
    made.objects.append(element)
    return element, getattr(element.redmax.force, kind)


def _local(made: Assembly, end: End) -> list[float]:
    """Where an end is in its body's frame."""
    place = np.append(np.asarray(end.place, np.float64) + made.origin, 1.0)
    E = np.eye(4) if end.body is None else np.array(end.body.matrix_basis, np.float64)
    local: list[float] = np.linalg.solve(E, place)[:3].tolist()
    return local


def _set_points(made: Assembly, settings: Any, ends: Sequence[End]) -> None:
    settings.points.clear()
    for end in ends:
        entry = settings.points.add()
        entry.body, entry.point = end.body, _local(made, end)


def _set_law(settings: Any, law: Elastic) -> None:
    settings.measure = "stretch"
    settings.stiffness, settings.damping = min(law.stiffness, fields.LARGEST), min(law.damping, fields.LARGEST)
    if law.rest is not None:
        settings.use_rest_length, settings.rest_length = True, law.rest


def _show(made: Assembly, element: Object, look: Look | None) -> None:
    if look is None:
        return
    shape = shapes.add_shape(made.context, element, shapes.Wishes(look.thickness, look.turns))
    data: Any = shape.data
    data.materials.append(blender_material(look.paint))
    if look.bulge:
        for point, radius in zip(data.splines[0].points, look.bulge, strict=True):
            point.radius = radius
    made.objects.append(shape)
