# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: shipped ones fit, one's own are saved and survive, and nothing in a preset's file is ever run."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
import swinging
from recording_layout import RecordingLayout

import redmax_blender
from redmax_blender.bridge.authoring import joint_feel, presets
from redmax_blender.properties import materials
from redmax_blender.ui import presets as menus

SHIPPED = Path(redmax_blender.__file__).parent / "presets" / "redmax"
FILES = sorted(SHIPPED.rglob("*.py"))
MENUS = {
    "material": menus.REDMAX_PT_material_presets,
    "formula": menus.REDMAX_PT_formula_presets,
    "joint_feel": menus.REDMAX_PT_joint_feel_presets,
    "accuracy": menus.REDMAX_PT_accuracy_presets,
}


@pytest.fixture
def arms():
    swinging.build(frames=(1, 49))
    bpy.context.view_layer.update()
    return bpy.data.objects


@pytest.fixture
def user_folder(monkeypatch, tmp_path):
    """Where Blender keeps what the user saves."""
    monkeypatch.setattr(bpy.utils, "user_resource", lambda _kind, path="", create=False: _made(tmp_path / path, create))
    monkeypatch.setattr(bpy.utils, "preset_find", _finder(tmp_path))
    return tmp_path / "presets" / "redmax"


def _made(folder, create):
    if create:
        folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def _finder(home):
    def find(name, subdir, *, display_name=False, ext=".py"):
        for root in (home / "presets", SHIPPED.parent):
            for path in sorted((root / subdir).glob(f"*{ext}")):
                if name == (bpy.path.display_name(path.name, title_case=False) if display_name else path.stem):
                    return str(path)
        return None

    return find


def activate(obj):
    bpy.context.view_layer.objects.active = obj
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)


def use(kind, name):
    return bpy.ops.redmax.apply_preset(filepath=str(SHIPPED / kind / f"{name}.py"))


def test_every_kind_is_shipped_with_some():
    counts = {kind: len(list((SHIPPED / kind).glob("*.py"))) for kind in presets.KINDS}
    assert set(counts) == {folder.name for folder in SHIPPED.iterdir() if folder.is_dir()}
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_shipped_presets_can_be_used(arms, path):
    activate(arms["Elbow"] if path.parent.name in ("joint_feel", "formula") else arms["Upper"])
    assert presets.load(path, presets.KINDS[path.parent.name])
    assert bpy.ops.redmax.apply_preset(filepath=str(path)) == {"FINISHED"}


def test_shipped_materials_are_those_of_the_property():
    found = {}
    for path in (SHIPPED / "material").glob("*.py"):
        values = presets.load(path, presets.KINDS["material"])
        found[values["material"]] = values["density"]
    assert found == materials.DENSITY


def test_a_material_is_given_to_all_selected_bodies(arms):
    activate(arms["Upper"])
    arms["Lower"].select_set(True)
    arms["Lower"].redmax.body.mass_source = "MASS"
    use("material", "Steel")
    for name, density in (("Upper", 7850.0), ("Lower", 7850.0), ("Post", 1000.0)):
        assert arms[name].redmax.body.density == density
    assert arms["Lower"].redmax.body.mass_source == "DENSITY"
    assert arms["Upper"].redmax.body.material == "STEEL"


def test_accuracy_presets_choose_the_integrator(arms):
    settings = bpy.context.scene.redmax
    use("accuracy", "Fixed_Steps")
    assert (settings.accuracy, settings.integrator) == ("CUSTOM", "rk4")
    assert settings.rk4.h == pytest.approx(0.002)
    use("accuracy", "High")
    assert settings.accuracy == "HIGH"


@pytest.mark.parametrize("path", sorted((SHIPPED / "accuracy").glob("*.py")), ids=lambda path: path.stem)
def test_every_shipped_accuracy_simulates_without_any_wheel(arms, path):
    bpy.context.scene.frame_end = 3
    bpy.ops.redmax.apply_preset(filepath=str(path))
    assert swinging.simulate().status == "complete"


# --- feel ------------------------------------------------------------------------------------


@pytest.mark.parametrize("frequency", [0.0, 1.5])
@pytest.mark.parametrize("decay", [0.0, 2.0])
def test_feel_and_numbers_are_two_ways_to_say_the_same(frequency, decay):
    feel = joint_feel.Feel(frequency, decay)
    found = joint_feel.feel_of(*joint_feel.stiffness_and_damping(feel, 3.7), 3.7)
    assert found == pytest.approx(feel, rel=1e-12)


