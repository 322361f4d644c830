# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks: splines of frames, measured by length or by parameter, turned by their frames or along the tangent."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.spline_examples import ring_track
from engine.spline_scenes import coaster_track, track_of
from redmax.joints import SplineCurve
from redmax.spatial import adjoint, pose, so3
from redmax.tracks import Track, bases, curve, frames_along, frames_through, matrices, pose_of

ROUND_OFF = 1e-13
FD_TOLERANCE = 1e-8

BEZIER = {"basis": "bezier", "cyclic": False, "count": 10}
"""Three segments, whose corners are taken out by `straightened`."""


def straightened(track: Track) -> Track:
    """A bezier track whose handles line up: frame 3 k + 1 mirrors frame 3 k - 1."""
    E = matrices(track.frames)
    for k in range(3, len(E) - 1, 3):
        E[k + 1] = E[k] @ pose.exp(pose.log(pose.inverse(E[k - 1]) @ E[k]))
    return track_of(E, basis="bezier", coordinate=track.coordinate)


TRACKS = {
    "closed": ring_track(1),
    "open": ring_track(2, cyclic=False),
    "to its ends": ring_track(3, cyclic=False, endpoints=True),
    "by parameter": ring_track(4, coordinate="parameter"),
    "through its frames": ring_track(5, basis="catmull_rom"),
    "open, through its frames": ring_track(6, basis="catmull_rom", cyclic=False),
    "bezier": straightened(ring_track(7, **BEZIER)),
    "bezier by parameter": straightened(ring_track(8, coordinate="parameter", **BEZIER)),
    "tangent": ring_track(9, orientation="tangent", bank=tuple(0.2 * np.cos(np.arange(9.0)))),
    "tangent by parameter": ring_track(10, orientation="tangent", coordinate="parameter", cyclic=False),
    "coaster": coaster_track(),
}


def joint_on(track: Track) -> SplineCurve:
    return SplineCurve.part(track=track.name, path=track)


def one_sided(f, side):
    """f'(0) from values on one side only, fourth order."""
    h = 1e-3 * side
    return (-25.0 * f(0.0) + 48.0 * f(h) - 36.0 * f(2 * h) + 16.0 * f(3 * h) - 3.0 * f(4 * h)) / (12.0 * h)


@pytest.mark.parametrize("title", TRACKS)
def test_tracks_of_the_examples_are_sound(title):
    assert not list(TRACKS[title].problems())


@pytest.mark.parametrize("title", TRACKS)
def test_S_and_Sdot_are_derivatives_over_the_whole_range(title):
    """One-sided differences from either end of every part of every segment never cross a border; borders included."""
    track = TRACKS[title]
    joint, v = joint_on(track), np.array([1.7])
    borders = track.borders
    for low, high in pairwise(borders):
        for part in (1e-7, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0 - 1e-7):
            q = np.array([low + part * (high - low)])
            side = 1.0 if part < 0.5 else -1.0
            Q, S, Sdot = joint.motion(q, v)
            dQ = one_sided(lambda t, q=q: joint.motion(q + t, v).Q, side)
            dS = one_sided(lambda t, q=q: joint.motion(q + t, v).S, side)
            np.testing.assert_allclose(pose.unbracket(pose.inverse(Q) @ dQ), S[:, 0], atol=FD_TOLERANCE)
            # fourth order: h^4 / 5 = 2e-13 times derivatives of S up to 1e5 near tight bends
            np.testing.assert_allclose(Sdot[:, 0], v[0] * dS[:, 0], atol=FD_TOLERANCE * max(1.0, np.abs(Sdot).max()))


@pytest.mark.parametrize("title", TRACKS)
def test_a_length_is_a_length(title):
    track = TRACKS[title]
    q = np.linspace(0.0, track.extent, 57)
    if track.unit == "m":
        np.testing.assert_allclose([np.linalg.norm(track.twist(x)[3:]) for x in q], 1.0, atol=1e-12)
    x = track.sampled(2001)[1][:, :3, 3]
    fine, coarse = (np.linalg.norm(np.diff(points, axis=0), axis=1).sum() for points in (x, x[::2]))
    assert track.length == pytest.approx((4.0 * fine - coarse) / 3.0, rel=1e-6)  # chords are short by (h kappa)^2 / 24


@pytest.mark.parametrize("title", TRACKS)
def test_twists_are_continuous_and_of_b_splines_their_derivatives_too(title):
    track = TRACKS[title]
    joint, v = joint_on(track), np.array([1.0])
    for border in track.borders[:-1] if track.cyclic else track.borders[1:-1]:
        (_, S0, dS0), (_, S1, dS1) = (joint.motion(np.array([border + off]), v) for off in (-1e-10, 1e-10))
        np.testing.assert_allclose(S0, S1, atol=1e-7)
        if track.basis == "b_spline" and track.orientation == "frames":
            assert border not in track.corners
            np.testing.assert_allclose(dS0, dS1, atol=1e-6)


