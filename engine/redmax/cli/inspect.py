# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line says about a scene, in plain words. Functions return the exit code."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable

import numpy as np

from .. import __version__, io
from ..compile import compile as compile_scene
from ..dynamics.assembly import close_loops, mobility
from ..dynamics.constraint_rows import is_constrained
from ..dynamics.halves import undivided
from ..errors import RedMaxError, SceneError
from ..integrators.constrained import off_by
from ..joints import JOINTS
from ..kernels import route
from ..model import Model

Say = Callable[[str], None]


def check_command(path: str, say: Say) -> int:
    """Say whether the scene is sound, or list every problem."""
    model = compiled(path, say)
    if model is None:
        return 1
    model = undivided(model)
    say(f"{path}: no problems. {_summary(model)}")
    for line in _closed(model):
        say(f"  {line}")
    return 0


def info_command(path: str, say: Say) -> int:
    """Describe the scene."""
    model = compiled(path, say)
    if model is None:
        return 1
    model = undivided(model)
    say(f"Scene '{model.name}': {_summary(model)}")
    gravity = ", ".join(f"{value:g}" for value in model.gravity)
    say(f"Total mass {model.mass:.6g} kg, gravity ({gravity}) m/s^2, deepest chain {_depth(model)} bodies")
    own = model.shown
    roots = [model.joint_names[index] for index in np.flatnonzero(model.parent[:own] < 0)]
    if roots:
        say(f"Attached to the world by {_listed(roots)}")
    for kind, count in Counter(joint.kind for joint in model.joints[:own]).items():
        say(f"  {count} x {JOINTS[kind].label} ({kind})")
    for line in _closed(model):
        say(line)
    for loop in model.loops:
        say(f"Loop closed by joint '{loop.joint.name}' ({loop.joint.kind})")
    for line in (*_forces_and_strands(model), *_drives(model)):
        say(line)
    say("")
    rows = [("body", "mass [kg]", "joint", "kind", "carried by", "coordinates")]
    for index, body in enumerate(model.body_names[:own]):
        parent = int(model.parent[index])
        joint = model.joints[index]
        dofs = ", ".join(f"{name} [{unit}]" for name, unit in zip(joint.dof_names, joint.dof_units, strict=True))
        carrier = model.body_names[parent] if parent >= 0 else "(world)"
        rows.append((body, f"{model.inertia[index, 3]:.6g}", joint.name, joint.kind, carrier, dofs or "-"))
    shown = rows if len(rows) <= 41 else rows[:41]
    widths = [max(len(row[column]) for row in shown) for column in range(6)]
    for row in shown:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if len(shown) < len(rows):
        say(f"... and {len(rows) - len(shown)} more bodies")
    return 0


def version_line() -> str:
    """Versions of the engine and of what computes."""
    why = f" ({route.why_numpy()})" if route.why_numpy() else f", numpy {np.__version__}"
    return f"redmax {__version__}, computed by {route.versions()}{why}, Python {platform.python_version()}"


def compiled(path: str, say: Say) -> Model | None:
    """The model of a scene file, or None after saying every problem it has. What is unusual is said, too."""
    try:
        scene = io.load(path)
        for warning in (warning for sheet in scene.sheets for warning in sheet.warnings()):
            say(f"Warning: {warning}")
        return compile_scene(scene, checked=True)
    except SceneError as error:
        count = len(error.problems)
        say(f"{path}: {count} problem{'s' * (count != 1)}")
        for problem in error.problems:
            say(f"  {problem}")
        return None


def _summary(model: Model) -> str:
    own = model.shown
    roots = int((model.parent[:own] < 0).sum())
    strands = [_count(len(model.strands), "strand", "strands")] if model.strands else []
    followers = 0 if model.followers is None else len(model.followers.rows)
    if followers:
        strands.append(_count(followers, "coordinate", "coordinates") + " moved by drives")
    return ", ".join(
        [
            _count(own, "body", "bodies"),
            _count(own + len(model.loops), "joint", "joints"),
            _count(model.dof_count - followers, "degree of freedom", "degrees of freedom")
            + (" before closing loops" if model.loops else ""),
            _count(roots, "tree", "trees"),
            _count(len(model.loops), "loop", "loops"),
            *strands,
        ]
    )


def _forces_and_strands(model: Model) -> list[str]:
    """What acts on which bodies; segments of strands are not told one by one."""
    lines = []
    for force in model.forces[: len(model.forces) - model.hidden_forces]:
        names = ["the world" if body < 0 else f"'{model.body_names[body]}'" for body in force.bodies]
        lines.append(f"Force '{force.name}' on {' and '.join(names)}")
    for strand in model.strands:
        tied = sorted({int(body) for body in strand.owners if body < model.shown})
        names = ["the world" if body < 0 else f"'{model.body_names[body]}'" for body in tied]
        ends = f", tied to {' and '.join(names)}" if names else ""
        lines.append(f"Strand '{strand.name}' of {len(strand.owners)} nodes{ends}")
    return lines


def _drives(model: Model) -> list[str]:
    """Which joints each input of drives moves."""
    followers = model.followers
    if followers is None:
        return []
    owner = np.searchsorted(model.dof, followers.rows, side="right") - 1
    lines = []
    for title, ratio in zip(followers.titles, followers.ratio.T, strict=True):
        names = [model.joint_names[joint] for joint in owner[ratio != 0.0]]
        lines.append(f"Input '{title}' of a drive moves {_listed(names)}")
    return lines


def _closed(model: Model) -> list[str]:
    """What is left to move once loops are closed, or what stays open."""
    if not is_constrained(model):
        return []
    try:
        assembly = close_loops(model)
        if not assembly.closed:
            return [f"{name} stays {off_by(gap)} when it is closed from here" for name, gap in assembly.gaps.items()]
        found = mobility(model, assembly.q)
    except RedMaxError as error:
        return [f"Loops cannot be closed: {error}"]
    freedoms = _count(found.freedoms, "degree of freedom", "degrees of freedom")
    return [f"Closed: {freedoms}; {found.redundant} of {found.rows} conditions are redundant"]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _depth(model: Model) -> int:
    return int(model.level[: model.shown].max(initial=-1)) + 1


def _listed(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names[:6]]
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return ", ".join(quoted) + more
