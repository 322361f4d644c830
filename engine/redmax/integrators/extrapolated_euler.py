# SPDX-License-Identifier: GPL-3.0-or-later
"""Extrapolated linearly implicit Euler as an integrator: for stiff springs, dampers and strands, with numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from .. import fast
from ..arrays import Array
from ..dynamics.constrained import solver_of
from ..dynamics.freedoms import freedoms
from ..fields import choice
from ..model import Model
from ..state import State
from .adaptive import Adaptive
from .compiled_extrapolation import CompiledExtrapolation
from .dormand_prince import ExplicitStepper, tree_for
from .energy_balance import EnergyPromise, implicit_part
from .extrapolation import Linearisation, LinearlyImplicitExtrapolation

if TYPE_CHECKING:
    pass

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
    tree, settings = stepper.tree, stepper.settings
    by_kernels = tree is not None and not tree.stops_address
    rtol = settings.rtol if tolerance is None else tolerance
    atol = settings.atol if tolerance is None else tolerance
    lookout = stepper.lookout(rtol=rtol, atol=atol, calm=calm)
    if by_kernels and y.size > 2:
        return CompiledExtrapolation(stepper, y, rtol=rtol, atol=atol, calm=calm, lookout=lookout)
    linearise = Mechanism(stepper).linearised
    return LinearlyImplicitExtrapolation(
        stepper.slope, linearise, stepper.state.t, y, rtol=rtol, atol=atol, calm=calm, lookout=lookout
    )


class Mechanism:
    """What the method asks of the mechanism of a run."""

    def __init__(self, stepper: ExplicitStepper) -> None:
        self.stepper = stepper

    def linearised(self, t: float, y: Array) -> Linearisation:
        """M, K and D of the free coordinates, and the directions that loops, constraints and limits leave."""
        run = self.stepper
        run.look()
        t = min(t, run.inputs_until)
        q, qdot, _ = run.motion(t, y)
        system = run.route.linear_system(run.route.at(t, q, qdot, run.state.chart))
        M, K, D = system.M, system.K, system.D
        free, Z = freedoms(run.model, q), None
        if run.constraints is not None:
            rows = run.constraints.rows(fast.kinematics(run.model, q, qdot, run.state.chart), t)
            active, rank = run.constraints.active(rows), run.constraints.rank
            if rank is not None:
                rank += int(rows.one_sided[active].sum())
            Z = solver_of(free, M, rows.G[active], rank).free_directions()
        return Linearisation(free.reduced(M), free.reduced(K), free.reduced(D), Z)
