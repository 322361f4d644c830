# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the energy of a run balances as well as its accuracy promises: energy(t) - energy(0) = work - loss.

What remains is compared with the energies in play: the largest kinetic energy, the swing of the potential energy, what
was put in and taken out, and what goes to and fro between samples. Tolerances allow errors relative to 1 rad/s and
1 m/s where a mechanism is slower than that, so that the energy of its coordinates at such speeds counts as well. Errors
of steps add up: after `STEADY` seconds the promise grows in proportion to the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import Array
from .dynamics.halves import undivided
from .dynamics.kinematics import kinematics
from .errors import Quantity
from .integrators.energy_balance import EnergyPromise
from .model import Model
from .outcome import Outcome
from .spatial import adjoint

CODE = "energy_books"

STEADY = 10.0
"""Seconds in which errors of steps may add up to what is promised."""

ROUNDING = 1e-12
"""Parts of the energies themselves by which rounding may falsify their changes."""

ADVICE = "look at the motion there, and simulate with a higher accuracy"


def remainder(channels: Mapping[str, Array]) -> Array:
    """(f,) change of energy since the first sample that neither work nor loss explains [J].

    A start that moves into stops has lost what the impacts take before that sample.
    """
    change: Array = channels["energy"] - channels["work"] + channels["loss"]
    return np.asarray(change - change[0])


def energy_books(
    model: Model, t: Array, channels: Mapping[str, Array], promise: EnergyPromise | None, *, steps: Array
) -> tuple[dict[str, Any], Outcome | None]:
    """The books of a run of at least one sample as plain values, and what is to be said where they do not balance.

    steps: (f,) how many the run had taken at each sample.
    remainder: largest amount that nothing explains [J]. exchanged: energies in play [J]. part: the one of the other.
    promised: part that the accuracy promises at the end; None where work and loss are estimates, which are not judged.
    balanced: None, too, where they are not. dies_away: whether vibrations lose energy on purpose, which is not
    booked and not judged.
    """
    kinetic, potential = channels["kinetic"], channels["potential"]
    flows = float(np.abs(channels["work"]).max() + np.abs(channels["loss"]).max())
    exchanged = float(kinetic.max() + np.ptp(potential)) + flows
    rest = remainder(channels)
    books: dict[str, Any] = {
        "remainder": float(np.abs(rest).max()),
        "exchanged": exchanged,
        "part": float(np.abs(rest).max()) / exchanged if exchanged > 0.0 else 0.0,
        "promised": None,
        "balanced": None,
        "dies_away": promise is not None and promise.dies_away,
    }
    if promise is None:
        return books, None
    growth = np.maximum(1.0, (t - t[0]) / STEADY)
    in_play = exchanged + energy_between_samples(model, t, channels["acceleration"], steps) + model.once(unit_energy)
    bound = promise.part * growth * in_play + ROUNDING * float(np.abs(kinetic).max() + np.abs(potential).max())
    unexplained = np.maximum(rest, 0.0) if promise.dies_away else np.abs(rest)
    beyond = ~(unexplained <= bound)  # also what is not a number
    books["promised"], books["balanced"] = promise.part * float(growth[-1]), not beyond.any()
    if books["balanced"]:
        return books, None
    frame = int(beyond.argmax())
    largest = float(unexplained.max())
    what = (
        f"the energy does not balance: {largest:.3g} J of {exchanged:.3g} J in play have no cause "
        f"({_percent(largest / exchanged)}, promised are {_percent(books['promised'])})"
    )
    numbers = {
        "remainder": Quantity(largest, "J"),
        "exchanged": Quantity(exchanged, "J"),
        "promised": Quantity(books["promised"]),
    }
    return books, Outcome(code=CODE, frame=frame, t=float(t[frame]), what=what, advice=ADVICE, numbers=numbers)


def energy_between_samples(model: Model, t: Array, acceleration: Array, steps: Array) -> float:
    """Kinetic energy [J] that accelerations would give the bodies within a step; the largest of all samples.

    Samples that fall in step with a vibration always show it at the same place, at a turning point for instance, and
    nothing of the energy that goes to and fro between them. An adaptive step is a fixed part of the time of the
    fastest motion, so that what an acceleration gives within one is a fixed part of that energy, at any fps.
    """
    if len(t) < 2:
        return 0.0
    h = np.diff(t) / np.maximum(1, np.diff(steps))
    change = acceleration[1:] * h[:, None, None]  # of the described frames' twists
    n, inertia = change.shape[1], model.once(undivided).inertia
    change_i = np.einsum("nij,fnj->fni", adjoint.Ad(model.E_ib[:n]), np.nan_to_num(change, posinf=0.0, neginf=0.0))
    with np.errstate(over="ignore"):
        largest = float((0.5 * inertia[:n] * change_i**2).sum(axis=(1, 2)).max())
    return largest if np.isfinite(largest) else 0.0


def unit_energy(model: Model) -> float:
    """Kinetic energy [J] of every coordinate moving its own body alone at 1 rad/s or 1 m/s from the start pose."""
    model = model.once(undivided)
    start = model.initial_state()
    S = kinematics(model, start.q, start.qdot, start.chart).S
    total = 0.0
    for j in range(model.body_count):
        total += float((model.inertia[j] @ (adjoint.Ad_inverse(model.E_ji[j]) @ S[:, model.columns(j)]) ** 2).sum())
    return 0.5 * total


def _percent(part: float) -> str:
    return f"{100.0 * part:.2g} %"
