# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole frames in compiled code: the methods of the integrators."""
