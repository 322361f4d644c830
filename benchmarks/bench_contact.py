# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that touch, beside MuJoCo, PyBullet and Drake: processor time per simulated second against penetration, slip
and errors of energy.

Each peer runs at four settings from the fastest to the stiffest, ours at its three accuracies. All read poses and
energy at 24 fps, and errors are measured from these alone, by the same code for everyone. A peer wins a row where it is
faster than one of our accuracies and in no error worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from redmax.kernels import route

from .curves import Curve
from .measure import Options, Row, clock, no_collection, timing
from .mechanisms import GRAVITY
from .peers import touching_in_redmax
from .peers.base import FPS
from .peers.touching_base import Course, TouchingMachine, touching_engines
from .plot import contact_plot
from .touching_errors import ROUNDING, Errors, errors, finder, margin
from .touching_scenes import Touching, all_of_them, few_of_them

TITLE = "contact"
PEERS = ("mujoco", "bullet", "drake")
SAME_START = 1e-9
"""How far bodies [m], and energies as a part of what lifts them all by a metre, may be from the description at the
start; else it is another scene."""

OFTEN = 0.5
"""A run that takes longer [s] is timed once."""


@dataclass
class Tried:
    """An engine at a setting: its machine, how wrong it is, and how long it took [s] in each round."""

    engine: str
    setting: str
    machine: TouchingMachine
    errors: Errors
    times: list[float] = field(default_factory=list)

    @property
    def label(self) -> str:
        return f"{self.engine} {self.setting}"

    @property
    def seconds(self) -> float:
        return timing(self.times).median

    @property
    def spread(self) -> float | None:
        """None for a run that was timed once."""
        return timing(self.times).spread if len(self.times) > 1 else None


def run(options: Options) -> list[Row]:
    if route.name() != route.NUMBA:
        options.skip(f"{TITLE}: only plain numpy computes here, because {route.why_numpy()}")
        return []
    engines = touching_engines(options, PEERS)
    clock_was, clock["cpu"] = clock["cpu"], True  # others may be at work: nothing here uses threads
    try:
        rows = []
        for scene in few_of_them() if options.quick else all_of_them():
            print(f"  {scene.name}", flush=True)
            rows += compared(options, scene, engines)
    finally:
        clock["cpu"] = clock_was
    if options.quick:
        options.skip(f"{TITLE}: stack of 20, pyramid of 55, drop of 100 and pile of dolls: left out of a quick run")
    options.note(
        "Contact: milliseconds of processor time per simulated second. Errors are parts of a body's size: `in` the "
        "deepest penetration at any frame, `slip` the largest distance of a body from where it should be, `energy` "
        "what is wrong in the energy that would lift everything by that size (where things fall: what it grows "
        "between two frames), `open` how far a loop opens; `differs by` is the peer's worst. Beside each setting of a "
        "peer stands the fastest accuracy of ours that is in nothing worse, or without any our most accurate. The "
        "verdict of a scene is the largest factor, over all pairs, that a peer has to spare at being faster and in "
        f"nothing worse than one of our accuracies: above 1 it is. Errors below {ROUNDING:g} are not told apart. What "
        f"takes more than {longest(options):g} s is stopped: then everyone is compared over the frames that our Draft "
        "came to, which the case says. MuJoCo and Bullet are stiffened by step, impedance and sweeps, Drake by step "
        "and by patches instead of points. Bullet's hulls have a margin of their own."
    )
    return rows


def longest(options: Options) -> float:
    """Processor time [s] that a run may take."""
    return options.seconds(60.0, 5.0)


def compared(options: Options, scene: Touching, engines: list[ModuleType]) -> list[Row]:
    frames = round((0.5 if options.quick else 1.0) * scene.duration * FPS)
    machine = touching_in_redmax.build(scene)
    check_start(scene, touching_in_redmax.NAME, machine)
    draft = machine.settings()[0]
    machine.run(draft, 1)  # compiles
    first = machine.run(draft, frames, longest(options))
    span = len(first)
    rows = [came_to_the_end(scene, first, frames)]
    if first.told:
        options.note(f"{scene.name}, {draft}: {first.told}.")
    if not span:
        options.skip(f"{TITLE}, {scene.name}: ours came to no frame at all: {first.told}")
        return rows
    find = finder(scene)
    ours, theirs = [], []
    for name, each, found in [
        (touching_in_redmax.NAME, machine, ours),
        *peer_machines(options, scene, engines, theirs),
    ]:
        start = each.start(each.settings()[0])
        for setting in each.settings():
            course = first if (each, setting) == (machine, draft) else each.run(setting, span, longest(options))
            if len(course) < span:
                options.skip(f"{TITLE}, {scene.name}, {name} {setting}: {course.told} at {len(course) / FPS:.2f} s")
                continue
            tried = Tried(name, setting, each, errors(scene, course, *start, find))
            tried.times.append(course.seconds)
            found.append(tried)
    time_again([*ours, *theirs], span, options.rounds)
    title = scene.name if span == frames else f"{scene.name}, first {span / FPS:.2f} s of {frames / FPS:.2f} s"
    contact_plot(curves([*ours, *theirs], span), options.results / file_name(scene, options), title)
    return [*rows, *verdict(title, ours, theirs), *(row(title, ours, other, span) for other in theirs)]


