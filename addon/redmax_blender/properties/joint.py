# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of a joint, generated from the engine's registry of joints."""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from .._engine import fields, joints, motors, traits
from . import formulas, from_specs, joint_arrow, joint_friction, references, stand_ins
from .from_specs import OVERRIDABLE, STATIC

COMMON = fields.specs(joints.Joint)
MOTOR = "motor_"
"""What the names of a motor's fields begin with among those of its joint."""

FIELDS = COMMON | {f"{MOTOR}{name}": spec for name, spec in fields.specs(motors.Motor).items()}
"""Fields of joints and, with the prefix, of their motors, by the engine's names."""

PARTS = {
    cls.kind: name
    for cls in joints.JOINTS
    for name, spec in fields.specs(cls).items()
    if spec.sort == "elements" and spec.registry == joints.JOINTS.title
}
"""Kinds that put other joints one after another, and the field that lists these: Blender's list of parts."""

NEW_PARTS = (joints.Prismatic.kind, joints.Revolute.kind)
"""Parts of a new joint of such a kind: sliding along and turning about the same axis, as a shaft in a bush."""

SHOWN_AS = {"q": "coordinate", "qdot": "velocity"}
"""Identifiers of fields whose engine name says nothing to an artist."""

KEYED_BEFORE = ("q", "torque")
"""Fields that an artist could key when they were vectors; see `keyed_vectors`."""

TARGETS = {motors.SPEED: f"{MOTOR}target_speed", motors.POSITION: f"{MOTOR}target_position"}
"""What a motor is to reach, by what it controls."""

KEYED = (*KEYED_BEFORE, *TARGETS.values())
"""Fields an artist may key: the motion of an animated joint, a torque that varies, and what a motor is to reach."""

PATH = "redmax.joint"
"""Data path of a joint's properties, from its object."""

AXIS, Z = "axis", (0.0, 0.0, 1.0)
"""The parameter that turns a joint in its frame, in kinds that have one, and what it is in a new joint."""

ORIGIN = "origin"
"""The parameter that says where a joint on a track or sheet has its coordinate 0: where the child was modelled."""

DEFAULT_KIND = joints.Revolute.kind

SPRING_CURVE = "stiffness_curve"
"""The reference to a curve that draws a spring of the joint."""

HARD, SOFT = "HARD", "SOFT"
NEW_LIMITS = {"rad": math.radians(45.0), "m": 0.5, "1": 0.5}
"""How far from zero limits stand that nobody has set, by unit of the coordinate [rad, Blender units, 1]."""

NEW_SPEEDS = {"rad": math.radians(180.0), "m": 0.5, "1": 0.5}
"""What a motor that is switched on is to reach while nobody has said what, by unit of its coordinate, per second."""

REMEMBERED = 1024
"""Joints of different parameters whose coordinates are remembered."""

Description = tuple[str, tuple[Any, ...]]
"""Kind of a joint and its own parameters as (name, value); parts of a joint are descriptions too."""


@dataclass(frozen=True)
class Dof:
    """A coordinate of a joint: its place in the vectors of six, its engine name and its unit ('rad', 'm' or '1')."""

    index: int
    name: str
    unit: str


def _own(cls: Any) -> tuple[str, ...]:
    """Fields that only this kind of joint has, but its parts and what is found from where the child stands."""
    return tuple(name for name in fields.specs(cls) if name not in COMMON and name not in (PARTS.get(cls.kind), ORIGIN))


@functools.cache
def guides(kind: str) -> dict[str, str]:
    """Fields of a kind of joint that refer to what it moves along, such as a track, with the sort of that."""
    specs = fields.specs(joints.JOINTS[kind])
    return {name: specs[name].refers_to for name in _own(joints.JOINTS[kind]) if specs[name].sort == "reference"}


def _guide_annotations(cls: Any) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, sort in guides(cls.kind).items():
        doc = from_specs.tooltip(fields.specs(cls)[name])
        made |= references.annotations(name, references.label_of(name), doc, references.of_sort(sort))
    return made


def _kind_groups(prefix: str) -> dict[str, Any]:
    groups = {}
    for cls in joints.JOINTS:
        is_written = formulas.is_written(cls)
        updates = dict.fromkeys(_own(cls), _formula_edited if is_written else _parameter_edited)
        made = from_specs.group_annotations(cls, leave_out=(*COMMON, ORIGIN), updates=updates)
        made |= _guide_annotations(cls)
        if is_written:
            made |= formulas.written_annotations(cls, _formula_edited)
        if made:
            name = f"REDMAX_PG_{prefix}_{cls.kind}"
            groups[cls.kind] = from_specs.make_group(name, made, f"Parameters of a {cls.label} joint.")
    return groups


