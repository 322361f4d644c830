# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for the compiler, whose wheels Blender's own Python does not have: a real process that compiles nothing.

It goes on when a test lets it: `Played.go(2)` after the second step.
"""

from __future__ import annotations

from pathlib import Path

PARTS = (0.0, 0.4, 1.0)

PROGRAM = """
import json, os, sys, time
from pathlib import Path

folder = Path(__file__).parent
wish = json.loads(sys.stdin.readline())
with (folder / "starts").open("a") as starts:
    starts.write("x")
for step, part in enumerate((0.0, 0.4, 1.0)):
    print(json.dumps({"part": part}), flush=True)
    while int((folder / "go").read_text() or 0) <= step:
        time.sleep(0.005)
    if (folder / "crash").exists():
        os._exit(9)
    if (folder / "fail").exists():
        print(json.dumps({"failure": "This processor is not known"}), flush=True)
        sys.exit(1)
(folder / "ready").touch()
print(json.dumps({"ready": True}), flush=True)
"""


class Played:
    """Three steps; `go(n)` lets n of them be done. Files in its folder are all that it knows."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.program = folder, folder / "compiler.py"
        self.program.write_text(PROGRAM)
        self.go(0)

    def go(self, steps: int) -> None:
        partial = self.folder / "going"
        partial.write_text(str(steps))
        partial.replace(self.folder / "go")

    def wish(self, what: str) -> None:
        """crash or fail, after its first step."""
        (self.folder / what).touch()

    @property
    def ready(self) -> bool:
        return (self.folder / "ready").exists()

    @property
    def starts(self) -> int:
        path = self.folder / "starts"
        return len(path.read_text()) if path.exists() else 0
