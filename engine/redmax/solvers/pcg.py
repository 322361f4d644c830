# SPDX-License-Identifier: GPL-3.0-or-later
"""Preconditioned conjugate gradients for symmetric positive definite systems that are only known as products."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import Quantity, RunError

Product = Callable[[Array], Array]

ROUND_OFF = 8.0 * float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)


class PcgError(RunError):
    """Conjugate gradients that did not reach the tolerance, or met a matrix that is not positive definite."""

    code = "no_solution"


@dataclass(frozen=True, eq=False)
class PcgResult:
    """x (n,), how many iterations it took, and |b - A x| / |b| at the end."""

    x: Array
    iterations: int
    residual: float


def pcg(
    A: Product,
    b: Array,
    *,
    preconditioner: Product,
    x0: Array | None = None,
    tolerance: float = 1e-12,
    max_iterations: int | None = None,
) -> PcgResult:
    """x (n,) with |b - A x| <= tolerance |b|, for a symmetric positive definite A and a preconditioner near A^-1.

    Where A is so large that the rounding of A x alone is more than that, the residual may be that rounding; but not
    with a tolerance below the rounding of 1, which is meant literally.

    A, preconditioner: functions that return the product with a vector (n,), which they must not modify.
    max_iterations: `most_iterations` by default.
    The residual is recomputed from x before it is believed. Raises PcgError.
    """
    x = np.zeros_like(b) if x0 is None else np.array(x0, dtype=np.float64)
    size = float(np.linalg.norm(b))
    limit = most_iterations(len(b)) if max_iterations is None else max_iterations
    r = b - A(x)
    z = preconditioner(r)
    p, rz = z, float(r @ z)
    largest = 0.0  # of |A p| / |p|: a lower bound of |A|
    floor = ROUND_OFF if 8.0 * tolerance >= ROUND_OFF else 0.0
    for k in range(limit + 1):
        wanted = max(tolerance * size, floor * largest * float(np.linalg.norm(x)))
        if float(np.linalg.norm(r)) <= wanted:
            # r is updated, not computed, and drifts from the true residual by round-off.
            r = b - A(x)
            true_size = float(np.linalg.norm(r))
            if true_size <= wanted:
                return PcgResult(x, k, true_size / size if size > 0.0 else 0.0)
            z = preconditioner(r)
            p, rz = z, float(r @ z)
        Ap = A(p)
        curvature = float(p @ Ap)
        largest = max(largest, float(np.linalg.norm(Ap)) / max(float(np.linalg.norm(p)), TINY))
        if not (curvature > 0.0 and rz > 0.0):
            which = "matrix" if rz > 0.0 else "preconditioner"
            raise not_definite(which)
        alpha = rz / curvature
        x, r = x + alpha * p, r - alpha * Ap
        z = preconditioner(r)
        rz, previous = float(r @ z), rz
        p = z + (rz / previous) * p
    raise no_end(float(np.linalg.norm(b - A(x))), limit, tolerance * size)


def most_iterations(n: int) -> int:
    """For n unknowns; without round-off n would do."""
    return 10 * n + 10


def not_definite(which: str) -> PcgError:
    """The error for a matrix or preconditioner with a direction that it does not resist."""
    return PcgError(f"conjugate gradients: the {which} is not positive definite", advice="take a smaller time step")


def no_end(residual: float, limit: int, wanted: float) -> PcgError:
    """The error for a residual that does not get small enough."""
    return PcgError(
        f"conjugate gradients: residual {residual:.3g} after {limit} iterations, wanted {wanted:.3g}",
        advice="allow more iterations, a larger tolerance, or take a smaller time step",
        numbers={"residual": Quantity(residual), "iterations": Quantity(limit), "wanted": Quantity(wanted)},
    )
