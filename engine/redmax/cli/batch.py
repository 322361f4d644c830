# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m redmax batch: simulate many variations of a scene."""

from __future__ import annotations

import argparse
import time
from typing import TextIO

from .. import io
from ..batch import Batch, Dask, LocalProcesses, Progress, ResultFolder, Scheduler, Settings, cards_of, load, run_batch
from ..errors import RedMaxError
from ..integrators import Integrator
from .console import write
from .inspect import Say
from .options import add_integrator_options, positive
from .warm_up import prepare

REDRAW_SECONDS = 0.1
PLAIN_SECONDS = 10.0
"""Where there is no terminal a line says every so many seconds how far a batch is."""

MOST_NAMED = 10
"""So many variations that failed are named."""


def add_batch_options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("scene", help="scene file (JSON)")
    parser.add_argument("variations", help="table of variations (JSON or CSV), see docs/batches.md")
    parser.add_argument("--out", required=True, help="folder for results; a batch that was interrupted goes on there")
    parser.add_argument("--fps", type=positive, default=24.0, help="samples per second (default 24)")
    parser.add_argument("--duration", type=positive, required=True, help="seconds to simulate")
    parser.add_argument("--jobs", type=_count, help="processes on this machine (default: as many as it has cores)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="use the Dask cluster at this address instead")
    parser.add_argument("--table-only", action="store_true", help="keep the table of numbers, but no trajectories")
    parser.add_argument("--rows", type=int, nargs=2, metavar=("FIRST", "LAST"), help="simulate these rows, from 1")
    parser.add_argument("--sort", metavar="COLUMN", default="", help="column that orders the contact sheet")
    parser.add_argument("--descending", action="store_true", help="largest first in the contact sheet")
    add_integrator_options(parser)


def batch_command(options: argparse.Namespace, integrator: Integrator, say: Say, *, stream: TextIO) -> int:
    """Simulate what has no result yet; 1 if anything is wrong with the files or a variation failed."""
    settings = Settings(options.duration, options.fps, integrator, keep=not options.table_only)
    begun = time.monotonic()
    shown = _Shown(stream)
    try:
        scene, variations = io.load(options.scene), load(options.variations)
        scheduler: Scheduler = Dask(options.scheduler) if options.scheduler else LocalProcesses(options.jobs)
        if not options.scheduler and not prepare(stream):
            return 1
        folder = ResultFolder(options.out)
        batch = run_batch(
            scene, variations, folder, settings=settings, scheduler=scheduler, progress=shown.show, rows=options.rows
        )
        cards = cards_of(variations, batch.keys, batch.records)
        folder.write_sheet(scene, cards, order=options.sort, descending=options.descending)
    except RedMaxError as error:
        shown.end()
        say(str(error))
        return 1
    except KeyboardInterrupt:
        shown.end()
        say("Stopped; what is finished is kept, and the same command goes on from there")
        return 130
    shown.end()
    return _told(batch, time.monotonic() - begun, say, whole=options.rows is None)


def _told(batch: Batch, seconds: float, say: Say, *, whole: bool) -> int:
    count = len(batch.records) + len(batch.lost)
    new = count - batch.skipped - len(batch.lost)
    before = f", {batch.skipped} were there before" if batch.skipped else ""
    say(f"{new} of {count} variations simulated in {seconds:.1f} s{before}; table: '{batch.table}'")
    for names, what in ((batch.failed, "did not complete"), (list(batch.lost), "have no result")):
        if names:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            say(f"{len(names)} {what}: {', '.join(names[:MOST_NAMED])}{more}; the table says why")
    for name, why in list(batch.lost.items())[:MOST_NAMED]:
        say(f"  {name}: {why}")
    return 1 if whole and (batch.failed or batch.lost) else 0


class _Shown:
    """How far a batch is: a line that is written anew on a terminal, now and then a line elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.terminal = stream, stream.isatty()
        self._next, self._width = 0.0, 0

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next and progress.done < progress.total:
            return
        self._next = now + (REDRAW_SECONDS if self.terminal else PLAIN_SECONDS)
        left = "" if progress.left is None else f", {progress.left:.0f} s left"
        failed = f", {progress.failed} failed" if progress.failed else ""
        line = f"{progress.done} of {progress.total} variations{failed}{left}"
        self._width = max(self._width, len(line))
        write(f"\r{line.ljust(self._width)}" if self.terminal else f"{line}\n", self.stream)

    def end(self) -> None:
        """Wipe the line, so that what is said next begins on a clean one."""
        if self.terminal:
            write("\r" + " " * self._width + "\r", self.stream)


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1024:
        raise argparse.ArgumentTypeError(f"{text} is not a number of processes from 1 to 1024")
    return value
