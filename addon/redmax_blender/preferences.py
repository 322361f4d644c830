# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences > Extensions > RedMax: what the engine runs on here, where results are kept, and help."""

import functools
import platform
import sys
import textwrap
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from . import wheels
from ._engine import package
from .bridge.results import cache_usage, preparation

if TYPE_CHECKING:
    from .registration import Ledger

UNPREPARED = "Not prepared yet: it is, once for this computer, as soon as there is a mechanism, or Warm Up does"

LINE = 80
"""Letters in a line of a long sentence; the preferences window has room for that."""


class Facts(NamedTuple):
    """What was found when the add-on was registered; draw() only shows it."""

    versions: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]


@functools.cache
def facts() -> Facts:
    problems = wheels.problems()  # loads most wheels that fit, so that the versions below are those in use
    versions = [
        ("Engine", f"RedMax {package.__version__}"),
        ("Python", platform.python_version()),
    ]
    for wheel in wheels.WHEELS:
        versions.append((wheel.name, _version(wheel.name) or f"not installed; used for {wheel.purpose}"))
    return Facts(tuple(versions), tuple(problems))


def _version(name: str) -> str | None:
    """The version in use, or that of a wheel which is there but was left alone; None where there is none."""
    loaded = getattr(sys.modules.get(name), "__version__", None)
    if loaded is not None:
        return str(loaded)
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


class REDMAX_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    full_zip_told: bpy.props.BoolProperty(
        name="Full Zip Told",
        description="Panel 3 does not say any more that the full zip is faster",
        options={"HIDDEN"},
    )

    def draw(self, _context: Any) -> None:
        layout = self.layout
        column = layout.column(align=True)
        for label, text in facts().versions:
            _draw_fact(column, label, text)
        _draw_solver(layout)
        _draw_results(layout)
        _draw_guides(layout)
        for problem in facts().problems:
            column = layout.column(align=True)
            for number, line in enumerate(textwrap.wrap(problem, LINE)):
                column.label(text=line, icon="BLANK1" if number else "ERROR")


def _draw_solver(layout: bpy.types.UILayout) -> None:
    """What computes, what is kept of it, and the buttons for that."""
    solver, running = preparation.solver(), preparation.current()
    column = layout.column(align=True)
    lines = [solver.name]
    if running is not None:
        lines.append(preparation.text(running.part))
    elif solver.compiled:
        lines.append(f"Ready, {solver.size / 1e6:.1f} MB on disk" if solver.ready else UNPREPARED)
    lines += textwrap.wrap(solver.note[:1].upper() + solver.note[1:], LINE)
    for number, line in enumerate(lines):
        _draw_fact(column, "" if number else "Solver", line)
    if solver.compiled:
        buttons = _beside_labels(layout)
        buttons.operator("redmax.warm_up", icon="FILE_REFRESH")
        buttons.operator("redmax.clear_kernels", icon="TRASH")


def _draw_results(layout: bpy.types.UILayout) -> None:
    """Where results are kept, how much they take, and the button that deletes them."""
    found = cache_usage.usage()
    column = layout.column(align=True)
    files = f"{found.files} file{'s' * (found.files != 1)}, {_shown_size(found.size)}"
    _draw_fact(column, "Results", files if found.files else "None yet")
    _draw_fact(column, "", found.where)
    row = _beside_labels(layout)
    row.operator("redmax.clear_results", icon="TRASH")


def _shown_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size // 1000, 1)} kB"


def _draw_guides(layout: bpy.types.UILayout) -> None:
    _draw_fact(layout.column(align=True), "Help", "How to build, check, simulate and bake mechanisms")
    _beside_labels(layout).operator("redmax.open_documentation", icon="HELP")


def _beside_labels(layout: bpy.types.UILayout) -> bpy.types.UILayout:
    """A row of buttons below the texts."""
    split = layout.split(factor=0.2)
    split.label(text="")
    row: bpy.types.UILayout = split.row()
    return row


def _draw_fact(layout: bpy.types.UILayout, label: str, text: str) -> None:
    split = layout.split(factor=0.2)
    name = split.row()
    name.alignment = "RIGHT"
    name.label(text=label)
    split.label(text=text)


def register(ledger: "Ledger") -> None:
    facts.cache_clear()
    facts()
    ledger.add_class(REDMAX_AP_preferences)
