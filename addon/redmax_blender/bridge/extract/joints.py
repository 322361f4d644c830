# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a scene: frames, parameters and motion; and what holds bodies that no joint carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays, fields, motors, pose, quaternion
from ..._engine import joints as engine_joints
from ...properties import from_specs, joint_friction, references
from ...properties import joint as joint_properties
from ...properties.forms import Field
from ..core.findings import Finding
from ..core.straight_axes import Placed, straightened
from ..objects import extents, frames, movers, units
from ..objects.modelled import Modelled
from . import animation, element_tables
from .animation import Clock, Samples
from .bodies import BodyFrame, refused_as
from .guides import LOST, Fitted, Guides, connection_findings, fitted, off_track

__all__ = ["LOST", "JointReader", "as_poses", "root_joint"]

Array = arrays.Array

MOST_DOFS = from_specs.MOST_DOFS

LIMIT_SLACK = 1e-6
"""How far beyond a limit a joint may start, relative to the limit (or to 1): single precision."""


class JointReader:
    """Makes the engine's joints of one extraction."""

    def __init__(
        self,
        modelled: Modelled,
        bodies: dict[str, BodyFrame],
        known: set[str],
        length: float,
        clock: Clock,
        samples: Samples,
        guides: Guides,
    ) -> None:
        """bodies: those with a frame, by name. known: full names of all bodies, also of those refused. guides: tracks
        and sheets that joints move along."""
        self.modelled, self.bodies, self.known, self.guides = modelled, bodies, known, guides
        self.length, self.clock, self.samples = length, clock, samples

    def read(self, objects: list[bpy.types.Object], findings: list[Finding]) -> list[Any]:
        """The engine's joints, without those that cannot be made. What is wrong is added to findings."""
        found = [row for obj in objects if (row := self._row(obj, findings)) is not None]
        E_wj = straightened(found)
        in_parents = iter(self._poses_in([row.values["parent"] for row in found], E_wj))
        # The modelled pose is q = 0: bodies stand where Q(0) leads from the one frame to the other.
        Q0 = np.array([row.traits.Q0 for row in found]).reshape(-1, 4, 4)
        in_children = iter(self._poses_in([row.values["child"] for row in found], E_wj @ Q0))
        made = [
            row.cls(**row.values, frame_in_parent=next(in_parents), frame_in_child=next(in_children)) for row in found
        ]
        return [joint.with_paths(self.guides.find) or joint for joint in made]

    def _poses_in(self, names: list[str | None], E_wj: Array) -> list[Any]:
        """Frames (n, 4, 4) in the world, each as seen from a body, None for the world."""
        E_wb = np.array([np.eye(4) if name is None else self.bodies[name].E_wb for name in names]).reshape(-1, 4, 4)
        return as_poses(pose.inverse(E_wb) @ E_wj)

    def _row(self, obj: bpy.types.Object, findings: list[Finding]) -> Placed | None:
        """A joint without the frames that it has on its bodies."""
        refused = refused_as(obj, "joint")
        if refused is not None:
            findings.append(refused)
            return None
        settings: Any = obj.redmax.joint
        said = [*self._connection(obj, settings), *connection_findings(obj, settings, self.guides)]
        findings.extend(said)
        wrong = [finding for finding in said if finding.severity == "ERROR"]
        findings.extend(_moved(obj))
        findings.extend(self._uncomputed(obj))
        count = len(joint_properties.dofs(settings))
        if count > MOST_DOFS:
            text = f"Joint '{obj.name}' has {count} degrees of freedom, but a body has only {MOST_DOFS}"
            findings.append(Finding(obj.name, text, "use fewer or simpler parts"))
            return None
        try:
            E_wj, _ = self.modelled.rigid_part(obj)
        except frames.FrameError as error:
            findings.append(Finding(obj.name, f"Joint '{obj.name}' {error}", "give it a size"))
            return None
        parent = settings.parent.name if settings.parent is not None else None
        child = settings.child.name if settings.child is not None else ""
        linked = any(other is not None and other.library for other in (settings.parent, settings.child))
        if wrong or linked or child not in self.bodies or (parent is not None and parent not in self.bodies):
            return None
        if any(True for _ in joint_properties.own_references(settings)):
            on_track = self._on_track(obj, settings, findings)
            if on_track is None:
                return None
            own, E_wj, traits, _ = on_track
        else:
            own = joint_properties.own_parameters(settings, self.length)
            traits = joint_properties.traits_of(settings, self.length)
            E_wj = units.in_metres(E_wj, self.length)
        values = {
            "name": obj.name,
            "parent": parent,
            "child": child,
            "motion_type": settings.motion_type,
            **own,
            **self._per_dof(obj, settings, findings),
        }
        return Placed(engine_joints.JOINTS[settings.kind], values, traits, E_wj)

    def _on_track(self, obj: bpy.types.Object, settings: Any, findings: list[Finding]) -> Fitted | None:
        """A joint that moves along a track or sheet; None where that makes no element, which is said of it."""
        E_wb = self.bodies[settings.child.name].E_wb
        found = fitted(settings, self.guides, E_wb, self.length)
        if found is not None:
            size = extents.extent(settings.child, self.modelled.depsgraph).diagonal * self.length
            findings.extend(off_track(obj, settings, found.distance, size))
        return found

    def _uncomputed(self, obj: bpy.types.Object) -> Iterator[Finding]:
        """What only an evaluated scene could tell, but Blender does not evaluate."""
        found = list(movers.uncomputed(obj, self.modelled.depsgraph))
        yield from found
        is_evaluated = obj.evaluated_get(self.modelled.depsgraph).is_evaluated
        if not found and not is_evaluated and any(True for _ in animation.channels_to_sample(obj)):
            text = f"Joint '{obj.name}' is switched off in the viewport, so Blender does not compute its drivers or NLA"
            yield Finding(obj.name, text, movers.SHOW)

    def _connection(self, obj: bpy.types.Object, settings: Any) -> Iterator[Finding]:
        if references.is_lost(settings, "parent"):
            lost = references.lost_name(settings, "parent")
            text, hint = f"Joint '{obj.name}' has lost its parent, '{lost}'", "pick a body, or let the world hold it"
            yield Finding(obj.name, text, hint, fixes=("PICK_END", "USE_WORLD", "REMOVE_ELEMENT"), code=LOST)
        if references.is_lost(settings, "child"):
            text = f"Joint '{obj.name}' has lost its child, '{references.lost_name(settings, 'child')}'"
            hint = "pick the body that it carries, or remove the joint"
            yield Finding(obj.name, text, hint, fixes=("PICK", "REMOVE_ELEMENT"), code=LOST)
        elif settings.child is None:
            text = f"Joint '{obj.name}' has no child body"
            yield Finding(obj.name, text, "pick the body that it carries", fixes=("PICK",))
        elif settings.child == settings.parent:
            text = f"Joint '{obj.name}' connects '{settings.child.name}' to itself"
            yield Finding(obj.name, text, "pick another parent, or none for the world")
        for word, other in (("parent", settings.parent), ("child", settings.child)):
            if other is None or other.name_full in self.known:
                continue
            if other.library is None and not other.users_scene:
                text = f"Joint '{obj.name}' has '{other.name}' as its {word}, which was deleted"
                fixes = ("PICK_END", *(("USE_WORLD",) * (word == "parent")), "REMOVE_ELEMENT")
                yield Finding(obj.name, text, "pick another body, or remove the joint", fixes=fixes, code=LOST)
            elif not other.redmax.is_body:
                text = f"Joint '{obj.name}' has '{other.name}' as its {word}, which is not a RedMax body"
                yield Finding(obj.name, text, f"make '{other.name}' a body, or pick another one")
            else:
                text = f"Joint '{obj.name}' has '{other.name}' as its {word}, which is not in this view layer"
                yield Finding(obj.name, text, f"include the collection of '{other.name}', or pick another body")

    def _per_dof(self, obj: bpy.types.Object, settings: Any, findings: list[Finding]) -> dict[str, Any]:
        """Per-coordinate fields, with keyed ones as tables or as they are at the first frame."""
        values = joint_properties.per_dof_parameters(settings, self.length)
        dofs = joint_properties.dofs(settings)
        to_metres = [units.per_coordinate(dof.unit, self.length) for dof in dofs]
        is_animated = settings.motion_type == "animated" and bool(dofs)
        motion = animation.courses(obj, "q", self.clock, self.samples)
        if motion is not None:
            findings.extend(animation.broken_findings(obj, motion))
            table = animation.coordinate_table(motion, to_metres, self.clock)
            values["q"] = tuple(table.value(0.0).tolist())
            if is_animated:
                values["animation"] = table
                findings.extend(animation.jump_findings(obj, motion, self.clock))
                findings.extend(animation.speed_findings(obj, motion, table, self.clock))
        elif is_animated:
            text = f"'{obj.name}' is Animated but has no keyframes; it will stand still"
            hint = "key its coordinate, or set it to Simulated"
            findings.append(Finding(obj.name, text, hint, "WARNING", ("KEY", "SET_SIMULATED")))
            still = [animation.Course(value) for value in values["q"]]
            values["animation"] = animation.coordinate_table(still, [1.0] * len(dofs), self.clock)
        if len(dofs) == 1:
            values["stiffness_table"] = self._spring_curve(obj, settings, findings)
        torque = animation.courses(obj, "torque", self.clock, self.samples)
        if torque is not None:
            findings.extend(animation.broken_findings(obj, torque))
            values["torque_table"] = animation.coordinate_table(torque, [1.0] * len(dofs), self.clock)
            values["torque"] = (0.0,) * len(dofs)
        if settings.motion_type == "simulated":
            findings.extend(_outside_limits(obj.name, dofs, values))
            if settings.use_motor and dofs:
                values["motor"] = self._motor(obj, settings, findings)
            if settings.use_friction and joint_properties.engine_joint(settings).bearings():
                values["friction"] = joint_friction.in_si(settings.friction, self.length)
        else:
            values["qdot"] = (0.0,) * len(dofs)  # what the artist entered for Simulated says nothing here
        return values

    def _spring_curve(self, obj: bpy.types.Object, settings: Any, findings: list[Finding]) -> Any:
        """The table of a spring that a curve object draws, None without one; what is wrong with it is said."""
        name = joint_properties.SPRING_CURVE
        found = references.target(settings, name)
        if references.is_lost(settings, name) or (found is not None and not found.object.users_scene):
            lost = references.lost_name(settings, name)
            text = f"Joint '{obj.name}' has lost '{lost}', the curve of its spring"
            findings.append(Finding(obj.name, text, "pick another curve, or none", fixes=("CLEAR_PLACE",), code=LOST))
            return None
        if found is None:
            return None
        field = Field("stiffness_table", joint_properties.COMMON["stiffness_table"], "table", None)
        title = f"Joint '{obj.name}'"
        table, finding = element_tables.curve_table(found.object, self.modelled.depsgraph, field, title)
        if finding is not None:
            findings.append(finding)
        return table

    def _motor(self, obj: bpy.types.Object, settings: Any, findings: list[Finding]) -> Any:
        """The motor of a simulated joint, whose target may be keyed."""
        values = joint_properties.motor_parameters(settings, self.length)
        field = joint_properties.TARGETS[settings.motor_control]
        target = animation.courses(obj, field, self.clock, self.samples)
        if target is not None:
            findings.extend(animation.broken_findings(obj, target))
            dofs = joint_properties.dofs(settings)
            to_metres = [units.per_coordinate(dof.unit, self.length) for dof in dofs]
            table = animation.coordinate_table(target, to_metres, self.clock)
            values["target_table"] = animation.as_steps(table, self.clock)
            values[field.removeprefix(joint_properties.MOTOR)] = (0.0,) * len(dofs)
        return motors.Motor(**values)


