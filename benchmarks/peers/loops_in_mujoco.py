# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo: loops are `connect` equalities, which are soft; their stiffness is bounded by the step."""

from __future__ import annotations

from functools import partial

import mujoco
import numpy as np

from ..linkage import HINGE, Body, Linkage
from ..mechanisms import GRAVITY
from .base import FPS, steps_of_a_frame
from .loops_base import LoopMachine, Setting, step_label
from .loops_in_redmax import in_space

NAME = "MuJoCo"
OFF, ON = mujoco.mjtDisableBit, mujoco.mjtEnableBit
SWITCHED_OFF = (
    OFF.mjDSBL_CONTACT | OFF.mjDSBL_LIMIT | OFF.mjDSBL_FRICTIONLOSS | OFF.mjDSBL_SPRING | OFF.mjDSBL_DAMPER
    | OFF.mjDSBL_ACTUATION | OFF.mjDSBL_SENSOR | OFF.mjDSBL_AUTORESET
)  # fmt: skip
INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
}
OWN_STEP = 0.002
"""MuJoCo's default [s]."""

STEPS = tuple(OWN_STEP / 2**k for k in range(7))
STIFF_IMPEDANCE = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""solimp: the closer to 1, the harder; MuJoCo clips at 0.9999."""

CRITICAL = 1.0
"""Damping ratio of the rows: they return without swinging."""


def joint_name(body: Body) -> str:
    return f"to {body.name}"


def spec_of(linkage: Linkage, *, ball: bool = False) -> mujoco.MjSpec:
    """A linkage, not compiled yet. ball: with ball joints instead of all others."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False  # ranges of joints are in degrees otherwise
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    bodies = [spec.worldbody]
    home = [(0.0, 0.0), *(body.at for body in linkage.bodies)]
    for body in linkage.bodies:
        made = bodies[body.parent + 1].add_body(name=body.name, pos=in_space(body.at, home[body.parent + 1]))
        made.mass, made.ipos, made.inertia = body.mass, in_space(body.center, body.at), [body.inertia] * 3
        made.explicitinertial = True
        name = joint_name(body)
        if ball:
            made.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_BALL)
        elif body.joint == HINGE:
            made.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
        else:
            made.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1.0, 0.0, 0.0])
        bodies.append(made)
    for loop in linkage.loops:
        names = [linkage.bodies[i].name if i >= 0 else "world" for i in (loop.b, loop.a)]
        row = spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=names[0], name2=names[1]
        )
        row.data[:3] = in_space(loop.at, home[loop.b + 1])  # the anchor, in the first body's frame
    return spec


class MuJoCoLoops(LoopMachine):
    def __init__(self, linkage: Linkage) -> None:
        super().__init__(linkage)
        spec = spec_of(linkage)
        spec.option.disableflags = int(SWITCHED_OFF)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.own = {name: getattr(self.model, name).copy() for name in ("eq_solref", "eq_solimp")}
        # MuJoCo numbers bodies depth first.
        self.body = np.array([self.model.body(body.name).id for body in linkage.bodies])
        self.v = np.zeros(self.model.nv)
        self.v[self.model.jnt_dofadr[self.model.body_jntadr[self.body]]] = linkage.rates

    def energies(self) -> tuple[float, float, float]:
        self.begin("Euler", OWN_STEP, stiff=False)
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        potential, kinetic = self.data.energy
        return float(self.model.body_mass.sum()), float(potential), float(kinetic)

    def settings(self) -> list[Setting]:
        own = Setting("as it comes", step_label(OWN_STEP), partial(self.run, "Euler", OWN_STEP, stiff=False), own=True)
        stiff = [
            Setting(f"{name}, stiff", step_label(h), partial(self.run, name, h, stiff=True))
            for name in INTEGRATORS
            for h in STEPS
        ]
        return [own, *stiff]

    def begin(self, integrator: str, h: float, *, stiff: bool) -> None:
        """Back to the start. Stiff: rows as hard as the step allows, and solved as far as rounding allows."""
        model, option = self.model, self.model.opt
        mujoco.mj_resetData(model, self.data)
        option.integrator, option.timestep = INTEGRATORS[integrator], h
        option.solver, option.iterations, option.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 100, 1e-8
        model.eq_solref, model.eq_solimp = self.own["eq_solref"], self.own["eq_solimp"]
        if stiff:
            option.tolerance = 1e-15
            model.eq_solref[:], model.eq_solimp[:] = (2.0 * h, CRITICAL), STIFF_IMPEDANCE
        self.data.qvel = self.v

    def run(self, integrator: str, h: float, frames: int, *, stiff: bool) -> np.ndarray:
        steps = steps_of_a_frame(h)
        self.begin(integrator, 1.0 / (FPS * steps), stiff=stiff)
        places, turns = np.empty((frames, len(self.linkage), 3)), np.empty((frames, len(self.linkage), 9))
        for frame in range(frames):
            mujoco.mj_step(self.model, self.data, steps)
            mujoco.mj_kinematics(self.model, self.data)  # a step leaves the poses of its beginning behind
            places[frame], turns[frame] = self.data.xpos[self.body], self.data.xmat[self.body]
        return np.stack([places[..., 0], places[..., 2], np.arctan2(turns[..., 2], turns[..., 8])], axis=-1)


def build(linkage: Linkage) -> MuJoCoLoops:
    return MuJoCoLoops(linkage)
