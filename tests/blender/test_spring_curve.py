# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of joints that a curve draws, and inertia that is entered."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from by_hand import body, extract, inertia_of, joint

from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.results import cache


def curve(points):
    data = bpy.data.curves.new("Law", "CURVE")
    data.dimensions = "2D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, (x, y) in zip(spline.points, points, strict=True):
        point.co = (x, y, 0.0, 1.0)
    obj = bpy.data.objects.new("Law", data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


@pytest.fixture
def slider(scene):
    scene.frame_start, scene.frame_end, scene.render.fps, scene.use_gravity = 1, 25, 24, False
    block = body("Block", (0.1, 0.1, 0.1))
    found = joint("Slide", None, block, "prismatic")
    found.redmax.joint.stiffness_curve = curve([(-1.0, -40.0), (0.0, 0.0), (1.0, 10.0)])
    bpy.context.view_layer.update()
    return found


def test_a_drawn_spring_pulls_back_as_its_curve_says(slider):
    """Stiffer on the one side: half a swing takes pi sqrt(m / k) of that side."""
    slider.redmax.joint.coordinate_distance_1 = 0.5
    bpy.context.scene.frame_end = 97
    assert not extract().errors
    table = extract().scene.joints[0].stiffness_table
    np.testing.assert_allclose([table.value(x)[0] for x in (-0.5, 0.5)], (-20.0, 5.0), rtol=1e-6)
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    q = found.q[:, 0]
    crossings = np.flatnonzero(np.diff(np.sign(q)))[:3]
    times = [found.t[k] - q[k] * (found.t[k + 1] - found.t[k]) / (q[k + 1] - q[k]) for k in crossings]
    np.testing.assert_allclose(np.diff(times), (np.pi * np.sqrt(1.0 / 40.0), np.pi * np.sqrt(1.0 / 10.0)), rtol=2e-2)


def test_a_curve_that_was_deleted_is_named_and_can_be_cleared(slider):
    bpy.data.objects.remove(bpy.data.objects["Law"])
    (finding,) = [each for each in extract().findings if each.code == "lost_reference"]
    assert finding.text == "Joint 'Slide' has lost 'Law', the curve of its spring"
    fixes.apply(bpy.context, "CLEAR_PLACE", "Slide")
    assert not extract().errors
    assert extract().scene.joints[0].stiffness_table is None


def test_moving_a_point_of_the_curve_makes_the_result_stale(slider):
    bpy.ops.redmax.simulate()
    assert not bpy.context.scene.redmax.result.changed
    before = extract().digest
    law = bpy.data.objects["Law"]
    law.data.splines[0].points[2].co[1] = 20.0
    law.data.update_tag()
    law.update_tag(refresh={"DATA"})
    bpy.context.view_layer.update()
    assert extract().digest != before
    assert bpy.context.scene.redmax.result.changed


def test_an_entered_inertia_is_what_the_engine_gets(scene):
    block = body("Block", (0.1, 0.2, 0.3), at=(1.0, 2.0, 3.0))
    settings = block.redmax.body
    settings.mass_source, settings.mass = "INERTIA", 4.0
    settings.moments, settings.products = (0.3, 0.4, 0.5), (0.01, -0.02, 0.03)
    mass, centre, tensor = inertia_of(extract(), "Block")
    assert mass == pytest.approx(4.0)
    np.testing.assert_allclose(centre, 0.0, atol=1e-7)
    np.testing.assert_allclose(tensor, [[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]], rtol=1e-6)


@pytest.mark.parametrize("moments", [(1.0, 0.2, 0.2), (-1.0, 1.0, 1.0)])
def test_an_inertia_that_no_body_can_have_is_refused_by_name(scene, moments):
    block = body("Block")
    block.redmax.body.mass_source, block.redmax.body.moments = "INERTIA", moments
    (error,) = extract().errors
    assert error.element == "Block"
    assert "'Block', inertia" in str(error)
