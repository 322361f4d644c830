# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of variations: which values of a scene change, and to what, from JSON or CSV.

A CSV table has a path in each cell of its first row and a value in each cell below; an empty cell leaves the scene's
own value. A JSON table has columns, each with a list of values, a range or a random draw, which are combined row by row
or every one with every other. Draws follow from the seed alone. Cells are numbers, true, false or text: nothing in a
table is ever run, whatever it looks like.
"""

from __future__ import annotations

import csv
import io as text_io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from .. import files
from ..arrays import Array
from ..errors import ElementName, Fault, RedMaxError
from ..fields import REAL, Element, field_problems
from ..registry import suggestion
from ..scene import Scene
from .property_paths import CHANGES, Change, PathError, changed, elements_at

FORMAT = "redmax-variations"
VERSION = 1
NAME = "name"
"""Heading of the column that names variations; those without a name are numbered."""

MOST_BYTES = 100_000_000
MOST_VARIATIONS = 1_000_000
MOST_SAID = 20
"""So many problems of a table are told one by one."""

ROWS, GRID = "rows", "grid"
"""How columns are combined: the k-th values of all, or every value with every other."""

SOURCES = {
    "values": (),
    "range": ("from", "to", "count"),
    "uniform": ("from", "to"),
    "log_uniform": ("from", "to"),
    "normal": ("mean", "deviation"),
}
"""Where the values of a column come from, and what each wants to know."""

RANDOM = ("uniform", "log_uniform", "normal")


class TableError(RedMaxError):
    """A table that cannot be used, with every problem found in it."""

    def __init__(self, source: str, problems: list[str]) -> None:
        self.problems = problems
        more = [f"... and {len(problems) - MOST_SAID} more"] if len(problems) > MOST_SAID else []
        title = f"{source}: {len(problems)} problem{'s' * (len(problems) != 1)}"
        super().__init__("\n- ".join([title, *problems[:MOST_SAID], *more]))


@dataclass(frozen=True)
class Column:
    """What one column of a table changes, and how its values are meant."""

    path: str
    change: Change = "set"

    @property
    def title(self) -> str:
        return self.path if self.change == "set" else f"{self.path} ({self.change})"


@dataclass(frozen=True)
class Variation:
    """One row: its number from 0, its name, and a value for each column; None where the scene's own stays."""

    index: int
    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Variations:
    """A table that was read; `source` is what it is called in messages."""

    columns: tuple[Column, ...]
    rows: tuple[Variation, ...]
    source: str = "variations"

    def scene(self, scene: Scene, row: Variation) -> Scene:
        """The scene as a row changes it. Raises PathError."""
        for column, value in zip(self.columns, row.values, strict=True):
            if value is not None:
                scene = changed(scene, column.path, value, column.change)
        return scene

    def require_fit(self, scene: Scene) -> None:
        """Raises TableError with every cell whose value does not fit the scene, by row and column."""
        problems: list[str] = []
        for number, column in enumerate(self.columns, start=1):
            try:
                changed(scene, column.path, 0.0 if column.change == "set" else 1.0, column.change)
            except PathError as error:
                problems.append(f"column {number}: {error}")
                continue
            for row in self.rows:
                value = row.values[number - 1]
                if value is not None:
                    problems += [
                        f"row {row.index + 1}, column {number} ({column.title}): {what}"
                        for what in _misfits(scene, column, value)
                    ]
        if problems:
            raise TableError(self.source, problems)


def _misfits(scene: Scene, column: Column, value: Any) -> Iterator[str]:
    """What is wrong with the fields that one value changes."""
    try:
        new = changed(scene, column.path, value, column.change)
    except PathError as error:
        yield str(error)
        return
    for name, element in elements_at(new, column.path):
        for where, fault in _faults(name, element, getattr(element, "ndof", None)):
            yield f"{where}: {fault.sentence}; {fault.hint}"
            return


def _faults(name: ElementName, element: object, ndof: int | None) -> Iterator[tuple[ElementName, Fault]]:
    """What does not fit its declaration in an element and in everything inside it."""
    for fault in field_problems(element, ndof):
        yield name, fault
    for place, inner in element.children() if isinstance(element, Element) else ():
        yield from _faults(name.part(place.field, place.index), inner, None)


