# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and words that need no Blender: graphs, axes, curves, rotations, findings. Tested to import without it."""
