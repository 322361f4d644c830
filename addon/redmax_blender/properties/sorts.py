# SPDX-License-Identifier: GPL-3.0-or-later
"""Sorts of elements that a scene lists, as the engine's scenes name them: each is a flag and a group of `redmax`.

`object.redmax.is_force` says that an object is a force, `object.redmax.force` which one: its `kind`, and the group of
that kind. A sort without kinds has its fields in the group itself. Bodies and joints have groups written by hand.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy

from .._engine import io
from . import forms, from_specs, generated, joint
from .from_specs import OVERRIDABLE, STATIC

BY_HAND = ("body", "joint", "surface")
"""Sorts whose groups are written by hand."""


@dataclass(frozen=True)
class Sort:
    """name: the word for one element. listed: the list of an engine's scene. registry: of its kinds, None for one that
    has none; cls: its class then."""

    name: str
    listed: str
    registry: Any
    cls: Any

    @property
    def flag(self) -> str:
        return f"is_{self.name}"

    @property
    def title(self) -> str:
        return from_specs.title(self.name)

    @property
    def words(self) -> str:
        """What an element is called within a sentence."""
        return self.title.lower()

    def classes(self) -> tuple[Any, ...]:
        """Element classes of the sort, as menus list them."""
        if self.registry is None:
            return (self.cls,)
        return tuple(sorted(self.registry, key=lambda cls: cls.menu_order))

    def class_of(self, group: Any) -> Any:
        """The element class that a group of this sort means."""
        return self.cls if self.registry is None else self.registry[group.kind]

    def own_group(self, group: Any) -> Any:
        """The properties of the kind that is chosen."""
        return group if self.registry is None else getattr(group, group.kind)


SORTS: dict[str, Sort] = {
    name: Sort(name, listed, io.REGISTRIES.get(name), io.PLAIN.get(name)) for listed, name in io.LISTS.items()
}
GENERATED = tuple(sort for sort in SORTS.values() if sort.name not in BY_HAND)
"""Sorts whose groups are generated."""

FLAGS = tuple(sort.flag for sort in SORTS.values())


_FLAGGED = tuple((sort.name, sort.flag) for sort in SORTS.values())


def names_of(group: Any) -> list[str]:
    """Names of the sorts that an object or bone is an element of. group: its `redmax`."""
    return [name for name, flag in _FLAGGED if getattr(group, flag)]


def is_element(group: Any) -> bool:
    """Whether an object or bone is part of a mechanism. group: its `redmax`."""
    return any(getattr(group, flag) for flag in FLAGS)


SLIDER = "animation"
"""Field of a drive's input whose keyed number is its slider."""


def is_slider(group: Any) -> bool:
    """Whether this is an input of a drive with a coordinate of its own that keys move."""
    names = group.bl_rna.properties
    if "joint" not in names or f"{SLIDER}_source" not in names:
        return False
    return bool(group.joint is None and group.motion_type == "animated" and group.animation_source == generated.KEYS)


def generated_sorts(group: Any) -> list[Sort]:
    """The generated sorts that an object or bone is an element of."""
    return [sort for sort in GENERATED if getattr(group, sort.flag)]


def content(group: Any) -> tuple[Any, ...]:
    """All values of a group, which differ as soon as one was edited; objects by their session_uid."""
    found: list[Any] = []
    for prop in group.bl_rna.properties:
        value = getattr(group, prop.identifier) if prop.identifier != "rna_type" else None
        if isinstance(value, bpy.types.PropertyGroup):
            found.append(content(value))
        elif isinstance(value, bpy.types.ID):
            found.append(value.session_uid)
        elif prop.type == "COLLECTION":
            found.append(tuple(content(entry) for entry in value))
        else:
            found.append(tuple(value) if getattr(prop, "is_array", False) else value)
    return tuple(found)


