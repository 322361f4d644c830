# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether all of a mechanism rests, so that the frame that comes is the one before: nothing moves, forces stay.

What rests is solved again in every step to the same forces, and creeps by what is left of the residual. Where nothing
in a model changes with time, and a whole frame has neither moved nor sped up anything by more than that, nothing ever
will: steps may be left out. Only a state that somebody else puts begins them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...joints.base import ANIMATED
from ...model import Model
from ...state import State
from .moment import Moment
from .pushes import ContactPush

if TYPE_CHECKING:
    from .stepper import ContactStepper

STILL = 10.0
"""Speeds below so many times the residual of contact problems are none."""

SPENT = 1e-9
"""Of the energy in play: what friction and impacts may take out in a frame in which nothing moves."""


def never_changes(model: Model) -> bool:
    """Whether a mechanism that stands still and is not touched stays so: nothing in it knows the time, and no stop or
    motor holds it."""
    if model.followers is not None or model.strands or model.constraints or model.loops:
        return False
    for joint in model.joints:
        if joint.motion_type == ANIMATED or joint.motor is not None or joint.torque_table is not None:
            return False
    if any(np.isfinite(limits).any() for limits in (model.lower, model.upper)):
        return False
    return all(isinstance(force, ContactPush) for force in model.forces)


class Rest:
    """What a run knows of whether it rests."""

    def __init__(self, run: ContactStepper) -> None:
        self._run = run
        self._may = run.constraints is None and never_changes(run.model)
        self._before: Moment | None = None
        self._facts: tuple[float, ...] = ()
        self._held: State | None = None

    def holds(self, state: State) -> bool:
        """Whether a run that stands there rests."""
        return self._held is state

    def stays(self, state: State) -> None:
        """Take note of the state after a frame that was left out."""
        self._held = state

    def look(self, now: Moment) -> None:
        """See at the end of a frame whether all rested in it."""
        if not self._may:
            return
        account = self._run.account
        facts = (float(account.impacts), float(account.missed), account.friction_loss, account.impact_loss,
                 account.work)  # fmt: skip
        before, facts_before = self._before, self._facts
        self._before, self._facts = (now, facts) if self._is_slow(now) else (None, ())
        self._held = None
        if self._before is not None and before is not None and self._stood(before, now, facts_before, facts):
            self._held = now.state

    def _is_slow(self, moment: Moment) -> bool:
        return float(moment.speeds.max(initial=0.0)) <= STILL * self._run.residual

    def _stood(self, before: Moment, now: Moment, facts_before: tuple[float, ...], facts: tuple[float, ...]) -> bool:
        """Whether nothing happened in the frame between two moments."""
        run = self._run
        if facts[:2] != facts_before[:2]:
            return False
        if np.abs(np.subtract(facts[2:], facts_before[2:])).max() > SPENT * run.scale_of_energy:
            return False
        a, b = before.placed, now.placed
        way = np.linalg.norm(a.center - b.center, axis=1)
        turn = np.linalg.norm(a.kin.E_wi[:, :3, :3] - b.kin.E_wi[:, :3, :3], axis=(1, 2))
        far = STILL * run.residual * (now.state.t - before.state.t)
        return bool((way <= far).all() and (turn * run.detection.sizes <= far).all())
