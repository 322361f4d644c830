# SPDX-License-Identifier: GPL-3.0-or-later
"""What elements of an engine's scene refer to, and so tie together. No Blender here."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..._engine import fields, io

HOLDING = ("constraints", "drives")
"""Lists of a scene whose elements hold coordinates together as joints do: they make one mechanism of several."""

OTHERS = tuple(listed for listed, sort in io.LISTS.items() if sort not in ("body", "joint"))
"""Lists of a scene besides bodies and joints."""


def names_in(element: Any) -> Iterator[tuple[str, str | None]]:
    """Everything an element refers to, also in its parts: the sort of element, and its name or None for the world."""
    for name, spec in fields.specs(type(element)).items():
        if spec.sort == "reference":
            yield spec.refers_to, getattr(element, name)
    for _, part in element.children():
        yield from names_in(part)


def is_guided(joint: Any) -> bool:
    """Whether a joint moves along something of the scene, as a track, which decides where its frame is."""
    return any(sort not in ("body", "joint") for sort, _ in names_in(joint))


def bodies_of(element: Any, joints: dict[str, Any]) -> list[str | None]:
    """Bodies that an element acts on, each once; of a joint those it carries, None for the world. joints: by name."""
    found: dict[str | None, None] = {}
    for sort, name in names_in(element):
        if sort == "body":
            found[name] = None
        elif sort == "joint" and name in joints:
            found[joints[name].child] = None
    return list(found)


def edges(made: Any) -> Iterator[tuple[str, str]]:
    """Pairs of bodies of one mechanism: connected by a joint, or held together by a constraint or a drive."""
    joints = {joint.name: joint for joint in made.joints}
    for joint in made.joints:
        if joint.parent is not None:
            yield joint.parent, joint.child
    for listed in HOLDING:
        for element in getattr(made, listed):
            touched = [name for name in bodies_of(element, joints) if name is not None]
            yield from pairwise(touched)


def restricted(made: Any, bodies: Container[str]) -> Any:
    """The scene of some of its bodies: without the joints of others and whatever else refers to what is gone."""
    joints = [joint for joint in made.joints if joint.child in bodies]
    left: dict[str, Container[str]] = {"body": bodies, "joint": {joint.name for joint in joints}}
    others: dict[str, list[Any]] = {}
    for listed in OTHERS:
        others[listed] = [
            element
            for element in getattr(made, listed)
            if all(name is None or sort not in left or name in left[sort] for sort, name in names_in(element))
        ]
        left[io.LISTS[listed]] = {element.name for element in others[listed]}
    return replace(made, bodies=[body for body in made.bodies if body.name in bodies], joints=joints, **others)
