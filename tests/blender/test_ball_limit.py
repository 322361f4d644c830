# SPDX-License-Identifier: GPL-3.0-or-later
"""A Ball Limit is added to a ball as any element is, shown in degrees, and extracted."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from geared import extracted, rod, select

from redmax_blender.bridge.authoring import build
from redmax_blender.bridge.results import cache


def limited():
    """A rod along x, on a ball in the world at its end, with a Ball Limit; the limit's object."""
    body = rod(at=(0.2, 0.0, 0.0))
    bpy.context.view_layer.update()
    joint = build.connect(bpy.context, None, body, frame=np.eye(4), name="Shoulder")
    joint.redmax.joint.kind = "spherical"
    select(joint)
    assert bpy.ops.redmax.add_element(kind="constraint.ball_limit") == {"FINISHED"}
    return bpy.context.object


def test_a_ball_limit_is_added_and_extracted():
    obj = limited()
    settings = obj.redmax.constraint.ball_limit
    for name in ("swing_1", "swing_2", "twist_lower", "twist_upper"):
        assert settings.bl_rna.properties[name].unit == "ROTATION"  # shown in degrees
    fresh = extracted()
    assert not fresh.findings
    (usual,) = fresh.scene.constraints
    assert (usual.swing_1, usual.swing_2, -usual.twist_lower, usual.twist_upper) == pytest.approx((math.pi / 4.0,) * 4)
    for name in ("swing_1", "swing_2", "twist_lower", "twist_upper"):
        setattr(settings, f"use_{name}", False)
    assert [finding.text for finding in extracted().findings] == [f"Constraint '{obj.name}' limits nothing"]
    settings.use_swing_1 = settings.use_swing_2 = True
    settings.swing_1, settings.swing_2 = math.radians(60.0), math.radians(30.0)
    settings.twist_axis = "x"
    found = extracted()
    assert not found.findings
    (constraint,) = found.scene.constraints
    assert (constraint.kind, constraint.joint, constraint.twist_axis) == ("ball_limit", "Shoulder", "x")
    assert (constraint.swing_1, constraint.swing_2) == pytest.approx((math.pi / 3.0, math.pi / 6.0), rel=1e-6)
    assert constraint.twist_lower is None
    assert constraint.stiffness is None


def test_a_fresh_one_keeps_the_rod_within_its_cone():
    """The rod lies along x and would fall to hang down."""
    limited()
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    assert found is not None
    assert found.status == "complete"
    # of the turn from the start, cos(angle / 2) = |q0 . q|
    swings = np.degrees(2.0 * np.arccos(np.clip(np.abs(found.rotation[:, 0] @ found.rotation[0, 0]), 0.0, 1.0)))
    assert 44.0 < swings.max() < 45.01
