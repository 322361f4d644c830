# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of joints made exactly parallel, square to each other or the same, where single precision says they are.

Blender stores rotations in single precision: hinges that are modelled parallel differ by some 1e-7 rad. A flat linkage
can move only because its axes are parallel: taken to the last digit it would be a rigid frame, bent by 1e-7. A tree
moves either way, but only with axes that are parallel does it stay in its plane, where it is simulated in less time.
Likewise a door moves on two hinges only if their axes are one line. Joint frames are therefore turned, and those
between the same two bodies shifted, by that much before they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays, so3

Array = arrays.Array
IntArray = arrays.IntArray

PARALLEL = 1e-5
"""Radians between axes that are meant to be parallel: single precision leaves 1e-7, and more near gimbal lock."""

COAXIAL = 1e-6
"""How far a joint is beside a hinge's axis that is meant to be on it, relative to its distance from the world's origin
and from the hinge: single precision leaves 1e-7."""

NO_DIRECTION = (np.nan, np.nan, np.nan)


Direction = Callable[[Any], Array | None]
"""What gives a direction in a joint's frame, or None, of what its motion says of it (`redmax.joints.traits`)."""


class Placed(NamedTuple):
    """A joint before it is made: its class, its fields, its traits, and its frame (4, 4) in the world [m]."""

    cls: Any
    values: dict[str, Any]
    traits: Any
    E_wj: Array


def straightened(placed: Sequence[Placed]) -> Array:
    """Frames (n, 4, 4) of all joints, turned where that makes axes of the same mechanism parallel."""
    frames = np.array([joint.E_wj for joint in placed], np.float64).reshape(-1, 4, 4)
    normals, slides = _in_world(frames, placed, _normal), _in_world(frames, placed, _slide)
    for members in _mechanisms(placed):
        has_normal = np.isfinite(normals[members, 0])
        plane = _make_parallel(frames, normals, members[has_normal])
        if plane is not None:
            _make_square(frames, slides, members[~has_normal], plane)
    for members in _pairs(placed):
        _straighten_pair(frames, placed, members)
    return frames


def _pairs(placed: Sequence[Placed]) -> list[IntArray]:
    """Numbers of the joints between the same two bodies, where there are several."""
    members: dict[frozenset[str | None], list[int]] = {}
    for number, joint in enumerate(placed):
        members.setdefault(frozenset((joint.values["parent"], joint.values["child"])), []).append(number)
    return [np.array(numbers) for numbers in members.values() if len(numbers) > 1]


def _straighten_pair(frames: Array, placed: Sequence[Placed], members: IntArray) -> None:
    """Turns sliders and screws so that they are parallel to each other and to hinges, and puts joints on the lines that
    others turn about, where it nearly is so. Hinges are parallel already."""
    axes = _in_world(frames, placed, _axis)
    is_hinge = np.array([placed[k].traits.is_hinge for k in members])
    known: list[Array] = [axes[k] for k in members[is_hinge]]
    for k in members[~is_hinge & np.isfinite(axes[members, 0])]:
        line = next((line for line in known if are_parallel(axes[k], line)), None)
        if line is None:
            known.append(axes[k])
        else:
            _turn(frames, np.array([k]), axes[None, k], line[None])
    axes = _in_world(frames, placed, _axis)
    for k in members:
        line = placed[k].traits.line
        if line is not None:
            arms = frames[members, :3, 3] - (frames[k, :3, 3] + frames[k, :3, :3] @ line.point)
            beside = arms - np.outer(arms @ axes[k], axes[k])
            far = np.linalg.norm(arms, axis=1) + np.linalg.norm(frames[members, :3, 3], axis=1)
            near = (np.linalg.norm(beside, axis=1) <= COAXIAL * far) & (members != k)
            frames[members[near], :3, 3] -= beside[near]


def _mechanisms(placed: Sequence[Placed]) -> list[IntArray]:
    """Numbers of the joints of every mechanism: of all that hangs together, other than by the world."""
    group: dict[str, str] = {}

    def leader(name: str) -> str:
        group.setdefault(name, name)
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for joint in placed:
        child = leader(joint.values["child"])
        if joint.values["parent"] is not None:
            group[leader(joint.values["parent"])] = child
    members: dict[str, list[int]] = {}
    for number, joint in enumerate(placed):
        members.setdefault(leader(joint.values["child"]), []).append(number)
    return [np.array(numbers) for numbers in members.values()]


