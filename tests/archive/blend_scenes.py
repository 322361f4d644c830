# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms in Blender for the archive: a scene for each way in which an artist's file may be left.

Each function fills the scene that is open. Meshes are boxes, so that files stay small; what a mechanism is made of,
and how it is set up, is as the panels, operators and templates leave it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from redmax_blender import compat
from redmax_blender.bridge.authoring import composite_parts
from redmax_blender.properties import joint as joint_properties
from redmax_blender.properties.body import SHAPE_GROUPS
from redmax_blender.templates import TEMPLATES

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
SMALL: dict[str, dict[str, Any]] = {
    "pendulum": {},
    "chain": {"count": 2},
    "crane": {
        "height": 2.0,
        "boom_length": 2.0,
        "rope_length": 1.0,
        "rope_links": 2,
        "load_size": 0.4,
        "duration": 1.0,
    },
    "four_bar": {"duration": 1.0, "turns": 1.0},
    "scissor_lift": {"stages": 1, "duration": 1.0},
    "slider_crank": {"with_motor": False},
}
"""Templates with parameters that make them small and let them move within a second."""


def press(operator: Any, **settings: Any) -> None:
    """Press a button; what it says where it refuses."""
    done = operator("EXEC_DEFAULT", True, **settings)
    assert done == {"FINISHED"}, bpy.context.window_manager.redmax.message


def frames(first: int, last: int, *, fps: int = 24) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = first, last, fps


def box(name: str, at: Any, size: Any, *, is_body: bool = True, collection: Any = None) -> Any:
    """A box with its origin in the middle."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((CORNERS * np.asarray(size)).tolist(), [], FACES)
    obj = bpy.data.objects.new(name, mesh)
    (collection or bpy.context.scene.collection).objects.link(obj)
    obj.location = at
    obj.redmax.is_body = is_body
    return obj


def joint(name: str, parent: Any, child: Any, at: Any, *, kind: str = "revolute", axis: Any = (0, 1, 0)) -> Any:
    """A joint whose z axis points along `axis`."""
    obj = bpy.data.objects.new(name, None)
    child.users_collection[0].objects.link(obj)
    obj.location = at
    obj.rotation_euler = Vector((0.0, 0.0, 1.0)).rotation_difference(Vector(axis)).to_euler()
    obj.redmax.is_joint = True
    settings = obj.redmax.joint
    settings.kind, settings.parent, settings.child = kind, parent, child
    return obj


def arms(prefix: str, *, collection: Any = None) -> tuple[Any, Any]:
    """A locked post and two arms that fall from it; their hinges."""
    post = box(f"{prefix} Post", (0.0, 0.0, 1.0), (0.2, 0.2, 2.0), collection=collection)
    upper = box(f"{prefix} Upper", (0.5, 0.0, 2.0), (1.0, 0.1, 0.1), collection=collection)
    lower = box(f"{prefix} Lower", (1.5, 0.0, 2.0), (1.0, 0.1, 0.1), collection=collection)
    post.redmax.body.root = "LOCKED"
    upper.rotation_mode, lower.rotation_mode = "QUATERNION", "YXZ"
    shoulder = joint(f"{prefix} Shoulder", post, upper, (0.0, 0.0, 2.0))
    elbow = joint(f"{prefix} Elbow", upper, lower, (1.0, 0.0, 2.0), axis=(0.2, 1.0, 0.1))
    for hinge in (shoulder, elbow):
        hinge.redmax.joint.damping[0] = 2.0
    return shoulder, elbow


def keys(obj: Any, path: str, points: Any, interpolation: str, index: int = 0) -> Any:
    """Keys (frame, value) of one component of a property; the F-curve."""
    curve = compat.ensure_fcurves(obj).ensure(path, index)
    for frame, value in points:
        curve.keyframe_points.insert(frame, value).interpolation = interpolation
    curve.update()
    return curve


# --- authored --------------------------------------------------------------------------------


def joints() -> None:
    """Every kind of joint, with a value in every per-coordinate field; centimetres, a pre-roll and 25 fps."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.01
    frames(11, 27, fps=25)
    scene.redmax.pre_roll = 4
    scene.redmax.accuracy = "STANDARD"
    for number, cls in enumerate(joint_properties.joints.JOINTS):
        body = box(f"Body {cls.kind}", (60.0 * number, 5.0, -15.0), (20.0, 16.0, 30.0))
        obj = joint(f"Joint {cls.kind}", None, body, (60.0 * number, 0.0, 0.0), kind=cls.kind, axis=(0.3, 1.0, 0.2))
        settings = obj.redmax.joint
        if joint_properties.has_parts(settings):
            for part in ("revolute", "prismatic", "screw"):
                composite_parts.add_part(obj, part)
            settings.parts[0].revolute.axis = (1.0, 0.0, 0.5)
            settings.parts[2].screw.pitch = 7.0
        own = joint_properties.own_group(settings)
        for name, value in {"axis": (0.1, 0.2, 1.0), "pitch": 5.0, "sequence": "zyx"}.items():
            if own is not None and name in own.bl_rna.properties:
                setattr(own, name, value)
        fill_coordinates(settings, soft=number % 2 == 0 or not joint_properties.may_have_hard_limits(settings))
    bpy.data.objects["Joint universal"].redmax.joint.motion_type = "locked"


