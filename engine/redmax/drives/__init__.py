# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives: a few coordinates that move many joints, so that the mechanism has only those few."""

from .drive import Drive, DriveInput, Follower
from .followers import Followers, Pushing

__all__ = ["Drive", "DriveInput", "Follower", "Followers", "Pushing"]
