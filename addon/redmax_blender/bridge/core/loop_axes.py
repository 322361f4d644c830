# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes in loops that keep them from moving, and the axes that would let them move.

Hinges that are nearly parallel are meant to be. Hinges and sliders that are far from agreeing may be meant, as those of
a spatial linkage are: only where rings cannot move as they stand, and can with other axes, are these proposed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ..._engine import adjoint, arrays, pose, quaternion, traits
from . import axis_choice, joint_rings
from .axis_choice import GROUND, AxisJoint
from .boxes import Extent
from .mechanisms import LOCKED, Mechanism, static_bodies, structure
from .part_shapes import PartShape
from .straight_axes import PARALLEL, angles, least_turn

Array = arrays.Array

MEANT_PARALLEL = np.radians(10.0)
"""Hinges whose axes differ by less are meant to be parallel."""

IMMOBILE = 1e-4
"""A ring moves if its joints can, up to this fraction: linkages that live from coincidences, such as Bennett's, have
axes in single precision and move all the same."""


def axes(made: Any, mechanism: Mechanism) -> dict[str, Array]:
    """Axis of every hinge and slider of a mechanism in the world as modelled, by name of the joint."""
    names = set(mechanism.joints)
    E_wb = _poses(made)
    found = {joint.name: _axis(joint, _frame(joint, E_wb)) for joint in made.joints if joint.name in names}
    return {name: axis for name, axis in found.items() if axis is not None}


def _axis(joint: Any, E_wj: Array) -> Array | None:
    """Axis (3,) in the world of a hinge or a slider with the frame E_wj (4, 4), None of any other joint."""
    own = traits.of(joint)
    if not (own.is_hinge or own.is_slider):
        return None
    axis = E_wj[:3, :3] @ own.direction
    return np.asarray(axis / np.linalg.norm(axis))


def _matrix(placed: Any) -> Array:
    return pose.make(quaternion.to_matrix(np.array(placed.rotation)), np.array(placed.position))


def _frame(joint: Any, E_wb: Mapping[str, Array]) -> Array:
    """Frame (4, 4) in the world that a joint has on its parent."""
    E_pj = _matrix(joint.frame_in_parent)
    return E_pj if joint.parent is None else E_wb[joint.parent] @ E_pj


def _poses(made: Any) -> dict[str, Array]:
    """Pose (4, 4) of every body that a chain of joints places, as modelled."""
    found: dict[str, Array] = {}
    for joint in structure(made).carried_by.values():  # parents come before their children
        found[joint.child] = _frame(joint, found) @ traits.of(joint).Q0 @ pose.inverse(_matrix(joint.frame_in_child))
    return found


def askew(made: Any, mechanism: Mechanism) -> dict[str, Array]:
    """Hinges that are not quite parallel to the axis that most of them nearly have, with that axis."""
    hinges = {joint.name for joint in made.joints if traits.of(joint).is_hinge}
    found = {name: axis for name, axis in axes(made, mechanism).items() if name in hinges}
    if len(found) < 2:
        return {}
    directions = np.array(list(found.values()))
    # Of several directions the one that most hinges have exactly, so that as few as possible are turned.
    best = max(directions, key=lambda axis: _alike(angles(directions, axis)))
    apart = angles(directions, best)
    return {
        name: best if axis @ best > 0.0 else -best
        for name, axis, off in zip(found, directions, apart, strict=True)
        if PARALLEL < off < MEANT_PARALLEL
    }


def _alike(apart: Array) -> tuple[int, int]:
    """How many directions nearly are another one, and how many of them are, by the angles between."""
    return int((apart < MEANT_PARALLEL).sum()), int((apart < PARALLEL).sum())


# --- rings that cannot move ------------------------------------------------------------------


def disagreeing(made: Any, mechanism: Mechanism) -> dict[str, Array]:
    """Hinges and sliders that keep rings from moving, with the axis that would let them; as few as possible.

    Of rings that can move, or that would not move with parallel hinges either, none.
    """
    names = set(mechanism.joints)
    E_wb = _poses(made)
    ground = static_bodies(structure(made))
    members = [joint for joint in made.joints if joint.name in names]
    edges: list[joint_rings.Edge] = [
        (GROUND if joint.parent is None or joint.parent in ground else joint.parent,
         GROUND if joint.child in ground else joint.child)
        for joint in members
    ]  # fmt: skip
    found: dict[str, Array] = {}
    for numbers in joint_rings.blocks(edges):
        block = _Block([members[k] for k in numbers], [edges[k] for k in numbers], E_wb)
        found |= block.freeing()
    return found


