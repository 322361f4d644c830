# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves contact problems of a run, compiled where kernels are, from the impulses of the step before."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, IntArray
from ...kernels import route
from ...solvers.contact import impacts, solve
from ...solvers.contact import layout as at
from ...solvers.contact.problem import Packed, Problem
from .placed import Placed
from .problem import Block, assembled


class Solution(NamedTuple):
    """v: (c,) velocities of the problem's coordinates. impulses: (rows,). residual [m/s], and the block that has it.
    is_solved: whether that is within the tolerance. energy: change of the kinetic energy in impacts [J]."""

    v: Array
    impulses: Array
    residual: float
    worst: int
    is_solved: bool
    energy: float


NOTHING = Solution(np.zeros(0), np.zeros(0), 0.0, -1, True, 0.0)
"""Of a problem without rows."""


class Solver:
    """Functions of `solvers.contact`, compiled or not."""

    def __init__(self) -> None:
        self._solve: Callable[..., int] = solve.solve
        self._impacts: Callable[..., int] = impacts.resolve
        if route.name() == route.NUMBA:
            from ...kernels import contact_solver  # noqa: PLC0415  (needs numba)

            self._solve, self._impacts = contact_solver.solve, contact_solver.resolve_impacts

    def velocities(
        self,
        placed: Placed,
        blocks: list[Block],
        v_free: Array,
        warm: Array,
        tolerance: float,
        relative: float,
        spare: float,
    ) -> tuple[Solution, IntArray]:
        """Velocities at the end of a step, and the free coordinates that they are of. v_free: (f,) without impulses.
        warm: (rows,) impulses to begin with. tolerance: of the residual [m/s]. relative, spare: see RELATIVE
        and SPARE of `solvers.contact.layout`."""
        problem, unknowns = assembled(placed, blocks, v_free)
        if not blocks:
            return NOTHING, unknowns
        return self._run(self._solve, problem, warm, tolerance, 0.0, relative, spare), unknowns

    def jump(
        self, placed: Placed, blocks: list[Block], v: Array, tolerance: float, slow: float
    ) -> tuple[Solution, IntArray]:
        """Velocities after impacts, where they were v (f,) before; those slower than `slow` [m/s] do not bounce."""
        problem, unknowns = assembled(placed, blocks, v)
        return self._run(self._impacts, problem, None, tolerance, slow, 0.0, tolerance), unknowns

    def solved(self, problem: Problem, tolerance: float) -> Solution:
        """A problem that was put together elsewhere, from impulses 0. tolerance: of the residual [m/s]."""
        return self._run(self._solve, problem, None, tolerance, 0.0, 0.0, tolerance)

    def _run(
        self,
        function: Callable[..., int],
        problem: Problem,
        warm: Array | None,
        tolerance: float,
        slow: float,
        relative: float,
        spare: float,
    ) -> Solution:
        room: int | None = None
        while True:
            packed = problem.packed(tolerance, room=room)
            if warm is not None:
                packed.section(at.IMPULSE)[:] = warm
            packed.section(at.OPTIONS)[[at.SLOW, at.RELATIVE, at.SPARE]] = slow, relative, spare
            code = int(function(packed.ints, packed.numbers))
            if code != at.MORE_SPACE:
                return _solution(packed, code)
            room = int(packed.section(at.REPORT)[at.FACTOR_NEEDED])


def _solution(packed: Packed, code: int) -> Solution:
    report = packed.section(at.REPORT)
    v, impulses = packed.section(at.V).copy(), packed.section(at.IMPULSE).copy()
    finite = code != at.UNFIT and bool(np.isfinite(v).all() and np.isfinite(impulses).all())
    return Solution(
        v, impulses, float(report[at.RESIDUAL]) if finite else np.inf, int(report[at.WORST_BLOCK]),
        finite and code == at.SOLVED, float(report[at.ENERGY]),
    )  # fmt: skip
