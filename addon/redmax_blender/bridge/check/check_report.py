# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what an extraction has found where the panels read it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import bpy

from ...properties import sorts
from ...properties.mechanism_bodies import mechanism_bodies
from ...properties.scene import integrator_of
from ..core import mechanisms
from ..core.findings import Finding
from ..extract.extraction import Extraction, extract, in_order
from ..objects import changes, mechanism_switches
from ..objects.named_objects import local_object
from ..results import cache
from . import joint_rows, result_findings
from .findings import torn_parts

_seconds: deque[float] = deque(maxlen=2)
"""How long the last looks at the scenes of this file took."""

CHEAP = 0.05
"""A look that takes no longer [s] may be taken while the artist works."""

CHEAP_AT_FIRST = 1.0
"""The first look measures every mesh, which later ones remember: up to this time [s] another is worth a try."""


def look(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Extraction:
    """Extract a scene and remember how long that took."""
    begun = time.perf_counter()
    extraction = extract(scene, view_layer)
    _seconds.append(time.perf_counter() - begun)
    return extraction


def is_cheap() -> bool:
    """Whether a look is expected to be quick enough to be repeated after every edit; one of two may be an exception."""
    return min(_seconds, default=0.0) <= (CHEAP if len(_seconds) > 1 else CHEAP_AT_FIRST)


def start_anew() -> None:
    """Another file is open."""
    _seconds.clear()


def refresh(context: bpy.types.Context) -> Extraction:
    """Check the scene as it is now and show what was found."""
    extraction = look(context.scene, context.view_layer)
    show(extraction, context.window_manager.redmax, context.scene)
    return extraction


def keep_up(context: bpy.types.Context) -> None:
    """Check the scene unasked. If no mechanism is left there is nothing to say, and nothing that was said holds."""
    if any(sorts.is_element(obj.redmax) for obj in context.scene.objects):
        refresh(context)
        return
    running = context.window_manager.redmax
    running.problems.clear()
    running.mechanisms.clear()
    running.checked = running.outdated = False
    joint_rows.changed()


def show(extraction: Extraction, running: Any, scene: bpy.types.Scene, *, of_result: bool = True) -> None:
    """Fill the problems and mechanisms of `window_manager.redmax`; keep every measured mass and how joints fit.

    of_result: whether to list what is to be said of the last result; not where a new one is about to replace it.
    """
    _settle_stale(extraction, scene)
    findings = all_findings(extraction, scene) if of_result else extraction.findings
    _list(findings, running)
    _show_mechanisms(extraction, findings, running)
    running.checked, running.outdated = True, False
    with changes.ours():
        for body in extraction.bodies:
            settings: Any = bpy.data.objects[(body.name, None)].redmax.body
            # Blender shows masses times the third power of the unit scale.
            mass = body.mass / extraction.length**3 if body.mass > 0.0 else -1.0
            if abs(settings.measured_mass - mass) > 1e-6 * abs(mass):
                settings.measured_mass = mass
        torn_parts.record_outdated(extraction)


def show_result(running: Any, scene: bpy.types.Scene) -> None:
    """What is said of the result is said anew, as it was replaced or baked; all else stays listed."""
    if running.checked:
        about_scene = [_read(row) for row in running.problems if not row.of_result]
        _list(in_order((*about_scene, *result_findings.result_findings(scene))), running)


def _settle_stale(extraction: Extraction, scene: bpy.types.Scene) -> None:
    """Whoever has extracted the scene knows for certain whether its result is old; edits only hint at it."""
    result = scene.redmax.result
    if result.identifier and not extraction.errors:
        stale = cache.fingerprint(extraction, integrator_of(scene)) != result.identifier
        if result.changed != stale:
            result.changed = stale


def _list(findings: Sequence[Finding], running: Any) -> None:
    before = _active(running)
    known = {(row.element, row.text) for row in running.problems}
    running.filling = True
    running.problems.clear()
    for finding in findings:
        problem = running.problems.add()
        problem.element, problem.text, problem.hint = finding.element, finding.text, finding.hint
        problem.severity, problem.fixes = finding.severity, ",".join(finding.fixes)
        problem.of_result = finding.of_result
    # The artist goes on reading about the same object, not about whatever takes its place in the list; but a new error
    # is not left above what is seen of the list.
    listed = [(finding.element, finding.text) for finding in findings]
    at = listed.index(before) if before in listed else 0
    if findings and findings[at].severity != "ERROR":
        at = next((k for k, f in enumerate(findings) if f.severity == "ERROR" and listed[k] not in known), at)
    running.active_problem = at
    running.filling = False


def _read(row: Any) -> Finding:
    return Finding(row.element, row.text, row.hint, row.severity, tuple(filter(None, row.fixes.split(","))))


def all_findings(extraction: Extraction, scene: bpy.types.Scene) -> tuple[Finding, ...]:
    """What is to be said of the scene and of its result, errors first."""
    return in_order((*extraction.findings, *result_findings.result_findings(scene)))


def _active(running: Any) -> tuple[str, str]:
    if not 0 <= running.active_problem < len(running.problems):
        return "", ""
    problem = running.problems[running.active_problem]
    return problem.element, problem.text


def _show_mechanisms(extraction: Extraction, findings: tuple[Finding, ...], running: Any) -> None:
    known = {name for mechanism in extraction.mechanisms for name in mechanism.members}
    touched = {
        severity: [_touched(finding, known) for finding in findings if finding.severity == severity]
        for severity in ("ERROR", "WARNING")
    }
    driving = mechanisms.animated_joints(extraction.scene)
    running.mechanisms.clear()
    for mechanism in extraction.mechanisms:
        row = running.mechanisms.add()
        row.name = row.root = mechanism.root
        row.bodies, row.dofs, row.loops = len(mechanism.bodies), mechanism.dofs, mechanism.loops
        row.redundant, row.enabled = mechanism.redundant, mechanism.enabled
        row.driven = not driving.isdisjoint(mechanism.joints)
        joint_rows.fill(row, mechanism)
        row.problems = sum(not mechanism.members.isdisjoint(names) for names in touched["ERROR"])
        row.warnings = sum(not mechanism.members.isdisjoint(names) for names in touched["WARNING"])
    running.active_mechanism = min(running.active_mechanism, max(len(running.mechanisms) - 1, 0))


def _touched(finding: Finding, known: set[str]) -> set[str]:
    """Bodies and joints that a finding is about; of one that could not even be read, those it hangs together with."""
    names = mechanism_switches.concerned(finding.element)
    body = next(iter(names - known), "") if names.isdisjoint(known) else ""
    return {obj.name for obj in mechanism_bodies(local_object(body))} if body else names


def summary(extraction: Extraction) -> str:
    """One line for the status bar."""
    counts = [
        (sum(finding.severity == severity for finding in extraction.findings), word)
        for severity, word in (("ERROR", "error"), ("WARNING", "warning"))
    ]
    said = [f"{count} {word}{'s' * (count != 1)}" for count, word in counts if count]
    bodies = len(extraction.bodies)
    dofs = sum(mechanism.dofs for mechanism in extraction.mechanisms if mechanism.enabled)
    by_keys = dofs == 0 and mechanisms.animated_joints(extraction.scene)
    moved = "moved by keys alone" if by_keys else f"{dofs} degree{'s' * (dofs != 1)} of freedom"
    what = f"{bodies} {'body' if bodies == 1 else 'bodies'}, {moved}"
    return f"{' and '.join(said)}: {extraction.findings[0]}" if said else f"Ready to simulate: {what}"
