# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints in a run: what every integrator shares to keep them, whatever its method.

Accelerations satisfy the rows exactly; after each step coordinates and velocities are put back on the constraints by
the least change in the metric of the mass matrix, to round-off. A one-sided row that is met during a step ends the step
there, and the impact changes velocities by the impulse that its restitution asks for. Rows that touch then push as
long as something presses on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import fast
from ..arrays import Array, BoolArray
from ..dynamics.animation import with_prescribed
from ..dynamics.assembly import close_loops, gaps, scale_of, size
from ..dynamics.constrained import ConstraintError, position_change, solver_of, velocity_change
from ..dynamics.constraint_rows import ConstraintRows, constraint_rows, element_names, is_constrained
from ..dynamics.joint_coordinates import JointCoordinatesError
from ..dynamics.kinematics import Kinematics
from ..joints.base import ANIMATED
from ..model import Model
from ..state import State

if TYPE_CHECKING:
    from ..kernels.tree import Tree
    from .base import Stepper

ROUND_OFF = 1e-14
"""Rows off by less than this [rad, or parts of the mechanism's size] are left alone."""

CLOSED = 1e-10
"""Where rows contradict each other a little, errors up to this [rad, or parts of the size] are borne."""

OPEN = 1e-3
"""Loops and constraints that are off by more than this at the start [rad, or parts of the size] are a mistake of the
scene; smaller errors are those of positions typed by hand, and are closed."""

IMPOSSIBLE = 1e-6
"""What may be missing of a demanded velocity at the start [rad/s, or parts of the size per second]."""

HINT = "assemble the mechanism first (`close_loops`), or correct the frames of the joints"

MAX_ITERATIONS = 50
"""Newton's method needs two or three from where a step ends."""

TOUCHING = 1e-9
"""One-sided rows that have less room than this [rad, or parts of the size] touch."""

RELEASED = 1e-6
"""A row that touched when a step began, and has more room than this within it, no longer pushes."""

SLOWEST_BOUNCE = 1e-4
"""Impacts slower than this [rad/s, or parts of the size per second] do not bounce."""


