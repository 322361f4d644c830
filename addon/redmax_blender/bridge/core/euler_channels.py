# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles that follow moving rotations without flips, through gimbal lock too; see `rotation_channels`.

A rotation has two sets of angles, (a, b, c) and (a + pi, pi - b, c + pi), each with any number of whole turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._engine import arrays, euler
from .channel_rates import LOCKED, NEAR_LOCK, TURN, Channels, bounded, nearest_turn, next_regular

Array = arrays.Array

WILD = 2.0
"""Rate of an angle [rad/frame] above which, near a singularity, it no longer tells where the angle will be."""

SECOND = np.array([1.0, -1.0, 1.0])
"""Signs of the rates of the second set of angles, relative to the first."""


def euler_channels(q: Array, omega: Array, rest: Array, order: str) -> Channels:
    """Angles (x, y, z) in any of Blender's orders ('XYZ' turns about x first), counting whole turns."""
    sequence: Any = order[::-1].lower()
    places = list(euler.axes(sequence))
    canonical = euler.from_quaternion(q, sequence)
    distance = np.abs(np.cos(canonical[..., 1]))
    locked, near = distance <= LOCKED, distance < NEAR_LOCK
    canonical_rates = _euler_rates(canonical, omega, places, locked)
    wild = locked | (near & (np.abs(canonical_rates) > WILD).any(axis=-1))
    angles, flipped = _follow(canonical, canonical_rates, rest[:, places], locked, wild, _parity(places))
    rates = np.where(flipped[..., None], canonical_rates * SECOND, canonical_rates)
    if locked.any():
        rates[locked] = _rates_at_lock(angles[locked], omega[locked], sequence)
    rates, unresolved = bounded(rates, angles, near)
    values_xyz, rates_xyz = np.empty_like(angles), np.empty_like(rates)
    values_xyz[..., places], rates_xyz[..., places] = angles, rates
    return values_xyz, rates_xyz, unresolved


def _follow(canonical: Array, rates: Array, rest: Array, locked: Any, wild: Any, parity: float) -> tuple[Array, Any]:
    """Angles nearest to where those of the frame before lead, and where they are the second set.

    Rates lead from frame to frame, except where they are wild.
    """
    angles, flipped = np.empty_like(canonical), np.empty(canonical.shape[:2], bool)
    held = locked.any(axis=1)
    for some, follow in ((~held, _follow_free), (held, _follow_through_lock)):
        if some.any():
            angles[some], flipped[some] = follow(
                canonical[some], rates[some], rest[some], locked[some], wild[some], parity
            )
    return angles, flipped


def _follow_free(
    canonical: Array, rates: Array, rest: Array, _locked: Any, wild: Any, _parity: float
) -> tuple[Array, Any]:
    """Of rotations that are never locked, all frames at once: whether to change sets does not depend on the set.

    From one second set to the next everything is as from first to first, with the middle angle negated.
    """
    second = canonical * SECOND + np.pi
    trusted = ~(wild[:, 1:] | wild[:, :-1])[..., None]

    def leads(to: Array, since: Array) -> Array:
        return np.where(trusted, 0.5 * (since[:, :-1] + to[:, 1:]), 0.0)

    stay = canonical[:, 1:] - canonical[:, :-1] - leads(rates, rates)
    change = second[:, 1:] - canonical[:, :-1] - leads(rates * SECOND, rates)
    begin = _gap(second[:, :1] - rest[:, None]) < _gap(canonical[:, :1] - rest[:, None])
    flipped = np.logical_xor.accumulate(np.concatenate([begin, _gap(change) < _gap(stay)], axis=1), axis=1)
    angles = np.where(flipped[..., None], second, canonical)
    rates = np.where(flipped[..., None], rates * SECOND, rates)
    behind = np.concatenate([rest[:, None], angles[:, :-1] + leads(rates, rates)], axis=1) - angles
    return angles + TURN * np.cumsum(np.round(behind / TURN), axis=1), flipped


