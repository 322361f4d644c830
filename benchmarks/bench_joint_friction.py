# SPDX-License-Identifier: GPL-3.0-or-later
"""What friction inside joints costs: chains of hinges that swing from flat, beside the same ones without."""

from __future__ import annotations

import dataclasses

from redmax.compile import compile as compile_scene
from redmax.integrators.automatic import Automatic
from redmax.joints.friction import Friction
from redmax.scene import Scene

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


def run(options: Options) -> list[Row]:
    rows = []
    for n in (1, 5, 20):
        plain = chain(n)
        rough = with_friction(plain)
        ways = {"plain": lambda plain=plain: swing(plain), "rough": lambda rough=rough: swing(rough)}
        for way in ways.values():  # compiled before it is timed
            way()
        times = interleaved(ways, rounds=options.rounds)
        value, spread = times["rough"]
        rows.append(
            Row(
                "joint friction",
                f"{n} hinges",
                value,
                "s",
                "without friction",
                times["plain"][0],
                spread=spread,
                aim=2.0,
            )
        )
    return rows
