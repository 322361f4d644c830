# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact forces that the free motion of a step feels: those of the step before, constant along the world's axes.

So what rests, rests in the free motion too, however its joints bend its way, and only changes of forces are left to be
solved for. What turns while it touches needs them as much: an impulse at the end of a free motion knows nothing of how
velocities change each other meanwhile, such as by gyroscopic torques, which is an error of the second order in each
step; a coin that rolls around its rim gains energy by it. In the model of a run, bodies have a force each for it, whose
numbers change from step to step.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...forces.base import BoundForce, Formula, PackedForce
from ...model import Model
from .trees import trees

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree


FREE = 6
"""Coordinates of a body that nothing holds."""


class ContactPush(BoundForce):
    """A torque and a force at the centre of mass of one body, along the world's axes: `wrench` (6,), which changes."""

    exchanges: ClassVar[bool] = False  # the account of contact has its work
    is_stiff: ClassVar[bool] = False

    def __init__(self, body: int) -> None:
        super().__init__("contact", (body,))
        self.wrench = np.zeros(6)

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:  # noqa: ARG002  (the same everywhere)
        return np.asarray((self.wrench.reshape(2, 3) @ E[0, :3, :3]).reshape(1, 6))

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        K = np.zeros((6, 6))
        for part, (x, y, z) in enumerate(self.wrenches(E, phi, t).reshape(2, 3)):
            K[3 * part : 3 * part + 3, :3] = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return K, np.zeros((6, 6))

    def implicit(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:  # noqa: ARG002  (nothing)
        return np.zeros((6, 6)), np.zeros((6, 6))

    def packed(self) -> PackedForce:
        owner = np.array(self.bodies, np.int64)
        return PackedForce(Formula.WORLD_WRENCH, owner, np.zeros((1, 3)), (*(0.0,) * 6, *np.eye(3).ravel().tolist()))


def pushed(model: Model) -> Model:
    """The model with a `ContactPush`, as its last forces, for every body with surfaces that forces can move."""
    assert model.surfaces is not None
    of_body = model.once(trees).of_body
    bodies = sorted({int(body) for body in model.surfaces.bodies if body >= 0 and of_body[body] >= 0})
    pushes = tuple(ContactPush(body) for body in bodies)
    hidden = model.hidden_forces + len(pushes)
    return dataclasses.replace(model, forces=(*model.forces, *pushes), hidden_forces=hidden)


def falls_evenly(model: Model) -> BoolArray:
    """(n,) bodies that nothing ties to others or to the world. Without spin they fall evenly: they feel forces only
    while they turn, so that errors of forces do not come back as motion of what rests."""
    of_body = model.once(trees).of_body[:-1]
    alone = np.bincount(of_body + 1, minlength=2)[1:] == 1
    floats = (np.diff(model.dof) == FREE) & (model.parent < 0) & (of_body >= 0)
    return np.asarray(floats & alone[of_body] & (not model.loops))


class FreePushes:
    """The pushes of one run: those of its model, or of its kernels."""

    def __init__(self, model: Model, tree: Tree | None) -> None:
        self.forces = [force for force in model.forces if isinstance(force, ContactPush)]
        self.bodies: IntArray = np.array([force.bodies[0] for force in self.forces], np.int64)
        self.alone = falls_evenly(model)
        self._pool: Array | None = None
        if tree is not None:
            from ...kernels.layout.arrays import Sections  # noqa: PLC0415  (needs numba)
            from ...kernels.layout.declaration import Force, ForceWork  # noqa: PLC0415  (needs numba)

            sections = Sections(tree.ints, tree.floats)
            rows = sections.forces[len(model.forces) - len(self.forces) :]
            self._pool = sections.pool
            self._places = rows[:, Force.START, None] + ForceWork.SIZE + 3 + np.arange(6)

    def put(self, wrenches: Array) -> None:
        """Have the free motion feel wrenches (n, 6) about the centres of mass, along the world's axes [N m, N]."""
        mine = wrenches[self.bodies]
        if self._pool is not None:
            self._pool[self._places] = mine
            return
        for force, wrench in zip(self.forces, mine, strict=True):
            force.wrench[:] = wrench
