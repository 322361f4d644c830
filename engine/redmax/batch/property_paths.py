# SPDX-License-Identifier: GPL-3.0-or-later
"""One value of a scene by its path, such as `joints.Elbow.stiffness[0]`, `bodies.Crate.inertia.mass` or `gravity[2]`.

A path names a list of the scene, an element of it (`*` for all of them) and what is meant inside: declared fields by
their names, entries of lists and vectors by their numbers. Names may hold dots, as Blender's do: the longest name that
fits is meant. Paths are looked up in what is declared (`fields`); nothing in them is ever run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import ElementName, RedMaxError
from ..fields import REAL, Element, specs
from ..io import LISTS
from ..joints import Joint
from ..registry import suggestion
from ..scene import Scene

EVERY = "*"
"""In place of a name: every element of the list."""

Change: TypeAlias = Literal["set", "times", "plus"]
CHANGES: tuple[Change, ...] = ("set", "times", "plus")
"""How a value of a table is meant: as the new value, or as a factor of or an addition to the scene's own."""

Step: TypeAlias = str | int


class PathError(RedMaxError):
    """A path that leads nowhere in a scene, or a value that cannot be put there."""


def value_at(scene: Scene, path: str) -> Any:
    """What stands at a path; of several elements (`*`) that of the first."""
    for _, element, steps in _targets(scene, path):
        return _read(element, steps, path)
    raise PathError(f"'{path}': the scene has no such elements")


def changed(scene: Scene, path: str, value: Any, how: Change = "set") -> Scene:
    """The scene with another value at a path. Raises PathError for a path that leads nowhere.

    Whether the value fits its field is not looked at; `check.find_problems` judges the scene.
    """
    lists: dict[str, Any] = {}
    for place, element, steps in _targets(scene, path):
        new = _written(element, steps, value, how, path, element)
        if place is None:
            return new  # type: ignore[no-any-return]  # a path of its own fields changes the scene itself
        list_name, index = place
        lists.setdefault(list_name, list(getattr(scene, list_name)))[index] = new
    return replace(scene, **lists)


def elements_at(scene: Scene, path: str) -> Iterator[tuple[ElementName, object]]:
    """Every element that a path leads into: its name and itself."""
    for place, element, _ in _targets(scene, path):
        name = ElementName("scene") if place is None else ElementName(LISTS[place[0]], getattr(element, "name", ""))
        yield name, element


def _targets(scene: Scene, path: str) -> Iterator[tuple[tuple[str, int] | None, Any, tuple[Step, ...]]]:
    """Where in which list an element is (None: the scene itself), the element, and the steps inside it."""
    start, _, rest = path.partition(".")
    if start not in LISTS:
        steps = _steps(path, path)
        if steps[0] not in specs(Scene):
            known = (*LISTS, *specs(Scene))
            raise PathError(f"'{path}': a scene has no '{steps[0]}'; {suggestion(steps[0], known, 'it has')}")
        yield None, scene, steps
        return
    elements = getattr(scene, start)
    if rest.startswith(f"{EVERY}."):
        if not elements:
            raise PathError(f"'{path}': the scene has no {start}")
        steps = _steps(rest[len(EVERY) + 1 :], path)
        for index, element in enumerate(elements):
            yield (start, index), element, steps
        return
    fitting = [(len(e.name), k) for k, e in enumerate(elements) if rest.startswith(f"{e.name}.")]
    if not fitting:
        word = rest.split(".")[0]
        names = tuple(element.name for element in elements)
        raise PathError(f"'{path}': there is no such {LISTS[start]}; {suggestion(word, names, f'{start} are')}")
    length, index = max(fitting)
    yield (start, index), elements[index], _steps(rest[length + 1 :], path)


def _steps(text: str, path: str) -> tuple[Step, ...]:
    """`inertia.center[2]` as ("inertia", "center", 2)."""
    steps: list[Step] = []
    for part in text.split("."):
        field, *indices = part.split("[")
        if not field.isidentifier():
            raise PathError(f"'{path}': '{field}' is no name of a field; give a path such as joints.Elbow.stiffness[0]")
        steps.append(field)
        for index in indices:
            digits = index.removesuffix("]")
            if digits == index or not digits.isascii() or not digits.isdigit() or len(digits) > 9:
                raise PathError(f"'{path}': '[{index}' is no index; write [0] for the first")
            steps.append(int(digits))
    return tuple(steps)


def _read(holder: Any, steps: tuple[Step, ...], path: str) -> Any:
    value = holder
    for step in steps:
        value = _inside(value, step, holder, path)
    return value


def _inside(value: Any, step: Step, element: Any, path: str) -> Any:
    """One step further inside an element."""
    if isinstance(step, str):
        known = specs(type(value)) if isinstance(value, (Element, Scene)) else {}
        if step not in known:
            if value is None:
                raise PathError(f"'{path}': there is nothing to change before '.{step}'; describe it in the scene")
            raise PathError(f"'{path}': there is no '{step}' there; {suggestion(step, tuple(known), 'there are')}")
        return getattr(value, step)
    entries = _entries(value, element)
    if entries is None or step >= len(entries):
        there = "it is a single value" if entries is None else f"there are {len(entries)}, counted from 0"
        raise PathError(f"'{path}': there is no entry [{step}]; {there}")
    return entries[step]


def _entries(value: Any, element: Any) -> list[Any] | None:
    """The entries of a list or vector; of a joint's single number as many as it has coordinates."""
    if isinstance(value, np.ndarray):
        return list(value.tolist())
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(element, Joint) and (value is None or isinstance(value, REAL)):
        return [value] * element.ndof
    return None


def _written(holder: Any, steps: tuple[Step, ...], value: Any, how: Change, path: str, element: Any) -> Any:
    """A copy of `holder`, which is a part of the element, in which the value stands at the end of the steps."""
    if not steps:
        if how != "times" and isinstance(value, REAL) and isinstance(holder, Element) and holder.proportional:
            raise PathError(f"'{path}' is many numbers; vary all of them by factors (times), or name one of them")
        return value if how == "set" else _combined(holder, value, how, path)
    step, rest = steps[0], steps[1:]
    inner = _inside(holder, step, element, path)
    new = _written(inner, rest, value, how, path, element)
    if isinstance(step, str):
        return replace(holder, **{step: new})
    entries = _entries(holder, element)
    assert entries is not None  # or `_inside` would have said so
    entries[step] = new
    return tuple(entries)


def _combined(old: Any, value: Any, how: Change, path: str) -> Any:
    """A number, or every number of a vector, times or plus the value; an inertia or a table so many times as large."""
    if isinstance(old, np.ndarray):
        old = old.tolist()
    if isinstance(old, (tuple, list)):
        return tuple(_combined(entry, value, how, path) for entry in old)
    if how == "times" and isinstance(old, Element) and old.proportional:
        having = {name: having for name in old.proportional if (having := getattr(old, name)) is not None}
        return replace(old, **{name: _combined(number, value, how, path) for name, number in having.items()})
    for number, what in ((old, "the scene has"), (value, "the table has")):
        if not isinstance(number, REAL) or isinstance(number, bool):
            raise PathError(f"'{path}': only numbers have {how}; {what} {_shown(number)} there")
    return old * value if how == "times" else old + value


def _shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:40]
