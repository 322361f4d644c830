# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with contact: exact adaptive steps where nothing touches, velocity-level steps with error control where it does.

Every step moves the whole mechanism freely first, by the adaptive method that runs without surfaces have; trees that
touch nothing keep that. The others are corrected (`velocity_step`). There the free motion goes on beyond stops as it
does beyond surfaces; where nothing can touch it heeds them. The error of that is known by taking the step in two
halves, which are what is kept. Impacts with restitution happen at instants: steps end where surfaces meet, and
velocities jump there. How far a step may go at all is bounded by conservative advancement: nothing that is fast comes
to the other side of something thin.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ... import fast
from ...arrays import Array, BoolArray
from ...dynamics.loads import potential_energy
from ...errors import ElementName
from ...model import Model
from ...state import State
from ...surfaces.layout import SCENERY
from ..automatic import AutomaticStepper, Promise
from ..base import IntegrationError
from ..compiled import CompiledRungeKutta
from ..energy_balance import EnergyPromise
from ..watch import FRAME
from .account import Account
from .detection import Detection
from .moment import Moment
from .points import Points
from .problem import BOUNCE, BOUNCE_ABOVE, Stops
from .pushes import FreePushes, pushed
from .recovery import recovered
from .solving import Solver
from .velocity_step import StepEnd, expected_wrenches, settled, velocity_step

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree

RESIDUAL, SLOW = 3e-10, 1e-6
"""Residual of contact problems, and speeds that are none, as parts of the speed that gravity gives the smallest body
while it moves it by its size."""

TOUCHING = 1e-3
"""Gaps below this part of what a step may be wrong by are none."""

LONGEST = FRAME
"""Longest step of what touches [s]."""

LEFTOVER = 1e-10
"""What a step would leave of the time to its end [part of it] belongs to it: impulses of a step of 1e-15 s, over its
length, are no forces."""
BRIEF = 1e-3
"""Steps shorter than this part of the shortest, which end at impacts, leave the forces as they were for that reason."""
EVENT = 1e-5
"""A step that ends at an impact may be so much shorter than the shortest of others."""

BOUNCE_FROM = 1e-4
"""What is slower does not bounce, as part of the speed that gravity gives the smallest body on its own length; nor what
would not come higher against gravity than a step may be wrong by."""

BOUNCES, BOUNCES_OF_BODY, SOFTEN = 20, 4, 5.0
"""Impacts in a frame that are usual: so many, and so many more for each body. Every SOFTEN more double the speed below
which nothing bounces, so that what rattles comes to rest."""

SAFETY, LEAST, MOST = 0.9, 0.2, 3.0
"""Of the control of the step: its safety factor, and bounds on the ratio of one step to the next."""

LOSS = 10.0
"""Of mechanisms with loops, stops and drives, whose parts are thrown about by each other when one of them lands: losses
of a whole step and of its halves may differ by so many times the tolerance, as part of the energy in play."""

ORDER = 3
"""Errors of steps shrink with this power of their length."""

THIN = 0.25
"""How far something may come into what it meets before that is seen, as part of the thinner one's thickness."""

MOST_MEETINGS = 30
"""Tries to end a step where surfaces meet."""

STILL = 1e-4
"""Stops that touch and part more slowly than this [rad/s, or sizes of the smallest body per second] push in samples."""

IMPACTS_AT_ONCE = 20
"""Rounds of impacts at one instant."""


WEDGED = "look for parts that are wedged between others, that begin inside each other, or that friction locks"


def contact_model(model: Model) -> Model:
    """The model of a run with contact. Kernels have the numbers of its pushes; else each run has forces of its own."""
    base = model.once(pushed)
    has_kernels = fast.new_tree(base) is not None or fast.constrained_tree(base) is not None
    return base if has_kernels else pushed(model)


def _shorter(error: float) -> float:
    """By what a step that is wrong by so many times what is allowed is to be shorter."""
    return max(LEAST, min(0.5, SAFETY * error ** (-1.0 / ORDER))) if 0.0 < error < math.inf else 0.5


