# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's sixty seconds in a real window, by mouse and keys alone. Each test goes on where the last one ended."""

import math

import pytest

from .session import TIMELINE

ANGLE = "redmax.joint.coordinate_angle_1"
KEYS = (
    "[[curve.data_path, [[key.co[0], round(key.co[1], 4)] for key in curve.keyframe_points]]"
    " for layer in {action}.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]"
)


pytestmark = pytest.mark.usefixtures("no_errors")


def value(window, path):
    return window.look(f"bpy.data.objects[{window.joint!r}].redmax.joint.{path}")


def test_add_a_double_pendulum(window):
    window.over_view()
    window.press("a", "x", "Return")
    window.wait("not scene().objects")
    window.press("shift+a")
    window.type("double")
    window.press("Return")
    window.wait("len(scene().objects) > 3")
    window.press("KP_Decimal")
    window.open_tab("RedMax")


def test_check_is_green(window):
    window.press_button("redmax.check()")
    window.wait("state().checked")
    assert window.look("[problem.text for problem in state().problems if problem.severity == 'ERROR']") == []
    assert window.look("len(state().mechanisms)") == 1


def test_select_its_first_joint_and_animate_it(window):
    window.joint = window.look("[obj.name for obj in scene().objects if obj.redmax.is_joint][0]")
    for _ in range(4):  # clicks in the same place go through what lies there
        window.click(*window.look(f"point({window.joint!r})"))
        if window.look("selection()[1]") == window.joint:
            break
    assert window.look("selection()") == [[window.joint], window.joint]
    window.choose("joint.motion_type", 1, 3)
    assert value(window, "motion_type") == "animated"


def go_to_frame(window, frame):
    window.enter("Scene.frame_current", str(frame), TIMELINE)
    assert window.look("scene().frame_current") == frame


def test_key_its_angle_on_two_frames(window):
    for frame, degrees in ((1, 0), (60, 90)):
        go_to_frame(window, frame)
        window.enter(ANGLE, str(degrees))
        window.find(ANGLE)
        window.press("i")
    curves = window.look(KEYS.format(action=f"bpy.data.objects[{window.joint!r}].animation_data.action"))
    assert curves == [[ANGLE, [[1.0, 0.0], [60.0, round(math.pi / 2, 4)]]]], "I keys this coordinate alone"
    go_to_frame(window, 1)
    first = places(window)
    go_to_frame(window, 45)
    assert places(window) != first, "bodies follow the keys before any simulation"


def test_escape_keeps_what_is_done(window):
    window.enter("Scene.frame_end", "9000", TIMELINE)
    go_to_frame(window, 1)
    start = places(window)
    window.press_button("redmax.simulate()")
    window.wait("state().running and state().progress > 0.005")
    assert places(window) != start, "it should play as it computes"
    window.over_view()
    window.press("Escape")
    window.wait("not state().running")
    assert 5 < window.look("scene().redmax.result.frame_end") < 9000


def test_simulate(window):
    window.enter("Scene.frame_end", "60", TIMELINE)
    window.press_button("redmax.simulate()")
    window.wait("not state().running and scene().redmax.result.frame_end == 60")
    assert window.look("scene().redmax.result.status") == "complete"
    go_to_frame(window, 1)
    first = places(window)
    go_to_frame(window, 45)
    assert places(window) != first


def places(window):
    """Where all bodies stand, to a tenth of a millimetre."""
    rows = "[round(number, 4) for row in obj.matrix_world for number in row]"
    return window.look(f"[[obj.name, {rows}] for obj in scene().objects if obj.redmax.is_body]")


def baked(window):
    """Names of the bodies that keys move."""
    keyed = "obj.animation_data and obj.animation_data.action"
    return window.look(f"[obj.name for obj in scene().objects if obj.redmax.is_body and {keyed}]")


def test_bake_undo_and_redo(window):
    simulated = places(window)
    assert baked(window) == []
    window.press_button("redmax.bake()")
    window.wait("state().message.startswith('Baked')")
    moved = baked(window)
    assert len(moved) >= 2
    assert places(window) == simulated
    window.over_view()
    window.press("ctrl+z")
    assert baked(window) == []
    assert places(window) == simulated
    window.press("ctrl+shift+z")
    assert baked(window) == moved
    assert places(window) == simulated


def test_save_and_reload(window):
    before, moved = places(window), baked(window)
    window.over_view()
    saved = window.save_as("sixty seconds.blend")
    window.wait(f"bpy.data.filepath == {str(saved)!r} and not bpy.data.is_dirty")
    window.over_view()
    window.press("a", "x", "Return")
    window.wait("not scene().objects")
    window.menu("revert")
    window.settle(0.5)
    window.press("Return")  # yes, leave what was changed
    window.wait("len(scene().objects) > 3 and not bpy.data.is_dirty")
    assert places(window) == before
    assert baked(window) == moved
    assert value(window, "motion_type") == "animated"
