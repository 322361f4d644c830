# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that an extension might add: the force and the constraint of the documentation, each as the file that its
page shows, and a force with a field of every form that a declaration may have."""

from __future__ import annotations

import importlib
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import redmax.constraints
import redmax.forces
from redmax.arrays import Array
from redmax.constraints import CONSTRAINTS
from redmax.fields import (
    Element,
    Vector,
    array,
    choice,
    flag,
    integer,
    number,
    per_dof,
    pose,
    record,
    records,
    reference,
    text,
)
from redmax.forces import FORCES, BoundForce, Force, Placement
from redmax.tables import Table

DOCS = Path(__file__).parents[1] / "docs"
_FOLDER = tempfile.TemporaryDirectory(prefix="redmax_own_elements_")


def from_page(package: Any, page: str, module: str, cls: str) -> type:
    """The class of the file that a page of the documentation shows, imported as a file of that package."""
    source = next(re.finditer(r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S))[1]
    (Path(_FOLDER.name) / f"{module}.py").write_text(source, encoding="utf-8")
    package.__path__ = [*package.__path__, _FOLDER.name]
    found: type = getattr(importlib.import_module(f"{package.__name__}.{module}"), cls)
    return found


@dataclass(frozen=True, kw_only=True)
class Part(Element):
    """A record with a reference and numbers per entry of the list of joints."""

    body: str | None = reference(None, doc="Body of the part", refers_to="body", nullable=True)
    weight: object = per_dof(1.0, doc="One for each hook", per="hooks")


@dataclass(frozen=True, kw_only=True)
class Hook(Element):
    """A record with a point on a body."""

    body: str = reference(doc="Body of the hook", refers_to="body")
    point: Vector = array((0.0, 0.0, 0.0), doc="Where it is", shape=(3,), unit="m", frame="body")


@dataclass(frozen=True, kw_only=True)
class Everything(Force):
    """Does nothing, but has a field of every form."""

    kind: ClassVar[str] = "everything"
    label: ClassVar[str] = "Everything"
    summary: ClassVar[str] = "A force with a field of every form"

    body: str = reference(doc="Body that it refers to", refers_to="body")
    joint: str | None = reference(None, doc="Joint that it refers to", refers_to="joint", nullable=True)
    coordinate: int = integer(0, doc="Which coordinate", minimum=0)
    angle: float = number(0.0, doc="In its unit", unit="rad, m or 1", coordinate=("joint", "coordinate"))
    end: float | None = number(
        None, doc="In its unit too", unit="rad, m or 1", nullable=True, coordinate=("joint", "coordinate")
    )
    size: float = number(0.5, doc="A length", unit="m", positive=True)
    share: float = number(0.5, doc="A plain number", unit="1")
    maybe: float | None = number(None, doc="May be left out", unit="m", nullable=True)
    on: bool = flag(True, doc="A switch")
    note: str = text("said", doc="A text")
    way: str = choice("left", doc="One of two", choices=("left", "right"))
    axis: Vector = array(None, doc="A direction that may be left out", shape=(3,), nullable=True)
    point: Vector = array((0.0, 0.0, 0.0), doc="A point", shape=(3,), unit="m", frame="body")
    place: Any = pose(doc="A pose in the body", frame="body")
    path: Vector = array(((0.0, 0.0, 0.0),), doc="Points", shape=(None, 3), unit="m", frame="world")
    weights: Vector = array(None, doc="Numbers", shape=(None,), unit="kg", nullable=True)
    rows: Vector = array(((1.0, 2.0),), doc="Rows of two numbers", shape=(None, 2))
    over_time: Table | None = record(Table, None, doc="Over time", nullable=True, over="time", columns=2)
    over_angle: Table | None = record(Table, None, doc="Over an angle", nullable=True, over="coordinate")
    hooks: tuple[Hook, ...] = records(Hook, (), doc="Hooks")
    parts: tuple[Part, ...] = records(Part, (), doc="Parts")
    inner: Part | None = record(Hook, None, doc="A group of fields that may be left out", nullable=True)

    def bind(self, placement: Placement) -> BoundForce:
        return Nothing(self.name, (placement.body(self.body),))


class Nothing(BoundForce):
    """No force at all."""

    exchanges = False

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        return np.zeros((1, 6))

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        return np.zeros((6, 6)), np.zeros((6, 6))


def register() -> None:
    """Each is one file and this line."""
    FORCES.add(1000, from_page(redmax.forces, "adding_a_force.md", "magnet", "Magnet"))
    CONSTRAINTS.add(99, from_page(redmax.constraints, "adding_a_constraint.md", "rod", "Rod"))
    FORCES.add(1001, Everything)
