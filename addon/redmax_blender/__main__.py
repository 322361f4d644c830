# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m redmax_blender bake ...: the command line, with Blender as a Python module (the bpy wheel)."""

from __future__ import annotations

import sys

import bpy

from . import cli, registration


def main() -> int:
    """Register what the commands need unless Blender has, and run one."""
    if hasattr(bpy.types.Scene, "redmax"):
        return cli.main(sys.argv[1:], prog="python -m redmax_blender")
    registration.register()
    try:
        return cli.main(sys.argv[1:], prog="python -m redmax_blender")
    finally:
        registration.unregister()


if __name__ == "__main__":
    sys.exit(main())