def fill_coordinates(settings: Any, *, soft: bool) -> None:
    """A value of its own in every per-coordinate field of a joint; lengths in centimetres."""
    settings.limit_type = "SOFT" if soft else "HARD"
    values = {"lower": -0.3, "upper": 0.4, "rest": -0.1, "q": 0.1, "qdot": 0.5}
    for dof in joint_properties.dofs(settings):
        for name, value in values.items():
            scale = 1.0 if dof.unit == "rad" else 30.0
            joint_properties.set_value(settings, name, dof, scale * (value + 0.01 * dof.index))
        for name, value in {"torque": 0.3, "stiffness": 80.0, "damping": 1.5}.items():
            joint_properties.set_value(settings, name, dof, value * (1.0 + 0.1 * dof.index))
        settings.limit_stiffness[dof.index] = 400.0 + 10.0 * dof.index
        settings.limit_damping[dof.index] = 3.0 + dof.index
        settings.use_lower[dof.index] = settings.use_upper[dof.index] = True


def bodies() -> None:
    """Every shape, masses by density, material and number, bodies of several objects, a free body that spins, a
    mechanism that is switched off; an integrator by hand and a range of its own."""
    scene = bpy.context.scene
    frames(1, 50)
    settings = scene.redmax
    settings.accuracy, settings.integrator = "CUSTOM", "dop853"
    settings.dop853.rtol, settings.dop853.atol = 1e-10, 1e-11
    settings.use_range, settings.frame_start, settings.frame_end = True, 5, 25
    shapes: dict[str, Any] = {"box": {"size": (0.3, 0.4, 0.5)}, "ellipsoid": {"radii": (0.2, 0.3, 0.4)}, "mesh": {}}
    for number, kind in enumerate(SHAPE_GROUPS):
        body = box(f"Shape {kind}", (1.5 * number, 0.0, 0.0), (0.4, 0.3, 0.8))
        weight = body.redmax.body
        weight.shape = kind
        for name, value in shapes.get(kind, {"radius": 0.15, "height": 0.6}).items():
            if hasattr(getattr(weight, kind), name):
                setattr(getattr(weight, kind), name, value)
        if number % 3 == 0:
            weight.mass_source, weight.mass = "MASS", 3.0 + number
        elif number % 3 == 1:
            weight.material = "BRASS"
        else:
            weight.density = 650.0
        weight.damping = 0.1 * number
        joint(f"Pin {kind}", None, body, (1.5 * number + 0.3, 0.0, 0.5))
    whole = box("Whole", (0.0, 3.0, 0.0), (0.3, 0.3, 0.3))
    for name, place in (("Left Part", (-0.5, 0.0, 0.1)), ("Right Part", (0.6, 0.2, 0.0))):
        part = box(name, place, (0.4, 0.2, 0.2), is_body=False)
        part.parent = whole
    joint("Ball", None, whole, (0.0, 3.0, 0.5), kind="spherical").redmax.joint.velocity_angle = (1, -2, 0.5, 0, 0, 0)
    thrown = box("Thrown", (3.0, 3.0, 0.0), (0.3, 0.5, 0.7))
    thrown.rotation_mode = "AXIS_ANGLE"
    thrown.redmax.body.keep_free = True
    thrown.redmax.body.velocity, thrown.redmax.body.spin = (0.5, -0.2, 3.0), (1.0, 2.0, -0.5)
    held = box("Held", (5.0, 3.0, 0.0), (0.3, 0.5, 0.7))
    held.redmax.body.root = "LOCKED"
    hanging = box("Hanging", (5.0, 3.0, -0.8), (0.2, 0.2, 0.6))
    joint("Slide", held, hanging, (5.0, 3.0, -0.5), kind="prismatic", axis=(0, 0, -1)).redmax.joint.stiffness[0] = 900.0
    held.redmax.mechanism.color = (0.2, 0.5, 0.9)
    off = box("Switched Off", (7.0, 3.0, 0.0), (0.3, 0.3, 0.3))
    off.redmax.mechanism.enabled = False


