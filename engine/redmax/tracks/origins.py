# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a track or sheet after the place at which a joint's coordinates are 0; one array for equal places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, ArrayLike, frozen

if TYPE_CHECKING:
    from .sheet import Sheet
    from .track import Track


def numbers_from(path: Track | Sheet, origin: ArrayLike) -> Array:
    """(n + m,) the n coordinates of the origin, then `data` of the path; read-only, and kept by the path."""
    place = tuple(np.atleast_1d(np.asarray(origin, np.float64)).tolist())
    kept: dict[tuple[float, ...], Array] = vars(path).setdefault("numbers from origins", {})
    if place not in kept:
        kept[place] = frozen(np.concatenate([place, path.data]))
    return kept[place]
