# SPDX-License-Identifier: GPL-3.0-or-later
"""A door on two hinges: connected, checked, simulated and baked by operators, it moves as on one."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector
from test_build import box, empty, joint_objects, joints, select

from redmax_blender.bridge.results import cache
from redmax_blender.ui import lists

TURNS = {"leaning": (0.0, 0.2, 0.0), "tilted": (0.3, 0.2, 0.1), "far off": (1.1, -0.7, 2.3)}
PLACES = {"leaning": (0.0, 0.0, 0.0), "tilted": (0.1, 0.7, 0.3), "far off": (31.7, -12.3, 5.1)}


def door(stands):
    """A door that leans in its frame, with places for three hinges along its edge."""
    E = Matrix.Translation(PLACES[stands]) @ Euler(TURNS[stands]).to_matrix().to_4x4()
    frame, leaf = box("Frame", size=(0.1, 0.1, 2.2)), box("Door", size=(0.9, 0.05, 2.0))
    frame.matrix_world, leaf.matrix_world = E @ Matrix.Translation((-0.1, 0.0, 0.0)), E
    pins = [empty(f"Pin {z}", E @ Vector((0.0, 0.0, z)), E.to_euler()) for z in (-0.7, 0.8, 0.1)]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    return frame, leaf, pins


def problems():
    bpy.ops.redmax.check()
    return {problem.text: problem.severity for problem in bpy.context.window_manager.redmax.problems}


def baked():
    """World matrices (frames, 4, 4) of the door as simulated and baked."""
    assert bpy.ops.redmax.simulate() == {"FINISHED"}, bpy.context.window_manager.redmax.message
    assert cache.load(bpy.context.scene).status == "complete"
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    found = []
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        found.append(np.array(bpy.data.objects["Door"].matrix_world))
    return np.array(found)


def moved(stands, count, kind="revolute"):
    """What a door does on so many joints, made one after another by Connect."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    frame, leaf, pins = door(stands)
    for pin in pins[:count]:
        select(pin, leaf, frame)
        assert bpy.ops.redmax.connect(kind=kind) == {"FINISHED"}
    pins[0].redmax.joint.velocity_angle[0] = 2.0
    pins[0].redmax.joint.velocity_distance[0] = 0.5
    assert set(joints().values()) == {("Frame", "Door")}
    assert len(joints()) == count
    assert "ERROR" not in problems().values()
    assert "WARNING" not in problems().values()
    (mechanism,) = bpy.context.window_manager.redmax.mechanisms
    assert (mechanism.dofs, mechanism.loops, mechanism.redundant) == (1, count - 1, 5 * (count - 1))
    return baked()


@pytest.mark.parametrize("stands", TURNS)
def test_a_door_moves_on_several_hinges_as_on_one(stands):
    one, two, three = (moved(stands, count) for count in (1, 2, 3))
    assert np.abs(one - one[0]).max() > 0.1
    # Pins are in single precision, and so are baked keys.
    size = 1.0 + np.abs(PLACES[stands]).max()
    np.testing.assert_allclose(two, one, atol=3e-6 * size)
    np.testing.assert_allclose(three, one, atol=3e-6 * size)


def test_a_drawer_moves_on_two_runners_as_on_one():
    one, two = (moved("tilted", count, kind="prismatic") for count in (1, 2))
    assert np.abs(one[-1] - one[0]).max() > 0.1
    np.testing.assert_allclose(two, one, atol=5e-6)


def test_connect_says_that_a_second_hinge_closes_a_loop(capfd):
    frame, leaf, (first, second, _third) = door("leaning")
    select(first, leaf, frame)
    bpy.ops.redmax.connect()
    assert "closes a loop" not in capfd.readouterr().out
    select(second, leaf, frame)
    bpy.ops.redmax.connect()
    said = "Hinge 'Pin 0.8' connects 'Door' to 'Frame', beside joint 'Pin -0.7'; it closes a loop"
    assert said in capfd.readouterr().out
    assert [obj.redmax.joint.kind for obj in joint_objects()] == ["revolute"] * 2


def test_check_says_that_a_door_is_held_twice_only_where_reactions_are_asked_for():
    frame, leaf, pins = door("leaning")
    for pin in pins[:2]:
        select(pin, leaf, frame)
        bpy.ops.redmax.connect()
    assert problems() == {}
    bpy.context.scene.redmax.bake.reaction = True
    assert problems() == {"Loop through 'Pin 0.8' is over-constrained by 5 (reactions not unique)": "INFO"}
    (mechanism,) = bpy.context.window_manager.redmax.mechanisms
    assert (lists.joints_text(mechanism), mechanism.dofs) == ("2, 1 loop", 1)


def test_make_mechanism_makes_a_joint_of_every_pin_of_a_door(capfd):
    frame, leaf, pins = door("leaning")
    select(*pins[:2], leaf, frame)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Pin -0.7": ("Frame", "Door"), "Pin 0.8": ("Frame", "Door")}
    assert "2 new joints; 'Pin 0.8' closes a loop" in capfd.readouterr().out
    select(*pins, leaf, frame)
    bpy.ops.redmax.make_mechanism()
    assert joints()["Pin 0.1"] == ("Frame", "Door")
    assert "1 new joint; 'Pin 0.1' closes a loop" in capfd.readouterr().out
    bpy.ops.redmax.make_mechanism()
    assert len(joints()) == 3
