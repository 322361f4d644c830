# SPDX-License-Identifier: GPL-3.0-or-later
"""Every operator of the add-on at a frame other than the first: no value that was not keyed yet is lost."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import bpy
import geared
import pytest
import railed
import rigid_worlds
import test_surface_contacts as surface_meshes
from modal_simulate import RUNNING, TICK, Window
from test_presets import user_folder  # noqa: F401  (a fixture)
from unkeyed_battery import Battery

import redmax_blender
from redmax_blender import templates
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.results import preparation, preview, result_history
from redmax_blender.bridge.run import live
from redmax_blender.ops import files
from redmax_blender.properties.fixes import FIXES

PRESET = Path(redmax_blender.__file__).parent / "presets" / "redmax" / "material" / "Brass.py"
MOVED = (7, 0.0)
BETWEEN = (7, 0.25)
"""Frame and subframe on which the artist stands."""


def select(*names):
    """The last one is active."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def run(name, /, **options):
    assert getattr(bpy.ops.redmax, name)(**options) == {"FINISHED"}


def with_selected(*names):
    def operator(name, /, **options):
        select(*names)
        run(name, **options)

    return operator


def after(*names):
    """Other operators first."""

    def operator(name, /, **options):
        for each in names:
            run(each)
        run(name, **options)

    return operator


def composite(name, /, **options):
    bpy.data.objects["Elbow"].redmax.joint.kind = "composite"
    select("Elbow")
    run("add_part")
    run("add_part")
    run(name, **options)


def formula(name, /, **options):
    bpy.data.objects["Elbow"].redmax.joint.kind = "custom"
    select("Elbow")
    run(name, **options)


def ball_on_slab(name, /, **options):
    railed.select(surface_meshes.ball(location=(9.0, 0.0, 2.0)), surface_meshes.slab(location=(9.0, 0.0, 0.0)))
    run(name, **options)


def with_problem(name, /, **options):
    bpy.data.objects["Elbow"].redmax.joint.motion_type = "animated"
    run("check")
    run(name, **options)


def with_two(name, /, **options):
    run("add_pendulum")
    run("check")
    run(name, **options)


def put_aside(name, /, **options):
    run("simulate")
    result_history.put_aside(bpy.context.scene)
    run(name, **options)


def perhaps(name, /, **options):
    """What needs a desktop is refused."""
    with suppress(RuntimeError):
        run(name, **options)


joint, bodies = with_selected("Shoulder"), with_selected("Upper", "Lower")


def with_strand(name, /, **options):
    """A strand, of which only an element's own operators may take anything away."""
    select("Upper", "Lower")
    run("add_element", kind="strand.")
    run(name, **options)


def with_slider(name, /, **options):
    """The elbow slides, and so moves the hinge of the shoulder as a rack."""
    bpy.data.objects["Elbow"].redmax.joint.kind = "prismatic"
    with_selected("Shoulder", "Elbow")(name, **options)


def on_track(name, /, **options):
    """Empties in a ring, of which some are selected, or a track of them with two carts on it."""
    if name == "add_track":
        railed.select(*railed.ring_of_empties(), bpy.data.objects["Blob"])
    else:
        track = railed.from_empties(carts=2)
        railed.select(*((track,) if name == "edit_track" else (bpy.data.objects["Cart 1"], bpy.data.objects["Cart 2"])))
    run(name, **options)


