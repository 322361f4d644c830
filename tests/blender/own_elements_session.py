# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender of its own in which a force and a constraint are registered that the engine does not have.

    python own_elements_session.py REPORT

REPORT gets {"check": traceback, empty if it holds} as JSON.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(ROOT / "addon"), str(HERE), str(HERE.parent)]
PROFILE = tempfile.TemporaryDirectory(prefix="redmax_own_elements_")
os.environ["BLENDER_USER_RESOURCES"] = PROFILE.name

import own_elements  # noqa: E402

own_elements.register()

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from geared import empty, extracted, select  # noqa: E402
from swinging import box, hinge  # noqa: E402
from test_ui_panels import drawn  # noqa: E402
from test_ui_sidebar import menu_operators  # noqa: E402

import redmax_blender  # noqa: E402
from redmax_blender._engine import io  # noqa: E402
from redmax_blender.bridge.results import cache  # noqa: E402
from redmax_blender.properties import sorts  # noqa: E402
from redmax_blender.ui import menus  # noqa: E402

KINDS = {"magnet": "force", "rod": "constraint"}


def added(kind: str) -> bpy.types.Object:
    """An element of a kind on a ball that nothing else holds, made by the generic operator."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 13, 24
    ball = box("Ball", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    select(ball)
    assert bpy.ops.redmax.add_element(kind=f"{KINDS.get(kind, 'force')}.{kind}") == {"FINISHED"}
    return bpy.context.object


def settings(obj: Any) -> Any:
    (sort,) = sorts.generated_sorts(obj.redmax)
    return sort.own_group(getattr(obj.redmax, sort.name))


def ready(kind: str) -> bpy.types.Object:
    """The same, so that there is something to simulate."""
    obj = added(kind)
    if kind == "magnet":
        settings(obj).place = (1.0, 0.0, 0.5)
        settings(obj).strength = 3.0
    else:
        settings(obj).other_point = (1.0, 0.0, 0.0)
    return obj


def check_menus(kind: str) -> None:
    menu = next(menu for menu in menus.SORT_MENUS if menu.bl_label == f"All {KINDS[kind].title()}s")
    assert "redmax.add_element" in menu_operators(menu)
    label = {"magnet": "Magnet", "rod": "Rod"}[kind]
    items = bpy.ops.redmax.add_element.get_rna_type().properties["kind"].enum_items
    assert items[f"{KINDS[kind]}.{kind}"].name == label


def check_panel(kind: str) -> None:
    ready(kind)
    layouts = drawn()
    shown, connects = (
        {name for name, _ in layouts[f"REDMAX_PT_{KINDS[kind]}{end}"].properties()} for end in ("", "_connects")
    )
    if kind == "magnet":
        assert {"strength", "softness"} <= shown
        assert {"body", "point_at", "place_at"} <= connects
    else:
        assert "length" in shown
        assert {"body", "other", "point_at", "other_point_at"} <= connects


def check_extraction_and_json(kind: str) -> None:
    obj = ready(kind)
    found = extracted()
    assert [str(finding) for finding in found.findings if finding.severity == "ERROR"] == []
    (element,) = getattr(found.scene, f"{KINDS[kind]}s")
    assert (type(element).kind, element.name, element.body) == (kind, obj.name, "Ball")
    if kind == "magnet":
        np.testing.assert_allclose(element.place, (1.0, 0.0, 0.5))
    else:
        np.testing.assert_allclose(element.other_point, (1.0, 0.0, 0.0))
        assert element.length == 1.0
    again = io.loads(io.dumps(found.scene))
    assert getattr(again, f"{KINDS[kind]}s") == [element]


def check_result_channel(kind: str) -> None:
    obj = ready(kind)
    bpy.context.scene.redmax.bake.forces = True
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    result = cache.load(bpy.context.scene)
    if kind == "magnet":
        bpy.context.scene.frame_set(1)
        d = np.array([1.0, 0.0, 0.5])
        np.testing.assert_allclose(obj["redmax_wrench"][3:], 3.0 * d / (d @ d + 0.01), rtol=1e-5)
        assert obj.redmax.baked.units == "redmax_wrench=N m,N m,N m,N,N,N"
    else:
        np.testing.assert_allclose(np.linalg.norm(result.position[:, 0] - [1.0, 0.0, 0.0], axis=1), 1.0, atol=1e-8)
        assert obj.redmax.baked.units == "redmax_holding=N"
        bpy.context.scene.frame_set(13)
        assert abs(obj["redmax_holding"][0]) > 10.0
    assert f"REDMAX_PT_{KINDS[kind]}_results" in drawn()


def check_findings(kind: str) -> None:
    obj = ready(kind)
    bpy.data.objects.remove(bpy.data.objects["Ball"])
    box("Other", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    (finding,) = [found for found in extracted().findings if found.code == "lost_reference"]
    assert finding.element == obj.name
    assert "'Ball'" in finding.text


def everything() -> tuple[Any, Any]:
    """The force with a field of every form on an arm of half a scale, and its settings."""
    bpy.context.scene.unit_settings.scale_length = 0.5
    arm, post = box("Arm", (2.0, 0.0, 0.0), (1.0, 0.2, 0.2)), box("Post", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    arm.rotation_euler.z = math.pi / 2.0
    slider = hinge("Pin", post, arm, (1.0, 0.0, 0.0))
    slider.redmax.joint.kind = "prismatic"
    bpy.context.view_layer.update()
    obj = empty("It", (2.0, 0.0, 1.0))
    obj.redmax.is_force, obj.redmax.force.kind = True, "everything"
    own = obj.redmax.force.everything
    own.body, own.joint = arm, slider
    return obj, own


def check_every_form(_kind: str) -> None:
    """Values arrive in SI units, in the frames that they are declared in."""
    obj, own = everything()
    own.angle_distance, own.use_end, own.end_distance = 0.4, True, 0.6
    own.size, own.share, own.use_maybe, own.maybe = 2.0, 0.25, True, 3.0
    own.on, own.note, own.way = False, "so", "right"
    own.use_axis, own.axis = True, (0.0, 1.0, 0.0)
    own.point_at = obj
    own.place_at = obj
    obj.rotation_euler.z = math.pi / 2.0
    for location in ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0)):
        own.path.add().place_at = empty("Node", location)
    corner = own.path.add()
    corner.place_at, corner.place_vertex = bpy.data.objects["Post"], 7
    own.path.add().place = (0.0, 0.0, 4.0)
    own.use_weights = True
    own.weights.add().values[0] = 8.0
    own.rows.add().values[:2] = (3.0, 4.0)
    own.over_time_source, own.over_time_1, own.over_time_2 = "KEYS", 1.0, 5.0
    for frame, value in ((1, 1.0), (13, 2.0)):
        own.over_time_1 = value
        own.keyframe_insert("over_time_1", frame=frame)
    own.over_angle_source, own.over_angle_curve = "CURVE", curve([(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)])
    for body in ("Arm", "Post"):
        own.hooks.add().body = bpy.data.objects[body]
    part = own.parts.add()
    part.weight[:2] = (0.5, 0.75)
    own.use_inner, own.inner.body = True, bpy.data.objects["Arm"]
    bpy.context.view_layer.update()
    found = extracted()
    assert [finding.text for finding in found.findings if finding.severity == "ERROR"] == []
    (force,) = found.scene.forces
    same = np.testing.assert_allclose
    same([force.angle, force.end, force.size, force.share, force.maybe], [0.2, 0.3, 1.0, 0.25, 1.5], rtol=1e-6)
    assert (force.on, force.note, force.way) == (False, "so", "right")
    same(force.axis, (0.0, 1.0, 0.0))
    same(force.point, (0.0, 0.0, 0.5), atol=1e-6)
    same(force.place.position, (0.0, 0.0, 0.5), atol=1e-6)
    same(np.abs(force.place.rotation), (1.0, 0.0, 0.0, 0.0), atol=1e-6)
    same(force.path, [(0.5, 0.0, 0.0), (0.0, 1.0, 0.0), (0.05, 0.05, 0.05), (0.0, 0.0, 2.0)], atol=1e-6)
    same(force.weights, [1.0])  # Blender shows kilograms times the third power of the scale
    same(force.rows, [(3.0, 4.0)])
    same(force.over_time.value(0.0), (1.0, 5.0))
    same(force.over_time.value(0.5), (2.0, 5.0), rtol=1e-5)
    same(force.over_angle.value(0.5), 2.0)
    same(force.over_angle.value(1.5), 2.5)
    assert [hook.body for hook in force.hooks] == ["Arm", "Post"]
    assert force.parts[0].weight == (0.5, 0.75)
    assert force.inner.body == "Arm"
    assert io.loads(io.dumps(found.scene)).forces == [force]


def curve(points: list[tuple[float, float]]) -> bpy.types.Object:
    data = bpy.data.curves.new("Table", "CURVE")
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, (x, y) in zip(spline.points, points, strict=True):
        point.co = (x, y, 0.0, 1.0)
    obj = bpy.data.objects.new("Table", data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def check_every_form_is_drawn(_kind: str) -> None:
    obj, own = everything()
    own.over_time_source = "KEYS"
    for name in ("path", "weights", "rows", "hooks", "parts"):
        getattr(own, name).add()
    bpy.context.view_layer.objects.active = obj
    layouts = drawn()
    shown = {name for layout in layouts.values() for name, _ in layout.properties()}
    wanted = {"angle_distance", "end_distance", "use_end", "size", "maybe", "use_maybe", "on", "note", "way", "axis"}
    wanted |= {"body", "joint", "point_at", "point", "place_at", "over_time_source", "over_time_1", "use_inner"}
    assert wanted <= shown, wanted - shown
    assert {f"REDMAX_PT_force_{name}" for name in ("path", "weights", "rows", "hooks", "parts")} <= set(layouts)


def check_lists_are_edited(_kind: str) -> None:
    obj, own = everything()
    nodes = [empty(f"Node {k}", (k, 0.0, 0.0)) for k in range(3)]
    select(*nodes, obj)
    edit = bpy.ops.redmax.edit_list
    edit(sort="force", field="path", action="ADD")
    assert [entry.place_at.name for entry in own.path] == ["Node 0", "Node 1", "Node 2"]
    own.active_path = 0
    edit(sort="force", field="path", action="DOWN")
    edit(sort="force", field="path", action="DOWN")
    edit(sort="force", field="path", action="DOWN")
    assert [entry.place_at.name for entry in own.path] == ["Node 1", "Node 2", "Node 0"]
    edit(sort="force", field="path", action="UP")
    edit(sort="force", field="path", action="REMOVE")
    assert [entry.place_at.name for entry in own.path] == ["Node 1", "Node 2"]
    select(bpy.data.objects["Post"], obj)
    edit(sort="force", field="hooks", action="ADD")
    assert own.hooks[0].body.name == "Post"


def check_lost_in_lists(_kind: str) -> None:
    obj, own = everything()
    own.path.add().place_at = empty("Gone", (0.0, 0.0, 0.0))
    own.hooks.add().body = bpy.data.objects["Post"]
    own.over_angle_source, own.over_angle_curve = "CURVE", curve([(0.0, 1.0), (1.0, 1.0)])
    for name in ("Gone", "Post", "Table"):
        bpy.data.objects.remove(bpy.data.objects[name])
    said = [finding.text for finding in extracted().findings if finding.element == obj.name]
    for name in ("Gone", "Post", "Table"):
        assert any(f"'{name}'" in text for text in said), (name, said)


def check_bad_curves(_kind: str) -> None:
    _obj, own = everything()
    own.over_angle_source = "CURVE"
    texts = []
    for points in ([(0.0, 1.0), (1.0, 2.0), (0.5, 3.0)], [(0.0, 1.0)]):
        own.over_angle_curve = curve(points)
        texts += [finding.text for finding in extracted().findings if "curve" in finding.text]
    assert any("turns back" in text for text in texts)
    assert any("has no points" in text for text in texts)


CHECKS = {name: check for name, check in globals().items() if name.startswith("check_")}


def main(report: str) -> None:
    redmax_blender.register()
    said = {}
    for name, check in CHECKS.items():
        for kind in KINDS if check.__code__.co_varnames[0] == "kind" else ("everything",):
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            try:
                check(kind)
            except Exception:
                said[f"{name} {kind}"] = traceback.format_exc()
            else:
                said[f"{name} {kind}"] = ""
    Path(report).write_text(json.dumps(said), encoding="utf-8")
    redmax_blender.unregister()


if __name__ == "__main__":
    main(*sys.argv[1:])
