# SPDX-License-Identifier: GPL-3.0-or-later
"""What came of a case, in one word, and why.

A run that completes is right when it is as near to the reference as its accuracy promises, its loops are closed, its
energy books balance and the same scene in other words moves the same way. Errors grow where a mechanism is chaotic, so
the reference is run twice, the second time with its start changed a little: what that does to the answer scales the
bound, and where nothing could be told any more the comparison ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from . import closed_forms, invariance
from .process import Worker

OK, REFUSED, SAID, SLOW = "ok", "refused", "said so", "slow"
WRONG, UNNAMED, CRASH, HANG, TRACEBACK = "WRONG", "UNNAMED", "CRASH", "HANG", "TRACEBACK"
ENDED = "ENDED"
VERDICTS = (OK, REFUSED, SAID, SLOW, WRONG, ENDED, UNNAMED, CRASH, HANG, TRACEBACK)
FAILURES = (WRONG, ENDED, UNNAMED, CRASH, HANG, TRACEBACK)

PROMISED = {"draft": 3e-3, "standard": 1e-4, "high": 1e-6}
"""Largest error of a place, as part of the size: what docs/simulating.md says in words."""

BOOKS = {"draft": 3e-2, "standard": 1e-4, "high": 1e-6}
"""Largest remainder of the energy balance, as part of the energies in play."""

GAP = 1e-8
"""Largest gap of a loop, as part of the size, or [rad]."""

KEPT = 1e-9
"""How far a hard limit may be passed, or a coupling, a linear drive or a prescribed motion be off [rad or m]."""

SHAKE = 1e-7
"""Change of the start, in sizes and radians, by which the growth of errors is measured."""

LOST = 0.05
"""Where errors of the promised size would grow beyond this part of the size, nothing can be compared."""

SIDES = ("frame_in_parent", "frame_in_child")

ONE_COORDINATE = ("revolute", "prismatic", "screw")

HOW_IT_WAS_MADE = ("stiff",)
"""Codes of notes that say how a run was made, and nothing of how good it is."""


@dataclass(frozen=True)
class Verdict:
    """name: one of VERDICTS. detail: why, for people. oracle: what the answer was compared with."""

    name: str
    detail: str = ""
    oracle: str = ""

    @property
    def failed(self) -> bool:
        return self.name in FAILURES


class Judge:
    """Judges cases with workers of its own. seconds: what the reference may take for one run."""

    def __init__(self, seconds: float = 15.0) -> None:
        self.seconds = seconds
        self.numba, self.numpy, self.independent = Worker(), Worker("numpy"), Worker("numpy")

    def close(self) -> None:
        for worker in (self.numba, self.numpy, self.independent):
            worker.stop()

    def judge(self, case: dict[str, Any]) -> Verdict:
        """What comes of a case."""
        worker = self.numpy if case.get("route") == "numpy" else self.numba
        answer = worker.ask(case)
        early = ended_early(case, answer)
        if early is not None:
            return early
        if case["op"] != "simulate":
            return Verdict(OK, "read" if case["op"] == "result" else "simulated")
        return self.judge_run(case, answer)

    def judge_run(self, case: dict[str, Any], run: dict[str, Any]) -> Verdict:
        """Whether a run that completed is right."""
        wrong, oracles = "", []
        by_itself = (finite, closed_loops, books, kept, no_gain)
        others = (self.against_closed_form, self.against_reference, self.in_other_words)
        for oracle in (*by_itself, *(() if case.get("must_hold") else others)):
            found, used = oracle(case, run)
            oracles += [used] if used else []
            if found:
                wrong = found
                break
        if not wrong:
            return Verdict(OK, "", ", ".join(oracles))
        if case.get("must_hold"):  # what it says of itself does not count
            return Verdict(WRONG, f"{wrong}; {excuse(run)}".strip("; "), oracles[-1])
        return Verdict(SAID if excuse(run) else WRONG, f"{wrong}; {excuse(run)}".strip("; "), oracles[-1])

    # --- oracles: what is wrong (empty if nothing), and what was looked at (empty if it could not be) ----------------

    def against_closed_form(self, case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
        known = case.get("closed_form")
        if not known:
            return "", ""
        t = np.array(run["t"])
        places = closed_forms.windows(t, count=known["windows"], angle=known["angle"], speed=known["speed"])
        error = np.zeros(len(t))
        for name, place in places.items():
            found = np.array(run["position"])[:, run["bodies"].index(name)]
            error = np.maximum(error, np.linalg.norm(found - place, axis=1))
        # Near its upper equilibrium errors grow like those of a pendulum standing on its head.
        bound = PROMISED[case["accuracy"]] * 2.0 * np.exp(2.0 * t)
        return exceeds(error, bound, t, "from the pendulum it moves like"), "closed form"

    def reference(self, case: dict[str, Any], times: list[float], **settings: Any) -> dict[str, Any]:
        request = {"op": "reference", "scene": case["scene"], "times": times, "seconds": self.seconds, **settings}
        return self.independent.ask(request, patience=3.0 * self.seconds, longest=3.0 * self.seconds)

    def against_reference(self, case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
        """Places compared with the independent integrator."""
        if len(run["t"]) < 2:
            return "", ""
        true = self.reference(case, run["t"])
        if true["end"] != "found" or true["trusted"] < 2:
            return "", f"no reference ({true.get('why') or true['message']})"
        shaken = self.reference(case, run["t"], shake=SHAKE)
        if shaken["end"] != "found":
            return "", f"no reference ({shaken['message']})"
        t, error, bound = self.compared(case, run, true, shaken)
        wrong = exceeds(error, bound, t, "from the reference")
        if wrong:  # the reference must be sure of itself
            other = self.reference(case, run["t"], rtol=1e-8)
            if other["end"] != "found":
                return "", f"no reference ({other['message']})"
            count = min(len(t), other["trusted"])
            own = distance(true, other, count)
            if (own > 0.1 * bound[:count]).any():
                return "", "no reference (it is not sure of itself)"
            wrong = exceeds(error[:count], bound[:count], t[:count], "from the reference")
        return wrong, "reference" if len(t) > 0.5 * len(run["t"]) else "reference (less than half)"

    def compared(self, case: dict[str, Any], run: dict[str, Any], true: dict[str, Any], shaken: dict[str, Any]) -> Any:
        """Times, errors and bounds (k,) of the samples that can be compared [s, m, m]."""
        count = min(true["trusted"], shaken["trusted"], len(run["t"]))
        size = extent(true, count)
        growth = np.maximum.accumulate(distance(true, shaken, count)) / (SHAKE * size)
        bound = PROMISED[case["accuracy"]] * size * np.maximum(1.0, growth)
        told = int(np.argmax(bound > LOST * size)) if (bound > LOST * size).any() else count
        return np.array(run["t"])[:told], distance(run, true, told), bound[:told]

    def in_other_words(self, case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
        """The other route, or a changed scene, chosen by the seed; compared where errors had no time to grow."""
        rng = np.random.default_rng(case.get("seed", 0))
        how = str(rng.choice(["route", *invariance.CHANGES]))
        request = dict(case)
        back, names = (lambda x: x), {}
        if how != "route":
            changed = invariance.CHANGES[how](case["scene"], rng)
            if changed is None:
                return "", ""
            request["scene"], back, names = changed
        other = (self.numpy if how == "route" else self.numba).ask(request)
        if other["end"] in ("crash", "traceback"):
            return f"{how}: {other['end']}: {other['message'][-300:]}", how
        if other["end"] != "ran" or other["status"] != "complete":
            return "", ""
        t = np.array(run["t"])
        count = int((t <= t[0] + 0.25).sum())
        order = [other["bodies"].index(names.get(name, name)) for name in run["bodies"]]
        a, b = np.array(run["position"])[:count], back(np.array(other["position"])[:count][:, order])
        size = max(extent(run, count), measures(case["scene"]))
        error = np.linalg.norm(a - b, axis=2).max(axis=1, initial=0.0)
        bound = np.full(count, 30.0 * PROMISED[case["accuracy"]] * size)
        return exceeds(error, bound, t[:count], f"from itself ({how})"), how


def ended_early(case: dict[str, Any], answer: dict[str, Any]) -> Verdict | None:
    """The verdict on what did not complete; None for what did."""
    end, message = answer["end"], answer.get("message", "")
    if case.get("must_hold") and (end in ("refused", "slow") or answer.get("status", "complete") != "complete"):
        return Verdict(ENDED, message)
    simple = {"crash": CRASH, "hang": HANG, "slow": SLOW, "traceback": TRACEBACK, "refused": REFUSED}
    if end in simple:
        if end == "refused" and not message:
            return Verdict(UNNAMED, "refused without a word")
        return Verdict(simple[end], message)
    if end == "read":
        return None if answer["sound"] else Verdict(WRONG, "a result with numbers that are none was read")
    if answer["status"] != "complete":
        return Verdict(SAID if names_something(case, answer) else UNNAMED, message)
    return None


def names_something(case: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether a message names an element of the scene."""
    if "scene" not in case:
        return bool(answer["message"])
    lists = ("bodies", "joints", "forces", "constraints", "strands", "drives")
    names = {item["name"] for key in lists for item in case["scene"].get(key, ())}
    return any(f"'{name}'" in answer["message"] for name in names)


