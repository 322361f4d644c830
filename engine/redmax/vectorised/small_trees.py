# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of small trees whose coordinates only turn: one Jacobian of all bodies, in as few calls as possible.

With a dozen bodies a call of numpy costs more than what it computes, so dense matrices are quicker than clever sums.
Every turn of a joint is a frame of its own, so that a universal joint is two hinges; what comes of axes that move then
follows from the frames' angular velocities. The rows of `G` are the coordinates' Jacobians, each body's part scaled by
the square roots of its inertia, and the mass matrix is G G^T.

Arrays have frames or bodies along their first axis here, as `matmul` wants them. Levers are sums of arms from centre to
centre, so that nothing is measured from the world's origin.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray
from ..joints.primitives import Kind
from ..joints.trusted import trusted_primitives
from ..model import Model
from .blocks import LARGEST_INVERSE
from .dynamics import CORRECTED, EXACT, MOST_CORRECTIONS, HandOver
from .rotations import coefficients
from .stages import Coordinates, Eulers, Motion, Placed
from .tree_sums import ancestor_matrix, jumps
from .vectors import einsum

LARGEST = 60_000
"""Bodies times the square of coordinates up to which one Jacobian is quicker than sums along branches: 38 hinges, 18
balls. Measured: 1.8 times as quick for 20 hinges, 1.13 for 40, 0.72 for 58."""

# [v] of rows v: the entries of v, and their signs.
_ENTRIES: IntArray = np.array([0, 2, 1, 2, 1, 0, 1, 0, 2])
_SIGNS: Array = np.array([0.0, -1.0, 1.0, 1.0, 0.0, -1.0, -1.0, 1.0, 0.0])
_ONE: Array = np.eye(3)


def _inversion() -> Callable[[Array], Array]:
    """Inverses; numpy's inner function, where it can be found. A singular matrix gives NaN or an error of numpy's."""
    try:
        inner: Callable[[Array], Array] = importlib.import_module("numpy.linalg._umath_linalg").inv
    except (ImportError, AttributeError):
        return np.linalg.inv
    return inner


_inverse = _inversion()


class _Frame(NamedTuple):
    """A turn of a joint: what carries it (-1 for the world), where it is in that, and its kind and coordinates."""

    parent: int
    R: Array
    p: Array
    kind: Kind | None
    start: int
    axis: Array


