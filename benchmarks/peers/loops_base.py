# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark of loops asks of an engine, ours included.

An engine is a module `loops_in_<name>.py` with `NAME` and `build(linkage) -> LoopMachine`.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from ..linkage import Linkage
from ..measure import Options
from .base import FPS, steps_of_a_frame


@dataclass(frozen=True)
class Setting:
    """A way to simulate a linkage: `run(frames)` from the start gives places (frames, n, 3) of the body frames at 24
    fps: x, z [m] and the angle about y [rad]. own: whether these are the engine's own defaults.

    Settings that differ by their step only have one `method`.
    """

    method: str
    step: str
    run: Callable[[int], np.ndarray]
    own: bool = False

    @property
    def name(self) -> str:
        return f"{self.method}, {self.step}"


class LoopMachine(ABC):
    """A linkage in an engine's own data. Only runs of settings are timed."""

    def __init__(self, linkage: Linkage) -> None:
        self.linkage = linkage

    @abstractmethod
    def energies(self) -> tuple[float, float, float]:
        """Mass [kg], potential and kinetic energy [J] at the start, as the engine sees them."""

    @abstractmethod
    def settings(self) -> list[Setting]:
        """From coarse to fine within each method."""


def step_label(h: float) -> str:
    """The step that a frame is really divided into, for one of at most h [s]."""
    return f"h = {1e3 / (FPS * steps_of_a_frame(h)):.4g} ms"


def loop_engines(options: Options, names: tuple[str, ...]) -> list[ModuleType]:
    """Those of the named engines that can be imported here."""
    found = []
    for name in names:
        try:
            found.append(importlib.import_module(f".loops_in_{name}", __package__))
        except ImportError as error:
            options.skip(f"{name}: cannot be imported ({error})")
    return found
