# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake and Remove Bake are all or nothing: an error at any line, or at any F-curve, leaves the file as it was."""

from __future__ import annotations

import logging

import bpy
import faults
import pytest
import swinging

from redmax_blender import compat
from redmax_blender.bridge.bake import keys

WRITING = (
    "bridge/bake/bake",
    "bridge/bake/actions",
    "bridge/bake/keys",
    "bridge/objects/kept",
    "bridge/bake/curve_digest",
    "bridge/bake/transactions",
    "bridge/bake/nla_strips",
    "compat",
)
"""Where a bake writes."""

BEFORE_WRITING = (
    "bridge/extract/extraction",
    "bridge/bake/bake_plan",
    "bridge/results/placement",
    "bridge/results/result_channels",
    "bridge/results/preview",
)


@pytest.fixture(autouse=True)
def _silent(caplog):
    """The details of every planted error would fill the screen."""
    caplog.set_level(logging.CRITICAL)


def keyed(obj, path, index, *values):
    curve = compat.ensure_fcurves(obj).new(path, index, "Mine")
    curve.keyframe_points.add(len(values))
    for number, (point, value) in enumerate(zip(curve.keyframe_points, values, strict=True)):
        point.co = (1.0 + 5.0 * number, value)
    curve.update()


def build(*, target="NEW", keys_of_the_artist=True, bakes=0):
    """A simulated mechanism on whose objects the artist has keys, custom properties and an NLA track of their own."""
    scene = swinging.build(frames=(1, 6))
    options = scene.redmax.bake
    options.target, options.torque, options.reaction, options.energy = target, True, True, True
    if keys_of_the_artist:
        upper, elbow = scene.objects["Upper"], scene.objects["Elbow"]
        keyed(upper, "color", 2, 0.25, 1.0)
        keyed(upper, "location", 0, upper.location[0], upper.location[0])
        upper["mine"] = 3.0
        elbow.redmax.joint.motion_type = "animated"
        keyed(elbow, "redmax.joint.coordinate_angle_1", 0, 0.0, 0.5)
        strip = scene.objects["Lower"].animation_data_create().nla_tracks.new().strips
        strip.new("Old", 40, upper.animation_data.action.copy()).mute = True
    scene.frame_set(1)
    swinging.simulate()
    for _ in range(bakes):
        assert bpy.ops.redmax.bake() == {"FINISHED"}
    return scene


def fails(operator, number, *files, error=faults.PlantedError):
    """Run an operator with an error planted at a line; where that was."""
    with faults.planted(number, *files, error=error) as lines, pytest.raises(RuntimeError) as raised:
        operator()
    assert f"met an error it does not know ({error.__name__}: planted at {lines.at})" in str(raised.value)
    assert "the console has the details" in bpy.context.window_manager.redmax.message
    return lines.at


def nothing_changes(operator, *files, most):
    """Plant an error at every line, or at `most` of them: the file stays as it is.

    After the last change, when only the report is left to make, all may be done: but never half of it.
    """
    count, done = lines_of(operator, *files)
    before, completed = faults.everything(), 0
    assert faults.differences(before, done) != []
    for number in faults.spread(count, most):
        at = fails(operator, number, *files)
        after = faults.everything()
        if after == done:
            completed += 1
            OPPOSITE[operator.idname_py()]()
            after = faults.everything()
        assert faults.differences(before, after) == [], at
    assert completed <= 0.1 * most
    assert operator() == {"FINISHED"}
    assert faults.differences(done, faults.everything()) == []


def lines_of(operator, *files):
    """How many lines an operator runs in these files, and what the file then holds; that is taken back."""
    with faults.planted(0, *files) as lines:
        assert operator() == {"FINISHED"}
    assert lines.count > 100
    done = faults.everything()
    assert OPPOSITE[operator.idname_py()]() == {"FINISHED"}
    return lines.count, done


OPPOSITE = {"redmax.bake": bpy.ops.redmax.remove_bake, "redmax.remove_bake": bpy.ops.redmax.bake}


