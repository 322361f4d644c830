# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that `fixed_steps.advance` knows."""

from __future__ import annotations

SEMI_IMPLICIT, RUNGE_KUTTA, LINEARLY_IMPLICIT, CONJUGATE_GRADIENTS = range(4)
