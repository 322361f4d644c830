# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden runs against the engine: which files there are, what is compared in each and how closely.

The test (`tests/engine/test_goldens.py`) and the table in docs/goldens.md (`tools/golden_table.py`)
both get their numbers from `compare`. What and how closely follows the golden README; |error| is
the largest deviation of an array divided by max(1, largest |entry| of the golden array).
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import golden_friction
import golden_loader
from golden_strands import tied_by_rows
from redmax.arrays import Array
from redmax.compile import compile
from redmax.constraints import reference
from redmax.dynamics.energy import kinetic_energy
from redmax.dynamics.kinematics import Kinematics, body_poses, body_twists, kinematics
from redmax.dynamics.loads import potential_energy
from redmax.integrators import Bdf1, Bdf2, Dop853, FixedStepper, Integrator, LinearlyImplicitEuler, constrained, routes
from redmax.model import Model
from redmax.scene import Scene
from redmax.solvers import quadratic
from redmax.state import State

DEFAULT_FOLDER = Path(__file__).parent / "goldens"
FILE_NAME = re.compile(r"(?P<sort>run|scene)_(?P<id>(?:diff_)?m?\d+)(?:_(?P<integrator>[A-Z0-9_]+))?\.json(?:\.gz)?")

STEPPED_TOLERANCE = 1e-8
"""Fixed steps reproduce the golden's own steps; the golden README's number."""

FRICTION_TOLERANCE = 1e-6
"""Of runs with friction, whose quadratic programs are solved less exactly. The golden README allows 1e-2 of the energy,
for results of other solvers may differ where contacts share a load; these do not."""

CONVERGED_TOLERANCE = 1e-7
"""Converged runs are as good as their integrator; the file says where it is worse. The golden README's number."""

INSTANT_TOLERANCE = 1e-12
"""Accelerations, poses, twists and energies of one given state: rounding only. The golden README's number."""

CONVERGED_RTOL = 1e-10
"""A thousandth of what is allowed."""

NEWTON_RESIDUAL = 1e-9
"""Where the reference stops Newton's method, in its units."""

Alteration = Callable[[Scene], Scene]


class Superseded(Exception):  # noqa: N818  (nothing is wrong)
    """A run as the reference shipped it, with known errors, beside which there is a run without them."""


class ForeignFile(ValueError):  # noqa: N818  (it is the file that is wrong, not a computation)
    """A file in the folder that is not of the golden format, or a run without its scene."""


@dataclass(frozen=True)
class Deviation:
    """How far one quantity is from the golden, and how far it may be; both as said at the top."""

    quantity: str
    error: float
    tolerance: float

    @property
    def passes(self) -> bool:
        """NaN does not pass."""
        return self.error <= self.tolerance


# --- files ---------------------------------------------------------------------------------------


def folder() -> Path:
    """The folder named by REDMAX_GOLDENS, else the one beside this file."""
    return Path(os.environ.get("REDMAX_GOLDENS") or DEFAULT_FOLDER)


def data_files(where: Path) -> dict[str, Path]:
    """Every JSON file of a folder by its name without endings; a plain file wins over its compressed copy."""
    compressed = {path.name.removesuffix(".json.gz"): path for path in sorted(where.glob("*.json.gz"))}
    return compressed | {path.name.removesuffix(".json"): path for path in sorted(where.glob("*.json"))}


def parts_of_name(name: str) -> tuple[str, str, str]:
    """sort ("run" or "scene"), scene id ("003", "diff_m01") and integrator ("" if none) of a file."""
    match = FILE_NAME.fullmatch(name + ".json")
    if match is None or (match["sort"] == "run" and not match["integrator"]):
        raise ForeignFile(f"{name}: not a golden file; expected run_<id>_<integrator> or scene_<id>_<integrator>")
    return match["sort"], match["id"], match["integrator"] or ""


def scene_of_run(files: Mapping[str, Path], name: str) -> Path:
    """The scene a run belongs to. Converged runs have none of their own and follow REDMAX_ODE45 where it exists."""
    _, scene_id, integrator = parts_of_name(name)
    if scene_id.startswith("diff_"):
        candidates = [f"scene_{scene_id}"]
    elif integrator == "ODE_CONVERGED":
        candidates = [f"scene_{scene_id}_{other}" for other in ("REDMAX_ODE45", "RECURS_ODE45", "REDMAX_EULER")]
    else:
        candidates = [f"scene_{scene_id}_{integrator.removesuffix('_FIXED')}"]
    for candidate in candidates:
        if candidate in files:
            return files[candidate]
    raise ForeignFile(f"{name}: its scene {candidates[0]} is not in the folder")


