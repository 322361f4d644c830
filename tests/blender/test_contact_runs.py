# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact from Blender's objects to baked keys: things land, are carried by scenery that moves, and tell forces."""

from __future__ import annotations

import bpy
import by_hand
import numpy as np
import pytest
import touching

from redmax_blender import compat
from redmax_blender.bridge.results import cache
from redmax_blender.overlay import layout, seen_contacts


def simulate(frames):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps = 24
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    result = cache.load(scene)
    assert result.status == "complete", result.message
    return result


def place(result, name, sample=-1):
    return result.position[sample, result.body(name)]


@pytest.fixture
def landed():
    """A crate of a ton that falls 10 cm onto the ground."""
    crate, _ = touching.crate_on_ground(0.6)
    return crate, simulate(13)


def test_a_crate_lands_tells_its_forces_and_is_baked(landed, tmp_path):
    crate, result = landed
    np.testing.assert_allclose(place(result, "Crate"), (0.0, 0.0, 0.5), atol=1e-5)
    assert result.meta["surfaces"] == ["Crate", "Ground"]
    bpy.context.scene.redmax.bake.forces = True
    bpy.ops.redmax.bake()
    bpy.context.scene.frame_set(13)
    assert crate.matrix_world.translation.z == pytest.approx(0.5, abs=1e-4)
    weight = 1000.0 * 9.81
    for name in ("Crate", "Ground"):
        obj = bpy.data.objects[name]
        assert obj["redmax_normal_force"][0] == pytest.approx(weight, rel=1e-4), name
        assert obj["redmax_slip"][0] == pytest.approx(0.0, abs=1e-6)
        assert obj["redmax_friction_force"][0] == pytest.approx(0.0, abs=1e-3 * weight), "nothing pulls sideways"
    values = [key.co[1] for curve in curves(crate, "redmax_impact") for key in curve.keyframe_points]
    np.testing.assert_allclose(values, result.channels["impact"][:, 0], rtol=1e-6)
    bpy.ops.redmax.remove_bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "landed.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "landed.blend"))
    again = cache.load(bpy.context.scene)
    np.testing.assert_array_equal(again.contacts.point, result.contacts.point)


def curves(obj, prop):
    tracks = [strip for track in obj.animation_data.nla_tracks for strip in track.strips]
    found = [curve for strip in tracks for curve in compat.curves_in(strip.action, strip.action_slot.handle) or ()]
    return [curve for curve in found if prop in curve.data_path]


def test_contacts_are_drawn_where_they_are(landed):
    scene = bpy.context.scene
    view = layout.View(np.eye(4), 100.0, 1.0)
    scene.frame_set(1)
    assert not len(seen_contacts.lines(scene, view).points), "it still falls"
    scene.frame_set(13)
    found = seen_contacts.lines(scene, view)
    contacts = landed[1].contacts
    here = contacts.point[contacts.at(12)]
    assert len(here) >= 3
    assert len(found.points) == 2 * 6 * len(here), "an arrow of three lines and a cross of three"
    starts, tips = found.points[0 : 2 * len(here) : 2], found.points[1 : 2 * len(here) : 2]
    np.testing.assert_allclose(starts, here, atol=1e-6)
    assert (tips[:, 2] > starts[:, 2]).all(), "they push up what lies above"
    scene.redmax.show_contacts = False
    assert not len(seen_contacts.lines(scene, view).points)


def test_scenery_that_rises_lifts_what_stands_on_it():
    table = by_hand.cube("Table", (3.0, 3.0, 0.2), at=(0.0, 0.0, -0.1))
    bpy.context.view_layer.update()
    for frame, height in ((1, -0.1), (25, 0.4)):
        table.location.z = height
        table.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    touching.add_surface(table)
    touching.crate(at=(0.0, 0.0, 0.5))
    result = simulate(25)
    assert place(result, "Crate")[2] == pytest.approx(1.0, abs=1e-3)
    bpy.context.scene.frame_set(25)
    assert table.matrix_world.translation.z == pytest.approx(0.4), "its own keys move it"
    assert bpy.data.objects["Crate"].matrix_world.translation.z == pytest.approx(1.0, abs=1e-3)
    bpy.ops.redmax.bake()
    assert not table.redmax.baked.active, "nothing of it is baked but its results"
    assert bpy.data.objects["Crate"].matrix_world.translation.z == pytest.approx(1.0, abs=1e-3)


def test_a_conveyor_carries_what_lies_on_it_along_the_objects_own_axes():
    belt = by_hand.cube("Belt", (6.0, 6.0, 0.2), at=(0.0, 0.0, -0.1))
    belt.rotation_euler.z = 0.5 * np.pi
    bpy.context.view_layer.update()
    touching.add_surface(belt)
    belt.redmax.surface.conveyor = (0.5, 0.0, 0.0)
    touching.crate(at=(0.0, 0.0, 0.5))
    result = simulate(13)
    v, friction, t = 0.5, 0.5, 0.5
    gathering = v / (friction * 9.81)
    way = v * t - 0.5 * v * gathering
    np.testing.assert_allclose(place(result, "Crate"), (0.0, way, 0.5), atol=2e-3)


@pytest.mark.parametrize(("friction", "slides"), [(0.6, False), (0.5, True)])
def test_a_crate_on_a_slope_sticks_or_slides_as_its_friction_says(friction, slides):
    """tan 30 degrees is 0.577."""
    slope, angle = by_hand.cube("Slope", (8.0, 4.0, 0.2)), np.radians(30.0)
    slope.rotation_euler.y = angle
    crate = by_hand.body("Crate", (1.0, 1.0, 1.0))
    crate.rotation_euler.y = angle
    crate.location = tuple(0.6 * np.array([np.sin(angle), 0.0, np.cos(angle)]))
    bpy.context.view_layer.update()
    touching.add_surface(slope, crate)
    for obj in (slope, crate):
        obj.redmax.surface.friction = friction
    result = simulate(13)
    bpy.context.scene.redmax.bake.forces = True
    bpy.ops.redmax.bake()
    bpy.context.scene.frame_set(13)
    held = 1000.0 * 9.81 * (friction * np.cos(angle) if slides else np.sin(angle))
    assert crate["redmax_friction_force"][0] == pytest.approx(held, rel=1e-3)
    assert slope["redmax_normal_force"][0] == pytest.approx(1000.0 * 9.81 * np.cos(angle), rel=1e-3)
    moved = np.linalg.norm(place(result, "Crate") - place(result, "Crate", 0))
    wanted = 0.5 * 9.81 * (np.sin(angle) - friction * np.cos(angle)) * 0.25 if slides else 0.0
    assert moved == pytest.approx(wanted, abs=1e-4)
