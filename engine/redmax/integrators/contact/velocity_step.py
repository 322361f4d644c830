# SPDX-License-Identifier: GPL-3.0-or-later
"""One velocity-level step of what touches, and the impacts of one instant.

The whole mechanism has moved freely through the step, to (q*, v*), feeling the contact forces of the step before.
Impulses P of contacts, loops, constraints and stops, one problem for every island, change that to

    M (v1 - v*) = G^T P - h Q,        q1 = q* + h/2 (v1 - v*)

Q is what it has felt. M and G are those of the midpoint, so that forces have the directions they have on the average.
Laws hold for relative velocities at the end, to the same order: G v1 + (G - G0) v0, with G0 at the start.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array, BoolArray
from ...solvers.contact import layout as at
from ...state import State
from ..watch import FRAME
from .moment import Moment
from .placed import Placed
from .points import Points
from .problem import (
    BOUNCE,
    BOUNCE_ABOVE,
    KINETIC,
    ROWS,
    STATIC,
    Block,
    ContactRows,
    constraint_blocks,
    tied,
)
from .solving import Solution
from .trees import trees

if TYPE_CHECKING:
    from .stepper import ContactStepper


LONGEST = FRAME
"""Longest step of what touches [s]."""

CLOSING = 1.0 / 3.0
"""Where two surfaces touch in one point, what lingers apart comes together by this part of its gap in a step: so gaps
die away as fast as they can without swinging, as the speeds of both ends of a step count for them."""

GENTLY = 1e-3
"""Nor faster than this part of how fast both surfaces move: what rests stays at rest."""

QUICK = 2.0
"""Residuals may be relative to speeds where skins are faster, as a step begins, than gravity makes them in this many
steps: what comes to rest, or rests, is solved as tightly as can be."""

ROUNDS_OF_STOPS = 4
"""Solutions that pass a stop which was not thought near are looked for again, at most so often."""


@dataclass(frozen=True, eq=False)
class Pushes:
    """Impulses of one step or instant. points: where. impulses: (k, 6) along the rows of contacts [N s, N m s].
    slip: (k, 3) mean relative velocity of the skins [m/s], and turn: (k, 3) angular velocity [rad/s], along the axes of
    the points. loss: energy that friction takes out, in impacts all that is lost [J]. work: what moved surfaces put in
    [J]. arrived: what surfaces lose that come to rest on each other within a step [J]. felt: what expected forces did
    in the free motion [J]. landed: (k,) normal impulses at points that did not touch before [N s]."""

    points: Points
    impulses: Array
    slip: Array
    loss: float
    work: float
    arrived: float = 0.0
    felt: float = 0.0
    landed: Array | None = None


@dataclass(frozen=True, eq=False)
class StepEnd:
    """Where a step came to. pushes: None where nothing touched. is_solved, residual [m/s], worst: see `Solution`; worst
    is the pair of surfaces."""

    moment: Moment
    pushes: Pushes | None = None
    is_solved: bool = True
    residual: float = 0.0
    worst: tuple[int, int] | None = None
    warm: dict[tuple[int, int, int], Array] = field(default_factory=dict)


def expected_wrenches(run: ContactStepper, start: Moment, warm: dict[tuple[int, int, int], Array]) -> Array:
    """(n, 6) torque about the centre of mass, and force, on each body by the forces of the step before at points that
    still touch, along the world's axes."""
    found = np.zeros((start.model.body_count + 1, 6))
    felt = np.zeros((start.model.body_count, 6))
    if not warm or not len(run.pushes.bodies):
        return felt
    points = start.points(run.zero_margins)
    rest = run.resting(start, points)
    keys = points.keys()
    which = np.array([k for k, key in enumerate(keys) if rest[k] and key in warm], np.int64)
    if len(which):
        forces = np.array([warm[keys[k]] for k in which])  # (k, 3, 2)
        force, torque = forces[:, :, 0], forces[:, :, 1]
        for side, sign in ((0, 1.0), (1, -1.0)):
            body = points.bodies[which, side]
            arm = points.ends[which, side] - start.placed.center[body]
            np.add.at(found, body, sign * np.concatenate([torque + np.cross(arm, force), force], axis=1))
    turns = np.linalg.norm(start.placed.omega[:-1], axis=1) * LONGEST > run.tolerance
    feels = run.pushes.bodies[~run.pushes.alone[run.pushes.bodies] | turns[run.pushes.bodies]]
    felt[feels] = found[feels]
    return felt