class _Block:
    """Rings that share bodies, in the pose in which they were modelled."""

    def __init__(self, members: Sequence[Any], edges: Sequence[joint_rings.Edge], E_wb: Mapping[str, Array]) -> None:
        self.members, self.edges, self.E_wb = members, edges, E_wb
        self.frames = [_frame(joint, E_wb) for joint in members]
        self.origins = np.array([E[:3, 3] for E in self.frames])
        middle = self.origins.mean(axis=0)
        self.size = float(np.linalg.norm(self.origins - middle, axis=1).max()) or 1.0
        self.offsets = (self.origins - middle) / self.size
        found = {k: _axis(joint, self.frames[k]) for k, joint in enumerate(members)}
        self.axes = {k: axis for k, axis in found.items() if axis is not None}
        self.hinges = [k for k in self.axes if traits.of(members[k]).is_hinge]

    def freeing(self) -> dict[str, Array]:
        """Axes, by name of the joint, that let rings move which cannot; empty if they can, or no axes would."""
        if len(self.hinges) < 2 or self.freedoms({}) > 0:
            return {}
        for directions in self._directions():
            candidates = [self._turned(direction) for direction in directions]
            freeing = [turned for turned in candidates if turned and self.freedoms(turned) > 0]
            if freeing:
                return {self.members[k].name: axis for k, axis in min(freeing, key=len).items()}
        return {}

    def freedoms(self, turned: Mapping[int, Array]) -> int:
        """In how many ways the rings can move at once, with some axes turned, if links may give by IMMOBILE.

        Twists of bodies add up along the joints: around every ring to nothing.
        """
        count = [0 if joint.motion_type == LOCKED else joint.ndof for joint in self.members]
        columns = np.concatenate([[0], np.cumsum(count)])
        total = int(columns[-1])
        twists = [self._twists(k, turned.get(k))[:, : count[k]] for k in range(len(self.members))]
        of_node: dict[Hashable, Array] = {self.edges[0][0]: np.zeros((6, total))}
        rows, left = [], list(range(len(self.members)))
        while left:
            k = next(k for k in left if self.edges[k][0] in of_node or self.edges[k][1] in of_node)
            left.remove(k)
            parent, child = self.edges[k]
            step = np.zeros((6, total))
            step[:, columns[k] : columns[k + 1]] = twists[k]
            if parent in of_node and child in of_node:
                rows.append(of_node[child] - of_node[parent] - step)
            elif parent in of_node:
                of_node[child] = of_node[parent] + step
            else:
                of_node[parent] = of_node[child] - step
        if not rows or not total:
            return total
        strengths = np.linalg.svd(np.concatenate(rows), compute_uv=False)
        return total - int((strengths > IMMOBILE * strengths[0]).sum())

    def _twists(self, k: int, axis: Array | None) -> Array:
        """(6, n) twists of the child in the world, lengths by the size of the block.

        Per rate at which a coordinate turns it by 1 rad/s or, where it does not turn, slides it by the size.
        """
        E = self.frames[k].copy()
        if axis is not None:
            E[:3, :3] = least_turn(self.axes[k], axis) @ E[:3, :3]
        joint = self.members[k]
        E[:3, 3] = self.offsets[k]
        Q, S, _ = joint.motion(np.zeros(joint.ndof), np.zeros(joint.ndof))
        Q, S = Q.copy(), S.copy()
        Q[:3, 3] /= self.size
        S[3:] /= self.size
        turning = np.linalg.norm(S[:3], axis=0)
        pace = np.where(turning > 0.0, turning, np.linalg.norm(S[3:], axis=0))
        return np.asarray(adjoint.Ad(E @ Q) @ (S / np.where(pace > 0.0, pace, 1.0)))

    def _directions(self) -> tuple[list[Array], ...]:
        """What the hinges may all be parallel to: what several of them are, else what new ones would be, else what one
        is."""
        now = np.array([self.axes[k] for k in self.hinges])
        shared = [axis for axis in now if (angles(now, axis) < MEANT_PARALLEL).sum() > 1]
        chosen = self._chosen(dict.fromkeys(self.hinges), open_ones=self.hinges)
        return shared, [chosen[k].axis for k in self.hinges], list(now)

    def _chosen(self, known: Mapping[int, Array | None], *, open_ones: Sequence[int]) -> dict[int, axis_choice.Choice]:
        """What axes new joints would have in place of some. known: axes other than they are."""
        parts: dict[Hashable, PartShape] = {
            body: PartShape(Extent(np.zeros(3), np.zeros(3), self.E_wb[body]))
            for edge in self.edges
            for body in edge
            if isinstance(body, str)
        }
        now: dict[int, Array | None] = {**self.axes, **known}
        mechanism = [
            AxisJoint(edge, axis_choice.role_of(traits.of(joint)), origin, now.get(k), is_new=k in open_ones)
            for k, (edge, joint, origin) in enumerate(zip(self.edges, self.members, self.origins, strict=True))
        ]
        return axis_choice.choose(mechanism, parts)

    def _turned(self, direction: Array) -> dict[int, Array]:
        """Joints that must be turned so that all hinges have a direction and all sliders are square to it."""
        turned = {
            k: direction if self.axes[k] @ direction > 0.0 else -direction
            for k in self.hinges
            if angles(self.axes[k], direction) > PARALLEL
        }
        slanted = [k for k in self.axes if k not in self.hinges and abs(float(self.axes[k] @ direction)) > PARALLEL]
        if not slanted:
            return turned
        chosen = self._chosen({**dict.fromkeys(self.hinges, direction), **dict.fromkeys(slanted)}, open_ones=slanted)
        for k in slanted:
            across = self.axes[k] - (self.axes[k] @ direction) * direction
            near = np.linalg.norm(across) > np.cos(MEANT_PARALLEL)
            axis = across / np.linalg.norm(across) if near else chosen[k].axis
            turned[k] = axis if axis @ self.axes[k] >= 0.0 else -axis
        return turned
