# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender of its own in which kinds of joints are registered that the engine does not have (tests/own_joints.py).

    python own_joints_session.py REPORT

The add-on makes its properties from the registry when it is imported, so that kinds must be registered before. Every
check is run for every kind in an empty file; REPORT gets {"check kind": traceback, empty if it holds} as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(ROOT / "addon"), str(HERE), str(HERE.parent)]
PROFILE = tempfile.TemporaryDirectory(prefix="redmax_own_joints_")
os.environ["BLENDER_USER_RESOURCES"] = PROFILE.name

import own_joints  # noqa: E402

own_joints.register()

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from bake_cases import box, world_matrix  # noqa: E402
from mathutils import Matrix  # noqa: E402
from test_ui_panels import drawn  # noqa: E402
from test_ui_words import entries  # noqa: E402

import redmax_blender  # noqa: E402
from redmax_blender import compat, handlers  # noqa: E402
from redmax_blender._engine import compile as compiling  # noqa: E402
from redmax_blender._engine import io, joints, kinematics, pose, so3, traits  # noqa: E402
from redmax_blender.bridge.authoring import composite_parts, motion_keys  # noqa: E402
from redmax_blender.bridge.core import loop_axes  # noqa: E402
from redmax_blender.bridge.extract import extraction as extract  # noqa: E402
from redmax_blender.bridge.objects import joint_fits  # noqa: E402
from redmax_blender.bridge.results import cache, keyed_pose  # noqa: E402
from redmax_blender.overlay import joint_glyphs  # noqa: E402
from redmax_blender.properties import coordinate_names, result_names  # noqa: E402
from redmax_blender.properties import joint as joint_properties  # noqa: E402
from redmax_blender.ui import kinds  # noqa: E402

KINDS = ("cam", "patch", "stack")
NAMES = {"cam": ("angle",), "patch": ("u", "v"), "stack": ("x", "y")}
UNITS = {"cam": ("rad",), "patch": ("1", "1"), "stack": ("m", "m")}
PLACES = {"rad": "coordinate_angle", "m": "coordinate_distance", "1": "coordinate_number"}
LABELS = {"cam": ["Angle"], "patch": ["U", "V"], "stack": ["X", "Y"]}
FORCES = {"rad": "Torque (N m)", "m": "Force (N)", "1": "Generalised Force (J)"}
Q = (0.3, -0.2)
"""Coordinates at which joints are looked at: the first for one coordinate, [rad, m or 1]."""

CLOSE = 2e-6
"""Single precision of channels, for mechanisms of some units."""

LAST = 13

E_WJ = pose.make(so3.exp(np.array([0.4, -0.3, 0.8])), np.array([0.5, -0.3, 1.2]))
"""Where the joint's object is in the world, at no special angle [Blender units]."""


def place(obj: Any, E: Any) -> None:
    obj.matrix_world = Matrix(np.asarray(E).tolist())


