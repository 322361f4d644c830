# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that kernels know by their function alone beside hinges, which have a recursion of their own.

The cam is that of docs/adding_a_joint.md: one file, one line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from redmax import fast
from redmax.arrays import Array
from redmax.compile import compile as compile_scene
from redmax.fields import Pose, number
from redmax.joints import Joint, Revolute, Universal
from redmax.kernels import route
from redmax.scene import Body, Inertia, Scene
from redmax.spatial.scalar import sine_cosine

from .measure import Options, Row, interleaved_loops

LIMIT = 2.0
"""What a chain of cams may take, relative to a chain of as many hinges."""
LINKS = (10, 100)


@dataclass(frozen=True, kw_only=True)
class Cam(Joint):
    """Turns by q about z and lifts by rise (1 - cos q) / 2 along it."""

    kind: ClassVar[str] = "cam"
    label: ClassVar[str] = "Cam"
    dof_names: ClassVar[tuple[str, ...]] = ("angle",)
    dof_units: ClassVar[tuple[str, ...]] = ("rad",)

    rise: float = number(0.1, doc="Height of the lift", unit="m", minimum=0.0)

    def data(self) -> tuple[float, ...]:
        return (self.rise,)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:  # noqa: ARG004
        half, (s, c) = 0.5 * data[0], sine_cosine(q[0])
        Q[0, 0], Q[0, 1], Q[1, 0], Q[1, 1] = c, -s, s, c
        Q[2, 3] = half * (1.0 - c)
        S[2, 0], S[5, 0] = 1.0, half * s
        Sdot[5, 0] = half * c * qdot[0]


def run(options: Options) -> list[Row]:
    if route.name() != route.NUMBA:
        options.skip(f"joints: only plain numpy computes here, because {route.why_numpy()}")
        return []
    return [row for n in LINKS for row in compared(options, n)]


def compared(options: Options, n: int) -> list[Row]:
    """Forward dynamics of chains of n degrees of freedom, in a compiled loop."""
    chains = {"hinges": chain(n, Revolute), "cams": chain(n, Cam), "universal joints": chain(n // 2, Universal)}
    loops = {name: repeated(scene) for name, scene in chains.items()}
    times = interleaved_loops(loops, options.rounds, at_least=options.seconds(0.05, 0.02))
    return [
        Row(
            "joints by their function, forward dynamics",
            f"{name}, {n} degrees of freedom",
            1e6 * times[name].median,
            "us",
            "ours with hinges",
            1e6 * times["hinges"].median,
            times[name].spread,
            ratio_limit=LIMIT,
            their_spread=times["hinges"].spread,
        )
        for name in ("cams", "universal joints")
    ]


def repeated(scene: Scene) -> Callable[[int], object]:
    """A function that computes the accelerations of a scene so many times."""
    model = compile_scene(scene)
    tree = fast.new_tree(model)
    if tree is None:
        raise RuntimeError(f"'{scene.name}' does not run compiled")
    rng = np.random.default_rng(0)
    q, qdot = rng.uniform(-0.5, 0.5, model.dof_count), rng.uniform(-1.0, 1.0, model.dof_count)
    return lambda count: tree.repeat(q, qdot, count)


def chain(n: int, cls: type[Joint]) -> Scene:
    """n links of 0.1 m, each turned by a quarter about x from the one before."""
    frame = Pose((0.1, 0.0, 0.0), (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))
    tensor = ((1e-3, 0.0, 0.0), (0.0, 2e-3, 0.0), (0.0, 0.0, 2e-3))
    bodies = [
        Body(name=f"link {k}", inertia=Inertia(mass=1.0, center=(0.05, 0.0, 0.0), tensor=tensor)) for k in range(n)
    ]
    joints = [
        cls(name=f"joint {k}", parent=f"link {k - 1}" if k else None, child=f"link {k}", frame_in_parent=frame)
        for k in range(n)
    ]
    return Scene(name=f"chain of {cls.__name__}", bodies=bodies, joints=joints)
