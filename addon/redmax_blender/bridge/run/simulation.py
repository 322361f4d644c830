# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs an extracted mechanism, in a worker thread or at once, by the same code and with the same numbers.

Nothing of Blender is touched while a run computes: it knows the extracted scene, which is plain data. Engine messages
count frames from 0; everything said here is in the frames of the timeline.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._engine import compile as compiling
from ..._engine import errors, outcome, quaternion, route, simulate, trajectory, warm_up
from ...properties import migration
from ..check.findings import artists_words
from ..core import unexpected
from ..core.findings import BridgeError, Finding
from ..objects import changes
from ..results import cache, line_tensions, result_history

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

RedMaxError = errors.RedMaxError
Trajectory = trajectory.Trajectory
OnProgress = Callable[[int, int], None]
"""Called after every frame with the frames done and all frames."""
OnPreparing = Callable[[float, str], None]
"""Called while the fast solver is compiled, with the part that is done (0 to 1) and what is compiled now."""

WORTH_KEEPING = 2
"""Fewer frames than this show no motion: a run that ends earlier leaves the former result in place."""


class Run:
    """One simulation. `start` computes in a worker thread, `work` in the calling one; `cancel` ends either early.

    frames_done and frames_total count from the first frame on. What was computed can be asked for at any time.
    preparing: which part of the fast solver is compiled, 0 to 1; None before and after. A computer does that once.
    preparing_seconds, seconds: what that took, and the simulation.
    route: what computes instead of the usual one, empty for that. numpy never waits for the fast solver.
    """

    def __init__(self, extraction: Extraction, integrator: Any, *, route: str = "") -> None:
        self.extraction, self.integrator, self.route = extraction, integrator, route
        self.frames_total = extraction.frame_end - extraction.frame_start + 1
        self.failure = ""
        self.seconds = self.preparing_seconds = 0.0
        self.preparing: float | None = None
        self._cancelled = threading.Event()
        self._ended = threading.Event()
        self._recorder: simulate.Recorder | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to compute in a worker thread."""
        self._thread = threading.Thread(target=self.work, name="RedMax simulation", daemon=True)
        self._thread.start()

    def work(self, on_progress: OnProgress | None = None, on_preparing: OnPreparing | None = None) -> None:
        """Compute until the last frame, a failure or `cancel`; never raises. Ctrl+C stops it like `cancel`."""
        begun = time.perf_counter()
        try:
            with route.held(self.route or route.usual()):
                self._compute(on_progress, on_preparing)
        except errors.RedMaxError as error:
            self.failure = str(error)
        except KeyboardInterrupt:
            self.cancel()
        except Exception as error:  # a worker thread has nobody above it: the reason must not be lost
            self.failure = unexpected.told("The simulation", error)
        finally:
            self.seconds = time.perf_counter() - begun - self.preparing_seconds
            self._ended.set()

    def _compute(self, on_progress: OnProgress | None, on_preparing: OnPreparing | None) -> None:
        extraction = self.extraction
        intervals = extraction.frame_end - extraction.frame_start
        if intervals < 1:
            text = f"Frames {extraction.frame_start} to {extraction.frame_end} are no range to simulate"
            raise BridgeError([Finding("", text, "let the last frame come after the first")])
        model = compiling.compile(extraction.scene, checked=not extraction.errors)  # extraction has asked for problems
        if not self._prepare(on_preparing):
            return
        self._recorder = simulate.Recorder(model, integrator=self.integrator, fps=extraction.fps)
        samples = simulate.simulate(
            model,
            integrator=self.integrator,
            fps=extraction.fps,
            duration=intervals / extraction.fps,
            stopped=self._cancelled.is_set,
        )
        for sample in samples:
            self._recorder.add(sample)
            if on_progress is not None:
                on_progress(self.frames_done, self.frames_total)
            if self._cancelled.is_set():
                break

    def _prepare(self, on_preparing: OnPreparing | None) -> bool:
        """Compile the fast solver where that was never done; False if the run was cancelled meanwhile."""
        if self.route == route.NUMPY:
            return True

        def show(part: float, what: str) -> None:
            self.preparing = part
            if on_preparing is not None:
                on_preparing(part, what)

        begun = time.perf_counter()
        try:
            return bool(warm_up.is_warm() or warm_up.warm_up(show, stopped=self._cancelled.is_set))
        finally:
            self.preparing = None
            self.preparing_seconds = time.perf_counter() - begun

    @property
    def finished(self) -> bool:
        """True once nothing more will be computed."""
        return self._ended.is_set()

    @property
    def cancelled(self) -> bool:
        """True once somebody asked the run to end early."""
        return self._cancelled.is_set()

    @property
    def frames_done(self) -> int:
        return len(self._recorder.samples) if self._recorder is not None else 0

    def poll(self) -> int:
        """How many frames there are so far; cheap, for a timer."""
        return self.frames_done

    def single(self, index: int) -> Trajectory | None:
        """A trajectory of the one sample `index` frames after the first, None if it is not computed yet."""
        samples = self._recorder.samples[index : index + 1] if self._recorder is not None and index >= 0 else []
        if not samples:
            return None
        model, sample, own = self._recorder.model, samples[0], self._recorder.own_part
        n = model.shown
        nr = int(model.dof[n])
        return Trajectory(
            body_names=model.body_names[:n],
            joint_names=model.joint_names[:n],
            t=np.array([sample.t]),
            q=sample.state.q[None, :nr],
            qdot=sample.state.qdot[None, :nr],
            position=sample.E_wb[None, :n, :3, 3],
            rotation=quaternion.from_matrix(sample.E_wb[None, :n, :3, :3]),
            channels={name: np.asarray(values[own(name)])[None] for name, values in sample.channels.items()},
        )

    def cancel(self) -> None:
        """Ask the run to end after the step it computes; the frames that are done stay."""
        self._cancelled.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run has ended, at most so long; True if it has."""
        return self._ended.wait(seconds)

    def trajectory(self) -> Trajectory:
        """Everything computed so far, with a message in frames of the timeline. Raises RedMaxError if nothing was."""
        if self._recorder is None or not self._recorder.samples:
            raise errors.RedMaxError(self.failure or "Stopped before the first frame")
        so_far = copy.copy(self._recorder)
        so_far.samples = list(self._recorder.samples)  # the thread may still add to its own
        recorded = so_far.trajectory()
        if self.failure:
            recorded = recorded.with_facts(status="failed", message=self.failure)
        ending = self.ending(recorded)
        if recorded.status != result_history.COMPLETE and worth_keeping(recorded):
            first = self.extraction.frame_start
            ending = f"{ending}. Frames {first}-{first + len(recorded) - 1} kept"
        return recorded.with_facts(message=ending)

    def ending(self, recorded: Trajectory) -> str:
        """How the run ended, in frames of the timeline."""
        first = self.extraction.frame_start
        last = first + len(recorded) - 1
        if recorded.status == result_history.COMPLETE:
            said = "; ".join([*notes(recorded, first), *remarks(recorded, first)])
            return f"Simulated frames {first}-{last}" + f" ({said})" * bool(said)
        if recorded.status == "stopped":
            return f"Stopped after frame {last}"
        found = failure_of(recorded)
        if found is None:
            return self.failure.rstrip(".")
        return f"Stopped at frame {first + found.frame}: {artists_words.reason(found)}"


