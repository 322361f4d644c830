# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a mechanism at one frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Array
from ..integrators.constrained import Strength
from ..integrators.contact.account import ContactSample
from ..integrators.energy_balance import EnergyPromise
from ..outcome import Note, Outcome
from ..state import State

NO_STRENGTH = Strength()
"""Of a mechanism without loops and constraints."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The mechanism at one frame; n bodies, nr coordinates, SI units.

    E_wb: (n, 4, 4) poses of the bodies' described frames in the world.
    channels: further results by name, see `CHANNELS`.
    status: "running", or on the last sample "complete" or "failed", with a message.
    A failed run yields its last good sample once more, with that status: nothing computed is lost.
    note: what a person should know of how the run went so far, such as that something is stiff; None as a rule.
    energy_promise: how well its energy balances so far; None where work and loss are estimates.
    steps: how many the run has taken so far.
    outcome: why the run failed; None unless it has.
    strength: of the weakest equation of loops in the steps since the last sample.
    contact: where surfaces touch and what they push with; None without surfaces.
    """

    index: int
    t: float
    state: State
    E_wb: Array
    channels: Mapping[str, Array]
    status: Literal["running", "complete", "failed"] = "running"
    message: str = ""
    note: Note | None = None
    energy_promise: EnergyPromise | None = None
    steps: int = 0
    outcome: Outcome | None = None
    strength: Strength = NO_STRENGTH
    contact: ContactSample | None = None


CHANNELS = {
    "twist": "(n, 6) twists of the described frames, each in its own frame [rad/s, m/s]",
    "acceleration": "(n, 6) time derivatives of these twists, component by component [rad/s^2, m/s^2]",
    "qddot": "(nr,) joint accelerations",
    "chart": "(n,) in which of its charts each joint's q is written, see `State`; 0 for the scene's own",
    "kinetic": "() kinetic energy [J]",
    "potential": "() potential energy of gravity, springs, limits and forces [J]",
    "energy": "() their sum [J]",
    "work": "() energy put in since the start by motors, animated joints, torques, given forces and muscles [J]",
    "loss": "() energy taken out since the start by damping, friction in joints and contact [J]",
    "reaction": "(n, 6) wrench that each joint passes on to its body, in the joint frame [N m, N]",
    "torque": "(nr,) whole force along each coordinate: torques, springs, dampers, motors, friction [N m, N or J]",
    "motor": "(nr,) what motors push with; of animated and locked joints what they need on top of torques and springs",
    "motor_power": "(nr,) what the force in motor puts in [W]; negative where it brakes",
    "friction": "(nr,) friction in bearings along each coordinate, and what holds where they stick; only with friction",
    "loop_reaction": "(l, 6) wrench that each loop joint passes on to its child, in the joint frame [N m, N]",
    "constraint": "(m,) force or torque along each row of the constraints, in the scene's order [N or N m]",
    "gap": "(l, 2) what each loop joint is open by: angle [rad] and distance [m]",
    "center_of_mass": "(3,) in the world [m]",
    "momentum": "(6,) angular about the world's origin, then linear, in the world [kg m^2/s, kg m/s]",
    "drive": "(nr,) what drives do to joints that follow and, the other way, to inputs [N m, N or J]; only with drives",
    "input": "(m, 3) of every input of drives: coordinate, velocity and the force it passes on; only with drives",
    "surface_force": "(s, 3) sum of what all contacts push each surface with, in the world [N]; only with surfaces",
    "impact": "(s,) largest impulse of an impact on each surface since the last sample [N s]; only with surfaces",
    "friction_loss": "() energy taken out since the start by friction between surfaces [J]; only with surfaces",
    "impact_loss": "() energy taken out since the start by impacts of surfaces [J]; only with surfaces",
    "nodes": "(m, 3) where the nodes of all strands are in the world [m], in the scene's order; only with strands",
}
"""Channels of every sample. Accelerations and forces are NaN where no force determines them (bodies without mass).

work and loss are integrated along with the motion by the adaptive methods (but `radau`), impulses at corners of
animations included, and are as accurate as the motion. With other integrators they are estimates: the powers at the
frames, summed by the trapezoidal rule. Such an estimate of the work is NaN from the first frame on at which a moving
motor's force is NaN.
"""

PER_BODY = ("twist", "acceleration", "chart", "reaction")
PER_COORDINATE = ("qddot", "torque", "motor", "motor_power", "drive", "friction")


NO_CONSTRAINTS = {"loop_reaction": np.zeros((0, 6)), "constraint": np.zeros(0), "gap": np.zeros((0, 2))}
"""These channels of a tree."""
