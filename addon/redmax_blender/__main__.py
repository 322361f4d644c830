# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m redmax_blender bake ...: the command line, with Blender as a Python module (the bpy wheel)."""

from __future__ import annotations

import os
import sys

import bpy

from . import cli, compat, registration


def main() -> int:
    """Register what the commands need unless Blender has, and run one."""
    if hasattr(bpy.types.Scene, "redmax"):
        return cli.main(sys.argv[1:], prog="python -m redmax_blender")
    registration.register()
    try:
        return cli.main(sys.argv[1:], prog="python -m redmax_blender")
    finally:
        registration.unregister()


def leave(code: int) -> None:
    """End the program with an exit code that says how it went, whatever Blender does on its way out."""
    if compat.MODULE_CRASHES_AT_EXIT:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    leave(main())