def _gap(difference: Array) -> Array:
    """Square of the length of differences of angles (..., 3), whole turns aside."""
    shortest = difference - TURN * np.round(difference / TURN)
    square: Array = np.einsum("...i,...i->...", shortest, shortest)
    return square


def _follow_through_lock(
    canonical: Array, rates: Array, rest: Array, locked: Any, wild: Any, parity: float
) -> tuple[Array, Any]:
    """The same frame by frame, because at lock it depends on the angles before which ones are taken."""
    n, f, _ = canonical.shape
    angles, flipped = np.empty_like(canonical), np.zeros((n, f), bool)
    second, second_rates = canonical * SECOND + np.pi, rates * SECOND
    following = next_regular(canonical, ~locked)
    now, speed = rest, np.zeros((n, 3))
    for k in range(f):
        trusted = ~(wild[:, k] | wild[:, k - 1])[:, None] if k else np.zeros((n, 1), bool)
        candidates, gaps = [], []
        for solution, its_rates in ((canonical[:, k], rates[:, k]), (second[:, k], second_rates[:, k])):
            expected = now + np.where(trusted, 0.5 * (speed + its_rates), 0.0)
            candidates.append(nearest_turn(solution, expected))
            gaps.append(((candidates[-1] - expected) ** 2).sum(axis=-1))
        flip = gaps[1] < gaps[0]
        found = np.where(flip[:, None], candidates[1], candidates[0])
        if locked[:, k].any():
            held = _held_at_lock(canonical[:, k], now, following[:, k], parity)
            found = np.where(locked[:, k, None], held, found)
        speed = np.where(flip[:, None], second_rates[:, k], rates[:, k])
        now = angles[:, k] = found
        flipped[:, k] = flip
    return angles, flipped


def _parity(places: list[int]) -> float:
    """+1 for axes in cyclic order, -1 otherwise: e_i x e_j = parity e_k."""
    return 1.0 if (places[1] - places[0]) % 3 == 1 else -1.0


def _held_at_lock(canonical: Array, before: Array, following: Array, parity: float) -> Array:
    """At lock only a + s c counts, s = +-parity; a - s c is that of the next angles out of lock, else it stays."""
    s = parity * np.sign(np.sin(canonical[:, 1]))
    total = nearest_turn(canonical[:, 0] + s * canonical[:, 2], before[:, 0] + s * before[:, 2])
    held = before[:, 0] - s * before[:, 2]
    wanted = nearest_turn(following[:, 0] - s * following[:, 2], held)
    difference = np.where(following.any(axis=-1), wanted, held)
    middle = nearest_turn(canonical[:, 1], before[:, 1])
    return np.stack([0.5 * (total + difference), middle, 0.5 * s * (total - difference)], axis=-1)


def _euler_rates(angles: Array, omega: Array, places: list[int], locked: Any) -> Array:
    """Exact rates; where the angles are locked, of some other angles, to be replaced.

    omega = R_k(c)^T (R_j(b)^T e_i, e_j, e_k) rates, solved by hand: `euler.rates_map_inverse` makes matrices of it.
    """
    i, j, k = places
    parity = _parity(places)
    b, c = angles[..., 1], angles[..., 2]
    cos_c, sin_c = np.cos(c), parity * np.sin(c)
    rates = np.empty_like(angles)
    rates[..., 0] = (cos_c * omega[..., i] - sin_c * omega[..., j]) / np.where(locked, 1.0, np.cos(b))
    rates[..., 1] = sin_c * omega[..., i] + cos_c * omega[..., j]
    rates[..., 2] = omega[..., k] - parity * np.sin(b) * rates[..., 0]
    return rates


def _rates_at_lock(angles: Array, omega: Array, sequence: Any) -> Array:
    """The smallest rates (m, 3) that give what part of omega the angles can give at lock."""
    E = euler.rates_map(angles, sequence, frame="body")
    rates: Array = (np.linalg.pinv(E, rcond=10.0 * LOCKED) @ omega[..., None])[..., 0]
    return rates
