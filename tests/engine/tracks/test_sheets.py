# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets: spline surfaces of frames, turned by their angles or along the normal."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.spline_examples import torus_sheet
from engine.spline_scenes import bowl
from redmax.joints import SplineSurface
from redmax.spatial import adjoint, pose
from redmax.tracks import Sheet, bases

FD_TOLERANCE = 1e-8
OPEN = {"cyclic_u": False, "cyclic_v": False}

SHEETS = {
    "closed": torus_sheet(1),
    "open": torus_sheet(2, **OPEN),
    "to its edges": torus_sheet(3, endpoints=True, **OPEN),
    "through its frames": torus_sheet(4, basis="catmull_rom", cyclic_v=False),
    "normal": torus_sheet(5, orientation="normal", count=(10, 8)),
    "open, normal": torus_sheet(6, orientation="normal", count=(10, 8), **OPEN),
    "positions only": torus_sheet(7, angles=None),
    "one patch": torus_sheet(8, count=(4, 4), **OPEN),
}


def joint_on(sheet: Sheet) -> SplineSurface:
    return SplineSurface.part(sheet=sheet.name, path=sheet)


def one_sided(f, side):
    """f'(0) from values on one side only, fourth order."""
    h = 1e-3 * side
    return (-25.0 * f(0.0) + 48.0 * f(h) - 36.0 * f(2 * h) + 16.0 * f(3 * h) - 3.0 * f(4 * h)) / (12.0 * h)


@pytest.mark.parametrize("title", SHEETS)
def test_sheets_of_the_examples_are_sound(title):
    assert not list(SHEETS[title].problems())


@pytest.mark.parametrize("title", SHEETS)
def test_S_and_Sdot_are_derivatives_over_the_whole_range(title):
    """One-sided differences inwards from a grid in every patch never cross a border; borders and corners included."""
    sheet = SHEETS[title]
    joint = joint_on(sheet)
    for i in range(int(sheet.extent[0])):
        for j in range(int(sheet.extent[1])):
            for a, b in ((1e-7, 0.4), (0.3, 1e-7), (1.0 - 1e-7, 0.7), (0.6, 1.0 - 1e-7), (0.45, 0.55)):
                q, side = np.array([i + a, j + b]), np.where(np.array([a, b]) < 0.5, 1.0, -1.0)
                v = side * np.array([0.8, 1.3])
                Q, S, Sdot = joint.motion(q, v)
                for k, unit in enumerate(np.eye(2)):
                    dQ = one_sided(lambda t, q=q, v=v, e=unit: joint.motion(q + t * e, v).Q, side[k])
                    np.testing.assert_allclose(
                        pose.unbracket(pose.inverse(Q) @ dQ), S[:, k], atol=FD_TOLERANCE * max(1.0, np.abs(S).max())
                    )
                dS = one_sided(lambda t, q=q, v=v: joint.motion(q + t * v, v).S, 1.0)
                np.testing.assert_allclose(Sdot, dS, atol=FD_TOLERANCE * max(1.0, np.abs(Sdot).max()))


