# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets in scenes: JSON, references by name, and what is said of bad ones."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import golden_loader
import golden_runs
from engine.spline_examples import ring_track, torus_sheet
from engine.spline_scenes import cart_on, coaster_track
from redmax import io
from redmax.__main__ import main
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.errors import RedMaxError, SceneError
from redmax.joints import Composite, Revolute, SplineCurve, SplineSurface, traits
from redmax.scene import Body, Inertia, Scene, resolved, resolved_joint
from redmax.spatial import adjoint, pose
from redmax.tables import Table
from redmax.tracks import bases


def sentences(scene: Scene) -> list[str]:
    return [str(problem) for problem in find_problems(scene)]


def changed(scene: Scene, **fields) -> Scene:
    return dataclasses.replace(scene, joints=[dataclasses.replace(scene.joints[0], **fields)])


def test_scenes_with_tracks_and_sheets_survive_JSON():
    scene = cart_on(coaster_track(), qdot=3.0)
    scene.bodies.append(Body(name="puck", inertia=Inertia(mass=1.0, tensor=np.eye(3).tolist())))
    scene.joints.append(SplineSurface(name="ice", parent=None, child="puck", sheet="sheet", q=(0.5, 0.5)))
    scene.sheets = [torus_sheet(2, cyclic_u=False, stops=False)]
    text = io.dumps(scene)
    read = io.loads(text)
    assert read.tracks == scene.tracks
    assert io.dumps(read) == text
    assert list(json.loads(text))[-2:] == ["tracks", "sheets"]
    np.testing.assert_array_equal(compile_scene(read).joints[1].packed_data, compile_scene(scene).joints[1].packed_data)


def test_a_joint_that_does_not_know_its_track_says_so():
    scene = cart_on(ring_track())
    with pytest.raises(RedMaxError, match="joint 'wheels' does not know its track 'track' yet"):
        scene.joints[0].motion(np.zeros(1), np.zeros(1))
    joint = resolved_joint(scene.joints[0], scene)
    assert joint.motion(np.zeros(1), np.zeros(1)).Q[3, 3] == 1.0
    hinge = Revolute(name="pin", parent=None, child="cart")
    assert resolved_joint(hinge, scene) is hinge
    plain = dataclasses.replace(scene, joints=[hinge])
    assert resolved(plain) is plain


def test_the_unit_of_the_coordinate_is_the_tracks():
    scene = cart_on(ring_track(coordinate="parameter"))
    joint = resolved_joint(scene.joints[0], scene)
    assert (joint.dof_names, joint.dof_units) == (("parameter",), ("1",))
    assert scene.joints[0].dof_units == ("m",)


def test_traits_tell_tracks_of_one_name_apart():
    for track, is_slider in ((straight(), True), (ring_track(), False)):
        scene = cart_on(track, q=1.0)
        assert traits.of(resolved_joint(scene.joints[0], scene)).is_slider == is_slider


def straight():
    frames = tuple(dataclasses.replace(frame, position=(float(k), 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0))
                   for k, frame in enumerate(ring_track().frames))  # fmt: skip
    return dataclasses.replace(ring_track(), frames=frames, cyclic=False)


def test_limits_are_the_ends_unless_closer_ones_are_given():
    track = straight()
    assert compile_scene(cart_on(track)).joints[0].hard_limits() == [(0, 0.0, track.extent)]
    closer = compile_scene(changed(cart_on(track, q=2.0), lower=1.0, upper=(None,))).joints[0]
    assert closer.hard_limits() == [(0, 1.0, track.extent)]
    assert compile_scene(cart_on(ring_track())).joints[0].hard_limits() == []
    sheet = torus_sheet(2, cyclic_u=False)
    scene = Scene(
        bodies=[Body(name="puck", inertia=Inertia(mass=1.0, tensor=np.eye(3).tolist()))],
        joints=[SplineSurface(name="ice", parent=None, child="puck", sheet="sheet", q=(0.5, 0.5))],
        sheets=[sheet],
    )
    assert compile_scene(scene).joints[0].hard_limits() == [(0, 0.0, sheet.extent[0])]


# --- what is wrong is named ----------------------------------------------------------------------


def test_an_unknown_track_is_named_once():
    (found,) = sentences(changed(cart_on(ring_track()), track="trck"))
    assert found == "joint 'wheels': track is 'trck', but there is no track of that name; did you mean 'track'?"
    part = Composite(name="wheels", parent=None, child="cart", parts=(SplineCurve.part(track="rail"), Revolute.part()))
    (found,) = sentences(dataclasses.replace(cart_on(ring_track()), joints=[part]))
    assert "parts[0]" in found
    assert "track is 'rail', but there is no track of that name" in found


