# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's sixty seconds in a real window, with mouse and keys alone: each test goes on where the last one ended."""

import pytest

from .session import SIDEBAR, TIMELINE, VIEW

JOINT = "Pin"
KEYS = (
    "[[curve.data_path, [[key.co[0], round(key.co[1], 4)] for key in curve.keyframe_points]]"
    " for layer in {action}.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]"
)


@pytest.fixture(autouse=True)
def no_errors(window):
    """Nothing that is done here may leave a traceback in Blender's log."""
    yield
    assert window.errors() == []


def over_view(window):
    """Put the mouse into an empty corner of the viewport, where keys mean the scene."""
    left, _, _, bottom = window.rectangle(VIEW)
    window.move(left + 120, bottom - 120)


def value(window, path):
    return window.look(f"bpy.data.objects[{window.joint!r}].redmax.joint.{path}")


def test_add_a_double_pendulum(window):
    over_view(window)
    window.press("a", "x", "Return")
    window.wait("not bpy.data.objects")
    window.press("shift+a")
    window.type("double")
    window.press("Return")
    window.wait("len(bpy.data.objects) > 3")
    window.press("KP_Decimal")
    window.open_tab("RedMax")


def test_check_is_green(window):
    window.press_button("redmax.check(")
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
