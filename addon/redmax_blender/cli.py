# SPDX-License-Identifier: GPL-3.0-or-later
"""Command line: blender --command redmax bake ..., and python -m redmax_blender bake ... with the bpy wheel."""

from __future__ import annotations

import argparse
import atexit
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from . import batch, headless
from ._engine import console, integrators, preparing, progress
from .bridge.bake.bake_options import shown
from .bridge.run.run_report import PARTIAL, USAGE, Report
from .properties.scene import ACCURACY, CHANNELS

if TYPE_CHECKING:
    from .registration import Ledger

COMMAND = "redmax"
WARM_UP = "warm-up"
BATCH = "batch"
MOST_NAMED = 10
"""So many items that failed are named."""

BATCH_EXIT_CODES = """exit codes:
  0    everything was simulated and baked
  1    some items failed; their reports say why
  2    wrong usage, or files that cannot be read or written
  130  interrupted with Ctrl+C; the same command goes on from there
"""
EXIT_CODES = """exit codes:
  0  everything was simulated, baked and written
  1  the scene has problems or could not be simulated; nothing was written but the report
  2  wrong usage, or a file that cannot be read or written
  3  the run ended early (it failed, or Ctrl+C); what was computed was baked and written
"""


def parser(prog: str) -> argparse.ArgumentParser:
    """All commands and options."""
    top = argparse.ArgumentParser(prog=prog, description="RedMax: simulate and bake mechanisms without a window.")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    bake = commands.add_parser(
        "bake",
        help="simulate a .blend file and bake it to keyframes",
        description="Simulate the mechanisms of a .blend file and bake them to keyframes in another file.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = bake.add_argument
    kinds = ", ".join(integrators.INTEGRATORS.kinds)
    add("--file", type=Path, metavar="FILE", help="the .blend file (default: the one that is open)")
    add("--out", type=Path, metavar="FILE", help="the .blend file to write; --file is only overwritten if named here")
    add("--report", type=Path, metavar="FILE", help="write what was done as JSON, also when it failed")
    add("--frames", type=int, nargs=2, metavar=("FIRST", "LAST"), help="frames to simulate (default: as the file says)")
    add("--scene", metavar="NAME", help="the scene (default: the active one)")
    add("--accuracy", choices=[name.lower() for name in ACCURACY], help="(default: as the file says)")
    add("--integrator", choices=integrators.INTEGRATORS.kinds, metavar="KIND", help=f"instead of --accuracy: {kinds}")
    add("--pre-roll", type=_count(0), metavar="N", help="frames to simulate before the first, so that motion settles")
    add("--range", type=int, nargs=2, metavar=("FIRST", "LAST"), help="frames to bake (default: all, without pre-roll)")
    add("--selected-only", action="store_true", help="bake the bodies that are selected in the file")
    add("--to", choices=("new", "nla", "current"), help="a new action, an NLA track, or the action objects have")
    add("--keys", choices=("every", "fewer", "every-n"), help="on every frame, fewer within a bound, on every N-th")
    add("--max-distance", type=_positive, metavar="MM", help="bound of --keys fewer: distance in millimetres")
    add("--max-angle", type=_positive, metavar="DEGREES", help="bound of --keys fewer: angle in degrees")
    add("--every", type=_count(1), metavar="N", help="frames from key to key of --keys every-n")
    add("--ropes", choices=("keys", "cache"), help="keyed points, or one file for each rope beside --out")
    add("--tangents", choices=("exact", "linear"), help="motion between keys (default: as the file says)")
    add("--loop", type=_count(1), metavar="N", help="let the end meet the start, led back over the last N frames")
    add("--channels", type=_channels, metavar="A,B", help=f"results as F-curves: {','.join(CHANNELS)}")
    add("--seen-from", metavar="NAME", help="body from which the channel motion is seen (default: as the file says)")
    add("--route", choices=("numba", "numpy"), default="", help="what computes (default: numba where it is installed)")
    add("--again", action="store_true", help="simulate also where the file has a whole result of just this")
    add("--no-bake", action="store_true", help="only simulate; the result is in the cache beside --out")
    add("--quiet", action="store_true", help="no progress and no summary; errors are still told")
    bake.set_defaults(refuse=bake.error)
    _add_batch(commands)
    warm_up = commands.add_parser(
        WARM_UP,
        help="compile the fast solver ahead of time (once for this computer)",
        description="Compile the fast solver now, so that the first simulation starts at once.",
    )
    preparing.add_warm_up_options(warm_up)
    return top


def _add_batch(commands: Any) -> None:
    """Many files, or many variations of one."""
    many = commands.add_parser(
        BATCH,
        help="simulate and bake many files, or many variations of one",
        description="Simulate and bake many .blend files, or many variations of one, into a folder. The same command "
        "goes on where it was interrupted.",
        epilog=BATCH_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = many.add_argument
    add("--file", type=Path, nargs="+", required=True, metavar="FILE", help="the .blend files")
    add("--out", type=Path, required=True, metavar="DIR", help="folder for files, reports, table and contact sheet")
    add("--variations", type=Path, metavar="TABLE", help="table of variations (CSV or JSON) of the one file")
    add("--rows", type=int, nargs=2, metavar=("FIRST", "LAST"), help="only these items, from 1; for farms")
    add("--pictures", action="store_true", help="draw how each ends, for the contact sheet")
    add("--frames", type=int, nargs=2, metavar=("FIRST", "LAST"), help="frames to simulate (default: as the file says)")
    add("--scene", metavar="NAME", help="the scene (default: the active one)")
    add("--accuracy", choices=[name.lower() for name in ACCURACY], help="(default: as the file says)")
    add("--no-bake", action="store_true", help="only simulate; results are in the cache beside the files written")
    add("--route", choices=("numba", "numpy"), default="", help="what computes (default: numba where it is installed)")
    add("--again", action="store_true", help="do also what is done already")
    add("--quiet", action="store_true", help="no progress and no summary; errors are still told")
    many.set_defaults(refuse=many.error)


def _many(options: argparse.Namespace) -> int:
    def show(done: int, total: int, failed: int, left: float | None) -> None:
        after = "" if left is None else f", {left:.0f} s left"
        console.say(f"{done} of {total}{f', {failed} failed' if failed else ''}{after}", sys.stderr)

    outcome = batch.run(
        options.file,
        options.out,
        variations=options.variations,
        rows=tuple(options.rows) if options.rows else None,
        pictures=options.pictures,
        again=options.again,
        progress=None if options.quiet else show,
        frames=tuple(options.frames) if options.frames else None,
        scene=options.scene,
        accuracy=options.accuracy,
        bake=not options.no_bake,
        route=options.route,
    )
    if outcome.message:
        console.say(f"RedMax: {outcome.message}", sys.stderr)
    if outcome.failed:
        named = ", ".join(outcome.failed[:MOST_NAMED])
        more = f" and {len(outcome.failed) - MOST_NAMED} more" if len(outcome.failed) > MOST_NAMED else ""
        console.say(f"RedMax: {len(outcome.failed)} did not complete: {named}{more}; their reports say why", sys.stderr)
    if not options.quiet and outcome.exit_code in (0, 1):
        before = f", {outcome.done_before} were done before" if outcome.done_before else ""
        console.say(f"{outcome.items - len(outcome.failed)} of {outcome.items} complete{before}: '{options.out}'")
    return outcome.exit_code


def main(arguments: Sequence[str], prog: str = f"blender --command {COMMAND}") -> int:
    """Run a command; returns the exit code and never leaves the program by itself."""
    top = parser(prog)
    try:
        options = top.parse_args(arguments)
        if options.command == WARM_UP:
            return preparing.warm_up_command(console.say, stream=sys.stderr, shared=options.shared)
        if options.frames and options.frames[1] <= options.frames[0]:
            options.refuse(
                f"--frames {options.frames[0]} {options.frames[1]} is no range; the last comes after the first"
            )
        if options.command == BATCH:
            return _many(options)
        if options.accuracy and options.integrator:
            options.refuse("give --accuracy or --integrator, not both")
        if options.range and options.range[1] < options.range[0]:
            options.refuse(f"--range {options.range[0]} {options.range[1]} is empty; the last comes after the first")
        if options.out is None and options.report is None:
            options.refuse("nothing would be written; give --out, --report or both")
        if options.file is None and not bpy.data.filepath:
            options.refuse("no file is open; give --file")
    except SystemExit as left:  # argparse has said why
        return left.code if isinstance(left.code, int) else USAGE
    return _bake(options)


def _bake(options: argparse.Namespace) -> int:
    bar: progress.Progress | None = None
    told = preparing.Percent(sys.stderr)

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            told.end()
            bar = progress.Progress(sys.stderr, "Simulating", total)
        bar.show(done)

    report = headless.bake_file(
        options.file,
        out=options.out,
        frames=tuple(options.frames) if options.frames else None,
        scene=options.scene,
        accuracy=options.accuracy,
        integrator=options.integrator,
        pre_roll=options.pre_roll,
        options=_bake_options(options),
        channels=options.channels,
        bake=not options.no_bake,
        route=options.route,
        again=options.again,
        report=options.report,
        progress=None if options.quiet else show,
        preparing=None if options.quiet else told.show,
    )
    if bar is not None:
        bar.end()
    _tell(report, quiet=options.quiet)
    return report.exit_code


def _bake_options(options: argparse.Namespace) -> dict[str, Any]:
    """What was given, by the names of the Bake panel's options."""
    given = {
        "tangents": options.tangents and options.tangents.upper(),
        "target": options.to and options.to.upper(),
        "keys": options.keys and options.keys.upper().replace("-", "_"),
        "ropes": options.ropes and options.ropes.upper(),
        "every": options.every,
        "max_distance": options.max_distance,
        "max_angle": options.max_angle and math.radians(options.max_angle),
        "loop": True if options.loop else None,
        "loop_frames": options.loop,
        "selected_only": options.selected_only or None,
        "seen_from": options.seen_from,
    }
    if options.range:
        given |= {"range": "CUSTOM", "frame_start": options.range[0], "frame_end": options.range[1]}
    return {name: value for name, value in given.items() if value is not None}


def _tell(report: Report, *, quiet: bool) -> None:
    if report.exit_code:
        console.say(f"RedMax: {report.message}", sys.stderr)
    if quiet or report.exit_code not in (0, PARTIAL):
        return
    for line in summary(report):
        console.say(line)


def summary(report: Report) -> list[str]:
    """What was done, in a few lines."""
    first, last = report.frames or (0, 0)
    seconds = report.seconds
    lines = [
        f"Simulated frames {first}-{last}: {report.bodies} bodies, {report.joints} joints, {report.dofs} degrees of "
        f"freedom, {seconds['simulate']:.2f} s"
    ]
    if report.keys or report.caches:
        every = f" ({report.keys_every} every-frame)" if report.keys != report.keys_every else ""
        distance, angle = report.error["distance_mm"], report.error["angle_degrees"]
        error = "" if distance is None or angle is None else f", max error {shown(distance)} mm, {shown(angle)} degrees"
        caches = f", {report.caches} mesh cache{'s' * (report.caches > 1)}" if report.caches else ""
        baked = f"Baked {report.keys} keys{every} on {report.objects} objects{caches}{error}"
        lines.append(f"{baked}, {seconds['bake']:.2f} s")
    if report.energy["drift"] is not None:
        lines.append(f"Energy {report.energy['start']:.6g} J, drift {report.energy['drift']:.3g} J")
    lines += [f"Note: {note}" for note in report.notes]
    if report.out:
        lines.append(f"Saved '{report.out}'")
    return lines


def _count(least: int) -> Callable[[str], int]:
    """For numbers of frames."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"'{text}' is no number of frames from {least} on")
        return number

    return read


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no number above 0")
    return number


def _channels(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in CHANNELS]
    if unknown:
        known = ", ".join(CHANNELS)
        raise argparse.ArgumentTypeError(f"there is no channel '{unknown[0]}'; the channels are {known}")
    return names


def register(ledger: Ledger) -> None:
    """Give Blender the command. One that is still registered when Blender exits makes 4.5 crash."""
    command = bpy.utils.register_cli_command(COMMAND, main)
    unregistered = False

    def unregister() -> None:
        nonlocal unregistered
        if not unregistered:
            unregistered = True
            atexit.unregister(unregister)
            bpy.utils.unregister_cli_command(command)

    atexit.register(unregister)
    ledger.on_undo(unregister)
