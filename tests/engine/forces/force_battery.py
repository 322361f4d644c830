# SPDX-License-Identifier: GPL-3.0-or-later
"""What every force must satisfy, whatever it is. Each check takes one force of a scene made by `scene_with`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.random_trees import random_body, random_pose
from redmax import io
from redmax.compile import compile as compile_scene
from redmax.fields import REQUIRED, defaults, specs
from redmax.forces import FORCES, BoundForce, Force
from redmax.forces.lines.points import PathPoint
from redmax.joints import JOINTS
from redmax.model import Model
from redmax.scene import Scene
from redmax.spatial import pose
from redmax.tables import Table

STEP = 1e-4
TOLERANCE = 1e-7
"""Fourth-order differences: STEP^4 times fifth derivatives up to 1e6, and rounding of 1e-15 / STEP; the measure of the
project is 1e-6."""

TIMES = (0.0, 0.37, 1.4)
RAMP = {"x": (0.0, 0.5, 1.0), "interpolation": "cubic"}
BENT = (
    PathPoint(body="A", point=(0.1, 0.2, -0.1)),
    PathPoint(body="B", point=(-0.2, 0.1, 0.3)),
    PathPoint(body="A", point=(0.3, -0.3, 0.1)),
    PathPoint(body=None, point=(0.5, 1.0, -2.0)),
)
TWO = {"body_a": "A", "point_a": (0.3, -0.2, 0.5), "body_b": "B", "point_b": (0.1, 0.4, -0.2)}
TO_WORLD = TWO | {"body_b": None, "point_b": (1.0, 2.0, -0.5)}
MUSCLE = {"peak_force": 40.0, "optimal_length": 0.9, "tendon_length": 0.2, "max_velocity": 3.0}

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "spring_damper": [
        TWO | {"stiffness": 30.0, "damping": 2.0, "rest_length": 0.7},
        TWO | {"stiffness": 30.0, "damping": 2.0, "rest_length": 5.0, "measure": "strain"},
        TO_WORLD | {"stiffness": 30.0},
    ],
    "point_to_point": [TWO | {"stiffness": 20.0, "damping": 3.0}, TO_WORLD | {"stiffness": 20.0}],
    "cable": [
        {"points": BENT, "stiffness": 50.0, "damping": 1.5, "rest_length": 0.8, "measure": "strain"},
        {"points": BENT[:2], "stiffness": 50.0, "damping": 1.5, "rest_length": 1e3},
    ],
    "point_force": [
        {"body": "A", "point": (0.2, 0.3, -0.4), "direction": (1.0, 2.0, -3.0), "force": 7.0},
        {"body": "A", "direction": (0.0, 2.0, 0.0), "axes": "body", "point": (1.0, 0.0, 0.2), "force": -2.0}
        | {"force_table": Table(y=((1.0,), (-3.0,), (2.0,)), **RAMP)},
    ],
    "wrench": [
        {"body": "B", "torque": (1.0, -2.0, 3.0), "force": (4.0, 5.0, 6.0), "point": (0.1, 0.2, 0.3)},
        {"body": "B", "torque": (1.0, -2.0, 3.0), "axes": "body"}
        | {"table": Table(y=((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (0.0,) * 6, (6.0, 5.0, 4.0, 3.0, 2.0, 1.0)), **RAMP)},
    ],
    "drag": [
        {"body": "A", "point": (0.3, 0.1, -0.2), "linear": 2.0, "quadratic": 1.5},
        {"body": "A", "area": 2.0, "coefficient": 1.2, "density": 3.0, "wind": (3.0, -1.0, 2.0)},
        {"body": "A", "angular": 0.7},
        {"body": "A", "quadratic": 1.5, "linear": 0.3, "angular": 0.4}
        | {"normal": (1.0, 2.0, 0.5), "point": (0.3, 0.1, -0.2)}
        | {"wind": (0.5, 0.2, -2.0)},
    ],
    "muscle": [
        TWO | MUSCLE | {"activation": 0.6},
        TO_WORLD | MUSCLE | {"activation_table": Table(y=((0.0,), (1.0,), (0.4,)), **RAMP)},
    ],
    "multi_point_muscle": [MUSCLE | {"points": BENT, "optimal_length": 2.7, "activation": 0.8}],
}
"""Parameters of every kind; a new kind that can do without is tested with its defaults."""


def examples(cls: type[Force]) -> list[Force]:
    """Forces of one kind to run the battery on."""
    needed = [n for n in specs(cls) if n not in specs(Force) and defaults(cls)[n] is REQUIRED]
    assert cls.kind in EXAMPLES or not needed, f"force kind '{cls.kind}' needs an example with {', '.join(needed)}"
    return [cls(name="Pull", **parameters) for parameters in EXAMPLES.get(cls.kind, [{}])]


def cases() -> Iterator[tuple[str, Force]]:
    for cls in FORCES:
        for index, force in enumerate(examples(cls)):
            yield f"{cls.kind}-{index}", force


def scene_with(*forces: Force, seed: int = 3) -> Scene:
    """Two free bodies with frames and principal axes of no special kind."""
    rng = np.random.default_rng(seed)
    joints = [
        JOINTS["free"](name=f"Joint {name}", parent=None, child=name, frame_in_child=random_pose(rng)) for name in "AB"
    ]
    bodies = [random_body(rng, name, damping=False) for name in "AB"]
    return Scene(bodies=bodies, joints=joints, forces=list(forces))


def bound(force: Force) -> tuple[Model, BoundForce]:
    model = compile_scene(scene_with(force))
    return model, model.forces[0]


def situations(force: BoundForce, count: int = 12) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Poses (k, 4, 4), twists (k, 6) and times; the world stands still."""
    rng = np.random.default_rng(8)
    for trial in range(count):
        E = pose.exp(rng.uniform(-1.5, 1.5, (len(force.bodies), 6)))
        phi = rng.uniform(-2.0, 2.0, (len(force.bodies), 6))
        yield E, phi, TIMES[trial % len(TIMES)]