def load(path: str | Path) -> Variations:
    """The table in a .csv or .json file. Raises TableError."""
    path = Path(path)
    try:
        text = files.read_text(path, MOST_BYTES, encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(str(path), ["it is not UTF-8 text; save the table as UTF-8"]) from None
    except OSError as error:
        raise TableError(str(path), [f"it cannot be read: {error.strerror or error}"]) from None
    return loads_json(text, str(path)) if path.suffix.lower() == ".json" else loads_csv(text, str(path))


def loads_csv(text: str, source: str = "table") -> Variations:
    """The table in a text with commas, semicolons or tabs between cells. Raises TableError."""
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        lines = list(csv.reader(text_io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise TableError(source, [f"it is no CSV table: {error}"]) from None
    lines = [[cell.strip() for cell in line] for line in lines if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise TableError(source, ["it has no rows below its headings; write paths in the first row, values below"])
    headings, *body = lines
    problems = [f"column {k}: it has no heading; write a path there" for k, h in enumerate(headings, start=1) if not h]
    problems += [
        f"row {k}: it has {len(line)} cells, the first row has {len(headings)}"
        for k, line in enumerate(body, start=1)
        if len(line) != len(headings)
    ]
    if problems:
        raise TableError(source, problems)
    columns = tuple(_csv_column(heading) for heading in headings if heading.lower() != NAME)
    named = next((k for k, heading in enumerate(headings) if heading.lower() == NAME), None)
    rows = [[cell_value(cell) for k, cell in enumerate(line) if k != named] for line in body]
    names = [line[named] if named is not None else "" for line in body]
    return _table(columns, rows, names, source)


def dumps_csv(variations: Variations) -> str:
    """The table as CSV text, from which `loads_csv` reads the same variations."""
    text = text_io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([NAME, *(column.title for column in variations.columns)])
    for row in variations.rows:
        writer.writerow([row.name, *map(cell_text, row.values)])
    return text.getvalue()


def cell_text(value: Any) -> str:
    """What stands in a cell for a value; nothing where the scene's own stays."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, (int, float)) else str(value)


def _csv_column(heading: str) -> Column:
    """`joints.A.damping (times)` has factors."""
    for change in CHANGES[1:]:
        if heading.endswith(f"({change})"):
            return Column(heading[: -len(change) - 2].strip(), change)
    return Column(heading)


def cell_value(text: str) -> Any:
    """A number, true, false or text; None for an empty cell."""
    if not text:
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if text.lstrip("+-").isdigit() and abs(value) < 2**53 else value


def loads_json(text: str, source: str = "table") -> Variations:
    """The table in a JSON text, see docs/batches.md. Raises TableError."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TableError(source, [f"it is not valid JSON: {error.msg} at {where}"]) from None
    except (RecursionError, ValueError):
        raise TableError(source, ["it is nested too deeply or holds a number that is too long"]) from None
    return _JsonTable(source, data).table()


class _JsonTable:
    """Reads a table's JSON and collects what is wrong with it."""

    def __init__(self, source: str, data: Any) -> None:
        self.source, self.problems = source, list[str]()
        if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
            raise TableError(source, [f'it does not begin with {{"format": "{FORMAT}", "version": {VERSION}, ...}}'])
        self.data = data
        known = ("format", "version", "combine", "seed", "count", "columns", "names")
        for key in data:
            if key not in known:
                self.say(f"it has an unknown field '{key}'; {suggestion(key, known, 'known fields')}")

    def say(self, what: str) -> None:
        self.problems.append(what)

    def table(self) -> Variations:
        combine, count = self.data.get("combine", ROWS), self.data.get("count")
        if combine not in (ROWS, GRID):
            self.say(f"combine is {combine!r}; give '{ROWS}' or '{GRID}'")
        if count is not None and not _is_count(count):
            self.say(f"count is {count!r}; give a whole number from 1 to {MOST_VARIATIONS}")
        seed = self.data.get("seed", 0)
        if not _is_whole(seed) or not 0 <= seed < 2**63:
            self.say(f"seed is {seed!r}; give a whole number of at least 0")
        described = self.data.get("columns")
        if not isinstance(described, list) or not described:
            self.say('it has no columns; give "columns": [{"path": "joints.Elbow.damping", "values": [1, 2]}]')
        if self.problems:
            raise TableError(self.source, self.problems)
        assert isinstance(described, list)
        columns: list[Column] = []
        values: list[list[Any]] = []
        for number, item in enumerate(described, start=1):
            found = self.column(item, number, count, seed)
            if found is not None:
                columns.append(found[0])
                values.append(found[1])
        if not self.problems and combine == ROWS and len(set(map(len, values))) > 1:
            lengths = ", ".join(str(len(entries)) for entries in values)
            self.say(f'columns have {lengths} values; give equally many, or "combine": "{GRID}"')
        if not self.problems and math.prod(map(len, values)) > MOST_VARIATIONS and combine == GRID:
            self.say(f"it has {math.prod(map(len, values))} variations; at most {MOST_VARIATIONS} are possible")
        if self.problems:
            raise TableError(self.source, self.problems)
        rows = [list(row) for row in (product(*values) if combine == GRID else zip(*values, strict=True))]
        names = self.data.get("names", [""] * len(rows))
        if not isinstance(names, list) or len(names) != len(rows) or not all(isinstance(name, str) for name in names):
            raise TableError(self.source, [f"names are not {len(rows)} texts, one for each variation"])
        return _table(tuple(columns), rows, names, self.source)

    def column(self, item: Any, number: int, count: int | None, seed: int) -> tuple[Column, list[Any]] | None:
        """A column and its values; None after saying what is wrong."""
        where = f"column {number}"
        if not isinstance(item, dict) or not isinstance(item.get("path"), str):
            self.say(f'{where}: it has no path; give an object with "path": "joints.Elbow.damping"')
            return None
        change = item.get("change", "set")
        if change not in CHANGES:
            self.say(f"{where}: change is {change!r}; give one of {', '.join(CHANGES)}")
            return None
        sources = [key for key in item if key in SOURCES]
        unknown = [key for key in item if key not in SOURCES and key not in ("path", "change")]
        if unknown or len(sources) != 1:
            what = (
                f"it has an unknown field '{unknown[0]}'" if unknown else "it has no values, or several sorts of them"
            )
            self.say(f"{where}: {what}; give one of {', '.join(SOURCES)}")
            return None
        source = sources[0]
        values = self.values(source, item[source], where, count, np.random.default_rng([seed, number]))
        return None if values is None else (Column(item["path"], change), values)

    def values(
        self, source: str, given: Any, where: str, count: int | None, random: np.random.Generator
    ) -> list[Any] | None:
        if source == "values":
            if isinstance(given, list) and 0 < len(given) <= MOST_VARIATIONS:
                return [_tuples(value) for value in given]
            self.say(f"{where}: values are not a list")
            return None
        wanted = SOURCES[source]
        if not isinstance(given, dict) or set(given) != set(wanted):
            self.say(f"{where}: {source} wants {', '.join(wanted)} and nothing else")
            return None
        if not all(_is_finite(given[key]) for key in wanted):
            self.say(f"{where}: {source} has something that is no finite number")
            return None
        numbers = [float(given[key]) for key in wanted]
        if source == "range":
            if _is_count(given["count"]):
                return [float(value) for value in np.linspace(numbers[0], numbers[1], given["count"])]
            self.say(f"{where}: count is {given['count']!r}; give a whole number from 1 to {MOST_VARIATIONS}")
            return None
        if count is None:
            self.say(f'{where}: random values need "count" beside "columns"')
            return None
        if source == "log_uniform" and min(numbers) <= 0.0:
            self.say(f"{where}: log_uniform is for numbers above 0")
            return None
        if source == "normal" and numbers[1] < 0.0:
            self.say(f"{where}: deviation is {numbers[1]:g}; give a number of at least 0")
            return None
        return [float(value) for value in _drawn(source, numbers, count, random)]


def _drawn(source: str, numbers: list[float], count: int, random: np.random.Generator) -> Array:
    if source == "uniform":
        return np.asarray(numbers[0] + (numbers[1] - numbers[0]) * random.random(count))
    if source == "log_uniform":
        low, high = math.log(numbers[0]), math.log(numbers[1])
        return np.asarray(np.exp(low + (high - low) * random.random(count)))
    return np.asarray(numbers[0] + numbers[1] * random.standard_normal(count))


def _table(columns: tuple[Column, ...], rows: list[list[Any]], names: list[str], source: str) -> Variations:
    """A table whose rows are named apart. Raises TableError."""
    problems = []
    if not columns:
        problems.append("it has no column of values; write a path such as joints.Elbow.damping in its first row")
    if len(rows) > MOST_VARIATIONS:
        problems.append(f"it has {len(rows)} variations; at most {MOST_VARIATIONS} are possible")
    for title in {column.path for column in columns}:
        numbers = [str(k) for k, column in enumerate(columns, start=1) if column.path == title]
        if len(numbers) > 1:
            problems.append(f"columns {' and '.join(numbers)} both change '{title}'; keep one of them")
    for k, row in enumerate(rows, start=1):
        bad = [m for m, value in enumerate(row, start=1) if isinstance(value, float) and not math.isfinite(value)]
        problems += [f"row {k}, column {m} ({columns[m - 1].title}): {row[m - 1]} is no finite number" for m in bad]
    if problems:
        raise TableError(source, problems)
    width = len(str(len(rows)))
    given = [name or f"{k:0{width}d}" for k, name in enumerate(names, start=1)]
    return Variations(
        columns,
        tuple(Variation(k, name, tuple(row)) for k, (name, row) in enumerate(zip(given, rows, strict=True))),
        source,
    )


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and 1 <= value <= MOST_VARIATIONS


def _is_finite(value: Any) -> bool:
    return isinstance(value, REAL) and not isinstance(value, bool) and math.isfinite(value)
