# SPDX-License-Identifier: GPL-3.0-or-later
"""A tower crane that slews by keys while its load swings on a rope."""

import math
from typing import Any

import numpy as np

from ..bridge.findings import refuse
from . import crane_parts, crane_tackle, parameters
from .assembly import SIDEWAYS, Assembly, Object, at, scaled, turn

NAME = "crane"
LABEL = "Crane"
DESCRIPTION = "Add a tower crane: keys turn it, and the load swings on its rope"
ICON = "MOD_LATTICE"

MOST_UNEQUAL = 1000.0
"""Tower and boom have the same width. Where one is so much longer than the other its lattice becomes a line."""

PARAMETERS: dict[str, Any] = {
    "height": parameters.length("Tower Height", "From the ground to the turntable", 8.0),
    "boom_length": parameters.length("Boom Length", "From the hinge of the boom to its tip", 8.0),
    "boom_angle": parameters.angle("Boom Angle", "Angle of the boom above level", math.radians(35.0), most=1.4),
    "rope_length": parameters.length("Rope Length", "From the tip of the boom to the hook", 5.0),
    "rope_links": parameters.count("Rope Pieces", "Pieces the rope is made of", 8, soft=50),
    "load_size": parameters.length("Load Size", "Side of the crate", 1.4),
    "slew": parameters.angle("Slew", "How far the crane turns", math.radians(120.0)),
    "luffing": parameters.switch("Luffing", "Raise the boom while the crane turns", default=True),
    "luff": parameters.angle("Luff", "How far the boom is raised", math.radians(15.0), least=-1.4, most=1.4),
    "duration": parameters.seconds("Duration", "How long the crane turns", 4.0),
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
    slew: float = math.radians(120.0),
    luffing: bool = True,
    luff: float = math.radians(15.0),
    duration: float = 4.0,
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
    made.keys(slewing, [(0.0, 0.0), (duration, slew)])

    raised = turn("Y", -boom_angle)
    hinge = at(deck[:3, 3] + width * np.array(crane_parts.BOOM_FOOT), raised)
    boom = made.body("Crane Boom", scaled(crane_parts.boom(boom_length / width), width), hinge, material="STEEL")
    # The joint's z, about which it turns, points to -y: a positive angle raises the boom.
    axis = at(hinge[:3, 3], raised @ SIDEWAYS)
    raising = made.joint(table, boom, axis, kind="revolute", size=0.6 * width)
    if luffing:
        made.keys(raising, [(0.0, 0.0), (duration, luff)])
    else:
        raising.redmax.joint.motion_type = "locked"

    down = np.array([0.0, 0.0, -1.0])
    tip = hinge[:3, 3] + boom_length * hinge[:3, 0] + np.array([0.15 * width, 0.0, 0.0])
    rope = _rope(made, boom, tip, rope_length, rope_links, 0.03 * width)
    end = tip + rope_length * down
    size = 0.55 * width
    hook = made.body("Crane Hook", scaled(crane_tackle.hook(), size), at(end), material="STEEL")
    made.joint(rope, hook, at(end), kind="universal", size=0.5 * size)
    ring = end - crane_tackle.HOOK_POINT * size * down
    load = made.body("Crane Load", scaled(crane_tackle.load(0.55), load_size), at(ring), material="PINE")
    made.joint(hook, load, at(ring), kind="universal", size=0.3 * load_size)
    return made.finish(tower)


def _rope(made: Assembly, boom: Object, tip: Any, length: float, count: int, radius: float) -> Object:
    """Pieces of rope on universal joints, which bend but do not twist; returns the last."""
    piece = length / count
    shape: Any = crane_tackle.rope(piece, min(radius, 0.3 * piece))
    before = boom
    for number in range(count):
        frame = at(tip - np.array([0.0, 0.0, number * piece]))
        rope = made.body(f"Crane Rope {number + 1:0{len(str(count))}}", shape, frame, material="STEEL")
        shape = rope.data
        made.joint(before, rope, frame, kind="universal", size=4.0 * radius)
        before = rope
    return before
