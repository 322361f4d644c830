# SPDX-License-Identifier: GPL-3.0-or-later
"""RedMax for Blender: author, simulate and bake articulated mechanisms."""

from . import registration


def register() -> None:
    registration.register()


def unregister() -> None:
    registration.unregister()
