# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates all variations of a scene beside the artist's work, and keeps what comes out beside the file."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..._engine import batch, errors, files, route, trajectory
from ..._engine import scene as engine_scene
from ...properties import pictures
from ...properties.variations import NUMBERS, UNKNOWN
from ..core import time_left, unexpected
from ..core.findings import refuse
from ..extract.extraction import Extraction
from ..results import cache, cache_places, preparation, thumbnails
from . import variation_table, varied

FOLDER = "variations"
"""Inside the cache."""

MOST_PICTURES = 100
"""Pictures of so many variations are drawn at once."""


class _Here:
    """One after another in the calling thread, until it is stopped."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped

    def results(self, tasks: Sequence[Any]) -> Iterator[Any]:
        for task in tasks:
            if self._stopped():
                return
            result = batch.simulated(task, self._stopped)
            if self._stopped():  # half a result
                return
            yield task, result


class Many:
    """A batch under way. `start` computes in a worker thread, `work` in the calling one; `cancel` ends either.

    Nothing of Blender is touched meanwhile. progress: of the engine, None before the first result. failure: why there
    is nothing, empty if there is. batch: what was done, None until it has ended.
    """

    def __init__(self, extraction: Extraction, integrator: Any, table: Any, place: Path, *, route: str = "") -> None:
        self.extraction, self.table, self.route = extraction, table, route
        frames = extraction.frame_end - extraction.frame_start
        self.settings = batch.Settings(frames / extraction.fps, extraction.fps, integrator)
        self.base = cache.fingerprint(extraction, integrator)
        self.folder = batch.ResultFolder(place)
        self.scene = 0
        self.progress: Any = None
        self.failure = ""
        self.batch: Any = None
        self._cancelled, self._ended = threading.Event(), threading.Event()

    def start(self) -> None:
        threading.Thread(target=self.work, name="RedMax variations", daemon=True).start()

    def work(self, told: Callable[[Any], None] | None = None) -> None:
        """Simulate what has no result yet; never raises."""

        def note(progress: Any) -> None:
            self.progress = progress
            if told is not None:
                told(progress)

        try:
            with route.held(self.route or route.usual()):
                self.batch = batch.run_batch(
                    self.extraction.scene,
                    self.table,
                    self.folder,
                    settings=self.settings,
                    scheduler=_Here(self._cancelled.is_set),
                    progress=note,
                )
        except errors.RedMaxError as error:
            self.failure = str(error)
        except KeyboardInterrupt:
            self.failure = "Stopped; what is finished is kept"
        except Exception as error:  # a worker thread has nobody above it
            self.failure = unexpected.told("Simulating variations", error)
        finally:
            self._ended.set()

    def cancel(self) -> None:
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def finished(self) -> bool:
        return self._ended.is_set()

    def text(self) -> str:
        """How far it is, for the status line."""
        total = len(self.table.rows)
        if self.progress is None:
            return f"Simulating {total} variations"
        failed = f", {self.progress.failed} failed" if self.progress.failed else ""
        left = time_left.text(self.progress.left)
        return ", ".join(filter(None, (f"{self.progress.done} of {total} variations{failed}", left)))


_current: list[Many] = []


def running() -> bool:
    """True while a batch runs or waits to be finished."""
    return bool(_current)


def current() -> Many | None:
    return _current[0] if _current else None


def begin(scene: bpy.types.Scene, extraction: Extraction, integrator: Any) -> Many:
    """Start to simulate all variations of the scene. Raises RedMaxError for a table that cannot be used."""
    made = prepared(scene, extraction, integrator, route=preparation.route_now())
    _current.append(made)
    try:
        made.start()
    except BaseException:
        _current.clear()
        raise
    return made


def prepared(scene: bpy.types.Scene, extraction: Extraction, integrator: Any, *, route: str = "") -> Many:
    """The batch of the panel's table, not begun yet."""
    table = variation_table.table(scene.redmax.variations)
    table.require_fit(extraction.scene)
    made = Many(extraction, integrator, table, place(), route=route)
    made.scene = scene.session_uid
    return made


def place() -> Path:
    """Where results of variations belong: beside the file, or in the temporary folder until it is saved."""
    return (cache_places.folder() or cache_places.temporary_folder()) / FOLDER


