# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to elements of every sort in an artist's file: saved, undone, copied, appended, overridden, renamed and
deleted.

Nothing dangles: what an element has lost is named by Check, with a fix that works.
"""

from __future__ import annotations

import bpy
import geared
import numpy as np
import pytest
from geared import extracted, select
from intents import MAKERS

from redmax_blender import handlers
from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.core.findings import RedMaxError
from redmax_blender.bridge.extract import keyed_model
from redmax_blender.bridge.results import keyed_pose
from redmax_blender.properties import references, sorts, stored_groups

every = pytest.mark.parametrize("what", MAKERS)
each_end = pytest.mark.parametrize(
    ("what", "lost"), [(what, end) for what, intent in MAKERS.items() for end in intent.ends if end is not None]
)


def own(obj):
    """The settings of an element's kind."""
    (sort,) = sorts.generated_sorts(obj.redmax)
    return sort.own_group(getattr(obj.redmax, sort.name))


def meant(obj):
    """Names of what an element refers to as bodies and joints."""
    return tuple(each.object() and each.object().name for each in sorts.references_of(obj.redmax) if each.sort)


def lists():
    """What of a scene are elements beside bodies and joints."""
    scene = extracted().scene
    return {listed: getattr(scene, listed) for listed in ("forces", "constraints", "strands", "drives")}


def save_and_open(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@every
def test_saving_and_opening_keeps_everything(tmp_path, what):
    name = MAKERS[what].make().name
    before = extracted().digest
    save_and_open(tmp_path / "file.blend")
    assert extracted().digest == before
    assert meant(bpy.data.objects[name]) == MAKERS[what].ends


@every
def test_undo_takes_it_away_and_redo_brings_it_back(what):
    bpy.ops.ed.undo_push(message="empty")
    name = MAKERS[what].make().name
    bpy.ops.ed.undo_push(message="made")
    before = extracted().digest
    bpy.ops.ed.undo()
    assert name not in bpy.data.objects
    bpy.ops.ed.redo()
    assert extracted().digest == before
    assert meant(bpy.data.objects[name]) == MAKERS[what].ends


@every
def test_duplicated_together_with_its_ends_it_refers_to_the_copies(what):
    MAKERS[what].make()
    select(*bpy.context.scene.objects)
    bpy.ops.object.duplicate()
    copies = [obj for obj in bpy.context.selected_objects if sorts.generated_sorts(obj.redmax)]
    assert [meant(copy) for copy in copies] == [tuple(end and f"{end}.001" for end in MAKERS[what].ends)]
    shown = [obj.redmax.shows for obj in bpy.context.selected_objects if obj.redmax.shows is not None]
    assert all(element in copies for element in shown), "the copy of a shape shows the copy"
    assert not [finding for finding in extracted().findings if finding.code]
    assert len([element for elements in lists().values() for element in elements]) == 2


@every
def test_duplicated_alone_it_acts_on_the_same(what):
    obj = MAKERS[what].make()
    select(obj)
    bpy.ops.object.duplicate()
    assert meant(bpy.context.object) == MAKERS[what].ends


@every
def test_appended_it_brings_what_it_refers_to(tmp_path, what):
    name = MAKERS[what].make().name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=False) as (there, here):
        here.objects = list(there.objects)
    for obj in here.objects:
        bpy.context.scene.collection.objects.link(obj)
    assert meant(bpy.data.objects[name]) == MAKERS[what].ends
    assert not extracted().errors


@every
def test_linked_and_overridden_it_can_be_edited_and_that_survives(tmp_path, what):
    name = MAKERS[what].make().name
    collection = bpy.data.collections.new("All")
    bpy.context.scene.collection.children.link(collection)
    for obj in bpy.context.scene.collection.objects:
        collection.objects.link(obj)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, here):
        here.collections = ["All"]
    bpy.context.scene.collection.children.link(here.collections[0])
    here.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    bpy.context.scene.collection.children.unlink(here.collections[0])
    field = MAKERS[what].field
    override = bpy.data.objects[(name, None)]
    if field:
        setattr(own(override), field, 7.0)
    assert all(
        end.object().library is None for end in sorts.references_of(override.redmax) if end.sort and end.object()
    )
    for _ in range(2):
        save_and_open(tmp_path / "user.blend")
        override = bpy.data.objects[(name, None)]
        assert not field or getattr(own(override), field) == 7.0
        assert meant(override) == MAKERS[what].ends
    found = [getattr(element, field, 7.0) for elements in lists().values() for element in elements]
    assert found == [7.0]
    assert not [finding for finding in extracted().findings if finding.severity == "ERROR"]


