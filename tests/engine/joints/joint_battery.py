# SPDX-License-Identifier: GPL-3.0-or-later
"""What every joint must satisfy, whatever it is. Each check takes one joint, made by `Joint.part`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.spline_examples import off_borders, ring_track, torus_sheet, with_paths
from redmax import io
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics, recentred
from redmax.fields import DOF_UNITS, REQUIRED, defaults, specs
from redmax.geometry.solids import Box
from redmax.joints import (
    JOINTS,
    Composite,
    Fixed,
    Joint,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    SplineCurve,
    Translational,
)
from redmax.joints.custom import OtherChart
from redmax.joints.euler_charts import CHARTS
from redmax.scene import Body, Scene
from redmax.spatial import pose
from redmax.symbolic.contacts import EULER_CHARTS

FD_STEP = 2e-3
FD_TOLERANCE = 1e-11  # fourth order: FD_STEP^4 / 30 = 5e-13 times derivatives up to 10; round-off 1e-13
ROUND_OFF = 1e-13  # a few products of matrices with entries up to 10
ANGLES = (0.0, 1e-9, 1e-4, 1.0, np.pi - 1e-6, np.pi, 1.5 * np.pi - 1e-6, 1.5 * np.pi + 1e-6, 1.9 * np.pi)
TURNS = (1.6 * np.pi, 1.99 * np.pi, 2.0 * np.pi, 3.5 * np.pi, 17.0 * np.pi)
QUARTER_TURNS = (0.5 * np.pi, -0.5 * np.pi, np.pi)  # gimbal locks of Euler angles

TRACKS = (
    ring_track(1, size=2.0),
    ring_track(2, size=2.0, cyclic=False),
    ring_track(3, coordinate="parameter", endpoints=True, cyclic=False),
    ring_track(4, size=4.0, basis="catmull_rom"),
    ring_track(5, size=4.0, orientation="tangent", bank=(0.0, 0.1, 0.3, -0.2, 0.1, 0.4, 0.2, 0.0, -0.1)),
)
SHEETS = tuple(
    torus_sheet(1 + k, **({"count": (24, 20), "turn": 0.05, "dent": 0.01} | fields))
    for k, fields in enumerate(
        (
            {},
            {"cyclic_u": False, "cyclic_v": False, "turn": 0.01, "dent": 0.001},
            {"basis": "catmull_rom", "turn": 0.02, "dent": 0.002},
            {"orientation": "normal"},
        )
    )
)

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "revolute": [{}, {"axis": (1.0, -2.0, 0.5)}],
    "prismatic": [{}, {"axis": (1.0, -2.0, 0.5)}],
    "screw": [{"axis": (1.0, -2.0, 0.5), "pitch": 0.7}, {"pitch": -0.02}],
    "spherical_euler": [{"sequence": sequence} for sequence in CHARTS],
    "free_translation_euler": [{"sequence": "xyz"}, {"sequence": "zxz"}],
    "composite": [
        {"parts": (Revolute.part(axis=(1.0, 0.0, 0.0)), Prismatic.part(axis=(1.0, 0.0, 0.0)))},
        {"parts": (Spherical.part(), Translational.part())},
        {"parts": (Prismatic.part(), Composite.part(parts=(SphericalEuler.part(sequence="xzx"), Fixed.part())))},
        {"parts": (SplineCurve.part(track="track", path=ring_track(1, size=2.0)), Revolute.part())},
    ],
    "custom": [
        {
            "coordinates": "angle: rad",
            "constants": "rise = 0.3",
            "transform": "Rz(angle) * Tz(rise * (1 - cos(q1)) / 2)",
        },
        {
            "coordinates": "a: rad; b: m; c: 1",
            "constants": "k = 0.3; l = k / 2",
            "transform": "R(1, 0.2 * sin(a), k, a) * T(b, tanh(c) * l, sqrt(1 + b**2)) * euler_zxz(k * c, 0.1, l * b)",
        },
        {
            "coordinates": "a: rad; b: rad; c: rad",
            "transform": "euler_xyz(a, b, c) * Tx(0.3)",
            "from_pose": EULER_CHARTS[0][1],
            "charts": (OtherChart(transform="euler_zxz(a, b, c) * Tx(0.3)", from_pose=EULER_CHARTS[1][1]),),
        },
    ],
    "surface_contact": [
        {"first": a, "first_size": sizes, "second": b, "second_size": others, "twist": 0.7, "spin": spin}
        for a, sizes, b, others, spin in (
            ("torus", (0.6, 0.15, 0.1), "torus", (0.5, 0.2, 0.1), False),
            ("sphere", (0.4, 0.1, 0.1), "sphere", (0.3, 0.1, 0.1), True),
            ("ellipsoid", (0.5, 0.4, 0.3), "plane", (1.0, 1.0, 1.0), True),
            ("plane", (1.0, 1.0, 1.0), "cylinder", (0.3, 0.1, 0.1), True),
            ("cylinder", (0.3, 0.1, 0.1), "ellipsoid", (0.5, 0.4, 0.3), False),
        )
    ],
    "point_contact": [
        {"first": "circle", "first_size": (0.5, 0.1, 0.1)},
        {"first": "torus", "first_size": (0.6, 0.2, 0.1)},
    ],
    "spline_curve": [{"track": "track", "path": track} for track in TRACKS],
    "spline_surface": [{"sheet": "sheet", "path": sheet} for sheet in SHEETS],
}
"""Parameters of the kinds that have some; a kind that can do without is tested with its defaults."""


def examples(cls: type[Joint]) -> list[Joint]:
    """Joints of one kind to run the battery on."""
    needed = [n for n in specs(cls) if n not in specs(Joint) and defaults(cls)[n] is REQUIRED]
    assert cls.kind in EXAMPLES or not needed, f"joint kind '{cls.kind}' needs an example with {', '.join(needed)}"
    return [cls.part(**parameters) for parameters in EXAMPLES.get(cls.kind, [{}])]


def coordinates(joint: Joint, angles: tuple[float, ...] = ANGLES) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """(q, qdot, chart): rotations of the given size about a generic direction and every gimbal lock, in every chart."""
    rng = np.random.default_rng(20)
    turns = np.array([unit == "rad" for unit in joint.dof_units], dtype=bool)
    for chart in range(joint.chart_count):
        for angle in (*angles, *QUARTER_TURNS):
            q = rng.standard_normal(joint.ndof)
            if turns.any() and angle in QUARTER_TURNS:
                q[turns] = angle
            elif turns.any():
                q[turns] *= angle / np.linalg.norm(q[turns])
            yield off_borders(joint, q, 0.05), rng.standard_normal(joint.ndof), chart


def derivative(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """f'(0), fourth-order central differences."""
    h = FD_STEP
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


