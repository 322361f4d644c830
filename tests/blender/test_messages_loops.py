# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check says of loops, with its fixes: gaps at the start, what is held too often, and what cannot move at all."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import swinging
from mathutils import Euler
from test_messages import check, fix, gone, refused, simulates, the_row

PINS = {
    "A": ("Ground", "Crank", (0.0, 0.0, 0.0)),
    "B": ("Crank", "Coupler", (0.0, 0.0, 1.0)),
    "C": ("Coupler", "Rocker", (3.0, 0.0, 2.0)),
    "D": ("Ground", "Rocker", (3.0, 0.0, 0.0)),
}


@pytest.fixture
def four_bar():
    """Ground, crank, coupler and rocker in the plane y = 0; D, the last by name, closes the loop."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 6, 24
    swinging.box("Ground", (1.5, 0.3, -0.2), (3.5, 0.1, 0.2)).redmax.body.root = "LOCKED"
    swinging.box("Crank", (0.0, 0.0, 0.5), (0.1, 0.1, 1.0))
    coupler = swinging.box("Coupler", (1.5, 0.0, 1.5), (math.hypot(3.0, 1.0), 0.1, 0.1))
    coupler.rotation_euler = Euler((0.0, -math.atan2(1.0, 3.0), 0.0))
    swinging.box("Rocker", (3.0, 0.0, 1.0), (0.1, 0.1, 2.0))
    for name, (parent, child, place) in PINS.items():
        swinging.hinge(name, bpy.data.objects[parent], bpy.data.objects[child], place)
    bpy.context.view_layer.update()
    return bpy.data.objects


def row():
    (found,) = bpy.context.window_manager.redmax.mechanisms
    return found


def largest_gap():
    from redmax_blender.bridge import cache

    return float(np.abs(cache.load(bpy.context.scene).channels["gap"]).max())


def test_a_sound_four_bar_is_counted_and_simulated(four_bar):
    said = check()
    assert said == {}, "held three times too often, as every flat linkage: that is healthy"
    assert (row().bodies, row().dofs, row().loops, row().redundant) == (4, 1, 1, 3)
    from redmax_blender.ui import lists

    assert lists.mechanism_text(row()) == "4 bodies, 1 degree of freedom, 1 loop joint"
    simulates()
    assert largest_gap() < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_a_four_bar_that_stands_anywhere_moves_as_well(four_bar, seed):
    """Blender's matrices are single precision: axes are parallel to seven digits only."""
    rng = np.random.default_rng(seed)
    R = Euler(rng.uniform(-3.0, 3.0, 3).tolist()).to_matrix().to_4x4()
    R.translation = rng.uniform(-20.0, 20.0, 3).tolist()
    for obj in four_bar:
        obj.matrix_world = R @ obj.matrix_world
    check()
    assert (row().dofs, row().redundant) == (1, 3)
    simulates()
    assert largest_gap() < 1e-6


# --- loop gap at start -----------------------------------------------------------------------


def test_loop_gap_at_start(four_bar):
    four_bar["A"].redmax.joint.coordinate_angle_1 = 0.3
    problem = the_row("Loop through 'D' does not close: gap ")
    assert (problem.element, problem.severity) == ("D", "ERROR")
    assert " m" in problem.text
    refused("Loop through 'D' does not close")
    fix(problem, "CLOSE_LOOP")
    gone("does not close")
    starts = [four_bar[name].redmax.joint.coordinate_angle_1 for name in "ABC"]
    assert all(abs(angle) > 1e-3 for angle in starts), "all joints share the turn"
    simulates()
    assert largest_gap() < 1e-9


def test_a_gap_is_said_in_what_one_can_see(four_bar):
    four_bar["A"].redmax.joint.coordinate_angle_1 = 0.01
    problem = the_row("Loop through 'D' does not close: gap ")
    assert problem.text.endswith(" mm") or problem.text.endswith(" deg")
    four_bar["A"].redmax.joint.coordinate_angle_1 = 1e-5
    check()
    gone("does not close")
    simulates()


