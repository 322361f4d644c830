# SPDX-License-Identifier: GPL-3.0-or-later
"""The template Jansen Walker walks. `jansen_walker.json` is what Blender makes of it; the add-on's tests compare it.

Twelve loops that touch take minutes without compiled code, which Blender's environments lack: so it walks here.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from engine.contact_scenes import run
from redmax import io
from redmax.spatial import quaternion

SCENE = Path(__file__).with_name("jansen_walker.json")
STRIDE = 1.47
"""Metres that a turn of its crankshaft takes it."""


@pytest.mark.slow
def test_the_walker_walks_upright_at_the_pace_of_its_crankshaft() -> None:
    scene = io.load(SCENE)
    found = run(scene, 2.0, "draft")
    assert found.status == "complete", found.message
    walker = found.body_names.index("Walker")
    keys = next(joint.animation for joint in scene.joints if joint.animation is not None)
    turned = abs(float(keys.value(2.0)[0] - keys.value(0.0)[0])) / (2.0 * math.pi)
    assert turned > 0.5
    gone = found.position[-1, walker] - found.position[0, walker]
    assert gone[0] == pytest.approx(STRIDE * turned, rel=0.05)
    assert abs(gone[1]) < 0.02
    assert np.abs(found.position[:, walker, 2] - found.position[0, walker, 2]).max() < 0.03
    upright = [quaternion.to_matrix(turn)[2, 2] for turn in found.rotation[:, walker]]
    assert min(upright) > math.cos(math.radians(3.0))
    assert np.abs(found.channels["gap"]).max() < 1e-9
