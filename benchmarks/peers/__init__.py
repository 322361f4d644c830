# SPDX-License-Identifier: GPL-3.0-or-later
"""The engines we compare with. Each is imported when asked for; one that is missing is named."""

from __future__ import annotations

import importlib
from types import ModuleType

from ..measure import Options
from ..mechanisms import Mechanism
from .base import Machine, Unsupported

NAMES = ("pinocchio", "pinocchio_world", "mujoco", "dart", "drake", "pybullet", "exudyn")
"""Modules `with_<name>.py`, in the order of the tables."""


def ours() -> ModuleType:
    return importlib.import_module(".with_redmax", __package__)


def engines(options: Options, names: tuple[str, ...] = NAMES) -> list[ModuleType]:
    """Those of the named engines that can be imported here."""
    found = []
    for name in names:
        try:
            found.append(importlib.import_module(f".with_{name}", __package__))
        except ImportError as error:
            options.skip(f"{name}: cannot be imported ({error})")
    return found


def machines(options: Options, mechanism: Mechanism, names: tuple[str, ...] = NAMES) -> dict[str, Machine]:
    """The mechanism in every engine that can build it, by the engine's name."""
    built: dict[str, Machine] = {}
    for engine in engines(options, names):
        try:
            built[engine.NAME] = engine.build(mechanism)
        except Unsupported as reason:
            options.skip(f"{engine.NAME}, {mechanism.name}: {reason}")
    return built