# --- comparing -----------------------------------------------------------------------------------


def compare(
    files: Mapping[str, Path], name: str, *, alter: Alteration | None = None, stretch: float = 1.0
) -> list[Deviation]:
    """All comparisons of one run.

    Raises MissingFeature where the engine cannot run it, Superseded where a corrected run exists, ForeignFile
    for a stray file.
    alter, stretch: a planted error, to see the comparison fail: a change of the scene, a factor on all times.
    """
    _, scene_id, integrator = parts_of_name(name)
    if f"{name}_FIXED" in files:
        raise Superseded("as shipped, with known errors of the reference; the _FIXED run is compared instead")
    kind = integrator.removesuffix("_FIXED")
    if kind not in COMPARISONS:
        raise ForeignFile(f"{name}: unknown integrator {integrator}")
    golden, scene_path = golden_loader.read(files[name]), scene_of_run(files, name)
    description = golden_loader.read(scene_path)
    scene = golden_loader.convert(description, diff=scene_id.startswith("diff_"))
    scene = scene if alter is None else alter(scene)
    rows = kind == "REDMAX_EULER" and scene.strands  # the reference ties strands by rows; converged runs need not know
    model = tied_by_rows(scene) if rows else compile(scene)
    if not scene_id.startswith("diff_"):
        alpha, beta, gamma = description["baumgarte_alpha_beta_gamma"]
        model = dataclasses.replace(model, treatment=reference(alpha=alpha, beta=beta, gamma=gamma))
    order = [[joint.child for joint in scene.joints].index(body) for body in model.body_names[: model.shown]]
    run = GoldenRun(golden, description, model, order, kind, stretch)
    return list(COMPARISONS[kind](run))


@dataclass(frozen=True, eq=False)
class GoldenRun:
    """One golden run beside the model of its scene. Arrays of the golden are returned in the model's order.

    order: number of the golden's joint, and of its body, for each joint of the model; nodes of strands, which the model
    has after them, are compared as positions.
    """

    golden: Mapping[str, Any]
    description: Mapping[str, Any]
    model: Model
    order: list[int]
    integrator: str
    stretch: float

    def coordinates(self, name: str) -> Array:
        """q or qdot, (steps, nr)."""
        return np.array([self.flat(row) for row in self.golden[name]])

    def flat(self, per_joint: Sequence[Sequence[float]]) -> Array:
        """(nr,) of a list with the coordinates of each of the golden's joints."""
        return np.array([value for k in self.order for value in per_joint[k]], np.float64)

    def bodies(self, name: str) -> Array:
        """E_world_body or twist_body, (samples, n, ...)."""
        return np.array(self.golden[name], np.float64)[:, self.order]

    def chart(self, joint: int, step: int) -> int:
        """The golden's chart of a joint; 0, our name for the scene's own, where that is meant."""
        own = self.description["joints"][self.order[joint]].get("chart")
        charts = self.golden.get("euler_chart_per_joint_step")
        per_step = (charts[self.order[joint]] if charts else None) or [own]
        # The list has no entry for the start: entry k holds for step k + 1, before which the chart was chosen.
        chart = own if step == 0 else per_step[min(step, len(per_step)) - 1]
        return 0 if chart == own else round(chart)

    def samples(self) -> list[int]:
        """Steps at which the golden gives poses."""
        return [int(step) for step in self.golden.get("sample_steps", range(len(self.golden["t"])))]

    def written_like_golden(self, state: State, step: int, q_golden: Array) -> State:
        """The state in the golden's chart, so that coordinates can be compared."""
        q, qdot, chart = state.q.copy(), state.qdot.copy(), state.chart.copy()
        for j, joint in enumerate(self.model.joints[: self.model.shown]):
            columns, chart[j] = self.model.columns(j), self.chart(j, step)
            q[columns], qdot[columns] = joint.rewrite(
                q[columns], qdot[columns], int(state.chart[j]), chart_like=int(chart[j]), q_like=q_golden[columns]
            )
        return State(state.t, q, qdot, chart)

    def nodes(self) -> Array | None:
        """(samples, nodes, 3) of all strands, or None."""
        if not self.model.strands:
            return None
        rows = self.golden.get("node_x_flat") or [
            [x for strand in sample for node in strand for x in node] for sample in self.golden["node_x"]
        ]
        return np.array(rows, np.float64).reshape(len(rows), -1, 3)

    def weight_of_the_world(self) -> float:
        """Potential energy of nodes that are fixed to the world, which only the golden counts."""
        energy = 0.0
        for entry, strand in zip(self.description.get("deformables") or (), self.model.strands, strict=True):
            heights = np.array(entry["nodesX"])[strand.owners < 0] @ np.array(self.description["gravity"])
            energy -= entry["mass"] / len(strand.owners) * float(heights.sum())
        return energy

    def simulated(self, integrator: Integrator) -> list[State]:
        """Our states at the golden's times, in the golden's charts."""
        stepper = integrator.begin(self.model, self.model.initial_state())
        if isinstance(stepper, FixedStepper):
            stepper.max_turn = math.inf  # the reference never divides a step
        q_golden = self.coordinates("q")
        states = [stepper.state]
        for t in self.golden["t"][1:]:
            states.append(stepper.advance(t * self.stretch))
        return [self.written_like_golden(state, k, q_golden[k]) for k, state in enumerate(states)]


