# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender: `start.py MODULE SCRIPT ARGUMENTS...` runs a script with the installed extension enabled.

The bpy module starts with factory settings, so the extension is enabled here, as by its tick box.
"""

import runpy
import sys
from pathlib import Path

import bpy
import no_network

module, script, *arguments = sys.argv[1:]
bpy.ops.preferences.addon_enable(module=module)
if module not in bpy.context.preferences.addons:
    sys.exit(f"{module} could not be enabled")

sys.argv = [script, *arguments]
sys.path[0] = str(Path(script).parent)
try:
    runpy.run_path(script, run_name="__main__")
finally:
    no_network.fail_if_attempted()
