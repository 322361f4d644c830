# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties follow the engine's registries, keep their meaning in files, and can be overridden and appended."""

from __future__ import annotations

import math
import subprocess
import sys

import bpy
import pytest

from redmax import fields
from redmax.geometry.solids import SHAPES
from redmax.integrators import INTEGRATORS
from redmax.joints import JOINTS
from redmax_blender.properties import body as body_properties
from redmax_blender.properties import from_specs, joint, materials, migration, sorts
from redmax_blender.properties import scene as scene_properties

ENDS = ("angle", "distance", "number")
KEYED = {
    f"{name}_{number}"
    for name in (
        *(f"{what}_{end}" for what in ("coordinate", "motor_target_speed", "motor_target_position") for end in ENDS),
        "torque",
    )
    for number in range(1, 7)
}
"""Identifiers of what an artist keys."""


@pytest.fixture
def empty():
    obj = bpy.data.objects.new("Pin", None)
    bpy.context.collection.objects.link(obj)
    obj.redmax.is_joint = True
    return obj


def enum_numbers(group, name):
    items = group.bl_rna.properties[name].enum_items
    return {item.identifier: item.value for item in items}


def test_enum_numbers_are_the_registry_numbers(empty):
    group, body, scene = empty.redmax.joint, empty.redmax.body, bpy.context.scene.redmax
    assert enum_numbers(group, "kind") == {kind: JOINTS.number(kind) for kind in JOINTS.kinds}
    assert enum_numbers(body, "shape") == {kind: SHAPES.number(kind) for kind in SHAPES.kinds}
    assert enum_numbers(scene, "integrator") == {kind: INTEGRATORS.number(kind) for kind in INTEGRATORS.kinds}


def test_parts_of_a_composite_may_be_any_kind_but_composite(empty):
    part = empty.redmax.joint.parts.add()
    assert set(enum_numbers(part, "kind")) == set(JOINTS.kinds) - {"composite"}


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_every_joint_kind_reads_back_as_an_engine_joint(empty, kind):
    group = empty.redmax.joint
    group.kind = kind
    if kind == "composite":
        for part_kind in ("screw", "planar"):
            group.parts.add().kind = part_kind
    cls = JOINTS[kind]
    made = cls(
        name="Pin",
        parent=None,
        child="Body",
        **joint.own_parameters(group, 1.0),
        **(joint.per_dof_parameters(group, 1.0) | {"lower": None, "upper": None}),
    )
    assert not list(fields.field_problems(made, made.ndof))
    assert not list(made.problems())
    assert tuple(dof.name for dof in joint.dofs(group)) == made.dof_names
    assert tuple(dof.unit for dof in joint.dofs(group)) == made.dof_units


def test_every_declared_field_has_a_property_or_is_known_to_have_none(empty):
    """A new sort of field must not vanish silently from Blender."""
    elsewhere = {"pose", "record", "records", "reference", "elements", "text"}
    for cls in JOINTS:
        for name, spec in fields.specs(cls).items():
            if spec.sort in elsewhere or name == joint.ORIGIN:  # where the child stands
                continue
            shown = joint.SHOWN_AS.get(name, name)
            owners = [empty.redmax.joint, getattr(empty.redmax.joint, cls.kind, None)]
            candidates = (shown, f"{shown}_angle", f"{shown}_distance")
            assert any(hasattr(owner, c) for owner in owners for c in candidates), (cls.kind, name)


def test_lengths_follow_the_unit_scale_and_angles_and_forces_do_not(empty):
    group = empty.redmax.joint
    group.kind = "free_2d"
    group.coordinate_distance_1, group.coordinate_angle_3, group.torque_1 = 3.0, 0.5, 7.0
    values = joint.per_dof_parameters(group, 0.01)
    assert values["q"] == pytest.approx((0.03, 0.0, 0.5))
    assert values["torque"] == pytest.approx((7.0, 0.0, 0.0))
    group.kind = "screw"
    group.screw.pitch = 2.0
    assert joint.own_parameters(group, 0.01)["pitch"] == pytest.approx(0.02)


def test_limits_that_are_off_are_none(empty):
    group = empty.redmax.joint
    group.lower_angle[0], group.upper_angle[0] = -1.0, 2.0
    assert joint.per_dof_parameters(group, 1.0)["lower"] == (None,)
    group.use_lower[0] = True
    values = joint.per_dof_parameters(group, 1.0)
    assert (values["lower"], values["upper"]) == ((-1.0,), (None,))


