# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a linkage passed a singular pose: there its equations depend on each other, and it can go on in more ways.

The strength of the weakest equation falls to nothing at such a pose, linearly in time, and rises again. It is followed
from frame to frame, and between frames along the cubic through coordinates and velocities, so that no pass is too quick
to be seen. What the steps themselves came through, those that were not accepted included, says only where to look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from . import fast
from .arrays import Array, IntArray
from .dynamics.constraint_rows import constraint_rows, element_names
from .dynamics.row_strength import coordinate_lengths, rank_of, weakest_equation
from .errors import UNKNOWN, ElementName, Quantity, RedMaxError
from .integrators.constrained import Strength
from .kernels.layout import codes
from .model import Model
from .outcome import Outcome
from .state import State

CODE = "singular_pose"

PASSED = 0.03
"""Strength, as part of the largest in the run, below which a pose counts as singular. Followed between frames it falls
below 0.001 in poses that are; a Jansen leg, which has none, stays at 0.16."""

SUSPECT = 0.3
"""A run none of whose steps came below this part has passed no singular pose."""

MOST_AT_FRAME = 0.8
"""Frames next to a singular pose are below this part, unless there are only four of them in a turn."""

STEEPER = 1.5
"""How much steeper strengths may become near a singular pose."""

LONG = 1.0
"""Turns from frame to frame [rad] in which strengths may fall and rise again."""

APART = 0.15
MOST_POINTS = 200
"""How far apart points between frames are [rad] at which strengths are first looked at, and how many there are at most
besides four."""

GOLDEN = 0.5 * (5.0**0.5 - 1.0)
NARROWER = 12
"""How often the interval around the least of them is made narrower, each time by the golden ratio."""

LONGEST_STEP = 2.0
"""Steps turn by less than this [rad]. Their strengths are known with the first frame after they were taken, from which
on they may pass further ones."""

CHOICES = {
    codes.KEPT: (
        "stopped_in_singular_pose",
        "came to rest in a pose from which it can go on in more than one way, and goes on as it came",
    ),
    codes.CHOSEN: (
        "rests_in_singular_pose",
        "rests in a pose from which it can go on in more than one way, and goes on as forces push it",
    ),
    codes.STOPPED: ("velocity_taken", "stands in a pose that it cannot leave: its velocity was taken away"),
    codes.LOCKED: ("locked", "rests in a pose that it cannot leave, whatever pushes it"),
}
"""Codes and sentences for what had to be chosen in a singular pose."""

Measure = Callable[[State], tuple[float, ElementName]]


def singular_pose(model: Model, states: Sequence[State], strengths: Sequence[Strength]) -> Outcome | None:
    """The first singular pose that a run passed, from which it may have gone on in a wrong way; mostly None.

    states: at the frames. strengths: what the steps before each frame came through.
    """
    if not (model.loops or any(not constraint.one_sided for constraint in model.constraints)) or len(states) < 2:
        return None  # without equations nothing is singular
    steps = np.array([strength.least for strength in strengths])
    usual = max(strength.largest for strength in strengths)
    by_kernels = any(strength.all_seen for strength in strengths)
    if by_kernels and not steps.min() < SUSPECT * usual:
        return None
    measure = _by_kernels(model) if by_kernels else None
    if measure is not None:
        frames = np.array(
            [s.here if math.isfinite(s.here) else measure(x)[0] for s, x in zip(strengths, states, strict=True)]
        )
    else:
        values = [strength.values for strength in strengths if strength.values is not None]
        rank = max(map(rank_of, values), default=0)
        if len(values) < len(states) or rank == 0:
            return None
        measure, frames = _readable(model, rank), np.array([value[rank - 1] for value in values])
    singular = PASSED * frames.max()
    turns = _turns(model, states)
    turned = np.append(0.0, np.cumsum(turns))
    passes: list[tuple[float, ElementName]] = []
    for k in _where_to_look(frames, turns, singular).tolist():
        first = int(np.searchsorted(turned, turned[k] - LONGEST_STEP))
        if by_kernels and not steps[first : k + 2].min() < SUSPECT * usual:
            continue
        a, b = states[k], states[k + 1]
        least, t = _least(measure, a, b, turns[k], singular)
        if least < singular and not (passes and t - passes[-1][0] <= b.t - a.t):  # found from both sides of a frame
            passes.append((t, measure(a if frames[k] < frames[k + 1] else b)[1]))
    if not passes:
        return None
    when, name = passes[0]
    frame = int(np.argmin([abs(state.t - when) for state in states]))
    more = f" (the first of {len(passes)} times)" if len(passes) > 1 else ""
    return Outcome(
        code=CODE,
        frame=frame,
        t=states[frame].t,
        element=name,
        what=f"{name} passed a pose from which it can go on in more than one way{more}",
        advice="check the motion there",
        numbers={"passes": Quantity(float(len(passes)))},
        lasting=False,
    )


