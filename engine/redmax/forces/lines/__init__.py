# SPDX-License-Identifier: GPL-3.0-or-later
"""What forces along lines share: points on bodies, the geometry of paths, laws of tension."""
