# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulations written to be read: what the faster ones are checked against, and what integrators offer by name."""
