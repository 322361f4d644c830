# SPDX-License-Identifier: GPL-3.0-or-later
"""Every template, as it is added, bakes with fewer keys within the default bound; what cannot be met is said."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from linkages import worst

from redmax.compile import compile as compile_scene
from redmax.simulate import record, simulate
from redmax.trajectory import Contacts
from redmax_blender._engine import route
from redmax_blender.bridge.bake import bake, frames_anew
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.results import preparation
from redmax_blender.properties.scene import integrator_of
from redmax_blender.templates import TEMPLATES

BY_NAME = {template.NAME: template for template in TEMPLATES}
ELSEWHERE = {"jansen_walker", "gripper", "tipping_crane", "clutch", "marble_run", "jack"}
"""Mechanisms that touch take minutes per frame without compiled code, which these environments lack, and joints that
rub need it."""

IMPACTS = {"cradle", "dice", "dominoes", "wrecking_ball", "belt_drive"}
"""Bodies knock within frames, or lugs come from a straight belt onto a pulley, which no keys on frames can follow: the
cradle stands in the test of what is too fast."""

every_template = pytest.mark.parametrize("name", [name for name in BY_NAME if name not in ELSEWHERE | IMPACTS])

FEWEST = {"chain": 3.5, "coaster": 3.5}
"""How many times fewer keys than on every frame, where it is less than five: links on links tremble, and a train at
50 km/h turns in every frame."""


def samples_per_frame(extraction, count):
    """The run that Simulate makes, with `count` samples in each frame."""
    integrator, fps = integrator_of(bpy.context.scene), count * extraction.fps
    model = compile_scene(extraction.scene)
    duration = (extraction.frame_end - extraction.frame_start) / extraction.fps
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration)
    return record(model, samples, integrator=integrator, fps=fps)


def every(run, count):
    """The same run with each count-th of its samples, the first among them."""
    arrays = {name: getattr(run, name)[::count] for name in ("t", "q", "qdot", "position", "rotation")}
    channels = {name: values[::count] for name, values in run.channels.items()}
    contacts = None if run.contacts is None else contacts_at(run.contacts, range(0, len(run), count))
    meta = run.meta | {"fps": run.meta["fps"] / count}
    return dataclasses.replace(run, **arrays, channels=channels, contacts=contacts, meta=meta)


def contacts_at(contacts, samples):
    """Where surfaces push each other at these samples alone."""
    points = [np.arange(*contacts.offsets[sample : sample + 2].astype(int)) for sample in samples]
    offsets = np.cumsum([0, *map(len, points)])
    chosen = np.concatenate([np.zeros(0, int), *points])
    each = {field.name: getattr(contacts, field.name)[chosen] for field in dataclasses.fields(contacts)[1:]}
    return Contacts(offsets=offsets, **each)


def test_every_second_sample_of_a_run_has_its_own_contacts():
    """Points 0 and 1 at the first sample, none at the second, 2 to 4 at the third."""
    of = dict.fromkeys(("normal_force", "penetration"), np.arange(5.0))
    of |= dict.fromkeys(("point", "normal", "friction", "slip"), np.arange(15.0).reshape(5, 3))
    contacts = Contacts(offsets=np.array([0, 2, 2, 5]), surfaces=np.zeros((5, 2)), **of)
    for samples, offsets, points in (([0, 2], [0, 2, 5], [0, 1, 2, 3, 4]), ([2], [0, 3], [2, 3, 4]), ([1], [0, 0], [])):
        found = contacts_at(contacts, samples)
        found.check(len(samples), 1)
        assert found.offsets.tolist() == offsets
        assert found.normal_force.tolist() == points
        assert found.point.tolist() == contacts.point[points].tolist() if points else not found.point.size


def baked(name, *, frames, subframes, **parameters):
    """Add and bake a template; the report, and what its bodies are off by in Blender's scene [mm, degrees]."""
    scene = bpy.context.scene
    BY_NAME[name].build(bpy.context, **parameters)
    scene.frame_end = scene.frame_start + frames - 1
    extraction = extract.extract(scene, bpy.context.view_layer)
    run = samples_per_frame(extraction, subframes)
    assert run.status == "complete"
    settings = scene.redmax.bake
    options = bake.BakeOptions(keys="FEWER")
    default = (settings.max_distance, settings.max_angle)
    assert (options.distance, options.angle) == pytest.approx(default), "as in the panel"
    report = bake.bake(scene, bpy.context.view_layer, extraction, every(run, subframes), options)
    moving = [obj.name for obj in scene.objects if obj.redmax.is_body and obj.redmax.baked.active]
    return report, worst(extraction, run, moving, subframes)


