# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's scene to the engine's: the only reader, and no Blender object survives it."""
