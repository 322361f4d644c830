# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender and the engine: `extract` is the only reader of Blender's data, `bake` and `preview` write it."""
