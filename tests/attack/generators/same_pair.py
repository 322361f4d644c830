# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors on two hinges: several joints between the same two bodies, redundant wholly or in part."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.mechanisms import Builder

from .settings import direction, simulated

AXIS = {"revolute", "prismatic", "screw"}


def generate(rng: np.random.Generator) -> dict[str, Any]:
    b = Builder("joints on one pair")
    axis = np.array(direction(rng)) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
    side = np.cross(axis, direction(rng))
    side /= np.linalg.norm(side)
    b.bar("frame", (0, 0, 0), (0, 0, 1.0), 2.0)
    b.bar("door", 0.1 * axis, 0.1 * axis + side, rng.uniform(0.5, 2.0))
    on_world = bool(rng.random() < 0.5)
    parent = None if on_world else "frame"
    if on_world:
        b.joint(str(rng.choice(["fixed", "revolute", "spherical"])), "post", None, "frame", (0, 0, 0))
    else:
        b.joint(str(rng.choice(["fixed", "revolute", "prismatic"])), "post", None, "frame", (0, 0, 0), qdot=0.0)
    kind = str(rng.choice(["revolute", "revolute", "prismatic", "screw", "spherical", "universal", "planar", "fixed"]))
    for k in range(int(rng.integers(2, 5))):
        this = kind if rng.random() < 0.7 else str(rng.choice(["fixed", "revolute", "prismatic", "spherical", "free"]))
        fields: dict[str, Any] = {"axis": tuple(axis.tolist())} if this in AXIS else {}
        if this == "screw":
            fields["pitch"] = 0.2
        if k == 0 and this != "fixed":
            fields["qdot"] = 1.0 if this in AXIS else 0.3
        at = rng.uniform(-0.5, 0.5) * axis + (rng.uniform(-0.5, 0.5) * side if this == "prismatic" else 0.0)
        if rng.random() < 0.1:
            fields["motion_type"], fields["qdot"] = "locked", 0.0
        b.joint(this, f"joint {k}", parent, "door", at, **fields)
    if rng.random() < 0.4:  # something hangs from the door
        tip = 0.1 * axis + side
        b.bar("handle", tip, tip + 0.3 * np.array(direction(rng)), 0.3)
        b.hinge("pin", "door", "handle", tip, direction(rng), qdot=2.0)
    return simulated(rng, b.scene, duration=0.6)
