# SPDX-License-Identifier: GPL-3.0-or-later
"""Couplings are measured for singular poses where a loop moves what they couple, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling
from redmax.integrators.automatic import Automatic
from redmax.scene import Scene

pytest.importorskip("numba")
from redmax.kernels.compiled_tree import first_references, pack_for_tree
from redmax.kernels.layout import codes
from redmax.kernels.layout.declaration import RowBodies
from redmax.kernels.steps.runge_kutta import NEAR


def arm(b: Builder) -> None:
    """A heavy tip on two links of equal length, folded so that it nearly rests on the shoulder, geared to a wheel."""
    b.body("upper", (0.5, 0.0, 3.0), 1e-3, 1e-5 * np.eye(3))
    b.body("tip", (0.02, 0.0, 3.0), 1.0, 1e-4 * np.eye(3))
    b.body("wheel", (0.0, 0.0, 5.0), 1.0, 10.0 * np.eye(3))
    b.joint("revolute", "shoulder", None, "upper", (0.0, 0.0, 3.0), axis=(0.0, 1.0, 0.0))
    b.joint("revolute", "elbow", "upper", "tip", (1.0, 0.0, 3.0), axis=(0.0, 1.0, 0.0), qdot=8.0)
    b.joint("revolute", "axle", None, "wheel", (0.0, 0.0, 5.0), axis=(0.0, 1.0, 0.0))
    b.scene.constraints.append(Coupling(name="gear", leader="shoulder", follower="axle", ratio=2.0))


def references_of_couplings(scene: Scene) -> dict[str, float]:
    model = compile_scene(scene)
    lines = model.once(pack_for_tree).rows
    owners = [*(loop.joint.name for loop in model.loops), *(constraint.name for constraint in model.constraints)]
    return {
        owners[line[RowBodies.OWNER]]: reference
        for line, reference in zip(lines, first_references(model), strict=False)  # redundant rows have none
        if line[RowBodies.KIND] == codes.COORDINATE
    }


def test_a_coupling_beside_a_loop_is_not_measured():
    scene = four_bar()
    b = Builder("arm")
    arm(b)
    scene.bodies += b.scene.bodies
    scene.joints += b.scene.joints
    scene.constraints += b.scene.constraints
    crank = scene.joints[0].name
    scene.constraints.append(Coupling(name="with the crank", leader="elbow", follower=crank, ratio=0.5))
    found = references_of_couplings(scene)
    assert found["gear"] == 0.0
    assert found["with the crank"] > 0.0


def test_what_reaches_a_loop_through_other_couplings_is_measured():
    scene = four_bar()
    b = Builder("arm")
    arm(b)
    scene.bodies += b.scene.bodies
    scene.joints += b.scene.joints
    scene.constraints += b.scene.constraints
    crank = scene.joints[0].name
    scene.constraints.append(Coupling(name="with the crank", leader="axle", follower=crank, ratio=0.5))
    assert min(references_of_couplings(scene).values()) > 0.0


def test_an_arm_that_stretches_is_no_singular_pose():
    """The gear's pivot falls to a thousandth where the tip is far from the shoulder."""
    b = Builder("arm")
    arm(b)
    model = compile_scene(b.scene)
    assert set(references_of_couplings(b.scene).values()) == {0.0}
    stepper = Automatic(accuracy="high").begin(model, model.initial_state())
    for t in np.linspace(0.05, 1.0, 20):
        state = stepper.advance(float(t))
        assert stepper._solver._clock[NEAR] == 0.0
        axle, shoulder = (state.q[model.columns(model.joint_names.index(name))] for name in ("axle", "shoulder"))
        np.testing.assert_allclose(axle, 2.0 * shoulder, atol=1e-9)