def poses_at_start(scene: Scene) -> Array:
    """E_world_body, (n, 4, 4), of the scene's bodies in the scene's order."""
    model = compile(scene)
    poses = body_poses(model, kinematics(model, model.q0, model.qdot0))
    return poses[[model.body_names.index(body.name) for body in scene.bodies]]


def stepped(run: GoldenRun) -> Iterator[Deviation]:
    """Fixed steps: the same method from the same start gives the same numbers at every step."""
    if run.description.get("friction_on"):
        yield from with_friction(run)
        return
    if run.integrator == "REDMAX_EULER":
        integrator: Integrator = LinearlyImplicitEuler(h=run.description["h_euler"] * run.stretch)
    else:
        method = Bdf1 if run.integrator == "BDF1" else Bdf2
        integrator = method(h=run.description["h"] * run.stretch, residual_tolerance=NEWTON_RESIDUAL)
    states = run.simulated(integrator)
    yield from _trajectory(run, states, np.full(len(states), STEPPED_TOLERANCE), coordinates=True)


def with_friction(run: GoldenRun) -> Iterator[Deviation]:
    """Steps by bilateral staggered projections; MissingFeature without what solves their quadratic programs."""
    if not quadratic.is_here():
        raise golden_loader.MissingFeature(f"the wheel {quadratic.WHEEL}, which is optional")
    stepper = golden_friction.BilateralStepper(run.model, run.description, run.stretch)
    q_golden = run.coordinates("q")
    states = [stepper.state]
    for t in run.golden["t"][1:]:
        states.append(stepper.advance(t * run.stretch))
    states = [run.written_like_golden(state, k, q_golden[k]) for k, state in enumerate(states)]
    yield from _trajectory(run, states, np.full(len(states), FRICTION_TOLERANCE), coordinates=True)


def converged(run: GoldenRun) -> Iterator[Deviation]:
    """Continuous time: our DOP853 against the golden's. In scene 3 the golden's q pass near 2 pi, so poses decide."""
    states = run.simulated(Dop853(rtol=CONVERGED_RTOL, atol=CONVERGED_RTOL))
    # The file's own error grows along the run; where two runs cross by chance it is not smaller.
    tolerance = np.maximum.accumulate(np.maximum(CONVERGED_TOLERANCE, run.golden["abs_diff_to_rtol1e_9_run"]))
    yield from _trajectory(run, states, tolerance, coordinates=not _near_full_turn(run))


def _near_full_turn(run: GoldenRun) -> bool:
    """Whether a ball's rotation vector comes so near 2 pi that errors in q are magnified."""
    balls = [k for k, joint in enumerate(run.description["joints"]) if joint["type"] == "JointSphericalExp"]
    return any(np.linalg.norm(row[k]) > 1.5 * np.pi for row in run.golden["q"] for k in balls)