def alg_5(sheet: Sheet, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, S and Sdot by RM19 Alg. 5, six exponentials one after another, of a sheet of one patch."""
    B = bases.MATRICES[sheet.basis]
    values = np.concatenate([np.asarray(sheet.positions), np.asarray(sheet.angles)], axis=2)
    P = [np.array([[1.0, x, x**2, x**3], [0.0, 1.0, 2.0 * x, 3.0 * x**2], [0.0, 0.0, 2.0, 6.0 * x]]) for x in q]
    Q, S, dS = np.eye(4), np.zeros((6, 2)), np.zeros((6, 2, 2))
    for k, axis in enumerate((3, 4, 5, 0, 1, 2)):  # e2 is the translation along y; the seed's text repeats e1
        e = np.eye(6)[axis]
        f = [[P[0][i] @ B.T @ values[..., k] @ B @ P[1][j] for j in range(3)] for i in range(3)]
        slope, bend = (f[1][0], f[0][1]), ((f[2][0], f[1][1]), (f[1][1], f[0][2]))
        Q_k = pose.exp(e * f[0][0])
        Ad = adjoint.Ad_inverse(Q_k)
        old = S.copy()
        for i in range(2):
            for j in range(2):
                dS[:, i, j] = Ad @ (dS[:, i, j] + adjoint.ad(old[:, i]) @ e * slope[j]) + e * bend[i][j]
            S[:, i] = Ad @ old[:, i] + e * slope[i]
        Q = Q @ Q_k
    return Q, S, dS @ qdot


def test_it_is_algorithm_5():
    sheet, rng = SHEETS["one patch"], np.random.default_rng(3)
    for _ in range(10):
        q, qdot = rng.uniform(-0.5, 1.5, 2), rng.standard_normal(2)
        for ours, paper in zip(joint_on(sheet).motion(q, qdot), alg_5(sheet, q, qdot), strict=True):
            np.testing.assert_allclose(ours, paper, atol=1e-13)


def test_rows_lie_along_the_first_coordinate():
    x, y = np.meshgrid(np.arange(5.0), np.arange(6.0), indexing="ij")
    sheet = Sheet(name="flat", positions=np.stack([x, 2.0 * y, 0.0 * x], -1))
    assert sheet.extent == (2.0, 3.0)
    np.testing.assert_allclose(sheet.poses([(0.25, 1.5)])[0][:3, 3], [1.25, 5.0, 0.0], atol=1e-14)


def test_the_normal_is_normal_and_x_lies_along_u():
    for title in ("normal", "open, normal"):
        sheet = SHEETS[title]
        for q in np.random.default_rng(4).uniform(0.0, 1.0, (20, 2)) * sheet.extent:
            S = sheet.motion(q)[1]
            np.testing.assert_allclose(S[4:, 0], 0.0, atol=1e-12)
            assert S[3, 0] > 0.0
            assert S[4, 1] > 0.0
            assert S[5, 1] == pytest.approx(0.0, abs=1e-12)


def test_a_lap_more_is_the_same_place():
    sheet = SHEETS["closed"]
    q = np.array([1.3, 4.2])
    for laps in ((1, 0), (0, -3), (5, 2)):
        np.testing.assert_allclose(sheet.poses(q + np.array(laps) * sheet.extent), sheet.poses(q), atol=1e-12)


def test_beyond_its_edges_the_outermost_patches_go_on():
    sheet = SHEETS["open"]
    u = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])
    x = sheet.poses(np.stack([u, 0.0 * u + 1.5], 1))[:, :3, 3]
    np.testing.assert_allclose(np.diff(x, 4, axis=0), 0.0, atol=1e-13)  # one cubic on both sides


def test_a_place_without_digits_is_no_number():
    for q in ((np.inf, 0.5), (0.5, np.nan), (1e20, 0.0)):
        assert np.isnan(joint_on(SHEETS["closed"]).motion(np.array(q), np.ones(2)).Q[:3]).any()


@pytest.mark.parametrize("title", SHEETS)
def test_the_nearest_place_is_found(title):
    sheet = SHEETS[title]
    for part in ((0.1, 0.2), (0.5, 0.7), (0.9, 0.4)):
        q = np.array(part) * sheet.extent
        E, S = sheet.motion(q)
        found, off = sheet.nearest(E[:3, 3])
        assert off < 1e-9
        normal = np.cross(*(E[:3, :3] @ S[3:]).T)
        found, off = sheet.nearest(E[:3, 3] + 0.01 * normal / np.linalg.norm(normal))
        np.testing.assert_allclose(found, q, atol=1e-5)
        assert off == pytest.approx(0.01, rel=1e-6)


# --- what is wrong is named, and what is unusual is said -----------------------------------------


def faults(sheet: Sheet) -> list[str]:
    return [f"{fault[3] if len(fault) > 3 else ''} {fault[0]}; {fault[1]}" for fault in sheet.problems()]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"positions": np.zeros((3, 5, 3))}, "positions has 3 rows of 5 frames; give at least 4 rows of 4"),
        ({"positions": np.zeros((5, 4, 3)), "basis": "bezier"}, "positions has 5 rows for a bezier sheet"),
        ({"angles": np.zeros((5, 4, 3))}, "angles has other rows and columns"),
        ({"angles": np.zeros((5, 5, 3)), "orientation": "normal"}, "angles is not used where orientation is normal"),
        ({"positions": np.zeros((5, 5, 3))}, "does not spread in two directions near the frame in row 1, column 1"),
    ],
)
def test_fields_that_do_not_fit_are_named(fields, words):
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij")
    sheet = Sheet(**({"name": "sheet", "positions": np.stack([x, y, 0.0 * x], -1)} | fields))
    assert words in faults(sheet)[0]


def test_a_pole_is_named():
    """Where a bowl closes, one coordinate no longer moves anything."""
    x = np.array(bowl().positions)
    x[:, 0] = x[:, 1] = x[:, 2] = (0.0, 0.0, 0.0)
    (found,) = faults(Sheet(name="bowl", positions=x, cyclic_u=True, orientation="normal"))
    assert "column 1" in found
    assert "leave out a pole" in found


def test_corners_are_named():
    (found,) = faults(torus_sheet(1, basis="bezier", count=(9, 6)))
    assert "has a corner at the frame in row 0, column 0" in found
    (found,) = faults(torus_sheet(1, basis="catmull_rom", orientation="normal"))
    assert "use a b_spline" in found


def test_large_angles_are_warned_of_with_their_frame():
    angles = np.zeros((4, 5, 3))
    x, y = np.meshgrid(np.arange(4.0), np.arange(5.0), indexing="ij")
    sheet = Sheet(name="roof", positions=np.stack([x, y, 0.0 * x], -1), angles=angles)
    assert sheet.warnings() == []
    angles[1, 2, 0], angles[3, 4, 1] = 0.8, math.pi / 2
    large, locked = sheet.warnings()
    assert "sheet 'roof': the frame in row 1, column 2 turns by 46 degrees" in large
    assert "row 3, column 4" in locked
    assert "gimbal lock" in locked
    assert not list(sheet.problems()), "neither is wrong"
