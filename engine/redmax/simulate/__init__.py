# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a model through time and collects what it shows.

`run` yields one sample per frame. `sample` says what a sample holds; `sampling`, `channels` and `exchange` compute it.
`divergence` ends runs that have left all bounds, `recorder` collects samples into a trajectory.
"""

from .divergence import MAX_SPEED, MAX_SPIN, DivergedError, divergence
from .recorder import Recorder, record
from .run import Samples, SimulationError, frame_count, simulate
from .sample import CHANNELS, Sample

__all__ = [
    "CHANNELS",
    "MAX_SPEED",
    "MAX_SPIN",
    "DivergedError",
    "Recorder",
    "Sample",
    "Samples",
    "SimulationError",
    "divergence",
    "frame_count",
    "record",
    "simulate",
]
