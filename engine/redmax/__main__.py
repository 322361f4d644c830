# SPDX-License-Identifier: GPL-3.0-or-later
"""Command line: python -m redmax check|info|simulate|batch|examples|warm-up"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .cli.batch import add_batch_options, batch_command
from .cli.console import say
from .cli.examples import ALL, list_examples, run_examples
from .cli.inspect import check_command, info_command, version_line
from .cli.options import add_integrator_options, chosen_integrator, positive
from .cli.run import simulate_command
from .cli.warm_up import add_warm_up_options, warm_up_command
from .errors import RedMaxError


class ShowVersion(argparse.Action):
    """--version; what computes is found out only where it is asked for, as numba takes long to load."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        say(version_line())
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 = fine, 1 = problems were found and printed, or a run failed, 2 = wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m redmax", description="Articulated dynamics without Blender.")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show versions and what computes, and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    check = commands.add_parser("check", help="list every problem of a scene")
    check.add_argument("scene", nargs="+", help="scene file (JSON)")
    info = commands.add_parser("info", help="describe a scene: bodies, joints, degrees of freedom, mass, loops")
    info.add_argument("scene", help="scene file (JSON)")
    simulate = commands.add_parser("simulate", help="run a scene and save its trajectory")
    simulate.add_argument("scene", help="scene file (JSON)")
    simulate.add_argument("--fps", type=positive, default=24.0, help="samples per second (default 24)")
    simulate.add_argument("--duration", type=positive, required=True, help="seconds to simulate")
    simulate.add_argument("--out", help="trajectory file (default: the scene's name with .npz)")
    add_integrator_options(simulate)
    batch = commands.add_parser("batch", help="simulate many variations of a scene")
    add_batch_options(batch)
    examples = commands.add_parser("examples", help="list or run the scenes that come with the engine")
    examples.add_argument("--list", action="store_true", help="only list them (what happens without --run)")
    examples.add_argument("--run", metavar=f"{ALL}|NAME", help="simulate all of them or one")
    examples.add_argument("--out", default="redmax_examples", help="folder for results (default redmax_examples)")
    add_warm_up_options(commands.add_parser("warm-up", help="compile the fast solver ahead of time, once per computer"))
    options = parser.parse_args(arguments)
    if options.command == "check":
        return max(check_command(path, say) for path in options.scene)
    if options.command == "info":
        return info_command(options.scene, say)
    if options.command == "warm-up":
        return warm_up_command(say, stream=sys.stderr, shared=options.shared)
    if options.command == "batch":
        return batch_command(options, chosen_integrator(batch, options), say, stream=sys.stderr)
    if options.command == "examples":
        if options.list or options.run is None:
            return list_examples(say)
        return run_examples(options.run, say, out=options.out, stream=sys.stderr)
    return simulate_command(
        options.scene,
        say,
        integrator=chosen_integrator(simulate, options),
        fps=options.fps,
        duration=options.duration,
        out=options.out,
        stream=sys.stderr,
    )


if __name__ == "__main__":
    try:
        code = main()
    except KeyboardInterrupt:
        code = 130  # as shells say it
    except (RedMaxError, OSError) as error:  # a variable that cannot be meant, or nowhere to write to
        say(f"redmax: {error}", sys.stderr)
        code = 1
    sys.exit(code)
