# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints in a run: what every integrator shares to keep them, whatever its method.

Accelerations satisfy the rows exactly; after each step coordinates and velocities are put back on the constraints by
the least change in the metric of the mass matrix, to round-off. A one-sided row that is met during a step ends the step
there, and the impact changes velocities by the impulse that its restitution asks for, one impact after another where
rows are met at once. Rows that touch then push as long as something presses on them.
"""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import fast
from ..arrays import Array, BoolArray
from ..crossings import departure
from ..dynamics.animation import with_prescribed
from ..dynamics.assembly import close_loops, gaps, scale_of, size
from ..dynamics.constrained import (
    ConstrainedMotion,
    ConstraintError,
    impact_change,
    position_change,
    solver_of,
    velocity_change,
)
from ..dynamics.constraint_rows import ConstraintRows, constraint_rows, element_names, is_constrained
from ..dynamics.halves import placed, undivided, without_halves
from ..dynamics.joint_coordinates import JointCoordinatesError
from ..dynamics.kinematics import Kinematics
from ..dynamics.row_strength import singular_values, weakest_equation
from ..dynamics.weak_rows import AT_REST, CLEAR, NEAR, NearRows, near_rows, whitened
from ..errors import UNKNOWN, ElementName, Quantity
from ..joints.base import ANIMATED
from ..kernels.layout import codes
from ..model import Model
from ..outcome import SMALLER_STEP
from ..solvers.impacts import MOST_IN_STEP, RATTLING, RATTLING_TIME, SLOWEST_BOUNCE
from ..state import State

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree
    from ..kernels.rows.loop_results import LoopResults
    from .base import Stepper

ROUND_OFF = 1e-14
"""Rows off by less than this [rad, or parts of the mechanism's size] are left alone."""

CLOSED = 1e-10
"""Where rows contradict each other a little, errors up to this [rad, or parts of the size] are borne."""

LEFT_OPEN = 1e-6
"""The same near singular poses, where weak equations are left out until they are strong again."""

OPEN = 1e-3
"""Loops and constraints that are off by more than this at the start [rad, or parts of the size] are a mistake of the
scene; smaller errors are those of positions typed by hand, and are closed."""

IMPOSSIBLE = 1e-6
"""What may be missing of a demanded velocity at the start [rad/s, or parts of the size per second]."""

HINT = "assemble the mechanism first (`close_loops`), or correct the frames of the joints"

MAX_ITERATIONS = 50
"""Newton's method needs two or three from where a step ends."""

TRUSTED_TRIES = 3
"""So often the motion within a step says where the step is to end that is taken again for a stop (`Bracket`)."""

TOUCHING = 1e-9
"""One-sided rows that have less room than this [rad, or parts of the size] touch."""

ROOM = 10.0 * TOUCHING
"""Stops that have more room than this [as above] are not met where a run begins."""

RELEASED = 1e-6
"""A row that touched when a step began, and has more room than this within it, no longer pushes."""

NEARLY_SINGULAR = 0.1
"""Where the weakest equation has less of its own than this part of what it has elsewhere, a singular pose is near."""

RESTING = 1e-8
"""A row that touched and parts more slowly than this [rad/s, or parts of the size per second] still touches: where
something slides along a curved limit, steps leave it by their error, and it would be met again at once."""


class Strength(NamedTuple):
    """How strong the weakest equation was in a while: least, largest, and the loop or constraint of the least.

    Equations are strong as long as no other ones say the same. Only ratios to the strength at other times count.
    all_seen: whether every evaluation of the motion counts, those inside steps too.
    At the sample, here: the strength as kernels know it; NaN where they do not. values: else the singular values of the
    equations, largest first, of which those that are never independent count for nothing.
    choice: what had to be chosen in a singular pose since the last sample, one of `codes`; 0 if nothing.
    """

    least: float = math.inf
    largest: float = 0.0
    element: ElementName = UNKNOWN
    all_seen: bool = False
    here: float = math.nan
    values: Array | None = None
    choice: int = 0


class Bracket:
    """Where a step may end that is taken again for the first stop in it: at `early` [s] nothing has been met yet, at
    `late` something has.

    Room at the end of a step depends on its length, smoothly but not as within one step, of methods of low order:
    half of what a falling body covers in a step of Euler's comes at once. So what the motion within a step says of the
    moment, which is exact enough in methods of high order, need not lead there; false position does, by the room at
    both ends of the bracket (the weight of an end that stays is halved, as in the Illinois method), and bisection
    where that says nothing: of what is met within a step and left again, or where another row is met first.
    """

    def __init__(self, t: float, room: Array) -> None:
        """t [s], room (m,): where the step begins."""
        self.early, self.late = t, math.inf
        self._rooms = [room, room]
        self._weights = [1.0, 1.0]
        self._moved = -1

    def end_early(self, t: float, room: Array) -> None:
        """A step that ends at t [s], with that room (m,), meets nothing."""
        self.early = t
        self._move(0, room)

    def end_late(self, t: float, room: Array) -> None:
        """A step that ends at t [s], with that room (m,), meets something."""
        self.late = t
        self._move(1, room)

    def _move(self, end: int, room: Array) -> None:
        self._rooms[end] = room
        self._weights[end] = 1.0
        if self._moved == end:
            self._weights[1 - end] *= 0.5
        self._moved = end

    def next(self, guess: float) -> float:
        """Where the step is to end next [s]: the guess, or the middle where that is outside; `early` at the end."""
        for t in (guess, 0.5 * (self.early + self.late)):
            if self.early < t < self.late:
                return t
        return self.early

    def false_position(self) -> float:
        """The first moment [s] at which a row has no room, were it linear between the ends; NaN if none passes."""
        room, beyond = (weight * row for weight, row in zip(self._weights, self._rooms, strict=True))
        met = np.isfinite(room) & (room > 0.0) & (beyond < 0.0)
        if not met.any():
            return math.nan
        part = float((room[met] / (room[met] - beyond[met])).min())
        return self.early + part * (self.late - self.early)


class ConstrainedRun:
    """The constraints of one run. touching: (m,) the one-sided rows that touch. loss: energy lost in impacts [J]; work:
    put in there by what is animated or prescribed, which moves on.

    rank: how many equations were independent where the last step ended. Some mechanisms (Bennett's) can move only
    because their rows depend on each other, and these do so only where loops are closed exactly: during a step, where
    they are not, the rank is no more than it was, but for directions that are clearly there. full_rank: the largest so
    far, from which a singular pose takes some. usual_strength: the largest that `strength` knew so far.
    tree: kernels that know all constraints of the model, if there are such. regular: whether they do the whole run.
    independent: whether they found no row that depends on others wherever the mechanism goes. look: `Stepper.look` of
    the run. passes_stops: whether the motion goes on beyond stops for now, because somebody else sees to them.
    """

    def __init__(self, model: Model, tree: Tree | None = None) -> None:
        """tree: the kernels that do the run, whose rows do not depend on each other."""
        self.model = model
        self.treatment = model.treatment
        loops = (loop.joint.motion_type == ANIMATED for loop in model.loops)
        self._moved = (*loops, *(constraint.prescribes for constraint in model.constraints))
        self.has_one_sided = any(constraint.one_sided for constraint in model.constraints)
        self.only_one_sided = not model.loops and all(constraint.one_sided for constraint in model.constraints)
        self.rank: int | None = None
        self.full_rank = 0
        self.usual_strength = 0.0
        self._weakest = (math.inf, 0.0, UNKNOWN)
        self._choice = 0
        self.near = False
        self._reference, self._fastest = 0.0, 0.0
        self._tangent: Array | None = None
        self._near_known: NearRows | None = None
        self._names = element_names(model)
        self.regular = self.independent = tree is not None
        self.tree = fast.constrained_tree(model) if tree is None else tree
        self._is_moved = bool(model.prescribed.any()) or any(self._moved)
        self.work = self.loss = 0.0
        self.impacts = 0
        self.passes_stops = False
        self._impact_times: deque[float] = deque(maxlen=RATTLING)
        self._impacts_in_step: int | None = None
        self.look: Callable[[], None] = _nothing
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
        return self.tree is not None and (self.regular or self.tree.rank - self.tree.driven == self.rank)

    def rows(self, kin: Kinematics, t: float, *, quick: bool = True) -> ConstraintRows:
        """All rows at one instant."""
        try:
            return constraint_rows(self.model, kin, t, quick=quick)
        except JointCoordinatesError as error:
            raise ConstraintError(
                error.what, error.element, error.advice, code=error.code, numbers=error.numbers
            ) from None

    def _at(self, state: State) -> tuple[Kinematics, ConstraintRows]:
        """Kinematics and rows of a state; those of the last three are remembered."""
        for seen, kin, rows in self._seen:
            if seen is state:
                return kin, rows
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        rows = self.rows(kin, state.t)
        self._seen = [(state, kin, rows), *self._seen[:2]]
        return kin, rows

    def active(self, rows: ConstraintRows) -> BoolArray:
        """(m,) equations, and one-sided rows that touch; in the reference treatment those that are violated."""
        if not self.treatment.projects:
            return np.asarray(~rows.one_sided | (rows.error < 0.0))
        close = rows.error <= RELEASED * scale_of(self.model, rows)
        return np.asarray(~rows.one_sided | (self.touching & close))

    def take_over_stops(self) -> None:
        """Go on step by step with the stops that hold in kernels, where these hold none from now on."""
        if self.tree is not None and self.tree.stops_address:
            held = self.tree.held_rows()
            self.touching = np.zeros(len(self.owner), np.bool_)
            self.touching[len(self.owner) - len(held) :] = held
            self.tree.let_go()

    def hand_over_stops(self) -> None:
        """Leave all stops to kernels from now on, which find out which of them hold."""
        if self.touches and self.tree is not None and self.tree.stops_address:
            self.touching = np.zeros(len(self.owner), np.bool_)

    @property
    def touches(self) -> bool:
        """Whether a one-sided row touches."""
        return self.has_one_sided and not self._none_touched and bool(self.touching.any())

    @property
    def _none_touched(self) -> bool:
        """Whether `touching` has not been asked for: rows are counted when it is."""
        return "touching" not in vars(self)

    @property
    def idle(self) -> bool:
        """Whether nothing is held at present: there are one-sided rows alone, and none of them touches."""
        return self.only_one_sided and self.treatment.projects and not self.touches

    @property
    def watches(self) -> bool:
        """Whether steps may end early because a one-sided row is met."""
        return self.has_one_sided and self.treatment.projects and not self.passes_stops

    def started(self, state: State) -> State:
        """Where a run begins: on the constraints, and moving along them.

        Raises ConstraintError, which names what is off by more than the tolerance or cannot be closed.
        """
        if not self.treatment.projects:
            return state
        state = self._started_whole(state)
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
            raise ConstraintError(what, next(iter(wide)), HINT, numbers=_open_by(wide))
        closed = close_loops(self.model, state.q, state.chart, state.t)
        if gaps(self.model, rows, CLOSED) and not closed.closed:
            what = "; ".join(f"{name} stays {off_by(gap)}" for name, gap in closed.gaps.items())
            hint = "correct the frames of the joints, or free more of them"
            raise ConstraintError(what, next(iter(closed.gaps)), hint, numbers=_open_by(closed.gaps))
        begun = self.settled(self.projected(State(state.t, closed.q, state.qdot, state.chart)))
        if self._begins_in_singular_pose(begun):
            begun = self.projected(State(state.t, begun.q, state.qdot, state.chart))
        self._check_velocities(begun)
        return begun

    def _started_whole(self, state: State) -> State:
        """The state with loops closed by motions of whole bodies, where loop joints carry halves of some.

        These take the places and velocities that follow; so changes are as small as they would be without halves.
        """
        model = self.model
        whole = model.once(undivided)
        if whole is model:
            return state
        begun = ConstrainedRun(whole).started(without_halves(state, whole))
        nr = whole.dof_count
        q, qdot = np.append(begun.q, state.q[nr:]), np.append(begun.qdot, state.qdot[nr:])
        q, qdot = placed(model, *with_prescribed(model, state.t, q, qdot), state.chart)
        return State(state.t, q, qdot, state.chart)

    def _started_by_kernels(self, state: State) -> State | None:
        """Where kernels begin a run; None where something is off, or a stop touches, which readable code looks into."""
        tree = self.tree
        if tree is None:
            return None
        off = OPEN if not self.model.constraints else CLOSED
        if not self._is_begun(tree.evaluate_loops(state.q, state.qdot, state.chart, state.t), off, math.inf):
            return None
        q, qdot, closed = tree.project(state.q, state.qdot, state.chart, state.t)
        if not closed:
            return None
        seen = tree.evaluate_loops(q, qdot, state.chart, state.t)
        if not self._is_begun(seen, CLOSED, IMPOSSIBLE):
            return None
        if not self.model.constraints:
            self.rank = self.full_rank = seen.row_count - tree.driven
            stopped, self.independent, at_rest = tree.choice(), tree.is_regular(q, state.chart), tree.choice()
            self._choice = stopped if qdot.any() else max(stopped, at_rest)
        return State(state.t, q, qdot, state.chart)

    def _is_begun(self, seen: LoopResults, off: float, slip: float) -> bool:
        """Whether equations are off by no more than that, and their rates, and stops have room [parts of the scale]."""
        scale = np.where(seen.metres, self.model.once(size), 1.0)
        errors, rates, equations = seen.errors / scale, np.abs(seen.rates) / scale, ~seen.one_sided
        held = (np.abs(errors[equations]) <= off).all() and (rates[equations] <= slip).all()
        return seen.upright and bool(held and (errors[seen.one_sided] > ROOM).all())

    def _begins_in_singular_pose(self, state: State) -> bool:
        """Whether equations that depend on others at the start say something of how the mechanism can leave it.

        `full_rank` then counts them. Judged by motions drawn at random.
        """
        if self.regular or self.has_one_sided:
            return False
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        found = self._near_rows(kin, self.rows(kin, state.t), fast.mass_matrix(self.model, kin), state.t)
        rng = np.random.default_rng(0)
        more = max((found.bends(found.free_motion(rng)) for _ in range(3)), default=0)
        self.full_rank += more
        self.near = more > 0
        return self.near

    def _near_rows(self, kin: Kinematics, rows: ConstraintRows, M: Array, t: float) -> NearRows:
        """The equations at one instant as `weak_rows` has them."""

        def G_at(q: Array) -> Array:
            return self.rows(fast.kinematics(self.model, q, kin.qdot, kin.chart), t).G

        known = self._near_known
        if known is not None and known.reference == self._reference and np.array_equal(known.q, kin.q):
            return dataclasses.replace(known, rows=rows)  # a mechanism that rests is asked many times
        self._near_known = near_rows(self.model, rows, M, kin.q, self._reference, G_at)
        return self._near_known

    def weak_rows(self, kin: Kinematics, rows: ConstraintRows, M: Array, t: float) -> NearRows | None:
        """The same while a singular pose is near; None where rows are as strong as they have to be."""
        if not self.near or self.has_one_sided:
            return None
        found = self._near_rows(kin, rows, M, t)
        return None if found.weak.shape[1] == 0 or found.led(kin.qdot) else found

    def near_accelerations(self, found: NearRows, qddot: Array, wanted: Array, qdot: Array) -> ConstrainedMotion:
        """Accelerations under the rows of a singular pose; what had to be chosen is remembered."""
        speed = float(np.abs(qdot).max(initial=0.0))
        self._fastest = max(self._fastest, speed)
        moves = speed > AT_REST * self._fastest
        if moves:
            self._tangent = qdot / found.rate(qdot)
        held = found.held(qddot, wanted, qdot if moves else 0.0 * qdot, None if moves else self._tangent)
        if not moves and self._tangent is not None and len(found.H):
            self._choice = max(self._choice, codes.KEPT)
        if held.chosen or held.locked:
            self._choice = max(self._choice, codes.LOCKED if held.locked else codes.CHOSEN)
        motion = qddot + held.change
        if held.locked:
            motion[found.rows.freedoms.free] = 0.0  # rounding would become a velocity that leads nowhere
        return ConstrainedMotion(motion, held.multipliers)

    def _check_velocities(self, state: State) -> None:
        """ConstraintError, naming what demands a velocity that the mechanism cannot have."""
        rows = self.rows(fast.kinematics(self.model, state.q, state.qdot, state.chart), state.t)
        slip = np.where(rows.one_sided, 0.0, np.abs(rows.G @ state.qdot - rows.rate)) / scale_of(self.model, rows)
        worst = int(slip.argmax()) if slip.size else 0
        if slip.size and slip[worst] > IMPOSSIBLE * (1.0 + float(np.abs(rows.rate).max())):
            name = element_names(self.model)[rows.owner[worst]]
            raise ConstraintError(
                f"{name}: demands a velocity that the mechanism cannot have",
                name,
                "prescribe less of the motion, or remove what contradicts it",
                code="impossible_velocity",
            )

    def implicit_velocity(self, state: State, t_end: float, A: Array, v: Array) -> Array:
        """v1 (nr,) that satisfies the rows, from v without them: A (v1 - v) = G^T lambda at the old state.

        A: (nr, nr) matrix of the linearly implicit step. The reference treatment adds -gamma times the error to what
        velocities have to be. Source: RBDN eqs. 2.95, 2.97 and 2.101, the last at the velocity level; prescribed
        accelerations enter by the velocity they lead to.
        """
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        rows = self.rows(kin, t_end)
        rate = rows.rate_after(self.model, state.q, state.qdot, t_end - state.t)
        wanted = rate - rows.G @ v - self.treatment.gamma * rows.error
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
        if self.tree is not None and not self.touches:
            q, qdot, closed = self.tree.project(state.q, state.qdot, state.chart, t)
            if closed and self.trusts_tree:
                return State(state.t, q, qdot, state.chart)
        model = self.model
        q, qdot, previous, worst = state.q, state.qdot, np.inf, np.inf
        M: Array | None = None
        for _ in range(MAX_ITERATIONS):
            self.look()
            kin = fast.kinematics(model, q, qdot, state.chart)
            rows = self.rows(kin, t)
            scale = scale_of(model, rows)
            # Rows that do not touch are met by ending the step there (`meet`), not by pushing back what passed them.
            held = rows.holonomic & (~rows.one_sided | (self.touching & (rows.error < 0.0)))
            relative = np.where(held, np.abs(rows.error), 0.0) / scale
            previous, worst = worst, float(relative.max(initial=0.0))
            if not worst > ROUND_OFF or (worst <= (LEFT_OPEN if self.near else CLOSED) and worst > 0.5 * previous):
                break
            if M is None:
                M = fast.mass_matrix(model, kin)
            weak = self.weak_rows(kin, rows, M, t)
            if weak is None:
                q = q + position_change(rows, held, M, -rows.error, self.rank)
            else:
                q = q + weak.spread(weak.strong_change(-rows.error))
            if model.followers is not None:
                q, qdot = model.followers.placed(q, qdot)
        else:
            row = int(relative.argmax())
            name, open_by = element_names(model)[rows.owner[row]], float(np.abs(rows.error[row]))
            raise ConstraintError(
                f"{name}: stays open by {open_by:.3g}",
                name,
                "start with it closed, use a smaller step, or remove what contradicts it",
                numbers={"gap": Quantity(open_by, "m" if rows.metres[row] else "rad")},
            )
        if M is None:
            M = fast.mass_matrix(model, kin)
        weak = self.weak_rows(kin, rows, M, t)
        if weak is not None:
            qdot, stopped = weak.velocities(kin.qdot)
            self._choice = max(self._choice, codes.STOPPED) if stopped else self._choice
            self._watch_strength(rows, M)
            return State(state.t, q, qdot, state.chart)
        self.rank = solver_of(rows.freedoms, M, rows.G[~rows.one_sided]).rank
        self.full_rank = max(self.full_rank, self.rank)
        if not self.regular:
            self._watch_strength(rows, M)
        change, _ = velocity_change(rows, self.active(rows), M, rows.rate - rows.G @ kin.qdot)
        if q is state.q and np.abs(change).max(initial=0.0) <= ROUND_OFF * np.abs(state.qdot).max(initial=0.0):
            return state  # the same object: methods that remember slopes need not begin anew
        return State(state.t, q, qdot + change, state.chart)

    def _watch_strength(self, rows: ConstraintRows, M: Array) -> None:
        """Remember how strong the weakest equation is where a step ends, and whether a singular pose is near."""
        found, name = weakest_equation(self.model, rows, self.full_rank)
        least, largest, element = self._weakest
        self._weakest = min(least, found), max(largest, found), name if found < least else element
        if self.has_one_sided or not 0 < self.full_rank <= min(rows.freedoms.free.size, len(rows.rate)):
            return
        _, W = whitened(self.model, rows, M)
        here = float(np.linalg.svd(W, compute_uv=False)[self.full_rank - 1])
        self._reference = max(self._reference, here)
        self.near = here < (CLEAR if self.near else NEAR) * self._reference

    def strength(self, seen: ConstraintRows | float) -> Strength:
        """Strength of the weakest equation since this was asked last.

        seen: rows of the sample at which it is asked, or the strength there as kernels know it; NaN without a sample.
        """
        least, largest, element = self._weakest
        self._weakest = (math.inf, 0.0, UNKNOWN)
        if self.independent and self.tree is not None:  # pivots of redundant rows are rounding
            least, largest, loop = self.tree.weakest_row()
            element = self._names[loop]
        self.usual_strength = max(self.usual_strength, largest)
        chosen, self._choice = self._choice, 0
        if self.regular and self.tree is not None:
            chosen = max(chosen, self.tree.choice())
        if isinstance(seen, float):
            return Strength(least, largest, element, self.independent, seen, choice=chosen)
        values = singular_values(self.model, seen)
        return Strength(least, largest, element, self.independent, values=values, choice=chosen)

    def near_singular(self) -> ElementName:
        """The loop or constraint that came near a singular pose since the last sample; unknown if none did."""
        found = self.strength(math.nan)
        return found.element if found.least < NEARLY_SINGULAR * self.usual_strength else UNKNOWN

    # --- impacts -------------------------------------------------------------------------------------------------

    def settled(self, state: State) -> State:
        """The state after the impacts that are due: one-sided rows that touch and are approached push back, one after
        another and never with more energy than there was; see `solvers.impacts`."""
        if not self.watches:
            return state
        model = self.model
        kin, rows = self._at(state)
        scale = scale_of(model, rows)
        speed = rows.G @ state.qdot - rows.rate
        tiny = 1e-12 * (1.0 + float(np.abs(state.qdot).max(initial=0.0))) * scale
        near = rows.one_sided & (rows.error <= TOUCHING * scale)
        hit = near & (speed < -tiny)
        resting = np.where(self.touching, RESTING * scale, tiny)
        if not hit.any():
            self.touching = near & (speed <= resting)
            return state
        M = fast.mass_matrix(model, kin)
        slow = np.full(len(scale), np.inf) if self._rattles(state.t) else SLOWEST_BOUNCE * scale
        change, impulses = impact_change(rows, near, M, speed, slow=slow, tiny=tiny)
        qdot = state.qdot + change
        after = rows.G @ qdot - rows.rate
        self.touching = near & (after <= resting)
        self.impacts += 1
        lost = 0.5 * float(state.qdot @ M @ state.qdot - qdot @ M @ qdot)
        if self._is_moved:  # what moves on gives and takes energy, too
            self.work -= lost
            lost = -0.5 * float(impulses @ (speed + after))
            self.work += lost
        self.loss += lost
        return State(state.t, state.q, qdot, state.chart)

    def begin_fixed_step(self) -> None:
        """A step of fixed length begins, in which so many impacts bounce and no more (`MOST_IN_STEP`)."""
        self._impacts_in_step = 0

    def _rattles(self, t: float) -> bool:
        """Whether there were so many impacts before the one at time t [s] that it must not bounce."""
        if self._impacts_in_step is not None:
            self._impacts_in_step += 1
            if self._impacts_in_step > MOST_IN_STEP:
                return True
        times = self._impact_times
        while times and times[-1] > t:  # of steps that were taken again
            times.pop()
        times.append(t)
        return len(times) == RATTLING and t - times[0] < RATTLING_TIME

    def meet(self, stepper: Stepper, take: Callable[[float], None], start: State, past: Any) -> None:
        """If a one-sided row was met since `start`, bring the run to where the first one was.

        take, past: as in `Stepper.follow`. The step is taken again until nothing is met inside it, and until it ends
        where a row touches or moves away (`Bracket`).
        """
        bracket = Bracket(start.t, self.room(start)[0])
        t = start.t
        for tries in range(MAX_ITERATIONS):
            part = self._first_meeting(stepper, start, near_misses=tries == 0)
            room, speed = self.room(stepper.state)
            row, now = int(room.argmin()), stepper.state.t
            nearest = float(room[row])
            if nearest < -0.25 * TOUCHING or part < 1.0 - 1e-12:
                bracket.end_late(now, room)
                guess = start.t + min(part, 1.0) * (now - start.t)
            elif tries == 0 or abs(nearest) <= 0.25 * TOUCHING or speed[row] >= 0.0:
                return
            else:
                bracket.end_early(now, room)
                guess = now - nearest / float(speed[row])
                if not guess < bracket.late and tries < TRUSTED_TRIES:
                    return  # what is left of the step is the next one's
            if tries < TRUSTED_TRIES:
                t = bracket.next(guess)
            elif tries < MAX_ITERATIONS // 2:
                t = bracket.next(bracket.false_position())
            else:
                t = bracket.next(math.nan)
            stepper.recall(past)
            while stepper.state.t < t:
                take(t)
                stepper.steps += 1
                stepper.put(self.projected(stepper.state, stepper.inputs_until))
            if t == bracket.early:
                return
        name = element_names(self.model)[self.owner[row]]
        what = f"{name}: the moment it is met cannot be found near t = {t:.6g} s"
        raise ConstraintError(what, name, SMALLER_STEP, code="stops_met_too_often", numbers={"t": Quantity(t, "s")})

    def _first_meeting(self, stepper: Stepper, start: State, *, near_misses: bool) -> float:
        """Part of the step from `start` to where the run stands after which a row is met first; 2 if none is.

        Rows are known at both ends and in the middle. near_misses: also where one comes so near that it may be met.
        """
        end = stepper.state
        part = 0.5 * (end.t - start.t)
        states = (start, stepper.between(start, end, 0.5), end)
        x, v = (np.array(rows) for rows in zip(*map(self.room, states), strict=True))
        floor, first = 0.5 * TOUCHING, 2.0
        for k in np.flatnonzero(np.isfinite(x).all(axis=0)):
            a, b, c = x[:, k].tolist()
            va, vb, vc = v[:, k].tolist()
            # How far the cubic over both halves is from the middle: those over one are sixteen times as good.
            wrong = abs(b - 0.5 * (a + c) - 0.25 * part * (va - vc)) / 8.0
            margin = wrong + floor if near_misses else 0.0
            for half, piece in enumerate(((a, va, b, vb), (b, vb, c, vc))):
                gone = departure(*piece, part, 0.0, math.inf, margin, floor)
                if gone <= 1.0:
                    first = min(first, 0.5 * (half + gone))
                    break
        return first

    def room(self, state: State) -> tuple[Array, Array]:
        """(m,) how far one-sided rows that do not touch are from being met, relative to their scale, and how fast that
        grows [1/s]; infinite and 0 for all other rows."""
        _, rows = self._at(state)
        scale = scale_of(self.model, rows)
        watched = rows.one_sided & ~self.touching
        speed = (rows.G @ state.qdot - rows.rate) / scale
        return np.where(watched, rows.error / scale, np.inf), np.where(watched, speed, 0.0)


def _nothing() -> None:
    """In place of a look where no run has begun."""


def begin(model: Model, tree: Tree | None = None) -> ConstrainedRun | None:
    """The constraints of a run that starts; None for a mechanism without any. tree: see `ConstrainedRun`."""
    return ConstrainedRun(model, tree) if is_constrained(model) else None


def _open_by(gaps: dict[ElementName, tuple[float, float]]) -> dict[str, Quantity]:
    """What the first of them is open by."""
    angle, distance = next(iter(gaps.values()))
    return {"angle": Quantity(angle, "rad"), "distance": Quantity(distance, "m")}


def off_by(gap: tuple[float, float]) -> str:
    """What a loop or constraint is off by, in words: angle [rad] and distance [m]."""
    parts = [f"{value:.3g} {unit}" for value, unit in zip(gap, ("rad", "m"), strict=True) if value > 0.0]
    return f"off by {' and '.join(parts)}"