def test_a_bad_track_is_named_and_its_joints_are_not():
    scene = cart_on(ring_track(count=3))
    (found,) = sentences(scene)
    assert found.startswith("track 'track': frames has 3 of at least 4 entries; give a list of at least 4 objects")
    scene = cart_on(ring_track(basis="bezier", count=10))
    (found,) = sentences(scene)
    assert found.startswith("track 'track': frames has 10 entries for a bezier track")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"position": [0.0, float("nan"), 0.0]}, "frames[2]: position has a number that is not finite"),
        ({"rotation": [0.5, 0.0, 0.0, 0.0]}, "frames[2]: rotation has length 0.5"),
        ({"position": [0.0, 1.0]}, "frames[2]: position has shape 2"),
        (5, "frames[2]: is not an object"),
        ({"place": [0.0, 1.0]}, "frames[2]: has an unknown field 'place'"),
    ],
)
def test_a_bad_frame_is_named(frame, words):
    data = io.plain(cart_on(ring_track()))
    data["tracks"][0]["frames"][2] = frame
    with pytest.raises(SceneError) as raised:
        io.loads(json.dumps(data))
    found = [str(problem) for problem in raised.value.problems]
    assert any(words in one for one in found), found
    assert all("track 'track'" in one for one in found), found


def test_places_beyond_the_end_of_an_open_track_are_named():
    scene = cart_on(straight())
    end = f"{straight().extent:g} m"
    for fields, words in (
        ({"q": (9.0,)}, "q is 9 m, beyond the end of track 'track'"),
        ({"upper": 20.0}, "upper is 20 m, beyond"),
        ({"lower": -1.0}, "lower is -1 m, beyond"),
        ({"motion_type": "animated", "animation": Table(x=(0.0, 1.0), y=((0.0,), (70.0,)))}, "animation is 70 m"),
    ):
        (found,) = sentences(changed(scene, **fields))
        assert words in found
        assert f"give values from 0 to {end}, or make the track cyclic" in found


def test_lists_that_are_none_are_named():
    scene = cart_on(ring_track())
    scene.tracks = 5
    assert "one of tracks, sheets, bodies" in sentences(scene)[0]
    scene.tracks = ["rail"]
    assert any("is str; give a Track" in one for one in sentences(scene))


# --- a golden file with a spline surface ---------------------------------------------------------


