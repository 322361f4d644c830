# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with contact whose frames kernels compute: all but those with strands, very stiff springs, and drives of an
input without inertia."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array, IntArray
from ...dynamics.animation import with_prescribed
from ...model import Model
from ...state import State
from ...surfaces import PackedSurfaces, layout
from ..automatic import AutomaticStepper
from ..base import MAX_TURN, IntegrationError, TooManyStepsError
from ..compiled import stuck_component
from ..switching import next_switch
from ..watch import FRAME
from .points import Points
from .resting import Rest
from .stepper import BOUNCES, BOUNCES_OF_BODY, EVENT, ContactStepper
from .trees import WORLD, trees
from .velocity_step import Pushes

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree
    from ..automatic import Promise

STEPS_AT_ONCE = 200
"""Steps in one call, after which a run may be stopped."""
MOST_STEPS = 20_000
"""Steps in a frame after which a run goes nowhere."""
STIFFEST = 2e4
"""Springs and dampers faster than this [1/s] take implicit steps, which kernels with contact do not have."""
STABLE = 1.4
"""Explicit steps of free motion, classical and of order 4, are stable up to twice this over the rate of what is stiff:
no step is kept for being the shortest that is longer."""


def has_compiled_frames(model: Model, tree: Tree | None) -> bool:
    """Whether kernels know all that the model has beside its surfaces."""
    if tree is None:
        return False
    from ...kernels.layout.declaration import Head  # noqa: PLC0415  (needs numba)

    return not int(tree.ints[Head.LED]) and not model.strands and model.treatment.projects


