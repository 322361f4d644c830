# SPDX-License-Identifier: GPL-3.0-or-later
"""Sign errors planted in the most dangerous lines, each caught by the oracle that is there to catch it.

A planted module is the engine's own source with one snippet replaced, written to a temporary file and imported. A
snippet that is no longer there fails the test, so the list cannot rot.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engine.dynamics import extended, oracles
from engine.random_trees import Situation, random_model, random_situation, situation
from redmax.dynamics import composite_body, energy, loads, recursive
from redmax.reference import projected, si_guenter
from redmax.spatial import adjoint

Plant = Callable[[ModuleType, str, str], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Plant:
    """Replaces a snippet that occurs once in a module's source, and the module's functions by the planted ones."""

    def planted(module: ModuleType, old: str, new: str) -> None:
        source = Path(module.__file__).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{module.__name__}: '{old}' occurs {source.count(old)} times"
        name = f"{module.__name__}_planted"
        path = tmp_path / f"{name}.py"
        path.write_text(source.replace(old, new), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        copy = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, copy)
        spec.loader.exec_module(copy)
        for key, value in vars(copy).items():
            if getattr(value, "__module__", None) == name:
                monkeypatch.setattr(module, key, value)

    return planted


def loaded_again(case: Situation) -> Situation:
    """The same situation with loads from the (planted) load code."""
    return case._replace(loads=loads.loads(case.model, case.kin, case.t))


def euler_lagrange() -> None:
    case = loaded_again(random_situation(0, 3, kinds=["revolute", "universal"], chain=True))
    oracles.assert_euler_lagrange(case, projected.forward_dynamics(*case[:4]))


def recursive_equals_projected() -> None:
    for seed in range(4):  # what is prescribed must carry something that is not
        case = random_situation(seed, 6, prescribed=0.4, roots=0.0)
        assert case.model.prescribed.any()
        oracles.assert_same_acceleration(case, recursive.forward_dynamics(*case[:4]).qddot)


def si_guenter_equals_projected() -> None:
    case = random_situation(0, 6, roots=0.0)
    oracles.assert_same_acceleration(case, si_guenter.forward_dynamics(*case[:3]))


def jacobian_rate_by_differences() -> None:
    oracles.assert_Jdot_is_the_derivative_of_J(random_situation(0, 4, roots=0.0))


def mass_matrices_agree() -> None:
    model, kin, *_ = random_situation(0, 6, roots=0.0)
    oracles.assert_close(composite_body.mass_matrix(model, kin), projected.mass_matrix(model, kin), 1e-12)


def inverse_dynamics_gives_back_tau() -> None:
    case = random_situation(0, 6, roots=0.0)
    forward = recursive.forward_dynamics(*case[:3])
    oracles.assert_close(recursive.inverse_dynamics(*case[:3], forward.qddot).tau, forward.tau, 1e-11)


def long_spherical_chain() -> None:
    rng = np.random.default_rng(10)
    case = situation(rng, random_model(rng, 60, kinds=["spherical"], chain=True))
    exact = extended.forward_dynamics(case.model, case.kin, case.loads)
    oracles.assert_close(recursive.forward_dynamics(*case[:3]).qddot, exact, 1e-10)


def momentum_is_the_moment_of_all_momenta() -> None:
    model, kin, *_ = random_situation(0, 4)
    R, x, phi = kin.E_wi[:, :3, :3], kin.E_wi[:, :3, 3], kin.phi
    spin = (R @ (model.inertia[:, :3] * phi[:, :3])[:, :, None])[:, :, 0]
    p = model.inertia[:, 3:] * (R @ phi[:, 3:, None])[:, :, 0]
    about = np.array([1.0, -2.0, 3.0])
    expected = (spin + np.cross(x - about, p)).sum(axis=0)
    oracles.assert_close(energy.angular_momentum(model, kin, about), expected, 1e-12)


MUTATIONS = {
    "gravity is not rotated into the body": (loads, "(R_iw @ model.gravity)", "model.gravity", euler_lagrange),
    "joint damping drives": (loads, "- model.damping * qdot", "+ model.damping * qdot", euler_lagrange),
    "Coriolis sign": (projected, "(adjoint.ad_dual(kin.phi) @", "-(adjoint.ad_dual(kin.phi) @", euler_lagrange),
    "quadratic velocity sign": (
        projected,
        "- model.inertia * Jdot_qdot",
        "+ model.inertia * Jdot_qdot",
        euler_lagrange,
    ),
    "relative adjoint rate, Jdot": (
        adjoint,
        "Ad_ip @ ad(phi_p) - ad(phi_i) @ Ad_ip\n",
        "ad(phi_i) @ Ad_ip - Ad_ip @ ad(phi_p)\n",
        jacobian_rate_by_differences,
    ),
    "relative adjoint rate, dynamics": (
        adjoint,
        "Ad_ip @ ad(phi_p) - ad(phi_i) @ Ad_ip\n",
        "ad(phi_i) @ Ad_ip - Ad_ip @ ad(phi_p)\n",
        euler_lagrange,
    ),
    "eta sign": (
        recursive,
        "adjoint.ad(kin.V[j]) @ kin.S",
        "-adjoint.ad(kin.V[j]) @ kin.S",
        recursive_equals_projected,
    ),
    "recursive Coriolis sign": (recursive, "gyroscopic = -(", "gyroscopic = +(", recursive_equals_projected),
    "prescribed acceleration forgotten": (
        recursive,
        "(eta[j] + S @ qddot[columns])",
        "eta[j]",
        recursive_equals_projected,
    ),
    "articulated inertia sign": (
        recursive,
        "Mhat[j] - U @ Psi[j] @ U.T",
        "Mhat[j] + U @ Psi[j] @ U.T",
        recursive_equals_projected,
    ),
    "articulated inertia not symmetrised": (recursive, "0.5 * (A + A.T)", "A", long_spherical_chain),
    "inverse dynamics, sign of the children": (
        recursive,
        "F[p] += Ad_jp[j].T @ F[j]",
        "F[p] -= Ad_jp[j].T @ F[j]",
        inverse_dynamics_gives_back_tau,
    ),
    "SG13 (30) as printed": (
        si_guenter,
        "Pi[k] = Ad_star[k] @ J_bar",
        "Pi[k] = Ad[k] @ J_bar",
        si_guenter_equals_projected,
    ),
    "SG13 (19) sign": (
        si_guenter,
        "-adjoint.ad(S_qdot) @ v[k]",
        "adjoint.ad(S_qdot) @ v[k]",
        si_guenter_equals_projected,
    ),
    "composite body, Ad for its transpose": (composite_body, "Ad_jp[k].T @ F", "Ad_jp[k] @ F", mass_matrices_agree),
    "moment of momentum sign": (
        energy,
        "h[:3] - np.cross",
        "h[:3] + np.cross",
        momentum_is_the_moment_of_all_momenta,
    ),
}


@pytest.mark.parametrize("oracle", sorted({m[3] for m in MUTATIONS.values()}, key=lambda f: f.__name__))
def test_without_an_error_every_oracle_is_content(oracle):
    oracle()


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_oracle_catches_the_planted_error(name, plant):
    module, old, new, oracle = MUTATIONS[name]
    plant(module, old, new)
    with pytest.raises(AssertionError, match=r"error .* allowed"):
        oracle()


def test_a_gyroscopic_sign_error_in_both_routes_is_seen_by_euler_lagrange_alone(plant):
    """It does no work and both routes agree on it: comparing routes and energies cannot find it."""
    plant(projected, "(adjoint.ad_dual(kin.phi) @", "-(adjoint.ad_dual(kin.phi) @")
    plant(recursive, "gyroscopic = -(", "gyroscopic = +(")
    case = random_situation(0, 3, kinds=["revolute", "universal"], chain=True)
    qddot = recursive.forward_dynamics(*case[:3]).qddot
    oracles.assert_same_acceleration(case, qddot)
    oracles.assert_power_balance(case, qddot, case.loads.f_r)
    with pytest.raises(AssertionError, match=r"error .* allowed"):
        oracles.assert_euler_lagrange(case, qddot)
