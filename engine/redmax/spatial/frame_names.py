# SPDX-License-Identifier: GPL-3.0-or-later
"""The optional semantic check of frame chains: chi_{origin,(base)} must link up.

A frame chi_{a,(b)} describes frame a (its *origin*) in the coordinates of frame b (its *base*). In a chain the
subscripts that touch must match, and the result keeps the other two. CHRONO16 section 5 plans this check and gives
its rules in Table 2; here they are data, one row per operator.

A name that is None is unknown: it matches anything, so unnamed frames chain with every frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from .frame_checks import FrameError, Name

Operator: TypeAlias = Literal[">>", "*", "<<", "%"]
Side: TypeAlias = Literal["origin", "base"]


class FrameChainError(FrameError):
    """Two named frames were chained although their names do not link up; names both frames and the rule."""


class FrameNames(NamedTuple):
    """The two subscripts of chi_{origin,(base)}; None where a name is not known."""

    origin: Name | None = None
    base: Name | None = None

    def swapped(self) -> FrameNames:
        """The names of the inverse: chi_{a,(b)}^-1 = chi_{b,(a)}. Source: CHRONO16 Table 2, last row."""
        return FrameNames(origin=self.base, base=self.origin)

    def __str__(self) -> str:
        origin, base = ("?" if name is None else repr(name) for name in self)
        return f"{origin} in {base}"


class _Rule(NamedTuple):
    """One row of Table 2: the two names that must agree, the names of the result, and the row in symbols."""

    left_link: Side
    right_link: Side
    result: Callable[[FrameNames, FrameNames], FrameNames]
    law: str


# CHRONO16 Table 2. The result takes, from each operand, the name that did not have to match.
#
# Erratum: the printed row `Res >>= Op` checks Res.base == Op.base and sets Res.base = Op.origin. That is the rule of
# `<<=`. The in-place form follows its own operator: Res.base == Op.origin is checked, then Res.base = Op.base.
# Erratum: the subscripts of the `%` and `<<` examples of Table 1 do not link up. The rows below follow from the
# definitions a << b = a >> inverse(b) and a % b = inverse(a) * b, together with the swap of the inverse.
_RULES: dict[Operator, _Rule] = {
    ">>": _Rule("base", "origin", lambda a, b: FrameNames(a.origin, b.base), "chi_a,(m) >> chi_m,(b) = chi_a,(b)"),
    "*": _Rule("origin", "base", lambda a, b: FrameNames(b.origin, a.base), "chi_m,(b) * chi_a,(m) = chi_a,(b)"),
    "<<": _Rule("base", "base", lambda a, b: FrameNames(a.origin, b.origin), "chi_a,(m) << chi_b,(m) = chi_a,(b)"),
    "%": _Rule("base", "base", lambda a, b: FrameNames(b.origin, a.origin), "chi_a,(m) % chi_b,(m) = chi_b,(a)"),
}


def chained_names(operator: Operator, left: FrameNames, right: FrameNames) -> FrameNames:
    """Names of `left operator right`; the in-place form of an operator follows the same row.

    Raises FrameChainError when two known names that must be equal differ.
    Source: CHRONO16 Table 2 (with the errata noted beside the rules).
    """
    rule = _RULES[operator]
    left_name = getattr(left, rule.left_link)
    right_name = getattr(right, rule.right_link)
    if left_name is not None and right_name is not None and left_name != right_name:
        raise FrameChainError(
            f"({left}) {operator} ({right}): the {rule.left_link} of the left frame is {left_name!r} but the "
            f"{rule.right_link} of the right frame is {right_name!r}; both must be the frame m of the rule {rule.law}"
        )
    return rule.result(left, right)
