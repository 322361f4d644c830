# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be said of a run, as data: sentences are made of it, never read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Why a run stopped, or what somebody should know of one that went on.

    code: the reason, for programs. frame: index of the sample at which it shows, and its time t [s].
    element: what it is about, such as "joint 'Pin'"; empty where nobody knows.
    what: what happened, in words; it names the element. advice: what to do. numbers: further facts.
    lasting: whether it holds from that frame on, or was at that frame.
    """

    code: str
    frame: int
    t: float
    what: str
    element: str = ""
    advice: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    lasting: bool = True

    @property
    def reason(self) -> str:
        """What happened and what to do, without the frame."""
        return f"{self.what}; {self.advice}" if self.advice else self.what

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**vars(self), "numbers": dict(self.numbers)}


def remark(outcome: Outcome, first: int = 0) -> str:
    """The sentence for a run that went on. first: number of the frame at which the run begins."""
    frame = f"frame {first + outcome.frame}"
    return f"from {frame} on {outcome.reason}" if outcome.lasting else f"at {frame} {outcome.reason}"
