# SPDX-License-Identifier: GPL-3.0-or-later
"""Every message that Check promises: a broken scene in, the message with the object's name and its fixes out, and after
each fix a scene that simulates."""

from __future__ import annotations

import math
from typing import Any

import bpy
import by_hand
import numpy as np
import pytest
import swinging

from redmax_blender.bridge.core.findings import RedMaxError
from redmax_blender.bridge.run import live


@pytest.fixture
def state():
    return bpy.context.window_manager.redmax


@pytest.fixture
def arms():
    """Two arms on a locked post, a few frames long."""
    swinging.build(frames=(1, 5))
    bpy.context.view_layer.update()
    return bpy.data.objects


def check() -> dict[str, Any]:
    """What Check shows, by the beginning of its text."""
    bpy.context.view_layer.update()
    assert bpy.ops.redmax.check() == {"FINISHED"}
    return {row.text: row for row in bpy.context.window_manager.redmax.problems}


def the_row(text: str) -> Any:
    found = check()
    rows = [row for said, row in found.items() if text in said]
    assert len(rows) == 1, f"'{text}' is not among {list(found)}"
    return rows[0]


def fix(row: Any, name: str) -> None:
    """Press a button of a problem, as the panel draws it."""
    assert name in row.fixes.split(","), row.fixes
    element = row.element
    if name == "ENTER_MASS":
        assert bpy.ops.redmax.enter_mass(element=element, mass=2.5) == {"FINISHED"}
    else:
        assert bpy.ops.redmax.fix(fix=name, element=element) == {"FINISHED"}


def gone(text: str) -> None:
    left = [row.text for row in bpy.context.window_manager.redmax.problems]
    assert not [said for said in left if text in said], left


def simulates() -> None:
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.context.scene.redmax.result.status == "complete"


def refused(match: str) -> None:
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.redmax.simulate()


# --- nothing fixed ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["LOCK_ACTIVE", "KEEP_FREE"])
def test_nothing_fixed(arms, name):
    arms["Post"].redmax.body.root = "FREE"
    says = "Mechanism 'Post' is not attached to anything and will fall"
    row = the_row(says)
    assert (row.element, row.severity) == ("Post", "WARNING")
    fix(row, name)
    gone(says)
    assert arms["Post"].redmax.body.root == ("LOCKED" if name == "LOCK_ACTIVE" else "FREE")
    simulates()
    fell = swinging.world("Post")
    bpy.context.scene.frame_set(5)
    assert np.allclose(swinging.world("Post"), fell) == (name == "LOCK_ACTIVE")


def test_lock_active_locks_the_active_body_where_that_counts(arms):
    """'Lower' is the root of its half once the elbow is turned round; a body that a joint carries is not locked."""
    arms["Post"].redmax.body.root = "FREE"
    bpy.context.view_layer.objects.active = arms["Upper"]
    fix(the_row("is not attached"), "LOCK_ACTIVE")
    assert [obj.name for obj in arms if obj.redmax.is_body and obj.redmax.body.root == "LOCKED"] == ["Post"]
    arms["Post"].redmax.body.root = "FREE"
    elbow = arms["Elbow"].redmax.joint
    elbow.parent, elbow.child = arms["Lower"], arms["Upper"]
    bpy.data.objects.remove(arms["Shoulder"])
    bpy.data.objects.remove(arms["Post"])
    bpy.context.view_layer.objects.active = arms["Lower"]
    fix(the_row("is not attached"), "LOCK_ACTIVE")
    assert arms["Lower"].redmax.body.root == "LOCKED"
    simulates()


def test_a_ring_that_nothing_holds_is_locked_at_the_active_body(arms):
    swinging.hinge("Closing", arms["Lower"], arms["Post"], (0.0, 0.0, 2.0))
    arms["Post"].redmax.body.root = "FREE"
    row = the_row("cycle that nothing holds")
    assert row.severity == "ERROR"
    bpy.context.view_layer.objects.active = arms["Upper"]
    fix(row, "LOCK_ACTIVE")
    gone("cycle that nothing holds")
    assert arms["Upper"].redmax.body.root == "LOCKED"


# --- joint without a body --------------------------------------------------------------------