def _pointers(groups: dict[str, Any]) -> dict[str, Any]:
    return {
        kind: bpy.props.PointerProperty(type=group, name=joints.JOINTS[kind].label, override=OVERRIDABLE)
        for kind, group in groups.items()
    }


def uneditable(kind: str) -> tuple[str, ...]:
    """Parameters of a kind of joint for which Blender has no property, such as a list of points of any length."""
    held = KIND_GROUPS[kind].__annotations__ if kind in KIND_GROUPS else {}
    return tuple(name for name in _own(joints.JOINTS[kind]) if name not in held)


def _cannot_be_made() -> Iterator[str]:
    """Kinds with such a parameter that has no default either."""
    for cls in joints.JOINTS:
        if any(fields.defaults(cls)[name] is fields.REQUIRED for name in uneditable(cls.kind)):
            yield cls.kind


def kind_items(*, of_parts: bool = False) -> list[tuple[str, str, str, int]]:
    """Enum items of the kinds of joints. of_parts: of those that a joint with parts may have."""
    return from_specs.kind_items(joints.JOINTS, leave_out={*_cannot_be_made(), *(PARTS if of_parts else ())})


def _kind_property(*, of_parts: bool = False, **more: Any) -> Any:
    return bpy.props.EnumProperty(
        name="Type",
        description="How the child may move relative to the parent",
        items=kind_items(of_parts=of_parts),
        default=DEFAULT_KIND,
        options=STATIC,
        override=OVERRIDABLE,
        **more,
    )


def show_type(group: Any, _context: Any = None) -> None:
    """An empty shows what kind of joint it is."""
    owner: Any = group.id_data
    if isinstance(owner, bpy.types.Object) and owner.type == "EMPTY":
        display: Any = joint_arrow.display(traits_of(group))
        owner.empty_display_type = display


def _parameter_edited(group: Any, _context: Any) -> None:
    """An arrow must not point elsewhere than the axis."""
    owner: Any = group.id_data
    if isinstance(owner, bpy.types.Object) and owner.redmax.is_joint:
        show_type(owner.redmax.joint)


def _formula_edited(group: Any, context: Any) -> None:
    """A joint that is written down says at once what is wrong with it, also while somebody types."""
    owner: Any = group.id_data
    if isinstance(owner, bpy.types.Object):
        note_formulas(owner.redmax.joint)
    _parameter_edited(group, context)


def note_formulas(joint: Any) -> None:
    """Write down what is wrong with the formulas of a joint and of its parts."""
    for each in (joint, *joint.parts):
        if formulas.is_written(joints.JOINTS[each.kind]):
            note = formulas.note_of(engine_joint(each))
            if own_group(each).note != note:
                own_group(each).note = note


def put_arrows_right() -> None:
    """Take the arrow from joints of the open file whose axis it does not show: older files may have such."""
    for obj in bpy.data.objects:
        if obj.type != "EMPTY" or obj.library is not None or not obj.redmax.is_joint:
            continue
        if obj.empty_display_type == joint_arrow.ARROW and joint_arrow.lies(traits_of(obj.redmax.joint)):
            plain: Any = joint_arrow.AXES
            obj.empty_display_type = plain


_is_body = references.of_sort("body")


