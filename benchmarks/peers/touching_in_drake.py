# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake: compliant contact in discrete steps, at one point of a pair by default; its convex solver with contact patches
(hydroelastic), ever stiffer."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    Convex,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PrismaticJoint,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from ..touching_scenes import BOX, CAPSULE, FREE, HINGE, SPHERE, WORLD, Part, Touching, frame
from .base import FPS
from .touching_base import TouchingMachine, exact_step, step_name

NAME = "Drake"
logging.getLogger("drake").setLevel(logging.ERROR)  # it tells each plant that half spaces cannot be deformed


@dataclass(frozen=True)
class Way:
    """h: step [s]. convex: the convex solver instead of the default. modulus of patches [Pa]; None for points, with
    their own stiffness."""

    h: float
    convex: bool
    modulus: float | None = None


WAYS = {
    f"SAP, {step_name(0.01)}": Way(0.01, convex=True),
    f"as it comes, {step_name(0.001)}": Way(0.001, convex=False),
    f"SAP, patches of 1e7 Pa, {step_name(0.001)}": Way(0.001, convex=True, modulus=1e7),
    f"SAP, patches of 1e9 Pa, {step_name(2e-4)}": Way(2e-4, convex=True, modulus=1e9),
}


def shape_of(part: Part) -> object:
    if part.shape == BOX:
        return Box(*part.size)
    if part.shape == SPHERE:
        return Sphere(part.size[0])
    if part.shape == CAPSULE:
        return Capsule(*part.size)
    return Convex(points=np.array(part.corners).T, label=part.name)


def pose_of(part: Part | None) -> RigidTransform:
    return RigidTransform() if part is None else RigidTransform(RotationMatrix(frame(part.turn)), np.array(part.at))


class DrakeTouching(TouchingMachine):
    """A plant per setting: step and solver are part of it."""

    def __init__(self, scene: Touching) -> None:
        super().__init__(scene)
        self.made: dict[str, tuple] = {}

    def settings(self) -> tuple[str, ...]:
        return tuple(WAYS)

    def ready(self, setting: str) -> None:
        if setting not in self.made:
            self.made[setting] = self._build(WAYS[setting])

    def _build(self, way: Way) -> tuple:
        scene = self.scene
        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, exact_step(way.h)[1])
        kind = DiscreteContactApproximation
        plant.set_discrete_contact_approximation(kind.kSap if way.convex else kind.kLagged)
        plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        skin, floor = ProximityProperties(), ProximityProperties()
        for each in (skin, floor):
            AddContactMaterial(properties=each, friction=CoulombFriction(scene.friction, scene.friction))
        if way.modulus is not None:
            plant.set_contact_model(ContactModel.kHydroelasticWithFallback)
            AddRigidHydroelasticProperties(floor)
            AddCompliantHydroelasticProperties(
                resolution_hint=0.1 * scene.size, hydroelastic_modulus=way.modulus, properties=skin
            )
        if scene.ground:
            plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", floor)
        bodies = {WORLD: plant.world_body()}
        for k, part in enumerate(scene.parts):
            unit = UnitInertia(RotationalInertia(*(np.array(part.inertia) / part.mass)))
            body = bodies[k] = plant.AddRigidBody(part.name, SpatialInertia(part.mass, np.zeros(3), unit))
            plant.RegisterCollisionGeometry(body, RigidTransform(), shape_of(part), part.name, skin)
            if part.joint == FREE:
                continue
            above = scene.parts[part.parent] if part.parent != WORLD else None
            pin = RigidTransform(np.array(part.pin if part.joint == HINGE else part.at))
            ends = [
                plant.AddFrame(FixedOffsetFrame(f"{name} {k}", own.body_frame(), pose_of(at).inverse() @ pin))
                for name, own, at in (("on", bodies[part.parent], above), ("in", body, part))
            ]
            joint = RevoluteJoint if part.joint == HINGE else PrismaticJoint
            plant.AddJoint(joint(f"to {part.name}", *ends, np.array(part.axis)))
        for pin in scene.pins:
            ends = [pose_of(scene.parts[i]).inverse() @ np.array(pin.at) for i in (pin.a, pin.b)]
            plant.AddBallConstraint(bodies[pin.a], ends[0], bodies[pin.b], ends[1])
        plant.Finalize()
        return plant, builder.Build(), [bodies[k] for k in range(len(scene.parts))]

    def begin(self, setting: str) -> None:
        self.plant, diagram, self.bodies = self.made[setting]
        self.simulator = Simulator(diagram)
        self.step = self.plant.time_step()
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for part, body in zip(self.scene.parts, self.bodies, strict=True):
            if part.joint == FREE:
                self.plant.SetFreeBodyPose(self.context, body, pose_of(part))
                v = SpatialVelocity(np.zeros(3), np.array(part.velocity))
                self.plant.SetFreeBodySpatialVelocity(self.context, body, v)
        push = np.zeros(self.plant.num_velocities())
        for part in self.scene.parts:
            if part.push:
                push[self.plant.GetJointByName(f"to {part.name}").velocity_start()] = part.push
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, push)
        self.simulator.Initialize()

    def frame(self, number: int) -> None:
        # Half a step early: an update belongs to the beginning of its step, and rounding could add one or lose one.
        self.simulator.AdvanceTo((number + 1) / FPS - 0.5 * self.step)

    def poses(self) -> np.ndarray:
        return np.array([self.plant.EvalBodyPoseInWorld(self.context, body).GetAsMatrix4() for body in self.bodies])

    def energy(self) -> float:
        return float(self.plant.CalcPotentialEnergy(self.context) + self.plant.CalcKineticEnergy(self.context))


def build(scene: Touching) -> DrakeTouching:
    return DrakeTouching(scene)