def test_the_reference_line_10_as_printed_is_wrong():
    """RM19 Alg. 4 takes the cumulative weight where its derivative belongs (erratum); ours is the derivative of S."""
    track = TRACKS["by parameter"]
    q, h = 2.3, 1e-4
    dS = (track.twist(q + h) - track.twist(q - h)) / (2.0 * h)
    path, t = track.curve, q - 2.0
    d, W = path.steps[2], path.weights
    weight = W @ [1.0, t, t**2, t**3]
    slope, bend = W @ [0.0, 1.0, 2.0 * t, 3.0 * t**2], W @ [0.0, 0.0, 2.0, 6.0 * t]

    def alg_4(line_10):
        S, dS = slope[0] * d[0], bend[0] * d[0]
        for i in (1, 2):
            Ad = adjoint.Ad_inverse(pose.exp(weight[i] * d[i]))
            dS = bend[i] * d[i] + Ad @ (dS + adjoint.ad(S) @ d[i] * line_10[i])
            S = slope[i] * d[i] + Ad @ S
        return dS

    np.testing.assert_allclose(alg_4(slope), dS, atol=1e-6)
    assert np.abs(alg_4(weight) - dS).max() > 0.01
    np.testing.assert_allclose(
        joint_on(track).motion(np.array([q]), np.array([1.0])).Sdot[:, 0], alg_4(slope), atol=1e-12
    )


@pytest.mark.parametrize("basis", bases.BASES)
def test_weights_of_a_basis_add_up_to_one(basis):
    for t in (0.0, 0.3, 1.0):
        assert (bases.MATRICES[basis] @ [1.0, t, t**2, t**3]).sum() == pytest.approx(1.0, abs=1e-15)


def test_a_catmull_rom_track_passes_through_its_frames():
    for title in ("through its frames", "open, through its frames"):
        track = TRACKS[title]
        E = matrices(track.frames)
        E = np.roll(E, -1, axis=0) if track.cyclic else E  # a closed one begins at its second frame
        np.testing.assert_allclose(track.poses(track.borders)[: len(E)], E, atol=1e-12)


def test_a_track_with_endpoints_begins_and_ends_at_its_frames():
    track = TRACKS["to its ends"]
    np.testing.assert_allclose(track.poses([0.0, track.extent]), matrices(track.frames)[[0, -1]], atol=1e-12)


@pytest.mark.parametrize("cyclic", [True, False])
def test_frames_through_gives_a_track_that_passes_through_them(cyclic):
    E = matrices(ring_track(3).frames)
    track = track_of(frames_through(E, cyclic=cyclic), cyclic=cyclic, endpoints=True, coordinate="parameter")
    passed = track.poses(np.arange(len(E)) - 1.0 if cyclic else np.arange(float(len(E))))
    np.testing.assert_allclose(passed, E, atol=1e-12)


def test_a_lap_more_is_the_same_place():
    for track in (TRACKS["closed"], TRACKS["by parameter"], TRACKS["coaster"]):
        q = np.array([0.1, 0.4, 0.9]) * track.extent
        for laps in (-1000, -1, 1, 7):
            np.testing.assert_allclose(track.poses(q + laps * track.extent), track.poses(q), atol=1e-10)


def test_beyond_its_ends_a_track_goes_on_with_the_twist_it_has_there():
    for title in ("open", "tangent by parameter"):
        track = TRACKS[title]
        for end, off in ((0.0, -0.7), (track.extent, 0.7)):
            expected = track.poses([end])[0] @ pose.exp(off * track.twist(end))
            np.testing.assert_allclose(track.poses([end + off])[0], expected, atol=ROUND_OFF)
            np.testing.assert_array_equal(joint_on(track).motion(np.array([end + off]), np.ones(1)).Sdot, 0.0)


def test_a_place_without_digits_is_no_number():
    for q in (np.inf, np.nan, 1e20):
        assert np.isnan(joint_on(TRACKS["closed"]).motion(np.array([q]), np.ones(1)).Q[:3]).any()


def test_a_frame_along_the_tangent_has_x_ahead_and_its_bank():
    track = TRACKS["tangent"]
    flat = track_of(matrices(track.frames), cyclic=True, orientation="tangent")
    for q in np.linspace(0.0, track.extent, 23):
        np.testing.assert_allclose(track.twist(q)[3:], [1.0, 0.0, 0.0], atol=1e-12)
        turn = so3.log(flat.poses([q])[0][:3, :3].T @ track.poses([q])[0][:3, :3])
        np.testing.assert_allclose(turn[1:], 0.0, atol=1e-12)
    up = curve.motion(flat.curve, np.array([0]), np.array([0.0]))[0][0, :3, 2]
    assert flat.poses([0.0])[0][:3, 1] @ up == pytest.approx(0.0, abs=1e-12)  # z in the plane of tangent and up
    assert flat.poses([0.0])[0][:3, 2] @ up > 0.0


def test_bank_turns_about_the_direction_of_travel():
    x = np.stack([np.arange(6.0), np.zeros(6), np.zeros(6)], 1)
    track = track_of(pose.make(np.eye(3), x), orientation="tangent", bank=(0.3,) * 6)
    np.testing.assert_allclose(track.poses([1.0])[0][:3, :3], so3.exp([0.3, 0.0, 0.0]), atol=ROUND_OFF)