def joint_of(kind: str, name: str = "Guide", *, child: Any = None, parent: Any = None) -> Any:
    """A joint of a kind that carries a box, which stands neither at the joint nor along it."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    if child is None:
        child = box("Puck", size=(0.1, 0.15, 0.2))
        place(child, pose.make(so3.exp(np.array([0.2, 0.5, -0.1])), np.array([0.9, 0.1, 1.4])))
    empty = bpy.data.objects.new(name, None)
    scene.collection.objects.link(empty)
    bpy.context.view_layer.objects.active = empty
    place(empty, E_WJ)
    empty.redmax.is_joint = True
    settings = empty.redmax.joint
    settings.kind, settings.parent, settings.child = kind, parent, child
    bpy.context.view_layer.update()
    joint_fits.record_modelled(empty, bpy.context.evaluated_depsgraph_get())
    return empty


def extracted() -> Any:
    return extract.extract(bpy.context.scene, bpy.context.view_layer)


def sound() -> Any:
    found = extracted()
    assert not [f for f in found.findings if f.severity == "ERROR"], found.findings
    return found


def engine_joint(found: Any, name: str = "Guide") -> Any:
    return next(joint for joint in found.scene.joints if joint.name == name)


def set_coordinates(obj: Any, values: Any) -> None:
    """In the units of the properties."""
    for dof, value in zip(joint_properties.dofs(obj.redmax.joint), values, strict=False):
        joint_properties.set_value(obj.redmax.joint, "q", dof, value)


def expected_pose(obj: Any, q: Any, modelled: Any, length: float = 1.0) -> Any:
    """Where the child is in the world at coordinates q, from Q(q) alone [Blender units]. modelled: at q = 0."""
    joint = joint_properties.engine_joint(obj.redmax.joint, length)
    still = np.zeros(joint.ndof)
    moved = joint.motion(np.asarray(q, float), still).Q @ pose.inverse(joint.motion(still, still).Q)
    moved[:3, 3] /= length
    return E_WJ @ moved @ pose.inverse(E_WJ) @ modelled


def coordinates(kind: str) -> tuple[float, ...]:
    return Q[: len(NAMES[kind])]


# --- what an artist sees ---------------------------------------------------------------------


def check_it_is_in_every_menu(kind: str) -> None:
    made = joint_of("composite").redmax.joint
    made.parts.add()
    label = joints.JOINTS[kind].label
    for menu in (kinds.REDMAX_MT_kind, kinds.REDMAX_MT_connect, kinds.REDMAX_MT_part_kind):
        assert entries(menu)[label] == "CONSTRAINT"  # what a kind has that declares none
        assert list(entries(menu))[:4] == ["Hinge", "Slider", "Ball", "Fixed"]
    assert bpy.ops.redmax.set_kind(kind=kind) == {"FINISHED"}
    assert made.kind == kind


def check_its_panels_show_coordinates_and_parameters(kind: str) -> None:
    obj = joint_of(kind)
    for motion in ("simulated", "animated", "locked"):
        obj.redmax.joint.motion_type = motion
        layouts = drawn()
        shown = [(name, index) for name, index in layouts["REDMAX_PT_joint_motion"].properties()]
        wanted = [(f"{PLACES[unit]}_{k + 1}", None) for k, unit in enumerate(UNITS[kind])]
        assert [each for each in shown if each[0].startswith("coordinate")] == wanted
    labels = [coordinate_names.label(dof.name) for dof in joint_properties.dofs(obj.redmax.joint)]
    assert labels == LABELS[kind]
    parameters = {"cam": {"rise"}, "patch": {"size", "turn"}, "stack": {"count"}}[kind]
    assert {name for name, _ in layouts["REDMAX_PT_joint"].properties()} >= parameters
    said = " ".join(call.text for call in layouts["REDMAX_PT_joint"].calls)
    assert ("Heights" in said) == (kind == "patch"), "what cannot be edited is named"
    units = " ".join(call.text for call in layouts["REDMAX_PT_joint_spring"].calls)
    assert {"rad": "N m/rad", "m": "N/m", "1": "Stiffness in J, damping in J s"}[UNITS[kind][0]] in units


def check_its_glyph_shows_how_it_moves(kind: str) -> None:
    description = joint_properties.describe(joint_of(kind).redmax.joint)
    points = joint_glyphs.points(description, dashed=False)
    assert len(points) > 4
    assert np.isfinite(points).all()
    assert np.abs(np.linalg.norm(points, axis=1).max() - 1.0) < 0.1
    if kind == "patch":
        # The line that the plate turns about is y of the object and of the plate; along it lie the tips of an arrow.
        assert np.abs(points - [0.0, 0.6, 0.0]).sum(axis=1).min() < 1e-5


def check_its_empty_shows_how_it_moves(kind: str) -> None:
    display = {"cam": "SINGLE_ARROW", "patch": "PLAIN_AXES", "stack": "ARROWS"}
    assert joint_of(kind).empty_display_type == display[kind]


# --- what the engine gets --------------------------------------------------------------------


def check_bodies_stand_as_modelled_at_q_zero(kind: str) -> None:
    for length in (1.0, 0.01):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.unit_settings.scale_length = length
        obj = joint_of(kind)
        modelled = world_matrix(obj.redmax.joint.child.name)
        found = sound()
        joint = engine_joint(found)
        assert (joint.dof_names, joint.dof_units) == (NAMES[kind], UNITS[kind])
        model = compiling.compile(found.scene)
        for q in (np.zeros(joint.ndof), np.array(coordinates(kind))):
            kin = kinematics.kinematics(model, q, 0.0 * q, model.initial_state().chart)
            E = kinematics.body_poses(model, kin)[0]
            E[:3, 3] /= length
            np.testing.assert_allclose(E, expected_pose(obj, q, modelled, length), atol=CLOSE)


def check_plain_numbers_do_not_follow_the_unit_scale(kind: str) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    obj = joint_of(kind)
    set_coordinates(obj, Q)
    factors = [0.01 if unit == "m" else 1.0 for unit in UNITS[kind]]
    expected = [value * factor for value, factor in zip(Q, factors, strict=False)]
    np.testing.assert_allclose(engine_joint(extracted()).q, expected, rtol=1e-6)
    obj.redmax.joint.use_limits = True
    assert all(obj.redmax.joint.use_lower[: len(factors)])
    lower = {"rad": -np.pi / 4, "m": -0.005, "1": -0.5}
    np.testing.assert_allclose(engine_joint(extracted()).lower, [lower[unit] for unit in UNITS[kind]], rtol=1e-6)


def check_a_start_outside_its_limits_is_told_in_its_unit(kind: str) -> None:
    obj = joint_of(kind)
    obj.redmax.joint.use_limits = True
    set_coordinates(obj, (2.0, 0.0))
    texts = [f.text for f in extracted().findings if "outside its upper limit" in f.text]
    amount = {"rad": "69.59 deg", "m": "1.5 m", "1": "1.5"}[UNITS[kind][0]]
    assert len(texts) == 1
    assert f"starts {amount} outside" in texts[0]


def check_the_file_on_disk_is_what_was_extracted(kind: str) -> None:
    obj = joint_of(kind)
    if kind == "patch":
        obj.redmax.joint.patch.size = (0.5, 0.25)
    set_coordinates(obj, Q)
    path = Path(PROFILE.name) / f"{kind}.json"
    assert bpy.ops.redmax.export_scene(filepath=str(path)) == {"FINISHED"}
    read = io.loads(path.read_text(encoding="utf-8"))
    assert read.joints == sound().scene.joints
    if kind == "patch":
        assert read.joints[0].size == (0.5, 0.25)
        assert read.joints[0].heights == own_joints.Patch.part().heights


def check_a_saved_file_keeps_its_settings(kind: str) -> None:
    set_coordinates(joint_of(kind), Q)
    path = str(Path(PROFILE.name) / f"{kind}.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    np.testing.assert_allclose(engine_joint(extracted()).q, coordinates(kind), rtol=1e-6)


def check_the_number_of_coordinates_follows_the_data(kind: str) -> None:
    settings = joint_of(kind).redmax.joint
    if kind == "stack":
        settings.stack.count = 3
        assert [dof.name for dof in joint_properties.dofs(settings)] == ["x", "y", "z"]
        assert engine_joint(sound()).ndof == 3
        assert len([p for p in drawn()["REDMAX_PT_joint_motion"].properties() if p[0].startswith("coordinate")]) == 3
    else:
        assert [dof.name for dof in joint_properties.dofs(settings)] == list(NAMES[kind])


# --- how it moves ----------------------------------------------------------------------------


def check_it_is_simulated_and_baked(kind: str) -> None:
    obj = joint_of(kind)
    puck = obj.redmax.joint.child
    modelled = world_matrix(puck.name)
    joint_properties.set_value(obj.redmax.joint, "qdot", joint_properties.dofs(obj.redmax.joint)[0], 0.4)
    assert bpy.ops.redmax.check() == {"FINISHED"}
    assert not list(bpy.context.window_manager.redmax.problems), "Check has nothing to say"
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    scene = bpy.context.scene
    scene.redmax.bake.torque = scene.redmax.bake.reaction = True
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    groups = {
        (curve.data_path, curve.array_index): curve.group.name
        for strip in (s for track in obj.animation_data.nla_tracks for s in track.strips)
        for curve in compat.every_curve(strip.action)
    }
    for k, unit in enumerate(UNITS[kind]):
        assert groups['["redmax_torque"]', k] == FORCES[unit]
    assert (
        obj.id_properties_ui("redmax_torque")
        .as_dict()["description"]
        .endswith(f"[{result_names.along(UNITS[kind][0])[1]}]")
    )
    result_rows = " ".join(call.text for call in drawn()["REDMAX_PT_joint_results"].calls)
    assert result_names.along(UNITS[kind][0])[1] in result_rows
    scene.frame_set(LAST)
    q = last_coordinates()
    assert np.abs(q).max() > 0.05
    np.testing.assert_allclose(world_matrix(puck.name), expected_pose(obj, q, modelled), atol=10.0 * CLOSE)


def last_coordinates() -> Any:
    """Of the scene's result."""
    return cache.require(bpy.context.scene).q[-1]