class Reference(NamedTuple):
    """A reference of an element: the group that has it and its name (`references`). sort: of what it means, empty for
    any object, as what stands at a point. nullable: whether it may be left out."""

    group: Any
    name: str
    sort: str
    nullable: bool

    def object(self) -> Any:
        """The object that is meant, or None."""
        return getattr(self.group, self.name)


def references_of(group: Any) -> Iterator[Reference]:
    """Every reference of an object or bone. group: its `redmax`."""
    if group.is_joint:
        yield Reference(group.joint, "parent", "body", nullable=True)
        yield Reference(group.joint, "child", "body", nullable=False)
        for own, name, meant in joint.own_references(group.joint):
            yield Reference(own, name, meant, nullable=False)
        yield Reference(group.joint, joint.SPRING_CURVE, "", nullable=True)
    for sort in generated_sorts(group):
        settings = getattr(group, sort.name)
        yield from references_in(sort.own_group(settings), sort.class_of(settings))


def references_in(group: Any, cls: Any) -> Iterator[Reference]:
    """References of the fields of an element class, also in its records and lists."""
    for name, form, spec in _referring(cls):
        match form:
            case "reference":
                yield Reference(group, name, spec.refers_to, spec.nullable)
            case "point" | "pose":
                yield Reference(group, f"{name}_at", "", nullable=True)
            case "points" | "poses" | "grid":
                yield from (Reference(entry, "place_at", "", nullable=True) for entry in getattr(group, name))
            case "table":
                if getattr(group, f"{name}_source") == generated.CURVE:
                    yield Reference(group, f"{name}_curve", "", nullable=False)
            case "record":
                yield from references_in(getattr(group, name), spec.record)
            case "records":
                for entry in getattr(group, name):
                    yield from references_in(entry, spec.record)


@functools.cache
def _referring(cls: Any) -> tuple[tuple[str, str, Any], ...]:
    """Fields that may refer to objects: name, form and declaration."""
    plain = ("plain", "optional", "coordinate", "numbers", "turns", "per")
    return tuple((field.name, field.form, field.spec) for field in forms.fields_of(cls) if field.form not in plain)


def _group(sort: Sort) -> tuple[Any, ...]:
    """Groups of a sort: of its kinds, and last its own."""
    if sort.registry is None:
        return (generated.make_group(f"REDMAX_PG_{sort.name}", sort.cls, sort.cls.__doc__),)
    kinds = {
        cls.kind: generated.make_group(f"REDMAX_PG_{sort.name}_{cls.kind}", cls, f"{cls.label}: {cls.summary}.")
        for cls in sort.registry
    }
    made: dict[str, Any] = {
        "kind": bpy.props.EnumProperty(
            name="Type",
            description=f"Which {sort.words} it is",
            items=from_specs.kind_items(sort.registry),
            default=sort.classes()[0].kind,
            options=STATIC,
            override=OVERRIDABLE,
        )
    }
    for kind, group in kinds.items():
        label = sort.registry[kind].label
        made[kind] = bpy.props.PointerProperty(type=group, name=label, override=OVERRIDABLE)
    own = from_specs.make_group(f"REDMAX_PG_{sort.name}", made, f"A {sort.words} of a mechanism.")
    return (*kinds.values(), own)


GROUPS = {sort.name: _group(sort) for sort in GENERATED}
CLASSES = (*generated.record_groups(), *(group for groups in GROUPS.values() for group in groups))


def annotations(update: Any) -> dict[str, Any]:
    """Flags and groups of all generated sorts, for `object.redmax` and `pose_bone.redmax`."""
    made: dict[str, Any] = {}
    for sort in GENERATED:
        made[sort.flag] = bpy.props.BoolProperty(
            name=f"RedMax {sort.title}",
            description=f"This is a {sort.words} of a mechanism",
            update=update,
            options=STATIC,
            override=OVERRIDABLE,
        )
        made[sort.name] = bpy.props.PointerProperty(type=GROUPS[sort.name][-1], override=OVERRIDABLE)
    return made
