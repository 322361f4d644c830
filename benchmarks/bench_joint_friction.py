# SPDX-License-Identifier: GPL-3.0-or-later
"""What friction inside joints costs: chains of hinges that swing from flat, and a four-bar, beside the same ones
without."""

from __future__ import annotations

import dataclasses
import math

from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.integrators.automatic import Automatic
from redmax.joints import Revolute
from redmax.joints.friction import Friction
from redmax.scene import Body, Scene

from .bench_scene import chain
from .measure import Options, Row, interleaved

DURATION = 2.0
ROUGH = Friction(coefficient=0.1, radius=0.01, height=0.04)


def with_friction(scene: Scene) -> Scene:
    """The same scene with friction in all its joints."""
    return dataclasses.replace(scene, joints=[dataclasses.replace(joint, friction=ROUGH) for joint in scene.joints])


def swing(scene: Scene) -> object:
    """All steps of a run from rest, without samples."""
    model = compile_scene(scene)
    return Automatic().begin(model, model.initial_state()).advance(DURATION)


CRANK, COUPLER, ROCKER, GROUND, ANGLE = 0.3, 0.9, 0.7, 1.0, 0.5
"""Lengths of the four-bar [m], and where its crank is let go [rad]."""


def four_bar() -> Scene:
    """Bars of 4 cm by 4 cm between four hinges, one of which closes the loop."""
    x, y = CRANK * math.cos(ANGLE), CRANK * math.sin(ANGLE)
    reach = math.hypot(GROUND - x, y)
    # angle of the coupler, from the triangle of coupler, rocker and what is left open
    lift = math.acos((COUPLER**2 + reach**2 - ROCKER**2) / (2.0 * COUPLER * reach))
    coupler = math.atan2(-y, GROUND - x) + lift
    end = x + COUPLER * math.cos(coupler), y + COUPLER * math.sin(coupler)
    rocker = math.atan2(end[1], end[0] - GROUND)
    along = {"crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
    bodies = [
        Body(name=name, shapes=(Box(size=(length, 0.04, 0.04), density=500.0, frame=Pose((0.5 * length, 0.0, 0.0))),))
        for name, length in along.items()
    ]

    def hinge(name: str, parent: str | None, child: str, at: float, angle: float, end: float = 0.0) -> Revolute:
        """A hinge at a length of its parent and another of its child, with the child at an angle to its parent."""
        half = 0.5 * angle  # about -y
        frame = Pose((at, 0.0, 0.0), (math.cos(half), 0.0, -math.sin(half), 0.0))
        own = Pose((end, 0.0, 0.0))
        return Revolute(
            name=name, parent=parent, child=child, axis=(0.0, 1.0, 0.0), frame_in_parent=frame, frame_in_child=own
        )

    joints = [
        hinge("A", None, "crank", 0.0, ANGLE),
        hinge("B", "crank", "coupler", CRANK, coupler - ANGLE),
        hinge("D", None, "rocker", GROUND, rocker),
        hinge("C", "coupler", "rocker", COUPLER, rocker - coupler, ROCKER),
    ]
    return Scene(bodies=bodies, joints=joints)


def run(options: Options) -> list[Row]:
    rows = []
    scenes = {**{f"{n} hinges": chain(n) for n in (1, 5, 20)}, "four-bar": four_bar()}
    for name, plain in scenes.items():
        rough = with_friction(plain)
        ways = {"plain": lambda plain=plain: swing(plain), "rough": lambda rough=rough: swing(rough)}
        for way in ways.values():  # compiled before it is timed
            way()
        times = interleaved(ways, rounds=options.rounds)
        value, spread = times["rough"]
        rows.append(
            Row(
                "joint friction",
                name,
                value,
                "s",
                "without friction",
                times["plain"][0],
                spread=spread,
                aim=2.0,
            )
        )
    return rows
