# SPDX-License-Identifier: GPL-3.0-or-later
"""Without a window: the same numbers as in Blender, honest exit codes and reports, and never half a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
import swinging

from redmax import energy_books
from redmax.errors import ElementName
from redmax.outcome import Outcome
from redmax_blender import cli, compat, headless
from redmax_blender.bridge.check import result_findings
from redmax_blender.bridge.core import blend_files
from redmax_blender.bridge.results import cache
from redmax_blender.bridge.run import run_report, simulation

ROOT = Path(__file__).parents[2]


@pytest.fixture
def source(tmp_path):
    """A file in a folder of its own, still open."""
    swinging.build()
    folder = tmp_path / "source"
    folder.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    return folder / "shot.blend"


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "baked.blend"


def listing(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def command(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT / "addon")])}
    return subprocess.run(
        [sys.executable, "-m", "redmax_blender", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=200,
        **options,
    )


def curves(path):
    """Keys of all moving bodies of a file, by object and channel."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    keys = {}
    for name in swinging.MOVING:
        for curve in compat.fcurves_of(bpy.data.objects[name]):
            co = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", co)
            keys[name, curve.data_path, curve.array_index] = co
    return keys


# --- the function ----------------------------------------------------------------------------


def test_a_file_is_simulated_baked_and_written_and_the_source_is_left_alone(source, out):
    before = listing(source.parent)
    report = headless.bake_file(source, out=out, frames=(1, 9))
    assert (report.status, report.exit_code) == ("complete", 0)
    assert report.frames == [1, 9]
    assert (report.bodies, report.joints, report.dofs, report.loops) == (3, 2, 2, 0)
    assert report.objects == 2
    assert report.keys == 2 * 6 * 9
    assert listing(source.parent) == before
    assert sorted(path.name for path in out.parent.iterdir()) == ["baked.blend", cache.FOLDER]
    bpy.ops.wm.open_mainfile(filepath=str(out))
    scene = bpy.context.scene
    assert all(scene.objects[name].redmax.baked.active for name in swinging.MOVING)
    assert not cache.is_stale(scene, bpy.context.view_layer)
    assert len(cache.load(scene)) == 9


def test_headless_gives_the_keys_that_the_operators_give(source, out):
    assert headless.bake_file(source, out=out).exit_code == 0
    bpy.ops.wm.open_mainfile(filepath=str(source))
    swinging.simulate()
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(out.with_name("by_hand.blend")))
    with_operators, without = curves(out.with_name("by_hand.blend")), curves(out)
    assert set(with_operators) == set(without)
    assert len(without) == 12
    assert all(np.array_equal(with_operators[key], without[key]) for key in without)


def test_the_source_is_overwritten_where_it_is_named(source):
    assert headless.bake_file(source, out=source).exit_code == 0
    bpy.ops.wm.open_mainfile(filepath=str(source))
    assert bpy.data.objects["Lower"].redmax.baked.active
    assert cache.load(bpy.context.scene) is not None


def test_the_open_file_is_taken_where_none_is_named(source, out):
    report = headless.bake_file(None, out=out)
    assert report.exit_code == 0
    assert report.file == str(source.resolve())


def test_simulating_only_leaves_the_result_beside_the_copy(source, out):
    report = headless.bake_file(source, out=out, bake=False)
    assert (report.exit_code, report.keys) == (0, 0)
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert len(cache.load(bpy.context.scene)) == 13
    assert not bpy.data.objects["Lower"].redmax.baked.active
    bpy.context.scene.frame_set(9)
    assert bpy.data.objects["Lower"].redmax.kept.active


def test_options_take_the_place_of_what_the_file_says(source, out):
    report = headless.bake_file(
        source,
        out=out,
        accuracy="draft",
        options={"tangents": "LINEAR", "target": "CURRENT"},
        channels=["torque", "energy"],
    )
    assert report.accuracy == "DRAFT"
    assert report.integrator == {"kind": "automatic", "accuracy": "draft"}
    bpy.ops.wm.open_mainfile(filepath=str(out))
    settings = bpy.context.scene.redmax
    assert (settings.accuracy, settings.bake.tangents, settings.bake.target) == ("DRAFT", "LINEAR", "CURRENT")
    assert (settings.bake.torque, settings.bake.energy, settings.bake.reaction) == (True, True, False)
    curve = compat.fcurves_of(bpy.data.objects["Lower"])[0]
    assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}


def test_another_integrator_can_be_chosen(source, out):
    report = headless.bake_file(source, out=out, integrator="rk4")
    assert report.exit_code == 0
    assert report.integrator["kind"] == "rk4"
    assert report.accuracy == "CUSTOM"


