# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forward dynamics against 80-bit arithmetic: long chains of thin links keep all their digits."""

from __future__ import annotations

import pytest

pytest.importorskip("numba")
from benchmarks.bench_accuracy import error_of, rotation_vectors_and_rates
from benchmarks.extended_precision import DIGITS, joint_accelerations
from benchmarks.mechanisms import REVOLUTE, SPHERICAL, chain, planar_chain, random_motion
from benchmarks.peers import with_redmax

pytestmark = pytest.mark.skipif(DIGITS > 1e-18, reason="no 80-bit numbers on this machine")


@pytest.mark.parametrize("bend", [0.8, 1e-3, 1e-6])
@pytest.mark.parametrize("joint", [REVOLUTE, SPHERICAL])
def test_a_hundred_links_keep_their_digits(joint, bend):
    keeps_digits(chain(100, joint), bend)


@pytest.mark.parametrize("bend", [0.8, 1e-3, 1e-6])
def test_a_hundred_parallel_hinges_keep_their_digits(bend):
    keeps_digits(planar_chain(100), bend)


def keeps_digits(mechanism, bend):
    machine = with_redmax.CompiledMachine(mechanism)
    machine.set_motion(random_motion(mechanism, bend=bend))
    expected = joint_accelerations(mechanism, *rotation_vectors_and_rates(machine))
    assert error_of(machine.joint_accelerations(), expected) < 2e-14
