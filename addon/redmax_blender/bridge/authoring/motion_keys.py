# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on a joint's coordinate: at the current frame, or from a motion that the objects already have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import bpy
import numpy as np

from ... import compat
from ..._engine import arrays, joints, pose, traits
from ...properties import joint as joint_properties
from ...properties import rigid_bodies
from ...properties.scene import frame_range
from ..core import coordinate_fit
from ..core.findings import refuse
from ..objects import animated_values, frames, joint_objects, units
from ..objects.editable import require_editable
from ..objects.other_frames import other_frames
from ..results import preview

Array = arrays.Array
Object = bpy.types.Object

GROUP = "Coordinate"
"""Channel group of a joint's keys."""

Interpolation = Literal["LINEAR", "BEZIER"]
_NUMBER = {"LINEAR": 1, "BEZIER": 2}
_AUTO_CLAMPED = 4
"""Numbers of Blender's enum items, the same in all versions (a test compares them)."""


@dataclass(frozen=True)
class MotionReport:
    """angle [rad] and distance [Blender units] by which the joint misses the motion at its worst frame."""

    frames: int
    angle: float
    angle_frame: int
    distance: float
    distance_frame: int


def require_coordinates(obj: Object) -> tuple[joint_properties.Dof, ...]:
    """Coordinates of a joint; refuses one that has none by name."""
    require_editable([obj])
    dofs = joint_properties.dofs(obj.redmax.joint)
    if not dofs:
        label = joints.JOINTS[obj.redmax.joint.kind].label
        raise refuse(obj.name, f"Joint '{obj.name}' is {label} and has no coordinate", "choose another type of joint")
    return dofs


def key_coordinate(obj: Object, frame: float, *, animate: bool) -> int:
    """Insert a key on each coordinate of a joint, as ordinary keying does; returns how many."""
    dofs = require_coordinates(obj)
    for dof in dofs:
        if not obj.keyframe_insert(joint_properties.place("q", dof).path, frame=frame, group=GROUP):
            raise refuse(obj.name, f"Blender could not key '{obj.name}'", "check that its channels are not locked")
    if animate:
        obj.redmax.joint.motion_type = "animated"
    return len(dofs)


def write_keys(
    obj: Object,
    dof: joint_properties.Dof,
    times: Iterable[float],
    values: Iterable[float],
    interpolation: Interpolation,
    field: str = "q",
) -> None:
    """Replace the keys of one coordinate, or of another field that may have keys.

    values in the units of the property: radians or Blender units, of torques and forces N m and N.
    """
    place = joint_properties.place(field, dof)
    curves = compat.ensure_fcurves(obj)
    old = curves.find(place.path, place.component)
    if old is not None:
        curves.remove(old)
    curve = curves.new(place.path, place.component, GROUP)
    co = np.stack([np.fromiter(times, np.float32), np.fromiter(values, np.float32)], axis=1)
    points = curve.keyframe_points
    points.add(len(co))
    points.foreach_set("co", co.ravel())
    points.foreach_set("interpolation", np.full(len(co), _NUMBER[interpolation], np.int32))
    for side in ("handle_left_type", "handle_right_type"):
        points.foreach_set(side, np.full(len(co), _AUTO_CLAMPED, np.int32))
    curve.update()
    joint_properties.set_value(obj.redmax.joint, field, dof, float(co[0, 1]))


