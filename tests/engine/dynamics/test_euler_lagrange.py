# SPDX-License-Identifier: GPL-3.0-or-later
"""Every route satisfies the Euler-Lagrange equations, whose terms come from differenced energies alone."""

from __future__ import annotations

import numpy as np
import pytest

from engine.dynamics import oracles
from engine.random_trees import Situation, random_situation
from redmax.arrays import Array
from redmax.dynamics import recursive
from redmax.joints import JOINTS
from redmax.reference import projected, si_guenter


def accelerations(case: Situation) -> tuple[Array, Array, Array]:
    """qddot of the projected, the recursive and Si and Guenter's route."""
    return (
        projected.forward_dynamics(*case[:4]),
        recursive.forward_dynamics(*case[:4]).qddot,
        si_guenter.forward_dynamics(*case[:4]),
    )


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_satisfy_euler_lagrange(seed):
    case = random_situation(seed, 4)
    oracles.assert_euler_lagrange(case, *accelerations(case))


def test_accelerations_satisfy_euler_lagrange_with_prescribed_joints():
    case = random_situation(20, 5, prescribed=0.5)
    assert case.model.prescribed.any()
    assert not case.model.prescribed.all()
    oracles.assert_euler_lagrange(case, *accelerations(case))


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_every_joint_kind_satisfies_euler_lagrange(kind):
    case = random_situation(13, 2, kinds=[kind], roots=0.0)
    oracles.assert_euler_lagrange(case, *accelerations(case))


def test_a_wrong_acceleration_is_noticed():
    case = random_situation(0, 3, kinds=["revolute"])
    qddot = projected.forward_dynamics(*case[:4])
    qddot[0] += 1e-4 * max(1.0, np.abs(qddot).max())
    with pytest.raises(AssertionError):
        oracles.assert_euler_lagrange(case, qddot)
