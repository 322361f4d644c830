# SPDX-License-Identifier: GPL-3.0-or-later
"""A force and a constraint in one engine file each are in Blender without a line of the add-on's: menu, panel,
extraction, JSON, result channel and findings. The files are those that docs/adding_a_force.md and
docs/adding_a_constraint.md show; a third has a field of every form. They must be registered before the add-on is, so
that a Blender of their own is started, once (`own_elements_session.py`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("own_elements_session.py")
SOURCE = SESSION.read_text(encoding="utf-8")
CASES = [
    f"check_{check} {kind}"
    for check, argument in re.findall(r"^def check_(\w+)\((_?kind)", SOURCE, re.M)
    for kind in (("magnet", "rod") if argument == "kind" else ("everything",))
]


@pytest.fixture(autouse=True)
def _empty_file():
    """Everything happens in another process."""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    report = tmp_path_factory.mktemp("own_elements") / "report.json"
    run = subprocess.run(
        [sys.executable, str(SESSION), str(report)], capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_an_element_of_an_extension(said, case):
    assert not said[case], said[case]


def test_nothing_else_was_checked(said):
    assert sorted(said) == sorted(CASES)
