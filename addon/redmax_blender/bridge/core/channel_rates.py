# SPDX-License-Identifier: GPL-3.0-or-later
"""What rotation channels of all modes share: singularities, whole turns, and rates that frames can follow.

Arrays are those of `rotation_channels`: n rotations over f frames with k channels.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..._engine import arrays

Array = arrays.Array

LOCKED = 1e-6
"""Distance from a singularity [rad] up to which a number counts as free; that may turn the result by half of it."""

NEAR_LOCK = 0.2
"""Distance from a singularity [rad] up to which rates are compared with the neighbouring values."""

OUTRUN = 0.25
"""Part of the larger of rates and steps by which the steps may differ from what the rates say."""

TURN = 2.0 * np.pi

Channels: TypeAlias = tuple[Array, Array, arrays.BoolArray]
"""Values (n, f, k), rates per frame (n, f, k), and where these had to be taken from the values (n, f)."""


def next_regular(values: Array, regular: Any) -> Array:
    """At each frame the values (n, f, k) of that frame or the next one that is regular; 0 where there is none."""
    n, f, _ = values.shape
    where = np.where(regular, np.arange(f), f)
    where = np.minimum.accumulate(where[:, ::-1], axis=1)[:, ::-1]
    padded = np.concatenate([values, np.zeros((n, 1, values.shape[2]))], axis=1)
    found: Array = np.take_along_axis(padded, where[..., None], axis=1)
    return found


def nearest_turn(angle: Array, expected: Array) -> Array:
    """The angle with as many whole turns added as bring it nearest to the expected one."""
    turned: Array = angle + TURN * np.round((expected - angle) / TURN)
    return turned


def slopes(values: Array) -> Array:
    """Rates per frame from the values (n, f, k) alone: mean differences, and parabolas at the ends."""
    if values.shape[1] < 3:
        chord: Array = np.zeros_like(values) + np.diff(values, axis=1).sum(axis=1, keepdims=True)
        return chord
    slope: Array = np.gradient(values, axis=1, edge_order=2)
    return slope


def bounded(rates: Array, values: Array, suspect: Any) -> tuple[Array, Any]:
    """Rates per frame (n, f, k) with those replaced that would let a curve swing out; and where frames are too few.

    Between two keys a value moves by the mean of its rates, to third order. Where it does not, nearly, the frames do
    not resolve the motion. A cubic still stays between its keys if its rates are up to three times the step (Fritsch
    and Carlson 1980); others are replaced by the mean of the steps.
    """
    unresolved, swings = np.zeros(values.shape[:2], bool), np.zeros(values.shape, bool)
    if values.shape[1] < 2 or not np.any(suspect):
        return rates, unresolved
    steps = np.diff(values, axis=1)
    first, last = rates[:, :-1], rates[:, 1:]
    size = np.maximum(np.maximum(np.abs(first), np.abs(last)), np.abs(steps)).max(axis=-1, keepdims=True)
    missed = np.abs(steps - 0.5 * (first + last)) > OUTRUN * size + LOCKED
    missed &= (suspect[:, 1:] | suspect[:, :-1])[..., None]
    for ends, rate in ((slice(None, -1), first), (slice(1, None), last)):
        unresolved[:, ends] |= missed.any(axis=-1)
        swings[:, ends] |= missed & ((rate * steps < 0.0) | (np.abs(rate) > 3.0 * np.abs(steps)))
    before = np.concatenate([steps[:, :1], steps], axis=1)
    after = np.concatenate([steps, steps[:, -1:]], axis=1)
    return np.where(swings, 0.5 * (before + after), rates), unresolved
