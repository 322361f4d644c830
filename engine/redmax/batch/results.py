# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder in which the results of a batch are kept.

Each result has a file by the hash of what was simulated, so that one is found again whatever its place in the table:
`KEY.npz`, the trajectory, and `KEY.json`, the numbers of the table, which is written last. A result without that file
is not there. Files are written whole or not at all.
"""

from __future__ import annotations

import csv
import io as text_io
import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .. import files
from ..errors import RedMaxError
from ..scene import Scene
from .sheet import Card, contact_sheet, in_order
from .variations import Variations
from .work import Result

RESULTS = "results"
TABLE = "table.csv"
PARQUET = "table.parquet"
SHEET = "sheet.svg"
MOST_BYTES = 10_000_000
"""Largest record that is read."""

RUNS_IN_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")
"""Text that begins so is taken for a formula by spreadsheets; it is written with an apostrophe in front."""


class FolderError(RedMaxError):
    """A folder that results cannot be written to."""


class ResultFolder:
    """Results of batches by their keys."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.results = self.path / RESULTS

    def make(self) -> None:
        """Create the folder. Raises FolderError."""
        try:
            self.results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolderError(f"'{self.path}' cannot be made a folder for results: {error.strerror or error}") from None

    def trajectory(self, key: str) -> Path:
        return self.results / f"{key}.npz"

    def record(self, key: str, *, with_trajectory: bool) -> dict[str, Any] | None:
        """The numbers of a finished result; None of one that is not there, is not whole or lacks its trajectory."""
        try:
            text = files.read_text(self.results / f"{key}.json", MOST_BYTES)
            found = json.loads(text)
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or found.get("key") != key or not isinstance(found.get("status"), str):
            return None
        if with_trajectory and found.get("has_trajectory") and not self.trajectory(key).is_file():
            return None
        if with_trajectory and not found.get("has_trajectory") and found.get("frames"):
            return None  # simulated for its numbers only
        return found

    def keep(self, result: Result) -> dict[str, Any]:
        """Write a result, its record last; gives the record. Raises FolderError."""
        record = {"key": result.key, "has_trajectory": result.archive is not None, **result.record}
        try:
            if result.archive is not None:
                with files.replacing(self.trajectory(result.key)) as partial:
                    partial.write_bytes(result.archive)
            files.write_text(self.results / f"{result.key}.json", json.dumps(finite(record), indent=1) + "\n")
        except OSError as error:
            raise FolderError(
                f"'{error.filename or self.results}' cannot be written: {error.strerror or error}"
            ) from None
        return record

    def write_table(
        self, variations: Variations, keys: Sequence[str], records: Mapping[str, Mapping[str, Any]]
    ) -> Path:
        """One row for each variation that has a result: its name, its values, the numbers measured. CSV, and Parquet
        where pyarrow is installed. Raises FolderError."""
        rows = []
        for row, key in zip(variations.rows, keys, strict=True):
            if key not in records:
                continue
            values = {column.title: value for column, value in zip(variations.columns, row.values, strict=True)}
            measured = {name: value for name, value in records[key].items() if name not in ("key", "has_trajectory")}
            rows.append({"name": row.name, **values, **measured, "result": key})
        names = list(dict.fromkeys(name for row in rows for name in row))
        path = self.path / TABLE
        try:
            files.write_text(path, table_csv(rows))
            _write_parquet(self.path / PARQUET, names, rows)
        except OSError as error:
            raise FolderError(f"'{path}' cannot be written: {error.strerror or error}") from None
        return path

    def write_sheet(
        self,
        scene: Scene,
        cards: Sequence[Card],
        *,
        order: str = "",
        descending: bool = False,
    ) -> Path:
        """The contact sheet of the variations, in the order of a column or of the table. Raises FolderError."""
        path = self.path / SHEET
        shown = in_order(cards, order, descending=descending) if order else cards
        try:
            files.write_text(path, contact_sheet(scene.name, shown, scene))
        except OSError as error:
            raise FolderError(f"'{path}' cannot be written: {error.strerror or error}") from None
        return path


def cards_of(variations: Variations, keys: Sequence[str], records: Mapping[str, Mapping[str, Any]]) -> list[Card]:
    """One for each variation that has a result."""
    cards = []
    for row, key in zip(variations.rows, keys, strict=True):
        if key in records:
            values = {column.title: value for column, value in zip(variations.columns, row.values, strict=True)}
            cards.append(Card(row.name, values, records[key]))
    return cards


def table_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows by heading as CSV text in which nothing is run by a spreadsheet."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = text_io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_harmless(name) for name in names])
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in names])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return _harmless(value if isinstance(value, str) else json.dumps(value))


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(RUNS_IN_SPREADSHEETS) else text


def _write_parquet(path: Path, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Columns of numbers where all values are, of text otherwise; nothing where no pyarrow works with this numpy."""
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        return
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        known = [value for value in values if value is not None]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
            columns[name] = pyarrow.array(
                [None if value is None else float(value) for value in values], pyarrow.float64()
            )
        else:
            columns[name] = pyarrow.array(
                [None if value is None else str(_cell(value)) for value in values], pyarrow.string()
            )
    with files.replacing(path) as partial:
        parquet.write_table(pyarrow.table(columns), str(partial))


def finite(record: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has no NaN; what is not known is null."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in record.items()}
