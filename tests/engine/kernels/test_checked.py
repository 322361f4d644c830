# SPDX-License-Identifier: GPL-3.0-or-later
"""REDMAX_CHECKED: kernels that reach outside their rows raise an error that names the place, and touch nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from redmax.errors import RedMaxError
from redmax.kernels import route

pytest.importorskip("numba")

TESTS = Path(__file__).parents[2]


def checked(*command, asked="1", **variables):
    """What a process with checked kernels prints."""
    environment = os.environ | {"REDMAX_CHECKED": asked, "PYTHONPATH": os.pathsep.join(map(str, sys.path)), **variables}
    command = [sys.executable, *command]
    ran = subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


def attempts(*which, **variables):
    """(name, whether it reaches outside, error) of every attempt."""
    printed = checked("-m", "engine.kernels.out_of_bounds", *which, **variables)
    return [json.loads(line) for line in printed.splitlines()]


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    # Machine code is named by the engine's sources: elsewhere it would outlive a change of the attempts.
    return attempts(REDMAX_CACHE_DIR=str(tmp_path_factory.mktemp("kernels")))


def test_what_lies_outside_is_an_error_and_nothing_else_is(tried):
    assert len(tried) > 40
    assert [name for name, outside, text in tried if bool(text) != outside or text == "CORRUPTED"] == []


def test_the_error_names_the_kernel_and_the_line(tried):
    source = (TESTS / "engine" / "kernels" / "out_of_bounds.py").read_text(encoding="utf-8").splitlines()
    line = 1 + source.index("    put(numbers_of(x), k, 7.0)")
    (text,) = [text for name, _, text in tried if name == "write 8"]
    assert text.startswith(f"out_of_bounds.write, line {line}: an element lies outside its row")


@pytest.mark.slow
def test_counts_of_a_packed_model_that_are_too_large_are_errors():
    found = attempts("counts")
    assert found
    assert [name for name, _, text in found if not text] == []


def test_checked_kernels_are_kept_apart():
    asked = ("-c", "from redmax.kernels.cache import cache_folder; print(cache_folder.digest())")
    assert checked(*asked, asked="1") != checked(*asked, asked="0") == checked(*asked, asked="")


def test_the_variable_is_1_or_left_out(monkeypatch):
    monkeypatch.setenv("REDMAX_CHECKED", "yes")
    with pytest.raises(RedMaxError, match="REDMAX_CHECKED is 'yes'; use 1, or leave it out"):
        route.is_checked.__wrapped__()
