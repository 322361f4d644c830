# SPDX-License-Identifier: GPL-3.0-or-later
"""The same scene in other words: it must move the same way. Each function changes a scene (parsed JSON) and says how
positions of the changed one are brought back."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .reference.rotations import matrices, quaternion

Array = Any
Back = Callable[[Array], Array]
FORCES = ("torque", "stiffness", "damping", "limit_stiffness", "limit_damping", "force", "peak_force", "linear")
FORCES += ("quadratic", "armature")
REFERENCES = ("parent", "child", "joint", "leader", "follower", "body", "other", "body_a", "body_b")


def renamed(scene: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Back, dict[str, str]]:
    """Other names, and bodies and forces in another order. Joints keep theirs: it chooses the tree."""
    scene = copy.deepcopy(scene)
    names = [item["name"] for key in ("bodies", "joints") for item in scene.get(key, ())]
    new = {name: f"\u00e9 {rng.integers(10**9)} {k}" for k, name in enumerate(dict.fromkeys(names))}

    def change(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: change(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [change(v, key) for v in value]
        return new[value] if key in REFERENCES and value in new else value

    for key in ("bodies", "joints"):
        for item in scene.get(key, ()):
            item["name"] = new[item["name"]]
    for key in ("joints", "forces", "constraints", "strands", "drives"):
        scene[key] = change(scene.get(key, []))
    for key in ("bodies", "forces", "strands"):
        items = scene.get(key, [])
        scene[key] = [items[k] for k in rng.permutation(len(items))]
    return scene, lambda x: x, new


def moved(scene: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Back, dict[str, str]] | None:
    """The whole world turned and moved; None where something is given along the world's axes in a table."""
    scene = copy.deepcopy(scene)
    R = matrices(rng.standard_normal(4))
    x = rng.uniform(-1.0, 1.0, 3)

    def place(p: Any) -> list[float]:
        return (R @ np.array(p, float) + x).tolist()

    def turn(p: Any) -> list[float]:
        return (R @ np.array(p, float)).tolist()

    scene["gravity"] = turn(scene.get("gravity", (0.0, 0.0, -9.81)))
    for joint in scene.get("joints", ()):
        if joint["parent"] is None:
            frame = joint.get("frame_in_parent", {})
            rotation = R @ matrices(np.array(frame.get("rotation", (1, 0, 0, 0)), float))
            joint["frame_in_parent"] = {
                "position": place(frame.get("position", (0, 0, 0))),
                "rotation": quaternion(rotation).tolist(),
            }
    for force in scene.get("forces", ()):
        for side in "ab":
            if f"body_{side}" in force and force[f"body_{side}"] is None:
                force[f"point_{side}"] = place(force.get(f"point_{side}", (0, 0, 0)))
        for point in force.get("points", ()):
            if point["body"] is None:
                point["point"] = place(point.get("point", (0, 0, 0)))
        if force.get("wind"):
            force["wind"] = turn(force["wind"])
        if force.get("table") or force.get("force_table"):
            return None
        if force["kind"] == "point_force":
            force.setdefault("direction", [0.0, 0.0, 1.0])
        if force["kind"] in ("point_force", "wrench") and force.get("axes", "world") == "world":
            for key in ("direction", "torque", "force"):
                if isinstance(force.get(key), list):
                    force[key] = turn(force[key])
    for strand in scene.get("strands", ()):
        strand["nodes"] = [place(p) for p in strand["nodes"]]
        if strand.get("velocities"):
            strand["velocities"] = [turn(v) for v in strand["velocities"]]
    for constraint in scene.get("constraints", ()):
        if constraint["kind"] == "body_motion":
            return None
        if constraint["kind"] == "pin" and constraint.get("other") is None:
            constraint["other_point"] = place(constraint.get("other_point", (0, 0, 0)))
    return scene, lambda p: (p - x) @ R, {}


def heavier(scene: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Back, dict[str, str]]:
    """All masses and all forces times the same number."""
    scene = copy.deepcopy(scene)
    factor = float(2.0 ** rng.integers(-12, 13))

    def times(value: Any) -> Any:
        return [times(v) for v in value] if isinstance(value, list) else value * factor

    def scale(item: dict[str, Any], keys: tuple[str, ...]) -> None:
        for key in keys:
            if item.get(key) is not None:
                item[key] = times(item[key])

    def tables(item: dict[str, Any], keys: tuple[str, ...]) -> None:
        for key in keys:
            if item.get(key):
                scale(item[key], ("y", "slopes"))

    for body in scene.get("bodies", ()):
        scale(body, ("damping",))
        if body.get("inertia"):
            scale(body["inertia"], ("mass", "tensor"))
        for shape in body.get("shapes", ()):
            scale(shape, ("mass", "density"))
    inputs = [given for drive in scene.get("drives", ()) for given in drive.get("inputs", ())]
    for item in [*scene.get("joints", ()), *scene.get("forces", ()), *inputs]:
        scale(item, FORCES)
        tables(item, ("torque_table", "stiffness_table", "force_table", "table"))
        if item.get("kind") == "drag":
            scale(item, ("density",))
            item.setdefault("density", 1.2041 * factor)
    for strand in scene.get("strands", ()):
        scale(strand, ("mass", "node_masses", "stiffness", "damping", "drag"))
    return scene, lambda p: p, {}


CHANGES = {"renamed": renamed, "moved": moved, "heavier": heavier}
