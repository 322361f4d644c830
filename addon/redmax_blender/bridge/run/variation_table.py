# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of variations that the panel shows: as the engine reads it, from files, and to files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from ..._engine import batch, files
from ...properties import coordinate_names, from_specs
from ...properties.variations import SOURCES
from ..core.findings import BridgeError, Finding, refuse

FORMAT, VERSION = "redmax-variations", 1

WORDS = {
    ("inertia",): "Mass and Inertia",
    ("inertia", "mass"): "Mass Alone",
    ("inertia", "center"): "Center of Mass",
    ("animation",): "Keyed Motion",
}
"""What fields are called whose names say too little where nothing stands beside them."""


NO_AMOUNTS = ("position", "rotation", "group", "touches")
"""Numbers that are not offered: of frames, which the places of objects give, and groups of what touches."""


def label(variable: Any) -> str:
    """What people call a number of the mechanism: 'Crank: Motor Maximum', 'Arm: Velocity Rotation X'."""
    words = WORDS.get(variable.field) or " ".join(from_specs.title(name) for name in variable.field)
    if variable.entry:
        words += f" {coordinate_names.label(variable.entry)}"
    return f"{variable.element}: {words}" if variable.element else words


def choices(scene: Any) -> list[Any]:
    """What can be picked: all numbers of the engine's scene that say how much of something there is."""
    return [each for each in batch.variables(scene) if each.field[-1] not in NO_AMOUNTS]


def add(settings: Any, variable: Any) -> Any:
    """A new column for a number of the mechanism, beginning with values around its own."""
    column = settings.columns.add()
    column.path, column.label, column.unit = variable.path, label(variable), variable.unit
    if variable.only:
        column.change = variable.only.upper()
    own = variable.value
    if own is None or variable.only or own == 0.0:
        column.first, column.last = (0.5, 2.0) if variable.only else (0.0, 1.0)
    else:
        column.first, column.last = sorted((0.5 * own, 2.0 * own))
    settings.active_column = len(settings.columns) - 1
    settings.names = ""
    return column


def document(settings: Any) -> dict[str, Any]:
    """The table as JSON files have it. Raises BridgeError without columns."""
    if not settings.columns:
        raise refuse("", "No property varies yet", "add one with the plus button")
    columns = []
    for column in settings.columns:
        name, numbers = SOURCES[column.source]
        described: dict[str, Any] = {"path": column.path}
        if column.change != "SET":
            described["change"] = column.change.lower()
        if name == "values":
            described[name] = _values(column)
        else:
            described[name] = dict(zip(numbers, (_short(column.first), _short(column.last)), strict=True))
        if name == "range":
            described[name]["count"] = column.count
        columns.append(described)
    made: dict[str, Any] = {"format": FORMAT, "version": VERSION, "combine": settings.combine.lower()}
    made |= {"seed": settings.seed, "count": settings.count, "columns": columns}
    return made | ({"names": json.loads(settings.names)} if settings.names else {})


def _short(number: float) -> float:
    """What was typed: Blender keeps seven digits, and 0.1 must not become 0.10000000149."""
    return float(f"{number:.7g}")


def _values(column: Any) -> list[Any]:
    try:
        cells = next(csv.reader(io.StringIO(column.values), strict=True), [])
    except csv.Error as error:
        raise refuse("", f"The list of '{column.label}' cannot be read: {error}", "separate values by commas") from None
    return [batch.cell_value(cell.strip()) for cell in cells]


def table(settings: Any) -> Any:
    """The variations. Raises RedMaxError with what is wrong, by row and column."""
    return batch.loads_json(json.dumps(document(settings)), "Variations")


def load(settings: Any, path: Path, scene: Any) -> int:
    """Replace the panel's table by that of a file; gives the number of variations. scene: of the engine, whose labels
    the columns get. Raises RedMaxError, and then nothing has changed."""
    read = batch.load(path)
    read.require_fit(scene)
    known = {each.path: each for each in batch.variables(scene)}
    data = json.loads(files.read_text(path, batch.MOST_BYTES, encoding="utf-8-sig")) if _is_json(path) else None
    settings.columns.clear()
    for k, made in enumerate(read.columns):
        column = settings.columns.add()
        column.path, column.change = made.path, made.change.upper()
        variable = known.get(made.path)
        column.label = label(variable) if variable is not None else made.path
        column.unit = variable.unit if variable is not None else ""
        if data is None or not _take_source(column, data["columns"][k]):
            column.source = "VALUES"
            text = io.StringIO()
            csv.writer(text, lineterminator="").writerow([batch.cell_text(row.values[k]) for row in read.rows])
            column.values = text.getvalue()
    settings.combine = "GRID" if data is not None and data.get("combine") == "grid" else "ROWS"
    if data is not None:
        settings.seed, settings.count = min(data.get("seed", 0), 2**31 - 1), data.get("count") or 10
    named = data.get("names") if data is not None else [row.name for row in read.rows]
    settings.names = json.dumps(named) if named else ""
    settings.active_column = 0
    return len(read.rows)


def _take_source(column: Any, described: dict[str, Any]) -> bool:
    """Give a column the values of a JSON column; False for lists that only the whole table has as cells."""
    for source, (name, numbers) in SOURCES.items():
        if name not in described:
            continue
        given = described[name]
        column.source = source
        if source == "VALUES":
            if any(isinstance(value, (list, dict)) for value in given):
                raise BridgeError([Finding("", f"'{column.path}' has lists as values", "name its entries one by one")])
            text = io.StringIO()
            csv.writer(text, lineterminator="").writerow([batch.cell_text(value) for value in given])
            column.values = text.getvalue()
            return True
        column.first, column.last = (given[number] for number in numbers)
        column.count = given.get("count", column.count)
        return True
    return False


def save(settings: Any, path: Path) -> int:
    """Write the table as JSON, or as CSV where the name ends so; gives the number of variations."""
    made = table(settings)
    text = json.dumps(document(settings), indent=1) + "\n" if _is_json(path) else batch.dumps_csv(made)
    try:
        files.write_text(path, text)
    except OSError as error:
        raise refuse("", f"'{path}' cannot be written: {error.strerror or error}", "give another name") from None
    return len(made.rows)


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"
