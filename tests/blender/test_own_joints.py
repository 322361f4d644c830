# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of joints that an extension adds work everywhere in Blender, without a line of the add-on's.

Among them are the cam of docs/adding_a_joint.md, a joint with an array of its own, coordinates that are plain numbers
and Q(0) other than the identity, and one whose number of coordinates follows its data. They must be registered before
the add-on is, so that a Blender of their own is started, once (`own_joints_session.py`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("own_joints_session.py")
CHECKS = re.findall(r"^def check_(\w+)\(", SESSION.read_text(encoding="utf-8"), re.M)


@pytest.fixture(autouse=True)
def _empty_file():
    """Everything happens in another process."""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    report = tmp_path_factory.mktemp("own_joints") / "report.json"
    run = subprocess.run(
        [sys.executable, str(SESSION), str(report)], capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ["cam", "patch", "stack"])
@pytest.mark.parametrize("check", CHECKS)
def test_a_joint_of_an_extension(said, check, kind):
    assert not said[f"{check} {kind}"], said[f"{check} {kind}"]


def test_nothing_else_was_checked(said):
    assert len(said) == 3 * len(CHECKS) > 50