@each_end
def test_renaming_an_end_changes_nothing_but_the_name(what, lost):
    obj = MAKERS[what].make()
    end = bpy.data.objects[lost]
    end.name = "Ärmel 'x'"
    handlers.renamed()
    assert meant(obj) == tuple("Ärmel 'x'" if name == lost else name for name in MAKERS[what].ends)
    assert not extracted().errors
    bpy.data.objects.remove(end)
    assert any("Ärmel 'x'" in finding.text for finding in extracted().findings), "it is known by its last name"


@every
def test_deleting_its_empty_deletes_it(what):
    obj = MAKERS[what].make()
    select(obj)
    bpy.ops.object.delete()
    assert not any(lists().values())
    assert not [finding for finding in extracted().findings if finding.severity == "ERROR"]


def delete_by_hand(obj):
    select(obj)
    bpy.ops.object.delete()


def delete_from_file(obj):
    bpy.data.objects.remove(obj)


DELETIONS = {"in the viewport": delete_by_hand, "from the file": delete_from_file}


@each_end
@pytest.mark.parametrize("how", DELETIONS)
def test_what_it_has_lost_is_named_and_can_be_removed(what, lost, how):
    obj = MAKERS[what].make()
    DELETIONS[how](bpy.data.objects[lost])
    bpy.context.view_layer.update()
    findings = [found for found in extracted().findings if found.code == "lost_reference"]
    assert findings
    for finding in findings:
        assert (finding.element, finding.severity) == (obj.name, "ERROR")
        assert f"'{lost}'" in finding.text
        assert set(finding.fixes) <= set(fixes.OF_ELEMENTS)
    assert not any(lists().values()), "it is not simulated as something else"
    fixes.apply(bpy.context, "REMOVE_ELEMENT", obj.name)
    assert not [found for found in extracted().findings if found.code == "lost_reference"]
    assert not [other for other in bpy.data.objects if other.redmax.shows is not None], "nor is its shape left"


@pytest.mark.parametrize("how", DELETIONS)
def test_a_spring_that_lost_a_body_can_be_left_to_the_world_or_get_another(how):
    spring = geared.sprung()
    DELETIONS[how](bpy.data.objects["Anchor"])
    fixes.apply(bpy.context, "USE_WORLD", spring.name)
    (force,) = lists()["forces"]
    assert (force.body_a, force.body_b) == (None, "Bob")
    DELETIONS[how](bpy.data.objects["Bob"])
    other = geared.rod()
    select(other, spring)
    fixes.apply(bpy.context, "PICK_END", spring.name)
    (force,) = lists()["forces"]
    assert (force.body_a, force.body_b) == (None, "Rod")
    assert not [found for found in extracted().findings if found.code]


def test_a_fix_that_cannot_help_says_so():
    spring = geared.sprung()
    bpy.data.objects.remove(bpy.data.objects["Bob"])
    select(spring)
    with pytest.raises(fixes.BridgeError, match="No body is selected besides 'Spring'; select the body"):
        fixes.apply(bpy.context, "PICK_END", spring.name)
    bpy.data.objects.remove(bpy.data.objects["Anchor"])
    geared.rod()
    fixes.apply(bpy.context, "USE_WORLD", spring.name)
    assert any("all its points on the world" in finding.text for finding in extracted().findings)


