# SPDX-License-Identifier: GPL-3.0-or-later
"""Every failed run says what it failed at and what to do, as data and in its sentence."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.integrators import INTEGRATORS, Automatic
from redmax.kernels import route
from redmax.scene import Scene
from redmax.simulate import simulate


@pytest.fixture(params=[route.NUMBA, route.NUMPY])
def by(request, monkeypatch):
    """Both routes."""
    if route.name() != route.NUMBA and request.param == route.NUMBA:
        pytest.skip("needs numba")
    monkeypatch.setattr(route, "name", lambda: request.param)


def last(scene, integrator, *, duration=0.25, fps=24.0, **options):
    return list(simulate(compile_scene(scene), integrator=integrator, duration=duration, fps=fps, **options))[-1]


def check(sample, element, *, code=None):
    """A failed sample that names its element and says what to do."""
    assert sample.status == "failed"
    outcome = sample.outcome
    assert element in outcome.element
    assert outcome.element.split("'")[1] in outcome.what
    assert outcome.advice
    assert outcome.reason in sample.message
    assert code is None or outcome.code == code


def two_universals() -> Scene:
    """A block on two universal joints whose common axis is in the planes of both: it can begin to turn, and cannot go
    on."""
    b = Builder("two universals")
    b.body("block", (0.2, 0.1, 0.0), 1.0, 0.1 * np.eye(3))
    b.joint("universal", "first", None, "block", (0.0, 0.0, 0.0), qdot=(1.5, 2.0))
    b.joint("universal", "second", None, "block", (0.3, 0.4, 0.0))
    return b.scene


def gimbal(angle: float) -> Scene:
    """A bar on a ball with springs on proper Euler angles, near the lock in which their forces have no bound."""
    b = Builder("gimbal")
    b.bar("bar", (0.0, 0.0, 0.0), (0.5, 0.1, 0.2))
    at = {"q": (0.3, angle, 0.2), "stiffness": (50.0, 50.0, 50.0)}
    b.joint("spherical_euler", "ball", None, "bar", (0.0, 0.0, 0.0), sequence="xzx", **at)
    return b.scene


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
def test_joints_on_one_pair_that_are_rigid_to_second_order_complete_or_are_named(by, accuracy):
    found = last(two_universals(), Automatic(accuracy=accuracy), duration=0.1)
    if found.status != "complete":
        check(found, "joint '")


def test_springs_near_their_gimbal_lock_are_named_before_patience_ends(by):
    """32 kHz: with numpy a frame took minutes."""
    check(last(gimbal(1e-5), Automatic(accuracy="draft"), patience=2.0), "joint 'ball'")


def test_springs_in_their_gimbal_lock_are_named(by):
    check(last(gimbal(0.0), Automatic(), patience=1.0), "joint 'ball'")


@pytest.mark.parametrize("kind", [kind for kind in INTEGRATORS.kinds if "h" in INTEGRATORS[kind].__dataclass_fields__])
def test_what_fixed_steps_throw_away_is_named(by, kind):
    """Wheels at 1e5 rad/s in a gimbal of hinges, and a step of ten milliseconds."""
    b = Builder("gyroscopes")
    previous = None
    for k, axis in enumerate(np.eye(3)):
        name = b.body(f"ring {k}", (0.1 * k, 0.0, 0.0), 1.0, np.diag([0.1, 0.2, 0.3]))
        b.hinge(f"joint {k}", previous, name, (0.1 * k, 0.0, 0.0), axis=axis, qdot=1e5)
        previous = name
    found = last(b.scene, INTEGRATORS[kind](), duration=2.0)
    if found.status != "complete":
        check(found, "'")


def test_an_error_that_names_nothing_gets_the_fastest_body(by, monkeypatch):
    """What nobody can name is where most goes on."""

    def broken(stepper, t_end):
        raise np.linalg.LinAlgError

    monkeypatch.setattr("redmax.integrators.base.FixedStepper.advance", broken)
    check(last(four_bar(qdot=2.0), INTEGRATORS["rk4"](h=1e-2)), "body 'crank'", code="diverged")


@pytest.mark.parametrize("kind", ["dop853", "extrapolated_euler", "bdf2", "rk4"])
def test_patience_that_ends_inside_a_step_names_a_joint(by, monkeypatch, kind):
    monkeypatch.setattr("redmax.integrators.watch.Watch.waits_too_long", lambda *_: True)
    monkeypatch.setattr("redmax.integrators.dormand_prince.STEPS_AT_ONCE", 1)
    check(last(four_bar(qdot=1.0), INTEGRATORS[kind]()), "joint '", code="no_progress")
