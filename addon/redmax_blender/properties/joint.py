# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of a joint, generated from the engine's registry of joints."""

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from .._engine import fields, joints
from . import from_specs, joint_arrow
from .from_specs import OVERRIDABLE, STATIC

COMPOSITE = joints.Composite.kind
COMMON = fields.specs(joints.Joint)
SHOWN_AS = {"q": "coordinate", "qdot": "velocity"}
"""Identifiers of fields whose engine name says nothing to an artist."""

KEYED = ("q", "torque")
"""Fields an artist may key: the motion of an animated joint, and a torque that varies."""

PATH = "redmax.joint"
"""Data path of a joint's properties, from its object."""

DEFAULT_KIND = joints.Revolute.kind

HARD, SOFT = "HARD", "SOFT"
NEW_LIMITS = {"rad": math.radians(45.0), "m": 0.5}
"""How far from zero limits stand that nobody has set [rad, Blender units]."""


@dataclass(frozen=True)
class Dof:
    """A coordinate of a joint: its place in the vectors of six, its engine name and its unit ('rad' or 'm')."""

    index: int
    name: str
    unit: str


def _own(cls: Any) -> tuple[str, ...]:
    """Fields that only this kind of joint has."""
    return tuple(name for name in fields.specs(cls) if name not in COMMON)


def _kind_groups(prefix: str) -> dict[str, Any]:
    groups = {}
    for cls in joints.JOINTS:
        made = from_specs.group_annotations(cls, leave_out=tuple(COMMON), updates={"axis": _axis_edited})
        if made:
            name = f"REDMAX_PG_{prefix}_{cls.kind}"
            groups[cls.kind] = from_specs.make_group(name, made, f"Parameters of a {cls.label} joint.")
    return groups


def _pointers(groups: dict[str, Any]) -> dict[str, Any]:
    return {
        kind: bpy.props.PointerProperty(type=group, name=joints.JOINTS[kind].label, override=OVERRIDABLE)
        for kind, group in groups.items()
    }


def _kind_property(*, leave_out: tuple[str, ...] = (), **more: Any) -> Any:
    return bpy.props.EnumProperty(
        name="Type",
        description="How the child may move relative to the parent",
        items=from_specs.kind_items(joints.JOINTS, leave_out=leave_out),
        default=DEFAULT_KIND,
        options=STATIC,
        override=OVERRIDABLE,
        **more,
    )


def show_type(group: Any, _context: Any = None) -> None:
    """An empty shows what kind of joint it is."""
    owner: Any = group.id_data
    if isinstance(owner, bpy.types.Object) and owner.type == "EMPTY":
        shown: Any = joint_arrow.shown(DISPLAY.get(group.kind, joint_arrow.AXES), own_group(group))
        owner.empty_display_type = shown


def _axis_edited(group: Any, _context: Any) -> None:
    """An arrow must not point elsewhere than the axis."""
    owner: Any = group.id_data
    if isinstance(owner, bpy.types.Object) and owner.redmax.is_joint:
        show_type(owner.redmax.joint)


DISPLAY = {
    "fixed": "CUBE",
    "revolute": "SINGLE_ARROW",
    "prismatic": "SINGLE_ARROW",
    "screw": "SINGLE_ARROW",
    "planar": "ARROWS",
    "translational": "ARROWS",
    "universal": "PLAIN_AXES",
    "spherical": "SPHERE",
    "spherical_euler": "SPHERE",
}
"""Empty display of a joint by kind; kinds not listed are plain axes.

Joints with one axis have the arrow: of Blender's shapes it alone points along z (circle and cone stand across y).
"""


def _is_body(_self: Any, obj: Any) -> bool:
    return bool(obj.redmax.is_body)


