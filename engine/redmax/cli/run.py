# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m redmax simulate: run a scene file and save its trajectory."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from .. import files
from ..errors import RedMaxError
from ..integrators import Integrator
from ..model import Model
from ..simulate import Recorder, frame_count, simulate
from ..trajectory import Trajectory
from .inspect import Say, compiled
from .progress import Progress
from .warm_up import prepare


def simulate_command(
    path: str, say: Say, *, integrator: Integrator, fps: float, duration: float, out: str | None, stream: TextIO
) -> int:
    """Simulate and save; 1 if the scene has problems or the run did not complete. What was computed is saved."""
    model = compiled(path, say)
    if model is None:
        return 1
    target = Path(out) if out is not None else Path(f"{Path(path).stem}.npz")
    if not target.parent.is_dir():
        say(f"'{target.parent}' is not a folder; create it or give another --out")
        return 1
    try:
        if files.replaceable(target) == Path(path).resolve():
            say(f"'{target}' is the scene itself; give another --out")
            return 1
        trajectory = run(model, integrator=integrator, fps=fps, duration=duration, title=model.name, stream=stream)
        trajectory.save(target)
    except RedMaxError as error:
        say(f"{path}: {error}")
        return 1
    except OSError as error:
        say(f"'{target}' cannot be written: {error.strerror or error}")
        return 1
    frames = f"{len(trajectory)} frame{'s' * (len(trajectory) != 1)}"
    if len(trajectory):
        say(energy_balance(trajectory, estimated=not integrator.integrates_energy))
    if trajectory.meta.get("note"):
        say(f"Note: {trajectory.meta['note']}")
    if trajectory.status == "complete":
        say(f"Saved {frames} up to t = {trajectory.t[-1]:g} s in '{target}'")
        return 0
    say(trajectory.message)
    say(f"Saved the {frames} computed before that in '{target}'")
    return 1


def energy_balance(trajectory: Trajectory, *, estimated: bool) -> str:
    """A line on where the energy of a run came from and went; the remainder is what nothing accounts for."""
    energy, work, loss = (trajectory.channels[name] for name in ("energy", "work", "loss"))
    change = float(energy[-1] - energy[0])
    put_in, taken_out = float(work[-1]), float(loss[-1])
    line = f"Energy changed by {change:.6g} J: work {put_in:.6g} J, loss {taken_out:.6g} J"
    line += f", remainder {change - put_in + taken_out:.2g} J"
    return line + " (work and loss are sums over frames)" * estimated


def run(
    model: Model, *, integrator: Integrator, fps: float, duration: float, title: str, stream: TextIO | None
) -> Trajectory:
    """Simulate with progress on `stream`, if any; an interrupt (Ctrl-C) stops and keeps what there is."""
    recorder = Recorder(model, integrator=integrator, fps=fps)
    if not prepare(stream):
        return recorder.trajectory()
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration)
    progress = Progress(stream, title, frame_count(fps, duration)) if stream is not None else None
    try:
        for sample in samples:
            recorder.add(sample)
            if progress is not None:
                progress.show(sample.index)
    except KeyboardInterrupt:
        pass  # the trajectory says "stopped"
    finally:
        if progress is not None:
            progress.end()
    return recorder.trajectory()
