# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences in panels: Blender cuts a label that is too long, so they are broken into lines."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import bpy

CHARACTER_WIDTH = 6.6
"""Average width of a letter in Blender's interface font, in pixels at a resolution scale of 1."""

MARGIN = 60
"""Pixels of a panel that text cannot use: borders, the icon, the tabs of the sidebar."""

FEWEST = 16

ICON_LETTERS = 3
"""Letters that have the width of an icon."""

LONGEST_NAME = 14
"""Letters of a name in a row that is too short for the sentence."""

QUOTED = re.compile(r"'([^']+)'")


def characters(context: Any) -> int:
    """How many letters a line of the region that is drawn can hold."""
    region = context.region
    scale = context.preferences.system.ui_scale or 1.0  # 0 without a window
    width = region.width if region is not None else 300
    return max(FEWEST, int((width / scale - MARGIN) / CHARACTER_WIDTH))


def shortened(context: Any, text: str, *, icons: int) -> str:
    """A sentence that fits into a row with so many icons: long names keep their ends, and what is left is cut."""
    room = max(FEWEST, characters(context) - ICON_LETTERS * icons)
    if len(text) > room:
        text = QUOTED.sub(lambda found: f"'{short_name(found[1])}'", text)
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}\u2026"


def short_name(name: str, most: int = LONGEST_NAME) -> str:
    """A name without its middle: 'Four-Bar Rocker Hinge.001' and '...Hinge.002' must not look alike."""
    if len(name) <= most:
        return name
    end = (most - 1) * 2 // 3
    return f"{name[: most - 1 - end]}\u2026{name[-end:]}"


def count(context: Any, text: str) -> int:
    """How many lines a sentence takes."""
    return len(textwrap.wrap(text, characters(context)))


def draw_block(layout: bpy.types.UILayout, context: Any, said: list[tuple[str, str]], *, lines: int) -> None:
    """Sentences (text, icon) in a block that is as high whatever it says, so that nothing below it jumps."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    drawn = 0
    for text, icon in said:
        for index, line in enumerate(textwrap.wrap(text, characters(context))):
            first: Any = icon if index == 0 else "BLANK1"
            column.label(text=line, icon=first)
            drawn += 1
    for _ in range(drawn, lines):
        column.label(text="", icon="BLANK1")


def draw_text(
    layout: bpy.types.UILayout,
    context: Any,
    text: str,
    icon: str = "NONE",
    *,
    alert: bool = False,
    most: int | None = None,
) -> None:
    """A sentence over as many lines as it needs, or `most`; the icon stands before the first one."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    column.alert = alert
    lines = textwrap.wrap(text, characters(context), max_lines=most, placeholder="\u2026")
    for index, line in enumerate(lines):
        first: Any = icon if index == 0 else ("NONE" if icon == "NONE" else "BLANK1")
        column.label(text=line, icon=first)
