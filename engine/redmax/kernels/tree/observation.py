# SPDX-License-Identifier: GPL-3.0-or-later
"""What `Tree.observe` gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array

NO_LOOPS = (np.zeros((0, 6)), np.zeros((0, 2)))
"""loop_reaction and gap of a tree."""


@dataclass(frozen=True, eq=False)
class Observation:
    """A mechanism at one instant; see `simulate.CHANNELS`. stuck: body at whose joint nothing resists, or -1.

    loop_reaction, gap: of a mechanism with loops. certain: whether rows depend on each other nowhere, so that what
    loops pass on is known.

    power: (2,) what motors and torques put in and what dampers take out [W].
    speeds: (n, 2) how fast each body turns [rad/s] and its centre of mass moves [m/s].
    """

    E_wb: Array
    twist: Array
    acceleration: Array
    reaction: Array
    qddot: Array
    tau: Array
    load: Array
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
