# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blender (the bpy wheel) with the add-on registered from its sources; every test starts from an empty file."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What a developer's own Blender has (presets, extensions) is neither seen nor changed.
_PROFILE = tempfile.TemporaryDirectory(prefix="redmax_test_profile_")
os.environ["BLENDER_USER_RESOURCES"] = _PROFILE.name

import bpy  # noqa: E402  (reads the environment)
import pytest  # noqa: E402

ROOT = Path(__file__).parents[2]
for folder in ("engine", "addon"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

from gated_runs import gated  # noqa: E402  (the path is set above)

import redmax_blender  # noqa: E402
from redmax_blender.bridge.run import live  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def _registered():
    redmax_blender.register()
    yield
    redmax_blender.unregister()


@pytest.fixture(autouse=True)
def _empty_file(_registered):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def scene():
    return bpy.context.scene


@pytest.fixture
def slow(monkeypatch):
    """Simulations wait before each frame after the first; `slow(3)` lets them compute three."""
    made = []

    def integrator_of(scene):
        made.append(gated(real(scene)))
        return made[-1]

    real = live.integrator_of
    monkeypatch.setattr(live, "integrator_of", integrator_of)
    yield lambda frames=1: frames and made[-1].gate.release(frames)
    for each in made:
        each.gate.release(1000)
