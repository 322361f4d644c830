# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly: coordinates at which loops are closed and constraints hold, found from a rough pose; and mobility there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..errors import ElementName, Quantity
from ..model import Model
from ..solvers.row_solver import RowSolver, UnevenMassError
from .animation import with_prescribed
from .composite_body import mass_matrix
from .constraint_rows import ConstraintRows, constraint_rows, element_names
from .freedoms import freedoms
from .halves import placed, undivided
from .kinematics import Kinematics, kinematics

CLOSED = 1e-12
"""Errors below this [rad, or parts of the mechanism's size] count as closed."""

BEST = 1e-15
"""Below this nothing can be gained."""

MAX_ITERATIONS = 200
FIRST_DAMPING, MOST_DAMPING = 1e-3, 1e6
"""Damping relative to the strongest direction of the rows."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """q (nr,) nearest to what was asked for at which everything holds, as far as possible.

    gaps: for each loop or constraint that still does not hold, what it is off by: angle [rad] and distance [m].
    iterations: how many it took.
    """

    q: Array
    gaps: dict[ElementName, tuple[float, float]]
    iterations: int

    @property
    def closed(self) -> bool:
        """Whether everything holds."""
        return not self.gaps


@dataclass(frozen=True)
class Mobility:
    """How a mechanism can move at one pose.

    freedoms: degrees of freedom left, without animated and locked coordinates. rows: conditions that loops and
    equations put. redundant: how many of them follow from the others there.
    """

    freedoms: int
    rows: int
    redundant: int


def close_loops(
    model: Model,
    q: Array | None = None,
    chart: IntArray | None = None,
    t: float = 0.0,
    *,
    held: BoolArray | None = None,
) -> Assembly:
    """Closes loops and satisfies constraints from a rough pose q (nr,), the model's start by default.

    Damped Gauss-Newton steps, each the least in the metric of the mass matrix; a step that makes things worse is damped
    more. Animated and locked coordinates stay where they are told to be at time t [s]; held: (nr,) further coordinates
    that stay. Hard limits are kept where the start keeps them.
    """
    start = model.initial_state()
    chart = start.chart if chart is None else chart
    if model.halves:
        return _closed_whole(model, start.q if q is None else q, chart, t, held)
    q = with_prescribed(model, t, start.q if q is None else q, np.zeros(model.dof_count))[0].copy()
    at = _Pose(model, q, chart, t, held)
    damping, iterations = FIRST_DAMPING, 0
    while iterations < MAX_ITERATIONS and at.worst > BEST and damping <= MOST_DAMPING:
        iterations += 1
        solver = at.solver(at.rows.G[at.active] / at.scale[at.active, None])
        trial_q = at.q + at.free.spread(solver.damped_change(-at.relative[at.active], damping))
        trial_q, _ = with_prescribed(model, t, trial_q, trial_q)  # followers of drives stay where their inputs put them
        trial = _Pose(model, trial_q, chart, t, held)
        if trial.size < at.size:
            at, damping = trial, max(0.2 * damping, 1e-9)
        elif at.worst <= CLOSED:
            break
        else:
            damping *= 5.0
    return Assembly(at.q, gaps(model, at.rows, CLOSED), iterations)


def _closed_whole(model: Model, q: Array, chart: IntArray, t: float, held: BoolArray | None) -> Assembly:
    """`close_loops` with bodies whole, and loop joints that carry halves put where that has them."""
    whole = model.once(undivided)
    n, nr = whole.body_count, whole.dof_count
    found = close_loops(whole, q[:nr], chart[:n], t, held=None if held is None else held[:nr])
    rest = np.zeros(model.dof_count)
    q, _ = with_prescribed(model, t, np.append(found.q, q[nr:]), rest)
    return Assembly(placed(model, q, rest, chart)[0], found.gaps, found.iterations)


def gaps(model: Model, rows: ConstraintRows, tolerance: float) -> dict[ElementName, tuple[float, float]]:
    """Angle [rad] and distance [m] that each loop or constraint is off by, where that is more than the tolerance
    [rad, or parts of the mechanism's size]."""
    wrong = np.where(rows.holonomic, rows.error, 0.0)
    wrong = np.where(rows.one_sided, np.minimum(wrong, 0.0), wrong)
    found: dict[ElementName, tuple[float, float]] = {}
    owner, length = np.array(rows.owner), model.once(size)
    for number, name in enumerate(element_names(model)):
        own = owner == number
        angle = float(np.linalg.norm(wrong[own & ~rows.metres]))
        distance = float(np.linalg.norm(wrong[own & rows.metres]))
        if not max(angle, distance / length) <= tolerance:
            found[name] = (angle, distance)
    return found


def mobility(model: Model, q: Array | None = None, chart: IntArray | None = None, t: float = 0.0) -> Mobility:
    """Degrees of freedom and redundant rows at the pose q (nr,), the model's start by default.

    Rows are counted by their rank there: at a singular pose a mechanism has more freedoms than elsewhere.
    """
    start = model.initial_state()
    if model.halves:
        whole = model.once(undivided)
        n, nr = whole.body_count, whole.dof_count
        return mobility(whole, None if q is None else q[:nr], None if chart is None else chart[:n], t)
    q = with_prescribed(model, t, start.q if q is None else q, np.zeros(model.dof_count))[0]
    at = _Pose(model, q, start.chart if chart is None else chart, t, None)
    equations = ~at.rows.one_sided
    rank = at.solver(at.rows.G[equations]).rank
    count = int(equations.sum())
    return Mobility(len(at.free.free) - rank, count, count - rank)


class _Pose:
    """A mechanism at rest with what its rows are off by. relative: (m,) errors by their scale; worst, size: largest and
    root of the sum of squares of the active ones."""

    def __init__(self, model: Model, q: Array, chart: IntArray, t: float, held: BoolArray | None) -> None:
        self.model, self.q, self.free = model, q, freedoms(model, q, held)
        self.kin: Kinematics = kinematics(model, q, np.zeros(model.dof_count), chart)
        self.rows = constraint_rows(model, self.kin, t, quick=False)
        self.scale = scale_of(model, self.rows)
        self.relative = self.rows.error / self.scale
        self.active = self.rows.holonomic & (~self.rows.one_sided | (self.rows.error < 0.0))
        self.worst = float(np.abs(self.relative[self.active]).max(initial=0.0))
        self.size = float(np.linalg.norm(self.relative[self.active]))
        self.M = self.free.reduced(mass_matrix(model, self.kin))

    def solver(self, G: Array) -> RowSolver:
        """Of some of the rows (m, nr), scaled in any way. Raises UnevenMassError with the bodies that differ most."""
        try:
            return RowSolver(self.M, self.free.columns(G))
        except UnevenMassError:
            masses, name = self.model.inertia[:, 3], self.model.named_body
            most, least = int(masses.argmax()), int(np.where(masses > 0.0, masses, np.inf).argmin())
            heavy, light = ElementName("body", name(most)), ElementName("body", name(least))
            weights = {"mass": Quantity(float(masses[most]), "kg"), "lightest": Quantity(float(masses[least]), "kg")}
            raise UnevenMassError(
                f"{heavy} ({weights['mass']}) is too heavy for loops with {light} ({weights['lightest']})",
                heavy,
                "bring masses closer together",
                numbers=weights,
            ) from None


def scale_of(model: Model, rows: ConstraintRows) -> Array:
    """(m,) what an error of each row is measured by: the mechanism's size for metres, 1 for radians."""
    return np.where(rows.metres, model.once(size), 1.0)


def size(model: Model) -> float:
    """How large the mechanism's parts are [m]: the longest distance from a body's centre of mass to a joint."""
    offsets = [model.E_ji[:, :3, 3], model.E_pj0[:, :3, 3]]
    offsets += [loop.E_ij_child[None, :3, 3] for loop in model.loops]
    longest = float(np.linalg.norm(np.concatenate(offsets), axis=1).max(initial=0.0))
    return longest if longest > 0.0 else 1.0
