# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as animated custom properties, for drivers, sound and shaders. SI units.

On a joint's object:
    redmax_torque     force along each of its coordinates [N m, N or J], a vector as long as the joint has coordinates
    redmax_motor      what its motor pushes with, alike; of an Animated or Locked joint what it needs on top of torques
                      and springs to follow its motion
    redmax_motor_power   what its motor puts in along each coordinate [W]
    redmax_friction   what rubs in its bearings along each coordinate, and what holds where they stick
    redmax_reaction   what the joint passes on to its child, in the joint's frame: torque x y z [N m], force x y z [N];
                      also of joints that close loops
    redmax_gap        what a joint that closes a loop is open by: angle [rad] and distance [m]
On the scene:
    redmax_kinetic, redmax_potential, redmax_energy   energies of all mechanisms and their sum [J]
    redmax_work, redmax_loss   energy put in by motors and torques, and taken out by damping, since the start [J]

Keys are joined by straight lines. They are a strip on the NLA track "RedMax Results" of the object or scene, so that
the artist's own action holds only the artist's keys. In a driver the torque of a hinge is `["redmax_torque"][0]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..._engine import arrays, compile, halves, trajectory
from ..core.findings import Finding, refuse

if TYPE_CHECKING:
    from ..._engine import model
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

TORQUE, MOTOR, REACTION, GAP = "redmax_torque", "redmax_motor", "redmax_reaction", "redmax_gap"
POWER, FRICTION = "redmax_motor_power", "redmax_friction"
ENERGIES = {
    "redmax_kinetic": "kinetic",
    "redmax_potential": "potential",
    "redmax_energy": "energy",
    "redmax_work": "work",
    "redmax_loss": "loss",
}
"""Custom properties of the scene and the trajectory's channels they show."""

SIMULATED = "simulated"


def joint_channels(
    extraction: Extraction, result: Trajectory, *, torque: bool, reaction: bool, gap: bool = False
) -> tuple[dict[str, dict[str, Array]], list[Finding]]:
    """By joint object and property, values (f, k); and what is left out because no force determines it."""
    channels: dict[str, dict[str, Array]] = {}
    left_out: list[Finding] = []
    if not (torque or reaction or gap):
        return channels, left_out
    described = halves.undivided(compile.compile(extraction.scene))
    require_same_joints(described, result)
    for index, name in enumerate(result.joint_names):
        obj = extraction.joint_objects.get(name)
        if obj is None:
            continue
        columns = described.columns(index)
        found: dict[str, Array] = {}
        if torque and columns.stop > columns.start:
            found[TORQUE] = result.channels["torque"][:, columns]
            has_motor = described.joints[index].motor is not None
            if has_motor or described.joints[index].motion_type != SIMULATED:
                found[MOTOR] = result.channels["motor"][:, columns]
            if has_motor and "motor_power" in result.channels:  # results of earlier versions have none
                found[POWER] = result.channels["motor_power"][:, columns]
            if described.joints[index].rubs and "friction" in result.channels:
                found[FRICTION] = result.channels["friction"][:, columns]
        if reaction:
            found[REACTION] = result.channels["reaction"][:, index]
        _add(channels, left_out, obj, name, found)
    for index, loop in enumerate(described.loops):
        obj = extraction.joint_objects.get(loop.joint.name)
        if obj is not None:
            wanted = ((reaction, REACTION, "loop_reaction"), (gap, GAP, "gap"))
            found = {key: result.channels[channel][:, index] for asked, key, channel in wanted if asked}
            _add(channels, left_out, obj, loop.joint.name, found)
    return channels, left_out


def require_same_joints(described: model.Model, result: Trajectory) -> None:
    """Refuse a result of other joints, in the tree or closing loops: its columns would be taken for those of these."""
    closing = [loop.joint.name for loop in described.loops]
    simulated = result.meta.get("loops")
    if simulated is None:  # results of earlier versions do not name them
        simulated = closing if len(closing) == result.channels["gap"].shape[1] else None
    names = described.joint_names[: described.shown]  # without nodes of strands and inputs of drives
    dofs = described.columns(described.shown - 1).stop if names else 0
    if names != result.joint_names or dofs != result.q.shape[1] or simulated != closing:
        raise refuse("", "The joints are not those that were simulated", "simulate again")


def _add(
    channels: dict[str, dict[str, Array]], left_out: list[Finding], obj: str, joint: str, found: dict[str, Array]
) -> None:
    """Enter what is known of a joint's forces."""
    known = {key: values for key, values in found.items() if np.isfinite(values).all()}
    if known:
        channels[obj] = known
    if len(known) < len(found):
        text = f"Forces of joint '{joint}' are not written: nothing determines them, as some of its bodies have no mass"
        left_out.append(Finding(joint, text, "give them a mass", "WARNING", code="undetermined_forces"))


def coordinate_units(extraction: Extraction) -> dict[str, tuple[str, ...]]:
    """By joint object, the units of its coordinates: "rad", "m" or "1"."""
    objects = extraction.joint_objects
    return {objects[joint.name]: joint.dof_units for joint in extraction.scene.joints if joint.name in objects}


def scene_channels(result: Trajectory) -> dict[str, Array]:
    """Energies by property, values (f, 1)."""
    return {name: result.channels[channel][:, None] for name, channel in ENERGIES.items()}
