# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmarks' verdicts rest on: the mechanisms and the references. No peer is needed."""

from __future__ import annotations

import json
import math

import mpmath
import numpy as np
import pytest
from benchmarks import extended_precision as extended
from benchmarks import pendulum_reference
from benchmarks.mechanisms import (
    GRAVITY,
    REVOLUTE,
    SPHERICAL,
    Y,
    at_rest,
    binary_tree,
    chain,
    hanging,
    matrix,
    planar_chain,
    quaternion,
    random_motion,
)
from benchmarks.peers.with_redmax import NumpyMachine, build

MECHANISMS = [chain(7), chain(6, SPHERICAL), binary_tree(3)]


def rotations(motion):
    return np.array([extended.rotation_from_vector(vector) for vector in motion.rotation])


def relative(got, expected):
    return float(np.abs(got - expected).max() / np.abs(expected).max())


# Mechanisms


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_parents_come_before_children_and_hinges_turn_about_their_axes(mechanism):
    motion = random_motion(mechanism)
    for i, link in enumerate(mechanism.links):
        assert -1 <= link.parent < i
        if link.joint == REVOLUTE:
            for vector in (motion.rotation[i], motion.spin[i]):
                assert np.array_equal(vector, (vector @ link.axis) * np.array(link.axis))
                assert vector.any()


def test_a_binary_tree_of_five_levels_has_31_links_of_which_each_carries_two():
    parents = [link.parent for link in binary_tree().links]
    assert len(parents) == 31
    assert [parents.count(i) for i in range(15)] == [2] * 15


def test_a_hanging_chain_points_down_beside_the_vertical():
    motion = hanging(chain(4), aside=0.3, bend=0.01)
    down = matrix(motion.rotation[0]) @ (1.0, 0.0, 0.0)
    assert np.allclose(down, [math.sin(0.3), 0.0, -math.cos(0.3)], atol=1e-15)
    assert not motion.spin.any()


def test_quaternion_and_matrix_are_those_of_the_rotation_vector():
    vector = np.array([0.3, -0.7, 0.2])
    assert relative(matrix(vector), extended.rotation_from_vector(vector)) < 1e-15
    assert (
        relative(extended.rotation_from_quaternion(quaternion(vector)), extended.rotation_from_vector(vector)) < 1e-15
    )
    assert np.array_equal(quaternion(np.zeros(3)), [1, 0, 0, 0])


# The reference of accuracy


def test_a_single_link_swings_as_the_textbook_says():
    mechanism = chain(1)
    link = mechanism.links[0]
    motion = at_rest(mechanism, 0.4)
    about_the_hinge = link.inertia[1] + link.mass * link.center[0] ** 2
    expected = link.mass * GRAVITY * link.center[0] * math.cos(0.4) / about_the_hinge
    got = extended.joint_accelerations(mechanism, rotations(motion), motion.spin)
    assert np.abs(got - expected * np.array(Y)).max() < 1e-13 * expected


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_recursion_and_projection_agree_though_they_share_no_formula(mechanism):
    motion = random_motion(mechanism, speed=3.0)
    R = rotations(motion)
    got = extended.joint_accelerations(mechanism, R, motion.spin)
    # Projection loses the condition of the mass matrix, about 1e4 here.
    assert relative(extended.by_projection(mechanism, R, motion.spin), got) < 1e-15


@pytest.mark.parametrize("bend", [0.8, 1e-3])
def test_80_bits_suffice_for_long_spherical_chains(bend):
    """Against 40 digits, from the same 80-bit rotations: the limit that is judged by this is 1e-12."""
    mechanism = chain(100, SPHERICAL)
    motion = random_motion(mechanism, bend=bend)
    R = rotations(motion)
    got = extended.joint_accelerations(mechanism, R, motion.spin)
    with mpmath.workdps(40):
        expected = extended.joint_accelerations(mechanism, exactly(R), motion.spin)
        assert relative(exactly(got), expected) < 1e-17


def exactly(values):
    """80-bit numbers as mpmath's, which would otherwise be rounded to double on the way."""
    high = values.astype(np.float64)
    low = (values - high).astype(np.float64)
    parts = zip(high.flat, low.flat, strict=True)
    return np.array([mpmath.mpf(a) + mpmath.mpf(b) for a, b in parts], object).reshape(values.shape)


