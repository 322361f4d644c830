# SPDX-License-Identifier: GPL-3.0-or-later
"""Every integrator with everything a scene can hold: it agrees with a converged run to its order, or names what not."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

from engine.drives.driven import hand
from engine.integrators.pendulums import LENGTH, hinge, link
from engine.mechanisms import four_bar, slider_crank
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling
from redmax.forces import FORCES
from redmax.integrators import INTEGRATORS, Dop853
from redmax.scene import Scene
from redmax.simulate import simulate
from redmax.strands import Attachment, Strand
from redmax.tables import Table

DURATION = 1.0 / 16.0
STEPS = (16, 32)
SWING = Table(x=(0.0, 0.3, 0.6), y=((0.0,), (0.8,), (0.2,)), interpolation="cubic")

ORDERS = {"rk4": 4, "bdf2": 2}
"""Of fixed steps; all others that have a step are of order 1."""
TOLERANCE = {"automatic": 1e-7}
"""Of methods that adapt: what they are asked for."""


def chain(*hinges, **parts) -> Scene:
    return Scene(
        name="Chain",
        gravity=(0.0, 0.0, -9.81),
        bodies=[link(f"Link {k}") for k in range(len(hinges))],
        joints=list(hinges),
        **parts,
    )


def with_strand() -> Scene:
    nodes = tuple((0.5 * LENGTH + 0.1 * k, 0.0, 0.0) for k in range(4))
    ends = (Attachment(node=0, body="Link 0"), Attachment(node=3, body=None))
    strand = Strand(name="Rope", nodes=nodes, mass=0.2, stiffness=300.0, damping=0.5, attachments=ends)
    return chain(hinge(0), strands=[strand])


def with_spring(**values) -> Scene:
    spring = FORCES["spring_damper"](
        name="Spring", body_a="Link 0", body_b=None, point_b=(0.3, 0.0, 0.6), stiffness=80.0, damping=1.0, **values
    )
    return chain(hinge(0, q=0.4), hinge(1, q=0.9), forces=[spring])


def with_muscle() -> Scene:
    muscle = FORCES["muscle"](
        name="Flexor",
        body_a="Link 0",
        point_a=(0.1, 0.0, 0.0),
        body_b=None,
        point_b=(0.0, 0.0, 0.3),
        peak_force=60.0,
        optimal_length=0.3,
        activation=0.6,
    )
    return chain(hinge(0, damping=0.1), forces=[muscle])


def hybrid() -> Scene:
    """A loop whose crank is animated, with a spring and dampers."""
    scene = four_bar(motion_type="animated", animation=SWING)
    spring = FORCES["spring_damper"](
        name="Spring", body_a="coupler", body_b=None, point_b=(0.5, 0.0, 1.0), stiffness=50.0, damping=1.0
    )
    scene.forces.append(spring)
    return scene


def spring_on_the_loop_joint() -> Scene:
    scene = four_bar(qdot=1.0)
    scene.joints[3] = dataclasses.replace(scene.joints[3], stiffness=20.0, damping=0.5, rest=0.2)
    return scene


SCENES = {
    "tree": lambda: chain(hinge(0, q=0.4, damping=0.05), hinge(1, q=0.9, stiffness=2.0)),
    "loop": lambda: slider_crank(qdot=2.0),
    "coupling": lambda: chain(
        hinge(0, q=0.4),
        hinge(1, q=0.2),
        constraints=[Coupling(name="Gear", leader="Hinge 0", follower="Hinge 1", ratio=0.5)],
    ),
    "limit": lambda: chain(hinge(0, q=0.4, qdot=1.0, upper=0.44), hinge(1, q=0.9)),
    "animated": lambda: chain(hinge(0, motion_type="animated", animation=SWING), hinge(1, q=0.9)),
    "spring": with_spring,
    "muscle": with_muscle,
    "strand": with_strand,
    "loop spring": spring_on_the_loop_joint,
    "hybrid": hybrid,
    "drive": hand,
}
REFUSED = {("maximal_euler", "drive"): "drives"}
"""Integrators that do not know something, and what their words must name."""


@cache
def model_of(name):
    return compile_scene(SCENES[name]())


def end(name, integrator):
    model = model_of(name)
    samples = list(simulate(model, integrator=integrator, fps=1.0 / DURATION, duration=DURATION))
    assert samples[-1].status == "complete", samples[-1].message
    return samples[-1].E_wb


@cache
def exact(name):
    return end(name, Dop853(rtol=1e-12, atol=1e-12))


QUICK = ("automatic", "extrapolated_euler", "dop853", "linearly_implicit_euler")
KINDS = [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in INTEGRATORS.kinds]


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_integrator_simulates_everything_or_says_what_not(kind, name):
    cls = INTEGRATORS[kind]
    if (kind, name) in REFUSED:
        said = cls().cannot(model_of(name))
        assert said
        assert all(REFUSED[kind, name] in text and "; choose dop853" in text for text in said)
        return
    assert cls().cannot(model_of(name)) == []
    if "h" not in cls.__dataclass_fields__:
        error = np.abs(end(name, cls()) - exact(name)).max()
        assert error < 100.0 * TOLERANCE.get(kind, 1e-8)
        return
    errors = [np.abs(end(name, cls(h=DURATION / steps)) - exact(name)).max() for steps in STEPS]
    assert errors[0] < 0.02  # poses of bodies half a metre long
    # Where a limit is met the step is cut, so that halving h does not quite halve all of them. Higher terms of the
    # error take some of the order: 1.6 is two thirds of one.
    order = 1 if name == "limit" else ORDERS.get(kind, 1)
    assert errors[1] < max(errors[0] * 1.6 / 2.0**order, 1e-8)