def check_keys_move_it_before_and_in_a_simulation(kind: str) -> None:
    length = bpy.context.scene.unit_settings.scale_length = 0.5
    obj = joint_of(kind)
    puck = obj.redmax.joint.child
    modelled = world_matrix(puck.name)
    obj.redmax.joint.motion_type = "animated"
    for frame, part in ((1, 0.0), (LAST, 1.0)):
        set_coordinates(obj, [part * value for value in Q])
        bpy.context.scene.frame_set(frame)
        set_coordinates(obj, [part * value for value in Q])
        assert motion_keys.key_coordinate(obj, frame, animate=True) == len(NAMES[kind])
    keyed_pose.start_anew()
    keyed_pose.watch(on=True)
    try:
        bpy.context.scene.frame_set(LAST)
        handlers.follow_again()
        q = [value * (length if unit == "m" else 1.0) for value, unit in zip(Q, UNITS[kind], strict=False)]
        expected = expected_pose(obj, q, modelled, length)
        np.testing.assert_allclose(world_matrix(puck.name), expected, atol=CLOSE)
    finally:
        keyed_pose.watch(on=False)
        keyed_pose.start_anew()
    bpy.context.scene.frame_set(1)
    assert not sound().findings
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    np.testing.assert_allclose(last_coordinates(), q, rtol=1e-6)
    bpy.context.scene.frame_set(LAST)
    np.testing.assert_allclose(world_matrix(puck.name), expected, atol=CLOSE)


