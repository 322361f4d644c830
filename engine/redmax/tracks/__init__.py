# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets: splines of frames that joints refer to by name."""

from .along import frames_along, frames_through
from .sheet import Sheet
from .track import Track, matrices, pose_of

__all__ = ["Sheet", "Track", "frames_along", "frames_through", "matrices", "pose_of"]
