# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/equations.md against the engine: what it names exists, and what the engine cites has its row.

A citation is a source key followed by what it points at: `RM19 eq. 17 and 22, Alg. 6 lines 1-3`,
`RBDN sections 1.4-1.5`, `KINDR16 "Box plus" and "Box minus"`. Ranges are expanded, line numbers are ignored.
"""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "engine" / "redmax"
TESTS = ROOT / "tests" / "engine"
DOCUMENT = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")

KEYS = ("RM19", "RBDN", "SG13", "CHRONO16", "KINDR16")
HEADER = ("key", "equation", "what it is", "where", "erratum or remark", "test that would catch it")

Citation = tuple[str, str, str]
"""(key, kind, number), such as ("RM19", "eq", "17"); for headings ("KINDR16", "heading", "Box plus")."""

KINDS = {
    "eq": r"[Ee]qs?\.",
    "alg": r"Algs?\.",
    "section": r"[Ss]ections?",
    "appendix": r"[Aa]ppendi(?:x|ces)",
    "table": r"Tables?",
}
TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<lines>lines? \d+(?:-\d+)?)"
    r"|(?P<kind>" + "|".join(KINDS.values()) + ")"
    r"|(?P<number>\d+(?:\.\d+)*(?:\s?-\s?\d+(?:\.\d+)*)?\b|\b(?:[IVX]+|[A-C])\b)"
    r"|(?P<heading>\"[^\"]+\")"
    r"|(?P<link>,|and\b)"
    r"|(?P<aside>\([^()]*\))"
    r")"
)


class Row(NamedTuple):
    """One row of a table. where: names below `redmax`; tests: `file::function` below tests/engine."""

    line: str
    citations: frozenset[Citation]
    where: tuple[str, ...]
    tests: tuple[str, ...]


def citations(text: str) -> frozenset[Citation]:
    """Everything that `text` cites."""
    text = re.sub(r"\s*\n\s*(?:#\s)?\s*", " ", text)
    found: set[Citation] = set()
    for match in re.finditer(rf"\b({'|'.join(KEYS)})\b", text):
        position, kind, linked = match.end(), None, True
        while token := TOKEN.match(text, position):
            position = token.end()
            if token["kind"]:
                kind = next(name for name, pattern in KINDS.items() if re.fullmatch(pattern, token["kind"]))
                linked = True
            elif token["link"]:
                linked = True
            elif token["number"] or token["heading"]:
                lettered = (token["number"] or "").isalpha()
                if not linked or (token["number"] and (kind is None or (lettered and kind != "appendix"))):
                    break
                if token["number"]:
                    found |= {(match[1], kind, number) for number in expanded(token["number"])}
                else:
                    found.add((match[1], "heading", token["heading"].strip('"')))
                linked = False
    return frozenset(found)


def expanded(number: str) -> list[str]:
    """ "1.4-1.6" is 1.4, 1.5, 1.6."""
    first, _, last = number.replace(" ", "").partition("-")
    if not last:
        return [first]
    prefix, _, low = first.rpartition(".")
    high = last.rpartition(".")[2]
    return [f"{prefix}.{k}" if prefix else str(k) for k in range(int(low), int(high) + 1)]


def test_citations_are_read_as_a_person_would():
    assert citations("Source: RM19 eq. 17 and 22, Alg. 6 lines 1-3.") == {
        ("RM19", "eq", "17"),
        ("RM19", "eq", "22"),
        ("RM19", "alg", "6"),
    }
    assert citations("RBDN eq. 2.30-2.32 (xzx) and 2.36 (xyz). 2 more\n    # SG13 eq. 10 and appendix C.") == {
        *(("RBDN", "eq", number) for number in ("2.30", "2.31", "2.32", "2.36")),
        ("SG13", "eq", "10"),
        ("SG13", "appendix", "C"),
    }
    assert citations('KINDR16 "Box plus" and\n    "Box minus", then CHRONO16 Tables 1 and 2, eqs. 4-5.') == {
        ("KINDR16", "heading", "Box plus"),
        ("KINDR16", "heading", "Box minus"),
        *(("CHRONO16", "table", number) for number in "12"),
        *(("CHRONO16", "eq", number) for number in "45"),
    }
    assert citations("RM19's 12 equations; KINDR16 writes 3") == frozenset()


SOURCES = sorted(ENGINE.rglob("*.py"))


def name_of(path: Path) -> str:
    """Name of a module below redmax."""
    return ".".join(path.relative_to(ENGINE).with_suffix("").parts).removesuffix(".__init__")


TEXTS = {name_of(path): path.read_text(encoding="utf-8") for path in SOURCES}
"""Source of every module, by its name."""


@cache
def rows() -> tuple[Row, ...]:
    table = []
    for line in DOCUMENT.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if cells[0] in KEYS:
            assert len(cells) == len(HEADER), line
            names, tests = re.findall(r"`([\w.]+)`", cells[3]), re.findall(r"`([\w/]+\.py::\w+)`", cells[5])
            table.append(Row(line, citations(f"{cells[0]} {cells[1]}"), tuple(names), tuple(tests)))
    return tuple(table)


def exists(name: str) -> bool:
    """Whether `name` is a module below redmax, or something in one."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        path = ENGINE.joinpath(*parts[:split])
        if path.with_suffix(".py").is_file() or path.is_dir():
            found = importlib.import_module(".".join(["redmax", *parts[:split]]))
            for attribute in parts[split:]:
                if not hasattr(found, attribute):
                    return False
                found = getattr(found, attribute)
            return True
    return False


