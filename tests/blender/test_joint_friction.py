# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction inside joints in Blender: panel, presets, what is extracted, and the result."""

from __future__ import annotations

import dataclasses

import bpy
import numpy as np
import pytest
from bake_cases import box, extracted, hinge, simulated
from by_hand import extract, joint, said
from recording_layout import RecordingLayout

from redmax.joints.friction import Friction
from redmax_blender.bridge.bake import bake as baking
from redmax_blender.properties import joint_friction, result_names


@pytest.fixture
def arm(scene):
    """A level bar on a hinge."""
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = 1, 20, 24, 1.0
    bar = box("Bar", (0.5, 0.0, 0.0), size=(0.5, 0.05, 0.05))
    return hinge("Crank", None, bar, (0.0, 0.0, 0.0))


def friction_of(name):
    extraction = extract()
    assert not extraction.errors, said(extraction)
    return next(each for each in extraction.scene.joints if each.name == name).friction


def test_friction_is_extracted_in_metres_where_it_is_switched_on(arm, scene):
    settings = arm.redmax.joint
    assert friction_of("Crank") is None
    settings.use_friction = True
    settings.friction.coefficient, settings.friction.radius, settings.friction.height = 0.3, 2.0, 5.0
    assert friction_of("Crank").radius == pytest.approx(2.0)
    scene.unit_settings.scale_length = 0.01
    found = friction_of("Crank")
    assert (found.coefficient, found.radius, found.height) == pytest.approx((0.3, 0.02, 0.05))
    settings.motion_type = "locked"
    assert friction_of("Crank") is None


def test_a_joint_in_which_nothing_slides_has_none(scene):
    bar = box("Bar", (0.5, 0.0, 0.0))
    free = joint("Free", None, bar, kind="translational")
    free.redmax.joint.use_friction = True
    assert friction_of("Free") is None


def test_what_a_bearing_is_like_sets_the_coefficient_until_it_is_typed(arm):
    friction = arm.redmax.joint.friction
    assert friction.state == joint_friction.CUSTOM
    assert friction.coefficient == pytest.approx(Friction().coefficient)
    for name, (_, coefficient, _) in joint_friction.STATES.items():
        friction.state = name
        assert friction.coefficient == pytest.approx(coefficient)
        assert friction.state == name
    friction.coefficient = 0.2
    assert friction.state == joint_friction.CUSTOM


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("revolute", ["radius", "height"]),
        ("prismatic", ["sides"]),
        ("spherical", ["radius"]),
        ("planar", ["sides"]),
        ("composite", ["radius", "height", "sides"]),
        ("free", None),
    ],
)
def test_the_panel_shows_the_sizes_that_count(arm, kind, sizes):
    settings = arm.redmax.joint
    settings.kind = kind
    if kind == "composite":
        for part in ("prismatic", "revolute"):
            settings.parts.add().kind = part
    bpy.context.view_layer.objects.active = arm
    panel = bpy.types.REDMAX_PT_joint_friction
    assert panel.poll(bpy.context) == (sizes is not None)
    if sizes is not None:

        class Shown:
            layout = RecordingLayout()

        panel.draw(Shown, bpy.context)
        drawn = [call.arguments["property"] for call in Shown.layout.calls if call.what == "prop"]
        assert drawn == ["state", "coefficient", *sizes]


def test_what_rubs_is_baked(arm, scene):
    """Of a result that has the channel, whatever computed it."""
    result = simulated(extracted())
    friction = np.linspace(-1.0, 1.0, len(result))[:, None]
    result = dataclasses.replace(result, channels={**result.channels, "friction": friction})
    arm.redmax.joint.use_friction = True
    report = baking.bake(scene, bpy.context.view_layer, extracted(), result, baking.BakeOptions(torque=True))
    assert report is not None
    scene.frame_set(7)
    np.testing.assert_allclose(arm["redmax_friction"][0], friction[6, 0], rtol=1e-6)
    assert result_names.group("redmax_friction", 0, ("rad",)) == "Friction Torque (N m)"
