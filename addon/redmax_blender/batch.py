# SPDX-License-Identifier: GPL-3.0-or-later
"""Many .blend files, or many variations of one, simulated and baked without a window.

An item is one file, or one variation of one. It has a .blend file, a report and perhaps a picture in the folder of the
batch; the report is written last and says what was simulated, so that an item without it, or with that of something
else, is not done. An item that ended its process is tried TRIES times in all and then told as lost.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from . import headless
from ._engine import batch as engine_batch
from ._engine import errors, files, package
from ._engine import scene as engine_scene
from .bridge.core.findings import refuse
from .bridge.results import cache, thumbnails
from .bridge.run.run_report import FAILED, OK, PARTIAL, USAGE, Report

TRIES = 3
INTERRUPTED = 130
"""Exit code of a batch that was stopped by Ctrl+C."""

SUMMARY, TABLE, SHEET = "summary.json", "table.csv", "sheet.svg"
RESERVED = {Path(SUMMARY).stem, Path(TABLE).stem, Path(SHEET).stem}
STARTED = ".started"
LOST = "lost"
UNSAFE = re.compile(r"[^\w.+-]+")
LONGEST = 80
"""Letters of an item's name that go into names of files."""

MOST_BYTES = 10_000_000
"""Largest report that is read."""


@dataclass(frozen=True)
class Item:
    """name: of its files. source: the .blend file. values: what varies, by title, empty for the file as it is.

    key: hash of all that the result depends on, except files that the .blend links.
    """

    name: str
    source: Path
    key: str
    values: Mapping[str, Any] = field(default_factory=dict)
    row: Any = None


@dataclass
class Outcome:
    """What a batch did. exit_code: 0 all complete, 1 not all, 2 files that cannot be used, 130 interrupted."""

    items: int = 0
    done_before: int = 0
    failed: list[str] = field(default_factory=list)
    message: str = ""
    exit_code: int = OK


Told = Callable[[int, int, int, float | None], None]
"""Called after each item with those done, all, those failed and seconds left, None while nobody knows."""


def run(
    sources: Sequence[Path],
    out: Path,
    *,
    variations: Path | None = None,
    rows: tuple[int, int] | None = None,
    pictures: bool = False,
    again: bool = False,
    progress: Told | None = None,
    **settings: Any,
) -> Outcome:
    """Simulate and bake what is not done yet; interrupted at any point, the same call goes on from there.

    settings: of `headless.bake_file`. rows: first and last item, from 1; the summary has all that are done.
    """
    try:
        table = engine_batch.load(variations) if variations is not None else None
        if table is not None and len(sources) != 1:
            raise refuse("", "A table of variations is for one .blend file", "give one --file")
        out.mkdir(parents=True, exist_ok=True)
        items = list(_items(sources, table, settings))
    except errors.RedMaxError as error:
        return Outcome(message=str(error), exit_code=USAGE)
    except OSError as error:
        text = f"'{error.filename or out}' cannot be used: {error.strerror or error}"
        return Outcome(message=text, exit_code=USAGE)
    first, last = rows or (1, len(items))
    if not 1 <= first <= last:
        return Outcome(message=f"--rows {first} {last} is no range; the first is 1", exit_code=USAGE)
    asked = items[first - 1 : last]
    outcome = Outcome(items=len(asked))
    try:
        _work(asked, out, table, outcome, pictures=pictures, again=again, progress=progress, settings=settings)
        _summarize(items, out)
    except KeyboardInterrupt:
        outcome.exit_code, outcome.message = INTERRUPTED, "Stopped; what is finished is kept"
        _summarize(items, out)
    except errors.RedMaxError as error:  # a table that does not fit the file
        outcome.message, outcome.exit_code = str(error), USAGE
    except OSError as error:
        outcome.message = f"'{error.filename or out}' cannot be written: {error.strerror or error}"
        outcome.exit_code = USAGE
    if outcome.failed and outcome.exit_code == OK and rows is None:  # a part of a farm's job has done what it could
        outcome.exit_code = FAILED
    return outcome


