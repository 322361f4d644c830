# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a model through time: a generator of one sample per frame, and what collects them into a trajectory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import __version__, fast
from .arrays import Array
from .dynamics import energy, recursive
from .dynamics.animation import prescribed_motion
from .dynamics.constrained import ConstraintError, with_rows
from .dynamics.constraint_rows import ConstraintRows
from .dynamics.kinematics import Kinematics, body_poses, body_twists
from .dynamics.loads import potential_energy
from .dynamics.singular import ImmovableError
from .energy_books import energy_books
from .errors import RedMaxError, RunError
from .fields import field_problems, specs
from .integrators import Integrator, Stepper
from .integrators.base import NOT_FINITE, SMALLER_STEP, WHAT_IS_FAST
from .integrators.constrained import ConstrainedRun, Strength
from .integrators.energy_balance import BalancedStepper, EnergyPromise, powers
from .integrators.equations import Motion, constrained_motion, driven_or_free, felt_by_motors
from .integrators.watch import PATIENCE, StoppedError, Watch
from .model import Model
from .outcome import Outcome, remark
from .singular_poses import singular_pose
from .spatial import adjoint, pose, quaternion
from .state import State
from .trajectory import Status, Trajectory

if TYPE_CHECKING:
    from .kernels.compiled_tree import Tree

MAX_FRAMES = 10_000_000
"""More frames than this are a mistake in fps or duration, and would not fit into memory."""

MAX_SPEED = 1e6
"""A body faster than this [m/s] has diverged.

Far above anything meant, on purpose: a lower limit would refuse large scenes, long falls and fast rotors, and gain
nothing. Runs that blow up pass from 500 m/s to this within two frames (measured on chains and stiff pendulums).
"""

MAX_SPIN = 1e6
"""A body turning faster than this [rad/s] has diverged."""


class SimulationError(RedMaxError):
    """A simulation that cannot begin."""


class DivergedError(RunError):
    """A motion that has left all bounds."""

    code = "diverged"


NO_STRENGTH = Strength()
"""Of a mechanism without loops and constraints."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The mechanism at one frame; n bodies, nr coordinates, SI units.

    E_wb: (n, 4, 4) poses of the bodies' described frames in the world.
    channels: further results by name, see `CHANNELS`.
    status: "running", or on the last sample "complete" or "failed", with a message.
    A failed run yields its last good sample once more, with that status: nothing computed is lost.
    note: what a person should know of how the run went so far, such as that something is stiff; empty as a rule.
    energy_promise: how well its energy balances so far; None where work and loss are estimates.
    steps: how many the run has taken so far.
    outcome: why the run failed; None unless it has.
    strength: of the weakest equation of loops in the steps since the last sample.
    """

    index: int
    t: float
    state: State
    E_wb: Array
    channels: Mapping[str, Array]
    status: Literal["running", "complete", "failed"] = "running"
    message: str = ""
    note: str = ""
    energy_promise: EnergyPromise | None = None
    steps: int = 0
    outcome: Outcome | None = None
    strength: Strength = NO_STRENGTH


CHANNELS = {
    "twist": "(n, 6) twists of the described frames, each in its own frame [rad/s, m/s]",
    "acceleration": "(n, 6) time derivatives of these twists, component by component [rad/s^2, m/s^2]",
    "qddot": "(nr,) joint accelerations",
    "chart": "(n,) in which of its charts each joint's q is written, see `State`; 0 for the scene's own",
    "kinetic": "() kinetic energy [J]",
    "potential": "() potential energy of gravity, springs, limits and forces [J]",
    "energy": "() their sum [J]",
    "work": "() energy put in since the start by motors of animated joints, torques, given forces and muscles [J]",
    "loss": "() energy taken out since the start by damping of joints, soft limits, bodies and forces [J]",
    "reaction": "(n, 6) wrench that each joint passes on to its body, in the joint frame [N m, N]",
    "torque": "(nr,) whole force along each coordinate: torques, springs, dampers, motors [N m or N]",
    "motor": "(nr,) what animated and locked joints need on top of torques and springs to follow their motion",
    "loop_reaction": "(l, 6) wrench that each loop joint passes on to its child, in the joint frame [N m, N]",
    "constraint": "(m,) force or torque along each row of the constraints, in the scene's order [N or N m]",
    "gap": "(l, 2) what each loop joint is open by: angle [rad] and distance [m]",
    "center_of_mass": "(3,) in the world [m]",
    "momentum": "(6,) angular about the world's origin, then linear, in the world [kg m^2/s, kg m/s]",
    "drive": "(nr,) what drives do to joints that follow and, the other way, to inputs [N m or N]; only with drives",
    "input": "(m, 3) of every input of drives: coordinate, velocity and the force it passes on; only with drives",
    "nodes": "(m, 3) where the nodes of all strands are in the world [m], in the scene's order; only with strands",
}
"""Channels of every sample. Accelerations and forces are NaN where no force determines them (bodies without mass).

work and loss are integrated along with the motion by the adaptive methods (but `radau`), impulses at corners of
animations included, and are as accurate as the motion. With other integrators they are estimates: the powers at the
frames, summed by the trapezoidal rule. Such an estimate of the work is NaN from the first frame on at which a moving
motor's force is NaN.
"""

