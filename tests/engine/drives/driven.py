# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with drives, and the same held together by constraints. Import from `engine.drives.driven`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engine.mechanisms import Builder
from redmax.compile import compile as compile_scene
from redmax.constraints import Constraint, Coupling, Rows
from redmax.drives import Drive, DriveInput, Follower
from redmax.drives.followers import Followers
from redmax.integrators import Dop853
from redmax.model import Model
from redmax.scene import Scene
from redmax.simulate import record, simulate
from redmax.tables import Table

CAM = Table(
    x=(-4.0, -2.5, -1.2, 0.0, 1.0, 2.4, 4.0),
    y=((-1.9,), (-1.5,), (-0.9,), (0.1,), (0.6,), (1.7,), (2.1,)),
    interpolation="cubic",
)
"""A smooth curve that rises everywhere, steeply here and gently there."""


def chain(count: int, *, length: float = 0.4, axes: Any = ((0.0, 1.0, 0.0),), **fields: Any) -> Scene:
    """A chain of hinges h0, h1 ... along x; fields are those of every hinge. axes: in turn."""
    b = Builder("chain")
    parent = None
    for k in range(count):
        a = np.array([length * k, 0.0, 0.0])
        bar = b.bar(f"bar {k}", a, a + length * np.array([1.0, 0.0, 0.0]), mass=1.0 + 0.1 * k)
        b.hinge(f"h{k}", parent, bar, a, axis=axes[k % len(axes)], **fields)
        parent = bar
    return b.scene


def branching(**slider: Any) -> Scene:
    """A slider in the world that carries an arm, forearm and two fingers, and a wheel beside it."""
    b = Builder("branching")
    b.bar("carriage", (-0.2, 0.0, 0.0), (0.2, 0.0, 0.0), mass=2.0)
    b.joint("prismatic", "rail", None, "carriage", (0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), **slider)
    b.bar("arm", (0.0, 0.0, 0.0), (0.0, 0.1, -0.6), mass=1.2)
    b.hinge("shoulder", "carriage", "arm", (0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.2))
    b.bar("forearm", (0.0, 0.1, -0.6), (0.3, 0.1, -0.9), mass=0.8)
    b.joint("universal", "elbow", "arm", "forearm", (0.0, 0.1, -0.6))
    for side in (-1.0, 1.0):
        name = "left" if side < 0.0 else "right"
        b.bar(name, (0.3, 0.1, -0.9), (0.4, 0.1 + 0.1 * side, -1.1), mass=0.3)
        b.hinge(f"{name} knuckle", "forearm", name, (0.3, 0.1, -0.9), axis=(1.0, 0.3 * side, 0.0))
    b.bar("wheel", (0.5, 0.5, -0.1), (0.5, 0.5, 0.1), mass=1.5)
    b.hinge("axle", None, "wheel", (0.5, 0.5, 0.0), axis=(0.0, 1.0, 0.0), qdot=0.4, damping=0.02)
    return b.scene


def with_drives(scene: Scene, *drives: Drive) -> Scene:
    """The scene with drives."""
    return dataclasses.replace(scene, drives=list(drives))


def equal_angles(count: int, *, armature: float = 0.0, q: float = 0.3, qdot: float = 0.5, **input_: Any) -> Scene:
    """A chain whose angles are all the same: RBDN eq. 2.77."""
    own = DriveInput(q=q, qdot=qdot, armature=armature, **input_)
    followers = tuple(Follower(joint=f"h{k}") for k in range(count))
    return with_drives(chain(count), Drive(name="curl", inputs=(own,), followers=followers))


def hand(*, armature: float = 0.5, **input_: Any) -> Scene:
    """The branching mechanism with two drives: the slider moves shoulder and elbow, an input of its own the fingers."""
    scene = branching(qdot=0.8, stiffness=15.0)
    lift = Drive(
        name="lift",
        inputs=(DriveInput(joint="rail"),),
        followers=(
            Follower(joint="shoulder", ratio=2.0, table=CAM),
            Follower(joint="elbow", coordinate=1, ratio=-1.5, offset=0.2),
        ),
    )
    grip = Drive(
        name="grip",
        inputs=(
            DriveInput(**({"q": 0.2, "qdot": 1.0, "armature": armature} | input_)),
            DriveInput(joint="axle"),
        ),
        followers=(
            Follower(joint="left knuckle", ratio=(1.0, 0.3)),
            Follower(joint="right knuckle", ratio=(-1.2, 0.5), table=CAM, offset=-0.1),
        ),
    )
    return with_drives(scene, lift, grip)


