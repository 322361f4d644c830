# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of motion of a mechanism, as integrators ask for them.

`MechanismAt` is the mechanism at one instant. A `Route` answers questions about it: accelerations, powers, residual,
linearised system. Routes are composed once per run (`begin`): a tree by one formulation, readable, vectorised or
compiled; on it drives; on these constraints.
"""

from .choice import FAST, FORMULATIONS, begin, formulation_choice
from .mechanism_at import MechanismAt
from .route import Route

__all__ = ["FAST", "FORMULATIONS", "MechanismAt", "Route", "begin", "formulation_choice"]
