# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of a run where it stands: by kernels where they know the mechanism, else by vectorised code."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .. import fast
from ..arrays import Array
from ..dynamics.constraint_rows import ConstraintRows
from ..dynamics.kinematics import body_poses
from ..integrators import Stepper, routes
from ..integrators.energy_balance import BalancedStepper
from ..integrators.routes.constrained import Constrained
from ..integrators.routes.route import Unconstrained
from .channels import channels_of, contact_channels, drive_channels, motor_channels, nodes, of_halves, without_armatures
from .divergence import DivergedError, divergence, torn
from .exchange import Exchange
from .sample import NO_STRENGTH, Sample

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree
    from ..kernels.tree.observation import Observation


class Sampler:
    """Takes the samples of one run."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper, self._exchange, self._tree = stepper, Exchange(stepper), _tree_for(stepper)

    @cached_property
    def _route(self) -> Constrained | Unconstrained:
        return routes.begin(self._stepper.model, constraints=self._stepper.constraints)

    def take(self, index: int, *, complete: bool) -> tuple[DivergedError | None, Sample]:
        """How the run has diverged, None for a sound state, and the sample there is in any case."""
        state, tree = self._stepper.state, self._tree
        constraints = self._stepper.constraints
        contact = self._stepper.contact
        pushed = contact is not None and len(contact.normal_force) > 0
        rubs = tree is not None and tree.settle_address != 0  # of which readable code knows nothing
        if tree is not None and not pushed and (rubs or constraints is None or not constraints.touches):
            if self._stepper.tree is not None:
                tree.hold_like(self._stepper.tree)
            seen = tree.observe(state.q, state.qdot, state.chart, state.t)
            if seen.certain or rubs:
                return self._observed(seen, tree, index, complete=complete)
        return self._computed(index, complete=complete)

    def _observed(
        self, seen: Observation, tree: Tree, index: int, *, complete: bool
    ) -> tuple[DivergedError | None, Sample]:
        """As kernels see it."""
        model, state = self._stepper.model, self._stepper.state
        work, loss = self._exchange.until(state.t, seen.power)
        channels = {
            "twist": seen.twist,
            "acceleration": seen.acceleration,
            "qddot": seen.qddot,
            "chart": state.chart.astype(np.float64),
            "kinetic": np.array(seen.kinetic),
            "potential": np.array(seen.potential),
            "energy": np.array(seen.kinetic + seen.potential),
            "work": np.array(work),
            "loss": np.array(loss),
            "reaction": seen.reaction,
            "torque": seen.tau,
            **motor_channels(model, state.qdot, seen.tau - seen.load - seen.drive, seen.motor, seen.motor_power),
            **({"friction": seen.friction} if tree.settle_address else {}),
            "loop_reaction": of_halves(model, seen.loop_reaction, seen.reaction),
            "constraint": seen.constraint,
            "gap": seen.gap,
            "center_of_mass": seen.center_of_mass,
            "momentum": without_armatures(model, seen.E_wb, seen.twist, seen.momentum),
            **nodes(model, seen.E_wb),
            **drive_channels(model, state.q, state.qdot, seen.drive),
        }
        strength = tree.weakest_row()[0]
        wrong = divergence(model, seen.E_wb, seen.speeds) or torn(model, seen.gap)
        return wrong, self._sample(index, seen.E_wb, channels, strength, complete)

    def _computed(self, index: int, *, complete: bool) -> tuple[DivergedError | None, Sample]:
        """Without kernels, with the bodies where the run has them."""
        stepper, model, state = self._stepper, self._stepper.model, self._stepper.state
        E_wi, phi = stepper.body_motion()
        diverged = divergence(model, E_wi, np.linalg.norm(phi.reshape(-1, 2, 3), axis=2))
        coordinates = self._route.at(state.t, state.q, state.qdot, state.chart)
        at = coordinates.with_bodies(E_wi, phi)
        if stepper.contact is not None and len(stepper.contact.normal_force):
            coordinates, at = (each.pushed(stepper.contact.wrenches) for each in (coordinates, at))
        channels, rows = channels_of(self._route, coordinates, at, self._exchange)
        wrong = diverged or torn(model, channels["gap"])
        return wrong, self._sample(index, body_poses(model, at.kin), channels, rows, complete)

    def _sample(
        self, index: int, E_wb: Array, channels: dict[str, Array], seen: ConstraintRows | float | None, complete: bool
    ) -> Sample:
        """seen: see `ConstrainedRun.strength`."""
        stepper = self._stepper
        if stepper.contact is not None:
            channels |= contact_channels(stepper.contact)
        constraints = stepper.constraints
        return Sample(
            index,
            stepper.state.t,
            stepper.state,
            E_wb,
            channels,
            "complete" if complete else "running",
            note=stepper.note,
            energy_promise=stepper.energy_promise if isinstance(stepper, BalancedStepper) else None,
            steps=stepper.steps,
            strength=NO_STRENGTH if constraints is None or seen is None else constraints.strength(seen),
            contact=stepper.contact,
        )


def _tree_for(stepper: Stepper) -> Tree | None:
    """Kernels for samples, where the bodies stand as the joint coordinates say."""
    if type(stepper).body_motion is not Stepper.body_motion:
        return None
    if stepper.constraints is not None:
        return fast.constrained_tree(stepper.model) if stepper.constraints.regular else None
    return fast.new_tree(stepper.model) or fast.constrained_tree(stepper.model)