def slope(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """df/ds at 0, central and of fourth order."""
    return (8.0 * (f(STEP) - f(-STEP)) - (f(2.0 * STEP) - f(-2.0 * STEP))) / (12.0 * STEP)


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    assert np.abs(found - expected).max() <= TOLERANCE * max(1.0, np.abs(expected).max())


def directions(E: np.ndarray) -> np.ndarray:
    return np.eye(6 * len(E)).reshape(6 * len(E), len(E), 6)


def K_is_the_derivative_by_increments(force: Force) -> None:
    _, one = bound(force)
    for E, phi, t in situations(one):
        columns = [
            slope(lambda s, d=d: one.wrenches(E @ pose.exp(s * d), phi, t).ravel())  # noqa: B023
            for d in directions(E)
        ]
        assert_close(one.derivatives(E, phi, t)[0], np.stack(columns, axis=1))


def D_is_the_derivative_by_twists(force: Force) -> None:
    _, one = bound(force)
    for E, phi, t in situations(one):
        columns = [slope(lambda s, d=d: one.wrenches(E, phi + s * d, t).ravel()) for d in directions(E)]  # noqa: B023
        assert_close(one.derivatives(E, phi, t)[1], np.stack(columns, axis=1))


def power_is_energy_and_exchange(force: Force) -> None:
    """f . phi = -dV/dt + put in - taken out, for any motion; nothing is exchanged where the force says so."""
    _, one = bound(force)
    for E, phi, t in situations(one):
        rate = slope(lambda s: np.array(one.potential(E @ pose.exp(s * phi))))  # noqa: B023
        put_in, taken = one.powers(E, phi, t)
        assert_close(np.array((one.wrenches(E, phi, t) * phi).sum()), put_in - taken - rate)
        assert one.exchanges or put_in == taken == 0.0


def implicit_parts_never_push_away(force: Force) -> None:
    """Symmetric, and no positive eigenvalue beyond rounding."""
    _, one = bound(force)
    for E, phi, t in situations(one):
        for A in one.implicit(E, phi, t):
            assert np.array_equal(A, A.T) or np.abs(A - A.T).max() <= 1e-12 * np.abs(A).max()
            assert np.linalg.eigvalsh(A).max() <= 1e-10 * max(1.0, np.abs(A).max())


def the_world_may_move(force: Force) -> None:
    """The same wrenches wherever a mechanism stands, for forces that know nothing of the world."""
    _, one = bound(force)
    if -1 in one.bodies or (len(one.bodies) < 2 and getattr(force, "axes", "") != "body"):
        return
    moved = pose.exp(np.array([0.3, -0.8, 0.5, 2.0, -1.0, 3.0]))
    for E, phi, t in situations(one, 4):
        assert_close(one.wrenches(moved @ E, phi, t), one.wrenches(E, phi, t))


def forces_inside_a_mechanism_cancel(force: Force) -> None:
    """Between bodies alone, wrenches add up to nothing in the world."""
    _, one = bound(force)
    if -1 in one.bodies or len(one.bodies) < 2:
        return
    for E, phi, t in situations(one, 4):
        f = one.wrenches(E, phi, t)
        F = np.einsum("nab,nb->na", E[:, :3, :3], f[:, 3:])
        moments = np.einsum("nab,nb->na", E[:, :3, :3], f[:, :3]) + np.cross(E[:, :3, 3], F)
        assert np.abs(F.sum(axis=0)).max() <= 1e-11 * max(1.0, np.abs(F).max())
        assert np.abs(moments.sum(axis=0)).max() <= 1e-11 * max(1.0, np.abs(moments).max())


def it_is_written_and_read_exactly(force: Force) -> None:
    text = io.dumps(scene_with(force))
    assert io.dumps(io.loads(text)) == text
    assert type(io.loads(text).forces[0]) is type(force)


def results_are_what_was_declared(force: Force) -> None:
    """As many numbers as units; a wrench is that on the first body, a tension that of the pull on it."""
    _, one = bound(force)
    assert one.results
    for E, phi, t in situations(one, 4):
        values = one.result_values(E, phi, t)
        assert [len(value) for value in values] == [len(told.units) for told in one.results]
        assert all(len(told.rows) in (0, len(told.units)) for told in one.results)
        named = {told.name: value for told, value in zip(one.results, values, strict=True)}
        first = next(k for k, body in enumerate(one.bodies) if body >= 0)
        pull = E[first, :3, :3] @ one.wrenches(E, phi, t)[first, 3:]
        if "wrench" in named:
            assert_close(named["wrench"][3:], pull)
        if "tension" in named and len(getattr(force, "points", ())) < 3:
            assert_close(np.abs(named["tension"]), np.array([np.linalg.norm(pull)]))


CHECKS = [
    results_are_what_was_declared,
    K_is_the_derivative_by_increments,
    D_is_the_derivative_by_twists,
    power_is_energy_and_exchange,
    implicit_parts_never_push_away,
    the_world_may_move,
    forces_inside_a_mechanism_cancel,
    it_is_written_and_read_exactly,
]
