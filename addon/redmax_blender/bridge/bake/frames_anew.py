# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion inside frames that their two ends do not tell, simulated again from the state at the first end.

A quick flick or an impact within a frame leaves no trace in positions, velocities and accelerations at the frames.
The state at a frame and the scene give the motion until the next one; it is used where it arrives at the pose that the
result has there.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, errors, halves, quaternion, route, simulate, state, trajectory
from ..._engine import compile as compiling
from ..core import dense_motion
from ..results import preparation

if TYPE_CHECKING:
    from ..._engine import model
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

DOUBT = 0.05
"""Part of the bound by which the motion inside a frame may be uncertain."""

ARRIVES = 0.1
"""Part of the bound by which a frame that is simulated again may miss the result's pose at its end."""


LONGEST = 60.0
"""Seconds that a bake may hold a window for this; without one nobody waits, and all frames are simulated."""


class Anew(NamedTuple):
    """The motion, and how many frames were simulated again for it, or should have been and were left as they were."""

    dense: Trajectory
    frames: int = 0
    left: int = 0


def refined(
    dense: Trajectory,
    result: Trajectory,
    used: slice,
    extraction: Extraction,
    integrator: Any,
    per_frame: int,
    distance: float,
    angle: float,
) -> Anew:
    """`dense`, the samples `used` with `per_frame` in each frame, with doubtful frames simulated again.

    distance [m], angle [rad]: the bound that the motion has to be known to.
    """
    doubt = doubts(result, used, extraction.fps, distance, angle)
    doubtful = [int(frame) for frame in np.argsort(-doubt, kind="stable") if doubt[frame] > DOUBT]
    if not doubtful or "chart" not in result.channels:
        return Anew(dense)
    # Blender waits for a bake: it must not wait for the compiler, too.
    with route.held(preparation.route_now() or route.usual()):
        described = compiling.compile(extraction.scene)
        if described.joint_names[: described.shown] != result.joint_names:
            return Anew(dense)
        runs = {
            frame: _frame(described, result, used.start + frame, extraction.fps, integrator, per_frame)
            for frame in _in_time(doubtful)
        }
    position, rotation = dense.position.copy(), dense.rotation.copy()
    twist = dense.channels["twist"].copy()
    for frame, run in runs.items():
        if run is None or not _arrives(run, result, used.start + frame + 1, ARRIVES * distance, ARRIVES * angle):
            continue
        inside = slice(frame * per_frame + 1, (frame + 1) * per_frame)
        position[inside], rotation[inside] = run.position[1:-1], run.rotation[1:-1]
        twist[inside] = run.channels["twist"][1:-1]
    before = dense.channels[dense_motion.BEFORE].copy()
    inner = np.arange(len(before)) % per_frame != 0
    before[inner] = twist[inner]
    channels = {"twist": twist, dense_motion.BEFORE: before}
    known = dataclasses.replace(dense, position=position, rotation=rotation, channels=channels)
    return Anew(known, len(runs), len(doubtful) - len(runs))


def _in_time(frames: list[int]) -> Iterator[int]:
    """Each of the frames, with progress at the mouse pointer; no more of them once an artist has waited long enough."""
    window_manager = bpy.context.window_manager
    end = time.monotonic() + LONGEST
    window_manager.progress_begin(0, len(frames))
    try:
        for done, frame in enumerate(frames):
            if not bpy.app.background and time.monotonic() > end:
                return
            window_manager.progress_update(done)
            yield frame
    finally:
        window_manager.progress_end()


def doubts(result: Trajectory, used: slice, fps: float, distance: float, angle: float) -> Array:
    """(f - 1,) how uncertain the motion inside each frame is at most, in units of the bound.

    By how far the quintic of both ends is from their cubic, times the part of the accelerations on which the two
    disagree; of a sine that is ten times the quintic's error.
    """
    h = 1.0 / fps
    q, p, twist = result.rotation[used], result.position[used], result.channels["twist"][used]
    if len(p) < 2:
        return np.zeros(0)
    spin: Array = twist[..., :3] * h
    pdot = quaternion.rotate(q, twist[..., 3:]) * h
    turn = quaternion.rotate(q, spin)
    given = result.channels.get("acceleration")
    if given is None:
        return np.zeros(len(p) - 1)
    alpha = quaternion.rotate(q, given[used][..., :3]) * h**2
    pddot = quaternion.rotate(q, given[used][..., 3:] + np.cross(twist[..., :3], twist[..., 3:])) * h**2
    arc = quaternion.rotate(q[:-1], quaternion.log(quaternion.multiply(quaternion.conjugate(q[:-1]), q[1:])))
    found = np.maximum(
        _gap(p[1:] - p[:-1], pdot, pddot) / distance,
        _gap(arc, turn, alpha) / angle,
    )
    fast = np.linalg.norm(spin, axis=-1)
    found[np.maximum(fast[1:], fast[:-1]) > dense_motion.FAST] = np.inf
    worst: Array = np.nan_to_num(found, nan=np.inf, posinf=np.inf).max(axis=1)
    return worst


def _gap(step: Array, rate: Array, given: Array) -> Array:
    """(f - 1, n) distance of quintic and cubic in the middle of a frame, times the part on which they disagree."""
    first, last = rate[:-1], rate[1:]
    cubic = 6.0 * step - 4.0 * first - 2.0 * last, -6.0 * step + 2.0 * first + 4.0 * last
    known = given[:-1], given[1:]
    gaps = [np.linalg.norm(a - b, axis=-1) for a, b in zip(known, cubic, strict=True)]
    sizes = np.max([np.linalg.norm(each, axis=-1) for each in (*cubic, *known)], axis=0)
    part = np.maximum(*gaps) / np.maximum(sizes, np.finfo(float).tiny)
    apart: Array = (gaps[0] + gaps[1]) / 64.0 * np.minimum(part, 1.0)
    return apart


def _frame(
    described: model.Model, result: Trajectory, sample: int, fps: float, integrator: Any, per_frame: int
) -> Trajectory | None:
    """One frame from the state at its start, `per_frame` + 1 samples; None where it cannot be simulated."""
    chart = result.channels["chart"][sample].astype(np.int64)
    own = state.State(result.t[sample], result.q[sample], result.qdot[sample], chart)
    start = halves.completed(described, own)
    finer = fps * per_frame
    try:
        samples = simulate.simulate(described, start, integrator=integrator, fps=finer, duration=1.0 / fps)
        run = simulate.record(described, samples, integrator=integrator, fps=finer)
    except errors.RedMaxError:
        return None  # the interpolated motion is used, and judged as before
    return run if run.status == "complete" and len(run) == per_frame + 1 else None


def _arrives(run: Trajectory, result: Trajectory, sample: int, distance: float, angle: float) -> bool:
    off = np.linalg.norm(run.position[-1] - result.position[sample], axis=-1).max()
    cosine = np.abs(np.einsum("ni,ni->n", run.rotation[-1], result.rotation[sample])).min()
    return bool(off <= distance and 2.0 * np.arccos(min(float(cosine), 1.0)) <= angle)
