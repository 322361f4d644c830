# SPDX-License-Identifier: GPL-3.0-or-later
"""From nothing to the first frame: import, build a chain of 100 hinges and simulate a frame, in a fresh process.

Cold: the folder of compiled kernels is empty, so everything is compiled. Warm: it was filled by an earlier process.
Python keeps its bytecode, as it does of installed packages (the peers' came with them), whatever the environment says.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time

from redmax.kernels import route

from .measure import Options, Row, Timing, child_environment, timing
from .peers import engines

WARM_LIMIT = 1.5
PEERS = ("mujoco", "pinocchio", "drake", "dart", "pybullet")


def run(options: Options) -> list[Row]:
    options.note(
        "Start: seconds from starting Python until its end, as a stopwatch would see it: interpreter, imports, a chain "
        "of 100 hinges built, one frame of 42 steps."
    )
    rows = []
    warm_rounds = 3 if options.quick else options.rounds
    with tempfile.TemporaryDirectory() as folder:
        times: dict[str, list[float]] = {}
        parts: list[dict[str, float]] = []
        compiled = route.name() == route.NUMBA
        if compiled:
            times["cold"] = [seconds_to_first_frame("redmax", REDMAX_ROUTE="numba", REDMAX_CACHE_DIR=folder)[0]]
        wanted = PEERS[:2] if options.quick else PEERS
        peers = {engine.NAME: engine.__name__.rpartition("with_")[2] for engine in engines(options, wanted)}
        for _ in range(warm_rounds):
            if compiled:
                value, part = seconds_to_first_frame("redmax", REDMAX_ROUTE="numba", REDMAX_CACHE_DIR=folder)
                times.setdefault("warm", []).append(value)
                parts.append(part)
            value, _ = seconds_to_first_frame("redmax", REDMAX_ROUTE="numpy")
            times.setdefault("plain numpy", []).append(value)
            for name, module in peers.items():
                times.setdefault(name, []).append(seconds_to_first_frame(module)[0])
    medians = {name: timing(values) for name, values in times.items()}
    if compiled:
        rows.append(_row("compiled kernels, cold", medians["cold"]))
        rows.append(_row("compiled kernels, warm", medians["warm"], limit=WARM_LIMIT))
        rows += [_row("compiled kernels, warm", medians["warm"], name, medians[name]) for name in peers]
        middle = sorted(parts, key=lambda part: part["all"])[len(parts) // 2]
        listed = ", ".join(f"{key} {middle[key]:.2f}" for key in ("import", "build", "first", "second"))
        options.note(f"A warm start of ours is made of [s]: {listed} (second: another frame).")
    else:
        options.skip(f"start of compiled kernels: {route.why_numpy()}")
    rows.append(_row("plain numpy", medians["plain numpy"]))
    return rows


def _row(case: str, mine: Timing, peer: str = "", theirs: Timing | None = None, limit: float | None = None) -> Row:
    return Row(
        "start",
        case,
        mine.median,
        "s",
        peer,
        None if theirs is None else theirs.median,
        mine.spread,
        limit=limit,
        their_spread=None if theirs is None else theirs.spread,
    )


def seconds_to_first_frame(engine: str, **environment: str) -> tuple[float, dict[str, float]]:
    """Seconds that a fresh process takes, and what it says of its parts."""
    command = [sys.executable, "-m", "benchmarks.one_process", "start", engine]
    begin = time.perf_counter()
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    surroundings = child_environment(PYTHONDONTWRITEBYTECODE="", **environment)
    done = subprocess.run(command, env=surroundings, check=True, **quiet)
    return time.perf_counter() - begin, json.loads(done.stdout.splitlines()[-1])
