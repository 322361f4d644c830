# SPDX-License-Identifier: GPL-3.0-or-later
"""Five seconds of a hanging chain of 100 hinges from Python, steps of at most 1/1000 s, poses read at 24 fps.

Every engine takes semi-implicit Euler steps (velocities first), 42 to a frame; PyBullet has its own first-order step.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from redmax.integrators import SemiImplicitEuler
from redmax.simulate import record, simulate

from .measure import Options, Row, interleaved
from .mechanisms import chain, hanging
from .peers import machines, ours
from .peers.base import FPS, Machine, Unsupported

H, LINKS, SECONDS = 1.0 / 1000.0, 100, 5
LIMITS = {"MuJoCo": 0.3}
PEERS = ("mujoco", "pinocchio", "dart", "drake", "pybullet", "exudyn")


def run(options: Options) -> list[Row]:
    seconds = 1 if options.quick else SECONDS
    frames = seconds * FPS
    mechanism = chain(LINKS)
    motion = hanging(mechanism, aside=0.5, bend=0.05)
    made: dict[str, Machine] = {ours().NAME: ours().build(mechanism), **machines(options, mechanism, PEERS)}
    places = {}
    for name, machine in made.items():
        machine.set_motion(motion)
        try:
            places[name] = machine.simulate(H, frames)
        except Unsupported as reason:
            options.skip(f"{name}, simulation: {reason}")
    expected = places[ours().NAME][-1]
    differences = {name: float(np.abs(result[-1] - expected).max()) for name, result in places.items()}
    ways = {name: partial(made[name].simulate, H, frames) for name in places}
    whole = "RedMax, simulate()"
    ways[whole] = partial(with_everything, made[ours().NAME], seconds)
    times = interleaved(ways, options.rounds)
    mine, spread = times.pop(ours().NAME)
    all_channels, its_spread = times.pop(whole)
    case = f"{LINKS} links, {seconds} s, h = 1/{FPS * 42}"
    rows = []
    for name, (theirs, their_spread) in times.items():
        rows.append(
            Row(
                "simulation",
                case,
                mine,
                "s",
                name,
                theirs,
                spread,
                ratio_limit=LIMITS.get(name),
                their_spread=their_spread,
                difference=differences[name],
            )
        )
    rows.append(Row("simulation, every channel of simulate()", case, all_channels, "s", spread=its_spread))
    options.note(
        "Simulation: a frame is divided into 42 steps, so h = 1/1008 s for everybody; the difference is that of the "
        f"links' places at the end [m], for a chain of {LINKS * 0.1:g} m. pinocchio, DART and PyBullet are stepped by "
        "a loop in Python, since they offer no other; MuJoCo and Drake take all steps of a frame by one call, as ours."
    )
    return rows


def with_everything(machine: Machine, seconds: int) -> object:
    """What `simulate` yields besides poses: accelerations, energies, reactions, momentum of every frame."""
    integrator = SemiImplicitEuler(h=H)
    samples = simulate(machine.model, machine.state, integrator=integrator, fps=FPS, duration=float(seconds))
    return record(machine.model, samples, integrator=integrator, fps=FPS)
