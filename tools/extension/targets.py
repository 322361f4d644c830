# SPDX-License-Identifier: GPL-3.0-or-later
"""What a full zip is made for: a platform of Blender and the Python inside it."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A platform as Blender names it, and a Python as (major, minor)."""

    platform: str
    python: tuple[int, int]

    @property
    def name(self) -> str:
        return f"{self.platform}-py{self.python[0]}{self.python[1]}"

    @property
    def python_version(self) -> str:
        return f"{self.python[0]}.{self.python[1]}"

    @property
    def wheel_platforms(self) -> tuple[str, ...]:
        return WHEEL_PLATFORMS[self.platform]

    @property
    def blender_versions(self) -> tuple[str, str | None]:
        """The first Blender of this Python, and the first one after it."""
        return BLENDER_VERSIONS[self.python]


# What pip may take, best first. Blender's own minima decide: glibc 2.28; macOS 11 and later, where scipy starts at 12
# on arm64 (the tags for macOS 14 would shut out older ones).
WHEEL_PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_12_0_arm64",),
    "macos-x64": ("macosx_11_0_x86_64",),
}

BLENDER_VERSIONS: dict[tuple[int, int], tuple[str, str | None]] = {
    (3, 11): ("4.5.0", "5.1.0"),
    (3, 13): ("5.1.0", None),
}

# Blender 4.5 was the last for Intel Macs, so no Blender with Python 3.13 runs there.
TARGETS = tuple(
    Target(name, python)
    for name in WHEEL_PLATFORMS
    for python in BLENDER_VERSIONS
    if (name, python) != ("macos-x64", (3, 13))
)

_SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


def of_this_machine() -> tuple[Target, ...]:
    """The targets whose zips can be installed here: one for each Python; none on an unlisted platform."""
    machine = platform.machine().lower()
    here = f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(machine, machine)}"
    return tuple(target for target in TARGETS if target.platform == here)
