# SPDX-License-Identifier: GPL-3.0-or-later
"""Variations in a real window: a property picked by its name, all simulated, one baked and undone."""

import pytest

from .session import SIDEBAR, TIMELINE
from .test_track import add

pytestmark = pytest.mark.usefixtures("no_errors")

HEADER_BELOW_KEYS = 55
"""Pixels from the middle of Keys, with its options closed, down to the header of Variations."""

ROWS = "scene().redmax.variations.rows"


def test_a_property_is_picked_by_a_few_letters(window):
    window.over_view()
    window.press("a", "x", "Return")
    window.wait("not scene().objects")
    add(window, "pendulum")
    window.wait("len(scene().objects) > 1")
    window.open_tab("RedMax")
    window.enter("Scene.frame_end", "12", TIMELINE)
    _, y = window.find("Scene.redmax.bake.keys")
    window.click(window.rectangle(SIDEBAR)[0] + 60, y + HEADER_BELOW_KEYS)
    window.press_button("redmax.add_variation()")
    window.type("damping")
    window.press("Return")
    window.wait("len(scene().redmax.variations.columns) == 1")
    assert "Damping" in window.look("scene().redmax.variations.columns[0].label")


def test_all_of_them_are_simulated_and_listed(window):
    window.press_button("redmax.simulate_variations()")
    window.wait(f"len({ROWS}) == 5 and not state().running", timeout=300.0)
    assert set(window.look(f"[row.status for row in {ROWS}]")) == {"complete"}
    assert window.look("state().message") == "5 of 5 variations simulated"


def test_the_picked_one_is_baked_and_that_is_undone(window):
    window.press_button("redmax.bake_variation()")
    window.wait("any(each.animation_data for each in scene().objects)")
    window.over_view()
    window.press("ctrl+z")
    window.wait("not any(each.animation_data for each in scene().objects)")
    assert window.look(f"len({ROWS})") == 5
