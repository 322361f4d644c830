# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of simulations: kept, shown while scrubbing, and as channels."""
