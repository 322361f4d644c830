# SPDX-License-Identifier: GPL-3.0-or-later
"""A cart on a curve in a real window, by mouse and keys alone: drawn, put on the track, simulated, baked, edited."""

import pytest

from .session import TIMELINE

pytestmark = pytest.mark.usefixtures("no_errors")


def add(window, word):
    window.over_view()
    window.press("shift+a")
    window.type(word)
    window.press("Return")
    window.wait("selection()[1]")


def change(window, keys, number):
    """Rotate, move or scale what is selected by a number."""
    window.press(*keys)
    window.type(number)
    window.press("Return")


def height(window):
    return window.look("round(bpy.data.objects['Cube'].matrix_world.translation.z, 4)")


def test_a_path_and_a_cube_become_a_track_and_a_cart(window):
    window.over_view()
    window.press("a", "x", "Return")
    window.wait("not scene().objects")
    add(window, "path")
    change(window, ("r", "y"), "25")
    add(window, "cube")
    change(window, ("s",), "0.2")
    window.over_view()
    window.press("a")
    assert window.look("selection()[0]") == ["Cube", "NurbsPath"]
    window.menu("spline track")
    window.wait("bpy.data.objects['Cube'].redmax.is_body")
    assert window.look("[obj.redmax.joint.kind for obj in scene().objects if obj.redmax.is_joint]") == ["spline_curve"]
    window.open_tab("RedMax")
    window.press_button("redmax.check()")
    window.wait("state().checked")
    assert window.look("[problem.text for problem in state().problems]") == []


def test_it_runs_down_and_is_baked(window):
    window.enter("Scene.frame_end", "24", TIMELINE)
    start = height(window)
    window.press_button("redmax.simulate()")
    window.wait("not state().running and scene().redmax.result.frame_end == 24")
    assert window.look("scene().redmax.result.status") == "complete"
    window.enter("Scene.frame_current", "24", TIMELINE)
    assert height(window) < start - 0.5
    window.press_button("redmax.bake()")
    window.wait("state().message.startswith('Baked')")
    window.over_view()
    window.press("ctrl+z")
    window.wait("not bpy.data.objects['Cube'].animation_data")


def test_an_edit_of_the_curve_makes_the_result_old(window):
    assert not window.look("scene().redmax.result.changed")
    window.click(*window.look("place(bpy.data.objects['NurbsPath'].matrix_world @ Vector((-1.9, 0.0, 0.0)))"))
    assert window.look("selection()[1]") == "NurbsPath"
    window.press("Tab", "a")
    change(window, ("g", "z"), "0.3")
    window.press("Tab")
    window.wait("scene().redmax.result.changed")
