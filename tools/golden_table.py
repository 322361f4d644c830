# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the table of docs/goldens.md from the comparisons of the test: python tools/golden_table.py

It runs every golden file in tests/goldens by the code the test uses (`tests/golden_runs.py`), which takes
about two minutes. The table stands between `<!-- table: goldens -->` and `<!-- end -->`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: the matrices are small
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import golden_runs  # noqa: E402  (found through the path above)
from golden_loader import MissingFeature  # noqa: E402

DOCUMENT = ROOT / "docs" / "goldens.md"
HEADER = "| run | result | largest error of | error | allowed |\n|---|---|---|---|---|\n"


def row(files: Mapping[str, Path], name: str) -> str:
    """One line of the table: the quantity that uses most of what it is allowed, or why there is none."""
    try:
        deviations = golden_runs.compare(files, name)
    except MissingFeature as missing:
        return f"| {name} | not applicable yet | {missing} | | |"
    except golden_runs.Superseded as reason:
        return f"| {name} | superseded | {reason} | | |"
    result = "passed" if all(deviation.passes for deviation in deviations) else "FAILED"
    worst = max(deviations, key=lambda deviation: deviation.error / deviation.tolerance)
    return f"| {name} | {result} | {worst.quantity} | {worst.error:.1e} | {worst.tolerance:.1e} |"


def updated(text: str, table: str) -> str:
    """The document with a new table."""
    pattern = re.compile(r"(<!-- table: goldens -->\n).*?(<!-- end -->)", re.DOTALL)
    if pattern.search(text) is None:
        raise SystemExit(f"{DOCUMENT} has no place for the table")
    return pattern.sub(lambda match: match[1] + table + match[2], text)


def main() -> None:
    files = golden_runs.data_files(golden_runs.DEFAULT_FOLDER)
    rows = []
    for name in files:
        if name.startswith("run_"):
            rows.append(row(files, name))
            print(rows[-1], flush=True)
    results = ("passed", "FAILED", "not applicable yet", "superseded")
    counts = [f"{sum(f'| {result} |' in line for line in rows)} {result}" for result in results]
    summary = f"{len(rows)} runs: {', '.join(counts)}.\n\n"
    text = updated(DOCUMENT.read_text(encoding="utf-8"), summary + HEADER + "\n".join(rows) + "\n")
    DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
