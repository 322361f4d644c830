# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels drawn into a layout that refuses what Blender would refuse, for every kind of element and every state."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
from recording_layout import RecordingLayout

from redmax_blender._engine import integrators, joints, solids
from redmax_blender.properties import joint as joint_properties
from redmax_blender.properties import references
from redmax_blender.properties.from_specs import SPLIT_NAMES
from redmax_blender.ui import body, elements, joint, physics, scene, sidebar

PANELS = (*body.CLASSES, *joint.CLASSES, *elements.CLASSES, *scene.CLASSES, *sidebar.CLASSES)
MOTIONS = ("simulated", "animated", "locked")


def new_object(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    return obj


def new_joint(kind):
    obj = new_object(f"Pin {kind}")
    obj.redmax.is_joint = True
    obj.redmax.joint.kind = kind
    return obj


def new_body():
    obj = new_object("Rod", bpy.data.meshes.new("Rod"))
    obj.redmax.is_body = True
    return obj


def drawn(panels=PANELS, context=None):
    """Everything that the panels whose poll agrees would show: {class name: layout}."""
    context = context or bpy.context
    layouts = {}
    for panel in panels:
        if hasattr(panel, "poll") and not panel.poll(context):
            continue
        layout = layouts[panel.__name__] = RecordingLayout()
        instance = SimpleNamespace(layout=layout)
        for part in ("draw_header", "draw_header_preset", "draw"):
            if hasattr(panel, part):
                getattr(panel, part)(instance, context)
    return layouts


def properties_in(layouts, name):
    return layouts[name].properties()


def test_nothing_of_an_element_is_shown_without_one():
    assert bpy.context.object is None
    assert not [name for name in drawn() if name.startswith(("REDMAX_PT_body", "REDMAX_PT_joint"))]
    new_object("Plain")
    assert not [name for name in drawn() if name.startswith(("REDMAX_PT_body", "REDMAX_PT_joint"))]


@pytest.mark.parametrize("kind", [cls.kind for cls in joints.JOINTS])
@pytest.mark.parametrize("motion", MOTIONS)
def test_a_joint_shows_all_its_coordinates_and_its_own_parameters(kind, motion):
    obj = new_joint(kind)
    settings = obj.redmax.joint
    if joint_properties.has_parts(settings):
        settings.parts.add().kind = "prismatic"
        settings.parts.add().kind = "universal"
    settings.motion_type = motion
    layouts = drawn()
    dofs = joint_properties.dofs(settings)
    moving = [n for n in layouts if n in ("REDMAX_PT_joint_motion", "REDMAX_PT_joint_limits", "REDMAX_PT_joint_spring")]
    assert len(moving) == (3 if dofs else 0)
    if dofs:
        shown = properties_in(layouts, "REDMAX_PT_joint_motion")
        assert [p for p in shown if p[0].startswith("coordinate")] == [
            (f"coordinate_{SPLIT_NAMES[dof.unit]}_{dof.index + 1}", None) for dof in dofs
        ]
        assert len([p for p in shown if p[0].startswith("velocity")]) == (len(dofs) if motion == "simulated" else 0)
        for field in ("use_lower", "use_upper"):
            assert [i for p, i in properties_in(layouts, "REDMAX_PT_joint_limits") if p == field] == list(
                range(len(dofs))
            )
    own = joint_properties.own_group(settings)
    held = [] if own is None else list(type(own).__annotations__)
    expected = [name for name in held if not name.endswith(references.ENDS)]
    shown = [name for name, _ in properties_in(layouts, "REDMAX_PT_joint")]
    if isinstance(joint_properties.engine_joint(settings), joints.WrittenJoint):
        shown += [name for name, _ in properties_in(layouts, "REDMAX_PT_joint_charts")] if "charts" in expected else []
        shown.extend(["note", "charts", "active_charts"])  # a sentence, and a list
        shown.extend(f"{side}_size" for side in ("first", "second") if getattr(own, side, "") in ("plane", "point"))
        assert set(expected) <= set(shown)
    else:
        assert shown == expected
    assert "REDMAX_MT_kind" in layouts["REDMAX_PT_joint"].menus()


def test_a_label_stands_before_every_coordinate():
    new_joint("spherical")
    assert [t for t in drawn()["REDMAX_PT_joint_motion"].texts() if t.startswith("Rotation")] == [
        "Rotation X",
        "Rotation Y",
        "Rotation Z",
    ] * 2  # the start, and the velocity at the start
    new_joint("revolute").redmax.joint.motion_type = "animated"
    assert drawn()["REDMAX_PT_joint_motion"].texts() == ["Angle", "Key", "From Motion"]


def test_only_an_animated_joint_offers_keys():
    settings = new_joint("revolute").redmax.joint
    for motion in MOTIONS:
        settings.motion_type = motion
        keys = "redmax.key_coordinate" in drawn()["REDMAX_PT_joint_motion"].operators()
        assert keys == (motion == "animated")


def test_coordinates_have_an_animation_dot():
    """A dot appears beside a property that can be keyed, where nobody has switched dots off."""
    settings = new_joint("revolute").redmax.joint
    assert settings.bl_rna.properties["coordinate_angle_1"].is_animatable
    layout = RecordingLayout()
    joint.REDMAX_PT_joint_motion.draw(SimpleNamespace(layout=layout), bpy.context)
    assert layout.attributes.get("use_property_decorate", True)
    assert layout.attributes["use_property_split"]


def test_limits_have_a_tick_box_and_say_what_they_cannot_do():
    settings = new_joint("revolute").redmax.joint
    header = RecordingLayout()
    joint.REDMAX_PT_joint_limits.draw_header(SimpleNamespace(layout=header), bpy.context)
    assert [call.arguments["property"] for call in header.calls if call.what == "prop"] == ["use_limits"]

    def panel():
        layout = drawn()["REDMAX_PT_joint_limits"]
        return layout, " ".join(layout.texts())

    assert not panel()[0].attributes["active"]
    settings.use_limits = True
    layout, said = panel()
    assert layout.attributes["active"]
    assert "Limits act on" not in said
    assert "Stiffness" not in said  # of a hard limit it would say nothing
    settings.limit_type = "SOFT"
    assert "Stiffness" in panel()[1]
    assert "A Soft limit without stiffness is a Hard one" not in panel()[1]
    settings.limit_stiffness[0] = 0.0
    assert "A Soft limit without stiffness is a Hard one" in panel()[1]
    settings.motion_type = "animated"
    assert "Limits act on a Simulated joint only" in panel()[1]
    settings.kind, settings.limit_type = "spherical", "HARD"
    assert "only Soft limits can hold it" in panel()[1]


@pytest.mark.parametrize(
    ("kind", "units"),
    [
        ("revolute", "Stiffness in N m/rad, damping in N m s/rad"),
        ("prismatic", "Stiffness in N/m, damping in N s/m"),
        ("free_2d", "Stiffness in N/m or N m/rad, damping in N s/m or N m s/rad"),
    ],
)
def test_units_that_blender_does_not_know_stand_below_the_numbers(kind, units):
    settings = new_joint(kind).redmax.joint
    settings.limit_type = "SOFT"
    panels = drawn()
    for name in ("REDMAX_PT_joint_spring", "REDMAX_PT_joint_limits"):
        assert units in " ".join(panels[name].texts())
    force = {"revolute": "Torque in N m", "prismatic": "Force in N", "free_2d": "Torque or Force in N or N m"}[kind]
    assert force in " ".join(panels["REDMAX_PT_joint_torque"].texts())


def test_a_composite_shows_its_parts_and_the_parameters_of_the_active_one():
    settings = new_joint("composite").redmax.joint
    assert "REDMAX_PT_joint_motion" not in drawn()
    assert drawn()["REDMAX_PT_joint_parts"].menus() == []
    for kind in ("revolute", "screw"):
        settings.parts.add().kind = kind
    settings.active_part = 1
    layouts = drawn()
    assert [t for t in layouts["REDMAX_PT_joint_parts"].texts() if t[0].isdigit()] == [
        "1: Hinge",
        "1 DOF",
        "2: Screw",
        "1 DOF",
    ]
    assert [name for name, _ in properties_in(layouts, "REDMAX_PT_joint_parts")] == ["axis", "pitch"]
    assert layouts["REDMAX_PT_joint_parts"].menus() == ["REDMAX_MT_part_kind"]
    assert "1: Angle" in layouts["REDMAX_PT_joint_motion"].texts()
    settings.active_part = 7
    assert properties_in(drawn(), "REDMAX_PT_joint_parts") == []


def test_a_composite_with_too_many_freedoms_says_so_and_shows_what_there_is_room_for():
    settings = new_joint("composite").redmax.joint
    settings.parts.add().kind = "free"
    assert "12 degrees" not in " ".join(drawn()["REDMAX_PT_joint_parts"].texts())
    settings.parts.add().kind = "free"
    layouts = drawn()
    assert "12 degrees of freedom, but a body has 6" in " ".join(layouts["REDMAX_PT_joint_parts"].texts())
    assert len([p for p, _ in properties_in(layouts, "REDMAX_PT_joint_motion") if p.startswith("coordinate")]) == 6


def test_a_joint_without_a_child_is_marked():
    settings = new_joint("revolute").redmax.joint
    rows = []

    class Watching(RecordingLayout):
        def _call(self, name, args, kwargs):
            made = super()._call(name, args, kwargs)
            if isinstance(made, RecordingLayout):
                object.__setattr__(made, "__class__", Watching)
            if name == "prop" and args[1] == "child":
                rows.append(self.attributes.get("alert"))
            return made

    for child in (None, new_body()):
        settings.child = child
        bpy.context.view_layer.objects.active = settings.id_data
        joint.REDMAX_PT_joint_connects.draw(SimpleNamespace(layout=Watching()), bpy.context)
    assert rows == [True, False]


def test_baked_results_of_a_joint_are_shown_by_coordinate_and_missing_ones_left_out():
    obj = new_joint("universal")
    assert "REDMAX_PT_joint_results" not in drawn()
    obj["redmax_torque"] = [1.5, 2.5]
    obj["redmax_reaction"] = [0.0] * 6
    obj.redmax.baked.channels = "redmax_torque,redmax_reaction,gone"
    layout = drawn()["REDMAX_PT_joint_results"]
    assert layout.properties() == [
        *(('["redmax_torque"]', index) for index in range(2)),
        *(('["redmax_reaction"]', index) for index in range(6)),
    ]
    assert layout.texts()[:4] == ["Torque (N m)", "Rotation X", "Rotation Y", "Reaction (N m, N)"]
    assert layout.texts()[4:] == [f"{what} {axis}" for what in ("Torque", "Force") for axis in "XYZ"]
    for name in ("redmax_torque", "redmax_reaction"):
        del obj[name]
    assert "REDMAX_PT_joint_results" not in drawn()


def test_a_hinge_shows_its_torque_in_one_row():
    obj = new_joint("revolute")
    obj["redmax_torque"] = [1.5]
    obj.redmax.baked.channels = "redmax_torque"
    layout = drawn()["REDMAX_PT_joint_results"]
    assert (layout.properties(), layout.texts()) == ([('["redmax_torque"]', 0)], ["Torque (N m)"])


def test_baked_energies_are_shown_in_the_scene(scene):
    assert "REDMAX_PT_world_results" not in drawn()
    scene["redmax_energy"] = 2.0
    scene.redmax.baked.channels = "redmax_energy"
    layout = drawn()["REDMAX_PT_world_results"]
    assert (layout.properties(), layout.texts()) == ([('["redmax_energy"]', None)], ["Energy (J)"])


@pytest.mark.parametrize("kind", [cls.kind for cls in solids.SHAPES])
@pytest.mark.parametrize("source", ["DENSITY", "MASS"])
@pytest.mark.parametrize("root", ["FREE", "LOCKED"])
def test_a_body_shows_the_parameters_of_its_shape_and_of_its_mass(kind, source, root):
    settings = new_body().redmax.body
    settings.shape, settings.mass_source, settings.root = kind, source, root
    layouts = drawn()
    assert ("density" in dict(properties_in(layouts, "REDMAX_PT_body_mass"))) == (source == "DENSITY")
    assert ("mass" in dict(properties_in(layouts, "REDMAX_PT_body_mass"))) == (source == "MASS")
    group = getattr(settings, kind, None)
    expected = [] if group is None else list(type(group).__annotations__)
    assert [name for name, _ in properties_in(layouts, "REDMAX_PT_body_shape")] == ["shape", *expected]
    assert ("REDMAX_PT_body_velocity" in layouts) == (root == "FREE")


def test_the_mass_is_shown_in_the_units_of_the_scene_once_it_is_known(scene):
    settings = new_body().redmax.body

    def said():
        return [text for text in drawn()["REDMAX_PT_body_mass"].texts() if text not in ("Material", "Water")]

    assert said() == []
    settings.measured_mass = 3.2
    assert said() == ["3.2 kg"]
    scene.unit_settings.system = "IMPERIAL"
    assert said() == ["7.055 lb"]
    scene.unit_settings.system = "NONE"
    assert said() == ["3.2 kg"]
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.1
    settings.measured_mass = 3200.0  # what Check stores for 3.2 kg at this scale
    assert said() == ["3.2 kg"]


def test_the_physics_tab_offers_what_the_object_is_not_and_removes_what_it_is():
    def offered():
        layout = RecordingLayout()
        physics.draw_buttons(SimpleNamespace(layout=layout), bpy.context)
        return layout.operators(), layout.properties()

    bpy.context.view_layer.objects.active = None
    assert offered() == ([], [])
    obj = new_object("Plain")
    assert offered() == (["redmax.add_body", "redmax.add_surface"], [("is_joint", None)])
    obj.redmax.is_body = True
    assert offered() == (["redmax.remove_body", "redmax.add_surface"], [])
    obj.redmax.is_surface = True
    assert offered() == (["redmax.remove_body", "redmax.remove_surface"], [])
    obj.redmax.is_surface = False
    obj.redmax.is_body, obj.redmax.is_joint = False, True
    assert offered() == (["redmax.remove_joint"], [])
    assert physics.draw_buttons in bpy.types.PHYSICS_PT_add.draw._draw_funcs


@pytest.mark.parametrize("kind", [cls.kind for cls in integrators.INTEGRATORS])
def test_a_custom_integrator_shows_its_settings(scene, kind):
    settings = scene.redmax
    settings.accuracy, settings.integrator = "CUSTOM", kind
    own = ["integrator", *type(getattr(settings, kind)).__annotations__]

    def shown():
        panels = ("REDMAX_PT_world", "REDMAX_PT_simulate", "REDMAX_PT_simulate_options")
        return [[name for name, _ in properties_in(drawn(), panel)] for panel in panels]

    assert shown() == [["accuracy", *own, "pre_roll"], ["accuracy"], [*own, "pre_roll"]]
    settings.accuracy = "HIGH"
    assert shown() == [["accuracy", "pre_roll"], ["accuracy"], ["pre_roll"]]


def test_a_tolerance_too_small_for_its_field_stands_in_the_label(scene):
    scene.redmax.accuracy, scene.redmax.integrator = "CUSTOM", "dop853"
    scene.redmax.dop853.rtol = 1e-9
    assert any(text.startswith("1e-09 ") for text in drawn()["REDMAX_PT_world"].texts())
    scene.redmax.dop853.rtol = 0.25
    assert not any(text.startswith("2e-01") for text in drawn()["REDMAX_PT_world"].texts())


@pytest.mark.parametrize("own_range", [False, True])
def test_the_frame_range_is_that_which_is_simulated(scene, own_range):
    scene.redmax.use_range = own_range
    calls = [
        c for c in drawn()["REDMAX_PT_world_range"].calls if c.what == "prop" and "frame" in c.arguments["property"]
    ]
    assert len(calls) == 2
    assert all(call.arguments["data"] == (scene.redmax if own_range else scene) for call in calls)


def test_linked_objects_are_drawn_like_local_ones(tmp_path):
    pin = new_joint("composite")
    pin.redmax.joint.parts.add().kind = "revolute"
    pin.redmax.joint.child = new_body()
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {pin})
    local = {name: len(layout.calls) for name, layout in _drawn_for(pin).items()}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (source, target):
        target.objects = source.objects
    linked = next(obj for obj in target.objects if obj.redmax.is_joint)
    assert linked.library is not None
    bpy.context.scene.collection.objects.link(linked)
    assert {name: len(layout.calls) for name, layout in _drawn_for(linked).items()} == local
    override = linked.override_create()
    bpy.context.scene.collection.objects.link(override)
    assert {name: len(layout.calls) for name, layout in _drawn_for(override).items()} == local


def _drawn_for(obj):
    bpy.context.view_layer.objects.active = obj
    return drawn((*body.CLASSES, *joint.CLASSES))
