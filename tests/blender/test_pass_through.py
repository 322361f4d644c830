# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that will pass through each other are said once per scene, where that matters, and can be ignored."""

from __future__ import annotations

import bpy
import by_hand
import pytest
import swinging

SAID = "pass through each other: nothing has a surface"


def rows():
    bpy.ops.redmax.check()
    return [row for row in bpy.context.window_manager.redmax.problems if SAID in row.text]


@pytest.fixture
def crates():
    floor = by_hand.body("Floor", (4.0, 4.0, 0.1), root="LOCKED")
    for number in range(3):
        crate = by_hand.body(f"Crate {number}", at=(0.3 * number, 0.0, 3.0))
        crate.redmax.body.keep_free = True
    bpy.context.view_layer.update()
    return floor


def test_it_is_said_once_and_ignored_for_good(crates, tmp_path):
    (row,) = rows()
    assert row.text == f"'Crate 0' and 'Crate 1' {SAID}"
    assert (row.severity, row.element, row.fixes) == ("INFO", "Crate 0", "ADD_SURFACES,IGNORE")
    assert bpy.ops.redmax.fix(fix="IGNORE", element=row.element) == {"FINISHED"}
    assert rows() == []
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "crates.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "crates.blend"))
    assert rows() == []


def test_what_falls_meets_what_is_below_it_and_nothing_else(crates):
    for number in (1, 2):
        bpy.data.objects.remove(bpy.data.objects[f"Crate {number}"])
    crate = bpy.data.objects["Crate 0"]
    assert len(rows()) == 1, "it falls onto the floor"
    crate.location.x = 20.0
    assert rows() == [], "it falls beside it"
    crate.location = (0.0, 0.0, -30.0)
    assert rows() == [], "it falls away from it"
    crate.redmax.body.root = "LOCKED"
    crate.location = (0.0, 0.0, 0.0)
    assert rows() == [], "neither of them moves"


def test_one_linkage_overlaps_with_itself_and_that_is_meant():
    swinging.build()
    assert rows() == []
    far = by_hand.body("Far", at=(0.0, 30.0, 0.0))
    far.redmax.body.root = "LOCKED"
    assert rows() == []
    far.location = (1.0, 0.0, 1.0)
    (row,) = rows()
    assert row.text == f"'Far' and 'Post' {SAID}"
    assert row.element == "Post", "the one that moves"
    far.redmax.mechanism.enabled = False
    assert rows() == []
