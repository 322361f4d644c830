# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo with limits, joint equalities, prescribed joints and motors. All its rows are soft.

Prescribed joints follow, by an equality of degree 3, the coordinate of a clock: a slider so heavy that nothing slows it
down, at 1 m/s. Limits of a ball bound its whole angle of rotation; MuJoCo has no range of the twist.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..held_mechanisms import Held, ball_angles
from .base import FPS, steps_of_a_frame
from .held_in_redmax import between
from .loops_in_mujoco import CRITICAL, OFF, STIFF_IMPEDANCE, joint_name, spec_of

NAME = "MuJoCo"
SWITCHED_OFF = (
    OFF.mjDSBL_CONTACT | OFF.mjDSBL_FRICTIONLOSS | OFF.mjDSBL_SPRING | OFF.mjDSBL_DAMPER | OFF.mjDSBL_SENSOR
    | OFF.mjDSBL_AUTORESET
)  # fmt: skip
CLOCK, HEAVY = "clock", 1e7
"""Mass of the clock [kg]: what chains of a kilogram do to it changes its time by less than 1e-6 s."""


@dataclass(frozen=True)
class Way:
    """A way to run it. h: longest step [s]. stiff: rows as hard as the step allows, solved to rounding. rk4: Runge and
    Kutta's steps of order 4, not Euler's."""

    h: float
    stiff: bool
    rk4: bool = False

    @property
    def name(self) -> str:
        method = " RK4" if self.rk4 else ""
        return f"{NAME}{method} {1e3 / (FPS * steps_of_a_frame(self.h)):.2g} ms{', stiff' if self.stiff else ''}"


AS_IT_COMES, STIFF, STIFFEST = Way(1e-3, stiff=False), Way(1e-3, stiff=True), Way(1e-4, stiff=True)
WAYS = (AS_IT_COMES, STIFF, STIFFEST)
ACCURATE = tuple(Way(4e-4 * 0.5**k, stiff=False, rk4=True) for k in range(6))
"""Ways of order 4 from the longest step that strong dampers leave stable to one of 1.25e-5 s."""


class MuJoCoHeld:
    def __init__(self, held: Held) -> None:
        self.held = held
        linkage = held.linkage
        spec = spec_of(linkage, ball=held.balls is not None)
        spec.option.disableflags = int(SWITCHED_OFF)
        names = [joint_name(body) for body in linkage.bodies]
        joints = {joint.name: joint for joint in spec.joints}
        for limit in held.limits:
            joints[names[limit.joint]].limited = True
            joints[names[limit.joint]].range = [limit.lower, limit.upper]
        for gear in held.gears:
            self._tie(spec, names[gear.follower], names[gear.leader], (gear.ratio, 0.0, 0.0))
        if held.moved:
            clock = spec.worldbody.add_body(name=CLOCK)
            clock.mass, clock.inertia, clock.explicitinertial = HEAVY, [HEAVY] * 3, True
            clock.add_joint(name=CLOCK, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1.0, 0.0, 0.0])
        for moved in held.moved:
            self._tie(spec, names[moved.joint], CLOCK, moved.path)
        for name in names:
            if held.balls is not None:
                joints[name].limited, joints[name].range = True, [0.0, held.balls.swing]
            if held.motor is not None:
                motor = spec.add_actuator(name=f"motor {name}", target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
                motor.set_to_velocity(held.motor.gain)
                motor.forcelimited, motor.forcerange = True, [-held.motor.torque, held.motor.torque]
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.own = {name: getattr(self.model, name).copy() for name in ROWS}
        self.body = np.array([self.model.body(body.name).id for body in linkage.bodies])
        numbers = [self.model.joint(name).id for name in names]
        self.q = self.model.jnt_qposadr[numbers]
        self.v = np.zeros(self.model.nv)
        for k, number in enumerate(numbers):
            first = self.model.jnt_dofadr[number]
            if held.balls is not None:
                self.v[first : first + 3] = held.balls.spin
            else:
                self.v[first] = linkage.rates[k]
        if held.moved:
            self.v[self.model.jnt_dofadr[self.model.joint(CLOCK).id]] = 1.0

    @staticmethod
    def _tie(spec: mujoco.MjSpec, follower: str, leader: str, path: tuple[float, ...]) -> None:
        """follower = a x + b x^2 + c x^3 of the leader's coordinate x."""
        row = spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT, name1=follower, name2=leader
        )
        row.data[:5] = [0.0, *path, 0.0]

    def stops(self) -> np.ndarray:
        """(k, 2) limits as the engine has them, in the order of the description."""
        numbers = [self.model.joint(joint_name(self.held.linkage.bodies[limit.joint])).id for limit in self.held.limits]
        return np.asarray(self.model.jnt_range[numbers])

    def begin(self, way: Way) -> int:
        """Back to the start; gives the steps of a frame."""
        model, option = self.model, self.model.opt
        steps = steps_of_a_frame(way.h)
        mujoco.mj_resetData(model, self.data)
        option.integrator = mujoco.mjtIntegrator.mjINT_RK4 if way.rk4 else mujoco.mjtIntegrator.mjINT_EULER
        option.timestep = 1.0 / (FPS * steps)
        option.solver, option.iterations, option.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 100, 1e-8
        for name, value in self.own.items():
            getattr(model, name)[:] = value
        if way.stiff:
            option.tolerance = 1e-15
            for name in ROWS:
                getattr(model, name)[:] = (2.0 * option.timestep, CRITICAL) if "ref" in name else STIFF_IMPEDANCE
        self.data.qvel = self.v
        if self.held.motor is not None:
            self.data.ctrl[:] = self.held.motor.speed
        return steps

    def run(self, way: Way, frames: int) -> np.ndarray:
        """Coordinates (frames, joints); all poses are read. Of balls the coordinates mean nothing."""
        steps = self.begin(way)
        q, count = np.empty((frames, len(self.body))), len(self.body)
        places, turns = np.empty((frames, count, 3)), np.empty((frames, count, 9))
        for frame in range(frames):
            mujoco.mj_step(self.model, self.data, steps)
            mujoco.mj_kinematics(self.model, self.data)  # a step leaves the poses of its beginning behind
            q[frame] = self.data.qpos[self.q]
            places[frame], turns[frame] = self.data.xpos[self.body], self.data.xmat[self.body]
        self.turns = turns
        return q

    def passed(self, q: np.ndarray) -> float:
        if self.held.balls is None:
            return self.held.passed(q)
        poses = np.zeros((*self.turns.shape[:2], 4, 4))
        poses[..., :3, :3] = self.turns.reshape(*self.turns.shape[:2], 3, 3)
        angle = ball_angles(between(poses))[2]
        return max(0.0, float(angle.max()) - self.held.balls.swing)


ROWS = ("eq_solref", "eq_solimp", "jnt_solref", "jnt_solimp")


def build(held: Held) -> MuJoCoHeld:
    return MuJoCoHeld(held)
