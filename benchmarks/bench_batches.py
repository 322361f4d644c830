# SPDX-License-Identifier: GPL-3.0-or-later
"""Variations per second: a chain of 20 hinges from other start angles, 5 s, beside MuJoCo's rollout on as many cores.

MuJoCo takes RK4 steps that end as close to the exact motion as ours at Accuracy Standard, and, for comparison, its own
Euler steps of 1 ms. Ours reads the table, checks every scene, starts its processes, writes every trajectory with all
channels and the table; a rollout gives the states of its steps, in memory.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from functools import partial

import numpy as np

from redmax.batch import LocalProcesses, ResultFolder, Settings, Variations, loads_csv, run_batch
from redmax.compile import compile as compile_scene
from redmax.integrators import Automatic
from redmax.scene import Scene
from redmax.simulate import record, simulate
from redmax.warm_up import warm_up

from .measure import Options, Row, clock, interleaved
from .mechanisms import chain
from .peers.with_redmax import scene

TITLE = "batches"
LINKS, SECONDS, RATIO_LIMIT = 20, 5.0, 0.5
CORES = min(2, os.cpu_count() or 1)
TRIED = 12
"""RK4 steps of MuJoCo are halved at most so often, from 20 ms on."""


def run(options: Options) -> list[Row]:
    count = 40 if options.quick else 200
    warm_up()
    angles = np.linspace(0.2, 0.6, count)
    table = loads_csv("joints.joint 0.q\n" + "".join(f"{angle!r}\n" for angle in angles.tolist()))
    mechanism = chain(LINKS)
    base = bent(scene(mechanism))
    ways = {"RedMax": partial(ours, base, table)}
    try:
        from .peers.rollouts_in_mujoco import Rollouts  # noqa: PLC0415  (an engine that may be missing)
    except ImportError as error:
        options.skip(f"mujoco: cannot be imported ({error})")
    else:
        exact = [end(base, table, k, "high") for k in (0, count // 2)]
        allowed = max(
            np.abs(end(base, table, k, "standard") - e).max() for k, e in zip((0, count // 2), exact, strict=True)
        )
        rollouts = Rollouts(mechanism, start(base), CORES)
        h = rollouts.step_as_accurate(angles[[0, count // 2]], SECONDS, exact, float(allowed), TRIED)
        if h is None:
            options.skip(f"MuJoCo RK4 as accurate as ours ({allowed:.0e} rad) at any step tried")
        else:
            ways[f"MuJoCo RK4 {1e3 * h:.3g} ms"] = partial(rollouts.run, angles, SECONDS, h, rk4=True)
        ways["MuJoCo Euler 1 ms"] = partial(rollouts.run, angles, SECONDS, 1e-3, rk4=False)
    was, clock["cpu"] = clock["cpu"], False  # the work is done by other processes and threads
    try:
        times = interleaved(ways, options.rounds)
    finally:
        clock["cpu"] = was
    mine, spread = times.pop("RedMax")
    case = f"{count} variations of {LINKS} bodies, {SECONDS:g} s, {CORES} cores"
    options.note(
        "Batches: ms per variation by stopwatch on the same cores. RK4 is as accurate as ours at the end of two of the "
        "variations; Euler at 1 ms is what MuJoCo takes by itself and far off at the end of this motion."
    )
    rows = [
        Row(
            TITLE,
            case,
            1e3 * mine / count,
            "ms",
            name,
            1e3 * theirs / count,
            spread,
            ratio_limit=RATIO_LIMIT if "RK4" in name else None,
            their_spread=their_spread,
        )
        for name, (theirs, their_spread) in times.items()
    ]
    return rows or [Row(TITLE, case, 1e3 * mine / count, "ms", spread=spread)]


def bent(described: Scene) -> Scene:
    """Every hinge at an angle, so that all links move."""
    return replace(described, joints=[replace(joint, q=0.1) for joint in described.joints])


def start(described: Scene) -> np.ndarray:
    return np.array([joint.q for joint in described.joints])


def end(base: Scene, table: Variations, row: int, accuracy: str) -> np.ndarray:
    """Coordinates at the end of one variation, in the scene's order of joints."""
    model = compile_scene(table.scene(base, table.rows[row]))
    run = record(model, simulate(model, duration=SECONDS, integrator=Automatic(accuracy=accuracy)))
    order = [model.joint_names.index(joint.name) for joint in base.joints]
    return run.q[-1, order]


def ours(base: Scene, table: Variations) -> None:
    with tempfile.TemporaryDirectory(prefix="redmax-") as folder:
        batch = run_batch(
            base, table, ResultFolder(folder), settings=Settings(SECONDS), scheduler=LocalProcesses(CORES)
        )
        if batch.failed or batch.lost:
            raise RuntimeError(f"{len(batch.failed)} variations failed, {len(batch.lost)} were lost")