def _make_parallel(frames: Array, normals: Array, members: IntArray) -> Array | None:
    """Turns joints with a direction so that nearly parallel ones are parallel; what most of them have, None of none."""
    plane: Array | None = None
    most, left = 0, members
    while len(left):
        reference = normals[left[0]]
        for _ in range(2):  # once more around the mean: an axis at the rim must not divide the others
            near = are_parallel(normals[left], reference)
            reference = _mean(normals[left[near]])
        chosen, left = left[near], left[~near]
        _turn(frames, chosen, normals[chosen], reference)
        if len(chosen) > most:
            plane, most = reference, len(chosen)
    return plane


def _make_square(frames: Array, slides: Array, members: IntArray, normal: Array) -> None:
    """Turns joints so that their slides are square to a direction, and one of their axes along it, where it nearly is
    so.

    Conditions of a loop are written along the axes of its joint. One that should follow from the others, and is made
    of single precision's last digit alone, would be told apart from them by rounding.
    """
    along = slides[members] @ normal
    nearly = np.abs(along) < PARALLEL
    sliding = members[nearly]
    across = slides[sliding] - along[nearly, None] * normal
    _turn(frames, sliding, slides[sliding], across / np.linalg.norm(across, axis=1, keepdims=True))
    axes = frames[members, :3, :3].transpose(0, 2, 1)
    nearest = axes[np.arange(len(members)), np.abs(axes @ normal).argmax(axis=1)]
    nearly = are_parallel(nearest, normal)
    _turn(frames, members[nearly], nearest[nearly], normal)


def _turn(frames: Array, members: IntArray, axes: Array, lines: Array) -> None:
    """Turns frames by the least that brings directions (k, 3) fixed in them onto lines, whichever way these point."""
    same_way = np.where((axes * lines).sum(axis=1, keepdims=True) > 0.0, lines, -lines)
    frames[members, :3, :3] = least_turn(axes, same_way) @ frames[members, :3, :3]


def _in_world(frames: Array, placed: Sequence[Placed], direction: Direction) -> Array:
    """(n, 3) a direction of every joint; NaN where it has none, or one of length 0, as the engine will tell."""
    found = [direction(joint.traits) for joint in placed]
    local = np.array([NO_DIRECTION if one is None else one for one in found], np.float64).reshape(-1, 3)
    in_world: Array = np.einsum("nij,nj->ni", frames[:, :3, :3], local)
    return in_world


def _normal(traits: Any) -> Array | None:
    """Direction that a joint of a flat mechanism has square to its plane; that of a shaft in a bush too."""
    if traits.plane is None and traits.line is not None and traits.slides:
        along: Array = traits.line.direction
        return along
    normal: Array | None = traits.plane
    return normal


def _slide(traits: Any) -> Array | None:
    """The one direction along which a joint slides."""
    slide: Array | None = traits.slide
    return slide


def _axis(traits: Any) -> Array | None:
    """Direction of the line that a joint turns about, or of its only slide: a hinge, a screw, a slider."""
    axis: Array | None = None if traits.line is None and not traits.is_slider else traits.direction
    return axis


def _mean(axes: Array) -> Array:
    """(3,) of directions (k, 3), whichever way they point: as the first does."""
    total: Array = np.where(axes @ axes[:1].T > 0.0, axes, -axes).sum(axis=0)
    return total / float(np.linalg.norm(total))


def are_parallel(axes: Array, line: Array) -> arrays.BoolArray:
    """(k,) whether directions (k, 3) are those of a line up to single precision."""
    return np.asarray(angles(axes, line) < PARALLEL)


def angles(axes: Array, lines: Array) -> Array:
    """(...) between directions (..., 3) and lines (..., 3), whichever way they point."""
    sines = np.linalg.norm(np.cross(axes, lines), axis=-1)
    between: Array = np.arctan2(sines, np.abs((axes * lines).sum(axis=-1)))
    return between


def least_turn(a: Array, b: Array) -> Array:
    """The least rotation (..., 3, 3) that takes one unit vector (..., 3) to another."""
    K, c = so3.hat(np.cross(a, b)), (a * b).sum(axis=-1)[..., None, None]
    turn: Array = np.eye(3) + K + K @ K / (1.0 + c)
    return turn