def test_joint_without_a_body_takes_the_one_it_stands_at(arms):
    arms["Elbow"].redmax.joint.child = None
    refused("Joint 'Elbow' has no child body")
    row = the_row("Joint 'Elbow' has no child body")
    assert (row.element, row.severity) == ("Elbow", "ERROR")
    fix(row, "PICK")
    assert arms["Elbow"].redmax.joint.child == arms["Lower"]
    gone("no child body")
    simulates()


def test_joint_without_a_body_takes_the_one_that_is_selected(arms):
    far = swinging.box("Far", (9.0, 0.0, 2.0), (1.0, 0.1, 0.1))
    arms["Elbow"].redmax.joint.child = None
    far.select_set(True)
    fix(the_row("no child body"), "PICK")
    assert arms["Elbow"].redmax.joint.child == far
    arms["Elbow"].redmax.joint.child = None
    arms["Lower"].select_set(True)
    row = the_row("no child body")
    with pytest.raises(RuntimeError, match="2 bodies are selected for joint 'Elbow'"):
        bpy.ops.redmax.fix(fix="PICK", element=row.element)
    assert arms["Elbow"].redmax.joint.child is None


# --- scale -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [(1.0, 2.0, 1.0), (-1.0, 1.0, 1.0), (2.0, 2.0, 2.0)])
def test_a_scale_that_is_exact_is_not_mentioned(arms, scale):
    arms["Upper"].scale = scale
    bpy.context.view_layer.update()
    check()
    gone("has scale")
    mass = arms["Upper"].redmax.body.measured_mass
    assert mass == pytest.approx(1000.0 * 0.01 * abs(math.prod(scale)), rel=1e-5)
    simulates()


def test_a_scale_that_would_shear_what_turns_can_be_applied(arms):
    arms["Upper"].scale = (1.0, 2.0, 1.0)
    hang(arms["Lower"], arms["Upper"])
    row = the_row("'Upper' has scale (1, 2, 1), which would shear 'Lower' as it turns")
    assert (row.element, row.severity) == ("Upper", "WARNING")
    mass = arms["Upper"].redmax.body.measured_mass
    before = swinging.world("Lower")
    fix(row, "APPLY_SCALE")
    gone("has scale")
    assert tuple(arms["Upper"].scale) == (1.0, 1.0, 1.0)
    assert arms["Upper"].redmax.body.measured_mass == pytest.approx(mass, rel=1e-5)
    assert np.allclose(swinging.world("Lower"), before)
    simulates()
    bpy.ops.redmax.bake()


def hang(child, parent):
    """Blender's Parent > Keep Transform."""
    bpy.context.view_layer.update()
    child.parent, child.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    bpy.context.view_layer.update()


def test_applying_the_scale_leaves_children_and_objects_with_the_same_mesh_alone(arms):
    upper = arms["Upper"]
    twin = by_hand.add("Twin", upper.data)
    upper.scale = (1.0, 3.0, 1.0)
    lower = arms["Lower"]
    lower.parent = upper
    bpy.context.view_layer.update()
    before, corners = swinging.world("Lower"), [tuple(vertex.co) for vertex in twin.data.vertices]
    fix(the_row("'Upper' has scale"), "APPLY_SCALE")
    assert np.allclose(swinging.world("Lower"), before, atol=1e-6)
    assert [tuple(vertex.co) for vertex in twin.data.vertices] == corners
    assert upper.data != twin.data


def test_zero_scale(arms):
    arms["Upper"].scale = (1.0, 0.0, 1.0)
    refused("'Upper' is flattened")
    row = the_row("'Upper' is flattened: a scale is zero")
    assert row.severity == "ERROR"
    fix(row, "RESET_SCALE")
    gone("flattened")
    assert tuple(arms["Upper"].scale) == (1.0, 1.0, 1.0)
    simulates()


