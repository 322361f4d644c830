# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a run has come: a bar on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TextIO

from .console import write

BAR_WIDTH = 30
REDRAW_SECONDS = 0.1
PLAIN_LINES = 10
"""Lines a whole run writes where there is no terminal (log files, pipes)."""


class Progress:
    """Counts frames of a run up to `last`."""

    def __init__(self, stream: TextIO, title: str, last: int) -> None:
        self.stream, self.title, self.last = stream, title, last
        self.terminal = stream.isatty()
        self._drawn_at = -REDRAW_SECONDS
        self._begun = time.monotonic()
        self._next_line = 1
        self._width = 0

    def show(self, frame: int) -> None:
        """Say that `frame` is done."""
        now = time.monotonic() - self._begun
        if self.terminal:
            if now - self._drawn_at >= REDRAW_SECONDS or frame == self.last:
                self._drawn_at = now
                bar = self._bar(frame, now)
                self._width = max(self._width, len(bar))
                write("\r" + bar.ljust(self._width), self.stream)
        elif self.last and frame * PLAIN_LINES >= self._next_line * self.last:
            self._next_line = frame * PLAIN_LINES // self.last + 1
            write(f"{self.title}: frame {frame} of {self.last}, {now:.1f} s\n", self.stream)

    def end(self) -> None:
        """Wipe the bar, so that what is said next begins on a clean line."""
        if self.terminal:
            write("\r" + " " * self._width + "\r", self.stream)

    def _bar(self, frame: int, now: float) -> str:
        done = BAR_WIDTH * frame // self.last if self.last else BAR_WIDTH
        left = f", {now * (self.last - frame) / frame:.0f} s left" if frame else ""
        return f"{self.title} [{'#' * done}{'.' * (BAR_WIDTH - done)}] {frame}/{self.last}{left}"
