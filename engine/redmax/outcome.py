# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be said of a run, as data: sentences are made of it, never read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import UNKNOWN, ElementName, Quantity

CODES = {
    "no_progress": "the last 1 000 steps led no further than a thousandth of a frame, or 10 seconds of processor time "
    "less than a tenth",
    "too_many_steps": "a frame needs more steps than the accuracy allows",
    "step_too_small": "no step is short enough for the tolerances",
    "turns_too_far": "a joint with a singularity would turn too far in one step",
    "springs_too_stiff": "springs or dampers push harder than inertia resists within a fixed step",
    "stops_met_too_often": "stops are met too many times in one step, or the moment of one cannot be found",
    "immovable": "nothing resists a joint or the input of a drive",
    "massless": "a body without mass is free to move, or held by loops",
    "uneven_masses": "masses that move together differ too much",
    "cannot_close": "a loop or a constraint cannot be closed, or not any longer",
    "no_joint_position": "no position of a joint fits its bodies",
    "jams": "friction presses a bearing harder than it slows it",
    "impossible_velocity": "a velocity is demanded that the mechanism cannot have",
    "no_solution": "Newton's method or conjugate gradients do not converge",
    "diverged": "a body is faster than 1e6 m/s or 1e6 rad/s",
    "body_not_finite": "the motion of a body is no longer finite",
    "not_finite": "an acceleration or the equations of motion are no longer finite",
    "cannot_step": "a step cannot be taken for another reason",
    "failed": "anything else, as the message says",
}
"""Why runs stop: the reason by its code. Integrators and elements of others may have further ones."""


SMALLER_STEP = "use a smaller step"
"""Advice to those who choose the step themselves."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Why a run stopped, or what somebody should know of one that went on.

    code: the reason, for programs. frame: index of the sample at which it shows, and its time t [s].
    element: what it is about. suspected: nobody knows what, and the element is the body that was fastest.
    what: what happened, in words; it names the element unless that is suspected. advice: what to do.
    numbers: further facts by name. lasting: whether it holds from that frame on, or was at that frame.
    """

    code: str
    frame: int
    t: float
    what: str
    element: ElementName = UNKNOWN
    suspected: bool = False
    advice: str = ""
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    lasting: bool = True

    @property
    def reason(self) -> str:
        """What happened and what to do, without the frame."""
        what = f"{self.what}, where {self.element} is the fastest" if self.suspected else self.what
        return f"{what}; {self.advice}" if self.advice else what

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON. element is in words; sort and name are its parts."""
        return {
            **vars(self),
            "element": str(self.element),
            "sort": self.element.sort,
            "name": self.element.name,
            **_plain_numbers(self.numbers),
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Outcome:
        """What `as_dict` wrote; earlier versions wrote neither sort and name nor units."""
        words = facts.get("element", "")
        return cls(
            code=facts["code"],
            frame=facts["frame"],
            t=facts["t"],
            what=facts["what"],
            element=ElementName(facts["sort"], facts["name"]) if "sort" in facts else ElementName(name=words),
            suspected=facts.get("suspected", False),
            advice=facts.get("advice", ""),
            numbers=_quantities(facts),
            lasting=facts.get("lasting", True),
        )


@dataclass(frozen=True, kw_only=True)
class Note:
    """How a run is made from time t [s] on, where somebody should know; frame: index of the sample at or before that.

    code: which note, for programs. what, more: the sentence before and after "from ... on". numbers: further facts.
    """

    code: str
    t: float
    what: str
    more: str = ""
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    frame: int = 0

    def __str__(self) -> str:
        return f"{self.what} from t = {self.t:.6g} s on{self.more}"

    def in_frames(self, first: int) -> str:
        """The sentence with a frame. first: number of the frame at which the run begins."""
        return f"{self.what} from frame {first + self.frame} on{self.more}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**vars(self), **_plain_numbers(self.numbers)}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Note:
        """What `as_dict` wrote."""
        known = {name: facts[name] for name in ("code", "t", "what", "more", "frame")}
        return cls(**known, numbers=_quantities(facts))


def _plain_numbers(numbers: Mapping[str, Quantity]) -> dict[str, dict[str, Any]]:
    return {
        "numbers": {name: number.value for name, number in numbers.items()},
        "units": {name: number.unit for name, number in numbers.items()},
    }


def _quantities(facts: Mapping[str, Any]) -> dict[str, Quantity]:
    units = facts.get("units", {})
    return {name: Quantity(value, units.get(name, "")) for name, value in facts.get("numbers", {}).items()}


def remark(outcome: Outcome, first: int = 0) -> str:
    """The sentence for a run that went on. first: number of the frame at which the run begins."""
    frame = f"frame {first + outcome.frame}"
    return f"from {frame} on {outcome.reason}" if outcome.lasting else f"at {frame} {outcome.reason}"