class CompiledContactStepper(ContactStepper):
    """See `kernels.contact_steps.frames`."""

    def __init__(self, model: Model, state: State, promise: Promise, tolerance: float, tree: Tree) -> None:
        super().__init__(model, state, promise, tolerance, tree)
        import numba.np.arrayobj  # noqa: F401, PLC0415  (machine code that was kept names it, as it copies arrays)

        from ...kernels.contact.compiled import find_at  # noqa: PLC0415  (needs numba)
        from ...kernels.contact_steps import frames, problem  # noqa: PLC0415  (needs numba)
        from ...kernels.contact_steps import numbers as at  # noqa: PLC0415  (needs numba)
        from ...kernels.layout.declaration import Head  # noqa: PLC0415  (needs numba)

        self._at, self._kernel = at, frames
        self._solver_at, self._find_at = problem.solve_at.address, find_at.address
        n, detection = model.body_count, self.detection
        self._topology = _topology(model)
        surfaces = detection.surfaces
        self._surfaces = (
            np.array(surfaces.ints), _in_kernel_frames(tree, surfaces), np.array(surfaces.materials),
            np.where(surfaces.bodies < 0, n, surfaces.bodies), np.array(detection.arms), np.array(detection.thickness),
        )  # fmt: skip
        finder = detection._finder
        self._detection = (finder.marks, finder.work)
        places = _pool_places(model, tree, self.pushes.forces)
        self._pushes = np.array(self.pushes.bodies), places, self.pushes.alone[self.pushes.bodies]
        par = np.zeros(at.PARAMETERS)
        for place, value in (
            (at.GRAVITY, self.gravity), (at.TOUCH, self.touch), (at.CLOSED, self.closed), (at.RESIDUAL, self.residual),
            (at.SETTLING, self.settling), (at.STICKING, self.sticking), (at.LENGTH, detection.length),
            (at.SCALE_OF_TIME, self.time), (at.TOLERANCE, tolerance), (at.LONGEST, FRAME),
            (at.SHORTEST, self._shortest),
            (at.EVENT, EVENT * self._shortest), (at.MAX_TURN, MAX_TURN), (at.EXCHANGES, float(self._exchanges)),
            (at.SINGULAR, float(tree.singular)), (at.SLOW, self.bounce_from),
            (at.MOST_BOUNCES, BOUNCES + BOUNCES_OF_BODY * n), (at.LOSS, self.loss_error),
            (at.LINGERING, self.lingering),
        ):  # fmt: skip
            par[place] = value
        self._parameters, self._clock = par, np.zeros(at.CLOCK)
        self._clock[at.STEP] = self._h
        self._clock[at.WORK], self._clock[at.TAKEN] = self._y[-2:]
        self._rows_at = 0
        if tree.ints[Head.ROWS]:
            from ...kernels.contact_steps import rows  # noqa: PLC0415  (needs numba)

            self._rows_at = rows.put_rows_at.address
        self._row_warm = np.zeros(int(tree.ints[Head.ROWS]))
        self._warm_ids: IntArray = np.zeros((0, 3), np.int64)
        self._warm_forces: Array = np.zeros((0, 6))
        self._landings = np.zeros((0, 2), np.int64), np.zeros(0)
        self._rest = Rest(self)

    @property
    def is_stiff(self) -> bool:
        """Whether springs or dampers are too fast for explicit steps here."""
        return sum(self._rates()) > STIFFEST

    def advance(self, t_end: float) -> State:
        if self._rest.holds(self.state):
            return self._stay(t_end)
        if self._stays_away(t_end):
            return self._advance_freely(t_end)
        at, clock = self._at, self._clock
        rate = sum(self._rates())
        self._parameters[at.SHORTEST] = min(self._shortest, STABLE / rate if rate > 0.0 else math.inf)
        self.account.begin_frame()
        if self.constraints is not None:
            self.constraints.hand_over_stops()
            if self.constraints.has_one_sided and self.tree is not None:
                self.tree.let_go()
        clock[at.BOUNCES] = 0.0
        loudest = np.zeros(len(self.detection.bodies))
        first = clock[at.STEPS]
        self._landings = np.zeros((0, 2), np.int64), np.zeros(0)
        ids, points = np.zeros((0, 3), np.int64), np.zeros((0, at.POINT))
        impulses, slip = np.zeros((0, 6)), np.zeros((0, 3))
        while self.state.t < t_end:
            bound = next_switch(self._switches, self.state.t, math.inf)
            ended, ids, points, impulses, slip = self._steps_to(
                min(t_end, bound), np.nextafter(bound, -np.inf), loudest
            )
            self._say_why(ended, clock[at.STEPS] - first)
            self.look(10)
        self._put_account(ids, points, impulses, slip, loudest)
        now = self._moment()
        self.contact = self.account.sample(now.placed)
        self._hold_stops(now)
        self._rest.look(now)
        return self.state

    def _stay(self, t_end: float) -> State:
        """A frame in which nothing moves and no force changes."""
        self.account.begin_frame()
        self.state = self._front = dataclasses.replace(self.state, t=t_end)
        self._clock[self._at.TIME] = t_end
        assert self.contact is not None
        self.contact = dataclasses.replace(self.contact, impact=np.zeros_like(self.contact.impact))
        self._rest.stays(self.state)
        return self.state

    def _stays_away(self, t_end: float) -> bool:
        """Whether nothing can touch anything until then, though stops may be met: adaptive steps meet those exactly."""
        if self.constraints is None or not self.constraints.has_one_sided:
            return False
        now = self._moment()
        return not len(now.points(self.margins(now, t_end - now.state.t)))

    def _advance_freely(self, t_end: float) -> State:
        """A frame in which nothing touches anything."""
        at, clock = self._at, self._clock
        self.account.begin_frame()
        self.pushes.put(np.zeros((self.model.body_count, 6)))
        self._restart(self._moment())
        AutomaticStepper.advance(self, t_end)
        clock[at.TIME], clock[at.STEPS], clock[at.LAST_STEP] = self.state.t, self.steps, 0.0
        clock[at.WORK], clock[at.TAKEN] = self._y[-2:]
        self._warm_ids, self._warm_forces = np.zeros((0, 3), np.int64), np.zeros((0, 6))
        self._row_warm[:] = 0.0
        self.account.add_step(None, 0.0)
        now = self._moment()
        self.contact = self.account.sample(now.placed)
        self._hold_stops(now)
        return self.state

    def _steps_to(self, t: float, until: float, loudest: Array) -> tuple[int, IntArray, Array, Array, Array]:
        """Steps up to t, or as many as are taken at once."""
        at, tree, state = self._at, self.tree, self.state
        assert tree is not None
        tree.set_chart(state.chart)
        q, qdot = state.q.copy(), state.qdot.copy()
        self._clock[at.TIME] = state.t
        with np.errstate(all="ignore"):
            ended, self._warm_ids, self._warm_forces, *landings, ids, points, impulses, slip = self._kernel.advance(
                tree.address, tree.ints, tree.floats, self._solver_at, self._parameters, self._clock, *self._topology,
                *self._surfaces, self._find_at, *self._detection, *self._pushes, self.detection.sizes, q, qdot,
                self._warm_ids, self._warm_forces, self._rows_at, self._row_warm, *self._landings, loudest, t, until,
                STEPS_AT_ONCE,
            )  # fmt: skip
        self._landings = landings[0], landings[1]
        now = float(self._clock[at.TIME])
        q, qdot = with_prescribed(self.model, min(now, until), q, qdot)
        self.state = self._front = State(now, q, qdot, tree.chart(state.chart))
        self.steps = int(self._clock[at.STEPS])
        return ended, ids, points, impulses, slip

    def _say_why(self, ended: int, steps: float) -> None:
        """Raise what stopped the run, if anything did."""
        at, clock = self._at, self._clock
        if ended == at.STUCK:
            raise stuck_component(self.model, self._free, int(clock[at.WHERE]), too_small=False)
        self.account.worst = (int(clock[at.WORST_A]), int(clock[at.WORST_B])) if clock[at.MISSED] else None
        if ended == at.HOPELESS:
            raise self._nowhere(IntegrationError, "no forces satisfy its contact")
        if ended == at.NOT_FINITE:
            raise self._nowhere(IntegrationError, "the motion is no longer finite")
        if ended == at.TOO_MANY and steps > MOST_STEPS:
            raise self._nowhere(TooManyStepsError, "too many steps")

    def _put_account(self, ids: IntArray, points: Array, impulses: Array, slip: Array, loudest: Array) -> None:
        """Take over what kernels have booked."""
        at, clock, account = self._at, self._clock, self.account
        self._y = np.append(self._free_motion(), clock[[at.WORK, at.TAKEN]])
        account.work, account.friction_loss = float(clock[at.CONTACT_WORK]), float(clock[at.FRICTION_LOSS])
        account.impact_loss = float(clock[at.IMPACT_LOSS])
        account.solved, account.missed = int(clock[at.SOLVED]), int(clock[at.MISSED])
        account.impacts, account.residual = int(clock[at.IMPACTS]), float(clock[at.WORST_RESIDUAL])
        account.put_loudest(loudest)
        h = float(clock[at.LAST_STEP])
        if h == 0.0:
            account.add_step(None, 0.0)
            return
        normals, tangents = points[:, at.NORMAL : at.GAP], points[:, at.TANGENT : at.END_A]
        axes = np.concatenate([normals, tangents], axis=1).reshape(-1, 3, 3)
        ends = points[:, at.END_A : at.CONVEYOR].reshape(-1, 2, 3)
        listed = Points(
            ids[:, :2], ids[:, 2], self.detection.bodies[ids[:, :2]], ends, axes, points[:, at.GAP],
            points[:, at.MATERIAL :], points[:, at.CONVEYOR : at.MATERIAL],
        )  # fmt: skip
        account.show(Pushes(listed, impulses, slip, 0.0, 0.0), h)


