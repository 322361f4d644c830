# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops: how they can move, what is held more than once, and which loops do not close at the start.

Joints are modelled in one place for both bodies, so a loop closes as modelled. It opens where joints start elsewhere:
by a start coordinate, or by the first key of an animated joint.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...._engine import assembly, constrained_run, constraint_rows, freedoms, halves, kinematics, motion_at
from ...._engine import compile as compiling
from ....properties import joint as joint_properties
from ...core import axis_report, loop_axes, scene_digest, ties
from ...core.findings import Finding, RedMaxError
from ...core.mechanisms import ANIMATED, Mechanism
from ...objects.named_objects import local_object

REMEMBERED = 8
"""Mechanisms whose loops are remembered."""


@dataclass(frozen=True)
class Closing:
    """freedoms: degrees of freedom with the loops closed. redundant: conditions that follow from others.

    gaps: angle [rad] and distance [m] by which loops are open at the start, by name of the joint that closes them,
    where that is too much to be a matter of rounding. closable: whether turning the joints would close them.
    closers: joints that close loops.
    """

    freedoms: int
    redundant: int
    gaps: dict[str, tuple[float, float]]
    closable: bool
    closers: tuple[str, ...]


_known: OrderedDict[bytes, Closing] = OrderedDict()


def part_of(made: Any, mechanism: Mechanism) -> Any:
    """The engine's scene of one mechanism alone."""
    return ties.restricted(made, set(mechanism.bodies))


def is_held(made: Any, mechanism: Mechanism) -> bool:
    """Whether more than a tree of joints decides how a mechanism can move: loops, constraints or drives."""
    if mechanism.loops or not any(getattr(made, listed) for listed in ties.HOLDING):
        return bool(mechanism.loops)
    part = part_of(made, mechanism)
    return any(getattr(part, listed) for listed in ties.HOLDING)


def examine(made: Any, mechanism: Mechanism) -> Closing:
    """What there is to know of a sound mechanism with loops; remembered by its content."""
    part = replace(part_of(made, mechanism), forces=[], strands=[])  # they hold nothing
    digest = scene_digest.digest(part)
    if digest not in _known:
        _known[digest] = _examined(halves.undivided(compiling.compile(part, checked=True)))
        if len(_known) > REMEMBERED:
            _known.popitem(last=False)
    _known.move_to_end(digest)
    return _known[digest]


def _examined(model: Any) -> Closing:
    if not constraint_rows.is_constrained(model):  # drives alone: their joints follow by construction
        return Closing(len(freedoms.freedoms(model, model.initial_state().q).free), 0, {}, closable=True, closers=())
    gaps = wide_gaps(model)
    closed = assembly.close_loops(model)
    found = assembly.mobility(model, closed.q if closed.closed else None)
    closers = tuple(loop.joint.name for loop in model.loops)
    return Closing(found.freedoms, found.redundant, gaps, closed.closed, closers)


def wide_gaps(model: Any) -> dict[str, tuple[float, float]]:
    """Loops that a run would refuse to close by itself at its start, by name of their joint."""
    start = model.initial_state()
    still = np.zeros(model.dof_count)
    q, _ = motion_at.with_prescribed(model, 0.0, start.q, still)
    kin = kinematics.kinematics(model, q, still, start.chart)
    rows = constraint_rows.constraint_rows(model, kin, 0.0, quick=False)
    found = assembly.gaps(model, rows, constrained_run.OPEN)
    names = constraint_rows.element_names(model)
    # An animated joint that closes a loop is brought to its first key by the run.
    return {
        loop.joint.name: found[name]
        for loop, name in zip(model.loops, names, strict=False)
        if name in found and loop.joint.motion_type != ANIMATED
    }


