# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender with the extension enabled: print where it and its wheels come from, as JSON.

Arguments: the extension's module, and the names of wheels.
"""

import importlib
import importlib.util
import json
import sys

import bpy

module = sys.argv[1]
extension = sys.modules[module]
engine = importlib.import_module(f"{module}.redmax")


def origin(name: str) -> str | None:
    spec = importlib.util.find_spec(name)
    return spec and spec.origin


print(
    json.dumps(
        {
            "extension": extension.__file__,
            "engine": engine.__file__,
            "engine version": engine.__version__,
            "engine door": importlib.import_module(f"{module}._engine").ROOT,
            "wheels": {name: origin(name) for name in sys.argv[2:]},
            "top-level redmax": origin("redmax"),
            "wheel problems": importlib.import_module(f"{module}.wheels").problems(),
            "import path": sys.path,
            "online": bpy.app.online_access,
        }
    )
)