PER_BODY = ("twist", "acceleration", "chart", "reaction")
PER_COORDINATE = ("qddot", "torque", "motor", "drive")


NO_CONSTRAINTS = {"loop_reaction": np.zeros((0, 6)), "constraint": np.zeros(0), "gap": np.zeros((0, 2))}
"""These channels of a tree."""


def simulate(
    model: Model,
    state: State | None = None,
    *,
    integrator: Integrator,
    fps: float = 24.0,
    duration: float,
    patience: float = PATIENCE,
    stopped: Callable[[], bool] | None = None,
) -> Iterator[Sample]:
    """One sample per frame from the start, at t0 + k / fps, up to the last frame within `duration` [s].

    state: where to start, the model's own start if None. Closing the iterator stops the run.
    patience: seconds of computing after which a run fails that hardly gets on; infinite for one that may take any time.
    stopped: asked between steps, also in the middle of a frame; samples end where it says True.
    Raises SimulationError at once for what cannot be simulated; later failures are a status on the last sample.
    """
    start = model.initial_state() if state is None else state
    problems = [
        *(
            f"{name} is {value:g}; give a number above 0"
            for name, value in (("fps", fps), ("duration", duration))
            if not (math.isfinite(value) and value > 0.0)
        ),
        *(f"integrator '{integrator.kind}': {what}; {hint}" for what, hint in field_problems(integrator)),
        *state_problems(model, start),
        *integrator.cannot(model),
    ]
    if not problems and duration * fps > MAX_FRAMES:
        problems.append(
            f"{duration:g} s at {fps:g} fps are more than {MAX_FRAMES} frames; use a shorter duration or fewer fps"
        )
    if problems:
        raise SimulationError("; ".join(problems))
    try:
        stepper = integrator.begin(model, start)
    except ConstraintError as error:
        raise SimulationError(str(error)) from None
    stepper.watch = Watch(patience, stopped)
    return _samples(stepper, fps, frame_count(fps, duration))


def state_problems(model: Model, state: State) -> list[str]:
    """What keeps a state from being one of the model's."""
    n, nr = model.body_count, model.dof_count
    if state.q.shape != (nr,) or state.chart.shape != (n,):
        return [f"the state has {state.q.size} coordinates and {state.chart.size} charts; the model has {nr} and {n}"]
    if not (math.isfinite(state.t) and np.isfinite(state.q).all() and np.isfinite(state.qdot).all()):
        return ["the state has a number that is not finite"]
    return [
        f"joint '{joint.name}': there is no chart {chart}; give 0 to {joint.chart_count - 1}"
        for joint, chart in zip(model.joints, state.chart.tolist(), strict=True)
        if not 0 <= chart < joint.chart_count
    ]


def frame_count(fps: float, duration: float) -> int:
    """Frames after the first one within `duration` [s]."""
    return math.floor(duration * fps * (1.0 + 1e-12) + 1e-9)


