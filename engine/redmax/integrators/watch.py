# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends runs that go nowhere, and runs that somebody stops: between steps, and inside those that take long."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ..errors import RedMaxError

FRAME = 1.0 / 24.0
"""Seconds of a usual frame."""

PATIENCE = 10.0
"""Seconds of processor time in which a run must get on by `WORTH` frames. The clock on the wall would also count what
other programs compute meanwhile, and a laptop's sleep."""

WORTH = 0.1
"""A frame that is not done in ten times the patience is as good as never done."""

LEAST_WORK = 1000
"""Fewer evaluations of the motion prove nothing, however long they took: a mechanism may be large."""

LONGEST_LOOK = 1.0
"""Of the time between two looks at most so many seconds count: something may have been compiled meanwhile, or whoever
asked for the run was busy with its last sample."""

SELDOM = 0.01
"""Seconds on the wall in which the processor's clock is read once. That is a question to the system, which may give the
processor to somebody else meanwhile: on a busy machine it was half of a run in plain numpy."""

STEPS_AT_ONCE = 20_000
"""Steps of a single body that compiled code takes between two looks: a fraction of a second."""

STALLED_STEPS, STALLED_WORTH = 1000, 1e-3
"""After so many steps a run must have come on by so many frames. The steps are counted, so that a run ends where it
does on every computer; the fastest springs that can be followed need 10 000 steps for a whole frame."""


class StoppedError(RedMaxError):
    """Somebody asked the run to stop."""


class Watch:
    """The progress of one run. seconds: its patience, infinite for any. stopped: asked at every look."""

    def __init__(self, seconds: float = math.inf, stopped: Callable[[], bool] | None = None) -> None:
        self.seconds, self._stopped = seconds, stopped
        self._t, self._work, self._waited, self._looked = -math.inf, 0, 0.0, 0.0  # the first look sets the clock
        self._glanced, self._unseen = -math.inf, 0
        self._t_counted, self._steps_counted = -math.inf, 0

    def waits_too_long(self, t: float, frame: float, work: int = 1) -> bool:
        """Whether a run that has come to t [s] has hardly got on for longer than the patience lasts.

        frame: time [s] between two samples; 0 where any progress is enough. work: about how often the motion was
        evaluated since the last look. Raises StoppedError where the run is to stop.
        """
        if self._stopped is not None and self._stopped():
            raise StoppedError("stopped")
        glance = time.perf_counter()
        if glance - self._glanced < SELDOM:
            self._unseen += work
            return False
        self._glanced, work, self._unseen = glance, work + self._unseen, 0
        now = time.thread_time()
        if t > self._t and t - self._t >= WORTH * min(frame, FRAME):
            self._t, self._work, self._waited, self._looked = t, 0, 0.0, now
            return False
        self._waited += min(max(now - self._looked, 0.0), LONGEST_LOOK)  # less than 0: pulled by another thread
        self._work, self._looked = self._work + work, now
        if self._waited <= self.seconds or self._work < LEAST_WORK:
            return False
        self._work, self._waited = 0, 0.0  # what looks for the cause may evaluate the motion
        return True

    def stalls(self, t: float, steps: int, frame: float) -> bool:
        """Whether its last thousand steps led nowhere."""
        count = steps - self._steps_counted
        if 0 <= count < STALLED_STEPS:
            return False
        stalled = count > 0 and t - self._t_counted < STALLED_WORTH * min(frame, FRAME) * count / STALLED_STEPS
        self._t_counted, self._steps_counted = t, steps
        return stalled
