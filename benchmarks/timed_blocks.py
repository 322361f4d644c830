# SPDX-License-Identifier: GPL-3.0-or-later
"""What our own engine does in the rows of the benchmarks, one timed block for each, without any peer.

`compare.py` times the blocks of two checkouts against each other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from .measure import ROOT, Options, no_collection, now

Loop = Callable[[int], object]
"""Does something so many times; gives the seconds that count, or anything else where the stopwatch counts."""

NUMBA, NUMPY = "numba", "numpy"


@dataclass(frozen=True)
class Block:
    """A row. prepare: builds what is timed and gives the loop. route: what the process must compute with.

    at_least: seconds that a measurement lasts. pairs: how many at most, where one takes a minute.
    """

    benchmark: str
    case: str
    prepare: Callable[[], Loop]
    route: str = NUMBA
    at_least: float = 0.1
    pairs: int | None = None

    @property
    def name(self) -> str:
        return f"{self.benchmark}: {self.case}"


def seconds(loop: Loop, count: int) -> float:
    """Seconds that a loop takes, by its own account or by the clock."""
    with no_collection():
        begin = now()
        told = loop(count)
        spent = now() - begin
    return told if isinstance(told, float) else spent


def fitting_count(loop: Loop, at_least: float) -> int:
    """How often to repeat so that a measurement lasts long enough; a power of two. The first turn may compile."""
    if at_least == 0.0:
        return 1
    loop(1)
    count = 1
    while count < 2**24 and seconds(loop, count) < at_least:
        count *= 2
    return count


def many(way: Callable[[], object]) -> Loop:
    """A loop over a way of doing something once."""

    def loop(count: int) -> None:
        for _ in range(count):
            way()

    return loop


# --- blocks of the benchmarks ----------------------------------------------------------------


def forward_dynamics(options: Options) -> Iterator[Block]:
    from .bench_forward_dynamics import mechanisms
    from .mechanisms import random_motion
    from .peers.with_redmax import build

    def machine(mechanism):
        made = build(mechanism)
        made.set_motion(random_motion(mechanism, bend=0.8))
        return made

    for mechanism in mechanisms(quick=options.quick):
        yield Block("forward dynamics, call", mechanism.name, lambda m=mechanism: many(machine(m).forward))
        yield Block("forward dynamics, compiled loop", mechanism.name, lambda m=mechanism: machine(m).loop)


def growth(options: Options) -> Iterator[Block]:
    from .mechanisms import chain, random_motion
    from .peers.with_redmax import build

    def loop(n):
        made = build(chain(n))
        made.set_motion(random_motion(made.mechanism, bend=0.8))
        return made.loop

    for n in (10, 1000) if options.quick else (10, 200, 500, 1000):
        yield Block("growth", f"n = {n}", partial(loop, n))


def simulation(options: Options) -> Iterator[Block]:
    from .bench_simulation import LINKS, H, with_everything
    from .mechanisms import chain, hanging
    from .peers.base import FPS
    from .peers.with_redmax import build

    length = 1 if options.quick else 5

    def machine():
        made = build(chain(LINKS))
        made.set_motion(hanging(made.mechanism, aside=0.5, bend=0.05))
        return made

    case = f"{LINKS} links, {length} s"
    yield Block("simulation", case, lambda: many(partial(machine().simulate, H, length * FPS)))
    yield Block("simulation, every channel", case, lambda: many(partial(with_everything, machine(), length)))


def routes(options: Options) -> Iterator[Block]:
    from redmax.integrators import Dop853, SemiImplicitEuler

    from .mechanisms import SPHERICAL, chain, hanging, random_motion
    from .peers.base import FPS
    from .peers.with_redmax import NumpyMachine, build

    def forward(mechanism):
        made = NumpyMachine(mechanism)
        made.set_motion(random_motion(mechanism, bend=0.8))
        return many(made.forward)

    def frame(integrator):
        made = build(chain(100))
        made.set_motion(hanging(made.mechanism, aside=0.5, bend=0.05))
        return many(lambda: integrator.begin(made.model, made.state).advance(1.0 / FPS))

    sizes = (100,) if options.quick else (20, 50, 100)
    for mechanism in (*(chain(n) for n in sizes), chain(100, SPHERICAL)):
        yield Block("plain numpy, forward dynamics", mechanism.name, partial(forward, mechanism), NUMPY)
    for route in (NUMPY, NUMBA):
        for integrator in (SemiImplicitEuler(h=1e-3), Dop853(rtol=1e-6, atol=1e-6)):
            yield Block(f"one frame of 100 links, {route}", integrator.kind, partial(frame, integrator), route)
    for template in ("crane", "chain"):  # as their templates in Blender are added
        yield Block("plain numpy, 60 frames", template, partial(frames_of, template, 60), NUMPY)


def frames_of(template: str, frames: int) -> Loop:
    """A run of a template's scene as Blender's button runs it, with every channel."""
    from redmax import io
    from redmax.compile import compile as compile_scene
    from redmax.simulate import record, simulate

    from .peers.base import FPS

    model = compile_scene(io.load(ROOT / "benchmarks" / "scenes" / f"{template}.json"))
    return many(lambda: record(model, simulate(model, model.initial_state(), duration=frames / FPS, fps=FPS)))


def loops(options: Options) -> Iterator[Block]:
    from .bench_loops import linkages
    from .peers import loops_in_redmax
    from .peers.base import FPS

    for linkage in linkages(options):
        frames = max(1, round(0.25 * linkage.duration * FPS))

        def run(setting, linkage=linkage, frames=frames):
            return many(partial(loops_in_redmax.build(linkage).run, setting, frames))

        for setting in (loops_in_redmax.STANDARD, loops_in_redmax.DRAFT):
            yield Block(f"loops, {setting.accuracy}", linkage.name, partial(run, setting))

        def every(linkage=linkage, frames=frames):
            return many(partial(loops_in_redmax.build(linkage).with_every_channel, frames))

        def begin(linkage=linkage):
            return many(loops_in_redmax.build(linkage).begin)

        yield Block("loops, every channel", linkage.name, every)
        yield Block("loops, beginning a run", linkage.name, begin)


def constraints(options: Options) -> Iterator[Block]:
    from .held_mechanisms import all_of_them
    from .peers import held_in_redmax
    from .peers.base import Unsupported

    frames = 3 if options.quick else 12
    for held in all_of_them():
        try:
            held_in_redmax.scene(held)
        except Unsupported:
            continue
        yield Block("constraints", held.name, lambda h=held: many(partial(held_in_redmax.build(h).run, frames)))


def splines(options: Options) -> Iterator[Block]:
    from redmax.compile import compile as compile_scene

    from .bench_splines import all_of_them, simulated

    del options
    for name, described in all_of_them().items():
        yield Block("splines", name, lambda d=described: many(partial(simulated, compile_scene(d))))


def scene(options: Options) -> Iterator[Block]:
    from redmax import io
    from redmax.compile import compile as compile_scene

    from .bench_scene import chain

    for n in (10, 1_000) if options.quick else (10, 1_000, 10_000):
        yield Block("compile chain", f"n = {n}", lambda n=n: many(partial(compile_scene, chain(n))), NUMPY)
        yield Block("load chain from JSON", f"n = {n}", lambda n=n: many(partial(io.loads, io.dumps(chain(n)))), NUMPY)


def batches(options: Options) -> Iterator[Block]:
    from redmax import io
    from redmax.batch import Settings
    from redmax.batch.work import Task, simulated

    from .bench_batches import LINKS, SECONDS, bent
    from .mechanisms import chain
    from .peers.with_redmax import scene

    del options
    task = Task.of(io.dumps(bent(scene(chain(LINKS)))), Settings(SECONDS))
    yield Block("one variation of a batch", f"{LINKS} bodies, {SECONDS:g} s", lambda: many(partial(simulated, task)))


def contact_pairs(options: Options) -> Iterator[Block]:
    from .bench_contact_pairs import HEAPS, MARGIN, heap

    def measured(count):
        found, poses = heap(count)
        return many(partial(found.find, poses, MARGIN))

    for count in HEAPS[:2] if options.quick else HEAPS:
        yield Block("contact, detection of a heap of boxes", f"{count} boxes", partial(measured, count))


def contact(options: Options) -> Iterator[Block]:
    """The first frames: the slide, the swing, the fall and the first blows."""
    from .peers import touching_in_redmax
    from .touching_scenes import all_of_them, few_of_them

    frames = 6

    def measured(scene, setting):
        machine = touching_in_redmax.build(scene)

        def run():
            machine.begin(setting)
            for number in range(frames):
                machine.frame(number)

        return many(run)

    setting = "Accuracy Standard"
    for touching in few_of_them() if options.quick else all_of_them():
        yield Block(f"contact, {setting}", touching.name, partial(measured, touching, setting))


def joint_friction(options: Options) -> Iterator[Block]:
    from .bench_joint_friction import swing, with_friction
    from .bench_scene import chain

    del options
    for n in (1, 5, 20):
        yield Block("friction in joints", f"{n} hinges", lambda n=n: many(partial(swing, with_friction(chain(n)))))


def mesh(options: Options) -> Iterator[Block]:
    from redmax.geometry.mass_properties import mass_properties
    from redmax.geometry.mesh import Mesh

    from .bench_mesh import meshes

    triangles = 100_000 if options.quick else 1_000_000
    for name in ("torus", "torus, shuffled", "100 tori"):

        def measured(name=name):
            made = Mesh.from_faces(*meshes(triangles)[name])
            return many(partial(mass_properties, made, density=1.0))

        yield Block(f"mesh of {triangles} triangles", name, measured, NUMPY)


def rotation(options: Options) -> Iterator[Block]:
    from redmax.spatial import quaternion, so3

    del options
    v = np.random.default_rng(0).normal(size=(100_000, 3))
    ways = {
        "rotation vector to matrix": lambda: so3.exp(v),
        "matrix to rotation vector": partial(so3.log, so3.exp(v)),
        "matrix to quaternion": partial(quaternion.from_matrix, so3.exp(v)),
        "quaternion to matrix": partial(quaternion.to_matrix, quaternion.exp(v)),
    }
    for case, way in ways.items():
        yield Block("100 000 rotations", case, lambda way=way: many(way), NUMPY)


def joints(options: Options) -> Iterator[Block]:
    from .bench_joints import LINKS, Cam, chain, repeated

    del options
    for n in LINKS:
        yield Block(
            "joints by their function", f"cams, {n} degrees of freedom", partial(repeated, chain(n, Cam)), NUMBA
        )


def general_joints(options: Options) -> Iterator[Block]:
    from redmax.compile import compile as compile_scene

    from .bench_general_joints import repeated, scenes

    del options
    for name, described in scenes().items():
        yield Block("general joints", name, lambda d=described: repeated(compile_scene(d)), NUMBA)


def start(options: Options) -> Iterator[Block]:
    """Cold: everything is compiled into an empty folder. Warm: into one that an earlier process filled."""
    from .bench_start import seconds_to_first_frame

    def cold():
        def loop(_count):
            with tempfile.TemporaryDirectory() as folder:
                return seconds_to_first_frame("redmax", REDMAX_ROUTE=NUMBA, REDMAX_CACHE_DIR=folder)[0]

        return loop

    def warm(route):
        return lambda _count: seconds_to_first_frame("redmax", REDMAX_ROUTE=route)[0]

    yield Block("start", "compiled kernels, warm", partial(warm, NUMBA), NUMPY, at_least=0.0)
    yield Block("start", "plain numpy", partial(warm, NUMPY), NUMPY, at_least=0.0)
    if not options.quick:
        yield Block("start", "compiled kernels, cold", cold, NUMPY, at_least=0.0, pairs=3)


def blender(options: Options) -> Iterator[Block]:
    """Ours alone: 100 links, 120 frames, simulated and baked. A Blender of its own for each measurement."""
    from .bench_blender import PYTHON, lend_numba

    if options.quick or not PYTHON.exists():
        return
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import blender_chain as chain; "
        "chain.redmax_blender.register(); chain.redmax_chain(120)\n"
        "with chain.silence(): parts = chain.simulate_and_bake()\n"
        "print(json.dumps(sum(parts.values()))); sys.stdout.flush(); chain.os._exit(0)"
    )

    def loop(_count: int) -> float:
        checkout = Path(os.environ[CHECKOUT])
        with tempfile.TemporaryDirectory() as folder:
            lend_numba(Path(folder))
            paths = [str(checkout / "engine"), str(checkout / "addon"), folder]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
            environment.pop("REDMAX_ROUTE", None)
            command = [str(PYTHON), "-c", program, str(ROOT / "benchmarks")]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return float(json.loads(done.stdout.strip().splitlines()[-1]))

    yield Block("chain in Blender", "100 links, 120 frames", lambda: loop, NUMPY, at_least=0.0)


CHECKOUT = "REDMAX_COMPARED_CHECKOUT"
"""Environment variable of a worker: the checkout whose engine it runs."""

BENCHMARKS: dict[str, Callable[[Options], Iterator[Block]]] = {
    "forward_dynamics": forward_dynamics,
    "simulation": simulation,
    "loops": loops,
    "constraints": constraints,
    "splines": splines,
    "growth": growth,
    "routes": routes,
    "joints": joints,
    "general_joints": general_joints,
    "contact": contact,
    "joint_friction": joint_friction,
    "contact_pairs": contact_pairs,
    "start": start,
    "mesh": mesh,
    "rotation": rotation,
    "scene": scene,
    "batches": batches,
    "blender": blender,
}
"""By the names that `make bench` has for them."""


def blocks(name: str, options: Options) -> list[Block]:
    """Rows of a benchmark; none that this checkout's engine cannot import."""
    try:
        return list(BENCHMARKS[name](options))
    except ImportError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return []
