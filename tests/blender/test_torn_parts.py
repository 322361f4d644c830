# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that were moved away from their joints are found once, and can be put back or fitted anew; nothing else is."""

from __future__ import annotations

import math

import bpy
import by_hand
import linkages
import numpy as np
import pytest
import swinging
from mathutils import Matrix, Vector

from redmax_blender.bridge.check.findings import torn_parts


def torn():
    """What Check says of torn parts: sentences, as the artist reads them."""
    bpy.ops.redmax.check()
    return [row.text for row in bpy.context.window_manager.redmax.problems if "RESET" in row.fixes]


def fitted_four_bar():
    linkages.four_bar()
    bpy.context.view_layer.update()
    assert torn() == [], "the first Check records how it stands"


def move(name, *by):
    obj = bpy.data.objects[name]
    obj.location = Vector(obj.location) + Vector(by)
    bpy.context.view_layer.update()


def transform(objects, T):
    for obj in [obj for obj in objects if obj.parent is None]:
        obj.matrix_world = Matrix(T) @ obj.matrix_world
    bpy.context.view_layer.update()


def shift(x, y, z):
    return Matrix.Translation((x, y, z))


def apply_transform(obj, **what):
    with bpy.context.temp_override(
        object=obj, active_object=obj, selected_objects=[obj], selected_editable_objects=[obj]
    ):
        what = {"location": False, "rotation": False, "scale": False, **what}
        assert bpy.ops.object.transform_apply(**what) == {"FINISHED"}
    bpy.context.view_layer.update()


def test_a_moved_body_is_found_once_and_put_back():
    fitted_four_bar()
    before = swinging.channels("Coupler")
    move("Coupler", 0.0, 0.2, 0.0)
    assert torn() == ["'Coupler' stands 0.2 m from its pins 'Pin B' and 'Pin D'"]
    assert bpy.ops.redmax.fix(fix="RESET", element="Coupler") == {"FINISHED"}
    assert torn() == []
    after = swinging.channels("Coupler")
    assert np.allclose(after[0], before[0], atol=1e-6)
    assert after[1] == before[1], "what was not turned keeps its rotation to the last digit"


def test_refit_accepts_where_it_stands():
    fitted_four_bar()
    move("Coupler", 0.0, 0.2, 0.0)
    assert len(torn()) == 1
    there = swinging.channels("Coupler")
    assert bpy.ops.redmax.fix(fix="REFIT", element="Coupler") == {"FINISHED"}
    assert torn() == []
    assert swinging.channels("Coupler") == there
    move("Coupler", 0.0, -0.2, 0.0)
    assert len(torn()) == 1, "it is measured from there now"


def test_a_body_turned_across_its_pin_is_found_and_put_back():
    swinging.build()
    torn()
    lower = bpy.data.objects["Lower"]
    pin = shift(1.0, 0.0, 2.0)
    lower.matrix_world = pin @ Matrix.Rotation(math.radians(20.0), 4, "Z") @ pin.inverted() @ lower.matrix_world
    bpy.context.view_layer.update()
    assert torn() == ["'Lower' is turned 20 deg against its pin 'Elbow'"]
    bpy.ops.redmax.fix(fix="RESET", element="Lower")
    assert torn() == []
    assert np.allclose(swinging.world("Lower")[:3, 3], (1.5, 0.0, 2.0), atol=1e-5)


def test_what_a_joint_allows_is_no_damage():
    swinging.build()
    torn()
    lower = bpy.data.objects["Lower"]
    pin = shift(1.0, 0.0, 2.0)
    lower.matrix_world = pin @ Matrix.Rotation(math.radians(70.0), 4, "Y") @ pin.inverted() @ lower.matrix_world
    bpy.context.view_layer.update()
    assert torn() == [], "an arm may be modelled at any angle of its hinge"
    move("Lower", 0.3, 0.0, 0.0)
    assert len(torn()) == 1, "and is measured from there"


def test_a_slider_may_stand_anywhere_on_its_axis():
    linkages.slider_crank()
    bpy.context.view_layer.update()
    torn()
    for name in ("Pin C", "Rod"):
        bpy.data.objects.remove(bpy.data.objects[name])
    move("Piston", 0.3, 0.0, 0.0)
    assert torn() == []
    move("Piston", 0.0, 0.0, 0.3)
    assert torn() == ["'Piston' stands 0.3 m from its joint 'Guide'"]


def test_a_crank_turned_alone_leaves_its_coupler_and_is_the_one_that_moved():
    fitted_four_bar()
    crank = bpy.data.objects["Crank"]
    crank.matrix_world = Matrix.Rotation(math.radians(40.0), 4, "Y") @ crank.matrix_world
    bpy.context.view_layer.update()
    (said,) = torn()
    assert said.startswith("'Crank' stands 0.137 m from its pin 'Pin B'")
    bpy.ops.redmax.fix(fix="RESET", element="Crank")
    assert torn() == []
    assert np.allclose(swinging.world("Crank")[:3, 3], (0.0, 0.0, 0.1), atol=1e-6)


