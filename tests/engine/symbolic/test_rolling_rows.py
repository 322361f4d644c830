# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling in compiled frames: rows on the bodies say what rows on the coordinates say, and whole runs agree."""

from __future__ import annotations

import numpy as np
import pytest

from engine.symbolic.test_rolling import contact, run, scene
from redmax.compile import compile as compile_scene
from redmax.constraints import Rolling
from redmax.fields import Pose
from redmax.joints import Free, Revolute, SurfaceContact
from redmax.kernels.layout import packing_rows
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import adjoint, pose, quaternion, so3
from redmax.symbolic.slip_row import CHART, QDOT, Q, slip_row

PAIRS = [
    ("plane", "sphere"),
    ("sphere", "ellipsoid"),
    ("ellipsoid", "torus"),
    ("torus", "torus"),
    ("cylinder", "sphere"),
    ("plane", "cylinder"),
    ("cylinder", "plane"),
]
SIZES = {"ellipsoid": (0.3, 0.2, 0.25), "torus": (0.3, 0.1, 0.1)}


def random_pose(rng):
    return pose.make(so3.exp(rng.normal(size=3)), rng.normal(size=3))


@pytest.mark.parametrize("points", [((0.0, 0.0), (0.0, 0.0)), ((0.3, -0.2), (0.4, 0.1))])
@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_row_on_the_bodies_is_the_row_on_the_coordinates(first, second, spin, points):
    """Times the twists it is C qdot, and its derivative along the motion is Cdot qdot + C qddot, in every chart."""
    rng = np.random.default_rng(3)
    fields = {"first_size": SIZES.get(first, (0.4, 1, 1)), "second_size": SIZES.get(second, (0.2, 1, 1))}
    joint = SurfaceContact.part(
        first=first, second=second, spin=spin, twist=0.3, first_point=points[0], second_point=points[1], **fields
    )
    n = joint.ndof
    E_aj, E_wa, V_a = random_pose(rng), random_pose(rng), rng.normal(size=6)
    Vdot_a = rng.normal(size=6)
    for chart in range(joint.chart_count):
        q, qdot, qddot = rng.uniform(-0.6, 0.6, (3, n))
        C, drift = joint.slip(q, qdot, chart)
        motion = joint.motion(q, qdot, chart)
        E_ab = E_aj @ motion.Q
        back = adjoint.Ad(pose.inverse(E_ab))
        V_rel = motion.S @ qdot
        V_b = back @ V_a + V_rel
        # d(Ad(E_ba)) / dt = -ad(V_rel) Ad(E_ba)
        turned = back @ V_a
        Vdot_b = back @ Vdot_a - adjoint.ad(V_rel) @ turned + motion.S @ qddot + motion.Sdot @ qdot
        for row in range(3 if spin else 2):
            data = np.array(joint.slip_numbers(E_aj, row))
            data[Q : Q + n], data[QDOT : QDOT + n], data[CHART] = q, qdot, chart
            result = np.zeros(14)
            slip_row(data, E_wa, V_a, E_wa @ E_ab, V_b, result)
            assert result[1:7] @ V_a + result[7:13] @ V_b == pytest.approx(C[row] @ qdot, abs=1e-12)
            rate = result[1:7] @ Vdot_a + result[7:13] @ Vdot_b + result[13]
            assert rate == pytest.approx(C[row] @ qddot + drift[row], abs=1e-11)


def test_kernels_know_rolling():
    model = compile_scene(scene(contact(q=(0.0, 0.0, 0.3, 0.2, 0.1))))
    assert packing_rows.known(model)
    assert len(model.constraints[0].packed()) == 2


def both(made, duration, monkeypatch):
    """Results of a run in compiled frames, and of the readable rows."""
    compiled = run(made, duration)
    monkeypatch.setattr(Rolling, "packed", lambda _self: None)
    return compiled, run(made, duration)


@pytest.mark.parametrize("pivots", [True, False])
def test_compiled_frames_agree_with_readable_rows(monkeypatch, pivots):
    joint = contact(q=(0.0, 0.0, 0.3, 0.2, 0.1), qdot=(0.4, 0.2, 0.0, 0.0, 0.0))
    one, two = both(scene(joint, pivots=pivots), 1.0, monkeypatch)
    np.testing.assert_allclose(one.position, two.position, atol=2e-8)
    np.testing.assert_allclose(np.abs((one.rotation * two.rotation).sum(-1)), 1.0, atol=2e-8)


def moving_table(**rolling):
    """A ball on a table that swings: forces act on both."""
    table = Body(name="table", inertia=Inertia(mass=4.0, tensor=np.diag([0.3, 0.4, 0.5]).tolist()))
    ball = Body(name="ball", inertia=Inertia(mass=3.0, tensor=np.diag([0.05, 0.04, 0.06]).tolist()))
    turn = tuple(quaternion.from_matrix(so3.exp([0.2, 0.1, -0.3])).tolist())
    swing = Revolute(name="swing", parent=None, child="table", axis=(0.0, 1.0, 0.0), frame_in_child=Pose((0, 0, 0.5)))
    touch = contact(q=(0.1, -0.1, 0.3, 0.2, 0.1), frame_in_parent=Pose((0.1, 0.0, 0.05), turn))
    object.__setattr__(touch, "parent", "table")
    return Scene(
        bodies=[table, ball], joints=[swing, touch], constraints=[Rolling(name="rolling", joint="contact", **rolling)]
    )


def test_forces_act_on_both_bodies(monkeypatch):
    made = moving_table()
    one, two = both(made, 0.5, monkeypatch)
    np.testing.assert_allclose(one.position, two.position, atol=2e-8)
    energy = one.channels["energy"]
    assert np.ptp(energy) < 1e-6 * np.abs(one.channels["kinetic"]).max()


def test_a_flying_pair_keeps_its_momentum():
    """A ball that rolls on a body that nothing holds; gravity is off."""
    made = moving_table()
    made.joints[0] = Free(name="air", parent=None, child="table", qdot=(0.3, 0.2, -0.4, 0.1, 0.0, 0.2))
    made.gravity = (0.0, 0.0, 0.0)
    result = run(made, 1.0)
    np.testing.assert_allclose(np.ptp(result.channels["energy"]), 0.0, atol=1e-8)
    middle = np.einsum("b,tbk->tk", [4.0 / 7.0, 3.0 / 7.0], result.position)
    np.testing.assert_allclose(np.diff(middle, n=2, axis=0), 0.0, atol=1e-8)
