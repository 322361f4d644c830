# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender 4.2: `leaving.py SCRIPT ARGUMENTS...` ends as the script does, whatever Blender does on its way out.

As a Python module that version crashes at exit once an add-on with update functions was registered.
"""

import os
import runpy
import sys
import traceback
from pathlib import Path

script = sys.argv[1]
del sys.argv[0]
sys.path[0] = str(Path(script).parent)
code = 0
try:
    runpy.run_path(script, run_name="__main__")
except SystemExit as end:
    code = end.code if isinstance(end.code, int) else int(end.code is not None)
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
except BaseException:
    traceback.print_exc()
    code = 1
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)
