# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a model through time: a generator of one sample per frame."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Generator, Iterator

import numpy as np

from ..dynamics.constrained import ConstraintError
from ..errors import ElementName, RedMaxError, RunError
from ..fields import field_problems
from ..integrators import Automatic, Integrator, Stepper
from ..integrators.base import NOT_FINITE, WHAT_IS_FAST
from ..integrators.watch import PATIENCE, StoppedError, Watch
from ..model import Model
from ..outcome import Outcome
from ..state import State
from .divergence import DivergedError
from .sample import Sample
from .sampling import Sampler

MAX_FRAMES = 10_000_000
"""More frames than this are a mistake in fps or duration, and would not fit into memory."""


AUTOMATIC = Automatic()
"""How a run steps through time where nobody says otherwise."""


class SimulationError(RedMaxError):
    """A simulation that cannot begin."""


class Samples(Iterator[Sample]):
    """The samples of a run, computed as they are asked for. integrator, fps: what the run was begun with."""

    def __init__(self, samples: Generator[Sample, None, None], integrator: Integrator, fps: float) -> None:
        self._samples, self.integrator, self.fps = samples, integrator, fps

    def __next__(self) -> Sample:
        return next(self._samples)

    def close(self) -> None:
        """Stop the run."""
        self._samples.close()


def simulate(
    model: Model,
    state: State | None = None,
    *,
    duration: float,
    integrator: Integrator = AUTOMATIC,
    fps: float = 24.0,
    patience: float = PATIENCE,
    stopped: Callable[[], bool] | None = None,
) -> Samples:
    """One sample per frame from the start, at t0 + k / fps, up to the last frame within `duration` [s].

    state: where to start, the model's own start if None. Closing what is returned stops the run.
    integrator: `Automatic` at its standard accuracy, as on the command line and in Blender, unless another is given.
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
        *(f"integrator '{integrator.kind}': {fault.sentence}; {fault.hint}" for fault in field_problems(integrator)),
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
    return Samples(_samples(stepper, fps, frame_count(fps, duration)), integrator, fps)


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


def _samples(stepper: Stepper, fps: float, last: int) -> Generator[Sample, None, None]:
    t0 = stepper.state.t
    sampler = Sampler(stepper)
    diverged, sample = sampler.take(0, complete=last == 0)
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
                failed, new = sampler.take(index, complete=index == last)
                if failed is None:
                    sample = new
        except StoppedError:
            return
        except RedMaxError as error:
            failed = error
        except (np.linalg.LinAlgError, OverflowError):
            failed = DivergedError(NOT_FINITE, advice=WHAT_IS_FAST, code="not_finite")
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
    element, suspected = error.element, not error.element and bool(model.body_names)
    if suspected:
        speed = np.linalg.norm(last.channels["twist"].reshape(-1, 2, 3), axis=2).max(axis=1)
        element = ElementName("body", model.named_body(int(np.nan_to_num(speed, nan=np.inf).argmax())))
    return Outcome(
        code=error.code,
        frame=frame,
        t=t,
        what=error.what,
        element=element,
        suspected=suspected,
        advice=error.advice or WHAT_IS_FAST,
        numbers=error.numbers,
    )
