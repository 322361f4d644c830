# SPDX-License-Identifier: GPL-3.0-or-later
"""From the texts of a joint to the numbers that compiled code reads; remembered by content."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from ..arrays import Array, frozen
from ..fields import DOF_UNITS
from .chart_changes import CHART, HEAD, LARGEST, PERIODIC, POSE, factorise
from .grammar import GrammarError, check_name, formula, statements, transform
from .graph import FormulaError, Graph, Node, Op
from .tape import HEADER, MASK, SHIFT, SINE_COSINE, play, tape
from .transforms import Pose

T = TypeVar("T")

MOST_COORDINATES = 6
MOST_CHARTS = 16
SAMPLES = 48
"""Coordinates at which the volume of S is looked at, to know its largest."""
REMEMBERED = 512
POSE_NAMES = tuple(name for i in "123" for name in (*(f"r{i}{k}" for k in "123"), "xyz"[int(i) - 1]))
"""What formulas call the numbers of a pose, in the order of its rows."""


class Chart(NamedTuple):
    """One way to write the coordinates of a joint, as texts.

    transform: the motion from the parent's joint frame to the child's. from_pose: coordinates of a given pose, between
    semicolons, and 'name = formula' for parts of them. marks: what from_pose of other charts may know of a pose
    besides, as m1, m2, ...
    """

    transform: str
    from_pose: str = ""
    marks: str = ""


class Texts(NamedTuple):
    """All that somebody wrote of a joint."""

    coordinates: str
    constants: str
    charts: tuple[Chart, ...]


class Coordinates(NamedTuple):
    names: tuple[str, ...]
    units: tuple[str, ...]


class WrittenError(FormulaError):
    """What is wrong with the texts of a joint. where: the text, 'coordinates', 'constants' or of which chart what."""

    def __init__(self, where: str, error: FormulaError) -> None:
        super().__init__(f"{where} {error}")
        self.where = where
        self.what = error.what if isinstance(error, GrammarError) else f"has no value: {error}"
        self.hint = error.hint if isinstance(error, GrammarError) else "change the formula"


@lru_cache(maxsize=REMEMBERED)
def coordinates(text: str) -> Coordinates:
    """Names and units of coordinates given as 'angle: rad; lift: m'. Raises GrammarError."""
    found: dict[str, str] = {}
    if len(text) > 1000:
        raise GrammarError(f"has {len(text)} characters", "write at most 1000")
    for part in statements(text):
        name, _, unit = (word.strip() for word in part.partition(":"))
        check_name(name, found)
        if unit not in DOF_UNITS:
            raise GrammarError(f"has a coordinate '{name}' with the unit '{unit[:20]}'", "write 'name: rad', m or 1")
        found[name] = unit
    if not 1 <= len(found) <= MOST_COORDINATES:
        raise GrammarError(f"has {len(found)} coordinates", f"give 1 to {MOST_COORDINATES}, such as 'angle: rad'")
    for k, name in enumerate(found):
        if name[0] == "q" and name[1:].isdigit() and name != f"q{k + 1}":
            raise GrammarError(f"calls coordinate {k + 1} '{name}'", f"call it q{k + 1}, or give it another name")
    return Coordinates(tuple(found), tuple(found.values()))


def constants(graph: Graph, text: str, taken: dict[str, Node]) -> dict[str, Node]:
    """Values of constants given as 'rise = 0.2; half = rise / 2'."""
    found: dict[str, Node] = {}
    for part in statements(text):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise GrammarError(f"has '{part[:40]}' without a value", "write 'name = value' between semicolons")
        check_name(name, taken | found)
        found[name] = formula(graph, found, value)
    return found


class Written(NamedTuple):
    """A joint as numbers. data: read by `Joint.evaluate`; read-only. listed: the same for Python, words as integers."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    chart_count: int
    data: Array
    listed: list[float]