def _joint_annotations() -> dict[str, Any]:
    made: dict[str, Any] = {
        "kind": _kind_property(update=show_type),
        **references.annotations("parent", "Parent", "Body the joint is fixed to; empty for the world", _is_body),
        **references.annotations("child", "Child", "Body the joint carries", _is_body),
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
        **references.annotations(
            SPRING_CURVE,
            "Spring Curve",
            "Curve object that draws a further spring: x of its points is the coordinate from Rest on, y the torque or "
            "force that pulls it back there",
            lambda _joint, obj: obj.type == "CURVE",
        ),
        "use_motor": bpy.props.BoolProperty(
            name="Motor",
            description=from_specs.tooltip(COMMON["motor"]),
            update=_motor_switched,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "motor_control": from_specs.to_property("control", FIELDS[f"{MOTOR}control"], motors.SPEED),
        "use_motor_maximum": bpy.props.BoolProperty(
            name="Maximum",
            description="Let the motor push no harder than a maximum, so that a load may stall it",
            default=True,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        **joint_friction.annotations(from_specs.tooltip(COMMON["friction"])),
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
    for name, spec in FIELDS.items():
        if spec.sort == "per_dof":
            shown = SHOWN_AS.get(name, name)
            if name not in TARGETS.values():
                made |= from_specs.per_dof_annotations(shown, spec, hidden=name in KEYED)
            if name in KEYED:
                label = from_specs.title(name) if name in TARGETS.values() else ""
                made |= from_specs.keyed_per_dof_annotations(shown, spec, label)
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


def _motor_switched(joint: Any, _context: Any) -> None:
    """A motor that is switched on with nothing to reach: its first coordinate is to turn or slide."""
    having = dofs(joint)[: from_specs.MOST_DOFS]
    if joint.use_motor and not any(value(joint, field, dof) for field in TARGETS.values() for dof in having):
        for dof in having[:1]:
            set_value(joint, TARGETS[motors.SPEED], dof, NEW_SPEEDS[dof.unit])


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
    {"kind": _kind_property(of_parts=True, update=_parameter_edited), **_pointers(KIND_GROUPS)},
    "One of the joints that a composite joint puts one after another.",
)
REDMAX_PG_joint = from_specs.make_group("REDMAX_PG_joint", _joint_annotations(), "A joint between two bodies.")

CLASSES = (*formulas.groups(), *KIND_GROUPS.values(), *joint_friction.CLASSES, REDMAX_PG_joint_part, REDMAX_PG_joint)


def has_parts(joint: Any) -> bool:
    """Whether a joint consists of others, which Blender lists as its parts."""
    return joint.kind in PARTS


def describe(joint: Any, length: float = 1.0) -> Description:
    """What decides how a joint, or a part of one, can move. length: metres per Blender unit.

    Tracks and sheets have stand-ins here that are straight and flat, see `stand_ins`.
    """
    own = [*_own_values(joint, length).items()]
    for group, name, sort in _own_guides(joint):
        own.append((name, stand_ins.name_of(sort, getattr(group, name))))
    if has_parts(joint):
        own.append((PARTS[joint.kind], tuple(describe(part, length) for part in joint.parts)))
    return joint.kind, tuple(own)


@functools.lru_cache(maxsize=REMEMBERED)
def described(description: Description) -> Any:
    """The engine's joint of a description, without bodies and frames."""
    kind, own = description
    values = {name: tuple(map(described, value)) if name == PARTS.get(kind) else value for name, value in own}
    made: Any = joints.JOINTS[kind].part(**values)
    return made.with_paths(stand_ins.find) if guides(kind) else made


def engine_joint(joint: Any, length: float = 1.0) -> Any:
    """The engine's joint of a joint or of a part of one, without bodies and frames, in SI units."""
    return described(describe(joint, length))


def traits_of(joint: Any, length: float = 1.0) -> Any:
    """What the motion of a joint, or of a part of one, says of it (`redmax.joints.traits`)."""
    return traits.of(engine_joint(joint, length))


def traits_along_z(joint: Any) -> Any:
    """The traits that a joint would have if its axis, where it has one of its own, were z."""
    kind, own = describe(joint)
    return traits.of(described((kind, tuple((name, Z if name == AXIS else value) for name, value in own))))


def new_traits(kind: str) -> Any:
    """The traits of a new joint of a kind."""
    return traits.of(described(new_description(kind)))


@functools.cache
def new_description(kind: str) -> Description:
    """A joint of a kind as it is new."""
    cls: Any = joints.JOINTS[kind]
    needed = [name for name in _own(cls) if fields.defaults(cls)[name] is fields.REQUIRED]
    own: list[tuple[str, Any]] = [
        (name, from_specs.starting_value(name, fields.specs(cls)[name], fields.REQUIRED))
        for name in needed
        if name not in guides(kind)
    ]
    own += [(name, stand_ins.usual(sort)) for name, sort in guides(kind).items()]
    if kind in PARTS:
        own.append((PARTS[kind], tuple(map(new_description, NEW_PARTS))))
    return kind, tuple(own)


def dofs(joint: Any) -> tuple[Dof, ...]:
    """Coordinates of a joint or of a part of one, cheap enough for draw()."""
    cls: Any = joints.JOINTS[joint.kind]
    if isinstance(cls.dof_names, tuple):  # the same for all joints of the kind
        return _numbered(cls.dof_names, cls.dof_units)
    made = engine_joint(joint)
    return _numbered(made.dof_names, made.dof_units)


@functools.lru_cache(maxsize=REMEMBERED)
def _numbered(names: tuple[str, ...], units: tuple[str, ...]) -> tuple[Dof, ...]:
    return tuple(Dof(index, *named) for index, named in enumerate(zip(names, units, strict=True)))


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
    vector = from_specs.per_dof_place(SHOWN_AS.get(field, field), FIELDS[field], dof.unit)
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
    shown = [(SHOWN_AS.get(field, field), COMMON[field]) for field in KEYED_BEFORE]
    return tuple(
        dict.fromkeys(from_specs.per_dof_place(name, spec, unit) for name, spec in shown for unit in ("rad", "m"))
    )


def may_have_hard_limits(joint: Any) -> bool:
    """Whether a coordinate says where the joint is: that of a ball can be written in several ways."""
    return not engine_joint(joint).has_singularity


def own_group(joint: Any) -> Any | None:
    """Properties that only joints of its kind have, None if there are none."""
    return getattr(joint, joint.kind) if joint.kind in KIND_GROUPS else None


def own_parameters(joint: Any, length: float) -> dict[str, Any]:
    """The kind's own parameters in SI units, its parts among them. length: metres per Blender unit."""
    own = _own_values(joint, length)
    own |= {name: _name_of(getattr(group, name)) for group, name, _ in _own_guides(joint)}
    if has_parts(joint):
        parts = ((part.kind, own_parameters(part, length)) for part in joint.parts)
        own[PARTS[joint.kind]] = tuple(joints.JOINTS[kind].part(**values) for kind, values in parts)
    return own


def _name_of(obj: Any) -> str:
    return "" if obj is None else obj.name


def own_references(joint: Any) -> Iterator[tuple[Any, str, str]]:
    """Group, name and sort of what a joint or its parts refer to besides bodies: tracks and sheets."""
    yield from _own_guides(joint)
    if has_parts(joint):
        for part in joint.parts:
            yield from _own_guides(part)


def _own_guides(joint: Any) -> Iterator[tuple[Any, str, str]]:
    """The same of a joint without its parts, or of a part."""
    group = own_group(joint)
    yield from ((group, name, sort) for name, sort in guides(joint.kind).items())


def _own_values(joint: Any, length: float) -> dict[str, Any]:
    """Its own parameters in SI units, without its parts."""
    group = own_group(joint)
    return {} if group is None else from_specs.read_group(group, joints.JOINTS[joint.kind], length)


PER_DOF = {name: spec for name, spec in FIELDS.items() if spec.sort == "per_dof"}
"""Fields with one number per coordinate, by the engine's name, those of motors with their prefix."""


def per_dof_parameters(joint: Any, length: float) -> dict[str, Any]:
    """A joint's own per-coordinate fields in SI units by engine name; limits that are switched off are None.

    A limit without stiffness is a hard one for the engine.
    """
    values: dict[str, Any] = {name: _in_si(joint, name, length) for name in PER_DOF if name in COMMON}
    off = (False,) * from_specs.MOST_DOFS
    lower, upper = (tuple(joint.use_lower), tuple(joint.use_upper)) if joint.use_limits else (off, off)
    for name, switches in (("lower", lower), ("upper", upper)):
        values[name] = tuple([value if on else None for value, on in zip(values[name], switches, strict=False)])
    limited = [joint.limit_type == SOFT and (low or high) for low, high in zip(lower, upper, strict=True)]
    for name in ("limit_stiffness", "limit_damping"):  # of a limit that is off, or hard, they say nothing
        values[name] = tuple([value if on else 0.0 for value, on in zip(values[name], limited, strict=False)])
    hard = [joint.limit_type == HARD and (low or high) for low, high in zip(lower, upper, strict=True)]
    bounces = tuple([value if on else 0.0 for value, on in zip(values["restitution"], hard, strict=False)])
    values["restitution"] = bounces if any(bounces) else 0.0
    return values


def motor_parameters(joint: Any, length: float) -> dict[str, Any]:
    """What a motor controls, with target, gains and maximum in SI units by the engine's names.

    What it does not use while it controls that is left out.
    """
    target = TARGETS[joint.motor_control]
    used = [target, f"{MOTOR}speed_gain"]
    if joint.motor_control == motors.POSITION:
        used.append(f"{MOTOR}position_gain")
    if joint.use_motor_maximum:
        used.append(f"{MOTOR}maximum")
    values = {name.removeprefix(MOTOR): _in_si(joint, name, length) for name in used}
    return {"control": joint.motor_control, **values}


def _in_si(joint: Any, field: str, length: float) -> tuple[float, ...]:
    """A field of all coordinates in SI units."""
    spec = FIELDS[field]
    return tuple(
        [value(joint, field, dof) * (length if from_specs.is_length(spec, dof.unit) else 1.0) for dof in dofs(joint)]
    )