def test_another_scene_can_be_chosen(source, out):
    bpy.ops.wm.open_mainfile(filepath=str(source))
    bpy.context.window.scene = bpy.data.scenes.new("Empty")
    bpy.ops.wm.save_mainfile()
    refused = headless.bake_file(source, out=out)
    assert refused.exit_code == 1
    assert "no RedMax bodies" in refused.message
    assert headless.bake_file(source, out=out, scene="Scene").exit_code == 0
    unknown = headless.bake_file(source, out=out, scene="Shot")
    assert unknown.exit_code == 2
    assert "'Empty', 'Scene'" in unknown.message


def test_bake_options_of_the_command_line_are_those_of_the_panel():
    text = "bake --file a --out b --range 5 20 --selected-only --to nla --keys fewer --max-distance 0.5 --max-angle 2 "
    text += "--every 3 --tangents linear --loop 8 --pre-roll 4"
    options = cli.parser("redmax").parse_args(text.split())
    found = cli._bake_options(options)
    angle = found.pop("max_angle")
    assert angle == pytest.approx(np.radians(2.0))
    assert found == {
        "range": "CUSTOM", "frame_start": 5, "frame_end": 20, "selected_only": True, "target": "NLA", "keys": "FEWER",
        "max_distance": 0.5, "every": 3, "tangents": "LINEAR", "loop": True, "loop_frames": 8,
    }  # fmt: skip
    assert options.pre_roll == 4
    for name, value in found.items():
        setattr(bpy.context.scene.redmax.bake, name, value)  # Blender knows them all
    assert not cli._bake_options(cli.parser("redmax").parse_args(["bake", "--file", "a", "--out", "b"]))


def test_fewer_keys_after_a_pre_roll_without_a_window(source, out):
    bound = {"keys": "FEWER", "max_distance": 0.5, "target": "NLA"}
    report = headless.bake_file(source, out=out, frames=(1, 12), pre_roll=5, options=bound)
    assert report.exit_code == 0, report.message
    assert (report.frames, report.frames_baked) == ([-4, 12], [1, 12])
    assert report.keys < report.keys_every
    assert 0.0 < report.error["distance_mm"] <= 0.5
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert bpy.data.objects["Lower"].animation_data.nla_tracks
    assert f"{report.keys} keys ({report.keys_every} every-frame)" in "\n".join(cli.summary(report))


def test_the_report_tells_everything_as_json(source, out, tmp_path):
    headless.bake_file(source, out=out, report=tmp_path / "report.json")
    data = json.loads((tmp_path / "report.json").read_text())
    wanted = {
        "file", "scene", "out", "status", "message", "exit_code", "notes", "frames", "frames_asked", "fps", "bodies",
        "joints", "dofs", "loops", "objects", "keys", "keys_every", "caches", "frames_baked", "error", "seconds",
        "energy", "remarks", "outcome", "loop_gap", "route", "accuracy", "integrator", "versions",
    }  # fmt: skip
    assert set(data) == wanted
    assert data["out"] == str(out.resolve())
    assert data["loop_gap"] is None
    assert data["versions"]["blender"] == bpy.app.version_string
    assert data["versions"]["numpy"] == np.__version__
    assert all(data["seconds"][step] > 0.0 for step in ("extract", "simulate", "bake", "total"))
    scale = abs(data["energy"]["start"])
    assert abs(data["energy"]["drift"]) < 1e-6 * scale
    assert data["energy"]["work"] == data["energy"]["loss"] == 0.0
    assert data["energy"]["promised"] == pytest.approx(1e-4)
    assert (data["remarks"], data["outcome"], data["notes"]) == ([], None, [])


def test_energy_that_does_not_balance_is_told_everywhere(source, out, monkeypatch):
    """A planted fault: from frame 6 on the energy is half as much again."""
    simulate = simulation.simulate.simulate

    def faulty(*arguments, **options):
        import dataclasses

        for sample in simulate(*arguments, **options):
            raised = sample.channels["energy"] + 0.5 * (sample.index >= 5)
            yield dataclasses.replace(sample, channels={**sample.channels, "energy": raised})

    monkeypatch.setattr(simulation.simulate, "simulate", faulty)
    report = headless.bake_file(source, out=out)
    assert (report.exit_code, report.status) == (0, "complete")
    (told,) = json.loads(report.text())["remarks"]
    assert (told["code"], told["frame"]) == ("energy_books", 6)
    (note,) = report.notes
    assert note.startswith("from frame 6 on the energy does not balance: 0.5 J of ")
    assert f"Note: {note}" in cli.summary(report)
    remark = bpy.context.scene.redmax.result.remark
    assert remark == note[:1].upper() + note[1:]
    (finding,) = result_findings.result_findings(bpy.context.scene)
    assert (finding.text, finding.severity) == (remark, "WARNING")