@cache
def functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_source_has_a_table_with_the_same_columns():
    heads = [line for line in DOCUMENT.splitlines() if line.startswith("| key ")]
    assert [tuple(cell.strip() for cell in head.strip("|").split("|")) for head in heads] == [HEADER] * len(KEYS)
    assert {row.line.split("|")[1].strip() for row in rows()} == set(KEYS)


def test_every_row_cites_and_names_code_and_a_test():
    for row in rows():
        assert row.citations, f"cites nothing: {row.line}"
        assert row.where, f"names no code: {row.line}"
        assert row.tests, f"names no test: {row.line}"


def test_every_named_function_exists():
    """Those of the rows, and whatever else the page names below redmax."""
    parts = "|".join(sorted(path.stem for path in ENGINE.iterdir() if path.stem.isidentifier()))
    elsewhere = re.findall(rf"`((?:{parts})(?:\.\w+)+)`", DOCUMENT)
    named = {name for row in rows() for name in row.where} | {name for name in elsewhere if not name.endswith(".py")}
    missing = sorted(name for name in named if not exists(name))
    assert not missing, f"docs/equations.md names what is not there: {', '.join(missing)}"


def test_every_named_test_exists():
    named = set(re.findall(r"`([\w/]+\.py)::(\w+)`", DOCUMENT))
    missing = sorted(
        f"{file}::{name}" for file, name in named if not (TESTS / file).is_file() or name not in functions(TESTS / file)
    )
    assert not missing, f"docs/equations.md names tests that are not there: {', '.join(missing)}"


def module_of(name: str) -> str:
    """The module that a name of a row lies in; the file of a package's own text is the package."""
    while name not in TEXTS:
        name = name.rpartition(".")[0]
    return name


def test_every_row_is_cited_by_the_code_it_names():
    """From the page to the code: a reader who looks at the function finds the equation there."""
    lost = []
    for row in rows():
        cited = {each for name in row.where for each in citations(TEXTS[module_of(name)])}
        lost += [row.line for each in row.citations if not any(_is_same(other, each) for other in cited)][:1]
    listed = "\n".join(lost)
    assert not lost, f"equations that no docstring of the code beside them cites:\n{listed}"


def _is_same(cited: Citation, listed: Citation) -> bool:
    """Whether code cites what a row lists; a heading may be cut short by three dots in the code."""
    key, kind, what = cited
    if kind == "heading" and what.endswith("..."):
        return listed[:2] == (key, kind) and listed[2].startswith(what.removesuffix("...").strip())
    return cited == listed


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ENGINE).as_posix())
def test_every_citation_in_the_engine_has_a_row_that_names_its_module(path):
    module = name_of(path)
    for citation in sorted(citations(TEXTS[module])):
        about = [row for row in rows() if any(_is_same(citation, listed) for listed in row.citations)]
        said = " ".join(citation)
        assert about, f"'{said}' is cited but has no row in docs/equations.md"
        named = any(name == module or name.startswith(f"{module}.") for row in about for name in row.where)
        assert named, f"no row about '{said}' in docs/equations.md names '{module}'"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ENGINE).as_posix())
def test_no_other_source_key_is_used(path):
    """Such as the key of an older draft: nobody could look it up."""
    pattern = r"\b([A-Z]{2,}\d\d)\b,? (?:[Ee]qs?\.|Algs?\.|[Ss]ections?|[Aa]ppendi|Tables?)"
    unknown = set(re.findall(pattern, path.read_text(encoding="utf-8"))) - set(KEYS)
    assert not unknown, f"unknown source key {', '.join(sorted(unknown))}; use one of {', '.join(KEYS)}"