def _felt(start: Placed, end: Placed, wrenches: Array, h: float) -> float:
    """Work [J] of wrenches (n, 6) that were constant through a step: exact for forces, by the mean of both angular
    velocities for torques."""
    moved = end.center[:-1] - start.center[:-1]
    turned = 0.5 * h * (start.omega[:-1] + end.omega[:-1])
    return float((wrenches[:, 3:] * moved).sum() + (wrenches[:, :3] * turned).sum())


def _without(placed: Placed, wrenches: Array, h: float) -> Array:
    """(f,) change of free velocities if wrenches (n, 6) had not acted for h [s]."""
    pushed = wrenches.any(axis=1)
    change = np.zeros(len(placed.freedoms.free))
    if not pushed.any():
        return change
    Q = placed.freedoms.gathered(placed.generalised(np.flatnonzero(pushed), wrenches[pushed]))
    M = placed.freedoms.reduced(placed.mass_matrix)
    for members in placed.model.once(trees).members:
        if Q[members].any():
            change[members] = -h * np.linalg.solve(M[np.ix_(members, members)], Q[members])
    return change


def velocity_step(
    run: ContactStepper, start: Moment, free: Moment, warm: dict[tuple[int, int, int], Array], wrenches: Array
) -> StepEnd:
    """The end of the step from `start` that freely came to `free`. warm: forces of the step before, by point.
    wrenches: (n, 6) that the free motion has felt of them."""
    h = free.state.t - start.state.t
    s = free.state
    margins = run.margins(free, 0.5 * h)
    middle = free.changed(_middle(run, start.state, s, h))
    points = middle.points(margins)
    held = None if run.constraints is None else HeldRows(run, start, middle, free, h)
    meets = held is not None and run.passes_stops and held.choose_passed(s.qdot)
    if not len(points) and not wrenches.any() and not meets:
        return StepEnd(free)
    here = middle.placed
    # Bodies that rest have fallen at the midpoint of a free motion: by an eighth of what they gain in speed, times h.
    gained = here.parting(points) - here.parting(points, start.placed)
    points = points.with_gaps(points.gap - h / 8.0 * gained)
    kept, closed = _kept(run, start, middle, points, margins)
    points, closed = points.only(kept), closed[kept]
    if not len(points) and not wrenches.any() and not meets:
        return StepEnd(free)
    placed, L = middle.placed, run.detection.length
    rows = ContactRows(placed, points)
    b = np.zeros((len(points), ROWS))
    b[:, 1:3] = -np.einsum("kij,kj->ki", points.axes[:, 1:], points.conveyor)
    slip_before, shift, gap = _turned(run, start, middle, points, rows, closed)
    closing = np.minimum(CLOSING / h * gap, GENTLY * start.speeds[points.surfaces].sum(axis=1))
    closing[~_alone(points, closed)] = 0.0
    b[:, 0] = np.minimum(0.0, np.where(closed, -closing, -2.0 / h * points.gap))
    b[:, :3] -= shift
    sliding = np.linalg.norm(slip_before[:, 1:], axis=1) > run.sticking
    mu = np.where(sliding, points.material[:, KINETIC], points.material[:, STATIC])
    blocks = rows.blocks(b, mu, L)
    contacts, count = len(blocks), len(placed.model.once(trees).members)
    v_end = s.qdot[placed.freedoms.free]
    without = _without(placed, wrenches, h)
    v_free = v_end + without
    begin = _warm_start(points, rows, warm, h)
    is_quick = float(np.linalg.norm(slip_before, axis=1).max(initial=0.0)) > QUICK * run.gravity * h
    relative = run.tolerance if held is None and is_quick else 0.0
    for _ in range(ROUNDS_OF_STOPS):
        more = [] if held is None else held.blocks()
        which = tied([*blocks, *more], contacts, count)[contacts:]
        more = [block for block, is_tied in zip(more, which, strict=True) if is_tied]
        every, first = [*blocks, *more], np.concatenate([begin, np.zeros(len(more))])
        solution, unknowns = run.solver.velocities(
            placed, every, v_free, first, run.residual, relative, at.SPARING * run.residual
        )
        if not np.isfinite(solution.residual):
            return StepEnd(free, is_solved=False, residual=np.inf)
        change = without.copy()
        change[unknowns] = solution.v - v_end[unknowns]
        dv = placed.freedoms.spread(change)
        qdot = s.qdot + dv
        if held is None or not run.passes_stops or not held.choose_passed(qdot):
            break
    end = run.placed_state(State(s.t, s.q + 0.5 * h * dv, qdot, s.chart))
    impulses = _spread(rows.used, solution.impulses)
    pushes = dataclasses.replace(
        _pushes(points, rows, impulses, slip_before, shift, qdot, _moved(run, start.state, middle, rows)),
        felt=_felt(start.placed, free.placed, wrenches, h),
    )
    if middle.model.prescribed.any():
        pushes = dataclasses.replace(pushes, work=pushes.work + _held_back(placed, wrenches, dv, h))
    if held is not None:
        taken, put_in = held.work(more, solution.impulses[len(begin) :], qdot)
        pushes = dataclasses.replace(pushes, arrived=pushes.arrived + taken, work=pushes.work + put_in)
    landed = np.where(closed, 0.0, impulses[:, 0])
    pushes = dataclasses.replace(pushes, landed=landed)
    forces = _forces(points, impulses / h, landed)
    ended = free.changed(end)
    ended.pushing = forces
    worst = _worst(points, solution)
    # Feet of a mechanism that is held on all sides cannot all stick but for the error of the step, and the exact law
    # then has forces that jam it: what moves skins in a step by less than a gap that is none is solved.
    is_solved = solution.is_solved or (held is not None and solution.residual * h <= run.touch)
    return StepEnd(ended, pushes, is_solved, solution.residual, None if is_solved else worst, forces)


