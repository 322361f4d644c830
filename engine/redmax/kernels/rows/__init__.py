# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of constraints in compiled code: evaluation, Delassus matrix, multipliers."""
