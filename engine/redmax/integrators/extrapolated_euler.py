# SPDX-License-Identifier: GPL-3.0-or-later
"""Extrapolated linearly implicit Euler as an integrator: for stiff springs, dampers and strands, with numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import fast
from ..arrays import Array
from ..dynamics.constrained import solver_of
from ..dynamics.freedoms import free_coordinates, freedoms
from ..fields import choice
from ..model import Model
from ..state import State
from .adaptive import Adaptive
from .base import IntegrationError
from .dormand_prince import ExplicitStepper, tree_for
from .energy_balance import EnergyPromise, exchanges_energy, implicit_part
from .extrapolation import Linearisation, LinearlyImplicitExtrapolation, StepMatrix

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree

ALL, SLOW = "all", "slow"


@dataclass(frozen=True, kw_only=True)
class ExtrapolatedEuler(Adaptive):
    """Order 2 to 9, implicit in springs and dampers, with numpy alone; for stiff mechanisms."""

    kind: ClassVar[str] = "extrapolated_euler"
    label: ClassVar[str] = "Extrapolated implicit Euler"
    integrates_energy: ClassVar[bool] = True

    vibrations: str = choice(
        ALL, doc="all: follow every one. slow: let those die away that are faster than a step", choices=(ALL, SLOW)
    )

    def begin(self, model: Model, state: State) -> ExtrapolatedStepper:
        return ExtrapolatedStepper(model, state, self, tree_for(self, model))


class ExtrapolatedStepper(ExplicitStepper):
    """Steps of `extrapolation`, ended by samples, switches and limits like those of the explicit methods."""

    def _new_solver(self, y: Array) -> Any:
        return extrapolation_of(self, y, calm=self.settings.vibrations == SLOW)

    @property
    def energy_promise(self) -> EnergyPromise:
        return EnergyPromise(implicit_part(self.settings.rtol), dies_away=self.settings.vibrations == SLOW)


def extrapolation_of(
    stepper: ExplicitStepper, y: Array, *, calm: bool, tolerance: float | None = None
) -> LinearlyImplicitExtrapolation:
    """The method, about to go on from where a run stands; with the run's own tolerances, or another one."""
    tree = stepper.tree  # which knows stops and drives in explicit steps only
    by_kernels = tree is not None and not tree.stops_address and stepper.model.followers is None
    mechanism = CompiledMechanism(stepper) if by_kernels else Mechanism(stepper)
    settings = stepper.settings
    rtol = settings.rtol if tolerance is None else tolerance
    atol = settings.atol if tolerance is None else tolerance
    return LinearlyImplicitExtrapolation(
        stepper.slope,
        mechanism.linearised,
        stepper.state.t,
        y,
        rtol=rtol,
        atol=atol,
        calm=calm,
        lookout=stepper.lookout(rtol=rtol, atol=atol, calm=calm),
        whole_row=mechanism.steps if isinstance(mechanism, CompiledMechanism) else None,
    )


class Mechanism:
    """What the method asks of the mechanism of a run."""

    def __init__(self, stepper: ExplicitStepper) -> None:
        self.stepper = stepper
        self._free = stepper.model.once(free_coordinates)

    def linearised(self, t: float, y: Array) -> Linearisation:
        """M, K and D of the free coordinates, and the directions that loops, constraints and limits leave."""
        run = self.stepper
        run.look()
        t = min(t, run.inputs_until)
        q, qdot, _ = run.motion(t, y)
        M, K, D = self._matrices(t, q, qdot)
        free, Z = freedoms(run.model, q), None
        if run.constraints is not None:
            rows = run.constraints.rows(fast.kinematics(run.model, q, qdot, run.state.chart), t)
            active, rank = run.constraints.active(rows), run.constraints.rank
            if rank is not None:
                rank += int(rows.one_sided[active].sum())
            Z = solver_of(free, M, rows.G[active], rank).free_directions()
        return Linearisation(free.reduced(M), free.reduced(K), free.reduced(D), Z)

    def _matrices(self, t: float, q: Array, qdot: Array) -> tuple[Array, Array, Array]:
        route = self.stepper.route
        system = route.linear_system(route.at(t, q, qdot, self.stepper.state.chart))
        return system.M, system.K, system.D


class CompiledMechanism(Mechanism):
    """Matrices by kernels, which also do the small steps."""

    def __init__(self, stepper: ExplicitStepper) -> None:
        from ..kernels.steps import extrapolation  # noqa: PLC0415  (needs numba)

        super().__init__(stepper)
        self._kernel, self._exchanges = extrapolation, stepper.model.once(exchanges_energy)
        nr, n = stepper.model.dof_count, len(self._free)
        self._x, self._motion, self._dy, self._scratch = (
            np.zeros(nr),
            np.zeros((3, nr)),
            np.zeros(2 * n + 2),
            np.zeros(n),
        )

    @property
    def _tree(self) -> Tree:
        tree = self.stepper.tree
        assert tree is not None
        tree.set_chart(self.stepper.state.chart)
        return tree

    def _matrices(self, t: float, q: Array, qdot: Array) -> tuple[Array, Array, Array]:
        tree, nr = self._tree, len(q)
        M, K, D = np.empty((nr, nr)), np.empty((nr, nr)), np.empty((nr, nr))
        self._kernel.linearise(tree.address, tree.ints, tree.floats, q.copy(), qdot.copy(), t, self._x, M, K, D)
        return M, K, D

    def steps(self, matrix: StepMatrix, count: int, t: float, t_new: float, y: Array) -> None:
        """`count` small steps in y."""
        self.stepper.look()
        tree, system = self._tree, matrix.system
        stuck = self._kernel.euler_steps(
            tree.address, tree.ints, tree.floats, self._exchanges, self._free, matrix.inverse, system.K, system.D,
            matrix.h, count, t, t_new, self.stepper.inputs_until, y, self._dy, self._motion, self._scratch,
        )  # fmt: skip
        if stuck >= 0:
            raise IntegrationError.of(fast.stuck_joint(self.stepper.model, stuck))
