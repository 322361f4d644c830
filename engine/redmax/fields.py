# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared fields of scene elements: one declaration serves JSON, checking, docs and Blender.

An element is a frozen dataclass whose fields are made by the functions below (`number`,
`array`, `pose`, ...). The declaration holds unit, shape, range and a sentence for people;
`field_problems` checks the values of any element against it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from .arrays import Array
from .errors import Fault, Place

Sort: TypeAlias = Literal[
    "number",
    "integer",
    "flag",
    "text",
    "choice",
    "reference",
    "array",
    "per_dof",
    "polygons",
    "pose",
    "record",
    "records",
    "elements",
]
Check: TypeAlias = Callable[[Any], str | None]
"""Says what is wrong with a value of the right type and shape, or None."""

REAL = (int, float, np.integer, np.floating)
"""Types of a single real number; bool is one of them in Python, and is refused separately."""

LARGEST, SMALLEST = 1e30, 1e-30
"""Range of magnitudes a scene may use (SMALLEST for what must be above 0): beyond it products of
five of them, as in the inertia of a solid, leave the range of floating-point numbers."""

DOF_UNITS = ("rad", "m", "1")
"""What a joint coordinate may be measured in; "1" for a plain number, such as the parameter of a curve."""

Vector: TypeAlias = Any
"""A vector or matrix of numbers: nested tuples, lists or an array."""


@dataclass(frozen=True, eq=False)
class Spec:
    """What a field may hold. doc: a sentence about it. plain: one for people who see no scene file, where doc speaks of
    it.

    frame: of a point or pose, the field beside it that names the body in whose frame it is given, or "world".
    over: of a table, "time" or "coordinate". columns: of a table, how many values it gives.
    per: of a per_dof field outside joints, the list of the element that holds this one whose entries it counts.
    coordinate: of a number in the unit of a joint coordinate, the fields beside it that name the joint and its number.
    of: of such a number of a coordinate, the field beside it that names the joint.
    first: of a number that may be left out, what an element begins with that somebody adds by hand.
    """

    sort: Sort
    doc: str
    plain: str = ""
    unit: str = ""
    shape: tuple[int | None, ...] = ()
    minimum: float | None = None
    positive: bool = False
    nullable: bool = False
    choices: tuple[str, ...] = ()
    refers_to: str = ""
    check: Check | None = None
    hint: str = ""
    record: type | None = None
    registry: str = ""
    shared: tuple[str, ...] = ()
    least: int = 0
    frame: str = ""
    over: str = ""
    columns: int = 1
    per: str = ""
    coordinate: tuple[str, str] | None = None
    of: str = ""
    first: float | None = None


def _declare(spec: Spec, default: Any) -> Any:
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata={"spec": spec})
    return dataclasses.field(default=default, metadata={"spec": spec})


REQUIRED: Any = dataclasses.MISSING


def number(
    default: Any = REQUIRED,
    *,
    doc: str,
    plain: str = "",
    unit: str = "",
    minimum: float | None = None,
    positive: bool = False,
    nullable: bool = False,
    coordinate: tuple[str, str] | None = None,
    first: float | None = None,
) -> Any:
    """A finite real number. coordinate, first: see `Spec`; the unit of a coordinate's number is 'rad, m or 1' or the
    like (`per_dof_unit`)."""
    shown = Spec("number", doc, plain, unit=unit, nullable=nullable, coordinate=coordinate, first=first)
    return _declare(dataclasses.replace(shown, minimum=minimum, positive=positive), default)


def integer(default: Any = REQUIRED, *, doc: str, minimum: float | None = None, of: str = "") -> Any:
    """A whole number. of: see `Spec`."""
    return _declare(Spec("integer", doc, minimum=minimum, of=of), default)


def flag(default: Any = REQUIRED, *, doc: str) -> Any:
    """true or false."""
    return _declare(Spec("flag", doc), default)


def text(default: Any = REQUIRED, *, doc: str) -> Any:
    """Any text."""
    return _declare(Spec("text", doc), default)


