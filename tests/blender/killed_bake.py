# SPDX-License-Identifier: GPL-3.0-or-later
"""A process to be killed: opens a file, then simulates, bakes and saves, for ever.

    python killed_bake.py FILE LOG [and-back]

With `and-back` it also takes the bake back each time, and saves again.
LOG gets a byte at every step, so that the test knows that there is something to interrupt.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(ROOT / "addon")]

import bpy  # noqa: E402

import redmax_blender  # noqa: E402


def main(blend: str, log: str, back: str = "") -> None:
    redmax_blender.register()
    bpy.ops.wm.open_mainfile(filepath=blend)
    with Path(log).open("ab", buffering=0) as steps:
        while True:
            for step in (
                bpy.ops.redmax.clear_result if bpy.context.scene.redmax.result.identifier else bpy.ops.redmax.check,
                bpy.ops.redmax.simulate,
                bpy.ops.redmax.bake,
                bpy.ops.wm.save_mainfile,
                *((bpy.ops.redmax.remove_bake, bpy.ops.wm.save_mainfile) if back else ()),
            ):
                step()
                steps.write(b".")


if __name__ == "__main__":
    main(*sys.argv[1:])
