# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches: every variation has its result, interrupted or not, and the same one wherever it was simulated."""

from __future__ import annotations

import csv
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.integrators.pendulums import hinge, link
from redmax import io, trajectory
from redmax.__main__ import main
from redmax.batch import (
    LocalProcesses,
    ResultFolder,
    Settings,
    TableError,
    ThisProcess,
    loads_csv,
    run_batch,
    schedulers,
)
from redmax.batch.work import Task, simulated
from redmax.compile import compile as compile_scene
from redmax.scene import Scene
from redmax.simulate import record, simulate


def chain_scene(count: int) -> Scene:
    """Links on hinges, all at angles."""
    hinges = [replace(hinge(k, q=0.3 + 0.2 * k), name=f"j{k}") for k in range(count)]
    return Scene(name="Chain", bodies=[link(f"Link {k}") for k in range(count)], joints=hinges)


SETTINGS = Settings(duration=0.5)
TEXT = "name,joints.j0.damping,gravity[2] (times)\n" + "".join(f"v{k},{0.01 * k},{1 + 0.1 * k}\n" for k in range(6))


def run(folder, scheduler=None, text=TEXT, settings=SETTINGS):
    return run_batch(
        chain_scene(3), loads_csv(text), ResultFolder(folder), settings=settings, scheduler=scheduler or ThisProcess()
    )


def content(folder):
    """Every file of a folder but its table, and the table's rows."""
    results = {path.name: path.read_bytes() for path in sorted((folder / "results").iterdir())}
    with (folder / "table.csv").open(newline="") as stream:
        return results, list(csv.reader(stream))


