# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of the wheels that RedMax shares with every other extension.

Blender keeps one copy of each wheel for all extensions, so another extension may replace numpy or scipy by a version
RedMax was never tested with, or by one that does not load. `problems` says so at registration, by name.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """A wheel RedMax uses: versions from `at_least` (included) to `below` (excluded)."""

    name: str
    at_least: str
    below: str
    purpose: str
    probe: str
    """A module of the wheel whose compiled code meets Python and numpy: the plain package may load where it fails.
    Empty where loading takes too long for the start of Blender: then only the version is looked at."""
    optional: bool = False
    """Absent is no problem: the features that need it name it when they are asked for."""
    otherwise: str = ""
    """What happens as long as another version is there, as a sentence."""

    @property
    def wanted(self) -> str:
        return f"{self.name} >={self.at_least},<{self.below}"


FAST, SLOWER = "the fast solver", "Until then RedMax computes with plain numpy, which is slower"

WHEELS = (
    Wheel(name="numpy", at_least="1.26", below="3", purpose="all numerics", probe="numpy"),
    Wheel(
        name="scipy",
        at_least="1.15",
        below="1.16",
        purpose="convex hulls and the integrator Radau",
        probe="scipy.linalg",
        optional=True,
    ),
    Wheel(
        name="daqp",
        at_least="0.10.3",
        below="0.11",
        purpose="the classic contact methods",
        probe="daqp",
        optional=True,
    ),
    Wheel(
        name="coacd",
        at_least="1.0.7",
        below="1.1",
        purpose="convex pieces of meshes",
        probe="",  # its threads are set before it is loaded (`geometry.convex_pieces`)
        optional=True,
    ),
    Wheel(name="numba", at_least="0.62", below="0.63", purpose=FAST, probe="", optional=True, otherwise=SLOWER),
    Wheel(name="llvmlite", at_least="0.45", below="0.46", purpose=FAST, probe="", optional=True, otherwise=SLOWER),
)
"""The one table of wanted versions; for the fast solver the engine has its own (`kernels.route`), which is equal."""


def problems(wheels: tuple[Wheel, ...] = WHEELS) -> list[str]:
    """One sentence for each wheel that is absent, of another version or broken; empty when all is well."""
    return [problem for wheel in wheels if (problem := _problem(wheel)) is not None]


def _problem(wheel: Wheel) -> str | None:
    place = _place(wheel)
    if place is None:
        if wheel.optional:
            return None
        return (
            f"{wheel.name} was not found; RedMax wants {wheel.wanted} for {wheel.purpose}. "
            "Blender brings it along: reinstall Blender"
        )
    found = _version(wheel, place)
    # The version comes first: it explains a broken import, and does not need one.
    if found is not None and not _release(wheel.at_least) <= _release(found) < _release(wheel.below):
        return (
            f"{wheel.name} {found} (from {place}) is not a version RedMax knows: it wants {wheel.wanted} "
            f"for {wheel.purpose}. {_remedy(wheel)}"
        )
    try:
        if wheel.probe:
            importlib.import_module(wheel.probe)
    except (
        Exception
    ) as error:  # a wheel built for another Python or numpy fails in many ways; each is told, none hidden
        reason = next(iter(str(error).strip().splitlines()), "no reason given")
        return (
            f"{wheel.name} {found or 'of unknown version'} (from {place}) does not load: {type(error).__name__}: "
            f"{reason}. RedMax wants {wheel.wanted} for {wheel.purpose}. {_remedy(wheel)}"
        )
    if found is None:
        return (
            f"{wheel.name} (from {place}) does not say its version; RedMax wants {wheel.wanted} "
            f"for {wheel.purpose}. {_remedy(wheel)}"
        )
    return None


def _remedy(wheel: Wheel) -> str:
    restore = "the full zip of RedMax" if wheel.optional else "Blender"
    return (
        "Another extension may have brought it, as Blender keeps one copy for all: disable or update that extension, "
        f"or reinstall {restore}, then restart Blender" + f". {wheel.otherwise}" * bool(wheel.otherwise)
    )


def _place(wheel: Wheel) -> Path | None:
    """The folder, or the one file, that the wheel would be imported from, found without importing it."""
    try:
        spec = importlib.util.find_spec(wheel.name)
    except (ImportError, ValueError):  # ValueError: a half-loaded module without a spec
        return None
    if spec is None:
        return None
    if spec.origin:
        return Path(spec.origin).parent if spec.submodule_search_locations is not None else Path(spec.origin)
    return next((Path(folder) for folder in spec.submodule_search_locations or ()), None)


def _version(wheel: Wheel, place: Path) -> str | None:
    """The version of the copy at `place`, as it was installed or as it says itself; None when neither tells.

    A copy further down the import path must not answer for this one, so only the folder beside it is asked.
    """
    for distribution in metadata.distributions(name=wheel.name, path=[str(place.parent)]):
        return distribution.version
    try:
        version = getattr(importlib.import_module(wheel.name), "__version__", None)
    except Exception:  # the probe reports what is broken; here it only means that no version can be read
        return None
    return version if isinstance(version, str) else None


def _release(version: str) -> tuple[int, ...]:
    """The leading numbers: '2.0.0rc1' is (2, 0, 0), '1.26' is (1, 26)."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in match.group().split(".")) if match else ()
