# SPDX-License-Identifier: GPL-3.0-or-later
"""Glyphs of joints: they show the motion that the engine gives a joint, and they are seen from every side."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from redmax import joints
from redmax_blender.overlay import glyphs, joint_glyphs
from redmax_blender.properties import joint as joint_properties

KINDS = [cls.kind for cls in joints.JOINTS]
PARAMETERS = {
    "screw": (("axis", (0.3, -0.5, 0.8)), ("pitch", 0.05)),
    "revolute": (("axis", (0.3, -0.5, 0.8)),),
    "prismatic": (("axis", (-0.6, 0.1, 0.4)),),
    "composite": (
        ("parts", (("prismatic", (("axis", (0.0, 1.0, 1.0)),)), ("revolute", (("axis", (0.0, 1.0, 1.0)),)))),
    ),
    **{
        cls.kind: joint_properties.new_description(cls.kind)[1]
        for cls in joints.JOINTS
        if joint_properties.guides(cls.kind)
    },
}
NEAR = 1e-5
"""Points of a glyph are single precision."""


@pytest.fixture(autouse=True)
def _empty_file():
    """Arrays only; no scene is touched."""


def points(kind, parameters=None, *, dashed=False):
    own = PARAMETERS.get(kind, ()) if parameters is None else parameters
    return joint_glyphs.points((kind, own), dashed=dashed).astype(float)


def poses(kind, q):
    """Q at coordinates q, by the engine."""
    joint = joint_properties.described((kind, PARAMETERS.get(kind, ())))
    return joint.motion(np.asarray(q, float), np.zeros(joint.ndof)).Q


def displacements(kind):
    """Finite difference of Q per coordinate at q = 0: rotation vectors and displacements (n, 3)."""
    joint = joint_properties.described((kind, PARAMETERS.get(kind, ())))
    turns, moves = [], []
    for k in range(joint.ndof):
        step = 1e-6 * np.eye(joint.ndof)[k]
        D = (poses(kind, step) - poses(kind, -step)) / 2e-6
        turns.append([D[2, 1], D[0, 2], D[1, 0]])
        moves.append(D[:3, 3])
    return np.array(turns).reshape(-1, 3), np.array(moves).reshape(-1, 3)


def has(drawn, point):
    return np.abs(drawn - point).max(axis=1).min() < NEAR


@pytest.mark.parametrize("dashed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_glyph_of_size_one(kind, dashed):
    drawn = points(kind, dashed=dashed)
    assert len(drawn) >= 24
    assert len(drawn) % 2 == 0
    assert np.isfinite(drawn).all()
    assert 0.7 < np.linalg.norm(drawn, axis=1).max() < 1.05


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_seen_from_every_side(kind):
    """Also along its own axes: neither a point nor a single line remains."""
    rng = np.random.default_rng(7)
    drawn = points(kind)
    turns, moves = displacements(kind)
    views = [*rng.normal(size=(40, 3)), *np.eye(3), *(axis for axis in (*turns, *moves) if axis.any())]
    for view in (direction / np.linalg.norm(direction) for direction in views):
        flat = drawn - np.outer(drawn @ view, view)
        extents = np.linalg.svd(flat, compute_uv=False)[:2] / np.sqrt(len(flat))  # the third is along the view
        assert extents.min() > 0.03, view


@pytest.mark.parametrize("kind", ["revolute", "screw"])
def test_the_axis_that_is_drawn_is_the_one_about_which_the_joint_turns(kind):
    turns, moves = displacements(kind)
    axis = turns[0]
    drawn = points(kind)
    assert has(drawn, axis)
    assert has(drawn, -axis)
    Q = poses(kind, [0.7])
    assert np.allclose(np.cross(Q[:3, :3] @ axis + Q[:3, 3], axis), 0.0, atol=1e-12), "it stays on itself"
    assert np.allclose(np.cross(moves[0], axis), 0.0, atol=1e-9)


def test_the_ring_of_a_hinge_turns_into_itself_and_its_head_points_the_way_of_a_positive_angle():
    (axis,), _ = displacements("revolute")
    drawn = points("revolute")
    in_plane = drawn[np.abs(drawn @ axis) < NEAR]
    ring = in_plane[np.abs(np.linalg.norm(in_plane, axis=1) - glyphs.RING) < NEAR]
    R = poses("revolute", [2.0 * np.pi / glyphs.ROUND])[:3, :3]
    assert len(ring) >= 2 * glyphs.ROUND
    assert all(has(ring, R @ point) for point in ring)
    off = np.abs(np.linalg.norm(in_plane, axis=1) - glyphs.RING) > NEAR
    barbs = in_plane[off & (np.linalg.norm(in_plane, axis=1) > 0.3)]
    tip = next(point for point in ring if np.linalg.norm(point - barbs, axis=1).max() < 2.0 * glyphs.ARROW)
    forwards = np.cross(axis, tip)
    assert len(barbs) == 2
    assert all((tip - barb) @ forwards > 0.0 for barb in barbs)


@pytest.mark.parametrize("kind", ["prismatic", "planar", "translational", "free_2d", "free", "composite"])
def test_arrows_point_along_every_way_the_joint_slides(kind):
    turns, moves = displacements(kind)
    sliding = [move for turn, move in zip(turns, moves, strict=True) if not turn.any()]
    drawn = points(kind)
    assert sliding
    for move in sliding:
        assert has(drawn, move)
        assert has(drawn, -move)


@pytest.mark.parametrize("pitch", [0.05, -0.05])
def test_the_thread_of_a_screw_has_its_hand(pitch, monkeypatch):
    monkeypatch.setitem(PARAMETERS, "screw", (("axis", (0.3, -0.5, 0.8)), ("pitch", pitch)))
    (axis,), _ = displacements("screw")
    segments = points("screw").reshape(-1, 2, 3)
    away = np.linalg.norm(segments - (segments @ axis)[..., None] * axis, axis=2)
    thread = segments[(np.abs(away - glyphs.THREAD) < NEAR).all(axis=1)]
    assert len(thread) == glyphs.TURNS * glyphs.ROUND // 2
    turned = np.einsum("ni,ni->n", np.cross(thread[:, 0], thread[:, 1]), np.tile(axis, (len(thread), 1)))
    advanced = (thread[:, 1] - thread[:, 0]) @ axis
    assert (np.sign(turned * advanced) == np.sign(pitch)).all()


def test_a_screw_without_pitch_is_a_hinge():
    hinge = points("revolute")
    assert np.array_equal(points("screw", (("axis", (0.3, -0.5, 0.8)), ("pitch", 0.0))), hinge)


def test_a_universal_joint_has_a_fork_at_each_of_its_axes():
    turns, _ = displacements("universal")
    drawn = points("universal")
    for axis in turns:
        assert has(drawn, glyphs.YOKE * axis)
        assert has(drawn, -glyphs.YOKE * axis)
    assert drawn[:, 2].max() > 0.9
    assert drawn[:, 2].min() < -0.9


def test_euler_angles_whose_first_and_last_axis_are_one_are_a_ball_all_the_same():
    S = np.zeros((6, 3))
    S[:3] = [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    assert np.array_equal(glyphs.solid(glyphs.lines_of(S)).reshape(-1, 3).astype(np.float32), points("spherical"))


def test_a_joint_without_a_direction_is_a_cross_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = points("revolute", (("axis", (0.0, 0.0, 0.0)),))
    assert drawn.shape == (6, 3)
    assert not np.array_equal(drawn, points("fixed")[:6])


@pytest.mark.parametrize("kind", KINDS)
def test_dashes_lie_on_the_lines_and_leave_gaps(kind):
    joint = joint_properties.described((kind, PARAMETERS.get(kind, ())))
    still = np.zeros(joint.ndof)
    lines = glyphs.lines_of(joint.motion(still, still).S)
    whole, dashes = glyphs.solid(lines), glyphs.dashed(lines)
    length = np.linalg.norm(whole[:, 1] - whole[:, 0], axis=1)
    assert 0.45 < np.linalg.norm(dashes[:, 1] - dashes[:, 0], axis=1).sum() / length.sum() < 0.8
    start, along = whole[None, :, 0], (whole[:, 1] - whole[:, 0])[None]
    for end in dashes[::5].reshape(-1, 1, 3):
        part = np.clip(((end - start) * along).sum(axis=2) / (length**2)[None], 0.0, 1.0)
        assert np.linalg.norm(end - start - part[..., None] * along, axis=2).min() < 1e-9
