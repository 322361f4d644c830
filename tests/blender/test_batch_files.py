# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of files without a window: resumable, idempotent, one failed item stops nothing, a report for each."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import bpy
import pytest
import swinging

from redmax_blender import batch, cli, headless
from redmax_blender.bridge.results import cache

TABLE = "name,joints.Shoulder.damping,bodies.Lower.inertia (times)\nsoft,0.5,1\nheavy,1,3\nas it is,,\n"


@pytest.fixture
def source(tmp_path):
    swinging.build(frames=(101, 107))
    folder = tmp_path / "source"
    folder.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    return folder / "shot.blend"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def files_of(out: Path) -> dict[str, bytes]:
    """Everything whose content is settled: not .blend files, which Blender writes with addresses, nor times."""
    texts = {}
    for path in sorted(out.rglob("*")):
        if path.suffix == ".npz":
            texts[str(path.relative_to(out))] = path.read_bytes()
        elif path.suffix == ".json":
            facts = json.loads(path.read_text(encoding="utf-8"))
            facts.pop("seconds", None)
            texts[str(path.relative_to(out))] = json.dumps(facts).encode()
        elif path.suffix in (".csv", ".svg"):
            texts[str(path.relative_to(out))] = path.read_bytes()
    return texts


def rows_of(out: Path) -> dict[str, dict[str, str]]:
    with (out / "table.csv").open(newline="") as stream:
        return {row["name"]: row for row in csv.DictReader(stream)}


def run(source, out, **given):
    return batch.run([source], out, route="numpy", **given)


def test_variations_of_a_file(source, table, tmp_path):
    """Each has keys of its own; the frames are the file's; the setup is kept; results lie beside the files."""
    out = tmp_path / "out"
    outcome = run(source, out, variations=table)
    assert (outcome.exit_code, outcome.failed, outcome.message) == (0, [], "")
    rows = rows_of(out)
    assert list(rows) == ["shot_soft", "shot_heavy", "shot_as_it_is"]
    ends = {name: float(row["end.Lower.z"]) for name, row in rows.items()}
    assert len(set(ends.values())) == 3
    for name, end in ends.items():
        bpy.ops.wm.open_mainfile(filepath=str(out / f"{name}.blend"))
        scene = bpy.context.scene
        scene.frame_set(107)
        lower = bpy.data.objects["Lower"]
        assert lower.matrix_world.translation.z == pytest.approx(end, abs=1e-6)
        assert bpy.data.objects["Shoulder"].redmax.joint.damping[0] == 0.0
        assert cache.load(scene) is not None
        assert str(cache.folder()) == str(out / "redmax_cache")
        facts = json.loads((out / f"{name}.json").read_text())
        assert facts["frames"] == [101, 107]
        assert facts["out"] == f"{name}.blend"


def test_the_row_that_changes_nothing_is_the_file_as_it_is(source, table, tmp_path):
    run(source, tmp_path / "out", variations=table)
    report = headless.bake_file(source, out=tmp_path / "plain.blend", route="numpy")
    facts = json.loads((tmp_path / "out" / "shot_as_it_is.json").read_text())
    assert facts["energy"] == json.loads(report.text())["energy"]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_interrupted_anywhere_and_resumed_gives_the_same(source, table, tmp_path, monkeypatch, after):
    run(source, tmp_path / "whole", variations=table)
    out, real, seen = tmp_path / "out", headless.bake_file, []

    def interrupted(*given, **named):
        if len(seen) == after:
            raise KeyboardInterrupt
        seen.append(given)
        return real(*given, **named)

    monkeypatch.setattr(headless, "bake_file", interrupted)
    assert run(source, out, variations=table).exit_code == batch.INTERRUPTED
    monkeypatch.setattr(headless, "bake_file", real)
    outcome = run(source, out, variations=table)
    assert (outcome.exit_code, outcome.done_before) == (0, after)
    assert not list(out.glob("*.started"))
    whole, resumed = files_of(tmp_path / "whole"), files_of(out)
    same = {name for name in whole if not name.endswith("index.json")}
    title = (b">whole (3)<", b">out (3)<")
    assert {k: whole[k].replace(title[0], title[1]) for k in same} == {k: resumed[k] for k in same}