def golden_surface(tmp_path, steps: int = 40):
    """A scene of a body on a spline surface in the golden format, and its run by linearly implicit Euler, computed here
    from the golden README's own words: f_k = b(q2)^T cs[:, :, k] b(q1), exponentials in the order Tx Ty Tz Rx Ry Rz."""
    rng = np.random.default_rng(22)
    i1, i2 = np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij")
    cs = np.stack([3.0 * i2, 4.0 * i1, 0.5 * (i1 - 1.5) ** 2, 0.1 * i1, 0.2 * i2, 0.1 * i1 * i2], -1)
    cs += 0.1 * rng.standard_normal(cs.shape)
    inertia, g, h = np.array([3.0, 4.0, 5.0, 2.0, 2.0, 2.0]), np.array([0.0, 0.0, -98.0]), 0.005
    E_pj, E_ji = pose.random(rng), pose.random(rng)
    B = bases.MATRICES["b_spline"]

    def place(q):
        Q = np.eye(4)
        for k, axis in enumerate((3, 4, 5, 0, 1, 2)):
            b = [B @ [1.0, x, x**2, x**3] for x in q]
            Q = Q @ pose.exp(np.eye(6)[axis] * (b[1] @ cs[:, :, k] @ b[0]))
        return E_pj @ Q @ E_ji

    def jacobian(q):
        d, E = 1e-3, place(q)
        columns = []
        for e in np.eye(2):
            D = [place(q + c * d * e) for c in (-2, -1, 1, 2)]
            columns.append(pose.unbracket(pose.inverse(E) @ (D[0] - 8.0 * D[1] + 8.0 * D[2] - D[3]) / (12.0 * d)))
        return np.array(columns).T

    q, qdot = np.array([0.3, 0.4]), np.array([0.5, -0.2])
    rows = {name: [] for name in ("t", "q", "qdot", "T", "V", "E_world_body", "twist_body")}
    for step in range(steps + 1):
        E, J, d = place(q), jacobian(q), 1e-3
        phi = J @ qdot
        D = [jacobian(q + c * d * qdot) for c in (-2, -1, 1, 2)]
        Jdot = (D[0] - 8.0 * D[1] + 8.0 * D[2] - D[3]) / (12.0 * d)
        values = (step * h, [q.tolist()], [qdot.tolist()], 0.5 * phi @ (inertia * phi), -2.0 * g @ E[:3, 3])
        for name, value in zip(rows, (*values, [E.tolist()], [phi.tolist()]), strict=True):
            rows[name].append(value)
        force = adjoint.ad(phi).T @ (inertia * phi) + np.concatenate([np.zeros(3), 2.0 * E[:3, :3].T @ g])
        M = J.T @ (inertia[:, None] * J)
        qdot = qdot + h * np.linalg.solve(M, J.T @ (force - inertia * (Jdot @ qdot)))
        q = q + h * qdot
    body = {
        "name": "puck", "type": "BodyCuboid", "density": 1.0, "sides": [1.0, 1.0, 1.0], "damping_viscous": 0.0,
        "inertia_diag_Ixyz_mmm": inertia.tolist(), "E_joint_body": E_ji.tolist(),
        "E_world_body_t0": place(np.array([0.3, 0.4])).tolist(),
    }  # fmt: skip
    joint = {
        "name": "NULL-puck", "type": "JointSplineSurface", "ndof": 2, "parent_joint": -1, "body": 0,
        "E_parentjoint_joint_q0": E_pj.tolist(), "q_init": [0.3, 0.4], "qdot_init": [0.5, -0.2], "stiffness": 0.0,
        "damping": 0.0, "q_rest": [0.0, 0.0], "prescribed": False, "control_values_cs_i1_i2_k": cs.tolist(),
    }  # fmt: skip
    scene = {
        "gravity": g.tolist(), "bodies": [body], "joints": [joint], "tspan": [0.0, steps * h], "h_euler": h,
        "baumgarte_alpha_beta_gamma": [5.0, 5.0, 5.0], "friction_on": False, "constraints": [], "springs": [],
        "deformables": [], "sceneID": 122, "name": "Spline surface joint",
    }  # fmt: skip
    stepped = list(range(steps + 1))
    for name, data in (
        ("scene_122_REDMAX_EULER", scene),
        ("run_122_REDMAX_EULER", rows | {"sceneID": 122, "integrator": "REDMAX_EULER", "sample_steps": stepped}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return tmp_path


def test_a_golden_surface_loads_and_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("REDMAX_GOLDENS", str(golden_surface(tmp_path)))
    files = golden_runs.data_files(golden_runs.folder())
    deviations = golden_runs.compare(files, "run_122_REDMAX_EULER")
    assert {"q", "qdot", "E_world_body"} <= {deviation.quantity for deviation in deviations}
    assert not [str(deviation) for deviation in deviations if not deviation.passes]
    scene = golden_loader.load_scene(files["scene_122_REDMAX_EULER"])
    assert not compile_scene(scene).constraints, "the reference's surfaces have no edges"


def test_a_transposed_golden_surface_is_seen(tmp_path, monkeypatch):
    monkeypatch.setenv("REDMAX_GOLDENS", str(golden_surface(tmp_path, steps=3)))

    def transposed(scene: Scene) -> Scene:
        (sheet,) = scene.sheets
        fields = {name: np.swapaxes(getattr(sheet, name), 0, 1) for name in ("positions", "angles")}
        return dataclasses.replace(scene, sheets=[dataclasses.replace(sheet, **fields)])

    files = golden_runs.data_files(golden_runs.folder())
    deviations = golden_runs.compare(files, "run_122_REDMAX_EULER", alter=transposed)
    assert any(not deviation.passes for deviation in deviations)


def test_the_command_line_warns_of_large_angles(tmp_path, capsys):
    angles = np.zeros((7, 6, 3))
    angles[2, 3, 1] = 1.0
    scene = Scene(
        bodies=[Body(name="puck", inertia=Inertia(mass=1.0, tensor=np.eye(3).tolist()))],
        joints=[SplineSurface(name="ice", parent=None, child="puck", sheet="sheet")],
        sheets=[torus_sheet(2, angles=angles)],
    )
    io.save(scene, tmp_path / "scene.json")
    assert main(["check", str(tmp_path / "scene.json")]) == 0
    assert "Warning: sheet 'sheet': the frame in row 2, column 3 turns by 57 degrees" in capsys.readouterr().out
