# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bearing moves, and what counts as standing still."""

from __future__ import annotations

IDLE, SLIDES, STICKS, RESTS, LEANS = range(5)
"""Modes of a bearing. IDLE: nothing is known of it, and it does not rub; so is a tree that is no run's. STICKS: it
holds its coordinates, by as much as that takes. RESTS: it stands because others that stick do, with which loops or
couplings tie it, and pushes with a force of its own. LEANS: it stands because a hard limit stops it, and does not
rub."""

STANDS = 1e-9
"""A bearing of one coordinate that is slower than this [rad/s, m/s or 1/s] stands still."""
SLOW = 1e-6
"""A socket or a plate that becomes slower than this [rad/s or m/s] stands still: its direction turns ever faster as it
comes to rest, so that no step gets there."""
MOVED = 1e-7
"""A bearing that rests until others move it has begun to move at this speed [rad/s, m/s or 1/s]."""
SURPLUS = 1e-9
"""What sticks holds until it would have to hold by this part more than friction can."""
NUDGE = 1e-9
"""Speed [rad/s or m/s] that is added in the direction in which a socket or a plate began to slide, so that it has one
from the first moment on."""