def _joint_annotations() -> dict[str, Any]:
    made: dict[str, Any] = {
        "kind": _kind_property(update=show_type),
        "parent": bpy.props.PointerProperty(
            type=bpy.types.Object,
            name="Parent",
            description="Body the joint is fixed to; empty for the world",
            poll=_is_body,
            override=OVERRIDABLE,
        ),
        "child": bpy.props.PointerProperty(
            type=bpy.types.Object,
            name="Child",
            description="Body the joint carries",
            poll=_is_body,
            override=OVERRIDABLE,
        ),
        "motion_type": bpy.props.EnumProperty(
            name="Motion",
            description="What decides how the joint moves",
            items=[
                ("simulated", "Simulated", "Moves freely under forces", 0),
                ("animated", "Animated", "Follows the keys on its coordinate; the torque it needs is computed", 1),
                ("locked", "Locked", "Stands at its coordinate", 2),
            ],
            default="simulated",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "use_limits": bpy.props.BoolProperty(
            name="Limits",
            description="Keep coordinates of the joint within limits while it is simulated",
            update=_limits_switched,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "limit_type": bpy.props.EnumProperty(
            name="Type",
            description="What happens at a limit",
            items=[
                (HARD, "Hard", "A stop that the coordinate never passes; what it hits with is lost", 0),
                (SOFT, "Soft", "A spring and a damper that act beyond the limit and push the coordinate back", 1),
            ],
            default=HARD,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "use_lower": _limit_switches("Lower Limit", "Keep the coordinate above a lower limit"),
        "use_upper": _limit_switches("Upper Limit", "Keep the coordinate below an upper limit"),
        "parts": bpy.props.CollectionProperty(
            type=REDMAX_PG_joint_part, name="Parts", override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
        ),
        "active_part": bpy.props.IntProperty(
            name="Active Part", description="Part shown below the list", options=STATIC, override=OVERRIDABLE
        ),
        **_pointers(KIND_GROUPS),
    }
    for name, spec in COMMON.items():
        if spec.sort == "per_dof":
            shown = SHOWN_AS.get(name, name)
            made |= from_specs.per_dof_annotations(shown, spec, hidden=name in KEYED)
            if name in KEYED:
                made |= from_specs.keyed_per_dof_annotations(shown, spec)
    return made


def _limit_switches(label: str, description: str) -> Any:
    return bpy.props.BoolVectorProperty(
        name=label,
        description=description,
        size=from_specs.MOST_DOFS,
        update=_limit_switched,
        options=STATIC,
        override=OVERRIDABLE,
    )


def _limit_switched(joint: Any, _context: Any) -> None:
    """One limit that is switched on switches Limits on, for scripts as well as in the panel."""
    if not joint.use_limits and (any(joint.use_lower) or any(joint.use_upper)):
        joint.use_limits = True


def _limits_switched(joint: Any, _context: Any) -> None:
    """Limits that are switched on with none chosen: both ends of every coordinate, some way to either side."""
    if not joint.use_limits or any(joint.use_lower) or any(joint.use_upper):
        return
    for dof in dofs(joint)[: from_specs.MOST_DOFS]:
        low, high = value(joint, "lower", dof), value(joint, "upper", dof)
        if low == high:
            set_value(joint, "lower", dof, low - NEW_LIMITS[dof.unit])
            set_value(joint, "upper", dof, high + NEW_LIMITS[dof.unit])
        joint.use_lower[dof.index] = joint.use_upper[dof.index] = True


KIND_GROUPS = _kind_groups("joint")
REDMAX_PG_joint_part = from_specs.make_group(
    "REDMAX_PG_joint_part",
    {"kind": _kind_property(leave_out=(COMPOSITE,)), **_pointers(KIND_GROUPS)},
    "One of the joints that a composite joint puts one after another.",
)
REDMAX_PG_joint = from_specs.make_group("REDMAX_PG_joint", _joint_annotations(), "A joint between two bodies.")

CLASSES = (*KIND_GROUPS.values(), REDMAX_PG_joint_part, REDMAX_PG_joint)


def dofs(joint: Any) -> tuple[Dof, ...]:
    """Coordinates of a joint or of a part of one, cheap enough for draw()."""
    kind: str = joint.kind
    if kind != COMPOSITE:
        return _dofs_of_kind(kind)
    return _numbered(_names_and_units(joint))


@functools.cache
def _dofs_of_kind(kind: str) -> tuple[Dof, ...]:
    cls: Any = joints.JOINTS[kind]
    return _numbered(zip(cls.dof_names, cls.dof_units, strict=True))


def _numbered(names_and_units: Iterable[tuple[str, str]]) -> tuple[Dof, ...]:
    return tuple(Dof(index, name, unit) for index, (name, unit) in enumerate(names_and_units))


def _names_and_units(joint: Any) -> Iterator[tuple[str, str]]:
    if joint.kind == COMPOSITE:
        for number, part in enumerate(joint.parts, start=1):
            yield from ((f"{number}.{name}", unit) for name, unit in _names_and_units(part))
    else:
        cls: Any = joints.JOINTS[joint.kind]
        yield from zip(cls.dof_names, cls.dof_units, strict=True)


@dataclass(frozen=True)
class Place:
    """Where the joint's properties hold a field of one coordinate. index: in a vector, None for a plain number."""

    name: str
    index: int | None = None

    @property
    def path(self) -> str:
        """Data path of an F-curve or driver, from the object."""
        return f"{PATH}.{self.name}"

    @property
    def component(self) -> int:
        """Array index of an F-curve or driver."""
        return self.index or 0

    @property
    def in_layout(self) -> dict[str, Any]:
        """What `layout.prop` has to be told."""
        return {"property": self.name} if self.index is None else {"property": self.name, "index": self.index}


@functools.cache
def place(field: str, dof: Dof) -> Place:
    """The property that holds a per-coordinate field of the engine, such as 'q' or 'stiffness'."""
    vector = from_specs.per_dof_place(SHOWN_AS.get(field, field), COMMON[field], dof.unit)
    if field in KEYED:
        return Place(from_specs.keyed_name(vector, dof.index))
    return Place(vector, dof.index)


def value(joint: Any, field: str, dof: Dof) -> float:
    """A field of one coordinate, in the property's own units: radians, Blender units, or SI units of forces."""
    where = place(field, dof)
    found = getattr(joint, where.name)
    return float(found if where.index is None else found[where.index])


def set_value(joint: Any, field: str, dof: Dof, number: float) -> None:
    """Write what `value` reads."""
    where = place(field, dof)
    if where.index is None:
        setattr(joint, where.name, number)
    else:
        getattr(joint, where.name)[where.index] = number


def keyed_vectors() -> tuple[str, ...]:
    """Identifiers of the vectors that held what an artist keys before it was a number per coordinate.

    They stay, so that Blender can read older files and what these override in libraries; `migration` empties them.
    """
    shown = [(SHOWN_AS.get(field, field), COMMON[field]) for field in KEYED]
    return tuple(
        dict.fromkeys(from_specs.per_dof_place(name, spec, unit) for name, spec in shown for unit in ("rad", "m"))
    )


def may_have_hard_limits(joint: Any) -> bool:
    """Whether a coordinate says where the joint is: that of a ball can be written in several ways."""
    if joint.kind == COMPOSITE:
        return all(may_have_hard_limits(part) for part in joint.parts)
    return joints.JOINTS[joint.kind].recentre is joints.Joint.recentre


def own_group(joint: Any) -> Any | None:
    """Properties that only joints of its kind have, None if there are none."""
    return getattr(joint, joint.kind) if joint.kind in KIND_GROUPS else None


def own_parameters(joint: Any, length: float) -> dict[str, Any]:
    """The kind's own parameters in SI units; a composite's are its parts. length: metres per Blender unit."""
    if joint.kind == COMPOSITE:
        return {"parts": tuple(joints.JOINTS[part.kind].part(**own_parameters(part, length)) for part in joint.parts)}
    group = own_group(joint)
    return {} if group is None else from_specs.read_group(group, joints.JOINTS[joint.kind], length)


PER_DOF = {name: spec for name, spec in COMMON.items() if spec.sort == "per_dof"}
"""Fields with one number per coordinate, by the engine's name."""


def per_dof_parameters(joint: Any, length: float) -> dict[str, Any]:
    """All per-coordinate fields in SI units by engine name; limits that are switched off are None.

    A limit without stiffness is a hard one for the engine.
    """
    having = dofs(joint)
    values: dict[str, Any] = {
        name: tuple(
            [value(joint, name, dof) * (length if from_specs.is_length(spec, dof.unit) else 1.0) for dof in having]
        )
        for name, spec in PER_DOF.items()
    }
    off = (False,) * from_specs.MOST_DOFS
    lower, upper = (tuple(joint.use_lower), tuple(joint.use_upper)) if joint.use_limits else (off, off)
    for name, switches in (("lower", lower), ("upper", upper)):
        values[name] = tuple([value if on else None for value, on in zip(values[name], switches, strict=False)])
    limited = [joint.limit_type == SOFT and (low or high) for low, high in zip(lower, upper, strict=True)]
    for name in ("limit_stiffness", "limit_damping"):  # of a limit that is off, or hard, they say nothing
        values[name] = tuple([value if on else 0.0 for value, on in zip(values[name], limited, strict=False)])
    return values