def templates() -> None:
    """Templates, drawn as boxes: four-bar, slider-crank and scissor lift are closed loops."""
    frames(1, 13)
    scene = bpy.context.scene
    scene.redmax.accuracy = "HIGH"
    builders = {template.NAME: template.build for template in TEMPLATES}
    for number, (name, parameters) in enumerate(SMALL.items()):
        scene.cursor.location = (4.0 * (number % 3), 5.0 * (number // 3), 0.0)
        made = builders[name](bpy.context, **parameters)
        for mesh in {obj.data for obj in made if obj.type == "MESH"}:
            corners = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.vertices.foreach_get("co", corners)
            low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
            mesh.clear_geometry()
            mesh.materials.clear()
            mesh.from_pydata((0.5 * (low + high) + CORNERS * (high - low)).tolist(), [], FACES)
    scene.cursor.location = (0.0, 0.0, 0.0)


# --- keyed -----------------------------------------------------------------------------------


def keyed() -> None:
    """Coordinates that follow Bezier and constant keys, keys between frames, a driver, an NLA strip and an F-modifier,
    and torques that are keyed; left at a subframe."""
    frames(3, 19)
    scene = bpy.context.scene
    scene.redmax.accuracy = "HIGH"
    paths = {"revolute": "redmax.joint.coordinate_angle_1", "prismatic": "redmax.joint.coordinate_distance_1"}
    made = {}
    kinds = {"Bezier": "revolute", "Constant": "prismatic", "Driven": "revolute", "Strip": "prismatic"}
    for x, (name, kind) in enumerate({**kinds, "Waves": "revolute"}.items()):
        carrier = box(f"{name} Carrier", (x, 0.0, 0.0), (0.5, 0.3, 0.3))
        swing = box(f"{name} Swing", (x, 0.0, -0.6), (0.1, 0.1, 0.8))
        made[name] = joint(f"{name} Motor", None, carrier, (x, 0.0, 0.0), kind=kind, axis=(0, 1, 0))
        made[name].redmax.joint.motion_type = "animated"
        joint(f"{name} Pivot", carrier, swing, (x, 0.0, -0.2), axis=(1, 0, 0)).redmax.joint.coordinate_angle_1 = 0.4
    curve = keys(made["Bezier"], paths["revolute"], [(3, 0.0), (10.5, 0.8), (19, -0.5)], "BEZIER")
    curve.keyframe_points[1].handle_left_type = curve.keyframe_points[1].handle_right_type = "FREE"
    curve.keyframe_points[1].handle_left, curve.keyframe_points[1].handle_right = (8.0, 0.9), (14.0, 0.6)
    keys(made["Constant"], paths["prismatic"], [(3, 0.25), (19, 0.25)], "CONSTANT")
    made["Driven"].driver_add(paths["revolute"]).driver.expression = "(frame - 3) ** 2 * 0.001"
    keys(made["Strip"], paths["prismatic"], [(1, 0.0), (12, 0.3), (25, 0.1)], "BEZIER")
    data = made["Strip"].animation_data
    action, slot = data.action, getattr(data, "action_slot", None)
    data.action = None
    strip = data.nla_tracks.new().strips.new("Slide", 3, action)
    if slot is not None:
        strip.action_slot = slot
    waves = keys(made["Waves"], paths["revolute"], [(3, 0.0), (9, 0.2)], "BEZIER")
    waves.modifiers.new("CYCLES")
    keys(bpy.data.objects["Bezier Pivot"], "redmax.joint.torque_1", [(3, 0.0), (9, 2.0), (15, 0.0)], "LINEAR")
    keys(bpy.data.objects["Waves Pivot"], "redmax.joint.torque_1", [(3, 1.0), (8.5, -1.0), (14, 0.0)], "CONSTANT")
    scene.frame_set(12, subframe=0.25)


# --- simulated and baked ---------------------------------------------------------------------


def simulated() -> None:
    """A result beside the file, shown at a frame in its middle."""
    frames(1, 13)
    arms("Shown")
    press(bpy.ops.redmax.simulate)
    bpy.context.scene.frame_set(7)


def bake(**options: Any) -> None:
    """Simulate, bake with these options of the panel, and clear the result: baked keys stay."""
    bpy.context.scene.redmax.accuracy = "HIGH"
    for name, value in options.items():
        setattr(bpy.context.scene.redmax.bake, name, value)
    press(bpy.ops.redmax.simulate)
    press(bpy.ops.redmax.bake)
    press(bpy.ops.redmax.clear_result)


def baked_to_action() -> None:
    """A four-bar baked to new actions with every result channel; its coupler had an action before."""
    frames(1, 9)
    points = {"A": (0.0, 0.0, 0.0), "B": (0.1, 0.0, 0.2), "C": (0.6, 0.0, 0.45), "D": (0.6, 0.0, 0.0)}
    links = {}
    for name, (a, b) in {"Crank": "AB", "Coupler": "BC", "Rocker": "DC"}.items():
        one, other = np.array(points[a]), np.array(points[b])
        links[name] = box(name, 0.5 * (one + other), (0.02, 0.02, float(np.linalg.norm(other - one))))
        links[name].rotation_euler = (0.0, math.atan2(*(other - one)[[0, 2]]), 0.0)
    keys(links["Coupler"], "hide_render", [(1, 0.0), (5, 1.0)], "CONSTANT")
    joint("Pin A", None, links["Crank"], points["A"]).redmax.joint.velocity_angle[0] = 4.0
    joint("Pin B", links["Crank"], links["Coupler"], points["B"])
    joint("Pin D", None, links["Rocker"], points["D"])
    joint("Pin C", links["Coupler"], links["Rocker"], points["C"])
    bake(torque=True, reaction=True, energy=True, gap=True)


def baked_to_nla() -> None:
    """Arms baked to strips above a track of the artist's; linear tangents, frames from a pre-roll on."""
    frames(11, 19)
    bpy.context.scene.redmax.pre_roll = 6
    arms("Strip")
    lower = bpy.data.objects["Strip Lower"]
    keys(lower, "location", [(1, 1.5), (20, 1.6)], "BEZIER", 0)
    data = lower.animation_data
    action, slot = data.action, getattr(data, "action_slot", None)
    data.action = None
    strip = data.nla_tracks.new().strips.new("Artist's", 30, action)
    if slot is not None:
        strip.action_slot = slot
    bake(target="NLA", tangents="LINEAR")


def baked_fewer() -> None:
    """Arms baked with as few keys as the bounds allow."""
    frames(1, 31)
    arms("Fewer")
    bake(keys="FEWER", max_distance=0.2, max_angle=math.radians(0.1))


def baked_into_current() -> None:
    """Arms baked into the actions they had, every third frame of a part of the range, as a loop."""
    frames(1, 31)
    arms("Current")
    lower = bpy.data.objects["Current Lower"]
    keys(lower, "scale", [(1, 1.0), (40, 1.0)], "LINEAR", 2)
    part = {"range": "CUSTOM", "frame_start": 4, "frame_end": 28}
    bake(target="CURRENT", keys="EVERY_N", every=3, loop=True, loop_frames=6, **part)


def kit() -> None:
    """What another file links: arms in a collection of their own, with a soft stop."""
    frames(1, 13)
    collection = bpy.data.collections.new("Kit")
    bpy.context.scene.collection.children.link(collection)
    _, elbow = arms("Kit", collection=collection)
    elbow.redmax.joint.limit_type = "SOFT"
    elbow.redmax.joint.use_upper[0], elbow.redmax.joint.upper_angle[0] = True, 0.1
    bpy.data.objects["Kit Lower"].redmax.body.density = 900.0


AUTHORED: dict[str, Callable[[], None]] = {
    "Joints": joints,
    "Bodies": bodies,
    "Templates": templates,
    "Keyed": keyed,
    "Simulated": simulated,
    "Baked to Action": baked_to_action,
    "Baked to NLA": baked_to_nla,
    "Baked Fewer": baked_fewer,
    "Baked into Current": baked_into_current,
    "Kit": kit,
}
"""By the name of the scene."""


def overridden(library: str) -> None:
    """The kit of the other file as library overrides, some of its settings changed."""
    frames(1, 13)
    scene = bpy.context.scene
    with bpy.data.libraries.load(library, link=True, relative=True) as (_, into):
        into.collections = ["Kit"]
    linked = into.collections[0]
    scene.collection.children.link(linked)
    linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
    scene.collection.children.unlink(linked)
    elbow = next(obj for obj in scene.objects if obj.name.startswith("Kit Elbow"))
    elbow.redmax.joint.damping[0], elbow.redmax.joint.upper_angle[0] = 5.0, 0.3
    lower = next(obj for obj in scene.objects if obj.name.startswith("Kit Lower"))
    lower.redmax.body.density = 500.0
    lower.location.y += 0.05
