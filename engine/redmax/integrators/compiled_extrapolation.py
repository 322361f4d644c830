# SPDX-License-Identifier: GPL-3.0-or-later
"""Extrapolated linearly implicit Euler in kernels: matrices are sparse, a whole attempt at a step is one call.

Which coordinates meet in a matrix is known before a run: those of bodies that carry each other, and of bodies that a
force ties together. So matrices are made and factored by their entries (`solvers.sparse_factors`): a strand costs as
much per node whatever its length, and springs between few bodies of many cost little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import fast
from ..arrays import Array, IntArray
from ..dynamics import driven
from ..dynamics.freedoms import Freedoms, free_coordinates, freedoms
from ..model import Model
from ..solvers.lanczos import largest_eigenvalue
from ..solvers.sparse_factors import Pattern, pattern_of
from .base import IntegrationError
from .energy_balance import exchanges_energy
from .extrapolation import MOST_COLUMNS, Linearisation, LinearlyImplicitExtrapolation, Tried

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree
    from .dormand_prince import ExplicitStepper

DEPENDENT_ROW = 1e-11
"""Combinations of rows that move the mechanism by less than this part of what the strongest does depend on others."""

OF_VELOCITIES = 0.1
"""Errors of velocities count so much where strands may vibrate faster than steps: segments become taut and slack all
the time, and what their velocities are off by for a moment hardly moves anything."""

BALANCED = 0.1
"""A step in which strands may snap taut gains or loses at most so many times the root of the tolerance, of the energies
in play, beside what is booked. Errors of coordinates do not show it: those of what vibrates faster than a step do not
count, and a load that bounces on a taut rope within one step is such a vibration."""

SHORTEST_BALANCED = 1e-6
"""Shorter steps [s] are not judged by that."""

FEW = 60
"""Rates of so many coordinates are found from whole matrices."""

MATTERS = 1e-4
"""A change of stiffness by less than this part of a coordinate's inertia is small however the inertia is measured."""


def tied_coordinates(model: Model) -> Pattern:
    """The pattern of M, K and D on the free coordinates. What drives move belongs to the inputs that move it."""
    free = model.once(free_coordinates)
    moving: list[list[int]] = [[] for _ in range(model.dof_count)]
    for place, coordinate in enumerate(free.tolist()):
        moving[coordinate] = [place]
    if model.followers is not None:
        for coordinate, ratios in zip(model.followers.rows.tolist(), model.followers.ratio, strict=True):
            moving[coordinate] = [place for m in np.flatnonzero(ratios) for place in moving[model.followers.inputs[m]]]
    paths: list[list[int]] = []
    for j in range(model.body_count):
        above = paths[model.parent[j]] if model.parent[j] >= 0 else []
        own = [place for coordinate in range(model.dof_count)[model.columns(j)] for place in moving[coordinate]]
        paths.append(list(dict.fromkeys(above + own)))
    ties = [[k for body in force.bodies if body >= 0 for k in paths[body]] for force in model.forces]
    return pattern_of([*paths, *(sorted(set(tie)) for tie in ties)], len(free))


def watched_places(model: Model) -> IntArray:
    """Places, in the order of elimination, of coordinates whose stiffness may not change much within a step: all but
    those of strands' nodes, whose segments become taut and slack faster than steps can follow."""
    nodes = [owner for strand in model.strands for owner in strand.owners.tolist()]
    inside = {body for body in nodes if body >= model.body_count - model.hidden}
    of_nodes = {k for body in inside for k in range(*model.columns(body).indices(model.dof_count))}
    free, order = model.once(free_coordinates), model.once(tied_coordinates).order
    return np.array([k for k, place in enumerate(order.tolist()) if int(free[place]) not in of_nodes], np.int64)


@dataclass(frozen=True, eq=False)
class SparseLinearisation:
    """As `Linearisation`, by entries of a pattern. G: (m, n) independent rows that hold, in the order of
    elimination."""

    pattern: Pattern
    M: Array
    K: Array
    D: Array
    G: Array

    @cached_property
    def diagonal(self) -> tuple[Array, Array, Array]:
        """Of M, K and D, in the order of elimination."""
        places = self.pattern.starts[1:] - 1
        return self.M[places], self.K[places], self.D[places]

    def product(self, values: Array, x: Array) -> Array:
        """A x for the entries of a matrix, in the order of elimination; by numpy, as it is asked for rarely."""
        p = self.pattern
        row = np.repeat(np.arange(p.size), np.diff(p.starts))
        off = row != p.columns
        y = np.bincount(row, values * x[p.columns], minlength=p.size)
        return np.asarray(y + np.bincount(p.columns[off], (values * x[row])[off], minlength=p.size))


