# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what an extraction has found where the panels read it."""

from __future__ import annotations

from typing import Any

import bpy

from . import changes
from .bodies import local_object
from .extract import Extraction


def show(extraction: Extraction, running: Any) -> None:
    """Fill the problems and mechanisms of `window_manager.redmax`, and the measured mass of every body."""
    running.problems.clear()
    for finding in extraction.findings:
        problem = running.problems.add()
        problem.element, problem.text, problem.hint = finding.element, finding.text, finding.hint
        problem.severity = finding.severity
    running.active_problem = 0
    concerned = [_concerned(finding.element) for finding in extraction.errors]
    running.mechanisms.clear()
    for mechanism in extraction.mechanisms:
        row = running.mechanisms.add()
        row.name = row.root = mechanism.root
        row.bodies, row.dofs, row.loops = len(mechanism.bodies), mechanism.dofs, mechanism.loops
        members = {*mechanism.bodies, *mechanism.joints}
        row.problems = sum(not members.isdisjoint(names) for names in concerned)
    running.active_mechanism = min(running.active_mechanism, max(len(running.mechanisms) - 1, 0))
    running.checked = True
    with changes.ours():
        for body in extraction.bodies:
            settings: Any = bpy.data.objects[(body.name, None)].redmax.body
            # Blender shows masses times the third power of the unit scale.
            settings.measured_mass = body.mass / extraction.length**3 if body.mass > 0.0 else -1.0


def summary(extraction: Extraction) -> str:
    """One line for the status bar."""
    counts = [
        (sum(finding.severity == severity for finding in extraction.findings), word)
        for severity, word in (("ERROR", "error"), ("WARNING", "warning"))
    ]
    said = [f"{count} {word}{'s' * (count != 1)}" for count, word in counts if count]
    bodies, dofs = len(extraction.bodies), sum(mechanism.dofs for mechanism in extraction.mechanisms)
    what = f"{bodies} {'body' if bodies == 1 else 'bodies'}, {dofs} degree{'s' * (dofs != 1)} of freedom"
    return f"{' and '.join(said)}: {extraction.findings[0]}" if said else f"Ready to simulate: {what}"


def _concerned(element: str) -> set[str]:
    """Names of the bodies and joints that an error touches: a joint's bodies too, a part's body instead of it."""
    obj = local_object(element) if element else None
    if obj is not None and obj.redmax.is_joint:
        connected = (obj.redmax.joint.parent, obj.redmax.joint.child)
        return {element, *(other.name for other in connected if other is not None)}
    while obj is not None and not obj.redmax.is_body:
        obj = obj.parent
    return set() if obj is None else {obj.name}
