# SPDX-License-Identifier: GPL-3.0-or-later
"""Work and loss of a run at its samples."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..integrators import Stepper
from ..integrators.energy_balance import BalancedStepper


class Exchange:
    """Work and loss of one run so far [J], as the stepper knows them or summed from frame to frame."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._last: tuple[float, Array] | None = None
        self._sums = np.zeros(2)

    def until(self, t: float, present: Array) -> tuple[float, float]:
        """Work and loss at the sample at time t; present: (2,) the powers there."""
        if isinstance(self._stepper, BalancedStepper):
            return self._stepper.work, self._stepper.loss
        if self._last is not None:
            t_last, past = self._last
            self._sums = self._sums + 0.5 * (t - t_last) * (past + present)
        self._last = (t, present)
        constraints = self._stepper.constraints
        put_in, lost = (0.0, 0.0) if constraints is None else (constraints.work, constraints.loss)
        if self._stepper.contact is not None:
            lost += self._stepper.contact.friction_loss + self._stepper.contact.impact_loss
        return float(self._sums[0]) + put_in, float(self._sums[1]) + lost
