# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard limits, gears, drives, prescribed joints, motors: seconds per simulated second beside MuJoCo, and how far each
passes what it should hold.

Both read all poses at 24 fps, 5 s from the same start; ours at Accuracy Standard. MuJoCo runs at 1 ms as it comes, and
with rows as hard as its step lets them be. What the engine has no element for yet is named, and measured as soon as it
has (`held_in_redmax`).
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from redmax.warm_up import warm_up

from .held_mechanisms import DURATION, Held, all_of_them
from .measure import Options, Row, clock, interleaved, now
from .peers import held_in_redmax
from .peers.base import FPS, Unsupported

TITLE = "constraints"
RATIO_LIMIT, AIM = 1.0, 0.2
MEAN_LIMIT = 0.5
HELD = 1e-9
"""How far limits, gears and prescribed joints may be off [rad or m]."""

SAME_START, FIRST_FRAMES = 1e-3, 2
"""How far coordinates of the stiffest peer may be from ours in the first frames [rad or m], before any stop is met;
else it is another mechanism. The peer's own error there is up to 4e-4, in proportion to its step. Impacts differ."""

SAME_ACCURACY = 1e-5
"""Where nothing but motors holds a mechanism, both move alike, and the peer also takes the first steps of order 4 whose
coordinates are as near to the exact ones as this [rad], or as ours if those are off by more."""

LIKE_FOR_LIKE = "RedMax, linearly implicit Euler"
"""There, too, ours takes the same kind of steps as the peer's first way, of the same length."""

OFTEN = 2.0
"""A run that takes longer [s] is timed once, beside one run of each other."""


@dataclass(frozen=True)
class Ours:
    """A first run: the machine, how far it came [s], how long it took [s], how far it passes what it holds, and what it
    said where it did not complete."""

    machine: Any
    reached: float
    seconds: float
    passed: float
    told: str


def run(options: Options) -> list[Row]:
    peer = mujoco(options)
    frames = round(DURATION * FPS)
    clock_was, clock["cpu"] = clock["cpu"], True  # others may be at work: nothing here uses threads
    try:
        rows = [row for held in all_of_them() for row in compared(options, held, peer, frames)]
    finally:
        clock["cpu"] = clock_was
    ratios = [row.ratio for row in rows if row.aim is not None and row.ratio is not None]  # not those as accurate
    if ratios:
        mean = statistics.geometric_mean(ratios)
        case = f"geometric mean of {len(ratios)} beside MuJoCo at 1 ms"
        rows.append(Row(f"{TITLE}, ratio", case, mean, "x", limit=MEAN_LIMIT, aim=AIM))
    options.note(
        "Constraints: milliseconds of processor time per simulated second, 5 s at 24 fps from the same start, all "
        "poses read. `differs by` is how far MuJoCo passes limits, gears or paths at any frame [rad or m]; `off by` in "
        "the case is ours. Stiff means solref of two steps, solimp 0.9999 and a solver that iterates to the end. A run "
        "of ours that ends early counts with the time it took for as far as it came; a peer that diverges is left out. "
        f"Ours is timed once where it takes more than {OFTEN:g} s. MuJoCo's prescribed joints follow a heavy clock by "
        "equalities; its limit of a ball is one on the whole angle, without a range of the twist. As accurate: where "
        "only motors hold a mechanism, which both can compute exactly, its longest RK4 steps of those tried that are "
        f"within {SAME_ACCURACY:g} rad of Accuracy High at every frame. Steps of the same kind and length: ours by "
        "linearly implicit Euler with 1 ms, too."
    )
    return rows


def mujoco(options: Options) -> ModuleType | None:
    try:
        from .peers import held_in_mujoco  # noqa: PLC0415  (an engine that may be missing)
    except ImportError as error:
        options.skip(f"mujoco: cannot be imported ({error})")
        return None
    return held_in_mujoco