@lru_cache(maxsize=REMEMBERED)
def written(texts: Texts) -> Written:
    """The numbers of a joint. Raises WrittenError."""
    names, units = _told("coordinates", coordinates, texts.coordinates)
    n, many = len(names), len(texts.charts) > 1
    if not 1 <= len(texts.charts) <= MOST_CHARTS:
        raise WrittenError("charts", GrammarError(f"are {len(texts.charts)}", f"give 1 to {MOST_CHARTS}"))
    marks = max(len(_told("marks", statements, chart.marks)) for chart in texts.charts)
    numbers: list[float] = [float(len(texts.charts)), 1.0, *[0.0] * (CHART * len(texts.charts))]
    for c, chart in enumerate(texts.charts):
        of = f" of chart {c}" if many else ""
        tapes = [_told(f"transform{of}", _motion_tape, texts, names, chart)]
        if many:
            tapes.append(_told(f"marks{of}", _marks_tape, texts, names, chart, marks))
            tapes.append(_told(f"from_pose{of}", _pose_tape, texts, n, chart, marks))
        for k in range(3):
            numbers[HEAD + CHART * c + k] = float(len(numbers)) if k < len(tapes) and tapes[k] else -1.0
            numbers += tapes[k] if k < len(tapes) else []
    listed = _listed(numbers, n)
    if many:
        _measure(numbers, listed, units)
    return Written(names, units, len(texts.charts), frozen(np.array(numbers)), listed)


def _told(where: str, function: Callable[..., T], *arguments: object) -> T:
    """What a function gives; its errors say in which text they are."""
    try:
        return function(*arguments)
    except FormulaError as error:
        raise WrittenError(where, error) from None


def known_names(graph: Graph, q: Sequence[Node], names: tuple[str, ...], text: str) -> dict[str, Node]:
    """Coordinates q, by their names and as q1, q2, ..., and constants."""
    known = dict(zip(names, q, strict=True)) | {f"q{k + 1}": each for k, each in enumerate(q)}
    try:
        return known | constants(graph, text, known)
    except FormulaError as error:
        raise WrittenError("constants", error) from None


def motion_nodes(texts: Texts, names: tuple[str, ...], chart: Chart) -> Pose:
    """Q, S and Sdot as nodes of a new graph."""
    n = len(names)
    graph = Graph(2 * n)
    pose = Pose(graph, graph.inputs[:n], graph.inputs[n:])
    pose.append(transform(graph, known_names(graph, graph.inputs[:n], names, texts.constants), chart.transform))
    return pose


def _motion_tape(texts: Texts, names: tuple[str, ...], chart: Chart) -> list[float]:
    pose, n = motion_nodes(texts, names, chart), len(names)
    still = [k for k in range(n) if all(each.equals(0.0) for half in pose.S[k] for each in half)]
    if still:
        raise GrammarError(f"does not move with the coordinate '{names[still[0]]}'", "use it, or take it away")
    identity = [float(slot % 5 == 0) for slot in range(POSE)]
    return tape(pose.graph, pose.results, [*identity, *[0.0] * (12 * n)])


def _marks_tape(texts: Texts, names: tuple[str, ...], chart: Chart, count: int) -> list[float]:
    graph = Graph(len(names))
    known = known_names(graph, graph.inputs, names, texts.constants)
    nodes = [formula(graph, known, part) for part in statements(chart.marks)]
    if len(nodes) != count:
        raise GrammarError(f"has {len(nodes)} formulas, another chart {count}", "give as many in each chart")
    return tape(graph, nodes) if nodes else []


def _pose_tape(texts: Texts, n: int, chart: Chart, marks: int) -> list[float]:
    graph = Graph(POSE + marks)
    known = dict(zip((*POSE_NAMES, *(f"m{k + 1}" for k in range(marks))), graph.inputs, strict=True))
    try:
        known |= constants(graph, texts.constants, {})
    except FormulaError as error:
        raise WrittenError("constants", error) from None
    nodes = []
    for part in statements(chart.from_pose):
        name, equals, value = part.partition("=")
        if equals:
            check_name(name.strip(), known)
            known[name.strip()] = formula(graph, known, value)
        else:
            nodes.append(formula(graph, known, part))
    if len(nodes) != n:
        hint = f"give {n}, one for each coordinate, between semicolons; a pose has r11 ... r33, x, y and z"
        raise GrammarError(f"has {len(nodes)} formulas", hint)
    return tape(graph, nodes)


def _listed(numbers: list[float], n: int) -> list[float]:
    """Numbers with all words as integers, which plain Python computes with more quickly."""
    return [int(x) if x == math.floor(x) and abs(x) < 2.0**53 else x for x in numbers] if n else numbers


