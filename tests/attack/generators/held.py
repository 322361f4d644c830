# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms held by everything that gives rows: hard limits with restitution, couplings, drives, prescribed motion.

Trees of every joint kind and linkages. Whatever is drawn can be had: each coordinate has one thing that moves it, stops
leave room at the start, and nothing pushes a coordinate against its own stop. So every run has to complete, and to keep
what it is told to round-off (`judge.kept`). Without anything that does work the energy never grows (`judge.no_gain`).
Motors and limits of balls take part as soon as the engine has them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine.random_trees import random_scene
from redmax import io
from redmax.arrays import Array
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS
from redmax.constraints.base import coordinate_problem
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.halves import undivided
from redmax.dynamics.kinematics import kinematics
from redmax.fields import per_dof_values, specs
from redmax.joints import Joint
from redmax.joints.base import SIMULATED
from redmax.joints.free_translation_euler import FreeTranslationEuler
from redmax.joints.spherical_euler import SphericalEuler
from redmax.joints.written_joint import WrittenJoint
from redmax.model import Model
from redmax.scene import Scene
from redmax.tables import Table

from . import linkages
from .settings import simulated, spread

BALL_LIMIT, MOTOR = "ball_limit", "motor"
RATIOS = (-3.0, -1.0, -0.5, 0.25, 1.0, 2.0)
Coordinate = tuple[str, int, float]
"""Joint, number of the coordinate, and where it starts."""


def generate(rng: np.random.Generator) -> dict[str, Any]:
    loops = rng.random() < 0.35
    scene = linkages.planar(rng, int(rng.integers(1, 4))) if loops else tree(rng)
    if loops and rng.random() < 0.3:
        scene = linkages.spatial(rng)
    scene = with_loads(rng, scene)
    free = coordinates(scene, loops=loops)
    data = io.plain(scene)
    data.setdefault("constraints", [])
    given = any(joint.motion_type != SIMULATED for joint in scene.joints)
    if not loops:
        given |= with_rows(rng, data, free)
        with_ball_limits(rng, data)
    elif rng.random() < 0.4 and (able := [coordinate for coordinate in free if can_move(scene, coordinate)]):
        moved = able[int(rng.integers(len(able)))]
        prescribe(rng, data, moved, "motion", reach=0.15)
        if not can_follow(scene, moved, data["constraints"][-1]):
            del data["constraints"][-1]
        given, free = True, []  # a linkage has one freedom or two: nothing is left for stops
    for k, coordinate in enumerate(free):
        if rng.random() < 0.6:
            stop(rng, data, coordinate, k)
    with_bounds(data)
    return simulated(rng, data, duration=1.0, must_hold=True, works=bool(given))


def tree(rng: np.random.Generator) -> Scene:
    """A tree of every joint kind, some of its joints animated or locked."""
    prescribed = 0.2 if rng.random() < 0.3 else 0.0
    settings = {"springs": False, "damping": bool(rng.random() < 0.3), "tables": False}
    count = int(rng.integers(1, 8))
    scene = random_scene(rng, count, chain=bool(rng.random() < 0.4), roots=0.3, prescribed=prescribed, **settings)
    for k, joint in enumerate(scene.joints):
        if has_gimbal_lock(joint):  # where its damping has no bound
            scene.joints[k] = dataclasses.replace(joint, damping=0.0)
    return scene


def has_gimbal_lock(joint: Joint) -> bool:
    """Whether rates of its coordinates have no bound near poses that it passes. Loads act on coordinates as they are
    first written (`loads.own_coordinates`): with qdot = B w, where w is how the child turns, dampers d of Euler angles
    resist by B^T d B w, and B grows as 1 / cos of the middle angle. Steps through such a pose have no end."""
    euler = isinstance(joint, (SphericalEuler, FreeTranslationEuler))
    return euler or (isinstance(joint, WrittenJoint) and joint.has_singularity)


def with_loads(rng: np.random.Generator, scene: Scene) -> Scene:
    """Springs, which do no work of their own."""
    for k, joint in enumerate(scene.joints):
        if joint.ndof and joint.motion_type == SIMULATED and rng.random() < 0.2:
            scene.joints[k] = dataclasses.replace(joint, stiffness=spread(rng, 0.1, 100.0))
    return scene


def coordinates(scene: Scene, *, loops: bool) -> list[Coordinate]:
    """Coordinates that rows can refer to: of simulated joints of the tree, which have one chart.

    The first joint that can carry a body does, so that each further one of the same body closes a loop.
    """
    found: list[Coordinate] = []
    carried: set[str] = set()
    for joint in scene.joints:
        closes = loops and joint.child in carried
        carried.add(joint.child)
        if closes or joint.motion_type != SIMULATED:
            continue
        start = per_dof_values(joint.q, joint.ndof)
        found += [
            (joint.name, k, float(start[k])) for k in range(joint.ndof) if coordinate_problem(joint, k, "") is None
        ]
    return found


