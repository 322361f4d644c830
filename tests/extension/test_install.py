# SPDX-License-Identifier: GPL-3.0-or-later
"""The built zips in clean profiles of real Blenders."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import blenders
import pytest
from tools.extension import wheelhouse

HERE = Path(__file__).parent
WHEELS = [package.name for package in wheelhouse.read_lock(blenders.ROOT / "wheels.lock")]


def last_json(printed: str):
    return json.loads(printed.strip().splitlines()[-1])


@pytest.fixture
def profile(installed_blender, blender, kind):
    return installed_blender(blender, kind)


@functools.cache
def facts_of(profile):
    return last_json(profile.run(HERE / "facts.py", blenders.MODULE, *WHEELS))


@pytest.fixture
def facts(profile):
    return facts_of(profile)


def test_everything_comes_from_the_installed_zip(profile, facts):
    folder = profile.folder / "extensions" / "user_default" / "redmax_blender"
    assert facts["extension"] == str(folder / "__init__.py")
    assert facts["engine"] == str(folder / "redmax" / "__init__.py")
    assert facts["engine door"] == f"{blenders.MODULE}.redmax"
    assert facts["engine version"] == blenders.MANIFEST["version"]
    assert facts["top-level redmax"] is None
    assert not facts["online"]


def test_wheels_are_there_only_with_the_full_zip(profile, kind, facts):
    wheels = profile.folder / "extensions" / ".local" / "lib"
    assert {"scipy", "numba", "llvmlite", "daqp", "coacd"} <= facts["wheels"].keys()
    if kind == "slim":
        assert set(facts["wheels"].values()) == {None}
        assert not wheels.exists()
    else:
        assert all(Path(place).is_relative_to(wheels) for place in facts["wheels"].values())
    assert facts["wheel problems"] == []


def test_the_import_path_is_as_blender_made_it(profile, blender, kind, facts, tmp_path):
    """An empty profile of the same Blender, and Blender's own folder of wheels: nothing else."""
    empty = blenders.new_profile(blender, tmp_path / "profile")
    script = tmp_path / "path.py"
    script.write_text("import json, sys\nimport bpy\nprint(json.dumps(sys.path))\n")
    plain = {entry.replace(str(empty.folder), "PROFILE") for entry in last_json(empty.python(script))}
    found = {entry.replace(str(profile.folder), "PROFILE") for entry in facts["import path"]} - {str(HERE)}
    allowed = {"PROFILE/extensions/.local/lib/python{}.{}/site-packages".format(*blenders.PYTHONS[blender])}
    assert found - plain <= (allowed if kind == "full" else set())


def test_enabling_and_disabling_leaves_nothing_behind(profile):
    first, second = last_json(profile.python(HERE / "walk.py", blenders.MODULE, timeout=120))
    # What an enabled extension is known by; without these an empty difference would prove nothing.
    properties = first["enabled"]["properties"]
    for owner in ("Object", "PoseBone", "Scene", "WindowManager"):
        assert f"+ {owner}.redmax" in properties
    assert any(name.startswith("+ REDMAX_") for name in first["enabled"]["classes"])
    assert first["enabled"] == second["enabled"]
    for step in (first, second):
        # Blender itself adds its folder of wheels to the import path.
        left = {what: [x for x in names if "/extensions/.local/" not in x] for what, names in step["disabled"].items()}
        assert {what: names for what, names in left.items() if names} == {}


def test_a_full_zip_of_another_python_is_refused_by_name(blender, tmp_path):
    others = [v for v, python in blenders.PYTHONS.items() if python != blenders.PYTHONS[blender]]
    if "full" not in blenders.kinds():
        pytest.skip("no full zips for this machine")
    profile = blenders.new_profile(blender, tmp_path / "profile")
    with pytest.raises(AssertionError, match=r"This Blender version \(.*(minimum|maximum)"):
        profile.python(HERE / "install.py", blenders.zip_for(others[-1], "full"), blenders.MODULE)
