# SPDX-License-Identifier: GPL-3.0-or-later
"""RedMax: articulated rigid-body dynamics in reduced and maximal coordinates.

Blender-free. See docs/architecture.md for how data flows.
"""

__version__ = "0.1.0"
