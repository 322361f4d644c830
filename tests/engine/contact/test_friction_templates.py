# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates that work by friction do what closed forms say. Their .json is what Blender makes of them; the add-on's
tests compare it.

They take minutes without compiled code, which Blender's environments lack: so they move here.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.contact_scenes import G, run
from redmax import io
from redmax.kernels import route
from redmax.scene import Scene
from redmax.tables import Table
from redmax.trajectory import Trajectory

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="these take minutes without the compiled solver")


def template(name: str) -> Scene:
    return io.load(Path(__file__).with_name(f"{name}.json"))


def replaced(elements: list[Any], name: str, **values: Any) -> None:
    """Give an element of a list other values."""
    index = next(k for k, element in enumerate(elements) if element.name == name)
    elements[index] = dataclasses.replace(elements[index], **values)


def named(elements: list[Any], name: str) -> Any:
    return next(element for element in elements if element.name == name)


def place(found: Trajectory, name: str) -> Any:
    """(f, 3) where a body's frame is."""
    return found.position[:, found.body_names.index(name)]


# --- gripper ---------------------------------------------------------------------------------

GRIP = 1.5
"""Force of a finger over the block's weight."""


@pytest.mark.parametrize(("part", "holds"), [(0.98, False), (1.02, True)])
def test_the_gripper_holds_its_block_where_both_pads_carry_it_and_drops_it_where_not(part: float, holds: bool) -> None:
    """2 mu N against the weight, and where it is to hold more by the acceleration with which the hand is lifted."""
    scene = template("gripper")
    weight = named(scene.bodies, "Gripper Block").inertia.mass * G
    push = named(scene.joints, "Gripper Left Finger Slider").torque_table
    assert np.max(push.y) == pytest.approx(GRIP * weight, rel=1e-4)
    lift = named(scene.joints, "Gripper Hand Slider").animation
    t = np.linspace(2.4, 3.9, 301)
    rise = np.array([float(lift.value(float(x))[0]) for x in t])
    fastest = float(np.gradient(np.gradient(rise, t), t)[5:-5].max())
    assert 0.3 < fastest < 2.0
    friction = part * (1.0 + fastest / G if holds else 1.0) / (2.0 * GRIP)
    for name in ("Gripper Block", "Gripper Left Finger Pad", "Gripper Right Finger Pad"):
        replaced(scene.surfaces, name, friction=friction)
    found = run(scene, 4.2)
    assert found.status == "complete", found.message
    hand, block = place(found, "Gripper Hand")[:, 2], place(found, "Gripper Block")[:, 2]
    assert hand[-1] - hand[60] > 0.6
    slipped = (hand - block)[-1] - (hand - block)[50]
    assert (slipped < 2e-3) == holds
    assert (slipped > 0.05) != holds


def test_the_gripper_carries_its_block_to_the_other_stand_and_its_books_balance() -> None:
    scene = template("gripper")
    found = run(scene, 9.4)
    block = place(found, "Gripper Block")
    assert block[-1, 0] - block[0, 0] == pytest.approx(3.8 * 0.4, abs=2e-3)
    assert block[-1, 2] == pytest.approx(block[0, 2], abs=2e-3)
    assert block[:, 2].max() > block[0, 2] + 0.6
    channels = found.channels
    balance = channels["energy"] - channels["energy"][0] + channels["loss"] - channels["work"]
    lifted = named(scene.bodies, "Gripper Block").inertia.mass * G * np.ptp(block[:, 2])
    assert np.abs(balance).max() < 0.1 * lifted  # the work on the block counts once


# --- crane -----------------------------------------------------------------------------------


def tipping(part: float, *, still: bool) -> Scene:
    """The crane with a load whose moment at full reach about the front pads is a part of what holds the crane.

    still: the trolley stands at full reach from the start.
    """
    scene = template("tipping_crane")
    trolley = named(scene.joints, "Crane Trolley Slider")
    out = float(trolley.animation.y[-1][0])
    reach = trolley.frame_in_parent.position[0] + out
    pad = named(scene.surfaces, "Crane Pad 1")
    edge = pad.frame.position[0] + 0.5 * pad.size[0]
    crane = named(scene.bodies, "Tipping Crane").inertia
    holding = crane.mass * (edge - crane.center[0])
    other = sum(body.inertia.mass for body in scene.bodies if "Rope" in body.name or "Trolley" in body.name)
    load = named(scene.bodies, "Tipping Crane Load").inertia
    mass = part * holding / (reach - edge) - other
    tensor = tuple(tuple(mass / load.mass * x for x in row) for row in load.tensor)
    replaced(scene.bodies, "Tipping Crane Load", inertia=dataclasses.replace(load, mass=mass, tensor=tensor))
    if still:
        replaced(scene.joints, trolley.name, motion_type="locked", animation=None, q=(out,))
    return scene


def tilt(found: Trajectory) -> Any:
    """(f,) how far the crane leans forward [rad]."""
    return 2.0 * np.arcsin(found.rotation[:, found.body_names.index("Tipping Crane"), 2])


@pytest.mark.parametrize(("part", "tips"), [(0.98, False), (1.02, True)])
def test_the_crane_tips_where_the_loads_moment_is_more_than_its_own(part: float, tips: bool) -> None:
    found = run(tipping(part, still=True), 3.0)
    assert found.status == "complete", found.message
    assert (tilt(found)[-1] > 0.01) == tips
    assert (np.abs(tilt(found)).max() < 1e-4) != tips