def test_drift_is_what_work_and_loss_do_not_explain():
    energy, work, loss = np.array([[5.0, 6.0, 4.5], [0.0, 2.0, 2.0], [0.0, 1.0, 2.5]])
    result = SimpleNamespace(channels={"energy": energy, "work": work, "loss": loss})
    assert np.array_equal(energy_books.remainder(result.channels), [0.0, 0.0, 0.0])
    result.channels["work"] = np.array([0.0, 2.0, 1.0])
    assert np.array_equal(energy_books.remainder(result.channels), [0.0, 0.0, 1.0])


def test_numbers_that_are_not_finite_are_null(tmp_path):
    report = run_report.Report()
    report.energy["drift"] = float("nan")
    assert json.loads(report.text())["energy"]["drift"] is None


# --- what goes wrong -------------------------------------------------------------------------


def test_problems_of_the_scene_are_exit_code_1_and_only_the_report_is_written(source, out, tmp_path):
    for name in ("Shoulder", "Elbow"):
        bpy.data.objects[name].redmax.joint.child = None
    bpy.ops.wm.save_mainfile()
    report = headless.bake_file(source, out=out, report=tmp_path / "report.json")
    assert (report.exit_code, report.status, report.out) == (1, "refused", None)
    assert "'Shoulder'" in report.message
    assert "'Elbow'" in report.message
    assert not list(out.parent.iterdir())
    assert json.loads((tmp_path / "report.json").read_text())["exit_code"] == 1


def test_a_run_that_fails_on_the_way_is_kept_and_is_exit_code_3(source, out, monkeypatch):
    simulate = simulation.simulate.simulate

    def failing(*arguments, **options):
        import dataclasses

        for sample in simulate(*arguments, **options):
            if sample.index == 6:
                elbow = ElementName("joint", "Elbow")
                broken = Outcome(code="broken", frame=7, t=0.3, element=elbow, what="it broke", advice="mend it")
                yield dataclasses.replace(sample, status="failed", message="it broke", outcome=broken)
                return
            yield sample

    monkeypatch.setattr(simulation.simulate, "simulate", failing)
    report = headless.bake_file(source, out=out)
    assert (report.exit_code, report.status) == (3, "failed")
    assert report.message == "Stopped at frame 8: it broke; mend it. Frames 1-7 kept"
    told = json.loads(report.text())["outcome"]
    assert (told["code"], told["frame"], told["element"]) == ("broken", 8, "joint 'Elbow'")
    assert (told["sort"], told["name"]) == ("joint", "Elbow")
    failed = next(result_findings.result_findings(bpy.context.scene))
    assert (failed.element, failed.text) == ("Elbow", report.message), "the object is known without reading the message"
    assert (report.frames, report.frames_asked) == ([1, 7], [1, 13])
    assert {len(co) // 2 for co in curves(out).values()} == {7}


def test_a_bake_that_is_refused_leaves_no_file(source, out, monkeypatch):
    from redmax_blender.bridge.core.findings import refuse

    def refused(*_):
        raise refuse("Lower", "'Lower' cannot be baked")

    monkeypatch.setattr(headless.baking, "bake", refused)
    report = headless.bake_file(source, out=out)
    assert (report.exit_code, report.status, report.out) == (1, "refused", None)
    assert "'Lower' cannot be baked" in report.message
    assert not list(out.parent.iterdir())


def test_a_save_that_fails_leaves_what_was_there(source, out, monkeypatch):
    out.write_text("precious")

    def fail(_self, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    report = headless.bake_file(source, out=out)
    monkeypatch.undo()
    assert report.exit_code == 2
    assert "No space left" in report.message
    assert out.read_text() == "precious"
    assert [path.name for path in out.parent.iterdir()] == ["baked.blend"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"source": "nowhere.blend"}, "is not a file"),
        ({"out": "no/such/folder/baked.blend"}, "is not a folder"),
        ({"out": "baked.abc"}, "end in .blend"),
        ({"report": "no/such/folder/report.json"}, "is not a folder"),
        ({"report": "/"}, "it is a folder, not a file"),
        ({"report": "report.blend"}, "is a .blend file, which the report would replace"),
    ],
)
def test_files_that_cannot_be_are_exit_code_2_before_anything_is_computed(source, out, change, said, monkeypatch):
    monkeypatch.setattr(simulation.Run, "work", lambda *_: pytest.fail("it was simulated"))
    paths = {"source": source, "out": out, "report": None} | {key: Path(name) for key, name in change.items()}
    report = headless.bake_file(paths.pop("source"), **paths)
    assert report.exit_code == 2
    assert said in report.message


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names are those of POSIX")
@pytest.mark.parametrize("option", ["out", "report"])
def test_what_is_no_file_is_refused_and_stays(source, out, option, monkeypatch):
    monkeypatch.setattr(simulation.Run, "work", lambda *_: pytest.fail("it was simulated"))
    pipe = out.with_name(f"pipe.{'blend' if option == 'out' else 'json'}")
    os.mkfifo(pipe)
    report = headless.bake_file(source, **{option: pipe})
    assert report.exit_code == 2
    assert report.message == f"'{pipe}' cannot be written: it is a pipe, not a file; give another name"
    assert pipe.is_fifo()
    assert [path.name for path in out.parent.iterdir()] == [pipe.name]


