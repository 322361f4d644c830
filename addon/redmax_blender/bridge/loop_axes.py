# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of the hinges in loops: those that are nearly parallel are meant to be."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._engine import arrays, quaternion
from .mechanisms import Mechanism, structure
from .straight_axes import PARALLEL, angles

Array = arrays.Array

NEARLY = np.radians(10.0)
"""Hinges whose axes differ by less are meant to be parallel."""


def axes(made: Any, mechanism: Mechanism) -> dict[str, Array]:
    """Axis of every hinge of a mechanism in the world as modelled, by name of the joint."""
    names = set(mechanism.joints)
    where = _rotations(made)
    found = {}
    for joint in made.joints:
        if joint.name in names and joint.kind == "revolute":
            R_wp = np.eye(3) if joint.parent is None else where[joint.parent]
            R_pj = quaternion.to_matrix(np.array(joint.frame_in_parent.rotation))
            axis = R_wp @ R_pj @ np.array(joint.axis, np.float64)
            found[joint.name] = axis / np.linalg.norm(axis)
    return found


def _rotations(made: Any) -> dict[str, Array]:
    """Rotation of every body that a chain of joints places, as modelled."""
    found: dict[str, Array] = {}
    for joint in structure(made).carried_by.values():  # parents come before their children
        R_wp = np.eye(3) if joint.parent is None else found[joint.parent]
        R_pj = quaternion.to_matrix(np.array(joint.frame_in_parent.rotation))
        R_cj = quaternion.to_matrix(np.array(joint.frame_in_child.rotation))
        found[joint.child] = R_wp @ R_pj @ R_cj.T
    return found


def askew(made: Any, mechanism: Mechanism) -> dict[str, Array]:
    """Hinges that are not quite parallel to the axis that most of them nearly have, with that axis."""
    found = axes(made, mechanism)
    if len(found) < 2:
        return {}
    directions = np.array(list(found.values()))
    # Of several directions the one that most hinges have exactly, so that as few as possible are turned.
    best = max(directions, key=lambda axis: _alike(angles(directions, axis)))
    apart = angles(directions, best)
    return {
        name: best if axis @ best > 0.0 else -best
        for name, axis, off in zip(found, directions, apart, strict=True)
        if PARALLEL < off < NEARLY
    }


def _alike(apart: Array) -> tuple[int, int]:
    """How many directions nearly are another one, and how many of them are, by the angles between."""
    return int((apart < NEARLY).sum()), int((apart < PARALLEL).sum())
