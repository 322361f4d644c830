# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations: beside the artist's work or at once, by the same code."""
