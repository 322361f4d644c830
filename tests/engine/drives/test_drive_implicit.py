# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit steps of mechanisms with drives are compiled: their matrices and steps are those of the readable route."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.drives.driven import equal_angles, hand, run, with_wheel
from engine.mechanisms import four_bar
from redmax.compile import compile as compile_scene
from redmax.forces import SpringDamper
from redmax.integrators import Automatic
from redmax.integrators.compiled_extrapolation import CompiledExtrapolation
from redmax.integrators.extrapolated_euler import ExtrapolatedEuler, Mechanism, extrapolation_of
from redmax.integrators.extrapolation import LinearlyImplicitExtrapolation
from redmax.kernels import route
from redmax.strands import Attachment, Strand

compiled = pytest.mark.skipif(route.name() != route.NUMBA, reason="needs numba")


def stiff_hand(**input_):
    """A stiff spring along the rail, and one from the carriage to a finger, which both drives move."""
    scene = hand(**input_)
    tie = SpringDamper(name="tie", body_a="carriage", body_b="left", stiffness=3e4, damping=20.0, rest_length=0.6)
    joints = [dataclasses.replace(j, stiffness=4e4, damping=90.0) if j.name == "rail" else j for j in scene.joints]
    return compile_scene(dataclasses.replace(scene, joints=joints, forces=[tie]))


def stiff_curl():
    """Equal angles of a chain, whose input has no inertia of its own."""
    return compile_scene(equal_angles(5, stiffness=2e5, damping=60.0, rest=0.25))


def roped():
    strand = Strand(name="rope", nodes=((0.8, 0.0, 0.0), (1.0, 0.0, 0.0), (1.2, 0.0, 0.0)), mass=0.1, stiffness=5e4,
                    pulls_only=False, attachments=(Attachment(node=0, body="bar 1"),))  # fmt: skip
    return compile_scene(dataclasses.replace(equal_angles(2), strands=[strand]))


def wheel_and_loop():
    """A stiff four-bar whose crank turns a wheel by a curve."""
    return with_wheel(four_bar(qdot=2.0, stiffness=3e4, damping=40.0))


CASES = {
    "hand": stiff_hand,
    "no armature": lambda: stiff_hand(armature=0.0),
    "curl": stiff_curl,
    "rope": roped,
    "loop": wheel_and_loop,
}


@compiled
@pytest.mark.parametrize("build", CASES.values(), ids=CASES)
@pytest.mark.parametrize("calm", [False, True], ids=["all", "calm"])
def test_a_compiled_attempt_is_the_readable_one(build, calm):
    model = build()
    stepper = ExtrapolatedEuler(rtol=1e-6, atol=1e-6).begin(model, model.initial_state())
    y = stepper._solver.y
    kernels = extrapolation_of(stepper, y, calm=calm)
    assert isinstance(kernels, CompiledExtrapolation)
    kernels._of_velocities, kernels._slackens = 1.0, False
    readable = LinearlyImplicitExtrapolation(
        stepper.slope, Mechanism(stepper).linearised, 0.0, y, rtol=1e-6, atol=1e-6, calm=calm
    )
    a, b = kernels.linearise(0.0, y), readable.linearise(0.0, y)
    for values, dense in ((a.M, b.M), (a.K, b.K), (a.D, b.D)):
        np.testing.assert_allclose(kernels.pattern.dense(values), dense, atol=1e-9 * np.abs(dense).max())
    assert np.abs(b.K).max() > 1e3
    np.testing.assert_allclose(kernels.rates(a), readable.rates(b), rtol=1e-6, atol=1e-6)
    for order in (2, 5):
        one, other = kernels._try(a, 1e-4, 1e-4, order), readable._try(b, 1e-4, 1e-4, order)
        assert (one.rows, one.accepted, one.broken) == (other.rows, other.accepted, other.broken)
        np.testing.assert_allclose(one.y, other.y, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(one.errors, other.errors, rtol=1e-2, atol=1e-4)


@compiled
@pytest.mark.parametrize("build", CASES.values(), ids=CASES)
def test_compiled_runs_end_where_readable_ones_do(build):
    model = build()
    settings = ExtrapolatedEuler(rtol=1e-7, atol=1e-7)
    ours = run(model, integrator=settings, duration=0.04)
    theirs = run(model, integrator=dataclasses.replace(settings, dynamics="recursive"), duration=0.04)
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-5)
    for name in ("work", "loss"):
        np.testing.assert_allclose(ours.channels[name], theirs.channels[name], rtol=1e-4, atol=1e-3)


@compiled
def test_what_drives_make_stiff_goes_on_in_compiled_implicit_steps():
    """Dampers at followers stop the input in no time; it ends where the readable method does."""
    model = compile_scene(equal_angles(4, damping=1e6))
    stepper = Automatic().begin(model, model.initial_state())
    stepper.advance(1.0 / 24.0)
    assert isinstance(stepper._solver, CompiledExtrapolation)
    ours, exact = (
        run(model, integrator=each, duration=0.2)
        for each in (Automatic(), ExtrapolatedEuler(rtol=1e-9, atol=1e-9, dynamics="recursive"))
    )
    np.testing.assert_allclose(ours.q, exact.q, atol=1e-6)
