# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults for tests: everything a file holds as plain data, to compare, and errors planted where code runs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

import redmax_blender

ADDON = Path(redmax_blender.__file__).parent

VOLATILE = {
    "rna_type",
    "bl_rna",
    "depsgraph",
    "original",
    "is_evaluated",
    "is_runtime_data",
    "preview",  # icons
    "statistics",
    "tag",
    "session_uid",
    "measured_mass",  # what panels show of a body
    *(
        "keying_sets_all",
        "sequence_editor",
        "render",
        "display",
        "eevee",
        "cycles",
        "tool_settings",
        "grease_pencil_settings",
    ),  # slow, and far from us
    "last_slot_identifier",  # what Blender would choose next
    "id_root",  # guessed by Blender when something is assigned
}
"""Properties that say nothing of what the artist made, or lead to data that is not stored."""

TAKES_BACK = {"take_back", "bring_back", "commit", "transaction", "ours", "paused", "pause", "resume", "as_modelled"}
TAKES_BACK |= {"modal", "rescue", "clean_up", "attempt"}
"""Functions that put things right after a fault: nothing is planted in them, as nothing is above them."""


NOT_OURS = ("poll", "telling", "list_anew")
"""Functions beside what an operator does: a panel's question, handlers and lists, which tell of errors themselves."""


KEY = ("interpolation", "easing", "type", "handle_left_type", "handle_right_type", "select_control_point")
SHORT = {
    "keyframe_points": lambda key: (*key.co, *key.handle_left, *key.handle_right, *(getattr(key, n) for n in KEY)),
    "channels": lambda curve: f"{curve.data_path}[{curve.array_index}]",
}
"""Parts of actions of which there are many, in fewer words; a group has its F-curves by name."""


class PlantedError(Exception):
    """An error that nobody foresaw."""


# --- everything a file holds -----------------------------------------------------------------


def everything() -> dict[str, Any]:
    """All objects, scenes and actions of the file with all their properties, and the names of everything else."""
    bpy.context.view_layer.update()
    named = {name: sorted(item.name for item in getattr(bpy.data, name)) for name in ("meshes", "collections")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some properties only say that Blender will drop them
        return {
            **named,
            **{
                f"{kind} {item.name}": _struct(item, frozenset())
                for kind in ("objects", "scenes", "actions")
                for item in getattr(bpy.data, kind)
            },
        }


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Where two pictures differ, for people."""
    if type(before) is type(after) and isinstance(before, dict):
        keys = sorted(before.keys() | after.keys(), key=str)
        return [
            line
            for key in keys
            for line in (
                differences(before[key], after[key], f"{path}/{key}")
                if key in before and key in after
                else [f"{path}/{key}: {'gone' if key in before else 'new'}"]
            )
        ]
    if type(before) is type(after) and isinstance(before, list) and len(before) == len(after):
        return [
            line
            for index, pair in enumerate(zip(before, after, strict=True))
            for line in differences(*pair, f"{path}[{index}]")
        ]
    return [] if before == after else [f"{path}: {before!r} -> {after!r}"]


def _struct(item: Any, above: frozenset[int]) -> dict[str, Any]:
    above |= {item.as_pointer()}
    picture = {}
    for prop in item.bl_rna.properties:
        name = prop.identifier
        if name in VOLATILE:
            continue
        value = getattr(item, name)
        if prop.type == "POINTER":
            picture[name] = _pointer(value, above)
        elif name in SHORT and isinstance(item, (bpy.types.FCurve, bpy.types.ActionGroup)):
            picture[name] = [SHORT[name](each) for each in value]
        elif prop.type == "COLLECTION":
            picture[name] = [_pointer(each, above) for each in value]
        else:
            picture[name] = _plain(value)
    if isinstance(item, bpy.types.ID):
        own = [key for key in item.keys() if key not in ("redmax", "cycles")]  # noqa: SIM118 (seen as properties above)
        picture["custom"] = {key: _custom(item[key]) for key in own}
    return picture


def _pointer(value: Any, above: frozenset[int]) -> Any:
    if value is None or value.as_pointer() in above:
        return None
    if isinstance(value, bpy.types.ID):
        return f"{type(value).__name__} {value.name_full}"
    return _struct(value, above)


def _custom(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if hasattr(value, "to_dict"):
        return {key: _custom(value[key]) for key in value.keys()}  # noqa: SIM118
    return [_custom(each) for each in value] if isinstance(value, list) else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, (str, bytes, bool, int, float, set, type(None))):
        return value
    return [_plain(each) for each in value] if hasattr(value, "__len__") else repr(value)


# --- planting --------------------------------------------------------------------------------


class Lines:
    """Lines of the add-on that ran. at: the one at which the fault was planted, empty if it was not reached."""

    def __init__(self) -> None:
        self.count = 0
        self.at = ""


@contextmanager
def planted(number: int, *files: str, error: type[BaseException] = PlantedError) -> Iterator[Lines]:
    """Inside, the line `number` (from 1) that runs in these files of the add-on raises instead; 0 only counts."""
    wanted = {str(ADDON / f"{name}.py") for name in files}
    assert all(Path(name).is_file() for name in wanted)
    lines = Lines()

    def each_line(frame: Any, event: str, _argument: Any) -> Any:
        if event == "line":
            lines.count += 1
            if lines.count == number:
                lines.at = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
                raise error(f"planted at {lines.at}")
        return each_line

    def each_call(frame: Any, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        chosen = code.co_filename in wanted and code.co_name not in TAKES_BACK and not _called_by(frame, *NOT_OURS)
        return each_line if chosen else None

    before = sys.gettrace()
    sys.settrace(each_call)
    try:
        yield lines
    finally:
        sys.settrace(before)


def _called_by(frame: Any, *names: str) -> bool:
    while frame is not None and frame.f_code.co_name not in names:
        frame = frame.f_back
    return frame is not None


def spread(count: int, most: int) -> list[int]:
    """At most so many of the numbers from 1 to count, evenly spread, the first and the last among them."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(k * (count - 1) / (most - 1)) for k in range(most)})
