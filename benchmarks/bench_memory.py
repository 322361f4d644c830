# SPDX-License-Identifier: GPL-3.0-or-later
"""Peak memory of a process that builds a chain of 1000 hinges and simulates a frame of it."""

from __future__ import annotations

import json
import subprocess
import sys

from redmax.kernels import route

from .measure import Options, Row, child_environment
from .peers import engines

LIMIT = 300.0
PEERS = ("drake", "mujoco")
QUICK_PEERS = ("drake",)


def run(options: Options) -> list[Row]:
    options.note(
        "Memory: largest resident memory of the whole process, libraries included; pinocchio is left out because it "
        "reserves 32 GB for 1000 joints."
    )
    routes = [route.NUMBA, route.NUMPY] if route.name() == route.NUMBA else [route.NUMPY]
    wanted = QUICK_PEERS if options.quick else PEERS
    theirs = {engine.NAME: peak(engine.__name__.rpartition("with_")[2]) for engine in engines(options, wanted)}
    rows = []
    for name in routes:
        mine = peak("redmax", REDMAX_ROUTE=name)
        title, case = "memory, 1000 bodies", f"route {name}"
        rows.append(Row(title, case, mine, "MB", limit=LIMIT))
        rows += [Row(title, case, mine, "MB", peer, value) for peer, value in theirs.items()]
    return rows


def peak(engine: str, **environment: str) -> float:
    """Megabytes."""
    command = [sys.executable, "-m", "benchmarks.one_process", "memory", engine]
    done = subprocess.run(
        command, env=child_environment(**environment), stdout=subprocess.PIPE, text=True, check=True, timeout=600
    )
    return float(json.loads(done.stdout.splitlines()[-1])["peak"])