class SmallTree:
    """What never changes of a model with V frames, n bodies, nr coordinates and E arms. None of it refers to the model.

    An arm leads from a frame's origin to the next one's, or to the centre of a body; it turns with its owner.
    carries: (nr, n), 1.0 where a coordinate moves a body. above: (V, V), 1.0 where a column's frame carries a row's.
    path: (E, n) sqrt(m) where an arm is on the way to a body's centre.
    """

    def __init__(self, model: Model) -> None:
        frames, last = _frames(model)
        n, nr = model.body_count, model.dof_count
        self.size = n, nr
        parent = np.array([each.parent for each in frames])
        self.jumps, above = jumps(parent), ancestor_matrix(parent)
        self.above = np.ascontiguousarray(above.T)
        self.body_frame: IntArray = np.array(last)
        starts = [each.start for each in frames]
        counts = [0 if each.kind is None else 1 if each.kind == Kind.SCREW else 3 for each in frames]
        self.owner: IntArray = np.repeat(np.arange(len(frames)), counts)
        columns = np.concatenate([np.arange(a, a + k) for a, k in zip(starts, counts, strict=True)])
        if not np.array_equal(columns, np.arange(nr)):
            raise ValueError("coordinates out of order")

        # exp [a q] = 1 + sin q [a] + 2 sin^2(q/2) [a]^2
        self._constants = np.zeros((len(frames), 3, 9))
        self._factors = np.zeros((len(frames), 3))
        self._factors[:, 0] = 1.0
        self._axes = np.zeros((nr, 3))
        for v, each in enumerate(frames):
            K = hat(each.axis[None])[0]
            self._constants[v] = np.stack([each.R, each.R @ K, 2.0 * each.R @ K @ K]).reshape(3, 9)
            if each.kind == Kind.SCREW:
                self._axes[each.start] = each.axis
        self.turns: IntArray = np.array([v for v, each in enumerate(frames) if each.kind == Kind.SCREW], np.int64)
        self._angles: IntArray = np.array(starts)[self.turns]
        self.balls: IntArray = np.array([v for v, each in enumerate(frames) if each.kind == Kind.BALL], np.int64)
        self._ball_columns: IntArray = np.array(starts)[self.balls][:, None] + np.arange(3)
        self._ball_R = np.array([each.R for each in frames])[self.balls]
        self.eulers, self._euler_frames = _eulers(model, frames)
        self._euler_R = np.array([each.R for each in frames])[self._euler_frames]
        self.vary = bool(len(self.balls) or self.eulers is not None)

        arms = [(each.parent, each.p, v) for v, each in enumerate(frames) if each.parent >= 0 and each.p.any()]
        centers = [(last[b], model.E_ji[b, :3, 3], b) for b in range(n) if model.E_ji[b, :3, 3].any()]
        self.arm_owner: IntArray = np.array([owner for owner, _, _ in [*arms, *centers]], np.int64)
        self._arms = np.array([p for _, p, _ in [*arms, *centers]]).reshape(-1, 3, 1)
        root_mass = np.sqrt(model.inertia[:, 3])
        path = [above[v, self.body_frame] for _, _, v in arms] + [np.eye(n)[b] for _, _, b in centers]
        self.path = np.array(path).reshape(-1, n) * root_mass
        frame_carries = above[self.owner]
        self._moves_arms = np.ascontiguousarray(frame_carries[:, self.arm_owner])[:, None]
        self.carries = np.ascontiguousarray(frame_carries[:, self.body_frame])
        self._carries_thrice = np.repeat(self.carries, 3, axis=1)
        self._sums = np.ascontiguousarray(frame_carries.T)
        self._principal = model.E_ji[:, :3, :3] * np.sqrt(model.inertia[:, None, :3])
        self.weight = np.multiply.outer(model.gravity, root_mass)
        self.damping = model.body_damping if model.body_damping.any() else None
        self._per_mass = model.body_damping / model.inertia[:, 3]
        free = np.flatnonzero(~model.prescribed)
        self.free = None if len(free) == nr else free

    def rotations(self, given: Coordinates) -> tuple[Array, Array, Array | None]:
        """R (V, 3, 3) from each frame to the world; the axes (nr, 3) of coordinates, along the frame's own; and what
        their changes add to them, Sdot qdot (V, 3)."""
        factors = self._factors.copy()
        q = given.q.take(self._angles)
        factors[self.turns, 1] = np.sin(q)
        factors[self.turns, 2] = np.sin(0.5 * q) ** 2
        R = (factors[:, None] @ self._constants).reshape(-1, 3, 3)
        axes, changed = self._axes, None
        if self.vary:
            axes, changed = axes.copy(), np.zeros((len(R), 3))
            if len(self.balls):
                turned, S, changed[self.balls] = balls(given.q[self._ball_columns], given.qdot[self._ball_columns])
                R[self.balls] = self._ball_R @ turned
                axes[self._ball_columns] = S
            if self.eulers is not None:
                self._place_eulers(given, R, axes, changed)
        for jump in self.jumps:
            R[jump.bodies] = R[jump.ancestors] @ R[jump.bodies]
        return R, axes, changed

    def _place_eulers(self, given: Coordinates, R: Array, axes: Array, changed: Array) -> None:
        motion, stage = Motion.begun(0, len(axes)), self.eulers
        assert stage is not None
        turned, _ = stage.motion(given, motion)
        assert turned is not None
        R[self._euler_frames] = self._euler_R @ turned.transpose(2, 0, 1)
        axes[stage.at] = motion.S[:3, stage.at].T
        moved = motion.Sdot[:3, stage.at].T * given.qdot[stage.at, None]
        changed[self._euler_frames] = moved.reshape(-1, 3, 3).sum(axis=1)

    def along_arms(self, R: Array) -> Array:
        """(E, 3) arms along the world's axes."""
        found: Array = (R.take(self.arm_owner, 0) @ self._arms)[:, :, 0]
        return found

    def moments_of_bodies(self, R: Array) -> Array:
        """L (n, 3, 3) with L L^T the inertia about the centres of mass."""
        found: Array = R.take(self.body_frame, 0) @ self._principal
        return found

    def levers(self, arms: Array) -> Array:
        """(nr, 3, n) from the axis of each coordinate to the centre of each body it carries, times sqrt(m)."""
        found: Array = (self._moves_arms * arms.T).reshape(3 * len(self.owner), len(arms)) @ self.path
        return found.reshape(len(self.owner), 3, -1)

    def over_carriers(self, X: Array) -> Array:
        """(V, 3) sums of what coordinates (nr, 3) add to the frames they move."""
        return np.asarray(self._sums @ X)

    def turning_rows(self, axes: Array, L: Array) -> Array:
        """(nr, 3 n) angular Jacobians, scaled by the roots of the inertia."""
        rows: Array = axes @ L.transpose(1, 0, 2).reshape(3, -1)
        rows *= self._carries_thrice
        return rows


