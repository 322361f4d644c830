# SPDX-License-Identifier: GPL-3.0-or-later
"""One variation: simulated wherever somebody calls `simulated`, with the same result everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import __version__, io
from ..compile import compile as compile_scene
from ..errors import RedMaxError
from ..fields import specs
from ..integrators import INTEGRATORS, Automatic, Integrator
from ..simulate import record, simulate
from ..trajectory import Trajectory

FAILED = "failed"


@dataclass(frozen=True)
class Settings:
    """How every variation is simulated. keep: whether trajectories are results, or only the numbers of the table."""

    duration: float
    fps: float = 24.0
    integrator: Integrator = field(default_factory=Automatic)
    keep: bool = True

    def plain(self) -> dict[str, Any]:
        """All that a result depends on, as JSON values."""
        chosen = {name: getattr(self.integrator, name) for name in specs(type(self.integrator))}
        return {"duration": self.duration, "fps": self.fps, "integrator": self.integrator.kind, **chosen}


@dataclass(frozen=True)
class Task:
    """A scene to be simulated, as text: it may go to another process or another machine.

    key: hash of everything that the result depends on but the machine, by which it is found again.
    """

    key: str
    scene: str
    settings: Mapping[str, Any]
    keep: bool

    @classmethod
    def of(cls, scene: str, settings: Settings) -> Task:
        plain = settings.plain()
        content = json.dumps([__version__, plain, scene], sort_keys=True)
        return cls(hashlib.sha256(content.encode()).hexdigest()[:32], scene, plain, settings.keep)


@dataclass(frozen=True)
class Result:
    """What came out. record: plain values for the table. archive: the trajectory as a file's content, None without."""

    key: str
    record: Mapping[str, Any]
    archive: bytes | None = None


def simulated(task: Task, stopped: Callable[[], bool] | None = None) -> Result:
    """Simulate one variation. What keeps it from being simulated is its result, too.

    stopped: asked between steps; where it says True what is returned is no result, but half of one.
    """
    settings = dict(task.settings)
    duration, fps, kind = (settings.pop(name) for name in ("duration", "fps", "integrator"))
    try:
        model = compile_scene(io.loads(task.scene, "variation"), checked=True)
        run = simulate(model, duration=duration, fps=fps, integrator=INTEGRATORS[kind](**settings), stopped=stopped)
        trajectory = record(model, run)
    except RedMaxError as error:
        return Result(task.key, {"status": FAILED, "message": str(error)})
    measured = {"status": trajectory.status, "message": trajectory.message, **measures(trajectory)}
    return Result(task.key, measured, trajectory.content() if task.keep else None)


def measures(trajectory: Trajectory) -> dict[str, Any]:
    """The numbers by which variations are compared; SI units, NaN where there is nothing to tell.

    energy_drift: part of the energies in play that nothing explains. worst_gap: how far loop joints are open [m].
    peak_torque: largest force of a motor or of an animated or locked joint [N m or N]. peak_speed: of a body's origin.
    end.BODY.x, y, z: where bodies are at last.
    """
    channels = trajectory.channels
    books = trajectory.meta.get("energy_books", {})
    numbers: dict[str, Any] = {
        "frames": len(trajectory),
        "end_time": float(trajectory.t[-1]) if len(trajectory) else 0.0,
        "energy_drift": books.get("part", np.nan),
        "energy_end": _last(channels.get("energy")),
        "work": _last(channels.get("work")),
        "loss": _last(channels.get("loss")),
        "worst_gap": _largest(channels["gap"][..., 1]) if "gap" in channels else np.nan,
        "peak_torque": _largest(channels.get("motor")),
        "peak_speed": _largest(np.linalg.norm(channels["twist"][..., 3:], axis=-1)) if "twist" in channels else np.nan,
    }
    for k, body in enumerate(trajectory.body_names if len(trajectory) else ()):
        for axis, value in zip("xyz", trajectory.position[-1, k].tolist(), strict=True):
            numbers[f"end.{body}.{axis}"] = value
    return numbers


def _last(values: Any) -> float:
    return float(values[-1]) if values is not None and len(values) else float("nan")


def _largest(values: Any) -> float:
    """Largest magnitude; NaN of nothing, and what is not known does not count."""
    if values is None or not np.isfinite(values).any():
        return float("nan")
    return float(np.nanmax(np.abs(values)))
