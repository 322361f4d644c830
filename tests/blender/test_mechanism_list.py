# SPDX-License-Identifier: GPL-3.0-or-later
"""Several mechanisms in one scene: each can be switched off, simulated and baked alone, and has its colour."""

from __future__ import annotations

import bpy
import by_hand
import numpy as np
import pytest
import swinging
from by_hand import body, joint
from recording_layout import RecordingLayout

from redmax_blender.ui import lists


@pytest.fixture
def state():
    return bpy.context.window_manager.redmax


@pytest.fixture
def two():
    """The arms on their post, and a gate on a frame."""
    scene = swinging.build(frames=(1, 6))
    frame, gate = body("Frame", at=(5.0, 0.0, 0.0), root="LOCKED"), body("Gate", at=(6.0, 0.0, 0.0))
    pin = joint("Gate Pin", frame, gate, at=(5.5, 0.0, 0.0))
    pin.redmax.joint.revolute.axis = (0.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.redmax.check()
    return scene


def rows():
    return {row.root: row for row in bpy.context.window_manager.redmax.mechanisms}


def switch(root, *, on):
    bpy.data.objects[root].redmax.mechanism.enabled = on
    bpy.ops.redmax.check()


def test_each_mechanism_has_its_row(two):
    found = {name: (row.bodies, row.dofs, row.loops, row.enabled) for name, row in rows().items()}
    assert found == {"Frame": (2, 1, 0, True), "Post": (3, 2, 0, True)}


def test_a_mechanism_that_keys_move_alone_is_driven_and_not_without_freedom(two, state):
    bpy.data.objects["Gate Pin"].redmax.joint.motion_type = "animated"
    bpy.data.objects["Shoulder"].redmax.joint.motion_type = "animated"
    bpy.ops.redmax.check()
    assert (rows()["Frame"].driven, rows()["Frame"].dofs) == (True, 0)
    assert (rows()["Post"].driven, rows()["Post"].dofs) == (True, 1)
    layout = RecordingLayout()
    for row in rows().values():
        lists.REDMAX_UL_mechanisms.draw_item(None, bpy.context, layout, None, row, None, None, None)
    assert [text for text in layout.texts() if text in ("Driven", "1 DOF", "0 DOF")] == ["Driven", "1 DOF"]


def test_one_that_is_off_stands_and_the_other_moves_as_if_it_were_alone(two):
    switch("Frame", on=False)
    assert not rows()["Frame"].enabled
    assert rows()["Frame"].dofs == 1, "it is still described"
    extraction = by_hand.extract()
    assert [b.name for b in extraction.bodies] == ["Lower", "Post", "Upper"]
    assert all(j.child not in ("Frame", "Gate") for j in extraction.scene.joints)
    still = swinging.world("Gate")
    swinging.simulate()
    two.frame_set(6)
    assert np.array_equal(swinging.world("Gate"), still)
    moved = swinging.world("Lower")
    for name in ("Gate Pin", "Gate", "Frame"):
        bpy.data.objects.remove(bpy.data.objects[name])
    two.frame_set(1)
    swinging.simulate()
    two.frame_set(6)
    assert np.array_equal(swinging.world("Lower"), moved)


def test_switching_makes_a_result_outdated(two):
    swinging.simulate()
    assert not two.redmax.result.changed
    bpy.data.objects["Frame"].redmax.mechanism.enabled = False
    with pytest.raises(RuntimeError, match="Settings changed since the simulation"):
        bpy.ops.redmax.bake()
    bpy.data.objects["Frame"].redmax.mechanism.enabled = True
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_mechanisms_are_simulated_and_baked_one_after_the_other(two):
    baked = {}
    for root, mover in (("Post", "Lower"), ("Frame", "Gate")):
        assert bpy.ops.redmax.solo_mechanism(root=root) == {"FINISHED"}
        two.frame_set(1)
        swinging.simulate()
        assert bpy.ops.redmax.bake() == {"FINISHED"}
        baked[mover] = bpy.data.objects[mover].animation_data.action
    bpy.ops.redmax.clear_result()
    assert all(action is not None for action in baked.values())
    assert bpy.data.objects["Lower"].animation_data.action == baked["Lower"], "the first bake is still there"
    two.frame_set(1)
    start = {name: swinging.world(name) for name in baked}
    two.frame_set(6)
    assert all(not np.allclose(swinging.world(name), start[name], atol=1e-3) for name in baked)


def test_solo_again_brings_all_back(two, state):
    bpy.ops.redmax.solo_mechanism(root="Post")
    assert {name: row.enabled for name, row in rows().items()} == {"Frame": False, "Post": True}
    bpy.ops.redmax.solo_mechanism(root="Frame")
    assert {name: row.enabled for name, row in rows().items()} == {"Frame": True, "Post": False}
    bpy.ops.redmax.solo_mechanism(root="Frame")
    assert all(row.enabled for row in rows().values())
    with pytest.raises(RuntimeError, match="There is no mechanism 'Gone'"):
        bpy.ops.redmax.solo_mechanism(root="Gone")
    state.mechanisms.clear()
    assert not bpy.ops.redmax.solo_mechanism.poll()


def test_nothing_is_said_of_a_mechanism_that_is_off(two, state):
    bpy.data.objects["Gate"].scale = (0, 1, 1)
    bpy.data.objects["Gate Pin"].redmax.joint.motion_type = "animated"
    bpy.ops.redmax.check()
    assert "Gate" in {row.element for row in state.problems}
    assert rows()["Frame"].problems == 1, "a body that cannot even be read belongs to its mechanism"
    switch("Frame", on=False)
    assert [row.text for row in state.problems] == []
    swinging.simulate()


def test_all_of_them_off_is_an_error_with_a_fix(two, state):
    for root in ("Frame", "Post"):
        switch(root, on=False)
    (row,) = state.problems
    assert row.text == "Every mechanism is switched off"
    with pytest.raises(RuntimeError, match="Every mechanism is switched off"):
        bpy.ops.redmax.simulate()
    assert bpy.ops.redmax.fix(fix="ENABLE", element="") == {"FINISHED"}
    assert all(row.enabled for row in rows().values())
    swinging.simulate()


def test_errors_and_warnings_are_counted_at_their_mechanism(two):
    bpy.data.objects["Gate Pin"].redmax.joint.motion_type = "animated"
    bpy.data.objects["Upper"].data = by_hand.mesh("Open", faces=by_hand.FACES[:-1])
    bpy.ops.redmax.check()
    assert {name: (row.problems, row.warnings) for name, row in rows().items()} == {"Frame": (0, 1), "Post": (1, 0)}


def test_the_colour_of_a_mechanism_is_that_of_its_bodies(two):
    bpy.data.objects["Post"].redmax.mechanism.color = (1.0, 0.5, 0.25)
    for name in swinging.BODIES:
        assert tuple(bpy.data.objects[name].color) == (1.0, 0.5, 0.25, 1.0)
    assert tuple(bpy.data.objects["Gate"].color) == (1.0, 1.0, 1.0, 1.0)


def test_the_choice_is_kept_in_the_file(two, tmp_path):
    bpy.data.objects["Frame"].redmax.mechanism.enabled = False
    path = str(tmp_path / "two.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.ops.redmax.check()
    assert {name: row.enabled for name, row in rows().items()} == {"Frame": False, "Post": True}
