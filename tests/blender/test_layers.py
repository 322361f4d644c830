# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers of the add-on: every import points downwards, the engine has one door, and nothing is done that Blender
or a careful user would not want of an extension."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from redmax.joints import JOINTS

ROOT = Path(__file__).parents[2]
ADDON = ROOT / "addon" / "redmax_blender"
ENGINE = ROOT / "engine" / "redmax"

BRIDGE = {"bridge/check/fixes", "bridge/run", "bridge/bake"}
"""The rooms of the bridge that no other room may import: all rooms are below them."""

# What each part of the add-on may import, besides itself and what its dependencies may import.
ALLOWED: dict[str, set[str]] = {
    "_engine": set(),
    "compat": set(),
    "wheels": set(),
    "properties": {"_engine"},
    "bridge": set(),  # the package itself; its rooms follow, what needs no Blender first
    "bridge/core": {"_engine"},
    "bridge/objects": {"bridge/core", "properties", "compat"},
    "bridge/check/findings": {"bridge/objects"},
    "bridge/extract": {"bridge/check/findings"},
    "bridge/results": {"bridge/extract"},
    "bridge/authoring": {"bridge/results"},
    "bridge/check": {"bridge/results"},
    "bridge/check/fixes": {"bridge/check", "bridge/authoring"},
    "bridge/run": {"bridge/check"},
    "bridge/bake": {"bridge/results"},
    "templates": {"bridge/authoring"},
    "ops": {*BRIDGE, "templates"},
    "ui": {"properties", "compat"},
    "preferences": {"bridge/results", "wheels"},  # it shows where results are kept
    "handlers": BRIDGE,
    "overlay": {"bridge/check"},
    "headless": {*BRIDGE, "wheels"},
    "batch": {"headless"},
    "cli": {"headless", "batch"},
    "registration": {"ops", "ui", "overlay", "preferences", "handlers", "cli", "wheels"},
    "__main__": {"headless", "cli", "registration"},
    "__init__": {"registration"},
}

DOOR = "_engine"
"""The one file that knows where the engine lies."""

LOADERS = {"_engine", "wheels"}
"""Parts that may import by a computed name: the door, and the check of shared wheels."""

NETWORK = {"socket", "ssl", "urllib", "http", "requests", "ftplib", "smtplib", "xmlrpc", "asyncio", "aiohttp", "httpx"}
UNSAFE = {"pickle", "marshal", "shelve", "ctypes", "cffi", "subprocess", "multiprocessing", "pip", "ensurepip", "runpy"}
PARTS = sorted(path for path in ADDON.rglob("*.py") if path.relative_to(ADDON).parts[0] != "presets")
"""Presets are values that are never imported; test_presets.py looks at them."""


@pytest.fixture(autouse=True)
def _empty_file():
    """Sources are read here; no scene is touched, so none need be emptied."""


def room(parts: Sequence[str]) -> str:
    """The longest part of the add-on that a dotted name, given by its words, lies in."""
    return next(part for n in range(len(parts), 0, -1) if (part := "/".join(parts[:n])) in ALLOWED)


def part_of(path: Path) -> str:
    return room(path.relative_to(ADDON).with_suffix("").parts)


def closure(part: str) -> set[str]:
    reach, pending = {part}, [part]
    while pending:
        for below in ALLOWED[pending.pop()] - reach:
            reach.add(below)
            pending.append(below)
    return reach


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


text_of = functools.cache(ast.unparse)
"""Several tests ask for the text of the same nodes, which is what takes long."""


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, without what stands under `if TYPE_CHECKING`: those imports never run."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and text_of(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from executed(other)
            continue
        yield child
        yield from executed(child)


