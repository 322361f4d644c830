# SPDX-License-Identifier: GPL-3.0-or-later
"""Ours with hard limits, couplings, drives, prescribed joints, motors and limited balls, at Accuracy Standard."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS, Coupling, JointMotion
from redmax.drives import Drive, DriveInput, Follower
from redmax.errors import RedMaxError
from redmax.fields import specs
from redmax.integrators import Automatic, Integrator, LinearlyImplicitEuler
from redmax.joints import JOINTS, Joint
from redmax.scene import Scene
from redmax.simulate import record, simulate
from redmax.tables import Table
from redmax.trajectory import Trajectory

from ..held_mechanisms import DURATION, Held, ball_angles
from ..measure import now
from .base import FPS, Unsupported
from .loops_in_redmax import STANDARD
from .loops_in_redmax import scene as scene_of

NAME = "RedMax"
HIGH = Automatic(accuracy="high")
SAME_STEPS = LinearlyImplicitEuler(h=1e-3)
"""The same kind of step as a peer's Euler with implicit damping, as long as its usual ones [s]."""
BALL_LIMIT, MOTOR = "ball_limit", "motor"
"""The kind of constraint, and the record of a joint, that rows wait for which the engine cannot do yet."""


def ball_limit(joint: str, held: Held) -> dict[str, Any]:
    """A limit of a ball as scene files would have it: two half angles of the swing cone, and the range of the twist."""
    assert held.balls is not None
    swing, twist = held.balls.swing, held.balls.twist
    fields = {"twist_axis": "x", "swing_1": swing, "swing_2": swing, "twist_lower": -twist, "twist_upper": twist}
    return {"kind": BALL_LIMIT, "name": f"limit of {joint}", "joint": joint, **fields}


def motor(held: Held) -> dict[str, Any]:
    """The record of a motor as scene files would have it."""
    assert held.motor is not None
    speed, gain, torque = held.motor.speed, held.motor.gain, held.motor.torque
    return {"control": "speed", "target_speed": speed, "speed_gain": gain, "maximum": torque}


def scene(held: Held) -> Scene:
    """Raises Unsupported, saying what is not there yet."""
    made = scene_of(held.linkage)
    names = [joint.name for joint in made.joints]
    for limit in held.limits:
        stops = {"lower": limit.lower, "upper": limit.upper}
        made.joints[limit.joint] = dataclasses.replace(made.joints[limit.joint], **stops)
    if held.drive:
        inputs = list(dict.fromkeys(gear.leader for gear in held.gears))
        followers = tuple(
            Follower(
                joint=names[gear.follower], ratio=tuple(gear.ratio if k == gear.leader else 0.0 for k in inputs)
            )
            for gear in held.gears
        )  # fmt: skip
        own = tuple(DriveInput(joint=names[k]) for k in inputs)
        made.drives.append(Drive(name="drive", inputs=own, followers=followers))
    else:
        for k, gear in enumerate(held.gears):
            ends = {"leader": names[gear.leader], "follower": names[gear.follower]}
            made.constraints.append(Coupling(name=f"gear {k}", ratio=gear.ratio, **ends))
    for moved in held.moved:
        made.constraints.append(JointMotion(name=f"path {moved.joint}", joint=names[moved.joint], table=path(moved)))
    if held.balls is None and held.motor is None:
        return made
    return with_new_elements(held, io.plain(made))


def path(moved: Any) -> Table:
    """A cubic over the whole run is one interval of a Hermite table."""
    a, b, c = moved.path
    start, end = moved.at(np.array([0.0, DURATION])).tolist()
    slopes = ((a,), (a + 2.0 * b * DURATION + 3.0 * c * DURATION**2,))
    return Table(x=(0.0, DURATION), y=((start,), (end,)), interpolation="hermite", slopes=slopes)


def with_new_elements(held: Held, data: dict[str, Any]) -> Scene:
    """The scene with elements that not every version of the engine has."""
    if held.balls is not None:
        if BALL_LIMIT not in CONSTRAINTS:
            raise Unsupported(f"not there yet: there is no constraint '{BALL_LIMIT}'")
        for joint in data["joints"]:
            joint.pop("axis")
            joint |= {"kind": JOINTS["spherical"].kind, "qdot": list(held.balls.spin)}
        data["constraints"] = [ball_limit(joint["name"], held) for joint in data["joints"]]
    if held.motor is not None:
        if MOTOR not in specs(Joint):
            raise Unsupported(f"not there yet: joints have no '{MOTOR}'")
        for joint in data["joints"]:
            joint[MOTOR] = motor(held)
    try:
        return io.loads(json.dumps(data))
    except RedMaxError as error:
        raise Unsupported(f"its fields are others than this benchmark assumes: {error}") from None


class RedMaxHeld:
    def __init__(self, held: Held) -> None:
        self.held = held
        self.model = compile_scene(scene(held))
        bodies = [body.name for body in held.linkage.bodies]
        self.index = [self.model.body_names.index(name) for name in bodies]
        joints = [self.model.joint_names.index(f"to {name}") for name in bodies]
        self.columns = [int(self.model.dof[k]) for k in joints]
        self.told = ""

    def run(self, frames: int, longest: float = math.inf, *, integrator: Integrator = STANDARD) -> np.ndarray:
        """Coordinates (frames, joints) of as many frames as it came to, within `longest` seconds; all poses are read.

        `told`: why there are no more.
        """
        q = np.full((frames, len(self.index)), np.nan)
        poses = np.empty((frames, len(self.index), 4, 4))
        end = now() + longest
        self.told, done = "", 0
        try:
            stepper = integrator.begin(self.model, self.model.initial_state())
            for frame in range(frames):
                if now() > end:
                    self.told = f"stopped by the benchmark after {longest:g} s"
                    break
                state = stepper.advance((frame + 1) / FPS)
                poses[frame] = stepper.body_motion()[0][self.index]
                q[frame] = state.q[self.columns]
                done += 1
        except RedMaxError as error:
            self.told = str(error)
        self.poses = (poses @ self.model.E_ib[self.index])[:done]
        return q[:done]

    def passed(self, q: np.ndarray) -> float:
        """See `Held.passed`; of balls, how far the swing cone and the twist range are passed."""
        if self.held.balls is None:
            return self.held.passed(q)
        swing, twist, _ = ball_angles(between(self.poses))
        beyond = (swing - self.held.balls.swing, np.abs(twist) - self.held.balls.twist)
        return max(0.0, *(float(each.max(initial=0.0)) for each in beyond))

    def with_every_channel(self, frames: int) -> Trajectory:
        samples = simulate(self.model, integrator=STANDARD, fps=FPS, duration=frames / FPS)
        return record(self.model, samples, integrator=STANDARD, fps=FPS)


def between(poses: np.ndarray) -> np.ndarray:
    """Rotations (frames, n, 3, 3) of the links of a chain in the one before."""
    R = poses[..., :3, :3]
    before = np.concatenate([np.broadcast_to(np.eye(3), (len(R), 1, 3, 3)), R[:, :-1]], axis=1)
    return np.asarray(np.swapaxes(before, -1, -2) @ R)


def build(held: Held) -> RedMaxHeld:
    return RedMaxHeld(held)
