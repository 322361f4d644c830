# SPDX-License-Identifier: GPL-3.0-or-later
"""From modelled parts to a mechanism, the way an artist does it: select, press a button of RedMax, set a field, key."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import bpy

from . import pump as pump_parts
from .modelling import Crane
from .pump import Pump

SLEW = {1: 0.0, 10: 0.0, 92: 1.1, 104: 1.1, 184: -0.1}
"""Angle of the jib [rad] by frame."""

TRAVEL = {1: 0.0, 96: 3.0, 110: 3.0, 180: 0.9}
"""Distance of the trolley from where it was modelled [m] by frame."""

GIRDERS = {"Tower": (9000.0, (1.0, 1.0, 12.0)), "Jib": (1500.0, (10.6, 0.8, 1.6))}
"""Mass [kg], and the box it is spread over: the bars of a lattice cross, so their mesh has no volume of its own."""

CARGO = 400.0
"""Mass of the container [kg]; its walls are modelled as a solid block."""


TURNS = {1: 0.0, 192: 8.0 * math.pi}
"""Angle of the pump's crank [rad] by frame: four turns."""


class OperatorError(RuntimeError):
    """A button of RedMax that did not do its work."""


def press(operator: Any, **settings: Any) -> None:
    """Call an operator as a button does, with an undo step; anything but FINISHED is an error."""
    outcome = operator("EXEC_DEFAULT", True, **settings)
    if outcome != {"FINISHED"}:
        raise OperatorError(f"{operator.idname()} gave {outcome}: {bpy.context.window_manager.redmax.message}")


def select(*names: str) -> None:
    """Select objects by name; the last one is the active one."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def author(crane: Crane) -> tuple[str, str]:
    """Make the mechanism with RedMax's operators; names of the two joints an operator of the crane moves."""
    select(*reversed(crane.bodies))
    press(bpy.ops.redmax.add_body)
    for name, (mass, size) in GIRDERS.items():
        body: Any = bpy.data.objects[name].redmax.body
        body.mass_source, body.mass, body.shape, body.box.size = "MASS", mass, "box", size
    for name in (crane.trolley, *crane.links):
        bpy.data.objects[name].redmax.body.material = "STEEL"
    load: Any = bpy.data.objects[crane.load].redmax.body
    load.mass_source, load.mass = "MASS", CARGO
    select(crane.tower)
    press(bpy.ops.redmax.set_root, root="LOCKED")
    slew = connect(crane.tower, crane.jib, "revolute", "Z")
    travel = connect(crane.jib, crane.trolley, "prismatic", "X")
    for above, below in pairwise((crane.trolley, *crane.links, crane.load)):
        connect(above, below, "universal", "Z")
    animate(slew, "coordinate_angle_1", SLEW)
    animate(travel, "coordinate_distance_1", TRAVEL)
    return slew, travel


def author_pump(pump: Pump) -> tuple[str, str]:
    """Make the four-bar linkage; names of the joint that is keyed and of the one that closes the loop."""
    select(*reversed(pump.bodies))
    press(bpy.ops.redmax.add_body)
    frame: Any = bpy.data.objects[pump.frame].redmax.body
    frame.mass_source, frame.mass, frame.shape, frame.box.size = "MASS", 4000.0, "box", (5.6, 2.0, 3.4)
    for name in (pump.crank, pump.rods, pump.beam):
        bpy.data.objects[name].redmax.body.material = "STEEL"
    select(pump.frame)
    press(bpy.ops.redmax.set_root, root="LOCKED")
    crank = connect(pump.frame, pump.crank, "revolute", "Y")
    connect(pump.crank, pump.rods, "revolute", "Y")
    connect(pump.frame, pump.beam, "revolute", "Y")
    bpy.context.scene.cursor.location = [a + b for a, b in zip(pump_parts.PLACE, pump_parts.TAIL, strict=True)]
    closing = connect(pump.rods, pump.beam, "revolute", "Y", at="CURSOR")
    animate(crank, "coordinate_angle_1", TURNS)
    return crank, closing


def connect(parent: str, child: str, kind: str, axis: str, *, at: str = "CHILD") -> str:
    """Connect with Joint, at the child's origin or at the 3D cursor; the name of the joint's empty."""
    before = {obj.name for obj in bpy.data.objects}
    select(child, parent)
    press(bpy.ops.redmax.connect, kind=kind, at=at, axis=axis)
    (name,) = {obj.name for obj in bpy.data.objects} - before
    return name


def animate(joint: str, field: str, keys: Mapping[int, float]) -> None:
    """Let a joint follow keys on its coordinate."""
    settings: Any = bpy.data.objects[joint].redmax.joint
    settings.motion_type = "animated"
    select(joint)
    for frame, value in keys.items():
        bpy.context.scene.frame_set(frame)
        setattr(settings, field, value)
        press(bpy.ops.redmax.key_coordinate)
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
