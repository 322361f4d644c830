# SPDX-License-Identifier: GPL-3.0-or-later
"""How forward dynamics of a revolute chain grows from 10 to 1000 bodies, in a compiled loop."""

from __future__ import annotations

from .measure import Options, Row, interleaved_loops
from .mechanisms import chain, random_motion
from .peers import machines, ours
from .peers.base import Machine

SIZES = (10, 20, 50, 100, 200, 500, 1000)
LIMIT = 12.0
PEERS = ("pinocchio", "mujoco", "drake")
MOST_OF_MUJOCO = 200
"""In a quick run: MuJoCo grows with the third power and takes 0.05 s for 1000 bodies, and 7 s to build them."""


def run(options: Options) -> list[Row]:
    sizes = (10, 100, 1000) if options.quick else SIZES
    rows: list[Row] = []
    costs: dict[str, dict[int, float]] = {}
    for n in sizes:
        mechanism = chain(n)
        asked = [name for name in PEERS if name != "mujoco" or not options.quick or n <= MOST_OF_MUJOCO]
        made: dict[str, Machine] = {ours().NAME: ours().build(mechanism), **machines(options, mechanism, tuple(asked))}
        motion = random_motion(mechanism, bend=0.8)
        for machine in made.values():
            machine.set_motion(motion)
        loops = {name: machine.loop for name, machine in made.items()}
        times = interleaved_loops(loops, options.rounds, at_least=options.seconds(0.05, 0.01))
        for name, value in times.items():
            costs.setdefault(name, {})[n] = 1e6 * value.median
        mine = times.pop(ours().NAME)
        for name, value in times.items():
            rows.append(
                Row(
                    "growth, forward dynamics",
                    f"n = {n}",
                    1e6 * mine.median,
                    "us",
                    name,
                    1e6 * value.median,
                    mine.spread,
                    their_spread=value.spread,
                )
            )
    factors = {name: values[1000] / values[100] for name, values in costs.items() if 1000 in values}
    mine = factors.pop(ours().NAME)
    case = "cost of 1000 / cost of 100"
    title = "growth, from 100 to 1000 bodies"
    rows.append(Row(title, case, mine, "x", limit=LIMIT))
    return rows + [Row(title, case, mine, "x", name, factor) for name, factor in factors.items()]
