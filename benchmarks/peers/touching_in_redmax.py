# SPDX-License-Identifier: GPL-3.0-or-later
"""Ours: the three accuracies that an artist chooses from."""

from __future__ import annotations

import numpy as np

from redmax.compile import compile as compile_scene
from redmax.dynamics.energy import kinetic_energy
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import potential_energy
from redmax.errors import RedMaxError
from redmax.fields import Pose
from redmax.forces import PointForce
from redmax.integrators import Automatic
from redmax.joints import JOINTS, Joint
from redmax.scene import Body, Inertia, Scene
from redmax.surfaces import BoxSurface, CapsuleSurface, HullSurface, PlaneSurface, SphereSurface, Surface

from ..touching_scenes import BOX, CAPSULE, FREE, HINGE, SPHERE, WORLD, Part, Touching, frame
from .base import FPS
from .touching_base import TouchingMachine

NAME = "RedMax"
ACCURACIES = {f"Accuracy {name.title()}": Automatic(accuracy=name) for name in ("draft", "standard", "high")}


def surface(part: Part, friction: float) -> Surface:
    """In the frame of its body."""
    given = {"name": part.name, "body": part.name, "friction": friction}
    if part.shape == BOX:
        return BoxSurface(size=part.size, **given)
    if part.shape == SPHERE:
        return SphereSurface(radius=part.size[0], **given)
    if part.shape == CAPSULE:
        return CapsuleSurface(radius=part.size[0], height=part.size[1], **given)
    return HullSurface(vertices=part.corners, **given)


def joint(scene: Touching, part: Part) -> Joint:
    """Between frames along the world's axes at the start; of a free part in the part's own."""
    given = {"name": f"to {part.name}", "child": part.name}
    R = frame(part.turn)
    if part.joint == FREE:
        own = (R.T @ part.velocity).tolist()
        return JOINTS["free"](
            parent=None, frame_in_parent=Pose(part.at, part.turn), qdot=(0.0, 0.0, 0.0, *own), **given
        )
    above = scene.parts[part.parent] if part.parent != WORLD else None
    pin = part.pin if part.joint == HINGE else part.at
    ends = {"frame_in_parent": in_part(above, pin), "frame_in_child": in_part(part, pin)}
    kind = JOINTS["revolute" if part.joint == HINGE else "prismatic"]
    return kind(parent=above.name if above else None, axis=part.axis, **ends, **given)


def in_part(part: Part | None, point: tuple[float, float, float]) -> Pose:
    """Frame along the world's axes at a point of the world, in a part."""
    if part is None:
        return Pose(point)
    w, x, y, z = part.turn
    x_, y_, z_ = (frame(part.turn).T @ np.subtract(point, part.at)).tolist()
    return Pose((x_, y_, z_), (w, -x, -y, -z))


def scene_of(scene: Touching) -> Scene:
    made = Scene(name=scene.name, gravity=scene.gravity)
    if scene.ground:
        made.surfaces.append(PlaneSurface(name="ground", friction=scene.friction))
    for part in scene.parts:
        tensor = tuple(map(tuple, np.diag(part.inertia).tolist()))
        made.bodies.append(Body(name=part.name, inertia=Inertia(mass=part.mass, center=(0.0, 0.0, 0.0), tensor=tensor)))
        made.joints.append(joint(scene, part))
        made.surfaces.append(surface(part, scene.friction))
        if part.push:
            made.forces.append(
                PointForce(name=f"push {part.name}", body=part.name, direction=part.axis, axes="world", force=part.push)
            )
    for k, pin in enumerate(scene.pins):
        a, b = scene.parts[pin.a], scene.parts[pin.b]
        made.joints.append(
            JOINTS["revolute"](
                name=f"loop {k}", axis=(0.0, 1.0, 0.0), parent=a.name, child=b.name,
                frame_in_parent=in_part(a, pin.at), frame_in_child=in_part(b, pin.at),
            )
        )  # fmt: skip
    return made


class RedMaxTouching(TouchingMachine):
    def __init__(self, scene: Touching) -> None:
        super().__init__(scene)
        self.model = compile_scene(scene_of(scene))
        self.index = [self.model.body_names.index(part.name) for part in scene.parts]

    def settings(self) -> tuple[str, ...]:
        return tuple(ACCURACIES)

    def begin(self, setting: str) -> None:
        self.state = self.model.initial_state()
        self.stepper = ACCURACIES[setting].begin(self.model, self.state)

    def frame(self, number: int) -> None:
        try:
            self.state = self.stepper.advance((number + 1) / FPS)
        except RedMaxError as error:
            raise RuntimeError(str(error)) from error

    def poses(self) -> np.ndarray:
        return np.asarray((self.stepper.body_motion()[0] @ self.model.E_ib)[self.index])

    def energy(self) -> float:
        kin = kinematics(self.model, self.state.q, self.state.qdot, self.state.chart)
        return float(potential_energy(self.model, kin) + kinetic_energy(self.model, kin))


def build(scene: Touching) -> RedMaxTouching:
    return RedMaxTouching(scene)