def test_a_report_never_replaces_the_blend_file_it_is_of(source, out):
    for path in (source, out):
        before = source.read_bytes()
        report = headless.bake_file(source, out=out, report=path)
        assert report.exit_code == 2
        assert "which the report would replace" in report.message
        assert source.read_bytes() == before
        assert not out.exists()
    plain = source.with_name("shot.copy")  # a .blend file under any name
    plain.write_bytes(before)
    assert headless.bake_file(plain, out=out, report=plain).exit_code == 2
    assert plain.read_bytes() == before


def test_the_users_own_partial_blend_stays(source, out):
    """Blender neither overwrites a file that looks like a temporary one nor leaves backups of its own."""
    own = [out.with_name(name) for name in ("baked.partial.blend", "baked.partial.blend1", "baked.blend.partial")]
    for path in own:
        path.write_text("precious")
    out.write_text("former")
    out.chmod(0o640)
    mode = out.stat().st_mode
    report = headless.bake_file(source, out=out, bake=False)
    assert report.exit_code == 0, report.message
    assert {path.read_text() for path in own} == {"precious"}
    assert out.stat().st_mode == mode
    assert sorted(path.name for path in out.parent.iterdir()) == sorted(
        [cache.FOLDER, out.name, *(path.name for path in own)]
    )


def test_a_private_file_is_private_while_it_is_written_anew(source, out, monkeypatch):
    out.write_text("former")
    out.chmod(0o600)
    modes = []
    real = blend_files.is_whole
    monkeypatch.setattr(
        headless.blend_files, "is_whole", lambda path: modes.append(path.stat().st_mode & 0o777) or real(path)
    )
    before = os.umask(0o022)
    try:
        assert headless.bake_file(source, out=out, bake=False).exit_code == 0
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    assert set(modes) == {0o600}
    assert out.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"frames": (1, 99999999999)}, "End (frame_end) is 99999999999; give a number from -1048574 to 1048574"),
        ({"frames": (-(10**400), 5)}, "Start (frame_start) is -1000"),
        ({"pre_roll": 1048575}, "Pre-Roll (pre_roll) is 1048575; give a number from 0 to 1048574"),
        ({"pre_roll": -1}, "Pre-Roll (pre_roll) is -1"),
        ({"frames": (-1048000, 5), "pre_roll": 1000}, "Pre-Roll begins at frame -1049000"),
        ({"options": {"frame_end": 2**40}}, "End (frame_end) is 1099511627776"),
        ({"options": {"every": 0}}, "Step (every) is 0; give a number from 1"),
        ({"options": {"every": "two"}}, "Step (every) cannot be 'two'"),
        ({"options": {"loop_frames": 10**12}}, "Blend (loop_frames) is 1000000000000"),
        ({"options": {"max_distance": 1e300}}, "Max Distance (max_distance) is 1e+300"),
        ({"options": {"max_angle": float("nan")}}, "Max Angle (max_angle) is nan"),
        ({"options": {"keys": "SOME"}}, "Keys (keys) cannot be 'SOME'"),
        ({"options": {"colour": 1}}, "There is no option 'colour'"),
        ({"accuracy": "perfect"}, "Accuracy (accuracy) cannot be 'PERFECT'"),
        ({"integrator": "guess"}, "Integrator (integrator) cannot be 'guess'"),
        ({"scene": "\udcff"}, "There is no scene"),
    ],
)
def test_settings_that_cannot_be_are_named_and_nothing_is_computed(source, out, given, said, monkeypatch):
    monkeypatch.setattr(simulation.Run, "work", lambda *_: pytest.fail("it was simulated"))
    report = headless.bake_file(source, out=out, **given)
    assert report.exit_code == (1 if "begins at" in said else 2), report.message
    assert said in report.message
    assert not list(out.parent.iterdir())


