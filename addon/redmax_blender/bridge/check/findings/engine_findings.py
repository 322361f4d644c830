# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine finds wrong with an extracted scene, in terms of objects and panels."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ...._engine import check, errors
from ....properties import sorts
from ...core import loop_choice
from ...core.findings import Finding
from . import artists_words

UNHELD = "Lock one of these bodies, or connect one to the world with a joint"
REMEMBERED = 8
"""Scenes whose problems are remembered."""

_checked: OrderedDict[bytes, list[errors.Problem]] = OrderedDict()
"""Problems of the scenes that were checked last, by their digest: Bake asks again for what Simulate asked."""


def find(made: Any, digest: bytes, incomplete: list[Any]) -> list[Finding]:
    """Everything the engine says of a scene. digest: of its content. incomplete: bodies that could not be measured."""
    return [_finding(problem, made) for problem in _problems(made, digest, incomplete)]


def _problems(made: Any, digest: bytes, incomplete: list[Any]) -> list[errors.Problem]:
    if incomplete:  # of such elements less is said than their content would allow
        return check.find_problems(made, incomplete)
    if digest not in _checked:
        _checked[digest] = check.find_problems(made)
        if len(_checked) > REMEMBERED:
            _checked.popitem(last=False)
    _checked.move_to_end(digest)
    return _checked[digest]


def _finding(problem: errors.Problem, made: Any) -> Finding:
    """A problem the engine has found, in terms of objects."""
    hint, fixes = _help(problem, made)
    name = problem.element.name if problem.element.sort in sorts.SORTS else ""
    return Finding(name, artists_words.problem(problem), hint, fixes=fixes)


def _help(problem: errors.Problem, made: Any) -> tuple[str, tuple[str, ...]]:
    """What to do about a problem in Blender, and the fixes that do it."""
    match problem.code:
        case "held_by_nothing":
            return UNHELD, ("LOCK_ACTIVE",)
        case "hard_limit":
            return "make its limits soft, or switch them off", ("MAKE_SOFT",)
        case "moving_mesh":
            hint = "use its hull, convex pieces, or simple shapes as children of the body"
            return hint, ("USE_HULL_SURFACE", "USE_PIECES_SURFACE")
        case "closes_a_loop":
            rival = loop_choice.rival_of(made, problem.element.name)
            return f"take it away, or take that of '{rival}', which carries the same body", ()
    return artists_words.hint(problem), ()