def test_only_what_a_run_follows_can_be_keyed(empty):
    group = empty.redmax.joint
    keyed = {
        name
        for name in type(group).__annotations__
        if group.bl_rna.properties[name].is_animatable and group.bl_rna.properties[name].type == "FLOAT"
    }
    assert keyed == KEYED


def test_a_material_sets_the_density_and_a_density_by_hand_leaves_the_material(empty):
    body = empty.redmax.body
    assert body.density == pytest.approx(materials.DENSITY[body.material])
    body.material = "STEEL"
    assert body.density == 7850.0
    body.density = 7000.0
    assert body.material == materials.CUSTOM
    assert body.density == 7000.0


def test_mass_is_what_blender_shows(empty):
    """Blender shows a mass times the third power of the unit scale."""
    empty.redmax.body.mass = 8.0
    assert body_properties.entered_mass(empty.redmax.body, 0.5) == 1.0


@pytest.mark.parametrize("accuracy", ["DRAFT", "STANDARD", "HIGH", "CUSTOM"])
def test_every_accuracy_is_an_integrator(accuracy):
    scene = bpy.context.scene
    scene.redmax.accuracy = accuracy
    kinds = INTEGRATORS.kinds if accuracy == "CUSTOM" else [""]
    for kind in kinds:
        if kind:
            scene.redmax.integrator = kind
        made = scene_properties.integrator_of(scene)
        assert not list(fields.field_problems(made))
        assert not kind or made.kind == kind


def test_custom_integrators_use_their_own_settings():
    settings = bpy.context.scene.redmax
    settings.accuracy, settings.integrator = "CUSTOM", "rk4"
    settings.rk4.h = 0.005
    assert scene_properties.integrator_of(bpy.context.scene).h == pytest.approx(0.005)


def test_tooltips_are_sentences_without_a_final_period(empty):
    groups = [
        empty.redmax,
        empty.redmax.joint,
        empty.redmax.body,
        bpy.context.scene.redmax,
        bpy.context.scene.redmax.bake,
    ]
    groups += [getattr(empty.redmax.joint, kind) for kind in joint.KIND_GROUPS]
    groups += [getattr(empty.redmax.body, kind) for kind in body_properties.SHAPE_GROUPS]
    for group in groups:
        for name in type(group).__annotations__:
            prop = group.bl_rna.properties[name]
            assert not prop.description.endswith("."), (group, name)
            if prop.type not in ("POINTER", "COLLECTION") and not prop.is_hidden:
                assert prop.description, (group, name)


def test_registry_tooltips_hold_the_technical_name(empty):
    for item in empty.redmax.joint.bl_rna.properties["kind"].enum_items:
        assert item.identifier.replace("_", " ") in item.description
        assert item.name == JOINTS[item.identifier].label


def test_becoming_part_of_a_mechanism_stamps_the_version(empty):
    assert empty.redmax.version == migration.CURRENT
    assert bpy.data.objects.new("Other", None).redmax.version == 0


def test_older_properties_are_migrated_step_by_step(empty, monkeypatch):
    monkeypatch.setattr(migration, "CURRENT", 3)
    done = []
    monkeypatch.setattr(migration, "STEPS", {1: lambda group: done.append(1), 2: lambda group: done.append(2)})
    empty.redmax.version = 1
    assert migration.migrate_file() == []
    assert (done, empty.redmax.version) == ([1, 2], 3)
    migration.migrate_file()
    assert done == [1, 2]


def test_newer_properties_are_named_and_left_alone(empty):
    empty.redmax.version = migration.CURRENT + 1
    (message,) = migration.migrate_file()
    assert "'Pin'" in message
    assert empty.redmax.version == migration.CURRENT + 1


