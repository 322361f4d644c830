# SPDX-License-Identifier: GPL-3.0-or-later
"""An artist's own steps in the operator fuzz: what is done by hand between the add-on's operators."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import bmesh
import bpy

from redmax_blender import handlers
from redmax_blender.bridge.check import live_check
from redmax_blender.bridge.results import preview
from redmax_blender.properties import forms, sorts
from redmax_blender.properties import joint as joint_properties

FRAMES = 12
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
NAMES = ("Arm", "Ärmel", "a.001", "x" * 63, "🦾", "Scene", "''", "{0}", "../up")


class Artist:
    """Random steps of an artist; each is one method without arguments."""

    rng: random.Random
    path: Path

    def box(self, name: str) -> None:
        rng = self.rng
        corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(corners, [], FACES if rng.random() < 0.9 else FACES[:-1])
        obj = bpy.data.objects.new(name, mesh)
        obj.location = [rng.uniform(-2.0, 2.0) for _ in range(3)]
        bpy.context.scene.collection.objects.link(obj)

    def touch(self) -> None:
        """The artist changes values without keying them."""
        for obj in (bpy.data.objects.get("Witness"), bpy.data.objects.get("Witness Camera")):
            if obj is not None:
                obj.location = [self.rng.uniform(-5.0, 5.0) for _ in range(3)]
        if bpy.data.cameras.get("Witness Lens"):
            bpy.data.cameras["Witness Lens"].lens = self.rng.uniform(20.0, 80.0)
        if bpy.data.materials.get("Witness Paint"):
            bpy.data.materials["Witness Paint"].roughness = self.rng.random()
        bpy.context.view_layer.update()

    def objects(self) -> list:
        return [obj for obj in bpy.context.scene.objects if not obj.name.startswith("Witness")]

    def one(self):
        return self.rng.choice(self.objects()) if self.objects() else None

    def select(self) -> None:
        objects = self.objects()
        count = self.rng.randrange(0, 1 + min(4, len(objects)))
        chosen = self.rng.sample(objects, count)
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj in chosen)
        if self.rng.random() < 0.9:
            bpy.context.view_layer.objects.active = chosen[-1] if chosen else None

    def move(self) -> None:
        """Bodies, joints or anything else, by hand."""
        if obj := self.one():
            near = self.rng.random() < 0.5
            by = [self.rng.uniform(-0.3, 0.3) if near else self.rng.uniform(-3.0, 3.0) for _ in range(3)]
            obj.location = [x + d for x, d in zip(obj.location, by, strict=True)] if near else by
            if self.rng.random() < 0.3:
                obj.rotation_euler = [self.rng.uniform(-3.0, 3.0) for _ in range(3)]
            if self.rng.random() < 0.1:
                obj.scale = [self.rng.choice([0.0, -1.0, 1.0, 2.0, 1e-6, 1e6]) for _ in range(3)]
            bpy.context.view_layer.update()

    def move_joint(self) -> None:
        if obj := self.joint():
            obj.location = [x + self.rng.uniform(-0.3, 0.3) for x in obj.location]
            bpy.context.view_layer.update()

    def key(self) -> None:
        if obj := self.one():
            obj.keyframe_insert("location", frame=self.rng.randrange(1, FRAMES))

    def coordinate(self) -> None:
        """Type a coordinate of a joint, and perhaps key it, as in its panel."""
        obj, rng = self.joint(), self.rng
        if obj is None:
            return
        joint: Any = obj.redmax.joint
        if rng.random() < 0.6:
            joint.motion_type = "animated"
        dofs = joint_properties.dofs(joint)[:6]
        if not dofs:
            return
        dof = rng.choice(dofs)
        value = rng.choice([0.0, rng.uniform(-0.5, 0.5), rng.uniform(-4.0, 4.0)])
        joint_properties.set_value(joint, "q", dof, value)
        if rng.random() < 0.5:
            place = joint_properties.place("q", dof)
            obj.keyframe_insert(place.path, frame=rng.randrange(1, FRAMES))
        obj.update_tag()
        bpy.context.view_layer.update()

    def delete(self) -> None:
        if (obj := self.one()) and len(self.objects()) > 2:
            if self.rng.random() < 0.5:
                bpy.data.objects.remove(obj)
            else:
                self.only(obj)
                try_operator(bpy.ops.object.delete)
            bpy.context.view_layer.update()

    def duplicate(self) -> None:
        if len(self.objects()) < 30:
            self.select()
            try_operator(bpy.ops.object.duplicate)
            bpy.context.view_layer.update()

    def rename(self) -> None:
        if obj := self.one():
            obj.name = self.rng.choice(NAMES)
            handlers.renamed()  # as Blender's message bus tells, which is asleep in the background

    def frame(self) -> None:
        bpy.context.scene.frame_set(self.rng.randrange(-2, FRAMES + 5), subframe=self.rng.choice([0.0, 0.0, 0.25]))

    def scrub(self) -> None:
        for _ in range(4):
            self.frame()

    def pause(self) -> None:
        """The artist waits: what timers do in a window."""
        handlers.follow_again()
        live_check.check(bpy.context)

    def hide_and_show(self) -> None:
        preview.hide(bpy.context.scene)
        if self.rng.random() < 0.7:
            preview.show(bpy.context.scene)

    def click_row(self) -> None:
        """A row of the list of joints, or of problems."""
        state = bpy.context.window_manager.redmax
        if state.problems and self.rng.random() < 0.3:
            state.active_problem = self.rng.randrange(len(state.problems))
        elif state.mechanisms:
            mechanism = self.rng.choice(state.mechanisms)
            mechanism.active_joint = self.rng.randrange(len(mechanism.joints) + 1)

    def overlay(self) -> None:
        settings = bpy.context.scene.redmax
        settings.show_joints = not settings.show_joints

    def edit_mode(self) -> None:
        """Pick an edge or a face of a mesh, and give the joint that was turned last that direction."""
        meshes = [obj for obj in self.objects() if obj.type == "MESH" and obj.visible_get() and len(obj.data.edges)]
        if not meshes:
            return
        mesh = self.rng.choice(meshes)
        if joint := self.joint():
            bpy.context.window_manager.redmax.axis_joints = joint.name
        self.only(mesh)
        bpy.ops.object.mode_set(mode="EDIT")
        shape = bmesh.from_edit_mesh(mesh.data)
        for face in shape.faces:
            face.select_set(False)
        picks = list(self.rng.choice([shape.edges, shape.faces]))
        if picks and self.rng.random() < 0.9:
            self.rng.choice(picks).select_set(True)
        bmesh.update_edit_mesh(mesh.data)
        try:
            if bpy.ops.redmax.set_joint_axis.poll():
                axis = self.rng.choice(["X", "Y", "Z", "AUTO", "PICKED", "PICKED", "PICKED", "ROTATION"])
                bpy.ops.redmax.set_joint_axis("EXEC_DEFAULT", True, axis=axis)
        except RuntimeError as error:
            if "Traceback (most recent call last)" in str(error):
                raise
        finally:
            if bpy.context.mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")

    def undo(self) -> None:
        try_operator(bpy.ops.ed.undo)

    def redo(self) -> None:
        try_operator(bpy.ops.ed.redo)

    def save(self) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(self.path), check_existing=False)

    def save_and_open(self) -> None:
        self.save()
        bpy.ops.wm.open_mainfile(filepath=str(self.path))

    def edit(self) -> None:
        """Something in the panels."""
        obj, rng = self.one(), self.rng
        if obj is None:
            return
        joint = obj.redmax.joint
        what = rng.randrange(9)
        if what == 0:
            joint.kind = rng.choice([item.identifier for item in joint.bl_rna.properties["kind"].enum_items])
        elif what == 1:
            joint.parent, joint.child = rng.choice([None, *self.objects()]), rng.choice([None, *self.objects()])
        elif what == 2:
            joint.motion_type = rng.choice(["simulated", "animated", "locked"])
        elif what == 3:
            joint.stiffness = [rng.choice([0.0, 1.0, 1e3])] * 6
        elif what == 4:
            obj.redmax.is_body = not obj.redmax.is_body
        elif what == 5:
            bpy.context.scene.redmax.accuracy = rng.choice(["DRAFT", "STANDARD", "HIGH"])
        elif what == 8:
            sort = rng.choice(sorts.GENERATED)
            setattr(obj.redmax, sort.flag, not getattr(obj.redmax, sort.flag))
        elif what == 6:
            group: Any = joint_properties.own_group(joint)
            if hasattr(group, "axis"):
                group.axis = [rng.uniform(-1.0, 1.0) for _ in range(3)]
        else:
            obj.redmax.body.root = rng.choice(["FREE", "LOCKED"])
        obj.update_tag()  # as a button does
        bpy.context.view_layer.update()

    def edit_element(self) -> None:
        """Anything in the panels of a force, a constraint or the like."""
        obj, rng = self.element(), self.rng
        if obj is None:
            return
        sort = rng.choice(sorts.generated_sorts(obj.redmax))
        settings = getattr(obj.redmax, sort.name)
        if sort.registry is not None and rng.random() < 0.2:
            settings.kind = rng.choice(sort.registry.kinds)
        group = sort.own_group(settings)
        for _ in range(rng.randrange(1, 4)):
            self.edit_one(group)
        obj.update_tag()
        bpy.context.view_layer.update()

    def edit_surface(self) -> None:
        """Anything in the panel of a surface; or an object becomes one, or is none any more."""
        having = [obj for obj in self.objects() if obj.redmax.is_surface]
        obj = self.rng.choice(having) if having and self.rng.random() < 0.8 else self.one()
        if obj is None:
            return
        if not obj.redmax.is_surface or self.rng.random() < 0.2:
            obj.redmax.is_surface = not obj.redmax.is_surface
        for _ in range(self.rng.randrange(1, 4)):
            self.edit_one(obj.redmax.surface)
        obj.update_tag()
        bpy.context.view_layer.update()

    def edit_one(self, group: Any) -> None:
        """A property of a group, or of an entry of one of its lists."""
        rng = self.rng
        shown = [prop for prop in group.bl_rna.properties if prop.identifier not in ("rna_type", "name")]
        prop = rng.choice([prop for prop in shown if not prop.is_hidden and not prop.is_readonly] or shown)
        name, value = prop.identifier, getattr(group, prop.identifier)
        if prop.type == "COLLECTION":
            if len(value) and rng.random() < 0.8:
                self.edit_one(rng.choice(value))
            elif rng.random() < 0.5:
                value.add()
        elif isinstance(value, bpy.types.PropertyGroup):
            self.edit_one(value)
        elif prop.type == "POINTER":
            fitting = [obj for obj in self.objects() if obj.redmax.is_body or obj.redmax.is_joint or rng.random() < 0.2]
            setattr(group, name, rng.choice([None, *fitting]))
        elif prop.type == "ENUM":
            setattr(group, name, rng.choice([item.identifier for item in prop.enum_items]))
        elif prop.type == "BOOLEAN" and prop.is_array:
            value[rng.randrange(prop.array_length)] ^= True
        elif prop.type == "BOOLEAN":
            setattr(group, name, not value)
        elif prop.type == "INT":
            setattr(group, name, rng.randrange(-1, 8))
        elif prop.type == "FLOAT":
            number = rng.choice([0.0, 1.0, rng.uniform(-2.0, 2.0), rng.uniform(0.0, 50.0)])
            setattr(group, name, [number] * prop.array_length if prop.is_array else number)
            if prop.is_animatable and not prop.is_array and rng.random() < 0.3:
                group.keyframe_insert(name, frame=rng.randrange(1, FRAMES))

    def bake_options(self) -> None:
        rng, options = self.rng, bpy.context.scene.redmax.bake
        options.target = rng.choice(["NEW", "NLA", "CURRENT"])
        options.keys = rng.choice(["EVERY", "EVERY", "FEWER", "EVERY_N"])
        for name in ("torque", "reaction", "energy", "gap", "forces", "loop", "selected_only"):
            setattr(options, name, rng.random() < (0.6 if name in ("torque", "energy") else 0.25))

    def new(self) -> None:
        if self.rng.random() < 0.5:
            self.box("New")
        else:
            bpy.context.scene.collection.objects.link(bpy.data.objects.new("Empty", None))
        bpy.context.view_layer.update()

    def parent(self) -> None:
        child, parent = self.one(), self.one()
        if child is None or child == parent or parent in child.children_recursive:
            return
        if self.rng.random() < 0.5:
            child.parent = parent
        else:  # it stays where it is
            self.only(child)
            parent.select_set(True)
            bpy.context.view_layer.objects.active = parent
            try_operator(bpy.ops.object.parent_set, type="OBJECT", keep_transform=True)
        bpy.context.view_layer.update()

    # --- choosing -------------------------------------------------------------------------------------------------

    def joint(self) -> Any:
        """A joint, or None."""
        joints = [obj for obj in self.objects() if obj.redmax.is_joint]
        return self.rng.choice(joints) if joints else None

    def element(self) -> Any:
        """A force, a constraint or the like, or None."""
        found = [obj for obj in self.objects() if sorts.generated_sorts(obj.redmax)]
        return self.rng.choice(found) if found else None

    def list_of(self, obj: Any) -> dict[str, str]:
        """One of the lists of an element, as its buttons name it."""
        sort = self.rng.choice(sorts.generated_sorts(obj.redmax))
        fields = forms.fields_of(sort.class_of(getattr(obj.redmax, sort.name)))
        names = [field.name for field in fields if field.form in forms.LISTS]
        return {"sort": sort.name, "field": self.rng.choice(names or ["points"])}

    def only(self, obj: Any) -> None:
        """Select one object."""
        for other in bpy.context.view_layer.objects:
            other.select_set(other == obj)
        bpy.context.view_layer.objects.active = obj


SHOWS_ONLY = ("frame", "scrub", "pause", "hide_and_show", "click_row", "overlay", "save", "save_and_open")
"""Steps that change neither the artist's file nor what is simulated."""

CHANGES = ("move", "move_joint", "key", "coordinate", "coordinate", "delete", "duplicate", "rename", "undo", "redo")
CHANGES += (
    "edit",
    "edit_mode",
    "edit_element",
    "edit_element",
    "edit_surface",
    "bake_options",
    "new",
    "touch",
    "parent",
)


def try_operator(operator: Any, **settings: Any) -> None:
    if operator.poll():
        try:
            operator(**settings)
        except RuntimeError:
            return  # nothing to undo