def finish() -> str:
    """Let the panel list what was computed; gives what to tell. A run that still computes is left to itself."""
    many = _current.pop()
    many.cancel()
    scene = next((scene for scene in bpy.data.scenes if scene.session_uid == many.scene), None)
    if scene is None:
        return "The scene whose variations were simulated is gone; nothing is listed"
    return listed(scene, many)


def abandon() -> None:
    """The file is closed: nobody waits for the results any more, which stay in its folder."""
    while _current:
        _current.pop().cancel()


def listed(scene: bpy.types.Scene, many: Many) -> str:
    """Fill the panel's list; gives what to tell."""
    if many.failure:
        raise refuse("", many.failure)
    settings = scene.redmax.variations
    keys = batch.keys_of(many.extraction.scene, many.table, many.settings)
    settings.rows.clear()
    settings.active_row, settings.base, settings.changed = 0, many.base, False
    failed = 0
    for row, key in zip(many.table.rows, keys, strict=True):
        record = many.folder.record(key, with_trajectory=True)
        if record is None:
            continue
        failed += record["status"] != "complete"
        _fill(settings.rows.add(), many, row, key, record)
    count, total = len(settings.rows), len(many.table.rows)
    stopped = "Stopped: " if count < total else ""
    return f"{stopped}{count} of {total} variations simulated" + (f", {failed} failed" if failed else "")


def _fill(item: Any, many: Many, row: Any, key: str, record: dict[str, Any]) -> None:
    columns = [(c, v) for c, v in zip(many.table.columns, row.values, strict=True) if v is not None]
    item.name, item.key = row.name, key
    item.status, item.message = record["status"], record.get("message") or ""
    item.changes = json.dumps([[column.path, column.change, value] for column, value in columns])
    item.shown = ", ".join(f"{batch.show(value)}" for _, value in columns)
    for name in NUMBERS:
        value = record.get(name)
        setattr(item, name, UNKNOWN if value is None else value)
    names = [name for name in record if name.startswith("end.")][-3:]
    item.end = ", ".join(f"{record[name]:.3g}" for name in names if record[name] is not None)


def result_of(item: Any) -> trajectory.Trajectory:
    """The trajectory of a listed variation. Raises RedMaxError where it is gone."""
    for folder in (place(), cache_places.temporary_folder() / FOLDER):
        path = batch.ResultFolder(folder).trajectory(item.key)
        if path.is_file():
            return trajectory.load(path)
    raise refuse("", f"The result of variation '{item.name}' is gone", "simulate all again")


def extraction_of(item: Any, extraction: Extraction) -> Extraction:
    """The extraction as a listed variation changes it. Raises RedMaxError where its changes no longer fit."""
    scene = extraction.scene
    for path, change, value in json.loads(item.changes):
        scene = batch.changed(scene, path, tuple(value) if isinstance(value, list) else value, change)
    return varied.extraction(extraction, scene)


def draw_pictures(scene: bpy.types.Scene, extraction: Extraction) -> int:
    """Pictures of the ends of the listed variations for panels, and the contact sheet as a file; how many there are."""
    settings = scene.redmax.variations
    rows = [row for row in settings.rows if row.status == "complete"][:MOST_PICTURES]
    folder = place()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [(cache.with_frames(result_of(row), extraction), folder / f"{row.key}.png") for row in rows]
    thumbnails.draw(scene, wanted)
    for row, (_, path) in zip(rows, wanted, strict=True):
        pictures.load(row.key, path)
    return len(rows)


def write_sheet(scene: bpy.types.Scene, order: Sequence[int], path: Path) -> None:
    """The contact sheet of the listed variations, in an order, as an SVG file."""
    rows = [scene.redmax.variations.rows[k] for k in order]
    cards = []
    for row in rows:
        values = {path: value for path, _, value in json.loads(row.changes)}
        record = batch.ResultFolder(place()).record(row.key, with_trajectory=False) or {"status": row.status}
        picture = place() / f"{row.key}.png"
        cards.append(batch.Card(row.name, values, record, picture.read_bytes() if picture.is_file() else None))
    files.write_text(path, batch.contact_sheet(scene.name, cards, engine_scene.Scene()))
