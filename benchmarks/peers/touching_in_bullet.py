# SPDX-License-Identifier: GPL-3.0-or-later
"""PyBullet: multibodies with a projected Gauss-Seidel solver, and errors taken out by a part of themselves per step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from redmax.spatial import so3

from ..mechanisms import quaternion
from ..touching_scenes import BOX, CAPSULE, FREE, HINGE, SPHERE, WORLD, Part, Touching, frame
from .touching_base import TouchingMachine, exact_step, step_name
from .with_pybullet import pybullet, silence

NAME = "PyBullet"
OWN_STEP = 1.0 / 240.0


@dataclass(frozen=True)
class Way:
    """h: step [s]. sweeps: rounds of the solver. exact: sweeps go on to rounding, and friction is of an exact cone."""

    h: float
    sweeps: int = 50
    exact: bool = False


WAYS = {
    f"as it comes, {step_name(OWN_STEP)}": Way(OWN_STEP),
    f"200 sweeps, {step_name(OWN_STEP)}": Way(OWN_STEP, 200, True),
    f"200 sweeps, {step_name(1e-3)}": Way(1e-3, 200, True),
    f"1000 sweeps, {step_name(2e-4)}": Way(2e-4, 1000, True),
}


class BulletTouching(TouchingMachine):
    def __init__(self, scene: Touching) -> None:
        super().__init__(scene)
        with silence():
            self.client = pybullet.connect(pybullet.DIRECT)
        self.where = {"physicsClientId": self.client}
        pybullet.setGravity(*scene.gravity, **self.where)
        self.place: list[tuple[int, int]] = [(-1, -1)] * len(scene.parts)  # body and link of each part
        if scene.ground:
            plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, **self.where)
            ground = pybullet.createMultiBody(0.0, plane, **self.where)
            self._material(ground, -1)
        for k, part in enumerate(scene.parts):
            if part.parent == WORLD:
                self._tree(k)
        for pin in scene.pins:
            (body, link), (other, end) = self.place[pin.a], self.place[pin.b]
            ends = [frame(scene.parts[i].turn).T @ np.subtract(pin.at, scene.parts[i].at) for i in (pin.a, pin.b)]
            pybullet.createConstraint(
                body, link, other, end, pybullet.JOINT_POINT2POINT, [0.0, 0.0, 0.0], ends[0], ends[1], **self.where
            )
            pybullet.setCollisionFilterPair(body, other, link, end, 0, **self.where)
        self.bodies = sorted({body for body, _ in self.place})
        self.parts_of = {
            body: [(k, link) for k, (own, link) in enumerate(self.place) if own == body] for body in self.bodies
        }
        self.pushed = [(*self.place[k], part.push) for k, part in enumerate(scene.parts) if part.push]
        self.start_state = pybullet.saveState(**self.where)

    def _shape(self, part: Part, at: np.ndarray | tuple[float, ...]) -> int:
        own = {"collisionFramePosition": at, **self.where}
        if part.shape == BOX:
            return pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[0.5 * x for x in part.size], **own)
        if part.shape == SPHERE:
            return pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=part.size[0], **own)
        if part.shape == CAPSULE:
            radius, height = part.size
            return pybullet.createCollisionShape(pybullet.GEOM_CAPSULE, radius=radius, height=height, **own)
        return pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=part.corners, **own)

    def _tree(self, root: int) -> None:
        """A multibody of a part and all that hangs from it; what slides on the world hangs from a fixed base."""
        parts = self.scene.parts
        members = [root]
        for k in range(root + 1, len(parts)):
            if parts[k].parent in members:
                members.append(k)
        free = parts[root].joint == FREE
        links = members[1:] if free else members
        base = parts[root] if free else None
        number = {member: k for k, member in enumerate(links, 1)} | ({root: 0} if free else {WORLD: 0})
        frames = {k: (frame(parts[k].turn), np.array(pin_of(parts[k]))) for k in links}
        frames[root if free else WORLD] = (frame(base.turn), np.array(base.at)) if base else (np.eye(3), np.zeros(3))
        spots, turns, centers = [], [], []
        for k in links:
            (R, p), (R_up, p_up) = frames[k], frames[parts[k].parent]
            spots.append((R_up.T @ (p - p_up)).tolist())
            turns.append(xyzw(tuple(quaternion(so3.log(R_up.T @ R)))))
            centers.append((R.T @ (np.array(parts[k].at) - p)).tolist())
        body = pybullet.createMultiBody(
            baseMass=base.mass if base else 0.0,
            baseCollisionShapeIndex=self._shape(base, (0.0, 0.0, 0.0)) if base else -1,
            basePosition=base.at if base else (0.0, 0.0, 0.0),
            baseOrientation=xyzw(base.turn) if base else (0.0, 0.0, 0.0, 1.0),
            linkMasses=[parts[k].mass for k in links],
            linkCollisionShapeIndices=[self._shape(parts[k], at) for k, at in zip(links, centers, strict=True)],
            linkVisualShapeIndices=[-1] * len(links),
            linkPositions=spots,
            linkOrientations=turns,
            linkInertialFramePositions=centers,
            linkInertialFrameOrientations=[(0.0, 0.0, 0.0, 1.0)] * len(links),
            linkParentIndices=[number[parts[k].parent] for k in links],
            linkJointTypes=[
                pybullet.JOINT_REVOLUTE if parts[k].joint == HINGE else pybullet.JOINT_PRISMATIC for k in links
            ],
            linkJointAxis=[(frames[k][0].T @ parts[k].axis).tolist() for k in links],
            flags=pybullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT | pybullet.URDF_USE_SELF_COLLISION,
            **self.where,
        )
        # Bullet numbers links depth first, which differs from our order in a tree.
        count = pybullet.getNumJoints(body, **self.where)
        names = [pybullet.getJointInfo(body, j, **self.where)[12].decode() for j in range(count)]
        if base:
            self.place[root] = (body, -1)
            pybullet.resetBaseVelocity(body, base.velocity, (0.0, 0.0, 0.0), **self.where)
        for k in links:
            self.place[k] = (body, names.index(f"link{number[k]}"))
        pybullet.changeDynamics(body, -1, linearDamping=0.0, angularDamping=0.0, **self.where)
        for k in members:
            _, link = self.place[k]
            self._material(body, link)
            pybullet.changeDynamics(body, link, localInertiaDiagonal=parts[k].inertia, **self.where)
            if link >= 0:
                pybullet.changeDynamics(body, link, jointDamping=0.0, maxJointVelocity=1e6, **self.where)
                pybullet.setJointMotorControl2(body, link, pybullet.VELOCITY_CONTROL, force=0.0, **self.where)

    def _material(self, body: int, link: int) -> None:
        """Bullet multiplies the coefficients of a pair. Hulls get the margin of shapes from files, a millimetre."""
        friction = math.sqrt(self.scene.friction)
        pybullet.changeDynamics(
            body, link, lateralFriction=friction, spinningFriction=0.0, rollingFriction=0.0, restitution=0.0,
            **self.where,
        )  # fmt: skip

    def settings(self) -> tuple[str, ...]:
        return tuple(WAYS)

    def begin(self, setting: str) -> None:
        way = WAYS[setting]
        pybullet.restoreState(self.start_state, **self.where)
        self.steps, step = exact_step(way.h)
        given = {"numSolverIterations": way.sweeps, "solverResidualThreshold": 0.0 if way.exact else 1e-7}
        pybullet.setPhysicsEngineParameter(fixedTimeStep=step, enableConeFriction=way.exact, **given, **self.where)

    def frame(self, number: int) -> None:  # noqa: ARG002
        for _ in range(self.steps):
            for body, link, push in self.pushed:  # a step forgets it
                pybullet.setJointMotorControl2(body, link, pybullet.TORQUE_CONTROL, force=push, **self.where)
            pybullet.stepSimulation(**self.where)

    def _states(self) -> list[tuple]:
        """Of each part: place, orientation, velocity and angular velocity of its centre of mass."""
        found: list[tuple] = [()] * len(self.place)
        for body in self.bodies:
            links = [(k, link) for k, link in self.parts_of[body] if link >= 0]
            if links:
                states = pybullet.getLinkStates(
                    body, [link for _, link in links], computeLinkVelocity=1, computeForwardKinematics=1, **self.where
                )
                for (k, _), state in zip(links, states, strict=True):
                    found[k] = (state[0], state[1], state[6], state[7])
            for k, link in self.parts_of[body]:
                if link < 0:
                    pose = pybullet.getBasePositionAndOrientation(body, **self.where)
                    found[k] = (*pose, *pybullet.getBaseVelocity(body, **self.where))
        return found

    def poses(self) -> np.ndarray:
        self.kept = self._states()
        E = np.tile(np.eye(4), (len(self.kept), 1, 1))
        for k, (place, turn, *_) in enumerate(self.kept):
            E[k, :3, :3], E[k, :3, 3] = np.reshape(pybullet.getMatrixFromQuaternion(turn), (3, 3)), place
        self.E = E
        return E

    def energy(self) -> float:
        """Of the states that `poses` has read."""
        total = 0.0
        for part, E, (place, _, v, w) in zip(self.scene.parts, self.E, self.kept, strict=True):
            spin = E[:3, :3].T @ w
            total += 0.5 * part.mass * np.dot(v, v) + 0.5 * float(np.dot(part.inertia, spin**2))
            total -= part.mass * float(np.dot(self.scene.gravity, place))
        return total

    def __del__(self) -> None:
        pybullet.disconnect(self.client)


def pin_of(part: Part) -> tuple[float, float, float]:
    return part.pin if part.joint == HINGE else part.at


def xyzw(turn: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    return (*turn[1:], turn[0])


def build(scene: Touching) -> BulletTouching:
    return BulletTouching(scene)
