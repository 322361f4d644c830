# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension: the add-on with the engine inside, without wheels (slim) and with them (full, per target).

Run with a Python that has Blender's module `bpy`, whose builder and validator are used: see docs/packaging.md.
"""