class ConstrainedRun:
    """The constraints of one run. touching: (m,) the one-sided rows that touch. loss: energy lost in impacts [J].

    rank: how many equations were independent where the last step ended. Some mechanisms (Bennett's) can move only
    because their rows depend on each other, and these do so only where loops are closed exactly: during a step, where
    they are not, the rank is no more than it was, but for directions that are clearly there.
    tree: kernels that know all constraints of the model, if there are such. regular: whether they found no row that
    depends on others, and do the whole run.
    """

    def __init__(self, model: Model, tree: Tree | None = None) -> None:
        """tree: the kernels that do the run, whose rows do not depend on each other."""
        self.model = model
        self.treatment = model.treatment
        loops = (loop.joint.motion_type == ANIMATED for loop in model.loops)
        self._moved = (*loops, *(constraint.prescribes for constraint in model.constraints))
        self.has_one_sided = any(constraint.one_sided for constraint in model.constraints)
        self._all_one_sided = not model.loops and all(constraint.one_sided for constraint in model.constraints)
        self.rank: int | None = None
        self.regular = tree is not None
        self.tree = fast.looped_tree(model) if tree is None else tree
        self.loss = 0.0
        self.impacts = 0
        self._seen: list[tuple[State, Kinematics, ConstraintRows]] = []

    @cached_property
    def owner(self) -> tuple[int, ...]:
        """(m,) which loop or constraint each row belongs to."""
        start = self.model.initial_state()
        kin = fast.kinematics(self.model, start.q, start.qdot, start.chart)
        return self.rows(kin, start.t, quick=False).owner

    @cached_property
    def touching(self) -> BoolArray:  # set anew where rows are met
        return np.zeros(len(self.owner), np.bool_)

    @property
    def trusts_tree(self) -> bool:
        """Whether kernels found as many independent rows in their last call as there are.

        They see them by the digits that are left after elimination, which redundant rows can feign.
        """
        return self.tree is not None and self.tree.rank == self.rank

    def rows(self, kin: Kinematics, t: float, *, quick: bool = True) -> ConstraintRows:
        """All rows at one instant."""
        try:
            return constraint_rows(self.model, kin, t, quick=quick)
        except JointCoordinatesError as error:
            raise ConstraintError(str(error)) from None

    def _at(self, state: State) -> tuple[Kinematics, ConstraintRows]:
        """Kinematics and rows of a state; those of the last two are remembered."""
        for seen, kin, rows in self._seen:
            if seen is state:
                return kin, rows
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        rows = self.rows(kin, state.t)
        self._seen = [(state, kin, rows), *self._seen[:1]]
        return kin, rows

    def active(self, rows: ConstraintRows) -> BoolArray:
        """(m,) equations, and one-sided rows that touch; in the reference treatment those that are violated."""
        if not self.treatment.projects:
            return np.asarray(~rows.one_sided | (rows.error < 0.0))
        close = rows.error <= RELEASED * scale_of(self.model, rows)
        return np.asarray(~rows.one_sided | (self.touching & close))

    @property
    def idle(self) -> bool:
        """Whether nothing is held at present: there are one-sided rows alone, and none of them touches."""
        return self._all_one_sided and self.treatment.projects and not self.touching.any()

    @property
    def watches(self) -> bool:
        """Whether steps may end early because a one-sided row is met."""
        return self.has_one_sided and self.treatment.projects

    def started(self, state: State) -> State:
        """Where a run begins: on the constraints, and moving along them.

        Raises ConstraintError, which names what is off by more than the tolerance or cannot be closed.
        """
        if not self.treatment.projects:
            return state
        if self.regular:
            begun = self._started_by_kernels(state)
            if begun is not None:
                return begun
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        rows = self.rows(kin, state.t, quick=False)
        moved = {name for name, is_moved in zip(element_names(self.model), self._moved, strict=True) if is_moved}
        wide = {name: gap for name, gap in gaps(self.model, rows, OPEN).items() if name not in moved}
        if wide:
            what = "; ".join(f"{name} is {off_by(gap)} at the start" for name, gap in wide.items())
            raise ConstraintError(f"{what}; {HINT}")
        closed = close_loops(self.model, state.q, state.chart, state.t)
        if gaps(self.model, rows, CLOSED) and not closed.closed:
            what = "; ".join(f"{name} stays {off_by(gap)}" for name, gap in closed.gaps.items())
            raise ConstraintError(f"{what}; correct the frames of the joints, or free more of them")
        begun = self.settled(self.projected(State(state.t, closed.q, state.qdot, state.chart)))
        self._check_velocities(begun)
        return begun

    def _started_by_kernels(self, state: State) -> State | None:
        """The same in compiled code; None where something is off, which the readable way names."""
        tree = self.tree
        if tree is None:
            return None
        seen = tree.look(state.q, state.qdot, state.chart)
        scale = np.where(seen.metres, self.model.once(size), 1.0)
        if not (seen.upright and (np.abs(seen.errors) <= OPEN * scale).all()):
            return None
        q, qdot, closed = tree.project(state.q, state.qdot, state.chart)
        if not closed or tree.rank != seen.kept:
            return None
        seen = tree.look(q, qdot, state.chart)
        if not ((np.abs(seen.errors) <= CLOSED * scale).all() and (np.abs(seen.rates) <= IMPOSSIBLE * scale).all()):
            return None
        self.rank = seen.kept
        return State(state.t, q, qdot, state.chart)

    def _check_velocities(self, state: State) -> None:
        """ConstraintError, naming what demands a velocity that the mechanism cannot have."""
        rows = self.rows(fast.kinematics(self.model, state.q, state.qdot, state.chart), state.t)
        slip = np.where(rows.one_sided, 0.0, np.abs(rows.G @ state.qdot - rows.rate)) / scale_of(self.model, rows)
        worst = int(slip.argmax()) if slip.size else 0
        if slip.size and slip[worst] > IMPOSSIBLE * (1.0 + float(np.abs(rows.rate).max())):
            raise ConstraintError(
                f"{element_names(self.model)[rows.owner[worst]]}: demands a velocity that the mechanism cannot have; "
                "prescribe less of the motion, or remove what contradicts it"
            )

    def implicit_velocity(self, state: State, t_end: float, A: Array, v: Array) -> Array:
        """v1 (nr,) that satisfies the rows, from v without them: A (v1 - v) = G^T lambda at the old state.

        A: (nr, nr) matrix of the linearly implicit step. The reference treatment adds -gamma times the error to what
        velocities have to be. Source: RBDN eq. 2.95 and 2.97, with inequalities eq. 2.101.
        """
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        rows = self.rows(kin, t_end)
        wanted = rows.rate - rows.G @ v - self.treatment.gamma * rows.error
        symmetric = 0.5 * (A + A.T)
        return np.asarray(v + velocity_change(rows, self.active(rows), symmetric, wanted)[0])

    # --- after a step --------------------------------------------------------------------------------------------

    def projected(self, state: State, inputs_until: float = math.inf) -> State:
        """The state put on the constraints: coordinates and velocities that satisfy every row to round-off.

        inputs_until: time [s] of the last values that count of tables; they may jump where a step ends.
        """
        t = min(state.t, inputs_until)
        if not self.treatment.projects or self.idle:
            return state
        if t < state.t and self.model.prescribed.any():  # animated joints still have their old velocities
            state = State(state.t, *with_prescribed(self.model, t, state.q, state.qdot), state.chart)
        if self.tree is not None:
            q, qdot, closed = self.tree.project(state.q, state.qdot, state.chart)
            if closed and self.trusts_tree:
                return State(state.t, q, qdot, state.chart)
        model = self.model
        q, qdot, previous, worst = state.q, state.qdot, np.inf, np.inf
        M: Array | None = None
        for _ in range(MAX_ITERATIONS):
            kin = fast.kinematics(model, q, qdot, state.chart)
            rows = self.rows(kin, t)
            scale = scale_of(model, rows)
            # Rows that do not touch are met by ending the step there (`meet`), not by pushing back what passed them.
            held = rows.holonomic & (~rows.one_sided | (self.touching & (rows.error < 0.0)))
            relative = np.where(held, np.abs(rows.error), 0.0) / scale
            previous, worst = worst, float(relative.max(initial=0.0))
            if not worst > ROUND_OFF or (worst <= CLOSED and worst > 0.5 * previous):
                break
            if M is None:
                M = fast.mass_matrix(model, kin)
            q = q + position_change(rows, held, M, -rows.error, self.rank)
            if model.followers is not None:
                q, qdot = model.followers.placed(q, qdot)
        else:
            name = element_names(model)[rows.owner[int(relative.argmax())]]
            raise ConstraintError(
                f"{name}: stays open by {float(np.abs(rows.error[int(relative.argmax())])):.3g}; "
                "start with it closed, use a smaller step, or remove what contradicts it"
            )
        if M is None:
            M = fast.mass_matrix(model, kin)
        self.rank = solver_of(rows.freedoms, M, rows.G[~rows.one_sided]).rank
        change, _ = velocity_change(rows, self.active(rows), M, rows.rate - rows.G @ kin.qdot)
        if q is state.q and np.abs(change).max(initial=0.0) <= ROUND_OFF * np.abs(state.qdot).max(initial=0.0):
            return state  # the same object: methods that remember slopes need not begin anew
        return State(state.t, q, qdot + change, state.chart)

    # --- impacts -------------------------------------------------------------------------------------------------

    def settled(self, state: State) -> State:
        """The state after the impacts that are due: one-sided rows that touch and are approached push back."""
        if not self.has_one_sided or not self.treatment.projects:
            return state
        model = self.model
        kin, rows = self._at(state)
        scale = scale_of(model, rows)
        speed = rows.G @ state.qdot - rows.rate
        tiny = 1e-12 * (1.0 + float(np.abs(state.qdot).max(initial=0.0))) * scale
        near = rows.one_sided & (rows.error <= TOUCHING * scale)
        hit = near & (speed < -tiny)
        if not hit.any():
            self.touching = near & (speed <= tiny)
            return state
        bounce = np.where(speed < -SLOWEST_BOUNCE * scale, rows.bounce, 0.0)
        wanted = np.where(rows.one_sided, np.maximum(-bounce * speed, 0.0), 0.0) - speed
        M = fast.mass_matrix(model, kin)
        change, _ = velocity_change(rows, near | ~rows.one_sided, M, wanted)
        qdot = state.qdot + change
        speed = rows.G @ qdot - rows.rate
        self.touching = near & (speed <= tiny)
        self.impacts += 1
        self.loss += 0.5 * float(state.qdot @ M @ state.qdot - qdot @ M @ qdot)
        return State(state.t, state.q, qdot, state.chart)

    def meet(self, stepper: Stepper, take: Callable[[float], None], start: State, past: Any) -> None:
        """If a one-sided row was met since `start`, bring the run to where the first one was.

        take, past: as in `Stepper.follow`. Newton's method on the time, kept between what is known to be too early and
        too late.
        """
        room0, speed0 = self.room(start)
        room1, speed1 = self.room(stepper.state)
        early, late = start.t, stepper.state.t
        part = first_meeting(room0, speed0, room1, speed1, late - early)
        if part >= 1.0 and room1.min(initial=np.inf) >= -0.5 * TOUCHING:
            return
        t = early + min(part, 1.0) * (late - early)
        for _ in range(MAX_ITERATIONS):
            t = t if early < t < late else 0.5 * (early + late)
            if not early < t < late:
                t = early
            stepper.recall(past)
            while stepper.state.t < t:
                take(t)
                stepper.put(self.projected(stepper.state, stepper.inputs_until))
            room, speed = self.room(stepper.state)
            row = int(room.argmin())
            if t == early or abs(float(room[row])) <= 0.25 * TOUCHING:
                return
            if room[row] > 0.0:
                early = t
                if room1.min() >= 0.0 and speed[row] >= 0.0:
                    return  # it came near and turned back: this is as good an end of the step as any
            else:
                late = t
            t = t - float(room[row] / speed[row]) if speed[row] != 0.0 else late
        raise ConstraintError(
            f"{element_names(self.model)[self.owner[row]]}: the moment it is met cannot be found near t = {t:.6g} s; "
            "use a smaller step"
        )

    def room(self, state: State) -> tuple[Array, Array]:
        """(m,) how far one-sided rows that do not touch are from being met, relative to their scale, and how fast that
        grows [1/s]; infinite and 0 for all other rows."""
        _, rows = self._at(state)
        scale = scale_of(self.model, rows)
        watched = rows.one_sided & ~self.touching
        speed = (rows.G @ state.qdot - rows.rate) / scale
        return np.where(watched, rows.error / scale, np.inf), np.where(watched, speed, 0.0)