def evaluated(listed: list[float], chart: int, q: Array, qdot: Array, Q: Array, S: Array, Sdot: Array) -> None:
    """`play_motion` for plain Python, several times as quick there. Raises ValueError or ArithmeticError."""
    n, start = len(q), int(listed[HEAD + CHART * chart])
    registers = [*q.tolist(), *qdot.tolist(), *[0.0] * (int(listed[start]) - 2 * n)]
    place = play(listed, start, registers)  # type: ignore[arg-type]
    for word in listed[place : place + int(listed[start + 4])]:
        slot, value = int(word) >> SHIFT, registers[int(word) & MASK]
        if slot < POSE:
            Q[slot >> 2, slot & 3] = value
        elif slot < POSE + 6 * n:
            S[(slot - POSE) // n, (slot - POSE) % n] = value
        else:
            Sdot[(slot - POSE) // n - 6, (slot - POSE) % n] = value


def _measure(numbers: list[float], listed: list[float], units: tuple[str, ...]) -> None:
    """Write the length, the largest volume of each chart, and which of its coordinates come back after a turn."""
    rng, n = np.random.default_rng(5), len(units)
    turns = np.array([unit == "rad" for unit in units])
    samples = rng.uniform(-1.0, 1.0, (SAMPLES, n)) * np.where(turns, math.pi, 1.0)
    charts = range(int(numbers[0]))
    found = [[_placed(listed, chart, q) for q in samples] for chart in charts]
    sizes = [(np.abs(S[:3]).max(), np.abs(S[3:]).max()) for each in found for Q, S in each if np.isfinite(S).all()]
    angular, linear = (max((size[k] for size in sizes), default=0.0) for k in range(2))
    length = numbers[1] = listed[1] = linear / angular if linear > 0.0 and angular > 0.0 else max(linear, 1e-3)
    for chart in charts:
        usable = [S for _, S in found[chart] if np.isfinite(S).all()]
        largest = max((factorise(S, length, np.zeros((n, n))) for S in usable), default=0.0)
        if not largest > 0.0:
            hint = "write coordinates that move independently, or take one away"
            raise WrittenError(f"transform of chart {chart}", GrammarError("moves in fewer ways than it says", hint))
        periodic = 0
        for k in np.flatnonzero(turns):
            later = [_placed(listed, chart, q + 2.0 * math.pi * np.eye(n)[k])[0] for q in samples[:4]]
            off = max(np.abs(Q - now[0]).max() for Q, now in zip(later, found[chart], strict=False))
            periodic += (1 << int(k)) * bool(off < 1e-9)
        at = HEAD + CHART * chart
        numbers[at + LARGEST], numbers[at + PERIODIC] = largest, float(periodic)


def _placed(listed: list[float], chart: int, q: Array) -> tuple[Array, Array]:
    Q, S = np.eye(4), np.zeros((6, len(q)))
    try:
        evaluated(listed, chart, q, np.zeros(len(q)), Q, S, np.zeros((6, len(q))))
    except (ValueError, ArithmeticError):
        Q[:], S[:] = math.nan, math.nan
    return Q, S


REASONS: dict[int, str] = {
    Op.DIVIDE: "a division by 0",
    Op.SQUARE_ROOT: "a root of a negative number",
    Op.LOGARITHM: "a logarithm of a number that is not above 0",
    Op.POWER: "a power of a negative number",
    Op.EXPONENTIAL: "an exponential that is too large",
}


def why_not_finite(listed: list[float], q: Array) -> str:
    """What in the motion of chart 0 has no value at q, in words; '' where all is well."""
    Q, S = _placed(listed, 0, q)
    if np.isfinite(Q).all() and np.isfinite(S).all():
        return ""
    start, n = int(listed[HEAD]), len(q)
    registers = [*q.tolist(), *[0.0] * n, *[math.nan] * (int(listed[start]) - 2 * n)]
    operations: list[int] = []
    place = start + HEADER + int(listed[start + 2])
    for _ in range(int(listed[start + 3])):
        operation, count = int(listed[place]), int(listed[place + 1])
        operations += [operation] * (2 * count if operation == SINE_COSINE else count)
        place += 2 + count
    with suppress(ValueError, ArithmeticError):
        play(listed, start, registers)  # type: ignore[arg-type]
    first = int(listed[start + 1]) + int(listed[start + 2])
    failed = next((k for k, x in enumerate(registers[first:]) if not math.isfinite(x)), 0)
    return REASONS.get(operations[failed], "a number that is too large")
