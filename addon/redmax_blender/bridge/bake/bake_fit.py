# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for objects, fewer than frames, with which they stay within a bound in the world.

Objects that nothing carries come first. Those that another body carries are then fitted to where they must be *in the
baked motion of that body*, so that errors do not add up from parent to child. Each channel gets a tolerance out of the
bound: half of the distance for the location, half for what the rotation does at the farthest corner. Then the
keys are rounded as Blender rounds them, evaluated as Blender evaluates them, and measured in the world; tolerances
follow what was measured, up or down, and of the keys that keep to the bound the fewest are taken.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays, quaternion, trajectory
from ..core import fewer_keys, rotation_channels
from ..core.bake_accuracy import Judge, Poses
from ..core.dense_motion import BEFORE
from ..results import placement
from ..results.placement import ChannelMotion
from . import key_curves
from .key_curves import Curve

Array = arrays.Array

PER_FRAME = 10
"""Samples in each frame at which keys are fitted and measured."""

SLACK = 0.96
"""Part of the bound that is used: the rest is for what single precision does in Blender's matrices."""

ATTEMPTS = 1
"""How often tolerances are set anew for keys that already keep to the bound."""

RETRIES = 8
"""How often they are made smaller for keys that do not. After that frames that no keys can follow are spared."""

CARRIED = 0.5
"""Part of the bound that an object may use up at the corners of those it carries."""


class Bound(NamedTuple):
    """What keys may be off by: distance [Blender units] and angle [rad]."""

    distance: float
    angle: float


class Moving(NamedTuple):
    """Channels of an object: values (3 + k, p) at all samples, slopes (2, 3 + k, f) before and after each frame."""

    values: Array
    slopes: Array


@dataclass(eq=False)
class Fit:
    """Keys of an object, and how far they are off."""

    curves: list[Curve]
    poses: Poses
    use: Array
    """Part of the bound that is used at each sample, above 1 where it is not kept."""
    spared: Any = ()
    """Samples in frames that no keys on frames can follow: they do not count."""

    @property
    def part(self) -> float:
        """Largest part of the bound that is used where it counts."""
        counted = np.delete(self.use, self.spared) if len(self.spared) else self.use
        return float(counted.max(initial=0.0))

    @property
    def keys(self) -> int:
        return sum(curve.keys for curve in self.curves)


AS_CLOSE = 1.02
"""How much further off fewer keys may be than keys on every frame, in frames that neither can follow."""