def S_is_the_derivative_of_Q(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint):
        Q, S, _ = joint.motion(q, qdot, chart)
        assert S.shape == (6, joint.ndof)
        for k, unit in enumerate(np.eye(joint.ndof)):
            dQ = derivative(lambda t, q=q, e=unit, c=chart: joint.motion(q + t * e, np.zeros_like(q), c).Q)
            np.testing.assert_allclose(pose.inverse(Q) @ dQ, pose.bracket(S[:, k]), atol=FD_TOLERANCE)


def Sdot_is_the_derivative_of_S_along_the_motion(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint):
        Sdot = joint.motion(q, qdot, chart).Sdot
        along = derivative(lambda t, q=q, v=qdot, c=chart: joint.motion(q + t * v, v, c).S)
        np.testing.assert_allclose(Sdot, along, atol=30.0 * FD_TOLERANCE)  # |qdot|^5 is up to 30


def Q_is_a_pose(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint):
        assert pose.is_pose(joint.motion(q, qdot, chart).Q, tol=1e-14)


def qdot_enters_Sdot_only_and_linearly(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint):
        still, slow, fast = (joint.motion(q, factor * qdot, chart) for factor in (0.0, 1.0, -2.0))
        np.testing.assert_array_equal(still.Sdot, 0.0)
        np.testing.assert_array_equal(still.Q, slow.Q)
        np.testing.assert_array_equal(still.S, slow.S)
        np.testing.assert_allclose(fast.Sdot, -2.0 * slow.Sdot, atol=ROUND_OFF)


def motion_and_recentre_leave_their_arguments_alone(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint, TURNS):
        before = q.copy(), qdot.copy()
        q.flags.writeable = qdot.flags.writeable = False
        joint.motion(q, qdot, chart)
        joint.recentre(q, qdot, chart)
        np.testing.assert_array_equal((q, qdot), before)


def recentre_keeps_pose_and_twist_and_is_idempotent(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint, ANGLES + TURNS):
        old = joint.motion(q, qdot, chart)
        q1, qdot1, chart1 = joint.recentre(q, qdot, chart)
        new = joint.motion(q1, qdot1, chart1)
        np.testing.assert_allclose(new.Q, old.Q, atol=ROUND_OFF)
        np.testing.assert_allclose(new.S @ qdot1, old.S @ qdot, atol=ROUND_OFF)
        q2, qdot2, chart2 = joint.recentre(q1, qdot1, chart1)
        np.testing.assert_array_equal((q2, qdot2), (q1, qdot1))
        assert 0 <= chart1 < joint.chart_count
        assert chart2 == chart1


