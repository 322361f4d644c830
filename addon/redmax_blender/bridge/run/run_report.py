# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run without a window did, as numbers for people and for programs."""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ..._engine import fields, files, package, trajectory
from . import simulation

if TYPE_CHECKING:
    from ..bake.bake import BakeReport
    from ..extract.extraction import Extraction

OK, FAILED, USAGE, PARTIAL = 0, 1, 2, 3
"""Exit codes: all done; nothing could be simulated; wrong usage or a file problem; ended early, the rest is kept."""


STEPS = ("extract", "prepare", "simulate", "bake", "total")
"""prepare: loading the fast solver, and compiling it where that was never done."""


def versions() -> dict[str, str | None]:
    """Versions of everything whose change might change a result."""
    used = {name: getattr(sys.modules.get(name), "__version__", None) for name in ("numba", "scipy")}
    return {
        "blender": bpy.app.version_string,
        "redmax": package.__version__,
        "numpy": np.__version__,
        **used,  # null for what was not loaded
        "python": platform.python_version(),
    }


@dataclass
class Report:
    """Frames are those of the timeline, both ends included; energies in joules, times in seconds.

    status: "complete", "stopped" (Ctrl+C), "failed" (while simulating; what was computed is kept) or "refused".
    energy.drift: change of energy that neither work nor loss explains; null where it is not known. energy.promised: the
    part of the energies in play that the accuracy promises, null where work and loss are estimates.
    remarks: what should be known of the result, such as an energy that does not balance; outcome: why the run failed,
    else null. Both are data (code, frame of the timeline, t, element, sort, name, what, advice, numbers, units).
    keys_every: keys there would be on every frame. caches: ropes that were written to files. error: what the keys are
    off by at most, as measured; null where every frame has one.
    loop_gap: largest gap of a loop joint [m], null without loops. route: what computed, such as "numba 0.62.1".
    """

    file: str | None = None
    scene: str | None = None
    out: str | None = None
    status: str = "refused"
    message: str = ""
    exit_code: int = FAILED
    notes: list[str] = field(default_factory=list)
    frames: list[int] | None = None
    frames_asked: list[int] | None = None
    fps: float | None = None
    bodies: int = 0
    joints: int = 0
    dofs: int = 0
    loops: int = 0
    objects: int = 0
    keys: int = 0
    keys_every: int = 0
    caches: int = 0
    frames_baked: list[int] | None = None
    error: dict[str, float | None] = field(default_factory=lambda: dict.fromkeys(("distance_mm", "angle_degrees")))
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))
    energy: dict[str, float | None] = field(
        default_factory=lambda: dict.fromkeys(("start", "end", "work", "loss", "drift", "promised"))
    )
    remarks: list[dict[str, Any]] = field(default_factory=list)
    outcome: dict[str, Any] | None = None
    loop_gap: float | None = None
    route: str | None = None
    accuracy: str | None = None
    integrator: dict[str, Any] | None = None
    versions: dict[str, str | None] = field(default_factory=versions)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[step] = time.perf_counter() - begun

    def describe(self, extraction: Extraction, integrator: Any, *, accuracy: str) -> None:
        """What is simulated, and how."""
        self.frames_asked = [extraction.frame_start, extraction.frame_end]
        self.fps = extraction.fps
        self.bodies = len(extraction.bodies)
        self.joints = len(extraction.joint_objects)
        self.dofs = sum(mechanism.dofs for mechanism in extraction.mechanisms if mechanism.enabled)
        self.loops = sum(mechanism.loops for mechanism in extraction.mechanisms if mechanism.enabled)
        self.notes += [str(finding) for finding in extraction.findings]
        self.accuracy = accuracy
        settings = {name: getattr(integrator, name) for name in fields.specs(type(integrator))}
        self.integrator = {"kind": integrator.kind, **settings}

    def add_result(self, result: trajectory.Trajectory, extraction: Extraction) -> None:
        """How the simulation went."""
        self.status, self.message, self.route = result.status, result.message, result.meta["route"]
        self.exit_code = OK if result.status == "complete" else PARTIAL
        self.frames = [extraction.frame_start, extraction.frame_start + len(result) - 1]
        first = extraction.frame_start
        self.remarks = [in_timeline(facts, first) for facts in result.meta.get("remarks", ())]
        self.outcome = in_timeline(result.meta["outcome"], first) if "outcome" in result.meta else None
        self.notes += simulation.remarks(result, first)
        energy = result.channels["energy"]
        self.energy["start"], self.energy["end"] = float(energy[0]), float(energy[-1])
        work, loss = float(result.channels["work"][-1]), float(result.channels["loss"][-1])
        self.energy["work"], self.energy["loss"] = work, loss
        books = result.meta["energy_books"]
        self.energy["drift"], self.energy["promised"] = books["remainder"], books["promised"]

    def add_bake(self, report: BakeReport) -> None:
        self.objects, self.keys, self.keys_every = report.objects, report.keys, report.keys_every
        self.caches = report.caches
        self.frames_baked = [report.frame_start, report.frame_end]
        if report.distance is not None and report.angle is not None:
            self.error = {"distance_mm": 1e3 * report.distance, "angle_degrees": math.degrees(report.angle)}
        self.notes += [str(note) for note in report.notes]

    def refuse(self, message: str, exit_code: int) -> None:
        """It came to nothing; what was found out before stays in the report."""
        self.status = "refused" if self.status in ("refused", "complete") else self.status
        self.message, self.exit_code = message, exit_code

    def text(self) -> str:
        """The report as JSON; numbers that are not finite are null."""
        return json.dumps(_plain(dataclasses.asdict(self)), indent=1, allow_nan=False) + "\n"

    def save(self, path: Path) -> None:
        """Write the report, whole or not at all."""
        files.write_text(path, self.text())


def in_timeline(facts: Mapping[str, Any], first: int) -> dict[str, Any]:
    """An outcome with its frame counted as the timeline does, which begins at `first`."""
    return {**facts, "frame": first + facts["frame"]}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
