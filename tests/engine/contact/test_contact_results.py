# SPDX-License-Identifier: GPL-3.0-or-later
"""What results say of contact, how they are kept, and who refuses surfaces."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from engine.contact_scenes import Builder, G, run, slope
from redmax import io
from redmax.__main__ import main
from redmax.compile import compile as compile_scene
from redmax.integrators import INTEGRATORS
from redmax.simulate import SimulationError, simulate
from redmax.trajectory import TrajectoryError, load


def test_contacts_are_saved_and_loaded(tmp_path: Path) -> None:
    found = run(slope(0.0, 0.5, velocity=1.0), 0.125)
    found.save(tmp_path / "run.npz")
    again = load(tmp_path / "run.npz")
    assert again.contacts is not None
    assert found.contacts is not None
    for name, values in vars(found.contacts).items():
        np.testing.assert_array_equal(getattr(again.contacts, name), values)
    assert again.meta["surfaces"] == ["ground", "box surface"]
    assert again.meta["contact"]["missed"] == 0


def test_contact_points_of_a_sliding_box_have_its_weight_friction_and_speed() -> None:
    found = run(slope(0.0, 0.5, velocity=1.0), 0.125)
    contacts = found.contacts
    assert contacts is not None
    assert contacts.offsets[1] == 0  # nothing is known of forces before the first step
    last = contacts.at(len(found) - 1)
    sign = 1.0 if contacts.surfaces[last][0, 0] == 1 else -1.0  # the first surface is the ground
    assert contacts.normal_force[last].sum() == pytest.approx(4.0 * G, rel=1e-8)
    np.testing.assert_allclose(contacts.normal[last], np.broadcast_to((0, 0, sign), (4, 3)), atol=1e-9)
    friction = sign * contacts.friction[last].sum(axis=0)
    np.testing.assert_allclose(friction, (-0.5 * 4.0 * G, 0.0, 0.0), atol=1e-6)
    speed = 1.0 - 0.5 * G * found.t[-1]
    assert sign * contacts.slip[last][:, 0].mean() == pytest.approx(speed, rel=0.2)  # that of the last step's middle
    np.testing.assert_allclose(contacts.penetration[last], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.channels["surface_force"][-1, 1], (-2.0 * G, 0.0, 4.0 * G), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("bounce", [0.0, 0.5])
def test_the_loudest_impact_of_a_frame_is_the_impulse_of_a_fall(bounce: float) -> None:
    b = Builder("fall").plane(bounce=bounce)
    found = run(b.box("box", (0.0, 0.0, 0.15), (0.2, 0.2, 0.1), bounce=bounce).scene, 0.25)
    impulse = 4.0 * (1.0 + bounce) * math.sqrt(2.0 * G * 0.1)
    assert found.channels["impact"][:, 1].max() == pytest.approx(impulse, rel=0.1 if bounce == 0.0 else 1e-6)
    assert found.channels["impact"][1, 1] == 0.0


@pytest.mark.parametrize("kind", [cls.kind for cls in INTEGRATORS if not cls.has_contact])
def test_other_integrators_refuse_surfaces(kind: str) -> None:
    model = compile_scene(slope(0.0, 0.5))
    with pytest.raises(SimulationError, match="does not simulate surfaces"):
        simulate(model, duration=0.1, integrator=INTEGRATORS[kind]())


def test_the_command_simulates_a_scene_file_with_surfaces(tmp_path: Path) -> None:
    io.save(slope(0.0, 0.5, velocity=1.0), tmp_path / "slide.json")
    out = tmp_path / "slide.npz"
    assert main(["simulate", str(tmp_path / "slide.json"), "--duration", "0.125", "--out", str(out)]) == 0
    assert load(out).contacts is not None


def test_contacts_that_do_not_fit_are_refused() -> None:
    found = run(slope(0.0, 0.5), 0.125)
    assert found.contacts is not None
    with pytest.raises(TrajectoryError, match="offsets"):
        found.contacts.check(len(found) + 1, 2)
    with pytest.raises(TrajectoryError, match="surfaces"):
        found.contacts.check(len(found), 1)
