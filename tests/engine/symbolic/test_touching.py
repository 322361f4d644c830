# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a contact: where coordinates are 0, and found from where two surfaces stand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from redmax.joints import SurfaceContact
from redmax.joints.touching import touching
from redmax.spatial import pose, so3
from redmax.symbolic.surfaces import SURFACES

SIZES = {"sphere": (0.2, 1, 1), "ellipsoid": (0.3, 0.2, 0.25), "torus": (0.3, 0.1, 1), "cylinder": (0.15, 1, 1)}
PAIRS = [pair for pair in itertools.product(SURFACES, SURFACES) if pair != ("plane", "plane")]


def contact(first, second, **fields):
    first_size, second_size = SIZES.get(first, (1, 1, 1)), SIZES.get(second, (1, 1, 1))
    known = {"first": first, "second": second, "first_size": first_size, "second_size": second_size}
    return SurfaceContact.part(**(known | fields))


@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_coordinates_count_from_the_points(first, second, spin):
    """Q(q) with points is Q(q + points) without, and so are its twists, in the first chart."""
    rng = np.random.default_rng(7)
    plain = contact(first, second, spin=spin, twist=0.3)
    n, names = plain.ndof, plain.dof_names
    points = rng.uniform(-0.4, 0.4, (2, 2))
    moved = contact(first, second, spin=spin, twist=0.3, first_point=points[0], second_point=points[1])
    shift = np.array([0.0 if name == "spin" else points[int(name[1]) - 1]["uv".index(name[0])] for name in names])
    q, qdot = rng.uniform(-0.5, 0.5, (2, n))
    for a, b in zip(moved.motion(q, qdot), plain.motion(q + shift, qdot), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    assert not list(moved.problems())


@pytest.mark.parametrize("chart", range(4))
def test_charts_agree_on_the_pose(chart):
    """What is written over into another chart and back is the same, also where coordinates count from points."""
    joint = contact("sphere", "ellipsoid", spin=True, first_point=(0.4, -0.3), second_point=(1.0, 0.5), twist=0.2)
    q, qdot = np.array([0.2, 0.1, -0.3, 0.2, 0.4]), np.array([0.3, -0.2, 0.1, 0.4, -0.5])
    there, speed = joint.rewrite(q, qdot, 0, chart_like=chart, q_like=np.zeros(5))
    one, two = joint.motion(q, qdot), joint.motion(there, speed, chart)
    np.testing.assert_allclose(two.Q, one.Q, atol=1e-12)
    np.testing.assert_allclose(two.S @ speed, one.S @ qdot, atol=1e-11)
    back, _ = joint.rewrite(there, speed, chart, chart_like=0, q_like=q)
    np.testing.assert_allclose(back, q, atol=1e-11)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_touches_is_found_to_touch(first, second, inside):
    rng = np.random.default_rng(11)
    for _ in range(3):
        q = rng.uniform(-0.9, 0.9, 5)
        made = contact(first, second, first_point=q[:2], second_point=q[2:4], twist=q[4], inside=inside)
        E = made.motion(np.zeros(made.ndof), np.zeros(made.ndof)).Q
        found = touching(contact(first, second, inside=inside), E)
        # where both are curved alike the search is slow; Blender keeps places to 1e-7 of their size
        np.testing.assert_allclose(found.motion(np.zeros(found.ndof), np.zeros(found.ndof)).Q, E, atol=2e-6)


def test_a_ball_above_a_slab_is_lowered_and_not_turned():
    R = so3.exp([0.3, -0.2, 0.5])
    found = touching(contact("plane", "sphere"), pose.make(R, [0.4, -0.7, 0.29]))
    Q = found.motion(np.zeros(4), np.zeros(4)).Q
    np.testing.assert_allclose(Q[:3, 3], [0.4, -0.7, 0.2], atol=1e-6)
    np.testing.assert_allclose(Q[:3, :3], R, atol=1e-3)


def test_links_of_a_chain_find_each_other():
    """The second ring hangs in the first, turned by a quarter: the inner sides touch."""
    R, r = 0.1, 0.015
    rings = contact("torus", "torus", first_size=(R, r, r), second_size=(R, r, r))
    E = pose.make(so3.exp([0.0, 0.5 * np.pi, 0.0]), [0.0, -2.0 * (R - r), 0.0])
    found = touching(rings, E)
    np.testing.assert_allclose(found.motion(np.zeros(4), np.zeros(4)).Q, E, atol=1e-7)
    assert np.cos([found.first_point[1], found.second_point[1]]) == pytest.approx([-1.0, -1.0], abs=1e-6)
