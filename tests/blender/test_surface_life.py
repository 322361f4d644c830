# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to surfaces in an artist's file: saved, undone, copied, appended, overridden, renamed, deleted.

Every kind of shape that the engine has goes through it.
"""

from __future__ import annotations

import bpy
import by_hand
import pytest
import touching
from railed import select

from redmax import io
from redmax_blender import handlers

KINDS = [cls.kind for cls in io.REGISTRIES["surface"]]
every_kind = pytest.mark.parametrize("kind", KINDS)


def build(kind):
    """A locked rod whose surface has a kind, a free crate and a ground. A heightfield is scenery: a grid."""
    touching.crate_on_ground(5.0)
    if kind == "heightfield":
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=3)
        rod = bpy.context.object
        rod.name = "Rod"
    else:
        rod = by_hand.body("Rod", (0.3, 0.3, 1.0), root="LOCKED")
    bpy.context.view_layer.update()
    touching.add_surface(rod, kind=kind, material="wood")
    rod.redmax.surface.group = 2
    rod.redmax.surface.conveyor = (0.0, 1.0, 0.0)
    return rod


def digest():
    extraction = by_hand.extract()
    assert not extraction.errors
    return extraction.digest


def owners():
    return {surface.name: surface.body for surface in by_hand.extract().scene.surfaces}


def owners_of(kind):
    return {"Crate": "Crate", "Ground": None, "Rod": None if kind == "heightfield" else "Rod"}


@every_kind
def test_saving_and_opening_keeps_everything(tmp_path, kind):
    build(kind)
    before = digest()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert digest() == before
    assert owners() == owners_of(kind)


def test_undo_takes_it_away_and_redo_brings_it_back():
    rod = by_hand.body("Rod", (0.3, 0.3, 1.0), root="LOCKED")
    bpy.context.view_layer.update()
    select(rod)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.redmax.add_surface()
    bpy.ops.ed.undo_push(message="made")
    before = digest()
    bpy.ops.ed.undo()
    assert owners() == {}
    bpy.ops.ed.redo()
    assert digest() == before


@every_kind
def test_a_duplicate_has_a_surface_of_its_own(kind):
    select(build(kind))
    bpy.ops.object.duplicate()
    bpy.context.object.location.x = 20.0
    bpy.context.view_layer.update()
    before = owners_of(kind)
    assert owners() == before | {"Rod.001": before["Rod"] and "Rod.001"}
    digest()


def test_a_duplicated_part_belongs_to_the_same_body_and_one_with_its_body_to_the_copy():
    body = by_hand.body("Body")
    part = by_hand.cube("Part", (0.2, 0.2, 0.2), at=(1.0, 0.0, 0.0))
    part.parent = body
    bpy.context.view_layer.update()
    touching.add_surface(part)
    select(part)
    bpy.ops.object.duplicate()
    assert owners() == {"Part": "Body", "Part.001": "Body"}
    select(body, part)
    bpy.ops.object.duplicate()
    assert owners()["Part.002"] == "Body.001"


@every_kind
def test_appended_it_is_as_it_was(tmp_path, kind):
    build(kind)
    before = digest()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=False) as (there, here):
        here.objects = list(there.objects)
    for obj in here.objects:
        bpy.context.scene.collection.objects.link(obj)
    assert owners() == owners_of(kind)
    assert digest() == before


def test_linked_and_overridden_it_can_be_edited_and_that_survives(tmp_path):
    build("box")
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
    settings = bpy.data.objects[("Rod", None)].redmax.surface
    settings.kind, settings.friction = "hull", 0.77
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "user.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "user.blend"))
        found = next(each for each in by_hand.extract().scene.surfaces if each.name == "Rod")
        assert (found.kind, found.friction) == ("hull", pytest.approx(0.77))
    assert not by_hand.extract().errors


def test_renaming_and_deleting_leave_nothing_dangling():
    build("box")
    bpy.data.objects["Rod"].name = "Ärmel 'x'"
    handlers.renamed()
    assert owners() == {"Crate": "Crate", "Ground": None, "Ärmel 'x'": "Ärmel 'x'"}
    bpy.data.objects.remove(bpy.data.objects["Ground"])
    bpy.context.view_layer.update()
    assert not by_hand.extract().errors
    assert "Ground" not in owners()


def test_a_surface_whose_body_was_removed_is_scenery():
    rod = build("box")
    select(rod)
    bpy.ops.redmax.remove_body()
    assert owners()["Rod"] is None
    select(rod)
    assert bpy.ops.redmax.remove_surface() == {"FINISHED"}
    assert "Rod" not in owners()


def test_a_mechanism_that_is_switched_off_takes_its_surfaces_along():
    build("box")
    bpy.data.objects["Rod"].redmax.mechanism.enabled = False
    assert "Rod" not in owners()
    assert not by_hand.extract().errors


def test_an_edit_of_a_surface_makes_the_result_old():
    rod = build("box")
    before = digest()
    rod.redmax.surface.friction = 0.01
    assert digest() != before
    rod.data.vertices[0].co.x -= 0.1
    rod.data.update()
    after = digest()
    rod.redmax.surface.kind = "hull"
    assert digest() != after
