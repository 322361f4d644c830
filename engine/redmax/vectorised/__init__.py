# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine in plain numpy without loops over the bodies: the route where no compiler is.

Same names, arguments and results as `dynamics.kinematics`, `dynamics.loads` and `dynamics.recursive`.
"""

from .dynamics import forward_dynamics, inverse_dynamics, joint_accelerations
from .linearised import linear_system, mass_matrix
from .motion import accelerations, accelerations_and_powers, turn_rate
from .pushing import loads
from .world import kinematics

__all__ = [
    "accelerations",
    "accelerations_and_powers",
    "forward_dynamics",
    "inverse_dynamics",
    "joint_accelerations",
    "kinematics",
    "linear_system",
    "loads",
    "mass_matrix",
    "turn_rate",
]
