# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the zips of `make extension`, without starting Blender."""

from __future__ import annotations

import ast
import hashlib
import re
import tomllib
import zipfile

import blenders
import pytest
from tools.extension import targets, wheelhouse

TARGETS = [None, *targets.of_this_machine()]


@pytest.fixture(params=TARGETS, ids=lambda target: target.name if target else "slim")
def target(request):
    return request.param


@pytest.fixture
def zipped(target):
    with zipfile.ZipFile(blenders.built_zip(f"full-{target.name}" if target else "slim")) as archive:
        yield archive


def test_the_zip_holds_the_sources_of_today(zipped):
    """Every module of the add-on and the engine, byte for byte: an old zip must not pass for a new one."""
    for package, inside in (("addon/redmax_blender", ""), ("engine/redmax", "redmax/")):
        folder = blenders.ROOT / package
        sources = {inside + path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}
        assert sources
        for name, path in sources.items():
            assert zipped.read(name) == path.read_bytes(), f"{name} differs; run `make extension`"


def test_nothing_but_the_extension_is_in_it(zipped, target):
    for name in zipped.namelist():
        assert not name.startswith((".", "/", "tests/", "engine/")), name
        assert "__pycache__" not in name, name
        guide = name.startswith("docs/") and name.endswith((".md", ".png"))
        assert guide or name.endswith((".py", ".json", ".toml", "py.typed", "LICENSE", ".whl")), name
        assert name.endswith(".whl") == name.startswith("wheels/"), name
    if target is None:
        assert not any(name.startswith("wheels/") for name in zipped.namelist())


def test_the_guides_are_in_it_with_their_pictures(zipped):
    names = set(zipped.namelist())
    assert "docs/interface.md" in names
    for name in names:
        if name.startswith("docs/") and name.endswith(".md"):
            pictures = re.findall(r"\(images/([\w.]+)\)", zipped.read(name).decode())
            assert {f"docs/images/{picture}" for picture in pictures} <= names, name


def test_the_wheels_are_those_of_the_lock(zipped, target):
    manifest = tomllib.loads(zipped.read("blender_manifest.toml").decode())
    if target is None:
        assert "wheels" not in manifest
        assert "platforms" not in manifest
        return
    assert manifest["platforms"] == [target.platform]
    packages = wheelhouse.read_lock(blenders.ROOT / "wheels.lock")
    assert len(manifest["wheels"]) == len(packages)
    for package, wheel in zip(packages, manifest["wheels"], strict=True):
        assert wheel.startswith(f"./wheels/{package.name}-{package.version}-")
        assert hashlib.sha256(zipped.read(wheel.removeprefix("./"))).hexdigest() in package.hashes


def test_no_module_imports_its_own_packages_by_an_absolute_name(zipped):
    """`import redmax` works in a checkout and fails in Blender, where the engine has another name.

    The one exception is the door, which names the engine for type-checkers only.
    """
    for name in zipped.namelist():
        if not name.endswith(".py") or name == "_engine.py":
            continue
        for node in ast.walk(ast.parse(zipped.read(name), name)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module]
            for module in modules:
                assert module.split(".")[0] not in ("redmax", "redmax_blender"), f"{name}:{node.lineno}"


def test_equal_sources_give_equal_zips(zipped):
    """Fixed order, dates and rights; nothing of the machine that built it."""
    entries = zipped.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr for entry in entries} == {0o100644 << 16}
