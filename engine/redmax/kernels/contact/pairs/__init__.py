# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of shapes, a file each; `table` lists them."""
