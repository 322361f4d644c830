# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates for render farms: what they say fits the published interfaces, and the commands they run exist.

What Open Job Description asks of a template is written out here, so that nothing needs its own model, which takes the
template, too (docs/batches.md says which version).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

FARM = Path(__file__).parents[1] / "docs" / "farm"
FLAMENCO = FARM / "redmax-batch.js"
OPENJD = FARM / "redmax-openjd.json"
CLI = Path(__file__).parents[1] / "addon" / "redmax_blender" / "cli.py"

SETTING_KEYS = {
    "key",
    "type",
    "subtype",
    "choices",
    "propargs",
    "description",
    "default",
    "eval",
    "evalInfo",
    "visible",
}
SETTING_KEYS |= {"required", "editable", "label"}
TYPES = {"string", "int32", "float", "bool"}
SUBTYPES = {"file_path", "dir_path", "file_name", "hashed_file_path"}
VISIBLE = {"visible", "hidden", "submission", "web"}
"""Of AvailableJobSetting in Flamenco's published API."""

OURS = {"--file", "--variations", "--out", "--rows", "--pictures"}


def settings_of(script: str) -> list[dict[str, str]]:
    """The settings of a job type, each as its fields."""
    block = script[script.index("settings: [") : script.index("],\n};")]
    found = []
    for entry in re.findall(r"\{(.*?)\}", block, re.S):
        fields = re.findall(r'(\w+): ("(?:[^"\\]|\\.)*"|true|false|\d+)', entry)
        found.append({name: value.strip('"') for name, value in fields})
    return found


def test_settings_of_the_flamenco_job_type_are_those_of_its_interface():
    script = FLAMENCO.read_text(encoding="utf-8")
    settings = settings_of(script)
    assert [each["key"] for each in settings] == [
        "table",
        "count",
        "chunk_size",
        "output_folder",
        "pictures",
        "blendfile",
    ]
    for each in settings:
        assert set(each) <= SETTING_KEYS
        assert each["type"] in TYPES
        assert each.get("subtype", "file_path") in SUBTYPES
        assert each["visible"] in VISIBLE
    used = set(re.findall(r"settings\.(\w+)", script))
    assert used == {each["key"] for each in settings}, "no setting is unknown or unused"


def test_the_flamenco_script_calls_what_there_is():
    script = FLAMENCO.read_text(encoding="utf-8")
    assert re.search(r"^const JOB_TYPE = \{$", script, re.M)
    assert re.search(r"^function compileJob\(job\) \{$", script, re.M)
    assert set(re.findall(r"author\.(\w+)", script)) == {"Task", "Command"}
    assert set(re.findall(r"\b(?:task|summary|job)\.(\w+)\(", script)) == {"addCommand", "addTask", "addDependency"}
    assert 'author.Command("exec", { exe: "{blender}", args: args })' in script
    assert set(re.findall(r'"(--[\w-]+)"', script)) == OURS | {"--background", "--command"}


STUBS = """
const tasks = [];
const author = {
  Task: (name, type) => ({name, type, commands: [], after: [],
    addCommand(c) { this.commands.push(c); }, addDependency(t) { this.after.push(t.name); }}),
  Command: (name, parameters) => ({name, parameters}),
};
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, which the suite does not")
def test_the_flamenco_script_runs_every_row_once_and_then_the_summary():
    given = '{count: 25, chunk_size: 10, table: "t.csv", output_folder: "out", blendfile: "b.blend", pictures: false}'
    script = FLAMENCO.read_text(encoding="utf-8")
    run = f"compileJob({{settings: {given}, addTask: t => tasks.push(t)}}); console.log(JSON.stringify(tasks));"
    found = subprocess.run(
        ["node", "-e", STUBS + script + run], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    tasks = json.loads(found)
    rows = [task["commands"][0]["parameters"]["args"][-2:] for task in tasks[:-1]]
    assert rows == [["1", "10"], ["11", "20"], ["21", "25"]]
    assert tasks[-1]["after"] == [task["name"] for task in tasks[:-1]]
    assert "--rows" not in tasks[-1]["commands"][0]["parameters"]["args"]
    assert {task["type"] for task in tasks} == {"blender"}


def template() -> dict:
    return json.loads(OPENJD.read_text(encoding="utf-8"))


def test_the_open_job_description_template_is_one():
    made = template()
    assert made["specificationVersion"] == "jobtemplate-2023-09"
    assert set(made) == {"specificationVersion", "name", "parameterDefinitions", "steps"}
    names = {each["name"] for each in made["parameterDefinitions"]}
    for each in made["parameterDefinitions"]:
        assert each["type"] in {"STRING", "PATH", "INT", "FLOAT"}
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", each["name"])
        if each["type"] == "PATH":
            assert each["objectType"] in {"FILE", "DIRECTORY"}
            assert each["dataFlow"] in {"NONE", "IN", "OUT", "INOUT"}
    for step in made["steps"]:
        tasks = {each["name"] for each in step.get("parameterSpace", {}).get("taskParameterDefinitions", ())}
        action = step["script"]["actions"]["onRun"]
        used = re.findall(r"\{\{(\w+(?:\.\w+)*)\}\}", " ".join([action["command"], *action["args"]]))
        assert set(used) <= {f"Param.{name}" for name in names} | {f"Task.Param.{name}" for name in tasks}
    assert [each["dependsOn"] for each in made["steps"][1]["dependencies"]] == ["Variations"]


def test_farms_run_options_that_the_command_has():
    known = CLI.read_text(encoding="utf-8")
    for step in template()["steps"]:
        args = step["script"]["actions"]["onRun"]["args"]
        assert args[:4] == ["--background", "--command", "redmax", "batch"]
        assert {word for word in args[4:] if word.startswith("--")} <= OURS
    for option in OURS:
        assert f'add("{option}"' in known
