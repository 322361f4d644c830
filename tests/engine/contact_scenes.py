# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes with surfaces whose motion is known. Import as `from engine.contact_scenes import ball`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.geometry.solids import Box, Sphere
from redmax.integrators import Automatic
from redmax.joints import JOINTS
from redmax.scene import Body, Scene
from redmax.simulate import record, simulate
from redmax.surfaces import BoxSurface, PlaneSurface, SphereSurface, Surface
from redmax.trajectory import Trajectory

G = 9.81


def run(scene: Scene, duration: float, accuracy: str = "standard", fps: float = 24.0) -> Trajectory:
    model = compile_scene(scene)
    return record(model, simulate(model, duration=duration, integrator=Automatic(accuracy=accuracy), fps=fps))


class Builder:
    """A scene of free balls and boxes; positions are those of their centres at the start."""

    def __init__(self, name: str, gravity: tuple[float, float, float] = (0.0, 0.0, -G)) -> None:
        self.scene = Scene(name=name, gravity=gravity)

    def plane(self, name: str = "ground", frame: Pose | None = None, **material: Any) -> Builder:
        self.scene.surfaces.append(PlaneSurface(name=name, frame=frame or Pose(), **material))
        return self

    def ball(self, name: str, at: Sequence[float], radius: float, density: float = 1000.0, **fields: Any) -> Builder:
        solid, surface = Sphere(radius=radius, density=density), {"kind": SphereSurface, "radius": radius}
        return self._add(name, at, solid, surface, **fields)

    def box(
        self, name: str, at: Sequence[float], size: tuple[float, float, float], density: float = 1000.0, **fields: Any
    ) -> Builder:
        return self._add(name, at, Box(size=size, density=density), {"kind": BoxSurface, "size": size}, **fields)

    def _add(
        self,
        name: str,
        at: Sequence[float],
        solid: Any,
        surface: dict[str, Any],
        *,
        rotation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        spin: Sequence[float] = (0.0, 0.0, 0.0),
        joint: str = "free_translation_rotation",
        **material: Any,
    ) -> Builder:
        kind = surface.pop("kind")
        moving = (*velocity, *spin) if joint == "free_translation_rotation" else (*spin, *velocity)
        self.scene.bodies.append(Body(name=name, shapes=(solid,)))
        self.scene.joints.append(
            JOINTS[joint](
                name=f"{name} joint",
                parent=None,
                child=name,
                frame_in_parent=Pose(tuple(map(float, at)), tuple(map(float, rotation))),
                qdot=tuple(map(float, moving)),
            )
        )
        self.scene.surfaces.append(kind(name=f"{name} surface", body=name, **surface, **material))
        return self

    def add(self, surface: Surface) -> Builder:
        self.scene.surfaces.append(surface)
        return self


def about_y(angle: float) -> tuple[float, float, float, float]:
    return math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0


def bouncing_ball(*, height: float = 1.0, radius: float = 0.1, bounce: float = 0.8, **fields: Any) -> Scene:
    b = Builder("bouncing ball").plane(bounce=bounce)
    return b.ball("ball", (0.0, 0.0, height + radius), radius, bounce=bounce, **fields).scene


def slope(angle: float, friction: float, *, size: float = 0.2, velocity: float = 0.0, joint: str = "free") -> Scene:
    """A flat box on a slope that falls along x."""
    n, along = np.array([math.sin(angle), 0.0, math.cos(angle)]), np.array([math.cos(angle), 0.0, -math.sin(angle)])
    b = Builder("slope").plane(frame=Pose(rotation=about_y(angle)), friction=friction)
    v = velocity * (along if joint == "free_translation_rotation" else np.array([1.0, 0.0, 0.0]))
    box = (size, size, 0.5 * size)
    return b.box("box", 0.25 * size * n, box, rotation=about_y(angle), friction=friction, velocity=v, joint=joint).scene


def stack(count: int, *, ratio: float = 1.0, size: tuple[float, float, float] = (0.2, 0.2, 0.1)) -> Scene:
    """Boxes on each other; each has `ratio` times the density of the one below."""
    b = Builder(f"stack of {count}").plane()
    for k in range(count):
        b.box(f"box {k}", (0.0, 0.0, (k + 0.5) * size[2]), size, density=1000.0 * ratio**k)
    return b.scene


def cradle(count: int = 5, *, radius: float = 0.1, length: float = 1.0, angle: float = 0.5) -> Scene:
    """Newton's cradle: balls on hinges in a row that touch; the first is lifted by `angle` [rad]."""
    scene = Scene(name="cradle")
    for k in range(count):
        name = f"ball {k}"
        scene.bodies.append(Body(name=name, shapes=(Sphere(radius=radius, density=1000.0),)))
        scene.joints.append(
            JOINTS["revolute"](
                name=f"{name} joint",
                parent=None,
                child=name,
                axis=(0.0, 1.0, 0.0),
                frame_in_parent=Pose((2.0 * radius * k, 0.0, length)),
                frame_in_child=Pose((0.0, 0.0, length)),
                q=(angle if k == 0 else 0.0,),
            )
        )
        scene.surfaces.append(SphereSurface(name=f"{name} surface", body=name, radius=radius, bounce=1.0, friction=0.0))
    return scene
