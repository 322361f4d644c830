# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender and the engine, in rooms; tests/blender/test_layers.py says which room may know which.

core needs no Blender; objects are Blender's as they stand; check.findings judge; extract is the only reader of a scene;
results are kept and shown; authoring, check, check.fixes, run and bake are what operators call.
"""