def _samples(stepper: Stepper, fps: float, last: int) -> Iterator[Sample]:
    t0 = stepper.state.t
    exchange, tree = _Exchange(stepper), _tree_for(stepper)
    diverged, sample = _look(stepper, exchange, tree, 0, complete=last == 0)
    if diverged is not None:
        broken = _failure(diverged, sample, stepper.model, 0, t0)
        yield dataclasses.replace(sample, status="failed", message=f"Cannot start: {broken.reason}", outcome=broken)
        return
    yield sample
    for index in range(1, last + 1):
        t = t0 + index / fps
        failed: RedMaxError | None = None
        try:
            # Overflow while diverging is no error here: what comes of it is examined below.
            with np.errstate(all="ignore"):
                stepper.advance(t)
                failed, new = _look(stepper, exchange, tree, index, complete=index == last)
                if failed is None:
                    sample = new
        except StoppedError:
            return
        except RedMaxError as error:
            failed = error
        except (np.linalg.LinAlgError, OverflowError):
            failed = DivergedError(NOT_FINITE, advice=WHAT_IS_FAST)
        if failed is not None:
            outcome = _failure(failed, sample, stepper.model, index, t)
            message = f"Stopped at frame {index} (t = {t:.6g} s): {outcome.reason}"
            yield dataclasses.replace(sample, status="failed", message=message, outcome=outcome)
            return
        yield sample


def _failure(error: RedMaxError, last: Sample, model: Model, frame: int, t: float) -> Outcome:
    """What an error that ends a run at a frame says. Where the equations cannot be solved and nobody knows why, the
    body that was fastest in the last sample is where to look."""
    if not isinstance(error, RunError):  # of an integrator or element of somebody else: a sentence of its own
        return Outcome(code=RunError.code, frame=frame, t=t, what=str(error))
    what, element = error.what, error.element
    if not element and model.body_names:
        speed = np.linalg.norm(last.channels["twist"].reshape(-1, 2, 3), axis=2).max(axis=1)
        element = f"body '{model.named_body(int(np.nan_to_num(speed, nan=np.inf).argmax()))}'"
        what = f"{what}, where {element} is the fastest"
    return Outcome(code=error.code, frame=frame, t=t, what=what, element=element, advice=error.advice or WHAT_IS_FAST)


def _tree_for(stepper: Stepper) -> Tree | None:
    """Kernels for samples, where the bodies stand as the joint coordinates say."""
    if type(stepper).body_motion is not Stepper.body_motion:
        return None
    if stepper.constraints is not None:
        return fast.looped_tree(stepper.model) if stepper.constraints.regular else None
    return fast.new_tree(stepper.model)


def _look(
    stepper: Stepper, exchange: _Exchange, tree: Tree | None, index: int, *, complete: bool
) -> tuple[DivergedError | None, Sample]:
    """How the run has diverged, None for a sound state, and the sample there is in any case."""
    state = stepper.state
    seen = None if tree is None else tree.observe(state.q, state.qdot, state.chart, state.t)
    if tree is None or seen is None or not seen.certain:
        E_wi, phi = stepper.body_motion()
        diverged = divergence(stepper.model, E_wi, np.linalg.norm(phi.reshape(-1, 2, 3), axis=2))
        return diverged, _take_sample(stepper, exchange, index, E_wi, phi, complete=complete)
    work, loss = exchange.until(state.t, seen.power)
    channels = {
        "twist": seen.twist,
        "acceleration": seen.acceleration,
        "qddot": seen.qddot,
        "chart": state.chart.astype(np.float64),
        "kinetic": np.array(seen.kinetic),
        "potential": np.array(seen.potential),
        "energy": np.array(seen.kinetic + seen.potential),
        "work": np.array(work),
        "loss": np.array(loss),
        "reaction": seen.reaction,
        "torque": seen.tau,
        "motor": np.where(stepper.model.prescribed, seen.tau - seen.load, 0.0),
        "loop_reaction": _of_halves(stepper.model, seen.loop_reaction, seen.reaction),
        "constraint": NO_CONSTRAINTS["constraint"],
        "gap": seen.gap,
        "center_of_mass": seen.center_of_mass,
        "momentum": seen.momentum,
        **_nodes(stepper.model, seen.E_wb),
    }
    status: Literal["running", "complete"] = "complete" if complete else "running"
    sample = Sample(
        index,
        state.t,
        state,
        seen.E_wb,
        channels,
        status,
        note=stepper.note,
        energy_promise=_promise(stepper),
        steps=stepper.steps,
        strength=NO_STRENGTH if stepper.constraints is None else stepper.constraints.strength(tree.weakest_row()[0]),
    )
    return divergence(stepper.model, seen.E_wb, seen.speeds), sample


