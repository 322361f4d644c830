# SPDX-License-Identifier: GPL-3.0-or-later
"""A belt on a drum, as a chain of bodies: Euler's and Eytelwein's law, which it comes to as links become short."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.contact_scenes import run
from engine.mechanisms import Builder
from redmax.fields import Pose
from redmax.forces import PointForce
from redmax.scene import Scene
from redmax.spatial import quaternion
from redmax.surfaces import CylinderSurface, SphereSurface
from redmax.tables import Table

SURFACE, DRUM, BEAD = 0.3, 0.5, 0.002
MU = SURFACE * DRUM / (DRUM + BEAD)
"""Friction acts at the drum, pulls half the thickness of the belt further out."""

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
            SphereSurface(name=f"bead {k}", body=name, radius=BEAD, friction=SURFACE, frame=Pose(tuple(place.tolist())))
        )
        before = name
    for end, pull in (("tight", heavy), ("slack", PULL)):
        if pull is not None:
            force = PointForce(name=end, body=end, point=(0.0, 0.0, -0.2), direction=tuple(down), force=pull)
            b.scene.forces.append(force)
    b.body("drum", (0.0, 0.0, 0.0), 10.0, np.eye(3))
    # Positive about y turns the top towards +x, where the held end is: it turns the other way.
    motion = Table(x=(0.0, 10.0), y=((0.0,), (-10.0 * turns,)), interpolation="linear")
    b.hinge("axle", None, "drum", (0.0, 0.0, 0.0), motion_type="animated", animation=motion)
    along = tuple(quaternion.from_matrix(np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])).tolist())
    b.scene.surfaces.append(
        CylinderSurface(name="drum", body="drum", radius=DRUM, height=0.4, friction=SURFACE, frame=Pose(rotation=along))
    )
    return b.scene


def pull_of_the_held_end(count: int) -> float:
    """The pull at the held end over that at the slack end while the drum slides below the belt."""
    found = run(belt(count, heavy=None, turns=3.0), 0.5)
    assert found.status == "complete", found.message
    reaction = found.channels["reaction"][:, found.body_names.index("tight"), 3:]
    return float(np.median(np.linalg.norm(reaction[4:], axis=1))) / PULL


def test_pulls_grow_around_a_drum_by_the_exponential_of_friction_times_angle() -> None:
    """Each number of links has a law of its own, which comes to Euler's with the square of their number."""
    pulls = {count: pull_of_the_held_end(count) for count in (4, 8, 12)}
    for count, pull in pulls.items():
        assert pull == pytest.approx(of_links(count), rel=5e-3)
    off = [abs(pulls[count] / EULER - 1.0) for count in (4, 8, 12)]
    assert off[1] < 0.35 * off[0]
    assert off[2] < 0.01


@pytest.mark.parametrize(("part", "slips"), [(0.97, False), (1.03, True)])
def test_a_belt_on_a_drum_that_stands_slips_beyond_that_ratio_alone(part: float, slips: bool) -> None:
    found = run(belt(8, heavy=part * of_links(8) * PULL, turns=0.0), 0.5)
    tight = found.body_names.index("tight")
    sinks = found.position[0, tight, 2] - found.position[-1, tight, 2]
    assert (sinks > 0.1) == slips
    assert (sinks < 0.02) != slips