def with_loops(
    made: Any, mechanisms: tuple[Mechanism, ...], *, reactions: bool
) -> tuple[tuple[Mechanism, ...], list[Finding]]:
    """The mechanisms with their degrees of freedom counted with loops closed, and what there is to say of these.

    reactions: whether the artist asks for them, so that it matters that they are not unique.
    """
    counted: list[Mechanism] = []
    findings: list[Finding] = []
    for mechanism in mechanisms:
        if not is_held(made, mechanism):
            counted.append(mechanism)
            continue
        try:
            closing = examine(made, mechanism)
        except RedMaxError as error:
            counted.append(mechanism)
            text = f"The loops of '{mechanism.root}' cannot be closed: {error}"
            findings.append(Finding(mechanism.root, text, "change these masses"))
            continue
        counted.append(replace(mechanism, dofs=closing.freedoms, redundant=closing.redundant, gaps=closing.gaps))
        findings.extend(_findings(made, mechanism, closing, reactions=reactions))
    return tuple(counted), findings


def _findings(made: Any, mechanism: Mechanism, closing: Closing, *, reactions: bool) -> Iterator[Finding]:
    for name, gap in closing.gaps.items():
        text = f"Loop through '{name}' does not close: gap {said(gap)}"
        if closing.closable:
            yield Finding(name, text, "let its joints start where it closes", fixes=("CLOSE_LOOP",))
        else:
            hint = "no position of its joints closes it: free more of them, or change the keys of animated ones"
            yield Finding(name, text, hint)
    if closing.gaps:
        return
    askew = loop_axes.askew(made, mechanism)
    part = part_of(made, mechanism)
    moved = any(joint.motion_type == ANIMATED and joint.ndof for joint in part.joints)
    moved |= any(given.motion_type == ANIMATED for drive in part.drives for given in drive.inputs)
    stuck = mechanism.dofs > 0 and closing.freedoms == 0 and not moved
    if closing.redundant and closing.closers and (reactions or stuck):
        closer = closing.closers[0]
        text = f"Loop through '{closer}' is over-constrained by {closing.redundant} (reactions not unique)"
        fixes = ("ALIGN_AXES",) * bool(askew) + ("MAKE_BALL",) * _may_be_ball(closer)
        yield Finding(closer, text, "", "INFO", fixes)
    if stuck:
        text = f"Mechanism '{mechanism.root}' cannot move: it has 0 degrees of freedom"
        what = "loops hold" if closing.closers else "constraints hold"
        hint = f"its {what} it; let one of their joints move in more ways"
        wrong = loop_axes.disagreeing(made, mechanism) or askew
        if wrong:
            text, hint = f"{text}; {_disagree(wrong)}", "align them, or let a joint move in more ways"
        fixes = ("ALIGN_AXES",) * bool(wrong) + ("SELECT_REDUNDANT",)
        yield Finding(mechanism.root, text, hint, "WARNING", fixes)
    elif closing.freedoms > 0 and (wrong := loop_axes.disagreeing(made, mechanism)):
        text = f"A loop of '{mechanism.root}' cannot move: {_disagree(wrong)}"
        yield Finding(
            next(iter(wrong)), text, "align them, or let a joint move in more ways", "WARNING", ("ALIGN_AXES",)
        )


def _disagree(names: Iterable[str]) -> str:
    named = list(names)
    verb = "the axis of {} disagrees" if len(named) == 1 else "the axes of {} disagree"
    return f"{verb.format(axis_report.listed(named))} with the others"


def _may_be_ball(name: str) -> bool:
    """Whether a ball in place of the joint would hold the same point, and less."""
    obj = local_object(name)
    if obj is None:
        return False
    held = joint_properties.traits_of(obj.redmax.joint)
    return bool(held.known and held.holds_origin and not held.is_ball)


def said(gap: tuple[float, float]) -> str:
    """'3.1 mm, 0.4 deg': what a person can see of it."""
    angle, distance = gap
    parts = []
    if distance > 0.0:
        parts.append(f"{distance * 1e3:.2g} mm" if distance < 0.1 else f"{distance:.2g} m")
    if math.degrees(angle) >= 0.05:
        parts.append(f"{math.degrees(angle):.2g} deg")
    return ", ".join(parts) or f"{math.degrees(angle):.2g} deg"
