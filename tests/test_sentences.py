# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences are made of data and never read back: regular expressions read names, versions and paths only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {"engine": ROOT / "engine" / "redmax", "addon": ROOT / "addon" / "redmax_blender"}

READ = {
    "engine/files.py": "names of files that an interrupted write left",
    "engine/kernels/route.py": "versions of wheels",
    "engine/kernels/cache/cache_folder.py": "names of folders",
    "engine/kernels/cache/machine_code.py": "symbols of compiled code",
    "engine/kernels/cache/plain_types.py": "numpy's names of types",
    "engine/symbolic/grammar.py": "words of formulas that people write",
    "addon/batch.py": "letters of names that cannot be in names of files",
    "addon/wheels.py": "versions of wheels",
    "addon/bridge/core/cache_index.py": "names of files",
    "addon/bridge/results/cache_places.py": "names of files",
    "addon/bridge/authoring/tracks.py": "numbers in names, by which empties are put in order",
    "addon/bridge/objects/old_paths.py": "RNA paths and expressions of drivers",
    "addon/properties/coordinate_names.py": "names of coordinates, such as rx and angle2",
    "addon/ui/text_lines.py": "names in quotation marks, which are shortened to fit a row and mean nothing here",
}
"""Files that may use regular expressions, and what they read with them."""


def uses_re(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = (node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return any(
        alias.name == "re" if isinstance(node, ast.Import) else node.module == "re"
        for node in imported
        for alias in node.names
    )


@pytest.mark.parametrize("part", SOURCES)
def test_regular_expressions_read_no_sentences(part):
    source = SOURCES[part]
    found = {f"{part}/{path.relative_to(source).as_posix()}" for path in source.rglob("*.py") if uses_re(path)}
    assert found == {name for name in READ if name.startswith(f"{part}/")}


WORDS = ("what", "hint", "message", "text", "reason", "advice", "note", "remark")
"""Attributes that hold sentences."""

READING = ("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "replace")


def read_sentences(path: Path) -> list[str]:
    """Where a sentence is searched or cut: `problem.what.startswith(...)`, `"..." in problem.what`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        read: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READING:
            read = node.func.value
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            constant = isinstance(node.left, (ast.Constant, ast.JoinedStr))
            read = node.comparators[0] if constant else None
        if isinstance(read, ast.Attribute) and read.attr in WORDS:
            found.append(f"{path.name}:{read.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("part", SOURCES)
def test_no_sentence_is_searched_or_cut(part):
    assert [each for path in sorted(SOURCES[part].rglob("*.py")) for each in read_sentences(path)] == []


def test_a_planted_reader_is_seen(tmp_path):
    path = tmp_path / "reader.py"
    path.write_text("import re\nif 'cycle' in problem.what: problem.hint.removeprefix('give ')\n", encoding="utf-8")
    assert uses_re(path)
    assert len(read_sentences(path)) == 2