def with_wheel(scene: Scene) -> Model:
    """A mechanism with a wheel beside it that its first joint turns by a curve."""
    beside = chain(1)
    wheel = dataclasses.replace(beside.joints[0], name="wheel")
    drive = Drive(
        name="gear",
        inputs=(DriveInput(joint=scene.joints[0].name),),
        followers=(Follower(joint="wheel", table=CAM),),
    )
    bodies, joints = [*scene.bodies, *beside.bodies], [*scene.joints, wheel]
    return compile_scene(dataclasses.replace(scene, bodies=bodies, joints=joints, drives=[drive]))


@dataclass(frozen=True, kw_only=True)
class Follow(Constraint):
    """The follower of a drive as a constraint: for tables what a coupling is for ratios."""

    kind: ClassVar[str] = "follow"
    followers: Any = field(default=None)
    row: int = 0
    joints: tuple[Any, ...] = ()

    def rows(self, at: Any) -> Rows:
        own: Followers = self.followers
        names = [self.joints[k] for k in (*own.inputs, own.rows[self.row])]
        seen = [at.joint(name) for name, _ in names]
        y = np.array([joint.q[k] for joint, (_, k) in zip(seen, names, strict=True)])
        ydot = np.array([joint.qdot[k] for joint, (_, k) in zip(seen, names, strict=True)])
        x = np.zeros(len(own.rows))
        ratio = own.ratio[self.row]
        x[self.row] = ratio @ y[:-1]
        value, slope, bend = (part[self.row] for part in own.curves.motion(x))
        C = np.append(-slope * ratio, 1.0)
        joints = []
        for joint, (_, k), c in zip(seen, names, C, strict=True):
            block = np.zeros((1, len(joint.q)))
            block[0, k] = c
            joints.append((joint.number, block))
        error = np.array([y[-1] - own.offset[self.row] - value])
        bias = np.array([bend * (ratio @ ydot[:-1]) ** 2])
        return Rows(np.zeros(1), bias, error, (False,), joints=tuple(joints))


def constrained_twin(model: Any) -> Any:
    """The model without drives, with a constraint for every follower. Its inputs need inertia of their own."""
    places = [(name, k) for j, name in enumerate(model.joint_names) for k in range(model.joints[j].ndof)]
    rows = range(len(model.followers.rows))
    follow = [Follow(name=f"follower {k}", followers=model.followers, row=k, joints=tuple(places)) for k in rows]
    return dataclasses.replace(model, followers=None, constraints=(*model.constraints, *follow))


def coupled(scene: Scene) -> Any:
    """The model of a scene whose drives have one joint as input and ratios only, with couplings instead."""
    couplings = [
        Coupling(
            name=f"{drive.name} {follower.joint}",
            leader=drive.inputs[0].joint,
            leader_coordinate=drive.inputs[0].coordinate,
            follower=follower.joint,
            follower_coordinate=follower.coordinate,
            ratio=follower.ratio,
            offset=follower.offset,
        )
        for drive in scene.drives
        for follower in drive.followers
    ]
    model = compile_scene(dataclasses.replace(scene, drives=[], constraints=[*scene.constraints, *couplings]))
    start = compile_scene(scene)
    return dataclasses.replace(model, q0=start.q0, qdot0=start.qdot0)


def run(model: Any, *, integrator: Any = None, duration: float = 1.0, fps: float = 20.0) -> Any:
    """The trajectory of a run that must reach its end."""
    integrator = integrator or Dop853(rtol=1e-11, atol=1e-11)
    found = record(
        model, simulate(model, integrator=integrator, duration=duration, fps=fps), integrator=integrator, fps=fps
    )
    assert found.status == "complete", found.message
    return found