def _held_back(placed: Placed, wrenches: Array, dv: Array, h: float) -> float:
    """Work [J] that prescribed coordinates do on a change of velocities dv (nr,) of all others, as they hold against
    its inertia; and what the free motion has booked as theirs against wrenches (n, 6), which those of the step
    replace."""
    held = placed.model.prescribed
    v = np.where(held, placed.state.qdot, 0.0)
    felt = np.flatnonzero(wrenches.any(axis=1))
    Q = placed.generalised(felt, wrenches[felt])
    return float(v @ placed.mass_matrix @ dv + h * (Q @ v))


def _worst(points: Points, solution: Solution) -> tuple[int, int] | None:
    """The surfaces at which a solution is least good."""
    if solution.is_solved or not len(points):
        return None
    a, b = points.surfaces[min(max(solution.worst, 0), len(points) - 1)].tolist()
    return a, b


def _middle(run: ContactStepper, start: State, end: State, h: float) -> State:
    """Coordinates halfway through a free step, by the cubic over it, with the velocities of its end."""
    if not run.same_coordinates(start, end):
        start = run.rewritten(start, end)
    return State(end.t, halfway(start, end, h), end.qdot, end.chart)


def halfway(start: State, end: State, h: float) -> Array:
    """(nr,) coordinates halfway between two states of a motion, by the cubic."""
    return np.asarray(0.5 * (start.q + end.q) + h / 8.0 * (start.qdot - end.qdot))


