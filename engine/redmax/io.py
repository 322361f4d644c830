# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as JSON text. The format is documented in docs/scene-format.md.

Reading is forgiving in order to be complete: whatever cannot be read is reported and left
out, the rest is read on, so that one run lists every problem. Values are only checked by
`check.find_problems`, in one place for scenes from JSON, Python and Blender alike.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import files
from .check import SCENE, find_problems
from .constraints import CONSTRAINTS
from .drives import Drive
from .errors import ElementName, Problem, SceneError
from .fields import REQUIRED, Element, Spec, Unreadable, defaults, specs
from .forces import FORCES
from .geometry.solids import SHAPES
from .joints import JOINTS
from .registry import Registry, suggestion
from .scene import Body, Scene
from .strands import Strand
from .surfaces import SURFACES, SurfacePair
from .tracks import Sheet, Track

FORMAT = "redmax-scene"
VERSION = 1
REGISTRIES: dict[str, Registry[Any]] = {
    "shape": SHAPES,
    "joint": JOINTS,
    "force": FORCES,
    "constraint": CONSTRAINTS,
    "surface": SURFACES,
}
LISTS = {
    "bodies": "body",
    "joints": "joint",
    "forces": "force",
    "constraints": "constraint",
    "strands": "strand",
    "drives": "drive",
    "tracks": "track",
    "sheets": "sheet",
    "surfaces": "surface",
    "surface_pairs": "surface_pair",
}
PLAIN: dict[str, type[Element]] = {
    "body": Body,
    "strand": Strand,
    "drive": Drive,
    "track": Track,
    "sheet": Sheet,
    "surface_pair": SurfacePair,
}
"""What has no kinds."""


MOST_BYTES = 100_000_000
"""Largest scene file that is read; a million numbers take 20 MB."""


def load(path: str | Path) -> Scene:
    """The scene in a JSON file. Raises SceneError with every problem it has."""
    return loads(read_text(path), source=str(path))


def loads(text: str, source: str = "scene") -> Scene:
    """The scene in a JSON text. Raises SceneError with every problem it has."""
    scene, problems = read(text, source)
    if problems:
        raise SceneError(problems)
    return scene


def save(scene: Scene, path: str | Path) -> None:
    """Write a scene as JSON, whole or not at all; `load` gives back the same scene."""
    files.write_text(Path(path), dumps(scene))


def dumps(scene: Scene) -> str:
    """A scene as JSON text. Fields at their default are left out. Raises SceneError for NaN and the like."""
    try:
        return json.dumps(plain(scene), indent=1, allow_nan=False) + "\n"
    except (ValueError, TypeError, RecursionError):
        problems = find_problems(scene) or [Problem(SCENE, "holds a value JSON cannot express", "use plain numbers")]
        raise SceneError(problems) from None


def plain(scene: Scene) -> dict[str, Any]:
    """A scene as what JSON is made of: the content of `dumps`, of scenes with bad numbers too."""
    data: dict[str, Any] = {"format": FORMAT, "version": VERSION, **_plain_fields(scene)}
    for list_name in LISTS:
        items = [_plain_element(item) for item in getattr(scene, list_name)]
        if items:
            data[list_name] = items
    return data


def read_text(path: str | Path) -> str:
    """The text of a scene file. Raises SceneError where it cannot be had."""
    file = ElementName("file", str(path))
    try:
        return files.read_text(Path(path), MOST_BYTES, encoding="utf-8-sig")
    except UnicodeDecodeError:
        problem = Problem(file, "is not UTF-8 text", "give a JSON scene file")
    except OSError as error:
        problem = Problem(file, f"cannot be read ({error.strerror})", "check the name and the permissions")
    raise SceneError([problem])


def read(text: str, source: str = "scene") -> tuple[Scene, list[Problem]]:
    """The scene as far as it can be read, and every problem of the text and of the scene."""
    reader = _Reader(source)
    try:
        scene = reader.scene(text)
        return scene, reader.problems + find_problems(scene, reader.incomplete)
    except RecursionError:  # joints inside joints inside joints
        return Scene(), [Problem(reader.whole, "is nested too deeply", "give a plain scene")]


