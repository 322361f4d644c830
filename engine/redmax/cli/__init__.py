# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of `python -m redmax`, one file each; functions say what there is to say and return the exit code."""
