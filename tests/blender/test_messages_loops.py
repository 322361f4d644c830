# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check says of loops, with its fixes: gaps at the start, what is held too often, and what cannot move at all."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import swinging
from mathutils import Euler, Matrix, Vector
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
    from redmax_blender.bridge.results import cache

    return float(np.abs(cache.load(bpy.context.scene).channels["gap"]).max())


def test_a_sound_four_bar_is_counted_and_simulated(four_bar):
    said = check()
    assert said == {}, "held three times too often, as every flat linkage: that is healthy"
    assert (row().bodies, row().dofs, row().loops, row().redundant) == (4, 1, 1, 3)
    from redmax_blender.ui import lists

    assert lists.joints_text(row()) == "4, 1 loop"
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
    check()
    gone("does not close")  # the others start where the mechanism is shown
    simulates()
    four_bar["B"].redmax.joint.coordinate_angle_1 = 0.1  # which the artist wants, and leaves a gap
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


@pytest.mark.parametrize("turn", [40.0, pytest.param(90.0, marks=pytest.mark.slow)])
def test_a_hinge_far_from_the_others_is_named_and_aligned(four_bar, turn):
    """Nothing can move as it stands, and with that one hinge turned it can."""
    four_bar["C"].rotation_euler = Euler((math.radians(turn), 0.0, 0.0))
    problem = the_row("cannot move")
    assert problem.text.endswith("; the axis of 'C' disagrees with the others")
    assert problem.fixes == "ALIGN_AXES,SELECT_REDUNDANT"
    fix(problem, "ALIGN_AXES")
    gone("cannot move")
    assert row().dofs == 1
    assert abs(axis_of("C")[1]) == pytest.approx(1.0, abs=1e-6)
    simulates()


def axis_of(name):
    obj = bpy.data.objects[name]
    kind = obj.redmax.joint.kind
    return tuple(obj.matrix_world.to_3x3() @ getattr(obj.redmax.joint, kind).axis)


def test_hinges_that_are_all_different_are_aligned_to_the_loops_normal(four_bar):
    for name, turn in zip("ABCD", ((0.9, 0, 0), (0, 0, 1.1), (1.2, 0.3, 0), (0, 0.2, -0.8)), strict=True):
        four_bar[name].rotation_euler = Euler(turn)
    problem = the_row("cannot move")
    assert problem.text.endswith("the axes of 'A', 'B', 'C' and 1 more disagree with the others")
    fix(problem, "ALIGN_AXES")
    assert all(abs(axis_of(name)[1]) == pytest.approx(1.0, abs=1e-6) for name in "ABCD")
    assert row().dofs == 1


@pytest.mark.parametrize("turn", [3.0, 60.0])
def test_a_slider_that_leaves_the_plane_is_aligned_too(four_bar, turn):
    """D slides along x, in the plane of the hinges; turned towards their axis it holds everything."""
    joint = four_bar["D"].redmax.joint
    joint.kind, joint.prismatic.axis = "prismatic", (1.0, 0.0, 0.0)
    check()
    assert row().dofs == 1
    four_bar["D"].rotation_euler = Euler((0.0, 0.0, math.radians(turn)))
    problem = the_row("cannot move")
    assert "the axis of 'D' disagrees" in problem.text
    fix(problem, "ALIGN_AXES")
    assert abs(axis_of("D")[1]) < 1e-6
    assert row().dofs == 1


def test_a_loop_that_is_stuck_beside_one_that_moves_is_named(four_bar):
    twins = {name: four_bar[name].copy() for name in ("Crank", "Coupler", "Rocker", *PINS)}
    for name, twin in twins.items():
        bpy.context.scene.collection.objects.link(twin)
        twin.name = f"{name} 2"
        if twin.redmax.is_joint:
            joint = twin.redmax.joint
            joint.parent, joint.child = twins.get(joint.parent.name, joint.parent), twins[joint.child.name]
    check()
    assert row().dofs == 2
    gone("cannot move")
    twins["B"].rotation_euler = Euler((math.radians(70.0), 0.0, 0.0))
    problem = the_row("A loop of 'Ground' cannot move: the axis of 'B 2' disagrees with the others")
    assert (problem.element, problem.fixes) == ("B 2", "ALIGN_AXES")
    fix(problem, "ALIGN_AXES")
    assert row().dofs == 2


def test_alignment_leaves_what_hangs_on_a_hinge_where_it_is(four_bar):
    four_bar["C"].rotation_euler = Euler((math.radians(3.0), 0.0, 0.0))
    swinging.box("Cap", (3.0, 0.0, 2.0), (0.2, 0.2, 0.2)).redmax.is_body = False
    four_bar["Cap"].parent = four_bar["C"]
    bpy.context.view_layer.update()
    before = np.array(four_bar["Cap"].matrix_world)
    fix(the_row("cannot move"), "ALIGN_AXES")
    assert np.allclose(four_bar["Cap"].matrix_world, before, atol=1e-6)
    assert row().dofs == 1


