# SPDX-License-Identifier: GPL-3.0-or-later
"""The crane behaves: its rope does not kink, its load swings and comes to rest, its torques are smooth."""

from __future__ import annotations

import functools
import math
from itertools import pairwise

import bpy
import numpy as np
import pytest

from redmax.spatial import quaternion
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.run import simulation
from redmax_blender.properties.scene import integrator_of
from redmax_blender.templates import crane, damping

STOPS = 145
"""Frame at which the crane's keys end: six seconds at 24 frames per second."""

PIECES = [2, pytest.param(8, marks=pytest.mark.slow)]
"""Pieces of rope: few for a quick test, and the default."""

every_rope = pytest.mark.parametrize("pieces", PIECES)


@functools.cache
def _run(pieces):
    crane.build(bpy.context, rope_links=pieces)
    scene = bpy.context.scene
    extraction = extract.extract(scene, bpy.context.view_layer)
    return simulation.run(extraction, integrator_of(scene))


@pytest.fixture
def run(pieces):
    """What Simulate gives of the crane with everything else as it is added."""
    found = _run(pieces)
    assert (found.status, len(found)) == ("complete", 250)
    return found


def hanging(run):
    """(f, n, 3) upward axes of what hangs from the boom, top down."""
    rows = [k for k, name in enumerate(run.body_names) if name.startswith(("Crane Rope", "Crane Hook", "Crane Load"))]
    return quaternion.to_matrix(run.rotation[:, rows])[..., 2]


def below_the_tip(run):
    """(f, 3) from the tip of the boom to the load's ring [m]."""
    return run.position[:, run.body("Crane Load")] - run.position[:, run.body("Crane Rope 1")]


@every_rope
def test_the_rope_stays_almost_straight(run):
    axes = hanging(run)
    for above, below in pairwise(range(axes.shape[1])):
        cosine = np.einsum("fi,fi->f", axes[:, above], axes[:, below])
        assert np.degrees(np.arccos(np.minimum(cosine, 1.0))).max() < 3.0, (above, below)


@every_rope
def test_the_load_swings_far_enough_to_see_but_never_wildly(run):
    way = below_the_tip(run)
    angle = np.degrees(np.arccos(-way[:, 2] / np.linalg.norm(way, axis=1)))
    assert 15.0 < angle.max() < 35.0
    assert angle[STOPS:].max() > 15.0


@every_rope
def test_the_swing_dies_down_as_it_was_asked_to(run):
    """After the keys end: the amplitude falls by the damping ratio, and the energy at every frame."""
    way = below_the_tip(run)
    level = way[STOPS:, :2]
    speed = np.gradient(level, 1.0 / 24.0, axis=0)
    whole = np.linalg.norm(way[0]) + (crane.SLING + 0.5) * 1.4
    rate = math.sqrt(damping.EARTH / whole)
    amplitude = np.sqrt((level**2 + (speed / rate) ** 2).sum(axis=1))
    lasted = (len(level) - 1) / 24.0
    expected = math.exp(-0.08 * rate * lasted)
    assert amplitude[-12:].mean() / amplitude[:12].mean() == pytest.approx(expected, rel=0.2)
    assert expected < 0.7
    assert np.diff(run.channels["energy"][STOPS:]).max() < 0.0


@every_rope
def test_torques_of_the_keyed_joints_are_smooth(run):
    """They go up and down a few times with the swing, and have no teeth. A step is left where the slewing keys end."""
    for coordinate, name in enumerate(("slew", "luff")):  # the first two: everything else hangs on them
        torque = run.channels["torque"][:, coordinate]
        span = np.ptp(torque)
        assert span > 50_000.0, name
        assert np.abs(np.diff(torque)).sum() < 3.0 * span, name
        assert np.abs(np.diff(torque, 2)).max() < 0.2 * span, name
        within = np.delete(np.diff(torque, 2), [STOPS - 3, STOPS - 2])
        assert np.abs(within).max() < 0.01 * span, name


def test_a_crane_is_damped_alike_in_every_unit():
    """Damping is entered in SI units, whatever a Blender unit is."""
    for height, metres in ((8.0, 1.0), (800.0, 0.01), (0.8, 10.0)):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.unit_settings.scale_length = metres
        size = height / 8.0
        crane.build(
            bpy.context, height=height, boom_length=height, rope_length=5.0 * size, load_size=1.4 * size, rope_links=2
        )
        found = extract.extract(bpy.context.scene, bpy.context.view_layer).scene
        bodies, joints = ({each.name: each for each in rows} for rows in (found.bodies, found.joints))
        assert bodies["Crane Load"].damping == pytest.approx(264.555, rel=1e-3)
        assert joints["Crane Load Universal"].damping == pytest.approx((144.44, 144.44), rel=1e-3)


def test_the_mass_that_damping_is_chosen_by_is_the_mass_that_is_simulated():
    crane.build(bpy.context, rope_links=1)
    weighed = {each.name: each.mass for each in extract.extract(bpy.context.scene, bpy.context.view_layer).bodies}
    joints = {name: bpy.data.objects[f"{name} Universal"].redmax.joint for name in ("Crane Hook", "Crane Load")}
    factor = damping.BENDING * damping.EARTH
    whole = 5.0 + 1.51 * 0.66 + 1.05 * 1.4
    load = joints["Crane Load"].damping[0] / (factor * 1.05 * 1.4 * math.sqrt(whole / damping.EARTH))
    assert load == pytest.approx(weighed["Crane Load"], rel=1e-5)
    tackle = joints["Crane Hook"].damping[0] / (factor * 1.51 * 0.66 * math.sqrt(whole / damping.EARTH))
    assert tackle == pytest.approx(weighed["Crane Load"] + weighed["Crane Hook"], rel=1e-5)