def within_the_bound(report, errors):
    options = bake.BakeOptions()
    assert errors[0] <= options.distance
    assert errors[1] <= math.degrees(options.angle)
    assert not report.notes, str(report)


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum", "robot_arm", "four_bar", "wheel"])
def test_the_first_half_second_of_a_template_is_within_the_bound(name):
    """Trees, a loop, a contact, with and without keys: long enough to leave keys out. The next test has them all."""
    report, errors = baked(name, frames=13, subframes=3)
    within_the_bound(report, errors)
    assert report.keys < report.keys_every


@pytest.mark.slow
@pytest.mark.timeout(900)  # the windmill's joints from formulas run in plain Python here
@every_template
def test_every_template_is_within_the_bound_and_has_far_fewer_keys(name):
    """Over the 250 frames of a new scene."""
    report, errors = baked(name, frames=250, subframes=5)
    print(f"{name}: {report}; in the scene {errors[0]:.4f} mm, {errors[1]:.4f} degrees")
    within_the_bound(report, errors)
    assert report.keys_every >= FEWEST.get(name, 5.0) * report.keys


FAST = {"length_1": 0.05, "length_2": 0.04, "angle_1": 3.0, "angle_2": 3.0}
"""A double pendulum too small and quick for its frames."""


@pytest.mark.parametrize(
    ("name", "frames", "parameters"),
    [
        ("double_pendulum", 12, FAST),
        # One ball knocks the other in the middle of a frame.
        ("cradle", 16, {"count": 2}),
        # It falls on its stop.
        pytest.param("scissor_lift", 24, {"with_motor": False, "stages": 1}, marks=pytest.mark.slow),
    ],
)
def test_what_is_too_fast_for_its_frames_is_said_and_still_baked(name, frames, parameters):
    """The report names the bodies and says by how much, and that is what they are off by."""
    report, errors = baked(name, frames=frames, subframes=10, **parameters)
    options = bake.BakeOptions()
    assert errors[0] > options.distance or errors[1] > math.degrees(options.angle)
    said = [note for note in report.notes if "which is more than you allow" in note.text]
    assert said
    assert {note.element for note in said} <= set(bpy.data.objects.keys())
    assert 1e3 * report.distance == pytest.approx(errors[0], rel=0.03)
    assert math.degrees(report.angle) == pytest.approx(errors[1], rel=0.03)


def test_one_frame_that_is_too_fast_gives_no_keys_to_the_others(monkeypatch):
    """A lift that falls on its stop: keys on every frame are no closer where it hits, and not needed elsewhere.

    Frames are simulated again by numpy while the fast solver is not ready: compiling it would hold Blender.
    """
    routes = []
    monkeypatch.setattr(preparation, "route_now", lambda: route.NUMPY)
    frame_anew = frames_anew._frame
    monkeypatch.setattr(frames_anew, "_frame", lambda *given: routes.append(route._held.get()) or frame_anew(*given))
    report, _ = baked("scissor_lift", frames=24, subframes=1, with_motor=False, stages=1)
    assert set(routes) == {route.NUMPY}
    assert report.again == len(routes)
    assert f"; {report.again} quick frame" in str(report)
    assert any("which is more than you allow" in note.text for note in report.notes)
    assert report.keys_every > 5 * report.keys


def test_an_artist_waits_a_minute_at_most_and_is_told_what_was_left_out(monkeypatch):
    """The quickest frames come first; without a window there is nobody who waits."""
    clock = iter(range(1000))
    monkeypatch.setattr(frames_anew, "LONGEST", 3.0)
    monkeypatch.setattr(frames_anew, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert list(frames_anew._in_time(list(range(9)))) == list(range(9)), "in the background"
    monkeypatch.setattr(frames_anew, "bpy", SimpleNamespace(context=bpy.context, app=SimpleNamespace(background=False)))
    assert list(frames_anew._in_time(list(range(9)))) == [0, 1, 2]
    monkeypatch.setattr(frames_anew, "LONGEST", -1.0)
    report, _ = baked("double_pendulum", frames=4, subframes=1, **FAST)
    assert report.again == 0
    (left,) = (note for note in report.notes if "not simulated again" in note.text)
    assert left.hint
