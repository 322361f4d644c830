# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be measured in a process of its own; prints JSON. Run as `python -m benchmarks.one_process TASK ENGINE`.

start: import the engine, build a chain of 100 hinges, take a first frame, take a second one.
memory: build a chain of 1000 hinges and compute with it; peak of the process's memory.
simulate: seconds of simulated chain and of forward dynamics on the route that the environment asks for.
"""

from __future__ import annotations

import time

BEGAN = time.perf_counter()

import importlib  # noqa: E402  (the imports are what is timed)
import json  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402
from types import ModuleType  # noqa: E402

FRAME = 1.0 / 24.0


def engine_named(name: str) -> ModuleType:
    return importlib.import_module(f"benchmarks.peers.with_{name}")


def start(name: str) -> dict[str, float]:
    """Seconds since the process could do anything: imports, building, the first frame and the next one."""
    from benchmarks.mechanisms import chain, hanging  # noqa: PLC0415

    engine = engine_named(name)
    imported = time.perf_counter()
    machine = engine.build(chain(100))
    machine.set_motion(hanging(machine.mechanism, aside=0.5, bend=0.05))
    built = time.perf_counter()
    machine.simulate(1e-3, 1)
    first = time.perf_counter()
    machine.simulate(1e-3, 1)
    second = time.perf_counter()
    return {
        "import": imported - BEGAN,
        "build": built - imported,
        "first": first - built,
        "second": second - first,
        "all": first - BEGAN,
    }


def memory(name: str) -> dict[str, float]:
    """Peak memory [MB] of a process that builds and moves a chain of 1000 hinges."""
    from benchmarks.mechanisms import chain, hanging  # noqa: PLC0415

    engine = engine_named(name)
    imported = peak_megabytes()
    machine = engine.build(chain(1000))
    machine.set_motion(hanging(machine.mechanism, aside=0.5, bend=0.05))
    machine.simulate(1.0 / 240.0, 1)
    return {"peak": peak_megabytes(), "imported": imported}


def peak_megabytes() -> float:
    """Largest resident memory of this process so far [MB]."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would also count what the parent had before this program began
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) * 1024.0 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def simulate(name: str) -> dict[str, float]:
    """Seconds per frame of a chain of 100 hinges at h = 1/1000 and per adaptive frame, after a first run."""
    from benchmarks.mechanisms import chain, hanging  # noqa: PLC0415
    from redmax.integrators import Dop853  # noqa: PLC0415
    from redmax.kernels import route  # noqa: PLC0415

    machine = engine_named(name).build(chain(100))
    machine.set_motion(hanging(machine.mechanism, aside=0.5, bend=0.05))
    result = {"route": route.name()}
    for frames in (1, 3):
        begin = time.perf_counter()
        machine.simulate(1e-3, frames)
        result["euler"] = (time.perf_counter() - begin) / frames
        stepper = Dop853(rtol=1e-6, atol=1e-6).begin(machine.model, machine.state)
        begin = time.perf_counter()
        stepper.advance(frames * FRAME)
        result["dop853"] = (time.perf_counter() - begin) / frames
    return result


TASKS = {"start": start, "memory": memory, "simulate": simulate}

if __name__ == "__main__":
    task, name = sys.argv[1:]
    print(json.dumps(TASKS[task](name)))
