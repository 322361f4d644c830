# SPDX-License-Identifier: GPL-3.0-or-later
"""A track: a spline of frames on which joints run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Array, ArrayLike, frozen
from ..errors import Fault
from ..fields import Element, Pose, Vector, array, choice, flag, records, text
from ..spatial import pose, quaternion
from . import arc_length, bases, curve_motion
from .curve import Curve, curve, differences, motion

LENGTH, PARAMETER = "length", "parameter"
FRAMES, TANGENT = "frames", "tangent"

HALF_TURN = 1e-6
"""Rotations from frame to frame that are closer to pi than this [rad] have no sense of rotation."""

STEEPEST = 1e-3
"""Least angle [rad] between a tangent and the frames' z axis where the track follows the tangent."""

KINK = 1e-3
"""Jump of the twist at a border, as a part of the greatest twist, beyond which it is a corner that nothing passes."""

SLIGHT = 0.02
"""Jump of the angular acceleration per unit of speed, over the time of a segment, up to which steps may pass it: what a
body moves that is as far from the track as a segment is long, as a part of that."""

LOOKS = 8
"""Places per segment at which a track is looked at, for what is nearest to a point and for what is wrong."""


@dataclass(frozen=True, kw_only=True)
class Track(Element):
    """Q(q) = C1 exp(dC2 b2) exp(dC3 b3) exp(dC4 b4): a spline of control frames C, dC = log(C_i-1^-1 C_i), with
    the cumulative weights b of the four frames around the place. Source: RM19 eq. 56-59.

    Many joints may refer to one track. It stands in each joint's `frame_in_parent`.
    """

    label: ClassVar[str] = "Track"
    summary: ClassVar[str] = "A path of frames on which bodies run, such as a rail"
    icon: ClassVar[str] = "CURVE_BEZCURVE"

    name: str = text(doc="Name of the track, unique among tracks")
    frames: tuple[Pose, ...] = records(Pose, doc="Control frames in order, in the joint frame on the parent", least=4)
    basis: str = choice(bases.B_SPLINE, doc=bases.DOC, choices=bases.BASES)
    cyclic: bool = flag(False, doc="The track is closed; coordinates go on over any number of laps")
    endpoints: bool = flag(False, doc="An open B-spline track reaches its first and its last frame; others always do")
    coordinate: str = choice(
        LENGTH,
        doc="length: q is the length along the track in m. parameter: q counts segments, as a plain number",
        choices=(LENGTH, PARAMETER),
    )
    orientation: str = choice(
        FRAMES,
        doc="frames: turned as the frames are. tangent: x along the track, z as near to the frames' z axis as it can",
        choices=(FRAMES, TANGENT),
    )
    bank: Vector = array(
        None,
        doc="Angle about the direction of travel at each frame, with orientation tangent; null for none",
        plain="Angle about the direction of travel at each frame, where the track follows the tangent",
        shape=(None,),
        unit="rad",
        nullable=True,
    )

    def problems(self) -> Iterator[tuple[str, ...]]:
        count = len(self.frames)
        wanted = bases.count_problem(self.basis, count, cyclic=self.cyclic)
        if wanted:
            yield Fault(f"has {count} entries for a bezier track", f"give {wanted}", "value", "frames")
            return
        if self.bank is not None and self.orientation != TANGENT:
            yield Fault("is not used where orientation is frames", "remove it, or let the track follow the tangent",
                        "value", "bank")  # fmt: skip
        elif self.bank is not None and len(self.bank) != count:
            yield Fault(f"has {len(self.bank)} angles for {count} frames", "give one per frame", "value", "bank")
            return
        turns = np.linalg.norm(differences(matrices(self.frames), cyclic=self.cyclic)[:, :3], axis=1)
        for k in np.flatnonzero(turns >= math.pi - HALF_TURN).tolist():
            yield Fault(
                f"turns by exactly half a turn from frame {k} to frame {(k + 1) % count}, which has no sense of "
                "rotation",
                "add a frame between them, or turn one of them a little",
                "half_turn",
            )
        if (turns >= math.pi - HALF_TURN).any():
            return
        try:
            _ = self.data
        except arc_length.Standstill as found:
            place = found.segment + found.t
            if self.coordinate == LENGTH:
                yield Fault(
                    f"stands still near frame {self._near(place)}, where a length tells nothing",
                    "move the frames apart, or measure by parameter (coordinate)",
                    "stands_still",
                )
            else:
                yield Fault(
                    f"has no direction near frame {self._near(place)}, where it stands still",
                    "move the frames apart, or take orientation from the frames",
                    "stands_still",
                )
            return
        yield from self._shape_problems()

    def _shape_problems(self) -> Iterator[tuple[str, ...]]:
        """Directions that the track cannot follow, standstill, and corners that nothing could pass."""
        segments = len(self.curve.start)
        place = np.arange(LOOKS * segments + 1) / LOOKS
        segment = np.minimum(place.astype(np.int64), segments - 1)
        S = motion(self.curve, segment, place - segment)[1]
        if self.orientation == TANGENT:
            steep = np.hypot(S[:, 3], S[:, 4]) / np.linalg.norm(S[:, 3:], axis=1)
            if steep.min() < STEEPEST:
                yield Fault(
                    f"runs along the z axis of its frames near frame {self._near(place[steep.argmin()])}, so that "
                    "nothing tells which side is up",
                    "turn the frames' z axes away from the track, or take orientation from the frames",
                    "no_up",
                )
                return
        elif (np.abs(S).max(axis=1) <= arc_length.STILL * np.abs(S).max()).any():
            still = place[np.abs(S).max(axis=1).argmin()]
            yield Fault(
                f"neither moves nor turns near frame {self._near(still)}", "move the frames apart", "stands_still"
            )
            return
        yield from self._kinks()

    def _kinks(self) -> Iterator[tuple[str, ...]]:
        """Borders at which the twist jumps: those of bases that are smooth to the first derivative at most."""
        if self.basis == bases.B_SPLINE:
            return
        borders = self.borders
        inner = borders[:-1] if self.cyclic else borders[1:-1]
        if not len(inner):
            return
        before, after = self._one_sided(inner)
        size = np.array([np.linalg.norm(part, axis=1).max(initial=0.0) for part in (after[:, :3], after[:, 3:])])
        # turns over the whole track that are none
        size[0] = max(size[0], 1e-6 / self.extent)
        jump = np.stack([np.linalg.norm((after - before)[:, part], axis=1) for part in (slice(3), slice(3, 6))], 1)
        bad = np.flatnonzero((jump > KINK * size).any(axis=1))
        if len(bad):
            near = self._near(float(bad[0]) + (0.0 if self.cyclic else 1.0))
            hint = "line up the two handles there" if self.basis == bases.BEZIER else "use a b_spline"
            if self.orientation == TANGENT:
                hint = "use a b_spline, or take orientation from the frames"
            elif self.coordinate == PARAMETER and self.basis == bases.BEZIER:
                hint = "make the two handles there equal, or measure by length (coordinate)"
            yield Fault(f"has a corner at frame {near}, where velocities would jump", hint, "corner")

    def _one_sided(self, q: Array) -> tuple[Array, Array]:
        """Twists (k, 6) per unit of q just before and just after coordinates."""
        off = 1e-9 * self.extent / max(1, len(self.curve.start))
        return np.array([self.twist(x - off) for x in q]), np.array([self.twist(x + off) for x in q])

    def _near(self, place: float) -> int:
        """Index of the frame nearest to a place, counted in segments."""
        stride = 3 if self.basis == bases.BEZIER else 1
        shift = 1 if self.basis == bases.CATMULL_ROM and self.cyclic else 0
        shift = 1 if self.basis == bases.B_SPLINE and (self.cyclic or not self.endpoints) else shift
        return int(stride * round(place) + shift) % len(self.frames)

    @cached_property
    def curve(self) -> Curve:
        """Frames and twists of its segments."""
        return curve(matrices(self.frames), self.basis, cyclic=self.cyclic, endpoints=self.endpoints)

    @cached_property
    def _table(self) -> arc_length.LengthTable:
        return arc_length.length_table(self.curve)

    @property
    def length(self) -> float:
        """Length of the path of its origin [m], whichever coordinate it has."""
        return self._table.length

    @property
    def extent(self) -> float:
        """q is from 0 to this; of a closed track it comes back after this [m or 1]."""
        return self.length if self.coordinate == LENGTH else float(len(self.curve.start))

    @property
    def unit(self) -> str:
        """Unit of its coordinate."""
        return "m" if self.coordinate == LENGTH else "1"

    @cached_property
    def borders(self) -> Array:
        """(n + 1,) coordinates at which its segments begin and end."""
        if self.coordinate == PARAMETER:
            return np.arange(len(self.curve.start) + 1.0)
        first = np.flatnonzero(np.diff(self._table.segments, prepend=-1))
        return np.append(self._table.borders[first], self.length)

    @cached_property
    def corners(self) -> Array:
        """Sorted coordinates between its ends at which accelerations jump, so that steps of integrators should end
        there.

        A b_spline has none where it is turned by its frames. Along its tangent angular accelerations jump at borders,
        by little where frames are close together; error control sees to those.
        """
        borders = self.borders[:-1] if self.cyclic else self.borders[1:-1]
        if self.basis != bases.B_SPLINE or not len(borders):
            return borders
        if self.orientation == FRAMES:
            return np.zeros(0)
        h = self.extent / len(self.curve.start)
        off = 1e-6 * h
        turns = np.array([np.linalg.norm(self.twist(q)[:3]) for q in borders])
        jumps = [self._twist_rate(q + off)[:3] - self._twist_rate(q - off)[:3] for q in borders.tolist()]
        return np.asarray(borders[h * h * np.linalg.norm(jumps, axis=1) * (1.0 + h * turns) > SLIGHT])

    @cached_property
    def data(self) -> Array:
        """What `curve_motion` reads, as one read-only array. Raises `arc_length.Standstill`."""
        path = self.curve
        table = self._table if self.coordinate == LENGTH or self.orientation == TANGENT else None
        if table is None or self.coordinate == PARAMETER:
            pieces, extent = np.zeros(0), float(len(path.start))
        else:
            rows = np.column_stack([table.segments, table.polynomials])
            pieces, extent = np.concatenate([table.borders, rows.ravel()]), table.length
        count = 0 if not pieces.size else len(self._table.segments)
        header = [extent, self.cyclic, len(path.start), count, self.orientation == TANGENT]
        lines = [
            path.start[:, :3, :3].reshape(-1, 9),
            path.start[:, :3, 3],
            path.steps.reshape(-1, 18),
            self._bank_cubics(),
        ]
        return frozen(np.concatenate([header, path.weights.ravel(), np.concatenate(lines, 1).ravel(), pieces]))  # type: ignore[no-any-return]

    def _bank_cubics(self) -> Array:
        """(n, 4) coefficients of the bank angle over the fraction of each segment."""
        plan = bases.layout(self.basis, len(self.frames), cyclic=self.cyclic, endpoints=self.endpoints)
        angles = np.zeros(len(self.frames)) if self.bank is None else np.asarray(self.bank, np.float64)
        if plan.padded:
            angles = np.concatenate([[2.0 * angles[0] - angles[1]], angles, [2.0 * angles[-1] - angles[-2]]])
        at = (plan.stride * np.arange(plan.segments)[:, None] + np.arange(4)) % len(angles)
        return np.asarray(angles[at] @ bases.MATRICES[self.basis])

    def _at(self, q: float) -> tuple[Array, Array]:
        Q, S, Sdot = np.eye(4), np.zeros((6, 1)), np.zeros((6, 1))
        curve_motion.put_curve_motion(self.data, float(q), 0.0, Q, S, Sdot)
        return Q, S

    def _twist_rate(self, q: float) -> Array:
        """(6,) derivative of `twist` in q."""
        Q, S, Sdot = np.eye(4), np.zeros((6, 1)), np.zeros((6, 1))
        curve_motion.put_curve_motion(self.data, float(q), 1.0, Q, S, Sdot)
        return np.asarray(Sdot[:, 0])

    def twist(self, q: float) -> Array:
        """(6,) twist per unit of q, in the moving frame."""
        return np.asarray(self._at(q)[1][:, 0])

    def poses(self, q: ArrayLike) -> Array:
        """(k, 4, 4) poses at coordinates q (k,), seen from the joint frame on the parent."""
        return np.array([self._at(x)[0] for x in np.atleast_1d(np.asarray(q, np.float64)).tolist()]).reshape(-1, 4, 4)

    def sampled(self, count: int) -> tuple[Array, Array]:
        """Coordinates (count,), evenly spaced from end to end, and the poses (count, 4, 4) there, for drawing."""
        q = np.linspace(0.0, self.extent, count)
        return q, self.poses(q)

    def nearest(self, point: Sequence[float] | Array) -> tuple[float, float]:
        """Coordinate of the place next to a point (3,) [m] of the joint frame on the parent, and its distance [m]."""
        x = np.asarray(point, np.float64)
        segments = len(self.curve.start)
        place = np.arange(LOOKS * segments + 1) / LOOKS
        segment = np.minimum(place.astype(np.int64), segments - 1)
        origins = motion(self.curve, segment, place - segment)[0][:, :3, 3]
        off = np.linalg.norm(origins - x, axis=1)
        best = (math.inf, 0.0)
        for k in np.argsort(off)[:4].tolist():  # places between two looks can be nearer than the nearest look
            low, high = (self._coordinate(place[max(0, k - 1)]), self._coordinate(place[min(len(place) - 1, k + 1)]))
            q, distance = self._closest(x, low, high)
            best = min(best, (distance, q))
        return best[1], best[0]

    def _coordinate(self, place: float) -> float:
        """Coordinate at a place that is counted in segments, to a part of a segment."""
        if self.coordinate == PARAMETER:
            return float(place)
        k = min(int(place), len(self.curve.start) - 1)
        rows = np.flatnonzero(self._table.segments == k)
        t = np.append(self._table.polynomials[rows] @ (-1.0) ** np.arange(arc_length.COEFFICIENTS), 1.0)
        return float(np.interp(place - k, t, self._table.borders[np.append(rows, rows[-1] + 1)]))

    def _closest(self, x: Array, low: float, high: float) -> tuple[float, float]:
        """Where the distance to a point is least between two coordinates, by bisection of its slope."""

        def slope(q: float) -> float:
            Q, S = self._at(q)
            return float((Q[:3, 3] - x) @ Q[:3, :3] @ S[3:, 0])

        if slope(low) >= 0.0:
            q = low
        elif slope(high) <= 0.0:
            q = high
        else:
            for _ in range(60):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
            q = 0.5 * (low + high)
        return q, float(np.linalg.norm(self._at(q)[0][:3, 3] - x))


def matrices(frames: Sequence[Pose]) -> Array:
    """(n, 4, 4) of poses."""
    rotations = np.array([frame.rotation for frame in frames], np.float64)
    rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    return pose.from_quaternion(np.array([frame.position for frame in frames], np.float64), rotations)


def pose_of(E: Array) -> Pose:
    """The pose of a matrix (4, 4)."""
    return Pose(
        position=tuple(np.asarray(E, np.float64)[:3, 3].tolist()),
        rotation=tuple(quaternion.from_matrix(np.asarray(E, np.float64)[:3, :3]).tolist()),
    )
