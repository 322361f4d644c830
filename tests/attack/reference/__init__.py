# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent integrator in maximal coordinates: plain numpy and scipy, no code of the engine.

`read` turns a scene (parsed JSON) into a mechanism, `follow` moves it through time. What the scene format says in words
is written here once more from its geometry: every body has a position and a rotation of its own, and a joint is a set
of conditions between points and axes of two bodies.
"""

from .integrate import Motion, follow
from .mechanism import CannotError, read

__all__ = ["CannotError", "Motion", "follow", "read"]
