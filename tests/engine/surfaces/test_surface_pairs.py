# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface pairs: JSON, what is wrong with them, what they win over, and how things move that they are about."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.contact_scenes import Builder, G, run
from redmax import io
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.scene import Scene
from redmax.surfaces import SurfacePair
from redmax.surfaces.packed import PackedSurfaces

BOX = (0.2, 0.2, 0.1)


def blocks(count: int = 4, **fields) -> Scene:
    """Boxes side by side that slide along x on a plane; boxes 2 and 3 are in group 1."""
    b = Builder("blocks").plane(friction=0.5, bounce=0.1, rolling_friction=0.001)
    for k in range(count):
        b.box(f"box {k}", (0.0, 0.5 * k, 0.05), BOX, friction=0.5, group=k // 2, **fields)
    return b.scene


def paired(*pairs: SurfacePair, **fields) -> Scene:
    scene = blocks(**fields)
    scene.surface_pairs = list(pairs)
    return scene


def pair(name: str, first: str, second: str, **fields) -> SurfacePair:
    return SurfacePair(name=name, first=first, second=second, **fields)


def packed(scene: Scene) -> PackedSurfaces:
    surfaces = compile_scene(scene).surfaces
    assert surfaces is not None
    return surfaces


ON_ICE = pair("on ice", "ground", "box 0 surface", friction=0.2, bounce=0.7, bounce_above=0.3, torsional_friction=0.02)
GROUPS = pair("groups", "box 3 surface", "ground", friction=0.3, kinetic_friction=0.1, whole_groups=True)


def test_json_round_trip():
    scene = paired(ON_ICE, GROUPS)
    text = io.dumps(scene)
    assert io.loads(text).surface_pairs == scene.surface_pairs
    assert io.dumps(io.loads(text)) == text
    assert "surface_pairs" not in io.dumps(blocks())


def test_a_pair_wins_over_what_materials_give_and_leaves_what_it_does_not_say():
    surfaces = packed(paired(ON_ICE))
    for a, b in ((0, 1), (1, 0)):
        assert surfaces.material(a, b) == (0.2, 0.2, 0.7, 0.3, 0.001, 0.02)
    untouched = packed(blocks())
    for a, b in ((0, 2), (0, 3), (1, 2), (2, 3)):
        assert surfaces.material(a, b) == untouched.material(a, b)


def test_a_pair_of_groups_is_about_all_their_surfaces_and_gives_way_to_one_of_surfaces():
    own = pair("own", "box 2 surface", "ground", friction=0.9)
    for order in ((GROUPS, own), (own, GROUPS)):
        surfaces = packed(paired(*order))
        assert surfaces.material(0, 4)[:2] == (0.3, 0.1)
        assert surfaces.material(3, 0)[:2] == (0.9, 0.9)
        assert surfaces.material(1, 4)[:2] == (0.3, 0.1)  # box 0 is in the ground's group
        assert surfaces.material(0, 1)[:2] == (0.5, 0.5)
        assert surfaces.material(3, 4)[:2] == (0.5, 0.5)


def test_a_group_may_be_paired_with_itself():
    surfaces = packed(paired(pair("bricks", "box 2 surface", "box 2 surface", friction=0.8, whole_groups=True)))
    assert surfaces.material(3, 4)[0] == 0.8
    assert surfaces.material(0, 3)[0] == 0.5


def test_all_ways_to_ask_give_the_same():
    """One pair at a time, and many at once."""
    surfaces = packed(paired(ON_ICE, GROUPS, pair("own", "box 2 surface", "ground", rolling_friction=0.3)))
    a, b = (each.ravel() for each in np.indices((5, 5)))
    expected = [surfaces.material(i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    np.testing.assert_array_equal(surfaces.material_of(a, b), expected)


def test_boxes_stop_after_the_distance_of_their_pairs():
    """Whole frames are compiled where they can be, detection in Python finds the same material."""
    found = run(paired(ON_ICE, GROUPS, velocity=(2.0, 0.0, 0.0)), 2.5)
    for box, mu in enumerate((0.2, 0.5, 0.1, 0.1)):
        if mu < 0.2:  # still sliding
            distance = 2.0 * 2.5 - 0.5 * mu * G * 2.5**2 if 2.0 / (mu * G) > 2.5 else 2.0**2 / (2.0 * mu * G)
        else:
            distance = 2.0**2 / (2.0 * mu * G)
        assert found.position[-1, box, 0] == pytest.approx(distance, rel=1e-3)


def test_a_pair_may_be_all_that_bounces():
    scene = Builder("bounce").plane().ball("a", (0.0, 0.0, 1.1), 0.1).ball("b", (1.0, 0.0, 1.1), 0.1).scene
    scene.surface_pairs = [pair("ball", "a surface", "ground", bounce=0.8)]
    found = run(scene, 1.1, fps=120.0)
    late = found.t > 0.5
    assert found.position[late, 0, 2].max() - 0.1 == pytest.approx(0.64, rel=2e-3)
    assert found.position[late, 1, 2].max() == pytest.approx(0.1, abs=1e-6)


WRONG = [
    (pair("p", "ground", "nothing"), "no surface of that name", "no_such_name"),
    (pair("p", "ground", "ground"), "with itself", "value"),
    (pair("p", "ground", "box 0 surface", kinetic_friction=0.1), "no friction", "value"),
    (pair("p", "ground", "box 0 surface", friction=0.1, kinetic_friction=0.2), "more than the static", "value"),
    (pair("p", "ground", "box 0 surface", bounce=1.2), "bounce is 1.2", "value"),
    (pair("p", "ground", "box 0 surface", friction=-1.0), "friction is -1", "value"),
]


@pytest.mark.parametrize(("wrong", "words", "code"), WRONG, ids=[words for _, words, _ in WRONG])
def test_what_is_wrong_is_said_once_and_by_name(wrong, words, code):
    (problem,) = find_problems(paired(wrong))
    assert "p" in str(problem.element)
    assert words in str(problem)
    assert problem.code == code


@pytest.mark.parametrize("whole_groups", [False, True])
def test_two_pairs_about_the_same_are_refused(whole_groups):
    again = dataclasses.replace(ON_ICE, name="again", first=ON_ICE.second, second=ON_ICE.first)
    both = [dataclasses.replace(each, whole_groups=whole_groups) for each in (ON_ICE, again)]
    (problem,) = find_problems(paired(*both))
    assert problem.code == "same_pair"
    assert "'on ice'" in str(problem)
    assert not find_problems(paired(both[0], dataclasses.replace(both[1], whole_groups=not whole_groups)))