def over_grid(name, /, **options):
    """Empties in a grid of four rows."""
    empties = [geared.empty(f"Knot {k:02}", (float(k // 4), float(k % 4), 0.0)) for k in range(16)]
    railed.select(*empties, bpy.data.objects["Blob"])
    run(name, **options)


def touching_post(name, /, **options):
    railed.select(bpy.data.objects["Post"])
    run("add_surface")
    run(name, **options)


def touching_two(name, /, **options):
    railed.select(bpy.data.objects["Post"], bpy.data.objects["Lower"])
    run("add_surface", with_parts=False)
    run(name, **options)


def varied(name, /, **options):
    """With a property that varies, and files beside the one that is open."""
    run("add_variation", path="joints.Shoulder.damping")
    column = bpy.context.scene.redmax.variations.columns[0]
    column.source, column.values = "VALUES", "0, 1"
    if "filepath" in options:
        options["filepath"] = str(Path(bpy.app.tempdir) / options["filepath"])
    if name == "import_variations":
        run("export_variations", **options)
    run(name, **options)


def simulated_variations(name, /, **options):
    varied("simulate_variations")
    if "filepath" in options:
        options["filepath"] = str(Path(bpy.app.tempdir) / options["filepath"])
    run(name, **options)


def converted(name, /, **options):
    run("convert_rigid_bodies")
    if name != "convert_rigid_bodies":
        run(name, **options)


def rigid_bodies():
    """A brick that hangs by a hinge from one that stands still."""
    rigid_worlds.world()
    still = rigid_worlds.rigid("Stand", at=(20.0, 0.0, 0.0), type="PASSIVE")
    brick = rigid_worlds.rigid("Brick", at=(22.0, 0.0, 0.0))
    rigid_worlds.tie("HINGE", still, brick, (21.0, 0.0, 0.0), rigid_worlds.ABOUT_Y)


CASES = {
    "convert_rigid_bodies": (converted, {}),
    "back_to_rigid_bodies": (converted, {}),
    "add_variation": (run, {"path": "joints.Shoulder.damping"}),
    "remove_variation": (varied, {}),
    "import_variations": (varied, {"filepath": "table.csv"}),
    "export_variations": (varied, {"filepath": "table.csv"}),
    "simulate_variations": (varied, {}),
    "bake_variation": (simulated_variations, {}),
    "draw_variations": (simulated_variations, {}),
    "export_sheet": (simulated_variations, {"filepath": "sheet.svg"}),
    "pick_variation": (simulated_variations, {"index": 1}),
    "clear_variations": (simulated_variations, {}),
    "add_sheet": (over_grid, {"columns": 4}),
    "add_track": (on_track, {}),
    "add_train": (on_track, {}),
    "edit_track": (on_track, {"action": "EVEN"}),
    "add_surface": (with_selected("Upper", "Post"), {}),
    "add_ground": (run, {}),
    "remove_surface": (touching_post, {}),
    "add_surface_pair": (touching_two, {}),
    "add_body": (with_selected("Blob"), {}),
    "add_element": (with_selected("Upper", "Lower"), {"kind": "force.cable"}),
    "add_gear": (with_selected("Shoulder", "Elbow"), {"source": "GIVEN"}),
    "add_spring": (with_selected("Post", "Lower"), {"shape": True}),
    "add_damper": (with_selected("Post", "Lower"), {}),
    "add_cable": (with_selected("Post", "Lower"), {}),
    "add_muscle": (with_selected("Post", "Lower"), {"keyed": True}),
    "add_strand": (with_selected("Post", "Lower"), {"segments": 3}),
    "add_belt": (with_selected("Shoulder", "Elbow"), {}),
    "add_rack": (with_slider, {}),
    "add_mimic": (with_selected("Shoulder", "Elbow"), {}),
    "add_motor": (joint, {}),
    "add_drive": (with_selected("Shoulder", "Elbow"), {"amount": 1.0}),
    "add_force": (bodies, {"keyed": True}),
    "add_drag": (bodies, {}),
    "pin_to_world": (with_selected("Lower"), {}),
    "add_shape": (with_strand, {}),
    "edit_list": (with_strand, {"sort": "strand", "field": "nodes", "action": "ADD"}),
    "remove_element": (with_strand, {}),
    "add_part": (composite, {}),
    "apply_preset": (bodies, {"filepath": str(PRESET)}),
    "bake": (after("simulate"), {}),
    "bring_back": (put_aside, {}),
    "check": (run, {}),
    "clear_kernels": (run, {}),
    "clear_result": (after("simulate"), {}),
    "clear_results": (after("simulate"), {}),
    "connect": (with_selected("Blob", "Lower"), {}),
    "coordinate_from_motion": (joint, {"tolerance_angle": 10.0, "tolerance_distance": 100.0}),
    "enter_mass": (run, {"element": "Upper", "mass": 2.0}),
    "export_scene": (run, {"filepath": ""}),
    "fix": (with_problem, {"fix": "SET_SIMULATED", "element": "Elbow"}),
    "fix_all": (with_problem, {}),
    "follow_coordinates": (run, {}),
    "full_zip_told": (run, {}),
    "key_coordinate": (joint, {}),
    "make_mechanism": (with_selected("Blob", "Wire", "Post"), {}),
    "move_part": (composite, {"direction": "UP"}),
    "open_documentation": (perhaps, {}),
    "remove_bake": (after("simulate", "bake"), {}),
    "remove_body": (bodies, {}),
    "remove_joint": (joint, {}),
    "remove_part": (composite, {}),
    "save_accuracy": (run, {"name": "Mine"}),
    "save_formula": (formula, {"name": "Mine"}),
    "edit_charts": (formula, {"action": "ADD"}),
    "add_surface_contact": (ball_on_slab, {}),
    "save_joint_feel": (joint, {"name": "Mine"}),
    "save_material": (bodies, {"name": "Mine"}),
    "select_element": (run, {"name": "Upper"}),
    "set_feel": (joint, {}),
    "set_joint_axis": (joint, {"axis": "X"}),
    "set_kind": (joint, {"kind": "spherical"}),
    "set_root": (bodies, {}),
    "show_result": (after("simulate"), {}),
    "simulate": (run, {}),
    "solo_mechanism": (with_two, {"root": "Post"}),
    "swap_joint": (joint, {}),
    "warm_up": (run, {}),
}

BEFORE = {"convert_rigid_bodies": rigid_bodies, "back_to_rigid_bodies": rigid_bodies}
"""What has to be there before the artist changes anything: Blender's own operators lose unkeyed values."""

MEANT = {
    "add_part": ("Elbow.redmax",),  # other coordinates
    "move_part": ("Elbow.redmax",),
    "remove_part": ("Elbow.redmax",),
    "add_motor": ("Shoulder.redmax.joint",),
    "add_rack": ("Elbow.redmax",),
    "coordinate_from_motion": ("Shoulder.redmax.joint.coordinate",),
    "remove_joint": ("Shoulder.",),  # the empty is deleted
    "remove_body": ("Shoulder.", "Elbow."),
}
"""What an operator is there to change, by how the names begin."""


OPERATORS = sorted({*CASES, *(f"add_{template.NAME}" for template in templates.TEMPLATES)})
"""Those that add a template need nothing."""


@pytest.fixture
def battery(monkeypatch, tmp_path, user_folder):  # noqa: F811
    monkeypatch.setattr(preparation, "solver", lambda: SimpleNamespace(compiled=True, ready=True))
    monkeypatch.setattr(preparation.Preparation, "work", lambda self: setattr(self, "complete", True))
    monkeypatch.setattr(preparation, "clear", lambda: None)
    monkeypatch.setattr(files, "documentation", lambda: tmp_path / "none")
    yield Battery()
    live.abandon()


def stand(battery, at):
    """The artist goes to a frame and changes everything there; returns what must still be there afterwards."""
    bpy.context.scene.frame_set(at[0], subframe=at[1])
    return battery.change()


def lost(battery, before, *, meant=()):
    bpy.context.view_layer.update()
    now = battery.read()
    return [name for name in before if now[name] != before[name] and not name.startswith(tuple(meant))]


def test_the_battery_has_values_of_all_sorts(battery):
    kinds = {kind for kind, *_ in battery.places}
    assert len(battery) >= 60
    assert kinds >= {"objects", "meshes", "shape_keys", "materials", "worlds", "node_groups", "lights", "cameras"}
    assert kinds >= {"scenes", "armatures", "curves", "textures"}


def test_blender_itself_would_lose_them(battery):
    """Else the other tests here would show nothing."""
    before = stand(battery, MOVED)
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(MOVED[0])
    assert len(lost(battery, before)) == len(battery)


def test_all_operators_are_known_here():
    assert dir(bpy.ops.redmax) == OPERATORS


@pytest.mark.parametrize(
    "at", [pytest.param(MOVED, id="frame", marks=pytest.mark.slow), pytest.param(BETWEEN, id="subframe")]
)
@pytest.mark.parametrize("name", OPERATORS)
def test_no_operator_loses_a_value(battery, tmp_path, name, at):
    BEFORE.get(name, list)()
    before, scenes = stand(battery, at), bpy.data.scenes[:]
    operator, options = CASES.get(name, (run, {}))
    if "filepath" in options and not options["filepath"]:
        options = {"filepath": str(tmp_path / "scene.json")}
    operator(name, **options)
    assert lost(battery, before, meant=MEANT.get(name, ())) == []
    scene = bpy.context.scene
    assert (scene.frame_current, scene.frame_subframe) == at
    assert bpy.data.scenes[:] == scenes
    bpy.ops.redmax.check()
    assert lost(battery, before, meant=MEANT.get(name, ())) == []


@pytest.mark.parametrize("fix", [name for name in FIXES if name != "GO_TO_FRAME"])
def test_no_fix_loses_a_value(battery, fix):
    """Whether there is something to fix or not. Go to Frame is left out: it is what an artist does by scrubbing."""
    lower = bpy.data.objects["Lower"]
    lower.constraints.new("COPY_LOCATION").target = bpy.data.objects["Aside"]
    before = stand(battery, MOVED)
    for element in ("Shoulder", "Elbow", "Upper", "Lower"):
        for name in ("MUTE", "UNMUTE") if fix == "UNMUTE" else (fix,):
            with suppress(RuntimeError):
                bpy.ops.redmax.fix(fix=name, element=element)
    assert lost(battery, before, meant=MEANT.get(fix, ())) == []


@pytest.mark.parametrize("keys", ["EVERY", "FEWER"])
@pytest.mark.parametrize("target", ["NEW", "CURRENT", "NLA"])
def test_no_bake_loses_a_value(battery, target, keys):
    """Twice, with everything that can be written, and taken back."""
    before = stand(battery, BETWEEN)
    run("simulate")
    options = bpy.context.scene.redmax.bake
    options.target, options.keys = target, keys
    options.torque = options.reaction = options.energy = True
    for operator in ("bake", "check", "bake", "remove_bake"):
        run(operator)
        assert lost(battery, before) == [], operator


def test_no_value_is_lost_while_a_window_shows_the_simulation(battery):
    before = stand(battery, BETWEEN)
    window = Window()
    result = window.press()
    while result in RUNNING:
        result = window.send(TICK)
        assert lost(battery, before) == []
    assert result == {"FINISHED"}
    scene = bpy.context.scene
    assert (scene.frame_current, scene.frame_subframe) == BETWEEN


def test_no_value_is_lost_with_a_pre_roll_and_without_a_window(battery, tmp_path):
    scene = bpy.context.scene
    scene.redmax.pre_roll = 5
    before = stand(battery, BETWEEN)
    live.prepare(scene, bpy.context.view_layer)
    assert lost(battery, before) == []
    with preview.paused():
        extract.extract(scene, bpy.context.view_layer)
    run("simulate")
    run("bake")
    assert lost(battery, before) == []
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    assert lost(battery, before) == []
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert len(bpy.data.scenes) == 1
