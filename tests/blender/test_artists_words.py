# SPDX-License-Identifier: GPL-3.0-or-later
"""What happened in a run, and what is wrong with a scene, in the words of artists, made of codes and data."""

from __future__ import annotations

import dataclasses

import pytest

from redmax_blender._engine import errors, outcome
from redmax_blender.bridge.check.findings import artists_words

BODY, JOINT = errors.ElementName("body", "Rotor"), errors.ElementName("joint", "Pin")


def ended(code, element=BODY, **more):
    return outcome.Outcome(code=code, frame=3, t=0.1, what="in the engine's words", element=element, **more)


def speeds(limit, speed, unit):
    return {"limit": errors.Quantity(limit, unit), "speed": errors.Quantity(speed, unit)}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            ended("diverged", numbers=speeds(1e5, 2.5e6, "rad/s")),
            "'Rotor' exceeds 5,729,578 deg/s (143,239,449 deg/s)",
        ),
        (ended("diverged", numbers=speeds(1e6, 1234567.8, "m/s")), "'Rotor' exceeds 1,000,000 m/s (1.23e+06 m/s)"),
        (ended("body_not_finite", advice=outcome.SMALLER_STEP), "the motion of 'Rotor' is no longer finite"),
        (
            ended("turns_too_far", JOINT, numbers={"turn": errors.Quantity(3.5, "rad")}, advice="lock it"),
            "joint 'Pin': would turn by 201 deg in one step; lock it",
        ),
        (ended("somebody_elses", JOINT, advice="ask them"), "in the engine's words; ask them"),
        (ended("diverged"), "in the engine's words"),  # without the numbers
        (ended("not_finite", suspected=True), "in the engine's words, where 'Rotor' is the fastest"),
    ],
)
def test_a_run_that_stopped(found, said):
    assert artists_words.reason(found) == said


@pytest.mark.parametrize(
    ("problem", "said", "hint"),
    [
        (errors.Problem(BODY, "is bad", "mend it"), "'Rotor' is bad", "mend it"),
        (
            errors.Problem(JOINT, "is -1", "give more", "value", "limit_stiffness"),
            "Joint 'Pin': Limit Stiffness is -1",
            "give more",
        ),
        (errors.Problem(JOINT.part("parts", 1), "is bad", ""), "Joint 'Pin', parts 1 is bad", ""),
        (errors.Problem(errors.ElementName("scene"), "has no bodies", "add one"), "The scene has no bodies", "add one"),
        (
            errors.Problem(JOINT, "is 'World', but ...", "write null", "world_as_name", "parent"),
            "Joint 'Pin': Parent is 'World', but ...",
            "for the world leave it empty",
        ),
    ],
)
def test_a_scene_that_is_wrong(problem, said, hint):
    assert (artists_words.problem(problem), artists_words.hint(problem)) == (said, hint)


def test_names_with_braces_and_quotation_marks_are_only_names():
    named = errors.ElementName("body", "{limit} of 'it'")
    found = ended("diverged", numbers=speeds(1e6, 2e6, "m/s"))
    assert artists_words.reason(dataclasses.replace(found, element=named)).startswith("'{limit} of 'it'' exceeds ")