def _kept(
    run: ContactStepper, start: Moment, middle: Moment, points: Points, margins: Array
) -> tuple[BoolArray, BoolArray]:
    """(k,) points that take part in the step, and those among them that were closed when it began.

    Others are speculative: they may come as near as touching. Where they will bounce, they take no part, and the step
    is to end where they meet.
    """
    before = start.points(margins)
    rest = run.resting(start, before)
    known = dict(zip(before.keys(), rest.tolist(), strict=True))
    pairs = {key[:2] for key, is_resting in known.items() if is_resting}
    keys = points.keys()
    new = np.array([key not in known for key in keys], np.bool_) & (points.gap <= run.closed)
    closed = np.array([known.get(key, False) for key in keys], np.bool_)
    closed |= new & np.array([key[:2] in pairs for key in keys], np.bool_)
    approach = -middle.placed.parting(points)
    bounces = run.bounces(points, approach)
    moves = (middle.model.once(trees).of_body[points.bodies] >= 0).any(axis=1)
    return moves & (closed | ~bounces), closed


def _turned(
    run: ContactStepper, start: Moment, middle: Moment, points: Points, rows: ContactRows, closed: BoolArray
) -> tuple[Array, Array, Array]:
    """Of closed points that there were at the start: (k, 3) slip there [m/s], (k, 3) (G - G0) v0, both along the axes
    of the points, and (k,) gaps there [m]. Of others: slip as if their bodies still moved as at the start, 0, 0."""
    then, now = start.placed, middle.placed
    v0 = now.relative_velocity(points, then)
    slip = np.einsum("kij,kj->ki", points.axes, v0 + points.conveyor)
    shift, gap = np.zeros((len(points), 3)), np.zeros(len(points))
    if not closed.any():
        return slip, shift, gap
    same = run.same_coordinates(start.state, middle.state)
    qdot = (start.state if same else run.rewritten(start.state, middle.state)).qdot
    at_middle = rows.rows[:, :3] @ qdot
    old = start.points(run.zero_margins)
    before = {key: j for j, key in enumerate(old.keys())}
    i = np.array([i for i, key in enumerate(points.keys()) if closed[i] and key in before], np.int64)
    if len(i):
        keys = points.keys()
        j = np.array([before[keys[k]] for k in i])
        gap[i] = old.gap[j]
        v = then.relative_velocity(old)[j]
        normal = np.einsum("ki,ki->k", v, old.normal[j])
        along = v - normal[:, None] * old.normal[j] + points.conveyor[i]
        slip[i] = np.einsum("kij,kj->ki", points.axes[i], along)
        slip[i, 0] = normal
        conveyor = np.einsum("kij,kj->ki", points.axes[i, 1:], points.conveyor[i])
        shift[i] = at_middle[i] - slip[i]
        shift[i, 1:] += conveyor
    return slip, shift, gap


