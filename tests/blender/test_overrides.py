# SPDX-License-Identifier: GPL-3.0-or-later
"""Library overrides of settings survive saving and opening, also where the library has nothing but defaults."""

from __future__ import annotations

import bpy
import pytest

from redmax_blender.properties import stored_groups

VALUES = {
    "is_body": True,
    "body.density": 77.0,
    "body.sphere.radius": 3.5,
    "baked.active": True,
    "mechanism.enabled": False,
    "joint.kind": "screw",
    "joint.screw.pitch": 0.75,
}
"""Settings of a part, none at its default."""

ROLES = {"body": {"is_body": True}, "joint": {"is_joint": True}, "neither": {}}


@pytest.fixture
def by_older(monkeypatch):
    """RedMax stores no groups while this is on, as it did not before."""
    monkeypatch.setattr(stored_groups, "store", lambda _group: None)
    return monkeypatch


def assign(group, values):
    for path, value in values.items():
        of, _, name = path.rpartition(".")
        setattr(group.path_resolve(of) if of else group, name, value)


def values_of(group, names):
    return {name: group.path_resolve(name) for name in names}


def new_file():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def part():
    obj = bpy.data.objects.new("Part", bpy.data.meshes.new("Part"))
    bpy.context.scene.collection.objects.link(obj)
    return obj


def rig():
    bpy.ops.object.armature_add()
    bpy.context.object.name = "Part"
    return bpy.context.object


def overridden(path):
    """A library override of the part in a library."""
    new_file()
    with bpy.data.libraries.load(str(path), link=True) as (_, chosen):
        chosen.objects = ["Part"]
    override = chosen.objects[0].override_create()
    bpy.context.scene.collection.objects.link(override)
    return override


def the_override():
    (found,) = [obj for obj in bpy.data.objects if obj.override_library is not None]
    return found


def saved_and_opened(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return the_override()


@pytest.mark.parametrize("role", ROLES)
def test_overrides_of_defaults_survive_saving(tmp_path, role):
    assign(part().redmax, ROLES[role])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    override = overridden(tmp_path / "library.blend")
    assign(override.redmax, VALUES)
    for _ in range(2):
        stored = saved_and_opened(tmp_path / "user.blend")
        assert values_of(stored.redmax, VALUES) == VALUES


@pytest.mark.parametrize("role", ROLES)
def test_overrides_of_a_library_that_stores_no_groups_survive_saving(tmp_path, by_older, role):
    """Older files are such, and what scripts write without Blender's own saving."""
    assign(part().redmax, ROLES[role])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    by_older.undo()
    override = overridden(tmp_path / "library.blend")
    assign(override.redmax, VALUES)
    for _ in range(2):
        stored = saved_and_opened(tmp_path / "user.blend")
        assert values_of(stored.redmax, VALUES) == VALUES


def test_overrides_survive_reloading_a_library_that_stores_no_groups(tmp_path, by_older):
    part().redmax.is_body = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    overridden(tmp_path / "library.blend")
    stored = saved_and_opened(tmp_path / "user.blend")
    assert not stored.override_library.properties
    by_older.undo()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "user.blend"))
    the_override().redmax.body.density = 77.0
    bpy.data.libraries[0].reload()
    assert the_override().redmax.body.density == 77.0


def test_a_library_that_a_script_writes_stores_the_groups(tmp_path):
    obj = part()
    obj.redmax.is_body = True
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {obj})
    override = overridden(tmp_path / "library.blend")
    override.redmax.body.density = 77.0
    bpy.data.libraries.write(str(tmp_path / "user.blend"), {override})
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "user.blend"))
    assert the_override().redmax.body.density == 77.0


def test_overrides_of_bones_survive_saving(tmp_path):
    rig()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    override = overridden(tmp_path / "library.blend")
    wanted = {"is_body": True, "body.density": 77.0}
    assign(override.pose.bones[0].redmax, wanted)
    stored = saved_and_opened(tmp_path / "user.blend")
    assert values_of(stored.pose.bones[0].redmax, wanted) == wanted


def test_nothing_is_overridden_that_nobody_changed(tmp_path):
    part().redmax.is_body = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    overridden(tmp_path / "library.blend")
    stored = saved_and_opened(tmp_path / "user.blend")
    assert [each.rna_path for each in stored.override_library.properties if "redmax" in each.rna_path] == []
