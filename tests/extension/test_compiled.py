# SPDX-License-Identifier: GPL-3.0-or-later
"""What computes in the installed extension: compiled kernels from a full zip, plain numpy from a slim one."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import blenders
import numpy as np
import pytest
from tools.extension import wheelhouse

HERE = Path(__file__).parent
pytestmark = pytest.mark.timeout(700)  # the compiler takes minutes on a busy machine; `solved` has a bound of its own
LOCKED = {package.name: package.version for package in wheelhouse.read_lock(blenders.ROOT / "wheels.lock")}


@functools.cache
def solved(profile, *wishes):
    printed = profile.run(HERE / "solve.py", blenders.MODULE, *wishes, timeout=600)
    return json.loads(printed.strip().splitlines()[-1])


@pytest.fixture
def profile(installed_blender, blender, kind):
    return installed_blender(blender, kind)


@pytest.fixture
def first(profile, kind):
    """The first start: nothing is compiled yet."""
    return solved(profile, "clear") if kind == "full" else solved(profile)


@pytest.fixture
def second(profile, first):
    """The next start of Blender."""
    return solved(profile)


def test_a_full_zip_computes_with_numba_and_a_slim_one_with_numpy(kind, first):
    expected = "numba" if kind == "full" else "numpy"
    assert first["route"] == expected
    assert first["result"]["route"] == first["versions"]
    assert first["versions"].startswith(f"{expected} ")
    assert first["result"] | {"route": ""} == {"route": "", "status": "complete", "frames": 25}
    assert first["baked"] > 0
    if kind == "full":
        assert first["versions"] == f"numba {LOCKED['numba']}"


def test_starting_blender_does_not_wait_for_the_compiler(first, second):
    assert first["loaded at start"] == second["loaded at start"] == []


def test_the_slim_zip_says_how_to_become_faster(kind, first):
    if kind == "full":
        assert first["solver"]["note"] == ""
    else:
        assert first["solver"]["note"] == "numba is not installed; install the full zip of RedMax for speed"


def test_the_second_start_compiles_nothing(kind, profile, first, second):
    if kind == "slim":
        assert first["compiled"] == second["compiled"] == []
        return
    assert first["ready after clear"] is False
    assert first["warm-up"] == [True, ""]
    assert first["compiled"] == []  # the warm-up had left nothing to do
    assert second["solver"]["ready"]
    assert second["solver"]["size"] > 1e6
    assert second["compiled"] == []
    assert Path(second["folder"]).is_relative_to(profile.folder / "extensions" / ".user")


def test_both_starts_give_the_same_numbers(first, second):
    assert first["place"] == second["place"]


def test_the_first_simulation_does_not_wait_for_the_compiler(kind, first):
    """A process of its own compiles, one; numpy computes meanwhile, says so, and its result stays right."""
    if kind == "slim":
        return
    meanwhile = first["meanwhile"]
    assert meanwhile["route"].startswith("numpy ")
    assert re.search(r", by numpy while the fast solver is being prepared \(\d+ %\)$", meanwhile["text"])
    assert not meanwhile["numba loaded"]
    assert meanwhile["seconds"] < 0.5 * first["warm-up seconds"]
    assert first["compilers"] == 1
    assert (first["stale"], first["next route"]) == (False, "")


def test_blender_answers_while_the_solver_is_compiled(kind, first):
    """Python here has nothing to do with it: what an artist does meanwhile waits for nothing."""
    if kind == "full":
        assert first["longest stall"] < 0.2 * first["warm-up seconds"]  # if it held Blender, this would be all of it


def test_both_zips_give_the_same_motion(installed_blender, blender):
    """Two routes differ by rounding, which a chain of three lets grow little in a second."""
    if "full" not in blenders.kinds():
        pytest.skip("no full zips for this machine")
    full, slim = (np.array(solved(installed_blender(blender, kind))["place"]) for kind in ("full", "slim"))
    assert np.abs(full - slim).max() < 1e-6
