# SPDX-License-Identifier: GPL-3.0-or-later
"""The method that nobody has to choose: explicit where that is cheapest, implicit where something is stiff.

A run begins explicitly (DOP853), unless dampers of the model are so strong that this cannot last. When a frame
costs far more than implicit steps usually do, the run goes on with extrapolated linearly implicit Euler from where it
stands; whichever turns out cheaper keeps the run. Costs are counted, not timed, so that every run of a scene takes the
same steps. A vibration that is excited must be followed and is no cheaper that way; where it takes too many steps a
frame, Draft and Standard let it die away and say so, and High stops with what to do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..arrays import Array
from ..errors import ElementName, Quantity
from ..fields import choice
from ..model import Model
from ..outcome import Note
from ..state import State
from .base import IntegrationError, Integrator, StalledError, Stepper, TooManyStepsError, rubbing_joints
from .compiled import CompiledRungeKutta
from .dormand_prince import AdaptiveExplicit, Dop853, ExplicitStepper, tree_for
from .energy_balance import EnergyPromise, implicit_part
from .extrapolated_euler import extrapolation_of
from .switching import is_switch
from .watch import FRAME

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree

DRAFT, STANDARD, HIGH = "draft", "standard", "high"
AT_ONCE, AT_LAST, NEVER = "at once", "at last", "never"


@dataclass(frozen=True)
class Promise:
    """What an accuracy means. explicit: the method where nothing is stiff. stiff: tolerance of implicit steps, in which
    rounding errors of stiff forces set a limit. strands: the same where there are strands, which vibrate along
    themselves faster than anybody sees; that dies away as soon as steps are implicit, unless calm is never.

    most_steps: a frame may take so many. calm: whether fast vibrations die away as soon as steps are implicit, or when
    they take more steps than that, or never.
    contact: error of a step of what touches, as part of the size of each body.
    """

    explicit: AdaptiveExplicit
    stiff: float
    strands: float
    most_steps: int
    calm: str
    contact: float


@dataclass(frozen=True, kw_only=True)
class PacedDop853(Dop853):
    """Errors in proportion to the time that steps take, so that a promise holds however fast something spins."""

    pace: ClassVar[float] = FRAME


ACCURACIES = {
    DRAFT: Promise(PacedDop853(rtol=1e-6, atol=1e-6), 1e-4, 1e-5, 1_000, AT_ONCE, 1e-3),
    STANDARD: Promise(Dop853(rtol=1e-7, atol=1e-7), 1e-7, 1e-6, 4_000, AT_LAST, 1e-4),
    HIGH: Promise(Dop853(rtol=1e-11, atol=1e-11), 1e-9, 1e-9, 10_000, NEVER, 1e-6),
}
"""Measured in docs/simulating.md. Standard is no looser because errors of a double pendulum grow: 1e-6 showed 2 mm
after five seconds. Draft is what keeps tops, four-bars and slider-cranks at 200 rad/s within a thousandth of their size
for five seconds at any fps: at 1e-6 per step a four-bar is off by 1e-2, at 3e-6 per time a pendulum by 2e-3. RK45 needs
more evaluations for that."""

EXPLICIT, STIFF, CALM = range(3)
"""How a run goes on: explicitly; implicitly, following everything; implicitly, without vibrations faster than steps."""

IMPLICIT_STEPS = "stiff: implicit steps (extrapolated Euler)"
FOLLOWED, DIES_AWAY = "stiff", "vibrations_die_away"
"""Codes of notes: everything is followed; vibrations faster than the steps are not."""

MATRIX_COMPILED, MATRIX = 20, 1
"""What it costs to make and factor a matrix, in evaluations of the motion: those are quick where kernels do them."""

LEAST_OF_FORCES, STEP_OF_FORCES, MOST_OF_FORCES = 10, 1800, 100
"""What it costs where forces tie bodies: so many evaluations at least and at most, and what Python does in a step
besides, which is worth this many evaluations of a single body."""

USUAL_STIFF_FRAME = (54, 14)
"""Evaluations and matrices of a frame in implicit steps where nothing much happens: two steps of order 7."""

DEARER = 4.0
"""The other method is tried where this one costs so many times as much as that one usually does."""

TRIAL = 3
"""Frames after which implicit steps must have become cheaper; in the first ones they find their step."""

STABLE = 3.0
"""Explicit steps times the fastest rate stay below this: the boundary of stability of both methods, about."""

STIFF_FROM = 0.5
"""Steps that are shorter, as part of the time in which springs or dampers act, are not so short because of them."""

MANY = 100.0
"""Springs or dampers whose rate times a frame is below this are not what takes thousands of steps."""

LOOSEST = 1e-4
"""Up to here the tolerance of implicit steps with strands grows tenfold when a frame takes too many of them."""

LOOK = 8
"""So many frames pass until a run in implicit steps looks whether anything is stiff still."""


@dataclass(frozen=True, kw_only=True)
class Automatic(Integrator):
    """Chooses the method by the mechanism, and again while it moves; the default."""

    kind: ClassVar[str] = "automatic"
    label: ClassVar[str] = "Automatic"
    integrates_energy: ClassVar[bool] = True
    has_contact: ClassVar[bool] = True
    has_joint_friction: ClassVar[bool] = True

    accuracy: str = choice(
        STANDARD,
        doc="draft: a quick look. standard: errors too small to see. high: too small to measure, for energies too",
        choices=tuple(ACCURACIES),
    )

    def begin(self, model: Model, state: State) -> Stepper:
        promise = ACCURACIES[self.accuracy]
        if model.surfaces is None:
            return AutomaticStepper(model, state, promise, tree_for(promise.explicit, model))
        from .contact.stepper import ContactStepper, contact_model  # noqa: PLC0415  (made of this module's)

        model = contact_model(model)
        tree = tree_for(promise.explicit, model)
        if tree is not None:
            from .contact.compiled_stepper import CompiledContactStepper, has_compiled_frames  # noqa: PLC0415

            if has_compiled_frames(model, tree):
                stepper = CompiledContactStepper(model, state, promise, promise.contact, tree)
                if not stepper.is_stiff:
                    return stepper
        return ContactStepper(model, state, promise, promise.contact, tree)


class AutomaticStepper(ExplicitStepper):
    """`mode` says how the run goes on, `note` what a person should know of that."""

    mode = EXPLICIT
    _modes = frozenset({EXPLICIT})  # all that the run has been in

    @property
    def energy_promise(self) -> EnergyPromise:
        if self._modes == {EXPLICIT}:
            return super().energy_promise
        return EnergyPromise(implicit_part(self._tolerance), dies_away=CALM in self._modes)

    def __init__(self, model: Model, state: State, promise: Promise, tree: Tree | None = None) -> None:
        super().__init__(model, state, promise.explicit, tree)
        self.promise, self._rubs = promise, bool(rubbing_joints(model))
        self._tolerance = promise.strands if model.strands else promise.stiff
        self._stages = len(promise.explicit.method.nodes)
        self._price = MATRIX if self.tree is None else price_of_matrix(model)
        evaluations, matrices = USUAL_STIFF_FRAME
        self._usual = evaluations + self._price * matrices
        self._patience = DEARER * self._usual
        self._explicit, self._explicit_cost = self._solver, math.inf
        self._frames, self._spent = 0, 0.0
        vibration, decay = self._rates()
        unseen = vibration if model.strands and promise.calm != NEVER else 0.0  # dies away at once
        if (unseen + decay) * FRAME / STABLE * self._stages > DEARER * self._patience:
            self._go_on(STIFF, self._y[-2:])

    # --- one frame -----------------------------------------------------------------------------------------------

    def advance(self, t_end: float) -> State:
        t, begun, steps = self.state.t, self._cost(), self.steps
        interval = t_end - t
        while True:
            self.max_steps = self._steps_allowed()
            try:
                super().advance(t_end)
            except IntegrationError as error:
                self._change_course(error, self._cost() - begun, (self.state.t - t) / max(1, self.steps - steps))
                t, begun, steps = self.state.t, self._cost(), self.steps
            else:
                break
        self._judge(self._cost() - begun, interval, (t_end - t) / max(1, self.steps - steps))
        return self.state

    def _steps_allowed(self) -> int:
        if self.mode != EXPLICIT or self._patience == math.inf:
            return self.promise.most_steps
        patience = DEARER * self._patience / self._stages
        return max(1, min(self.promise.most_steps, math.ceil(patience)))

    def _cost(self) -> float:
        """Of the run so far in its present mode, in evaluations of the motion."""
        if self.mode == EXPLICIT:
            return float(self.steps * self._stages)
        return float(self._solver.evaluations + self._price * self._solver.matrices)

    def _change_course(self, error: IntegrationError, cost: float, h: float) -> None:
        """Go on otherwise in the middle of a frame, or give up. h: mean step [s] since its start."""
        endless, quadratures = isinstance(error, TooManyStepsError), self._solver.y[-2:]
        exhausted = endless and (self.max_steps == self.promise.most_steps or isinstance(error, StalledError))
        untried = self._patience < math.inf and self._is_stiff(h)  # implicit steps have not failed yet, and may help
        if self.mode == EXPLICIT and (not exhausted or untried):
            self._explicit_cost = cost
            if not sum(self._rates()) > 0.0 or (endless and not self._is_stiff(h)):
                if not endless:
                    raise error
                self._patience = DEARER * max(cost, self._patience)  # something else is fast: nothing to gain
                self._front = self.state
            else:
                self._go_on(STIFF, quadratures)
        elif self.mode == STIFF and endless and self._explicit_cost < math.inf:
            self._return(quadratures)
            self._patience = math.inf
        elif self.mode != CALM and self.promise.calm == AT_LAST and sum(self._rates()) * h > 0.1 * STIFF_FROM:
            self._go_on(CALM, quadratures)
        elif self.mode == CALM and endless and self.model.strands and self._tolerance < LOOSEST:
            self._tolerance *= 10.0  # a rope that crumples and snaps all over has no motion to be followed exactly
            self._go_on(CALM, quadratures)
        else:
            raise error
        self._before_switch = is_switch(self._switches, self.state.t)

    def _judge(self, cost: float, interval: float, h: float) -> None:
        """After a frame that cost so much: go on as before, or otherwise. h: mean step [s]."""
        cost *= FRAME / interval if interval > FRAME else 1.0
        self._frames += 1
        if self.mode == EXPLICIT:
            if cost > self._patience:
                self._explicit_cost = cost
                if self._is_stiff(h):
                    self._go_on(STIFF, self._y[-2:])
                else:
                    self._patience = DEARER * cost
            return
        if self.mode == STIFF and self._frames >= TRIAL and cost > self._explicit_cost:
            self._return(self._y[-2:])
            self._patience = DEARER * max(self._patience, self._explicit_cost)
        elif self._frames % LOOK == 0:
            needed = sum(self._rates()) * interval / STABLE * self._stages
            if needed < 0.5 * min(cost, self._usual):
                self._return(self._y[-2:])
                self._patience *= 2.0

    def _is_stiff(self, h: float) -> bool:
        """Whether steps of h [s] are as short as springs and dampers make explicit ones."""
        return sum(self._rates()) * h >= STIFF_FROM

    # --- changing the method -------------------------------------------------------------------------------------

    def _go_on(self, mode: int, quadratures: Array) -> None:
        """Go on from the present state in implicit steps."""
        y, step = np.append(self._free_motion(), quadratures), self._solver.step
        explicit = self.mode == EXPLICIT
        if explicit and self.constraints is not None:
            self.constraints.take_over_stops()
        calm = self.promise.calm == AT_ONCE or (self.promise.calm == AT_LAST and bool(self.model.strands))
        self.mode = CALM if calm else mode
        self._modes |= {self.mode}
        self._solver = extrapolation_of(self, y, tolerance=self._tolerance, calm=self.mode == CALM)
        if explicit and self.mode == STIFF and step is not None:
            self._solver.step = step  # what is excited now must not be jumped over
        self._front, self._before_switch, self._frames = self.state, False, 0
        self._say()

    def _return(self, quadratures: Array) -> None:
        """Go on from the present state in explicit steps."""
        y = np.append(self._free_motion(), quadratures)
        self._solver, self.mode = self._explicit, EXPLICIT
        if self.constraints is not None:
            self.constraints.hand_over_stops()
        self._front, self._before_switch, self._frames = self.state, False, 0
        self._solver.go_on_from(self.state.t, y)
        if isinstance(self._solver, CompiledRungeKutta):  # which counts its own steps
            self.steps = self._solver.steps

    def _say(self) -> None:
        """Note the first time that a run goes on in implicit steps, and the first that vibrations are not followed."""
        if self.mode == STIFF and self.note is None:
            self.note = Note(code=FOLLOWED, t=self.state.t, what=IMPLICIT_STEPS)
        elif self.mode == CALM and (self.note is None or self.note.code != DIES_AWAY):
            more, numbers = ", in which vibrations faster than the steps die away", {}
            vibration, decay = self._rates()
            if vibration > decay:
                numbers = {"frequency": Quantity(vibration / (2.0 * math.pi), "Hz")}
                more += f" (springs here: up to {numbers['frequency']})"
            self.note = Note(code=DIES_AWAY, t=self.state.t, what=IMPLICIT_STEPS, more=more, numbers=numbers)

    def _rates(self) -> tuple[float, float]:
        """Fastest vibration [rad/s] and decay [1/s] of springs and dampers here; zero where nobody knows, and where
        joints rub, which implicit steps do not know."""
        if self._rubs or not self.model.once(has_springs_or_dampers):
            return 0.0, 0.0
        y = np.append(self._free_motion(), (0.0, 0.0))
        try:
            method = extrapolation_of(self, y, tolerance=1.0, calm=bool(self.model.strands))  # as if all were taut
            return method.rates(method.linearise(self.state.t, y))
        except np.linalg.LinAlgError:  # a part without mass
            return 0.0, 0.0

    def _held_up(self) -> tuple[ElementName, str, str]:
        element, reason, advice = super()._held_up()
        vibration, decay = self._rates()
        if max(vibration, decay) * FRAME < MANY:
            return element, reason, advice
        if vibration > decay:
            reason = f": springs vibrate at up to {vibration / (2.0 * math.pi):.3g} Hz"
        return element, reason, "soften or damp springs, give light bodies more mass, or choose a lower accuracy"


def price_of_matrix(model: Model) -> int:
    """What it costs kernels to make and factor a matrix, in evaluations of the motion."""
    if not model.forces:
        return MATRIX_COMPILED
    return min(MOST_OF_FORCES, LEAST_OF_FORCES + STEP_OF_FORCES // model.body_count)


def has_springs_or_dampers(model: Model) -> bool:
    """False where no force depends on places or velocities but for gravity, so that nothing can be stiff."""
    numbers = (model.stiffness, model.damping, model.limit_stiffness, model.limit_damping, model.body_damping)
    stiff = any(force.is_stiff for force in model.forces)
    if any(values.any() for values in numbers) or stiff or model.followers is not None:
        return True
    loops = any(loop.joint.has_loads for loop in model.loops)
    return loops or any(joint.stiffness_table is not None or joint.motor is not None for joint in model.joints)