# --- writing ---------------------------------------------------------------------------------


def _plain_element(element: Element, shared: Collection[str] = ()) -> dict[str, Any]:
    kind = {"kind": element.kind} if element.kind else {}
    return kind | _plain_fields(element, shared)


def _plain_fields(element: object, shared: Collection[str] = ()) -> dict[str, Any]:
    """The fields that are not at their default, without those a part shares with the whole."""
    cls = type(element)
    default = defaults(cls)
    plain = {}
    for name, spec in specs(cls).items():
        value = getattr(element, name)
        if name in shared or value is default[name] or _same(value, default[name]):
            continue
        plain[name] = [_plain_element(part, spec.shared) for part in value] if spec.shared else _plain(value)
    return plain


def _same(value: Any, default: Any) -> bool:
    """True only if leaving the value out reads back as exactly the same value."""
    if type(value) is not type(default):
        return False
    # Most are told apart without their text.
    if isinstance(value, (float, int, str)) and value != default:
        return False
    if isinstance(value, (tuple, list)):
        return len(value) == len(default) and all(map(_same, value, default))
    if isinstance(value, Element):
        return all(_same(getattr(value, name), getattr(default, name)) for name in specs(type(value)))
    return repr(value) == repr(default)


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [item if type(item) is float else _plain(item) for item in value]
    if isinstance(value, Element):
        return _plain_element(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value


# --- reading ---------------------------------------------------------------------------------


@dataclass
class _Reader:
    """Turns JSON into elements and collects what is wrong on the way.

    incomplete: elements that lost a value. Their other values are still checked, but nothing is
    concluded from what is missing. An element that is lost as a whole leaves an `Unreadable`.
    """

    source: str  # what the text is called, such as the name of its file
    problems: list[Problem] = field(default_factory=list)
    incomplete: list[Element] = field(default_factory=list)

    def scene(self, text: str) -> Scene:
        data = self.parse(text)
        if data is None:
            nothing: dict[str, Any] = {name: [Unreadable()] for name in LISTS}
            return Scene(**nothing)
        self.header(data)
        scene = Scene()
        values = {name: _tuples(data.pop(name)) for name in specs(Scene) if name in data}
        for list_name, title in LISTS.items():
            items = data.pop(list_name, [])
            if not isinstance(items, list):
                self.say(self.whole, f"{list_name} is not a list", f'give "{list_name}": [ ... ]')
                values[list_name] = [Unreadable()]
                continue
            values[list_name] = [
                self.element(item, title, self.whole.part(list_name, k)) for k, item in enumerate(items)
            ]
        for key in data:
            known = tuple(specs(Scene)) + tuple(LISTS)
            self.say(self.whole, f"has an unknown field '{key}'", suggestion(key, known, "known fields"))
        for name, value in values.items():
            setattr(scene, name, value)
        return scene

    def parse(self, text: str) -> dict[str, Any] | None:
        """The outermost object, or None where the text is not one."""
        repeated: list[str] = []

        def pairs(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
            result: dict[str, Any] = {}
            for key, value in items:
                if key in result:
                    repeated.append(key)
                result[key] = value
            return result

        try:
            data = json.loads(text, object_pairs_hook=pairs)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            self.say(self.whole, f"is not valid JSON: {error.msg} at {where}", "mend the text there")
            return None
        except (RecursionError, ValueError):
            self.say(self.whole, "is nested too deeply or holds a number that is too long", "give a plain scene")
            return None
        for key in dict.fromkeys(repeated):
            self.say(self.whole, f"has the field '{key}' twice in one object", "keep one of them")
        if not isinstance(data, dict):
            self.say(self.whole, "is not a JSON object", 'begin with {"format": "redmax-scene", "version": 1, ...}')
            return None
        return data

    def header(self, data: dict[str, Any]) -> None:
        format_, version = data.pop("format", None), data.pop("version", None)
        if format_ != FORMAT:
            self.say(self.whole, f"has format {format_!r}", f'write "format": "{FORMAT}"')
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            self.say(self.whole, f"has version {version!r}", f'write "version": {VERSION}')
        elif version > VERSION:
            hint = f"this program reads versions up to {VERSION}; use a newer RedMax"
            self.say(self.whole, f"has version {version}", hint)

    def element(self, item: Any, title: str, where: ElementName, shared: Collection[str] = ()) -> Element:
        """One body, joint, force, constraint or shape; or a part, which leaves the `shared` fields to the whole."""
        if not isinstance(item, dict):
            self.say(where, "is not an object", f"describe the {title} as an object with named fields")
            return Unreadable()
        values = dict(item)
        registry = REGISTRIES.get(title)
        if registry is None:
            return self.record(PLAIN[title], values, self.label(title, values, where))
        if "kind" not in values:
            self.say(self.label(title, values, where), "has no kind", registry.hint(None))
            return Unreadable()
        kind = values.pop("kind")
        cls = registry.get(kind)
        if cls is None:
            self.say(self.label(title, values, where), f"has the unknown kind {kind!r}", registry.hint(kind))
            return Unreadable()
        return self.record(cls, values, where if shared else self.label(title, values, where), shared)

    def record(
        self, cls: type[Any], values: dict[str, Any], label: ElementName, shared: Collection[str] = ()
    ) -> Element:
        """An instance of `cls`; what is missing or unknown is reported."""
        known = {name: spec for name, spec in specs(cls).items() if name not in shared}
        default = defaults(cls)
        complete = True
        for key in [key for key in values if key not in known]:
            self.say(label, f"has an unknown field '{key}'", suggestion(key, tuple(known), "known fields"))
            complete = False
        arguments: dict[str, Any] = {}
        for name, spec in known.items():
            if name in values:
                arguments[name], ok = self.value(spec, values[name], label, name)
                complete &= ok
            elif default[name] is REQUIRED:
                # The missing value is None, which `check` then reports once, with its hint.
                arguments[name] = None
                if spec.nullable:
                    self.say(label, "is missing", _wanted(spec), "missing", name)
                complete = False
        element: Element = cls.part(**arguments) if shared else cls(**arguments)
        if not complete:
            self.incomplete.append(element)
        return element

    def value(self, spec: Spec, value: Any, label: ElementName, name: str) -> tuple[Any, bool]:
        """Value of the field `name`, and whether it was read whole."""
        if spec.sort == "records" and spec.record is not None and isinstance(value, list):
            before = len(self.problems)
            entries = [self.entry(spec.record, item, label.part(name, index)) for index, item in enumerate(value)]
            return tuple(entries), len(self.problems) == before
        if spec.record is not None and isinstance(value, dict):
            before = len(self.problems)
            nested = self.record(spec.record, value, label.part(name))
            return nested, len(self.problems) == before
        if spec.sort == "elements" and isinstance(value, list):
            items = [
                self.element(item, spec.registry, label.part(name, index), spec.shared)
                for index, item in enumerate(value)
            ]
            return tuple(items), not any(isinstance(item, Unreadable) for item in items)
        return _tuples(value), True

    def entry(self, cls: type[Any], item: Any, label: ElementName) -> Element:
        """One of a list of records."""
        if isinstance(item, dict):
            return self.record(cls, item, label)
        self.say(label, "is not an object", "give an object with the documented fields")
        return Unreadable()

    def label(self, title: str, values: dict[str, Any], where: ElementName) -> ElementName:
        name = values.get("name")
        return ElementName(title, name) if isinstance(name, str) else where

    @property
    def whole(self) -> ElementName:
        """The text as a whole."""
        return ElementName(name=self.source)

    def say(self, element: ElementName, what: str, hint: str, code: str = "unsound", field: str = "") -> None:
        self.problems.append(Problem(element, what, hint, code, field))


def _wanted(spec: Spec) -> str:
    null = "null for the world" if spec.refers_to == "body" else "null"
    return f"give the name of a {spec.refers_to}, or {null}" if spec.sort == "reference" else ""


def _tuples(value: Any) -> Any:
    """JSON lists as tuples, so that elements are hashable and compare by value."""
    if type(value) is not list:
        return value
    return tuple([_tuples(item) if type(item) is list else item for item in value])