def test_an_animated_crank_keeps_its_key_and_the_others_follow(four_bar):
    crank = four_bar["A"]
    crank.redmax.joint.motion_type = "animated"
    for frame, angle in ((1, 0.2), (6, 0.4)):
        crank.redmax.joint.coordinate_angle_1 = angle
        crank.keyframe_insert("redmax.joint.coordinate_angle_1", frame=frame)
    bpy.context.scene.frame_set(1)
    fix(the_row("Loop through 'D' does not close"), "CLOSE_LOOP")
    gone("does not close")
    assert crank.redmax.joint.coordinate_angle_1 == pytest.approx(0.2)
    assert abs(four_bar["B"].redmax.joint.coordinate_angle_1) > 1e-3
    simulates()


def test_a_loop_that_nothing_can_close_says_so(four_bar):
    """The crank stands upright and the other two cannot reach: they are locked."""
    four_bar["A"].redmax.joint.coordinate_angle_1 = 0.5
    for name in "ABC":
        four_bar[name].redmax.joint.motion_type = "locked"
    problem = the_row("Loop through 'D' does not close")
    assert problem.fixes == ""
    assert "free more of them" in problem.hint
    with pytest.raises(RuntimeError, match="cannot be closed by turning its simulated joints"):
        bpy.ops.redmax.fix(fix="CLOSE_LOOP", element="D")


# --- over-constrained ------------------------------------------------------------------------


def test_over_constrained(four_bar):
    gone("over-constrained")
    bpy.context.scene.redmax.bake.reaction = True
    problem = the_row("Loop through 'D' is over-constrained by 3 (reactions not unique)")
    assert (problem.element, problem.severity, problem.fixes) == ("D", "INFO", "MAKE_BALL")
    fix(problem, "MAKE_BALL")
    assert four_bar["D"].redmax.joint.kind == "spherical"
    assert (row().dofs, row().redundant) == (1, 1)
    simulates()


# --- nothing can move ------------------------------------------------------------------------


def test_hinges_that_are_not_quite_parallel_let_nothing_move(four_bar):
    four_bar["C"].rotation_euler = Euler((math.radians(3.0), 0.0, math.radians(2.0)))
    says = "Mechanism 'Ground' cannot move: it has 0 degrees of freedom"
    problem = the_row(says)
    assert (problem.element, problem.severity) == ("Ground", "WARNING")
    fix(problem, "SELECT_REDUNDANT")
    assert {obj.name for obj in bpy.context.selected_objects} == {"D"}
    fix(the_row(says), "ALIGN_AXES")
    gone("cannot move")
    assert row().dofs == 1
    assert np.allclose(four_bar["C"].matrix_world.to_3x3() @ bpy.data.objects["A"].rotation_euler.to_matrix().col[1],
                       (0.0, 1.0, 0.0), atol=1e-6)  # fmt: skip
    simulates()


def test_fix_all_closes_and_aligns(four_bar):
    four_bar["C"].rotation_euler = Euler((math.radians(3.0), 0.0, 0.0))
    four_bar["A"].redmax.joint.coordinate_angle_1 = 0.2
    check()
    assert bpy.ops.redmax.fix_all() == {"FINISHED"}
    assert [p.text for p in bpy.context.window_manager.redmax.problems if p.severity != "INFO"] == []
    assert row().dofs == 1
    simulates()


def test_a_spatial_linkage_is_not_aligned(four_bar):
    """A hinge far from parallel is meant: nothing is offered, and nothing turned."""
    four_bar["C"].rotation_euler = Euler((math.radians(40.0), 0.0, 0.0))
    problem = the_row("cannot move")
    assert problem.fixes == "SELECT_REDUNDANT"
    with pytest.raises(RuntimeError, match="are parallel, or far from it"):
        bpy.ops.redmax.fix(fix="ALIGN_AXES", element="Ground")


def test_a_hinge_with_something_on_its_axes_is_refused_by_name(four_bar):
    four_bar["C"].rotation_euler = Euler((math.radians(3.0), 0.0, 0.0))
    swinging.box("Cap", (3.0, 0.0, 2.0), (0.2, 0.2, 0.2)).redmax.is_body = False
    four_bar["Cap"].parent = four_bar["C"]
    the_row("cannot move")
    with pytest.raises(RuntimeError, match="'C' cannot be turned"):
        bpy.ops.redmax.fix(fix="ALIGN_AXES", element="Ground")
