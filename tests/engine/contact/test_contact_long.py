# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands stays where it is for a minute; heaps fall without gaining energy or sinking into each other."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import touching_scenes
from benchmarks.peers.touching_in_redmax import scene_of
from benchmarks.touching_errors import deepest, finder

from engine.contact_scenes import run, stack
from redmax.spatial import pose
from redmax.trajectory import Trajectory

STILL = 1e-6
"""Metres that anything of what stands may be from where it began."""


def drift(found: Trajectory) -> float:
    assert found.status == "complete", found.message
    return float(np.abs(found.position - found.position[0]).max())


@pytest.mark.slow
@pytest.mark.parametrize("count", [10, 20])
def test_a_stack_stands_still_for_a_minute(count: int) -> None:
    found = run(stack(count), 60.0)
    assert drift(found) < STILL
    assert found.meta["contact"]["missed"] == 0


@pytest.mark.parametrize("ratio", [1000.0, 0.001])
def test_a_box_stands_on_one_a_thousand_times_lighter_or_heavier(ratio: float) -> None:
    found = run(stack(2, ratio=ratio), 10.0)
    assert drift(found) < 1e-8
    assert np.ptp(found.channels["energy"]) < 1e-8 * found.channels["energy"][0]


@pytest.mark.slow
def test_a_pyramid_of_55_boxes_stands() -> None:
    assert drift(run(scene_of(touching_scenes.pyramid(10)), 10.0)) < STILL


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(touching_scenes.drop(100), id="100 random convex bodies"),
        pytest.param(touching_scenes.pile(10), id="ten trees"),
    ],
)
def test_a_heap_gains_no_energy_and_nothing_sinks_in(scene: touching_scenes.Touching) -> None:
    found = run(scene_of(scene), 1.0)
    assert found.status == "complete", found.message
    for values in (found.q, found.qdot, found.position):
        assert np.isfinite(values).all()
    energy = found.channels["energy"]
    unit = scene.mass * touching_scenes.GRAVITY * scene.size
    assert np.diff(energy).max() < 1e-4 * unit, "in what lifts everything by the size of a body"
    order = [found.body_names.index(part.name) for part in scene.parts]
    poses = pose.from_quaternion(found.position[:, order], found.rotation[:, order])
    assert deepest(poses, finder(scene)) < 1e-3 * scene.size