def excuse(run: dict[str, Any]) -> str:
    """What the run itself says of how good it is: its message, remarks and notes, but not how it was made."""
    meta = run["meta"]
    notes = [note["code"] for note in meta.get("notes", ()) if note["code"] not in HOW_IT_WAS_MADE]
    said = [run.get("message", ""), *(remark["what"] for remark in meta.get("remarks", ())), *notes]
    return "; ".join(filter(None, said))


def finite(case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    sound = all(np.isfinite(np.array(run[name], float)).all() for name in ("t", "position", "rotation", "kinetic"))
    return ("" if sound else "a place or an energy is not finite"), "finite"


def closed_loops(case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    gap = np.array(run.get("gap", []), float)
    if gap.size == 0:
        return "", ""
    angle, distance_ = (
        gap[..., 0].max(),
        gap[..., 1].max() / max(extent(run, len(run["t"])), measures(case.get("scene", {}))),
    )
    return (
        f"loops are open by {angle:.1e} rad, {distance_:.1e} of the size" if max(angle, distance_) > GAP else ""
    ), "gap"


def books(case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    energy, work, loss, kinetic = (np.array(run[name], float) for name in ("energy", "work", "loss", "kinetic"))
    if not (np.isfinite(work).all() and np.isfinite(loss).all()):
        return "", ""
    remainder = np.abs((energy - energy[0]) - (work - work[0]) + (loss - loss[0]))
    in_play = kinetic.max() + np.ptp(energy - kinetic) + np.abs(work).max() + np.abs(loss).max()
    # Potential energies far from the origin cancel and leave round-off.
    floor = 1e-12 * np.abs(energy).max()
    part = float(remainder.max() / max(in_play, 1e-300))
    if remainder.max() <= floor or part <= BOOKS[case["accuracy"]]:
        return "", "energy"
    return f"the energy books miss {part:.1e} of the energies in play", "energy"


def kept(case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    """Hard limits, couplings, drives by ratios and prescribed motion, as far as they are about joints of the tree."""
    worst, what, looked = 0.0, "", False
    for name, off in held_rows(case.get("scene", {}), run):
        looked = True
        beyond = float(np.nanmax(off, initial=0.0))
        if beyond > worst:
            worst, what = beyond, name
    return (f"{what} is missed by {worst:.1e} rad or m" if worst > KEPT else ""), "rows" if looked else ""


def held_rows(scene: dict[str, Any], run: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name, and what it is off by at each sample, of all rows on joints whose coordinates the run has."""
    if "columns" not in run or not len(run["t"]):
        return
    q, qdot = (np.array(run[name], float).reshape(len(run["t"]), -1) for name in ("q", "qdot"))
    columns = run["columns"]

    def at(joint: str, coordinate: int = 0) -> Any:
        return q[:, columns[joint] + coordinate]

    for joint in scene.get("joints", ()):
        stiffness = np.max(joint.get("limit_stiffness") or 0.0)
        if joint["name"] in columns and not stiffness and joint["kind"] in ONE_COORDINATE:
            yield f"joint '{joint['name']}'", beyond(at(joint["name"]), joint.get("lower"), joint.get("upper"))
    for row in scene.get("constraints", ()):
        name, number = f"constraint '{row['name']}'", row.get("coordinate", 0)
        if row["kind"] == "joint_limit" and row["joint"] in columns:
            yield name, beyond(at(row["joint"], number), row.get("lower"), row.get("upper"))
        elif row["kind"] == "coupling" and {row["leader"], row["follower"]} <= columns.keys():
            leader = at(row["leader"], row.get("leader_coordinate", 0))
            follower = at(row["follower"], row.get("follower_coordinate", 0))
            yield name, np.abs(follower - row.get("ratio", 1.0) * leader - row.get("offset", 0.0))
        elif row["kind"] == "joint_motion" and row["joint"] in columns:
            quantity = row.get("quantity", "position")
            if quantity != "acceleration":
                motion = at(row["joint"], number) if quantity == "position" else qdot[:, columns[row["joint"]] + number]
                yield name, np.abs(motion - told(row["table"], np.array(run["t"])))
    for drive in scene.get("drives", ()):
        inputs = drive.get("inputs", ())
        if len(inputs) != 1 or inputs[0].get("joint") not in columns:
            continue
        leader = at(inputs[0]["joint"], inputs[0].get("coordinate", 0))
        for follower in drive["followers"]:
            if follower.get("table") is None and follower["joint"] in columns:
                found = at(follower["joint"], follower.get("coordinate", 0))
                ratio = float(np.ravel(follower.get("ratio", 1.0))[0])
                yield f"drive '{drive['name']}'", np.abs(found - ratio * leader - follower.get("offset", 0.0))


def beyond(q: Any, lower: float | list[float] | None, upper: float | list[float] | None) -> Any:
    """(k,) how far a coordinate is beyond its limits, 0 within them."""
    off = np.zeros(len(q))
    if lower is not None:
        off = np.maximum(off, float(np.ravel(lower)[0]) - q)
    return off if upper is None else np.maximum(off, q - float(np.ravel(upper)[0]))


def told(table: dict[str, Any], t: Any) -> Any:
    """(k,) values of a table over time, by scipy; NaN for tables with steps or slopes, which nobody draws here."""
    x, y = np.array(table["x"], float), np.array(table["y"], float)[:, 0]
    how = table.get("interpolation", "linear")
    if len(x) == 1 or how == "linear" or (how == "cubic" and len(x) == 2):
        return np.interp(t, x, y)
    if how != "cubic" or t[-1] > x[-1]:
        return np.full(len(t), np.nan)
    return CubicSpline(x, y, bc_type="not-a-knot")(t)


def no_gain(case: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    """Where nothing does work the energy never grows."""
    if case.get("works", True):
        return "", ""
    energy, kinetic = np.array(run["energy"], float), np.array(run["kinetic"], float)
    rise = float((energy - np.minimum.accumulate(energy)).max(initial=0.0))
    in_play = kinetic.max(initial=0.0) + np.ptp(energy - kinetic)
    bound = max(BOOKS[case["accuracy"]] * in_play, 1e-12 * float(np.abs(energy).max(initial=0.0)))
    return (
        f"the energy grows by {rise:.1e} J, {rise / max(in_play, 1e-300):.1e} of what is in play"
        if rise > bound
        else ""
    ), "gain"


def extent(run: dict[str, Any], count: int) -> float:
    """The size that errors are compared with [m]: of the mechanism where it is known, and of what it travels."""
    x = np.array(run["position"], float)[:count]
    travelled = float(np.ptp(x.reshape(-1, 3), axis=0).max()) if x.size else 0.0
    return max(travelled, float(run.get("size", 0.0)), 1e-300)


def measures(scene: dict[str, Any]) -> float:
    """The size of a mechanism that does not move, by its joints and what its bodies resist with [m]."""
    frames = [joint.get(side, {}).get("position", ()) for joint in scene.get("joints", ()) for side in SIDES]
    solids = [
        body["inertia"] for body in scene.get("bodies", ()) if body.get("inertia") and body["inertia"]["mass"] > 0
    ]
    gyration = [np.sqrt(np.trace(np.array(s["tensor"])) / s["mass"]) for s in solids if "tensor" in s]
    return max([0.0, *(float(np.abs(x).max()) for x in frames if len(x)), *gyration])


def distance(a: dict[str, Any], b: dict[str, Any], count: int) -> Any:
    """(count,) largest distance of a body between two motions [m]; turns count with the size."""
    size = max(float(a.get("size", 0.0)), float(b.get("size", 0.0)))
    order = [a["bodies"].index(name) for name in b["bodies"]]
    x, y = np.array(a["position"])[:count][:, order], np.array(b["position"])[:count]
    p, q = np.array(a["rotation"])[:count][:, order], np.array(b["rotation"])[:count]
    apart = np.linalg.norm(x - y, axis=2).max(axis=1, initial=0.0)
    turned = (
        2.0 * size * np.minimum(np.linalg.norm(p - q, axis=2), np.linalg.norm(p + q, axis=2)).max(axis=1, initial=0.0)
    )
    return np.maximum(apart, turned)


def exceeds(error: Any, bound: Any, t: Any, what: str) -> str:
    beyond = np.flatnonzero(~(error <= bound))
    if not len(beyond):
        return ""
    worst = int(beyond[np.argmax(np.nan_to_num(error[beyond] / bound[beyond], nan=np.inf))])
    return f"{error[worst]:.1e} m {what} at t = {t[worst]:.4g} s, {bound[worst]:.1e} m allowed"
