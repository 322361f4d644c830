# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers of docs/architecture.md: every import points downwards, and nothing knows Blender."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine" / "redmax"

# What each part of the engine may import, besides itself and what its dependencies may import.
ALLOWED: dict[str, set[str]] = {
    "arrays": set(),
    "crossings": set(),
    "errors": set(),
    "files": set(),
    "npz": {"files"},
    "fields": {"arrays", "errors"},
    "registry": {"fields"},
    "tables": {"arrays", "fields"},
    "spatial": {"arrays", "errors"},
    "geometry": {"spatial", "errors", "registry"},
    "tracks": {"spatial", "fields", "errors"},
    "symbolic": {"spatial", "fields", "errors"},
    "joints": {"spatial", "registry", "tables", "tracks", "symbolic"},
    "forces": {"spatial", "registry", "tables"},
    "constraints": {"spatial", "registry", "tables", "joints"},
    "state": {"arrays"},
    "strands": {"arrays", "fields"},
    "surfaces": {"spatial", "fields", "registry", "geometry"},
    "drives": {"constraints"},
    "scene": {"joints", "forces", "constraints", "geometry", "strands", "drives", "tracks", "surfaces"},
    "expand": {"scene"},
    "topology": set(),
    "check": {"scene", "topology", "errors"},
    "io": {"check", "files"},
    "model": {"joints", "forces", "constraints", "strands", "drives", "state", "surfaces"},
    "compile_surfaces": {"model", "surfaces"},
    "compile": {"check", "expand", "model", "dynamics", "compile_surfaces"},
    "trajectory": {"arrays", "errors", "npz", "spatial"},
    "solvers": {"model"},
    "dynamics": {"model", "solvers", "errors"},
    "vectorised": {"dynamics"},
    "reference": {"dynamics"},
    "kernels": {"model", "errors", "crossings", "solvers"},
    "fast": {"vectorised", "kernels"},
    "outcome": {"errors"},
    "integrators": {"dynamics", "reference", "solvers", "fast", "crossings", "outcome"},
    "energy_books": {"integrators", "outcome"},
    "singular_poses": {"integrators", "outcome"},
    "motor_stalls": {"dynamics", "outcome"},
    "shared_loads": {"fast", "outcome"},
    "simulate": {"energy_books", "singular_poses", "motor_stalls", "shared_loads", "trajectory", "__init__"},
    "plot_svg": {"arrays"},
    "examples": {"scene"},
    "warm_up": {"io", "compile", "simulate", "examples"},
    "only_one": set(),
    "warm_up_process": {"errors", "kernels"},
    "warm_up_child": set(),  # a program of its own, which is told where the engine lies
    "batch": {"io", "compile", "simulate", "warm_up", "__init__"},
    "cli": {"batch", "io", "compile", "simulate", "plot_svg", "examples", "warm_up", "__init__"},
    "__main__": {"cli", "__init__"},
    "__init__": set(),
}

RUNS_WHAT_IT_READS = {"pickle", "cloudpickle", "marshal", "shelve", "dill", "joblib", "serialize"}
"""Modules that run what they read, by themselves or as part of another (numba.cloudpickle, numba.core.serialize)."""


def closure(part: str) -> set[str]:
    reach, pending = {part}, [part]
    while pending:
        for below in ALLOWED[pending.pop()] - reach:
            reach.add(below)
            pending.append(below)
    return reach


def part_of(path: Path) -> str:
    return path.relative_to(ENGINE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """First-level parts of redmax that a file imports, in any function too."""
    package = list(path.relative_to(ENGINE).parts[:-1])
    parts = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "redmax" for alias in node.names), f"{path}: import relatively"
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level == 0:
            assert (node.module or "").split(".")[0] != "redmax", f"{path}: import relatively"
            continue
        base = package[: len(package) - (node.level - 1)]
        target = base + (node.module.split(".") if node.module else [])
        names = [target[0]] if target else [alias.name for alias in node.names]
        parts |= {name if name in ALLOWED else "__init__" for name in names}
    return parts


FILES = sorted(ENGINE.rglob("*.py"))


def test_the_rules_have_no_cycle():
    for part, below in ALLOWED.items():
        assert all(part not in closure(lower) for lower in below), part


def test_every_part_of_the_engine_has_a_rule():
    assert {part_of(path) for path in FILES} <= set(ALLOWED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ENGINE).as_posix())
def test_imports_point_downwards(path):
    upwards = imported_parts(path) - closure(part_of(path))
    assert not upwards, f"{path.relative_to(ENGINE)} imports {sorted(upwards)}, which lies above it"


def test_integrators_alone_import_the_reference():
    """They offer its formulations by name; everything else must do without code that is written to be read."""
    importing = {part_of(path) for path in FILES if "reference" in imported_parts(path)}
    assert importing == {"reference", "integrators"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ENGINE).as_posix())
def test_engine_knows_neither_blender_nor_unsafe_calls(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names]
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            words = {word for module in modules for word in module.split(".")}
            assert not words & {"bpy", "mathutils", "bmesh", *RUNS_WHAT_IT_READS}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec"}


def needs_numba(path: Path) -> bool:
    """Compiled modules, which only the numba route imports, and only inside functions."""
    text = path.read_text(encoding="utf-8")
    memory = ("memory", "plain_memory", "checked_memory", "plain_types")
    compiler = ("jit", "linked_parts", "machine_code", "same_text", "compiled_tree")
    named = path.stem in memory + compiler or any(f"{module} import" in text for module in ("jit", "same_text"))
    return "kernels" in path.parts and named


def test_import_needs_numpy_alone():
    """The slim zip is numpy only, so no module may need scipy, numba or the like at import."""
    modules = [
        ".".join(("redmax", *path.relative_to(ENGINE).with_suffix("").parts)).removesuffix(".__init__")
        for path in FILES
        if path.name != "__main__.py" and not needs_numba(path)
    ]
    assert "redmax.kernels.route" in modules
    program = (
        "import importlib, sys\n"
        "for name in ('scipy', 'numba', 'daqp', 'sympy', 'matplotlib', 'trimesh', 'mpmath'):\n"
        "    sys.modules[name] = None\n"
        f"for name in {modules!r}:\n"
        "    importlib.import_module(name)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