def begin(model: Model, tree: Tree | None = None) -> ConstrainedRun | None:
    """The constraints of a run that starts; None for a mechanism without any. tree: see `ConstrainedRun`."""
    return ConstrainedRun(model, tree) if is_constrained(model) else None


def off_by(gap: tuple[float, float]) -> str:
    """What a loop or constraint is off by, in words: angle [rad] and distance [m]."""
    parts = [f"{value:.3g} {unit}" for value, unit in zip(gap, ("rad", "m"), strict=True) if value > 0.0]
    return f"off by {' and '.join(parts)}"


def first_meeting(room0: Array, speed0: Array, room1: Array, speed1: Array, h: float) -> float:
    """Part of a step of length h [s] after which a row is met first, by the cubics through both ends; 1 for none.

    room, speed: (m,) of `ConstrainedRun.room` at the start and at the end of the step.
    """
    first = 1.0
    for a, va, b, vb in zip(room0, speed0 * h, room1, speed1 * h, strict=True):
        if not (np.isfinite(a) and np.isfinite(b)):
            continue
        # a + va s + c2 s^2 + c3 s^3 + TOUCHING / 2: met when less than nothing is left.
        cubic = [2.0 * (a - b) + va + vb, 3.0 * (b - a) - 2.0 * va - vb, va, a]
        if b >= 0.0 and not (va < 0.0 < vb):
            continue
        roots = np.roots(cubic)
        real = roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > 0.0) & (roots.real < 1.0)]
        falling = [s for s in real if 3.0 * cubic[0] * s**2 + 2.0 * cubic[1] * s + cubic[2] <= 0.0]
        first = min([first, *falling])
    return first