class CompiledExtrapolation(LinearlyImplicitExtrapolation):
    """The method for one run whose mechanism kernels know all of."""

    def __init__(
        self, stepper: ExplicitStepper, y: Array, *, rtol: float, atol: float, calm: bool, lookout: Any
    ) -> None:
        from ..kernels.steps import extrapolation  # noqa: PLC0415  (needs numba)

        super().__init__(
            stepper.slope, self._sparse, stepper.state.t, y, rtol=rtol, atol=atol, calm=calm, lookout=lookout
        )
        self.stepper, self._kernel, model = stepper, extrapolation, stepper.model
        self._exchanges, self._free = model.once(exchanges_energy), model.once(free_coordinates)
        self.pattern, self._watched = model.once(tied_coordinates), model.once(watched_places)
        self._slackens = calm and bool(model.strands)
        self._of_velocities = OF_VELOCITIES if self._slackens else 1.0
        n, p = self._n, self.pattern
        self._x, self._motion = np.zeros(model.dof_count), np.zeros((3, model.dof_count))
        self._errors, self._results = np.zeros(MOST_COLUMNS + 1), np.zeros(extrapolation.RESULTS, np.int64)
        self._table = np.zeros((MOST_COLUMNS, self.y.size))
        self._y, self._dy = np.zeros(self.y.size), np.zeros(self.y.size)
        self._values, self._work = np.zeros(len(p.columns)), np.zeros((extrapolation.WORK, n))
        self._L, self._diagonal, self._filled = np.zeros((2, len(p.rows))), np.zeros((2, n)), np.zeros(n, np.int64)

        self._known: tuple[Array, float] | None = None  # where a step ended, and the energy there
        self._liveliest = 0.0  # largest kinetic energy so far

    def go_on_from(self, t: float, y: Array) -> None:
        super().go_on_from(t, y)
        self._known = None

    def _energy(self, t: float, y: Array) -> float:
        """Kinetic and potential energy [J] beside what is booked as work and loss."""
        if self._known is None or self._known[0] is not y:
            run = self.stepper
            q, qdot, _ = run.motion(min(t, run.inputs_until), y)
            seen = self._tree.observe(q, qdot, run.state.chart, t)
            self._liveliest = max(self._liveliest, seen.kinetic)
            self._known = y, seen.kinetic + seen.potential - float(y[-2] - y[-1])
        return self._known[1]

    def _imbalance(self, y: Array, t_new: float) -> float:
        """What a step to y gained or lost beside what is booked, over what is allowed."""
        start, known = self._energy(self.t, self.y), self._known
        gained = abs(self._energy(t_new, y) - start)
        in_play = self._liveliest + abs(float(y[-2])) + abs(float(y[-1]))
        found = gained / (BALANCED * math.sqrt(self.rtol) * in_play) if gained > 0.0 else 0.0
        if found > 1.0:
            self._known = known
        return found

    @property
    def _tree(self) -> Tree:
        tree = self.stepper.tree
        assert tree is not None
        tree.set_chart(self.stepper.state.chart)
        return tree

    def _sparse(self, t: float, y: Array) -> Any:
        """M, K and D of the free coordinates, and the rows of loops, constraints and limits that hold."""
        run, tree, p = self.stepper, self._tree, self.pattern
        run.look()
        t = min(t, run.inputs_until)
        q, qdot, _ = run.motion(t, y)
        M, K, D = np.empty(len(p.columns)), np.empty(len(p.columns)), np.empty(len(p.columns))
        free = freedoms(run.model, q)
        pushing = np.zeros((len(free.rows), self._n))
        pushing[:, free.places] = free.J
        self._kernel.linearise(
            tree.address, tree.ints, tree.floats, q.copy(), qdot.copy(), t, self._x, self._free, free.rows, pushing,
            self._slackens,
            p.group_starts, p.members, p.entry_starts, p.entries, p.entry_rows, M, K, D,
        )  # fmt: skip
        if run.model.followers is not None and len(run.model.followers.curves.bent):
            at = run.route.at(t, q, qdot, run.state.chart)
            bent = driven.pulling_back(run.model, at.kin.q, driven.forces_along(run.model, at.kin, at.load, t))
            K += p.entries_of(bent[np.ix_(self._free, self._free)])
        return SparseLinearisation(p, M, K, D, self._independent_rows(t, q, qdot, M, free))

    def _independent_rows(self, t: float, q: Array, qdot: Array, M: Array, free: Freedoms) -> Array:
        """Combinations of the rows that hold, as many as are independent, each of unit length by M^-1."""
        run = self.stepper
        if run.constraints is None:
            return np.zeros((0, self._n))
        rows = run.constraints.rows(fast.kinematics(run.model, q, qdot, run.state.chart), t)
        active, rank = run.constraints.active(rows), run.constraints.rank
        G = np.ascontiguousarray(free.columns(rows.G[active])[:, self.pattern.order])
        if not len(G):
            return G
        W = self._solved(M, G)
        sizes, combinations = np.linalg.eigh(G @ W.T)
        kept = sizes > DEPENDENT_ROW * sizes[-1]
        if rank is not None:
            kept[: max(0, len(kept) - rank - int(rows.one_sided[active].sum()))] = False
        return np.ascontiguousarray((combinations[:, kept] / np.sqrt(sizes[kept])).T @ G)

    def _solved(self, M: Array, X: Array) -> Array:
        """M^-1 times each line of X."""
        p, found = self.pattern, X.copy()
        if not self._kernel.solve_with(
            p.starts, p.columns, p.below, p.rows, p.before, p.across, M, self._L[0], self._diagonal[0], self._filled,
            self._work[0], found,
        ):  # fmt: skip
            raise np.linalg.LinAlgError("a part without mass")
        return found

    def _try(self, system: Any, h: float, t_new: float, order: int) -> Tried:
        self.stepper.look()
        tree, p, kernel, m = self._tree, self.pattern, self._kernel, len(system.G)
        W, S, multipliers = np.empty((2, m, self._n)), np.empty((2, m, m)), np.empty(m)
        kernel.attempt(
            tree.address, tree.ints, tree.floats, self._exchanges, self._free, p.starts, p.columns, p.below, p.rows,
            p.before, p.across, p.order, system.M, system.K, system.D, system.G, self.calm, h, self.t, t_new,
            self.stepper.inputs_until, min(order + 1, MOST_COLUMNS), order - 1, self.rtol, self.atol,
            self._of_velocities, self.y, self._table, self._errors, self._results, self._values, self._L,
            self._diagonal, self._filled, self._work, W, S, multipliers, self._y, self._dy, self._motion,
        )  # fmt: skip
        stuck, rows = int(self._results[kernel.STUCK]), int(self._results[kernel.ROWS])
        if stuck >= 0:
            raise IntegrationError.of(fast.stuck_joint(self.stepper.model, stuck))
        self.evaluations += rows * (rows + 3) // 2
        self.matrices += rows
        self.worst = int(self._results[kernel.WORST])
        accepted, broken = bool(self._results[kernel.ACCEPTED]), bool(self._results[kernel.BROKEN])
        if not rows:
            return Tried(self.y, 0, [], broken=True)
        known = self._errors[2 : rows if broken else rows + 1].tolist()
        end, vibrates = self._table[rows - 1].copy(), not accepted and bool(self._results[kernel.VIBRATES])
        if accepted and self._slackens and h > SHORTEST_BALANCED:
            known[-1] = max(known[-1], self._imbalance(end, t_new))
            accepted = known[-1] <= 1.0
        return Tried(end, rows, known, accepted, broken, vibrates)

    def _change(self, h: float, before: Any, after: Any) -> float:
        """As `change_within`, coordinate by coordinate, each with what resists its motion alone."""
        if not len(self._watched):
            return 0.0
        (M, K, D), (_, K_after, D_after) = before.diagonal, after.diagonal
        watched = self._watched
        old, new = (-h * (b[watched] + h * a[watched]) for a, b in ((K, D), (K_after, D_after)))
        apart = np.abs(new - old)
        listed = np.flatnonzero(apart > MATTERS * M[watched])
        if not len(listed):
            return 0.0
        p, which, found = self.pattern, watched[listed], np.empty(len(listed))
        if not self._kernel.diagonal_of_inverse(
            p.starts, p.columns, p.below, p.rows, p.before, p.across, before.M, which, self._L[0], self._diagonal[0],
            self._filled, self._work[0], found,
        ):  # fmt: skip
            return 0.0
        sizes = 1.0 + found * (np.abs(old[listed]) + np.abs(new[listed]))
        return float((found * apart[listed] / sizes).max())

    def rates(self, system: Any) -> tuple[float, float]:
        """Fastest vibration [rad/s] and fastest decay [1/s] of the linearised mechanism."""
        p = self.pattern
        if p.size <= FEW:
            M, K, D = (p.dense(values) for values in (system.M, system.K, system.D))
            Z = None
            if len(system.G):
                G = np.empty_like(system.G)
                G[:, p.order] = system.G
                Z = np.linalg.svd(G)[2][len(G) :].T
            return Linearisation(M, K, D, Z).rates()

        W = self._solved(system.M, system.G)

        def freed(x: Array) -> Array:
            found = self._solved(system.M, x[None])[0]
            return np.asarray(found - W.T @ (system.G @ found))  # rows have unit length by M^-1

        def largest(values: Array) -> float:
            return largest_eigenvalue(lambda x: -system.product(values, x), freed, p.size)

        stiffness, damping = largest(system.K), largest(system.D)
        return math.sqrt(max(stiffness, 0.0)), max(damping, 0.0)

    def _first_step(self, system: Any, longest: float) -> float:
        return self._first_step_at(self.rates(system), longest)
