# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of contacts on the bodies' twists, and on the coordinates: how fast two bodies move apart and past each other.

Written to be read, for the classic methods and to check faster rows by (`integrators.contact.placed`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics.jacobians import jacobian
from ..dynamics.kinematics import Kinematics
from ..model import Model
from ..spatial import adjoint, pose


class ContactsAt(NamedTuple):
    """Contacts at one pose. bodies: (m, 2), -1 for the world. points: (m, 2, 3) of both bodies, in the world. axes:
    (m, 3, 3), lines are the normal, from the second body to the first, and two tangents, in the world."""

    bodies: IntArray
    points: Array
    axes: Array


def maximal_rows(model: Model, kin: Kinematics, contacts: ContactsAt) -> Array:
    """(m, 3, 6n) on the twists of the principal frames: speeds of the first body's point less those of the second's.

    For the ground this is N = n^T R Gamma(x), for two bodies both such blocks with opposite signs.
    Source: RBDN eqs. 1.75-1.78.
    """
    return _rows(model, kin, contacts, np.zeros((model.body_count, 6)), rate=False)


def maximal_rows_dot(model: Model, kin: Kinematics, contacts: ContactsAt) -> Array:
    """(m, 3, 6n) the derivative of `maximal_rows` where points move with their bodies and axes stay: R [omega] Gamma.

    Source: RBDN eqs. 2.100 and 2.117.
    """
    return _rows(model, kin, contacts, kin.phi, rate=True)


def _rows(model: Model, kin: Kinematics, contacts: ContactsAt, phi: Array, *, rate: bool) -> Array:
    rows = np.zeros((len(contacts.bodies), 3, model.body_count, 6))
    for i, (pair, points, axes) in enumerate(zip(*contacts, strict=True)):
        for body, x_w, sign in zip(pair.tolist(), points, (1.0, -1.0), strict=True):
            if body < 0:
                continue
            E = kin.E_wi[body]
            x = pose.transform_points(pose.inverse(E), x_w)
            velocity = adjoint.Gamma(x)
            if rate:
                velocity = np.cross(phi[body, :3], velocity.T).T
            rows[i, :, body] += sign * axes @ E[:3, :3] @ velocity
    return np.asarray(rows.reshape(len(rows), 3, -1))


def reduced_rows(model: Model, kin: Kinematics, contacts: ContactsAt) -> Array:
    """(m, 3, nr) on the coordinates: C_m J. Source: RBDN eq. 2.100."""
    J, _ = jacobian(model, kin)
    return np.asarray(maximal_rows(model, kin, contacts) @ J)


def reduced_rows_dot(model: Model, kin: Kinematics, contacts: ContactsAt) -> Array:
    """(m, 3, nr) its derivative, Cdot_m J + C_m Jdot. Source: RBDN eqs. 2.100 and 2.117."""
    J, Jdot = jacobian(model, kin)
    return np.asarray(maximal_rows_dot(model, kin, contacts) @ J + maximal_rows(model, kin, contacts) @ Jdot)
