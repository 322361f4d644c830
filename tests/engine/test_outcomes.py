# SPDX-License-Identifier: GPL-3.0-or-later
"""Every failed run says what it failed at and what to do, as data and in its sentence."""

from __future__ import annotations

import ast
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.dynamics.singular import immovable_joint
from redmax.errors import ElementName, Quantity
from redmax.integrators import INTEGRATORS, Automatic, IntegrationError
from redmax.kernels import route
from redmax.outcome import CODES, Note, Outcome, remark
from redmax.scene import Scene
from redmax.simulate import Recorder, simulate
from redmax.solvers import pcg

ENGINE = Path(__file__).parents[2] / "engine" / "redmax"


@pytest.fixture(params=[route.NUMBA, route.NUMPY])
def by(request, monkeypatch):
    """Both routes."""
    if route.name() != route.NUMBA and request.param == route.NUMBA:
        pytest.skip("needs numba")
    monkeypatch.setattr(route, "name", lambda: request.param)


def last(scene, integrator, *, duration=0.25, fps=24.0, **options):
    return list(simulate(compile_scene(scene), integrator=integrator, duration=duration, fps=fps, **options))[-1]


def check(sample, element, *, code=None):
    """A failed sample that names its element and says what to do."""
    assert sample.status == "failed"
    outcome = sample.outcome
    assert element in str(outcome.element)
    assert outcome.element.name in outcome.reason
    assert outcome.advice
    assert outcome.reason in sample.message
    assert code is None or outcome.code == code


def two_universals() -> Scene:
    """A block on two universal joints whose common axis is in the planes of both: it can begin to turn, and cannot go
    on."""
    b = Builder("two universals")
    b.body("block", (0.2, 0.1, 0.0), 1.0, 0.1 * np.eye(3))
    b.joint("universal", "first", None, "block", (0.0, 0.0, 0.0), qdot=(1.5, 2.0))
    b.joint("universal", "second", None, "block", (0.3, 0.4, 0.0))
    return b.scene


def gimbal(angle: float) -> Scene:
    """A bar on a ball with springs on proper Euler angles, near the lock in which their forces have no bound."""
    b = Builder("gimbal")
    b.bar("bar", (0.0, 0.0, 0.0), (0.5, 0.1, 0.2))
    at = {"q": (0.3, angle, 0.2), "stiffness": (50.0, 50.0, 50.0)}
    b.joint("spherical_euler", "ball", None, "bar", (0.0, 0.0, 0.0), sequence="xzx", **at)
    return b.scene


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
def test_joints_on_one_pair_that_are_rigid_to_second_order_complete_or_are_named(by, accuracy):
    found = last(two_universals(), Automatic(accuracy=accuracy), duration=0.1)
    if found.status != "complete":
        check(found, "joint '")


def test_springs_near_their_gimbal_lock_are_named_before_patience_ends(by):
    """32 kHz: with numpy a frame took minutes."""
    check(last(gimbal(1e-5), Automatic(accuracy="draft"), patience=2.0), "joint 'ball'")


def test_springs_in_their_gimbal_lock_are_named(by):
    check(last(gimbal(0.0), Automatic(), patience=1.0), "joint 'ball'")


@pytest.mark.parametrize("kind", [kind for kind in INTEGRATORS.kinds if "h" in INTEGRATORS[kind].__dataclass_fields__])
def test_what_fixed_steps_throw_away_is_named(by, kind):
    """Wheels at 1e5 rad/s in a gimbal of hinges, and a step of ten milliseconds."""
    b = Builder("gyroscopes")
    previous = None
    for k, axis in enumerate(np.eye(3)):
        name = b.body(f"ring {k}", (0.1 * k, 0.0, 0.0), 1.0, np.diag([0.1, 0.2, 0.3]))
        b.hinge(f"joint {k}", previous, name, (0.1 * k, 0.0, 0.0), axis=axis, qdot=1e5)
        previous = name
    found = last(b.scene, INTEGRATORS[kind](), duration=2.0)
    if found.status != "complete":
        check(found, "'")


def test_an_error_that_names_nothing_gets_the_fastest_body(by, monkeypatch):
    """What nobody can name is where most goes on."""

    def broken(stepper, t_end):
        raise np.linalg.LinAlgError

    monkeypatch.setattr("redmax.integrators.base.FixedStepper.advance", broken)
    check(last(four_bar(qdot=2.0), INTEGRATORS["rk4"](h=1e-2)), "body 'crank'", code="not_finite")


