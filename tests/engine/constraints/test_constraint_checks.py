# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with constraints and loops is said by name, with a hint; JSON keeps every kind."""

from __future__ import annotations

import dataclasses
import json

import pytest

from engine.constraints.closed import ANGLE, HINGED, TWIST
from engine.mechanisms import Builder, four_bar
from redmax import io
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS, BallLimit, BodyMotion, Coupling, JointLimit, JointMotion, Pin, Rolling
from redmax.integrators import MaximalEuler
from redmax.joints import SurfaceContact
from redmax.simulate import SimulationError, simulate
from redmax.tables import Table


def problems(*constraints, **joint):
    """Of a chain: hinge 'pin' with body 'bar', ball 'ball' with body 'end'."""
    b = Builder("chain")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("end", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), **joint)
    b.joint("spherical", "ball", "bar", "end", (1.0, 0.0, 0.0))
    b.scene.constraints += constraints
    return [str(problem) for problem in find_problems(b.scene)]


STEPS = Table(x=(0.0, 1.0), y=((0.0,), (1.0,)), interpolation="step")
WRONG = [
    (Pin(name="c", body="bar", other="bar"), "pins body 'bar' to itself; choose two different bodies"),
    (Pin(name="c", body="bar", axis=(0.0, 0.0, 0.0)), "axis is zero; give a direction such as (0, 0, 1)"),
    (Pin(name="c", body="bra"), "body is 'bra', but there is no body of that name; did you mean 'bar'?"),
    (Coupling(name="c", leader="pin", follower="pin"), "couples a coordinate to itself"),
    (Coupling(name="c", leader="pin", follower="ball"), "joint 'ball', whose coordinates can be written in several"),
    (Coupling(name="c", leader="pin", follower="pin", follower_coordinate=2), "has 1 coordinate; give 0 to 0"),
    (Coupling(name="c", leader="pin", follower="pi"), "there is no joint of that name; did you mean 'pin'?"),
    (JointLimit(name="c", joint="pin", lower=1.0, upper=0.0), "has a lower limit above its upper limit; swap them"),
    (JointLimit(name="c", joint="pin"), "has neither a lower nor an upper limit; give one of them"),
    (JointLimit(name="c", joint="pin", upper=1.0, restitution=1.5), "restitution is 1.5; give a number from 0 to 1"),
    (JointLimit(name="c", joint="ball", upper=1.0), "whose coordinates can be written in several ways"),
    (JointMotion(name="c", joint="pin", table=TWIST), "table has 6 columns of values; give one column"),
    (JointMotion(name="c", joint="pin", table=STEPS), "prescribes positions that jump; use linear, cubic or hermite"),
    (BodyMotion(name="c", body="bar", table=ANGLE), "table has 1 columns of values; give six columns"),
    (BodyMotion(name="c", body="bar", components=(0,) * 6, table=TWIST), "components are not zeros and ones"),
]


@pytest.mark.parametrize(("constraint", "said"), WRONG)
def test_each_mistake_is_one_message_with_the_name(constraint, said):
    found = problems(constraint)
    assert len(found) == 1
    assert found[0].startswith("constraint 'c': ")
    assert said in found[0]


def test_sound_constraints_have_no_problems():
    pin, stop = Pin(name="a", body="end"), JointLimit(name="b", joint="pin", upper=1.0)
    assert problems(pin, stop, JointMotion(name="c", joint="pin", table=ANGLE)) == []


def test_an_animated_joint_cannot_be_constrained():
    (found,) = problems(JointLimit(name="stop", joint="pin", upper=1.0), motion_type="locked")
    assert found == (
        "constraint 'stop': refers to joints that are animated or locked, so that it cannot move them; "
        "make one of them simulated"
    )


def test_the_joint_that_closes_a_loop_has_no_coordinates():
    scene = four_bar()
    scene.constraints.append(JointLimit(name="stop", joint="C", upper=1.0))
    (found,) = find_problems(scene)
    assert "constraint 'stop': refers to joint 'C', which closes a loop" in str(found)


def test_a_start_velocity_of_a_loop_joint_is_refused():
    scene = four_bar()
    scene.joints[3] = dataclasses.replace(scene.joints[3], qdot=1.0)
    (found,) = find_problems(scene)
    assert str(found).startswith(
        "joint 'C': closes a loop, so that its start velocity follows from those of the others"
    )
    assert "another joint of the loop" in str(found)


def test_a_hard_limit_needs_coordinates_that_are_plain_numbers():
    b = Builder("ball")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.joint("spherical", "ball", None, "bar", (0.0, 0.0, 0.0), upper=1.0)
    (found,) = find_problems(b.scene)
    assert str(found) == (
        "joint 'ball': has a hard limit, but its coordinates can be written in several ways; "
        "give a limit_stiffness above 0, or limit its swing and twist by a ball_limit"
    )


@pytest.mark.parametrize("stabilisation", ["baumgarte", "none"])
def test_maximal_coordinates_that_drift_refuse_limits_by_name(stabilisation):
    scene = four_bar()
    scene.constraints.append(JointLimit(name="stop", joint="D", upper=1.0))
    with pytest.raises(SimulationError, match=r"'maximal_euler' knows limits .* with stabilisation 'post' alone"):
        simulate(compile_scene(scene), integrator=MaximalEuler(stabilisation=stabilisation), duration=1.0)


def test_every_kind_survives_json():
    """Of each kind one with values that are not the defaults."""
    b = Builder("kinds")
    for k in range(5):
        b.bar(f"body {k}", (k, 0.0, 0.0), (k + 1.0, 0.0, 0.0))
        b.hinge(f"joint {k}", f"body {k - 1}" if k else None, f"body {k}", (float(k), 0.0, 0.0))
    pin = Pin(name="p", body="body 1", other=None, point=(0.1, 0.2, 0.3), axis=(0.0, 1.0, 0.0))
    kinds = [dataclasses.replace(constraint, name=name) for name, constraint in HINGED.items()]
    b.bar("limb", (5.0, 0.0, 0.0), (6.0, 0.0, 0.0))
    b.joint("spherical", "shoulder", "body 4", "limb", (5.0, 0.0, 0.0))
    ball = BallLimit(name="b", joint="shoulder", twist_axis="x", swing_1=0.5, twist_lower=-0.1, twist_upper=0.2)
    b.bar("wheel", (6.0, 0.0, 0.0), (7.0, 0.0, 0.0))
    b.scene.joints.append(SurfaceContact(name="ground", parent=None, child="wheel", spin=True))
    b.scene.constraints += [pin, *kinds, ball, Rolling(name="r", joint="ground", pivots=False)]
    assert {constraint.kind for constraint in b.scene.constraints} == set(CONSTRAINTS.kinds)
    text = io.dumps(b.scene)
    again = io.loads(text)
    assert json.loads(io.dumps(again)) == json.loads(text)
    assert again.constraints[1] == b.scene.constraints[1]
    assert len(compile_scene(again).constraints) == len(b.scene.constraints)