def divergence(model: Model, E: Array, speeds: Array) -> DivergedError | None:
    """Which body shows that a run has diverged and how; None for a sound state.

    E: (n, 4, 4) poses. speeds: (n, 2) how fast each body turns [rad/s] and its centre of mass moves [m/s].
    """
    if speeds.max(initial=0.0) <= min(MAX_SPEED, MAX_SPIN) and np.isfinite(E).all():  # NaN compares as false
        return None
    sound = np.isfinite(E).all(axis=(1, 2)) & np.isfinite(speeds).all(axis=1)
    if not sound.all():
        body = f"body '{model.named_body(int(np.argmin(sound)))}'"
        return DivergedError(f"the motion of {body} is no longer finite", body, SMALLER_STEP)
    for column, limit, unit in ((1, MAX_SPEED, "m/s"), (0, MAX_SPIN, "rad/s")):
        if speeds[:, column].max(initial=0.0) > limit:
            fastest = int(speeds[:, column].argmax())
            body, speed = f"body '{model.named_body(fastest)}'", f"{speeds[fastest, column]:.3g} {unit}"
            what = f"{body} exceeds {limit:,.0f} {unit} ({speed})"
            return DivergedError(what, body, model.once(_hasty) or SMALLER_STEP)
    return None


def _hasty(model: Model) -> str:
    """What to do about animations that no body can follow; empty where there are none."""
    for joint in (*model.joints, *(loop.joint for loop in model.loops)):
        table = joint.animation
        if table is not None and table.peak_slopes().max(initial=0.0) > min(MAX_SPEED, MAX_SPIN):
            x, y = np.asarray(table.x, np.float64), np.asarray(table.y, np.float64)
            k = int((np.abs(np.diff(y, axis=0)).max(axis=1) / np.diff(x)).argmax())
            first, last = x[k : k + 2].tolist()
            return (
                f"the points {first!r} s and {last!r} s in the animation of joint '{joint.name}' are too close, "
                "move them apart"
            )
    return ""


