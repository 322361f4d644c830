# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges case after case, keeps the failures as shrunken scenes, and counts."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import generators
from .judge import VERDICTS, Judge, Verdict
from .shrink import shrink


@dataclass
class Tally:
    """What a campaign found. counts: by kind and verdict. failures: case, verdict and where its scene was written."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    oracles: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, Verdict, Path | None]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, kind: str, verdict: Verdict) -> None:
        self.counts.setdefault(kind, Counter())[verdict.name] += 1
        self.oracles.update(verdict.oracle.split(", ") if verdict.oracle else ())

    def table(self) -> str:
        """Counts as a Markdown table."""
        head = ["kind", "cases", *VERDICTS]
        rows = [[kind, sum(c.values()), *(c[name] for name in VERDICTS)] for kind, c in self.counts.items()]
        whole: Counter[str] = sum(self.counts.values(), Counter())
        rows.append(["together", sum(whole.values()), *(whole[name] for name in VERDICTS)])
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def in_turn(kinds: Sequence[str], seed: int) -> Iterator[tuple[str, int]]:
    """Kinds one after the other, each time with the next seed, without end."""
    while True:
        for kind in kinds:
            yield kind, seed
        seed += 1


def attack(
    kinds: Sequence[str],
    *,
    seed: int,
    seconds: float,
    folder: Path | None,
    say: Callable[[str], None],
    shrinking: float = 60.0,
    most: int | None = None,
) -> Tally:
    """Judges cases until the time is over. folder: where failures are written; shrinking: seconds for each of them."""
    judge, tally = Judge(), Tally()
    begun = time.monotonic()
    seen: Counter[str] = Counter()
    try:
        for number, (kind, s) in enumerate(in_turn(kinds, seed)):
            if time.monotonic() - begun > seconds or (most is not None and number >= most):
                break
            case = generators.case(kind, s)
            verdict = judge.judge(case)
            tally.add(kind, verdict)
            if not verdict.failed:
                continue
            say(f"{kind}:{s} {verdict.name}: {verdict.detail}")
            # One defect is met often: the first few of a kind are worth shrinking.
            seen[kind + verdict.name] += 1
            left = begun + seconds - time.monotonic()
            allowed = min(shrinking, left) if seen[kind + verdict.name] <= 3 else 0.0
            if allowed > 0.0:
                case = shrink(case, verdict, judge, seconds=allowed)
            tally.failures.append((f"{kind}:{s}", verdict, keep(case, verdict, folder)))
    finally:
        judge.close()
    tally.seconds = time.monotonic() - begun
    return tally


def keep(case: dict[str, Any], verdict: Verdict, folder: Path | None) -> Path | None:
    """Writes a case as JSON, to be read, replayed and placed into tests/attack/scenes."""
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case['kind']}-{case['seed']}.json"
    about = {"found": f"{verdict.name}: {verdict.detail}"}
    path.write_text(json.dumps({**about, **case}, indent=1) + "\n", encoding="utf-8")
    return path