def can_move(scene: Scene, coordinate: Coordinate) -> bool:
    """Whether the loops let a coordinate move at the start. A universal joint in a planar chain turns one way only."""
    model = undivided(compile_scene(scene))
    G, moves = loop_rows(model, coordinate, model.initial_state().q)[1:]
    return part_left_free(G, moves) > 0.1


def can_follow(scene: Scene, coordinate: Coordinate, row: dict[str, Any]) -> bool:
    """Whether the loops let a coordinate go as far as a row tells it, and some way beyond, without coming near the end
    of its reach: there any speed of it takes ever faster motions of the others."""
    model = undivided(compile_scene(scene))
    table = Table(x=row["table"]["x"], y=row["table"]["y"], interpolation=row["table"]["interpolation"])
    t = np.linspace(0.0, 2.0, 201)
    path = np.array([table.value(float(x))[0] for x in t])
    path = path - path[0] if row["quantity"] == "position" else np.cumsum(path) * (t[1] - t[0])
    for end in (1.5 * path.min(), 1.5 * path.max()):
        q = model.initial_state().q.copy()
        for step in np.linspace(0.0, end, 9)[1:]:
            for _ in range(4):
                error, G, moves = loop_rows(model, coordinate, q)
                off = coordinate[2] + step - float(moves[0] @ q)
                q += np.linalg.lstsq(np.vstack([G, moves]), np.append(-error, off), rcond=1e-8)[0]
            if part_left_free(G, moves) < 0.05 or np.abs(error).max() > 1e-9 or abs(off) > 1e-9:
                return False
    return True


def loop_rows(model: Model, coordinate: Coordinate, q: Array) -> tuple[Array, Array, Array]:
    """Errors and Jacobian of all loops at q, and the direction (1, nr) of a coordinate."""
    kin = kinematics(model, q, np.zeros(model.dof_count), model.initial_state().chart)
    rows, moves = constraint_rows(model, kin, 0.0, quick=False), np.zeros((1, model.dof_count))
    moves[0, model.columns(model.joint_names.index(coordinate[0])).start + coordinate[1]] = 1.0
    return rows.error, rows.G, moves


def part_left_free(G: Array, moves: Array) -> float:
    """Length of what is left of a direction of unit length among the motions that rows G allow."""
    return float(np.linalg.norm(moves - moves @ np.linalg.pinv(G, rcond=1e-8) @ G))


def with_rows(rng: np.random.Generator, data: dict[str, Any], free: list[Coordinate]) -> bool:
    """Couplings, a drive, prescribed coordinates and motors. What they move is taken out of `free`, except leaders of
    couplings, which may meet stops. Whether something does work."""
    given = False
    order = [free[k] for k in rng.permutation(len(free))]
    taken: list[Coordinate] = []
    if len(order) > 1 and rng.random() < 0.6:
        leader = order.pop()
        for k in range(int(rng.integers(1, min(3, len(order)) + 1))):
            follower = order.pop()
            couple(rng, data, leader, follower, k)
            taken.append(follower)
            leader = follower if rng.random() < 0.5 else leader
    if len(order) > 1 and rng.random() < 0.4:
        taken += drive(rng, data, [order.pop() for _ in range(int(rng.integers(2, len(order) + 1)))])
    if order and rng.random() < 0.4:
        taken.append(order.pop())
        prescribe(rng, data, taken[-1], "motion")
        given = True
    if order and MOTOR in specs(Joint) and rng.random() < 0.5:
        given |= motor(rng, data, order.pop())
    free[:] = [coordinate for coordinate in free if coordinate not in taken]
    return given


def couple(rng: np.random.Generator, data: dict[str, Any], leader: Coordinate, follower: Coordinate, k: int) -> None:
    ratio = float(rng.choice(RATIOS))
    data["constraints"].append(
        {
            "kind": "coupling",
            "name": f"gear {k}",
            "leader": leader[0],
            "leader_coordinate": leader[1],
            "follower": follower[0],
            "follower_coordinate": follower[1],
            "ratio": ratio,
            "offset": follower[2] - ratio * leader[2],
        }
    )


