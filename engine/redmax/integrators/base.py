# SPDX-License-Identifier: GPL-3.0-or-later
"""What an integrator is: settings that begin a stepper, and a stepper that advances one state.

A new integrator is one file with two classes (settings and stepper) and one line in `__init__.py`.
Settings are a frozen element with declared fields, so that the command line, JSON and Blender
offer them without knowing them. A stepper holds everything that belongs to one run: multistep
history, warm starts, step size. It never modifies the model.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import fast, vectorised
from ..arrays import Array
from ..crossings import quintic
from ..dynamics.animation import with_prescribed
from ..dynamics.kinematics import recentred
from ..errors import ElementName, Quantity, RunError
from ..fields import Element, number
from ..joints.base import Joint
from ..joints.friction import BearingKind
from ..kernels import route
from ..model import Model
from ..outcome import SMALLER_STEP, Note
from ..state import State
from . import constrained
from .watch import Watch

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree
    from .contact.account import ContactSample

MAX_TURN = math.pi / 8.0
"""Largest rotation [rad] of a joint with a singularity in one step.

Such joints are recentred between steps: a rotation vector then has |q| <= 1.5 pi and is a quarter turn from its
singularity at 2 pi, Euler angles are 30 degrees or more from gimbal lock. A sixteenth of a turn
takes neither there before the next recentring."""

MAX_PARTS = 1000
"""More parts of one step than this mean that the run has diverged."""


FROM_SINGULAR_POSE = "start it elsewhere, keep it away from that pose by a stop or a spring, or choose another accuracy"
NOT_FINITE = "the equations of motion are no longer finite"
WHAT_IS_FAST = "see what moves fast or weighs little there, or choose another accuracy"


class IntegrationError(RunError):
    """A step that cannot be taken."""

    code = "cannot_step"

    @classmethod
    def of(cls, error: RunError) -> IntegrationError:
        """The error of a step that another error, of the same code, kept from being taken."""
        return cls(error.what, error.element, error.advice, code=error.code, numbers=error.numbers)


class TooManyStepsError(IntegrationError):
    """More steps than there may be between two samples."""

    code = "too_many_steps"


class StalledError(TooManyStepsError):
    """Steps so short that they lead nowhere."""

    code = "no_progress"


class NoProgressError(RunError):
    """No progress worth mentioning for as long as the run may wait; no other method is tried."""

    code = "no_progress"


@dataclass(frozen=True, kw_only=True)
class Integrator(Element):
    """Settings of a method of stepping through time."""

    integrates_energy: ClassVar[bool] = False
    """Whether its steppers are `BalancedStepper`s: work and loss are as accurate as the motion."""

    @abstractmethod
    def begin(self, model: Model, state: State) -> Stepper:
        """A run that starts at `state`; animated and locked joints are put where they belong."""

    has_contact: ClassVar[bool] = False
    """Whether its steppers know surfaces."""
    has_joint_friction: ClassVar[bool] = False
    """Whether its steppers know friction inside joints."""

    def cannot(self, model: Model) -> list[str]:
        """What of a model this method does not simulate, with a hint; empty if it does all of it."""
        found = []
        if model.surfaces is not None and not self.has_contact:
            found.append(
                f"integrator '{self.kind}' does not simulate surfaces; use 'automatic', or remove the surfaces"
            )
        rubbing = rubbing_joints(model)
        if rubbing and not self.has_joint_friction:
            what = f"integrator '{self.kind}' does not simulate friction inside joints, as of joint '{rubbing[0]}'"
            found.append(f"{what}; {WITHOUT_FRICTION}")
        elif rubbing:
            where = unknown_friction(model)
            if where:
                found.append(f"friction inside joint '{rubbing[0]}' is not simulated {where}; remove the friction")
        return found


def mixed_bearings(joint: Joint) -> bool:
    """Whether a slider or plate of a joint that rubs has other bearings beside it, whose torques would press in it."""
    kinds = [bearing.kind for bearing in joint.bearings()] if joint.rubs else []
    return len(kinds) > 1 and any(kind in (BearingKind.GUIDE, BearingKind.PLATE) for kind in kinds)


def unknown_friction(model: Model) -> str:
    """Where friction inside joints of a model is not simulated; empty if it is."""
    if model.surfaces is not None:
        return "together with surfaces"
    if any(mixed_bearings(joint) for joint in model.joints):
        return "in joints whose parts slide and turn both; put a light body between a slider and a hinge"
    if route.name() != route.NUMBA:
        return "without the compiled solver, which needs numba and is prepared once"
    if not model.treatment.projects and (model.loops or model.constraints):
        return "where loops and constraints are left to drift"
    if fast.new_tree(model) is None and fast.constrained_tree(model) is None:
        return "together with joints, forces, constraints or drives that are known only in Python"
    return ""


WITHOUT_FRICTION = "use 'automatic', 'dop853' or 'rk45', or remove the friction"


def rubbing_joints(model: Model) -> list[str]:
    """Names of the joints in which friction acts while they move."""
    return [
        joint.name
        for j, joint in enumerate(model.joints)
        if joint.rubs and not model.prescribed[model.columns(j)].any()
    ]


class Stepper(ABC):
    """One run. `state` is where it stands; only `advance` changes it. tree: the kernels of a run that has some."""

    contact: ContactSample | None = None
    """What surfaces do where the run stands; None without surfaces."""
    note: Note | None = None
    """What the person who asked for the run should know of how it went."""
    _frame = 0.0
    """Time [s] between the samples that are computed, by which progress is measured; 0 where any is enough."""
    inputs_until: float = math.inf
    """Time [s] of the last values of tables that count for the step being taken; they may jump where it ends."""

    def __init__(self, model: Model, state: State, tree: Tree | None = None) -> None:
        self.model, self.tree = model, tree
        self.state = State(state.t, *with_prescribed(model, state.t, state.q, state.qdot), state.chart)
        self.steps = 0
        self.watch = Watch()
        self._charted = model.once(charted_joints)
        Stepper.recentre(self)  # a scene may start at a singularity: xzx angles do at q = 0
        self.constraints = constrained.begin(model, self.tree)
        if self.constraints is not None:
            self.state = self.constraints.started(self.state)
            self.constraints.look = self.look

    def look(self, work: int = 1) -> None:
        """Asked wherever the motion is evaluated: a run that goes nowhere, or is to stop, ends in the middle of a step.

        work: see `Watch`. Raises NoProgressError, StoppedError.
        """
        if self.watch.waits_too_long(self.state.t, self._frame, work):
            raise self._nowhere(NoProgressError, self._standing_still())

    def _standing_still(self) -> str:
        return f"steps have become so short that the run stands still at t = {self.state.t:.9g} s"

    def _nowhere(self, kind: type[RunError], what: str, numbers: Mapping[str, Quantity] | None = None) -> RunError:
        """The error of a run that goes nowhere: `what`, the element that makes it so, and what to do."""
        element, reason, advice = self._held_up()
        return kind(f"{element}: {what}{reason}", element, advice, numbers=numbers)

    def _held_up(self) -> tuple[ElementName, str, str]:
        """Element that makes steps short, why, and what to do."""
        weak = None if self.constraints is None else self.constraints.near_singular()
        if weak:
            return weak, ", near a pose from which it can go on in more than one way", FROM_SINGULAR_POSE
        return self._hardest(), "", WHAT_IS_FAST

    def _hardest(self) -> ElementName:
        """The joint that is hardest to follow; the fastest where nobody knows."""
        if not self.model.dof_count:
            return ElementName("body", self.model.body_names[0])
        return self.model.owner(int(np.nan_to_num(np.abs(self.state.qdot), nan=np.inf).argmax()))

    @abstractmethod
    def advance(self, t_end: float) -> State:
        """The state at exactly t_end > state.t, recentred. Raises IntegrationError if it cannot be reached."""

    def body_motion(self) -> tuple[Array, Array]:
        """E_wi (n, 4, 4) and phi (n, 6): poses and twists of the bodies' principal frames, see `Kinematics`."""
        if self.tree is not None:
            return self.tree.motion(self.state.q, self.state.qdot, self.state.chart)
        kin = fast.kinematics(self.model, self.state.q, self.state.qdot, self.state.chart)
        return kin.E_wi, kin.phi

    def recentre(self) -> None:
        """Write the state in coordinates away from singularities; called before each step and before a sample."""
        state = self.state
        if not self._charted:
            return
        if self.tree is None:
            self.state = recentred(self.model, state)
        else:
            self.state = State(state.t, *self.tree.recentred(state.q, state.qdot, state.chart))

    def follow(self, take: Callable[[float], None], t_end: float) -> None:
        """One step of the method, `take` up to t_end at most, that keeps the constraints (`integrators.constrained`).

        It ends early where a one-sided constraint is met.
        """
        constraints = self.constraints
        if constraints is None:
            take(t_end)
            return
        past, start = self.remember(), self.state
        take(t_end)
        self.put(constraints.projected(self.state, self.inputs_until))
        if constraints.watches:
            constraints.meet(self, take, start, past)
            self.put(constraints.settled(self.state))

    def between(self, start: State, end: State, part: float) -> State:
        """The state after a part of the step from `start` to `end`: the polynomial of degree 5 with `bends`."""
        h = end.t - start.t
        bends = self.bends(start, end)
        q, qdot = quintic(start.q, start.qdot, bends[0], end.q, end.qdot, bends[1], h, part)
        return State(start.t + part * h, q, qdot, end.chart)

    def bends(self, start: State, end: State) -> tuple[Array, Array]:
        """Accelerations (nr,) at both ends of a step: those of the cubic, unless a method knows better."""
        h = end.t - start.t
        mean = (end.q - start.q) / h
        first = (6.0 * mean - 4.0 * start.qdot - 2.0 * end.qdot) / h
        return first, (2.0 * start.qdot + 4.0 * end.qdot - 6.0 * mean) / h

    def put(self, state: State) -> None:
        """Go on from a state that was changed at its time."""
        self.state = state

    def remember(self) -> Any:
        """All that `recall` needs to come back to this moment of the run."""
        return dict(vars(self))  # states are immutable

    def recall(self, past: Any) -> None:
        """Back to a remembered moment."""
        vars(self).update(past)

    def turn_rate(self) -> float:
        """Fastest relative rotation [rad/s] among joints that have a singularity, 0 without such joints."""
        if not self._charted:
            return 0.0
        state = self.state
        return vectorised.turn_rate(self.model, state.q, state.qdot, state.chart, self._charted)


