# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints the fast routes may evaluate by their primitives."""

from __future__ import annotations

import math

from ..errors import RedMaxError
from .base import Joint
from .composite import Composite
from .primitives import Primitive


def trusted_primitives(joint: Joint) -> tuple[Primitive, ...] | None:
    """The joint's primitives, or None if only its own methods may be believed.

    A class that changes its motion or how it is written but inherits `primitives` moves otherwise than these say; so
    does a composite with such a part.
    """
    for cls in type(joint).__mro__:
        if "primitives" in vars(cls):
            break
        if vars(cls).keys() & {"motion", "recentre", "rewrite"}:
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
