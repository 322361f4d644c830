# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex pieces: as so many hulls on one body, and bodies with dents that hold others."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.contact_scenes import G, run
from redmax import io
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.geometry.solids import Box, Sphere
from redmax.joints import JOINTS
from redmax.scene import Body, Scene
from redmax.surfaces import (
    CylinderSurface,
    HullSurface,
    Piece,
    PiecesSurface,
    PlaneSurface,
    SphereSurface,
    SurfacePair,
)


def wedge(begin, end, inner, outer, low, high):
    """Corners of a part of a ring between two angles."""
    return [(r * math.cos(a), r * math.sin(a), z) for a in (begin, end) for r in (inner, outer) for z in (low, high)]


def ring(count=8, inner=0.3, outer=0.4, low=-0.05, high=0.05):
    angles = np.linspace(0.0, 2.0 * math.pi, count + 1)
    return [wedge(a, b, inner, outer, low, high) for a, b in itertools.pairwise(angles)]


def bowl():
    """A ring on a plate."""
    plate = [(x, y, z) for x, y, _ in np.concatenate(ring()) for z in (-0.1, -0.05)]
    return [*ring(high=0.1), plate]


def pieces(name, body, corners, **fields):
    return PiecesSurface(name=name, body=body, pieces=tuple(Piece(vertices=each) for each in corners), **fields)


def as_hulls(scene):
    """The same scene with a surface for each piece, and a pair for each pair of these."""
    surfaces, names = [], {}
    for each in scene.surfaces:
        if not isinstance(each, PiecesSurface):
            surfaces.append(each)
            names[each.name] = [each.name]
            continue
        shared = {name: value for name, value in vars(each).items() if name not in ("pieces", "name")}
        names[each.name] = [f"{each.name} {k}" for k in range(len(each.pieces))]
        for name, piece in zip(names[each.name], each.pieces, strict=True):
            surfaces.append(HullSurface(name=name, vertices=piece.vertices, **shared))
    pairs = []
    for pair in scene.surface_pairs:
        for first in names[pair.first]:
            for second in names[pair.second]:
                own = vars(pair) | {"name": f"{first} {second}", "first": first, "second": second}
                pairs.append(SurfacePair(**own))
    parts = {name: getattr(scene, name) for name in ("bodies", "joints", "gravity", "name")}
    return Scene(surfaces=surfaces, surface_pairs=pairs, **parts), names


def free(name, at, rotation=(1.0, 0.0, 0.0, 0.0), **fields):
    frame = Pose(tuple(map(float, at)), rotation)
    return JOINTS["free"](name=f"{name} joint", parent=None, child=name, frame_in_parent=frame, **fields)


def bowl_scene():
    ball = Body(name="ball", shapes=(Sphere(radius=0.1, mass=0.5),))
    dish = Body(name="dish", shapes=(Box(size=(0.8, 0.8, 0.2), mass=3.0),))
    return Scene(
        name="bowl", gravity=(0.0, 0.0, -G), bodies=[dish, ball],
        joints=[free("dish", (0.0, 0.0, 0.12)), free("ball", (0.12, 0.05, 0.3), qdot=(0.0, 0.0, 0.0, 0.3, 0.0, 0.0))],
        surfaces=[PlaneSurface(name="ground"), pieces("dish surface", "dish", bowl()),
                  SphereSurface(name="ball surface", body="ball", radius=0.1, rolling_friction=0.02)],
        surface_pairs=[SurfacePair(name="p", first="dish surface", second="ball surface", friction=0.2)],
    )  # fmt: skip


def test_they_touch_as_so_many_surfaces_bit_for_bit():
    scene = bowl_scene()
    hulls, names = as_hulls(scene)
    one, other = run(scene, 0.5), run(hulls, 0.5)
    np.testing.assert_array_equal(one.position, other.position)
    np.testing.assert_array_equal(one.qdot, other.qdot)
    assert one.meta["surfaces"] == [each.name for each in scene.surfaces]
    all_names = [name for each in names.values() for name in each]
    assert other.meta["surfaces"] == all_names
    for k, each in enumerate(one.meta["surfaces"]):
        own = [all_names.index(name) for name in names[each]]
        forces = other.channels["surface_force"][:, own].sum(axis=1)
        np.testing.assert_allclose(one.channels["surface_force"][:, k], forces, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(one.channels["impact"][:, k], other.channels["impact"][:, own].max(axis=1))
    owner = np.array([k for k, each in enumerate(names.values()) for _ in each])
    np.testing.assert_array_equal(one.contacts.surfaces, owner[other.contacts.surfaces.astype(int)])


def test_a_bowl_holds_a_ball():
    found = run(bowl_scene(), 3.0, fps=12)
    assert found.status == "complete"
    dish, ball = (found.position[-1, found.body(name)] for name in ("dish", "ball"))
    assert np.linalg.norm((ball - dish)[:2]) < 0.3
    assert ball[2] - dish[2] == pytest.approx(-0.05 + 0.1, abs=1e-4)
    assert np.abs(found.qdot[-1]).max() < 1e-2


def test_a_ring_hangs_on_a_peg():
    """It falls until its hole meets the peg, and hangs below it; its hull could not."""
    turned = (math.cos(0.25 * math.pi), math.sin(0.25 * math.pi), 0.0, 0.0)
    body = Body(name="ring", shapes=(Box(size=(0.8, 0.8, 0.1), mass=2.0),))
    # The joint turns about the world's y, along the peg, and moves in the plane across it.
    joint = JOINTS["free"](name="j", parent=None, child="ring", frame_in_parent=Pose((0.0, 0.0, 0.05), turned))
    peg = CylinderSurface(name="peg", radius=0.2, height=1.0, frame=Pose(rotation=turned))
    scene = Scene(name="peg", gravity=(0.0, 0.0, -G), bodies=[body], joints=[joint])
    scene.surfaces = [peg, pieces("ring surface", "ring", ring(12))]
    found = run(scene, 2.0, fps=12)
    assert found.status == "complete"
    assert -0.12 < found.position[-1, 0, 2] < -0.06
    assert found.channels["surface_force"][-1, 1, 2] == pytest.approx(2.0 * G, rel=0.2)
    scene.surfaces[1] = HullSurface(name="ring surface", body="ring", vertices=np.concatenate(ring(12)).tolist())
    assert run(scene, 0.25).position[-1, 0, 2] > 0.05 - 0.5 * G * 0.25**2 + 0.05, "a hull is pushed out"


def test_pieces_are_packed_one_after_another_and_filtered_as_their_surface():
    model = compile_scene(io.loads(io.dumps(bowl_scene())))
    packed = model.surfaces
    assert packed.elements == ("ground", "dish surface", "ball surface")
    assert packed.element.tolist() == [0, *[1] * 9, 2]
    assert packed.names[1:10] == ("dish surface",) * 9
    pairs = set(packed.pairs())
    assert {(0, 1), (0, 9), (0, 10), (5, 10)} <= pairs
    assert not any(1 <= a <= 9 and 1 <= b <= 9 for a, b in pairs), "pieces of a surface do not touch each other"
    assert packed.material(4, 10).friction == pytest.approx(0.2)
    assert packed.material(0, 4).friction == pytest.approx(0.5)
