# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcomes of runs and problems of scenes in the words of artists, made of their codes and data.

What has no words of its own here is told in those of the engine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...._engine import errors, outcome
from ....properties import from_specs

OUTCOMES = {
    "diverged": "{element} exceeds {limit} ({speed})",
    "body_not_finite": "the motion of {element} is no longer finite",
    "turns_too_far": "{element}: would turn by {turn} in one step",
    "no_joint_position": "{element}: no position of the joint fits its bodies, the nearest tried is {angle} and "
    "{distance} away",
}
"""What happened, by the code of an outcome; filled with its element and numbers."""

STALLED = "motor_stalled"
"""Code of what is said of a motor that was too weak."""

ADVICE = {outcome.SMALLER_STEP: ""}
"""Advice that only users of the engine can follow: Check and the panel offer what helps here."""

HINTS = {
    "not_carried": "add a joint with this body as its child, from another body or from the world (no parent)",
    "world_as_name": "for the world leave it empty",
}
"""What to do, by the code of a problem."""


def reason(found: outcome.Outcome) -> str:
    """What happened in a run and what to do, without the frame."""
    what = _filled(OUTCOMES.get(found.code, ""), found.element, found.numbers) or found.what
    if found.suspected:
        what = f"{what}, where {named(found.element)} is the fastest"
    advice = ADVICE.get(found.advice, found.advice)
    return f"{what}; {advice}" if advice else what


def remark(found: outcome.Outcome, first: int) -> str:
    """What is to be said of a run that went on, in frames of the timeline, which begins at `first`."""
    if found.code == STALLED and {"torque", "maximum"} <= set(found.numbers):
        asked, most = shown(found.numbers["torque"]), found.numbers["maximum"].value
        return f"motor of '{found.element.name}' stalls at frame {first + found.frame}: {asked} of {most:.3g}"
    return outcome.remark(found, first)


def problem(found: errors.Problem) -> str:
    """What is wrong with a scene, beginning with the element."""
    inside = "".join(
        f", {place.field}" + (f" {place.index}" if place.index is not None else "") for place in found.element.inside
    )
    field = f": {from_specs.title(found.field)}" if found.field else ""
    return f"{named(found.element, first=True)}{inside}{field} {found.what}"


def hint(found: errors.Problem) -> str:
    """What to do about a problem of a scene."""
    return HINTS.get(found.code, found.hint)


def named(element: errors.ElementName, *, first: bool = False) -> str:
    """An element as artists say it: bodies are objects. first: it begins a sentence."""
    if not element.sort:  # an outcome of an earlier version has the words alone
        return str(element)
    if element.sort == "body" and element.name:
        return f"'{element.name}'"
    sort = element.sort.replace("_", " ")
    words = f"{sort} '{element.name}'" if element.name else f"the {sort}"
    return words[:1].upper() + words[1:] if first else words


def shown(number: errors.Quantity) -> str:
    """A number with its unit, angles in degrees."""
    value, unit = number
    if unit == "rad/s":
        degrees = math.degrees(value)
        return f"{degrees:,.0f} deg/s" if 1.0 <= degrees < 1e9 else f"{degrees:.2g} deg/s"
    if unit == "rad":
        return f"{math.degrees(value):.3g} deg"
    return f"{value:,.0f} {unit}" if value == round(value) and 1.0 <= value < 1e9 else str(number)


def _filled(template: str, element: errors.ElementName, numbers: Mapping[str, errors.Quantity]) -> str:
    """A template with what it names; empty where that is not known, as of an outcome of an earlier version."""
    try:
        return template.format(element=named(element), **{name: shown(number) for name, number in numbers.items()})
    except KeyError:
        return ""