class SmallTreeState:
    """A state: its Jacobian G (nr, 6 n), scaled, and `needed` (nr,), the forces along coordinates for the accelerations
    that are given and otherwise none."""

    def __init__(self, tree: SmallTree, given: Coordinates, known: Array | None) -> None:
        """known: (nr,) the given accelerations, zero where free; None for none at all."""
        self.tree = tree
        n, nr = tree.size
        R, axes, changed = tree.rotations(given)
        arms, L = tree.along_arms(R), tree.moments_of_bodies(R)
        axes = (R.take(tree.owner, 0) @ axes[:, :, None])[:, :, 0]
        crossing = hat(axes)
        self.G: Array = np.empty((nr, 6 * n))
        moving, turning = self.G[:, : 3 * n], self.G[:, 3 * n :]
        moving[:] = (crossing @ tree.levers(arms)).reshape(nr, -1)
        turning[:] = tree.turning_rows(axes, L)

        # Rates of the frames: omega, and alpha as long as nothing accelerates but what is given.
        moved = axes * given.qdot[:, None]
        omega = tree.over_carriers(moved)
        spin = hat(omega)
        gained = (spin.take(tree.owner, 0) @ moved[:, :, None])[:, :, 0]
        if known is not None:
            gained += axes * known[:, None]
        alpha = tree.over_carriers(gained)
        if changed is not None:
            alpha += tree.above @ (R @ changed[:, :, None])[:, :, 0]
        sweep = spin @ spin
        sweep += hat(alpha)
        force = (sweep.take(tree.arm_owner, 0) @ arms[:, :, None])[:, :, 0].T @ tree.path
        force -= tree.weight
        rates = np.empty((len(tree.body_frame), 3, 2))
        rates[:, :, 0], rates[:, :, 1] = omega.take(tree.body_frame, 0), alpha.take(tree.body_frame, 0)
        inertia = L @ L.transpose(0, 2, 1)
        effort = inertia @ rates
        moment = (spin.take(tree.body_frame, 0) @ effort[:, :, :1])[:, :, 0] + effort[:, :, 1]
        self.dissipated = 0.0
        if tree.damping is not None:
            v = (given.qdot @ moving).reshape(3, -1)  # times sqrt(m)
            force += tree._per_mass * v
            w = rates[:, :, 0]
            moment += tree.damping[:, None] * w
            self.dissipated = float(tree._per_mass @ (v * v).sum(axis=0) + tree.damping @ (w * w).sum(axis=1))
        self._parts = axes, force, moment
        self.needed: Array = moving @ force.ravel() + einsum("ki,ki->k", axes, tree.carries @ moment)

    def accelerations(self, f_r: Array) -> tuple[Array, Array]:
        """Free accelerations, (nr,) and zero where given, under the forces f_r (nr,) along coordinates; and the force
        (nr,) that each coordinate then needs. HandOver where that is singular."""
        free, G = self.tree.free, self.G
        b = f_r - self.needed
        if free is not None:
            G, b = G[free], b[free]
        M = G @ G.T
        scale = 1.0 / np.sqrt(M.diagonal())
        inverse = _inverse(M * np.multiply.outer(scale, scale))
        largest = float(np.abs(inverse).max())
        if not largest <= LARGEST_INVERSE:
            raise HandOver
        step = inverse @ (b * scale)
        x = step * scale
        moved = x @ G
        if largest > EXACT:
            x, moved = self._corrected(G, b, inverse, scale, x)
        if free is None:
            return x, self.needed + G @ moved
        every = np.zeros(len(f_r))
        every[free] = x
        return every, self.needed + self.G @ moved

    def _corrected(self, G: Array, b: Array, inverse: Array, scale: Array, x: Array) -> tuple[Array, Array]:
        size = float(np.abs(x / scale).max())
        for correction in range(MOST_CORRECTIONS):
            moved = x @ G
            step = inverse @ ((b - G @ moved) * scale)
            x = x + step * scale
            if correction == 1:
                # At rest forces cancel: what is small then is small beside the accelerations each would give alone.
                size = max(size, float((np.abs(inverse) @ (self._terms() * scale)).max()))
            if float(np.abs(step).max()) <= CORRECTED * size:
                return x, x @ G
        raise HandOver

    def _terms(self) -> Array:
        """Of the free coordinates: what `needed` is the sum of, all with the same sign."""
        axes, force, moment = self._parts
        moving = self.G[:, : force.size]
        terms = np.abs(moving) @ np.abs(force).ravel()
        terms += einsum("ki,ki->k", np.abs(axes), self.tree.carries @ np.abs(moment))
        return np.asarray(terms if self.tree.free is None else terms[self.tree.free])