# --- open or zero-volume mesh ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["USE_HULL", "USE_BOX", "ENTER_MASS"])
def test_open_mesh(arms, name, monkeypatch):
    from redmax.geometry import hull
    from redmax_blender.bridge.extract import mass

    # Here without scipy; of a box the hull is its box, as the engine's own tests say.
    monkeypatch.setattr(hull, "hull_mesh", hull.bounding_box_mesh)
    monkeypatch.setattr(mass, "has_hulls", lambda: True)
    arms["Upper"].data = by_hand.mesh("Open", by_hand.CORNERS, by_hand.FACES[:-1])
    refused("'Upper' is not closed; its mass would be wrong")
    row = the_row("'Upper' is not closed; its mass would be wrong")
    assert (row.element, row.severity) == ("Upper", "ERROR")
    assert row.fixes == "USE_HULL,USE_BOX,ENTER_MASS"
    fix(row, name)
    assert not [problem.text for problem in bpy.context.window_manager.redmax.problems if problem.severity == "ERROR"]
    mass = arms["Upper"].redmax.body.measured_mass
    assert mass == pytest.approx(2.5 if name == "ENTER_MASS" else 1000.0)
    simulates()


def test_an_open_part_is_fixed_at_its_body(arms):
    plate = by_hand.add("Plate", by_hand.mesh("Plate", faces=by_hand.FACES[:-1]))
    plate.parent = arms["Upper"]
    row = the_row("'Plate' (part of 'Upper') is not closed")
    assert row.element == "Plate"
    fix(row, "USE_BOX")
    gone("not closed")
    assert arms["Upper"].redmax.body.mesh.approximation == "box"
    simulates()


def test_an_open_part_does_not_replace_a_shape_that_was_chosen(arms):
    upper = arms["Upper"]
    upper.redmax.body.shape = "sphere"
    upper.redmax.body.sphere.radius = 0.1
    plate = by_hand.add("Plate", by_hand.mesh("Plate", faces=by_hand.FACES[:-1]))
    plate.parent = upper
    row = the_row("'Plate' (part of 'Upper') is not closed")
    assert row.fixes == "ENTER_MASS"
    fix(row, "ENTER_MASS")
    assert upper.redmax.body.shape == "sphere"
    simulates()


def test_a_hull_is_offered_only_where_there_are_hulls(arms, monkeypatch):
    from redmax_blender.bridge.extract import mass

    monkeypatch.setattr(mass.route, "found", {"scipy": None}.get)
    arms["Upper"].data = by_hand.mesh("Open", faces=by_hand.FACES[:-1])
    assert the_row("'Upper' is not closed").fixes == "USE_BOX,ENTER_MASS"


@pytest.mark.parametrize("name", ["USE_BOX", "ENTER_MASS"])
def test_flat_mesh(arms, name):
    arms["Upper"].data = by_hand.mesh("Sheet", by_hand.CORNERS[[0, 1, 3, 2]], [(0, 1, 2, 3)])
    row = next(row for said, row in check().items() if said.startswith("'Upper'"))
    assert row.severity == "ERROR"
    fix(row, name)
    assert arms["Upper"].redmax.body.measured_mass > 0.0
    if name == "USE_BOX":
        assert np.allclose(sorted(arms["Upper"].redmax.body.box.size), (0.01, 1.0, 1.0))
    simulates()


def test_an_empty_without_anything_becomes_a_box(arms):
    arms["Elbow"].redmax.joint.child = None
    arms["Elbow"].redmax.joint.parent = None
    bpy.data.objects.remove(arms["Lower"])
    ghost = by_hand.add("Ghost")
    ghost.redmax.is_body = True
    arms["Elbow"].redmax.joint.child = ghost
    fix(the_row("'Ghost' has nothing that gives it mass"), "USE_BOX")
    assert ghost.redmax.body.measured_mass == pytest.approx(1000.0)
    simulates()


# --- nothing can move ------------------------------------------------------------------------


def test_nothing_can_move(arms):
    for name in ("Shoulder", "Elbow"):
        arms[name].redmax.joint.motion_type = "locked"
    says = "Mechanism 'Post' cannot move: it has 0 degrees of freedom"
    row = the_row(says)
    assert (row.element, row.severity) == ("Post", "WARNING")
    fix(row, "SELECT_REDUNDANT")
    assert {obj.name for obj in bpy.context.selected_objects} == {"Shoulder", "Elbow"}
    fix(the_row(says), "SET_SIMULATED")
    gone(says)
    assert bpy.context.window_manager.redmax.mechanisms[0].dofs == 2
    simulates()