def check_locked_it_stands_at_its_coordinate(kind: str) -> None:
    obj = joint_of(kind)
    modelled = world_matrix(obj.redmax.joint.child.name)
    obj.redmax.joint.motion_type = "locked"
    set_coordinates(obj, Q)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    bpy.context.scene.frame_set(LAST)
    expected = expected_pose(obj, coordinates(kind), modelled)
    np.testing.assert_allclose(world_matrix(obj.redmax.joint.child.name), expected, atol=CLOSE)


def check_it_is_a_part_of_a_composite(kind: str) -> None:
    obj = joint_of("composite")
    modelled = world_matrix(obj.redmax.joint.child.name)
    composite_parts.add_part(obj, "revolute")
    obj.redmax.joint.parts[0].revolute.axis = (1.0, 0.0, 0.0)
    composite_parts.add_part(obj, kind)
    names = [dof.name for dof in joint_properties.dofs(obj.redmax.joint)]
    assert names == ["1.angle", *(f"2.{name}" for name in NAMES[kind])]
    assert "REDMAX_PT_joint_parts" in drawn()
    set_coordinates(obj, (0.4, *Q))
    composite_parts.move_part(obj, -1)  # what was set for a coordinate goes with its part
    dofs = joint_properties.dofs(obj.redmax.joint)
    now = [joint_properties.value(obj.redmax.joint, "q", dof) for dof in dofs]
    np.testing.assert_allclose(now, (*coordinates(kind), 0.4), rtol=1e-6)
    model = compiling.compile(sound().scene)
    kin = kinematics.kinematics(model, model.q0, 0.0 * model.q0, model.initial_state().chart)
    np.testing.assert_allclose(kinematics.body_poses(model, kin)[0], expected_pose(obj, now, modelled), atol=CLOSE)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}


