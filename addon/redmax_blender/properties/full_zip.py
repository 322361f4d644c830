# SPDX-License-Identifier: GPL-3.0-or-later
"""Which full zip the artist could install instead of the slim one, and whether that was said already."""

import functools
import platform
import sys
from typing import Any

from .._engine import package, route

ADDON = __package__.rpartition(".")[0]
"""Name by which Blender's preferences know the add-on."""

_SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}

BUILT = (
    *("linux-x64-py311", "linux-x64-py313", "windows-x64-py311", "windows-x64-py313"),
    *("macos-arm64-py311", "macos-arm64-py313", "macos-x64-py311"),
)
"""Platforms and Pythons that full zips are made for; a test compares them with what builds the zips."""


@functools.cache
def wanted() -> str:
    """Name of the full zip for this Blender; empty where it is installed, or where none is made for it."""
    if route.found("numba") is not None:
        return ""
    machine = f"{_SYSTEMS.get(sys.platform, '')}-{_MACHINES.get(platform.machine().lower(), '')}"
    target = f"{machine}-py{sys.version_info.major}{sys.version_info.minor}"
    return f"redmax_blender-{package.__version__}-full-{target}.zip" if target in BUILT else ""


def told(context: Any) -> bool:
    """Whether the artist has read about it: in this session, or ever where Blender keeps preferences of the add-on."""
    kept = preferences(context)
    return bool(context.window_manager.redmax.full_zip_told or (kept is not None and kept.full_zip_told))


def preferences(context: Any) -> Any:
    """The add-on's preferences; None where it was not enabled in them, as when it runs from its sources."""
    addon = context.preferences.addons.get(ADDON)
    return None if addon is None else addon.preferences