@pytest.mark.parametrize("how", DELETIONS)
def test_an_empty_that_stood_at_an_end_is_missed_by_name(how):
    spring = geared.sprung()
    hook = geared.empty("Hook", (0.0, 0.1, 1.0))
    own(spring).point_b_at = hook
    bpy.context.view_layer.update()
    assert extracted().scene.forces[0].point_b == pytest.approx((0.0, 0.1, 0.0), abs=1e-6)
    DELETIONS[how](hook)
    (finding,) = extracted().findings
    assert finding.text == "Spring-Damper 'Spring' has lost 'Hook', which stood at its Point B"
    fixes.apply(bpy.context, "CLEAR_PLACE", spring.name)
    assert not extracted().findings
    assert extracted().scene.forces[0].point_b == (0.0, 0.0, 0.0)


def test_what_an_entry_of_a_list_has_lost_is_said_with_its_number():
    cable = MAKERS["add_cable"].make()
    own(cable).points[0].point_at = geared.empty("Hook", (0.0, 0.1, 1.0))
    strand = MAKERS["add_strand"].make()
    own(strand).nodes[1].place_at = geared.empty("Knot", (0.0, 0.1, 1.5))
    bpy.context.view_layer.update()
    for lost in ("Hook", "Knot", own(cable).points[1].body.name):
        bpy.data.objects.remove(bpy.data.objects[lost])
    said = {finding.text for finding in extracted().findings}
    cable_, strand_ = f"Cable '{cable.name}'", f"Strand '{strand.name}'"
    assert f"{cable_} has lost 'Hook', which stood at its point 1" in said
    assert f"{cable_} has lost the Body of its point 2, 'Anchor'" in said
    assert f"{strand_} has lost 'Knot', which stood at its node 2" in said


def test_a_joint_whose_parent_was_deleted_does_not_hang_from_the_world():
    geared.geared()
    base = geared.rod("Base")
    base.redmax.body.root = "LOCKED"
    joint = bpy.data.objects["Small Hinge"]
    joint.redmax.joint.parent = base
    bpy.data.objects.remove(base)
    (finding,) = [found for found in extracted().findings if found.code == "lost_reference"]
    assert finding.text == "Joint 'Small Hinge' has lost its parent, 'Base'"
    fixes.apply(bpy.context, "USE_WORLD", joint.name)
    assert not [found for found in extracted().findings if found.code]
    joint.redmax.joint.parent = None
    assert not references.is_lost(joint.redmax.joint, "parent"), "the artist may clear it"


def test_removing_a_body_removes_what_acts_on_it():
    geared.geared()
    select(bpy.data.objects["Small"])
    bpy.ops.redmax.remove_body()
    assert not [obj.name for obj in bpy.data.objects if sorts.generated_sorts(obj.redmax)]
    assert "Small Hinge" not in bpy.data.objects


def test_removing_a_joint_removes_the_gear():
    geared.geared()
    select(bpy.data.objects["Large Hinge"])
    bpy.ops.redmax.remove_joint()
    assert "Gear" not in bpy.data.objects


@every
def test_removing_an_element_leaves_its_ends(what):
    obj = MAKERS[what].make()
    select(obj)
    bpy.ops.redmax.remove_element(keep_empty=True)
    assert not sorts.is_element(obj.redmax)
    bpy.ops.ed.undo_push(message="kept")
    assert {end for end in MAKERS[what].ends if end is not None} <= {other.name for other in bpy.data.objects}
    assert not [other for other in bpy.data.objects if other.redmax.shows is not None]


def test_a_mechanism_that_is_switched_off_takes_its_springs_along():
    geared.sprung()
    bob = bpy.data.objects["Bob"]
    bob.redmax.mechanism.enabled = False
    assert not lists()["forces"]
    assert not [found for found in extracted().findings if found.severity == "ERROR"]


def test_an_object_may_be_body_and_force_at_once():
    """As a thruster: the mesh that it pushes is where it acts."""
    spring = geared.sprung()
    bob = bpy.data.objects["Bob"]
    bob.redmax.is_force = True
    bob.redmax.force.kind = "point_force"
    settings = bob.redmax.force.point_force
    settings.body = settings.point_at = bob
    settings.force = 3.0
    names = [force.name for force in lists()["forces"]]
    assert sorted(names) == ["Bob", spring.name]
    assert bob.redmax.is_body
    select(bob)
    bpy.ops.redmax.remove_element()
    assert bob.redmax.is_body
    assert [force.name for force in lists()["forces"]] == [spring.name]


