# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints evaluated together against each joint's own `motion`: every sequence of primitives, every chart, any angle."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.random_trees import random_model
from engine.vectorised.comparison import assert_routes_agree
from redmax.errors import RedMaxError
from redmax.joints import JOINTS, Composite, Joint, JointMotion, Revolute
from redmax.joints.primitives import BALL
from redmax.joints.trusted import trusted_primitives
from redmax.vectorised.layout import JointLayout
from redmax.vectorised.stages import Coordinates

ROUNDINGS = 2e-15  # a dozen roundings of numbers up to 2; coordinates up to 7 enter linearly and are scaled for below


def part(kind, **own):
    return JOINTS[kind].part(**own)


SEQUENCES = {
    "turns": [part("revolute", axis=(1, 2, 3)), part("screw", axis=(0, 1, 1), pitch=0.7), part("universal")],
    "slides around a turn": [part("planar"), part("revolute", axis=(0, 1, 2)), part("prismatic", axis=(1, 0, 1))],
    "ball then slides": [part("spherical"), part("translational")],
    "slides then ball": [part("prismatic", axis=(1, 1, 0)), part("planar"), part("spherical")],
    "ball then Euler": [part("spherical"), part("spherical_euler", sequence="zxz")],
    "two Euler": [part("spherical_euler", sequence="xzy"), part("spherical_euler", sequence="yxy")],
    "nested": [
        part("composite", parts=(part("revolute"), part("spherical_euler", sequence="zyx"))),
        part("fixed"),
        part("composite", parts=(part("prismatic", axis=(0, 0, 1)), part("screw", axis=(1, 0, 0), pitch=-0.4))),
    ],
    "nothing moves": [part("fixed")],
}


def joint_of(parts):
    return Composite(name="whole", parent=None, child="body", parts=tuple(parts))


def assert_as_motion(joints, q, qdot, chart):
    """Q, S and Sdot of several joints at once; q, qdot: lists, one entry per joint."""
    model = stand_in(joints)
    motion = JointLayout(model).motion(Coordinates(np.concatenate(q), np.concatenate(qdot), np.array(chart)))
    for j, joint in enumerate(joints):
        columns = model.columns(j)
        Q, S, Sdot = joint.motion(q[j], qdot[j], chart[j])
        scale = max(1.0, np.abs(q[j]).max(initial=0.0)) * max(1.0, np.abs(qdot[j]).max(initial=0.0))
        for found, expected in (
            (motion.R[:, :, j], Q[:3, :3]),
            (motion.p[:, j], Q[:3, 3]),
            (motion.S[:, columns], S),
            (motion.Sdot[:, columns], Sdot),
        ):
            assert np.abs(found - expected).max(initial=0.0) <= ROUNDINGS * scale


def stand_in(joints):
    """The part of a model that a layout reads."""
    model = random_model(np.random.default_rng(0), 1)
    dof = np.concatenate([[0], np.cumsum([joint.ndof for joint in joints])])
    names = tuple(f"body {k}" for k in range(len(joints)))
    return dataclasses.replace(model, joints=tuple(joints), dof=dof, body_names=names)


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences_in_every_chart(name):
    rng = np.random.default_rng(1)
    joint = joint_of(SEQUENCES[name])
    joints = [joint] * joint.chart_count
    q = [rng.uniform(-2.0, 2.0, joint.ndof) for _ in joints]
    assert_as_motion(joints, q, [rng.uniform(-1.0, 1.0, joint.ndof) for _ in joints], list(range(joint.chart_count)))


def test_different_joints_side_by_side():
    """Stages hold joints that are not neighbours, with stages of other kinds between them."""
    rng = np.random.default_rng(2)
    joints = [joint_of(parts) for parts in SEQUENCES.values() for _ in range(2)]
    rng.shuffle(joints)
    q = [rng.uniform(-2.0, 2.0, joint.ndof) for joint in joints]
    chart = [int(rng.integers(joint.chart_count)) for joint in joints]
    assert_as_motion(joints, q, [rng.uniform(-1.0, 1.0, joint.ndof) for joint in joints], chart)