# --- outside limits --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["WIDEN", "MOVE"])
@pytest.mark.parametrize(("side", "limit", "start"), [("upper", 10.0, 22.0), ("lower", -10.0, -22.0)])
def test_outside_limits(arms, name, side, limit, start):
    joint = arms["Elbow"].redmax.joint
    getattr(joint, f"use_{side}")[0] = True
    getattr(joint, f"{side}_angle")[0] = math.radians(limit)
    joint.coordinate_angle_1 = math.radians(start)
    says = f"'Elbow' starts 12 deg outside its {side} limit"
    row = the_row(says)
    assert (row.element, row.severity) == ("Elbow", "WARNING")
    fix(row, name)
    gone("outside its")
    expected = (start, start) if name == "WIDEN" else (limit, limit)
    found = (getattr(joint, f"{side}_angle")[0], joint.coordinate_angle_1)
    assert np.degrees(found) == pytest.approx(expected, rel=1e-6)
    simulates()


def test_a_start_that_keys_give_is_widened_but_not_moved(arms):
    elbow = arms["Elbow"]
    joint = elbow.redmax.joint
    joint.use_upper[0], joint.upper_angle[0] = True, 0.1
    joint.coordinate_angle_1 = 0.5
    elbow.keyframe_insert("redmax.joint.coordinate_angle_1", frame=1)
    joint.coordinate_angle_1 = 0.0
    row = the_row("'Elbow' starts")
    with pytest.raises(RuntimeError, match="'Elbow' starts where its keys say"):
        bpy.ops.redmax.fix(fix="MOVE", element=row.element)
    fix(the_row("'Elbow' starts"), "WIDEN")
    assert joint.upper_angle[0] == pytest.approx(0.5)
    gone("outside its")


# --- animated without keys -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["KEY", "SET_SIMULATED"])
def test_animated_without_keys(arms, name):
    arms["Shoulder"].redmax.joint.motion_type = "animated"
    says = "'Shoulder' is Animated but has no keyframes; it will stand still"
    row = the_row(says)
    assert (row.element, row.severity) == ("Shoulder", "WARNING")
    fix(row, name)
    gone("no keyframes")
    assert arms["Shoulder"].redmax.joint.motion_type == ("animated" if name == "KEY" else "simulated")
    assert (arms["Shoulder"].animation_data is not None) == (name == "KEY")
    simulates()


# --- also driven elsewhere -------------------------------------------------------------------


def moved_by_constraint(obj):
    constraint = obj.constraints.new("LIMIT_LOCATION")
    constraint.name = "IK"
    constraint.use_min_z, constraint.min_z = True, 2.5
    return lambda: constraint.mute


def moved_by_driver(obj):
    driver = obj.driver_add("location", 2)
    driver.driver.expression = "2.5"
    return lambda: driver.mute


def moved_by_delta_keys(obj):
    for frame, z in ((1, 0.5), (5, 1.0)):
        obj.delta_location[2] = z
        obj.keyframe_insert("delta_location", index=2, frame=frame)
    bpy.context.scene.frame_set(1)
    from redmax_blender import compat

    return lambda: compat.fcurves_of(obj)[0].mute


@pytest.mark.parametrize("moved", [moved_by_constraint, moved_by_driver, moved_by_delta_keys])
def test_also_driven_elsewhere(arms, moved):
    lower = arms["Lower"]
    before = (tuple(lower.location), tuple(lower.delta_location))
    is_muted = moved(lower)
    bpy.context.view_layer.update()
    placed = swinging.world("Lower")
    assert placed[2, 3] == pytest.approx(2.5)
    refused("'Lower' is also driven by")
    row = the_row("'Lower' is also driven by")
    assert "the bake would be overwritten" in row.text
    assert (row.element, row.severity) == ("Lower", "ERROR")
    fix(row, "MUTE")
    gone("is also driven by")
    assert is_muted()
    assert np.allclose(swinging.world("Lower"), placed, atol=1e-6), "it stays where it stood"
    simulates()
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(5)
    assert not np.allclose(swinging.world("Lower"), placed, atol=1e-3), "and follows the bake"
    assert bpy.ops.redmax.remove_bake() == {"FINISHED"}
    bpy.ops.redmax.clear_result()
    bpy.context.scene.frame_set(1)
    fix(the_row("muted for the bake"), "UNMUTE")
    assert not is_muted()
    assert np.allclose(swinging.world("Lower"), placed, atol=1e-6)
    own = 2 if moved is moved_by_driver else 3  # a driver has written its number into the channel long before
    assert np.array_equal(lower.location[:own], before[0][:own]), "its own channels are as before"
    the_row("'Lower' is also driven by")


