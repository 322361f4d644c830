# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender window on a screen of its own, driven by mouse and keys: by tests, or by `python -m tests.window`."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
