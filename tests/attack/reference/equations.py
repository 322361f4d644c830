# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions, forces and accelerations of a mechanism in maximal coordinates.

A state is (x, R, v, w): places of the mass centres (n, 3), rotations (n, 3, 3), velocities and angular velocities, all
in the world. Unknowns are stacked per body as (v, w); lengths count in units of the mechanism's size, so that rows and
columns compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from .mechanism import Load, Mechanism
from .rotations import vector, vector_rates
from .solids import CannotError

Array = Any

DEPENDENT = 1e-8
"""Rows whose part that is new is smaller than this, compared with the largest, say nothing new."""

DOUBTFUL = 1e-5
"""Rows whose new part is smaller than this make the answer doubtful: a singular pose is near."""


@dataclass
class State:
    t: float
    x: Array
    R: Array
    v: Array
    w: Array


@dataclass
class Rows:
    """value (m,), J (m, 6 n) with rate = J (v, w), bias (m,): second derivative without accelerations."""

    value: Array
    J: Array
    bias: Array
    rate: Array


def cross(a: Array, b: Array) -> Array:
    """a x b along the last axis; much quicker than np.cross for few vectors."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


class Equations:
    """The equations of motion of one mechanism.

    regime: for every switch whether it is on; frozen while a step is computed, so that each step is smooth.
    """

    def __init__(self, m: Mechanism) -> None:
        self.m, self.n = m, len(m.mass)
        self.di, self.dj = (np.array([d[k] for d in m.dots], int) for k in (0, 2))
        self.da, self.db = (np.array([d[k] for d in m.dots]).reshape(-1, 3) for k in (1, 3))
        self.pi, self.pj = (np.array([p[k] for p in m.points], int) for k in (0, 3))
        self.pa, self.pu, self.pb = (np.array([p[k] for p in m.points]).reshape(-1, 3) for k in (1, 2, 4))
        self.near = np.array([c.start for c in m.coordinates])
        self.loaded = [k for k, c in enumerate(m.coordinates) if c.load.acts]
        self.scale = np.tile(np.r_[np.full(3, m.size), np.ones(3)], self.n)
        self.held = np.array(m.fixed, int)
        self.row_scale = np.r_[np.ones(len(m.dots)), np.full(len(m.points), m.size)]
        self.least_pivot = np.inf
        self.active: list[int] = []
        self.switches = self._switches()
        self.number = {switch: k for k, switch in enumerate(self.switches)}
        self.regime = np.zeros(len(self.switches), bool)
        self.pieces: dict[int, int] = {}
        self.angle_scale = np.array([1.0 if len(c.rows) == 2 else m.size for c in m.coordinates])

    # --- geometry ---------------------------------------------------------------------------------------------------

    def primitives(self, s: State) -> Rows:
        n = self.n
        R = np.concatenate([s.R, np.eye(3)[None]])
        x, v, w = (np.concatenate([a, np.zeros((1, 3))]) for a in (s.x, s.v, s.w))
        nd, npt = len(self.di), len(self.pi)
        value, bias = np.empty(nd + npt), np.empty(nd + npt)
        J = np.zeros((nd + npt, n + 1, 6))
        every = np.arange(nd)
        a, b = np.einsum("kij,kj->ki", R[self.di], self.da), np.einsum("kij,kj->ki", R[self.dj], self.db)
        wi, wj = w[self.di], w[self.dj]
        ad, bd = cross(wi, a), cross(wj, b)
        normal = cross(a, b)
        value[:nd] = (a * b).sum(1)
        J[every, self.di, 3:] += normal
        J[every, self.dj, 3:] -= normal
        bias[:nd] = (cross(wi, ad) * b + 2.0 * ad * bd + a * cross(wj, bd)).sum(1)
        every = nd + np.arange(npt)
        ri, rj = np.einsum("kij,kj->ki", R[self.pi], self.pa), np.einsum("kij,kj->ki", R[self.pj], self.pb)
        u = np.einsum("kij,kj->ki", R[self.pi], self.pu)
        wi, wj = w[self.pi], w[self.pj]
        d = x[self.pj] + rj - x[self.pi] - ri
        ud, rid, rjd = cross(wi, u), cross(wi, ri), cross(wj, rj)
        dd = v[self.pj] + rjd - v[self.pi] - rid
        value[nd:] = (u * d).sum(1)
        J[every, self.pj, :3] += u
        J[every, self.pi, :3] -= u
        J[every, self.pj, 3:] += cross(rj, u)
        J[every, self.pi, 3:] += cross(u, d + ri)
        bias[nd:] = (cross(wi, ud) * d + 2.0 * ud * dd + u * (cross(wj, rjd) - cross(wi, rid))).sum(1)
        J = J[:, :n].reshape(nd + npt, 6 * n)
        return Rows(value, J, bias, J @ self.stacked(s))

    def stacked(self, s: State) -> Array:
        return np.concatenate([s.v, s.w], axis=1).ravel()

    def coordinates(self, p: Rows) -> Rows:
        """Joint coordinates with their rates; angles counted on from `near`."""
        m = len(self.m.coordinates)
        out = Rows(np.empty(m), np.empty((m, 6 * self.n)), np.empty(m), np.empty(m))
        for k, c in enumerate(self.m.coordinates):
            if len(c.rows) == 1:
                r = c.rows[0]
                out.value[k], out.J[k], out.bias[k], out.rate[k] = (
                    c.sign * a[r] for a in (p.value, p.J, p.bias, p.rate)
                )
                continue
            i, j = c.rows
            sine, cosine = p.value[i], p.value[j]
            D = sine * sine + cosine * cosine
            angle = np.arctan2(sine, cosine)
            near = c.load.rest if c.wrapped else self.near[k]
            out.value[k] = angle + 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi))
            out.J[k] = (cosine * p.J[i] - sine * p.J[j]) / D
            rate = (cosine * p.rate[i] - sine * p.rate[j]) / D
            out.rate[k] = rate
            Ddot = 2.0 * (sine * p.rate[i] + cosine * p.rate[j])
            out.bias[k] = (cosine * p.bias[i] - sine * p.bias[j]) / D - rate * Ddot / D
        return out

    def conditions(self, s: State, p: Rows, c: Rows) -> Rows:
        """All rows that are held, with their rates and accelerations given: residual value, J, residual bias, rate."""
        value, J = [p.value[self.held] / self.row_scale[self.held]], [p.J[self.held] / self.row_scale[self.held, None]]
        bias = [p.bias[self.held] / self.row_scale[self.held]]
        wanted = [np.zeros(len(self.held))]
        for target, offset, terms, table in self.m.combinations:
            unit = self.angle_scale[target]
            x = sum(f * c.value[k] for k, f in terms)
            dx = sum(f * c.J[k] for k, f in terms)
            ddx = sum(f * c.bias[k] for k, f in terms)
            rate = sum(f * c.rate[k] for k, f in terms)
            y, slope, bend = (x, 1.0, 0.0) if table is None else table.at(x)
            value.append([(c.value[target] - offset - y) / unit])
            J.append(((c.J[target] - slope * dx) / unit)[None])
            bias.append([(c.bias[target] - slope * ddx - bend * rate * rate) / unit])
            wanted.append([0.0])
        for k, function in self.m.prescribed.items():
            y, slope, bend = function.at(s.t, self.pieces.get(k))
            unit = self.angle_scale[k]
            value.append([(c.value[k] - y) / unit])
            J.append(c.J[k][None] / unit)
            bias.append([(c.bias[k] - bend) / unit])
            wanted.append([slope / unit])
        for number in self.active:
            k, side, limit, _ = self.m.stops[number]
            unit = side * self.angle_scale[k]
            value.append([(c.value[k] - limit) / unit])
            J.append(c.J[k][None] / unit)
            bias.append([c.bias[k] / unit])
            wanted.append([0.0])
        return Rows(np.concatenate(value), np.concatenate(J), np.concatenate(bias), np.concatenate(wanted))

    # --- forces -----------------------------------------------------------------------------------------------------

    def _switches(self) -> list[tuple[Any, ...]]:
        """What changes the law of a force where it passes zero."""
        found: list[tuple[Any, ...]] = []
        for k, c in enumerate(self.m.coordinates):
            if c.load.soft:
                found += [("coordinate", k, x) for x in (c.load.lower, c.load.upper) if np.isfinite(x)]
            if c.load.stiffness_table is not None:
                found += [("coordinate", k, c.load.rest + x) for x in c.load.stiffness_table.corners]
        for number, f in enumerate(self.m.forces):
            if f["kind"] == "cable":
                found += [("slack", number), ("pushing", number)]
        return found

    def switch_values(self, s: State, c: Rows | None = None) -> Array:
        """(k,) functions that change sign where a switch turns. c: the coordinates there, if they are known."""
        if not self.switches:
            return np.zeros(0)
        c = self.coordinates(self.primitives(s)) if c is None else c
        lines = {k: self.line(s, f) for k, f in enumerate(self.m.forces) if f["kind"] == "cable"}
        values = []
        for kind, k, *x in self.switches:
            if kind == "coordinate":
                values.append(c.value[k] - x[0])
                continue
            f, (length, rate, *_) = self.m.forces[k], lines[k]
            stretch = length - f["rest_length"]
            values.append(stretch if kind == "slack" else f["stiffness"] * stretch + f.get("damping", 0.0) * rate)
        return np.array(values)

    def stop_values(self, s: State, c: Rows | None = None) -> Array:
        """(k,) how far each hard stop is away; negative beyond it."""
        if not self.m.stops:
            return np.zeros(0)
        c = self.coordinates(self.primitives(s)) if c is None else c
        return np.array([side * (c.value[k] - x) for k, side, x, _ in self.m.stops])

    def on(self, *switch: Any) -> bool:
        return bool(self.regime[self.number[switch]])

    def along(self, k: int, load: Load, q: float, qdot: float, t: float) -> float:
        """Force or torque along coordinate k."""
        f = load.torque - load.stiffness * (q - load.rest) - load.damping * qdot
        if load.torque_table is not None:
            f += load.torque_table.at(t, self.pieces.get(("torque", k)))[0]
        if load.stiffness_table is not None:
            table = load.stiffness_table
            piece = sum(self.on("coordinate", k, load.rest + x) for x in table.corners)
            f -= table.at(q - load.rest, piece)[0]
        if load.soft:
            below = np.isfinite(load.lower) and not self.on("coordinate", k, load.lower)
            above = np.isfinite(load.upper) and self.on("coordinate", k, load.upper)
            for limit, beyond in ((load.lower, below), (load.upper, above)):
                if beyond:
                    f -= load.limit_stiffness * (q - limit) + load.limit_damping * qdot
        return f

    def line(self, s: State, f: dict[str, Any]) -> tuple[float, float, list[Array], list[Array], list[Array]]:
        """Length of a path, its rate, its corners, their arms from the mass centres, and directions of its parts."""
        ends, arms, speeds = [], [], []
        for b, x in f["at"]:
            arm = x if b < 0 else s.R[b] @ x
            arms.append(arm)
            ends.append(arm if b < 0 else s.x[b] + arm)
            speeds.append(np.zeros(3) if b < 0 else s.v[b] + cross(s.w[b], arm))
        length, rate, along = 0.0, 0.0, []
        for k in range(len(ends) - 1):
            d = ends[k + 1] - ends[k]
            size = float(np.sqrt(d @ d))
            u = d / size if size > 0.0 else np.zeros(3)
            along.append(u)
            length += size
            rate += float(u @ (speeds[k + 1] - speeds[k]))
        return length, rate, ends, arms, along

    def forces(self, s: State, c: Rows) -> Array:
        """(6 n,) all forces and torques about the mass centres, without those of the conditions."""
        m = self.m
        F = m.mass[:, None] * m.gravity - m.damping[:, None] * s.v
        I = s.R @ m.inertia @ np.swapaxes(s.R, 1, 2)
        T = -cross(s.w, np.einsum("nij,nj->ni", I, s.w)) - m.damping[:, None] * s.w

        def push(b: int, arm: Array, force: Array) -> None:
            if b >= 0:
                F[b] += force
                T[b] += cross(arm, force)

        for number, f in enumerate(m.forces):
            kind = f["kind"]
            if kind in ("spring_damper", "cable", "point_to_point"):
                length, rate, _, arms, along = self.line(s, f)
                stretch, per = length - f["rest_length"], f["rest_length"] if f.get("measure") == "strain" else 1.0
                tension = (f["stiffness"] * stretch + f.get("damping", 0.0) * rate) / per
                if kind == "cable" and not (self.on("slack", number) and self.on("pushing", number)):
                    continue
                for k, u in enumerate(along):
                    push(f["at"][k][0], arms[k], tension * u)
                    push(f["at"][k + 1][0], arms[k + 1], -tension * u)
                continue
            b, x = f["at"][0]
            arm = s.R[b] @ x
            turned = s.R[b] if f.get("axes") == "body" else np.eye(3)
            if kind == "point_force":
                size = f.get("force", 0.0) + (f["force_table"][0].at(s.t)[0] if f.get("force_table") else 0.0)
                u = np.array(f.get("direction", (0, 0, 1)), float)
                push(b, arm, size * turned @ (u / np.linalg.norm(u)))
            elif kind == "wrench":
                given = np.r_[f.get("torque", (0, 0, 0)), f.get("force", (0, 0, 0))].astype(float)
                if f.get("table"):
                    given += [column.at(s.t)[0] for column in f["table"]]
                push(b, arm, turned @ given[3:])
                T[b] += turned @ given[:3]
            elif kind == "drag":
                u = s.v[b] + cross(s.w[b], arm) - np.array(f.get("wind", (0, 0, 0)), float)
                if f.get("normal") is not None:
                    normal = s.R[b] @ (np.array(f["normal"]) / np.linalg.norm(f["normal"]))
                    u = normal * (normal @ u)
                square = f.get("quadratic", 0.0)
                square += 0.5 * f.get("density", 1.2041) * f.get("coefficient", 1.0) * f.get("area", 0.0)
                push(b, arm, -(f.get("linear", 0.0) + square * float(np.linalg.norm(u))) * u)
        for ball in m.balls:
            self._turn(s, ball, T)
        total = np.concatenate([F, T], axis=1).ravel()
        for k in self.loaded:
            total += c.J[k] * self.along(k, m.coordinates[k].load, c.value[k], c.rate[k], s.t)
        return total

    def _turn(self, s: State, ball: Any, T: Array) -> None:
        """Loads on a rotation vector: the torque whose power is load times rate."""
        i, j = ball.parent.body, ball.child.body
        R_P = ball.parent.axes if i < 0 else s.R[i] @ ball.parent.axes
        R_C = s.R[j] @ ball.child.axes
        rest = np.array([load.rest for load in ball.loads])
        r = vector(R_P.T @ R_C, rest)
        B = vector_rates(r)
        rdot = B @ (R_C.T @ (s.w[j] - (0.0 if i < 0 else s.w[i])))
        force = np.zeros(3)
        for k, load in enumerate(ball.loads):
            beyond = min(r[k] - load.lower, 0.0) + max(r[k] - load.upper, 0.0) if load.soft else 0.0
            force[k] = load.torque - load.stiffness * (r[k] - load.rest) - load.damping * rdot[k]
            force[k] -= load.limit_stiffness * beyond + (load.limit_damping * rdot[k] if beyond else 0.0)
            if load.torque_table is not None:
                force[k] += load.torque_table.at(s.t)[0]
            if load.stiffness_table is not None:
                force[k] -= load.stiffness_table.at(r[k] - load.rest)[0]
        torque = R_C @ (B.T @ force)
        T[j] += torque
        if i >= 0:
            T[i] -= torque

    # --- motion -----------------------------------------------------------------------------------------------------

    def mass_matrix(self, s: State) -> Array:
        M = np.zeros((self.n, 6, self.n, 6))
        k = np.arange(self.n)
        M[k, :3, k, :3] = self.m.mass[:, None, None] * np.eye(3)
        M[k, 3:, k, 3:] = s.R @ self.m.inertia @ np.swapaxes(s.R, 1, 2)
        return M.reshape(6 * self.n, 6 * self.n)

    def least(self, M: Array, f: Array, J: Array, b: Array) -> Array:
        """(6 n,) the y with J y = b that makes y M y / 2 - f y least: accelerations, or velocities after an impulse."""
        D = self.scale
        G = J * D
        Q, Rt, order = qr(G.T, pivoting=True) if len(G) else (np.eye(len(f)), np.zeros((len(f), 0)), np.zeros(0, int))
        pivots = np.abs(np.diag(Rt)) if len(G) else np.zeros(0)
        rank = int((pivots > DEPENDENT * pivots.max(initial=1e-300)).sum())
        if rank:
            self.least_pivot = min(self.least_pivot, float(pivots[rank - 1] / pivots[0]))
        y = Q[:, :rank] @ solve_triangular(Rt[:rank, :rank], b[order[:rank]], trans="T") if rank else np.zeros(len(f))
        N = Q[:, rank:]
        Ms = M * D * D[:, None]
        reduced = N.T @ Ms @ N
        if len(reduced):
            try:
                y = y + N @ np.linalg.solve(reduced, N.T @ (f * D - Ms @ y))
            except np.linalg.LinAlgError:
                raise CannotError("a motion without inertia") from None
        return y * D

    def acceleration(self, s: State) -> tuple[Array, Array]:
        """(6 n,) accelerations, and the forces (6 n,) of the conditions."""
        p = self.primitives(s)
        c = self.coordinates(p)
        rows = self.conditions(s, p, c)
        f, M = self.forces(s, c), self.mass_matrix(s)
        a = self.least(M, f, rows.J, -rows.bias)
        return a, M @ a - f

    def pushing(self, s: State) -> Array:
        """(k,) force of each active stop, positive where it pushes."""
        _, held = self.acceleration(s)
        p = self.primitives(s)
        rows = self.conditions(s, p, self.coordinates(p))
        G = rows.J * self.scale
        multipliers = np.linalg.lstsq(G.T, held * self.scale, rcond=1e-10)[0]
        return multipliers[len(multipliers) - len(self.active) :]

    def fitted_velocity(self, s: State, *, extra: tuple[Array, float] | None = None) -> Array:
        """(6 n,) the velocity that fits all conditions, reached by the least impulse; extra: one more row and rate."""
        p = self.primitives(s)
        rows = self.conditions(s, p, self.coordinates(p))
        J, b = rows.J, rows.rate
        if extra is not None:
            J, b = np.concatenate([J, extra[0][None]]), np.append(b, extra[1])
        M = self.mass_matrix(s)
        return self.least(M, M @ self.stacked(s), J, b)

    def doubtful(self, s: State) -> str:
        """Why the meaning of the loads is not one number any more; empty as a rule."""
        c = self.coordinates(self.primitives(s))
        for k in self.loaded:
            coordinate = self.m.coordinates[k]
            load = coordinate.load
            springs = load.stiffness or load.soft or load.stiffness_table is not None
            if coordinate.wrapped and springs and abs(c.value[k] - load.rest) > 2.8:
                return "an angle of a loop is half a turn from rest"
        for ball in self.m.balls:
            i = ball.parent.body
            R_P = ball.parent.axes if i < 0 else s.R[i] @ ball.parent.axes
            r = vector(R_P.T @ s.R[ball.child.body] @ ball.child.axes, np.zeros(3))
            if float(np.linalg.norm(r)) > 2.6:
                return "a ball is half a turn from rest"
        return ""
