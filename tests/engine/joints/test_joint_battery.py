# SPDX-License-Identifier: GPL-3.0-or-later
"""Every registered joint kind against the joint contract."""

from __future__ import annotations

from pathlib import Path

import joint_battery
import pytest

import redmax.joints
from redmax.joints import JOINTS

CASES = dict(joint_battery.cases())
HELPERS = {"base", "closing", "euler_charts", "primitives", "rotation_vector", "trusted"}  # what several joints share


@pytest.mark.parametrize("check", joint_battery.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("title", CASES)
def test_joint(title, check):
    check(CASES[title])


def test_every_file_is_a_registered_joint():
    files = {path.stem for path in Path(redmax.joints.__file__).parent.glob("*.py")} - {"__init__"} - HELPERS
    assert files == set(JOINTS.kinds)


def test_labels_are_all_different():
    labels = [cls.label for cls in JOINTS]
    assert len(set(labels)) == len(labels)


def test_a_kind_that_needs_parameters_needs_an_example(monkeypatch):
    monkeypatch.delitem(joint_battery.EXAMPLES, "screw")
    with pytest.raises(AssertionError, match="'screw' needs an example with pitch"):
        joint_battery.examples(JOINTS["screw"])
