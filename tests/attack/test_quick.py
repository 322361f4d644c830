# SPDX-License-Identifier: GPL-3.0-or-later
"""The attack itself: the same seeds give the same cases, and the judge notices what is planted."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from redmax.integrators import automatic

from . import generators, invariance, reference
from .campaign import Tally
from .judge import OK, SAID, UNNAMED, WRONG, Verdict, books, closed_loops, ended_early, exceeds, excuse, kept, no_gain
from .shrink import scenes, simpler

TURN = {
    "format": "redmax-scene",
    "version": 1,
    "bodies": [{"name": "rod", "inertia": {"mass": 2.0, "center": [0.5, 0, 0], "tensor": np.diag([0.1] * 3).tolist()}}],
    "joints": [{"kind": "revolute", "name": "pin", "parent": None, "child": "rod", "axis": [0, 1, 0], "q": 0.3}],
}


def follow(scene, times, **settings):
    return reference.follow(reference.read(scene), times, **settings)


@pytest.mark.parametrize("kind", generators.KINDS)
def test_the_same_seed_gives_the_same_case_and_others_differ(kind):
    cases = [generators.case(kind, seed) for seed in range(4)]
    assert cases == [generators.case(kind, seed) for seed in range(4)]
    contents = [json.dumps({**case, "seed": 0}) for case in cases]
    assert len(set(contents)) > 1


@pytest.mark.parametrize("kind", sorted(set(generators.KINDS) - {"bad_files", "bad_results"}))
def test_most_generated_scenes_are_accepted(kind):
    from redmax import io
    from redmax.compile import compile as compile_scene
    from redmax.errors import RedMaxError

    accepted = 0
    for seed in range(10):
        try:
            compile_scene(io.loads(json.dumps(generators.case(kind, seed)["scene"])))
            accepted += 1
        except RedMaxError:
            pass
    assert accepted >= 7


# --- the reference ---------------------------------------------------------------------------------------------------


def test_the_reference_swings_like_a_pendulum():
    """Against the pendulum's own equation, by another integrator and another unknown."""
    from scipy.integrate import solve_ivp

    times = np.linspace(0.0, 0.4, 3)
    inertia = 0.1 + 2.0 * 0.25
    swing = solve_ivp(
        lambda _t, y: [y[1], 2.0 * 9.81 * 0.5 * np.cos(y[0]) / inertia],
        (0, 0.4),
        (0.3, 0.0),
        t_eval=times,
        rtol=1e-11,
        atol=1e-11,
    )
    scene = copy.deepcopy(TURN)
    scene["bodies"].append({"name": "tip", "inertia": {"mass": 1e-9, "tensor": (1e-9 * np.eye(3)).tolist()}})
    tip = {"kind": "fixed", "name": "weld", "parent": "rod", "child": "tip", "frame_in_parent": {"position": [1, 0, 0]}}
    scene["joints"].append(tip)
    found = follow(scene, times).position[:, 1]
    assert np.abs(found[:, 0] - np.cos(swing.y[0])).max() < 1e-7
    assert np.abs(found[:, 2] + np.sin(swing.y[0])).max() < 1e-7


def test_the_reference_bounces_with_its_restitution():
    """A block falls 0.1 m on a stop that gives back half of its speed: it rises to a quarter."""
    drop = 0.1
    scene = {
        "bodies": [{"name": "block", "inertia": {"mass": 3.0, "tensor": np.eye(3).tolist()}}],
        "joints": [{"kind": "prismatic", "name": "guide", "parent": None, "child": "block", "q": drop}],
        "constraints": [{"kind": "joint_limit", "name": "floor", "joint": "guide", "lower": 0.0, "restitution": 0.5}],
    }
    falls = np.sqrt(2.0 * drop / 9.81)
    found = follow(scene, np.array([0.0, falls, 1.5 * falls]))
    assert abs(found.position[1, 0, 2]) < 1e-9
    assert abs(found.position[2, 0, 2] - drop / 4.0) < 1e-9


def test_the_reference_is_thrown_back_by_a_bump():
    """A wheel of 1 kg m^2 at 10 rad/s meets a narrow bump of three times its energy, and comes back as fast."""
    table = {"x": [0.5, 0.505, 0.51], "y": [[0.0], [30_000.0], [0.0]]}
    scene = {
        "gravity": [0, 0, 0],
        "bodies": [{"name": "wheel", "inertia": {"mass": 1.0, "tensor": np.eye(3).tolist()}}],
        "joints": [
            {
                "kind": "revolute",
                "name": "axle",
                "parent": None,
                "child": "wheel",
                "qdot": 10.0,
                "stiffness_table": table,
            }
        ],
    }
    found = follow(scene, np.array([0.0, 0.1]))
    angle = 2.0 * np.arctan2(found.rotation[-1, 0, 3], found.rotation[-1, 0, 0])
    assert abs(found.kinetic[-1] - 50.0) < 1e-6
    assert -0.1 < angle < 0.1


