# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m redmax warm-up: compile the kernels ahead of time; and what every command says while it happens."""

from __future__ import annotations

import argparse
import time
from typing import TextIO

from ..errors import RedMaxError
from ..kernels import route
from ..kernels.cache import cache_folder
from ..warm_up import TYPICAL_SECONDS, is_warm, warm_up
from .console import write
from .inspect import Say
from .progress import BAR_WIDTH, PLAIN_LINES

TITLE = "Preparing the fast solver"


def add_warm_up_options(parser: argparse.ArgumentParser) -> None:
    """Options of the command, which are those of Blender's too."""
    parser.add_argument(
        "--shared",
        action="store_true",
        help=f"keep it in the folder that {cache_folder.VARIABLE} names, readable by all users; to be run by root",
    )


def warm_up_command(say: Say, *, stream: TextIO, shared: bool = False) -> int:
    """Compile what is not there yet; 1 if it was stopped (Ctrl+C) or impossible. shared: for all users."""
    if route.name() != route.NUMBA:
        say(f"Plain numpy computes here, there is nothing to prepare: {route.why_numpy()}")
        return 0
    begun = time.monotonic()
    if shared:
        try:
            cache_folder.fill_shared()
        except RedMaxError as error:
            say(str(error))
            return 1
    if not prepare(stream):
        say("Stopped; what is compiled is kept, the same command goes on from there")
        return 1
    size = cache_folder.size() / 1e6
    say(f"The fast solver ({route.versions()}) is ready, {time.monotonic() - begun:.1f} s")
    where = cache_folder.folder()
    if where is not None:
        say(f"Kept in '{where.parent}', {size:.1f} MB")
    return 0


def prepare(stream: TextIO | None) -> bool:
    """Compile what is not there yet, saying so on `stream`; False if it was stopped by Ctrl+C."""
    if is_warm():
        return True
    bar = Percent(stream) if stream is not None else None
    try:
        return warm_up(bar.show if bar is not None else None)
    except KeyboardInterrupt:
        return False
    finally:
        if bar is not None:
            bar.end()


class Percent:
    """A bar on a terminal, a few plain lines elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.terminal = stream, stream.isatty()
        self._begun = time.monotonic()
        self._next_line = 0
        self._width = 0

    def show(self, part: float, what: str) -> None:
        seconds = time.monotonic() - self._begun
        begin = f"{TITLE} (once, about {TYPICAL_SECONDS} s)"
        if self.terminal:
            filled = int(BAR_WIDTH * part)
            bar = f"{begin} [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {part:4.0%}, {seconds:.0f} s  {what}"
            self._width = max(self._width, len(bar))
            write("\r" + bar.ljust(self._width), self.stream)
        elif part * PLAIN_LINES >= self._next_line:
            self._next_line = int(part * PLAIN_LINES) + 1
            write(f"{begin}: {part:.0%}, {seconds:.1f} s\n", self.stream)

    def end(self) -> None:
        """Wipe the bar, so that what is said next begins on a clean line."""
        if self.terminal:
            write("\r" + " " * self._width + "\r", self.stream)
