# SPDX-License-Identifier: GPL-3.0-or-later
"""A belt on a drum, as a chain of bodies: Euler's and Eytelwein's law, which it comes to as links become short."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.contact_scenes import G, run
from engine.mechanisms import Builder
from redmax.fields import Pose
from redmax.forces import PointForce
from redmax.scene import Scene
from redmax.spatial import quaternion
from redmax.surfaces import CylinderSurface, SphereSurface
from redmax.tables import Table

MU, DRUM, BEAD = 0.3, 0.5, 0.002
LINK, PULL = 0.05, 20.0
"""Mass of a link [kg], and what pulls at the slack end [N]. There is no gravity."""

DAMPING = 0.01
"""Of the pins [N m s/rad], which lets the belt come to rest."""

EULER = math.exp(MU * math.pi)


def of_links(count: int, mu: float = MU) -> float:
    """Ratio of the pulls on both sides of half a turn that touches at `count` points, all of which slide.

    Where pulls T and S meet at the angle d they press with (T + S) sin(d/2), and what they differ by along the drum,
    (T - S) cos(d/2), is friction.
    """
    t = mu * math.tan(0.5 * math.pi / count)
    return ((1.0 + t) / (1.0 - t)) ** count


def belt(count: int, *, heavy: float | None, turns: float) -> Scene:
    """Links over a drum that touch it with a bead each, and a pull on the slack end.

    heavy: pull on the other end [N], None where that is held. turns: speed of the drum towards the slack end [rad/s].
    """
    b = Builder("belt", gravity=(0.0, 0.0, 0.0))
    step, reach = math.pi / count, DRUM + BEAD
    angles = step * (np.arange(count) + 0.5)
    beads = [reach * np.array([math.cos(a), 0.0, math.sin(a)]) for a in angles]
    down = np.array([0.0, 0.0, -0.4])
    anchor = beads[0] + down
    b.bar("tight", anchor, beads[0], LINK)
    if heavy is None:
        b.hinge("anchor", None, "tight", anchor)
    else:
        upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        b.joint("free_2d", "anchor", None, "tight", anchor, upright)
    before = "tight"
    for k, (here, there) in enumerate(zip(beads, [*beads[1:], beads[-1] + down], strict=True)):
        name = "slack" if k == count - 1 else f"link {k}"
        b.bar(name, here, there, LINK)
        b.hinge(f"pin {k}", before, name, here, damping=DAMPING)
        place = here - b.E[name][:3, 3]
        b.scene.surfaces.append(
            SphereSurface(name=f"bead {k}", body=name, radius=BEAD, friction=MU, frame=Pose(tuple(place.tolist())))
        )
        before = name
    for end, pull in (("tight", heavy), ("slack", PULL)):
        if pull is not None:
            b.scene.forces.append(PointForce(name=end, body=end, point=(0.0, 0.0, -0.2), direction=tuple(down), force=pull))
    b.body("drum", (0.0, 0.0, 0.0), 10.0, np.eye(3))
    # Positive about y turns the top towards +x, where the held end is: it turns the other way.
    motion = Table(x=(0.0, 10.0), y=((0.0,), (-10.0 * turns,)), interpolation="linear")
    b.hinge("axle", None, "drum", (0.0, 0.0, 0.0), motion_type="animated", animation=motion)
    along = tuple(quaternion.from_matrix(np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])).tolist())
    b.scene.surfaces.append(
        CylinderSurface(name="drum", body="drum", radius=DRUM, height=0.4, friction=MU, frame=Pose(rotation=along))
    )
    return b.scene