def mechanism_file(path):
    body = bpy.data.objects.new("Rod", bpy.data.meshes.new("Rod"))
    pin = bpy.data.objects.new("Pin", None)
    for obj in (body, pin):
        bpy.context.collection.objects.link(obj)
    body.redmax.is_body = pin.redmax.is_joint = True
    body.redmax.body.material = "STEEL"
    pin.redmax.joint.child = body
    pin.redmax.joint.kind = "screw"
    pin.redmax.joint.screw.pitch = 0.25
    pin.redmax.joint.coordinate_angle_1 = 1.5
    pin.redmax.joint.keyframe_insert("coordinate_angle_1", frame=7)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def test_properties_survive_saving_and_appending(tmp_path):
    path = tmp_path / "scene.blend"
    mechanism_file(path)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert bpy.data.objects["Pin"].redmax.joint.screw.pitch == 0.25
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.append(directory=f"{path}/Object/", filename="Pin")
    pin = bpy.data.objects["Pin"]
    assert pin.redmax.joint.child == bpy.data.objects["Rod"]  # what it refers to comes along
    assert (pin.redmax.joint.kind, pin.redmax.joint.screw.pitch) == ("screw", 0.25)
    assert pin.redmax.joint.child.redmax.body.material == "STEEL"


def test_properties_can_be_overridden(tmp_path):
    path = tmp_path / "library.blend"
    mechanism_file(path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, chosen):
        chosen.objects = ["Pin"]
    override = chosen.objects[0].override_create()
    bpy.context.collection.objects.link(override)
    override.redmax.joint.screw.pitch = 0.75
    override.redmax.joint.damping[0] = 3.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "user.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "user.blend"))
    stored = next(obj for obj in bpy.data.objects if obj.override_library is not None)
    assert (stored.redmax.joint.screw.pitch, stored.redmax.joint.damping[0]) == (0.75, 3.0)


