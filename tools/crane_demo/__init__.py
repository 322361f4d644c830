# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `make demo`: a modelled crane and pump, their mechanisms made by operators, a stage, and pictures."""
