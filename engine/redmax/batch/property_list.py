# SPDX-License-Identifier: GPL-3.0-or-later
"""Every number of a scene that may be varied, with its path, its words and its unit.

The list follows from the declared fields of what the scene has, so that a new kind of element needs no line here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fields import IDENTITY, REAL, Element, Spec, per_dof_unit, specs
from ..io import LISTS
from ..joints import Joint
from ..scene import Scene
from ..tables import Table

NUMBERS = ("number", "integer", "array", "per_dof")
"""Sorts of fields that hold numbers."""

TIMES = "times"

MOST_ENTRIES = 16
"""Entries of a vector that are listed one by one; more are a table or a mesh, which paths reach all the same."""


@dataclass(frozen=True)
class Variable:
    """path: see `property_paths`. element: name of what it belongs to, empty for the scene. sort: its list's element,
    such as "joint". field: the names that lead to it inside, such as ("motor", "maximum"). index: of an entry of a
    vector or of a coordinate, -1 for a single value. entry: what to call that: "x" of a vector, the coordinate's name,
    else a number from 1. value: the scene's own; None where it has none. only: the one way in which values for it are
    meant, such as "times" for an inertia or a table; empty where any will do."""

    path: str
    element: str
    sort: str
    field: tuple[str, ...]
    index: int
    unit: str
    doc: str
    value: float | None
    only: str = ""
    entry: str = ""


def variables(scene: Scene) -> Iterator[Variable]:
    """Numbers of the scene in the order of its lists; those of the scene itself first."""
    yield from _of(scene, (), "", "", "", None)
    for listed, sort in LISTS.items():
        for element in getattr(scene, listed):
            yield from _of(element, (), f"{listed}.{element.name}.", element.name, sort, element)


def _of(holder: Any, above: tuple[str, ...], start: str, name: str, sort: str, element: Any) -> Iterator[Variable]:
    """Numbers of an element, or of a record inside it. start: the path up to here."""
    for field, spec in specs(type(holder)).items():
        value = getattr(holder, field)
        names = (*above, field)
        if spec.sort in NUMBERS:
            for index, number, unit in _entries(spec, value, element):
                path, doc = f"{start}{field}" + (f"[{index}]" if index >= 0 else ""), spec.plain or spec.doc
                yield Variable(path, name, sort, names, index, unit, doc, number, entry=_entry(spec, element, index))
        elif spec.sort in ("pose", "record") and isinstance(value, Element) and value is not IDENTITY:
            if value.proportional:
                yield Variable(f"{start}{field}", name, sort, names, -1, "", spec.plain or spec.doc, 1.0, TIMES)
            if not isinstance(value, Table):  # its points are a course, and nothing that is varied one by one
                yield from _of(value, names, f"{start}{field}.", name, sort, element)


def _entry(spec: Spec, element: Any, index: int) -> str:
    """What to call the entry of a field with that index."""
    if index < 0:
        return ""
    if spec.sort == "per_dof" and isinstance(element, Joint):
        return element.dof_names[index]
    # Three sizes are as many numbers as a vector, but lie along no axes.
    return "xyz"[index] if spec.shape == (3,) and not spec.positive else str(index + 1)


def _entries(spec: Spec, value: Any, element: Any) -> Iterator[tuple[int, float | None, str]]:
    """Index, value and unit of every number of a field; index -1 for a single one."""
    if spec.sort == "per_dof" and isinstance(element, Joint):
        values = list(value) if isinstance(value, (tuple, list, np.ndarray)) else [value] * element.ndof
        units = element.dof_units
        for index, number in enumerate(values):
            yield index if element.ndof > 1 else -1, number, per_dof_unit(spec, units[index])
    elif value is None or isinstance(value, REAL):
        if spec.sort in ("number", "integer"):
            yield -1, None if value is None else float(value), spec.unit
    elif _is_list(value):
        flat = value.tolist() if isinstance(value, np.ndarray) else value
        if len(flat) <= MOST_ENTRIES and all(isinstance(number, REAL) for number in flat):
            yield from ((index, number, spec.unit) for index, number in enumerate(flat))


def _is_list(value: Any) -> bool:
    return isinstance(value, (tuple, list, np.ndarray))
