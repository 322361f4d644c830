# SPDX-License-Identifier: GPL-3.0-or-later
"""Method I, the six recursions as one straight line, against the projected route and against Method II."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.random_trees import random_situation
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.errors import RedMaxError
from redmax.examples.general_joints import torus_chain
from redmax.joints import Composite, Custom, Prismatic, Revolute
from redmax.reference import si_guenter
from redmax.reference.si_guenter_generated import Generated, put_accelerations
from redmax.scene import Scene

KNOWN = ("revolute", "prismatic", "screw", "universal", "planar", "free_translation_euler", "free_2d", "translational")
KINDS = (*KNOWN, "custom", "surface_contact", "point_contact", "spherical_euler", "composite", "fixed")

few = settings(max_examples=12, deadline=None, derandomize=True)


@few
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6))
def test_it_equals_the_projected_route(seed, n):
    case = random_situation(seed, n, kinds=KINDS, damping=False)
    found = Generated(case.model).forward_dynamics(case.kin.q, case.kin.qdot, case.loads.f_r)
    oracles.assert_same_acceleration(case, found)


@pytest.mark.parametrize("kind", KINDS)
def test_it_equals_the_projected_route_for_every_kind(kind):
    case = random_situation(11, 4, kinds=[kind], damping=False)
    found = Generated(case.model).forward_dynamics(case.kin.q, case.kin.qdot, case.loads.f_r)
    oracles.assert_same_acceleration(case, found)


def test_methods_one_and_two_agree_on_a_torus_chain():
    model = compile_scene(torus_chain(10))
    rng = np.random.default_rng(2)
    q, qdot = model.q0 + rng.uniform(-0.2, 0.2, 38), rng.uniform(-1.0, 1.0, 38)
    kin = kinematics(model, q, qdot)
    applied = loads(model, kin, 0.0)
    mixed = si_guenter.forward_dynamics(model, kin, applied)
    generated = Generated(model)
    whole = generated.forward_dynamics(q, qdot, applied.f_r)
    np.testing.assert_allclose(whole, mixed, rtol=0.0, atol=1e-11 * np.abs(mixed).max())  # condition of the chain 1e4
    played = np.empty(38)
    put_accelerations(generated.data, q, qdot, applied.f_r, played)
    np.testing.assert_array_equal(played, whole)


def test_another_solver_may_take_the_place_of_the_one_of_method_two():
    case = random_situation(3, 5, kinds=["surface_contact", "revolute"])
    asked = []

    def by_inverse(Omega, b, joint):
        asked.append(joint)
        return np.linalg.inv(Omega) @ b

    oracles.assert_same_acceleration(case, si_guenter.forward_dynamics(*case[:3], solve=by_inverse))
    assert set(asked) == set(case.model.joint_names)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"kinds": ["spherical"]}, "does not know joints of kind 'spherical', such as 'joint 0'"),
        ({"kinds": ["revolute"], "prescribed": 1.0}, "trees whose joints are all simulated"),
    ],
)
def test_what_it_cannot_do_is_refused_by_a_sentence(options, expected):
    with pytest.raises(RedMaxError, match=expected):
        Generated(random_situation(0, 1, **options).model)


def test_larger_mechanisms_are_refused():
    with pytest.raises(RedMaxError, match="has 118 coordinates, which is too much for Method I; use the default"):
        Generated(compile_scene(torus_chain(30)))


def test_a_composite_of_written_and_other_joints():
    parts = (Prismatic.part(), Custom.part(transform="Rz(q1) * Tx(sin(q1) / 3)"), Revolute.part(axis=(1.0, 0.0, 0.0)))
    scene = Scene(
        name="composite",
        bodies=torus_chain(2).bodies[:1],
        joints=[Composite(name="j", parent=None, child=torus_chain(2).bodies[0].name, parts=parts)],
    )
    model = compile_scene(scene)
    q, qdot = np.array([0.1, 0.4, -0.3]), np.array([0.5, -1.0, 0.7])
    kin = kinematics(model, q, qdot)
    applied = loads(model, kin, 0.0)
    found = Generated(model).forward_dynamics(q, qdot, applied.f_r)
    np.testing.assert_allclose(found, si_guenter.forward_dynamics(model, kin, applied), rtol=1e-11)
