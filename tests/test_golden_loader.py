# SPDX-License-Identifier: GPL-3.0-or-later
"""The converter of golden scenes, and the change of units that makes the examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from golden_loader import MissingFeature, convert, load_scene, read, scaled
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.integrators import Dop853
from redmax.simulate import record, simulate

GOLDENS = Path(__file__).parent / "goldens"
SCENES = sorted(GOLDENS.glob("scene_*.json*"))


def converted(path: Path):
    try:
        return load_scene(path)
    except MissingFeature as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name.split(".")[0])
def test_bodies_start_where_the_golden_says(path):
    scene = converted(path)
    model = compile_scene(scene)
    kin = kinematics(model, model.q0, model.qdot0)
    poses = dict(zip(model.body_names, body_poses(model, kin), strict=True))
    for body, entry in zip(scene.bodies, read(path)["bodies"], strict=True):
        expected = np.array(entry["E_world_body_t0"])
        # Rounding of a chain of poses with lengths up to 100 cm.
        np.testing.assert_allclose(poses[body.name], expected, atol=1e-12 * max(1.0, np.abs(expected).max()))


def test_unknown_kinds_are_never_dropped():
    data = read(next(path for path in SCENES if "scene_000_REDMAX_EULER" in path.name))
    data["springs"] = [{"type": "SpringOfTheFuture"}]
    with pytest.raises(ValueError, match="SpringOfTheFuture"):
        convert(data, diff=False)


@pytest.mark.parametrize("name", ["scene_diff_m01", "scene_019_REDMAX_EULER"])
def test_units_change_numbers_but_not_the_motion(name):
    """Stiffness, damping, gravity, inertia and lengths together: a wrong factor in any changes the motion."""
    scene = load_scene(next(path for path in SCENES if path.name.startswith(f"{name}.")))
    runs = []
    for variant in (scene, scaled(scene, length=1e-2, mass=1e-3)):
        model, integrator = compile_scene(variant), Dop853(rtol=1e-10, atol=1e-12)
        samples = simulate(model, integrator=integrator, fps=50.0, duration=0.1)
        runs.append(record(model, samples, integrator=integrator, fps=50.0))
    # Tolerances of the two runs differ in size because the units do.
    np.testing.assert_allclose(runs[0].position * 1e-2, runs[1].position, atol=1e-8)
    np.testing.assert_allclose(runs[0].rotation, runs[1].rotation, atol=1e-7)
    energy = runs[0].channels["energy"] * 1e-7  # erg to joule
    np.testing.assert_allclose(energy, runs[1].channels["energy"], atol=1e-7 * np.abs(energy).max())