def check_it_closes_a_loop_as_modelled(kind: str) -> None:
    """Two joints of the kind hold the body in the same place: the second closes a loop without a gap."""
    obj = joint_of(kind)
    joint_of(kind, "Twin", child=obj.redmax.joint.child)
    found = sound()
    (mechanism,) = found.mechanisms
    assert (mechanism.loops, mechanism.closers) == (1, ("Twin",))
    assert mechanism.gaps == {}
    assert mechanism.dofs == len(NAMES[kind])


def check_axes_behind_it_are_where_they_were_modelled(kind: str) -> None:
    """In a ring, where Check looks at the axes of hinges."""
    obj = joint_of(kind)
    rod = box("Rod", (1.5, 0.4, 1.4), size=(0.3, 0.05, 0.05))
    ends = {"Pin": (obj.redmax.joint.child, rod), "Foot": (None, rod)}
    E = {name: pose.make(so3.exp(np.array([0.3, k, 0.7])), np.array([1.0, k, 1.0])) for k, name in enumerate(ends)}
    for name, (parent, child) in ends.items():
        place(joint_of("revolute", name, parent=parent, child=child), E[name])
    found = extracted()
    (mechanism,) = found.mechanisms
    axes = loop_axes.axes(found.scene, mechanism)
    for name, E_wj in E.items():
        np.testing.assert_allclose(axes[name], E_wj[:3, 2], atol=CLOSE)


def check_its_coordinate_is_found_from_a_motion(kind: str) -> None:
    obj = joint_of(kind)
    puck = obj.redmax.joint.child
    modelled = world_matrix(puck.name)
    puck.rotation_mode = "QUATERNION"
    for frame in range(1, LAST + 1):
        part = (frame - 1) / (LAST - 1)
        E = expected_pose(obj, [part * value for value in coordinates(kind)], modelled)
        place(puck, E)
        for path in ("location", "rotation_quaternion"):
            puck.keyframe_insert(path, frame=frame)
    report = motion_keys.coordinate_from_motion(
        bpy.context,
        obj,
        tolerance_angle=1e-4,
        tolerance_distance=1e-4,
        interpolation="LINEAR",
        step=1,
        length=1.0,
    )
    assert max(report.angle, report.distance) < 1e-5
    bpy.context.scene.frame_set(LAST)
    dofs = joint_properties.dofs(obj.redmax.joint)
    now = [joint_properties.value(obj.redmax.joint, "q", dof) for dof in dofs]
    np.testing.assert_allclose(now, coordinates(kind), atol=1e-4)


def check_only_what_it_does_not_allow_tears_it(kind: str) -> None:
    obj = joint_of(kind)
    puck = obj.redmax.joint.child
    modelled = world_matrix(puck.name)
    assert not extracted().findings
    place(puck, expected_pose(obj, coordinates(kind), modelled))
    assert not extracted().findings, "moved as the joint moves it"
    E = modelled.copy()
    E[:3, :3] = so3.exp(np.array([0.3, 0.1, 0.2])) @ E[:3, :3]
    E[:3, 3] += 0.4
    place(puck, E)
    (finding,) = extracted().findings
    assert finding.fixes == ("RESET", "REFIT")
    assert "its joint 'Guide'" in finding.text


def check_axis_tools_take_it_for_what_it_is(kind: str) -> None:
    obj = joint_of(kind)
    found = joint_properties.traits_of(obj.redmax.joint)
    assert found.turns == traits.of(joints.JOINTS[kind].part()).turns
    assert not found.is_directionless
    if kind != "patch":
        assert bpy.ops.redmax.set_joint_axis(axis="X") == {"FINISHED"}
        np.testing.assert_allclose(world_matrix(obj.name)[:3, 2], [1.0, 0.0, 0.0], atol=CLOSE)
    assert not sound().findings


CHECKS = {name.removeprefix("check_"): made for name, made in globals().items() if name.startswith("check_")}


def main(report: str) -> None:
    redmax_blender.register()
    said = {}
    for name, check in CHECKS.items():
        for kind in KINDS:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            try:
                check(kind)
                said[f"{name} {kind}"] = ""
            except Exception:  # told by the test that asks for it
                said[f"{name} {kind}"] = traceback.format_exc()
    Path(report).write_text(json.dumps(said), encoding="utf-8")
    redmax_blender.unregister()


if __name__ == "__main__":
    main(*sys.argv[1:])