def choice(default: Any = REQUIRED, *, doc: str, choices: tuple[str, ...]) -> Any:
    """One word out of a list."""
    return _declare(Spec("choice", doc, choices=choices), default)


def reference(default: Any = REQUIRED, *, doc: str, plain: str = "", refers_to: str, nullable: bool = False) -> Any:
    """The name of another element of the scene; null means the world where that is allowed."""
    return _declare(Spec("reference", doc, plain, refers_to=refers_to, nullable=nullable), default)


def array(
    default: Any = REQUIRED,
    *,
    doc: str,
    plain: str = "",
    shape: tuple[int | None, ...],
    unit: str = "",
    positive: bool = False,
    nullable: bool = False,
    check: Check | None = None,
    hint: str = "",
    frame: str = "",
) -> Any:
    """Numbers in a fixed shape; None stands for any length, at least one. frame: of points, see `Spec`."""
    spec = Spec(
        "array",
        doc,
        plain,
        unit=unit,
        shape=shape,
        positive=positive,
        nullable=nullable,
        check=check,
        hint=hint,
        frame=frame,
    )
    return _declare(spec, default)


def per_dof(
    default: Any = 0.0,
    *,
    doc: str,
    plain: str = "",
    unit: str = "",
    minimum: float | None = None,
    nullable: bool = False,
    per: str = "",
) -> Any:
    """One number for every degree of freedom of a joint, or one number for all of them.

    unit: for coordinates in rad, m and 1, in this order, as 'rad/s, m/s or 1/s' (`per_dof_unit`).
    per: outside joints, the list of the element above whose entries are counted instead.
    """
    return _declare(Spec("per_dof", doc, plain, unit=unit, minimum=minimum, nullable=nullable, per=per), default)


def polygons(*, doc: str) -> Any:
    """A list of faces, each a list of at least three vertex indices."""
    return _declare(Spec("polygons", doc), REQUIRED)


def pose(*, doc: str, frame: str = "") -> Any:
    """A `Pose`; the identity when left out. frame: in which it is given, see `Spec`."""
    return _declare(Spec("pose", doc, record=Pose, frame=frame), IDENTITY)


def record(
    cls: type,
    default: Any = REQUIRED,
    *,
    doc: str,
    plain: str = "",
    nullable: bool = False,
    over: str = "",
    columns: int = 1,
) -> Any:
    """A nested group of fields of one class. over, columns: of a table, see `Spec`."""
    return _declare(Spec("record", doc, plain, record=cls, nullable=nullable, over=over, columns=columns), default)


def records(cls: type, default: Any = REQUIRED, *, doc: str, least: int = 0) -> Any:
    """A list of at least `least` nested groups of fields, all of one class."""
    return _declare(Spec("records", doc, record=cls, least=least), default)


def elements(default: Any = (), *, doc: str, registry: str, shared: tuple[str, ...] = ()) -> Any:
    """A list of elements of the named registry.

    shared: names of fields that the listed elements do not have, because they belong to the element that lists
    them. Such elements are parts, and their class method `part` makes one without these fields.
    """
    return _declare(Spec("elements", doc, registry=registry, shared=shared), default)


@dataclass(frozen=True)
class Element:
    """Base of everything a scene lists. Subclasses are frozen dataclasses with declared fields."""

    kind: ClassVar[str] = ""
    label: ClassVar[str] = ""
    """What people see, such as 'Hinge'; the technical name is `kind`."""
    summary: ClassVar[str] = ""
    """A sentence about the kind for people who do not read formulas."""
    icon: ClassVar[str] = "DOT"
    """Icon of Blender's in menus."""
    menu_order: ClassVar[int] = 100
    """Menus list kinds in this order."""
    is_advanced: ClassVar[bool] = False
    """Whether only specialists need the kind, so that menus show it apart."""
    proportional: ClassVar[tuple[str, ...]] = ()
    """Fields that grow together when there is so many times as much of it, such as mass and tensor of an inertia."""

    def problems(self) -> Iterator[tuple[str, ...]]:
        """(what, hint), or a `Fault`, for what no single field can tell. Called only when every field is sound."""
        return iter(())

    def children(self) -> Iterator[tuple[Place, Element]]:
        """Every nested element or record, to be checked like this one, and where it is."""
        for name in _declared(type(self)).nested:
            value = getattr(self, name)
            if isinstance(value, Element):
                if value is not IDENTITY:
                    yield Place(name), value
            elif isinstance(value, (tuple, list)):
                for index, item in enumerate(value):
                    if isinstance(item, Element):
                        yield Place(name, index), item


