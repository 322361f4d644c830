# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled frames of mechanisms that touch."""

import numba.np.arrayobj  # noqa: F401  (machine code that was kept names it, as it copies arrays)
