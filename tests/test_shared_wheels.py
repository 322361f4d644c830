# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's check of wheels that other extensions may replace (addon/redmax_blender/wheels.py)."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from tools.extension.wheelhouse import read_lock

from redmax.kernels import route

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheels():
    """The module by itself: its package needs Blender."""
    spec = importlib.util.spec_from_file_location("shared_wheels", ROOT / "addon" / "redmax_blender" / "wheels.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Put a package on the import path: its code, and the version its metadata states."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(code: str = "", version: str | None = "1.5.2") -> Path:
        folder = tmp_path / "spam_wheel"
        folder.mkdir()
        (folder / "__init__.py").write_text(code)
        if version is not None:
            metadata = tmp_path / f"spam_wheel-{version}.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: spam_wheel\nVersion: {version}\n")
        importlib.invalidate_caches()
        return folder

    yield install
    for name in [name for name in sys.modules if name.split(".")[0] == "spam_wheel"]:
        del sys.modules[name]


@pytest.fixture
def spam(wheels):
    return wheels.Wheel(name="spam_wheel", at_least="1.5", below="1.10", purpose="eggs", probe="spam_wheel")


def optional(wheels, wheel):
    return wheels.Wheel(**{**vars(wheel), "optional": True})


def test_what_the_tests_run_with_is_wanted(wheels):
    assert wheels.problems() == []


def test_the_locked_wheels_are_in_the_wanted_range(wheels):
    table = {wheel.name: wheel for wheel in wheels.WHEELS}
    for package in read_lock(ROOT / "wheels.lock"):
        wheel = table[package.name]
        assert wheels._release(wheel.at_least) <= wheels._release(package.version) < wheels._release(wheel.below)


def test_each_blender_ships_a_wanted_numpy(wheels):
    numpy = next(wheel for wheel in wheels.WHEELS if wheel.name == "numpy")
    locks = sorted(ROOT.glob("requirements-blender-*.lock"))
    assert len(locks) == 2
    for lock in locks:
        version = re.search(r"^numpy==(\S+)$", lock.read_text(encoding="utf-8"), re.MULTILINE).group(1)
        assert wheels._release(numpy.at_least) <= wheels._release(version) < wheels._release(numpy.below)


@pytest.mark.parametrize("version", ["1.5", "1.5.0", "1.9.9", "1.9.0rc1"])
def test_a_version_in_range_is_no_problem(wheels, spam, installed, version):
    installed(version=version)
    assert wheels.problems((spam,)) == []


@pytest.mark.parametrize("version", ["1.4.9", "1.10", "1.10.1", "2.0"])
def test_a_version_out_of_range_is_named_with_its_place_and_what_is_wanted(wheels, spam, installed, version):
    folder = installed("raise AssertionError('a wrong version need not be imported')", version=version)
    (problem,) = wheels.problems((spam,))
    assert problem.startswith(f"spam_wheel {version} (from {folder}) is not a version RedMax knows")
    assert "wants spam_wheel >=1.5,<1.10 for eggs" in problem
    assert "disable or update that extension" in problem


@pytest.mark.parametrize(
    "code",
    [
        "raise ImportError('no symbol')",
        "raise RuntimeError('no symbol')",
        "raise ValueError('numpy.dtype size changed')",
        "import no_such_module_at_all",
        "raise OSError()",
    ],
)
def test_a_wheel_that_does_not_load_is_named_with_the_reason(wheels, spam, installed, code):
    folder = installed(code)
    (problem,) = wheels.problems((spam,))
    assert problem.startswith(f"spam_wheel 1.5.2 (from {folder}) does not load: ")
    assert "Error: " in problem


def test_versions_of_the_fast_solver_are_those_the_engine_accepts(wheels):
    table = {wheel.name: (wheel.at_least, wheel.below) for wheel in wheels.WHEELS}
    assert {name: table[name] for name in route.VERSIONS} == route.VERSIONS


def test_a_wrong_version_says_what_happens_until_then(wheels, spam, installed):
    installed(version="2.0")
    (problem,) = wheels.problems((wheels.Wheel(**{**vars(spam), "otherwise": "Until then ham is served"}),))
    assert problem.endswith("then restart Blender. Until then ham is served")


@pytest.mark.parametrize(("version", "wrong"), [("1.6", False), ("2.0", True)])
def test_a_wheel_that_is_slow_to_load_is_judged_by_its_version_alone(wheels, spam, installed, version, wrong):
    installed(version=version, code="raise RuntimeError('loaded')")
    found = wheels.problems((wheels.Wheel(**{**vars(spam), "probe": ""}),))
    assert len(found) == int(wrong)
    assert all(f"spam_wheel {version}" in problem for problem in found)
    assert "spam_wheel" not in sys.modules


def test_compiled_code_inside_the_wheel_is_probed(wheels, spam, installed):
    folder = installed()
    (folder / "core.py").write_text("raise ImportError('built for another Python')")
    probed = wheels.Wheel(**{**vars(spam), "probe": "spam_wheel.core"})
    assert wheels.problems((spam,)) == []
    (problem,) = wheels.problems((probed,))
    assert "does not load: ImportError: built for another Python" in problem


def test_an_absent_wheel_is_a_problem_only_where_it_is_needed(wheels, spam):
    (problem,) = wheels.problems((spam,))
    assert problem.startswith("spam_wheel was not found; RedMax wants spam_wheel >=1.5,<1.10")
    assert wheels.problems((optional(wheels, spam),)) == []


def test_an_optional_wheel_that_is_there_is_checked_alike(wheels, spam, installed):
    installed(version="3.0")
    (problem,) = wheels.problems((optional(wheels, spam),))
    assert "reinstall the full zip of RedMax" in problem


def test_without_metadata_the_module_says_its_version(wheels, spam, installed):
    installed("__version__ = '1.2'", version=None)
    (problem,) = wheels.problems((spam,))
    assert problem.startswith("spam_wheel 1.2 (from ")


def test_a_wheel_that_hides_its_version_is_named(wheels, spam, installed):
    installed(version=None)
    (problem,) = wheels.problems((spam,))
    assert "does not say its version" in problem


def test_a_copy_elsewhere_on_the_path_does_not_answer_for_this_one(wheels, spam, installed, tmp_path, monkeypatch):
    """As when one extension brings a wheel that another place holds in another version."""
    installed(version="1.6")
    behind = tmp_path / "behind"
    (behind / "spam_wheel-9.0.dist-info").mkdir(parents=True)
    (behind / "spam_wheel-9.0.dist-info" / "METADATA").write_text("Name: spam_wheel\nVersion: 9.0\n")
    monkeypatch.setattr(sys, "path", [str(behind), *sys.path])
    assert wheels.problems((spam,)) == []