def _work(
    asked: Sequence[Item],
    out: Path,
    table: Any,
    outcome: Outcome,
    *,
    pictures: bool,
    again: bool,
    progress: Told | None,
    settings: Mapping[str, Any],
) -> None:
    found = {item.key: None if again else _record(out, item) for item in asked}
    outcome.done_before = sum(record is not None for record in found.values())
    outcome.failed = [item.name for item in asked if (r := found[item.key]) is not None and r["status"] != "complete"]
    waiting = [item for item in asked if found[item.key] is None]
    waiting.sort(key=lambda item: _tries(out, item))  # what has ended a process comes last
    begun, checked = time.monotonic(), _Table(table)
    for count, item in enumerate(waiting, start=1):
        status = _one(item, out, checked, pictures=pictures, settings=settings)
        if status != "complete":
            outcome.failed.append(item.name)
        if progress is not None:
            left = (time.monotonic() - begun) / count * (len(waiting) - count)
            progress(outcome.done_before + count, len(asked), len(outcome.failed), left)


def _one(item: Item, out: Path, table: _Table, *, pictures: bool, settings: Mapping[str, Any]) -> str:
    """Simulate and bake an item and write its report last; gives its status. Raises KeyboardInterrupt."""
    marker = out / f"{item.name}{STARTED}"
    tries = _tries(out, item)
    if tries >= TRIES:
        report = Report(file=str(item.source), status=LOST, exit_code=FAILED)
        report.message = f"Blender ended {tries} times while it was simulated; is there enough memory?"
        _write(out, item, report, {})
        marker.unlink(missing_ok=True)
        return LOST
    files.write_text(marker, f"{item.key} {tries + 1}\n")
    target = out / f"{item.name}.blend"
    report = headless.bake_file(item.source, out=target, change=table.change(item), **settings)
    if table.problem is not None:
        marker.unlink(missing_ok=True)
        raise table.problem
    if report.status == "stopped":
        for path in (target, marker):
            path.unlink(missing_ok=True)
        raise KeyboardInterrupt
    measured = _measured(out, item, report, pictures=pictures) if report.exit_code in (OK, PARTIAL) else {}
    if report.exit_code != USAGE:  # a full disk or a file that is away is no result
        _write(out, item, report, measured)
    marker.unlink(missing_ok=True)
    return report.status if report.exit_code in (OK, PARTIAL) else "failed"


class _Table:
    """Changes scenes as the rows of a table say; the first scene it meets decides whether the table can be used."""

    def __init__(self, table: Any) -> None:
        self._table, self._fits = table, False
        self.problem: errors.RedMaxError | None = None

    def change(self, item: Item) -> headless.Change | None:
        return None if item.row is None else lambda scene: self._changed(scene, item.row)

    def _changed(self, scene: Any, row: Any) -> Any:
        if not self._fits:
            try:
                self._table.require_fit(scene)
            except errors.RedMaxError as error:
                self.problem = error
                raise
            self._fits = True
        return self._table.scene(scene, row)


def _measured(out: Path, item: Item, report: Report, *, pictures: bool) -> dict[str, Any]:
    """The numbers of the table, of the result that was just written; it is no longer needed in the temporary folder."""
    scene = bpy.context.scene
    result = cache.load(scene)
    if result is None:
        return {}
    if pictures:
        try:
            thumbnails.draw(scene, [(result, out / f"{item.name}.png")])
        except errors.RedMaxError as error:
            report.notes.append(str(error))
    cache.let_go(scene.redmax.result.identifier)
    return dict(engine_batch.measures(result))


def _write(out: Path, item: Item, report: Report, measured: Mapping[str, Any]) -> None:
    """The report of an item, with what makes it that item's; paths are relative to the folder of the batch."""
    facts = json.loads(report.text())
    facts["out"] = f"{item.name}.blend" if facts["out"] else None
    extra = {"key": item.key, "variation": dict(item.values), "measured": engine_batch.finite(measured)}
    files.write_text(out / f"{item.name}.json", json.dumps({**extra, **facts}, indent=1, allow_nan=False) + "\n")


