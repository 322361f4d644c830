# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements of every generated sort for the engine: forces, constraints, strands, drives and what is registered beside
them. One method for each form of a field (`properties.forms`); what refers to nothing sound is named and left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, euler, pose, so3
from ...properties import coordinate_units, drawn, from_specs, generated, references, sorts
from ...properties.forms import Field, fields_of
from ...properties.sorts import Sort
from ..check.findings import frame_objects
from ..core.findings import Finding
from ..objects import frames, units
from ..objects.modelled import Modelled
from ..objects.units import per_coordinate
from . import element_tables
from .animation import Clock, Samples
from .bodies import BodyFrame, refused_as
from .drawn_elements import READERS
from .joints import LOST, as_poses

Array = arrays.Array

LEAST = 4
"""Frames of a grid in each direction."""

HALF_TURN = 1e-6
"""Angles closer to half a turn than this [rad] have no sense of rotation."""


class LeftOutError(Exception):
    """Part of an element cannot be read; a finding says why, about it or about what it refers to."""


class Reader(NamedTuple):
    """An element, or a record of one, that is being read. title: its type and name. group: its properties. values: of
    the fields that were read already. above: the group that holds the list in which a record stands. entry: what the
    record is called in that list, such as 'point 2'."""

    obj: bpy.types.Object
    title: str
    group: Any
    values: dict[str, Any]
    above: Any = None
    entry: str = ""

    def record(self, group: Any, entry: str = "") -> Reader:
        """The reader of a record of this one."""
        return Reader(self.obj, self.title, group, {}, self.group, entry)

    def its(self, words: str) -> str:
        """'its Body A', and of an entry of a list 'the Body of its point 2'."""
        if self.entry.startswith(words.lower()):
            return f"its {self.entry}"  # the Point of its point 2
        return f"the {words} of its {self.entry}" if self.entry else f"its {words}"

    def having(self, words: str) -> str:
        """'Body A', and of an entry of a list 'Body at its point 2'."""
        return f"{words} at its {self.entry}" if self.entry else words


@dataclass(frozen=True, eq=False)
class Around:
    """What elements may refer to. bodies: those with a frame. known: by sort, names of the elements that could be made.
    in_scene, in_layer: full names of the objects of the scene and of its view layer."""

    modelled: Modelled
    bodies: dict[str, BodyFrame]
    known: dict[str, set[str]]
    in_scene: set[str]
    in_layer: set[str]
    length: float
    clock: Clock
    samples: Samples


def sources(objects: list[bpy.types.Object]) -> list[bpy.types.Object]:
    """Objects beside bodies and joints that elements read: what stands at points, and curves."""
    found: dict[str, bpy.types.Object] = {}
    for obj in objects:
        for each in sorts.references_of(obj.redmax):
            meant = each.object()
            if meant is not None and not meant.redmax.is_body and not meant.redmax.is_joint:
                found[meant.name_full] = meant
    return list(found.values())