CASES = {
    "new action": {"target": "NEW"},
    "current action": {"target": "CURRENT"},
    "track of the NLA": {"target": "NLA"},
    "no animation before": {"keys_of_the_artist": False},
}


@pytest.mark.parametrize("case", CASES)
def test_an_error_at_any_line_of_writing_leaves_the_file_as_it_was(case):
    build(**CASES[case])
    nothing_changes(bpy.ops.redmax.bake, *WRITING, most=25)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_an_error_at_many_lines_of_writing_leaves_the_file_as_it_was(case):
    build(**CASES[case])
    nothing_changes(bpy.ops.redmax.bake, *WRITING, most=150)


def test_an_error_at_any_line_before_writing_leaves_the_file_as_it_was():
    build()
    nothing_changes(bpy.ops.redmax.bake, *BEFORE_WRITING, most=25)


@pytest.mark.parametrize("case", ["new action", "current action"])
def test_an_error_while_a_bake_replaces_another_leaves_the_former_one(case):
    build(**CASES[case], bakes=1)
    before = faults.everything()
    with faults.planted(0, *WRITING) as lines:
        bpy.ops.redmax.bake()
    assert faults.differences(before, faults.everything()) == [], "the same bake again is the same file"
    for number in faults.spread(lines.count, 20):
        at = fails(bpy.ops.redmax.bake, number, *WRITING)
        assert faults.differences(before, faults.everything()) == [], at


@pytest.mark.parametrize("case", ["new action", "current action"])
def test_an_error_while_a_bake_is_removed_leaves_it(case):
    build(**CASES[case], bakes=1)
    nothing_changes(bpy.ops.redmax.remove_bake, *WRITING, most=20)


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
def test_an_error_at_every_f_curve_leaves_the_file_as_it_was(target, monkeypatch):
    """Keys are written half: some of their numbers are set when the error comes."""
    build(target=target)
    before, fill, count = faults.everything(), keys.Points.fill, [0, 0]

    def half(points, curve, row):
        count[0] += 1
        if count[0] == count[1]:
            curve.keyframe_points.add(2)
            raise MemoryError
        fill(points, curve, row)

    monkeypatch.setattr(keys.Points, "fill", half)
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    curves = count[0]
    assert curves > 20
    bpy.ops.redmax.remove_bake()
    assert faults.differences(before, faults.everything()) == []
    for number in range(1, curves + 1):
        count[:] = 0, number
        with pytest.raises(RuntimeError, match="ran out of memory"):
            bpy.ops.redmax.bake()
        assert faults.differences(before, faults.everything()) == [], number


def test_ctrl_c_in_the_middle_of_a_bake_leaves_the_file_as_it_was():
    """Not even an interrupt, which no operator catches, leaves half a bake."""
    build()
    before = faults.everything()
    count, _ = lines_of(bpy.ops.redmax.bake, *WRITING)
    for number in faults.spread(count, 8)[:-1]:
        with (
            faults.planted(number, *WRITING, error=KeyboardInterrupt),
            pytest.raises((KeyboardInterrupt, RuntimeError)),
        ):
            bpy.ops.redmax.bake()
        assert faults.differences(before, faults.everything()) == []


def test_undo_after_a_bake_that_failed_takes_back_what_was_before_it():
    """A bake that fails is no step of its own: undo goes to the state before Simulate, redo back to the result."""
    scene = build()
    bpy.ops.ed.undo_push(message="simulated")
    identifier = scene.redmax.result.identifier
    fails(bpy.ops.redmax.bake, 40, *WRITING)
    bpy.context.scene.objects["Upper"]["mine"] = 4.0
    bpy.ops.ed.undo_push(message="edited")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert (scene.objects["Upper"]["mine"], scene.redmax.result.identifier) == (3.0, identifier)
    assert not any(action.get("redmax_bake") for action in bpy.data.actions)
    assert bpy.ops.redmax.bake() == {"FINISHED"}