def test_a_shaken_reference_differs_a_little():
    times = np.linspace(0.0, 0.2, 3)
    apart = np.abs(follow(TURN, times).rotation - follow(TURN, times, shake=1e-6).rotation).max()
    assert 1e-9 < apart < 1e-4


# --- the judge -------------------------------------------------------------------------------------------------------


def engine_run(scene, accuracy="high"):
    from .worker import simulate

    return simulate({"scene": scene, "accuracy": accuracy, "fps": 10.0, "duration": 0.3}, lambda _answer: None)


class OwnReference:
    """A judge that asks the reference in this process."""

    def __new__(cls):
        from .judge import Judge
        from .worker import reference as own

        judge = Judge()
        judge.independent.ask = lambda request, **_: own(request, print)
        return judge


@pytest.fixture(scope="module")
def swing():
    return engine_run(TURN)


def compared(scene, run):
    return OwnReference().against_reference({"scene": scene, "accuracy": "high"}, run)


def test_a_right_run_agrees_with_the_reference(swing):
    assert compared(TURN, swing) == ("", "reference")


def test_gravity_with_the_wrong_sign_is_noticed(swing):
    wrong, oracle = compared({**TURN, "gravity": [0.0, 0.0, 9.81]}, swing)
    assert oracle == "reference"
    assert "from the reference" in wrong


def test_a_place_that_is_off_by_a_hundredth_of_a_millimetre_is_noticed(swing):
    spoiled = copy.deepcopy(swing)
    spoiled["position"][3][0][0] += 1e-5
    wrong, _ = compared(TURN, spoiled)
    assert "t = 0.3 s" in wrong


def test_energy_that_comes_from_nowhere_is_noticed(swing):
    assert books({"accuracy": "high"}, swing) == ("", "energy")
    spoiled = {**swing, "energy": [e + 0.01 * k for k, e in enumerate(swing["energy"])]}
    assert "energy books" in books({"accuracy": "high"}, spoiled)[0]


HELD = {
    "joints": [
        {"kind": "revolute", "name": "pin", "upper": 0.2},
        {"kind": "revolute", "name": "soft", "upper": 0.0, "limit_stiffness": 5.0},
    ],
    "constraints": [
        {"kind": "joint_limit", "name": "stop", "joint": "pin", "lower": 0.0},
        {"kind": "coupling", "name": "gear", "leader": "pin", "follower": "wheel", "ratio": -2.0, "offset": 0.5},
        {"kind": "joint_motion", "name": "path", "joint": "arm", "table": {"x": [0, 1], "y": [[0.0], [1.0]]}},
        {
            "kind": "joint_motion",
            "name": "pace",
            "joint": "cam",
            "quantity": "velocity",
            "table": {"x": [0], "y": [[3]]},
        },
    ],
    "drives": [
        {"name": "drive", "inputs": [{"joint": "pin"}], "followers": [{"joint": "tip", "ratio": 3.0, "offset": 0.1}]}
    ],
}
COLUMNS = {name: k for k, name in enumerate(("pin", "soft", "wheel", "arm", "cam", "tip"))}


def held_run(column=None, by=0.0, *, velocity=False):
    """Everything where it is told at t = 0.1 s, but for one column; the soft limit may be passed."""
    q, qdot = np.array([0.1, 0.7, 0.3, 0.1, 9.0, 0.4]), np.array([0.0, 0.0, 0.0, 0.0, 3.0, 0.0])
    if column is not None:
        (qdot if velocity else q)[COLUMNS[column]] += by
    return {"t": [0.1], "q": [q.tolist()], "qdot": [qdot.tolist()], "columns": COLUMNS}


def only(*keys):
    return {"scene": {key: HELD[key] for key in keys}}


def test_rows_that_are_kept_are_right():
    assert kept({"scene": HELD}, held_run()) == ("", "rows")


@pytest.mark.parametrize(
    ("scene", "column", "by", "name"),
    [
        (only("joints"), "pin", 0.1 + 2e-9, "joint 'pin'"),
        ({"scene": {"constraints": HELD["constraints"][:1]}}, "pin", -0.1 - 2e-9, "'stop'"),
        (only("constraints"), "wheel", 2e-9, "'gear'"),
        (only("constraints"), "arm", -2e-9, "'path'"),
        (only("drives"), "tip", 2e-9, "'drive'"),
    ],
)
def test_a_row_that_is_missed_by_two_billionths_is_named(scene, column, by, name):
    assert name in kept(scene, held_run(column, by))[0]


def test_a_velocity_that_is_missed_is_named():
    assert "'pace'" in kept({"scene": HELD}, held_run("cam", 2e-9, velocity=True))[0]


