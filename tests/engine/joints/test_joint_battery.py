# SPDX-License-Identifier: GPL-3.0-or-later
"""Every registered joint kind against the joint contract."""

from __future__ import annotations

import joint_battery
import numpy as np
import pytest

from engine.spline_examples import paths
from redmax.joints import JOINTS

CASES = dict(joint_battery.cases())


@pytest.mark.parametrize("check", joint_battery.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("title", CASES)
def test_joint(title, check):
    check(CASES[title])


FIRST_KINDS = (
    *("fixed", "revolute", "prismatic", "planar", "translational", "universal", "spherical", "spherical_euler", "free"),
    *("free_translation_rotation", "free_translation_euler", "free_2d", "screw", "composite"),
)
"""Kinds of the first version, for which scenes and .blend files were written."""


@pytest.mark.parametrize("title", [title for title, joint in CASES.items() if joint.kind in FIRST_KINDS])
def test_frames_of_the_first_kinds_coincide_at_q_zero(title):
    """Any later kind may have another Q(0)."""
    if list(paths(CASES[title])):
        return  # a composite with a part of a later kind
    zero = np.zeros(CASES[title].ndof)
    np.testing.assert_array_equal(CASES[title].motion(zero, zero).Q, np.eye(4))


def test_labels_are_all_different():
    labels = [cls.label for cls in JOINTS]
    assert len(set(labels)) == len(labels)


def test_a_kind_that_needs_parameters_needs_an_example(monkeypatch):
    monkeypatch.delitem(joint_battery.EXAMPLES, "screw")
    with pytest.raises(AssertionError, match="'screw' needs an example with pitch"):
        joint_battery.examples(JOINTS["screw"])