def drive(rng: np.random.Generator, data: dict[str, Any], chosen: list[Coordinate]) -> list[Coordinate]:
    """The first moves the others, by ratios or by a bent curve; or an input of its own moves all. Gives the others."""
    first, followers = chosen[0], chosen[1:]
    if rng.random() < 0.5:
        inputs, start = [{"joint": first[0], "coordinate": first[1]}], first[2]
    else:
        inputs, start, followers = [{"q": 0.1, "armature": 0.1}], 0.1, chosen
    listed = []
    for joint, coordinate, q in followers:
        ratio = float(rng.choice([-1.5, -0.5, 0.3, 1.0, 2.0]))
        follower: dict[str, Any] = {"joint": joint, "coordinate": coordinate, "ratio": ratio}
        x = ratio * start
        if rng.random() < 0.3:
            points = np.linspace(x - 3.0, x + 3.0, 7)
            bent = points + 0.4 * np.sin(points)
            follower["table"] = {"x": points.tolist(), "y": bent[:, None].tolist(), "interpolation": "cubic"}
            x += 0.4 * float(np.sin(x))  # the point in the middle
        listed.append({**follower, "offset": q - x})
        next(item for item in data["joints"] if item["name"] == joint).pop("qdot", None)  # the drive says how it starts
    data["drives"] = [{"name": "drive", "inputs": inputs, "followers": listed}]
    return followers


def prescribe(
    rng: np.random.Generator, data: dict[str, Any], coordinate: Coordinate, name: str, reach: float = 1.0
) -> None:
    """A table over the whole run: positions from where the coordinate starts, velocities or accelerations from 0.

    reach: how far it goes; a linkage cannot be moved anywhere.
    """
    joint, number, q = coordinate
    quantity = str(rng.choice(["position", "position", "velocity", "acceleration"]))
    if reach < 1.0 and quantity == "acceleration":  # with which it would go on at the speed that it starts with
        quantity = "velocity"
    x = np.linspace(0.0, 2.0, int(rng.integers(2, 6)))
    y = np.concatenate([[0.0], np.cumsum(rng.uniform(-0.15, 0.15, len(x) - 1))]) * reach
    y *= {"position": 1.0, "velocity": 2.0, "acceleration": 4.0}[quantity]
    how = str(rng.choice(["linear", "cubic"]))
    table = {"x": x.tolist(), "y": (y + (q if quantity == "position" else 0.0))[:, None].tolist(), "interpolation": how}
    row = {"kind": "joint_motion", "name": name, "joint": joint, "coordinate": number}
    data["constraints"].append({**row, "quantity": quantity, "table": table})


def stop(rng: np.random.Generator, data: dict[str, Any], coordinate: Coordinate, k: int) -> None:
    """Hard stops on both sides or on one, some where the coordinate starts; of the joint, or a constraint."""
    joint, number, q = coordinate
    low, high = (q - (0.0 if rng.random() < 0.15 else spread(rng, 0.01, 1.0)), q + spread(rng, 0.01, 1.0))
    sides = {"lower": low, "upper": high}
    if rng.random() < 0.3:
        del sides[str(rng.choice(["lower", "upper"]))]
    restitution = float(rng.choice([0.0, 0.0, 0.3, 0.8, 1.0]))
    row = {"kind": "joint_limit", "name": f"stop {k}", "joint": joint, "coordinate": number}
    data["constraints"].append({**row, **sides, "restitution": restitution})


def motor(rng: np.random.Generator, data: dict[str, Any], coordinate: Coordinate) -> bool:
    """A motor of a joint with one coordinate. Whether there is one."""
    joint = next(item for item in data["joints"] if item["name"] == coordinate[0])
    if joint["kind"] not in ("revolute", "prismatic", "screw"):
        return False
    target = float(rng.uniform(-3.0, 3.0))
    joint[MOTOR] = {"control": "speed", "target_speed": target, "speed_gain": spread(rng, 0.1, 10.0), "maximum": 5.0}
    return True


def with_ball_limits(rng: np.random.Generator, data: dict[str, Any]) -> None:
    """Swing cones and twist ranges around where balls start."""
    if BALL_LIMIT not in CONSTRAINTS:
        return
    for joint in data["joints"]:
        if joint["kind"] == "spherical" and rng.random() < 0.6 and joint.get("motion_type", SIMULATED) == SIMULATED:
            joint["q"] = [0.0, 0.0, 0.0]
            swings = {"swing_1": spread(rng, 0.1, 1.0), "swing_2": spread(rng, 0.1, 1.0)}
            fields = {"twist_axis": "x", **swings, "twist_lower": -0.5, "twist_upper": 0.5}
            row = {"kind": BALL_LIMIT, "name": f"cone {joint['name']}", "joint": joint["name"], **fields}
            data["constraints"].append(row)


def with_bounds(data: dict[str, Any]) -> None:
    """Half of the stops as fields of their joints, which is how Blender has them; those give nothing back."""
    for row in [row for row in data["constraints"] if row["kind"] == "joint_limit" and not row["restitution"]]:
        joint = next(item for item in data["joints"] if item["name"] == row["joint"])
        if joint["kind"] in ("revolute", "prismatic", "screw") and int(row["name"].split()[1]) % 2:
            joint |= {side: row[side] for side in ("lower", "upper") if side in row}
            data["constraints"].remove(row)
