# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `make demo`: a modelled crane, its mechanism made by operators, its stage, and pictures of it."""
