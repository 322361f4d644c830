# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives as kernels know them: what places followers, and a row for each of them.

An input that has no inertia could not be eliminated. As many followers by ratios as there are such inputs say where
they are: `LedInputs` writes these inputs by coordinates that have inertia, and rows are on those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, IntArray
from ...drives import Followers
from ...model import Model

NO_RATIO = 1e-12
"""Ratios below this part of the largest one are the rounding of a difference."""


@dataclass(frozen=True, eq=False)
class LedInputs:
    """Inputs without inertia: q[inputs] = factors (q - offsets). inputs: (l,), factors: (l, nr), offsets: (nr,).

    leaders: (l,) numbers of the followers that they are computed from, which have no rows.
    """

    inputs: IntArray
    leaders: IntArray
    factors: Array
    offsets: Array


@dataclass(frozen=True, eq=False)
class FollowerForm:
    """q[row] = offset + f(start + ratios . q[coordinates]). number: that of the follower."""

    number: int
    row: int
    coordinates: IntArray
    ratios: Array
    offset: float
    start: float


def body_of(model: Model, coordinate: int) -> int:
    """The body whose joint has this coordinate."""
    return int(np.searchsorted(model.dof, coordinate, side="right")) - 1


def led_inputs(model: Model) -> LedInputs | None:
    """Inputs of drives that have no inertia, None where too few followers by ratios say where these are."""
    nr, followers = model.dof_count, model.followers
    nothing: IntArray = np.zeros(0, np.int64)
    if followers is None:
        return LedInputs(nothing, nothing, np.zeros((0, nr)), np.zeros(nr))
    light = np.array([m for m in range(len(followers.inputs)) if _is_light(model, followers, m)], np.int64)
    left = np.where(np.isin(np.arange(len(followers.rows)), followers.curves.bent)[:, None], 0.0, followers.ratio)
    left = left[:, light]
    largest = np.abs(left).max(initial=0.0)
    found: list[int] = []
    for _ in light:  # Gauss's elimination with the largest pivot
        k, m = np.unravel_index(np.abs(left).argmax(), left.shape) if left.size else (0, 0)
        if not left.size or not abs(left[k, m]) > NO_RATIO * largest:
            return None
        found.append(int(k))
        left = left - np.outer(left[:, m] / left[k, m], left[k])
        left[k], left[:, m] = 0.0, 0.0
    leaders: IntArray = np.array(found, np.int64)
    others = np.setdiff1d(np.arange(len(followers.inputs)), light)
    inverse = np.linalg.inv(followers.ratio[np.ix_(leaders, light)])
    factors, offsets = np.zeros((len(light), nr)), np.zeros(nr)
    factors[:, followers.rows[leaders]] = inverse
    factors[:, followers.inputs[others]] = -inverse @ followers.ratio[np.ix_(leaders, others)]
    offsets[followers.rows[leaders]] = followers.offset[leaders]
    return LedInputs(followers.inputs[light], leaders, _cleaned(factors), offsets)


def _is_light(model: Model, followers: Followers, m: int) -> bool:
    coordinate = int(followers.inputs[m])
    return followers.own[m] and not model.prescribed[coordinate] and not model.inertia[body_of(model, coordinate)].any()


def _cleaned(ratios: Array) -> Array:
    """Lines of ratios without those that are rounding."""
    return np.where(np.abs(ratios) > NO_RATIO * np.abs(ratios).max(axis=-1, initial=0.0, keepdims=True), ratios, 0.0)


def follower_forms(model: Model) -> list[FollowerForm]:
    """All followers, as their drives say."""
    followers = model.followers
    if followers is None:
        return []
    return [_form(model, k, _by_inputs(model, followers, k), 0.0) for k in range(len(followers.rows))]


def row_forms(model: Model) -> list[FollowerForm]:
    """The followers that have rows, in coordinates that have inertia."""
    followers, led = model.followers, model.once(led_inputs)
    if followers is None or led is None:
        return []
    forms: list[FollowerForm] = []
    for k in np.setdiff1d(np.arange(len(followers.rows)), led.leaders).tolist():
        ratios = _by_inputs(model, followers, k)
        shares = ratios[led.inputs]
        ratios[led.inputs] = 0.0
        forms.append(
            _form(model, k, _cleaned(ratios + shares @ led.factors), -float(shares @ led.factors @ led.offsets))
        )
    return forms


def _by_inputs(model: Model, followers: Followers, k: int) -> Array:
    ratios = np.zeros(model.dof_count)
    ratios[followers.inputs] = followers.ratio[k]
    return ratios


def _form(model: Model, k: int, ratios: Array, start: float) -> FollowerForm:
    followers = model.followers
    assert followers is not None
    coordinates = np.flatnonzero(ratios)
    row, offset = int(followers.rows[k]), float(followers.offset[k])
    return FollowerForm(k, row, coordinates, ratios[coordinates], offset, start)


def substituted(model: Model, terms: dict[int, float], offset: float) -> tuple[dict[int, float], float]:
    """Factors by coordinate, and offset, of sum of factors * q = offset, with inputs that have no inertia written by
    coordinates that have."""
    led = model.once(led_inputs)
    if led is None:
        return terms, offset
    found: dict[int, float] = {}
    for coordinate, factor in terms.items():
        place = np.flatnonzero(led.inputs == coordinate)
        if not len(place):
            found[coordinate] = found.get(coordinate, 0.0) + factor
            continue
        line = factor * led.factors[place[0]]
        offset += float(line @ led.offsets)
        for k in np.flatnonzero(line).tolist():
            found[k] = found.get(k, 0.0) + float(line[k])
    return found, offset


def known_drives(model: Model) -> bool:
    """Whether kernels know all drives of a model: there are coordinates with inertia by which rows can be written."""
    return model.once(led_inputs) is not None
