# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties from the engine's declared fields, and their values back in SI units.

One declaration (`redmax.fields`) gives name, tooltip, range and unit. Blender stores lengths in its own unit, which
the scene's unit scale turns into metres: `length` below is metres per Blender unit.
"""

import functools
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

import bpy

from .._engine import fields

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
STATIC: set[str] = set()
"""Options of a property that cannot be keyed, because a simulation reads it once."""

NEW_VALUES = {"stiffness": 100.0, "peak_force": 100.0, "optimal_length": 0.1}
"""What required numbers of a new element are, where 0 or 1 would be useless."""

AUTHORING_DEFAULTS = {
    "pitch": 0.05,
    "limit_stiffness": 1000.0,
    "limit_damping": 10.0,
    "motor_speed_gain": 10.0,
    "motor_position_gain": 100.0,
    "motor_maximum": 100.0,
}
"""What a new element gets where the engine's own default, or none, would be useless: a limit must stop something."""

MOST_DOFS = 6
SPLIT_UNITS = {
    "rad, m or 1": ("ROTATION", "LENGTH", "NONE"),
    "rad/s, m/s or 1/s": ("ROTATION", "VELOCITY", "NONE"),
}
"""Units that Blender shows in the number itself, for coordinates in rad, m and 1. Each is a property of its own."""

SPLIT_NAMES = dict(zip(fields.DOF_UNITS, ("angle", "distance", "number"), strict=True))
"""What the names of these properties end with, by the unit of the coordinate."""

SPLIT_LABELS = {"angle": "Angle", "distance": "Distance", "number": "Parameter"}
DECIMALS = {"angle": {}, "distance": {"precision": 4}, "number": {"precision": 4}}
"""Options of a property that show as many digits as its numbers need."""

POWER_OF_LENGTH = {"m": 1, "m^2": 2, "m/s": 1, "kg": 3}
"""Powers of the unit scale by which Blender shows a stored number (it scales MASS by the third power)."""

DIGITS = {"kg/m^3": 1}
"""Decimals shown, 4 where nothing is said."""

BLENDER_UNITS = {"m": "LENGTH", "m^2": "AREA", "rad": "ROTATION", "kg": "MASS", "m/s": "VELOCITY"}


TITLES = {
    "h": "Time Step",
    "rtol": "Relative Tolerance",
    "atol": "Absolute Tolerance",
    "q": "Start",
    "qdot": "Velocity",
}
"""Fields whose short engine name does not read as words."""


def title(name: str) -> str:
    """'limit_stiffness' as people read it: 'Limit Stiffness'."""
    return TITLES.get(name, name.replace("_", " ").title())


def tooltip(spec: Any) -> str:
    """The engine's sentence without a final period, with the unit where Blender does not show one."""
    unit = f" [{spec.unit}]" if spec.unit and spec.unit not in BLENDER_UNITS and spec.unit not in SPLIT_UNITS else ""
    return f"{(spec.plain or spec.doc).rstrip('.')}{unit.replace('rad/s', 'radians/s')}"


def summary(cls: Any) -> str:
    """One sentence about a kind, with its technical name."""
    sentence = cls.summary or (cls.__doc__ or "").strip().split("\n")[0]
    return f"{sentence.rstrip('.')} ({cls.kind.replace('_', ' ')})"


def kind_items(registry: Any, *, leave_out: Container[str] = ()) -> list[tuple[str, str, str, int]]:
    """Static enum items of a registry with the registry's own numbers."""
    return [
        (cls.kind, cls.label or title(cls.kind), summary(cls), registry.number(cls.kind))
        for cls in registry
        if cls.kind not in leave_out
    ]


def choice_items(spec: Any) -> list[tuple[str, str, str, int]]:
    """Enum items of a choice; the engine only ever appends to its choices, so the position is the number."""
    return [(word, title(word), f"{title(word)}", index) for index, word in enumerate(spec.choices)]


def starting_value(name: str, spec: Any, default: Any) -> Any:
    """What a field of a new element holds. default: the engine's own, or REQUIRED."""
    if default is not fields.REQUIRED:
        return default
    if spec.sort == "integer":
        return 0
    number = (NEW_VALUES | AUTHORING_DEFAULTS).get(name, 1.0 if spec.positive else 0.0)
    return (number,) * (spec.shape[0] or 0) if spec.shape else number


def to_property(name: str, spec: Any, default: Any, /, *, options: set[str] = STATIC, **more: Any) -> Any:
    """The Blender property of one declared field; None for sorts that have no single property."""
    shown: dict[str, Any] = {
        "name": title(name),
        "description": tooltip(spec),
        "options": options,
        "override": OVERRIDABLE,
        **more,
    }
    value = starting_value(name, spec, default)
    if spec.positive or spec.minimum is not None:
        shown["min"] = 0.0 if spec.positive else spec.minimum
    unit = BLENDER_UNITS.get(spec.unit, "NONE")
    match spec.sort:
        case "number":
            return bpy.props.FloatProperty(default=value, unit=unit, precision=DIGITS.get(spec.unit, 4), **shown)
        case "integer":
            return bpy.props.IntProperty(
                default=value, **shown | ({"min": int(shown["min"])} if "min" in shown else {})
            )
        case "flag":
            return bpy.props.BoolProperty(default=value, **shown)
        case "text":
            return bpy.props.StringProperty(default=value, **shown)
        case "choice":
            return bpy.props.EnumProperty(items=choice_items(spec), default=value, **shown)
        case "array" if len(spec.shape) == 1 and spec.shape[0] is not None:
            subtype = "XYZ" if spec.shape == (3,) else "NONE"
            return bpy.props.FloatVectorProperty(
                size=spec.shape[0], default=value, unit=unit, subtype=subtype, precision=4, **shown
            )
    return None


