# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that somebody wrote down: formulas, their derivatives, and the tapes on which compiled code evaluates them."""
