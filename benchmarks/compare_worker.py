# SPDX-License-Identifier: GPL-3.0-or-later
"""One side of a comparison: a process that times the blocks of one checkout's engine when it is told to.

It reads a JSON object per line and answers each with one: `list`, `prepare` and `time` (see `answer`).
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from . import measure
from .timed_blocks import CHECKOUT, Block, Loop, blocks, fitting_count, seconds


class Side:
    """The blocks by name, and the one that is prepared: others are forgotten, so that memory stays small."""

    def __init__(self, *, quick: bool) -> None:
        self.options = measure.Options(Path(), quick=quick)
        self.known: dict[str, Block] = {}
        self.loop: tuple[str, Loop] | None = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """list: rows of a benchmark. prepare: build a row, and say how often to repeat it. time: seconds per turn."""
        match message["do"]:
            case "list":
                with contextlib.redirect_stdout(io.StringIO()):  # what a quick run leaves out is known
                    found = blocks(message["benchmark"], self.options)
                self.known |= {block.name: block for block in found}
                return {"rows": [[block.name, block.route, block.pairs] for block in found]}
            case "prepare":
                block = self.known[message["row"]]
                self.loop = None
                self.loop = block.name, block.prepare()
                return {"count": fitting_count(self.loop[1], block.at_least)}
            case "time":
                name, loop = self.loop or ("", None)
                if loop is None or name != message["row"]:
                    raise ValueError(f"'{message['row']}' is not prepared")
                return {"seconds": seconds(loop, message["count"]) / message["count"]}
        raise ValueError(f"cannot {message['do']}")


def require_own_engine() -> None:
    """Raises RuntimeError unless the engine that is imported is that of the checkout."""
    import redmax  # noqa: PLC0415

    checkout = Path(os.environ[CHECKOUT]).resolve()
    if not Path(redmax.__file__).resolve().is_relative_to(checkout):
        raise RuntimeError(f"{redmax.__file__} is not in {checkout}")


def main(arguments: list[str]) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not mix with answers
    measure.clock["cpu"] = "--stopwatch" not in arguments
    require_own_engine()
    side = Side(quick="--quick" in arguments)
    for line in sys.stdin:
        try:
            told = side.answer(json.loads(line))
        except Exception as error:  # the other side may know how: this one says why not
            told = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
