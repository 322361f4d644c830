# SPDX-License-Identifier: GPL-3.0-or-later
"""A sample of a run where it stands: by kernels where they know the mechanism, else by vectorised code."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import fast
from ..arrays import Array
from ..dynamics.kinematics import body_poses
from ..integrators import Stepper
from ..integrators.energy_balance import BalancedStepper, EnergyPromise
from .channels import channels_of, nodes
from .divergence import DivergedError, divergence
from .exchange import Exchange
from .sample import NO_CONSTRAINTS, NO_STRENGTH, Sample

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree


def tree_for(stepper: Stepper) -> Tree | None:
    """Kernels for samples, where the bodies stand as the joint coordinates say."""
    if type(stepper).body_motion is not Stepper.body_motion:
        return None
    if stepper.constraints is not None:
        return fast.looped_tree(stepper.model) if stepper.constraints.regular else None
    return fast.new_tree(stepper.model)


def look(
    stepper: Stepper, exchange: Exchange, tree: Tree | None, index: int, *, complete: bool
) -> tuple[DivergedError | None, Sample]:
    """How the run has diverged, None for a sound state, and the sample there is in any case."""
    state = stepper.state
    seen = None if tree is None else tree.observe(state.q, state.qdot, state.chart, state.t)
    if tree is None or seen is None or not seen.certain:
        E_wi, phi = stepper.body_motion()
        diverged = divergence(stepper.model, E_wi, np.linalg.norm(phi.reshape(-1, 2, 3), axis=2))
        return diverged, _take_sample(stepper, exchange, index, E_wi, phi, complete=complete)
    work, loss = exchange.until(state.t, seen.power)
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
        "motor": np.where(stepper.model.prescribed, seen.tau - seen.load, 0.0),
        "loop_reaction": seen.loop_reaction,
        "constraint": NO_CONSTRAINTS["constraint"],
        "gap": seen.gap,
        "center_of_mass": seen.center_of_mass,
        "momentum": seen.momentum,
        **nodes(stepper.model, seen.E_wb),
    }
    status: Literal["running", "complete"] = "complete" if complete else "running"
    sample = Sample(
        index,
        state.t,
        state,
        seen.E_wb,
        channels,
        status,
        note=stepper.note,
        energy_promise=_promise(stepper),
        steps=stepper.steps,
        strength=NO_STRENGTH if stepper.constraints is None else stepper.constraints.strength(tree.weakest_row()[0]),
    )
    return divergence(stepper.model, seen.E_wb, seen.speeds), sample


def _take_sample(
    stepper: Stepper, exchange: Exchange, index: int, E_wi: Array, phi: Array, *, complete: bool
) -> Sample:
    """What there is to know about the present state of a run, without kernels."""
    model, state = stepper.model, stepper.state
    kin = dataclasses.replace(fast.kinematics(model, state.q, state.qdot, state.chart), E_wi=E_wi, phi=phi)
    channels, rows = channels_of(model, kin, state.t, exchange, stepper.constraints)
    return Sample(
        index,
        state.t,
        state,
        body_poses(model, kin),
        channels,
        "complete" if complete else "running",
        note=stepper.note,
        energy_promise=_promise(stepper),
        steps=stepper.steps,
        strength=NO_STRENGTH if stepper.constraints is None or rows is None else stepper.constraints.strength(rows),
    )


def _promise(stepper: Stepper) -> EnergyPromise | None:
    return stepper.energy_promise if isinstance(stepper, BalancedStepper) else None