@dataclass(frozen=True)
class Unreadable(Element):
    """Stands where an element could not be read at all; whoever put it there has reported why."""


def _direction(value: Array) -> str | None:
    return "is zero" if max(map(abs, value)) < SMALLEST else None


def direction(default: Any = (0.0, 0.0, 1.0), *, doc: str) -> Any:
    """A direction in space; its length does not matter but must not vanish."""
    return array(default, doc=doc, shape=(3,), check=_direction, hint="give a direction such as (0, 0, 1)")


def _unit_quaternion(value: Array) -> str | None:
    length = math.hypot(*value)
    return None if abs(length - 1.0) <= 1e-6 else f"has length {length:.6g}"


@dataclass(frozen=True)
class Pose(Element):
    """Where one frame stands in another: a position and a unit quaternion (w, x, y, z)."""

    position: Vector = array(
        (0.0, 0.0, 0.0), doc="Origin of the frame", shape=(3,), unit="m", hint="give three finite numbers in metres"
    )
    rotation: Vector = array(
        (1.0, 0.0, 0.0, 0.0),
        doc="Unit quaternion (w, x, y, z); it maps the frame's axes to the outer axes",
        shape=(4,),
        check=_unit_quaternion,
        hint="give a unit quaternion such as (1, 0, 0, 0)",
    )


IDENTITY = Pose()


class _Declared:
    """What the fields of one element class declare, worked out once."""

    def __init__(self, cls: Any) -> None:
        fields = dataclasses.fields(cls)
        self.specs: dict[str, Spec] = {f.name: f.metadata["spec"] for f in fields if "spec" in f.metadata}
        self.defaults: dict[str, Any] = {f.name: f.default for f in fields}
        self.nested = tuple(
            name for name, s in self.specs.items() if s.sort in ("pose", "record", "records", "elements")
        )
        self.rows = tuple((name, spec, self.defaults[name]) for name, spec in self.specs.items())


_DECLARED: dict[type, _Declared] = {}


def _declared(cls: type) -> _Declared:
    found = _DECLARED.get(cls)
    if found is None:
        found = _DECLARED[cls] = _Declared(cls)
    return found


def specs(cls: type) -> dict[str, Spec]:
    """Declared fields of an element class, in order."""
    return _declared(cls).specs


def defaults(cls: type) -> dict[str, Any]:
    """Default of every field; REQUIRED where there is none."""
    return _declared(cls).defaults


def field_problems(element: object, ndof: int | None = None) -> Iterator[Fault]:
    """A fault for every declared field whose value does not fit its declaration.

    element: an `Element`, or any dataclass with declared fields.
    ndof: degrees of freedom, for per_dof fields; None skips their length check.
    Nested elements are not visited; see `Element.children`.
    """
    values = element.__dict__
    for name, spec, default in _declared(type(element)).rows:
        value = values[name]
        if value is default or (type(value) is tuple and _is_sound_tuple(spec, value, ndof)):
            continue
        what, hint = value_problem(spec, value, ndof)
        if what:
            yield Fault(what, hint or spec.hint or expected(spec, ndof), "missing" if value is None else "value", name)


