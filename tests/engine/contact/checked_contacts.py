# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the contacts of a heap of every shape and prints their gaps; run with REDMAX_CHECKED=1 by a test."""

from __future__ import annotations

import sys

from engine.contact.contact_oracle import finder_of
from engine.contact.test_finding import heap

if __name__ == "__main__":
    surfaces, poses, scenery = heap(int(sys.argv[1]))
    for margin in (0.0, 0.05, 3.0):
        print(*(f"{gap:.6e}" for gap in finder_of(*surfaces, scenery=scenery).find(poses, margin).gaps))
