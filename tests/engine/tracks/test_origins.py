# SPDX-License-Identifier: GPL-3.0-or-later
"""`origin` of a spline joint: the same joint with its coordinates measured from another place."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from redmax.joints import SplineCurve, SplineSurface
from redmax.tracks import Sheet, Track, frames_along, pose_of


def closed_track(**more):
    angle = np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
    points = np.stack([3.0 * np.cos(angle), 2.0 * np.sin(angle), 0.4 * np.sin(2.0 * angle)], 1)
    frames = tuple(pose_of(E) for E in frames_along(points, cyclic=True))
    return Track(name="t", frames=frames, **{"cyclic": True} | more)


@pytest.mark.parametrize("cyclic", [True, False])
def test_coordinates_are_measured_from_the_origin(cyclic):
    track = closed_track(cyclic=cyclic)
    joint = SplineCurve(name="j", parent=None, child="b", track="t", path=track)
    moved = dataclasses.replace(joint, origin=1.25)
    for q in (-0.5, 0.0, 2.0):
        ours, theirs = (each.motion(np.array([x]), np.array([0.7])) for each, x in ((moved, q), (joint, q + 1.25)))
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    for mine, plain in zip(moved.ends(), joint.ends(), strict=True):
        assert (mine.lower, mine.upper) == (plain.lower - 1.25, plain.upper - 1.25)
    assert not list(moved.problems())
    found = list(dataclasses.replace(moved, q=(-1.5,)).problems())
    assert bool(found) is not cyclic, "beyond the beginning of an open track"


def test_corners_of_a_closed_track_stay_where_they_are():
    track = closed_track(basis="catmull_rom")
    joint = SplineCurve(name="j", parent=None, child="b", track="t", path=track, origin=0.4)
    (ends,) = joint.ends()
    there = (np.array(ends.corners) + 0.4) % track.extent
    np.testing.assert_allclose(np.sort(there), np.sort(track.corners % track.extent), atol=1e-12)
    assert list(ends.corners) == sorted(ends.corners)


def test_a_sheet_too_is_measured_from_the_origin():
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0), indexing="ij")
    sheet = Sheet(name="s", positions=np.stack([x, y, 0.1 * x * y], -1), orientation="normal")
    joint = SplineSurface(name="j", parent=None, child="b", sheet="s", path=sheet)
    moved = dataclasses.replace(joint, origin=(0.5, 1.25))
    qdot = np.array([0.3, -0.2])
    for a, b in zip(moved.motion(np.array([0.2, 0.1]), qdot), joint.motion(np.array([0.7, 1.35]), qdot), strict=True):
        np.testing.assert_array_equal(a, b)
    assert [(end.lower, end.upper) for end in moved.ends()] == [(-0.5, 2.5), (-1.25, 0.75)]
