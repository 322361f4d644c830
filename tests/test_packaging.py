# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifest, the locks and the tool that builds the extension; the built zips are tests/extension's."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest
from tools.extension import builder, staging, targets, wheelhouse
from tools.extension.errors import BuildError

import redmax

ROOT = Path(__file__).parents[1]
MANIFEST_TEXT = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
MANIFEST = tomllib.loads(MANIFEST_TEXT)
LOCK = ROOT / "wheels.lock"
ADDON = ROOT / "addon" / "redmax_blender"
BLENDER_LOCKS = {"4.5": ("4.5.15", "1.26.4"), "5.2": ("5.2.3", "2.3.4")}
FORBIDDEN_IMPORTS = (
    "sys.path",
    "site",
    "socket",
    "ssl",
    "urllib.request",
    "http.client",
    "requests",
    "pip",
    "ensurepip",
)

linux = targets.Target("linux-x64", (3, 11))


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", lock.read_text(encoding="utf-8"), re.MULTILINE))


def test_extension_engine_and_package_carry_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert MANIFEST["version"] == redmax.__version__ == project["version"]


def test_the_manifest_asks_for_files_only_and_says_why():
    assert list(MANIFEST["permissions"]) == ["files"]
    reason = MANIFEST["permissions"]["files"]
    assert 0 < len(reason) <= 64
    assert not reason.endswith(".")


def test_the_manifest_is_what_the_design_decided():
    assert MANIFEST["schema_version"] == "1.0.0"
    assert (MANIFEST["id"], MANIFEST["type"]) == ("redmax_blender", "add-on")
    assert MANIFEST["tags"] == ["Physics", "Animation", "Rigging"]
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
    assert MANIFEST["blender_version_min"] == "4.5.0"
    assert not {"wheels", "platforms"} & MANIFEST.keys()  # the slim zip has neither; the build adds them


@pytest.mark.parametrize("target", targets.TARGETS, ids=lambda target: target.name)
def test_a_full_manifest_adds_platform_wheels_and_blender_versions_only(target):
    full = tomllib.loads(staging.full_manifest(MANIFEST_TEXT, target, ("a-1-py3-none-any.whl",)))
    added = {"platforms": [target.platform], "wheels": ["./wheels/a-1-py3-none-any.whl"]}
    first, after = {(3, 11): ("4.5.0", "5.1.0"), (3, 13): ("5.1.0", None)}[target.python]
    added |= {"blender_version_min": first} | ({"blender_version_max": after} if after else {})
    assert full == MANIFEST | added


def test_versions_that_disagree_are_refused_by_name(tmp_path):
    engine = tmp_path / "__init__.py"
    engine.write_text('__version__ = "9.9.9"\n')
    with pytest.raises(BuildError, match=r"blender_manifest.toml says version .*9\.9\.9"):
        staging.check_version(MANIFEST_TEXT, engine=engine)


def test_staging_takes_both_packages_and_no_by_products(tmp_path):
    for package in ("addon/redmax_blender", "engine/redmax"):
        (tmp_path / package / "__pycache__").mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text(f'__version__ = "{MANIFEST["version"]}"\n')
        (tmp_path / package / "__pycache__" / "a.pyc").touch()
        (tmp_path / package / ".hidden").touch()
    (tmp_path / "LICENSE").touch()
    (tmp_path / "docs" / "images").mkdir(parents=True)
    for guide in staging.GUIDES:
        (tmp_path / "docs" / guide).write_text("![a panel](images/panel.png)\n")
    for name in ("images/panel.png", "images/unused.png", "architecture.md"):
        (tmp_path / "docs" / name).touch()
    (tmp_path / "blender_manifest.toml").write_text(MANIFEST_TEXT)
    wheel = tmp_path / "a-1-py3-none-any.whl"
    wheel.touch()
    stage = tmp_path / "stage"
    stage.mkdir()
    (stage / "left-over.py").touch()
    staging.stage(stage, root=tmp_path, target=linux, wheels=(wheel,))
    files = {path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file()}
    guides = {f"docs/{name}" for name in (*staging.GUIDES, "images/panel.png")}
    packages = {"__init__.py", "redmax/__init__.py", "LICENSE", "blender_manifest.toml", f"wheels/{wheel.name}"}
    assert files == packages | guides


def test_zips_of_equal_files_are_equal(tmp_path):
    for name, files, year in (("a", "xy", 1999), ("b", "yx", 2020)):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for file in files:
                archive.writestr(zipfile.ZipInfo(file, date_time=(year, 1, 1, 0, 0, 0)), file * 100)
        builder.normalise(tmp_path / f"{name}.zip", tmp_path / f"{name}-even.zip")
    assert (tmp_path / "a-even.zip").read_bytes() == (tmp_path / "b-even.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a-even.zip") as archive:
        assert [archive.read(name) for name in archive.namelist()] == [b"x" * 100, b"y" * 100]


