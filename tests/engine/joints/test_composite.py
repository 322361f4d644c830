# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite joints: they are the joints they imitate, nest in any way, and say what is wrong with their parts."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from redmax import io
from redmax.check import find_problems
from redmax.errors import SceneError
from redmax.geometry.solids import Box
from redmax.joints import (
    Composite,
    Fixed,
    Free,
    Free2D,
    FreeTranslationEuler,
    FreeTranslationRotation,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalEuler,
    Translational,
    Universal,
)

X, Y, Z = np.eye(3).tolist()
ROUND_OFF = 1e-13  # the same numbers through different products of matrices with entries up to 10


def composite(*parts):
    return Composite.part(parts=parts)


def assert_same_motion(a, b, chart_a=0, chart_b=0):
    rng = np.random.default_rng(40)
    assert a.ndof == b.ndof
    for scale in (0.0, 1e-7, 1.0, 2.0):
        q, qdot = scale * rng.standard_normal(a.ndof), rng.standard_normal(a.ndof)
        for x, y in zip(a.motion(q, qdot, chart_a), b.motion(q, qdot, chart_b), strict=True):
            np.testing.assert_allclose(x, y, atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ((Revolute.part(axis=X), Revolute.part(axis=Y)), Universal.part()),
        ((Prismatic.part(axis=X), Prismatic.part(axis=Y)), Planar.part()),
        ((Planar.part(), Prismatic.part(axis=Z)), Translational.part()),
        ((Planar.part(), Revolute.part(axis=Z)), Free2D.part()),
        ((Spherical.part(), Translational.part()), Free.part()),
        ((Translational.part(), Spherical.part()), FreeTranslationRotation.part()),
        ((Translational.part(), SphericalEuler.part(sequence="yxy")), FreeTranslationEuler.part(sequence="yxy")),
        ((Revolute.part(axis=Z), Revolute.part(axis=X), Revolute.part(axis=Y)), SphericalEuler.part(sequence="zxy")),
        ((Fixed.part(), Screw.part(pitch=0.3), Fixed.part()), Screw.part(pitch=0.3)),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_composite_of_its_parts_is_the_joint(parts, whole):
    assert_same_motion(composite(*parts), whole)


def test_nesting_is_associative():
    a, b, c = Spherical.part(), Prismatic.part(axis=(1.0, 2.0, -1.0)), Universal.part()
    flat = composite(a, b, c)
    assert_same_motion(composite(composite(a, b), c), flat)
    assert_same_motion(composite(a, composite(b, c)), flat)
    assert_same_motion(composite(composite(composite(a), b), composite(c)), flat)


def test_a_single_part_and_no_part_are_what_they_say():
    assert_same_motion(composite(Universal.part()), Universal.part())
    assert_same_motion(composite(), Fixed.part())


def test_coordinates_are_named_after_their_part():
    joint = composite(Revolute.part(), composite(Prismatic.part(), Revolute.part()))
    assert joint.dof_names == ("1.angle", "2.1.distance", "2.2.angle")
    assert joint.dof_units == ("rad", "m", "rad")


def test_charts_of_the_parts_are_kept_apart():
    first, second = SphericalEuler.part(sequence="xyz"), SphericalEuler.part(sequence="zxz")
    joint = composite(first, composite(Fixed.part(), second))
    assert joint.chart_count == 13 * 13
    rng = np.random.default_rng(41)
    q, qdot = rng.standard_normal(6), rng.standard_normal(6)
    for one, two in ((0, 0), (3, 0), (0, 7), (12, 12)):
        Q, S, _ = joint.motion(q, qdot, one + 13 * two)
        np.testing.assert_allclose(
            Q, first.motion(q[:3], qdot[:3], one).Q @ second.motion(q[3:], qdot[3:], two).Q, atol=ROUND_OFF
        )
        np.testing.assert_array_equal(S[:, 3:], second.motion(q[3:], qdot[3:], two).S)


def test_only_the_part_near_its_singularity_is_recentred():
    joint = composite(SphericalEuler.part(), Prismatic.part(), SphericalEuler.part(sequence="zxz"))
    q, qdot = np.array([0.1, 0.2, 0.3, 0.5, 0.4, 0.01, 0.6]), np.arange(7.0)
    q1, qdot1, chart = joint.recentre(q, qdot)
    np.testing.assert_array_equal(q1[:4], q[:4])
    np.testing.assert_array_equal(qdot1[:4], qdot[:4])
    assert chart % 13 == 0
    assert chart // 13 > 0


def scene_text(joint):
    body = {"name": "body", "shapes": [{"kind": "box", "size": [0.1, 0.2, 0.3], "density": 500.0}]}
    placed = {"name": "arm", "parent": None, "child": "body"} | joint
    return json.dumps({"format": "redmax-scene", "version": 1, "bodies": [body], "joints": [placed]})


def problems_of(joint):
    return [str(problem) for problem in io.read(scene_text(joint))[1]]


def test_json_is_as_simple_as_it_looks():
    joint = {
        "kind": "composite",
        "parts": [{"kind": "revolute", "axis": [1.0, 0.0, 0.0]}, {"kind": "prismatic", "axis": [1.0, 0.0, 0.0]}],
        "q": [0.1, 0.0],
    }
    scene = io.loads(scene_text(joint))
    assert scene.joints[0].parts == (
        Revolute.part(axis=(1.0, 0.0, 0.0)),
        Prismatic.part(axis=(1.0, 0.0, 0.0)),
    )
    written = json.loads(io.dumps(scene))["joints"][0]
    assert written["parts"] == joint["parts"]
    assert isinstance(scene.bodies[0].shapes[0], Box)


PART = {"kind": "revolute"}


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ({"parts": []}, "joint 'arm': has no parts"),
        ({}, "joint 'arm': has no parts"),
        ({"parts": 5}, "joint 'arm': parts is 5; give a list of objects with a kind"),
        ({"parts": [5]}, "joint 'arm', parts[0]: is not an object"),
        ({"parts": [{"axis": [0, 0, 1]}]}, "joint 'arm', parts[0]: has no kind"),
        ({"parts": [PART, {"kind": "revolut"}]}, "parts[1]: has the unknown kind 'revolut'; did you mean 'revolute'?"),
        ({"parts": [PART | {"name": "n"}]}, "joint 'arm', parts[0]: has an unknown field 'name'; known fields: axis"),
        ({"parts": [PART | {"stiffness": 1.0}]}, "joint 'arm', parts[0]: has an unknown field 'stiffness'"),
        ({"parts": [PART | {"axis": [0, 0, 0]}]}, "joint 'arm', parts[0]: axis is zero"),
        ({"parts": [{"kind": "screw"}]}, "joint 'arm', parts[0]: pitch is missing"),
        (
            {"parts": [{"kind": "composite", "parts": [PART | {"axis": 1}]}]},
            "joint 'arm', parts[0], parts[0]: axis is 1",
        ),
        ({"parts": [{"kind": "free"}, PART]}, "joint 'arm': has 7 degrees of freedom; a body has 6"),
        ({"parts": [PART, PART]}, "joint 'arm': has parts that repeat each other's motion"),
        (
            {"parts": [PART, {"kind": "universal"}], "q": [0.0, 1.0]},
            "joint 'arm': q has shape 2; give 3 finite numbers",
        ),
    ],
)
def test_a_wrong_part_is_named(joint, message):
    problems = problems_of({"kind": "composite"} | joint)
    assert len(problems) == 1
    assert message in problems[0]


