# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors a person can act on: which element, what is wrong, what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class RedMaxError(Exception):
    """Base of every error the engine raises on purpose."""


class RunError(RedMaxError):
    """A run that cannot go on. what: in words, naming the element. element: what it failed at, such as "joint 'Pin'";
    empty where nobody knows. advice: what to do. code: the reason, for programs."""

    code = "failed"

    def __init__(self, what: str, element: str = "", advice: str = "") -> None:
        self.what, self.element, self.advice = what, element, advice
        super().__init__(f"{what}; {advice}" if advice else what)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scene.

    element: the element as a person would name it, such as "joint 'Pin'".
    what: what is wrong. hint: what would be right.
    """

    element: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.element}: {self.what}; {self.hint}" if self.hint else f"{self.element}: {self.what}"


class SceneError(RedMaxError):
    """A scene that cannot be loaded or compiled, with every problem found in it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        title = "1 problem" if count == 1 else f"{count} problems"
        super().__init__(f"{title} in the scene:\n" + "\n".join(f"- {problem}" for problem in self.problems))


class MissingWheelError(RedMaxError):
    """A feature whose optional wheel is not installed."""

    def __init__(self, feature: str, wheel: str) -> None:
        self.feature, self.wheel = feature, wheel
        super().__init__(f"{feature} needs the '{wheel}' wheel, which is not here; install {wheel} or use the full zip")