def recentred_coordinates_are_not_singular(joint: Joint) -> None:
    for q, qdot, chart in coordinates(joint, ANGLES + TURNS):
        S = joint.motion(*joint.recentre(q, qdot, chart)).S
        if joint.ndof:
            # Rotation vectors at 1.5 pi: 0.3. Euler angles at |det| = 1/2: 0.37. Lever arms of up to 6 m: a tenth.
            assert np.linalg.svd(S, compute_uv=False)[-1] > 0.02


def rewrite_keeps_pose_and_twist_and_stays_near(joint: Joint) -> None:
    step = 0.01
    for q, qdot, chart in coordinates(joint, (1.0, 1.5 * np.pi + 1e-6, *TURNS)):
        now, _, chart_now = joint.recentre(q, qdot, chart)
        past_q = q - step * qdot
        q1, qdot1 = joint.rewrite(past_q, qdot, chart, chart_like=chart_now, q_like=now)
        old, new = joint.motion(past_q, qdot, chart), joint.motion(q1, qdot1, chart_now)
        np.testing.assert_allclose(new.Q, old.Q, atol=ROUND_OFF)
        np.testing.assert_allclose(new.S @ qdot1, old.S @ qdot, atol=10.0 * ROUND_OFF)  # near lock qdot1 is larger
        assert np.linalg.norm(q1 - now) <= 10.0 * step * np.linalg.norm(qdot)


def dof_names_and_units_match_ndof(joint: Joint) -> None:
    assert len(joint.dof_names) == len(joint.dof_units) == joint.ndof <= 6
    assert len(set(joint.dof_names)) == joint.ndof
    assert set(joint.dof_units) <= set(DOF_UNITS)
    assert joint.label


def example_scene(joint: Joint) -> Scene:
    """A box on the joint, hanging from the world, at a generic place."""
    rng = np.random.default_rng(21)
    q = rng.uniform(-1.0, 1.0, joint.ndof)
    q = np.where([end.lower == 0.0 for end in joint.ends()], np.abs(q), q)
    placed = dataclasses.replace(
        joint,
        name="joint",
        parent=None,
        child="body",
        q=tuple(q.tolist()),
        qdot=tuple(rng.uniform(-1.0, 1.0, joint.ndof).tolist()),
    )
    body = Body(name="body", shapes=(Box(size=(0.1, 0.2, 0.3), density=500.0),))
    return with_paths(Scene(bodies=[body], joints=[placed]))


def a_scene_with_the_joint_survives_JSON(joint: Joint) -> None:
    scene = example_scene(joint)
    text = io.dumps(scene)
    read = io.loads(text)
    assert read.joints == scene.joints
    assert io.dumps(read) == text


def a_scene_with_the_joint_compiles(joint: Joint) -> None:
    model = compile_scene(example_scene(joint))
    state = model.initial_state()
    assert model.dof_count == joint.ndof
    kin = kinematics(model, state.q, state.qdot, state.chart)
    Q, S, _ = joint.motion(state.q, state.qdot)
    np.testing.assert_allclose(body_poses(model, kin)[0], Q, atol=ROUND_OFF)
    np.testing.assert_allclose(kin.V[0], S @ state.qdot, atol=ROUND_OFF)
    moved = recentred(model, state)
    np.testing.assert_allclose(kinematics(model, moved.q, moved.qdot, moved.chart).phi, kin.phi, atol=ROUND_OFF)


CHECKS: tuple[Callable[[Joint], None], ...] = (
    S_is_the_derivative_of_Q,
    Sdot_is_the_derivative_of_S_along_the_motion,
    Q_is_a_pose,
    qdot_enters_Sdot_only_and_linearly,
    motion_and_recentre_leave_their_arguments_alone,
    recentre_keeps_pose_and_twist_and_is_idempotent,
    recentred_coordinates_are_not_singular,
    rewrite_keeps_pose_and_twist_and_stays_near,
    dof_names_and_units_match_ndof,
    a_scene_with_the_joint_survives_JSON,
    a_scene_with_the_joint_compiles,
)


def cases() -> Iterator[tuple[str, Joint]]:
    """(title, joint) for every example of every registered kind."""
    for cls in JOINTS:
        for index, joint in enumerate(examples(cls)):
            yield f"{cls.kind}-{index}", joint
