# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine has registered and what an artist can reach in Blender. NOT_YET lists what is missing; it may only
shrink: a new kind or field that cannot be reached fails here, and so does an entry that can be."""

from __future__ import annotations

import bpy

from redmax import fields, io, scene
from redmax_blender.properties import body as body_properties
from redmax_blender.properties import forms, sorts
from redmax_blender.properties import joint as joint_properties
from redmax_blender.properties import surface as surface_properties

NOT_YET: dict[str, str] = {}
"""Kinds ('joint screw') and fields ('joint.stiffness_table') that cannot be reached, and why."""

OTHERWISE = {
    "joint.animation": "keys on the coordinate",
    "joint.torque_table": "keys on the torque",
    "joint.frame_in_parent": "where the joint's object stands",
    "joint.frame_in_child": "where the joint's object stands",
    "joint.origin": "where the child stands on its track",
    "body.shapes": "Shape, and children that are parts",
    "body.inertia": "Mass",
    "body.inertia.mass": "Mass",
    "body.inertia.center": "the geometry",
    "body.inertia.tensor": "Mass From Inertia",
    "shape.frame": "the geometry",
    "mesh.faces": "the object's own mesh",
    "mesh.vertices": "the object's own mesh",
    "joint.stiffness_table": "a curve object",
    "surface.body": "the body above the object",
    "surface.frame": "where the object stands",
    **dict.fromkeys(
        [f"surface.{name}" for name in ("size", "radius", "radii", "height", "vertices", "faces", "heights", "pieces")],
        "the geometry",
    ),
}
"""Fields that are reached by another way than a property of their name."""


def kinds_offered() -> set[str]:
    """Kinds that an operator or a menu makes."""
    operators = bpy.ops.redmax
    offered = {f"joint {item.identifier}" for item in operators.connect.get_rna_type().properties["kind"].enum_items}
    for item in operators.add_element.get_rna_type().properties["kind"].enum_items:
        offered.add(item.identifier.replace(".", " ").strip())
    shapes = body_properties.REDMAX_PG_body.bl_rna.properties["shape"].enum_items
    offered |= {f"shape {item.identifier}" for item in shapes}
    touching = operators.add_surface.get_rna_type().properties["kind"].enum_items
    return offered | {f"surface {item.identifier}" for item in touching}


def kinds_registered() -> set[str]:
    kinds = {f"{name} {cls.kind}" for name, registry in io.REGISTRIES.items() for cls in registry}
    return kinds | {name for name in io.PLAIN if name != "body"}  # an object becomes a body by a button


def fields_registered():
    """Every declared field, by the path of its sort; the fields of kinds beside those that all of a sort have."""
    for sort in sorts.SORTS.values():
        for cls in sort.registry or (sort.cls,):
            yield from ((sort.name, cls, name, spec) for name, spec in fields.specs(cls).items() if name != "name")
    for cls in io.REGISTRIES["shape"]:
        yield from ((cls.kind, cls, name, spec) for name, spec in fields.specs(cls).items())


def is_reached(owner: str, cls: type, name: str) -> bool:
    """Whether there is a property that an artist can edit, in a panel."""
    if owner in io.REGISTRIES["shape"]:
        group = getattr(body_properties.REDMAX_PG_body, "__annotations__", {})
        shapes = {kind: prop.keywords["type"] for kind, prop in group.items() if kind in io.REGISTRIES["shape"]}
        own = shapes[owner].__annotations__ if owner in shapes else {}
        otherwise = {f"shape.{name}", f"{owner}.{name}"} & OTHERWISE.keys()
        return name in own or name in ("density", "mass") or bool(otherwise)
    if owner == "body":
        return name in body_properties.REDMAX_PG_body.__annotations__ or f"body.{name}" in OTHERWISE
    if owner == "surface":
        return name in surface_properties.REDMAX_PG_surface.__annotations__ or f"surface.{name}" in OTHERWISE
    if owner == "joint":
        held = joint_properties.KIND_GROUPS.get(cls.kind)
        own = {*joint_properties.REDMAX_PG_joint.__annotations__, *(held.__annotations__ if held else ())}
        shown = joint_properties.SHOWN_AS.get(name, name)
        by_unit = any(prop.startswith(f"{shown}_") for prop in own)
        return shown in own or by_unit or f"joint.{name}" in OTHERWISE or name == joint_properties.PARTS.get(cls.kind)
    return name in {field.name for field in forms.fields_of(cls)}


def test_every_kind_is_in_a_menu():
    missing = kinds_registered() - kinds_offered()
    assert missing == {entry for entry in NOT_YET if " " in entry}


def test_every_field_has_a_property_or_another_way():
    missing = {f"{owner}.{name}" for owner, cls, name, _ in fields_registered() if not is_reached(owner, cls, name)}
    inertia = fields.specs(scene.Inertia)  # a record of bodies, whose group is written by hand
    missing |= {path for name in inertia if (path := f"body.inertia.{name}") not in OTHERWISE}
    assert missing == {entry for entry in NOT_YET if " " not in entry}


def test_every_sort_has_panels_a_flag_and_a_list():
    for sort in sorts.SORTS.values():
        assert sort.flag in bpy.types.Object.bl_rna.properties["redmax"].fixed_type.properties
        assert sort.flag in bpy.types.PoseBone.bl_rna.properties["redmax"].fixed_type.properties
        assert hasattr(bpy.types, f"REDMAX_PT_{sort.name}")
        assert sort.listed in io.LISTS