def test_no_spring_is_damped_more_than_critically():
    omega = 2.0 * math.pi * 2.0
    stiffness, damping = joint_feel.stiffness_and_damping(joint_feel.Feel(2.0, 1e-3), 5.0)
    assert damping == pytest.approx(2.0 * math.sqrt(stiffness * 5.0))
    assert stiffness == pytest.approx(omega**2 * 5.0)


@pytest.mark.parametrize("size", [0.1, 1.0, 30.0])
def test_a_joint_swings_as_often_and_as_long_as_its_feel_says_whatever_its_size(size):
    """One arm without weight on a spring: 2 Hz for two seconds, falling to 1/e in one."""
    scene = bpy.context.scene
    scene.use_gravity = False
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 97, 48
    post = swinging.box("Post", (0, 0, 0), (0.1 * size, 0.1 * size, 0.1 * size))
    post.redmax.body.root = "LOCKED"
    arm = swinging.box("Arm", (0.5 * size, 0, 0), (size, 0.1 * size, 0.1 * size))
    pin = swinging.hinge("Pin", post, arm, (0, 0, 0))
    bpy.context.view_layer.update()
    activate(pin)
    assert bpy.ops.redmax.set_feel(frequency=2.0, decay=1.0) == {"FINISHED"}
    pin.redmax.joint.coordinate_angle_1 = 0.1
    swinging.simulate()
    from redmax_blender.bridge.results import cache

    result = cache.load(scene)
    q = result.q[:, 0]
    zeta = 1.0 / (2.0 * math.pi * 2.0)
    omega = 2.0 * math.pi * 2.0 * math.sqrt(1.0 - zeta**2)
    t = result.t
    expected = 0.1 * np.exp(-t) * (np.cos(omega * t) + np.sin(omega * t) / omega)
    assert np.abs(q - expected).max() < 2e-6 * 0.1 + 1e-6  # stiffness and damping are single precision in Blender


def test_a_feel_is_refused_where_there_is_nothing_to_move(arms):
    arms["Elbow"].redmax.joint.kind = "fixed"
    activate(arms["Elbow"])
    with pytest.raises(RuntimeError, match="Joint 'Elbow' cannot move, so it has no feel"):
        bpy.ops.redmax.set_feel()
    arms["Elbow"].redmax.joint.child = None
    with pytest.raises(RuntimeError, match="Joint 'Elbow' has no child body"):
        bpy.ops.redmax.set_feel()
    activate(arms["Upper"])
    assert not bpy.ops.redmax.set_feel.poll()


# --- saving ----------------------------------------------------------------------------------


def test_what_is_saved_can_be_used_again_and_removed(arms, user_folder):
    upper = arms["Upper"]
    activate(upper)
    upper.redmax.body.density = 1234.5
    assert bpy.ops.redmax.save_material(name="My Alloy") == {"FINISHED"}
    path = user_folder / "material" / "My_Alloy.py"
    assert path.is_file()
    upper.redmax.body.material = "GOLD"
    assert bpy.ops.redmax.apply_preset(filepath=str(path)) == {"FINISHED"}
    assert (upper.redmax.body.material, upper.redmax.body.density) == ("CUSTOM", 1234.5)
    bpy.ops.redmax.save_material(name="My Alloy")
    assert len(list(user_folder.rglob("*.py"))) == 1, "a name that is taken is not overwritten"
    assert bpy.ops.redmax.save_material(name="My Alloy", remove_name=True) == {"FINISHED"}
    assert not path.exists()


def test_a_saved_feel_fits_another_joint(arms, user_folder):
    activate(arms["Elbow"])
    bpy.ops.redmax.set_feel(frequency=1.25, decay=0.8)
    assert bpy.ops.redmax.save_joint_feel(name="Mine") == {"FINISHED"}
    values = presets.load(user_folder / "joint_feel" / "Mine.py", presets.KINDS["joint_feel"])
    assert values == pytest.approx({"frequency": 1.25, "decay": 0.8}, rel=1e-6)
    activate(arms["Shoulder"])
    bpy.ops.redmax.apply_preset(filepath=str(user_folder / "joint_feel" / "Mine.py"))
    assert joint_feel.measure(bpy.context, arms["Shoulder"]) == pytest.approx((1.25, 0.8), rel=1e-6)
    assert arms["Shoulder"].redmax.joint.stiffness[0] > 2.0 * arms["Elbow"].redmax.joint.stiffness[0]


