# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that were changed but not keyed yet outlive whatever the add-on evaluates, bit for bit."""

from __future__ import annotations

import ast
from pathlib import Path

import bpy
import pytest
import swinging
from gated_runs import until
from modal_simulate import RUNNING, TICK, Window
from test_live_check import edit, state, waiting  # noqa: F401  (a fixture)
from unkeyed_battery import Battery

import redmax_blender
from redmax_blender.bridge.objects import animated_values
from redmax_blender.bridge.results import preview
from redmax_blender.bridge.run import live

ADDON = Path(redmax_blender.__file__).parent

GOES_TO_A_FRAME = {
    Path("bridge/objects/other_frames.py"): "in a copy of the scene, which writes nothing back",
    Path("bridge/check/fixes/fixes_scene.py"): "the button Go to Frame, which does nothing else",
    Path("bridge/results/thumbnails.py"): "in a scene of its own, and puts back what rendering writes",
}
SETS_THE_FRAME = {"frame_set", "frame_current", "frame_subframe", "frame_float"}


def key(owner, path, *values, index=-1):
    """Key a property at the frames 1, 101, 201 ... and leave it at its value of the last."""
    for frame, value in enumerate(values):
        base, _, name = path.rpartition(".")
        setattr(owner.path_resolve(base) if base else owner, name, value)
        assert owner.keyframe_insert(path, index=index, frame=1 + 100 * frame)


def test_an_angle_that_is_typed_between_two_keys_stays_while_check_looks_on(state):  # noqa: F811
    scene = swinging.build(frames=(1, 101))
    shoulder = scene.objects["Shoulder"]
    joint = shoulder.redmax.joint
    joint.motion_type = "animated"
    for frame, angle in ((1, 0.0), (101, 0.0)):
        joint.coordinate_angle_1 = angle
        shoulder.keyframe_insert("redmax.joint.coordinate_angle_1", frame=frame)
    scene.frame_set(60)
    bpy.ops.redmax.check()

    def type_90():
        joint.coordinate_angle_1 = 1.5
        shoulder.update_tag(refresh={"OBJECT"})

    assert edit(type_90)
    waiting()
    bpy.context.view_layer.update()
    assert not state.outdated
    assert joint.coordinate_angle_1 == 1.5


def test_an_object_that_has_nothing_to_do_with_it_stays_where_it_was_put(scene):
    swinging.build(frames=(1, 101))
    aside = bpy.data.objects.new("Aside", None)
    scene.collection.objects.link(aside)
    key(aside, "location", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    key(scene.objects["Upper"], "location", (0.5, 0.0, 2.0), (0.5, 0.0, 3.0))
    scene.frame_set(60)
    aside.location.x = 5.0
    bpy.context.view_layer.update()
    bpy.ops.redmax.check()
    bpy.context.view_layer.update()
    assert aside.location.x == 5.0


def moved_by_hand(scene):
    """A body with keys of its own that the artist has put elsewhere, between two keys."""
    upper = scene.objects["Upper"]
    key(upper, "location", (0.5, 0.0, 2.0), (0.5, 0.0, 3.0))
    scene.frame_set(7)
    upper.location = (0.9, 0.123456, 2.5)
    bpy.context.view_layer.update()
    return upper, tuple(upper.location)


def test_a_body_comes_back_to_where_it_was_put_when_its_result_is_hidden():
    scene = swinging.build()
    upper, before = moved_by_hand(scene)
    swinging.simulate()
    assert tuple(upper.location) != before
    bpy.ops.redmax.check()
    bpy.ops.redmax.show_result()
    bpy.context.view_layer.update()
    assert tuple(upper.location) == before


def test_a_body_comes_back_to_where_it_was_put_after_a_run_in_a_window_that_is_given_up(slow):
    scene = swinging.build()
    upper, before = moved_by_hand(scene)
    window = Window()
    window.press()
    slow(3)
    until(lambda: live.progress()[0] == 4)
    assert window.send(TICK) in RUNNING
    assert upper.redmax.kept.active
    slow(100)
    live.abandon()
    preview.hide(scene)
    bpy.context.view_layer.update()
    assert tuple(upper.location) == before


def test_scrubbing_a_result_changes_nothing_that_scrubbing_does_not():
    battery = Battery()
    scene = bpy.context.scene
    swinging.simulate()
    seen = {}
    for shown in (True, False):
        scene.redmax.show_result = shown
        preview.show(scene)
        for frame in (3, 7, 11):
            scene.frame_set(frame)
            if frame == 7:
                battery.change()
            bpy.context.view_layer.update()
            seen[shown, frame] = battery.read()
    for frame in (3, 7, 11):
        assert seen[True, frame] == seen[False, frame]


def test_looking_at_another_frame_is_no_edit_and_connecting_there_is_one(state):  # noqa: F811
    scene = swinging.build()
    moved_by_hand(scene)
    swinging.simulate()
    bpy.ops.redmax.check()
    assert not edit(lambda: None), "looking is no edit"
    assert not scene.redmax.result.changed
    swinging.box("Rider", (3.0, 0.0, 2.0), (0.2, 0.2, 0.2)).redmax.is_body = False
    bpy.ops.redmax.check()
    bpy.context.view_layer.update()
    scene.redmax.result.changed = False
    for name in ("Rider", "Upper"):
        scene.objects[name].select_set(True)
    bpy.context.view_layer.objects.active = scene.objects["Upper"]
    assert edit(bpy.ops.redmax.connect)
    assert not state.outdated, "Connect has looked at what it made"
    assert "Rider Hinge" in state.mechanisms[0].joints
    assert scene.redmax.result.changed


@pytest.mark.parametrize("path", sorted(ADDON.rglob("*.py")), ids=lambda path: str(path.relative_to(ADDON)))
def test_nobody_else_goes_to_another_frame(path):
    """A call of frame_set, or writing the frame, makes Blender write every animated value of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in SETS_THE_FRAME
        and (node.attr == "frame_set" or isinstance(node.ctx, ast.Store))
    ]
    assert not lines or path.relative_to(ADDON) in GOES_TO_A_FRAME, f"lines {lines}: use bridge/other_frames"


def test_custom_properties_of_any_name_are_put_back(scene):
    """A bracket, a quotation mark and a backslash stand otherwise in data paths than in names."""
    empty = bpy.data.objects.new("Empty", None)
    scene.collection.objects.link(empty)
    names = ("plain", "a[0]", 'a["b', "a\\b", "]")
    for name in names:
        empty[name] = 1.0
        assert empty.keyframe_insert(f'["{bpy.utils.escape_identifier(name)}"]', frame=1)
        empty[name] = 2.0
    kept = animated_values.read(empty, animated_values.paths_of(empty))
    for name in names:
        empty[name] = 3.0
    animated_values.assign(empty, kept)
    assert {name: empty[name] for name in empty.keys()} == dict.fromkeys(names, 2.0)  # noqa: SIM118  (no dict)
