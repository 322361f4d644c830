# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's objects as they stand: where, moved by what, connected to what, at which frame."""
