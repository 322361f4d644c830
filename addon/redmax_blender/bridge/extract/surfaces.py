# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of a scene for the engine. The body above an object owns its surface; without one it is scenery.

Scenery that keys, drivers or constraints move becomes a body without mass on a joint that follows that motion, so that
its velocity counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, convex_pieces, joints, pose, surfaces
from ..._engine import scene as engine_scene
from ...properties import surface as surface_properties
from ...properties.surface import PIECES
from ..check.findings import frame_objects
from ..core import curve_pieces, rigid_courses
from ..core.findings import Finding
from ..objects import frames, units
from ..objects.modelled import Modelled
from ..objects.other_frames import OtherFrames
from . import animation, surface_shapes
from .animation import Clock, Course
from .bodies import BodyFrame, refused_as
from .joints import as_poses
from .parts import Parts
from .surface_shapes import LOOSE, NoShapeError, Shape

Array = arrays.Array
Object = bpy.types.Object

LOOSE_CODE, WHEEL_CODE = "loose_surface", "no_pieces_wheel"

ROUGH = 0.05
"""Pieces and heightfields that are further off their mesh than this part of its size are told."""

MASS = 1e-6
"""Of scenery that moves [kg, kg m^2]: what moves it has its way, but the engine wants every body to have mass."""

SCALE_CHANGE = 1e-4
"""A scale that changes by less than this part is constant."""


@dataclass
class Found:
    """Surfaces of the engine, and bodies and joints of scenery that moves, with the frames where they start."""

    surfaces: list[Any] = field(default_factory=list)
    frames: list[BodyFrame] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    joints: list[Any] = field(default_factory=list)


class Placed(NamedTuple):
    """A shape in the rigid frame E_wt (4, 4) [m] of its object."""

    shape: Shape
    E_wt: Array


def owner_of(obj: Object) -> Object | None:
    """The body that a surface belongs to: its own object, or the nearest body above it; None for scenery."""
    return frame_objects.carrier(obj)


def moving_scenery(objects: Sequence[Object]) -> list[Object]:
    """Surfaces without a body that something moves."""
    return [obj for obj in objects if owner_of(obj) is None and frame_objects.motion_on(obj, None)]


def sample(elsewhere: OtherFrames, objects: Sequence[Object], clock: Clock) -> dict[str, Array]:
    """By name, world matrices (frames, 4, 4) [Blender units] of objects at every frame of the clock."""
    rows: dict[str, list[Array]] = {obj.name: [] for obj in objects}
    for frame in clock.frames if objects else ():
        depsgraph = elsewhere.evaluate(frame)
        for obj in objects:
            rows[obj.name].append(np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64))
    return {name: np.array(matrices) for name, matrices in rows.items()}


