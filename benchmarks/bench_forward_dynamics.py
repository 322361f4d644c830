# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics of chains and a tree beside every peer: per call from Python, and in a compiled loop.

Before anything is timed each peer's accelerations are compared with ours at the same pose and velocities.
"""

from __future__ import annotations

import numpy as np

from .measure import Options, Row, Timing, interleaved_calls, interleaved_loops
from .mechanisms import SPHERICAL, Mechanism, binary_tree, chain, random_motion
from .peers import machines, ours
from .peers.base import Machine, Unsupported

OURS = "RedMax"
SAME = 1e-6
"""A peer whose accelerations differ by more has not built the same mechanism, unless its method is known to fail."""
KNOWN_TO_FAIL = "pinocchio"
LOOP_LIMIT, LOOP_AIM, CALL_LIMIT, CALL_AIM = 0.8, 0.5, 1.0, 0.7
ESTIMATED = " (call less overhead)"


def mechanisms(*, quick: bool) -> list[Mechanism]:
    sizes = (20, 100) if quick else (20, 50, 100)
    return [*(chain(n) for n in sizes), *(chain(n, SPHERICAL) for n in sizes), binary_tree()]


def run(options: Options) -> list[Row]:
    options.note(
        "Forward dynamics: revolute chains alternate y and z axes; links of 0.1 m; random poses within 0.8 rad. "
        "A call takes coordinates and velocities as arrays and returns accelerations; PyBullet and Exudyn offer whole "
        "steps only (PyBullet's leave out setting the state). Engines are used as their wheels come."
    )
    options.note(
        "Compiled loop: one Python call, many evaluations. Where an engine has none, its call less the call for a "
        "single joint stands for it, which takes off a little more than the overhead."
    )
    overhead = one_joint_calls(options)
    rows: list[Row] = []
    for mechanism in mechanisms(quick=options.quick):
        rows += measured(options, mechanism, overhead)
    return rows


def one_joint_calls(options: Options) -> dict[str, Timing]:
    """What a call costs each engine when there is next to nothing to compute."""
    single = prepared(options, chain(1))
    ways = {name: machine.forward for name, machine in single.items()}
    times = interleaved_calls(ways, options.rounds, at_least=options.seconds(0.02, 0.005))
    listed = ", ".join(f"{name} {1e6 * value.median:.2f}" for name, value in times.items())
    options.note(f"A call for a single joint takes [us]: {listed}.")
    return times


def prepared(options: Options, mechanism: Mechanism) -> dict[str, Machine]:
    """Ours and every peer's machine in the same motion."""
    made = {OURS: ours().build(mechanism), **machines(options, mechanism)}
    motion = random_motion(mechanism, bend=0.8)
    for machine in made.values():
        machine.set_motion(motion)
    return made


def measured(options: Options, mechanism: Mechanism, overhead: dict[str, Timing]) -> list[Row]:
    made = prepared(options, mechanism)
    differences = compared(options, made)
    made = {name: machine for name, machine in made.items() if name in differences}
    batch = options.seconds(0.03, 0.008)
    calls = interleaved_calls({name: m.forward for name, m in made.items()}, options.rounds, at_least=batch)
    loops = {}
    for name, machine in made.items():
        try:
            machine.loop(1)
            loops[name] = machine.loop
        except Unsupported:
            pass
    for name in loops:
        options.note(f"Compiled loop of {name}: {made[name].loop_means}.")
    inside = interleaved_loops(loops, options.rounds, at_least=batch)
    rows = []
    for name in made:
        if name == OURS:
            continue
        ask = name.startswith(KNOWN_TO_FAIL)
        limits = {"ratio_limit": CALL_LIMIT, "aim": CALL_AIM} if ask else {}
        rows.append(row("call from Python", mechanism, calls[OURS], name, calls[name], differences[name], limits))
        limits = {"ratio_limit": LOOP_LIMIT, "aim": LOOP_AIM} if ask else {}
        theirs, label = inside.get(name), name
        if theirs is None:
            left = calls[name].median - overhead[name].median
            theirs, label = Timing(left, calls[name].spread), name + ESTIMATED
        if theirs.median > 0.0:
            rows.append(row("compiled loop", mechanism, inside[OURS], label, theirs, differences[name], limits))
        else:
            options.skip(f"{label}, {mechanism.name}: the overhead is larger than the call, the machine too busy")
        print(f"  {mechanism.name}: {label} {1e6 * theirs.median:.1f} us, ours {1e6 * inside[OURS].median:.1f} us")
    return rows


def compared(options: Options, made: dict[str, Machine]) -> dict[str, float]:
    """Largest difference of each engine's accelerations from ours, relative to the largest acceleration."""
    expected = made[OURS].joint_accelerations()
    result = {}
    for name, machine in made.items():
        got = machine.joint_accelerations()
        difference = float(np.abs(got - expected).max() / np.abs(expected).max())
        known = name.startswith(KNOWN_TO_FAIL) and machine.mechanism.links[0].joint == SPHERICAL
        if not difference <= SAME and not known:
            options.skip(f"{name}, {machine.mechanism.name}: accelerations differ from ours by {difference:.1e}")
            continue
        result[name] = difference
    return result


def row(
    what: str, mechanism: Mechanism, mine: Timing, peer: str, theirs: Timing, difference: float, limits: dict
) -> Row:  # fmt: skip
    return Row(
        f"forward dynamics, {what}",
        mechanism.name,
        1e6 * mine.median,
        "us",
        peer,
        1e6 * theirs.median,
        mine.spread,
        their_spread=theirs.spread,
        difference=difference,
        **limits,
    )
