# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake: loops are ball constraints of its SAP solver, which exists for discrete steps; as rigid as the step allows."""

from __future__ import annotations

from functools import partial

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, RevoluteJoint, RotationalInertia, SpatialInertia
from pydrake.systems.analysis import Simulator

from ..linkage import HINGE, Linkage
from ..mechanisms import GRAVITY
from .base import FPS, steps_of_a_frame
from .loops_base import LoopMachine, Setting, step_label
from .loops_in_redmax import in_space, places_of

NAME = "Drake"
OWN_STEP = 0.001
"""The discrete step [s] that Drake's own plant configuration begins with."""

STEPS = tuple(OWN_STEP / 2**k for k in range(6))


class DrakeLoops(LoopMachine):
    """A plant per step: it is part of a discrete plant."""

    def __init__(self, linkage: Linkage) -> None:
        super().__init__(linkage)
        self.plants: dict[float, tuple[MultibodyPlant, list]] = {}

    def plant(self, h: float) -> tuple[MultibodyPlant, list]:
        """The plant with steps of h [s], and its bodies; built at the first call."""
        if h not in self.plants:
            self.plants[h] = self.new_plant(h)
        return self.plants[h]

    def new_plant(self, h: float) -> tuple[MultibodyPlant, list]:
        linkage = self.linkage
        plant = MultibodyPlant(h)
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        bodies = [plant.world_body()]
        home = [(0.0, 0.0), *(body.at for body in linkage.bodies)]
        for body in linkage.bodies:
            center, turning = np.array(in_space(body.center, body.at)), RotationalInertia(*[body.inertia] * 3)
            inertia = SpatialInertia.MakeFromCentralInertia(body.mass, center, turning)
            made = plant.AddRigidBody(body.name, inertia)
            at = RigidTransform(np.array(in_space(body.at, home[body.parent + 1])))
            parent = bodies[body.parent + 1].body_frame()
            place = plant.AddFrame(FixedOffsetFrame(f"at {body.name}", parent, at))
            if body.joint == HINGE:
                plant.AddJoint(RevoluteJoint(f"to {body.name}", place, made.body_frame(), [0.0, 1.0, 0.0]))
            else:
                plant.AddJoint(PrismaticJoint(f"to {body.name}", place, made.body_frame(), [1.0, 0.0, 0.0]))
            bodies.append(made)
        if any(loop.a < 0 for loop in linkage.loops):
            # A ball constraint of the world body itself ended the process (segmentation fault, Drake 1.51).
            anchor = plant.AddRigidBody("anchor", SpatialInertia.Zero())
            plant.WeldFrames(plant.world_frame(), anchor.body_frame())
            bodies[0] = anchor
        for loop in linkage.loops:
            ends = [np.array(in_space(loop.at, home[i + 1])) for i in (loop.a, loop.b)]
            plant.AddBallConstraint(bodies[loop.a + 1], ends[0], bodies[loop.b + 1], ends[1])
        plant.Finalize()
        return plant, bodies[1:]

    def begin(self, h: float) -> tuple[Simulator, list]:
        plant, bodies = self.plant(h)
        simulator = Simulator(plant)
        context = simulator.get_mutable_context()
        for body, rate in zip(self.linkage.bodies, self.linkage.rates, strict=True):
            joint = plant.GetJointByName(f"to {body.name}")
            if body.joint == HINGE:
                joint.set_angular_rate(context, rate)
            else:
                joint.set_translation_rate(context, rate)
        simulator.Initialize()
        return simulator, bodies

    def energies(self) -> tuple[float, float, float]:
        simulator, _ = self.begin(OWN_STEP)
        plant, context = simulator.get_system(), simulator.get_context()
        mass = plant.CalcTotalMass(context)
        return mass, plant.CalcPotentialEnergy(context), plant.CalcKineticEnergy(context)

    def settings(self) -> list[Setting]:
        own = Setting("as it comes", step_label(OWN_STEP), partial(self.run, OWN_STEP), own=True)
        return [own, *(Setting("SAP", step_label(h), partial(self.run, h)) for h in STEPS[1:])]

    def run(self, h: float, frames: int) -> np.ndarray:
        step = 1.0 / (FPS * steps_of_a_frame(h))
        simulator, bodies = self.begin(step)
        plant, context = simulator.get_system(), simulator.get_context()
        poses = np.empty((frames, len(bodies), 4, 4))
        for frame in range(frames):
            # Half a step early: an update belongs to the beginning of its step, and rounding could add one or lose one.
            simulator.AdvanceTo((frame + 1) / FPS - 0.5 * step)
            poses[frame] = [plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4() for body in bodies]
        return places_of(poses)


def build(linkage: Linkage) -> DrakeLoops:
    return DrakeLoops(linkage)