@pytest.mark.parametrize("angle", [1e-9, 0.0499, 0.0501, 1.0, 3.0])
def test_spin_is_what_the_rotation_does(angle):
    """R^T dR/dt by central differences, on both sides of the series' threshold."""
    vector = angle * np.array([2, -1, 2], np.longdouble) / 3
    rates, h = np.array([0.3, 0.5, -0.7], np.longdouble), np.longdouble(1e-6)
    after, before = (extended.rotation_from_vector(vector + s * h * rates) for s in (1, -1))
    K = extended.rotation_from_vector(vector).T @ (after - before) / (2 * h)
    got = extended.spin_from_rates(vector, rates)
    assert np.abs(got - [K[2, 1], K[0, 2], K[1, 0]]).max() < 1e-11


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
@pytest.mark.parametrize("machine", [build, NumpyMachine], ids=["own route", "numpy"])
def test_our_engine_builds_the_mechanism_that_the_reference_moves(mechanism, machine):
    motion = random_motion(mechanism)
    ours = machine(mechanism)
    ours.set_motion(motion)
    expected = extended.joint_accelerations(mechanism, rotations(motion), motion.spin)
    assert relative(ours.joint_accelerations(), expected) < 1e-13


def test_a_simulation_of_ours_gives_the_places_of_the_links():
    mechanism = chain(3)
    ours = build(mechanism)
    ours.set_motion(at_rest(mechanism, math.pi / 2.0))  # hangs straight down and stays
    places = ours.simulate(1.0 / 240.0, 2)
    assert places.shape == (2, 3, 3)
    assert np.allclose(places, [[[0.0, 0.0, -0.1 * i] for i in range(3)]] * 2, atol=1e-12)


# The reference of integrators


def test_the_lagrangian_of_the_pendulum_and_the_recursion_agree():
    mechanism = planar_chain(5)
    motion = random_motion(mechanism, speed=4.0)
    y = np.cumsum(np.array([motion.rotation[:, 1], motion.spin[:, 1]]), axis=1).astype(np.longdouble).ravel()
    bend = np.diff(pendulum_reference.Pendulum(mechanism).slope(y)[5:], prepend=0)
    expected = extended.joint_accelerations(mechanism, rotations(motion), motion.spin)
    assert relative(bend, expected[:, 1]) < 1e-15


def test_only_planar_chains_are_pendulums():
    with pytest.raises(ValueError, match="turn about y"):
        pendulum_reference.Pendulum(chain(3))


def test_extrapolation_has_its_order_and_keeps_the_energy(tmp_path):
    mechanism = planar_chain(3)
    motion = at_rest(mechanism, 0.0)
    fine = pendulum_reference.computed(mechanism, motion, 0.1, 16)[0]
    errors = [np.abs(pendulum_reference.computed(mechanism, motion, 0.1, n)[0] - fine).max() for n in (1, 2)]
    assert errors[0] / errors[1] > 2**16, "order 20, less what comes before the asymptotic range"
    q, v, change = pendulum_reference.reference(mechanism, motion, 0.1, 16, tmp_path)
    assert change < 1e-14
    links, angle, rate = mechanism.links, np.cumsum(q), np.cumsum(v)
    end, speed, energy = np.zeros(2), np.zeros(2), 0.0
    for link, a, w in zip(links, angle, rate, strict=True):
        along, across = np.array([math.cos(a), -math.sin(a)]), np.array([-math.sin(a), -math.cos(a)])
        center, velocity = end + link.center[0] * along, speed + link.center[0] * w * across
        energy += link.mass * GRAVITY * center[1] + 0.5 * link.mass * velocity @ velocity + 0.5 * link.inertia[1] * w**2
        end, speed = end + links[1].offset[0] * along, speed + links[1].offset[0] * w * across
    assert abs(energy) < 1e-15, "it was let go level, where the energy is zero"


def test_a_reference_is_read_again_and_belongs_to_one_motion(tmp_path):
    mechanism = planar_chain(2)
    first = pendulum_reference.reference(mechanism, at_rest(mechanism, 0.1), 0.1, 4, tmp_path)
    (file,) = tmp_path.iterdir()
    marked = json.loads(file.read_text())
    marked[2] = 7.0
    file.write_text(json.dumps(marked))
    assert pendulum_reference.reference(mechanism, at_rest(mechanism, 0.1), 0.1, 4, tmp_path)[2] == 7.0
    other = pendulum_reference.reference(mechanism, at_rest(mechanism, 0.2), 0.1, 4, tmp_path)
    assert other[2] != 7.0
    assert not np.array_equal(other[0], first[0])