def instants(run: GoldenRun) -> Iterator[Deviation]:
    """Accelerations at the start by each formulation; poses, twists and energies at the golden's own states.

    The golden's adaptive steps cannot be reproduced, but each of its states can be looked at.
    """
    start = run.model.initial_state()
    prescribed = np.zeros(run.model.dof_count)
    if run.model.prescribed.any():  # only scene 9 is both loaded and prescribed: its joint 0, one coordinate
        prescribed[run.model.prescribed] = golden_loader.logistic_of_scene_9(0.0)[2]
    golden = run.flat(run.golden["qddot_t0"])
    constraints = constrained.begin(run.model)
    for name in routes.FORMULATIONS:
        route = routes.begin(run.model, name, constraints)
        qddot = route.accelerations(route.at(0.0, start.q, start.qdot, start.chart, prescribed))
        yield _deviation(f"qddot_t0 ({name})", qddot[None, : len(golden)], golden[None], np.array([INSTANT_TOLERANCE]))
    if run.model.strands:  # the golden does not say how fast their nodes are
        return
    q, qdot = run.coordinates("q"), run.coordinates("qdot")
    states = [State(t, q[k], qdot[k], start.chart) for k, t in enumerate(run.golden["t"])]
    yield from _trajectory(run, states, np.full(len(states), INSTANT_TOLERANCE), coordinates=False)


def _trajectory(run: GoldenRun, states: list[State], tolerance: Array, *, coordinates: bool) -> Iterator[Deviation]:
    """Deviations of states (steps,) from the golden's; tolerance: (steps,)."""
    model, samples = run.model, run.samples()
    motion = [kinematics(model, state.q, state.qdot, state.chart) for state in states]
    own, nr = model.shown, int(model.dof[model.shown])
    if coordinates:
        yield _deviation("q", np.array([state.q[:nr] for state in states]), run.coordinates("q"), tolerance)
        yield _deviation("qdot", np.array([state.qdot[:nr] for state in states]), run.coordinates("qdot"), tolerance)
    nodes = run.nodes()
    if nodes is not None:
        frames = [body_poses(model, motion[step]) for step in samples]
        ours = np.array([np.concatenate([strand.positions(E) for strand in model.strands]) for E in frames])
        yield _deviation("nodes", ours, nodes, tolerance[samples])
    for name, quantity in (("E_world_body", body_poses), ("twist_body", body_twists)):
        if name in run.golden:
            ours = np.array([quantity(model, motion[step])[:own] for step in samples])
            yield _deviation(name, ours, run.bodies(name), tolerance[samples])
    energies: dict[str, Callable[[Model, Kinematics], float]] = {"T": kinetic_energy, "V": potential_energy}
    for name, energy in energies.items():
        ours = np.array([energy(model, kin) for kin in motion])
        if name == "V":
            ours = ours + run.weight_of_the_world()
        yield _deviation(name, ours, np.array(run.golden[name]), tolerance)
    if "H_end" in run.golden and coordinates:
        T, V = np.array(run.golden["T"]), np.array(run.golden["V"])
        H = kinetic_energy(model, motion[-1]) + potential_energy(model, motion[-1]) - potential_energy(model, motion[0])
        scale = max(1.0, np.abs(T).max(), np.abs(V).max())  # H is a difference of these
        yield Deviation("H_end", abs(H - run.golden["H_end"]) / scale, float(tolerance[-1]))


def _deviation(quantity: str, ours: Array, golden: Array, tolerance: Array) -> Deviation:
    """The sample that uses most of its tolerance; ours, golden: (samples, ...), tolerance: (samples,)."""
    if ours.shape != golden.shape:
        raise ValueError(f"{quantity}: shape {ours.shape}, golden {golden.shape}")
    if golden.size == 0:
        return Deviation(quantity, 0.0, float(tolerance.max()))
    scale = max(1.0, float(np.abs(golden).max()))
    errors = np.abs(ours - golden).reshape(len(golden), -1).max(axis=1) / scale
    worst = int(np.argmax(np.where(np.isnan(errors), np.inf, errors / tolerance)))
    return Deviation(quantity, float(errors[worst]), float(tolerance[worst]))


COMPARISONS: dict[str, Callable[[GoldenRun], Iterator[Deviation]]] = {
    "REDMAX_EULER": stepped,
    "BDF1": stepped,
    "BDF2": stepped,
    "ODE_CONVERGED": converged,
    "REDMAX_ODE45": instants,
    "RECURS_ODE45": instants,
}
"""How each integrator of the golden runs is compared; another one is a foreign file."""