def test_blenders_own_physics_is_taken_away(arms):
    lower = arms["Lower"]
    with bpy.context.temp_override(object=lower, active_object=lower, selected_objects=[lower]):
        bpy.ops.rigidbody.object_add()
    row = the_row("'Lower' is also driven by Blender's rigid-body physics")
    fix(row, "REMOVE_RIGID_BODY")
    assert lower.rigid_body is None
    gone("also driven")
    simulates()


# --- diverged, stale -------------------------------------------------------------------------


def diverging(arms):
    """A step of a whole frame and a spring that is far too stiff for it."""
    settings = bpy.context.scene.redmax
    settings.accuracy, settings.integrator = "CUSTOM", "rk4"
    settings.rk4.h = 1.0 / 24.0
    bpy.context.scene.frame_end = 60
    for name in ("Shoulder", "Elbow"):
        arms[name].redmax.joint.stiffness[0] = 1e5
        arms[name].redmax.joint.rest_angle[0] = 0.5


def test_diverged(arms):
    diverging(arms)
    refused(r"Stopped at frame \d+: '\w+' exceeds 1,000,000 m/s .* kept$")  # an error, but what is done stays
    result = bpy.context.scene.redmax.result
    assert result.status == "failed"
    last = result.frame_end
    row = the_row("Stopped at frame")
    assert row.text.startswith(f"Stopped at frame {last + 1}: '")
    assert row.text.endswith(f". Frames 1-{last} kept")
    assert row.element in swinging.MOVING
    assert row.severity == "WARNING"
    fix(row, "GO_TO_FRAME")
    assert bpy.context.scene.frame_current == last
    fix(the_row("Stopped at frame"), "ACCURACY_HIGH")
    assert bpy.context.scene.redmax.accuracy == "HIGH"
    with pytest.raises(RuntimeError, match="Accuracy is High already"):
        bpy.ops.redmax.fix(fix="ACCURACY_HIGH", element="")
    bpy.context.scene.frame_end = last + 1  # the frame that could not be reached; a stiff spring takes its time
    simulates()
    check()
    gone("Stopped at frame")


def test_stale_result(arms):
    simulates()
    arms["Lower"].location.x += 0.1
    bpy.context.view_layer.update()
    row = the_row("Settings changed since the simulation; bake would differ")
    assert row.severity == "WARNING"
    fix(row, "SIMULATE")
    check()
    gone("Settings changed")
    assert not bpy.context.scene.redmax.result.changed
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_removing_a_rigid_body_that_is_none_is_refused(arms):
    with pytest.raises(RuntimeError, match="is no rigid body"):
        bpy.ops.redmax.fix(fix="REMOVE_RIGID_BODY", element="Lower")


def test_the_fix_simulate_passes_on_what_simulate_refuses(monkeypatch):
    """A nested operator's report is an exception to Blender; it is no error that nobody foresaw."""
    swinging.build()

    def refused(*_arguments):
        raise RedMaxError("joint 'Shoulder': it goes nowhere")

    monkeypatch.setattr(live, "prepare", refused)
    with pytest.raises(RuntimeError) as error:
        bpy.ops.redmax.fix(fix="SIMULATE")
    assert "it goes nowhere" in str(error.value)
    assert "does not know" not in str(error.value)


# --- every button ----------------------------------------------------------------------------


def test_every_fix_says_what_it_does_and_is_done_by_somebody():
    from redmax_blender.bridge.check.fixes import fixes
    from redmax_blender.properties.fixes import FIXES

    done = {*fixes.OF_ELEMENTS, *fixes.OF_SCENES, "SIMULATE"}
    assert set(FIXES) == done
    numbers = [fix.number for fix in FIXES.values()]
    assert numbers == list(range(len(FIXES)))
    icons = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
    for fix in FIXES.values():
        assert fix.icon in icons, fix.icon
        assert not fix.text.endswith(".")
        assert all(word[0].isupper() for word in fix.label.split() if word not in ("for", "to"))