def file_name(scene: Touching, options: Options) -> str:
    return f"{options.prefix}contact-{scene.name.replace(' ', '-')}"


def came_to_the_end(scene: Touching, first: Course, frames: int) -> Row:
    """What part of the run our Draft did not come to."""
    return Row(f"{TITLE}, part not reached", scene.name, 1.0 - len(first) / frames, "", limit=0.0)


def peer_machines(
    options: Options, scene: Touching, engines: list[ModuleType], found: list[Tried]
) -> list[tuple[str, TouchingMachine, list[Tried]]]:
    made = []
    for engine in engines:
        machine = engine.build(scene)
        check_start(scene, engine.NAME, machine)
        made.append((engine.NAME, machine, found))
    if not made:
        options.skip(f"{TITLE}, {scene.name}: no peer is installed")
    return made


def check_start(scene: Touching, name: str, machine: TouchingMachine) -> None:
    """Raises ValueError unless bodies stand where the description has them, and have its energy."""
    poses, energy = machine.start(machine.settings()[0])
    told = np.array([part.at for part in scene.parts])
    off = float(np.abs(poses[:, :3, 3] - told).max())
    expected = sum(
        part.mass * (0.5 * np.dot(part.velocity, part.velocity) - np.dot(scene.gravity, part.at))
        for part in scene.parts
    )
    wrong = abs(energy - float(expected)) / (scene.mass * GRAVITY)
    if not max(off, wrong) <= SAME_START:
        raise ValueError(f"{name} built another {scene.name}: bodies are off by {off:g} m, energy by {wrong:g}")


def time_again(tried: list[Tried], frames: int, rounds: int) -> None:
    """Short runs by turns, so that a busy moment hits all of them; the first, which is not among them, warmed up."""
    short = [each for each in tried if each.seconds < OFTEN]
    for each in short:
        each.times.clear()
    with no_collection():
        for _ in range(rounds):
            for each in short:
                each.times.append(each.machine.run(each.setting, frames).seconds)


def no_worse(ours: Errors, theirs: Errors) -> bool:
    """Whether ours is in nothing worse than theirs, beyond rounding."""
    return margin(ours, theirs, 0.0) <= 1.0


def beside(ours: list[Tried], other: Tried) -> Tried:
    """The fastest of ours that is in nothing worse; without any, the most accurate."""
    good = [each for each in ours if no_worse(each.errors, other.errors)]
    return min(good, key=lambda each: each.seconds) if good else min(ours, key=lambda each: each.errors.worst)


def row(title: str, ours: list[Tried], other: Tried, frames: int) -> Row:
    mine, per_second = beside(ours, other), 1e3 * FPS / frames
    word = "" if no_worse(mine.errors, other.errors) else ", WORSE in something"
    return Row(
        TITLE,
        f"{title}, {mine.setting} ({mine.errors}{word})",
        per_second * mine.seconds,
        "ms/s",
        f"{other.label} ({other.errors})",
        per_second * other.seconds,
        mine.spread or 0.0,
        their_spread=other.spread,
        difference=other.errors.worst,
    )


def verdict(title: str, ours: list[Tried], theirs: list[Tried]) -> list[Row]:
    """The pair of a peer and an accuracy of ours that comes nearest to the peer's being better at everything."""
    pairs = [(margin(p.errors, o.errors, p.seconds / o.seconds), p, o) for p in theirs for o in ours]
    if not pairs:
        return []
    least, peer, mine = min(pairs, key=lambda pair: pair[0])
    word = "beats" if least < 1.0 else "comes nearest to"
    case = f"{title}: {peer.label} {word} {mine.setting}"
    return [Row(f"{TITLE}, verdict", case, 1.0 / least, "x", limit=1.0)]


def curves(tried: list[Tried], frames: int) -> list[Curve]:
    """Of each engine: worst error over seconds per simulated second."""
    groups: Mapping[str, list[Tried]] = {
        engine: [each for each in tried if each.engine == engine] for engine in dict.fromkeys(t.engine for t in tried)
    }
    return [
        Curve(
            engine,
            [max(each.errors.worst, ROUNDING) for each in group],
            [each.seconds * FPS / frames for each in group],
            [each.spread or 0.0 for each in group],
        )
        for engine, group in groups.items()
    ]
