# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong while building."""


class BuildError(Exception):
    """The extension cannot be built; the text says what is wrong and what to do."""
