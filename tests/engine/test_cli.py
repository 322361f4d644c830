# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line, as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from redmax.__main__ import main
from redmax.cli import console
from redmax.examples import EXAMPLES

EXAMPLE = Path(__file__).parent / "scenes" / "example.json"


def test_check_of_a_sound_scene(capsys):
    assert main(["check", str(EXAMPLE)]) == 0
    assert "no problems. 3 bodies, 3 joints, 2 degrees of freedom, 1 tree, 0 loops" in capsys.readouterr().out


def test_check_lists_every_problem_in_plain_words(tmp_path, capsys):
    path = tmp_path / "bad.json"
    text = EXAMPLE.read_text(encoding="utf-8")
    path.write_text(text.replace('"radius": 0.1', '"radius": -1').replace('"Boom", "axis"', '"Bom", "axis"'))
    assert main(["check", str(path)]) == 1
    said = capsys.readouterr().out
    assert "2 problems" in said or "3 problems" in said
    assert "body 'Boom', shapes[1]: radius is -1; give a finite number above 0 in m" in said
    assert "did you mean 'Boom'?" in said


def test_check_of_several_files_reports_the_worst(tmp_path, capsys):
    assert main(["check", str(EXAMPLE), str(tmp_path / "none.json")]) == 1
    assert "cannot be read" in capsys.readouterr().out


def test_info_describes_bodies_and_joints(capsys):
    assert main(["info", str(EXAMPLE)]) == 0
    said = capsys.readouterr().out
    for part in ("Scene 'Crane'", "Total mass 287.173 kg", "Attached to the world by 'Base'", "Hinge (revolute)"):
        assert part in said


def test_wrong_usage_exits_with_2():
    with pytest.raises(SystemExit) as caught:
        main(["explode"])
    assert caught.value.code == 2


def test_module_runs_as_a_program():
    command = [sys.executable, "-m", "redmax", "check", str(EXAMPLE)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""


def test_check_says_which_loop_cannot_be_closed(tmp_path, capsys):
    data = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    data["joints"].append({"kind": "revolute", "name": "Close", "parent": None, "child": "Hook"})
    path = tmp_path / "loop.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "2 degrees of freedom before closing loops, 1 tree, 1 loop" in said
    assert "loop joint 'Close' stays off by" in said


def test_info_tells_what_drives_move(capsys):
    assert main(["info", str(EXAMPLES[0].path.parent / "curling_arm.json")]) == 0
    said = capsys.readouterr().out
    assert "14 bodies, 14 joints, 2 degrees of freedom, 5 trees, 0 loops, 13 coordinates moved by drives" in said
    assert "Input 'Curl' of a drive moves 'Bend 1', 'Bend 2'" in said
    assert "Input 'Slide' of a drive moves 'Flap hinge 1', 'Flap hinge 2', 'Flap hinge 3'" in said


def test_info_tells_forces_and_strands_but_not_nodes(capsys):
    examples = EXAMPLES[0].path.parent
    assert main(["info", str(examples / "rope.json")]) == 0
    said = capsys.readouterr().out
    assert "Scene 'Rope': 1 body, 1 joint, 46 degrees of freedom, 1 tree, 0 loops, 1 strand" in said
    assert "Strand 'Rope' of 17 nodes, tied to the world and 'Plank'" in said
    assert "node 3" not in said
    assert "Force" not in said
    assert main(["info", str(examples / "spring_and_cable.json")]) == 0
    said = capsys.readouterr().out
    assert "Force 'Spring' on the world and 'Boom'" in said
    assert "Force 'Air' on 'Weight'" in said


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_names_that_a_terminal_cannot_show_are_written_as_numbers(encoding):
    raw = BytesIO()
    stream = TextIOWrapper(raw, encoding=encoding)
    console.say("Körper 摆 \udcff", stream)
    assert raw.getvalue().decode(encoding).startswith("K")
    assert raw.getvalue().endswith(b"\\udcff\n" if encoding == "utf-8" else b"\\u6446 \\udcff\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise in Windows")
def test_a_reader_that_leaves_early_is_no_error():
    """As in `python -m redmax info scene.json | head -1`: neither at once nor when Python ends."""
    code = "from redmax.cli.console import say\nfor k in range(1000): say(f'{k} ' * 1000)"
    program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout.readline().startswith(b"0 0")
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait(20) == 0
    program.stderr.close()


def test_without_a_stream_nothing_is_written(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    console.say("hello")


@pytest.mark.parametrize("variable", ["REDMAX_ROUTE", "REDMAX_CHECKED"])
def test_a_variable_that_cannot_be_meant_is_one_sentence(variable):
    command = [sys.executable, "-m", "redmax", "warm-up"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, variable: "yes"})
    assert run.returncode == 1
    assert run.stderr.startswith(f"redmax: {variable} is 'yes'; use ")
    assert run.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_that_cannot_be_written_is_one_sentence():
    command = [sys.executable, "-m", "redmax", "examples", "--list"]
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("redmax: ")
    assert "Traceback" not in run.stderr
