# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds spent over the error reached: integrators of all engines on a pendulum of ten links.

Two starts: *smooth*, let go from 0.5 rad beside the vertical, and *whip*, let go level, after which the end cracks.
The error is that of the worst joint angle at the end, against extrapolation in 80-bit arithmetic.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field

import numpy as np

from redmax.errors import RedMaxError

from .curves import Curve, time_for
from .measure import Options, Row, no_collection, now, timing
from .mechanisms import Motion, at_rest, planar_chain
from .peers import machines, ours
from .peers.base import Machine, Method, Unsupported
from .pendulum_reference import reference
from .plot import work_precision_plot

LINKS = 10
STARTS = {"smooth": (math.pi / 2.0 - 0.5, 2.0, 200), "whip": (0.0, 1.0, 300)}
"""Angle of the first joint [rad], duration [s], steps of the reference."""
TARGETS = (1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-11)
BEST_AT, BEST_RATIO = 1e-8, 0.1
FIRST_RUN = 1e-3
"""Seconds simulated by the run that is not counted."""
ROUNDING = 1e-11
"""Once an error is below this and grows again, rounding has taken over."""
BATCH = 0.03
"""Shorter runs are repeated within a round until they take so many seconds together."""
PEERS = ("pinocchio", "mujoco", "drake", "exudyn", "dart", "pybullet")


@dataclass
class Point:
    """One setting of one method, run so many times in each round."""

    label: str
    method: Method
    setting: float
    error: float
    count: int
    times: list[float] = field(default_factory=list)


def run(options: Options) -> list[Row]:
    rows: list[Row] = []
    saved: dict[str, list[dict]] = {}
    mechanism = planar_chain(LINKS)
    made: dict[str, Machine] = {ours().NAME: ours().build(mechanism), **machines(options, mechanism, PEERS)}
    for start, (first, duration, steps) in STARTS.items():
        motion = at_rest(mechanism, first)
        q, _, change = reference(mechanism, motion, duration, steps, options.results / "references")
        print(f"  {start}: reference known to {change:.0e}", flush=True)
        points = explored(options, made, motion, duration, q)
        repeat(points, duration, options.rounds)
        curves = as_curves(points)
        work_precision_plot(curves, options.results / f"{options.prefix}work-precision-{start}", start)
        saved[start] = [curve.__dict__ for curve in curves]
        rows += rows_of(options, start, curves)
    (options.results / f"{options.prefix}work-precision.json").write_text(json.dumps(saved, indent=1), encoding="utf-8")
    options.note(
        "Work-precision: planar chain of ten links, 2 s smooth and 1 s whip; errors are those of the worst angle at "
        "the end [rad]; times between two settings are interpolated. Each run begins with the state and ends with "
        "the angles at the end, without samples between; runs of less than 30 ms are repeated within a round until "
        "they take that long together."
    )
    return rows


def explored(
    options: Options, made: dict[str, Machine], motion: Motion, duration: float, expected: np.ndarray
) -> list[Point]:
    """Every method at its settings, coarse to fine, until one takes too long or no longer gains accuracy."""
    points = []
    longest = options.seconds(2.0, 0.2)
    for name, machine in made.items():
        machine.set_motion(motion)
        try:
            methods = machine.methods()
        except Unsupported as reason:
            options.skip(f"{name}, work-precision: {reason}")
            continue
        for method in methods:
            label = f"{name} {method.name}"
            method.run(method.settings[-1], FIRST_RUN)  # whatever is compiled or allocated at a first run
            best = math.inf
            for setting in method.settings:
                begin = now()
                try:
                    q, _ = method.run(setting, duration)
                except (RuntimeError, RedMaxError):  # too coarse: diverged
                    continue
                spent = now() - begin
                error = float(np.abs(q - expected).max())
                if not math.isfinite(error) or error == 0.0:
                    continue
                points.append(Point(label, method, setting, error, max(1, round(BATCH / spent))))
                if spent > longest or (best < ROUNDING and error > best):
                    break
                best = min(best, error)
    return points


def repeat(points: list[Point], duration: float, rounds: int) -> None:
    with no_collection():
        for _ in range(rounds):
            for point in points:
                begin = now()
                for _ in range(point.count):
                    point.method.run(point.setting, duration)
                point.times.append((now() - begin) / point.count)


def as_curves(points: list[Point]) -> list[Curve]:
    labels = list(dict.fromkeys(point.label for point in points))
    curves = []
    for label in labels:
        own = [point for point in points if point.label == label]
        times = [timing(point.times) for point in own]
        curves.append(
            Curve(
                label,
                [point.error for point in own],
                [value.median for value in times],
                [value.spread for value in times],
            )
        )
    return curves


def rows_of(options: Options, start: str, curves: list[Curve]) -> list[Row]:
    """Our best curve beside every other at each target, and beside the best of all others at one."""
    mine = [curve for curve in curves if curve.label.startswith(ours().NAME)]
    theirs = [curve for curve in curves if not curve.label.startswith(ours().NAME)]
    rows = []
    for target in TARGETS:
        reached = [(value, curve) for curve in mine if (value := time_for(curve, target)) is not None]
        if not reached:
            options.skip(f"work-precision, {start}: no integrator of ours reaches {target:g}")
            continue
        value, own = min(reached, key=lambda pair: pair[0])
        best: tuple[float, str] | None = None
        case = f"{start}, error {target:.0e} ({own.label.removeprefix(ours().NAME + ' ')})"
        for curve in theirs:
            other = time_for(curve, target)
            if other is None:
                continue
            rows.append(Row("work-precision", case, 1e3 * value, "ms", curve.label, 1e3 * other, ratio_limit=1.0))
            best = min(best or (other, curve.label), (other, curve.label))
        if target == BEST_AT and best is not None:
            best_case = f"{start}, error {target:.0e}, best peer"
            rows.append(
                Row("work-precision", best_case, 1e3 * value, "ms", best[1], 1e3 * best[0], ratio_limit=BEST_RATIO)
            )
    return rows
