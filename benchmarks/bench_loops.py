# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops: seconds per simulated second, beside engines with loops of their own, and how far joints open.

Every engine reads all poses at 24 fps; the gap is the largest distance by which any hinge is open at any frame.
Peers run at many settings, and are compared at the fastest that keeps the joints as closed as ours; ours beside each is
one that is at least as near to a converged run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import ModuleType

import numpy as np

from redmax.integrators import Dop853

from .linkage import Linkage, energies, extent, largest_gap
from .loop_mechanisms import four_bar, jansen_legs, ring, scissor_lift
from .measure import Options, Row, interleaved, now
from .mechanisms import GRAVITY
from .peers import loops_in_redmax
from .peers.base import FPS, Unsupported
from .peers.loops_base import LoopMachine, Setting, loop_engines

PEERS = ("mujoco", "exudyn", "drake")
RATIO_LIMIT, AIM = 0.8, 0.3
CLOSED = 1e-9
"""A gap that is this part of the longest body counts as closed as ours, or ours times TIMES, if that is more."""

TIMES = 10.0
SAME_MOTION, FINE_MOTION = 1e-2, 1e-4
"""How far bodies may be from a converged run, as part of the mechanism's extent: what one sees who looks for it, and
a tenth of a pixel. Steps so long that the motion is another one do not count, however closed the joints."""

TIGHT = 1e-12
"""Tolerance of the converged run. Peers' finest runs, which share no code with it, come near it (see the notes)."""

EQUAL, NEAREST = "as closed as ours", "as closed as it can"
FINER, DEFAULTS = "as closed as ours, finer motion", "at its own defaults"

SAME_START = 1e-12
"""How far mass and energies at the start may be apart, as part of the mass and of the energy it takes to lift the
mechanism by its own extent."""


@dataclass(frozen=True)
class Result:
    """One setting tried once: the largest gap [m], and how far it is from a converged run at most [m]."""

    engine: str
    setting: Setting
    seconds: float
    gap: float
    apart: float

    @property
    def label(self) -> str:
        return f"{self.engine} {self.setting.name}"


def linkages(options: Options) -> list[Linkage]:
    if options.quick:
        options.skip("loops, scissor lift 50, 12 Jansen legs and ring of 100: left out of a quick run")
        return [four_bar(), scissor_lift(10)]
    return [four_bar(), scissor_lift(10), scissor_lift(50), jansen_legs(12), ring(100)]


def run(options: Options) -> list[Row]:
    engines = loop_engines(options, PEERS)
    rows = []
    for linkage in linkages(options):
        print(f"  {linkage.name}", flush=True)
        rows += compared(options, linkage, engines)
    options.note(
        "Loops: milliseconds per simulated second. Errors are the largest distance of any body at any frame from a "
        f"converged run, ours at a tolerance of {TIGHT:g}; `differs by` is the peer's. As closed as ours: joints open "
        f"by at most {CLOSED:g} of the longest body or {TIMES:g} times our gap, with an error of at most "
        f"{SAME_MOTION:g} of the extent (finer: {FINE_MOTION:g}); where a peer gets no setting so far, its most closed "
        "one. Each engine has the fastest of its settings; ours, Accuracy Draft or Standard, is in every row at least "
        "as near to the converged run as the peer beside it, or Standard. Models are built before; what an engine does "
        "when a run begins is part of its time: ours closes, counts and checks the loops. MuJoCo's loops are `connect` "
        "equalities, which are soft; stiff means solref of two steps, solimp 0.9999 and a solver that iterates to "
        "the end. Drake's are ball constraints of its discrete solver, as rigid as its step lets them be; at the world "
        "they hold a body welded to it, since with the world itself the process ended (segmentation fault, Drake "
        "1.51). Exudyn's bodies live in the plane, with two equations per hinge of tree and loop alike, those of the "
        "others in space; but for its defaults its Newton iteration goes on to rounding."
    )
    return rows


def compared(options: Options, linkage: Linkage, engines: list[ModuleType]) -> list[Row]:
    frames = max(1, round((0.25 if options.quick else 1.0) * linkage.duration * FPS))
    machine = loops_in_redmax.build(linkage)
    check_start(linkage, loops_in_redmax.NAME, machine)
    expected = machine.run(Dop853(rtol=TIGHT, atol=TIGHT), frames)
    ours = explored(options, linkage, loops_in_redmax.NAME, machine, expected)
    tried = []
    for engine in engines:
        try:
            peer = engine.build(linkage)
        except Unsupported as reason:
            options.skip(f"loops, {linkage.name}, {engine.NAME}: {reason}")
            continue
        check_start(linkage, engine.NAME, peer)
        tried += explored(options, linkage, engine.NAME, peer, expected)
    gap = max(result.gap for result in ours)
    chosen = choices(tried, allowed_gap=max(TIMES * gap, CLOSED * linkage.size), reach=extent(linkage))
    if tried:
        best = min(tried, key=attrgetter("apart"))
        options.note(
            f"{linkage.name}: the nearest run of a peer is {best.apart:.0e} m from the converged one ({best.label})."
        )
    ways = {result.label: partial(result.setting.run, frames) for result in (*(each for _, each in chosen), *ours)}
    whole, beginning = "every channel", "beginning"
    ways |= {whole: partial(machine.with_every_channel, frames), beginning: machine.begin}
    times = interleaved(ways, options.rounds)
    seconds = {name: value for name, (value, _) in times.items()}
    beside = asked_for(chosen, seconds)
    per_second = 1e3 * FPS / frames
    rows = []
    for what, theirs in chosen:
        asked = theirs is beside and what in (EQUAL, NEAREST)
        mine = as_near(ours, theirs, seconds)
        case = f"{linkage.name}, {mine.setting.method}, gaps {mine.gap:.0e} and {theirs.gap:.0e} m, "
        case += f"ours {mine.apart:.0e} m from converged"
        timed = (times[mine.label], times[theirs.label])
        rows.append(side_by_side(f"loops, {what}", case, theirs, *timed, per_second, asked=asked))
    for title, name, factor in (
        ("loops, every channel of simulate()", whole, per_second),
        ("loops, beginning a run", beginning, 1e3),
    ):
        value, spread = times[name]
        rows.append(Row(title, linkage.name, factor * value, "ms" if name == beginning else "ms/s", spread=spread))
    return rows


