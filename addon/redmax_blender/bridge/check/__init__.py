# SPDX-License-Identifier: GPL-3.0-or-later
"""Check: what is told of a scene and of its result, where panels read it."""
