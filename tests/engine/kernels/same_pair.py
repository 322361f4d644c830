# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes with several joints between the same two bodies, and a program that runs them.

`python -m engine.kernels.same_pair [all]` prints one line of JSON per case: its name and how it ended. It is a process
of its own, so that a kernel that writes where it must not kills no test run.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.mechanisms import Builder
from redmax.compile import compile as compile_scene
from redmax.errors import RedMaxError
from redmax.integrators import Dop853, LinearlyImplicitEuler
from redmax.joints import JOINTS, Prismatic, Revolute
from redmax.scene import Scene
from redmax.simulate import simulate
from redmax.spatial import so3
from redmax.tables import Table

PART: dict[str, Any] = {"name": "", "parent": None, "child": "", "axis": (0.0, 0.0, 1.0)}
FIELDS: dict[str, dict[str, Any]] = {
    "revolute": {"axis": (0.0, 0.0, 1.0)},
    "prismatic": {"axis": (0.0, 0.0, 1.0)},
    "screw": {"axis": (0.0, 0.0, 1.0), "pitch": 0.2},
    "composite": {"parts": (Revolute(**PART), Prismatic(**PART))},
}
"""What a kind must be told."""

TILTED = so3.exp(np.array([0.7, -0.4, 0.3]))
PLACES = {
    "coaxial": lambda k: (np.array([0.0, 0.0, 0.4 * k]), np.eye(3)),
    "parallel": lambda k: (np.array([0.3 * k, 0.0, 0.0]), np.eye(3)),
    "tilted": lambda k: (0.4 * k * TILTED[:, 2] + (0.3, 0.1, 0.7), TILTED),
    "skew": lambda k: (np.array([0.1 * k, 0.2 * k, 0.3 * k]), so3.exp(k * np.array([0.3, -0.5, 0.2]))),
}
"""Where the k-th joint of a pair stands and how it is turned."""

SWING = Table(x=(0.0, 0.03, 1.0), y=((0.0,), (0.0,), (0.5,)), interpolation="linear")
"""Begins to move a while after the start."""


def pair(kinds: list[str], place: str, *, on_world: bool, fields: dict[int, dict[str, Any]] | None = None) -> Scene:
    """Joints of these kinds between one pair: a door on the world, or on a frame that swings itself."""
    b = Builder("pair", gravity=(1.0, 2.0, -9.0))
    base = None
    if not on_world:
        base = b.bar("frame", (-0.5, 0.0, -0.5), (0.0, 0.1, 0.5), mass=3.0)
        b.hinge("swing", None, base, (-0.5, 0.2, 0.0), (0.0, 0.6, 0.8), qdot=0.7)
    b.bar("door", (0.0, 0.0, 0.1), (0.9, 0.2, 0.3))
    for k, kind in enumerate(kinds):
        where, R = PLACES[place](k)
        told = FIELDS.get(kind, {}) | (fields or {}).get(k, {})
        if k == 0 and "motion_type" not in told:
            bare = JOINTS[kind](name="", parent=None, child="", **told)
            told = told | {"qdot": tuple(0.4 + 0.1 * i for i in range(bare.ndof))}
        b.joint(kind, f"joint {k}", base, "door", where, R, **told)
    return b.scene


def cases() -> Iterator[tuple[str, Scene]]:
    """Every kind two, three and four times; every kind beside every other; locked and animated ones beside hinges."""
    kinds = [
        cls.kind for cls in JOINTS if not {"path", "first_size"} & {field.name for field in dataclasses.fields(cls)}
    ]
    for kind, count, place, on_world in itertools.product(kinds, (2, 3, 4), PLACES, (True, False)):
        yield f"{count} {kind} {place} {side(on_world)}", pair([kind] * count, place, on_world=on_world)
    for on_world in (True, False):
        yield f"1 revolute tilted {side(on_world)}", pair(["revolute"], "tilted", on_world=on_world)
    for first, second in itertools.permutations(kinds, 2):
        yield f"{first} and {second} on the world", pair([first, second], "coaxial", on_world=True)
    for held, place, k, on_world in itertools.product(("locked", "animated"), PLACES, (0, 1), (True, False)):
        for kind in ("revolute", "prismatic"):
            told = {"motion_type": held} | ({"animation": SWING} if held == "animated" else {})
            scene = pair([kind, kind, "revolute"], place, on_world=on_world, fields={k: told})
            yield f"{kind} {k} {held} of 2 and a hinge {place} {side(on_world)}", scene


def is_ordinary(name: str) -> bool:
    """Whether a case belongs to the few that every test run looks at: coaxial ones, whose loops have no row to keep."""
    pairs = name.startswith("2 ") and name.endswith("coaxial on a moving frame")
    doors = " revolute tilted on" in name and not name.startswith("4")
    return pairs or doors or "a hinge coaxial on the world" in name


def side(on_world: bool) -> str:
    return "on the world" if on_world else "on a moving frame"


def outcome(scene: Scene) -> dict[str, Any]:
    """How a run ends: its status, message and last values; or what was refused."""
    found: dict[str, Any] = {}
    try:
        model = compile_scene(scene)
        for integrator in (Dop853(rtol=1e-9, atol=1e-9), LinearlyImplicitEuler(h=0.05)):
            *_, last = simulate(model, integrator=integrator, fps=20.0, duration=0.1)
            channels = {name: last.channels[name].tolist() for name in ("twist", "energy", "gap", "reaction")}
            channels["loop reaction"] = last.channels["loop_reaction"].tolist()
            found[integrator.kind] = {"status": last.status, "says": last.message, "E": last.E_wb.tolist(), **channels}
    except RedMaxError as error:
        found["refused"] = str(error)
    return found


if __name__ == "__main__":
    for name, scene in cases():
        if sys.argv[1:] == ["all"] or is_ordinary(name):
            print(json.dumps([name, outcome(scene)]), flush=True)