def choice_made(model: Model, states: Sequence[State], strengths: Sequence[Strength]) -> Outcome | None:
    """What a run had to choose first, in a singular pose in which it rested; mostly None."""
    for frame, strength in enumerate(strengths):
        if strength.choice in CHOICES:
            code, what = CHOICES[strength.choice]
            name = strength.element or element_names(model)[0]
            advice = "check the motion there" if strength.choice in (codes.KEPT, codes.CHOSEN) else "start it elsewhere"
            sentence = f"{name} {what}"
            return Outcome(
                code=code, frame=frame, t=states[frame].t, element=name, what=sentence, advice=advice, lasting=False
            )
    return None


def _by_kernels(model: Model) -> Measure | None:
    tree = fast.constrained_tree(model)
    if tree is None:
        return None
    names = element_names(model)

    def measure(state: State) -> tuple[float, ElementName]:
        strength, loop = tree.weakest_at(state.q, state.chart)
        return strength, names[loop]

    return measure


def _readable(model: Model, rank: int) -> Measure:
    def measure(state: State) -> tuple[float, ElementName]:
        kin = fast.kinematics(model, state.q, state.qdot, state.chart)
        try:
            return weakest_equation(model, constraint_rows(model, kin, state.t), rank)
        except (RedMaxError, np.linalg.LinAlgError):  # the cubic between frames has left the loops
            return math.inf, UNKNOWN

    return measure


def _turns(model: Model, states: Sequence[State]) -> Array:
    """(f - 1,) how far the fastest coordinate goes from each frame to the next [rad, or parts of the size]."""
    lengths = model.once(coordinate_lengths)
    speeds = np.array([np.abs(state.qdot / lengths).max(initial=0.0) for state in states])
    return np.asarray(np.diff([state.t for state in states]) * np.maximum(speeds[1:], speeds[:-1]))


def _where_to_look(frames: Array, turns: Array, singular: float) -> IntArray:
    """Intervals between frames that may have a singular pose inside: long ones, and next to frames that are low.

    Towards such a pose strengths fall as steeply as they rise behind it, so that the frame next to it is no higher than
    the larger step to its neighbours.
    """
    before, after = np.append(np.inf, frames[:-1]), np.append(frames[1:], np.inf)
    steepest = np.maximum(before, after) - frames  # infinite at the first and the last frame
    low = (frames <= before) & (frames <= after) & (frames < MOST_AT_FRAME * frames.max())
    low &= frames - STEEPER * steepest < singular
    return np.flatnonzero(low[1:] | low[:-1] | (turns > LONG))


def _least(measure: Measure, a: State, b: State, turn: float, singular: float) -> tuple[float, float]:
    """Least strength from a to b, and its time [s]; not sought to the end where it is not singular, or clearly so."""

    def at(when: float) -> tuple[float, float]:
        between = _between(a, b, when)
        return (math.inf if between is None else measure(between)[0]), when

    found = [at(t) for t in np.linspace(a.t, b.t, 4 + min(int(turn / APART), MOST_POINTS)).tolist()]
    best = min(found)
    k = found.index(best)
    # Lines through the points on either side lie below the strength, or nearly so, unless it has a minimum there.
    left, right = found[max(k - 2, 0) : k][:2], found[k + 1 : k + 3]
    slopes = [abs(b[0] - a[0]) for a, b in (left, right)] if len(left) == len(right) == 2 else []
    if best[0] < singular or (slopes and best[0] - max(slopes) > singular):
        return best
    early, late = found[max(k - 1, 0)][1], found[min(k + 1, len(found) - 1)][1]
    x, y = at(late - GOLDEN * (late - early)), at(early + GOLDEN * (late - early))
    for _ in range(NARROWER):
        best = min(best, x, y)
        if best[0] < singular:
            break
        if x[0] < y[0]:
            late, y = y[1], x
            x = at(late - GOLDEN * (late - early))
        else:
            early, x = x[1], y
            y = at(early + GOLDEN * (late - early))
    return min(best, x, y)


def _between(a: State, b: State, t: float) -> State | None:
    """On the cubic through both; None where a joint has changed its chart."""
    if not np.array_equal(a.chart, b.chart):
        return None
    h = b.t - a.t
    s = (t - a.t) / h
    q = a.q + (b.q - a.q) * (s * s * (3.0 - 2.0 * s)) + h * s * (1.0 - s) * ((1.0 - s) * a.qdot - s * b.qdot)
    return State(t, q, a.qdot, a.chart)