def small_tree(model: Model) -> SmallTree | None:
    """None where nothing is free, the model is large or slides, or has joints known by their `motion` alone or bodies
    without mass."""
    if model.prescribed.all() or not (model.inertia[:, 3] > 0.0).all():
        return None
    if model.body_count * model.dof_count**2 > LARGEST:
        return None
    for joint in model.joints:
        listed = trusted_primitives(joint)
        if listed is None or any(any(each.advance) for each in listed):
            return None
    return SmallTree(model)


def hat(v: Array) -> Array:
    """[v], (m, 3, 3), of rows (m, 3)."""
    entries = v.take(_ENTRIES, 1)
    entries *= _SIGNS
    return entries.reshape(-1, 3, 3)


def balls(v: Array, vdot: Array) -> tuple[Array, Array, Array]:
    """Of rotation vectors v with rates vdot, both (m, 3): exp [v] (m, 3, 3), the columns of its right Jacobian J as
    rows (m, 3, 3), and Jdot vdot (m, 3); see `spatial.so3`."""
    square, rate, speed = einsum("mi,mi->m", v, v), einsum("mi,mi->m", v, vdot), einsum("mi,mi->m", vdot, vdot)
    c1, c2, c3, c2_slope, c3_slope = coefficients(square)
    m = len(v)
    powers, weights = np.empty((m, 3, 9)), np.empty((m, 2, 3))
    V = hat(v)
    VV = V @ V
    powers[:, 0], powers[:, 1], powers[:, 2] = _ONE.ravel(), V.reshape(m, 9), VV.reshape(m, 9)
    turned = c1[:, None, None] * V  # not by a product of matrices, which rounds rotations more
    turned += c2[:, None, None] * VV
    turned += _ONE
    weights[:, 0, 0], weights[:, 0, 1], weights[:, 0, 2] = 1.0, c2, c3  # J^T = 1 + c2 [v] + c3 [v]^2
    # d/dt of J = 1 - c2 [v] + c3 [v]^2, applied to vdot; [vdot] vdot = 0 and
    # vdot x (v x vdot) = v vdot.vdot - vdot vdot.v
    weights[:, 1, 0], weights[:, 1, 1], weights[:, 1, 2] = -c3 * rate, -c2_slope * rate, c3_slope * rate
    found = (weights @ powers).reshape(m, 2, 3, 3)
    changed = (found[:, 1] @ vdot[:, :, None])[:, :, 0]
    changed += (c3 * speed)[:, None] * v
    return turned, found[:, 0], changed


def _frames(model: Model) -> tuple[list[_Frame], list[int]]:
    """All frames, each after what carries it, and the last one of every joint, with which the body moves."""
    frames: list[_Frame] = []
    last: list[int] = []
    for j, joint in enumerate(model.joints):
        p = int(model.parent[j])
        carrier, R, at, start = (last[p] if p >= 0 else -1), model.E_pj0[j, :3, :3], model.E_pj0[j, :3, 3], model.dof[j]
        listed = trusted_primitives(joint) or ()
        for each in listed:
            frames.append(_Frame(carrier, R, at, each.kind, int(start), np.array(each.turn)))
            carrier, R, at, start = len(frames) - 1, _ONE, np.zeros(3), start + each.ndof
        if not listed:
            frames.append(_Frame(carrier, R, at, None, int(start), np.zeros(3)))
        last.append(len(frames) - 1)
    return frames, last


def _eulers(model: Model, frames: list[_Frame]) -> tuple[Eulers | None, IntArray]:
    """The stage of all Euler angles, and their frames."""
    placed = []
    for j, joint in enumerate(model.joints):
        column, divisor = int(model.dof[j]), 1
        for each in trusted_primitives(joint) or ():
            if each.kind == Kind.EULER:
                placed.append(Placed(j, int(model.dof[j]), column, (each,), divisor))
            column, divisor = column + each.ndof, divisor * each.chart_count
    at: IntArray = np.array([v for v, each in enumerate(frames) if each.kind == Kind.EULER], np.int64)
    return (Eulers(placed) if placed else None), at