def test_energy_that_grows_without_work_is_noticed(swing):
    assert no_gain({"accuracy": "high", "works": False}, swing) == ("", "gain")
    spoiled = {**swing, "energy": [e + 0.01 * k for k, e in enumerate(swing["energy"])]}
    assert "energy grows" in no_gain({"accuracy": "high", "works": False}, spoiled)[0]
    assert no_gain({"accuracy": "high", "works": True}, spoiled) == ("", "")


def test_what_must_hold_must_complete():
    """No named end, no refusal and no patience is an excuse there."""
    case = {"scene": TURN, "must_hold": True}
    for answer in (
        {"end": "ran", "status": "failed", "message": "Stopped at frame 3: joint 'pin' cannot go on"},
        {"end": "refused", "message": "joint 'pin' is wrong"},
        {"end": "slow", "message": "stopped"},
    ):
        assert ended_early(case, answer).failed
    assert ended_early(case, {"end": "ran", "status": "complete"}) is None


def test_held_mechanisms_have_every_joint_kind_and_every_row():
    from redmax.joints import JOINTS

    seen = set()
    for seed in range(60):
        scene = generators.case("held", seed)["scene"]
        seen |= {joint["kind"] for joint in scene["joints"]}
        seen |= {row["kind"] for row in scene["constraints"]} | {"drive" for _ in scene.get("drives", ())}
        seen |= {row["quantity"] for row in scene["constraints"] if row["kind"] == "joint_motion"}
        seen |= {"restitution" for row in scene["constraints"] if row.get("restitution")}
    rows = {"joint_limit", "coupling", "joint_motion", "drive", "restitution", "position", "velocity", "acceleration"}
    assert not {*JOINTS.kinds, *rows} - seen


def test_an_open_loop_is_noticed(swing):
    assert "open by" in closed_loops({}, {**swing, "gap": [[[0.0, 1e-3]]]})[0]


def test_a_run_that_stops_must_name_an_element():
    case = {"scene": TURN}
    stopped = {"end": "ran", "status": "failed", "message": "Stopped at frame 3: joint 'pin' cannot go on"}
    assert ended_early(case, stopped).name == SAID
    assert ended_early(case, {**stopped, "message": "needs more than 4000 steps"}).name == UNNAMED


def test_how_a_run_was_made_excuses_nothing_and_a_warning_does():
    assert excuse({"message": "", "meta": {"notes": [{"code": automatic.FOLLOWED}]}}) == ""
    assert excuse({"message": "", "meta": {"notes": [{"code": automatic.DIES_AWAY}]}})
    assert excuse({"message": "", "meta": {"remarks": [{"what": "the energy does not balance"}]}})


def test_what_is_not_a_number_exceeds_every_bound():
    assert exceeds(np.array([0.0, np.nan]), np.ones(2), np.arange(2.0), "off")


@pytest.mark.parametrize("change", invariance.CHANGES)
def test_a_scene_in_other_words_moves_the_same_way(change):
    times = np.linspace(0.0, 0.1, 3)
    scene = copy.deepcopy(TURN)
    scene["bodies"].append({"name": "ball", "inertia": {"mass": 1.0, "tensor": (0.1 * np.eye(3)).tolist()}})
    frame = {"position": [1.0, 0.0, 0.0]}
    scene["joints"].append(
        {
            "kind": "spherical",
            "name": "wrist",
            "parent": "rod",
            "child": "ball",
            "frame_in_parent": frame,
            "qdot": [1, 2, 3],
        }
    )
    spring = {"kind": "spring_damper", "name": "spring", "body_a": None, "point_a": [0, 1, 0], "body_b": "ball"}
    push = {"kind": "point_force", "name": "push", "body": "ball", "point": [0, 0.2, 0], "force": 3.0}
    scene["forces"] = [{**spring, "stiffness": 50.0, "damping": 1.0, "rest_length": 1.0}, push]
    changed, back, names = invariance.CHANGES[change](scene, np.random.default_rng(3))
    order = [b["name"] for b in scene["bodies"]]
    new = [b["name"] for b in changed["bodies"]]
    if change == "renamed":
        order = [names[name] for name in order]
    a, b = follow(scene, times).position, back(follow(changed, times).position)
    assert np.abs(a - b[:, [new.index(name) for name in order]]).max() < 1e-7


# --- shrinking and counting ------------------------------------------------------------------------------------------


def test_smaller_cases_are_smaller():
    case = generators.case("ropes", 5)
    size = len(json.dumps(case))
    smaller = list(scenes(case))
    assert smaller
    assert all(len(json.dumps(each)) < size or each["duration"] < case["duration"] for each in smaller)
    assert simpler({"rotation": [0.123456789], "x": 0.123456789}) == {"rotation": [0.123456789], "x": 0.1235}


def test_the_table_counts_every_verdict():
    tally = Tally()
    for name in (OK, OK, WRONG):
        tally.add("trees", Verdict(name))
    assert "| trees | 3 | 2 | 0 | 0 | 0 | 1 |" in tally.table()
    assert tally.table().splitlines()[-1].startswith("| together | 3 |")
