# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of files from before each was a property of its own: values, keys, drivers, overrides."""

from __future__ import annotations

import bpy
import pytest
from by_hand import body, joint

from redmax_blender import compat, handlers
from redmax_blender.properties import migration

ANGLE, DISTANCE, TORQUE = (f"redmax.joint.{name}" for name in ("coordinate_angle", "coordinate_distance", "torque"))


def older(kind="planar", name="Crank"):
    """A joint as a file of version 2 has it."""
    obj = joint(name, body(f"{name} Base", root="LOCKED"), body(f"{name} Arm"), kind)
    obj.redmax.joint.coordinate_angle = (0.0, 0.0, 0.5, 0.0, 0.0, 0.25)
    obj.redmax.joint.coordinate_distance[1] = 2.0
    obj.redmax.joint.torque[0] = 7.0
    obj.redmax.version = 2
    return obj


def reopened(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


def keyed(owner, path, index, *, action=None):
    curve = compat.ensure_fcurves(owner, action).new(path, index, "Coordinate")
    curve.keyframe_points.add(2)
    for point, co in zip(curve.keyframe_points, ((1.0, 0.0), (21.0, 2.0)), strict=True):
        point.co, point.interpolation = co, "LINEAR"
    curve.update()
    return compat.action_of(owner)


def places(curves):
    return {(curve.data_path, curve.array_index) for curve in curves}


def test_values_move_and_what_they_came_from_is_empty(tmp_path):
    older()
    reopened(tmp_path / "old.blend")
    settings = bpy.data.objects["Crank"].redmax.joint
    assert (settings.coordinate_angle_3, settings.coordinate_angle_6) == (0.5, 0.25)
    assert (settings.coordinate_distance_2, settings.torque_1, settings.coordinate_angle_1) == (2.0, 7.0, 0.0)
    assert not any(settings.is_property_set(name) for name in ("coordinate_angle", "coordinate_distance", "torque"))
    assert bpy.data.objects["Crank"].redmax.version == migration.CURRENT
    settings.coordinate_angle_3 = 0.125
    reopened(tmp_path / "new.blend")
    assert bpy.data.objects["Crank"].redmax.joint.coordinate_angle_3 == 0.125


def test_keys_move_in_all_actions_slots_and_strips(tmp_path):
    crank, other = older(), older(name="Other")
    keyed(crank, ANGLE, 2)
    shared = keyed(crank, DISTANCE, 1)
    keyed(other, TORQUE, 0, action=shared)  # another slot of the same action
    strip_action = bpy.data.actions.new("On a Strip")
    keyed(other, ANGLE, 2, action=strip_action)
    slot = other.animation_data.action_slot
    strip = other.animation_data.nla_tracks.new().strips.new("Turn", 1, strip_action)
    strip.action_slot = slot
    compat.assign_action(other, shared)
    reopened(tmp_path / "old.blend")
    crank, other = bpy.data.objects["Crank"], bpy.data.objects["Other"]
    assert places(compat.fcurves_of(crank)) == {(f"{ANGLE}_3", 0), (f"{DISTANCE}_2", 0)}
    assert {curve.group.name for curve in compat.fcurves_of(crank)} == {"Coordinate"}
    assert places(compat.fcurves_of(other)) == {(f"{TORQUE}_1", 0)}
    assert places(compat.every_curve(bpy.data.actions["On a Strip"])) == {(f"{ANGLE}_3", 0)}
    bpy.context.scene.frame_set(11)
    assert crank.redmax.joint.coordinate_angle_3 == pytest.approx(1.0)
    assert other.redmax.joint.coordinate_angle_3 == pytest.approx(1.0)  # by the strip


def test_drivers_and_what_they_read_move(tmp_path):
    crank, other = older(), older(name="Other")
    driver = crank.animation_data_create().drivers.new(ANGLE, index=2).driver
    driver.type, driver.expression = "SCRIPTED", "frame * 0.1"
    material = bpy.data.materials.new("Paint")
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    alpha = 'nodes["Principled BSDF"].inputs["Alpha"].default_value'
    reading = material.node_tree.animation_data_create().drivers.new(alpha).driver
    bpy.data.objects["Crank Arm"].data.materials.append(material)
    for user in (reading, other.driver_add("location", 0).driver):
        variable = user.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = crank, f"{ANGLE}[2]"
        user.type, user.expression = "SCRIPTED", variable.name
    reopened(tmp_path / "old.blend")
    crank, other = bpy.data.objects["Crank"], bpy.data.objects["Other"]
    assert places(crank.animation_data.drivers) == {(f"{ANGLE}_3", 0)}
    for owner in (other, bpy.data.materials["Paint"].node_tree):
        (curve,) = owner.animation_data.drivers
        assert curve.driver.variables[0].targets[0].data_path == f"{ANGLE}_3"
    bpy.context.scene.frame_set(8)
    assert crank.redmax.joint.coordinate_angle_3 == pytest.approx(0.8)
    assert other.evaluated_get(bpy.context.evaluated_depsgraph_get()).location.x == pytest.approx(0.8)
    assert not bpy.context.window_manager.redmax.message


def test_a_driver_expression_that_reads_a_vector_is_said(tmp_path):
    driver = older().driver_add("location", 0).driver
    driver.use_self, driver.expression = True, "self.redmax.joint.coordinate_angle[2]"
    reopened(tmp_path / "old.blend")
    message = bpy.context.window_manager.redmax.message
    assert message.startswith("A driver of 'Crank' (location) reads a joint's vector in its expression")


def test_keying_sets_move(tmp_path):
    crank = older()
    paths = bpy.context.scene.keying_sets.new(name="Mine").paths
    paths.add(crank, ANGLE, index=2)
    paths.add(crank, DISTANCE, index=-1)
    reopened(tmp_path / "old.blend")
    found = [(path.data_path, path.use_entire_array) for path in bpy.context.scene.keying_sets["Mine"].paths]
    assert sorted(found) == [(f"{ANGLE}_3", False), *((f"{DISTANCE}_{number}", False) for number in range(1, 7))]


def test_appended_joints_of_an_older_file_move(tmp_path):
    keyed(older(), ANGLE, 2)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.append(directory=f"{tmp_path}/old.blend/Object/", filename="Crank")
    crank = bpy.data.objects["Crank"]
    assert crank.redmax.joint.coordinate_distance_2 == 2.0
    assert places(compat.fcurves_of(crank)) == {(f"{ANGLE}_3", 0)}


def test_what_an_older_file_overrides_in_an_older_library_stays_overridden(tmp_path, monkeypatch):
    keyed(older(), DISTANCE, 0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with monkeypatch.context() as before:
        before.setattr(handlers, "_migrate", lambda: None)
        with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, chosen):
            chosen.objects = ["Crank"]
        override = chosen.objects[0].override_create()
        bpy.context.scene.collection.objects.link(override)
        override.redmax.joint.coordinate_angle = (0.0, 0.0, 0.75, 0.0, 0.0, 0.25)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "user.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "user.blend"))
    for angle in (0.75, 0.625):  # as the older file overrides it, and as this version does
        (override,) = [obj for obj in bpy.data.objects if obj.override_library is not None]
        settings, theirs = override.redmax.joint, override.override_library.reference.redmax.joint
        assert settings.coordinate_angle_3 == angle
        assert (settings.coordinate_angle_6, settings.torque_1) == (0.25, 7.0)  # of the library
        assert (theirs.coordinate_angle_3, theirs.torque_1) == (0.5, 7.0)
        assert places(compat.fcurves_of(override)) == {(f"{DISTANCE}_1", 0)}
        settings.coordinate_angle_3 = 0.625
        reopened(tmp_path / "user.blend")
    (override,) = [obj for obj in bpy.data.objects if obj.override_library is not None]
    overridden = {prop.rna_path for prop in override.override_library.properties}
    assert f"{ANGLE}_3" in overridden
    assert not {path for path in overridden if path in (ANGLE, TORQUE, f"{ANGLE}_6", f"{TORQUE}_1")}
