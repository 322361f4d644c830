# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that an extension might add, with everything that a joint may have and none of the engine's own has.

`Patch` has an array of its own, coordinates that are plain numbers, and Q(0) other than the identity. `Stack` has as
many coordinates as its data say, and is known by its `motion` alone. The cam is that of docs/adding_a_joint.md.
"""

from __future__ import annotations

import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from redmax.arrays import Array
from redmax.fields import Vector, array, integer, number
from redmax.joints import JOINTS
from redmax.joints.base import Joint, JointMotion
from redmax.spatial import pose
from redmax.spatial.scalar import Matrix, axis_rotation, put_block, turned_into

DOC = Path(__file__).parents[1] / "docs" / "adding_a_joint.md"


@dataclass(frozen=True, kw_only=True)
class Patch(Joint):
    """Q puts the frame on the surface (a (u + 1/2), b (v + 1/4), sum h_ij u^i v^j), tilted by 0.3 + turn u about y.

    S_u = (turn e_y; R^T dp/du), S_v = (0; R^T dp/dv).
    """

    kind: ClassVar[str] = "patch"
    label: ClassVar[str] = "Patch"
    summary: ClassVar[str] = "Slides on a curved plate"
    dof_names: ClassVar[tuple[str, ...]] = ("u", "v")
    dof_units: ClassVar[tuple[str, ...]] = ("1", "1")

    size: Vector = array((0.8, 0.6), doc="Length and width of the plate", shape=(2,), unit="m", positive=True)
    turn: float = number(0.8, doc="Turn along the length", unit="rad")
    heights: Vector = array(
        ((0.1, 0.0, 0.2), (-0.05, 0.3, 0.0)), doc="Polynomial h_ij of the height", shape=(None, 3), unit="m"
    )

    def data(self) -> tuple[float, ...]:
        return (*self.size, self.turn, *(h for row in self.heights for h in row))

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        u, v = q[0], q[1]
        a, b, turn = data[0], data[1], data[2]
        R = axis_rotation(1, 0.3 + turn * u)
        put_block(Q, 0, 0, R)
        Q[0, 3], Q[1, 3], Q[2, 3] = a * (u + 0.5), b * (v + 0.25), height(data, u, v, 0, 0)
        z_uu, z_uv, z_vv = height(data, u, v, 2, 0), height(data, u, v, 1, 1), height(data, u, v, 0, 2)
        S[1, 0] = turn
        S[3, 0], S[4, 0], S[5, 0] = turned_into(R, a, 0.0, height(data, u, v, 1, 0))
        S[3, 1], S[4, 1], S[5, 1] = turned_into(R, 0.0, b, height(data, u, v, 0, 1))
        put_rate(S, Sdot, 0, R, turn * qdot[0], z_uu * qdot[0] + z_uv * qdot[1])
        put_rate(S, Sdot, 1, R, turn * qdot[0], z_uv * qdot[0] + z_vv * qdot[1])


def height(data: Array, u: float, v: float, du: int, dv: int) -> float:
    """Derivative of the height, du times by u and dv times by v."""
    total = 0.0
    for k in range(3, data.size):
        i, j = (k - 3) // 3, (k - 3) % 3
        total += data[k] * power(u, i, du) * power(v, j, dv)
    return total


def power(x: float, n: int, derivatives: int) -> float:
    """Derivative of x^n."""
    factor = 1.0
    for k in range(derivatives):
        factor *= n - k
    for _ in range(n - derivatives):
        factor *= x
    return factor


def put_rate(S: Array, Sdot: Array, column: int, R: Matrix, omega: float, z_dot: float) -> None:
    """R^T pdot - omega e_y x S of one column."""
    x, y, z = turned_into(R, 0.0, 0.0, z_dot)
    Sdot[3, column], Sdot[4, column], Sdot[5, column] = x - omega * S[5, column], y, z + omega * S[3, column]


@dataclass(frozen=True, kw_only=True)
class Stack(Joint):
    """Slides along the first `count` axes: as many coordinates as its data say."""

    kind: ClassVar[str] = "stack"
    label: ClassVar[str] = "Stack"
    summary: ClassVar[str] = "Slides along one, two or three axes"

    count: int = integer(2, doc="How many axes", minimum=1)

    @property
    def dof_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("x", "y", "z")[: self.count]

    @property
    def dof_units(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("m",) * len(self.dof_names)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        S = np.zeros((6, self.ndof))
        S[3:] = np.eye(3)[:, : self.ndof]
        return JointMotion(pose.make(np.eye(3), S[3:] @ q), S, np.zeros((6, self.ndof)))


def cam() -> type[Joint]:
    """The joint of docs/adding_a_joint.md, as its page has it."""
    source = re.findall(r"^```python\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.M | re.S)[0]
    module = types.ModuleType("own_cam")
    module.__package__ = "redmax.joints"
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(source, str(DOC), "exec"), module.__dict__)
    made: type[Joint] = module.__dict__["Cam"]
    return made


def register() -> None:
    """Add the three to the registry; the add-on must not be imported yet."""
    JOINTS.add(99, cam())
    JOINTS.add(98, Patch)
    JOINTS.add(97, Stack)
