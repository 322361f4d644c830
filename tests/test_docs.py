# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents that must not drift from the code."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.extension import targets

from redmax import io

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = [path for path in DOCUMENTS if not path.name.startswith("adding_")]  # those name files yet to be written


def load_tool(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_made_from_the_registries_are_up_to_date():
    tool = load_tool("docs_tables")
    texts = [document.read_text(encoding="utf-8") for document in tool.DOCUMENTS]
    for text in texts:
        assert tool.updated(text) == text, "run: .venv/bin/python tools/docs_tables.py"
    for begin in tool.generated():
        assert sum(begin in text for text in texts) == 1, begin
    marked = {mark for text in texts for mark in re.findall(r"<!-- (?:table|count): [\w ]+ -->", text)}
    assert marked == set(tool.generated())


def test_the_example_of_the_scene_format_is_a_sound_scene():
    text = (ROOT / "docs" / "scene-format.md").read_text(encoding="utf-8")
    example = re.search(r"```json\n(.*?)```", text, re.DOTALL).group(1)
    json.loads(example)
    assert io.loads(example).joints[0].name == "Pin"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_files_named_in_documents_exist(path):
    """`module.py` or `folder/module.py` in a document is a file of the add-on, the engine, the tests or the tools."""
    places = ("addon", "engine", "tests", "tools", "benchmarks")
    known = {file.relative_to(ROOT).as_posix() for place in places for file in (ROOT / place).rglob("*.py")}
    for name in re.findall(r"`([\w/]+\.py)`", path.read_text(encoding="utf-8")):
        assert any(file == name or file.endswith("/" + name) for file in known), name


def test_the_readme_installs_from_a_zip_and_names_every_one():
    """An artist does not run make."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    install = text[text.index("## Install") : text.index("## Sixty seconds")]
    assert "make" not in re.findall(r"\w+", install)
    named = re.findall(r"`(full-[\w-]+|slim)`", install)
    assert set(named) == {"slim", *(f"full-{target.name}" for target in targets.TARGETS)}


def test_the_changelog_has_dated_entries_below_what_is_unreleased():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles[0] == "Unreleased"
    assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", title) for title in titles[1:])
    assert titles[1:] == sorted(titles[1:], reverse=True)


README_PYTHON = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("program", README_PYTHON, ids=["built", "loaded"])
def test_the_python_of_the_readme_runs(program):
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("complete")


def test_the_readme_builds_a_scene_in_ten_lines():
    """Imports and all, up to the model."""
    lines = [line for line in README_PYTHON[0].splitlines() if line]
    assert next(number for number, line in enumerate(lines, 1) if "Scene(" in line) <= 10