def test_the_lock_names_a_wheel_for_every_target():
    packages = wheelhouse.read_lock(LOCK)
    assert wheelhouse.lock_text(packages) == LOCK.read_text(encoding="utf-8")
    for package in packages:
        assert 1 <= len(package.hashes) <= len(targets.TARGETS)


def test_a_package_without_hashes_is_refused(tmp_path):
    lock = tmp_path / "wheels.lock"
    lock.write_text(LOCK.read_text(encoding="utf-8") + "qpsolver==1.0\n")
    with pytest.raises(BuildError, match="no hashes for qpsolver; run `make wheels-lock`"):
        wheelhouse.wheels_for(linux, lock=lock, cache=tmp_path)


def lock_of(tmp_path: Path, content: bytes) -> tuple[Path, Path]:
    """A lock for one wheel of that content, and the folder where the cache would hold it."""
    wheel = tmp_path / "reference.whl"
    wheel.write_bytes(content)
    package = wheelhouse.Package("a", "1", frozenset({wheelhouse.sha256(wheel)}))
    lock = tmp_path / "wheels.lock"
    lock.write_text(wheelhouse.lock_text((package,)))
    folder = tmp_path / linux.name
    folder.mkdir()
    return lock, folder


def test_a_cached_wheel_is_used_again_only_with_its_hash(tmp_path, monkeypatch):
    lock, folder = lock_of(tmp_path, b"sound")
    wheel = folder / "a-1-py3-none-any.whl"
    asked = []

    def download(_target, _what, _folder):
        asked.append(wheel.name)
        wheel.write_bytes(b"sound")

    monkeypatch.setattr(wheelhouse, "_download", download)
    wheel.write_bytes(b"sound")
    assert wheelhouse.wheels_for(linux, lock=lock, cache=tmp_path) == (wheel,)
    assert asked == []
    wheel.write_bytes(b"tampered")
    assert wheelhouse.wheels_for(linux, lock=lock, cache=tmp_path) == (wheel,)
    assert asked == [wheel.name]
    assert wheel.read_bytes() == b"sound"


def test_a_download_that_gives_other_wheels_is_refused_and_not_kept(tmp_path, monkeypatch):
    lock, folder = lock_of(tmp_path, b"sound")
    monkeypatch.setattr(wheelhouse, "_download", lambda *_: (folder / "a-1-py3-none-any.whl").write_bytes(b"other"))
    with pytest.raises(BuildError, match=r"pip gave other wheels than wheels\.lock lists"):
        wheelhouse.wheels_for(linux, lock=lock, cache=tmp_path)
    assert not folder.exists()


def test_without_a_network_the_message_says_so(tmp_path, monkeypatch):
    lock, _ = lock_of(tmp_path, b"sound")
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr="WARNING: retrying\nERROR: no route\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(BuildError, match=r"needs the package index \(a network\) once(?s:.*)\n  ERROR: no route$"):
        wheelhouse.wheels_for(linux, lock=lock, cache=tmp_path)


@pytest.mark.parametrize("version", BLENDER_LOCKS)
def test_blender_environments_are_as_blender_ships_and_without_our_wheels(version):
    pinned = pins(ROOT / f"requirements-blender-{version}.lock")
    assert (pinned["bpy"], pinned["numpy"]) == BLENDER_LOCKS[version]
    assert not {package.name for package in wheelhouse.read_lock(LOCK)} & pinned.keys()


def test_the_full_zips_carry_what_the_tests_of_the_engine_run_with():
    pinned = pins(ROOT / "requirements-dev.lock")
    for package in wheelhouse.read_lock(LOCK):
        assert pinned[package.name] == package.version


def test_type_stubs_of_blender_are_never_imported_for_blender():
    """`import bpy` fails here, instead of giving an empty module that hides a test run in the wrong environment."""
    assert "fake-bpy-module-5.2" in pins(ROOT / "requirements-dev.lock")
    assert importlib.util.find_spec("bpy") is None


@pytest.mark.parametrize("path", sorted(ADDON.rglob("*.py")), ids=lambda path: path.relative_to(ADDON).as_posix())
def test_the_add_on_neither_edits_the_import_path_nor_reaches_out(path):
    """No sys.path edits, no network, no pip at run time: what Blender's extension platform forbids."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), path.name)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            assert node.attr not in ("path", "meta_path", "path_hooks"), f"line {node.lineno}"
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        forbidden = {
            "sys.path",
            "socket",
            "ssl",
            "urllib.request",
            "http.client",
            "requests",
            "pip",
            "ensurepip",
            "site",
        }
        for name in names:
            assert not any(name == module or name.startswith(f"{module}.") for module in forbidden), (
                f"line {node.lineno}"
            )


def test_make_help_names_every_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*?[^\\])$", makefile, re.MULTILINE | re.DOTALL).group(1)
    shown = set(re.findall(r'@echo "make ([\w-]+)', makefile))
    assert shown >= {word for word in phony.split() if re.fullmatch(r"[a-z-]+", word)} - {"help"}
