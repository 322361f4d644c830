# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates every variation of a scene that has no result yet, and writes the table of all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from .. import io
from ..check import find_problems
from ..errors import SceneError
from ..scene import Scene
from .property_paths import PathError
from .results import ResultFolder
from .schedulers import LostError, Scheduler
from .variations import TableError, Variations
from .work import Settings, Task


class Progress(NamedTuple):
    """How far a batch has come. left: seconds that the rest will take, None while nobody knows."""

    done: int
    total: int
    failed: int
    left: float | None


@dataclass
class Batch:
    """What a batch did. records: numbers of every result by its key. lost: why variations have none, by their names.

    failed: names of variations whose run failed. skipped: how many had a result already. table: the file of all.
    """

    keys: tuple[str, ...]
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    skipped: int = 0
    table: Path | None = None


def run_batch(
    scene: Scene,
    variations: Variations,
    folder: ResultFolder,
    *,
    settings: Settings,
    scheduler: Scheduler,
    progress: Callable[[Progress], None] | None = None,
    rows: tuple[int, int] | None = None,
) -> Batch:
    """Simulate what has no result yet. Interrupted at any point, the same call goes on from there.

    rows: first and last row, counted from 1, that are simulated; the table has all that have a result.

    A variation that fails is a result. One whose process ended again and again has none, and is tried by the next call.
    Raises TableError where values do not fit the scene, SchedulerError and FolderError.
    """
    tasks = _tasks(scene, variations, settings)
    folder.make()
    batch = Batch(tuple(task.key for task in tasks))
    names: dict[str, str] = {}
    for task, row in zip(tasks, variations.rows, strict=True):
        names.setdefault(task.key, row.name)
        found = folder.record(task.key, with_trajectory=settings.keep) if task.key not in batch.records else None
        if found is not None:
            batch.records[task.key] = found
    batch.skipped = sum(key in batch.records for key in batch.keys)
    first, last = rows or (1, len(tasks))
    if not 1 <= first <= last:
        raise TableError(variations.source, [f"rows {first} to {last} are none; the first is 1"])
    asked = tasks[first - 1 : last]
    waiting = list({task.key: task for task in asked if task.key not in batch.records}.values())
    begun, total = time.monotonic(), len({task.key for task in asked})
    if progress is not None and len(waiting) < total:
        progress(Progress(total - len(waiting), total, _failures(batch), None))
    try:
        for count, (task, answer) in enumerate(scheduler.results(waiting), start=1):
            if isinstance(answer, LostError):
                batch.lost[names[task.key]] = str(answer)
            else:
                batch.records[task.key] = folder.keep(answer)
            if progress is not None:
                left = (time.monotonic() - begun) / count * (len(waiting) - count)
                progress(Progress(total - len(waiting) + count, total, len(batch.lost) + _failures(batch), left))
    finally:
        batch.failed = [names[key] for key, record in batch.records.items() if record["status"] != "complete"]
        batch.table = folder.write_table(variations, batch.keys, batch.records)
    return batch


def keys_of(scene: Scene, variations: Variations, settings: Settings) -> list[str]:
    """By which the result of each variation is found. Raises TableError."""
    return [task.key for task in _tasks(scene, variations, settings)]


def _failures(batch: Batch) -> int:
    return sum(record["status"] != "complete" for record in batch.records.values())


def _tasks(scene: Scene, variations: Variations, settings: Settings) -> list[Task]:
    """One for each row. Raises TableError with what is wrong, by row and column."""
    problems = find_problems(scene)
    if problems:
        raise SceneError(problems)
    variations.require_fit(scene)
    tasks, misfits = [], []
    for row in variations.rows:
        try:
            varied = variations.scene(scene, row)
            misfits += [f"row {row.index + 1}: {problem}" for problem in find_problems(varied)]
            if not misfits:
                tasks.append(Task.of(io.dumps(varied), settings))
        except PathError as error:
            misfits.append(f"row {row.index + 1}: {error}")
    if misfits:
        raise TableError(variations.source, misfits)
    return tasks