def _topology(model: Model) -> tuple[IntArray, ...]:
    """tree_of_body (n + 1,), tree_start (trees + 1,), place of each coordinate among the free ones in the order of
    trees, or -1, and back; parent and first coordinate of each body, as kernels read them."""
    known = model.once(trees)
    owner = np.repeat(known.of_body[:-1], np.diff(model.dof))
    owner[model.prescribed] = WORLD
    members = [np.flatnonzero(owner == tree) for tree in range(len(known.members))]  # those that drives move, too
    dof_at = np.concatenate([np.zeros(0, np.int64), *members])
    place_of = np.full(model.dof_count, -1, np.int64)
    place_of[dof_at] = np.arange(len(dof_at))
    tree_start = np.cumsum([0, *map(len, members)])
    whole = (known.of_body, tree_start, place_of, dof_at, model.parent, model.dof)
    return tuple(np.array(each, np.int64) for each in whole)


def _in_kernel_frames(tree: Tree, surfaces: PackedSurfaces) -> Array:
    """The numbers of surfaces with their frames in the joint frames that kernels use."""
    from ...kernels.layout.arrays import Sections  # noqa: PLC0415  (needs numba)
    from ...kernels.layout.declaration import Body  # noqa: PLC0415  (needs numba)

    tilt = Sections(tree.ints, tree.floats).bodies[:, Body.span("TILT")].reshape(-1, 3, 3)
    numbers = np.array(surfaces.numbers)
    first = int(surfaces.ints[layout.SURFACE_NUMBERS])
    rows = numbers[first : first + len(surfaces) * layout.NUMBERS].reshape(-1, layout.NUMBERS)
    for row, body in zip(rows, surfaces.bodies.tolist(), strict=True):
        if body >= 0:
            row[layout.R_JS : layout.P_JS] = (tilt[body].T @ row[layout.R_JS : layout.P_JS].reshape(3, 3)).ravel()
            row[layout.P_JS : layout.SIZE] = tilt[body].T @ row[layout.P_JS : layout.SIZE]
    return numbers


def _pool_places(model: Model, tree: Tree, forces: Sequence[object]) -> IntArray:
    """(p, 6) where the numbers of pushes stand in the kernels' pool."""
    from ...kernels.layout.arrays import Sections  # noqa: PLC0415  (needs numba)
    from ...kernels.layout.declaration import Force, ForceWork  # noqa: PLC0415  (needs numba)

    rows = Sections(tree.ints, tree.floats).forces[len(model.forces) - len(forces) :]
    return np.asarray(rows[:, Force.START, None] + ForceWork.SIZE + 3 + np.arange(6)).reshape(-1, 6)
