# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract in full: an array of its own, Q(0) other than the identity, coordinates without a unit."""

from __future__ import annotations

import joint_battery
import numpy as np
import pytest

from engine.joints.patch_joint import Patch, registered


@pytest.fixture(autouse=True)
def patch():
    with registered():
        yield


@pytest.mark.parametrize("check", joint_battery.CHECKS, ids=lambda check: check.__name__)
def test_the_whole_battery_holds(check):
    check(Patch.part())
    check(Patch.part(corners=((0.0, 0.0, 0.0), (0.5, 0.1, 0.0), (0.1, 0.6, 0.0), (0.7, 0.8, 0.3))))


def test_the_joint_does_not_stand_at_its_frame_at_q_zero():
    Q = Patch.part().motion(np.zeros(2), np.zeros(2)).Q
    assert np.abs(Q - np.eye(4)).max() > 0.3
