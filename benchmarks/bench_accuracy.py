# SPDX-License-Identifier: GPL-3.0-or-later
"""Digits of the accelerations of long chains: ours, pinocchio's, MuJoCo's and DART's against 80-bit arithmetic.

The reference starts from the very numbers each engine is given (rotation vectors or quaternions, its own velocities),
so that the rounding of inputs is not held against anyone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import extended_precision as extended
from .measure import Options, Row
from .mechanisms import REVOLUTE, SPHERICAL, Mechanism, chain, columns, random_motion
from .peers import machines, ours
from .peers.base import Machine

LIMIT = 1e-12
LINKS = 100
NEARLY_STRAIGHT = 1e-3
"""Largest angle [rad] of a nearly straight chain."""
PEERS = ("pinocchio", "pinocchio_world", "mujoco", "dart")
Given = tuple[np.ndarray, np.ndarray]
"""Rotations (n, 3, 3) and angular velocities (n, 3) of the joints in extended precision."""


def run(options: Options) -> list[Row]:
    if np.finfo(np.longdouble).eps > 1e-18:
        options.skip("accuracy: this machine's longdouble has no more digits than double")
        return []
    options.note(
        "Accuracy: largest error of an acceleration relative to the largest acceleration, worst of "
        f"{poses(options)} poses; 'theirs' is the peer's error. Chains of {LINKS} links; random poses within 0.8 rad, "
        f"nearly straight ones within {NEARLY_STRAIGHT:g} rad. pinocchio does not keep articulated inertias symmetric "
        "and loses all digits on long spherical chains."
    )
    rows: list[Row] = []
    for mechanism in (chain(LINKS), chain(LINKS, SPHERICAL)):
        for pose, bend in (("random", 0.8), ("nearly straight", NEARLY_STRAIGHT)):
            case = f"{mechanism.name}, {pose}"
            errors = worst_errors(options, mechanism, bend)
            mine = errors.pop(ours().NAME)
            rows.append(Row("accuracy", case, mine, "relative", limit=LIMIT))
            rows += [Row("accuracy", case, mine, "relative", peer, error) for peer, error in errors.items()]
            others = ", ".join(f"{name} {value:.1e}" for name, value in errors.items())
            print(f"  {case}: ours {mine:.1e}, {others}", flush=True)
    return rows


def poses(options: Options) -> int:
    return 2 if options.quick else 10


def worst_errors(options: Options, mechanism: Mechanism, bend: float) -> dict[str, float]:
    """The largest error of each engine over several motions."""
    made: dict[str, Machine] = {ours().NAME: ours().build(mechanism), **machines(options, mechanism, PEERS)}
    worst = dict.fromkeys(made, 0.0)
    for seed in range(poses(options)):
        motion = random_motion(mechanism, bend=bend, seed=seed)
        exact: dict[Callable[[Machine], Given], np.ndarray] = {}
        for name, machine in made.items():
            machine.set_motion(motion)
            given = GIVEN[name]
            if given not in exact:
                exact[given] = extended.joint_accelerations(mechanism, *given(machine))
            worst[name] = max(worst[name], error_of(machine.joint_accelerations(), exact[given]))
    return worst


def error_of(got: np.ndarray, reference: np.ndarray) -> float:
    return float(np.abs(got - reference).max() / np.abs(reference).max())


def rotation_vectors_and_rates(machine: Machine) -> Given:
    """What our engine is given: rotation vectors and their rates."""
    R, spin = [], []
    for i, link in enumerate(machine.mechanism.links):
        k = machine.model.columns(machine.index[i])
        q, qdot = machine.q[k], machine.qdot[k]
        if link.joint == REVOLUTE:
            R.append(extended.rotation_from_vector(q[0] * np.array(link.axis)))
            spin.append(np.asarray(qdot[0] * np.array(link.axis), np.longdouble))
        else:
            R.append(extended.rotation_from_vector(q))
            spin.append(extended.spin_from_rates(q, qdot))
    return np.array(R), np.array(spin)


def rotation_vectors(machine: Machine) -> Given:
    """What DART is given: rotation vectors and angular velocities."""
    R, spin = [], []
    for i, link in enumerate(machine.mechanism.links):
        k = machine.index[i]
        if link.joint == REVOLUTE:
            q, v = machine.q[k] * np.array(link.axis), machine.v[k] * np.array(link.axis)
        else:
            q, v = machine.q[k : k + 3], machine.v[k : k + 3]
        R.append(extended.rotation_from_vector(q))
        spin.append(np.asarray(v, np.longdouble))
    return np.array(R), np.array(spin)


def quaternions(machine: Machine) -> Given:
    """What pinocchio (scalar last) and MuJoCo (scalar first) are given, for chains, which all engines order alike."""
    R, spin = [], []
    scalar_last = "pinocchio" in type(machine).__module__
    start = 0
    for _, link, k in columns(machine.mechanism):
        if link.joint == REVOLUTE:
            R.append(extended.rotation_from_vector(machine.q[start] * np.array(link.axis)))
            spin.append(np.asarray(machine.v[k] * np.array(link.axis), np.longdouble))
            start += 1
        else:
            q = machine.q[start : start + 4]
            R.append(extended.rotation_from_quaternion(np.roll(q, 1) if scalar_last else q))
            spin.append(np.asarray(machine.v[k], np.longdouble))
            start += 4
    return np.array(R), np.array(spin)


GIVEN: dict[str, Callable[[Machine], Given]] = {
    "RedMax": rotation_vectors_and_rates,
    "DART": rotation_vectors,
    "pinocchio": quaternions,
    "pinocchio (world)": quaternions,
    "MuJoCo": quaternions,
}
