# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints as kernels read them: the parts they consist of, with the addresses of their functions and their numbers."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array, IntArray
from ...joints import Joint
from ...joints.special import Form, SpecialForm, special_form
from ...joints.trusted import evaluated_parts
from ...model import Model
from . import codes
from .declaration import Body, Link, Part, Twist

if TYPE_CHECKING:
    from ..joints.functions import Functions

log = logging.getLogger(__name__)

MODES = {
    Form.GENERAL: codes.GENERAL,
    Form.TWIST: codes.TWIST,
    Form.HINGE: codes.HINGE,
    Form.BALL: codes.BALL,
}


@dataclass
class PackedJoints:
    """parts: one line of `Part` each. data: numbers that the joints' functions read, and constant twists.

    slots: of each part that has several charts the joint, and what a chart of the joint is divided by, and taken modulo
    of, for it. python_joints: joints known only by their `motion`. functions: compiled ones whose addresses are used.
    places: where the numbers of an array begin in `data`, by its identity; joints on one track share them.
    """

    parts: list[list[int]] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    slots: list[tuple[int, int, int]] = field(default_factory=list)
    python_joints: list[int] = field(default_factory=list)
    functions: list[Functions] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    @property
    def part_ints(self) -> IntArray:
        return np.array(self.parts, np.int64).reshape(len(self.parts), Part.SIZE)


def special_forms(model: Model) -> list[SpecialForm]:
    """How each joint of a model is computed."""
    return [special_form(joint) for joint in model.joints]


def pack_joints(model: Model, forms: list[SpecialForm], links: IntArray, bodies: Array) -> PackedJoints:
    """All joints of a model. links, bodies: one line per body; the former get modes and parts, of the latter joint
    frames are read."""
    packed = PackedJoints()
    for j, (joint, special) in enumerate(zip(model.joints, forms, strict=True)):
        link, parts = links[j], evaluated_parts(joint)
        link[Link.DOF], link[Link.NDOF] = model.dof[j], joint.ndof
        link[Link.PRESCRIBED] = bool(model.prescribed[model.columns(j)].any())
        link[Link.SINGULAR] = joint.has_singularity
        link[Link.MODE], link[Link.TWIST] = MODES[special.form], -1
        link[Link.FIRST] = len(packed.parts)
        if special.form == Form.TWIST:
            link[Link.TWIST] = len(packed.data)
            packed.data += twist_numbers(special, bodies[j, Body.span("R0")].reshape(3, 3)).tolist()
        if joint.ndof == 0:
            _hold(bodies[j], joint)
        elif parts is None or not _add_parts(packed, model, j, parts, special.form):
            packed.python_joints.append(j)
        link[Link.LAST] = len(packed.parts)
    return packed


def _hold(body: Array, joint: Joint) -> None:
    """Put the constant pose of a joint without coordinates into its body's joint frame."""
    Q = joint.motion(np.zeros(0), np.zeros(0)).Q
    R0 = body[Body.span("R0")].reshape(3, 3)
    body[Body.span("P0")] += R0 @ Q[:3, 3]
    body[Body.span("R0")] = (R0 @ Q[:3, :3]).ravel()


def _add_parts(packed: PackedJoints, model: Model, j: int, parts: tuple[Joint, ...], form: Form) -> bool:
    """Add the parts of joint j; False where the compiler refuses one of their functions."""
    coordinate, divisor = int(model.dof[j]), 1
    loaded = j in model.charted_loads
    for part in parts:
        needs = (form == Form.GENERAL or loaded, part.has_singularity, loaded and part.has_singularity)
        slot = -1
        if part.chart_count > 1:
            slot = len(packed.slots)
            packed.slots.append((j, divisor, part.chart_count))
        if any(needs):
            addresses = _addresses(packed, model.joints[j], part, needs)
            if addresses is None:
                return False
            line = np.zeros(Part.SIZE, np.int64)
            line[Part.EVALUATE : Part.EVALUATE + 3] = addresses
            line[Part.COORDINATE], line[Part.NDOF], line[Part.SLOT] = coordinate, part.ndof, slot
            line[Part.DATA], line[Part.COUNT] = _place_of(packed, part.packed_data), len(part.packed_data)
            line[Part.REWRITTEN] = addresses[2] != 0
            packed.parts.append(line.tolist())
        divisor *= part.chart_count
        coordinate += part.ndof
    return True


def _place_of(packed: PackedJoints, numbers: Array) -> int:
    """Where the numbers of a part begin, which the model keeps alive; those of one array are packed once."""
    place = packed.places.get(id(numbers))
    if place is None:
        place = packed.places[id(numbers)] = len(packed.data)
        packed.data += numbers.tolist()
    return place


def _addresses(packed: PackedJoints, joint: Joint, part: Joint, needs: tuple[bool, ...]) -> list[int] | None:
    """Addresses of a part's functions, 0 for those that are not needed; None where the compiler refuses one."""
    from numba.core.errors import NumbaError  # noqa: PLC0415  (a joint of a special form needs no function)

    from ..joints.functions import Functions  # noqa: PLC0415  (needs numba)

    functions = Functions(part)
    try:
        found = functions.addresses(needs)
    except NumbaError as error:
        reason = _reason(str(error))
        log.warning(
            "The functions of joint kind '%s' cannot be compiled, so '%s' is computed in Python: %s",
            part.kind,
            joint.name,
            reason,
        )
        return None
    packed.functions.append(functions)
    return found


def _reason(said: str) -> str:
    """The part of the compiler's words that tells an engineer what it refused, and where."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("Failed in nopython")]
    text = " ".join(lines[:6]) or "no reason given"
    if "of type Module" in text:
        text += " (import the function by its name)"
    return text


def twist_numbers(special: SpecialForm, R0: Array) -> Array:
    """(Twist.SIZE,) of a joint with a constant twist: its rotation as a sum of constant matrices."""
    numbers = np.zeros(Twist.SIZE)
    x, y, z = special.turn
    hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    square = hat @ hat
    numbers[Twist.span("K0")] = (R0 @ (np.eye(3) + square)).ravel()
    numbers[Twist.span("K1")] = (R0 @ -square).ravel()
    numbers[Twist.span("K2")] = (R0 @ hat).ravel()
    numbers[Twist.span("TURN")], numbers[Twist.span("ADVANCE")] = special.turn, special.advance
    numbers[Twist.span("STEP")] = R0 @ special.advance
    return numbers