def test_a_part_made_in_python_must_not_set_what_belongs_to_the_whole():
    part = Revolute(name="pin", parent=None, child="", stiffness=(2.0,))
    joint = Composite(name="arm", parent=None, child="body", parts=(part,))
    assert [what for what, _ in joint.problems()] == ["parts[0] sets name", "parts[0] sets stiffness"]
    joint = Composite(name="arm", parent=None, child="body", parts=(Box(size=(1.0, 1.0, 1.0), density=1.0),))
    assert joint.ndof == 0
    assert [what for what, _ in joint.problems()] == ["parts[0] is a Box"]


def test_absurd_nesting_is_a_problem_and_not_a_crash():
    text = '{"kind": "composite", "parts": [' * 400 + '{"kind": "revolute"}' + "]}" * 400
    scene = scene_text({"kind": "composite"}).replace('"kind": "composite"', f'"kind": "composite", "parts": [{text}]')
    assert "nested too deeply" in str(io.read(scene)[1][0])


@pytest.mark.parametrize(("deep", "sound"), [(7, True), (8, False), (100, False), (5000, False)])
def test_deep_nesting_is_refused_at_once(deep, sound):
    """Its cost would grow with the third power of the depth."""
    joint = Revolute.part()
    for _ in range(deep):
        joint = composite(joint)
    joint = Composite(name="arm", parent=None, child="body", parts=(joint,))
    scene = io.loads(scene_text({"kind": "revolute"}))
    scene.joints[:] = [joint]
    begun = time.process_time()
    found = find_problems(scene)
    assert time.process_time() - begun < 0.2
    assert (not found) is sound
    if deep < 200 and not sound:
        assert str(found[0]).startswith("joint 'arm', parts[0]")
        assert "is nested more than 8 deep; list the innermost parts" in str(found[0])
    elif not sound:
        assert "nested too deeply" in str(found[0])
        with pytest.raises(SceneError, match="nested too deeply"):
            io.dumps(scene)