def compared(options: Options, held: Held, peer: ModuleType | None, frames: int) -> list[Row]:
    print(f"  {held.name}", flush=True)
    try:
        ours = first_run(held, frames, longest=options.seconds(300.0, 20.0))
    except Unsupported as reason:
        options.skip(f"{TITLE}, {held.name}: {reason}")
        return []
    rounds = options.rounds if ours.seconds < OFTEN else 0
    ways = {held_in_redmax.NAME: partial(ours.machine.run, frames)} if rounds else {}
    passed: dict[str, float] = {}
    accurate: tuple[str, float] | None = None
    if peer is not None:
        machine = peer.build(held)
        check_same(held, ours.machine, machine, peer.WAYS[-1])
        for way in peer.WAYS:
            q = machine.run(way, frames)
            if not np.isfinite(q).all():
                options.skip(f"{TITLE}, {held.name}, {way.name}: diverges")
                continue
            passed[way.name] = machine.passed(q)
            ways[way.name] = partial(machine.run, way, frames)
        if held.motor is not None and not ours.told:
            ways[LIKE_FOR_LIKE] = partial(ours.machine.run, frames, integrator=held_in_redmax.SAME_STEPS)
            accurate = as_accurate(options, held, ours.machine, machine, peer, frames, ways)
    times = interleaved(ways, max(rounds, 1))
    mine = times.get(held_in_redmax.NAME, (ours.seconds, 0.0))
    per_second = 1e3 / DURATION
    value = 1e3 * mine[0] / max(ours.reached, 1.0 / FPS)
    end = "completes" if not ours.told else f"ENDS at {ours.reached:.2f} s"
    off = "" if math.isnan(ours.passed) else f", off by {ours.passed:.0e}"
    case = f"{held.name}, {end}{off}"
    rows = [Row(f"{TITLE}, not completed", held.name, float(bool(ours.told)), "", limit=0.0)]
    if ours.told:
        options.note(f"{held.name}: {ours.told}")
    if not math.isnan(ours.passed):
        rows.append(Row(f"{TITLE}, what ours passes", held.name, ours.passed, "rad or m", limit=HELD))
    beside = [
        Row(
            TITLE,
            case,
            value,
            "ms/s",
            name,
            per_second * times[name][0],
            mine[1],
            ratio_limit=RATIO_LIMIT if number == 0 else None,  # beside the fastest way that does not diverge
            aim=AIM if number == 0 else None,
            their_spread=times[name][1] if rounds else None,  # once is no spread
            difference=None if math.isnan(off_by) else off_by,
        )
        for number, (name, off_by) in enumerate(passed.items())
    ]
    if LIKE_FOR_LIKE in times and peer is not None:
        (same, spread), name = times[LIKE_FOR_LIKE], peer.WAYS[0].name
        case = f"{held.name}, steps of the same kind and length"
        theirs = per_second * times[name][0]
        beside.append(Row(TITLE, case, per_second * same, "ms/s", name, theirs, spread, ratio_limit=RATIO_LIMIT))
    if accurate is not None:
        name, off_by = accurate
        theirs = per_second * times[name][0]
        case = f"{held.name}, as accurate"
        beside.append(
            Row(TITLE, case, value, "ms/s", name, theirs, mine[1], ratio_limit=RATIO_LIMIT, difference=off_by)
        )
    return [*rows, *(beside or [Row(TITLE, case, value, "ms/s", spread=mine[1])])]


def as_accurate(
    options: Options, held: Held, ours: Any, machine: Any, peer: ModuleType, frames: int, ways: dict[str, Any]
) -> tuple[str, float] | None:
    """The peer's longest steps of order 4 that are as accurate as asked, put among the ways: name and error [rad].

    How far each is from the exact motion, our steps of the peer's kind and its own 1 ms too, is said in a note.
    """
    exact = ours.run(frames, integrator=held_in_redmax.HIGH)
    own = float(np.abs(ours.run(frames) - exact).max())
    same = float(np.abs(ours.run(frames, integrator=held_in_redmax.SAME_STEPS) - exact).max())
    told = [f"ours {own:.0e}", f"ours by steps of the peer's kind {same:.0e}"]
    for way in (peer.WAYS[0], *peer.ACCURATE):
        q = machine.run(way, frames)
        off_by = float(np.abs(q - exact).max()) if np.isfinite(q).all() else math.inf
        told.append(f"{way.name} {off_by:.0e}")
        if way.rk4 and off_by <= max(own, SAME_ACCURACY):
            options.note(f"{held.name}: off by [rad] at any frame, beside Accuracy High: {', '.join(told)}.")
            ways[way.name] = partial(machine.run, way, frames)
            return way.name, off_by
    options.skip(f"{TITLE}, {held.name}, as accurate: not at any step tried ({', '.join(told)})")
    return None


def check_same(held: Held, ours: Any, theirs: Any, stiffest: Any) -> None:
    """Raises ValueError unless the peer has the stops of the description, and begins to move as ours does.

    A limit in degrees, or a gear the wrong way round, would be compared with something else in silence.
    """
    told = np.array([(limit.lower, limit.upper) for limit in held.limits]).reshape(-1, 2)
    if not np.allclose(theirs.stops(), told, rtol=0.0, atol=1e-12):
        raise ValueError(f"{held.name}: the peer's limits are {theirs.stops().tolist()}, not {told.tolist()}")
    if held.balls is not None:
        return
    q, other = ours.run(FIRST_FRAMES), theirs.run(stiffest, FIRST_FRAMES)
    apart = float(np.abs(q - other[: len(q)]).max(initial=0.0))
    if len(q) and not apart <= SAME_START:
        raise ValueError(f"{held.name}: the peer is {apart:.1e} rad or m from ours after {FIRST_FRAMES} frames")


def first_run(held: Held, frames: int, longest: float) -> Ours:
    """Ours once, after everything is compiled and a few frames that are not counted. Raises Unsupported."""
    warm_up()
    machine = held_in_redmax.build(held)
    machine.run(2, longest)
    begin = now()
    q = machine.run(frames, longest)
    seconds = now() - begin
    return Ours(machine, len(q) / FPS, seconds, machine.passed(q), machine.told)
