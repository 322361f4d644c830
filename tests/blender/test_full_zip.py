# SPDX-License-Identifier: GPL-3.0-or-later
"""The slim zip says once that the full zip is faster, which one that is, and never again."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from recording_layout import RecordingLayout

from redmax_blender.properties import full_zip
from redmax_blender.ui import sidebar, solver_rows

sys.path.append(str(Path(__file__).parents[2]))
from tools.extension import targets


@pytest.fixture(autouse=True)
def _asked_anew():
    full_zip.wanted.cache_clear()
    yield
    full_zip.wanted.cache_clear()
    bpy.context.window_manager.redmax.property_unset("full_zip_told")


def said():
    layout = RecordingLayout()
    sidebar.REDMAX_PT_simulate.draw(SimpleNamespace(layout=layout), bpy.context)
    return " ".join(layout.texts()), layout.operators()


def test_the_zips_it_knows_are_those_that_are_built():
    assert set(full_zip.BUILT) == {target.name for target in targets.TARGETS}


def test_panel_3_names_the_full_zip_of_this_blender_until_it_is_read():
    if not targets.of_this_machine():
        pytest.skip("no full zip is made for this machine")
    text, operators = said()
    assert "10 to 100 times faster" in text
    layout = RecordingLayout()
    solver_rows.REDMAX_PT_full_zip.draw(SimpleNamespace(layout=layout), bpy.context)
    assert full_zip.wanted() in layout.texts(), "behind the line of panel 3, which has no room for it"
    (own,) = (target for target in targets.of_this_machine() if target.python == sys.version_info[:2])
    assert full_zip.wanted().endswith(f"-full-{own.name}.zip")
    assert "redmax.full_zip_told" in operators
    assert bpy.ops.redmax.full_zip_told() == {"FINISHED"}
    assert "times faster" not in said()[0]


def test_it_is_remembered_in_the_preferences_of_the_add_on(monkeypatch):
    kept = SimpleNamespace(full_zip_told=False)
    monkeypatch.setattr(full_zip, "preferences", lambda _context: kept)
    assert not full_zip.told(bpy.context)
    assert bpy.ops.redmax.full_zip_told() == {"FINISHED"}
    assert kept.full_zip_told
    bpy.context.window_manager.redmax.full_zip_told = False  # as in the next session
    assert full_zip.told(bpy.context)


@pytest.mark.parametrize(("found", "machine"), [("0.62.1", "x86_64"), (None, "riscv64")])
def test_nothing_is_said_where_it_is_installed_or_not_made(monkeypatch, found, machine):
    monkeypatch.setattr(full_zip.route, "found", lambda _package: found)
    monkeypatch.setattr(full_zip.platform, "machine", lambda: machine)
    assert full_zip.wanted() == ""
    assert "times faster" not in said()[0]
