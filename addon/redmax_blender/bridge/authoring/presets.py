# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: files of `name = value` lines in Blender's preset folders, read without running them.

Blender's own way to load a preset is to execute it, so that a preset from the internet could do anything. Ours are
listed, saved and removed by Blender's preset system, but only values of the names known here are taken from them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..._engine import fields, files, integrators
from ...properties.scene import CUSTOM
from ..core.findings import refuse
from ..objects.editable import require_editable
from . import joint_feel, joint_formulas

MOST_BYTES = 64_000
"""A preset is a few lines; anything longer is something else."""

HEADER = "# Preset of RedMax: values only, nothing else is read\n"


class Kind(NamedTuple):
    """A sort of presets. known: names that such a file may have. read: values of the context. apply: sets them and
    says on what."""

    label: str
    known: frozenset[str]
    read: Callable[[Any], dict[str, Any]]
    apply: Callable[[Any, dict[str, Any]], str]


def load(path: Path, kind: Kind) -> dict[str, Any]:
    """Values of a preset by name. Raises BridgeError for anything that is not a list of known values."""
    try:
        tree = ast.parse(files.read_text(path, MOST_BYTES))
    except OSError as error:
        raise _refused(path, f"cannot be read ({error.strerror or error})") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refused(path, "is no list of values") from None
    values: dict[str, Any] = {}
    for line in tree.body:
        if not isinstance(line, ast.Assign) or len(line.targets) != 1:
            raise _refused(path, f"has more than values in line {line.lineno}")
        name = ast.unparse(line.targets[0])
        if name not in kind.known:
            raise _refused(path, f"sets '{name}', which is none of the values of {kind.label}")
        try:
            values[name] = ast.literal_eval(line.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            raise _refused(path, f"has something else than a value in line {line.lineno}") from None
    return values


def save(path: Path, values: dict[str, Any]) -> None:
    """Write a preset, whole or not at all. Raises OSError."""
    files.write_text(path, HEADER + "".join(f"{name} = {value!r}\n" for name, value in values.items()))


def apply(context: Any, path: Path, kind: Kind) -> str:
    """Set what a preset says; says what was done. Raises BridgeError, and then nothing was set."""
    values = load(path, kind)
    try:
        return kind.apply(context, values)
    except (TypeError, ValueError, AttributeError) as error:
        raise _refused(path, f"has a value that does not fit ({error})") from None


def _refused(path: Path, what: str) -> Exception:
    return refuse("", f"The preset '{path.stem}' {what}; nothing was changed", "remove it and save it anew")


def _assign(owner: Any, values: dict[str, Any]) -> None:
    """Set attributes, also of groups inside (`rk4__h`); all or none."""
    before = {name: _get(owner, name) for name in values}
    try:
        for name, value in values.items():
            _set(owner, name, value)
    except (TypeError, ValueError, AttributeError):
        for name, value in before.items():
            _set(owner, name, value)
        raise


def _place(owner: Any, name: str) -> tuple[Any, str]:
    group, _, last = name.rpartition("__")
    return (getattr(owner, group) if group else owner), last


def _get(owner: Any, name: str) -> Any:
    return getattr(*_place(owner, name))


def _set(owner: Any, name: str, value: Any) -> None:
    group, last = _place(owner, name)
    setattr(group, last, value)


def _chosen(context: Any, sort: str) -> list[bpy.types.Object]:
    """Bodies or joints among the selected objects if the active one, whose panel is used, is among these; else that
    one alone."""
    active, selected = context.object, list(context.selected_objects)
    objects = selected if active in selected else [active]
    found = [obj for obj in objects if obj is not None and getattr(obj.redmax, f"is_{sort}")]
    if not found:
        raise refuse("", f"No {sort} is selected", f"select the {sort} first")
    return found


# --- materials -------------------------------------------------------------------------------

MATERIAL = ("material", "density")


def _read_material(context: Any) -> dict[str, Any]:
    body = context.object.redmax.body
    return {name: getattr(body, name) for name in MATERIAL}


def _apply_material(context: Any, values: dict[str, Any]) -> str:
    bodies = _chosen(context, "body")
    require_editable(bodies)
    for obj in bodies:
        # The density last: a material brings its own, and a preset may have another.
        _assign(obj.redmax.body, dict(sorted(values.items(), key=lambda item: MATERIAL.index(item[0]))))
        obj.redmax.body.mass_source = "DENSITY"
    return f"{len(bodies)} {'body' if len(bodies) == 1 else 'bodies'}"


# --- accuracy --------------------------------------------------------------------------------


def _settings(cls: Any) -> Iterator[str]:
    yield from (f"{cls.kind}__{name}" for name in fields.specs(cls))


ACCURACY = ("accuracy", "integrator", *(name for cls in integrators.INTEGRATORS for name in _settings(cls)))


def _read_accuracy(context: Any) -> dict[str, Any]:
    settings = context.scene.redmax
    if settings.accuracy != CUSTOM:
        return {"accuracy": settings.accuracy}
    cls = integrators.INTEGRATORS[settings.integrator]
    own = {name: _get(settings, name) for name in _settings(cls)}
    return {"accuracy": CUSTOM, "integrator": settings.integrator, **own}


def _apply_accuracy(context: Any, values: dict[str, Any]) -> str:
    _assign(context.scene.redmax, values)
    return f"scene '{context.scene.name}'"


# --- joint feel ------------------------------------------------------------------------------


def _read_feel(context: Any) -> dict[str, Any]:
    return joint_feel.measure(context, context.object)._asdict()


def _apply_feel(context: Any, values: dict[str, Any]) -> str:
    feel = joint_feel.Feel(*(float(values.get(name, 0.0)) for name in joint_feel.Feel._fields))
    joints = _chosen(context, "joint")
    joint_feel.apply(context, joints, feel)
    return f"{len(joints)} joint{'s' * (len(joints) != 1)}"


# --- formulas of joints ----------------------------------------------------------------------


def _read_formula(context: Any) -> dict[str, Any]:
    return joint_formulas.texts_of(context.object)


def _apply_formula(context: Any, values: dict[str, Any]) -> str:
    joints = _chosen(context, "joint")
    for obj in joints:
        joint_formulas.set_texts(obj, values)
    return f"{len(joints)} joint{'s' * (len(joints) != 1)}"


KINDS = {
    "formula": Kind("Formula", frozenset(joint_formulas.NAMES), _read_formula, _apply_formula),
    "material": Kind("Material", frozenset(MATERIAL), _read_material, _apply_material),
    "joint_feel": Kind("Joint Feel", frozenset(joint_feel.Feel._fields), _read_feel, _apply_feel),
    "accuracy": Kind("Accuracy", frozenset(ACCURACY), _read_accuracy, _apply_accuracy),
}
FOLDER = "redmax"


def subfolder(kind: str) -> str:
    """Where presets of a kind lie below `presets`."""
    return f"{FOLDER}/{kind}"


def find_kind(folder: Path) -> str:
    """The kind of presets in a folder; empty for any other folder."""
    return folder.name if folder.parent.name == FOLDER and folder.name in KINDS else ""