def value_problem(spec: Spec, value: Any, ndof: int | None) -> tuple[str, str]:
    """What is wrong with one value, and a hint where the declaration's own would not do."""
    if value is None:
        return ("", "") if spec.nullable else ("is missing", "")
    match spec.sort:
        case "number" | "integer":
            return _number_problem(spec, value), ""
        case "flag":
            return ("" if isinstance(value, (bool, np.bool_)) else f"is {_shown(value)}"), ""
        case "text" | "reference":
            return ("" if isinstance(value, str) else f"is {_shown(value)}"), ""
        case "choice":
            return ("" if isinstance(value, str) and value in spec.choices else f"is {_shown(value)}"), ""
        case "array":
            return _array_problem(spec, value, spec.shape), ""
        case "per_dof":
            if isinstance(value, REAL) or (isinstance(value, np.ndarray) and value.ndim == 0):
                return _number_problem(spec, value), ""
            if not isinstance(value, (tuple, list, np.ndarray)):
                return f"is {_shown(value)}, not a number", ""
            if spec.nullable and isinstance(value, (tuple, list)):
                value = tuple(0.0 if entry is None else entry for entry in value)
            return _array_problem(spec, value, (ndof,), allow_empty=True), ""
        case "polygons":
            return _polygons_problem(value), ""
        case "pose" | "record":
            ok = spec.record is not None and isinstance(value, spec.record)
            return ("" if ok else f"is {_shown(value)}"), ""
        case "records":
            return _records_problem(spec, value), ""
        case "elements":
            ok = isinstance(value, (tuple, list)) and all(isinstance(item, Element) for item in value)
            return ("" if ok else f"is {_shown(value)}"), ""


def expected(spec: Spec, ndof: int | None = None) -> str:
    """What the field wants, in words."""
    unit = f" in {spec.unit}" if spec.unit else ""
    bound = " above 0" if spec.positive else (f" of at least {spec.minimum:g}" if spec.minimum is not None else "")
    match spec.sort:
        case "number":
            return f"give a finite number{bound}{unit}"
        case "integer":
            return f"give a whole number{bound}"
        case "flag":
            return "give true or false"
        case "text":
            return "give a text"
        case "choice":
            return "give one of: " + ", ".join(spec.choices)
        case "reference":
            null = " or null for the world" if spec.refers_to == "body" else " or null"
            return f"give the name of a {spec.refers_to}" + (null if spec.nullable else "")
        case "array":
            if spec.shape.count(None) > 1:
                return f"give rows of finite numbers{unit}, such as [[1.0], [2.0]] for one column"
            size = " x ".join("n" if length is None else str(length) for length in spec.shape)
            return f"give {size} finite numbers{bound}{unit}"
        case "per_dof":
            count = "one number per degree of freedom" if ndof is None else f"{ndof} finite number{'s' * (ndof != 1)}"
            return f"give {count}{bound}{unit}"
        case "polygons":
            return "give lists of at least three vertex indices"
        case "pose":
            return 'give {"position": [x, y, z], "rotation": [w, x, y, z]}'
        case "record":
            return "give an object with the documented fields"
        case "records":
            return f"give a list of at least {spec.least} objects with the documented fields"
        case "elements":
            return "give a list of objects with a kind"


def per_dof_unit(spec: Spec, dof_unit: str) -> str:
    """Unit of a per_dof field for a coordinate in one of DOF_UNITS: of 'rad/s, m/s or 1/s' it is '1/s' for '1'."""
    units = spec.unit.replace(" or ", ", ").split(", ")
    return units[DOF_UNITS.index(dof_unit)] if len(units) == len(DOF_UNITS) else spec.unit


