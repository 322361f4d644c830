# SPDX-License-Identifier: GPL-3.0-or-later
"""Couplings and prescribed motion in runs, by comparison with what is known otherwise."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.constraints.closed import ANGLE
from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.constraints import BodyMotion, Coupling, JointMotion, Pin
from redmax.integrators import Dop853, RungeKutta4
from redmax.simulate import SimulationError, simulate
from redmax.tables import Table

PRECISE = Dop853(rtol=1e-10, atol=1e-10)


def run(model, duration=0.5, integrator=PRECISE):
    samples = list(simulate(model, integrator=integrator, duration=duration))
    assert samples[-1].status == "complete", samples[-1].message
    return samples


def channel(samples, name):
    return np.array([sample.channels[name] for sample in samples])


def angles(samples):
    return np.array([sample.state.q for sample in samples])


def arms(**first):
    """A double pendulum; fields of its first joint."""
    b = Builder("arms")
    b.bar("upper", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("lower", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    b.hinge("shoulder", None, "upper", (0.0, 0.0, 0.0), **first)
    b.hinge("elbow", "upper", "lower", (1.0, 0.0, 0.0))
    return b.scene


def test_a_prescribed_joint_is_an_animated_one():
    """The same motion, the same effort, the same work, by rows and by elimination."""
    table = dataclasses.replace(ANGLE, y=tuple((y[0] - 0.1,) for y in ANGLE.y))  # begins at q = 0
    animated = run(compile_scene(arms(motion_type="animated", animation=table)))
    scene = arms(qdot=float(table.derivative(0.0)[0]))  # else the motor starts with a blow
    scene.constraints.append(JointMotion(name="motor", joint="shoulder", table=table))
    prescribed = run(compile_scene(scene))
    np.testing.assert_allclose(angles(prescribed), angles(animated), atol=1e-8)
    np.testing.assert_allclose(
        channel(prescribed, "constraint")[:, 0], channel(animated, "motor")[:, 0], rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(channel(prescribed, "work"), channel(animated, "work"), atol=1e-7)


@pytest.mark.parametrize("quantity", ["velocity", "acceleration"])
def test_a_velocity_or_an_acceleration_is_realised(quantity):
    scene = arms()
    scene.constraints.append(JointMotion(name="motor", joint="shoulder", quantity=quantity, table=ANGLE))
    samples = run(compile_scene(scene))
    times = np.array([sample.t for sample in samples])
    wanted = np.array([ANGLE.value(t)[0] for t in times])
    if quantity == "velocity":
        found = np.array([sample.state.qdot[0] for sample in samples])
    else:
        found = channel(samples, "qddot")[:, 0]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_geared_wheels_fall_like_one_pendulum_of_their_joint_inertia():
    """Two equal bars geared 1 : 1 move like one; the gear's force is half of what one would need to hold back."""
    b = Builder("gears")
    b.bar("one", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("two", (0.0, 1.0, 0.0), (1.0, 1.0, 0.0), mass=1.0)
    b.hinge("first", None, "one", (0.0, 0.0, 0.0))
    b.hinge("second", None, "two", (0.0, 1.0, 0.0))
    b.scene.constraints.append(Coupling(name="gear", leader="first", follower="second", ratio=1.0))
    samples = run(compile_scene(b.scene))
    q = angles(samples)
    np.testing.assert_allclose(q[:, 0], q[:, 1], atol=1e-13)
    np.testing.assert_allclose(channel(samples, "constraint"), 0.0, atol=1e-9)  # they would do so anyway
    energy = channel(samples, "energy")
    assert np.ptp(energy) < 1e-8 * channel(samples, "kinetic").max()


def test_a_rack_ties_a_slider_to_a_wheel():
    """x = 0.2 q: the accelerations are those of the inertia I + m r^2 under the slider's weight."""
    b = Builder("rack")
    b.body("wheel", (0.0, 0.0, 0.0), 1.0, 0.05 * np.eye(3))
    b.body("rack", (0.2, 0.0, 0.0), 3.0, 0.01 * np.eye(3))
    b.hinge("axle", None, "wheel", (0.0, 0.0, 0.0))
    b.joint("prismatic", "slide", None, "rack", (0.2, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    b.scene.constraints.append(Coupling(name="teeth", leader="axle", follower="slide", ratio=-0.2))
    samples = run(compile_scene(b.scene), duration=0.25)
    expected = 3.0 * 9.81 * 0.2 / (0.05 + 3.0 * 0.2**2)
    np.testing.assert_allclose(channel(samples, "qddot")[:, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(angles(samples)[:, 1], -0.2 * angles(samples)[:, 0], atol=1e-13)


def test_a_body_follows_the_velocities_it_is_told():
    """All six components of a free body: it moves as the table says, whatever gravity wants."""
    b = Builder("carried")
    b.body("box", (0.0, 0.0, 0.0), 2.0, 0.1 * np.eye(3))
    b.joint("free_translation_rotation", "air", None, "box", (0.0, 0.0, 0.0))
    table = Table(x=(0.0, 1.0, 2.0), y=((0, 0, 1.0, 0.5, 0, 0), (0, 0, 2.0, 0, 0.5, 0.2), (0, 0, 0, 0, 0, 0)))
    b.scene.constraints.append(BodyMotion(name="carry", body="box", table=table))
    samples = run(compile_scene(b.scene), duration=1.0)
    for sample in samples:
        value, R = table.value(sample.t), sample.E_wb[0, :3, :3]
        twist = sample.channels["twist"][0]
        np.testing.assert_allclose(np.concatenate([R @ twist[:3], R @ twist[3:]]), value, atol=1e-9)
    force = samples[0].channels["constraint"]  # it is held against gravity and accelerated
    np.testing.assert_allclose(force[3:], 2.0 * np.array([-0.5, 0.5, 0.2 + 9.81]), atol=1e-6)


def test_a_pin_to_the_world_makes_a_pendulum_of_a_free_body():
    """The same motion as on a ball joint."""
    b = Builder("pinned")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.joint("free_translation_rotation", "air", None, "bar", (0.5, 0.0, 0.0))
    b.scene.constraints.append(Pin(name="nail", body="bar", point=(-0.5, 0.0, 0.0)))
    free = run(compile_scene(b.scene))
    c = Builder("ball")
    c.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    c.joint("spherical", "ball", None, "bar", (0.0, 0.0, 0.0))
    hung = run(compile_scene(c.scene))
    np.testing.assert_allclose([s.E_wb for s in free], [s.E_wb for s in hung], atol=1e-8)
    reaction = channel(hung, "reaction")[:, 0, 3:]
    np.testing.assert_allclose(
        np.linalg.norm(channel(free, "constraint"), axis=1), np.linalg.norm(reaction, axis=1), rtol=1e-6
    )


def test_a_motor_row_drives_a_four_bar_and_its_work_balances():
    table = Table(x=(0.0, 1.0, 2.0), y=((0.0,), (4.0,), (9.0,)), interpolation="cubic")
    scene = four_bar()
    scene.constraints.append(JointMotion(name="motor", joint="A", table=table))
    samples = run(compile_scene(scene))
    energy, work = channel(samples, "energy"), channel(samples, "work")
    assert np.abs(work).max() > 0.5
    np.testing.assert_allclose(work, energy - energy[0], atol=1e-7 * np.abs(work).max())
    assert np.abs(channel(samples, "gap")).max() < 1e-12


def test_a_corner_of_a_table_passes_its_impulse_on():
    """The velocity jumps at 0.1 s; what it adds at once is work."""
    table = Table(x=(0.0, 0.1, 1.0), y=((0.0,), (0.0,), (1.8,)), interpolation="linear")
    scene = arms()
    scene.constraints.append(JointMotion(name="motor", joint="shoulder", table=table))
    samples = run(compile_scene(scene), duration=0.25)
    assert samples[-1].state.qdot[0] == pytest.approx(2.0, abs=1e-12)
    energy, work = channel(samples, "energy"), channel(samples, "work")
    np.testing.assert_allclose(work, energy - energy[0], atol=1e-8)


def test_what_a_body_cannot_do_is_named_at_the_start():
    scene = arms()
    table = Table(x=(0.0,), y=((0.0, 0.0, 1.0, 0.0, 0.0, 0.0),))
    motion = BodyMotion(name="twist", body="upper", components=(0, 0, 1, 0, 0, 0), table=table)
    scene.constraints.append(motion)
    with pytest.raises(SimulationError, match=r"constraint 'twist': demands a velocity that the mechanism cannot have"):
        simulate(compile_scene(scene), integrator=RungeKutta4(), duration=1.0)


def test_work_at_corners_of_an_animation_is_booked_where_constraints_pass_it_on():
    """The impulse of an animated hinge moves what is coupled to it, and what hangs on that."""
    corners = Table(x=(0.0, 0.1, 0.2), y=((0.0,), (0.3,), (0.1,)))
    b = Builder("coupled chain")
    parent = None
    for k in range(3):
        b.bar(f"bar {k}", (0.4 * k, 0.0, 0.0), (0.4 * k + 0.4, 0.0, 0.0))
        moved = {"motion_type": "animated", "animation": corners} if k == 0 else {}
        b.hinge(f"h{k}", parent, f"bar {k}", (0.4 * k, 0.0, 0.0), **moved)
        parent = f"bar {k}"
    b.scene.constraints.append(Coupling(name="gear", leader="h0", follower="h1"))
    model, integrator = compile_scene(b.scene), Dop853(rtol=1e-11, atol=1e-11)
    seen = [sample.channels for sample in simulate(model, integrator=integrator, fps=40.0, duration=0.15)]
    energy, work, loss = (np.array([channels[name] for channels in seen]) for name in ("energy", "work", "loss"))
    np.testing.assert_allclose(energy - energy[0], work - loss, atol=1e-8)
    assert np.abs(np.diff(work)).max() > 1.0  # the corner is within