@pytest.mark.parametrize("kind", JOINTS.kinds)
@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-8, 1e-4, 0.1, 1.99999, 2.00001, 3.1, 6.2, 7.0])
def test_angles_of_every_size(kind, size):
    """Rotation vectors across the change from series to closed form, and tiny ones without loss."""
    rng = np.random.default_rng(3)
    model = random_model(rng, 4, kinds=[kind])
    q, qdot = [], []
    for joint in model.joints:
        direction = rng.standard_normal(joint.ndof)
        q.append(size * direction / max(1e-9, np.linalg.norm(direction[:3]) if joint.ndof else 1.0))
        qdot.append(rng.uniform(-1.0, 1.0, joint.ndof))
    assert_as_motion(list(model.joints), q, qdot, [0] * 4)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Wavering(Joint):
    """A joint of one coordinate that only its `motion` knows: S depends on q."""

    dof_names = ("angle",)
    dof_units = ("rad",)

    def motion(self, q, qdot, chart=0):
        turn = Revolute.part(axis=(0.0, 0.0, 1.0)).motion(q, qdot)
        Q = turn.Q.copy()
        Q[2, 3] = np.sin(q[0])
        S, Sdot = np.zeros((6, 1)), np.zeros((6, 1))
        S[2, 0], S[5, 0], Sdot[5, 0] = 1.0, np.cos(q[0]), -np.sin(q[0]) * qdot[0]
        return JointMotion(Q, S, Sdot)


class Geared(Revolute):
    """A hinge that turns twice as far as its base class says."""

    def motion(self, q, qdot, chart=0):
        Q, S, Sdot = Revolute.motion(self, 2.0 * q, 2.0 * qdot, chart)
        return JointMotion(Q, 2.0 * S, 2.0 * Sdot)


class GearedAndSaid(Geared):
    """The same, which lists primitives again: a screw whose axis counts twice cannot be one, so it says None."""

    def primitives(self):
        return None


class Unwound(Revolute):
    """A hinge that counts its turns otherwise; it moves as its base class says."""

    def rewrite(self, q, qdot, chart, *, chart_like, q_like):
        return q - 2.0 * np.pi * np.round((q - q_like) / (2.0 * np.pi)), qdot


class Wrong(Revolute):
    """Says it is a ball joint."""

    def primitives(self):
        return (BALL,)


HINGE = {"name": "joint", "parent": None, "child": "body"}


def test_primitives_are_trusted_unless_motion_is_newer():
    hinge = Revolute(**HINGE)
    assert trusted_primitives(hinge) == hinge.primitives() != ()
    assert trusted_primitives(Geared(**HINGE)) is None
    assert trusted_primitives(GearedAndSaid(**HINGE)) is None
    assert trusted_primitives(Unwound(**HINGE)) is None
    assert trusted_primitives(Wavering(**HINGE)) is None
    with pytest.raises(RedMaxError, match="its primitives have 3 degrees of freedom"):
        trusted_primitives(Wrong(**HINGE))
    inherited = type("Named", (Revolute,), {})(**HINGE)
    assert trusted_primitives(inherited) == hinge.primitives()


def test_a_composite_is_trusted_as_far_as_its_parts():
    assert trusted_primitives(joint_of([part("revolute"), part("prismatic")])) is not None
    assert trusted_primitives(joint_of([part("revolute"), Geared.part()])) is None
    assert trusted_primitives(joint_of([joint_of([Wavering.part()]), part("prismatic")])) is None


def test_primitives_with_other_freedoms_are_refused_by_name():
    with pytest.raises(
        RedMaxError, match=r"joint 'joint' \(Wrong\): its primitives have 3 degrees of freedom and 1 ch"
    ):
        JointLayout(stand_in([Wrong(**HINGE)]))


@pytest.mark.parametrize("own", [Wavering, Geared, Unwound])
def test_routes_agree_with_joints_only_their_motion_knows(own):
    rng = np.random.default_rng(4)
    model = random_model(rng, 12, kinds=["revolute", "spherical", "free"])
    hinges = [j for j, joint in enumerate(model.joints) if isinstance(joint, Revolute)]
    assert len(hinges) > 2
    joints = list(model.joints)
    for j in hinges[::2]:
        joints[j] = own(**{field.name: getattr(joints[j], field.name) for field in dataclasses.fields(own)})
    model = dataclasses.replace(model, joints=tuple(joints))
    q = rng.uniform(-0.5, 0.5, model.dof_count)
    assert_routes_agree(rng, model, q, rng.uniform(-1.0, 1.0, model.dof_count))
