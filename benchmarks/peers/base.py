# SPDX-License-Identifier: GPL-3.0-or-later
"""What a benchmark asks of an engine, ours included.

An engine is a module with `NAME`, `version()` and `build(mechanism) -> Machine`. Importing the module imports the
engine; `build` raises `Unsupported` for what the engine has no equal of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..mechanisms import Mechanism, Motion

FPS = 24


class Unsupported(Exception):  # noqa: N818  (no error: something the engine does not offer)
    """What an engine cannot do, in words for the report."""


@dataclass(frozen=True)
class Method:
    """A way of integrating a planar chain of hinges: `run(setting, duration)` gives its angles and rates at the end.

    settings: tolerances or steps [s], from coarse to fine.
    """

    name: str
    settings: tuple[float, ...]
    run: Callable[[float, float], tuple[np.ndarray, np.ndarray]]


class Machine(ABC):
    """A mechanism in an engine's own data. Only `forward`, `loop`, `simulate` and methods are timed."""

    loop_means = ""
    """What one turn of `loop` does beyond forward dynamics, for the report."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    @abstractmethod
    def set_motion(self, motion: Motion) -> None:
        """Write a motion in the engine's coordinates and keep them as the arrays that `forward` passes on."""

    @abstractmethod
    def forward(self) -> object:
        """Forward dynamics once, from the kept arrays to an array of accelerations, as a Python user calls it."""

    @abstractmethod
    def joint_accelerations(self) -> np.ndarray:
        """(n, 3) time derivatives of `Motion.spin` at the motion set; never timed."""

    def loop(self, count: int) -> None:  # noqa: ARG002
        """Forward dynamics `count` times in compiled code, by one Python call."""
        raise Unsupported("has no compiled loop that Python can start")

    def simulate(self, h: float, frames: int) -> np.ndarray:  # noqa: ARG002
        """From the motion set, first-order steps of at most h [s]: positions (frames, n, 3) of the link frames.

        One read of all poses (positions and rotations) per frame at FPS; a frame is divided into equal steps.
        """
        raise Unsupported("has no first-order integration that is comparable")

    def methods(self) -> list[Method]:
        """The integrators worth a curve of error over time spent, for planar chains."""
        raise Unsupported("has no integrator above first order")


def steps_of_a_frame(h: float) -> int:
    """Steps of at most h that a frame is divided into: 42 for 1/1000 s at 24 frames a second."""
    return int(np.ceil(1.0 / (FPS * h) - 1e-9))