class HeldRows:
    """Rows of loops, constraints and stops at the midpoint of a step, for velocities at its end, as those of contacts;
    stops may be approached as far as they have room. chosen: (m,) those that take part: all equations and, where the
    free motion passes stops, those that it would pass at the end."""

    def __init__(self, run: ContactStepper, start: Moment, middle: Moment, free: Moment, h: float) -> None:
        assert run.constraints is not None
        self.run, self.middle = run, middle
        self.rows = rows = run.constraints.rows(middle.placed.kin, free.state.t)
        same = run.same_coordinates(start.state, middle.state)
        self.v0 = (start.state if same else run.rewritten(start.state, middle.state)).qdot
        before = run.constraints.rows(start.placed.kin, start.state.t)
        shift = rows.G @ self.v0 - before.G @ start.state.qdot
        b = np.where(rows.one_sided, -np.maximum(rows.error / (0.5 * h), 0.0), 0.0) + rows.rate - shift
        self.b = np.where(rows.any_velocity, rows.G @ middle.state.qdot, b)
        self.chosen = ~rows.one_sided
        begins, stops = run.stops(start), run.stops(middle)
        self.bouncing = np.zeros(len(self.b), np.bool_)
        if begins is not None and stops is not None:
            self.bouncing = (begins.room > run.closed) & run.bounces_at(stops)

    def choose_passed(self, qdot: Array) -> bool:
        """Have those stops take part that velocities at the end would pass, but for those that are to throw back;
        whether there are new ones."""
        passed = self.rows.one_sided & (self.rows.G @ qdot < self.b) & ~self.bouncing & ~self.chosen
        self.chosen = self.chosen | passed
        return bool(passed.any())

    @property
    def has_stops(self) -> bool:
        """Whether a stop takes part."""
        return bool((self.chosen & self.rows.one_sided).any())

    def blocks(self) -> list[Block]:
        """Of the rows that take part and move anything."""
        return constraint_blocks(self.middle.placed, self.rows, self.chosen, self.b, self.run.detection.length)

    def work(self, blocks: list[Block], impulses: Array, qdot: Array) -> tuple[float, float]:
        """What stops took out, and what moved rows and prescribed coordinates put in [J], by the impulses of `blocks`
        at the mean of the velocities at both ends. qdot: (nr,) at the end."""
        free = self.middle.placed.freedoms.free
        mean = 0.5 * (self.v0 + qdot)
        taken = put_in = 0.0
        for block, impulse in zip(blocks, impulses, strict=True):
            freely = float(block.G[0] @ mean[free])
            whole = float(self.rows.G[block.row] @ mean)
            if block.kind == at.ONE_SIDED:
                taken -= float(impulse) * whole
                put_in += float(impulse) * (freely - whole)
            else:
                rate = whole if self.rows.any_velocity[block.row] else float(self.rows.rate[block.row])
                put_in += float(impulse) * (rate + freely - whole)
        return taken, put_in


def _alone(points: Points, closed: BoolArray) -> BoolArray:
    """(k,) which are the only closed ones of their two surfaces."""
    if not len(points):
        return np.zeros(0, np.bool_)
    _, which = np.unique(points.surfaces, axis=0, return_inverse=True)
    return np.asarray(closed & (np.bincount(which.ravel(), weights=closed)[which.ravel()] == 1.0))


def _warm_start(points: Points, rows: ContactRows, warm: dict[tuple[int, int, int], Array], h: float) -> Array:
    begin = np.zeros(int(rows.used.sum()))
    row = 0
    for key, which, axes in zip(points.keys(), rows.used, points.axes, strict=True):
        used = int(which.sum())
        force = warm.get(key)
        if force is not None:
            begin[row : row + used] = h * (axes @ force).T.ravel()[which]
        row += used
    return begin


def _forces(points: Points, forces: Array, landed: Array) -> dict[tuple[int, int, int], Array]:
    """(3, 2) force and torque of each point that pushes, along the world's axes, by its key: 0 of those that landed in
    the step, whose impulses stopped something and push no longer. forces: (k, 6). landed: (k,) impulses of landings."""
    world = np.einsum("kij,kai->kja", points.axes, forces.reshape(-1, 2, 3))
    world[landed > 0.0] = 0.0
    return {key: value for key, value, n in zip(points.keys(), world, forces[:, 0], strict=True) if n > 0.0}


def _spread(used: BoolArray, impulses: Array) -> Array:
    """(k, 6) impulses of contacts, from those of all rows of a problem."""
    found = np.zeros(used.shape)
    found[used] = impulses[: int(used.sum())]
    return found


def _moved(run: ContactStepper, start: State, middle: Moment, rows: ContactRows) -> Array:
    """(k, 6) speeds that prescribed coordinates give points, on the average of the step."""
    if not middle.model.prescribed.any():
        return rows.moved
    same = run.same_coordinates(start, middle.state)
    qdot = (start if same else run.rewritten(start, middle.state)).qdot
    return np.asarray(0.5 * (rows.moved + rows.rows @ qdot - rows.G @ qdot[middle.placed.freedoms.free]))