def absolute_imports(nodes: Iterable[ast.AST]) -> set[str]:
    """First names of modules that are not imported relatively."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").split(".")[0])
    return names


def imported_parts(path: Path) -> set[str]:
    """First-level parts of the add-on that a file imports, in any function too."""
    package = list(path.relative_to(ADDON).parts[:-1])
    parts: set[str] = set()
    for node in executed(tree_of(path)):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        steps = len(package) - (node.level - 1)
        assert steps >= 0, f"{path}: line {node.lineno} imports from above the add-on"
        target = package[:steps] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            name = [*target, alias.name]
            parts.add(room(name) if name[0] in ALLOWED else "__init__")
    return parts


def of_each_file(rule: Callable[[Path], None]) -> Callable[[str], None]:
    """A test of a rule for every part of the add-on; what it breaks is said with the file."""

    @pytest.mark.parametrize("part", sorted(ALLOWED))
    def test(part: str) -> None:
        for path in PARTS:
            if part_of(path) == part:
                try:
                    rule(path)
                except AssertionError as error:
                    error.add_note(f"in {path.relative_to(ADDON).as_posix()}")
                    raise

    test.__doc__ = rule.__doc__
    return test


def test_the_core_needs_no_blender():
    """What it computes can be used and tested where no Blender is."""
    program = (
        "import importlib, sys\n"
        f"sys.path[:0] = [{str(ADDON.parent)!r}, {str(ENGINE.parent)!r}]\n"
        "for name in ('bpy', 'mathutils', 'bmesh'):\n"
        "    sys.modules[name] = None\n"
        "import types\n"
        "package = sys.modules['redmax_blender'] = types.ModuleType('redmax_blender')\n"
        f"package.__path__ = [{str(ADDON)!r}]\n"  # its own __init__ registers with Blender
        f"for name in {[path.stem for path in sorted((ADDON / 'bridge' / 'core').glob('*.py'))]!r}:\n"
        "    importlib.import_module(f'redmax_blender.bridge.core.{name}')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_rules_have_no_cycle():
    for part, below in ALLOWED.items():
        assert all(part not in closure(lower) for lower in below), part


def test_every_part_has_a_rule_and_every_rule_a_part():
    assert {part_of(path) for path in PARTS} == set(ALLOWED)


@of_each_file
def test_imports_point_downwards(path):
    upwards = imported_parts(path) - closure(part_of(path))
    assert not upwards, f"{path.relative_to(ADDON)} imports {sorted(upwards)}, which its layer may not know"


@of_each_file
def test_imports_of_our_own_are_relative(path):
    """A built extension is `bl_ext.<repository>.redmax_blender`: an absolute name would find another copy or none."""
    nodes = executed(tree_of(path)) if part_of(path) == DOOR else nodes_of(path)
    assert not absolute_imports(nodes) & {"redmax", "redmax_blender", "bl_ext"}


@of_each_file
def test_only_the_door_and_the_wheel_check_import_by_name(path):
    for node in nodes_of(path):
        called = text_of(node.func) if isinstance(node, ast.Call) else ""
        assert called != "__import__"
        assert not called.endswith("import_module") or part_of(path) in LOADERS, f"line {node.lineno}"


@of_each_file
def test_no_unsafe_calls_no_network_no_edited_path(path):
    used = absolute_imports(nodes_of(path)) & (NETWORK | UNSAFE)
    assert not used, f"{path.relative_to(ADDON)} imports {sorted(used)}"
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec"}, f"line {node.lineno}"
        if isinstance(node, ast.Attribute):
            assert text_of(node) not in {"sys.path", "os.system", "os.popen"}, f"line {node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module == "sys":
            assert "path" not in {alias.name for alias in node.names}, f"line {node.lineno}"


@of_each_file
def test_properties_are_declared_with_evaluated_annotations(path):
    """Blender reads `size: FloatProperty()` from the annotation itself, which a postponed one turns into text."""
    postponed = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and "annotations" in {alias.name for alias in node.names}
        for node in tree_of(path).body
    )
    declared = [
        node.lineno
        for node in nodes_of(path)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.annotation, ast.Call)
        and text_of(node.annotation.func).endswith("Property")
    ]
    assert not (postponed and declared), f"properties at lines {declared}"


@of_each_file
def test_versions_are_compared_in_compat_only(path):
    if part_of(path) != "compat":
        text = [text_of(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)]
        assert "bpy.app.version" not in text


@of_each_file
def test_unknown_errors_are_raised_again_or_told_with_all_their_details(path):
    """Only RedMaxError is an answer to the artist; anything else is a defect that must be seen."""
    if part_of(path) == "wheels":  # code of others is tried there, and what it raises listed
        return
    for node in nodes_of(path):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = text_of(node.type) if node.type else "everything"
        if caught in {"everything", "Exception", "BaseException"}:
            told = any(text_of(part) == "unexpected.told" for part in ast.walk(node))
            raised = isinstance(node.body[-1], ast.Raise)
            assert told or raised, f"line {node.lineno}"


def test_the_engine_runs_in_blenders_python_without_blender_and_wheels():
    """Only the compiled kernels need numba, and they name it; nothing else imports them without asking first."""
    modules = [
        ".".join(("redmax", *path.relative_to(ENGINE).with_suffix("").parts)).removesuffix(".__init__")
        for path in sorted(ENGINE.rglob("*.py"))
        if path.name != "__main__.py"
    ]
    program = (
        "import importlib, sys\n"
        f"sys.path.insert(0, {str(ENGINE.parent)!r})\n"
        "for name in ('bpy', 'mathutils', 'bmesh', 'scipy', 'numba', 'sympy'):\n"
        "    sys.modules[name] = None\n"
        f"for name in {modules!r}:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        if not (name.startswith('redmax.kernels.') and error.name in ('numba', 'llvmlite')):\n"
        "            raise\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


KINDS_THAT_ARE_MADE = {
    "properties/joint.py": {"Prismatic", "Revolute"},  # a new joint, and parts of a new composite
    "bridge/authoring/composite_parts.py": {"Revolute"},  # a new part
    "bridge/extract/joints.py": {"Fixed", "FreeTranslationRotation"},  # what holds a body that no joint carries
    "bridge/extract/surfaces.py": {"FreeTranslationEuler"},  # what moves scenery
    "bridge/authoring/surface_contacts.py": {"SurfaceContact"},  # two surfaces that touch
    "bridge/authoring/tracks.py": {"SplineCurve", "SplineSurface"},  # what runs on a new track or sheet
    "bridge/authoring/joint_formulas.py": {"Custom"},  # a preset of formulas
    "bridge/check/fixes/fixes_loops.py": {"Spherical"},  # Make Ball
    # What constraints of Blender's rigid bodies become, and what follows keys.
    "bridge/authoring/rigid_body_joints.py": {
        *("Composite", "Fixed", "Free", "FreeTranslationRotation"),
        *("Prismatic", "Revolute", "Spherical"),
    },
    "bridge/authoring/rigid_bodies.py": {"FreeTranslationRotation"},
}
"""Files that name a kind of joint to make one; so do templates."""


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.relative_to(ADDON).as_posix())
def test_a_kind_of_joint_is_named_only_to_make_one(path):
    """Whatever else is to be known of a joint follows from its motion, so that new kinds need nothing here."""
    name = path.relative_to(ADDON).as_posix()
    if name.startswith("templates/"):
        return
    kinds = {cls.kind for cls in JOINTS}
    classes = {cls.__name__ for cls in JOINTS}
    named = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and node.value in kinds:
            named.add(node.value)
        elif isinstance(node, ast.Attribute) and node.attr in classes:
            named.add(node.attr)
    assert named == KINDS_THAT_ARE_MADE.get(name, set())
