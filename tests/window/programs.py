# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that a window needs: Blender itself, a screen without a monitor, and hands for mouse and keyboard."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass

VARIABLE = "REDMAX_BLENDER"
"""Names Blender: a path, or a command that ends with it, such as `flatpak run org.blender.Blender`."""


@dataclass(frozen=True)
class Programs:
    """Commands, each as a list of arguments that others are added to."""

    blender: list[str]
    screen: list[str]
    hands: list[str]


def found() -> Programs | str:
    """The programs, or a clause that says what is missing and how to get it."""
    command = shlex.split(os.environ.get(VARIABLE, "")) or ["blender"]
    missing = []
    if shutil.which(command[0]) is None:
        missing.append(f"no Blender was found as '{command[0]}' (name one: {VARIABLE}=/path/to/blender)")
    programs = {"Xvfb": "xvfb", "xdotool": "xdotool"}
    packages = [package for program, package in programs.items() if shutil.which(program) is None]
    if packages:
        missing.append(f"programs are missing (Debian: apt-get install {' '.join(packages)})")
    return " and ".join(missing) or Programs(command, ["Xvfb"], ["xdotool"])


if __name__ == "__main__":
    if isinstance(missing := found(), str):
        print(f"NOT tested: a real Blender window, because {missing}.")