def test_the_result_of_a_scene_goes_stale_when_a_spring_is_edited():
    spring = geared.sprung()
    bpy.ops.redmax.simulate()
    result = bpy.context.scene.redmax.result
    assert not result.changed
    before = extracted().digest
    own(spring).stiffness *= 2.0
    spring.update_tag()
    bpy.context.view_layer.update()
    assert result.changed
    assert extracted().digest != before


def test_moving_an_empty_at_an_end_makes_the_result_stale():
    spring = geared.sprung()
    hook = geared.empty("Hook", (0.0, 0.1, 1.0))
    own(spring).point_b_at = hook
    bpy.ops.redmax.simulate()
    assert not bpy.context.scene.redmax.result.changed
    hook.location.y = 0.3
    bpy.context.view_layer.update()
    assert bpy.context.scene.redmax.result.changed


# --- bones -----------------------------------------------------------------------------------


def rig():
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("Second").tail = (0.0, 1.0, 0.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def test_a_bone_is_found_by_its_identifier_when_it_was_renamed(tmp_path):
    armature, spring = rig(), geared.sprung()
    settings = own(spring)
    armature.pose.bones["Second"].redmax.is_body = True
    settings.body_b, settings.body_b_bone = armature, "Second"
    assert settings.body_b_bone_id == armature.pose.bones["Second"].redmax.identifier != ""
    armature.data.bones["Second"].name = "Lower"
    armature.data.bones["Bone"].name = "Second"
    assert references.target(settings, "body_b").bone == "Lower", "before anything was repaired"
    stored_groups.note_names()
    assert settings.body_b_bone == "Lower"
    save_and_open(tmp_path / "bones.blend")
    settings = own(bpy.data.objects["Spring"])
    assert references.target(settings, "body_b").bone == "Lower"
    assert any(
        "bone 'Lower'" in finding.text and "not simulated yet" in finding.text for finding in extracted().findings
    )


def test_a_bone_that_was_deleted_is_missed_by_name():
    armature, spring = rig(), geared.sprung()
    settings = own(spring)
    settings.body_b, settings.body_b_bone = armature, "Second"
    select(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["Second"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert references.is_lost(settings, "body_b")
    assert any("has lost its Body B, 'Second'" in finding.text for finding in extracted().findings)


def test_a_mechanism_that_cannot_be_built_does_not_keep_others_from_following(monkeypatch):
    """What hangs on one of its bodies as a Blender child stays where it is."""
    geared.geared()
    small, other = bpy.data.objects["Small"], geared.rod("Other")
    other.parent = small
    pin = bpy.data.objects.new("Other Pin", None)
    bpy.context.scene.collection.objects.link(pin)
    pin.redmax.is_joint, pin.redmax.joint.child = True, other
    pin.redmax.joint.motion_type, pin.redmax.joint.coordinate_angle_1 = "animated", 0.3
    bpy.context.view_layer.update()
    built = keyed_model._built

    def only_others(extraction, mechanism):
        if "Small" in mechanism.bodies:
            raise RedMaxError("cannot be built")
        return built(extraction, mechanism)

    monkeypatch.setattr(keyed_model, "_built", only_others)
    keyed = keyed_pose.Keyed(extracted())
    poses = list(keyed.poses(1.0, bpy.context.evaluated_depsgraph_get()))
    assert [pose.obj.name for pose in poses] == ["Other"]


def test_the_keyed_pose_turns_the_follower_of_a_gear():
    """Before any simulation: the coordinate of the one moves the other by the ratio."""
    geared.geared()
    bpy.data.objects["Small Hinge"].redmax.joint.motion_type = "animated"
    bpy.data.objects["Small Hinge"].redmax.joint.coordinate_angle_1 = 0.4
    (mechanism,) = keyed_model.keyed_mechanisms(extracted())
    reached = mechanism.follower.follow(mechanism.wish())
    column = {coordinate.joint: coordinate.column for coordinate in mechanism.coordinates}
    np.testing.assert_allclose(reached.q[column["Large Hinge"]], -0.2, atol=1e-6)