def failure_of(result: Trajectory) -> outcome.Outcome | None:
    """Why a run failed, as data; None where it did not, or nobody foresaw the error."""
    facts = result.meta.get("outcome")
    return outcome.Outcome.from_dict(facts) if facts else None


def notes(result: Trajectory, first: int) -> list[str]:
    """How a run was made, where that is worth a word, in frames of the timeline, which begins at `first`."""
    return [outcome.Note.from_dict(facts).in_frames(first) for facts in result.meta.get("notes", ())]


def remarks(result: Trajectory, first: int) -> list[str]:
    """What is to be said of a run, in frames of the timeline, which begins at `first`; mostly nothing."""
    return [artists_words.remark(outcome.Outcome.from_dict(facts), first) for facts in result.meta.get("remarks", ())]


def first_stall(result: Trajectory) -> outcome.Outcome | None:
    """The first motor that was too weak, None where none was."""
    found = [outcome.Outcome.from_dict(facts) for facts in result.meta.get("remarks", ())]
    return next((each for each in found if each.code == artists_words.STALLED), None)


def run(extraction: Extraction, integrator: Any, on_progress: OnProgress | None = None) -> Trajectory:
    """Simulate here and now. Raises RedMaxError if there is not even a first frame."""
    simulation = Run(extraction, integrator)
    simulation.work(on_progress)
    return simulation.trajectory()


def worth_keeping(result: Trajectory) -> bool:
    """False for a run that ended so early that it must not replace a former result."""
    return len(result) >= WORTH_KEEPING


def store_result(scene: Any, extraction: Extraction, integrator: Any, result: Trajectory, seconds: float) -> str:
    """Put a result into the cache and its facts into `scene.redmax.result`; returns what the artist should know.

    A whole result that one which ended early takes the place of is put aside, not lost.
    """
    if result.status == result_history.COMPLETE:
        result_history.forget_former(scene)
    else:
        result_history.put_aside(scene)
    identifier = cache.fingerprint(extraction, integrator)
    note = cache.store(identifier, line_tensions.with_tensions(cache.with_frames(result, extraction), extraction))
    scene.redmax.version = migration.CURRENT
    facts = scene.redmax.result
    facts.identifier = identifier
    facts.status = result.status
    facts.message = result.message
    failed = failure_of(result)
    facts.element = failed.element.name if failed is not None else ""
    said = "; ".join(remarks(result, extraction.frame_start))
    facts.remark = said[:1].upper() + said[1:]
    stall = first_stall(result)
    facts.stalled = "" if stall is None else extraction.joint_objects.get(stall.element.name, "")
    if stall is not None:
        facts.stalled_frame = extraction.frame_start + stall.frame
        facts.stalled_coordinate = int(stall.numbers["coordinate"].value)
        facts.stalled_torque = stall.numbers["torque"].value
    facts.frame_start = extraction.frame_start
    facts.frame_end = extraction.frame_start + len(result) - 1
    facts.seconds = seconds
    facts.route = result.meta["route"]
    facts.changed = False
    changes.remember_settings(scene)
    return note
