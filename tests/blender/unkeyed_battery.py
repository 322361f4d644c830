# SPDX-License-Identifier: GPL-3.0-or-later
"""A file full of values of all sorts that are animated, and were then changed without keying them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import bpy
import swinging

FRAMES = (1, 13)
BODIES = ("Post", "Upper", "Lower")

Row = tuple[Any, str, Any, Any, Any]
"""Data-block, data path, its value at the first and at the last frame, and the value that nobody keyed."""


class Battery:
    """Values by name. The file is found anew at each look: undo makes other data-blocks of it."""

    def __init__(self) -> None:
        """Build the file and key everything."""
        self.places: list[tuple[str, str, str, str, Any]] = []
        scene = swinging.build(frames=FRAMES)
        for owner, path, first, last, unkeyed in [*_mechanism(scene), *_others(scene), *_scene(scene)]:
            for frame, value in zip(FRAMES, (first, last), strict=True):
                put(owner, path, value)
                assert owner.keyframe_insert(path, frame=frame), (owner, path)
            self.places.append((*_address(owner), path, unkeyed))
        bpy.context.view_layer.update()

    def __len__(self) -> int:
        return len(self.places)

    def change(self) -> dict[str, bytes]:
        """Give every value another one than its keys do at the present frame; returns what is there then."""
        keyed = self.read()
        for kind, name, part, path, value in self.places:
            put(_find(kind, name, part), path, value)
        bpy.context.view_layer.update()
        changed = self.read()
        same = [name for name, bits in changed.items() if bits == keyed[name]]
        assert not same, f"the keys say the same: {same}"
        return changed

    def read(self) -> dict[str, bytes]:
        """What is there, bit for bit; gone is gone."""
        found = {}
        for kind, name, part, path, _ in self.places:
            owner = _find(kind, name, part)
            label = ".".join(word for word in (name, part, path) if word)
            found[label] = b"gone" if owner is None else bits(owner.path_resolve(path))
        return found


def bits(value: Any) -> bytes:
    """Every bit of a number, of a vector of them, or of a word."""
    if isinstance(value, str):
        return value.encode()
    numbers = list(value) if hasattr(value, "__len__") else [value]
    return struct.pack(f"{len(numbers)}d", *numbers)


def put(owner: Any, path: str, value: Any) -> None:
    """Assign by data path."""
    if path.endswith("]"):
        base, _, key = path.rpartition("[")
        (owner.path_resolve(base) if base else owner)[key[1:-2]] = value
    else:
        base, _, name = path.rpartition(".")
        setattr(owner.path_resolve(base) if base else owner, name, value)


def _address(owner: Any) -> tuple[str, str, str]:
    """Collection, name, and which part of it: node trees of materials and the like have no name of their own."""
    for kind in ("materials", "worlds", "scenes"):
        for host in getattr(bpy.data, kind):
            if getattr(host, "node_tree", None) == owner:
                return kind, host.name, "node_tree"
    for kind in (kind for kind in dir(bpy.data) if kind != "all_ids"):
        members = getattr(bpy.data, kind)
        if isinstance(members, bpy.types.bpy_prop_collection) and members.get(owner.name) == owner:
            return kind, owner.name, ""
    raise AssertionError(owner)


def _find(kind: str, name: str, part: str) -> Any:
    found = getattr(bpy.data, kind).get(name)
    return getattr(found, part) if part and found is not None else found


def _linked(name: str, data: Any = None) -> Any:
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def _mechanism(scene: Any) -> Iterator[Row]:
    """Of the mechanism itself, besides where its bodies move."""
    shoulder, elbow = scene.objects["Shoulder"], scene.objects["Elbow"]
    yield shoulder, "redmax.joint.coordinate_angle_1", 0.0, 0.0, 1.5
    yield elbow, "redmax.joint.torque_1", 0.0, 1.0, 7.0
    yield shoulder, "location", (0.0, 0.0, 2.0), (0.0, 0.0, 2.0), (0.0, 0.5, 2.0)
    yield elbow, "empty_display_size", 1.0, 2.0, 5.5
    post, upper = scene.objects["Post"], scene.objects["Upper"]
    yield post, "location", (0.0, 0.0, 1.0), (0.0, 0.0, 1.5), (0.3, 0.0, 1.0)
    yield post, "rotation_euler", (0.0, 0.0, 0.0), (0.0, 0.0, 0.1), (0.0, 0.0, 0.7)
    upper["wear"] = 0.0
    yield upper, '["wear"]', 0.0, 1.0, 0.123456789
    yield upper, "color", (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0), (0.1, 0.7, 0.3, 0.9)
    yield upper, "pass_index", 1, 9, 30
    lower = scene.objects["Lower"]
    lower["grip"] = [0.0, 0.0]
    yield lower, '["grip"]', [0.0, 0.0], [1.0, 1.0], [0.25, -3.0]
    yield lower, "hide_render", False, False, True
    lower.modifiers.new("Bevel", "BEVEL")
    yield lower, 'modifiers["Bevel"].width', 0.001, 0.002, 0.005
    yield lower, 'modifiers["Bevel"].segments', 1, 2, 6
    yield upper.data, '["age"]', *_custom(upper.data, "age", 0.0, 1.0, 33.5)


def _custom(owner: Any, name: str, *values: Any) -> tuple[Any, ...]:
    """Values of a new custom property."""
    owner[name] = values[0]
    return values


def _others(scene: Any) -> Iterator[Row]:
    """Of everything else that is in the file."""
    aside = _linked("Aside")
    yield aside, "location", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (5.0, 0.1, -0.3)
    yield aside, "rotation_euler", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.1, 0.2, 0.3)
    yield aside, "scale", (1.0, 1.0, 1.0), (2.0, 2.0, 2.0), (1.5, 0.1, 1e-7)
    yield aside, "delta_location", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 3.0, 0.0)
    yield aside, "hide_viewport", False, False, True
    turned = _linked("Turned")
    turned.rotation_mode = "QUATERNION"
    yield turned, "rotation_quaternion", (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.5, 0.5, -0.5, 0.5)
    yield turned, "instance_faces_scale", 1.0, 2.0, 3.5
    for name, values in {"number": (0.0, 1.0, 0.3), "count": (1, 5, 77), "flag": (False, True, True)}.items():
        yield turned, f'["{name}"]', *_custom(turned, name, *values)
    bound = _linked("Bound")
    limit = bound.constraints.new("LIMIT_LOCATION")
    limit.name = "Limit"
    yield bound, 'constraints["Limit"].influence', 0.0, 1.0, 0.77
    yield bound, 'constraints["Limit"].max_x', 0.0, 1.0, 9.25
    driven = _linked("Driven")
    driver = driven.driver_add("location", 1).driver
    variable = driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = "SCENE", scene
    variable.targets[0].data_path, driver.expression = "frame_current", variable.name
    yield driven, "rotation_euler", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0)
    yield from _strip()
    yield from _shapes()
    yield from _armature()
    yield from _shading(scene)
    yield from _data()


def _strip() -> Iterator[Row]:
    """A value that keys and the NLA move together."""
    layered = _linked("Layered")
    for frame, value in zip(FRAMES, (0.0, 3.0), strict=True):
        layered.location.x = value
        layered.keyframe_insert("location", index=0, frame=frame)
    data = layered.animation_data
    data.nla_tracks.new().strips.new("Below", FRAMES[0], data.action)
    data.action = None
    yield layered, "scale", (1.0, 1.0, 1.0), (3.0, 3.0, 3.0), (1.25, 1.0, 7.0)


def _shapes() -> Iterator[Row]:
    mesh = bpy.data.meshes.new("Blob")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    blob = _linked("Blob", mesh)
    blob.shape_key_add(name="Basis")
    blob.shape_key_add(name="Smile")
    yield mesh.shape_keys, 'key_blocks["Smile"].value', 0.0, 1.0, 0.61
    yield mesh.shape_keys, 'key_blocks["Smile"].mute', False, False, True
    for name, kind in (("Array", "ARRAY"), ("Subsurf", "SUBSURF"), ("Displace", "DISPLACE"), ("Build", "BUILD")):
        blob.modifiers.new(name, kind)
    yield blob, 'modifiers["Array"].count', 1, 3, 5
    yield blob, 'modifiers["Subsurf"].show_viewport', False, False, True
    yield blob, 'modifiers["Displace"].strength', 0.0, 1.0, -0.4
    yield blob, 'modifiers["Build"].use_reverse', False, False, True
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    socket = group.interface.new_socket("Amount", in_out="INPUT", socket_type="NodeSocketFloat")
    value = group.nodes.new("ShaderNodeValue")
    value.name = "Value"
    yield group, 'nodes["Value"].outputs[0].default_value', 0.0, 1.0, 0.9
    nodes = blob.modifiers.new("Nodes", "NODES")
    nodes.node_group = group
    bpy.context.view_layer.update()
    place = f'["{socket.identifier}"]'
    if hasattr(nodes, "properties"):  # since Blender 5.2
        place = f".properties.inputs.{socket.identifier}.value"
    yield blob, f'modifiers["Nodes"]{place}', 0.0, 1.0, 0.35


def _armature() -> Iterator[Row]:
    data = bpy.data.armatures.new("Rig")
    rig = _linked("Rig", data)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for k in range(2):
        bone = data.edit_bones.new(f"Bone{k}")
        bone.head, bone.tail = (0.0, 0.0, k), (0.0, 0.0, k + 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    follow = rig.pose.bones["Bone1"].constraints.new("LIMIT_ROTATION")
    follow.name = "Limit"
    yield rig, 'pose.bones["Bone0"].location', (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.2, 0.4, 0.6)
    yield rig, 'pose.bones["Bone0"].rotation_quaternion', (1, 0, 0, 0), (0, 1, 0, 0), (0.5, 0.5, 0.5, 0.5)
    yield rig, 'pose.bones["Bone1"].scale', (1.0, 1.0, 1.0), (2.0, 2.0, 2.0), (1.0, 3.0, 1.0)
    yield rig, 'pose.bones["Bone1"].constraints["Limit"].influence', 0.0, 1.0, 0.33
    rig.pose.bones["Bone1"]["ik"] = 0.0
    yield rig, 'pose.bones["Bone1"]["ik"]', 0.0, 1.0, 0.44
    yield data, 'bones["Bone0"].bbone_curveinx', 0.0, 1.0, 0.2


def _with_nodes(owner: Any) -> None:
    if bpy.app.version < (5, 0, 0):  # later everything has nodes
        owner.use_nodes = True


def _shading(scene: Any) -> Iterator[Row]:
    paint = bpy.data.materials.new("Paint")
    scene.objects["Upper"].data.materials.append(paint)
    _with_nodes(paint)
    shader = next(node for node in paint.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    yield paint, "diffuse_color", (0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.2, 0.3, 0.4, 0.5)
    yield paint, "pass_index", 1, 5, 17
    base = f'nodes["{shader.name}"].inputs["Roughness"].default_value'
    yield paint.node_tree, base, 0.0, 1.0, 0.111
    base = f'nodes["{shader.name}"].inputs["Base Color"].default_value'
    yield paint.node_tree, base, (0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.2, 0.9, 0.4, 1.0)
    world = bpy.data.worlds.new("Sky")
    scene.world = world
    _with_nodes(world)
    back = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    yield world, "color", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.3, 0.2, 0.1)
    yield world.node_tree, f'nodes["{back.name}"].inputs["Strength"].default_value', 0.0, 1.0, 3.75


def _data() -> Iterator[Row]:
    """Data-blocks of objects that are neither meshes nor armatures."""
    lamp = bpy.data.lights.new("Lamp", "POINT")
    _linked("Lamp", lamp)
    yield lamp, "energy", 10.0, 100.0, 321.5
    yield lamp, "color", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.9, 0.1, 0.2)
    camera = bpy.data.cameras.new("Eye")
    bpy.context.scene.camera = _linked("Eye", camera)
    yield camera, "lens", 50.0, 80.0, 33.3
    yield camera, "shift_x", 0.0, 1.0, -0.25
    yield camera, "dof.focus_distance", 1.0, 10.0, 4.5
    curve = bpy.data.curves.new("Wire", "CURVE")
    curve.splines.new("POLY").points.add(2)
    _linked("Wire", curve)
    yield curve, "bevel_depth", 0.0, 0.1, 0.07
    yield curve, "eval_time", 0.0, 100.0, 12.5
    text = bpy.data.curves.new("Sign", "FONT")
    _linked("Sign", text)
    yield text, "size", 1.0, 2.0, 1.75
    speaker = bpy.data.speakers.new("Horn")
    _linked("Horn", speaker)
    yield speaker, "volume", 0.0, 1.0, 0.42
    ball = bpy.data.metaballs.new("Drop")
    ball.elements.new()
    _linked("Drop", ball)
    yield ball, "threshold", 0.6, 0.7, 0.35
    lattice = bpy.data.lattices.new("Cage")
    _linked("Cage", lattice)
    yield lattice, '["stretch"]', *_custom(lattice, "stretch", 0.0, 1.0, 0.55)
    texture = bpy.data.textures.new("Noise", "CLOUDS")
    yield texture, "intensity", 1.0, 2.0, 0.5
    bpy.data.objects["Blob"].modifiers["Displace"].texture = texture


def _scene(scene: Any) -> Iterator[Row]:
    """Of the scene itself."""
    yield scene, '["take"]', *_custom(scene, "take", 0.0, 1.0, 0.875)
    yield scene, "gravity", (0.0, 0.0, -9.81), (0.0, 0.0, -8.0), (0.0, 1.0, -3.0)
    yield scene, "view_settings.exposure", 0.0, 1.0, 0.4
    yield scene, "render.motion_blur_shutter", 0.5, 1.0, 0.7
    scene.sequence_editor_create()
    options = {"name": "Fade", "type": "COLOR", "channel": 1, "frame_start": 1}
    span = {"length": 50} if bpy.app.version >= (5, 0, 0) else {"frame_end": 51}
    scene.sequence_editor.strips.new_effect(**options, **span)
    yield scene, 'sequence_editor.strips_all["Fade"].blend_alpha', 0.0, 1.0, 0.66
