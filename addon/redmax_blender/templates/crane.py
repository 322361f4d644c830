# SPDX-License-Identifier: GPL-3.0-or-later
"""A tower crane that slews by keys while its load swings on a rope."""

import math
from typing import Any, cast

import numpy as np

from ..bridge.core.findings import refuse
from ..bridge.objects import units
from . import crane_parts, crane_tackle, damping, parameters
from .assembly import SIDEWAYS, Assembly, Object, at, scaled, turn

NAME = "crane"
LABEL = "Crane"
DESCRIPTION = "Add a tower crane: keys turn it, and the load swings on its rope"
ICON = "MOD_LATTICE"

MOST_UNEQUAL = 1000.0
"""Tower and boom have the same width. Where one is so much longer than the other its lattice becomes a line."""

SLING = 0.55
"""Height of the load's slings, in units of the crate's side."""

PARAMETERS: dict[str, Any] = {
    "height": parameters.length("Tower Height", "From the ground to the turntable", 8.0),
    "boom_length": parameters.length("Boom Length", "From the hinge of the boom to its tip", 8.0),
    "boom_angle": parameters.angle("Boom Angle", "Angle of the boom above level", math.radians(35.0), most=1.4),
    "rope_length": parameters.length("Rope Length", "From the tip of the boom to the hook", 5.0),
    "rope_links": parameters.count("Rope Pieces", "Pieces the rope is made of", 8, soft=50),
    "load_size": parameters.length("Load Size", "Side of the crate", 1.4),
    "swing_damping": parameters.factor(
        "Swing Damping", "How quickly the swing of the load dies down, as a part of critical damping", 0.08, most=1.0
    ),
    "slew": parameters.angle("Slew", "How far the crane turns", math.radians(90.0)),
    "luffing": parameters.switch("Luffing", "Raise the boom while the crane turns", default=True),
    "luff": parameters.angle("Luff", "How far the boom is raised", math.radians(15.0), least=-1.4, most=1.4),
    "duration": parameters.seconds("Duration", "How long the crane turns", 6.0),
}


def build(
    context: Any,
    *,
    height: float = 8.0,
    boom_length: float = 8.0,
    boom_angle: float = math.radians(35.0),
    rope_length: float = 5.0,
    rope_links: int = 8,
    load_size: float = 1.4,
    swing_damping: float = 0.08,
    slew: float = math.radians(90.0),
    luffing: bool = True,
    luff: float = math.radians(15.0),
    duration: float = 6.0,
) -> list[Object]:
    """The crane with its foot at the 3D cursor. Lengths in Blender units, angles in radians, duration in seconds."""
    if max(height, boom_length) > MOST_UNEQUAL * min(height, boom_length):
        text = f"A tower of {height:g} and a boom of {boom_length:g} make no crane"
        raise refuse("", text, f"let neither be more than {MOST_UNEQUAL:g} times as long as the other")
    width = min(0.15 * height, 0.3 * boom_length)
    made = Assembly(context, LABEL)
    parts = scaled(crane_parts.tower(height / width), width)
    tower = made.body("Crane Tower", parts, at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    deck = at((0.0, 0.0, height))
    table = made.body("Crane Turntable", scaled(crane_parts.turntable(), width), deck, material="STEEL")
    slewing = made.joint(tower, table, deck, kind="revolute", size=1.1 * width)
    made.keys(slewing, [(0.0, 0.0), (duration, slew)], gentle=True)

    raised = turn("Y", -boom_angle)
    hinge = at(deck[:3, 3] + width * np.array(crane_parts.BOOM_FOOT), raised)
    boom = made.body("Crane Boom", scaled(crane_parts.boom(boom_length / width), width), hinge, material="STEEL")
    # The joint's z, about which it turns, points to -y: a positive angle raises the boom.
    axis = at(hinge[:3, 3], raised @ SIDEWAYS)
    raising = made.joint(table, boom, axis, kind="revolute", size=0.6 * width)
    if luffing:
        made.keys(raising, [(0.0, 0.0), (duration, luff)], gentle=True)
    else:
        raising.redmax.joint.motion_type = "locked"

    tip = hinge[:3, 3] + boom_length * hinge[:3, 0] + np.array([0.15 * width, 0.0, 0.0])
    tackle = _Tackle(made, rope_length, rope_links, 0.55 * width, load_size)
    tackle.hang(boom, tip, swing_damping)
    return made.finish(tower)


class _Tackle:
    """What hangs from the boom: pieces of rope, hook and load, and how heavy they are. Lengths in Blender units."""

    def __init__(self, made: Assembly, rope: float, pieces: int, hook_size: float, load_size: float) -> None:
        self.made, self.count = made, pieces
        self.piece, self.radius = rope / pieces, 0.055 * hook_size
        self.rope_parts = crane_tackle.rope(self.piece, min(self.radius, 0.3 * self.piece))
        self.hook_parts = scaled(crane_tackle.hook(), hook_size)
        self.load_parts = scaled(crane_tackle.load(SLING), load_size)
        self.hook_size, self.load_size = hook_size, load_size
        self.hook, self.load = -crane_tackle.HOOK_POINT * hook_size, (SLING + 0.5) * load_size
        self.length = units.metres_per_unit(made.context.scene)
        self.whole = (rope + self.hook + self.load) * self.length
        self.rope_mass = damping.mass(self.rope_parts, "STEEL", self.length)
        self.hook_mass = damping.mass(self.hook_parts, "STEEL", self.length)
        self.load_mass = damping.mass(self.load_parts, "PINE", self.length)

    def hang(self, boom: Object, tip: Any, swing_damping: float) -> None:
        """Everything below the tip of the boom. Universal joints bend but do not twist."""
        made, before, shape = self.made, boom, cast("Any", self.rope_parts)
        tackle = self.hook_mass + self.load_mass
        for number in range(self.count):
            frame = at(tip - np.array([0.0, 0.0, number * self.piece]))
            name = f"Crane Rope {number + 1:0{len(str(self.count))}}"
            rope = made.body(name, shape, frame, material="STEEL")
            shape = rope.data
            hanging = tackle + (self.count - number) * self.rope_mass
            self._bend(made.joint(before, rope, frame, kind="universal", size=4.0 * self.radius), hanging, self.piece)
            before = rope
        end = tip - np.array([0.0, 0.0, self.count * self.piece])
        hook = made.body("Crane Hook", self.hook_parts, at(end), material="STEEL")
        self._bend(made.joint(before, hook, at(end), kind="universal", size=0.5 * self.hook_size), tackle, self.hook)
        ring = end - np.array([0.0, 0.0, self.hook])
        load = made.body("Crane Load", self.load_parts, at(ring), material="PINE")
        joint = made.joint(hook, load, at(ring), kind="universal", size=0.3 * self.load_size)
        self._bend(joint, self.load_mass, self.load)
        made.damp_body(load, damping.drag(swing_damping, tackle, self.whole))

    def _bend(self, joint: Object, hanging: float, piece: float) -> None:
        self.made.damp_joint(joint, damping.bending(hanging, piece * self.length, self.whole))
