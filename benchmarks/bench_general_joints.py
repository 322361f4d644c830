# SPDX-License-Identifier: GPL-3.0-or-later
"""General joints: the mechanisms of SG13's Table 1 beside its numbers, a torus chain beside hinges, and Method I.

The paper's times are those of its Method I on a 2.67 GHz Core 2 Quad of 2008, in C++.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.examples.general_joints import revolute_chain, torus_chain, windmill
from redmax.kernels import route
from redmax.model import Model
from redmax.reference.si_guenter_generated import Generated, put_accelerations
from redmax.scene import Scene

from .measure import Options, Row, interleaved_loops

PAPER = {"RC20": 20.0, "RC50": 50.0, "RC100": 112.0, "TC10": 55.0, "TC20": 115.0, "WM": 108.0}
"""Forward dynamics [us], SG13 Table 1, Method I."""
GROUP = "general joints, forward dynamics"
HINGES = 4.0
"""What a torus chain may take, relative to a chain of hinges with as many degrees of freedom."""


def scenes() -> dict[str, Scene]:
    """By their names in the paper. The windmill has no springs there."""
    chains = {f"RC{n}": revolute_chain(n) for n in (20, 50, 100)} | {f"TC{n}": torus_chain(n) for n in (10, 20)}
    mill = windmill()
    bare = [dataclasses.replace(joint, stiffness=0.0, damping=0.0) for joint in mill.joints]
    return chains | {"WM": dataclasses.replace(mill, joints=bare)}


def run(options: Options) -> list[Row]:
    if route.name() != route.NUMBA:
        options.skip(f"general joints: only plain numpy computes here, because {route.why_numpy()}")
        return []
    models = {name: compile_scene(scene) for name, scene in scenes().items()}
    models |= {f"{n} hinges": compile_scene(revolute_chain(n)) for n in (38, 78)}
    loops = {name: repeated(model) for name, model in models.items()}
    loops |= {f"{name}, Method I": generated(models[name]) for name in ("RC20", "TC10")}
    times = interleaved_loops(loops, options.rounds, at_least=options.seconds(0.05, 0.02))

    def row(name: str, value: str, peer: str, theirs: float, limit: float | None, spread: float = 0.0) -> Row:
        ours = times[value]
        return Row(
            GROUP, name, 1e6 * ours.median, "us", peer, theirs, ours.spread, ratio_limit=limit, their_spread=spread
        )

    found = [
        row(f"{name}, {models[name].dof_count} degrees of freedom", name, "SG13 Table 1, on its computer", theirs,
            0.2 if name.startswith("RC") else 1.0)
        for name, theirs in PAPER.items()
    ]  # fmt: skip
    for chain, hinges in (("TC10", "38 hinges"), ("TC20", "78 hinges")):
        other = times[hinges]
        found.append(
            row(f"{chain} beside {hinges}", chain, "ours with hinges", 1e6 * other.median, HINGES, other.spread)
        )
    for name in ("RC20", "TC10"):
        other = times[name]
        title = f"{name} by Method I, one line of operations"
        found.append(row(title, f"{name}, Method I", "ours by Method II", 1e6 * other.median, None, other.spread))
    return found


def state(model: Model) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return model.q0 + rng.uniform(-0.2, 0.2, model.dof_count), rng.uniform(-1.0, 1.0, model.dof_count)


def repeated(model: Model) -> Callable[[int], object]:
    """A function that computes the accelerations of a model so many times."""
    tree = fast.new_tree(model)
    if tree is None:
        raise RuntimeError(f"'{model.name}' does not run compiled")
    q, qdot = state(model)
    return lambda count: tree.repeat(q, qdot, count)


def generated(model: Model) -> Callable[[int], object]:
    """The same by Method I."""
    from numba import njit  # noqa: PLC0415  (not needed where plain numpy computes)

    from redmax.kernels.cache.jit import OPTIONS  # noqa: PLC0415
    from redmax.kernels.cache.same_text import compiled_text  # noqa: PLC0415

    play = compiled_text(put_accelerations)

    def repeat(data, q, qdot, tau, qddot, count):  # type: ignore[no-untyped-def]
        for _ in range(count):
            play(data, q, qdot, tau, qddot)

    quick = njit(**OPTIONS)(repeat)
    data, (q, qdot) = np.array(Generated(model).data), state(model)
    tau, qddot = np.zeros(model.dof_count), np.zeros(model.dof_count)
    return lambda count: quick(data, q, qdot, tau, qddot, count)
