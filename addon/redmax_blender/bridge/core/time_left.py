# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a simulation will still take, judged by how fast it was lately: runs slow down where much happens."""

from __future__ import annotations

from collections import deque

FIRST = 0.5
"""Seconds before anything is said: until then a run shows only how it begins."""

RECENT, RECENT_PART = 2.0, 0.25
"""What counts as lately: so many seconds, or this part of the time since the start if that is more."""


class Pace:
    """Frames done over time. Times in seconds, from any clock."""

    def __init__(self, begun: float) -> None:
        self._begun = begun
        self._seen: deque[tuple[float, int]] = deque([(begun, 0)])

    def note(self, now: float, done: int) -> None:
        """So many frames are done by now."""
        if done > self._seen[-1][1]:
            self._seen.append((now, done))
        since = now - max(RECENT, RECENT_PART * (now - self._begun))
        while len(self._seen) > 2 and self._seen[1][0] <= since:
            self._seen.popleft()

    def left(self, now: float, total: int) -> float | None:
        """Seconds that the frames up to `total` will take; None where nothing can be said yet.

        A frame that is being computed counts as one that takes at least as long as it has taken so far. A run that
        got slower is judged by how fast it was lately; one that got faster by the mean of that and of all of it.
        """
        (since, before), (latest, done) = self._seen[0], self._seen[-1]
        if now - self._begun < FIRST or done < 2 or done >= total:
            return None
        lately = max((latest - since) / max(done - before, 1), now - latest)
        always = (latest - self._begun) / done
        return (total - done) * (lately if lately > always else 0.5 * (lately + always))


def text(seconds: float | None) -> str:
    """Such as "about 12 s left": no finer than it can be known. Empty for None."""
    if seconds is None:
        return ""
    if seconds < 20.0:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 90.0:
        return f"about {5 * round(seconds / 5.0)} s left"
    minutes = seconds / 60.0
    return f"about {round(minutes)} min left" if minutes < 90.0 else f"about {minutes / 60.0:.1f} h left"
