# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled dry friction in the bearings of joints: forces, what sticks, and when that changes."""
