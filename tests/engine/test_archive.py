# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes and results that earlier versions wrote are read and move as they did; see tests/archive/README.md."""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np
import pytest

from archive import motion
from redmax import io, trajectory

VERSIONS = motion.versions()


@functools.cache
def expectations(name: str) -> Any:
    return motion.expectations(motion.HERE / name)


def archived() -> list[Any]:
    """Version, and name of a scene; those that Blender's scenes were extracted to are named blender/..."""
    found = []
    for version in VERSIONS:
        names = [*expectations(f"{version.name}/scenes.json.gz")]
        names += [f"blender/{name}" for name in expectations(f"{version.name}/blender.json.gz")]
        found += [pytest.param(version.name, name, id=f"{version.name}-{name}") for name in names]
    return found


def opened(version: str, name: str) -> tuple[Any, dict[str, Any]]:
    """The scene, and what is expected of it."""
    if name.startswith("blender/"):
        facts = expectations(f"{version}/blender.json.gz")[name.removeprefix("blender/")]
        return motion.extracted(facts), {**facts, "intervals": facts["frames"][1] - facts["frames"][0]}
    scene = io.load(motion.HERE / version / "scenes" / f"{name}.json")
    return scene, expectations(f"{version}/scenes.json.gz")[name]


def run(version: str, name: str, accuracy: str) -> tuple[Any, dict[str, Any]]:
    scene, expected = opened(version, name)
    result = motion.run(scene, accuracy=accuracy, fps=expected["fps"], intervals=expected["intervals"])
    assert (result.status, result.message) == ("complete", "")
    return result, expected


def test_every_scene_of_a_version_is_expected_to_move():
    assert VERSIONS
    for version in VERSIONS:
        assert {path.stem for path in (version / "scenes").iterdir()} == set(
            expectations(f"{version.name}/scenes.json.gz")
        )


@pytest.mark.parametrize(("version", "name"), archived())
def test_an_archived_scene_moves_as_it_did(version, name):
    """Poses and energies at High, which is what the archived motion was computed with."""
    result, expected = run(version, name, "high")
    bound = motion.OWN_ERROR.get((version, name), motion.BOUND["high"])
    assert motion.distance(result, expected) <= bound
    assert motion.energy_distance(result, expected) <= bound


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", ["draft", "standard"])
@pytest.mark.parametrize(("version", "name"), archived())
def test_coarser_accuracies_stay_near_the_archived_motion(version, name, accuracy):
    """Within what they promise. Where the version that was archived did not keep that, no further than it was, twice:
    another choice of steps changes an error by that much."""
    result, expected = run(version, name, accuracy)
    assert motion.distance(result, expected) <= max(motion.BOUND[accuracy], 2.0 * expected["errors"][accuracy])


@pytest.mark.parametrize(("version", "name"), archived())
def test_an_archived_scene_is_read_as_it_would_be_written(version, name):
    """Nothing of it is dropped: written again and read again it is the same."""
    scene, _ = opened(version, name)
    assert motion.differences(motion.content(io.loads(io.dumps(scene))), motion.content(scene)) == []
    if not name.startswith("blender/"):
        text = (motion.HERE / version / "scenes" / f"{name}.json").read_text(encoding="utf-8")
        assert motion.differences(json.loads(text), json.loads(json.dumps(io.plain(scene)))) == []


@pytest.mark.parametrize("version", [version.name for version in VERSIONS])
def test_archived_results_are_read(version):
    expected = expectations(f"{version}/blender.json.gz")["Simulated"]
    found = sorted((motion.HERE / version).glob("blender-*/redmax_cache/*.npz"))
    assert len(found) == len(sorted((motion.HERE / version).glob("blender-*/")))
    for path in found:
        result = trajectory.load(path)
        assert result.status == "complete"
        assert np.isfinite(result.position).all()
        assert motion.distance(result, expected) <= motion.BOUND["standard"]


# --- the archive's own measures --------------------------------------------------------------


def test_a_motion_that_is_off_is_noticed():
    """By a hundredth of a degree, or a ten-thousandth of the size: the measure is not blind."""
    result, expected = run(VERSIONS[0].name, "example_double_pendulum", "high")
    moved = {name: np.array(poses) for name, poses in expected["bodies"].items()}
    name = next(iter(moved))
    moved[name][-1, 1] += 1e-4 * expected["size"]
    shifted = {**expected, "bodies": moved}
    assert motion.distance(result, shifted) == pytest.approx(1e-4, rel=1e-3)
    moved[name][-1, 1] -= 1e-4 * expected["size"]
    half = 0.5 * np.radians(0.01)
    w, x, y, z = moved[name][-1, 3:]
    c, s = np.cos(half), np.sin(half)
    moved[name][-1, 3:] = (c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y)
    assert motion.distance(result, shifted) == pytest.approx(np.radians(0.01), rel=1e-3)


def test_differences_name_their_places():
    found = {"a": [1.0, {"b": 2.0}], "c": "x", "d": 1}
    assert motion.differences(found, {"a": [1.0, {"b": 2.0 + 1e-7}], "c": "x", "d": 1}) == []
    assert motion.differences(found, {"a": [1.0, {"b": 2.1}], "c": "y"}) == [
        ": d is only in one of them",
        "/a/1/b: 2.0 instead of 2.1",
        "/c: x instead of y",
    ]
