# SPDX-License-Identifier: GPL-3.0-or-later
"""Recursive dynamics of a tree in compiled code."""
