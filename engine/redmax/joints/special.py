# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints for which kernels have shorter recursions than the one that serves every joint."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from .base import Joint
from .primitives import Kind, Triple
from .trusted import trusted_primitives


class Form(IntEnum):
    """GENERAL: `evaluate` says where it is. TWIST: one coordinate and a constant twist, Q = exp [S q]. HINGE: a twist
    that turns only. BALL: three coordinates, Q = exp [q]."""

    GENERAL = 0
    TWIST = 1
    HINGE = 2
    BALL = 3


class SpecialForm(NamedTuple):
    """How a joint can be computed. turn, advance: the constant twist of TWIST and HINGE, per unit of q."""

    form: Form
    turn: Triple = (0.0, 0.0, 0.0)
    advance: Triple = (0.0, 0.0, 0.0)


GENERAL = SpecialForm(Form.GENERAL)


def special_form(joint: Joint) -> SpecialForm:
    """The shortest way in which a joint can be computed; GENERAL is always right."""
    listed = trusted_primitives(joint)
    if listed is None or len(listed) != 1:
        return GENERAL
    (only,) = listed
    if only.kind == Kind.BALL:
        return SpecialForm(Form.BALL)
    if only.kind != Kind.SCREW:
        return GENERAL
    form = Form.HINGE if any(only.turn) and not any(only.advance) else Form.TWIST
    return SpecialForm(form, only.turn, only.advance)
