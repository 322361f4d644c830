# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in kernels agree with the readable ones: accelerations, samples, implicit products and whole runs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from test_forces import loaded_tree, muscle_arm, springs_only

from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.dynamics import body_forces
from redmax.dynamics.energy import kinetic_energy
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads, potential_energy
from redmax.dynamics.powers import powers
from redmax.integrators import (
    Bdf1,
    Bdf2,
    Dop853,
    LinearlyImplicitEuler,
    LinearlyImplicitEulerPcg,
    Rk45,
    RungeKutta4,
    SemiImplicitEuler,
    routes,
)
from redmax.kernels import route, tasks
from redmax.kernels.layout.declaration import Vector
from redmax.reference.projected import forward_dynamics, mass_matrix
from redmax.simulate import record, simulate

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="kernels need numba")
T = 0.37


def case(seed, **options):
    model = compile_scene(loaded_tree(seed, **options))
    state = model.initial_state()
    tree = fast.new_tree(model)
    assert tree is not None
    return model, state, tree


def close(found, expected, roundings=1e-11):
    assert np.abs(found - expected).max(initial=0.0) <= roundings * max(1.0, np.abs(expected).max(initial=0.0))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prescribed", [0.0, 0.4])
def test_accelerations_and_powers(seed, prescribed):
    model, state, tree = case(seed, prescribed=prescribed)
    kin = kinematics(model, state.q, state.qdot, state.chart)
    load = loads(model, kin, T)
    given = np.where(model.prescribed, 0.3, 0.0)
    expected = forward_dynamics(model, kin, load, given)
    qddot, power, stuck = tree.forward_dynamics(state.q, state.qdot, state.chart, T, given)
    assert stuck == -1
    close(qddot, expected, 1e-13 * np.linalg.cond(mass_matrix(model, kin)))
    if not model.prescribed.any():
        close(power, powers(model, kin, load, load.f_r, T))


@pytest.mark.parametrize("seed", range(4))
def test_samples_have_the_energy_of_forces(seed):
    model, state, tree = case(seed)
    kin = kinematics(model, state.q, state.qdot, state.chart)
    seen = tree.observe(state.q, state.qdot, state.chart, T)
    close(np.array(seen.kinetic), kinetic_energy(model, kin))
    close(np.array(seen.potential), potential_energy(model, kin))


@pytest.mark.parametrize("seed", range(4))
def test_residuals(seed, monkeypatch):
    model, state, _ = case(seed)
    qddot = np.linspace(-1.0, 1.0, model.dof_count)
    compiled = routes.begin(model)
    monkeypatch.setattr(fast, "new_tree", lambda model: None)
    vectorised = routes.begin(model)
    found, expected = (
        route.residual(route.at(T, state.q, state.qdot, state.chart), qddot) for route in (compiled, vectorised)
    )
    close(found, expected)


@pytest.mark.parametrize("seed", range(4))
def test_products_with_the_implicit_matrix(seed):
    """(M - h D - h^2 K) x, and -h^2 K x of the forces alone."""
    model, state, tree = case(seed)
    h, x = 0.03, np.linspace(-1.0, 2.0, model.dof_count)
    tree.set_chart(state.chart)
    tree._run(state.q.copy(), state.qdot.copy(), x, T, tasks.PLACE | tasks.LOADS)
    readable = routes.begin(model, "recursive")
    system = readable.linear_system(readable.at(T, state.q, state.qdot, state.chart))
    tree._run(state.q.copy(), state.qdot.copy(), x, h, tasks.MULTIPLY)
    close(tree.vectors[Vector.FORCE], (system.M - h * system.D - h**2 * system.K) @ x)
    tree._run(state.q.copy(), state.qdot.copy(), x, h, tasks.STIFFNESS_PRODUCT)
    kin = kinematics(model, state.q, state.qdot, state.chart)
    K, _ = body_forces.projected(body_forces.couplings(model, kin.E_wi, kin.phi, T), jacobian(model, kin)[0])
    close(tree.vectors[Vector.FORCE], -(h**2) * K @ x)


RUNS = [
    Dop853(rtol=1e-11, atol=1e-11),
    Rk45(rtol=1e-9, atol=1e-9),
    RungeKutta4(h=5e-3),
    SemiImplicitEuler(h=2e-3),
    LinearlyImplicitEuler(h=5e-3),
    LinearlyImplicitEulerPcg(h=5e-3, tolerance=1e-13),
    Bdf1(h=1e-2),
    Bdf2(h=1e-2),
]


@pytest.mark.parametrize("integrator", RUNS, ids=lambda integrator: integrator.kind)
@pytest.mark.parametrize("make", [springs_only, lambda: compile_scene(muscle_arm())])
def test_runs_are_those_of_the_readable_integrators(make, integrator, monkeypatch):
    model = make()

    def run():
        samples = simulate(model, integrator=integrator, fps=50.0, duration=0.1)
        return record(model, samples, integrator=integrator, fps=50.0)

    compiled = run()
    assert compiled.status == "complete", compiled.message
    monkeypatch.setattr(fast, "new_tree", lambda model: None)
    readable = run()
    loose = 1e-7 if integrator.kind in ("rk45", "bdf1", "bdf2") else 1e-9  # steps and iterations stop elsewhere
    for name in ("position", "q", "qdot"):
        close(getattr(compiled, name), getattr(readable, name), loose)
    for name in ("energy", "work", "loss"):
        close(compiled.channels[name], readable.channels[name], 10.0 * loose)


@pytest.mark.parametrize("distance", [0.0, 1e-13])
def test_coincident_points_in_kernels(distance):
    """The same finite forces where points coincide."""
    scene = loaded_tree(0)
    kinds = ("spring_damper", "point_to_point", "cable", "muscle")
    forces = []
    for force in scene.forces:
        if force.kind in kinds and hasattr(force, "body_a"):
            forces.append(dataclasses.replace(force, body_a=None, body_b=force.body_a, point_b=(0.0, 0.0, 0.0)))
    model = compile_scene(dataclasses.replace(scene, forces=[]))
    start = kinematics(model, model.q0, model.qdot0).E_wi @ model.E_ib
    for index, force in enumerate(forces):
        place = start[model.body_names.index(force.body_b)][:3, 3] + (distance, 0.0, 0.0)
        changes = {"point_a": tuple(place.tolist())} | ({"rest_length": 1.0} if hasattr(force, "rest_length") else {})
        forces[index] = dataclasses.replace(force, **changes)
    model = compile_scene(dataclasses.replace(scene, forces=forces))
    state, tree = model.initial_state(), fast.new_tree(model)
    kin = kinematics(model, state.q, state.qdot, state.chart)
    qddot, _, _ = tree.forward_dynamics(state.q, state.qdot, state.chart, T, np.zeros(model.dof_count))
    assert np.isfinite(qddot).all()
    close(qddot, forward_dynamics(model, kin, loads(model, kin, T), np.zeros(model.dof_count)), 1e-9)