def test_results_are_those_of_the_varied_scenes(tmp_path):
    batch = run(tmp_path)
    assert (len(batch.records), batch.skipped, batch.failed, batch.lost) == (6, 0, [], {})
    variations = loads_csv(TEXT)
    with (tmp_path / "table.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row, variation, key in zip(rows, variations.rows, batch.keys, strict=True):
        model = compile_scene(variations.scene(chain_scene(3), variation))
        expected = record(model, simulate(model, duration=0.5))
        found = trajectory.load(tmp_path / "results" / f"{key}.npz")
        assert found.q.tobytes() == expected.q.tobytes()
        assert row["name"] == variation.name
        assert float(row["joints.j0.damping"]) == variation.values[0]
        assert float(row["loss"]) == expected.channels["loss"][-1]
        last = expected.body_names[-1]
        assert [float(row[f"end.{last}.{axis}"]) for axis in "xyz"] == expected.position[-1, -1].tolist()
        speed = np.linalg.norm(expected.channels["twist"][..., 3:], axis=-1).max()
        assert float(row["peak_speed"]) == speed


def test_a_second_run_simulates_nothing_and_changes_nothing(tmp_path, monkeypatch):
    run(tmp_path)
    before = content(tmp_path)
    monkeypatch.setattr(schedulers, "simulated", None)
    assert run(tmp_path).skipped == 6
    assert content(tmp_path) == before


class Interrupted:
    """Ends like Ctrl+C after some results."""

    def __init__(self, after: int) -> None:
        self.after = after

    def results(self, tasks) -> Iterator:
        for count, task in enumerate(tasks):
            if count == self.after:
                raise KeyboardInterrupt
            yield task, simulated(task)


@pytest.mark.parametrize("after", range(6))
def test_interrupted_anywhere_and_resumed_gives_the_same(tmp_path, after):
    run(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", Interrupted(after))
    assert sum(name.endswith(".npz") for name in content(tmp_path / "parts")[0]) == after
    assert run(tmp_path / "parts").skipped == after
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_partial_files_never_count(tmp_path):
    batch = run(tmp_path)
    before = content(tmp_path)
    first, second, third, fourth = (tmp_path / "results" / f"{key}.json" for key in batch.keys[:4])
    first.write_text(first.read_text()[:-40])  # cut off
    second.unlink()
    third.with_suffix(".npz").unlink()
    fourth.write_text(json.dumps({"key": "another", "status": "complete"}))
    assert run(tmp_path).skipped == 2
    assert content(tmp_path) == before


def test_another_order_or_a_larger_table_uses_what_is_there(tmp_path):
    run(tmp_path)
    lines = TEXT.splitlines()
    text = "\n".join([lines[0], *reversed(lines[1:]), "new,7,1", "twin,7,1"])
    batch = run(tmp_path, text=text)
    assert batch.skipped == 6
    assert batch.keys[-1] == batch.keys[-2]
    assert len(list((tmp_path / "results").glob("*.npz"))) == 7


def test_other_settings_are_other_results(tmp_path):
    run(tmp_path)
    assert run(tmp_path, settings=Settings(duration=0.5, fps=25.0)).skipped == 0
    assert run(tmp_path, settings=Settings(duration=0.25)).skipped == 0


def test_numbers_alone_are_no_trajectory(tmp_path):
    table_only = Settings(duration=0.5, keep=False)
    run(tmp_path, settings=table_only)
    assert not list((tmp_path / "results").glob("*.npz"))
    assert run(tmp_path, settings=table_only).skipped == 6
    assert run(tmp_path).skipped == 0
    assert run(tmp_path, settings=table_only).skipped == 6


def test_a_failed_variation_is_a_result_and_stops_nothing(tmp_path):
    batch = run(tmp_path, Failing(), "joints.j0.damping\n1\n2\n3\n")
    assert batch.failed == ["2"]
    assert len(batch.records) == 3
    with (tmp_path / "table.csv").open(newline="") as stream:
        assert [row["status"] for row in csv.DictReader(stream)] == ["complete", "failed", "complete"]


class Failing:
    """The second task is broken on its way."""

    def results(self, tasks) -> Iterator:
        for count, task in enumerate(tasks):
            yield task, simulated(Task(task.key, task.scene if count != 1 else "{", task.settings, task.keep))


def test_tables_are_judged_before_anything_is_simulated(tmp_path):
    with pytest.raises(TableError, match="row 2, column 1"):
        run(tmp_path / "none", text="joints.j0.damping\n1\n-1\n")
    assert not (tmp_path / "none").exists()
    with pytest.raises(TableError, match="row 1: joint 'j0'"):
        run(tmp_path / "none", text="joints.j0.lower,joints.j0.upper\n1,-1\n")


def test_hostile_names_stay_text_in_the_table(tmp_path):
    run(tmp_path, text='name,joints.j0.damping\n"=HYPERLINK(""http://x"")",1\n../../up,2\n')
    with (tmp_path / "table.csv").open(newline="") as stream:
        names = [row["name"] for row in csv.DictReader(stream)]
    assert names == ['\'=HYPERLINK("http://x")', "../../up"]
    assert sorted(path.name for path in tmp_path.iterdir()) in (
        ["results", "table.csv"],
        ["results", "table.csv", "table.parquet"],
    )


def test_parquet_holds_the_same_table(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    batch = run(tmp_path)
    found = parquet.read_table(tmp_path / "table.parquet").to_pydict()
    assert found["result"] == list(batch.keys)
    assert found["loss"] == [batch.records[key]["loss"] for key in batch.keys]


def test_processes_give_the_same_files(tmp_path):
    run(tmp_path / "here")
    run(tmp_path / "there", LocalProcesses(2))
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_a_process_that_ends_costs_only_its_own_variation(tmp_path, monkeypatch):
    """The process that gets the marked task kills itself, each time."""
    monkeypatch.setattr(schedulers, "simulated", ends_for_marked)
    scene = chain_scene(3)
    text = TEXT.replace("v3,0.03", "v3,0.12345")
    batch = run_batch(scene, loads_csv(text), ResultFolder(tmp_path), settings=SETTINGS, scheduler=LocalProcesses(2))
    assert list(batch.lost) == ["v3"]
    assert len(batch.records) == 5
    monkeypatch.undo()
    assert (
        run_batch(scene, loads_csv(text), ResultFolder(tmp_path), settings=SETTINGS, scheduler=ThisProcess()).skipped
        == 5
    )


def ends_for_marked(task: Task):
    if "0.12345" in task.scene:
        os.kill(os.getpid(), signal.SIGKILL)
    return simulated(task)


def test_the_command(tmp_path, capsys):
    scene, table = tmp_path / "scene.json", tmp_path / "table.csv"
    io.save(chain_scene(2), scene)
    table.write_text("joints.j0.damping\n1\n2\n")
    command = ["batch", str(scene), str(table), "--out", str(tmp_path / "out"), "--duration", "0.2", "--jobs", "1"]
    assert main(command) == 0
    assert "2 of 2 variations simulated" in capsys.readouterr().out
    assert main(command) == 0
    assert "0 of 2 variations simulated" in capsys.readouterr().out
    table.write_text("joints.j7.damping\n1\n")
    assert main(command) == 1
    assert "column 1: 'joints.j7.damping': there is no such joint" in capsys.readouterr().out