def test_a_file_opens_without_the_add_on_and_keeps_its_keys(tmp_path):
    path = tmp_path / "scene.blend"
    mechanism_file(path)
    program = (
        "import bpy, sys\n"
        f"bpy.ops.wm.open_mainfile(filepath={str(path)!r})\n"
        "pin = bpy.data.objects['Pin']\n"
        "assert not hasattr(pin, 'redmax')\n"
        "assert pin.animation_data.action is not None\n"
        f"bpy.ops.wm.save_as_mainfile(filepath={str(tmp_path / 'again.blend')!r})\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "again.blend"))
    assert bpy.data.objects["Pin"].redmax.joint.screw.pitch == 0.25


def test_generated_identifiers_are_stable():
    """What files store: renaming one of these loses the artist's settings, so it needs a migration step."""
    joint_names = set(joint.REDMAX_PG_joint.__annotations__)
    assert {
        "kind", "parent", "child", "motion_type", "coordinate_angle", "coordinate_distance", "velocity_angle",
        "velocity_distance", "torque", "stiffness", "rest_angle", "rest_distance", "damping", "lower_angle",
        "lower_distance", "upper_angle", "upper_distance", "use_limits", "limit_type", "use_lower", "use_upper",
        "velocity_number", "rest_number", "lower_number", "upper_number", "limit_stiffness", "limit_damping", "parts",
        "restitution", "use_friction", "friction",
        "active_part", "parent_bone", "parent_bone_id", "parent_known", "child_bone", "child_bone_id",
        "child_known", "use_motor", "motor_control", "motor_speed_gain", "motor_position_gain", "motor_maximum",
        "use_motor_maximum", "revolute", "prismatic", "screw", "spherical_euler", "free_translation_euler",
        "spline_curve", "spline_surface", "stiffness_curve", "stiffness_curve_bone", "stiffness_curve_bone_id",
        "stiffness_curve_known",
        "custom", "surface_contact", "point_contact",
    } | KEYED == joint_names  # fmt: skip
    assert set(body_properties.REDMAX_PG_body.__annotations__) == {
        "mass_source", "material", "density", "mass", "shape", "box", "sphere", "cylinder", "capsule", "cone",
        "ellipsoid", "mesh", "moments", "products", "damping", "root", "keep_free", "velocity", "spin", "measured_mass",
    }  # fmt: skip
    springs = sorts.GROUPS["force"][0].__annotations__
    end = {"body", "body_bone", "body_bone_id", "body_known", "point", "point_at", "point_at_bone", "point_at_bone_id",
           "point_at_known", "point_vertex"}  # fmt: skip
    both = {name.replace(word, f"{word}_{which}", 1) for which in "ab" for name in end for word in [name.split("_")[0]]}
    assert set(springs) == both | {"stiffness", "damping", "use_rest_length", "rest_length", "measure"}


def test_titles():
    assert from_specs.title("limit_stiffness") == "Limit Stiffness"


def test_a_limit_is_hard_or_as_soft_as_its_spring(empty):
    group = empty.redmax.joint
    group.use_upper[0] = True
    assert (group.use_limits, group.limit_type) == (True, "HARD")
    values = joint.per_dof_parameters(group, 1.0)
    assert (values["limit_stiffness"], values["limit_damping"]) == ((0.0,), (0.0,))  # what the engine calls hard
    group.restitution[0] = 0.5
    assert joint.per_dof_parameters(group, 1.0)["restitution"] == (0.5,)
    group.limit_type = "SOFT"
    values = joint.per_dof_parameters(group, 1.0)
    assert values["limit_stiffness"][0] > 0.0
    assert values["limit_damping"][0] > 0.0
    group.use_limits = False
    values = joint.per_dof_parameters(group, 1.0)
    assert (values["lower"], values["upper"], values["limit_stiffness"]) == ((None,), (None,), (0.0,))
    assert group.use_upper[0]  # it is only off, and comes back as it was


@pytest.mark.parametrize(
    ("kind", "lower", "upper"),
    [("revolute", (-math.pi / 4,), (math.pi / 4,)), ("prismatic", (-0.5,), (0.5,)), ("fixed", (), ())],
)
def test_ticking_limits_gives_room_on_both_sides_unless_some_were_chosen(empty, kind, lower, upper):
    group = empty.redmax.joint
    group.kind = kind
    group.use_limits = True
    values = joint.per_dof_parameters(group, 1.0)
    assert values["lower"] == pytest.approx(lower)
    assert values["upper"] == pytest.approx(upper)
    if lower:
        group.use_limits = False
        group.use_upper[0] = False
        group.use_limits = True
        assert joint.per_dof_parameters(group, 1.0)["upper"] == (None,)


def test_limits_of_files_from_before_hard_ones_stay_soft(empty):
    other = bpy.data.objects.new("Free", None)
    other.redmax.is_joint = True
    empty.redmax.joint.use_lower[0] = True
    empty.redmax.joint.use_limits = False  # version 1 had no such switch
    for obj in (empty, other):
        obj.redmax.version = 1
    migration.migrate_file()
    assert (empty.redmax.joint.use_limits, empty.redmax.joint.limit_type) == (True, "SOFT")
    assert (other.redmax.joint.use_limits, other.redmax.joint.limit_type) == (False, "HARD")


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_the_panel_knows_which_joints_can_have_hard_limits(empty, kind):
    group = empty.redmax.joint
    group.kind = kind
    made = JOINTS[kind](name="J", parent=None, child="B", **joint.own_parameters(group, 1.0))
    assert joint.may_have_hard_limits(group) == (not made.has_singularity)
    if joint.has_parts(group):
        group.parts.add().kind = "revolute"
        assert joint.may_have_hard_limits(group)
        group.parts.add().kind = "spherical"
        assert not joint.may_have_hard_limits(group)


def test_an_empty_that_becomes_a_joint_shows_its_kind():
    obj = bpy.data.objects.new("Pin", None)
    assert obj.empty_display_type == "PLAIN_AXES"
    obj.redmax.is_joint = True
    assert obj.empty_display_type == "SINGLE_ARROW"


DISPLAYS = {
    **dict.fromkeys(("fixed", "composite"), "CUBE"),  # a composite without parts cannot move
    **dict.fromkeys(("revolute", "prismatic", "screw", "custom"), "SINGLE_ARROW"),  # a new custom joint is a hinge
    **dict.fromkeys(("planar", "translational", "spline_surface"), "ARROWS"),
    **dict.fromkeys(("spherical", "spherical_euler"), "SPHERE"),
}


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_a_joint_is_shown_by_how_it_moves_and_an_axis_by_an_arrow(empty, kind):
    """Blender draws the single arrow along z, where the axis of a new joint lies."""
    empty.redmax.joint.kind = kind
    assert empty.empty_display_type == DISPLAYS.get(kind, "PLAIN_AXES")
    has_axis = hasattr(JOINTS[kind], "axis")
    assert (empty.empty_display_type == "SINGLE_ARROW") == (has_axis or kind == "custom")
    if has_axis:
        assert tuple(getattr(empty.redmax.joint, kind).axis) == (0.0, 0.0, 1.0)