def per_dof_values(value: Any, ndof: int, missing: float = 0.0) -> list[float]:
    """A per_dof value as ndof numbers; a single one is repeated, None becomes `missing`."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    values = value if isinstance(value, (tuple, list)) else [value] * ndof
    return [missing if entry is None else float(entry) for entry in values]


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def _number_problem(spec: Spec, value: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, REAL):
        return f"is {_shown(value)}, not a number"
    if spec.sort == "integer" and not isinstance(value, (int, np.integer)):
        return f"is {_shown(value)}, not a whole number"
    try:
        as_float = float(value)
    except (OverflowError, TypeError):
        return "is too large"
    if not math.isfinite(as_float):
        return f"is {as_float}"
    if abs(as_float) > LARGEST or (spec.positive and as_float < SMALLEST):
        return f"is {as_float:g}"
    if spec.minimum is not None and as_float < spec.minimum:
        return f"is {as_float:g}"
    return ""


def _is_sound_tuple(spec: Spec, value: Any, ndof: int | None) -> bool:
    """True for what most fields of large scenes hold, without a look at how anything could be wrong."""
    if spec.check is not None or spec.sort not in ("per_dof", "array") or not value:
        return False
    return _is_plain(spec, value, spec.shape or (ndof,))


def _is_plain(spec: Spec, value: Any, shape: tuple[int | None, ...]) -> bool:
    """True for tuples of floats of the wanted shape and size: the common case of large scenes, checked quickly."""
    if type(value) is not tuple or len(value) != shape[0]:
        return False
    if len(shape) > 1:
        return all(_is_plain(spec, row, shape[1:]) for row in value)
    least = SMALLEST if spec.positive else -LARGEST if spec.minimum is None else spec.minimum
    for x in value:  # noqa: SIM110  (a generator takes longer than all the rest here)
        if type(x) is not float or not least <= x <= LARGEST:
            return False
    return True


def _array_problem(spec: Spec, value: Any, shape: tuple[int | None, ...], *, allow_empty: bool = False) -> str:
    if _is_plain(spec, value, shape) and (value or allow_empty):
        return (spec.check(value) or "") if spec.check else ""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        numbers = value.astype(np.float64)
    elif isinstance(value, (tuple, list)):
        what = _entries_problem(value)
        if what:
            return what
        try:
            numbers = np.array(value, dtype=np.float64)
        except (ValueError, TypeError):
            return "has rows of different lengths"
        except OverflowError:
            return "has a number that is too large"
    else:
        return f"is {_shown(value)}, not a list of numbers"
    if numbers.size == 0 and not allow_empty:
        return "is empty"
    if numbers.ndim != len(shape) or any(s is not None and s != n for s, n in zip(shape, numbers.shape, strict=True)):
        return f"has shape {_shape_text(numbers.shape)}"
    if not np.isfinite(numbers).all():
        return "has a number that is not finite"
    if (np.abs(numbers) > LARGEST).any():
        return f"has a number beyond {LARGEST:g}"
    if spec.positive and (numbers < SMALLEST).any():
        return "has a number that is not above 0" if (numbers <= 0.0).any() else f"has a number below {SMALLEST:g}"
    if spec.minimum is not None and (numbers < spec.minimum).any():
        return f"has a number below {spec.minimum:g}"
    return (spec.check(numbers) or "") if spec.check else ""


def _shape_text(shape: tuple[int, ...]) -> str:
    return " x ".join(str(n) for n in shape) if shape else "of a single number"


def _entries_problem(value: Any) -> str:
    """Says if a nested list holds anything but numbers, without recursion."""
    pending = [value]
    while pending:
        for item in pending.pop():
            if type(item) is float or type(item) is int:
                continue
            if isinstance(item, (tuple, list)):
                pending.append(item)
            elif isinstance(item, (bool, np.bool_)) or not isinstance(item, REAL):
                return f"holds {_shown(item)}, not a number"
    return ""


def _records_problem(spec: Spec, value: Any) -> str:
    if not isinstance(value, (tuple, list)):
        return f"is {_shown(value)}, not a list"
    if len(value) < spec.least:
        return f"has {len(value)} of at least {spec.least} entries"
    for index, item in enumerate(value):
        if spec.record is None or not isinstance(item, (spec.record, Unreadable)):
            return f"has {_shown(item)} as entry {index}"
    return ""


def _polygons_problem(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "" if value.ndim == 2 and value.shape[1] >= 3 and value.dtype.kind in "iu" else "is not a list of faces"
    if not isinstance(value, (tuple, list)) or not value:
        return f"is {_shown(value)}, not a list of faces"
    for index, face in enumerate(value):
        if not isinstance(face, (tuple, list)) or len(face) < 3:
            return f"has face {index} with fewer than three vertices"
        for vertex in face:
            if isinstance(vertex, bool) or not isinstance(vertex, (int, np.integer)):
                return f"has face {index} with {_shown(vertex)} as a vertex index"
            if not -(2**62) < vertex < 2**62:
                return f"has face {index} with a vertex index that is too large"
    return ""
