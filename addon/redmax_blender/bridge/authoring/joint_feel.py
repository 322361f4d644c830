# SPDX-License-Identifier: GPL-3.0-or-later
"""How a joint feels, whatever its size: how fast its spring swings and how soon the swing dies out.

A stiffness in N m/rad says nothing without the inertia it moves. With I the inertia that a coordinate feels (what the
joint carries, rigid, as modelled: the diagonal of the mass matrix), k = (2 pi f)^2 I and c = 2 I / tau, at most
2 (2 pi f) I, which is critical; without a spring c = I / tau. tau is the time in which a swing, or without a spring
the speed, falls to 1/e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy

from ..._engine import compile as compiling
from ..._engine import composite_body, halves, kinematics
from ...properties import joint as joint_properties
from ..core.findings import refuse
from ..extract.extraction import extract, require_sound
from ..objects.editable import require_editable
from ..results import preview

Object = bpy.types.Object


class Feel(NamedTuple):
    """frequency: of the spring's swing without damping [Hz], 0 for no spring. decay: time [s], 0 for no damping."""

    frequency: float
    decay: float


def stiffness_and_damping(feel: Feel, inertia: float) -> tuple[float, float]:
    """(k, c) of a coordinate that feels an inertia [kg m^2 or kg]."""
    if not all(math.isfinite(number) and number >= 0.0 for number in feel):
        raise refuse("", f"A feel of {feel.frequency:g} Hz and {feel.decay:g} s is none", "give numbers from 0 up")
    omega = 2.0 * math.pi * feel.frequency
    if feel.decay == 0.0:
        return omega**2 * inertia, 0.0
    if omega == 0.0:
        return 0.0, inertia / feel.decay
    return omega**2 * inertia, min(2.0 * inertia / feel.decay, 2.0 * omega * inertia)


def feel_of(stiffness: float, damping: float, inertia: float) -> Feel:
    """The other way round; what is damped more than critically comes out as critical."""
    omega = math.sqrt(stiffness / inertia)
    if damping == 0.0:
        return Feel(omega / (2.0 * math.pi), 0.0)
    decay = max(2.0 * inertia / damping, 1.0 / omega) if omega > 0.0 else inertia / damping
    return Feel(omega / (2.0 * math.pi), decay)


def apply(context: bpy.types.Context, joints: Sequence[Object], feel: Feel) -> None:
    """Set stiffness and damping of every coordinate of the joints. Raises BridgeError, and then nothing was set."""
    require_editable(joints)
    found = inertias(context, joints)
    wanted = {name: [stiffness_and_damping(feel, inertia) for inertia in each] for name, each in found.items()}
    for obj in joints:
        settings: Any = obj.redmax.joint
        for index, (stiffness, damping) in enumerate(wanted[obj.name]):
            settings.stiffness[index], settings.damping[index] = stiffness, damping
        obj.update_tag()


def measure(context: bpy.types.Context, obj: Object) -> Feel:
    """How a joint feels: its first coordinate that has a spring or a damper, or the first."""
    settings: Any = obj.redmax.joint
    inertia = inertias(context, [obj])[obj.name]
    numbers = list(zip(settings.stiffness, settings.damping, inertia, strict=False))
    chosen = next((each for each in numbers if each[0] or each[1]), numbers[0])
    return feel_of(*chosen)


def inertias(context: bpy.types.Context, joints: Sequence[Object]) -> dict[str, list[float]]:
    """What each coordinate of the joints has to move, by name of the joint [kg m^2, or kg along distances]."""
    with preview.paused():
        extraction = extract(context.scene, context.view_layer)
    require_sound(extraction)
    model = halves.undivided(compiling.compile(extraction.scene, checked=True))
    state = model.initial_state()
    M = composite_body.mass_matrix(model, kinematics.kinematics(model, state.q, state.qdot, state.chart))
    found: dict[str, list[float]] = {}
    for obj in joints:
        if obj.name not in model.joint_names:
            text = f"Joint '{obj.name}' is not simulated, or closes a loop: it moves no body of its own"
            raise refuse(obj.name, text, "set its stiffness and damping by hand")
        found[obj.name] = M.diagonal()[model.columns(model.joint_names.index(obj.name))].tolist()
        if not found[obj.name] or not joint_properties.dofs(obj.redmax.joint):
            raise refuse(obj.name, f"Joint '{obj.name}' cannot move, so it has no feel", "choose another type of joint")
        if min(found[obj.name]) <= 0.0:
            raise refuse(obj.name, f"Joint '{obj.name}' moves no mass", "give the body that it carries mass")
    return found
