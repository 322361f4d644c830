# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark of contact asks of an engine, ours included.

An engine is a module `touching_in_<name>.py` with `NAME` and `build(scene) -> TouchingMachine`.
"""

from __future__ import annotations

import importlib
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from ..measure import Options, now
from ..touching_scenes import Touching
from .base import FPS, steps_of_a_frame


@dataclass(frozen=True)
class Course:
    """Frames of a run at 24 fps, the first a frame after the start: poses (k, n, 4, 4) of the parts and energies (k,)
    [J], potential and kinetic together. seconds: processor time. told: why there are no more frames, if there are
    fewer than were asked for."""

    poses: np.ndarray
    energies: np.ndarray
    seconds: float
    told: str = ""

    def __len__(self) -> int:
        return len(self.poses)


class TouchingMachine(ABC):
    """A scene in an engine's own data. Building it is not timed, beginning a run is."""

    def __init__(self, scene: Touching) -> None:
        self.scene = scene

    @abstractmethod
    def settings(self) -> tuple[str, ...]:
        """From the fastest to the stiffest."""

    @abstractmethod
    def begin(self, setting: str) -> None:
        """Back to the start, with a setting."""

    @abstractmethod
    def frame(self, number: int) -> None:
        """On to the end of a frame; the first is number 0."""

    @abstractmethod
    def poses(self) -> np.ndarray:
        """(n, 4, 4) of the parts."""

    @abstractmethod
    def energy(self) -> float:
        """Potential and kinetic [J]; of any constant."""

    def ready(self, setting: str) -> None:  # noqa: B027  (most engines need nothing)
        """What a setting needs that is not part of a run."""

    def start(self, setting: str) -> tuple[np.ndarray, float]:
        """Poses and energy at the start."""
        self.ready(setting)
        self.begin(setting)
        return self.poses(), self.energy()

    def run(self, setting: str, frames: int, longest: float = math.inf) -> Course:
        """As many frames as it comes to within `longest` seconds. Errors of the engine end it, and are told."""
        self.ready(setting)
        poses, energies = np.empty((frames, len(self.scene.parts), 4, 4)), np.empty(frames)
        done, told = 0, ""
        begin = now()
        try:
            self.begin(setting)
            for number in range(frames):
                if now() - begin > longest:
                    told = f"stopped by the benchmark after {longest:g} s"
                    break
                self.frame(number)
                poses[number], energies[number] = self.poses(), self.energy()
                if not np.isfinite(poses[number]).all() or np.abs(poses[number]).max() > FAR:
                    told = "diverges"
                    break
                done += 1
        except RuntimeError as error:
            told = str(error)
        return Course(poses[:done], energies[:done], now() - begin, told)


FAR = 1e3
"""A part so far away [m] has been thrown out."""


def exact_step(h: float) -> tuple[int, float]:
    """Steps of a frame, and their length [s]: at most h."""
    steps = steps_of_a_frame(h)
    return steps, 1.0 / (FPS * steps)


def step_name(h: float) -> str:
    return f"{1e3 * exact_step(h)[1]:.2g} ms"


def touching_engines(options: Options, names: tuple[str, ...]) -> list[ModuleType]:
    """Those of the named engines that can be imported here."""
    found = []
    for name in names:
        try:
            found.append(importlib.import_module(f".touching_in_{name}", __package__))
        except ImportError as error:
            options.skip(f"{name}: cannot be imported ({error})")
    return found
