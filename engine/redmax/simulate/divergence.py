# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that have left all bounds."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics.assembly import size
from ..errors import ElementName, Quantity, RunError
from ..model import Model
from ..outcome import SMALLER_STEP

MAX_SPEED = 1e6
"""A body faster than this [m/s] has diverged.

Far above anything meant, on purpose: a lower limit would refuse large scenes, long falls and fast rotors, and gain
nothing. Runs that blow up pass from 500 m/s to this within two frames (measured on chains and stiff pendulums).
"""

MAX_SPIN = 1e6
"""A body turning faster than this [rad/s] has diverged."""


class DivergedError(RunError):
    """A motion that has left all bounds."""

    code = "diverged"


def divergence(model: Model, E: Array, speeds: Array) -> DivergedError | None:
    """Which body shows that a run has diverged and how; None for a sound state.

    E: (n, 4, 4) poses. speeds: (n, 2) how fast each body turns [rad/s] and its centre of mass moves [m/s].
    """
    if speeds.max(initial=0.0) <= min(MAX_SPEED, MAX_SPIN) and np.isfinite(E).all():  # NaN compares as false
        return None
    sound = np.isfinite(E).all(axis=(1, 2)) & np.isfinite(speeds).all(axis=1)
    if not sound.all():
        body = ElementName("body", model.named_body(int(np.argmin(sound))))
        return DivergedError(f"the motion of {body} is no longer finite", body, SMALLER_STEP, code="body_not_finite")
    for column, limit, unit in ((1, MAX_SPEED, "m/s"), (0, MAX_SPIN, "rad/s")):
        if speeds[:, column].max(initial=0.0) > limit:
            fastest = int(speeds[:, column].argmax())
            body, speed = ElementName("body", model.named_body(fastest)), Quantity(float(speeds[fastest, column]), unit)
            what = f"{body} exceeds {limit:,.0f} {unit} ({speed})"
            numbers = {"limit": Quantity(limit, unit), "speed": speed}
            return DivergedError(what, body, model.once(_hasty) or SMALLER_STEP, numbers=numbers)
    return None


TORN = 1e-6
"""A loop that is open by more [rad, or parts of the mechanism's size] is torn: steps close loops to round-off."""


class TornError(DivergedError):
    """A loop that the motion has opened."""

    code = "cannot_close"


def torn(model: Model, gap: Array) -> TornError | None:
    """Which loop is open; None where all are closed. gap: (l, 2) angle [rad] and distance [m] of each.

    Kernels solve for rows that are independent at any pose. Where animated joints contradict each other, rows that
    depend on these at every pose are broken all the same.
    """
    if not len(gap) or not model.treatment.projects:  # the golden runs let loops drift
        return None
    relative = gap / np.array([1.0, model.once(size)])
    if not relative.max() > TORN:
        return None
    loop, column = np.unravel_index(int(relative.argmax()), gap.shape)
    name = ElementName("loop joint", model.loops[int(loop)].joint.name)
    open_by = Quantity(float(gap[loop, column]), ("rad", "m")[int(column)])
    advice = "start with it closed, or remove what contradicts it"
    return TornError(f"{name}: stays open by {open_by}", name, advice, numbers={"gap": open_by})


def _hasty(model: Model) -> str:
    """What to do about animations that no body can follow; empty where there are none."""
    for joint in (*model.joints, *(loop.joint for loop in model.loops)):
        table = joint.animation
        if table is not None and table.peak_slopes().max(initial=0.0) > min(MAX_SPEED, MAX_SPIN):
            x, y = np.asarray(table.x, np.float64), np.asarray(table.y, np.float64)
            k = int((np.abs(np.diff(y, axis=0)).max(axis=1) / np.diff(x)).argmax())
            first, last = x[k : k + 2].tolist()
            return (
                f"the points {first!r} s and {last!r} s in the animation of joint '{joint.name}' are too close, "
                "move them apart"
            )
    return ""
