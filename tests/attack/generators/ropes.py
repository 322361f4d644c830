# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, cables that go slack, strands, muscles, drag and given forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax import io

from .limits import linkage, pendulums
from .settings import direction, simulated, spread


def generate(rng: np.random.Generator) -> dict[str, Any]:
    data = io.plain(pendulums(rng) if rng.random() < 0.7 else linkage(rng))
    names = [body["name"] for body in data["bodies"]]
    forces = [force(rng, k, names) for k in range(int(rng.integers(0, 4)))]
    if rng.random() < 0.4 or not forces:
        data["strands"] = [strand(rng)]
    if forces:
        data["forces"] = forces
    return simulated(rng, data, duration=0.7)


def force(rng: np.random.Generator, number: int, names: list[str]) -> dict[str, Any]:
    kind = str(
        rng.choice(["spring_damper", "cable", "cable", "point_to_point", "point_force", "wrench", "drag", "muscle"])
    )
    body = str(rng.choice(names))
    point = rng.uniform(-0.2, 0.2, 3).tolist()
    stiffness, damping = spread(rng, 1.0, 1e4), float(rng.choice([0.0, 0.5, 5.0]))
    anchor = rng.uniform(-1.5, 1.5, 3).tolist()
    ends = {"body_a": None, "point_a": anchor, "body_b": body, "point_b": point}
    data: dict[str, Any] = {"kind": kind, "name": f"force {number}"}
    if kind == "spring_damper":
        return data | ends | {"stiffness": stiffness, "damping": damping, "rest_length": float(rng.uniform(0.2, 2.0))}
    if kind == "point_to_point":
        return data | ends | {"stiffness": stiffness, "damping": damping}
    if kind == "cable":
        points = [{"body": None, "point": anchor}, {"body": body, "point": point}]
        if rng.random() < 0.3:
            points.insert(1, {"body": None, "point": rng.uniform(-1.0, 1.0, 3).tolist()})
        return data | {
            "points": points,
            "stiffness": stiffness,
            "damping": damping,
            "rest_length": float(rng.uniform(0.5, 2.5)),
        }
    if kind == "drag":
        return data | {
            "body": body,
            "point": point,
            "linear": 0.2,
            "quadratic": 0.3,
            "wind": rng.uniform(-2, 2, 3).tolist(),
        }
    if kind == "muscle":
        settings = {"peak_force": 200.0, "optimal_length": 0.8, "tendon_length": 0.2, "activation": float(rng.random())}
        return data | ends | settings
    axes = str(rng.choice(["world", "body"]))
    if kind == "point_force":
        return data | {
            "body": body,
            "point": point,
            "direction": direction(rng),
            "force": spread(rng, 0.1, 50.0),
            "axes": axes,
        }
    wrench = {"torque": rng.uniform(-2, 2, 3).tolist(), "force": rng.uniform(-5, 5, 3).tolist()}
    return data | {"body": body, "point": point, "axes": axes, **wrench}


def strand(rng: np.random.Generator) -> dict[str, Any]:
    start = np.array([2.0, rng.uniform(-0.5, 0.5), 0.5])
    count = int(rng.integers(2, 7))
    nodes = [(start + 0.15 * k * np.array([1.0, 0.1, 0.0])).tolist() for k in range(count)]
    return {
        "name": "rope",
        "nodes": nodes,
        "mass": spread(rng, 0.01, 1.0),
        "stiffness": spread(rng, 10.0, 1e4),
        "damping": float(rng.choice([0.0, 0.1, 1.0])),
        "pulls_only": bool(rng.random() < 0.5),
        "attachments": [{"node": 0, "body": None}],
    }