def _pushes(
    points: Points,
    rows: ContactRows,
    impulses: Array,
    slip_before: Array,
    shift: Array,
    qdot: Array,
    moved: Array,
) -> Pushes:
    speed = rows.rows @ qdot
    conveyor = np.einsum("kij,kj->ki", points.axes, points.conveyor)
    slip_after = speed[:, :3] + shift + conveyor
    slip = 0.5 * (slip_before + slip_after)
    loss = -float((impulses[:, 1:3] * slip[:, 1:]).sum() + (impulses[:, 3:] * speed[:, 3:]).sum())
    arrived = -float(impulses[:, 0] @ slip[:, 0])
    work = -float((impulses * moved).sum() + (impulses[:, 1:3] * conveyor[:, 1:]).sum())
    return Pushes(points, impulses, slip, loss, work, arrived)


def settled(run: ContactStepper, moment: Moment) -> tuple[Moment, Pushes | None]:
    """The moment after the impacts that are due, and their impulses; the same object where none is."""
    points = moment.points(run.zero_margins)
    touching = points.gap <= run.closed
    of_body = moment.model.once(trees).of_body
    touching &= (of_body[points.bodies] >= 0).any(axis=1)
    points = points.only(touching)
    stops = run.stops(moment) if run.passes_stops else None
    thrown = np.zeros(0, np.bool_) if stops is None else (stops.room <= run.closed) & run.bounces_at(stops)
    if not len(points) and not thrown.any():
        return moment, None
    placed = moment.placed
    velocity = placed.relative_velocity(points)
    approach = -np.einsum("ki,ki->k", velocity, points.normal)
    if not (approach > run.settling).any() and not thrown.any():
        return moment, None
    rows = ContactRows(placed, points)
    b = np.zeros((len(points), ROWS))
    conveyor = np.einsum("kij,kj->ki", points.axes, points.conveyor)
    b[:, 1:3] = -conveyor[:, 1:]
    mu = points.material[:, KINETIC]
    blocks = rows.blocks(b, mu, run.detection.length)
    above = np.maximum(points.material[:, BOUNCE_ABOVE], run.slow)
    slow = float(above[points.material[:, BOUNCE] > 0.0].min(initial=np.inf))
    dull = (approach > run.settling) & (approach <= above)  # others may be struck within the impact
    blocks = [block._replace(bounce=0.0) if is_dull else block for block, is_dull in zip(blocks, dull, strict=True)]
    contacts, qdot = len(blocks), moment.state.qdot
    if run.constraints is not None:
        held = run.constraints.rows(placed.kin, moment.state.t)
        near = np.zeros(len(held.rate), np.bool_) if stops is None else stops.room <= run.closed
        wanted = np.where(held.one_sided, held.rate, held.G @ qdot)
        more = constraint_blocks(placed, held, ~held.one_sided | near, wanted, run.detection.length)
        blocks += [block if thrown[block.row : block.row + 1].any() else block._replace(bounce=0.0) for block in more]
        slow = min(slow, run.slow) if thrown.any() else slow
    which = tied(blocks, contacts, len(moment.model.once(trees).members))
    blocks = [block for block, is_tied in zip(blocks, which, strict=True) if is_tied]
    v_free = qdot[placed.freedoms.free]
    solution, unknowns = run.solver.jump(placed, blocks, v_free, run.residual, slow if np.isfinite(slow) else 0.0)
    if not np.isfinite(solution.residual):
        return moment, None
    change = np.zeros(len(v_free))
    change[unknowns] = solution.v - v_free[unknowns]
    after = qdot + placed.freedoms.spread(change)
    impulses = _spread(rows.used, solution.impulses)
    M = placed.mass_matrix
    work = -float((impulses * rows.moved).sum() + (impulses[:, 1:3] * conveyor[:, 1:]).sum())
    loss = 0.5 * float(qdot @ M @ qdot - after @ M @ after) + work
    slip = np.einsum("kij,kj->ki", points.axes, velocity) + conveyor
    state = moment.state
    run.account.count(is_solved=solution.is_solved, residual=solution.residual, worst=_worst(points, solution))
    jumped = moment.changed(State(state.t, state.q, after, state.chart))
    return jumped, Pushes(points, impulses, slip, loss, work)
