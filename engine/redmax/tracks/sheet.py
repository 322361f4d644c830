# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet: a spline surface of frames on which joints move in two directions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Array, ArrayLike, frozen
from ..errors import Fault
from ..fields import Element, Vector, array, choice, flag, text
from . import bases, sheet_motion

ANGLES, NORMAL = "angles", "normal"

LARGE_ANGLE = 0.25 * math.pi
"""Rotations of frames beyond this [rad] are not blended evenly, as RM19 section 5.3 warns."""

LOCK = 0.5 * math.pi - 0.1
"""From this angle about y on [rad] the other two turn about nearly the same line."""

FOLDED = 1e-8
"""Least area that a sheet spans per unit of u and v, as a part of its greatest slope squared."""

KINK = 1e-3
"""Jump of a derivative at a border, as a part of its greatest value, beyond which nothing can pass it."""

LOOKS = 4
"""Places per patch and direction at which a sheet is looked at."""


@dataclass(frozen=True, kw_only=True)
class Sheet(Element):
    """Q(u, v) = T(x, y, z) Rx(a) Ry(b) Rz(c), where each of the six is a spline surface f = U^T B^T C B V of its
    control values. Source: RM19 eq. 60-63. Rows of control values lie along u, the first coordinate, columns along v.

    Many joints may refer to one sheet. It stands in each joint's `frame_in_parent`.
    """

    label: ClassVar[str] = "Sheet"
    summary: ClassVar[str] = "A curved sheet of frames on which bodies slide, such as a bowl"
    icon: ClassVar[str] = "SURFACE_DATA"

    name: str = text(doc="Name of the sheet, unique among sheets")
    positions: Vector = array(
        doc="Origins of the control frames: rows along u, columns along v, at least 4 of each, "
        "in the joint frame on the parent",
        shape=(None, None, 3),
        unit="m",
        hint="give rows of columns of three finite numbers in metres",
    )
    angles: Vector = array(
        None,
        doc="Angles of the control frames about x, then about their own y and z (R = Rx Ry Rz); null for none",
        plain="Angles of the control frames about x, then about their own y and z",
        shape=(None, None, 3),
        unit="rad",
        nullable=True,
        hint="give rows of columns of three finite numbers in radians",
    )
    basis: str = choice(bases.B_SPLINE, doc=bases.DOC, choices=bases.BASES)
    cyclic_u: bool = flag(False, doc="The sheet is closed along u; the coordinate goes on over any number of laps")
    cyclic_v: bool = flag(False, doc="The sheet is closed along v; the coordinate goes on over any number of laps")
    endpoints: bool = flag(False, doc="An open B-spline sheet reaches its outermost frames; others always do")
    stops: bool = flag(
        True,
        doc="Joints stop at the edges of an open sheet, unless they have limits of their own; otherwise its outermost "
        "patches go on beyond them",
    )
    orientation: str = choice(
        ANGLES,
        doc="angles: turned as the frames are. normal: z along the normal of the sheet, x along u",
        choices=(ANGLES, NORMAL),
    )

    def problems(self) -> Iterator[tuple[str, ...]]:
        shape = np.shape(self.positions)
        if min(shape[:2]) < 4:
            yield Fault(f"has {shape[0]} rows of {shape[1]} frames", "give at least 4 rows of 4", "value", "positions")
            return
        for count, cyclic, what in zip(shape, (self.cyclic_u, self.cyclic_v), ("rows", "columns"), strict=False):
            wanted = bases.count_problem(self.basis, count, cyclic=cyclic)
            if wanted:
                yield Fault(f"has {count} {what} for a bezier sheet", f"give {wanted}", "value", "positions")
                return
        if self.angles is not None and np.shape(self.angles) != shape:
            yield Fault("has other rows and columns than positions", "give three angles per frame", "value", "angles")
            return
        if self.angles is not None and self.orientation == NORMAL:
            yield Fault(
                "is not used where orientation is normal", "remove it, or take orientation from the angles",
                "value", "angles",
            )  # fmt: skip
        yield from self._folds()

    def _folds(self) -> Iterator[tuple[str, ...]]:
        """Places at which it does not move in two independent ways, and corners that nothing could pass."""
        u, v = self._looks
        d_u, d_v = self._blended(u, v, 1, 0), self._blended(u, v, 0, 1)
        if self.orientation == NORMAL:
            first, second = d_u[..., :3], d_v[..., :3]
        else:
            # angles count as the lengths by which they move what is as far away as the sheet is wide
            scale = np.array([1.0] * 3 + [float(np.ptp(np.asarray(self.positions), axis=(0, 1)).max())] * 3)
            first, second = d_u * scale, d_v * scale
        a, b = (np.linalg.norm(d, axis=2) for d in (first, second))
        along = (first * second).sum(axis=2)
        area = np.sqrt(np.maximum(a**2 * b**2 - along**2, 0.0))
        least = FOLDED * max(float(a.max()), float(b.max())) ** 2
        row, column = divmod(int(area.argmin()), len(v))
        if not area[row, column] > least:
            yield Fault(
                f"does not spread in two directions near the frame in row {self._near(float(u[row]), 0)}, column "
                f"{self._near(float(v[column]), 1)}",
                "move the frames apart, or leave out a pole where rows or columns meet",
                "folded",
            )
            return
        yield from self._kinks()

    def _kinks(self) -> Iterator[tuple[str, ...]]:
        """Borders of patches at which twists jump: those of bases that are smooth to the first derivative at most."""
        if self.basis == bases.B_SPLINE:
            return
        orders = (1,) if self.orientation == ANGLES else (1, 2)
        for which in (0, 1):
            borders = self.corners(which)
            other = self._looks[1 - which]
            for order in orders if len(borders) else ():
                sides = [
                    self._blended(borders, other, order, 0, side) if which == 0
                    else self._blended(other, borders, 0, order, side)
                    for side in (-1, 1)
                ]  # fmt: skip
                size = np.abs(sides[1]).max(axis=(0, 1)) + 1e-9
                off = np.argwhere((np.abs(sides[1] - sides[0]) > KINK * size).any(axis=2))
                if len(off):
                    u, v = (borders, other) if which == 0 else (other, borders)
                    row, column = self._near(u[off[0, 0]], 0), self._near(v[off[0, 1]], 1)
                    hint = "line up the handles there" if self.basis == bases.BEZIER else "use a b_spline"
                    if order == 2:
                        hint = "use a b_spline, or take orientation from the angles"
                    yield Fault(
                        f"has a corner at the frame in row {row}, column {column}, where velocities would jump",
                        hint,
                        "corner",
                    )
                    return

    @property
    def _looks(self) -> tuple[Array, Array]:
        """Places along u and v at which the sheet is looked at."""
        u, v = (np.arange(int(LOOKS * extent) + 1) / LOOKS for extent in self.extent)
        return u, v

    def _blended(self, u: Array, v: Array, order_u: int, order_v: int, side: int = 1) -> Array:
        """(k, m, 6) control values, or derivatives of them, blended at u (k,) and v (m,); side: of borders, -1 or 1."""
        U = self._weights(u, 0, order_u, side)
        V = self._weights(v, 1, order_v, side)
        return np.asarray(np.einsum("ka,mb,abi->kmi", U, V, self._values, optimize=True))

    def _weights(self, places: Array, which: int, order: int, side: int) -> Array:
        """(k, n) weights of all rows (which = 0) or columns (1) of control values at places (k,)."""
        plan = self._layouts[which]
        borders = places == np.round(places)
        patch = np.floor(places).astype(np.int64) - (borders & (side < 0) & (order > 0))
        patch = patch % plan.segments if self.cyclic[which] else np.clip(patch, 0, plan.segments - 1)
        inside = places % plan.segments if self.cyclic[which] else places
        t = np.where(borders & (patch != inside), 1.0, inside - patch)
        powers = np.stack([np.ones_like(t), t, t**2, t**3], 1)
        for _ in range(order):
            powers = np.stack([0.0 * t, powers[:, 0], 2.0 * powers[:, 1], 3.0 * powers[:, 2]], 1)
        weights = np.zeros((len(places), self._values.shape[which]))
        rows = np.arange(len(places))[:, None]
        weights[rows, plan.stride * patch[:, None] + np.arange(4)] = powers @ bases.MATRICES[self.basis].T
        return weights

    def warnings(self) -> list[str]:
        """Sentences on frames whose angles are blended in ways that few would expect; nothing there is wrong."""
        if self.angles is None or self.orientation == NORMAL:
            return []
        angles = np.asarray(self.angles, np.float64)
        found = []
        for row, column in np.argwhere((np.abs(angles) > LARGE_ANGLE).any(axis=2)).tolist():
            x = angles[row, column]
            where = f"sheet '{self.name}': the frame in row {row}, column {column}"
            if abs(math.remainder(x[1], math.pi)) >= LOCK:
                found.append(
                    f"{where} turns by {math.degrees(x[1]):.0f} degrees about y, where the other two angles turn about "
                    "one line (gimbal lock); turn the sheet's frame, or let it follow its normal"
                )
            else:
                worst = math.degrees(float(x[np.abs(x).argmax()]))
                found.append(
                    f"{where} turns by {worst:.0f} degrees; beyond 45 degrees angles are not blended evenly; turn the "
                    "sheet's frame, or let it follow its normal"
                )
        return found

    def _near(self, place: float, which: int) -> int:
        """Row (which = 0) or column (1) of the frames nearest to a place."""
        plan = self._layouts[which]
        shift = 0 if plan.padded or self.basis == bases.BEZIER else 1
        return int(plan.stride * round(float(place)) + shift) % int(np.shape(self.positions)[which])

    @property
    def cyclic(self) -> tuple[bool, bool]:
        return self.cyclic_u, self.cyclic_v

    @cached_property
    def _layouts(self) -> tuple[bases.Layout, bases.Layout]:
        rows, columns = np.shape(self.positions)[:2]
        return (
            bases.layout(self.basis, rows, cyclic=self.cyclic_u, endpoints=self.endpoints),
            bases.layout(self.basis, columns, cyclic=self.cyclic_v, endpoints=self.endpoints),
        )

    @property
    def extent(self) -> tuple[float, float]:
        """u and v are from 0 to these; closed ones come back after them [1]."""
        return float(self._layouts[0].segments), float(self._layouts[1].segments)

    def corners(self, which: int) -> Array:
        """Sorted coordinates u (which = 0) or v (1) between its edges at which accelerations may jump, so that steps of
        integrators should end there."""
        if self.basis == bases.B_SPLINE and self.orientation == ANGLES:
            return np.zeros(0)
        borders = np.arange(self.extent[which] + 1.0)
        return borders[:-1] if self.cyclic[which] else borders[1:-1]

    @cached_property
    def _values(self) -> Array:
        """(rows, columns, 6) positions and angles of control frames, with those that ends or closed rows add."""
        positions = np.asarray(self.positions, np.float64)
        angles = np.zeros_like(positions) if self.angles is None else np.asarray(self.angles, np.float64)
        values = np.concatenate([positions, angles], axis=2)
        for axis, plan in enumerate(self._layouts):
            values = np.moveaxis(values, axis, 0)
            if plan.padded:
                values = np.concatenate([2.0 * values[:1] - values[1:2], values, 2.0 * values[-1:] - values[-2:-1]])
            elif self.cyclic[axis]:
                values = np.concatenate([values, values[:3]])
            values = np.moveaxis(values, 0, axis)
        return values

    @cached_property
    def data(self) -> Array:
        """What `sheet_motion` reads, as one read-only array."""
        stride, columns = self._layouts[0].stride, self._values.shape[1]
        header = [*self.extent, *self.cyclic, stride, columns, self.orientation == NORMAL]
        return frozen(np.concatenate([header, bases.MATRICES[self.basis].ravel(), self._values.ravel()]))  # type: ignore[no-any-return]

    def motion(self, q: Sequence[float] | Array) -> tuple[Array, Array]:
        """Pose (4, 4) at (u, v), and S (6, 2) there."""
        Q, S, Sdot = np.eye(4), np.zeros((6, 2)), np.zeros((6, 2))
        sheet_motion.put_sheet_motion(self.data, float(q[0]), float(q[1]), np.zeros(2), Q, S, Sdot)
        return Q, S

    def poses(self, q: ArrayLike) -> Array:
        """(k, 4, 4) poses at coordinates (k, 2), seen from the joint frame on the parent."""
        return np.array([self.motion(x)[0] for x in np.asarray(q, np.float64).reshape(-1, 2)]).reshape(-1, 4, 4)

    def origins(self, u: ArrayLike, v: ArrayLike) -> Array:
        """(k, l, 3) origins of the frames at all u (k,) and v (l,) [m], for drawing."""
        return self._blended(np.asarray(u, np.float64), np.asarray(v, np.float64), 0, 0)[..., :3]

    def nearest(self, point: Sequence[float] | Array) -> tuple[Array, float]:
        """Coordinates (2,) of the place next to a point (3,) [m] of the joint frame on the parent, and its distance."""
        x = np.asarray(point, np.float64)
        u, v = self._looks
        grid = np.stack(np.meshgrid(u, v, indexing="ij"), -1).reshape(-1, 2)
        off = np.linalg.norm(self._blended(u, v, 0, 0)[..., :3] - x, axis=2).ravel()
        found = [self._closest(x, grid[k]) for k in np.argsort(off)[:4].tolist()]
        return min(found, key=lambda one: one[1])

    def _closest(self, x: Array, q: Array) -> tuple[Array, float]:
        """Where the distance to a point is least near coordinates, by Gauss-Newton with halved steps, within edges."""
        low = np.where(self.cyclic, -np.inf, 0.0)
        high = np.where(self.cyclic, np.inf, self.extent)
        Q, S = self.motion(q)
        off = float(np.linalg.norm(Q[:3, 3] - x))
        for _ in range(50):
            step = np.linalg.lstsq(Q[:3, :3] @ S[3:], x - Q[:3, 3], rcond=None)[0]
            for _ in range(30):
                trial = np.clip(q + step, low, high)
                Q1, S1 = self.motion(trial)
                distance = float(np.linalg.norm(Q1[:3, 3] - x))
                if distance < off:
                    break
                step = 0.5 * step
            else:
                break
            small = float(np.abs(trial - q).max()) < 1e-13
            q, Q, S, off = trial, Q1, S1, distance
            if small:
                break
        return q, off
