# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything the vectorised route gives, beside what the readable one gives."""

from __future__ import annotations

import numpy as np

from engine.dynamics import oracles
from redmax import vectorised
from redmax.arrays import Array, IntArray
from redmax.dynamics import kinematics, loads, powers, recursive
from redmax.model import Model
from redmax.reference import linearised, projected

EPS = float(np.finfo(np.float64).eps)
# Poses, twists and forces of up to 30 bodies: sums of as many terms (largest seen on 400 trees: 40 roundings).
ROUNDINGS = 500 * EPS


def assert_same_fields(found: object, expected: object, relative: float) -> None:
    """Same class, and every array field within `relative` of the largest number in it (or of 1)."""
    assert type(found) is type(expected)
    for name, value in vars(expected).items():
        assert getattr(found, name).shape == value.shape, name
        assert getattr(found, name).dtype == value.dtype, name
        oracles.assert_close(getattr(found, name), value, relative)


def condition(model: Model, kin: kinematics.Kinematics) -> float:
    """Condition number of the mass matrix of the free coordinates, scaled to a unit diagonal."""
    free = ~model.prescribed
    M = projected.mass_matrix(model, kin)[np.ix_(free, free)]
    if not M.size:
        return 1.0
    scale = 1.0 / np.sqrt(np.diag(M))
    return float(np.linalg.cond(scale[:, None] * M * scale))


def assert_routes_agree(
    rng: np.random.Generator, model: Model, q: Array, qdot: Array, chart: IntArray | None = None, t: float = 0.3
) -> None:
    """Kinematics, loads, inverse and forward dynamics, powers and the linearised system of one state."""
    kin, kin_v = kinematics.kinematics(model, q, qdot, chart), vectorised.kinematics(model, q, qdot, chart)
    assert_same_fields(kin_v, kin, ROUNDINGS)
    load = loads.loads(model, kin, t)
    assert_same_fields(vectorised.loads(model, kin_v, t), load, ROUNDINGS)

    qddot = rng.uniform(-2.0, 2.0, model.dof_count)
    inverse = recursive.inverse_dynamics(model, kin, load, qddot)
    forward = recursive.forward_dynamics(model, kin, load, qddot)
    # Both routes are this far from the truth: roundings of the inputs, amplified by the mass matrix.
    solved = ROUNDINGS * max(1.0, 0.1 * condition(model, kin))
    for state in (kin_v, kin):  # its own kinematics, and the readable one's
        assert_same_fields(vectorised.inverse_dynamics(model, state, load, qddot), inverse, ROUNDINGS)
        found = vectorised.forward_dynamics(model, state, load, qddot)
        assert_same_fields(found, forward, solved)
        free, given = ~model.prescribed, model.prescribed
        assert np.array_equal(found.tau[free], load.f_r[free])
        assert np.array_equal(found.qddot[given], qddot[given])
        only = vectorised.joint_accelerations(model, state, load, qddot)
        assert np.array_equal(only, found.qddot)

    fused = vectorised.accelerations(model, q, qdot, kin.chart, t, qddot)
    oracles.assert_close(fused, forward.qddot, solved)
    with_powers, found_powers = vectorised.accelerations_and_powers(model, q, qdot, kin.chart, t, qddot)
    assert np.array_equal(with_powers, fused)
    expected_powers = powers.powers(model, kin, load, forward.tau, t)
    terms = max(1.0, float(np.abs(forward.tau * qdot).sum() + np.abs(expected_powers).sum()))
    oracles.assert_close(found_powers / terms, expected_powers / terms, solved)
    linear = vectorised.linear_system(model, kin_v, vectorised.loads(model, kin_v, t), t)
    readable = linearised.linear_system(model, kin, load, t)
    for part, expected in zip(vars(linear).values(), vars(readable).values(), strict=True):
        assert part.shape == expected.shape
        oracles.assert_close(part, expected, ROUNDINGS)