def test_a_saved_accuracy_brings_all_its_numbers(arms, user_folder):
    settings = bpy.context.scene.redmax
    settings.accuracy, settings.integrator = "CUSTOM", "dop853"
    settings.dop853.rtol = settings.dop853.atol = 1e-6
    bpy.ops.redmax.save_accuracy(name="Mine")
    settings.dop853.rtol = 1e-3
    settings.accuracy, settings.integrator = "DRAFT", "rk4"
    bpy.ops.redmax.apply_preset(filepath=str(user_folder / "accuracy" / "Mine.py"))
    assert (settings.accuracy, settings.integrator) == ("CUSTOM", "dop853")
    assert settings.dop853.rtol == pytest.approx(1e-6)


def test_a_folder_that_cannot_be_written_is_said(arms, user_folder, monkeypatch):
    activate(arms["Upper"])

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(presets, "save", full)
    with pytest.raises(RuntimeError, match="cannot be saved: No space left"):
        bpy.ops.redmax.save_material(name="Lost")


# --- safety ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import os\n", "more than values in line 1"),
        ("density = __import__('os').getpid()\n", "something else than a value"),
        ("density = 1.0\nopen('x')\n", "more than values in line 2"),
        ("name = 'Steel'\n", "sets 'name'"),
        ("density = material = 1\n", "more than values"),
        ("density = [x for x in (1,)]\n", "something else than a value"),
        ("density = ", "no list of values"),
        ("density = 'heavy'\n", "does not fit"),
        ("density = 5.0\nmaterial = 'NOTHING'\n", "does not fit"),
        ("#" * 70000, "larger than 64 kB"),
        ("\x00", "no list of values"),
    ],
)
def test_a_file_with_anything_but_values_is_refused_and_nothing_is_changed(arms, tmp_path, text, says):
    folder = tmp_path / "redmax" / "material"
    folder.mkdir(parents=True)
    path = folder / "Evil.py"
    path.write_text(text)
    activate(arms["Upper"])
    before = (arms["Upper"].redmax.body.material, arms["Upper"].redmax.body.density)
    with pytest.raises(RuntimeError, match=f"The preset 'Evil' .*{says}"):
        bpy.ops.redmax.apply_preset(filepath=str(path))
    assert (arms["Upper"].redmax.body.material, arms["Upper"].redmax.body.density) == before


def test_a_preset_whose_second_value_does_not_fit_changes_nothing(arms, tmp_path):
    folder = tmp_path / "redmax" / "accuracy"
    folder.mkdir(parents=True)
    (folder / "Half.py").write_text('accuracy = "HIGH"\nrk4__h = 0.5\nintegrator = "nothing"\n')
    settings = bpy.context.scene.redmax
    step = settings.rk4.h
    with pytest.raises(RuntimeError, match="The preset 'Half' has a value that does not fit"):
        bpy.ops.redmax.apply_preset(filepath=str(folder / "Half.py"))
    assert (settings.accuracy, settings.rk4.h) == ("STANDARD", step)


def test_files_from_elsewhere_are_no_presets(arms, tmp_path):
    path = tmp_path / "Steel.py"
    path.write_text("density = 1.0\n")
    with pytest.raises(RuntimeError, match="is no preset of RedMax"):
        bpy.ops.redmax.apply_preset(filepath=str(path))
    with pytest.raises(RuntimeError, match="cannot be read"):
        bpy.ops.redmax.apply_preset(filepath=str(SHIPPED / "material" / "Missing.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_files_would_do_nothing_if_blender_ran_them(path):
    assert all(isinstance(line, ast.Assign) for line in ast.parse(path.read_text()).body)


# --- menus -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", presets.KINDS)
def test_menus_list_the_shipped_presets_with_plus_and_minus(kind):
    menu = MENUS[kind]
    assert menu.preset_subdir == presets.subfolder(kind)
    assert str(SHIPPED / kind) in bpy.utils.preset_paths(menu.preset_subdir)
    layout = RecordingLayout()
    shown = SimpleNamespace(layout=layout, **{n: getattr(menu, n) for n in dir(menu) if n.startswith("preset_")})
    shown.path_menu = lambda *args, **kw: bpy.types.Menu.path_menu(shown, *args, **kw)
    menu.draw(shown, bpy.context)
    operators = layout.operators()
    count = len(list((SHIPPED / kind).glob("*.py")))
    assert operators.count("redmax.apply_preset") == count
    assert operators.count(menu.preset_add_operator) == count + 1
    assert getattr(bpy.types, menu.__name__, None) is not None


def test_disabling_takes_the_folder_of_presets_back():
    folder = str(SHIPPED / "material")
    assert folder in bpy.utils.preset_paths("redmax/material")
    redmax_blender.unregister()
    try:
        assert folder not in bpy.utils.preset_paths("redmax/material")
    finally:
        redmax_blender.register()