def shortest_step(tolerance: float) -> float:
    """Of what touches, as part of a frame: the sixteenth at 1e-3 of a body's size, and a fourth for each tenth of it.
    Shorter ones would only resolve corners of the motion in time, such as landings, that nobody sees."""
    return float(4.0 ** (1.0 + math.log10(tolerance)))


class ContactStepper(AutomaticStepper):
    """tolerance: error that a step may have, as part of the size of each body."""

    def __init__(
        self, model: Model, state: State, promise: Promise, tolerance: float, tree: Tree | None = None
    ) -> None:
        super().__init__(model, state, promise, tree)
        self.tolerance = tolerance
        self.pushes = FreePushes(model, tree)
        self.books_pushes = self._exchanges and tree is not None  # kernels count them as work that is put in
        self._pushed: Array = np.zeros((model.body_count, 6))
        self.detection = Detection(model)
        self.solver, self.account = Solver(), Account(model, len(self.detection.bodies))
        L = self.detection.length
        self.gravity = float(np.linalg.norm(model.gravity))
        self.time = math.sqrt(L / self.gravity) if self.gravity > 0.0 else 1.0
        self.touch = TOUCHING * tolerance * L
        self.closed = 4.0 * self.touch
        speed = L / self.time
        self.residual, self.settling, self.sticking = RESIDUAL * speed, SLOW * speed, SLOW * speed
        self.scale_of_energy = model.mass * (self.gravity or 1.0) * L
        self.zero_margins: Array = np.full(len(self.detection.bodies), 0.5 * self.closed)
        self.loss_error = 0.0 if self.constraints is None else LOSS * tolerance * self.scale_of_energy
        self._h = 0.1 * min(self.time, LONGEST)
        self._shortest = shortest_step(tolerance) * min(self.time, FRAME)
        unseen = math.sqrt(2.0 * tolerance) if self.gravity > 0.0 else 0.0
        self.bounce_from, self._impacts_before = max(BOUNCE_FROM, unseen) * speed, 0
        self.passes_stops = False
        self._warm: dict[tuple[int, int, int], Array] = {}
        self._stands = self._moment()
        self._stood = self._stands
        self.contact = self.account.sample(self._stands.placed)

    # --- what others ask ------------------------------------------------------------------------------------------

    @property
    def energy_promise(self) -> EnergyPromise:
        promise = super().energy_promise
        return EnergyPromise(max(promise.part, 10.0 * self.tolerance), dies_away=promise.dies_away)

    @property
    def work(self) -> float:
        return super().work + self.account.work

    @property
    def loss(self) -> float:
        return super().loss + self.account.friction_loss + self.account.impact_loss

    def margins(self, moment: Moment, h: float) -> Array:
        """(s,) how far surfaces come within h [s], about [m]."""
        return np.asarray(self.zero_margins + 1.2 * h * (moment.speeds + self.gravity * h))

    def resting(self, moment: Moment, points: Points) -> BoolArray:
        """(k,) points that touch, and neither part nor are about to bounce."""
        speed = moment.placed.parting(points)
        return np.asarray((points.gap <= self.closed) & (speed <= self.settling) & ~self.bounces(points, -speed))

    def bounces(self, points: Points, approach: Array) -> BoolArray:
        """(k,) where surfaces that approach each other so fast [m/s] part again."""
        above = np.maximum(points.material[:, BOUNCE_ABOVE], self.bounce_from)
        return np.asarray((points.material[:, BOUNCE] > 0.0) & (approach > above))

    @property
    def slow(self) -> float:
        """Impacts slower than this do not bounce [m/s]: faster and faster ones where a frame has too many."""
        usual = BOUNCES + BOUNCES_OF_BODY * self.model.body_count
        more = self.account.impacts - self._impacts_before - usual
        return self.bounce_from * float(2.0 ** min(max(more, 0.0) / SOFTEN, 60.0))

    def same_coordinates(self, a: State, b: State) -> bool:
        """Whether q of two near states is written in the same coordinates."""
        if not self._charted:
            return True
        return bool(np.array_equal(a.chart, b.chart) and (np.abs(a.q - b.q) < 1.0).all())

    def rewritten(self, state: State, like: State) -> State:
        """The state in the coordinates in which a near one is written."""
        q, qdot = state.q.copy(), state.qdot.copy()
        for j in self._charted:
            columns, charts = self.model.columns(j), (int(state.chart[j]), int(like.chart[j]))
            q[columns], qdot[columns] = self.model.joints[j].rewrite(
                state.q[columns], state.qdot[columns], charts[0], chart_like=charts[1], q_like=like.q[columns]
            )
        return State(state.t, q, qdot, like.chart)

    def placed_state(self, state: State) -> State:
        """The state with drives, loops and constraints as they must be."""
        if self.model.followers is not None:
            state = State(state.t, *self.model.followers.placed(state.q, state.qdot), state.chart)
        if self.constraints is not None and not self.constraints.only_one_sided:
            state = self.constraints.projected(state)
        return state

    def potential(self, moment: Moment) -> float:
        """Potential energy [J]."""
        return potential_energy(self.model, moment.placed.kin)

    # --- steps ----------------------------------------------------------------------------------------------------

    def advance(self, t_end: float) -> State:
        self.account.begin_frame()
        self._impacts_before = self.account.impacts
        if self.constraints is not None:
            self.constraints.hand_over_stops()
        now = self._stood
        if self.state is not now.state:  # somebody put another state
            now = self._moment()
        while now.state.t < t_end:
            self.look(10)
            now = self._stretch(now, t_end)
        self._stood = now
        if self._stands is not now:
            self._restart(now)
        self.state = now.state
        if self._pushed.any():
            self._pushed = np.zeros_like(self._pushed)
            self.pushes.put(self._pushed)
            self._restart(now)
        self.contact = self.account.sample(now.placed)
        self._hold_stops(now)
        return self.state

    def _hold_stops(self, now: Moment) -> None:
        """Have stops that touch push in the sample."""
        constraints = self.constraints
        if constraints is None or not constraints.has_one_sided:
            return
        stops = self.stops(now)
        if stops is not None:
            still = np.abs(stops.speed) <= STILL * self.detection.length
            constraints.touching = (stops.room <= self.closed) & still

    def _stretch(self, start: Moment, t_end: float) -> Moment:
        """Impacts that are due, and one step."""
        start = self._settle(start)
        left = t_end - start.state.t
        h, t = left, start.state.t
        if self._touches(start):
            h = min(h, self._h)
            h = 0.5 * left if h < left < 1.999 * h else h
        h = self._safe(start, h)
        self.passes_stops = self._comes_near(start, h)
        for _ in range(MOST_MEETINGS):
            t1 = t_end if h >= (1.0 - LEFTOVER) * left else t + h
            whole = self._touching_step(start, t1, self._warm)
            if whole.pushes is not None and not self.passes_stops:
                self.passes_stops = True  # something came near that was thought to stay away
                continue
            if not whole.is_solved and h > self._shortest:
                h = max(0.5 * h, self._shortest)
                continue
            met = self._meeting(start, whole, h)
            if met < (1.0 - LEFTOVER) * h and h > EVENT * self._shortest:
                h = max(met, EVENT * self._shortest)
                continue
            if whole.pushes is None:
                self.account.add_step(None, h)
                return whole.moment
            half = self._touching_step(start, t + 0.5 * (t1 - t), self._warm)
            ends = self._touching_step(half.moment, t1, self._warm_after(half, h))
            error = self._error(whole, half, ends)
            good = error <= 1.0 and half.is_solved and ends.is_solved
            if not good and h > self._shortest:
                self._h = h = max(self._shortest, _shorter(error) * h)
                continue
            return self._accept(half, ends, h, error, h < left)
        self.account.add_step(whole.pushes, h)
        return whole.moment

    def _accept(self, half: StepEnd, ends: StepEnd, h: float, error: float, full: bool) -> Moment:
        """Keep a step that was taken in two halves."""
        for each in (half, ends):
            self.account.add_step(each.pushes, 0.5 * h)
            if self.books_pushes and each.pushes is not None:
                self.account.work -= each.pushes.felt
            if self._exchanges and each.pushes is not None:
                self.account.work += each.pushes.resisted
            self.account.count(is_solved=each.is_solved, residual=each.residual, worst=each.worst)
        if self.account.hopeless:
            raise self._nowhere(IntegrationError, "no forces satisfy its contact")
        growth = MOST if error <= 0.0 else min(MOST, SAFETY * error ** (-1.0 / ORDER))
        if full or growth * h > self._h:
            self._h = min(LONGEST, max(self._shortest, max(growth, LEAST) * h))
        self._warm = self._warm_after(ends, h)
        self.steps += 2
        return recovered(self, ends.moment, h)

    def _warm_after(self, end: StepEnd, h: float) -> dict[tuple[int, int, int], Array]:
        """Forces that the step after one of h [s] begins with."""
        return self._warm if h < BRIEF * self._shortest else end.warm

    def _comes_near(self, start: Moment, h: float) -> bool:
        """Whether anything may touch within h [s]: then stops are rows of the same problems."""
        if self.constraints is None or not self.constraints.has_one_sided:
            return True
        return bool(self._warm) or len(start.points(self.margins(start, h))) > 0

    def stops(self, moment: Moment) -> Stops | None:
        """The stops of the mechanism where it stands; None without any."""
        if self.constraints is None or not self.constraints.has_one_sided:
            return None
        rows = self.constraints.rows(moment.placed.kin, moment.state.t)
        unit = np.where(rows.metres, 1.0, self.detection.length)
        return Stops(
            rows,
            room=np.where(rows.one_sided, unit * rows.error, np.inf),
            speed=np.where(rows.one_sided, unit * (rows.G @ moment.state.qdot - rows.rate), 0.0),
        )

    def bounces_at(self, stops: Stops) -> BoolArray:
        """(m,) rows that are stops which are approached so fast that they throw back."""
        return np.asarray((stops.rows.bounce > 0.0) & (-stops.speed > self.slow))

    def _touching_step(self, start: Moment, t: float, warm: dict[tuple[int, int, int], Array]) -> StepEnd:
        wrenches = expected_wrenches(self, start, warm)
        free = self._freely(start, t, wrenches)
        return velocity_step(self, start, free, warm, wrenches)

    def _touches(self, moment: Moment) -> bool:
        """Whether anything is in touch and stays so."""
        points = moment.points(self.zero_margins)
        return bool(len(points) and self.resting(moment, points).any())

    def _settle(self, moment: Moment) -> Moment:
        for _ in range(IMPACTS_AT_ONCE):
            after, pushes = settled(self, moment)
            if pushes is None:
                break
            self.account.add_impact(pushes)
            moment = after
        return moment

    # --- how far --------------------------------------------------------------------------------------------------

    def _safe(self, start: Moment, h: float) -> float:
        """How long a step may be at most: until what does not touch yet can have met, or come inside what is thin."""
        points = start.points(self.margins(start, h))
        if not len(points):
            return h
        placed, detection = start.placed, self.detection
        closing = -placed.parting(points)
        omega = np.linalg.norm(placed.omega, axis=1)[points.bodies]
        closing = np.maximum(closing, 0.0) + (omega * detection.arms[points.surfaces]).sum(axis=1)
        thin = THIN * detection.thickness[points.surfaces].min(axis=1)
        room = np.maximum(points.gap, np.where(np.isfinite(thin), thin, 0.0))
        room = np.where(np.isinf(thin), np.inf, np.maximum(room, self.closed))
        which = ~self.resting(start, points)
        if not which.any():
            return h
        c, d, g = closing[which], room[which], self.gravity
        # d = c t + g t^2 / 2, without cancellation
        t = 2.0 * d / (c + np.sqrt(c * c + 2.0 * g * d)) if g > 0.0 else d / np.maximum(c, 1e-300)
        return max(self._shortest, min(h, float(t.min())))

    def _meeting(self, start: Moment, step: StepEnd, h: float) -> float:
        """How long the step would have to be [s] for surfaces to meet at its end; h where none come into each other."""
        end = step.moment
        late = self._stop_passed(end)
        points = end.points(self.margins(end, 0.0))
        if not len(points) or not (points.gap < -self.touch).any():
            return h - late if late < h else 0.5 * h
        closing = -end.placed.parting(points)
        before = start.points(self.zero_margins)
        rest = {key for key, is_resting in zip(before.keys(), self.resting(start, before), strict=True) if is_resting}
        pushed = set(step.warm)
        for key, gap, speed in zip(points.keys(), points.gap.tolist(), closing.tolist(), strict=True):
            if gap < -self.touch and key not in rest and key not in pushed and speed > self.settling:
                late = max(late, -gap / speed)
        return h - late if late < h else 0.5 * h

    def _stop_passed(self, end: Moment) -> float:
        """How long ago [s] a stop that throws back was passed; 0 if none was, and where the free motion heeds stops."""
        stops = self.stops(end) if self.passes_stops else None
        if stops is None:
            return 0.0
        passed = (stops.room < -self.touch) & self.bounces_at(stops)
        return float((stops.room[passed] / stops.speed[passed]).max(initial=0.0))

    def _error(self, whole: StepEnd, half: StepEnd, ends: StepEnd) -> float:
        """Error of a step in two halves, by what is allowed."""
        a, b = whole.moment.placed, ends.moment.placed
        sizes = self.detection.sizes
        moved = np.linalg.norm(a.center[:-1] - b.center[:-1], axis=1) / sizes
        R = a.kin.E_wi[:, :3, :3] - b.kin.E_wi[:, :3, :3]
        turned = np.sqrt(0.5 * (R * R).sum(axis=(1, 2)))
        error = float((moved + turned).max(initial=0.0)) / (2.0**ORDER / 2.0 - 1.0) / self.tolerance
        if self.loss_error == 0.0:
            return error
        lost = [0.0 if each.pushes is None else each.pushes.loss + each.pushes.arrived for each in (whole, half, ends)]
        return max(error, abs(lost[0] - lost[1] - lost[2]) / self.loss_error)

    def _held_up(self) -> tuple[ElementName, str, str]:
        if self.account.worst is None:
            return super()._held_up()
        return self._name(self.account.worst), ": contact forces that satisfy it cannot be found", WEDGED

    def _name(self, pair: tuple[int, int]) -> ElementName:
        """The surface of a pair that can move."""
        surfaces = self.detection.surfaces
        moving = [s for s in pair if not surfaces.record(s)[SCENERY]]
        return ElementName("surface", surfaces.names[(moving or list(pair))[0]])

    # --- free motion ----------------------------------------------------------------------------------------------

    def _freely(self, start: Moment, t: float, wrenches: Array) -> Moment:
        """Where the free motion from `start` is at time t [s]. wrenches: (n, 6) what is expected of contact."""
        if self.constraints is not None and self.constraints.passes_stops != self.passes_stops:
            self.constraints.passes_stops = self.passes_stops
            if isinstance(self._solver, CompiledRungeKutta):
                self._solver.pass_stops(freely=self.passes_stops)
            self._restart(start)
        if not np.array_equal(wrenches, self._pushed):
            self._pushed = wrenches
            self.pushes.put(wrenches)
            self._restart(start)
        elif self._stands is not start:
            self._restart(start)
        AutomaticStepper.advance(self, t)
        self._stands = self._moment()
        return self._stands

    def _moment(self) -> Moment:
        """Where the free motion stands."""
        stops: tuple[float, BoolArray | None] = (0.0, None)
        if self.constraints is not None:
            touching = None if self.constraints._none_touched else self.constraints.touching
            stops = (self.constraints.loss, touching)
        return Moment(self.detection, self.state, self._y[-2:].copy(), before_switch=self._before_switch, stops=stops)

    def _restart(self, moment: Moment) -> None:
        """Have the free motion go on from another moment."""
        self.state = self._front = moment.state
        self._solver.y[-2:] = moment.exchanged
        if self.constraints is not None:
            self.constraints.loss = moment.stops[0]
            if self.passes_stops and self.constraints.touches:
                self.constraints.touching = np.zeros_like(self.constraints.touching)
            elif moment.stops[1] is not None and not self.passes_stops:
                self.constraints.touching = moment.stops[1]
        self._begin_anew()
        self._y = self._solver.y.copy()
        self._before_switch = moment.before_switch
        self._stands = moment
