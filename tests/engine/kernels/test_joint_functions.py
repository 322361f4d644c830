# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints' own functions, compiled: the same numbers as the plain text gives, for every kind and every chart."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from redmax.joints import Joint, Spherical
from redmax.joints.special import Form, special_form
from redmax.joints.trusted import evaluated_parts, trusted_primitives
from redmax.spatial import scalar

pytest.importorskip("numba")

from redmax.kernels.cache import same_text
from redmax.kernels.cache.jit import compiled
from redmax.kernels.joints import functions

sys.path.append(str(Path(__file__).parents[1] / "joints"))
import joint_battery

import own_joints

CASES = {title: joint for title, joint in joint_battery.cases() if not title.startswith("composite")}
CASES |= {"patch": own_joints.Patch.part(), "cam": own_joints.cam().part()}
ROUND_OFF = 1e-14  # products may be contracted; coordinates are up to 17 pi


@compiled
def evaluate(address, data, q, qdot, n, chart, result):
    functions.call_evaluate(
        address, data.ctypes.data, data.size, q.ctypes.data, qdot.ctypes.data, n, chart, result.ctypes.data
    )


@compiled
def recentre(address, data, q, qdot, n, chart):
    return functions.call_recentre(address, data.ctypes.data, data.size, q.ctypes.data, qdot.ctypes.data, n, chart)


@compiled
def rewrite(address, data, q, qdot, n, chart, chart_like, like):
    functions.call_rewrite(
        address, data.ctypes.data, data.size, q.ctypes.data, qdot.ctypes.data, n, chart, chart_like, like.ctypes.data
    )


def evaluated(joint: Joint, q: np.ndarray, qdot: np.ndarray, chart: int) -> tuple[np.ndarray, ...]:
    n, pose = joint.ndof, functions.POSE
    result = np.full(pose + 2 * functions.COLUMN * n, np.nan)
    address = functions.Functions(joint).addresses()[0]
    evaluate(address, joint.packed_data.copy(), q.copy(), qdot.copy(), n, chart, result)
    S, Sdot = result[pose:].reshape(2, 6, n)
    return result[:pose].reshape(4, 4), S, Sdot


@pytest.mark.parametrize("title", CASES)
def test_compiled_and_plain_text_agree(title):
    joint = CASES[title]
    for q, qdot, chart in joint_battery.coordinates(joint, joint_battery.ANGLES + joint_battery.TURNS):
        for found, expected in zip(evaluated(joint, q, qdot, chart), joint.motion(q, qdot, chart), strict=True):
            np.testing.assert_allclose(
                found, expected, rtol=ROUND_OFF, atol=ROUND_OFF * (1.0 + np.abs(q).max(initial=0))
            )


@pytest.mark.parametrize("title", [title for title, joint in CASES.items() if joint.has_singularity])
def test_compiled_recentring_and_rewriting_agree_with_the_plain_text(title):
    joint = CASES[title]
    _, recentring, rewriting = functions.Functions(joint).addresses()
    data, n = joint.packed_data.copy(), joint.ndof
    changed = 0
    for q, qdot, chart in joint_battery.coordinates(joint, joint_battery.ANGLES + joint_battery.TURNS):
        q1, qdot1, chart1 = joint.recentre(q, qdot, chart)
        q2, qdot2 = q.copy(), qdot.copy()
        chart2 = recentre(recentring, data, q2, qdot2, n, chart)
        assert (chart2 < 0) == (q1 is q)
        assert chart2 in (-1, chart1)
        np.testing.assert_allclose(q2, q1, rtol=0, atol=1e-12)
        np.testing.assert_allclose(qdot2, qdot1, rtol=0, atol=1e-12)
        changed += chart2 >= 0
        q3, qdot3 = q1.copy(), qdot1.copy()
        rewrite(rewriting, data, q3, qdot3, n, chart1, chart, q)
        q4, qdot4 = joint.rewrite(q1, qdot1, chart1, chart_like=chart, q_like=q)
        np.testing.assert_allclose(q3, q4, rtol=0, atol=1e-9)  # near gimbal lock single angles are noise
        found, expected = joint.motion(q3, qdot3, chart), joint.motion(q4, qdot4, chart)
        np.testing.assert_allclose(found.Q, expected.Q, atol=1e-12)
    assert changed > 0


def test_functions_of_one_kind_are_compiled_once():
    first, second = (functions.Functions(CASES[title]).addresses() for title in ("revolute-0", "revolute-1"))
    assert first == second


def test_a_subclass_that_moves_otherwise_is_not_computed_by_its_parents_function():
    class Backwards(type(CASES["revolute-0"])):
        def motion(self, q, qdot, chart=0):
            return super().motion(-q, -qdot, chart)

    assert evaluated_parts(CASES["revolute-0"]) is not None
    assert evaluated_parts(Backwards.part()) is None


def test_a_joint_that_lacks_a_function_for_its_singularity_is_left_to_python():
    """Kernels call what is there; nothing else may be at address 0."""

    class OnlyRecentred(Spherical):
        rewrite_in_place = None

    class RecentredInPython(type(CASES["revolute-0"])):
        def recentre(self, q, qdot, chart=0):
            return q, qdot, chart

    assert evaluated_parts(Spherical.part()) is not None
    assert evaluated_parts(OnlyRecentred.part()) is None
    assert evaluated_parts(RecentredInPython.part()) is None


def test_other_data_make_another_motion():
    """A hinge that turns about another axis than its field says must not be taken for a hinge about that axis."""

    class Turned(type(CASES["revolute-0"])):
        def data(self):
            return (1.0, 0.0, 0.0)

    assert trusted_primitives(CASES["revolute-0"]) is not None
    assert trusted_primitives(Turned.part()) is None
    assert special_form(Turned.part()).form == Form.GENERAL
    S = evaluated(Turned.part(), np.array([0.3]), np.array([1.0]), 0)[1]
    np.testing.assert_array_equal(S[:, 0], (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def test_only_functions_that_a_name_tells_apart_are_kept():
    def made(factor):
        def function(x):
            return factor * x

        return function

    assert same_text.is_known(Spherical.evaluate)
    assert same_text.is_known(scalar.product)
    assert not same_text.is_known(made(2.0))
    assert not same_text.is_known(own_joints.Patch.evaluate)
    inside = made(2.0)
    inside.__code__ = inside.__code__.replace(co_filename=Spherical.evaluate.__code__.co_filename)
    assert not same_text.is_known(inside)


def test_no_number_comes_out_where_python_raises():
    """`math` raises in Python what compiled code answers by NaN; a run must end alike on both routes."""

    class Rooted(type(CASES["revolute-0"])):
        @staticmethod
        def evaluate(data, q, qdot, chart, Q, S, Sdot):
            Q[2, 3] = math.sqrt(1.0 - q[0] * q[0])

    assert Rooted.part().motion(np.zeros(1), np.zeros(1)).Q[2, 3] == 1.0
    assert np.isnan(Rooted.part().motion(np.array([2.0]), np.zeros(1)).Q).all()


def test_a_function_that_is_no_static_method_is_refused_by_name():
    with pytest.raises(TypeError, match=r"Bound\.evaluate gets no self: make it a static method"):

        class Bound(Joint):
            def evaluate(self, q, qdot, chart, Q, S, Sdot):
                pass


def test_reading_beyond_the_data_names_the_kind():
    class Short(type(CASES["revolute-0"])):
        def data(self):
            return ()

    with pytest.raises(IndexError, match="joint kind 'revolute': evaluate reads beyond its 0 numbers of data"):
        Short.part().motion(np.zeros(1), np.zeros(1))
