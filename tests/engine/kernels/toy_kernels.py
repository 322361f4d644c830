# SPDX-License-Identifier: GPL-3.0-or-later
"""Source of two small kernels, one of which calls the other, for tests of how kernels are kept."""

from __future__ import annotations

KERNELS = """
from redmax.kernels.cache.jit import compiled

@compiled
def twice(x):
    return 2.0 * x

@compiled
def doubled_sum(numbers):
    total = 0.0
    for k in range(numbers.shape[0]):
        total += twice(numbers[k])
    return total
"""
