# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of earlier versions, and of earlier Blenders, open, check, simulate and re-bake to the same motion.

See tests/archive/README.md. A Blender opens what it and those before it have saved.
"""

from __future__ import annotations

import functools
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from archive import motion
from redmax import io
from redmax.spatial import quaternion
from redmax_blender import compat
from redmax_blender.bridge.check import check_report
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.results import cache
from redmax_blender.properties.scene import integrator_of

BAKED = ("Baked to Action", "Baked to NLA", "Baked Fewer", "Baked into Current")
KEPT_IN_SINGLE_PRECISION = 2e-6
"""Rounding of keys and matrices, in Blender units and radians, of mechanisms of a few units."""


def blender_of(folder: Path) -> tuple[int, ...]:
    return tuple(map(int, folder.name.removeprefix("blender-").split(".")))


FOLDERS = [
    folder
    for version in motion.versions()
    for folder in sorted(version.glob("blender-*"))
    if folder.is_dir() and blender_of(folder) <= bpy.app.version[:2]
]
OWN = [folder for folder in FOLDERS if blender_of(folder) == bpy.app.version[:2]]


def named(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


@functools.cache
def expectations(version: str) -> dict[str, Any]:
    return motion.expectations(motion.HERE / version / "blender.json.gz")


def opened(folder: Path, name: str, tmp_path: Path) -> tuple[Any, dict[str, Any]]:
    """A scene of a copy of the archived files, and what is expected of it."""
    copied = tmp_path / "archived"
    if not copied.exists():
        shutil.copytree(folder, copied)
    facts = expectations(folder.parent.name)[name]
    bpy.ops.wm.open_mainfile(filepath=str(copied / facts["file"]))
    bpy.context.window.scene = bpy.data.scenes[name]
    return bpy.context.scene, facts


def press(operator: Any, **settings: Any) -> None:
    assert operator("EXEC_DEFAULT", True, **settings) == {"FINISHED"}, bpy.context.window_manager.redmax.message


def extracted() -> Any:
    return extract.extract(bpy.context.scene, bpy.context.view_layer)


def evaluated(scene: Any, names: list[str], frame: float) -> dict[str, np.ndarray]:
    """World matrices at a frame."""
    scene.frame_set(int(frame), subframe=frame % 1.0)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return {name: np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world) for name in names}


def matrices(facts: dict[str, Any], bodies: dict[str, Any], sample: int) -> dict[str, np.ndarray]:
    """World matrices that the archived motion gives at a sample, in Blender units."""
    made = {}
    for name, poses in facts["bodies"].items():
        E = np.eye(4)
        E[:3, 3] = np.array(poses[sample][:3]) / facts["length"]
        E[:3, :3] = quaternion.to_matrix(np.array(poses[sample][3:]))
        made[name] = E @ bodies[name].A
    return made


def farthest(scene: Any, facts: dict[str, Any], bodies: dict[str, Any], names: list[str]) -> float:
    """Largest difference of matrix entries between what Blender shows and the archived motion, in parts of the size
    (angles in radians), at the archived frames that the scene shows."""
    worst = 0.0
    for number, sample in enumerate(facts["samples"]):
        frame = facts["frames"][0] + sample
        if frame < scene.frame_start:  # a part of the pre-roll is not baked
            continue
        right, shown = matrices(facts, bodies, number), evaluated(scene, names, frame)
        for name in names:
            apart = np.abs(shown[name] - right[name])
            apart[:3, 3] *= facts["length"] / facts["size"]
            worst = max(worst, float(apart.max()))
    return worst


def curves(scene: Any) -> dict[tuple[str, str, int], tuple[list[float], np.ndarray]]:
    """Frames of the keys, and values at every quarter of a frame, of each channel that a bake wrote."""
    quarters = np.arange(4 * scene.frame_start, 4 * scene.frame_end + 1) / 4.0
    found = {}
    for owner in (scene, *scene.objects):
        record = owner.redmax.baked
        held = [(record.action, record.slot), (record.results, record.results_slot)]  # earlier versions: both in one
        found_in = [compat.curves_in(action, slot) or () for action, slot in held if action is not None]
        for curve in itertools.chain(*found_in) if record.active else ():
            frames = [key.co[0] for key in curve.keyframe_points]
            values = np.array([curve.evaluate(frame) for frame in quarters])
            found[owner.name, curve.data_path, curve.array_index] = frames, values
    return found


# --- opening and checking --------------------------------------------------------------------


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_archived_scenes_mean_what_they_did(folder, tmp_path):
    """What the engine is given, field by field, and what decides how it is run; Check has no errors."""
    for name in expectations(folder.parent.name):
        scene, facts = opened(folder, name, tmp_path)
        assert not bpy.context.window_manager.redmax.message
        found = check_report.refresh(bpy.context)
        assert found.errors == (), name
        now = motion.content(io.loads(io.dumps(found.scene)))
        then = motion.content(motion.extracted(facts))
        assert motion.differences(json.loads(json.dumps(now)), json.loads(json.dumps(then)), name) == []
        assert [found.frame_start, found.frame_end, found.fps] == [*facts["frames"], facts["fps"]]
        assert found.length == pytest.approx(facts["length"])
        assert (integrator_of(scene).kind, scene.redmax.accuracy) == (facts["integrator"], facts["accuracy"])
        assert [[each.root, each.enabled] for each in found.mechanisms] == facts["mechanisms"]
        assert sorted(obj.name for obj in scene.objects if obj.redmax.baked.active) == facts["baked"]


def test_there_are_files_of_this_blender():
    assert OWN


# --- results ---------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_an_archived_result_is_shown_and_baked(folder, tmp_path):
    scene, facts = opened(folder, "Simulated", tmp_path)
    result = cache.load(scene)
    assert cache.problem(scene) == ""
    assert motion.distance(result, facts) <= motion.BOUND["standard"]
    assert scene.frame_current == 7
    bodies = {body.name: body for body in extracted().bodies}
    moving = [name for name, body in bodies.items() if not body.static]
    assert farthest(scene, facts, bodies, moving) <= motion.BOUND["standard"]
    press(bpy.ops.redmax.bake, allow_stale=True)  # another version of the engine may have another result
    press(bpy.ops.redmax.clear_result)
    assert farthest(scene, facts, bodies, moving) <= motion.BOUND["standard"]
    press(bpy.ops.redmax.remove_bake)
    start = evaluated(scene, moving, 9)
    for name in moving:
        assert start[name] == pytest.approx(np.array(bodies[name].E_wb @ bodies[name].A), abs=KEPT_IN_SINGLE_PRECISION)


def simulated(scene: Any, facts: dict[str, Any]) -> Any:
    """What Simulate gives at High."""
    scene.redmax.accuracy = "HIGH"
    press(bpy.ops.redmax.simulate)
    result = cache.load(scene)
    assert result.status == "complete"
    return result


@pytest.mark.parametrize("folder", OWN, ids=named)
def test_an_archived_override_moves_as_it_did(folder, tmp_path):
    scene, facts = opened(folder, "Overridden", tmp_path)
    assert any(obj.override_library is not None for obj in scene.objects)
    assert motion.distance(simulated(scene, facts), facts) <= motion.BOUND["high"]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_every_archived_scene_moves_as_it_did(folder, tmp_path):
    for name in expectations(folder.parent.name):
        scene, facts = opened(folder, name, tmp_path)
        assert motion.distance(simulated(scene, facts), facts) <= motion.BOUND["high"], name


# --- baked keys ------------------------------------------------------------------------------

QUICK = ("Baked to NLA", "Baked Fewer")


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_archived_keys_show_the_archived_motion(folder, tmp_path):
    """Keys of Baked into Current are led back to their start and every third frame only, so they show another one."""
    for name, bound in {"Baked to Action": 0.0, "Baked to NLA": 0.0, "Baked Fewer": np.radians(0.1)}.items():
        scene, facts = opened(folder, name, tmp_path)
        bodies = {body.name: body for body in extracted().bodies}
        assert facts["baked"]
        names = [body for body in facts["baked"] if body in bodies]
        assert farthest(scene, facts, bodies, names) <= bound + KEPT_IN_SINGLE_PRECISION, name


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        pytest.param(
            folder,
            name,
            id=f"{named(folder)}-{name}",
            marks=[] if folder in OWN and name in QUICK else [pytest.mark.slow],
        )
        for folder in FOLDERS
        for name in BAKED
    ],
)
def test_simulating_and_baking_again_writes_the_same_keys(folder, name, tmp_path):
    scene, facts = opened(folder, name, tmp_path)
    before = curves(scene)
    assert before
    press(bpy.ops.redmax.simulate)
    press(bpy.ops.redmax.bake)
    after = curves(scene)
    assert before.keys() == after.keys()
    if scene.redmax.bake.keys == "FEWER":  # which keys are fewest may turn on a last digit; their motion may not
        count = {
            name: sum(len(frames) for frames, _ in found.values()) for name, found in (("was", before), ("is", after))
        }
        assert count["is"] <= 1.1 * count["was"]
        press(bpy.ops.redmax.clear_result)
        bodies = {body.name: body for body in extracted().bodies}
        bound = scene.redmax.bake.max_angle + KEPT_IN_SINGLE_PRECISION
        assert farthest(scene, facts, bodies, [body for body in facts["baked"] if body in bodies]) <= bound
        return
    for channel, (frames, values) in before.items():
        # Bound of High for what is a few units in size; forces, some of them rates of rates, to a digit less.
        allowed = 10.0 * motion.BOUND["high"] * max(1.0, float(np.abs(values).max()))
        assert frames == after[channel][0], channel
        assert np.abs(values - after[channel][1]).max() <= allowed, channel


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
@pytest.mark.parametrize("name", BAKED)
def test_an_archived_bake_can_be_removed(folder, name, tmp_path):
    scene, facts = opened(folder, name, tmp_path)
    bodies = {body.name: body for body in extracted().bodies}
    press(bpy.ops.redmax.remove_bake)
    assert not [owner.name for owner in (scene, *scene.objects) if owner.redmax.baked.active]
    names = [body for body in facts["baked"] if body in bodies]
    shown = evaluated(scene, names, facts["frames"][1])
    for body in names:
        as_modelled = np.array(bodies[body].E_wb @ bodies[body].A)
        assert shown[body] == pytest.approx(as_modelled, abs=KEPT_IN_SINGLE_PRECISION), body
    left = {
        (obj.name, curve.data_path) for obj in scene.objects for curve in compat.fcurves_of(obj)
    }  # the artist's own actions
    assert left == {
        "Baked to Action": {("Coupler", "hide_render")},
        "Baked into Current": {("Current Lower", "scale")},
    }.get(name, set())
    if name == "Baked to NLA":
        (track,) = bpy.data.objects["Strip Lower"].animation_data.nla_tracks
        assert [strip.name for strip in track.strips] == ["Artist's"]