def test_a_chain_goes_back_with_what_hangs_on_it():
    swinging.build()
    torn()
    places = {name: swinging.world(name) for name in ("Upper", "Lower", "Elbow")}
    turned = shift(0.1, 0.3, 0.0) @ Matrix.Rotation(0.4, 4, "Z")
    transform([bpy.data.objects[name] for name in places], turned)
    assert torn() == ["'Upper' stands 0.316 m from its pin 'Shoulder'"], "one part, one line"
    bpy.ops.redmax.fix(fix="RESET", element="Upper")
    assert torn() == []
    for name, place in places.items():
        assert np.allclose(swinging.world(name), place, atol=1e-5), name


def test_two_parts_moved_apart_go_back_in_any_order():
    swinging.build()
    torn()
    places = {name: swinging.world(name) for name in ("Upper", "Lower")}
    move("Upper", 0.0, 0.2, 0.0)
    move("Lower", 0.0, -0.1, 0.1)
    assert len(torn()) == 2
    bpy.ops.redmax.fix(fix="RESET", element="Lower")
    bpy.ops.redmax.fix(fix="RESET", element="Upper")
    assert torn() == []
    for name, place in places.items():
        assert np.allclose(swinging.world(name), place, atol=1e-5), name


def test_a_joint_parented_to_its_body_moves_along_and_the_body_is_named():
    """As Connect makes them: the empty is a Blender child of the parent body."""
    scene = swinging.build()
    elbow, upper = scene.objects["Elbow"], scene.objects["Upper"]
    elbow.parent, elbow.matrix_parent_inverse = upper, upper.matrix_world.inverted()
    bpy.context.view_layer.update()
    torn()
    move("Upper", 0.0, 0.2, 0.0)
    assert torn() == ["'Upper' stands 0.2 m from its pins 'Elbow' and 'Shoulder'"]
    bpy.ops.redmax.fix(fix="RESET", element="Upper")
    assert torn() == []
    assert np.allclose(swinging.world("Elbow")[:3, 3], (1.0, 0.0, 2.0), atol=1e-6)


def test_a_pin_that_both_bodies_left_behind_is_found_and_follows_them():
    scene = swinging.build()
    torn()
    transform([scene.objects[name] for name in ("Post", "Upper", "Lower", "Shoulder")], shift(0.0, 0.5, 0.0))
    assert torn() == ["'Lower' and 'Upper' were moved away from their pin 'Elbow'"]
    bpy.ops.redmax.fix(fix="RESET", element="Elbow")
    assert torn() == []
    assert np.allclose(swinging.world("Elbow")[:3, 3], (1.0, 0.5, 2.0), atol=1e-6)


# --- what is no damage -----------------------------------------------------------------------


def everything():
    return list(bpy.context.scene.objects)


