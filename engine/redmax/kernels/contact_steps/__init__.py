# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled frames of mechanisms that touch."""
