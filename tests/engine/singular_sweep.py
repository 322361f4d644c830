# SPDX-License-Identifier: GPL-3.0-or-later
"""IFToMM benchmark A02, many times: which runs leave their branch at the flat pose, and what they say of it.

Windows of bars of 1 m and 1 kg stand upright and are pushed; they fall over, pass the pose in which all bars lie in a
line, and turn on, twice a turn. The exact motion is that of one pendulum. `python -m engine.singular_sweep` (in tests,
with the engine on the path) prints a table; `make test-all` runs all of it as a test.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable, Iterator

import numpy as np

from attack import closed_forms
from attack.generators.singular import windows
from redmax.compile import compile as compile_scene
from redmax.integrators.automatic import ACCURACIES, Automatic
from redmax.simulate import record, simulate

SPEEDS = (
    *np.linspace(-0.5, -2.0, 11).tolist(),
    -0.7138935851186461,
    -0.9177674897088774,
    -1.0769223327781192,
    -1.3244909500260695,
    -1.7365165690961615,
)
"""Start speeds of the rods [rad/s], and of their tips [m/s]. With the last five some runs leave their branch and are
completed, as 9 of 480 did at random speeds; rounding decides which."""

OFF = 0.05
"""Rods that are further than this [m] from where they would be parallel have left their branch."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How one run ended. apart: how far rods are from parallel [m]; error: from the exact motion [m].

    part: of the energy that has no cause. remark, frame: whether the run says that it passed a singular pose, and
    where. flat: first frame after the exact motion passed it; -1 if the run ended before. element: what its remark or
    failure names. code: of the failure.
    """

    accuracy: str
    count: int
    fps: float
    speed: float
    status: str
    apart: float
    error: float
    part: float
    remark: bool
    energy_remark: bool
    frame: int
    flat: int
    element: str
    code: str

    @property
    def wrong(self) -> bool:
        return self.apart > OFF

    @property
    def said(self) -> bool:
        """Whether the run says of itself that it may be wrong, and of what."""
        return bool(self.element) and (self.remark or self.status == "failed")


def ended(accuracy: str, count: int, fps: float, speed: float, duration: float = 10.0) -> Ended:
    model, integrator = compile_scene(windows(count, angle=0.5 * math.pi, speed=speed)), Automatic(accuracy=accuracy)
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration)
    found = record(model, samples, integrator=integrator, fps=fps)
    exact = closed_forms.windows(found.t, count=count, angle=0.5 * math.pi, speed=speed)
    rods = [f"rod {k}" for k in range(count + 1)]
    arms = np.array([found.position[:, found.body_names.index(name)] - (k, 0, 0) for k, name in enumerate(rods)])
    wanted = exact["rod 0"]
    remarks = {remark["code"]: remark for remark in found.meta.get("remarks", ())}
    remark, outcome = remarks.get("singular_pose", {}), found.meta.get("outcome", {})
    below = np.flatnonzero(wanted[:, 2] < 0.0)
    return Ended(
        accuracy=accuracy,
        count=count,
        fps=fps,
        speed=speed,
        status=found.status,
        apart=float(np.linalg.norm(arms - arms[:1], axis=2).max()),
        error=float(np.linalg.norm(arms - wanted, axis=2).max()),
        part=found.meta["energy_books"]["part"],
        remark=bool(remark),
        energy_remark="energy_books" in remarks,
        frame=remark.get("frame", -1),
        flat=int(below[0]) if below.size else -1,
        element=remark.get("element", "") or outcome.get("element", ""),
        code=outcome.get("code", ""),
    )


def sweep(speeds: Iterable[float] = SPEEDS, accuracies: Iterable[str] = tuple(ACCURACIES)) -> Iterator[Ended]:
    speeds = tuple(speeds)
    for accuracy in accuracies:
        for count in (1, 2):
            for fps in (24.0, 100.0):
                for speed in speeds:
                    yield ended(accuracy, count, fps, speed)


def table(runs: Iterable[Ended]) -> str:
    """Counts per accuracy, number of windows and fps, as Markdown."""
    groups: dict[tuple[str, int, float], list[Ended]] = collections.defaultdict(list)
    for run in runs:
        groups[run.accuracy, run.count, run.fps].append(run)
    lines = [
        "| accuracy | windows | fps | runs | complete | stopped by name | wrong branch | of these say so | remark |"
        " energy remark | largest error on the right branch [m] |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (accuracy, count, fps), group in groups.items():
        wrong = [run for run in group if run.wrong]
        error = max((run.error for run in group if not run.wrong), default=math.nan)
        numbers = (
            len(group),
            sum(run.status == "complete" for run in group),
            sum(run.status == "failed" and bool(run.element) for run in group),
            len(wrong),
            sum(run.said for run in wrong),
            sum(run.remark for run in group),
            sum(run.energy_remark for run in group),
        )
        lines.append(f"| {accuracy} | {count} | {fps:g} | {' | '.join(map(str, numbers))} | {error:.1e} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(sweep()))