class SurfaceReader:
    """Makes the engine's surfaces of one extraction."""

    def __init__(self, modelled: Modelled, parts: Parts, length: float, findings: list[Finding]) -> None:
        self.modelled, self.parts, self.length, self.findings = modelled, parts, length, findings

    def read(
        self, objects: Sequence[Object], bodies: dict[str, BodyFrame], motions: dict[str, Array], clock: Clock
    ) -> Found:
        """bodies: those with a frame, by name. motions: of scenery that moves, see `sample`."""
        found = Found()
        for obj in objects:
            owner = owner_of(obj)
            if owner is not None and owner.name not in bodies:
                continue  # what is wrong with it is said of it
            placed = self.placed(obj)
            if placed is None:
                continue
            if owner is not None:
                self.findings.extend(_motion_on_body(obj, owner))
                E_bt = np.eye(4) if owner == obj else pose.inverse(bodies[owner.name].E_wb) @ placed.E_wt
                found.surfaces.append(self._element(obj, placed.shape, owner.name, E_bt))
            elif obj.name in motions:
                moved = self._moved(obj, motions[obj.name], clock)
                if moved is not None:
                    found.bodies.append(engine_scene.Body(name=obj.name, inertia=_no_inertia()))
                    found.joints.append(moved)
                    found.frames.append(BodyFrame(obj.name, placed.E_wt, np.eye(4), 0.0, static=False))
                    found.surfaces.append(self._element(obj, placed.shape, obj.name, np.eye(4)))
            else:
                found.surfaces.append(self._element(obj, placed.shape, None, placed.E_wt))
        return found

    def placed(self, obj: Object) -> Placed | None:
        """The shape of a surface; None where there is none, and what is wrong is added to the findings."""
        refused = refused_as(obj, "surface")
        if refused is not None:
            self.findings.append(refused)
            return None
        settings: Any = obj.redmax.surface
        try:
            E_wt, A = self.modelled.rigid_part(obj)
            shape = self._shape(obj, settings, A)
        except frames.FrameError as error:
            self.findings.append(Finding(obj.name, f"Surface '{obj.name}' {error}", "give it a size"))
            return None
        except NoShapeError as error:
            text = f"Surface '{obj.name}' {error.text}, so it makes no {_label(settings.kind)}"
            self.findings.append(Finding(obj.name, text, error.hint, fixes=(*error.fixes, "REMOVE_SURFACE")))
            return None
        return None if shape is None else Placed(shape, units.in_metres(E_wt, self.length))

    def _shape(self, obj: Object, settings: Any, A: Array) -> Shape | None:
        if obj.type == "EMPTY" and obj.instance_type == "NONE":
            return surface_shapes.shape_of_empty(obj, settings.kind, A, self.length)
        before = len(self.findings)
        found = surface_shapes.polygons(obj, self.parts, A, self.length, self.findings)
        if found is None:
            if len(self.findings) == before:
                raise NoShapeError("has no geometry", "add vertices to it, or use an empty")
            return None
        shape = surface_shapes.shape_of(found, settings, self.length)
        self.findings.extend(_fit_findings(obj.name, found, shape))
        return shape

    def _element(self, obj: Object, shape: Shape, body: str | None, E_bt: Array) -> Any:
        """The engine's surface. E_bt: the object's rigid frame in that of the body, or in the world."""
        settings: Any = obj.redmax.surface
        (frame,) = as_poses((E_bt @ shape.E)[None])
        conveyor = shape.E[:3, :3].T @ np.array(settings.conveyor, np.float64) * self.length
        values = surface_properties.shared_values(settings, self.length) | shape.values
        return surfaces.SURFACES[shape.kind](
            name=obj.name, body=body, frame=frame, conveyor=tuple(conveyor.tolist()), **values
        )

    def _moved(self, obj: Object, motion: Array, clock: Clock) -> Any | None:
        """The joint that moves scenery."""
        E, A, wrong = frames.rigid_parts(motion)
        if any(wrong):
            text = f"Surface '{obj.name}' is flattened at frame {clock.frames[[bool(w) for w in wrong].index(True)]}"
            self.findings.append(Finding(obj.name, text, "remove the keys on its scale"))
            return None
        if np.ptp(A, axis=0).max() > SCALE_CHANGE * np.abs(A).max():
            text = f"'{obj.name}' changes its scale; its surface is that of the first frame"
            self.findings.append(Finding(obj.name, text, "remove the keys on its scale", "WARNING"))
        E[:, :3, 3] *= self.length
        found = rigid_courses.coordinates(E)
        if not found.is_tame:
            text = f"'{obj.name}' turns about several directions at once; its surface may stray from it between frames"
            self.findings.append(Finding(obj.name, text, "turn it about one direction", "WARNING"))
        x = np.array(clock.frames, np.float64)
        courses = [Course(float(y[0]), curve_pieces.through_samples(x, y)) for y in found.q.T]
        table = animation.coordinate_table(courses, [1.0] * len(courses), clock)
        at = np.eye(4)
        at[:3, :3], at[:3, 3] = found.R, E[0, :3, 3]
        on_child = np.eye(4)
        on_child[:3, :3] = E[0, :3, :3].T @ found.R
        frame_in_parent, frame_in_child = as_poses(np.array([at, on_child]))
        return joints.FreeTranslationEuler(
            name=obj.name,
            parent=None,
            child=obj.name,
            frame_in_parent=frame_in_parent,
            frame_in_child=frame_in_child,
            sequence=rigid_courses.SEQUENCE,
            motion_type="animated",
            animation=table,
        )


def _no_inertia() -> Any:
    tensor = tuple(tuple(row) for row in (MASS * np.eye(3)).tolist())
    return engine_scene.Inertia(mass=MASS, tensor=tensor)


def _label(kind: str) -> str:
    return str(surfaces.SURFACES[kind].label).lower()


def _fit_findings(name: str, found: surface_shapes.Polygons, shape: Shape) -> Iterator[Finding]:
    """What is to be said of how a shape fits."""
    if surface_shapes.looseness(found, shape) > LOOSE:
        text = f"The {_label(shape.kind)} around '{name}' stands off its mesh, which is longer one way"
        yield Finding(name, text, "use the shape that fits, or its hull", "INFO", ("FIT_SURFACE",), code=LOOSE_CODE)
    if shape.kind == PIECES and not convex_pieces.is_here():
        count = len(shape.values["pieces"])
        text = f"'{name}' touches as the hulls of its {count} loose parts, as the wheel 'coacd' is not here"
        if count == 1:
            text = f"'{name}' touches as its hull, as the wheel 'coacd' is not here and it has no loose parts"
        hint = "use the full zip, or model convex parts that are not connected"
        yield Finding(name, text, hint, "INFO", code=WHEEL_CODE)
    if shape.off > ROUGH * float(np.ptp(found.points, axis=0).max()):
        far = f"{1e3 * shape.off:.3g} mm" if shape.off < 1.0 else f"{shape.off:.3g} m"
        if shape.kind == PIECES:
            text, hint = f"The pieces of '{name}' are up to {far} off its mesh", "raise Most Pieces, or lower Concavity"
            yield Finding(name, text, hint, "INFO", code=LOOSE_CODE)
        else:
            text = f"The heightfield of '{name}' is up to {far} off its mesh, whose faces are cut several ways"
            yield Finding(name, text, "use its mesh", "INFO", ("USE_MESH_SURFACE",), code=LOOSE_CODE)


def _motion_on_body(obj: Object, owner: Object) -> Iterator[Finding]:
    if obj != owner and (moves := frame_objects.motion_on(obj, owner)):
        text = f"Surface '{obj.name}' is {moves}, but stays on '{owner.name}' as at the first frame"
        yield Finding(obj.name, text, f"make '{obj.name}' a body on a joint of its own", "WARNING")