class Fitter:
    """frames: (f,) numbers of the frames. bound: None for keys at the `chosen` frames (k,) whatever they are off by."""

    def __init__(
        self, judge: Judge, frames: Array, fps: float, *, bound: Bound | None, chosen: Any, linear: bool
    ) -> None:
        self.judge, self.frames, self.fps, self.linear = judge, frames, fps, linear
        self.bound, self.chosen = bound, chosen
        self.times = frames[0] + np.arange(PER_FRAME * (len(frames) - 1) + 1) / PER_FRAME
        self.baked: dict[int, Poses] = {}
        self.spared: dict[int, Any] = {}

    def run(self) -> dict[str, list[Curve]]:
        """Keys by object name."""
        found: dict[str, list[Curve]] = {}
        for rows in self.judge.levels():
            for row, fit in zip(rows, self._level(rows), strict=True):
                self.baked[row] = fit.poses
                found[self.judge.places.names[row]] = fit.curves
        return found

    def _level(self, rows: list[int]) -> list[Fit]:
        motions = self._motions(rows)
        if self.bound is None:
            return self._fits(rows, motions, np.ones(len(rows)))
        best = self._sought(rows, motions)
        rest = [each for each, fit in enumerate(best) if fit.part > 1.0]
        if rest:
            some = [rows[each] for each in rest], [motions[each] for each in rest]
            for each, fit in zip(rest, self._closest(*some), strict=True):
                if fit.use.max() <= AS_CLOSE * best[each].use.max():
                    best[each] = fit
        return best

    def _sought(self, rows: list[int], motions: list[Moving]) -> list[Fit]:
        """As few keys as keep to the bound, or those that come closest to it."""
        scale = np.ones(len(rows))
        best = self._fits(rows, motions, scale)
        scale = _next_scale(scale, best)
        for attempt in range(ATTEMPTS + RETRIES):
            again = [each for each, fit in enumerate(best) if fit.part > 1.0 or attempt < ATTEMPTS]
            if not again:
                break
            some = [rows[each] for each in again]
            fits = self._fits(some, [motions[each] for each in again], scale[again])
            scale[again] = _next_scale(scale[again], fits)
            for each, fit in zip(again, fits, strict=True):
                if _better(fit, best[each]):
                    best[each] = fit
        return best

    def _closest(self, rows: list[int], motions: list[Moving]) -> list[Fit]:
        """Keys of objects that cannot keep to the bound: as close as keys on every frame, and few where that is enough.

        One frame that is too fast, such as one with an impact in it, does not give keys to all others.
        """
        closest = self._fits(rows, motions, None, np.arange(len(self.frames)))
        for row, fit in zip(rows, closest, strict=True):
            frames = np.unique(np.minimum(np.nonzero(fit.use > 1.0)[0] // PER_FRAME, len(self.frames) - 2))
            self.spared[row] = (frames[:, None] * PER_FRAME + np.arange(PER_FRAME + 1)).ravel()
        sought = self._sought(rows, motions)
        as_close = [
            few.part <= 1.0 and few.use.max() <= AS_CLOSE * every.use.max()
            for few, every in zip(sought, closest, strict=True)
        ]
        return [few if close else every for few, every, close in zip(sought, closest, as_close, strict=True)]

    def _motions(self, rows: list[int]) -> list[Moving]:
        """Channels over all samples that bring objects where they should be, given where what carries them is baked."""
        judge, places = self.judge, self.judge.places.some(rows)
        truth = judge.truth
        carriers = sorted({int(body) for body in places.carrier if body >= 0})
        if carriers:
            row_of = {int(body): row for row, body in enumerate(judge.places.body)}
            truth = _with_bodies(truth, [self.baked[row_of[body]] for body in carriers], judge.length)
            index = {body: len(judge.truth.body_names) + each for each, body in enumerate(carriers)}
            places.carrier[:] = [index.get(int(body), -1) for body in places.carrier]
        motions = placement.motions_of(places, truth, judge.length, self.fps * PER_FRAME)
        before = motions
        if not np.array_equal(truth.channels[BEFORE], truth.channels["twist"]):
            jumping = dataclasses.replace(truth, channels={"twist": truth.channels[BEFORE]})
            before = placement.motions_of(places, jumping, judge.length, self.fps * PER_FRAME)
        return [_moving(motions[name], before[name], self.fps) for name in places.names]

    def _fits(
        self,
        rows: Sequence[int],
        motions: Sequence[Moving],
        scale: Array | None,
        chosen: Any = None,
    ) -> list[Fit]:
        """Keys with tolerances of so many times what the bound gives, or at chosen frames, and what they are off by."""
        channels = [motion.values for motion in motions]
        values, slopes = np.concatenate(channels), np.concatenate([motion.slopes for motion in motions], axis=1)
        frames = self.chosen if chosen is None else chosen
        if frames is None and scale is not None:
            tolerance = np.concatenate(
                [
                    times * self._tolerances(row, channel)
                    for row, channel, times in zip(rows, channels, scale, strict=True)
                ]
            )
            fitted = fewer_keys.fit(values, slopes, tolerance, PER_FRAME, linear=self.linear)
        else:
            fitted = fewer_keys.at_frames(values, slopes, frames, PER_FRAME, linear=self.linear)
        curves: list[list[Curve]] = []
        at = 0
        for row, channel in zip(rows, channels, strict=True):
            path = rotation_channels.path(self.judge.places.modes[row])
            targets = [("location", index) for index in range(3)] + [(path, index) for index in range(len(channel) - 3)]
            curves.append([])
            for target in targets:
                at_frames = values[at, ::PER_FRAME]
                curve = key_curves.from_fit(
                    *target, self.frames, at_frames, slopes[:, at], fitted[at], linear=self.linear
                )
                curves[-1].append(curve)
                at += 1
        return self._measured(rows, curves)

    def _measured(self, rows: Sequence[int], curves: Sequence[list[Curve]]) -> list[Fit]:
        values = [np.stack([curve.evaluate(self.times) for curve in own], axis=1) for own in curves]
        judge = self.judge
        found = judge.poses(rows, [each[:, :3] for each in values], [each[:, 3:] for each in values], self.baked)
        wanted = judge.true_poses(rows)
        distance, angle = judge.errors(rows, found, wanted)
        fits = []
        for each, row in enumerate(rows):
            use = np.zeros(len(self.times))
            if self.bound is not None:
                limit = Bound(*(SLACK * number for number in self.bound))
                use = np.maximum(distance[each] / limit.distance, angle[each] / limit.angle)
                arm = self._arm(row, wanted.p[each])
                if arm is not None:
                    moved = np.linalg.norm(found.p[each] - wanted.p[each], axis=-1) + angle[each] * arm
                    use = np.maximum(use, moved / (CARRIED * limit.distance))
            poses = Poses(found.R[each : each + 1], found.p[each : each + 1])
            fits.append(Fit(curves[each], poses, use, self.spared.get(row, ())))
        return fits

    def _arm(self, row: int, p: Array) -> float | None:
        """How far from an object's origin the corners of those that it carries are at most; None if it carries none."""
        judge = self.judge
        below = judge.carried(row)
        if not below:
            return None
        gaps = np.linalg.norm(judge.true_poses(below).p - p, axis=-1).max(axis=1)
        return float(max(gap + judge.reach(each) for gap, each in zip(gaps, below, strict=True)))

    def _tolerances(self, row: int, channels: Array) -> Array:
        """(3 + k,) tolerances of an object's channels that together may just use up the bound."""
        assert self.bound is not None
        judge = self.judge
        places, (distance, angle) = judge.places, self.bound
        arm = self._arm(row, judge.true_poses([row]).p[0])
        reach = judge.reach(row)
        if arm is not None:
            distance, reach = CARRIED * distance, max(reach, arm)
        turns = np.ones(len(channels) - 3)  # angle per number
        if places.modes[row] in rotation_channels.PATHS:
            turns = np.full(4, 2.0)
            if places.modes[row] == rotation_channels.AXIS_ANGLE:
                turns[0] = 1.0
        size = np.concatenate([np.linalg.norm(np.linalg.inv(places.C_inverse[row])[:3, :3], axis=0), turns])
        spread = np.ptp(channels, axis=1) * size
        moving = spread[:3] > fewer_keys.STILL * distance
        turning = spread[3:] > fewer_keys.STILL * min(angle, distance / max(reach, 1e-9))
        share = 0.5 if moving.any() and turning.any() else 1.0
        shift = share * distance / np.sqrt(max(1, moving.sum()))
        turn = min(angle, share * distance / max(reach, 1e-9)) / np.sqrt(max(1, turning.sum()))
        tolerances: Array = np.concatenate([np.full(3, shift), np.full(len(turns), turn)]) / size
        return tolerances


def _moving(motion: ChannelMotion, before: ChannelMotion, fps: float) -> Moving:
    values = np.concatenate([motion.location, motion.rotation], axis=1).T
    rates = [np.concatenate([each.location_rate, each.rotation_rate], axis=1).T for each in (before, motion)]
    return Moving(values, np.stack(rates)[:, :, ::PER_FRAME] / fps)


def _next_scale(scale: Array, fits: Sequence[Fit]) -> Array:
    """Tolerances that would use up the bound if errors grew with them; with some room where they were too large."""
    part = np.array([max(fit.part, 0.02) for fit in fits])
    following: Array = scale * np.where(part > 1.0, 0.8 / part, np.clip(0.97 / part, 1.0, 4.0))
    return following


def _better(fit: Fit, than: Fit) -> bool:
    if (fit.part <= 1.0) != (than.part <= 1.0):
        return fit.part <= 1.0
    return fit.keys < than.keys if fit.part <= 1.0 else fit.part < than.part


def _with_bodies(truth: trajectory.Trajectory, baked: Sequence[Poses], length: float) -> trajectory.Trajectory:
    """A motion with further bodies that move as baked; twists from differences, as the keys have no others."""
    dt = float(truth.t[1] - truth.t[0]) if len(truth) > 1 else 1.0
    R, p = np.concatenate([each.R for each in baked]), np.concatenate([each.p for each in baked]) * length
    q = trajectory.continuous_quaternions(np.swapaxes(quaternion.from_matrix(R), 0, 1))
    p = np.swapaxes(p, 0, 1)
    if len(truth) > 2:
        qdot, pdot = (np.gradient(each, dt, axis=0, edge_order=2) for each in (q, p))
    else:
        qdot, pdot = np.zeros_like(q), np.zeros_like(p)
    back = quaternion.conjugate(q)
    twist = np.concatenate([2.0 * quaternion.multiply(back, qdot)[..., 1:], quaternion.rotate(back, pdot)], axis=-1)
    return trajectory.Trajectory(
        body_names=(*truth.body_names, *(f"baked {each}" for each in range(len(baked)))),
        joint_names=(),
        t=truth.t,
        q=truth.q,
        qdot=truth.qdot,
        position=np.concatenate([truth.position, p], axis=1),
        rotation=np.concatenate([truth.rotation, q], axis=1),
        channels={name: np.concatenate([truth.channels[name], twist], axis=1) for name in ("twist", BEFORE)},
    )