class ElementReader:
    """Makes the engine's elements of one extraction."""

    def __init__(self, around: Around, findings: list[Finding]) -> None:
        self.around, self.findings = around, findings
        self.forms: dict[str, Callable[[Reader, Field], Any]] = {
            "plain": self._plain,
            "optional": self._plain,
            "coordinate": self._coordinate,
            "reference": self._reference,
            "point": self._point,
            "pose": self._pose,
            "points": self._points,
            "poses": self._poses,
            "grid": self._grid,
            "turns": self._turns,
            "numbers": self._numbers,
            "table": self._table,
            "record": self._record,
            "records": self._records,
            "per": self._per,
        }

    def read(self, sort: Sort, objects: list[bpy.types.Object]) -> list[Any]:
        """The engine's elements of a sort, without those that cannot be made."""
        found = [made for obj in objects if (made := self._element(sort, obj)) is not None]
        self.around.known[sort.name] = {element.name for element in found}
        return found

    def _element(self, sort: Sort, obj: bpy.types.Object) -> Any | None:
        refused = refused_as(obj, sort.name)
        if refused is not None:
            self.findings.append(refused)
            return None
        settings = getattr(obj.redmax, sort.name)
        cls = sort.class_of(settings)
        at = Reader(obj, f"{cls.label} '{obj.name}'", sort.own_group(settings), {})
        by_geometry = drawn.fields_of(sort.name, obj)
        try:
            values = self._values(at, cls, leave_out=by_geometry)
            if by_geometry:
                values |= self._drawn(at, sort)
            return cls(name=obj.name, **values)
        except LeftOutError:
            return None

    def _drawn(self, at: Reader, sort: Sort) -> dict[str, Any]:
        """What the geometry of an element's own object gives."""
        E_wt = self.frame_of(at)
        A = pose.inverse(E_wt) @ self.around.modelled.matrix(at.obj)
        found = READERS[sort.name, at.obj.type](at.obj, A, self.around.length)
        self.findings.extend([*found.findings, *frame_objects.own_motion(at.obj, at.title)])
        if found.values is None:
            raise LeftOutError
        return found.values

    def frame_of(self, at: Reader) -> Array:
        """(4, 4) rigid frame of an element's own object in the world [Blender units]."""
        try:
            return self.around.modelled.rigid_part(at.obj)[0]
        except frames.FrameError as error:
            raise self._refuse(at, str(error), "give it a size", ("UNIT_SCALE",)) from None

    def _values(self, at: Reader, cls: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
        """Values of all fields in SI units. Points come after the bodies in whose frames they are given."""
        missing = False
        for field in _in_order(cls):
            if field.name in leave_out:
                continue
            try:
                at.values[field.name] = self.forms[field.form](at, field)
            except LeftOutError:
                missing = True  # go on, so that everything that is wrong is said at once
        if missing:
            raise LeftOutError
        return at.values

    def _refuse(self, at: Reader, text: str, hint: str, fixes: tuple[str, ...] = (), code: str = "") -> Exception:
        self.findings.append(Finding(at.obj.name, f"{at.title} {text}", hint, fixes=fixes, code=code))
        return LeftOutError()

    def _plain(self, at: Reader, field: Field) -> Any:
        if field.form == "optional" and not getattr(at.group, f"use_{field.name}"):
            return None
        found = getattr(at.group, field.name)
        factor = self.around.length ** from_specs.POWER_OF_LENGTH.get(field.spec.unit, 0)
        if field.spec.sort == "array":
            return tuple(float(number) * factor for number in found)
        return float(found) * factor if field.spec.sort == "number" else found

    def _coordinate(self, at: Reader, field: Field) -> Any:
        if field.spec.nullable and not getattr(at.group, f"use_{field.name}"):
            return None
        unit = coordinate_units.unit_of(at.group, field)
        return float(getattr(at.group, coordinate_units.place(at.group, field))) * per_coordinate(
            unit, self.around.length
        )

    def _reference(self, at: Reader, field: Field) -> str | None:
        sort, words = field.spec.refers_to, references.label_of(field.name)
        may_be_world = field.spec.nullable and sort == "body"
        fixes = ("PICK_END", *(("USE_WORLD",) if may_be_world else ()), "REMOVE_ELEMENT")
        hint = f"pick a {sort}{', leave it to the world' * may_be_world}, or remove it"
        found = references.target(at.group, field.name)
        gone = found is not None and found.object.name_full not in self.around.in_scene
        if gone or references.is_lost(at.group, field.name):
            lost = references.lost_name(at.group, field.name)
            raise self._refuse(at, f"has lost {at.its(words)}, '{lost}'", hint, fixes, LOST)
        if found is None:
            if field.spec.nullable:
                return None
            raise self._refuse(at, f"has no {at.having(words)}", f"pick a {sort}, or remove it", fixes)
        if found.bone:
            what = f"has bone '{found.bone}' of '{found.object.name}' as {at.its(words)}; bones are not simulated yet"
            raise self._refuse(at, what, "pick an object or an empty instead", fixes)
        name: str = found.object.name
        if not getattr(found.object.redmax, f"is_{sort}"):
            article = f"make '{name}' a {sort}, or pick another one"
            raise self._refuse(at, f"has '{name}' as {at.its(words)}, which is not a RedMax {sort}", article, fixes)
        if found.object.name_full not in self.around.in_layer:
            what = f"has '{name}' as {at.its(words)}, which is not in this view layer"
            raise self._refuse(at, what, f"include the collection of '{name}', or pick another {sort}", fixes)
        if name not in self.around.known.get(sort, ()):
            raise LeftOutError  # what is wrong with it is said of it
        return name

    def _place(self, at: Reader, group: Any, name: str, words: str) -> bpy.types.Object | None:
        """The object that stands at a point or pose, None where none is picked."""
        found = references.target(group, name)
        if references.is_lost(group, name) or (
            found is not None and found.object.name_full not in self.around.in_scene
        ):
            lost = references.lost_name(group, name)
            text = f"has lost '{lost}', which stood at {at.its(words)}"
            hint = "pick another object there, or none to use its own coordinates"
            raise self._refuse(at, text, hint, ("CLEAR_PLACE", "REMOVE_ELEMENT"), LOST)
        place: bpy.types.Object | None = None if found is None else found.object
        return place

    def _world_point(self, at: Reader, group: Any, name: str, words: str) -> Array | None:
        """(3,) [m] where the object of a point, or the vertex of it, stands as modelled; None where none is picked."""
        place = self._place(at, group, f"{name}_at", words)
        if place is None:
            return None
        M = self.around.modelled.matrix(place)
        x = np.zeros(3)
        vertex = getattr(group, f"{name}_vertex")
        if vertex > generated.NO_VERTEX:
            data: Any = place.evaluated_get(self.around.modelled.depsgraph).data
            having = len(data.vertices) if isinstance(data, bpy.types.Mesh) else 0
            if vertex >= having:
                text = f"has {at.its(words)} at vertex {vertex} of '{place.name}', which has {having} vertices"
                raise self._refuse(at, text, "pick another vertex", ("CLEAR_PLACE", "REMOVE_ELEMENT"))
            x = np.array(data.vertices[vertex].co, np.float64)
        point: Array = (M[:3, :3] @ x + M[:3, 3]) * self.around.length
        return point

    def _frame(self, at: Reader, field: Field) -> Array:
        """(4, 4) in the world [m], the frame in which a point or a pose is given."""
        if field.spec.frame in ("", "world"):
            return np.eye(4)
        if field.spec.frame not in at.values:
            raise LeftOutError  # its body is missing, which is said of that
        name = at.values[field.spec.frame]
        return np.eye(4) if name is None else self.around.bodies[name].E_wb

    def _point(self, at: Reader, field: Field) -> tuple[float, ...]:
        point = self._world_point(at, at.group, field.name, from_specs.title(field.name))
        if point is None:
            return tuple(float(number) * self.around.length for number in getattr(at.group, field.name))
        E_bw = pose.inverse(self._frame(at, field))
        return tuple((E_bw[:3, :3] @ point + E_bw[:3, 3]).tolist())

    def _pose(self, at: Reader, field: Field) -> Any:
        place = self._place(at, at.group, f"{field.name}_at", from_specs.title(field.name))
        E_wb = self._frame(at, field)
        if place is None:
            return field.default
        try:
            E_wp, _ = self.around.modelled.rigid_part(place)
        except frames.FrameError as error:
            text = f"has '{place.name}' as {at.its(from_specs.title(field.name))}, which {error}"
            raise self._refuse(at, text, "give it a size") from None
        E = E_wp.copy()
        E[:3, 3] *= self.around.length
        return as_poses((pose.inverse(E_wb) @ E)[None])[0]

    def _points(self, at: Reader, field: Field) -> Any:
        rows = []
        for number, entry in enumerate(getattr(at.group, field.name)):
            point = self._world_point(at, entry, "place", entry_name(field, number))
            rows.append(np.array(entry.place, np.float64) * self.around.length if point is None else point)
        if not rows:
            raise self._refuse(at, f"has no {from_specs.title(field.name)}", "add them", ("REMOVE_ELEMENT",))
        return tuple(tuple(row.tolist()) for row in rows)

    def _frames(self, at: Reader, field: Field) -> tuple[Array, list[bpy.types.Object]]:
        """(n, 4, 4) frames of a list of objects, seen from the element's own [m], and these objects."""
        E_tw = pose.inverse(self.frame_of(at))
        found, missing = [], False
        for number, entry in enumerate(getattr(at.group, field.name)):
            place = references.target(entry, "place_at")
            if place is None or place.object.name_full not in self.around.in_scene:
                lost = references.lost_name(entry, "place_at") or "nothing"
                text = f"has lost '{lost}', its frame {number + 1}"
                hint = "take the frame out of the list, or pick another object for it"
                self._refuse(at, text, hint, ("REMOVE_FRAMES", "REMOVE_ELEMENT"), LOST)
                missing = True
                continue
            self.findings.extend(frame_objects.findings(at.obj, at.title, place.object))
            try:
                found.append((self.around.modelled.rigid_part(place.object)[0], place.object))
            except frames.FrameError as error:
                text = f"has '{place.object.name}' as its frame {number + 1}, which {error}"
                self._refuse(at, text, "give it a size", ("REMOVE_FRAMES",))
                missing = True
        self.findings.extend(frame_objects.own_motion(at.obj, at.title))
        if missing:
            raise LeftOutError
        E = E_tw @ np.array([each for each, _ in found]).reshape(-1, 4, 4)
        return units.in_metres(E, self.around.length), [obj for _, obj in found]

    def _poses(self, at: Reader, field: Field) -> Any:
        E, objects = self._frames(at, field)
        if len(E) < field.spec.least:
            text = f"has {len(E)} frames, and needs at least {field.spec.least}"
            raise self._refuse(at, text, "add empties to its list", ("ADD_FRAMES", "REMOVE_ELEMENT"))
        for a, b, k in half_turns(E, cyclic=getattr(at.group, "cyclic", False)):
            text = f"turns by exactly half a turn from '{objects[a].name}' to '{objects[b].name}' (frame {k})"
            hint = "add a frame between them, or turn one of them a little"
            raise self._refuse(at, f"{text}, which has no sense of rotation", hint, ("ADD_FRAMES",), "half_turn")
        return tuple(as_poses(E))

    def _grid(self, at: Reader, field: Field) -> Any:
        E, _ = self._frames(at, field)
        columns = getattr(at.group, f"{field.name}_columns")
        rows = len(E) // columns
        if rows * columns != len(E) or min(rows, columns) < LEAST:
            text = f"has {len(E)} frames in rows of {columns}"
            hint = f"let it have at least {LEAST} whole rows of at least {LEAST} frames each"
            raise self._refuse(at, text, hint, ("REMOVE_ELEMENT",))
        at.values["frames of the grid"] = E.reshape(rows, columns, 4, 4)
        return tuple(tuple(map(tuple, row)) for row in E[:, :3, 3].reshape(rows, columns, 3).tolist())

    def _turns(self, at: Reader, field: Field) -> Any:
        """Angles of the frames of the grid that was read before, where they count."""
        E = at.values.pop("frames of the grid", None)
        if E is None or getattr(at.group, "orientation", "") != field.name:
            return None
        angles = np.unwrap(np.unwrap(euler.from_matrix(E[..., :3, :3], "xyz"), axis=0), axis=1)
        return tuple(tuple(map(tuple, row)) for row in angles.tolist())

    def _numbers(self, at: Reader, field: Field) -> Any:
        if field.spec.nullable and not getattr(at.group, f"use_{field.name}"):
            return None
        factor = self.around.length ** from_specs.POWER_OF_LENGTH.get(field.spec.unit, 0)
        rows = [[float(number) * factor for number in entry.values] for entry in getattr(at.group, field.name)]
        if len(field.spec.shape) == 1:
            return tuple(row[0] for row in rows)
        return tuple(tuple(row[: field.spec.shape[1]]) for row in rows)

    def _table(self, at: Reader, field: Field) -> Any:
        source = getattr(at.group, f"{field.name}_source")
        if source == generated.NO_TABLE:
            return None
        if source == generated.KEYS:
            found = element_tables.keyed_table(at.group, field, self.around.clock, self.around.samples)
            if found.broken:
                raise self._refuse(at, "has a key that is not a finite number", "delete its keys")
            if not found.keyed and sorts.is_slider(at.group):
                text = f"The slider of '{at.obj.name}' has no keyframes; what it moves will stand still"
                self.findings.append(Finding(at.obj.name, text, "key its slider", "WARNING", ("KEY_SLIDER",)))
            return found.table
        words = from_specs.title(field.name)
        curve = self._place(at, at.group, f"{field.name}_curve", words)
        if curve is None:
            raise self._refuse(at, f"has no curve for {at.its(words)}", "pick a curve object, or use Keys")
        table, finding = element_tables.curve_table(curve, self.around.modelled.depsgraph, field, at.title)
        if finding is not None:
            self.findings.append(finding)
            raise LeftOutError
        return table

    def _record(self, at: Reader, field: Field) -> Any:
        if field.spec.nullable and not getattr(at.group, f"use_{field.name}"):
            return None
        return field.spec.record(**self._values(at.record(getattr(at.group, field.name)), field.spec.record))

    def _records(self, at: Reader, field: Field) -> Any:
        made, missing = [], False
        for number, entry in enumerate(getattr(at.group, field.name)):
            try:
                record = at.record(entry, entry_name(field, number))
                made.append(field.spec.record(**self._values(record, field.spec.record)))
            except LeftOutError:
                missing = True
        if missing:
            raise LeftOutError
        return tuple(made)

    def _per(self, at: Reader, field: Field) -> tuple[float, ...]:
        count = len(getattr(at.above, field.spec.per))
        return tuple(float(number) for number in getattr(at.group, field.name)[:count])


def entry_name(field: Field, number: int) -> str:
    """What to call an entry of a list, counted from 0: 'point 2' of Points."""
    return f"{from_specs.title(field.name).lower().removesuffix('s')} {number + 1}"


def _in_order(cls: Any) -> Iterator[Field]:
    """Fields of a class, references first: points are given in the frames of bodies."""
    yield from (field for field in fields_of(cls) if field.form == "reference")
    yield from (field for field in fields_of(cls) if field.form != "reference")


def half_turns(E: Array, *, cyclic: bool) -> Iterator[tuple[int, int, int]]:
    """Pairs of neighbours of frames (n, 4, 4) that are exactly half a turn apart, and the second's number from 1."""
    n = len(E)
    for a in range(n if cyclic else n - 1):
        b = (a + 1) % n
        if np.linalg.norm(so3.log(E[a, :3, :3].T @ E[b, :3, :3])) > np.pi - HALF_TURN:
            yield a, b, b + 1
