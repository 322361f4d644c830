# SPDX-License-Identifier: GPL-3.0-or-later
"""Names what moves without resistance where equations of motion have no solution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ... import fast
from ...arrays import Array
from ...dynamics.freedoms import freedoms
from ...dynamics.singular import ImmovableError
from ...model import Model
from ..base import NOT_FINITE, WHAT_IS_FAST, IntegrationError
from .mechanism_at import MechanismAt


@contextmanager
def solvable(at: MechanismAt) -> Iterator[None]:
    """Inside, equations of motion that have no solution raise IntegrationError."""
    try:
        yield
    except ImmovableError as error:
        raise IntegrationError.of(error) from None
    except np.linalg.LinAlgError:
        raise immovable(at.model, at.M) from None


def resisted(model: Model, found: tuple[Array, Array, int]) -> tuple[Array, Array]:
    """qddot (nr,) and powers (2,) as kernels found them; IntegrationError where nothing resists the joint of a body."""
    qddot, powers, body = found
    if body >= 0:
        raise IntegrationError.of(fast.stuck_joint(model, body))
    return qddot, powers


def solve_free(model: Model, q: Array, A: Array, b: Array, x_prescribed: Array) -> Array:
    """x (nr,) with A x = b in the free rows and x as given at prescribed coordinates; drives move theirs at q (nr,)."""
    try:
        if model.followers is not None:
            W = freedoms(model, q)
            x = model.followers.pushing(q).spread(np.where(model.prescribed, x_prescribed, 0.0))
            return np.asarray(x + W.spread(np.linalg.solve(W.reduced(A), W.gathered(b - A @ x))))
        free, given = ~model.prescribed, model.prescribed
        x = np.where(given, x_prescribed, 0.0)
        x[free] = np.linalg.solve(A[np.ix_(free, free)], b[free] - A[np.ix_(free, given)] @ x[given])
    except np.linalg.LinAlgError:
        raise immovable(model, A) from None
    return x


def immovable(model: Model, A: Array) -> IntegrationError:
    """The error for a singular system A (nr, nr), naming the joint that nothing resists."""
    if not np.isfinite(A).all():
        return IntegrationError(NOT_FINITE, advice=WHAT_IS_FAST, code="not_finite")
    weakest = np.linalg.eigh(0.5 * (A + A.T))[1][:, 0]
    owner = model.owner(int(np.abs(np.where(model.moves_freely, weakest, 0.0)).argmax()))
    what = f"{owner}: nothing resists its motion"
    return IntegrationError(what, owner, "give the bodies it carries mass", code="immovable")