def _record(out: Path, item: Item) -> dict[str, Any] | None:
    """The report of an item that is done; None of one that is not, or lacks its file."""
    try:
        found = json.loads(files.read_text(out / f"{item.name}.json", MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("key") != item.key or not isinstance(found.get("status"), str):
        return None
    if found["status"] == LOST:
        return None
    is_there = (out / f"{item.name}.blend").is_file()
    return found if is_there or not found.get("out") else None


def _tries(out: Path, item: Item) -> int:
    try:
        key, count = files.read_text(out / f"{item.name}{STARTED}", MOST_BYTES).split()
        return int(count) if key == item.key else 0
    except (OSError, ValueError):
        return 0


# --- what there is to do ---------------------------------------------------------------------


def _items(sources: Sequence[Path], table: Any, settings: Mapping[str, Any]) -> Iterator[Item]:
    asked = json.dumps(
        [package.__version__, {k: _plain(v) for k, v in settings.items() if k not in UNASKED}], sort_keys=True
    )
    taken: set[str] = set(RESERVED)
    for source in sources:
        content = _digest(source)
        for row in (None,) if table is None else table.rows:
            titles = () if row is None else [column.title for column in table.columns]
            values = {} if row is None else dict(zip(titles, row.values, strict=True))
            described = json.dumps([asked, content, values], sort_keys=True)
            key = hashlib.sha256(described.encode()).hexdigest()[:32]
            wanted = source.stem if row is None else f"{source.stem}_{row.name}"
            yield Item(_free(UNSAFE.sub("_", wanted)[:LONGEST].strip("."), key, taken), source, key, values, row)


UNASKED = ("progress", "preparing", "again", "route")
"""Settings that a result does not depend on."""


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def _digest(source: Path) -> str:
    """Of a file's content; of one that cannot be read its name, so that its item says why."""
    digest = hashlib.sha256()
    try:
        with source.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError:
        return str(source)
    return digest.hexdigest()


def _free(name: str, key: str, taken: set[str]) -> str:
    """A name that no other item has, on systems that do not tell capital letters either."""
    name = name or "item"
    if name.casefold() in taken:
        name = f"{name}_{key[:8]}"
    number = 2
    while name.casefold() in taken:  # the same file twice
        name, number = f"{name}_{number}", number + 1
    taken.add(name.casefold())
    return name


# --- the summary -----------------------------------------------------------------------------


def _summarize(items: Sequence[Item], out: Path) -> None:
    """What every item that is done came to: as JSON, as a table and as a contact sheet."""
    found = [(item, record) for item in items if (record := _any_record(out, item)) is not None]
    counts: dict[str, int] = {}
    for _, record in found:
        counts[record["status"]] = counts.get(record["status"], 0) + 1
    rows = [
        {
            "name": item.name,
            "file": str(item.source),
            **item.values,
            "status": record["status"],
            "message": record.get("message", ""),
            **record.get("measured", {}),
        }
        for item, record in found
    ]
    summary = {
        "items": len(items),
        "done": len(found),
        "statuses": counts,
        "reports": [f"{i.name}.json" for i, _ in found],
    }
    files.write_text(out / SUMMARY, json.dumps(summary, indent=1) + "\n")
    files.write_text(out / TABLE, engine_batch.table_csv(rows))
    cards = [
        engine_batch.Card(
            item.name,
            item.values,
            {"status": record["status"], "message": record.get("message"), **record.get("measured", {})},
            _picture(out / f"{item.name}.png"),
        )
        for item, record in found
    ]
    drawn = engine_batch.contact_sheet(out.name, cards, engine_scene.Scene())
    files.write_text(out / SHEET, drawn)


def _any_record(out: Path, item: Item) -> dict[str, Any] | None:
    """Also of an item that was lost."""
    found = _record(out, item)
    if found is not None:
        return found
    try:
        lost = json.loads(files.read_text(out / f"{item.name}.json", MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return lost if isinstance(lost, dict) and lost.get("key") == item.key and lost.get("status") == LOST else None


def _picture(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
