# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of the contact solver alone, on the problems of its tests: `python -m benchmarks.contact_problems`.

cold: from impulses 0. warm: from the impulses of the same problem, whose free velocities are then changed at random by
1e-3 of the largest. again: from its own impulses, as in every step of what rests. Best of several runs, CPU time [us].
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from redmax.kernels import contact_solver
from redmax.solvers.contact import layout as at

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from engine.solvers import contact_scenes as scenes

TOLERANCE = 1e-6
RUNS = 15

PROBLEMS = {
    "block that slides": lambda: scenes.slope_block(0.6, 0.5, speed=1.0),
    "stack of 10": lambda: scenes.stack(10),
    "stack of 20": lambda: scenes.stack(20),
    "stack of 2, 1:1000": lambda: scenes.stack(2, lambda k: 1000.0**k),
    "stack of 10, 1000 on top": lambda: scenes.stack(10, lambda k: 1000.0 if k == 9 else 1.0),
    "four-bar on ground": scenes.four_bar_on_ground,
    "pyramid of 15": lambda: scenes.pyramid(5),
    "pyramid of 55": lambda: scenes.pyramid(10),
    "chain of 20 on ground": scenes.chain_on_ground,
    "10 random trees, mu to 0.4": lambda: scenes.random_trees(0, mu=0.2),
    "10 random trees, mu to 1.2": lambda: scenes.random_trees(0, mu=0.6),
}


def best(packed, start):
    """Shortest time [us] from impulses `start`, and the report."""
    least = np.inf
    for _ in range(RUNS):
        packed.section(at.IMPULSE)[:] = start
        begin = time.thread_time()
        contact_solver.solve(packed.ints, packed.numbers)
        least = min(least, time.thread_time() - begin)
    return 1e6 * least, packed.section(at.REPORT).copy()


def main() -> None:
    """Print the table of docs/contact_solver.md."""
    print(
        "| problem | coordinates | rows | cold [us] | outer, Newton, sweeps | warm [us] | again [us] | residual [m/s] |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, make in PROBLEMS.items():
        packed = make().problem().packed(TOLERANCE)
        rows, coordinates = packed.ints[at.ROWS], packed.ints[at.COORDINATES]
        cold, report = best(packed, np.zeros(rows))
        solution = packed.section(at.IMPULSE).copy()
        again, _ = best(packed, solution)
        free = packed.section(at.V_FREE)
        free += 1e-3 * np.abs(free).max() * np.random.default_rng(0).standard_normal(coordinates)
        warm, _ = best(packed, solution)
        counts = ", ".join(f"{report[k]:.0f}" for k in (at.OUTER, at.NEWTON, at.SWEEPS))
        print(
            f"| {name} | {coordinates} | {rows} | {cold:.0f} | {counts} | {warm:.0f} | {again:.0f} | "
            f"{report[at.RESIDUAL]:.0e} |"
        )


if __name__ == "__main__":
    main()