def test_a_fix_of_what_is_gone_is_refused_by_name(arms):
    with pytest.raises(RuntimeError, match="There is no object 'Gone'"):
        bpy.ops.redmax.fix(fix="USE_BOX", element="Gone")
    with pytest.raises(RuntimeError, match="There is no object 'Gone'"):
        bpy.ops.redmax.enter_mass(element="Gone")
    with pytest.raises(RuntimeError, match="'Elbow' starts inside its limits"):
        bpy.ops.redmax.fix(fix="WIDEN", element="Elbow")
    with pytest.raises(RuntimeError, match="Nothing that can be muted moves 'Lower'"):
        bpy.ops.redmax.fix(fix="MUTE", element="Lower")
    with pytest.raises(RuntimeError, match="Nothing of 'Lower' is muted"):
        bpy.ops.redmax.fix(fix="UNMUTE", element="Lower")
    with pytest.raises(RuntimeError, match="no result to go to"):
        bpy.ops.redmax.fix(fix="GO_TO_FRAME", element="")


def test_muted_text_that_nobody_wrote_is_no_harm(arms):
    from redmax_blender.bridge.objects import muting

    lists = '"constraints": [], "drivers": [], "curves": []'
    foreign = f'{{{lists}, "channels": {{"name": 1}}, "deltas": {{}}}}'
    for text in ("nonsense", "[]", '{"constraints": 3}', f"{{{lists}}}", foreign):
        arms["Lower"].redmax.muted = text
        assert muting.read(arms["Lower"]) is None
        check()
        gone("muted")


# --- fix all ---------------------------------------------------------------------------------


def test_fix_all_makes_a_broken_mechanism_ready(arms, state):
    arms["Post"].redmax.body.root = "FREE"
    arms["Upper"].data = by_hand.mesh("Open", faces=by_hand.FACES[:-1])
    arms["Elbow"].redmax.joint.child = None
    arms["Shoulder"].redmax.joint.motion_type = "animated"
    arms["Lower"].constraints.new("LIMIT_LOCATION")
    check()
    assert len(state.problems) >= 4
    assert bpy.ops.redmax.fix_all() == {"FINISHED"}
    assert [row.text for row in state.problems if row.severity != "INFO"] == []
    assert state.message.startswith("Fixed 5; nothing left")
    assert not bpy.ops.redmax.fix_all.poll()
    simulates()


def test_fix_all_goes_on_to_what_a_fix_uncovers(arms, state):
    """What is flattened cannot be weighed before it has a size."""
    arms["Upper"].scale = (0.0, 1.0, 1.0)
    arms["Upper"].data = by_hand.mesh("Open", faces=by_hand.FACES[:-1])
    check()
    assert bpy.ops.redmax.fix_all() == {"FINISHED"}
    assert [row.text for row in state.problems if row.severity == "ERROR"] == []
    simulates()


def test_fix_all_keeps_out_of_what_only_the_artist_can_decide(arms, state):
    simulates()
    arms["Upper"].scale = (1.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    check()
    assert {row.fixes for row in state.problems} == {"SIMULATE"}
    assert not bpy.ops.redmax.fix_all.poll(), "computing takes its time"


def test_a_fix_that_cannot_be_done_is_said_and_the_others_are(arms, state):
    arms["Shoulder"].redmax.joint.motion_type = "animated"
    arms["Elbow"].redmax.joint.child = None
    for name in ("Lower", "Post"):
        arms[name].select_set(True)
    check()
    assert bpy.ops.redmax.fix_all() == {"FINISHED"}
    assert [row.element for row in state.problems if row.severity == "ERROR"] == ["Elbow"]
    assert arms["Shoulder"].animation_data is not None


def test_fixes_are_one_undo_step_each():
    for name in ("fix", "fix_all", "enter_mass", "solo_mechanism"):
        cls = getattr(bpy.types, f"REDMAX_OT_{name}")
        assert cls.bl_options == {"REGISTER", "UNDO"}
