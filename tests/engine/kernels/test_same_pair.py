# SPDX-License-Identifier: GPL-3.0-or-later
"""Several joints between the same two bodies, such as a door's two hinges: both routes run them alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.kernels import same_pair
from redmax.compile import compile as compile_scene
from redmax.dynamics.assembly import mobility
from redmax.integrators import Automatic
from redmax.simulate import simulate

pytest.importorskip("numba")

TESTS = Path(__file__).parents[2]


def outcomes(route, *which):
    """How every case ends, by its name."""
    environment = os.environ | {"REDMAX_ROUTE": route, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    command = [sys.executable, "-m", "engine.kernels.same_pair", *which]
    ran = subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True, timeout=1200, check=False)
    found = dict(json.loads(line) for line in ran.stdout.splitlines())
    last = list(found)[-1] if found else "nothing"
    assert ran.returncode == 0, f"{route} ended with {ran.returncode} after '{last}': {ran.stderr[-2000:]}"
    return found


def differences(compiled, plain):
    """What the two routes do not agree in."""
    assert compiled.keys() == plain.keys()
    for name, numpy_ends in plain.items():
        numba_ends = compiled[name]
        if numpy_ends.get("refused") != numba_ends.get("refused"):
            yield f"{name}: numpy refuses '{numpy_ends.get('refused')}', numba '{numba_ends.get('refused')}'"
            continue
        if "refused" in numpy_ends and "joint '" not in numpy_ends["refused"]:
            yield f"{name}: '{numpy_ends['refused']}' names no joint"
        for method in numpy_ends.keys() - {"refused"}:
            yield from (
                f"{name}, {method}: {what}" for what in _differs(numba_ends[method], numpy_ends[method], method)
            )


def torn(status, says):
    """The frame at which a run failed because a loop, which it names, cannot be closed; empty for any other end."""
    frame, _, reason = says.partition(": ")
    open_loop = "stays open by" in reason or "can no longer be closed" in reason
    return frame if status == "failed" and reason.startswith("loop joint '") and open_loop else ""


def _differs(numba_ends, numpy_ends, method):
    ends = [(run["status"], run["says"]) for run in (numba_ends, numpy_ends)]
    if torn(*ends[0]) or torn(*ends[1]):
        # Which of several loops that contradict each other stays open, by how much, and whether it was seen after the
        # step or by poses that come ever shorter, is where each route gave up.
        if torn(*ends[0]) != torn(*ends[1]):
            yield f"numba {ends[0]}, numpy {ends[1]}"
    elif ends[0] != ends[1]:
        yield f"numba {ends[0]}, numpy {ends[1]}"
    elif ends[0][0] == "failed" and "joint '" not in ends[0][1]:
        yield f"'{ends[0][1]}' names no joint"
    # Both follow the motion to 1e-9 with DOP853. After fixed steps each route goes back onto the loops by the least
    # change, measured by the inertia at the start of that or on its way: a part of the steps' own error of some 1e-2.
    tolerance = 1e-7 if method == "dop853" else 1e-2
    for channel in numpy_ends.keys() - {"status", "says"}:
        a, b = np.array(numba_ends[channel]), np.array(numpy_ends[channel])
        if np.abs(a - b).max(initial=0.0) > tolerance * max(1.0, np.abs(b).max(initial=0.0)):
            yield f"{channel} by {np.abs(a - b).max():.3g}"


@pytest.fixture(scope="module")
def ordinary():
    """How the ordinary cases end, by both routes."""
    return outcomes("numba"), outcomes("numpy")


def test_joints_of_one_pair_run_alike_by_both_routes(ordinary):
    assert list(differences(*ordinary)) == []


@pytest.mark.parametrize("where", ["on the world", "on a moving frame"])
def test_a_door_moves_on_two_or_three_hinges_as_on_one(ordinary, where):
    for found in ordinary:
        one = found[f"1 revolute tilted {where}"]["dop853"]
        for count in (2, 3):
            several = found[f"{count} revolute tilted {where}"]["dop853"]
            assert several["status"] == "complete"
            for channel in ("E", "twist"):
                np.testing.assert_allclose(several[channel], one[channel], atol=1e-8)
            assert np.max(several["gap"]) < 1e-12


@pytest.mark.slow
def test_joints_of_one_pair_of_every_kind_number_and_place_run_alike_by_both_routes():
    assert list(differences(outcomes("numba", "all"), outcomes("numpy", "all"))) == []


def test_a_second_hinge_takes_no_freedom_away():
    model = compile_scene(same_pair.pair(["revolute"] * 2, "tilted", on_world=True))
    found = mobility(model)
    assert (found.freedoms, found.redundant) == (1, 5)


@pytest.mark.parametrize("on_world", [True, False])
def test_hinges_that_contradict_an_animated_one_end_the_run_by_name(on_world):
    """Kernels solve for as many rows as there are coordinates; the others are broken, and that must not go unsaid."""
    fields = {1: {"motion_type": "animated", "animation": same_pair.SWING}}
    model = compile_scene(same_pair.pair(["revolute"] * 3, "parallel", on_world=on_world, fields=fields))
    *_, last = simulate(model, integrator=Automatic(), fps=20.0, duration=0.5)
    assert last.status == "failed"
    assert (last.outcome.code, last.outcome.element.sort) == ("cannot_close", "loop joint")
    assert last.channels["gap"].max() < 1e-9  # the last good sample
