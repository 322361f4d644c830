# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that nobody foresaw: their details go to the console, and the artist is told in a sentence."""

from __future__ import annotations

import logging

log = logging.getLogger(__package__)


def told(who: str, error: BaseException) -> str:
    """Log an error with all its details; gives the sentence to show. who: what met it, such as 'The simulation'."""
    log.error("RedMax: %s met an error it does not know", who, exc_info=error)
    if isinstance(error, MemoryError):
        return f"{who} ran out of memory; close what you do not need, or use fewer frames or bodies"
    kind = type(error).__name__
    what = f"{kind}: {error}" if str(error) else kind
    return f"{who} met an error it does not know ({what}); the console has the details, please report them"
