# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blender (the bpy wheel) with the add-on registered from its sources; every test starts from an empty file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import bpy
import pytest

ROOT = Path(__file__).parents[2]
_STATUS = pytest.StashKey[int]()
for folder in ("engine", "addon"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

import redmax_blender  # noqa: E402  (the path is set above)
from redmax_blender import compat  # noqa: E402


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """The tests decide how a run ends, not what Blender does on its way out; xdist's workers end alike."""
    if compat.MODULE_CRASHES_AT_EXIT and _STATUS in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_STATUS])


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
