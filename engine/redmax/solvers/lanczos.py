# SPDX-License-Identifier: GPL-3.0-or-later
"""The largest eigenvalue of M^-1 A from products and solutions alone, for matrices too large to be written out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array

MOST = 40
"""Products that are made: the largest eigenvalue of a strand is then known to a few percent, and mostly to far less."""


def largest_eigenvalue(product: Callable[[Array], Array], solve: Callable[[Array], Array], size: int) -> float:
    """Largest eigenvalue of M^-1 A for symmetric A and positive M; never above it, but for rounding.

    product: A x. solve: M^-1 x, symmetric and positive semidefinite: motion that it leaves out does not count.
    Lanczos's method in the inner product of M, from a start that meets every eigenvector.
    """
    x = np.cos(1.0 + 2.4 * np.arange(size) ** 1.01)  # a force, as irregular as any
    z = solve(x)
    before, beta = np.zeros(size), 0.0
    alphas: list[float] = []
    betas: list[float] = []
    for _ in range(min(MOST, size)):
        norm = float(x @ z)
        if not norm > 0.0:
            break
        beta = np.sqrt(norm)
        if alphas:
            betas.append(float(beta))
            if beta <= 1e-12 * max(map(abs, alphas)):
                betas.pop()
                break
        x, z = x / beta, z / beta  # x = M z, z of unit length
        y = product(z)
        alpha = float(z @ y)
        alphas.append(alpha)
        following = y - alpha * x - (beta * before if len(alphas) > 1 else 0.0)
        before, x = x, following
        z = solve(x)
    if not alphas:
        return 0.0
    T = np.diag(alphas) + np.diag(betas[: len(alphas) - 1], 1) + np.diag(betas[: len(alphas) - 1], -1)
    return float(np.linalg.eigvalsh(T)[-1])
