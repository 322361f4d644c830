# SPDX-License-Identifier: GPL-3.0-or-later
"""Which code computes, decided once: numba where a tested version is, else plain numpy, and why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redmax.kernels import route

SAY = "from redmax.kernels import route; print(route.name(), '|', route.versions(), '|', route.why_numpy())"


def told(program: str = SAY, *, route_variable: str = "", path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a fresh process says."""
    environment = {key: value for key, value in os.environ.items() if key != route.VARIABLE}
    if route_variable:
        environment[route.VARIABLE] = route_variable
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(path), environment.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)


def fake(folder: Path, package: str, version: str | None, code: str = "") -> Path:
    """A package in front of the installed one."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text(code)
    if version is not None:
        info = folder / f"{package}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    return folder


def test_numba_computes_where_it_is_installed():
    done = told()
    assert done.stdout.split(" | ")[:2] == ["numba", f"numba {route.found('numba')}"], done.stderr
    assert done.stdout.rstrip().endswith("|")


def test_the_variable_asks_for_plain_numpy():
    done = told(route_variable="numpy")
    name, versions, why = done.stdout.strip().split(" | ")
    assert (name, why) == ("numpy", "REDMAX_ROUTE asks for it")
    assert versions.startswith(("numpy 1.", "numpy 2."))


def test_plain_numpy_does_not_load_numba():
    done = told(f"{SAY}; import sys; print('numba' in sys.modules)", route_variable="numpy")
    assert done.stdout.splitlines()[1] == "False", done.stderr


def test_another_word_in_the_variable_is_refused():
    done = told(route_variable="cuda")
    assert "REDMAX_ROUTE is 'cuda'; use numba or numpy, or leave it out" in done.stderr


@pytest.mark.parametrize("package", route.VERSIONS)
@pytest.mark.parametrize("version", ["0.40.0", "0.99.1", None])
def test_a_version_that_was_not_tested_computes_nothing_and_is_named(package, version, tmp_path):
    """Another extension of Blender may have brought it; loading it could already break something."""
    folder = fake(tmp_path, package, version, code="raise SystemError('loaded')")
    name, _, why = told(path=folder).stdout.strip().split(" | ")
    first, below = route.VERSIONS[package]
    assert name == "numpy"
    assert why == f"{package} {version or 'of unknown version'} is not a tested version (>={first},<{below})"


def test_a_numba_that_does_not_load_leaves_plain_numpy_with_the_reason(tmp_path):
    folder = fake(tmp_path, "numba", "0.62.1", code="raise ImportError('Numba needs NumPy 2.3 or less')")
    name, _, why = told(path=folder).stdout.strip().split(" | ")
    assert (name, why) == ("numpy", "numba 0.62.1 does not load (ImportError: Numba needs NumPy 2.3 or less)")


def test_asked_for_and_missing_is_an_error_with_the_wheels_name(tmp_path):
    hide = "import sys; sys.modules['numba'] = None; "
    assert "REDMAX_ROUTE=numba needs the 'numba' wheel" in told(hide + SAY, route_variable="numba").stderr
    folder = fake(tmp_path, "numba", "0.50.0")
    assert (
        "REDMAX_ROUTE is 'numba', but numba 0.50.0 is not a tested" in told(path=folder, route_variable="numba").stderr
    )
