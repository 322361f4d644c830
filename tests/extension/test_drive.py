# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed extension driven as an artist drives it: operators, fields, undo, save and reload."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import blenders
import numpy as np
import pytest

HERE = Path(__file__).parent
FLOAT32 = float(np.finfo(np.float32).eps)


@functools.cache
def driven(profile):
    folder = profile.folder.parent / "driven"
    folder.mkdir(exist_ok=True)
    profile.run(HERE / "drive.py", blenders.MODULE, folder)
    return json.loads((folder / "facts.json").read_text())


@pytest.fixture
def facts(installed_blender, blender, kind):
    return driven(installed_blender(blender, kind))


def test_operators_author_a_mechanism_that_checks_clean(facts):
    assert {"Base", "Upper Arm", "Lower Arm"} <= set(facts["bodies"])
    assert len(facts["bodies"]) > 5  # the chain of the template
    assert len(facts["made"]) == 2  # a joint for each arm
    assert facts["errors"] == []


def test_a_template_is_one_undo_step(facts):
    assert facts["undo of the template leaves"] == sorted(facts["plain meshes"])
    assert facts["redo of the template"]


def test_a_bake_is_one_undo_step(facts):
    assert set(facts["baked"]) >= {"Upper Arm", "Lower Arm"}
    assert facts["undo"] == {"baked": [], "keyed": []}
    assert facts["redo"] == {"baked": facts["baked"], "keyed": facts["baked"]}


def test_the_result_survives_save_and_reload(facts):
    assert facts["result"] == {"status": "complete", "frame_start": 1, "frame_end": 49}
    assert facts["moved"] > 0.5  # metres; a chain that hangs still would prove nothing


def test_object_matrices_equal_the_engines_trajectory_at_frames(facts):
    """Channels are stored in single precision; a parented object adds the errors of what carries it."""
    at_frames, room = facts["at frames"], 16 * FLOAT32
    assert at_frames["place"] < room * max(1.0, facts["size"])
    assert at_frames["matrix"] < room


def test_exact_tangents_are_20_times_closer_than_linear_keys(facts):
    exact, linear = facts["exact tangents"], facts["linear keys"]
    # The finer run is the truth only if it agrees with the one that was baked.
    assert facts["truth at frames"]["place"] < 1e-3 * exact["place"]
    assert linear["place"] > 1e-3  # a visible error, far from round-off
    assert exact["place"] < linear["place"] / 20.0
    assert exact["matrix"] < linear["matrix"] / 20.0


def test_removing_the_bake_brings_back_what_was_modelled(facts):
    removed = facts["removed"]
    assert removed["baked"] == []
    assert removed["keyed"] == []
    assert removed["place"] == 0.0
    assert removed["matrix"] == 0.0
