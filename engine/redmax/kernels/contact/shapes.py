# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex shape as kernels hand it on: a tuple of numbers."""

from __future__ import annotations

from typing import TypeAlias

from ...surfaces import layout

TRIANGLE, FACET = layout.SHAPES, layout.SHAPES + 1
"""Shapes of a triangle of a mesh and of a facet of a heightfield, beside those of `layout`."""

Convex: TypeAlias = tuple[int, int, int, int, int, float, float, float, float]
"""Shape; place of its first vertex in `numbers` and their count; its first face and their count; three sizes; size of
the whole, which tolerances are parts of.

Of a facet: FACET; place of its grid in `numbers`; how many corners; which of its cell's it is; 0; column and row of the
cell; 0; size of the shape that it meets."""
