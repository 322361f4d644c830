# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories of an independent implementation: every run in the folder of golden data, file by file.

The folder is the one named by REDMAX_GOLDENS, else tests/goldens. Files are found by their names; what is
compared in each, and how closely, stands in `tests/golden_runs.py`. A run that needs something the
engine does not have is skipped with the name of that feature; a file of no known kind fails.
"""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest

import golden_constraints
import golden_loader
import golden_runs
from golden_loader import MissingFeature
from redmax.compile import compile as compile_scene
from redmax.joints import JOINTS

FILES = golden_runs.data_files(golden_runs.folder())
SCENES = [name for name in FILES if name.startswith("scene_")]
RUNS = [name for name in FILES if name not in SCENES]  # strays are among these, so that they fail

LONG = [
    *(f"run_diff_{scene}_BDF1" for scene in ("000", "001", "002", "005", "007", "014")),
    *(f"run_{scene}_ODE_CONVERGED" for scene in ("009", "013", "015")),
]
MARKS = dict.fromkeys(LONG, pytest.mark.slow)
"""Long runs of which a twin of the scene is kept: BDF2 by the same Newton solver, REDMAX_EULER with the same rows."""

SHIPPED = golden_runs.data_files(golden_runs.DEFAULT_FOLDER)


def test_the_folder_holds_runs():
    """An empty or misspelt folder must not look like success."""
    assert RUNS, f"no golden runs in {golden_runs.folder()}"


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in RUNS])
def test_run_agrees_with_the_golden(name):
    try:
        deviations = golden_runs.compare(FILES, name)
    except MissingFeature as missing:
        pytest.skip(f"not in the engine: {missing}")
    except golden_runs.Superseded as reason:
        pytest.skip(str(reason))
    assert deviations
    too_far = [deviation for deviation in deviations if not deviation.passes]
    assert not too_far, "\n".join(map(str, too_far))


@pytest.mark.parametrize("name", SCENES)
def test_scene_starts_where_the_golden_says(name):
    """Bodies of the compiled scene stand at `E_world_body_t0`; 1e-12: rounding along the chain of poses."""
    _, scene_id, _ = golden_runs.parts_of_name(name)
    data = golden_loader.read(FILES[name])
    try:
        scene = golden_loader.convert(data, diff=scene_id.startswith("diff_"))
    except MissingFeature as missing:
        pytest.skip(f"not in the engine: {missing}")
    ours = golden_runs.poses_at_start(scene)
    golden = np.array([body["E_world_body_t0"] for body in data["bodies"]])
    assert np.abs(ours - golden).max() <= golden_runs.INSTANT_TOLERANCE * max(1.0, np.abs(golden).max())


def test_the_table_in_the_documents_lists_every_shipped_run():
    """Rows without numbers must say what the comparison says; the others are measured by the test above."""
    text = (golden_runs.DEFAULT_FOLDER.parents[1] / "docs" / "goldens.md").read_text(encoding="utf-8")
    rows = {name: cells for name, *cells in re.findall(r"^\| (run_\w+) \| ([\w ]+) \| (.*?) \|", text, re.MULTILINE)}
    assert list(rows) == [name for name in SHIPPED if name.startswith("run_")], "run: tools/golden_table.py"
    for name, (result, reason) in rows.items():
        if result != "passed":
            with pytest.raises((MissingFeature, golden_runs.Superseded)) as raised:
                golden_runs.compare(SHIPPED, name)
            assert str(raised.value) == reason, f"{name}: run tools/golden_table.py"


# --- the comparison can fail ---------------------------------------------------------------------

PLANTED = {
    "REDMAX_EULER": "run_001_REDMAX_EULER",
    "ODE_CONVERGED": "run_025_ODE_CONVERGED",
    "RECURS_ODE45": "run_001_RECURS_ODE45",
    "REDMAX_ODE45": "run_014_REDMAX_ODE45",
    "BDF1": "run_diff_m02_BDF1",
    "BDF2": "run_diff_m02_BDF2",
}
"""A short run for each integrator."""


def failing(name, **planted):
    return {deviation.quantity for deviation in golden_runs.compare(SHIPPED, name, **planted) if not deviation.passes}


def test_every_integrator_has_a_planted_error():
    assert set(PLANTED) == set(golden_runs.COMPARISONS)


@pytest.mark.parametrize("name", PLANTED.values())
def test_gravity_upside_down_is_seen(name):
    def upside_down(scene):
        return dataclasses.replace(scene, gravity=tuple(-g for g in scene.gravity))

    wrong = failing(name, alter=upside_down)
    assert "V" in wrong
    if "ODE45" in name:
        assert {f"qddot_t0 ({route})" for route in golden_runs.routes.FORMULATIONS} <= wrong
    else:
        assert {"q", "qdot", "E_world_body", "T", "V"} <= wrong


@pytest.mark.parametrize("name", [name for name in PLANTED.values() if "ODE45" not in name])
def test_steps_longer_by_a_millionth_are_seen(name):
    assert {"q", "qdot", "E_world_body"} <= failing(name, stretch=1.0 + 1e-6)


@pytest.mark.parametrize("name", PLANTED.values())
def test_a_body_heavier_by_a_millionth_is_seen(name):

    def heavier(scene):
        first = scene.bodies[0]
        inertia = dataclasses.replace(first.inertia, mass=first.inertia.mass * (1.0 + 1e-6))
        return dataclasses.replace(scene, bodies=[dataclasses.replace(first, inertia=inertia), *scene.bodies[1:]])

    assert failing(name, alter=heavier)


# --- files that do not belong --------------------------------------------------------------------


@pytest.fixture
def small_folder(tmp_path):
    """A plain, uncompressed copy of one run and its scene."""
    for name in ("run_m01_REDMAX_EULER", "scene_m01_REDMAX_EULER"):
        data = golden_loader.read(SHIPPED[name])
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return tmp_path


def test_plain_files_of_another_folder_are_compared(small_folder, monkeypatch):
    monkeypatch.setenv("REDMAX_GOLDENS", str(small_folder))
    files = golden_runs.data_files(golden_runs.folder())
    assert sorted(files) == ["run_m01_REDMAX_EULER", "scene_m01_REDMAX_EULER"]
    assert all(deviation.passes for deviation in golden_runs.compare(files, "run_m01_REDMAX_EULER"))


@pytest.mark.parametrize("stray", ["notes", "run_m01", "run_m01_LEAPFROG", "run_002_REDMAX_EULER"])
def test_a_stray_file_fails_by_name(small_folder, stray):
    """No golden name, no integrator, an unknown integrator, no scene."""
    (small_folder / f"{stray}.json").write_text("{}", encoding="utf-8")
    files = golden_runs.data_files(small_folder)
    with pytest.raises(golden_runs.ForeignFile, match=stray):
        golden_runs.compare(files, stray)


@pytest.mark.parametrize(
    "where", ["joints", "bodies", "constraints", "deformables", "forces", "springs", "composite_of"]
)
def test_an_unknown_kind_fails_by_name(where):
    data = golden_loader.read(SHIPPED["scene_019_REDMAX_EULER"])
    entries = data["joints"][0][where] if where == "composite_of" else data.setdefault(where, [])
    entries.append({"type": "Unheard", "name": "new"})
    with pytest.raises(ValueError, match="Unheard"):
        golden_loader.convert(data, diff=False)


def test_an_unknown_list_of_elements_fails_by_name():
    data = golden_loader.read(SHIPPED["scene_019_REDMAX_EULER"]) | {"winds": [{"type": "Breeze"}]}
    with pytest.raises(ValueError, match="winds"):
        golden_loader.convert(data, diff=False)


FREEDOMS = {
    "JointFixed": 0, "JointRevolute": 1, "JointPrismatic": 1, "JointPlanar": 2, "JointTranslational": 3,
    "JointUniversal": 2, "JointSphericalExp": 3, "JointSpherical": 3, "JointFree": 6, "JointFree2D": 3,
    "JointFree3D": 6, "JointComposite": 2, "JointSplineCurve": 1, "JointSplineSurface": 2,
}  # fmt: skip


@pytest.mark.parametrize("diff", [False, True])
@pytest.mark.parametrize(("kind", "ndof"), FREEDOMS.items())
def test_every_kind_of_joint_loads_or_is_named_as_missing(kind, ndof, diff):
    data = golden_loader.read(SHIPPED["scene_019_REDMAX_EULER"])
    joint = {name: value for name, value in data["joints"][0].items() if name != "composite_of"}
    coordinates = [0.1] * ndof
    joint |= {"type": kind, "ndof": ndof, "q_init": coordinates, "qdot_init": coordinates, "q_rest": coordinates}
    match kind:
        case "JointRevolute" | "JointPrismatic":
            joint["axis"] = [0.0, 0.6, 0.8]
        case "JointSpherical":
            joint["chart"] = 7.0
        case "JointSplineCurve":
            spline = golden_loader.read(SHIPPED["scene_021_REDMAX_EULER"])["joints"][1]
            joint["control_frames_C"] = spline["control_frames_C"]
        case "JointSplineSurface":
            joint["control_values_cs_i1_i2_k"] = np.random.default_rng(2).uniform(-0.5, 0.5, (4, 4, 6)).tolist()
        case "JointComposite":
            joint["composite_of"] = data["joints"][0]["composite_of"]
    data["joints"] = [joint]
    if kind != "JointFree3D" and golden_loader.JOINT_KINDS[kind] not in JOINTS:
        with pytest.raises(MissingFeature, match=kind):
            golden_loader.convert(data, diff=diff)
        return
    scene = golden_loader.convert(data, diff=diff)
    assert scene.joints[0].ndof == ndof
    assert golden_runs.poses_at_start(scene).shape == (1, 4, 4)


@pytest.mark.parametrize("kind", golden_loader.BODY_KINDS)
def test_every_kind_of_body_loads_with_the_stored_inertia(kind):
    data = golden_loader.read(SHIPPED["scene_019_REDMAX_EULER"])
    data["bodies"][0]["type"] = kind
    body = golden_loader.convert(data, diff=False).bodies[0]
    stored = data["bodies"][0]["inertia_diag_Ixyz_mmm"]
    assert [*np.diag(body.inertia.tensor), body.inertia.mass] == stored[:4]


ENDS = {"body1": "body1", "x_1": [1.0, 0.0, 0.0], "body2": [], "x_2": [0.0, 0.0, 30.0]}
SPRING = {"stiffness": 3.0, "damping": 0.5, "L": 0.0}
FORCES = [
    ("springs", {"type": "SpringDamper", "k": 3.0, "d": 0.5, "L": 7.0} | ENDS, "spring_damper"),
    ("springs", {"type": "SpringPointPoint", "stiffness": 3.0} | ENDS, "point_to_point"),
    (
        "springs",
        {"type": "SpringPointDirection", "stiffness": 3.0, "x_i": [1.0, 2.0, 3.0], "d_w": [0.0, 2.0, 0.0]}
        | {"body": "body1"},
        "point_force",
    ),
    ("forces", {"type": "ForceSpringDamper"} | SPRING | ENDS, "spring_damper"),
    ("forces", {"type": "ForcePointPoint", "stiffness": 3.0, "damping": 0.5} | ENDS, "point_to_point"),
    (
        "forces",
        {"type": "ForceCable", "bodies": ["body1", []], "xls": [[1.0, 0.0, 0.0], [0.0, 0.0, 30.0]]} | SPRING,
        "cable",
    ),
]


def test_every_kind_of_force_is_tried():
    assert {entry["type"] for _, entry, _ in FORCES} == set(golden_loader.FORCE_KINDS)


@pytest.mark.parametrize(("where", "entry", "kind"), FORCES)
def test_every_kind_of_force_loads(where, entry, kind):
    data = golden_loader.read(SHIPPED["scene_019_REDMAX_EULER"])
    data["bodies"][0]["name"] = "body1"
    scene = golden_loader.convert(data | {where: [entry]}, diff=where == "forces")
    assert [force.kind for force in scene.forces] == [kind]
    assert len(compile_scene(scene).forces) == 1


@pytest.mark.parametrize(("where", "kinds"), golden_loader.OTHER_KINDS.items())
def test_every_kind_without_a_counterpart_is_named_as_missing(where, kinds):
    known = {
        *golden_loader.FORCE_KINDS,
        *golden_loader.STRAND_KINDS,
        *golden_constraints.KINDS,
        golden_loader.FLOOR,
    }
    for kind in set(kinds) - known:
        data = golden_loader.read(SHIPPED["scene_019_REDMAX_EULER"])
        data[where] = [{"type": kind}]
        with pytest.raises(MissingFeature, match=kind):
            golden_loader.convert(data, diff=False)
