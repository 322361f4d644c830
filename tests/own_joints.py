# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that an extension might add, with everything that a joint may have and none of the engine's own has.

`Patch` has an array of its own, coordinates that are plain numbers, and Q(0) other than the identity. `Stack` has as
many coordinates as its data say. The cam is that of docs/adding_a_joint.md.
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
from redmax.spatial import pose, so3

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

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        u, v = q
        a, b = self.size
        h = np.asarray(self.heights, np.float64)
        i, j = np.arange(h.shape[0])[:, None], np.arange(3)[None, :]

        def z(du: int, dv: int) -> float:
            """Derivative of the height, du times by u and dv times by v."""
            factor = np.where(du == 0, 1.0, i if du == 1 else i * (i - 1)) * np.where(
                dv == 0, 1.0, j if dv == 1 else j * (j - 1)
            )
            return float((h * factor * u ** np.maximum(i - du, 0) * v ** np.maximum(j - dv, 0)).sum())

        p = np.array([a * (u + 0.5), b * (v + 0.25), z(0, 0)])
        p_u, p_v = np.array([a, 0.0, z(1, 0)]), np.array([0.0, b, z(0, 1)])
        p_u_dot = np.array([0.0, 0.0, z(2, 0) * qdot[0] + z(1, 1) * qdot[1]])
        p_v_dot = np.array([0.0, 0.0, z(1, 1) * qdot[0] + z(0, 2) * qdot[1]])
        R = so3.rot_y(0.3 + self.turn * u)
        omega = np.array([0.0, self.turn * qdot[0], 0.0])
        S, Sdot = np.zeros((6, 2)), np.zeros((6, 2))
        S[1, 0] = self.turn
        S[3:, 0], S[3:, 1] = R.T @ p_u, R.T @ p_v
        Sdot[3:, 0] = R.T @ p_u_dot - np.cross(omega, S[3:, 0])
        Sdot[3:, 1] = R.T @ p_v_dot - np.cross(omega, S[3:, 1])
        return JointMotion(pose.make(R, p), S, Sdot)


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
