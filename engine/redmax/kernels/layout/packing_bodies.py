# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies as kernels read them: numbers, place in the tree, and the work space that never changes."""

from __future__ import annotations

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...joints.primitives import POSITION
from ...joints.trusted import trusted_primitives
from ...model import Model
from . import codes
from .declaration import Body, Column, Link, Work

SAME_DIRECTION = 1e-14
"""Directions that differ by no more than this [rad] differ by rounding only."""


def roles(parent: IntArray, ndof: IntArray) -> IntArray:
    """(n,) `Link.ROLE` of each body. parent: (n,) or -1. ndof: (n,) number of coordinates of its joint."""
    n = len(parent)
    last = np.full(n + 1, -1, np.int64)
    last[parent] = np.arange(n)  # of those with the same parent the last remains
    rests = np.append(ndof == 0, True)
    for j, p in enumerate(parent.tolist()):
        rests[j] &= rests[p]
    role = np.zeros(n, np.int64)
    role[last[:n] < 0] += codes.LEAF
    role[last[parent] == np.arange(n)] += codes.LAST_CHILD
    role[rests[:n]] += codes.AT_REST
    role[rests[parent]] += codes.ON_REST
    return role


def constant_work(links: IntArray, bodies: Array) -> Array:
    """(n + 1, Work.SIZE) work space of the world and the bodies. Of hinges it has what never changes: their position,
    and of parallel ones the last row of the rotation; of particles the rotation."""
    rows = np.zeros((len(links) + 1, Work.SIZE))
    constant = is_hinge(links) | (links[:, Link.MODE] == codes.PARTICLE)
    for field, at_rest in (("R", "R0"), ("P", "P0")):
        rows[1:][constant, Work.span(field)] = bodies[constant, Body.span(at_rest)]
    return rows


def columns_of_s(links: IntArray, nr: int) -> Array:
    """(nr, Column.SIZE) work space of the coordinates, with the constant S of hinges and particles."""
    rows = np.zeros((nr, Column.SIZE))
    particles = links[links[:, Link.MODE] == codes.PARTICLE, Link.DOF]
    for axis in range(3):
        rows[particles + axis, Column.S + 3 + axis] = 1.0
    rows[links[is_hinge(links), Link.DOF], Column.S + 2] = 1.0
    return rows


def is_hinge(links: IntArray) -> BoolArray:
    """(n,) whether the joint of a body is a hinge."""
    return np.asarray((links[:, Link.MODE] == codes.HINGE) | (links[:, Link.MODE] == codes.PARALLEL))


def mark_particles(model: Model, links: IntArray, bodies: Array) -> None:
    """Mark bodies that only translate in the world, about whose centre of mass nothing has to be known."""
    for j, joint in enumerate(model.joints):
        alone = links[j, Link.PARENT] < 0 and links[j, Link.ROLE] & codes.LEAF
        if alone and not bodies[j, Body.span("CENTER")].any() and trusted_primitives(joint) == POSITION:
            links[j, Link.MODE] = codes.PARTICLE


def mark_parallel_hinges(links: IntArray, bodies: Array) -> None:
    """Mark hinges whose axis is parallel to that of their parent's hinge, and make their `Body.R0` exactly so."""
    hinges = np.append(is_hinge(links), False)
    R0 = bodies[:, Body.span("R0")]
    tilt = np.abs(R0[:, [2, 5, 6, 7]]).max(axis=1, initial=0.0)
    parallel = hinges[:-1] & hinges[links[:, Link.PARENT]] & (tilt <= SAME_DIRECTION) & (R0[:, 8] > 0.0)
    links[parallel, Link.MODE] = codes.PARALLEL
    x, y = R0[parallel, 0], R0[parallel, 3]
    zero, one = np.zeros_like(x), np.ones_like(x)
    R0[parallel] = np.stack([x, -y, zero, y, x, zero, zero, zero, one], axis=1)


def is_planar(links: IntArray) -> bool:
    """Whether every moving body has a simulated hinge, on a body at rest or parallel to its parent's hinge."""
    mode, role = links[:, Link.MODE], links[:, Link.ROLE]
    on_rest = (mode == codes.HINGE) & (role & codes.ON_REST != 0)
    in_plane = (mode == codes.PARALLEL) | on_rest | (role & codes.AT_REST != 0)
    return bool(in_plane.all() and not links[:, Link.PRESCRIBED].any())


def rotation_to(axis: tuple[float, float, float]) -> Array:
    """(3, 3) the rotation of least angle that takes z to a unit axis."""
    x, y, z = axis
    if z < -0.5:  # half a turn about x first: 1 / (1 + z) would lose digits
        return np.diag([1.0, -1.0, -1.0]) @ rotation_to((x, -y, -z))
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])


def fill_bodies(model: Model, bodies: Array, tilts: Array) -> None:
    """Write (n, Body.SIZE) bodies. tilts: (n, 3, 3) kernels' joint frames in the model's."""
    n = model.body_count
    back = np.swapaxes(tilts, 1, 2)
    R, c, m = back @ model.E_ji[:, :3, :3], (back @ model.E_ji[:, :3, 3:])[:, :, 0], model.inertia[:, 3]
    parent_back = np.concatenate([back, np.eye(3)[None]])[model.parent]
    # Steiner: I about the joint frame's origin, in the joint frame
    I = R @ (model.inertia[:, :3, None] * np.swapaxes(R, 1, 2))
    I += m[:, None, None] * ((c * c).sum(axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :])
    bodies[:, Body.span("R0")] = (parent_back @ model.E_pj0[:, :3, :3] @ tilts).reshape(n, 9)
    bodies[:, Body.span("P0")] = (parent_back @ model.E_pj0[:, :3, 3:])[:, :, 0]
    bodies[:, Body.MASS] = m
    bodies[:, Body.span("MOMENT")] = m[:, None] * c
    bodies[:, Body.span("INERTIA")] = I.reshape(n, 9)[:, [0, 1, 2, 4, 5, 8]]
    bodies[:, Body.span("CENTER")] = c
    bodies[:, Body.DAMPING] = model.body_damping
    E_jb = model.E_ji @ model.E_ib
    bodies[:, Body.span("R_JB")] = (back @ E_jb[:, :3, :3]).reshape(n, 9)
    bodies[:, Body.span("P_JB")] = (back @ E_jb[:, :3, 3:])[:, :, 0]
    bodies[:, Body.span("TILT")] = tilts.reshape(n, 9)
