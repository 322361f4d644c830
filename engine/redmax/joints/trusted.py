# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a joint's functions may stand for its `motion`: the most derived class that says how it moves decides."""

from __future__ import annotations

import math
from itertools import chain

from ..errors import RedMaxError
from .base import Joint
from .composite import Composite
from .primitives import Primitive

MOVES = frozenset({"evaluate", "recentre_in_place", "rewrite_in_place", "motion", "recentre", "rewrite"})
"""What says how a joint moves, and how that is written."""


def evaluated_parts(joint: Joint) -> tuple[Joint, ...] | None:
    """The joints that make up a joint, one after another, each with a function `evaluate` that kernels can compile.

    A composite's parts, and theirs; any other joint is its own only part. None where a part is known by its `motion`
    alone: it has no `evaluate`, a subclass changed its motion and inherits a function that moves otherwise, or it has a
    singularity and lacks one of the functions that leave it.
    """
    if isinstance(joint, Composite):
        listed = [evaluated_parts(part) for part in joint.parts]
        known = [parts for parts in listed if parts is not None]
        return tuple(chain.from_iterable(known)) if len(known) == len(listed) and _is_own(joint, Composite) else None
    whole = not joint.has_singularity or (joint.recentre_in_place is not None and joint.rewrite_in_place is not None)
    return (joint,) if whole and joint.evaluate is not None and _speaks_for("evaluate", joint, MOVES) else None


def _speaks_for(name: str, joint: Joint, moves: frozenset[str]) -> bool:
    """Whether what a joint says under a name was said by the class that says how it moves, or below it."""
    for cls in type(joint).__mro__:
        if name in vars(cls):
            return True
        if vars(cls).keys() & moves:
            return False
    return False


def _is_own(joint: Joint, cls: type[Joint]) -> bool:
    """Whether no subclass of cls changed how the joint moves."""
    mro = type(joint).__mro__
    return not any(vars(below).keys() & MOVES for below in mro[: mro.index(cls)])


def trusted_primitives(joint: Joint) -> tuple[Primitive, ...] | None:
    """The joint's primitives, or None if only its own methods may be believed.

    A class that changes its motion or how it is written but inherits `primitives` moves otherwise than these say; so
    does a composite with such a part.
    """
    if not _speaks_for("primitives", joint, MOVES | {"data", "packed_data"}):
        return None
    if isinstance(joint, Composite) and any(trusted_primitives(part) is None for part in joint.parts):
        return None
    listed = joint.primitives()
    if listed is not None:
        _check(joint, listed)
    return listed


def _check(joint: Joint, listed: tuple[Primitive, ...]) -> None:
    """RedMaxError where the primitives have other freedoms or charts than the joint."""
    ndof, charts = sum(one.ndof for one in listed), math.prod(one.chart_count for one in listed)
    if ndof != joint.ndof or charts != joint.chart_count:
        raise RedMaxError(
            f"joint '{joint.name}' ({type(joint).__name__}): its primitives have {ndof} degrees of freedom and "
            f"{charts} charts, the joint has {joint.ndof} and {joint.chart_count}; correct its primitives()"
        )