def test_a_file_that_is_no_blend_is_exit_code_2(tmp_path, out):
    strange = tmp_path / "strange.blend"
    strange.write_text("hello")
    report = headless.bake_file(strange, out=out)
    assert report.exit_code == 2
    assert "cannot be opened" in report.message


# --- the command line ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "command"),
        (["bake", "--file", "a.blend"], "nothing would be written"),
        (["bake", "--out", "a.blend"], "no file is open"),
        (["bake", "--file", "a.blend", "--out", "b.blend", "--frames", "9", "3"], "no range"),
        (["bake", "--file", "a.blend", "--out", "b.blend", "--channels", "torque,colour"], "no channel 'colour'"),
        (["bake", "--file", "a", "--out", "b", "--accuracy", "high", "--integrator", "rk4"], "not both"),
        (["bake", "--file", "a", "--out", "b", "--accuracy", "best"], "invalid choice"),
        (["bake", "--file", "a", "--out", "b", "--max-distance", "0"], "no number above 0"),
        (["bake", "--file", "a", "--out", "b", "--loop", "0"], "no number of frames from 1 on"),
        (["bake", "--file", "a", "--out", "b", "--range", "9", "3"], "is empty"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_explained(arguments, said, capsys):
    assert cli.main(arguments) == 2
    assert said in capsys.readouterr().err


def test_help_is_exit_code_0_and_names_the_exit_codes(capsys):
    assert cli.main(["bake", "--help"]) == 0
    text = capsys.readouterr().out
    assert "exit codes" in text
    assert "--report" in text


def test_the_module_bakes_a_file_in_a_process_of_its_own(source, out, tmp_path):
    run = command("bake", "--file", source, "--frames", 1, 9, "--out", out, "--report", tmp_path / "report.json")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "frame 9 of 9" in run.stderr
    assert "Simulated frames 1-9: 3 bodies, 2 joints, 2 degrees of freedom" in run.stdout
    assert f"Saved '{out}'" in run.stdout
    assert json.loads((tmp_path / "report.json").read_text())["frames"] == [1, 9]
    assert {len(co) // 2 for co in curves(out).values()} == {9}


def test_the_module_says_problems_and_is_quiet_when_asked(source, out):
    quiet = command("bake", "--file", source, "--out", out, "--quiet")
    assert quiet.returncode == 0
    assert "Simulat" not in quiet.stdout + quiet.stderr
    missing = command("bake", "--file", source.with_name("other.blend"), "--out", out, "--quiet")
    assert missing.returncode == 2
    assert "RedMax: '" in missing.stderr
    assert "is not a file" in missing.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_control_c_keeps_what_is_done(source, out, tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        f"sys.path[:0] = [{str(ROOT / 'engine')!r}, {str(ROOT / 'addon')!r}]\n"
        "import bpy, redmax_blender\n"
        "redmax_blender.register()\n"
        "from redmax_blender import headless\n"
        f"paths = dict(out=Path({str(out)!r}), report=Path({str(tmp_path / 'report.json')!r}))\n"
        "report = headless.bake_file(\n"
        f"    Path({str(source)!r}), frames=(1, 100000), accuracy='draft', **paths,\n"
        "    progress=lambda done, total: print('DONE', done, file=sys.stderr, flush=True))\n"
        "redmax_blender.unregister()\n"
        "sys.exit(report.exit_code)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        for line in process.stderr:
            if line == "DONE 5\n":
                process.send_signal(signal.SIGINT)
        assert process.wait(120) == 3
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["status"] == "stopped"
    first, last = data["frames"]
    assert (first, data["frames_asked"]) == (1, [1, 100000])
    assert 5 <= last < 1000
    assert data["message"] == f"Stopped after frame {last}. Frames 1-{last} kept"
    assert {len(co) // 2 for co in curves(out).values()} == {last}


def test_the_command_is_taken_back():
    """Blender 4.5 crashes at exit if a command is still registered."""
    import redmax_blender

    for _ in range(2):
        redmax_blender.unregister()
        redmax_blender.register()
    program = (
        "import sys\n"
        f"sys.path[:0] = [{str(ROOT / 'engine')!r}, {str(ROOT / 'addon')!r}]\n"
        "import bpy, redmax_blender\n"
        "from redmax_blender import cli\n"
        "class Ledger:\n"
        "    def on_undo(self, step): pass\n"
        "cli.register(Ledger())\n"  # nobody takes it back but the exit
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
