# SPDX-License-Identifier: GPL-3.0-or-later
"""Import, load and compile: what a user waits for before anything moves."""

from __future__ import annotations

import statistics
import subprocess
import sys

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.joints import Revolute
from redmax.scene import Body, Scene

from .measure import Options, Row, child_environment, interleaved


def chain(n: int) -> Scene:
    return Scene(
        bodies=[
            Body(name=f"link {i}", shapes=(Box(size=(1.0, 0.1, 0.1), density=500.0, frame=Pose((0.5, 0.0, 0.0))),))
            for i in range(n)
        ],
        joints=[
            Revolute(
                name=f"pin {i}",
                parent=f"link {i - 1}" if i else None,
                child=f"link {i}",
                axis=(0.0, 1.0, 0.0),
                frame_in_parent=Pose((1.0 if i else 0.0, 0.0, 0.0)),
            )
            for i in range(n)
        ],
    )


def import_seconds(statement: str) -> float:
    program = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    command, environment = [sys.executable, "-c", program], child_environment()
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


def run(options: Options) -> list[Row]:
    ours, numpy = import_seconds("import redmax.io, redmax.compile"), import_seconds("import numpy")
    rows = [Row("import redmax", "io and compile", ours, "s", "numpy alone", numpy, limit=0.5)]
    for n in (10, 100, 1_000) if options.quick else (10, 100, 1_000, 10_000):
        scene = chain(n)
        text = io.dumps(scene)
        ways = {"compile": lambda scene=scene: compile_scene(scene), "load": lambda text=text: io.loads(text)}
        times = interleaved(ways, rounds=3 if n == 10_000 else options.rounds)
        limit = 2.0 if n == 10_000 else None
        rows.append(Row("compile chain", f"n = {n}", times["compile"][0], "s", spread=times["compile"][1], limit=limit))
        rows.append(Row("load chain from JSON", f"n = {n}", times["load"][0], "s", spread=times["load"][1]))
    return rows
