# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender: install the zip given, enable it, save the preferences."""

import sys

import bpy

zip_path, module = sys.argv[1:]
assert not any(addon.module == module for addon in bpy.context.preferences.addons), "the profile is not clean"
bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=True)
# The operator finishes even when the package was refused.
if not any(addon.module == module for addon in bpy.context.preferences.addons):
    sys.exit(f"{module} was not enabled")
bpy.ops.wm.save_userpref()
