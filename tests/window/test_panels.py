# SPDX-License-Identifier: GPL-3.0-or-later
"""In a window 1000 pixels high, with the sidebar as wide as Blender makes it, no step's button is out of sight."""

import pytest

from .session import MARGIN, SIDEBAR, STEP

JOINTS_ABOVE_MAKE = 59
"""Pixels from the middle of Make Mechanism up to the header of the closed list of joints."""

SAID = "Stopped at frame 20: 'Crane Rope 3' goes faster than 500 m/s. Frames 1-19 kept"

RESULTS = {
    "old": {"status": "complete", "changed": True},
    "with a remark": {"status": "complete", "remark": SAID},
    "stopped": {"status": "stopped"},
    "failed": {"status": "failed", "message": SAID},
    "whole": {"status": "complete"},
}
"""What the last simulation of a scene may have come to; written here, as it would take many runs to get there."""


def sets(owner, values):
    return f"[setattr({owner}, *pair) for pair in {list(values.items())!r}]"


@pytest.fixture(scope="module", autouse=True)
def crane(window):
    """Added and simulated by hand, its list of twelve joints opened."""
    window.over_view()
    window.press("a", "x", "Return")
    window.wait("not scene().objects")
    window.press("shift+a")
    window.type("crane")
    window.press("Return")
    window.wait("len(scene().objects) > 3")
    window.open_tab("RedMax")
    window.look("setattr(scene(), 'frame_end', 12)")
    window.at_top = window.look(f"scroll{SIDEBAR}")
    _, y = window.find("redmax.make_mechanism")
    window.click(window.rectangle(SIDEBAR)[0] + 60, y - JOINTS_ABOVE_MAKE)
    window.settle(0.5)
    window.press_button("redmax.simulate()")
    window.wait("not state().running and scene().redmax.result.frame_end == 12")
    assert window.find("redmax.make_mechanism")[1] > y + 80, "the list of joints is open"


def last_step_in_sight(window):
    """Whether Bake is on the screen, and the sidebar not scrolled: then so are all steps above it."""
    left, top, right, bottom = window.rectangle(SIDEBAR)
    assert window.look(f"scroll{SIDEBAR}") == window.at_top
    for y in range(bottom - MARGIN, top, -STEP):
        window.move(left + 0.65 * (right - left), y)
        if "redmax.bake(" in (window.hovered(SIDEBAR) or ""):
            return True
    return False


@pytest.mark.parametrize("result", RESULTS)
def test_every_step_has_its_button_in_sight(window, result):
    whole = {"status": "complete", "message": "", "remark": "", "changed": False}
    window.look(sets("scene().redmax.result", whole | RESULTS[result]))
    former = {"identifier": "whole" if result in ("stopped", "failed") else "", "frame_end": 250}
    window.look(sets("scene().redmax.former", former))
    window.look("[area.tag_redraw() for area in windows()[0].screen.areas]")
    window.settle(0.3)
    assert last_step_in_sight(window)
    assert window.errors() == []


def test_bake_stays_in_sight_once_it_was_pressed(window):
    window.press_button("redmax.bake()")
    window.wait("state().message.startswith('Baked')")
    assert last_step_in_sight(window)
