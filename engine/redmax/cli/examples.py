# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m redmax examples: list the scenes that come with the engine, run them, draw their energy."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import numpy as np

from .. import files, io
from ..compile import compile as compile_scene
from ..errors import RedMaxError
from ..examples import EXAMPLES, Example
from ..integrators import INTEGRATORS
from ..model import Model
from ..plot_svg import line_plot
from ..trajectory import Trajectory
from .inspect import Say
from .run import run
from .warm_up import prepare

ALL = "all"
FPS = 60.0
HEADER = ("name", "bodies", "dof", "integrator", "seconds", "energy drift", "status")
WIDTHS = (22, 6, 4, 12, 7, 20, 8)


def list_examples(say: Say) -> int:
    """Name and title of every example."""
    for example in EXAMPLES:
        say(f"{example.name:<{WIDTHS[0]}}{io.load(example.path).name}")
    return 0


def run_examples(name: str, say: Say, *, out: str, stream: TextIO) -> int:
    """Simulate one example, or all; a table row, an .npz and an energy plot for each. 1 if any did not complete."""
    chosen = [example for example in EXAMPLES if name in (ALL, example.name)]
    if not chosen:
        known = ", ".join(example.name for example in EXAMPLES)
        say(f"there is no example '{name}'; choose all or one of: {known}")
        return 1
    folder = Path(out)
    bar = stream if stream.isatty() else None  # elsewhere the rows of the table are progress enough
    if not prepare(stream):
        return 1
    say(_row(HEADER))
    statuses = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for example in chosen:
            statuses.append(_run_example(example, folder, say, bar))
            if statuses[-1] == "stopped":
                break
    except RedMaxError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"'{folder}' cannot be written: {error.strerror or error}")
        return 1
    say(f"Trajectories and energy plots are in '{folder}'")
    return 0 if set(statuses) == {"complete"} else 1


def _run_example(example: Example, folder: Path, say: Say, stream: TextIO | None) -> str:
    model = compile_scene(io.load(example.path))
    integrator = INTEGRATORS[example.integrator](**example.settings)
    trajectory = run(
        model, integrator=integrator, fps=FPS, duration=example.duration, title=example.name, stream=stream
    )
    trajectory.save(folder / f"{example.name}.npz")
    files.write_text(folder / f"{example.name}_energy.svg", energy_plot(trajectory))
    seconds = f"{trajectory.t[-1]:g}"
    cells = (example.name, str(model.body_count), str(model.dof_count), integrator.kind, seconds)
    say(_row((*cells, energy_drift(model, trajectory), trajectory.status)))
    if trajectory.message:
        say(f"  {trajectory.message}")
    return trajectory.status


def energy_plot(trajectory: Trajectory) -> str:
    """Kinetic, potential and total energy over time, as SVG."""
    series = {name: trajectory.channels[name] for name in ("kinetic", "potential", "energy")}
    series["total"] = series.pop("energy")
    return line_plot(
        f"{trajectory.meta['scene']} ({trajectory.meta['integrator']})",
        trajectory.t,
        series,
        x_label="time [s]",
        y_label="energy [J]",
    )


def energy_drift(model: Model, trajectory: Trajectory) -> str:
    """Largest change of the total energy relative to the largest kinetic energy, and why it may change."""
    energy = trajectory.channels["energy"]
    largest = float(trajectory.channels["kinetic"].max())
    drift = float(np.abs(energy - energy[0]).max())
    shown = f"{drift / largest:.1e}" if largest > 0.0 else f"{drift:.1e} J"
    causes = []
    pushed = any(joint.torque_table is not None or joint.motor is not None for joint in model.joints)
    if model.prescribed.any() or model.torque.any() or pushed:
        causes.append("driven")
    if model.damping.any() or model.body_damping.any() or model.limit_damping.any():
        causes.append("damped")
    return f"{shown} ({', '.join(causes)})" if causes else shown


def _row(cells: tuple[str, ...]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()
