# SPDX-License-Identifier: GPL-3.0-or-later
"""A cube that falls on the ground in a real window, by mouse and keys alone: surfaces, simulated, baked, undone."""

import pytest

from .session import TIMELINE
from .test_track import add

pytestmark = pytest.mark.usefixtures("no_errors")


def height(window):
    return window.look("round(bpy.data.objects['Cube'].matrix_world.translation.z, 3)")


def test_a_cube_gets_a_surface_and_a_ground_below_it(window):
    window.over_view()
    window.press("a", "x", "Return")
    window.wait("not scene().objects")
    add(window, "cube")
    window.menu("add body")
    window.wait("bpy.data.objects['Cube'].redmax.is_body")
    window.menu("add surface")
    window.wait("bpy.data.objects['Cube'].redmax.is_surface")
    assert window.look("bpy.data.objects['Cube'].redmax.surface.kind") == "box"
    window.menu("add ground")
    window.wait("selection()[1] == 'Ground'")
    assert window.look("round(bpy.data.objects['Ground'].location.z, 3)") == -1.0
    assert window.look("bpy.data.objects['Ground'].redmax.surface.kind") == "plane"


def test_it_falls_onto_the_ground_and_stays_there(window):
    window.look("setattr(bpy.data.objects['Cube'].location, 'z', 0.2)")
    window.open_tab("RedMax")
    window.press_button("redmax.check()")
    window.wait("state().checked")
    assert window.look("[problem.text for problem in state().problems]") == []
    window.enter("Scene.frame_end", "12", TIMELINE)
    window.press_button("redmax.simulate()")
    window.wait("not state().running and scene().redmax.result.frame_end == 12", timeout=300.0)
    assert window.look("scene().redmax.result.status") == "complete"
    window.enter("Scene.frame_current", "12", TIMELINE)
    assert height(window) == pytest.approx(0.0, abs=2e-3)


def test_it_is_baked_and_that_is_undone(window):
    window.press_button("redmax.bake()")
    window.wait("state().message.startswith('Baked')")
    assert window.look("bool(bpy.data.objects['Cube'].animation_data)")
    window.over_view()
    window.press("ctrl+z")
    window.wait("not bpy.data.objects['Cube'].animation_data")