class _Exchange:
    """Work and loss of one run so far [J], as the stepper knows them or summed from frame to frame."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._last: tuple[float, Array] | None = None
        self._sums = np.zeros(2)

    def until(self, t: float, present: Array) -> tuple[float, float]:
        """Work and loss at the sample at time t; present: (2,) the powers there."""
        if isinstance(self._stepper, BalancedStepper):
            return self._stepper.work, self._stepper.loss
        if self._last is not None:
            t_last, past = self._last
            self._sums = self._sums + 0.5 * (t - t_last) * (past + present)
        self._last = (t, present)
        constraints = self._stepper.constraints
        lost = 0.0 if constraints is None else constraints.loss
        return float(self._sums[0]), float(self._sums[1]) + lost


def _take_sample(
    stepper: Stepper, exchange: _Exchange, index: int, E_wi: Array, phi: Array, *, complete: bool
) -> Sample:
    """What there is to know about the present state of a run, without kernels."""
    model, state = stepper.model, stepper.state
    kin = dataclasses.replace(fast.kinematics(model, state.q, state.qdot, state.chart), E_wi=E_wi, phi=phi)
    channels, rows = _channels(model, kin, state.t, exchange, stepper.constraints)
    return Sample(
        index,
        state.t,
        state,
        body_poses(model, kin),
        channels,
        "complete" if complete else "running",
        note=stepper.note,
        energy_promise=_promise(stepper),
        steps=stepper.steps,
        strength=NO_STRENGTH if stepper.constraints is None or rows is None else stepper.constraints.strength(rows),
    )


def _promise(stepper: Stepper) -> EnergyPromise | None:
    return stepper.energy_promise if isinstance(stepper, BalancedStepper) else None


def _channels(
    model: Model, kin: Kinematics, t: float, exchange: _Exchange, constraints: ConstrainedRun | None
) -> tuple[dict[str, Array], ConstraintRows | None]:
    """All channels of a sample, and its rows."""
    rows: ConstraintRows | None = None
    load = fast.loads(model, kin, t)
    n, nr = model.body_count, model.dof_count
    given, held = prescribed_motion(model, t)[2], NO_CONSTRAINTS
    if constraints is not None:
        motion = constrained_motion(model, kin.q, kin.qdot, kin.chart, t, given, constraints)
        rows = motion.rows
        load, held = with_rows(model, load, rows, motion.multipliers), _held(model, motion)
        hybrid = fast.inverse_dynamics(model, kin, load, motion.qddot)
        held["loop_reaction"] = _of_halves(model, held["loop_reaction"], hybrid.F)
        power = motion.powers
    else:
        try:
            hybrid = driven_or_free(model, kin, load, given)
        except ImmovableError:
            unknown, wrenches = np.full(nr, np.nan), np.full((n, 6), np.nan)
            hybrid = recursive.HybridDynamics(unknown, unknown, wrenches, wrenches)
        tau = hybrid.tau
        if model.followers is not None:
            tau = load.f_r + felt_by_motors(model, kin.q, hybrid.tau - load.f_r)
        power = powers(model, kin, load, tau, t)
    kinetic, potential = energy.kinetic_energy(model, kin), potential_energy(model, kin)
    work, loss = exchange.until(t, power)
    E_jb = model.E_ji @ model.E_ib
    channels = {
        "twist": body_twists(model, kin),
        "acceleration": adjoint.transform_twist(pose.inverse(E_jb), hybrid.Vdot),
        "qddot": hybrid.qddot,
        "chart": kin.chart.astype(np.float64),
        "kinetic": np.array(kinetic),
        "potential": np.array(potential),
        "energy": np.array(kinetic + potential),
        "work": np.array(work),
        "loss": np.array(loss),
        "reaction": hybrid.F,
        "torque": hybrid.tau,
        "motor": np.where(model.prescribed, felt_by_motors(model, kin.q, hybrid.tau - load.f_r), 0.0),
        **held,
        "center_of_mass": energy.center_of_mass(model, kin),
        "momentum": energy.spatial_momentum(model if model.followers is None else model.once(_without_armatures), kin),
        **_nodes(model, body_poses(model, kin)),
        **_drives(model, kin, hybrid.tau - load.f_r),
    }
    return channels, rows


def _without_armatures(model: Model) -> Model:
    """The model with inputs of drives that have no inertia: nobody knows where in the world they turn."""
    inertia = model.inertia.copy()
    if model.followers is not None:
        own = model.followers.inputs[np.array(model.followers.own)]
        inertia[np.searchsorted(model.dof, own, side="right") - 1] = 0.0
    return dataclasses.replace(model, inertia=inertia)


def _drives(model: Model, kin: Kinematics, needed: Array) -> dict[str, Array]:
    """The channels of drives, where there are any. needed: (nr,) whole forces without torques, springs and dampers."""
    followers = model.followers
    if followers is None:
        return {}
    drive = np.zeros(model.dof_count)
    drive[followers.rows] = needed[followers.rows]
    force = followers.pushing(kin.q).J.T @ drive[followers.rows]
    drive[followers.inputs] = -force
    inputs = followers.inputs
    return {"drive": drive, "input": np.stack([kin.q[inputs], kin.qdot[inputs], force], axis=1)}


def _nodes(model: Model, E_wb: Array) -> dict[str, Array]:
    """The channel of strands, where there are any."""
    if not model.strands:
        return {}
    return {"nodes": np.concatenate([strand.positions(E_wb) for strand in model.strands])}


def _held(model: Model, motion: Motion) -> dict[str, Array]:
    """The channels of loops and constraints."""
    rows, first = motion.rows, sum(len(loop.rate) for loop in motion.rows.loops)
    reaction, gap = np.zeros((len(model.loops), 6)), np.zeros((len(model.loops), 2))
    row = 0
    for number, loop in enumerate(rows.loops):
        reaction[number] = loop.C.T @ motion.multipliers[row : row + len(loop.rate)]
        gap[number] = np.linalg.norm((loop.C.T @ loop.error).reshape(2, 3), axis=1)
        row += len(loop.rate)
    return {"loop_reaction": reaction, "constraint": motion.multipliers[first:], "gap": gap}


def _of_halves(model: Model, loop_reaction: Array, reaction: Array) -> Array:
    """(l, 6) wrenches that loop joints pass on, where those that carry halves have theirs among the tree's (n, 6)."""
    halves = np.array([loop.half for loop in model.loops], np.int64)
    return np.where(halves[:, None] >= 0, reaction[halves], loop_reaction) if len(halves) else loop_reaction


