# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender with factory preferences: enable and disable the installed extension twice.

Prints what each step changed since the start, when not even its modules were loaded, as JSON.
"""

import json
import sys

import bpy
import no_network
import traces

module = sys.argv[1]


def set_enabled(enabled: bool) -> None:
    operator = bpy.ops.preferences.addon_enable if enabled else bpy.ops.preferences.addon_disable
    assert operator(module=module) == {"FINISHED"}
    assert (module in bpy.context.preferences.addons) == enabled


assert module not in sys.modules
steps = []
with traces.watching():
    start = traces.snapshot()
    for _ in range(2):
        set_enabled(True)
        enabled = traces.snapshot()
        set_enabled(False)
        disabled = traces.snapshot()
        steps.append({"enabled": traces.difference(start, enabled), "disabled": traces.difference(start, disabled)})
print(json.dumps(steps))
no_network.fail_if_attempted()