def charted_joints(model: Model) -> tuple[int, ...]:
    """Simulated joints that have a singularity."""
    return tuple(
        j
        for j, joint in enumerate(model.joints)
        if joint.has_singularity and not model.prescribed[model.columns(j)].any()
    )


@dataclass(frozen=True, kw_only=True)
class FixedStep(Integrator):
    """Settings of the methods whose step does not adapt.

    Each frame is divided into ceil(frame / h) equal steps, so that samples fall exactly on
    frames; h is the largest step taken.
    """

    h: float = number(1e-2, doc="Largest time step; each frame is divided into equal steps", unit="s", positive=True)


class FixedStepper(Stepper):
    """Recipe of a fixed-step run: `step` is all that a method adds.

    max_turn [rad]: a step in which a joint with a singularity turns further is divided. Comparisons with methods
    that never divide a step set it to infinity.
    """

    def __init__(self, model: Model, state: State, h: float, tree: Tree | None = None) -> None:
        super().__init__(model, state, tree)
        self.h = h
        self.max_turn = MAX_TURN

    @abstractmethod
    def step(self, h: float, t_end: float) -> State:
        """The state at t_end, one step of length h [s] after `self.state`, which has just been recentred."""

    def advance(self, t_end: float) -> State:
        t0 = self.state.t
        count = step_count(t_end - t0, self.h)
        for k in range(1, count + 1):
            self.look()
            self._step(t_end if k == count else t0 + (t_end - t0) * k / count, (t_end - t0) / count)
        self.recentre()
        return self.state

    def _step(self, t_end: float, h: float) -> None:
        """One step, or several where a joint with a singularity turns so fast that it could meet it."""
        turn = self.turn_rate() * h
        if not turn <= MAX_PARTS * self.max_turn:
            raise turns_too_far(self._hardest(), turn)
        self._step_in_parts(t_end, h, max(1, math.ceil(turn / self.max_turn)))

    def _step_in_parts(self, t_end: float, h: float, parts: int) -> None:
        """A step of length h up to t_end in equal parts."""
        t0 = self.state.t
        for k in range(1, parts + 1):
            self.recentre()
            self._part(h / parts, t_end if k == parts else t0 + h * k / parts)

    def _part(self, h: float, t_end: float) -> None:
        """A step, or where constraints are met on the way several."""
        if self.constraints is None or not self.constraints.watches:
            self.state = self.step(h, t_end)
            self.steps += 1
            if self.constraints is not None:
                self.put(self.constraints.projected(self.state))
            return
        limit = self.steps + MAX_PARTS
        while self.state.t < t_end:
            self.follow(self._step_to, t_end)
            self.steps += 1
            if self.steps > limit:
                element = self._hardest()
                what = f"{element}: limits are met more than {MAX_PARTS} times in one step"
                raise IntegrationError(what, element, SMALLER_STEP, code="stops_met_too_often")

    def _step_to(self, t: float) -> None:
        self.state = self.step(t - self.state.t, t)


def turns_too_far(joint: ElementName, turn: float) -> IntegrationError:
    """The error for a step in which a joint with a singularity would turn so far [rad]."""
    angle = Quantity(turn, "rad")
    what = f"{joint}: would turn by {angle} in one step"
    return IntegrationError(what, joint, SMALLER_STEP, code="turns_too_far", numbers={"turn": angle})


MOST_STEPS = 10_000_000
"""Fixed steps between two samples; more would take minutes for every one of them."""


def step_count(duration: float, h: float) -> int:
    """ceil(duration / h), at least 1; a ratio within rounding of a whole number counts as that number.

    Raises IntegrationError where that is more than `MOST_STEPS`.
    """
    ratio = duration / h * (1.0 - 1e-9)
    if not ratio <= MOST_STEPS:
        what = f"steps of {h:g} s are more than {MOST_STEPS} from one frame to the next"
        raise IntegrationError(
            what, ElementName("integrator"), "use larger ones", code="too_many_steps", numbers={"h": Quantity(h, "s")}
        )
    return max(1, math.ceil(ratio))