class Recorder:
    """Collects samples; `trajectory` can be asked for at any time and holds what was added so far.

    Trajectories have the scene's own bodies and joints; strands are in the channel `nodes`, and `meta["strands"]` says
    how many nodes each has.
    """

    def __init__(self, model: Model, *, integrator: Integrator, fps: float) -> None:
        self.model = model
        self.meta: dict[str, Any] = {
            "engine": __version__,
            "scene": model.name,
            "fps": fps,
            "route": fast.describe(model),
            "integrator": integrator.kind,
            **{name: getattr(integrator, name) for name in specs(type(integrator))},
            **({"loops": [loop.joint.name for loop in model.loops]} if model.loops else {}),
            **({"inputs": list(model.followers.titles)} if model.followers is not None else {}),
            **({"strands": {s.name: len(s.owners) for s in model.strands}} if model.strands else {}),
        }
        self.samples: list[Sample] = []

    def own_part(self, channel: str) -> slice | tuple[()]:
        """The part of a channel that belongs to the scene's own bodies and joints."""
        if channel in PER_BODY:
            return slice(self.model.shown)
        return slice(int(self.model.dof[self.model.shown])) if channel in PER_COORDINATE else ()

    def add(self, sample: Sample) -> None:
        """Take one more sample; one with the index of the last replaces it."""
        if self.samples and self.samples[-1].index == sample.index:
            self.samples.pop()
        self.samples.append(sample)

    def trajectory(self) -> Trajectory:
        """Everything so far; "stopped" unless the last sample says how the run ended."""
        f, n, nr = len(self.samples), self.model.shown, int(self.model.dof[self.model.shown])
        last = self.samples[-1] if self.samples else None
        status: Status = "stopped" if last is None or last.status == "running" else last.status
        message = last.message if last is not None else ""
        if status == "stopped":
            message = f"Stopped after frame {last.index}" if last is not None else "Stopped before the first frame"
        E_wb = np.array([sample.E_wb[:n] for sample in self.samples]).reshape(f, n, 4, 4)
        channels = {
            name: np.array([sample.channels[name][self.own_part(name)] for sample in self.samples])
            for name in (self.samples[0].channels if self.samples else ())
        }
        return Trajectory(
            body_names=self.model.body_names[:n],
            joint_names=self.model.joint_names[:n],
            t=np.array([sample.t for sample in self.samples]),
            q=np.array([sample.state.q[:nr] for sample in self.samples]).reshape(f, nr),
            qdot=np.array([sample.state.qdot[:nr] for sample in self.samples]).reshape(f, nr),
            position=E_wb[:, :, :3, 3],
            rotation=quaternion.from_matrix(E_wb[:, :, :3, :3]),
            channels=channels,
            status=status,
            message=message,
            meta={**self.meta, **self._facts(last, channels)},
        )

    def _facts(self, last: Sample | None, channels: Mapping[str, Array]) -> dict[str, Any]:
        """What there is to say of a run that ended with this sample."""
        if last is None:
            return {}
        t = np.array([sample.t for sample in self.samples])
        steps = np.array([sample.steps for sample in self.samples])
        books, found = energy_books(self.model, t, channels, last.energy_promise, steps=steps)
        remarks = [each for each in (found, self._singular_pose()) if each is not None]
        note = "; ".join(filter(None, [last.note, *map(remark, remarks)]))
        facts: dict[str, Any] = {"energy_books": books}
        if remarks:
            facts["remarks"] = [each.as_dict() for each in remarks]
        if note:
            facts["note"] = note
        if last.outcome is not None:
            facts["outcome"] = last.outcome.as_dict()
        return facts

    def _singular_pose(self) -> Outcome | None:
        states, strengths = [sample.state for sample in self.samples], [sample.strength for sample in self.samples]
        return singular_pose(self.model, states, strengths)


def record(model: Model, samples: Iterable[Sample], *, integrator: Integrator, fps: float) -> Trajectory:
    """Drain the samples of `simulate` into a trajectory."""
    recorder = Recorder(model, integrator=integrator, fps=fps)
    for sample in samples:
        recorder.add(sample)
    return recorder.trajectory()