def group_annotations(
    cls: Any, *, leave_out: tuple[str, ...] = (), updates: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Properties of all fields of an element class that have one. updates: what Blender calls when one is edited."""
    made = {
        name: to_property(
            name, spec, fields.defaults(cls)[name], **({"update": updates[name]} if name in updates else {})
        )
        for name, spec in fields.specs(cls).items()
        if name not in leave_out
    }
    return {name: prop for name, prop in made.items() if prop is not None}


def make_group(class_name: str, annotations: dict[str, Any], doc: str) -> Any:
    """A new PropertyGroup class."""
    return type(class_name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": doc})


def read_group(group: Any, cls: Any, length: float) -> dict[str, Any]:
    """Values of a generated group in SI units, by field name, as the element class takes them."""
    values: dict[str, Any] = {}
    for name, sort, power in _group_fields(type(group), cls):
        value = getattr(group, name)
        factor = length**power
        if sort == "records":
            record = fields.specs(cls)[name].record
            values[name] = tuple(record(**read_group(entry, record, length)) for entry in value)
        elif sort == "array":
            values[name] = tuple(float(number) * factor for number in value)
        else:
            values[name] = float(value) * factor if sort == "number" else value
    return values


@functools.cache
def _group_fields(group: Any, cls: Any) -> tuple[tuple[str, str, int], ...]:
    """Name, sort and power of the unit scale of the fields of an element class that a group class holds."""
    return tuple(
        (name, spec.sort, POWER_OF_LENGTH.get(spec.unit, 0))
        for name, spec in fields.specs(cls).items()
        if name in group.__annotations__ and spec.sort != "reference"
    )


def per_dof_annotations(name: str, spec: Any, *, hidden: bool = False) -> dict[str, Any]:
    """Properties of a field that has one number per coordinate: vectors of six, of which a joint uses its first n.

    hidden: only older files use them, see `joint.keyed_vectors`; these had no coordinates that are plain numbers.
    """
    label = title(name)
    shown = _shown_per_dof(spec) | {"size": MOST_DOFS, "default": (_default_per_dof(name),) * MOST_DOFS}
    if hidden:
        shown["options"] = {"HIDDEN"}
    if spec.unit not in SPLIT_UNITS:
        return {name: bpy.props.FloatVectorProperty(name=label, precision=3, **shown)}
    return {
        f"{name}_{end}": bpy.props.FloatVectorProperty(
            name=f"{label} {SPLIT_LABELS[end]}", unit=unit, **DECIMALS[end], **shown
        )
        for end, unit in zip(SPLIT_NAMES.values(), SPLIT_UNITS[spec.unit], strict=True)
        if not (hidden and end == SPLIT_NAMES["1"])
    }


def keyed_per_dof_annotations(name: str, spec: Any, label: str = "") -> dict[str, Any]:
    """The same for a field that an artist keys: a number for each coordinate, so that each is keyed by itself.

    Blender names an F-curve after its property: 'Angle', 'Angle 2' and so on. label: instead of 'Angle'.
    """
    shown = _shown_per_dof(spec) | {"default": _default_per_dof(name), "options": {"ANIMATABLE"}}
    made: dict[str, Any] = {}
    for index in range(MOST_DOFS):
        number = f" {index + 1}" if index else ""
        if spec.unit not in SPLIT_UNITS:
            made[keyed_name(name, index)] = bpy.props.FloatProperty(name=f"{title(name)}{number}", precision=3, **shown)
            continue
        for end, unit in zip(SPLIT_NAMES.values(), SPLIT_UNITS[spec.unit], strict=True):
            made[keyed_name(f"{name}_{end}", index)] = bpy.props.FloatProperty(
                name=f"{label or SPLIT_LABELS[end]}{number}", unit=unit, **DECIMALS[end], **shown
            )
    return made


def keyed_name(vector: str, index: int) -> str:
    """Identifier of the property of one coordinate: 'coordinate_angle_1' was 'coordinate_angle[0]' before 0.2."""
    return f"{vector}_{index + 1}"


def _shown_per_dof(spec: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"description": tooltip(spec), "options": STATIC, "override": OVERRIDABLE}
    if spec.minimum is not None:
        shown["min"] = spec.minimum
    return shown


def _default_per_dof(name: str) -> float:
    return AUTHORING_DEFAULTS.get(name, 0.0)


def per_dof_place(name: str, spec: Any, dof_unit: str) -> str:
    """Identifier of the vector that holds a field for a coordinate of the given unit, one of `fields.DOF_UNITS`."""
    return f"{name}_{SPLIT_NAMES[dof_unit]}" if spec.unit in SPLIT_UNITS else name


def is_length(spec: Any, dof_unit: str) -> bool:
    """Whether a field of a coordinate is stored in Blender units. Torques, stiffnesses and dampings are not."""
    return spec.unit in SPLIT_UNITS and dof_unit == "m"