def test_the_trolley_tips_the_crane_and_the_load_stops_it() -> None:
    found = run(tipping(1.25, still=False), 10.0)
    leaning = np.degrees(tilt(found))
    assert np.abs(leaning[: 24 * 3]).max() < 0.1  # it stands while the load is near
    assert 3.0 < leaning[-1] < 12.0
    assert np.abs(leaning[-12:] - leaning[-1]).max() < 0.5  # the load on the ground holds it


# --- screw jack ------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "holds"), [(0.99, True), (1.01, False)])
def test_the_jack_holds_its_load_up_to_the_angle_of_friction(part: float, holds: bool) -> None:
    scene = template("jack")
    screw = named(scene.joints, "Jack Screw Screw")
    lead = part * math.atan(screw.friction.coefficient)
    pitch = 2.0 * math.pi * screw.friction.radius * math.tan(lead)
    replaced(scene.joints, screw.name, pitch=pitch, torque_table=None, q=(20.0,), damping=(0.0,))
    found = run(scene, 3.0)
    assert found.status == "complete", found.message
    turned = found.q[:, [found.q[0].tolist().index(20.0)]] - 20.0
    assert (turned == 0.0).all() == holds
    assert (turned[-1, 0] < -0.05) != holds


def test_the_jack_lifts_holds_and_lowers() -> None:
    scene = template("jack")
    found = run(scene, 10.0)
    height = place(found, "Jack Load")[:, 2]
    pitch = named(scene.joints, "Jack Screw Screw").pitch
    assert np.ptp(height) == pytest.approx(4.0 * pitch, rel=0.03)
    held = height[24 * 4 + 6 : 24 * 5]
    assert np.ptp(held) == 0.0
    assert held[0] > height[0] + 3.0 * pitch
    assert height[-1] == pytest.approx(height[0], abs=0.12 * pitch)


# --- clutch and brake ------------------------------------------------------------------------

SPEED, PADS, RIM = 3.0 * math.pi, 0.72 * 0.4, 0.8 * 0.4
"""Of the driver [rad/s], and the radii of pads and drum [m]."""


def spinning(found: Trajectory) -> Any:
    """(f,) speed of the flywheel about its shaft [rad/s]."""
    return found.channels["twist"][:, found.body_names.index("Clutch Flywheel"), 0]


def moment(scene: Scene) -> float:
    """Of the flywheel about its shaft [kg m^2]."""
    return float(named(scene.bodies, "Clutch Flywheel").inertia.tensor[0][0])


def friction_of(scene: Scene, name: str) -> float:
    return float(named(scene.surfaces, name).friction)


def test_the_clutch_passes_mu_r_n_while_it_slips_and_the_brake_stops_in_its_time() -> None:
    scene = template("clutch")
    found = run(scene, 7.0)
    assert found.status == "complete", found.message
    speed = spinning(found)
    press = np.max(named(scene.joints, "Clutch Fork Slider").torque_table.y)
    gained = friction_of(scene, "Clutch Pad 1") * PADS * press / moment(scene)
    np.testing.assert_allclose(np.diff(speed[30:54]) * 24.0, gained, rtol=2e-3)
    np.testing.assert_allclose(speed[72:108], SPEED, rtol=1e-6)
    assert gained == pytest.approx(SPEED / 1.5, rel=1e-3)
    lower, upper = (
        np.max(named(scene.joints, f"Brake {side} Shoe Slider").torque_table.y) for side in ("Lower", "Upper")
    )
    lost = friction_of(scene, "Brake Drum") * RIM * (lower + upper) / moment(scene)
    slowing = np.flatnonzero((speed[1:] < 0.95 * SPEED) & (speed[:-1] > 0.05 * SPEED) & (found.t[1:] > 5.1))
    np.testing.assert_allclose(np.diff(speed)[slowing[1:-1]] * 24.0, -lost, rtol=2e-3)
    assert lost == pytest.approx(SPEED / 1.0, rel=1e-3)
    assert np.abs(speed[-6:]).max() < 1e-6
    # The first frame at which it stands: a second after the shoes have come to the drum.
    stands = found.t[np.flatnonzero((np.abs(speed) < 1e-6) & (found.t > 5.0))[0]]
    begins = np.interp(-0.5 * SPEED, -speed[found.t > 5.0], found.t[found.t > 5.0]) - 0.5 * SPEED / lost
    assert stands - begins == pytest.approx(SPEED / lost, abs=1.0 / 24.0)
    assert found.meta["energy_books"]["balanced"]


@pytest.mark.parametrize(("part", "slips"), [(0.98, False), (1.02, True)])
def test_the_clutch_carries_a_load_of_at_most_mu_r_n(part: float, slips: bool) -> None:
    scene = template("clutch")
    press = np.max(named(scene.joints, "Clutch Fork Slider").torque_table.y)
    most = friction_of(scene, "Clutch Pad 1") * PADS * float(press)
    load = Table(x=(0.0, 3.0, 3.2, 10.0), y=((0.0,), (0.0,), (-part * most,), (-part * most,)), interpolation="linear")
    replaced(scene.joints, "Clutch Flywheel Hinge", torque_table=load)
    found = run(scene, 4.5)
    behind = SPEED - spinning(found)[-1]
    expected = (part - 1.0) * most / moment(scene) * 1.3
    assert behind == pytest.approx(expected if slips else 0.0, abs=0.15 * abs(expected))