def test_a_hinge_with_keys_on_its_rotation_is_refused_by_name(four_bar):
    four_bar["C"].rotation_euler = Euler((math.radians(3.0), 0.0, 0.0))
    four_bar["C"].keyframe_insert("rotation_euler", frame=1)
    the_row("cannot move")
    with pytest.raises(RuntimeError, match="'C' cannot be turned"):
        bpy.ops.redmax.fix(fix="ALIGN_AXES", element="Ground")


def test_a_sound_linkage_has_nothing_to_align(four_bar):
    with pytest.raises(RuntimeError, match="No other axes would let the loops of 'Ground' move"):
        bpy.ops.redmax.fix(fix="ALIGN_AXES", element="Ground")


# --- linkages that are meant to be spatial ---------------------------------------------------


def spatial(places, axes):
    """A ring of bodies, the first locked, with a hinge from each to the next at these places about these axes."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    count = len(places)
    for k in range(count):
        middle = 0.5 * (np.array(places[k]) + np.array(places[(k + 1) % count]))
        swinging.box(f"Link {k}", tuple(middle), (0.2, 0.2, 0.2))
    bpy.data.objects["Link 0"].redmax.body.root = "LOCKED"
    for k in range(count):
        first, second = bpy.data.objects[f"Link {(k - 1) % count}"], bpy.data.objects[f"Link {k}"]
        ends = (second, first) if k == 0 else (first, second)
        joint = swinging.hinge(f"Hinge {k}", *ends, places[k])
        joint.redmax.joint.revolute.axis = (0.0, 0.0, 1.0)
        z = np.array(axes[k], float)
        joint.rotation_mode = "QUATERNION"
        joint.rotation_quaternion = Vector((0, 0, 1)).rotation_difference(Vector(z / np.linalg.norm(z)))
    bpy.context.view_layer.update()


def bennett():
    """Opposite links are alike, and their lengths are as the sines of their twists (Bennett 1903)."""
    a, b, alpha = 2.0, 1.2, math.radians(50.0)
    beta = math.asin(b * math.sin(alpha) / a)
    # Denavit and Hartenberg's frames from hinge to hinge, at the angle where the ring closes.
    theta = 1.1
    other = 2.0 * math.atan(math.sin(0.5 * (beta + alpha)) / math.sin(0.5 * (beta - alpha)) / math.tan(0.5 * theta))
    E, places, axes = Matrix(), [], []
    for length, twist, turn in ((a, alpha, theta), (b, beta, other), (a, alpha, -theta), (b, beta, -other)):
        places.append(tuple(E.translation))
        axes.append(tuple(E.col[2][:3]))
        E = E @ Matrix.Rotation(turn, 4, "Z") @ Matrix.Translation((length, 0, 0)) @ Matrix.Rotation(twist, 4, "X")
    assert np.allclose(E, np.eye(4), atol=1e-6), "the ring closes"
    return places, axes


def spherical():
    """Four hinges whose axes meet in one point."""
    axes = [(1.0, 0.1, 0.2), (0.2, 1.0, 0.1), (-0.4, 0.5, 1.0), (0.5, -0.6, 0.8)]
    return [tuple(2.0 * np.array(axis) / np.linalg.norm(axis)) for axis in axes], axes


def sarrus():
    """Two planar dyads at right angles lift a plate straight up (Sarrus 1853)."""
    places = [(1, 0, 0), (1.6, 0, 1), (1, 0, 2), (0, 1, 2), (0, 1.6, 1), (0, 1, 0)]
    return places, [(0, 1, 0)] * 3 + [(1, 0, 0)] * 3


@pytest.mark.parametrize("linkage", [bennett, spherical, sarrus])
def test_linkages_that_move_in_space_are_left_alone(linkage):
    spatial(*linkage())
    check()
    problems = bpy.context.window_manager.redmax.problems
    assert not any("ALIGN_AXES" in problem.fixes or "disagree" in problem.text for problem in problems)
    with pytest.raises(RuntimeError, match="No other axes would let the loops"):
        bpy.ops.redmax.fix(fix="ALIGN_AXES", element="Link 0")


def test_closing_a_loop_where_there_is_none_any_more_is_refused():
    swinging.build()
    with pytest.raises(RuntimeError, match="No loop goes through 'Elbow'"):
        bpy.ops.redmax.fix("EXEC_DEFAULT", True, fix="CLOSE_LOOP", element="Elbow")