HARMLESS = {
    "move the whole": lambda: transform(everything(), shift(3.0, -2.0, 0.5) @ Matrix.Rotation(1.0, 4, "Z")),
    "scale the whole": lambda: transform(everything(), Matrix.Scale(2.5, 4)),
    "mirror the whole": lambda: transform(everything(), Matrix.Scale(-1.0, 4, (1.0, 0.0, 0.0))),
    "place a pin by hand": lambda: move("Pin B", 0.0, 0.0, -0.05),
    "place a pin of the world by hand": lambda: move("Pin A", 0.02, 0.0, 0.0),
    "apply rotation and location": lambda: apply_transform(
        bpy.data.objects["Coupler"], location=True, rotation=True, scale=True
    ),
    "apply all of everything": lambda: [
        apply_transform(bpy.data.objects[name], location=True, rotation=True, scale=True)
        for name in ("Crank", "Coupler", "Rocker")
    ],
    "scale one body": lambda: setattr(bpy.data.objects["Rocker"], "scale", (1.0, 2.0, 1.0)),
    "edit a mesh": lambda: bpy.data.objects["Coupler"].data.transform(Matrix.Translation((0.0, 0.1, 0.0))),
    "show a result": lambda: (swinging.simulate(), bpy.context.scene.frame_set(10)),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_no_false_alarm(what):
    fitted_four_bar()
    bpy.context.scene.frame_end = 12
    HARMLESS[what]()
    bpy.context.view_layer.update()
    assert torn() == []
    move("Coupler", 0.0, 0.6, 0.0) if what != "show a result" else None
    assert bool(torn()) == (what != "show a result"), "and a real one is still seen after it"


def test_scaling_the_whole_and_applying_that_is_no_damage():
    fitted_four_bar()
    transform(everything(), Matrix.Scale(3.0, 4))
    for name in ("Crank", "Coupler", "Rocker"):
        apply_transform(bpy.data.objects[name], scale=True)
    assert torn() == []


def test_a_copy_of_a_mechanism_is_whole_wherever_it_is_put():
    fitted_four_bar()
    for obj in bpy.context.scene.objects:
        obj.select_set(True)
    assert bpy.ops.object.duplicate() == {"FINISHED"}
    for obj in bpy.context.selected_objects:
        obj.location.y += 2.0
    bpy.context.view_layer.update()
    assert torn() == []
    move("Coupler.001", 0.0, 0.2, 0.0)
    assert torn() == ["'Coupler.001' stands 0.2 m from its pins 'Pin B.001' and 'Pin D.001'"]


def test_undo_of_a_move_is_no_move():
    linkages.four_bar()
    bpy.ops.ed.undo_push(message="Built")
    assert torn() == []
    bpy.ops.ed.undo_push(message="Checked")
    move("Coupler", 0.0, 0.2, 0.0)
    bpy.ops.ed.undo_push(message="Moved")
    assert len(torn()) == 1
    bpy.ops.ed.undo()
    assert torn() == []


def test_a_file_remembers_and_an_older_one_is_recorded_by_its_first_check(tmp_path):
    fitted_four_bar()
    move("Coupler", 0.0, 0.2, 0.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "torn.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "torn.blend"))
    assert len(torn()) == 1
    for obj in bpy.data.objects:
        obj.redmax.property_unset("fit")
    assert torn() == []
    move("Coupler", 0.0, 0.1, 0.0)
    assert len(torn()) == 1


def test_an_appended_and_an_overridden_mechanism_are_whole(tmp_path):
    fitted_four_bar()
    path = str(tmp_path / "library.blend")
    collection = bpy.data.collections.new("Linkage")
    bpy.context.scene.collection.children.link(collection)
    for obj in list(bpy.context.scene.collection.objects):
        collection.objects.link(obj)
        bpy.context.scene.collection.objects.unlink(obj)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for override in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(path, link=override) as (_, to):
            to.collections = ["Linkage"]
        (linked,) = to.collections
        scene, layer = bpy.context.scene, bpy.context.view_layer
        if override:
            linked.override_hierarchy_create(scene, layer)
        else:
            scene.collection.children.link(linked)
        layer.update()
        assert torn() == []
        transform(scene.objects, shift(1.0, 0.0, 0.0))
        assert torn() == []
        move("Coupler", 0.0, 0.2, 0.0)
        assert len(torn()) == 1, f"override: {override}"


def test_connect_and_templates_record_at_once():
    bpy.ops.redmax.add_four_bar()
    joints = [obj for obj in bpy.data.objects if obj.redmax.is_joint]
    assert joints
    assert all(obj.redmax.fit.recorded for obj in joints)
    assert torn_parts.compare(by_hand.extract()).outdated.names == (), "Check has nothing to add"
    coupler = next(obj for obj in bpy.data.objects if "Coupler" in obj.name and obj.redmax.is_body)
    coupler.location.y += 0.2
    bpy.context.view_layer.update()
    assert len(torn()) == 1, "moved before the first Check"


def test_another_body_or_a_swap_is_a_new_fit():
    scene = swinging.build()
    torn()
    scene.objects["Elbow"].redmax.joint.child = None
    move("Lower", 0.0, 0.3, 0.0)
    scene.objects["Elbow"].redmax.joint.child = scene.objects["Lower"]
    assert len(torn()) == 1, "picked again: it is the same body"
    bpy.ops.redmax.fix(fix="REFIT", element="Lower")
    bpy.context.view_layer.objects.active = scene.objects["Elbow"]
    bpy.ops.redmax.swap_joint()
    assert torn() == []


def test_bodies_with_keys_or_a_bake_are_left_alone():
    scene = swinging.build()
    torn()
    swinging.simulate()
    bpy.ops.redmax.bake()
    scene.frame_set(9)
    assert torn() == []
    bpy.ops.redmax.remove_bake()
    scene.frame_set(1)
    lower = scene.objects["Lower"]
    for frame, y in ((1, 0.3), (10, 0.6)):
        lower.location.y = y
        lower.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()
    assert torn() == []


def test_reset_refuses_by_name_what_it_cannot_move():
    scene = swinging.build()
    torn()
    with pytest.raises(RuntimeError, match="'Lower' stands at its joints"):
        bpy.ops.redmax.fix(fix="RESET", element="Lower")
    move("Lower", 0.0, 0.3, 0.0)
    scene.objects["Elbow"].redmax.joint.motion_type = "locked"
    assert len(torn()) == 1, "whatever decides how it moves"


def test_looking_costs_little(monkeypatch):
    """Nothing is fitted or compared twice where nothing has changed."""
    fitted_four_bar()
    monkeypatch.setattr(torn_parts.coordinate_fit, "fit", lambda *_: pytest.fail("fits a joint that stands"))
    assert torn_parts.compare(by_hand.extract()).outdated.names == (), "nothing is written twice"
    assert torn() == []
