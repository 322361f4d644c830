# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of a sample, as `Tree.observe` gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array

NO_LOOPS = (np.zeros((0, 6)), np.zeros((0, 2)))
"""loop_reaction and gap of a tree."""


@dataclass(frozen=True, eq=False)
class Observation:
    """A mechanism at one instant; see `simulate.CHANNELS`. stuck: body at whose joint nothing resists, or -1.

    loop_reaction, gap: of a mechanism with loops. constraint: (c,) multipliers of the constraints' rows. certain:
    whether all rows are independent, so that reactions of loops and multipliers are unique.

    drive: (nr,) what drives push with along followers, and against along what moves them.
    friction: (nr,) dry friction in bearings along each coordinate, and what holds those that stick.
    motor, motor_power: (nr,) what motors of simulated joints push with and put in [W].
    power: (2,) put in by motors and torques and taken out by dampers [W].
    speeds: (n, 2) angular speed of each body [rad/s] and speed of its centre of mass [m/s].
    """

    E_wb: Array
    twist: Array
    acceleration: Array
    reaction: Array
    qddot: Array
    tau: Array
    load: Array
    drive: Array
    friction: Array
    motor: Array
    motor_power: Array
    kinetic: float
    potential: float
    center_of_mass: Array
    momentum: Array
    power: Array
    speeds: Array
    stuck: int
    loop_reaction: Array
    gap: Array
    certain: bool
    constraint: Array