def coordinate_from_motion(
    context: bpy.types.Context,
    obj: Object,
    *,
    tolerance_angle: float,
    tolerance_distance: float,
    interpolation: Interpolation,
    step: int,
    length: float,
) -> MotionReport:
    """Key a joint's coordinates so that it moves its child as the child moves already, and make it animated.

    Tolerances [rad, Blender units]: a motion that the joint cannot follow more closely is refused with the frame.
    length: metres per Blender unit.
    """
    dofs = require_coordinates(obj)
    joint = obj.redmax.joint
    if joint.child is None:
        raise refuse(obj.name, f"Joint '{obj.name}' has no child body", "pick the body it carries")
    if any(True for _ in joint_properties.own_references(joint)):
        text = f"Joint '{obj.name}' runs on a track, where no coordinate is found from a motion"
        raise refuse(obj.name, text, "key its coordinate instead")
    scene = context.scene
    first, last = frame_range(scene)
    times = np.array(sorted({*range(first, last + 1, step), last}))
    Q = joint_poses(context, obj, times) if last >= first else np.zeros((0, 4, 4))
    if len(Q) == 0:
        raise refuse(obj.name, f"Frames {first} to {last} are none", "let the range end after it starts")
    Q[:, :3, 3] *= length
    engine_joint = joint_properties.engine_joint(joint, length)
    size = joint_objects.extent_of(joint.child, context.evaluated_depsgraph_get()).diagonal * length or 1.0
    found = coordinate_fit.fit(engine_joint, Q @ traits.of(engine_joint).Q0, size)
    report = _report(found, times, length)
    _require_close(obj, report, tolerance_angle, tolerance_distance)
    with animated_values.unchanged([obj], lambda _, path: path.startswith(f"{joint_properties.PATH}.")):
        for dof in dofs:
            values = found.q[:, dof.index] / units.per_coordinate(dof.unit, length)
            write_keys(obj, dof, times, values, interpolation)
    joint.motion_type = "animated"
    return report


def joint_poses(context: bpy.types.Context, obj: Object, times: Any) -> Array:
    """(f, 4, 4) [Blender units] the joint object as it goes with the child, seen from it as it goes with the parent.

    The identity at the first frame.
    """
    joint = obj.redmax.joint
    for moving in (joint.child, joint.parent):
        if moving is not None:
            _require_own_motion(moving)
    poses: list[Array] = []
    with preview.paused(), other_frames(context.scene, context.view_layer) as elsewhere:
        for frame in times:
            depsgraph = elsewhere.evaluate(int(frame))
            E_wc = _evaluated_place(joint.child, depsgraph)
            E_wp = np.eye(4) if joint.parent is None else _evaluated_place(joint.parent, depsgraph)
            if not poses:
                E_wj = _evaluated_place(obj, depsgraph)
                E_jp, E_cj = pose.inverse(E_wj) @ E_wp, pose.inverse(E_wc) @ E_wj
            poses.append(E_jp @ pose.inverse(E_wp) @ E_wc @ E_cj)
    return np.array(poses)


def _require_own_motion(obj: Object) -> None:
    """Blender's physics goes from frame to frame and keeps what it computed with the scene: no other frame is known."""
    for each in (obj, *joint_objects.ancestors(obj)):
        physics = each.rigid_body
        if rigid_bodies.is_simulated(each) and physics.type == "ACTIVE" and not physics.kinematic:
            text = f"'{each.name}' is moved by Blender's rigid-body physics, which has no keys"
            raise refuse(each.name, text, "use Object > Rigid Body > Bake to Keyframes first")


def _evaluated_place(obj: Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """Rigid frame of an object as it moves now, whatever moves it: keys, constraints, drivers or a bake."""
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise refuse(obj.name, f"'{obj.name}' is disabled in viewports, so Blender does not move it", "enable it")
    try:
        return frames.rigid_part(np.array(evaluated.matrix_world, np.float64))[0]
    except frames.FrameError as error:
        raise refuse(obj.name, f"'{obj.name}' {error}", "give it a scale other than zero") from None


def _report(found: coordinate_fit.Fit, times: Array, length: float) -> MotionReport:
    turned, moved = int(np.argmax(found.angle)), int(np.argmax(found.distance))
    return MotionReport(
        frames=len(times),
        angle=float(found.angle[turned]),
        angle_frame=int(times[turned]),
        distance=float(found.distance[moved]) / length,
        distance_frame=int(times[moved]),
    )


def _require_close(obj: Object, report: MotionReport, angle: float, distance: float) -> None:
    label = joints.JOINTS[obj.redmax.joint.kind].label
    child = obj.redmax.joint.child.name
    hint = "choose a joint type that allows the motion, move the joint to the pivot, or raise the tolerance"
    if report.angle > angle:
        missed = f"{np.degrees(report.angle):.3g} deg at frame {report.angle_frame}"
    elif report.distance > distance:
        missed = f"{report.distance:.4g} units at frame {report.distance_frame}"
    else:
        return
    raise refuse(obj.name, f"{label} '{obj.name}' cannot follow '{child}': it misses its motion by {missed}", hint)
