# SPDX-License-Identifier: GPL-3.0-or-later
"""A marionette on strings, which pull only: keys lift and tilt the cross that they hang from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._engine import arrays, fields
from ..bridge.objects import units
from . import damping, lines, parameters
from . import marionette_parts as parts
from .assembly import SIDEWAYS, Assembly, Object, Part, at, scaled, turn
from .lines import Elastic, End, Look
from .paint import IVORY

Array = arrays.Array

NAME = "marionette"
LABEL = "Marionette"
DESCRIPTION = "Add a marionette: keys lift and tilt its cross, and its limbs hang on strings that pull only"
ICON = "OUTLINER_OB_ARMATURE"

PARAMETERS: dict[str, Any] = {
    "height": parameters.length("Height", "Of the marionette", 0.6),
    "tilt": parameters.angle(
        "Tilt", "How far the cross is tilted to each side", math.radians(20.0), least=0.0, most=math.radians(35.0)
    ),
    "bob": parameters.factor("Bob", "How far it goes down and up with every step", 0.5, most=1.0),
    "steps": parameters.count("Steps", "How often it is tilted in the time below", 4, least=0, most=100, soft=10),
    "duration": parameters.seconds("Duration", "How long it walks", 6.0),
    "material": parameters.material("Material", "What it is made of", "PINE"),
}

HIP, SHOULDER, NECK = 0.52, 0.83, 0.872
"""Heights of joints over the stage as it hangs."""

SIDE = {"hip": 0.055, "shoulder": 0.135}
"""How far hips and shoulders lie beside the middle."""

CROSS = 1.58
"""Height of the cross."""

BENT = math.radians(20.0)
"""By how much the elbows are bent as it hangs."""

STRETCH = 0.006
"""By which part of the marionette's height a string gets longer under what hangs on it."""

CALM = 0.35
"""Damping of a string, as a part of critical damping of what hangs on it."""

JOINTS = 0.06
"""Damping of joints over the weight beyond them times its arm [s]."""

AIR = 0.12
"""Damping of the swing, as a part of critical damping."""

STOPS = (math.radians(-4.0), math.radians(140.0))
"""How far elbows and knees bend."""

DIP = 0.05
"""Deepest bob, in heights of the marionette."""