def test_a_second_run_does_nothing(source, table, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run(source, out, variations=table)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    monkeypatch.setattr(headless, "bake_file", None)
    outcome = run(source, out, variations=table)
    assert (outcome.exit_code, outcome.done_before) == (0, 3)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_a_file_that_is_missing_or_cut_is_done_again(source, table, tmp_path):
    out = tmp_path / "out"
    run(source, out, variations=table)
    (out / "shot_soft.blend").unlink()
    (out / "shot_heavy.json").write_text("{", encoding="utf-8")
    outcome = run(source, out, variations=table)
    assert (outcome.exit_code, outcome.done_before) == (0, 1)
    assert (out / "shot_soft.blend").is_file()


def test_one_bad_file_stops_nothing(source, tmp_path):
    broken, missing = tmp_path / "broken.blend", tmp_path / "missing.blend"
    broken.write_bytes(b"BLENDER, but not really")
    outcome = batch.run([broken, missing, source], tmp_path / "out", route="numpy")
    assert (outcome.exit_code, outcome.failed) == (1, ["broken", "missing"])
    assert list(rows_of(tmp_path / "out")) == ["shot"]
    missing.write_bytes(source.read_bytes())
    again = batch.run([broken, missing, source], tmp_path / "out", route="numpy")
    assert (again.failed, again.done_before) == (["broken"], 1)


def test_a_failed_variation_is_a_result(source, tmp_path):
    table = tmp_path / "table.json"
    columns = [{"path": "bodies.Lower.inertia", "change": "times", "values": [1, -1]}]
    text = json.dumps({"format": "redmax-variations", "version": 1, "columns": columns})
    table.write_text(text, encoding="utf-8")
    outcome = run(source, tmp_path / "out", variations=table)
    assert outcome.exit_code == 2
    assert "row 2, column 1 (bodies.Lower.inertia (times))" in outcome.message
    assert not list((tmp_path / "out").glob("*.blend"))


def test_an_item_that_ends_its_process_is_told_after_three_tries(source, table, tmp_path):
    out = tmp_path / "out"
    run(source, out, variations=table)
    (out / "shot_soft.json").unlink()
    key = next(item.key for item in batch._items([source], batch.engine_batch.load(table), SETTINGS))
    (out / "shot_soft.started").write_text(f"{key} {batch.TRIES}\n", encoding="utf-8")
    outcome = run(source, out, variations=table)
    assert (outcome.exit_code, outcome.failed) == (1, ["shot_soft"])
    assert rows_of(out)["shot_soft"]["status"] == "lost"
    assert run(source, out, variations=table).exit_code == 0, "the next call tries it anew"


SETTINGS = {}


def test_rows_of_a_farm_and_then_the_summary(source, table, tmp_path):
    run(source, tmp_path / "whole", variations=table)
    out = tmp_path / "out"
    for rows in ((2, 2), (1, 1), (3, 9), None):
        outcome = run(source, out, variations=table, rows=rows)
    assert (outcome.exit_code, outcome.done_before) == (0, 3)
    assert (out / "table.csv").read_bytes() == (tmp_path / "whole" / "table.csv").read_bytes()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("joints.Shoulder.dumping\n1\n", "there is no 'dumping' there; did you mean 'damping'"),
        ("joints.Shoulder.damping\n1\n-1\n", "row 2, column 1 (joints.Shoulder.damping)"),
        ("joints.Shoulder.damping\n=1+1\n", "row 1, column 1"),
        ("__class__.__init__\n1\n", "a scene has no '__class__'"),
    ],
)
def test_tables_that_cannot_be_used_are_refused_by_row_and_column(source, tmp_path, text, said):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    outcome = run(source, tmp_path / "out", variations=path)
    assert outcome.exit_code == 2
    assert said in outcome.message
    assert not list((tmp_path / "out").glob("*.blend"))


def test_hostile_names_stay_in_the_folder_and_stay_text(source, tmp_path):
    path = tmp_path / "table.csv"
    name = "../../=cmd|' /C calc'!A0"
    path.write_text(f'name,joints.Shoulder.damping\n"{name}",1\ntable,2\n', encoding="utf-8")
    out = tmp_path / "out"
    assert run(source, out, variations=path).exit_code == 0
    assert all(path.parent in (out, out / "redmax_cache") for path in out.rglob("*") if path.is_file())
    assert {path.name for path in tmp_path.iterdir()} == {"out", "source", "table.csv"}
    assert not any(line.startswith(("=", "+", "-", "@")) for line in (out / "table.csv").read_text().splitlines())


def test_the_command_and_its_pictures(source, table, tmp_path, capsys):
    given = ["batch", "--file", str(source), "--variations", str(table), "--out", str(tmp_path / "out")]
    assert cli.main([*given, "--route", "numpy", "--pictures"]) == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert "3 of 3 complete" in said.out
    assert "2 of 3, " in said.err
    for name in ("soft", "heavy", "as_it_is"):
        picture = (tmp_path / "out" / f"shot_{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG")
    assert (tmp_path / "out" / "sheet.svg").read_text().count("data:image/png") == 3
    assert cli.main([*given, "--frames", "5", "5"]) == 2