def side_by_side(
    title: str,
    case: str,
    result: Result,
    ours: tuple[float, float],
    theirs: tuple[float, float],
    factor: float,
    *,
    asked: bool,
) -> Row:
    """A row from medians and spreads of both, times a factor."""
    return Row(
        title,
        case,
        factor * ours[0],
        "ms/s",
        result.label,
        factor * theirs[0],
        ours[1],
        ratio_limit=RATIO_LIMIT if asked else None,
        aim=AIM if asked else None,
        their_spread=theirs[1],
        difference=result.apart,
    )


def as_near(ours: list[Result], theirs: Result, seconds: Mapping[str, float]) -> Result:
    """The fastest of ours that is at least as near to the converged run as a peer's; without any, our nearest."""
    near = [result for result in ours if result.apart <= theirs.apart]
    return min(near, key=lambda result: seconds[result.label]) if near else min(ours, key=attrgetter("apart"))


def distance(places: np.ndarray, others: np.ndarray) -> float:
    """How far any body is at any frame from where another run has it [m]."""
    return float(np.linalg.norm((places - others)[:, :, :2], axis=2).max())


def check_start(linkage: Linkage, name: str, machine: LoopMachine) -> None:
    """Raises ValueError unless mass and energies at the start are those of the description."""
    expected, got = np.array(energies(linkage)), np.array(machine.energies())
    energy = linkage.mass * GRAVITY * extent(linkage)
    if not (np.abs(got - expected) <= SAME_START * np.array([linkage.mass, energy, energy])).all():
        raise ValueError(
            f"{name} built another {linkage.name}: mass and energies {got.tolist()}, not {expected.tolist()}"
        )


def explored(options: Options, linkage: Linkage, name: str, machine: LoopMachine, expected: np.ndarray) -> list[Result]:
    """Every setting once, each method from coarse to fine until it takes too long. What diverges is left out."""
    longest = options.seconds(1.5, 0.4)
    frames = len(expected)
    results: list[Result] = []
    over: set[str] = set()
    for setting in machine.settings():
        if setting.method in over:
            continue
        begin = now()
        try:
            places = setting.run(frames)
        except RuntimeError as reason:
            options.skip(f"loops, {linkage.name}, {name} {setting.name}: {reason}")
            continue
        seconds = now() - begin
        if seconds > longest:
            over.add(setting.method)
        if not np.isfinite(places).all():
            options.skip(f"loops, {linkage.name}, {name} {setting.name}: diverged")
            continue
        results.append(Result(name, setting, seconds, largest_gap(linkage, places), distance(places, expected)))
    return results


def choices(tried: list[Result], *, allowed_gap: float, reach: float) -> list[tuple[str, Result]]:
    """What is compared, and as what. reach: the mechanism's extent [m].

    Per engine the fastest setting as closed as ours with the same motion, or where there is none the most closed one;
    the fastest with the finer motion besides; and its own defaults.
    """
    chosen: list[tuple[str, Result]] = []
    for engine in dict.fromkeys(result.engine for result in tried):
        own = [result for result in tried if result.engine == engine]
        same = [result for result in own if result.apart <= SAME_MOTION * reach]
        closed = [result for result in same if result.gap <= allowed_gap]
        fine = [result for result in closed if result.apart <= FINE_MOTION * reach]
        if closed:
            chosen.append((EQUAL, min(closed, key=attrgetter("seconds"))))
        elif same:
            chosen.append((NEAREST, min(same, key=attrgetter("gap"))))
        if fine:
            chosen.append((FINER, min(fine, key=attrgetter("seconds"))))
        chosen += [(DEFAULTS, result) for result in own if result.setting.own]
    return chosen


def asked_for(chosen: list[tuple[str, Result]], seconds: Mapping[str, float]) -> Result | None:
    """The one beside which the limit is asked: the fastest as closed as ours; without any, the most closed of all."""
    equal = [result for what, result in chosen if what == EQUAL]
    nearest = [result for what, result in chosen if what == NEAREST]
    if equal:
        return min(equal, key=lambda result: seconds[result.label])
    return min(nearest, key=attrgetter("gap"), default=None)
