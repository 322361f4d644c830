# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with contact: exact adaptive steps where nothing touches, velocity-level steps with error control where it does.

A step of length h moves the whole mechanism freely, by the adaptive method that runs without surfaces have: (q*, v*).
Trees that touch nothing keep that. All others are corrected by impulses of one problem per island (`problem`), with
contacts, loops, limits and drives together:

    M (v1 - v*) = G^T P,        q1 = q* + h/2 (v1 - v*)

M and G at the midpoint q* - h/2 v*, so that forces have the direction they have on the average; the laws of contact
hold for the relative velocities at the end, G v1 + (G v0 - G0 v0). The error is that of order 3 in h per step, and is
known by taking the step in two halves (`_controlled`). Impacts with restitution happen at instants: steps end where
surfaces meet (`_meeting`), and velocities jump there (`_settled`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array, BoolArray
from ...dynamics.assembly import scale_of
from ...model import Model
from ...solvers.contact import layout as at
from ...state import State
from ..automatic import AutomaticStepper, Promise
from ..energy_balance import EnergyPromise
from ..watch import FRAME
from .account import Account
from .detection import Detection
from .moment import Moment
from .placed import Placed
from .points import Points
from .problem import BOUNCE, BOUNCE_ABOVE, KINETIC, STATIC, Problem, assemble, constraint_blocks, contact_blocks, involved
from .solving import Solver
from .trees import trees

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree
