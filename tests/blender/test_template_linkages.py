# SPDX-License-Identifier: GPL-3.0-or-later
"""What linkages and trains among the templates are known for, as they move in Blender."""

import json
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from test_templates import BY_NAME, extraction, pose_of, simulated

from redmax import io
from redmax.spatial import pose
from redmax_blender.templates import jansen_walker


def pin_path(result, body, local):
    """Path (f, 3) of a point that is fixed on a body, given in its own frame."""
    index = result.body_names.index(body)
    E = pose.from_quaternion(result.position[:, index], result.rotation[:, index])
    return E[:, :3, :3] @ np.array(local) + E[:, :3, 3]


def test_peaucelliers_last_pin_moves_along_a_straight_line():
    crank, arm, side = 0.34, 1.0, 0.45
    BY_NAME["peaucellier"].build(bpy.context, crank=crank, arm=arm, side=side)
    result = simulated(60)
    assert result.status == "complete"
    path = pin_path(result, "Peaucellier Outer Upper", (side, 0.0, 0.0))
    # The inverse of a circle through the centre of inversion; places in Blender are single precision.
    assert np.abs(path[:, 0] - (arm**2 - side**2) / (2.0 * crank)).max() < 1e-6
    assert np.ptp(path[:, 2]) > 0.5


def test_jansens_foot_walks_on_a_level_path():
    """The lower part of its path is flat to a fiftieth of the step's length; the foot is lifted on its way back."""
    BY_NAME["jansen_leg"].build(bpy.context, crank=0.15, turns=1.0, duration=4.0)
    result = simulated(96)
    assert result.status == "complete"
    foot = next(obj for obj in bpy.context.scene.objects if obj.name == "Jansen Foot")
    corners = np.array([vertex.co for vertex in foot.data.vertices])
    local = corners[np.argmax(np.linalg.norm(corners, axis=1))] * (1.0, 1.0, 0.0)
    path = pin_path(result, "Jansen Foot", local)
    step = np.ptp(path[:, 0])
    low = path[path[:, 2] < path[:, 2].min() + 0.1 * step]
    assert np.ptp(low[:, 0]) > 0.6 * step
    assert np.ptp(path[:, 2]) > 0.25 * step
    start, end = pose_of(result, "Jansen Foot", 0), pose_of(result, "Jansen Foot", -1)
    assert np.abs(start - end).max() < 1e-5  # it comes back after a whole turn


@pytest.mark.parametrize(
    ("name", "last"), [("jansen_walker", 49), ("gripper", 250), ("tipping_crane", 250), ("clutch", 250), ("jack", 250)]
)
def test_a_template_is_the_one_that_the_engine_simulates(name, last):
    """Its scene is that of tests/engine/contact, but for single precision."""
    bpy.context.scene.frame_end = last
    BY_NAME[name].build(bpy.context)
    engine = Path(__file__).parents[1] / "engine" / "contact" / f"{name}.json"
    differing = list(
        differences(json.loads(io.dumps(extraction().scene)), json.loads(engine.read_text(encoding="utf-8")))
    )
    assert differing == []


def differences(a, b, path=""):
    """Where two scenes as plain data differ: lists of numbers by more than a part in 1e5 of their largest."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            yield from differences(a.get(key), b.get(key), f"{path}.{key}")
    elif all(isinstance(x, list) and x and {type(each) for each in x} <= {int, float} for x in (a, b)):
        if len(a) != len(b) or not np.allclose(a, b, rtol=1e-5, atol=1e-5 * max(1e-3, np.abs(b).max())):
            yield path, a, b
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for number, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif isinstance(a, float) and isinstance(b, (float, int)):
        if a != pytest.approx(b, rel=1e-5, abs=1e-8):
            yield path, a, b
    elif a != b:
        yield path, a, b


def test_two_feet_carry_the_walker_at_any_angle_and_soles_of_one_end_never_meet():
    """Of each end one foot is on the ground, before and behind its axle: it cannot tip, and hardly bobs."""
    unit = 0.01
    for angle in np.linspace(0.0, 2.0 * math.pi, 73):
        right, left = (jansen_walker.places(15.0 * unit, start, 0.0) for start in (angle, -angle))
        front = np.array([right["foot far"], _turned_about(left["foot"])])
        rear = np.array([right["foot"], _turned_about(left["foot far"])])
        for end in (front, rear):
            assert np.linalg.norm(end[0] - end[1]) > 2.0 * 4.0 * unit
        lowest = [end[np.argmin(end[:, 1])] for end in (front, rear)]
        assert abs(lowest[0][1] - lowest[1][1]) < 1e-9 + 0.01 * 92.0 * unit
        assert lowest[0][0] > 0.0 > lowest[1][0]
        assert -0.92 < min(lowest[0][1], lowest[1][1]) < -0.88


def _turned_about(place):
    """A place seen from the other side."""
    return -place[0], place[1]


@pytest.mark.parametrize("stages", [1, 3])
def test_each_arbor_of_a_train_turns_by_the_ratio_of_teeth(stages):
    BY_NAME["gear_train"].build(bpy.context, stages=stages, wheel_teeth=40, pinion_teeth=12, turns=5.0, duration=1.0)
    result = simulated(24)
    assert result.status == "complete"
    turned = result.q[-1] - result.q[0]
    expected = [10.0 * math.pi * (-12 / 40) ** k for k in range(stages + 1)]
    assert turned.tolist() == pytest.approx(expected, rel=3e-7)  # keys and ratios are single precision in Blender


def test_a_lamp_stays_wherever_it_is_put():
    """Springs without length of their own balance it; numbers of Blender's properties are single precision."""
    for lean, dip in ((0.8, -0.7), (1.2, 0.0), (2.1, 0.9)):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        BY_NAME["desk_lamp"].build(bpy.context, lean=lean, dip=dip, push=0.0)
        result = simulated(24)
        head = result.body_names.index("Lamp Head")
        assert np.abs(result.position[-1, head] - result.position[0, head]).max() < 1e-5
    BY_NAME["desk_lamp"].build(bpy.context, with_springs=False, push=0.0)
    assert simulated(24).channels["kinetic"].max() > 1e-2  # it does sink without
