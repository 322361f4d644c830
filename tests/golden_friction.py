# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden runs with friction, by bilateral staggered projections: steps, loops with friction, spheres on floors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from redmax.arrays import Array
from redmax.dynamics.animation import with_prescribed
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.kinematics import Kinematics, kinematics
from redmax.dynamics.loads import loads
from redmax.integrators.base import FixedStepper
from redmax.model import Model
from redmax.reference.bilateral_projections import (
    External,
    Rubbing,
    Settings,
    cylinder,
    joints_that_rub,
    point_rows,
    rubbing,
    step,
)
from redmax.reference.joint_rows import coordinate_rates
from redmax.spatial import pose
from redmax.state import State

FLOOR, LOOP = "ConstraintFloor", "ConstraintLoop"


class BilateralStepper(FixedStepper):
    """Steps of the reference with friction, its errors put right. description: the golden scene."""

    def __init__(self, model: Model, description: Mapping[str, Any], stretch: float = 1.0) -> None:
        super().__init__(model, model.initial_state(), description["h_euler"] * stretch)
        self.max_turn = math.inf
        self.description, self.friction = description, np.zeros(6 * model.body_count)
        given = description["BiSP"]
        self.settings = Settings(
            most_rounds=round(given["iterMax"]),
            convergence=given["conv"],
            threshold=given["athresh"],
            regularisation=given["reg"],
        )
        self.mu = description["mu_internal_external"]

    def step(self, h: float, t_end: float) -> State:
        model, state = self.model, self.state
        kin = kinematics(model, state.q, state.qdot, state.chart)
        external, loops = self._external(kin, t_end)
        rubs = [*joints_that_rub(model, kin), *loops]
        found = step(
            model, kin, loads(model, kin, t_end), h, rubs, external, friction=self.friction, settings=self.settings
        )
        self.friction = found.friction
        q = state.q + h * found.qdot
        return State(t_end, *with_prescribed(model, t_end, q, found.qdot), state.chart)

    def _external(self, kin: Kinematics, t: float) -> tuple[External, list[Rubbing]]:
        """Equations and floors as the reference holds them, and the contacts of loops."""
        model, n = self.model, self.model.body_count
        G, g, owner, gamma = np.zeros((0, 6 * n)), np.zeros(0), (), model.treatment.gamma
        if model.constraints:
            rows = constraint_rows(model, kin, t)
            on_bodies = np.zeros((len(rows.rate), n, 6))
            for row, body, B in rows.on_bodies:
                on_bodies[row : row + len(B), body] += B
            G, g, owner = on_bodies.reshape(-1, 6 * n), rows.rate - gamma * rows.error, rows.owner
            rates = coordinate_rates(model, kin)
            for row, joint, B in rows.on_joints:
                G[row : row + len(B)] += B @ rates[model.columns(joint)]
        C, c, T = [], [], []
        for entry in self.description.get("constraints") or ():
            if entry["type"] == FLOOR:
                touched = self._floor(kin, entry)
                if touched is not None:
                    room, directions = touched
                    C.append(directions[0])
                    c.append(-gamma * room)
                    T.append(directions[1:])
        external = External(
            G,
            g,
            np.array(C).reshape(-1, 6 * n),
            np.array(c),
            np.array(T).reshape(-1, 2, 6 * n),
            np.full(len(c), self.mu[1]),
        )
        return external, self._loops(kin, owner)

    def _floor(self, kin: Kinematics, entry: Mapping[str, Any]) -> tuple[float, Array] | None:
        """Room of a sphere above its floor, and (3, 6n) rows of its lowest point: upwards, and two along the floor;
        None where it has some."""
        body, n = self.model.body_names.index(entry["body"]), self.model.body_count
        radius = next(each["radius"] for each in self.description["bodies"] if each["name"] == entry["body"])
        E = np.array(entry["E"])
        center = pose.inverse(E) @ kin.E_wi[body][:, 3]
        room = float(center[2]) - radius
        if room >= 0.0:
            return None
        lowest = pose.inverse(kin.E_wi[body]) @ E @ (center - np.array([0.0, 0.0, radius, 0.0]))
        directions = (kin.E_wi[body][:3, :3].T @ E[:3, [2, 0, 1]]).T
        found = np.zeros((3, n, 6))
        found[:, body] = point_rows(np.tile(lowest[:3], (3, 1)), directions)
        return room, found.reshape(3, 6 * n)

    def _loops(self, kin: Kinematics, owner: tuple[int, ...]) -> list[Rubbing]:
        """Contacts of the hinges that close loops: of a cylinder on the first body, about the axis of its joint."""
        model, found = self.model, []
        for number, constraint in enumerate(model.constraints):
            name = constraint.name
            entry = next((each for each in self.description["constraints"] if each["name"] == name), None)
            if entry is None or entry["type"] != LOOP:
                continue
            bodies = tuple(model.body_names.index(entry[side]) for side in ("bodyA", "bodyB"))
            joints = self.description["joints"]
            axis = next(each["axis"] for each in joints if self._body_of(each) == entry["bodyA"])
            E = np.eye(4)
            E[:3, 3] = entry["xA"]
            contacts = cylinder(np.array(axis), entry["radius"], entry["height"]).seen_from(E)
            where = [k for k, each in enumerate(owner) if each == len(model.loops) + number]
            rows = slice(where[0], where[-1] + 1)
            found.append(rubbing(model, kin, bodies, contacts, self.mu[0], rows))
        return found

    def _body_of(self, joint: Mapping[str, Any]) -> str:
        return str(self.description["bodies"][joint["body"]]["name"])