def test_frames_along_a_loop_turn_as_little_as_they_can():
    E = matrices(TRACKS["coaster"].frames)
    assert pose.is_pose(E, tol=1e-12).all()
    turns = np.linalg.norm(curve.differences(E, cyclic=True)[:, :3], axis=1)
    assert turns.max() < 1.0
    top = E[E[:, 2, 3].argmax()]
    assert top[2, 2] < -0.9, "upside down in the loop"
    tilted = frames_along(E[:, :3, 3], cyclic=True, tilt=np.full(len(E), 0.2))
    turn = so3.log(np.swapaxes(E[:, :3, :3], 1, 2) @ tilted[:, :3, :3])
    np.testing.assert_allclose(turn, [[0.2, 0.0, 0.0]] * len(E), atol=1e-12)


@pytest.mark.parametrize("title", TRACKS)
def test_the_nearest_place_is_found(title):
    track = TRACKS[title]
    for part in (0.0, 0.123, 0.5, 0.777, 0.999):
        q = part * track.extent
        E = track.poses([q])[0]
        found, off = track.nearest(E[:3, 3])
        assert off < 1e-9
        np.testing.assert_allclose(track.poses([found])[0][:3, 3], E[:3, 3], atol=1e-8)
        aside = np.cross(E[:3, :3] @ track.twist(q)[3:], [0.2, 0.5, 0.7])
        found, off = track.nearest(E[:3, 3] + 0.01 * aside / np.linalg.norm(aside))
        assert off == pytest.approx(0.01, rel=1e-6)
        assert abs(found - q) < 1e-6 * track.extent or not track.cyclic or abs(abs(found - q) - track.extent) < 1e-6


# --- what is wrong is named ----------------------------------------------------------------------


def faults(track: Track) -> list[str]:
    return [" ".join(fault[:2]) for fault in track.problems()]


def straight(count: int = 5, **fields) -> Track:
    x = np.stack([np.arange(float(count)), np.zeros(count), np.zeros(count)], 1)
    return track_of(pose.make(np.eye(3), x), **fields)


def test_a_half_turn_between_frames_is_named():
    E = matrices(straight().frames)
    E[2, :3, :3] = so3.exp([np.pi, 0.0, 0.0])
    (first, second) = faults(track_of(E))
    assert "half a turn from frame 1 to frame 2" in first
    assert "from frame 2 to frame 3" in second
    assert "add a frame between them" in first
    E[2, :3, :3] = so3.exp([np.pi - 1e-3, 0.0, 0.0])
    assert not faults(track_of(E))


def test_a_standstill_is_named():
    x = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 0], [2, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]])
    R = so3.exp(np.arange(8.0)[:, None] * [0.1, 0.0, 0.0])
    (found,) = faults(track_of(pose.make(R, x)))
    assert "stands still near frame 3" in found
    assert "measure by parameter" in found
    assert not faults(track_of(pose.make(R, x), coordinate="parameter"))
    (found,) = faults(track_of(pose.make(R, x), coordinate="parameter", orientation="tangent"))
    assert "has no direction near frame 3" in found
    (found,) = faults(track_of(pose.make(np.eye(3), x), coordinate="parameter"))
    assert "neither moves nor turns near frame 3" in found


def test_a_pure_rotation_is_measured_by_parameter():
    R = so3.exp(np.arange(6.0)[:, None] * [0.0, 0.0, 0.5])
    track = track_of(pose.make(R, np.zeros(3)), coordinate="parameter")
    assert not faults(track)
    np.testing.assert_allclose(track.twist(1.3), [0.0, 0.0, 0.5, 0.0, 0.0, 0.0], atol=ROUND_OFF)


def test_corners_that_nothing_can_pass_are_named():
    (found,) = faults(ring_track(7, **BEZIER))
    assert "has a corner at frame 3" in found
    assert "line up the two handles" in found
    (found,) = faults(ring_track(6, basis="catmull_rom", orientation="tangent", turn=0.0))
    assert "use a b_spline" in found


def test_a_track_along_the_z_axis_of_its_frames_has_no_up():
    x = np.stack([np.zeros(5), np.zeros(5), np.arange(5.0)], 1)
    (found,) = faults(track_of(pose.make(np.eye(3), x), orientation="tangent"))
    assert "runs along the z axis of its frames" in found


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"count": 5, "basis": "bezier"}, "frames has 5 entries for a bezier track give 4, 7, 10"),
        ({"count": 7, "basis": "bezier", "cyclic": True}, "give 3, 6, 9"),
        ({"bank": (0.0,) * 5}, "bank is not used"),
        ({"bank": (0.0,) * 4, "orientation": "tangent"}, "bank has 4 angles for 5 frames"),
    ],
)
def test_fields_that_do_not_fit_are_named(fields, words):
    sentences = [f"{fault.sentence} {fault.hint}" for fault in straight(**fields).problems()]
    assert words in sentences[0]


def test_pose_of_undoes_matrices():
    E = matrices(ring_track(2).frames)
    np.testing.assert_allclose(matrices(tuple(map(pose_of, E))), E, atol=ROUND_OFF)
