# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that are drawn: fields that the geometry of the element's own object gives, instead of properties."""

from __future__ import annotations

from typing import Any

SHAPE = ("basis", "cyclic", "endpoints")

DRAWN: dict[tuple[str, str], tuple[str, ...]] = {
    ("track", "CURVE"): ("frames", "bank", *SHAPE),
    ("sheet", "SURFACE"): ("positions", "angles", "cyclic_u", "cyclic_v", "orientation", *SHAPE),
    ("sheet", "MESH"): ("positions", "angles", "cyclic_u", "cyclic_v", "orientation", *SHAPE),
}
"""By sort of element and type of object, the fields that its geometry gives."""


def fields_of(sort: str, obj: Any) -> tuple[str, ...]:
    """Fields of an element that its object's geometry gives; empty where all are properties."""
    return DRAWN.get((sort, obj.type), ())


def is_drawn(obj: Any) -> bool:
    """Whether an object's geometry is a track or the like, and no solid."""
    return any(kind == obj.type and getattr(obj.redmax, f"is_{sort}") for sort, kind in DRAWN)


def may_draw(sort: str, obj: Any) -> bool:
    """Whether an object's geometry can be an element of a sort."""
    return (sort, obj.type) in DRAWN