@pytest.mark.parametrize("kind", ["dop853", "extrapolated_euler", "bdf2", "rk4"])
def test_patience_that_ends_inside_a_step_names_a_joint(by, monkeypatch, kind):
    monkeypatch.setattr("redmax.integrators.watch.Watch.waits_too_long", lambda *_: True)
    monkeypatch.setattr("redmax.integrators.dormand_prince.STEPS_AT_ONCE", 1)
    check(last(four_bar(qdot=1.0), INTEGRATORS[kind]()), "joint '", code="no_progress")


# --- as data -------------------------------------------------------------------------------------------------------


def test_a_step_that_cannot_be_taken_keeps_code_and_numbers_of_its_cause():
    cause = pcg.no_end(0.5, 20, 1e-9)
    found = IntegrationError.of(cause)
    assert found.code == cause.code == "no_solution"
    assert found.numbers == cause.numbers
    assert (found.what, found.element, found.advice) == (cause.what, cause.element, cause.advice)
    assert IntegrationError.of(immovable_joint("Pin")).code == "immovable"


def test_an_outcome_survives_json():
    element = ElementName("loop joint", "It's {0}")
    found = Outcome(
        code="cannot_close",
        frame=3,
        t=0.125,
        what="torn",
        element=element,
        suspected=True,
        advice="mend it",
        numbers={"gap": Quantity(0.5, "m"), "passes": Quantity(2.0)},
        lasting=False,
    )
    plain = json.loads(json.dumps(found.as_dict()))
    assert Outcome.from_dict(plain) == found
    assert (plain["element"], plain["sort"], plain["name"]) == ("loop joint 'It's {0}'", "loop joint", "It's {0}")
    assert (plain["numbers"]["gap"], plain["units"]["gap"]) == (0.5, "m")
    note = Note(
        code="stiff", t=0.28, what="implicit", more=" (fast)", numbers={"frequency": Quantity(9.0, "Hz")}, frame=6
    )
    assert Note.from_dict(json.loads(json.dumps(note.as_dict()))) == note
    assert (str(note), note.in_frames(101)) == (
        "implicit from t = 0.28 s on (fast)",
        "implicit from frame 107 on (fast)",
    )


def test_an_outcome_of_an_earlier_version_is_read():
    """Results of 2026-11-18 name their element in words alone, and numbers without units."""
    earlier = {
        "code": "singular_pose",
        "frame": 7,
        "t": 0.25,
        "what": "loop joint 'C' passed a pose from which it can go on in more than one way",
        "element": "loop joint 'C'",
        "advice": "check the motion there",
        "numbers": {"passes": 1.0},
        "lasting": False,
    }
    found = Outcome.from_dict(earlier)
    assert str(found.element) == earlier["element"]
    assert remark(found, 1) == f"at frame 8 {earlier['what']}; check the motion there"
    assert found.numbers == {"passes": Quantity(1.0)}


@pytest.mark.parametrize(
    ("element", "words"),
    [
        (ElementName("joint", "Pin"), "joint 'Pin'"),
        (ElementName("joint", index=3), "joint 3"),
        (ElementName("joint", "Pin").part("parts", 0).part("animation"), "joint 'Pin', parts[0], animation"),
        (ElementName("scene"), "scene"),
        (ElementName(name="arm.json").part("bodies", 2), "arm.json, bodies[2]"),
        (ElementName(), ""),
    ],
)
def test_elements_are_named_as_people_do(element, words):
    assert str(element) == words
    assert bool(element) == bool(words)


def codes_given(path):
    """Codes of run errors in a source file: of classes, and of single errors."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            pairs = [(each.targets[0], each.value) for each in node.body if isinstance(each, ast.Assign)]
            yield from (value.value for name, value in pairs if isinstance(name, ast.Name) and name.id == "code")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Error"):
            given = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            yield from (value.value for value in given if isinstance(value, ast.Constant))


def test_every_code_of_a_failure_is_explained():
    given = {code for path in ENGINE.rglob("*.py") for code in codes_given(path)}
    given |= {"step_too_small"}  # chosen in `compiled.stuck_component`
    assert given - {""} == set(CODES)


def test_a_note_says_from_which_frame_it_holds():
    model, stiff = compile_scene(gimbal(0.3)), Automatic(accuracy="draft")
    recorder = Recorder(model, integrator=stiff, fps=24.0)
    for sample in simulate(model, integrator=stiff, duration=0.5, fps=24.0):
        noted = Note(code="stiff", t=0.28, what="implicit")
        recorder.add(dataclasses.replace(sample, note=noted if sample.index > 6 else None))
    found = recorder.trajectory().meta
    assert [(note["code"], note["frame"]) for note in found["notes"]] == [("stiff", 6)]
    assert found["note"] == "implicit from t = 0.28 s on"
