# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m tests.attack: attack the engine and the add-on for some time and say what was found."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import ROOT, generators, operators_run
from .campaign import Tally, attack, keep
from .judge import Judge
from .shrink import shrink

OPERATORS = "operators"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="first seed (default 1)")
    kinds = (*generators.KINDS, OPERATORS)
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=list(kinds), metavar="KIND", help=", ".join(kinds))
    parser.add_argument("--case", metavar="KIND:SEED|FILE", help="judge one case again, and shrink it if it fails")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "attack", help="where failures are written")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds to shrink a failure (default 60)")
    options = parser.parse_args(arguments)
    if options.case:
        return one(options.case, options.out, options.shrink)
    engine = [kind for kind in options.kinds if kind != OPERATORS]
    blenders = operators_run.environments() if OPERATORS in options.kinds else []
    seconds = 60.0 * options.minutes
    share = seconds * (1.0 if not blenders else 0.75 if engine else 0.0)
    print(f"Attacking for {options.minutes:g} minutes from seed {options.seed} on.", flush=True)
    tally = Tally()
    if engine and share > 0.0:
        tally = attack(engine, seed=options.seed, seconds=share, folder=options.out, say=say, shrinking=options.shrink)
    for python in blenders:
        operators_run.attack(
            python,
            seed=options.seed,
            seconds=(seconds - share) / len(blenders),
            folder=options.out,
            say=say,
            tally=tally,
        )
    if OPERATORS in options.kinds and not blenders:
        say("No operators were attacked: there is no Blender environment (make setup-blender).")
    print("\n" + tally.table())
    print("\nCompared with: " + ", ".join(f"{name} {count}" for name, count in tally.oracles.most_common()))
    for name, verdict, path in tally.failures:
        print(f"- {name} {verdict.name}: {verdict.detail.splitlines()[-1][:200]} ({path})")
    return 1 if tally.failures else 0


def say(line: str) -> None:
    print(line[:600], flush=True)


def one(name: str, folder: Path, seconds: float) -> int:
    """Judges one case, given by kind and seed or by a file that was written before."""
    if Path(name).is_file():
        case = json.loads(Path(name).read_text(encoding="utf-8"))
    else:
        kind, _, seed = name.partition(":")
        if kind == OPERATORS:
            return operators_run.replay(int(seed), say)
        if kind not in generators.KINDS or not seed.isdigit():
            say(f"'{name}' is no case; give KIND:SEED such as linkages:7, or a file")
            return 2
        case = generators.case(kind, int(seed))
    judge = Judge()
    try:
        verdict = judge.judge(case)
        say(f"{name} {verdict.name}: {verdict.detail or 'compared with ' + (verdict.oracle or 'nothing')}")
        if verdict.failed and seconds > 0.0:
            say(f"Shrunken: {keep(shrink(case, verdict, judge, seconds=seconds), verdict, folder)}")
    finally:
        judge.close()
    return int(verdict.failed)


if __name__ == "__main__":
    sys.exit(main())
