# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo: contacts are soft and of a relaxed cone; their stiffness is bounded by the step."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from redmax.spatial import so3

from ..mechanisms import quaternion
from ..touching_scenes import BOX, CAPSULE, FREE, HINGE, SPHERE, WORLD, Part, Touching, frame
from .touching_base import TouchingMachine, exact_step, step_name

NAME = "MuJoCo"
OFF = mujoco.mjtDisableBit
GEOMS = {BOX: mujoco.mjtGeom.mjGEOM_BOX, SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE, CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE}
ROWS = ("geom_solref", "geom_solimp", "eq_solref", "eq_solimp")
STIFF, STIFFEST = (0.99, 0.999, 1e-4, 0.5, 2.0), (0.9999, 0.9999, 1e-4, 0.5, 2.0)
"""solimp: the closer to 1, the harder; MuJoCo clips at 0.9999."""


@dataclass(frozen=True)
class Way:
    """h: step [s]. impedance: solimp, with solref of two steps; None for its own. noslip: rounds of the solver that
    takes out creep. impratio: how much harder friction is than the normal."""

    h: float
    impedance: tuple[float, ...] | None = None
    noslip: int = 0
    impratio: float = 1.0


WAYS = {
    f"as it comes, {step_name(0.002)}": Way(0.002),
    f"elliptic, noslip, {step_name(0.002)}": Way(0.002, None, 10, 10.0),
    f"stiff, noslip, {step_name(0.001)}": Way(0.001, STIFF, 20, 10.0),
    f"stiffest, noslip, {step_name(1e-4)}": Way(1e-4, STIFFEST, 50, 100.0),
}


def add_geom(spec: mujoco.MjSpec, body: mujoco.MjsBody, part: Part, friction: float) -> None:
    geom = body.add_geom(name=part.name)
    if part.corners:
        mesh = spec.add_mesh(name=part.name)
        mesh.uservert = np.ravel(part.corners)
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, part.name
    else:
        geom.type = GEOMS[part.shape]
        halves = {BOX: [0.5 * edge for edge in part.size]}.get(part.shape, [part.size[0], 0.5 * part.size[-1], 0.0])
        geom.size = halves if part.shape != SPHERE else [part.size[0], 0.0, 0.0]
    geom.friction, geom.mass = [friction, 0.0, 0.0], 0.0


class MuJoCoTouching(TouchingMachine):
    def __init__(self, scene: Touching) -> None:
        super().__init__(scene)
        spec = mujoco.MjSpec()
        spec.option.gravity = scene.gravity
        spec.option.disableflags = int(OFF.mjDSBL_AUTORESET)
        bodies = {WORLD: spec.worldbody}
        for k, part in enumerate(scene.parts):
            above = scene.parts[part.parent] if part.parent != WORLD else None
            R = frame(above.turn) if above else np.eye(3)
            offset = R.T @ np.subtract(part.at, above.at if above else (0.0, 0.0, 0.0))
            made = bodies[part.parent].add_body(name=part.name, pos=offset)
            made.quat = quaternion(so3.log(R.T @ frame(part.turn)))
            made.mass, made.ipos, made.inertia = part.mass, [0.0, 0.0, 0.0], part.inertia
            made.explicitinertial = True
            own = frame(part.turn).T
            if part.joint == FREE:
                made.add_freejoint()
            elif part.joint == HINGE:
                place = own @ np.subtract(part.pin, part.at)
                made.add_joint(name=part.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=own @ part.axis, pos=place)
            else:
                made.add_joint(name=part.name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=own @ part.axis)
            add_geom(spec, made, part, scene.friction)
            bodies[k] = made
        if scene.ground:
            ground = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[50.0, 50.0, 1.0])
            ground.friction = [scene.friction, 0.0, 0.0]
        for pin in scene.pins:
            a, b = scene.parts[pin.a], scene.parts[pin.b]
            row = spec.add_equality(
                type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=a.name, name2=b.name
            )
            row.data[:3] = frame(a.turn).T @ np.subtract(pin.at, a.at)
            spec.add_exclude(bodyname1=a.name, bodyname2=b.name)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.own = {name: getattr(self.model, name).copy() for name in ROWS}
        self.body = np.array([self.model.body(part.name).id for part in scene.parts])
        self.v, self.push = np.zeros(self.model.nv), np.zeros(self.model.nv)
        for part, body in zip(scene.parts, self.body, strict=True):
            first = self.model.jnt_dofadr[self.model.body_jntadr[body]]
            if part.joint == FREE:
                self.v[first : first + 3] = part.velocity
            self.push[first] += part.push

    def settings(self) -> tuple[str, ...]:
        return tuple(WAYS)

    def begin(self, setting: str) -> None:
        way, model, option = WAYS[setting], self.model, self.model.opt
        mujoco.mj_resetData(model, self.data)
        self.steps, option.timestep = exact_step(way.h)
        option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if way.noslip else mujoco.mjtCone.mjCONE_PYRAMIDAL
        option.impratio, option.noslip_iterations = way.impratio, way.noslip
        option.tolerance, option.iterations = (1e-8, 100) if way.impedance is None else (1e-15, 200)
        for name, value in self.own.items():
            getattr(model, name)[:] = value
            if way.impedance is not None:
                getattr(model, name)[:] = (2.0 * option.timestep, 1.0) if "ref" in name else way.impedance
        self.data.qvel, self.data.qfrc_applied = self.v, self.push
        mujoco.mj_forward(model, self.data)

    def frame(self, number: int) -> None:  # noqa: ARG002
        mujoco.mj_step(self.model, self.data, self.steps)
        mujoco.mj_fwdPosition(self.model, self.data)  # a step leaves poses and energies of its beginning behind

    def poses(self) -> np.ndarray:
        E = np.tile(np.eye(4), (len(self.body), 1, 1))
        E[:, :3, :3], E[:, :3, 3] = self.data.xmat[self.body].reshape(-1, 3, 3), self.data.xpos[self.body]
        return E

    def energy(self) -> float:
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())


def build(scene: Touching) -> MuJoCoTouching:
    return MuJoCoTouching(scene)