def build(
    context: Any,
    *,
    height: float = 0.6,
    tilt: float = math.radians(20.0),
    bob: float = 0.5,
    steps: int = 4,
    duration: float = 6.0,
    material: str = "PINE",
) -> list[Object]:
    """The marionette over its stage at the 3D cursor. height in Blender units, tilt in radians, duration in seconds."""
    made = Assembly(context, LABEL)
    puppet = _Puppet(made, height, material)
    stage = scaled(parts.stage(CROSS + 0.3), height)
    base = made.body("Marionette Stage", stage, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    top = at((0.0, 0.0, height * CROSS))
    carriage = made.body("Marionette Carriage", scaled(parts.carriage(parts.POST[1]), height), top, material="STEEL")
    cross = made.body("Marionette Cross", scaled(parts.control(), height), top, material="OAK")
    rising = made.joint(base, carriage, top, kind="prismatic", size=0.15 * height)
    tilting = made.joint(carriage, cross, at(top[:3, 3], SIDEWAYS), kind="revolute", size=0.15 * height)
    puppet.assemble(base)
    puppet.hang(cross)
    middles = [(k + 0.5) * duration / steps for k in range(steps)]
    sways = [(time, tilt if k % 2 else -tilt) for k, time in enumerate(middles)]
    made.keys(tilting, [(0.0, 0.0), *sways, (duration, 0.0)])
    lows = [(time, -bob * DIP * height) for time in middles]
    highs = [((k + 1) * duration / steps, 0.0) for k in range(steps)]
    bobs = sorted([*lows, *highs]) or [(duration, 0.0)]
    made.keys(rising, [(0.0, 0.0), *bobs])
    return made.finish(base)


class _Puppet:
    """The bodies of a marionette and what hangs on each joint and string."""

    def __init__(self, made: Assembly, height: float, material: str) -> None:
        self.made, self.height, self.material = made, height, material
        self.metre = units.metres_per_unit(made.context.scene)
        self.bodies: dict[str, Object] = {}
        self.masses: dict[str, float] = {}

    def body(
        self, name: str, shape: list[Part], place: tuple[float, float, float], rotation: Array | None = None
    ) -> None:
        shape = scaled(shape, self.height)
        frame = at(self.height * np.array(place), rotation)
        self.bodies[name] = self.made.body(f"Marionette {name}", shape, frame, material=self.material, turns=True)
        self.masses[name] = damping.mass(shape, self.material, self.metre)

    def assemble(self, base: Object) -> None:
        """All bodies and joints."""
        hips, shoulders = (SIDE["hip"], 0.0), (SIDE["shoulder"], SHOULDER - HIP)
        self.body("Torso", parts.torso(shoulders, hips), (0.0, 0.0, HIP))
        made, frame = self.made, at((0.0, 0.0, self.height * HIP))
        made.joint(base, self.bodies["Torso"], frame, kind="free", size=0.2 * self.height)
        self.body("Head", parts.head(), (0.0, 0.0, NECK))
        self.joint("Torso", "Head", "universal", 0.12)
        forwards = turn("X", -BENT)
        for side, word in ((-1.0, "Right"), (1.0, "Left")):  # its own right is at the viewer's left
            x, leg = side * SIDE["shoulder"], side * SIDE["hip"]
            elbow, knee = SHOULDER - parts.ARM, HIP - parts.THIGH
            self.body(f"{word} Forearm", parts.forearm(), (x, 0.0, elbow), forwards)
            self.body(f"{word} Arm", parts.limb(parts.ARM, 0.026, 0.02, parts.PINE), (x, 0.0, SHOULDER))
            self.body(f"{word} Shin", parts.shin(), (leg, 0.0, knee))
            self.body(f"{word} Thigh", parts.limb(parts.THIGH, 0.032, 0.026, parts.PINE), (leg, 0.0, HIP))
            self.joint("Torso", f"{word} Arm", "universal", parts.ARM, f"{word} Forearm")
            self.joint(f"{word} Arm", f"{word} Forearm", "revolute", 0.5 * parts.FOREARM, bends=-1.0)
            self.joint("Torso", f"{word} Thigh", "universal", parts.THIGH, f"{word} Shin")
            self.joint(f"{word} Thigh", f"{word} Shin", "revolute", 0.5 * parts.SHIN, bends=1.0)
        whole = (CROSS - HIP) * self.height * self.metre
        made.damp_body(self.bodies["Torso"], damping.drag(AIR, sum(self.masses.values()), whole))

    def joint(self, parent: str, child: str, kind: str, arm: float, *beyond: str, bends: float = 0.0) -> None:
        """arm: of the weight that it carries. bends: 1 if a hinge swings the limb back, -1 if forwards."""
        body = self.bodies[child]
        place = np.array(body.matrix_basis, np.float64)[:3, 3] - self.made.origin
        # z of a hinge along x lets a positive angle swing what hangs to the back, -y: forwards.
        axes = None if not bends else turn("Y", 0.5 * math.pi * bends)
        joint = self.made.joint(self.bodies[parent], body, at(place, axes), kind=kind, size=0.1 * self.height)
        load = damping.EARTH * sum(self.masses[name] for name in (child, *beyond)) * arm * self.height * self.metre
        self.made.damp_joint(joint, JOINTS * load)
        if bends:
            settings: Any = joint.redmax.joint
            start = BENT if bends < 0.0 else 0.0
            settings.lower_angle[0], settings.upper_angle[0] = (stop - start for stop in STOPS)
            settings.use_lower[0] = settings.use_upper[0] = True
            settings.limit_type = "SOFT"
            settings.limit_stiffness[0] = min(8.0 * load, fields.LARGEST)
            settings.limit_damping[0] = min(JOINTS * load, fields.LARGEST)

    def hang(self, cross: Object) -> None:
        """The strings: two at the head, two at the shoulders, one at each hand and each knee."""
        mass = self.masses
        limbs = sum(mass[f"Left {name}"] for name in ("Forearm", "Arm", "Shin", "Thigh"))
        for side, word in ((-1.0, "Right"), (1.0, "Left")):
            hand = mass[f"{word} Forearm"]
            x, leg = side * SIDE["shoulder"], side * SIDE["hip"]
            reach = parts.FOREARM - 0.035
            wrist = (x, -reach * math.sin(BENT) - 0.018, SHOULDER - parts.ARM - reach * math.cos(BENT))
            knee = (leg, -0.028, HIP - parts.THIGH + 0.02)
            bar = CROSS - 0.05
            carried = 0.5 * mass["Torso"] + limbs - hand - 0.5 * mass[f"{word} Thigh"]
            strings = (
                ("Head", "Head", (side * 0.074, 0.0, NECK + 0.115), (side * 0.06, 0.0, bar), 0.5 * mass["Head"]),
                ("Shoulder", "Torso", (side * 0.1, 0.02, SHOULDER + 0.02), (side * 0.1, 0.0, bar), carried),
                ("Hand", f"{word} Forearm", wrist, (side * 0.26, 0.0, bar), 0.6 * hand),
                ("Knee", f"{word} Thigh", knee, (side * 0.19, 0.0, bar), 0.4 * mass[f"{word} Thigh"]),
            )
            for name, body, low, high, load in strings:
                self.string(f"Marionette {word} {name} String", (self.bodies[body], low), (cross, high), load)

    def string(self, name: str, low: tuple[Object, Any], high: tuple[Object, Any], load: float) -> None:
        """From a place on the marionette to one on its cross. load: what hangs on it [kg]."""
        stretch = STRETCH * self.height
        stiffness = load * damping.EARTH / (stretch * self.metre)
        ends = [End(body, self.height * np.array(place)) for body, place in (low, high)]
        rest = lines.length_of([end.place for end in ends]) - stretch
        law = Elastic(stiffness, 2.0 * CALM * math.sqrt(stiffness * load), rest)
        lines.cable(self.made, name, ends, law, Look(IVORY, 0.22))
