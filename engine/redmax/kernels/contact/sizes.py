# SPDX-License-Identifier: GPL-3.0-or-later
"""How much work space detection needs, and where its parts begin."""

from __future__ import annotations

from ...surfaces import layout
from . import distance, manifold, penetration

SIMPLEX_WORK = 12  # after the relative pose
POLYTOPE_WORK = SIMPLEX_WORK + distance.SIMPLEX + distance.CORNER
MANIFOLD_WORK = POLYTOPE_WORK + penetration.NUMBERS + distance.CORNER
TRIANGLE_OUT = MANIFOLD_WORK + manifold.NUMBERS
PAIR_OUT = TRIANGLE_OUT + manifold.OUT * manifold.MOST_OUT
PAIR_NUMBERS = PAIR_OUT + manifold.OUT * manifold.MOST_OUT
"""Numbers of the work space of a pair; from PAIR_OUT on its contact points."""

WAITING = penetration.INTS
MOST_WAITING = 128
TRIANGLE_IDS = WAITING + MOST_WAITING
PAIR_IDS = TRIANGLE_IDS + manifold.MOST_OUT
PAIR_INTS = PAIR_IDS + manifold.MOST_OUT
"""Integers of the work space of a pair; from PAIR_IDS on the numbers of its contact points."""

MAGIC, TABLE = 0, 1
ORDER = TABLE + layout.SHAPES * layout.SHAPES
"""The work space begins with a mark that it was used before, the addresses of compiled pairs, and the order of surfaces
along an axis."""

ROOM = 12
"""Pairs near each other per surface for which there is room, beyond which all pairs are looked at."""

BOUNDS = 6
"""Numbers of the box around a surface: lower and upper corner."""


def pairs_room(count: int) -> int:
    """Pairs that there is room for, of so many surfaces."""
    return ROOM * count + 64


def pair_list_at(count: int) -> int:
    """Where the list of pairs begins in the integers; see `broadphase.put_pairs`."""
    return ORDER + count


def pair_ints_at(count: int) -> int:
    """Where the work space of a pair begins in the integers."""
    return pair_list_at(count) + 3 * pairs_room(count) + count + 2


def work_sizes(count: int) -> tuple[int, int]:
    """Integers and numbers of the work space of `find_contacts` for so many surfaces."""
    return pair_ints_at(count) + PAIR_INTS, (12 + BOUNDS) * count + PAIR_NUMBERS
