# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre and inertia of the bodies of a scene, from handbook formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rotations import matrices

Array = Any


class CannotError(Exception):
    """The reference has no words for this scene; another oracle must judge it."""


def moments(shape: dict[str, Any]) -> tuple[float, Array, Array]:
    """Volume [m^3], centre (3,) and diagonal inertia (3,) per unit mass about it, in the shape's frame."""
    kind, zero = shape["kind"], np.zeros(3)
    if kind == "box":
        a, b, c = shape["size"]
        return a * b * c, zero, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0
    if kind == "sphere":
        r = shape["radius"]
        return 4.0 / 3.0 * np.pi * r**3, zero, np.full(3, 0.4 * r * r)
    if kind == "ellipsoid":
        a, b, c = shape["radii"]
        return 4.0 / 3.0 * np.pi * a * b * c, zero, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5.0
    if kind == "cylinder":
        r, h = shape["radius"], shape["height"]
        side = (3.0 * r * r + h * h) / 12.0
        return np.pi * r * r * h, zero, np.array([side, side, 0.5 * r * r])
    if kind == "cone":
        r, h = shape["radius"], shape["height"]
        side = 3.0 / 80.0 * (4.0 * r * r + h * h)
        return np.pi * r * r * h / 3.0, np.array([0.0, 0.0, -0.25 * h]), np.array([side, side, 0.3 * r * r])
    if kind == "capsule":
        r, h = shape["radius"], shape["height"]
        tube, ball = np.pi * r * r * h, 4.0 / 3.0 * np.pi * r**3
        about = 0.5 * r * r * tube + 0.4 * r * r * ball
        # A half ball's centre is 3/8 r from its flat side; moments about the middle by Steiner's theorem.
        half = ball * (0.4 * r * r + 0.25 * h * h + 0.375 * r * h)
        side = tube * (3.0 * r * r + h * h) / 12.0 + half
        return tube + ball, zero, np.array([side, side, about]) / (tube + ball)
    raise CannotError(f"shape {kind}")


def body(data: dict[str, Any]) -> tuple[float, Array, Array]:
    """Mass [kg], centre (3,) [m] and inertia (3, 3) about it [kg m^2], in the body's frame."""
    inertia = data.get("inertia")
    if inertia is not None:
        return (
            float(inertia["mass"]),
            np.array(inertia.get("center", (0, 0, 0)), float),
            np.array(inertia.get("tensor", np.zeros((3, 3))), float),
        )
    parts = []
    for shape in data.get("shapes", ()):
        volume, center, per_mass = moments(shape)
        mass = shape["mass"] if shape.get("mass") is not None else shape["density"] * volume
        frame = shape.get("frame", {})
        R = matrices(np.array(frame.get("rotation", (1, 0, 0, 0)), float))
        parts.append((mass, R @ center + frame.get("position", (0, 0, 0)), R @ np.diag(mass * per_mass) @ R.T))
    return together(parts)


def together(parts: list[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    """Mass, centre and inertia of several bodies in one frame."""
    mass = sum(m for m, _, _ in parts)
    if mass == 0.0:
        return 0.0, np.zeros(3), sum((I for _, _, I in parts), np.zeros((3, 3)))
    center = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for m, c, I in parts:
        d = c - center
        total += I + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, center, total