def as_poses(E: Array) -> list[Any]:
    """Rigid frames (n, 4, 4) [m] as the engine's scenes write them."""
    rows = zip(E[:, :3, 3].tolist(), quaternion.from_matrix(E[:, :3, :3]).tolist(), strict=True)
    return [fields.Pose(tuple(position), tuple(rotation)) for position, rotation in rows]


def root_joint(obj: bpy.types.Object, frame: BodyFrame, name: str, length: float) -> Any:
    """What holds a body that no joint carries: nothing, or the world."""
    settings: Any = obj.redmax.body
    (pose_w,) = as_poses(frame.E_wb[None])
    shared = {"name": name, "parent": None, "child": obj.name, "frame_in_parent": pose_w}
    if settings.root == "LOCKED":
        return engine_joints.Fixed(**shared)
    # Coordinates of the free joint are along the axes of the body as modelled; velocities are entered in the world.
    R_bw = frame.E_wb[:3, :3].T
    v, omega = np.array(settings.velocity, np.float64) * length, np.array(settings.spin, np.float64)
    qdot = np.concatenate([R_bw @ v, R_bw @ omega])
    return engine_joints.FreeTranslationRotation(**shared, qdot=tuple(qdot.tolist()))


def _moved(obj: bpy.types.Object) -> Iterator[Finding]:
    if movers.animated_paths(obj) & {*movers.PLACE, *movers.DELTA}:
        text = f"Joint '{obj.name}' has keys on its transform, which only places it at the first frame"
        hint = "to move the joint, set it to Animated and key its coordinate"
        yield Finding(obj.name, text, hint, "WARNING")


def _outside_limits(name: str, dofs: Any, values: dict[str, Any]) -> Iterator[Finding]:
    for dof, q, lower, upper in zip(dofs, values["q"], values["lower"], values["upper"], strict=True):
        if lower is not None and upper is not None and lower > upper:
            continue  # said by the engine's check
        below = lower is not None and q < lower - LIMIT_SLACK * max(abs(lower), 1.0)
        above = upper is not None and q > upper + LIMIT_SLACK * max(abs(upper), 1.0)
        if below or above:
            beyond = lower - q if below else q - upper
            amount = units.shown(beyond, dof.unit)
            which = f" of {dof.name}" if len(dofs) > 1 else ""
            text = f"'{name}' starts {amount} outside its {'lower' if below else 'upper'} limit{which}"
            yield Finding(name, text, "move its coordinate, or widen the limit", "WARNING", ("WIDEN", "MOVE"))
