# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of joints in loops made exactly parallel, or square to each other, where single precision says they are.

Blender stores rotations in single precision: hinges that are modelled parallel differ by some 1e-7 rad. In a tree that
is nothing. A flat linkage, however, can move only because its axes are parallel: taken to the last digit it would be a
rigid frame, bent by 1e-7. Joint frames are therefore turned by that much before they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._engine import arrays, joints

Array = arrays.Array

PARALLEL = 1e-5
"""Radians between axes that are meant to be parallel: single precision leaves 1e-7, and more near gimbal lock."""

UPRIGHT = (0.0, 0.0, 1.0)


class Placed(NamedTuple):
    """A joint before it is made: its class, its fields, and its frame (4, 4) in the world."""

    cls: Any
    values: dict[str, Any]
    E_wj: Array


def straightened(placed: Sequence[Placed]) -> list[Array]:
    """Frames (4, 4) of all joints; those of mechanisms with loops turned where that makes axes parallel."""
    frames = [joint.E_wj for joint in placed]
    for members in _with_loops(placed):
        _straighten(placed, frames, members)
    return frames


def _with_loops(placed: Sequence[Placed]) -> list[list[int]]:
    """Numbers of the joints of every mechanism that has more joints than a tree needs."""
    group: dict[str, str] = {}

    def leader(name: str) -> str:
        group.setdefault(name, name)
        while group[name] != name:
            name = group[name]
        return name

    for joint in placed:
        child = leader(joint.values["child"])
        if joint.values["parent"] is not None:
            group[leader(joint.values["parent"])] = child
    members: dict[str, list[int]] = {}
    for number, joint in enumerate(placed):
        members.setdefault(leader(joint.values["child"]), []).append(number)
    found = []
    for numbers in members.values():
        ends = [(placed[number].values["parent"], placed[number].values["child"]) for number in numbers]
        bodies = {name for pair in ends for name in pair if name is not None}
        uncarried = bodies - {child for _, child in ends}
        at_world = any(parent is None for parent, _ in ends)
        # Each body that no joint carries is held by the world, and one of a ring that nothing else holds.
        held = len(uncarried) if uncarried or at_world else 1
        if len(numbers) + held > len(bodies):
            found.append(numbers)
    return found


def _straighten(placed: Sequence[Placed], frames: list[Array], members: list[int]) -> None:
    normals = {k: axis for k in members if (axis := _normal(placed[k])) is not None}
    others = [k for k in members if k not in normals]
    plane: Array | None = None
    while normals:
        near = {k: [other for other in normals if angle(normals[k], normals[other]) < PARALLEL] for k in normals}
        chosen = near[max(near, key=lambda k: len(near[k]))]
        reference = _mean([normals[k] for k in chosen])
        for k in chosen:
            frames[k] = _aligned(frames[k], normals[k], reference)
            del normals[k]
        plane = reference if plane is None else plane
    for k in others if plane is not None else ():
        frames[k] = _square(placed[k], frames[k], plane)


def _square(joint: Placed, E: Array, normal: Array) -> Array:
    """The frame of a joint with its slide square to a direction and one of its axes along it, where it nearly is so.

    Conditions of a loop are written along the axes of its joint. One that should follow from the others, and is made
    of single precision's last digit alone, would be told apart from them by rounding.
    """
    slide = _slide(joint)
    along = 0.0 if slide is None else float(slide @ normal)
    if slide is not None and abs(along) < PARALLEL:
        across = slide - along * normal
        E = _aligned(E, slide, across / np.linalg.norm(across))
    nearest = max((E[:3, k] for k in range(3)), key=lambda axis: abs(float(axis @ normal)))
    return _aligned(E, nearest, normal) if angle(nearest, normal) < PARALLEL else E


def _normal(joint: Placed) -> Array | None:
    """Direction in the world that a joint of a flat mechanism has square to its plane, None if its kind has none."""
    cls, values = joint.cls, joint.values
    if cls is joints.Composite:
        return next((axis for part in values["parts"] if (axis := _normal(_part(part, joint))) is not None), None)
    if cls is joints.Revolute:
        return _in_world(joint, values["axis"])
    return _in_world(joint, UPRIGHT) if cls in (joints.Planar, joints.Free2D) else None


def _slide(joint: Placed) -> Array | None:
    """Direction in the world along which a joint slides, None if its kind slides along none."""
    if joint.cls is joints.Composite:
        parts = joint.values["parts"]
        return next((axis for part in parts if (axis := _slide(_part(part, joint))) is not None), None)
    return _in_world(joint, joint.values["axis"]) if joint.cls is joints.Prismatic else None


def _part(part: Any, whole: Placed) -> Placed:
    return Placed(type(part), vars(part), whole.E_wj)


def _in_world(joint: Placed, axis: Any) -> Array | None:
    direction = np.asarray(axis, np.float64)
    length = float(np.linalg.norm(direction))
    return joint.E_wj[:3, :3] @ (direction / length) if length > 0.0 else None  # the engine's check names a zero axis


def _mean(axes: list[Array]) -> Array:
    total = np.sum([axis if axis @ axes[0] > 0.0 else -axis for axis in axes], axis=0)
    mean: Array = total / np.linalg.norm(total)
    return mean


def _aligned(E: Array, axis: Array, line: Array) -> Array:
    """The frame turned by the least that brings a direction fixed in it onto a line, whichever way that points."""
    turned: Array = E.copy()
    turned[:3, :3] = least_turn(axis, line if axis @ line > 0.0 else -line) @ E[:3, :3]
    return turned


def angle(a: Array, b: Array) -> float:
    """Between two lines, whichever way they point."""
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), abs(a @ b)))


def least_turn(a: Array, b: Array) -> Array:
    """The least rotation (3, 3) that takes one unit vector to another."""
    v, c = np.cross(a, b), float(a @ b)
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    turn: Array = np.eye(3) + K + K @ K / (1.0 + c)
    return turn
