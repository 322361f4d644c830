# SPDX-License-Identifier: GPL-3.0-or-later
"""Our two routes beside each other: kernels compiled by numba, and plain numpy where numba is missing."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from redmax.kernels import route

from .measure import Options, Row, child_environment, interleaved_calls
from .mechanisms import SPHERICAL, Mechanism, chain, random_motion
from .peers.with_redmax import NumpyMachine, build

LIMIT = 600.0
"""Microseconds that plain numpy may take for the forward dynamics of 100 links."""


def run(options: Options) -> list[Row]:
    if route.name() != route.NUMBA:
        options.skip(f"routes: only plain numpy computes here, because {route.why_numpy()}")
        return []
    rows = [forward_dynamics(options, chain(n)) for n in (20, 50, 100)]
    rows.append(forward_dynamics(options, chain(100, SPHERICAL), limited=False))
    return rows + simulations(options)


def forward_dynamics(options: Options, mechanism: Mechanism, *, limited: bool = True) -> Row:
    made = {"numba": build(mechanism), "numpy": NumpyMachine(mechanism)}
    motion = random_motion(mechanism, bend=0.8)
    for machine in made.values():
        machine.set_motion(motion)
    ways = {name: machine.forward for name, machine in made.items()}
    times = interleaved_calls(ways, options.rounds, at_least=options.seconds(0.05, 0.02))
    return Row(
        "plain numpy, forward dynamics",
        mechanism.name,
        1e6 * times["numpy"].median,
        "us",
        "ours by numba",
        1e6 * times["numba"].median,
        times["numpy"].spread,
        limit=LIMIT if limited and len(mechanism) == 100 else None,
        their_spread=times["numba"].spread,
    )


def simulations(options: Options) -> list[Row]:
    """One frame of the chain of 100 hinges on either route, each in a process of its own, taking turns."""
    runs: dict[str, list[dict[str, float]]] = {route.NUMPY: [], route.NUMBA: []}
    for _ in range(1 if options.quick else 3):
        for name, results in runs.items():
            command = [sys.executable, "-m", "benchmarks.one_process", "simulate", "redmax"]
            environment = child_environment(REDMAX_ROUTE=name)
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            results.append(json.loads(done.stdout.splitlines()[-1]))
            if results[-1]["route"] != name:
                raise RuntimeError(f"asked for the route {name}, got {results[-1]['route']}")
    rows = []
    for key, what in (("euler", "42 semi-implicit Euler steps"), ("dop853", "adaptive DOP853 at 1e-6")):
        numpy, numba = (1e3 * statistics.median(result[key] for result in runs[name]) for name in runs)
        rows.append(Row("plain numpy, one frame of 100 links", what, numpy, "ms", "ours by numba", numba))
    return rows
