# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with drives is said by name, with a hint; JSON keeps them."""

from __future__ import annotations

import dataclasses
import json
import random

import numpy as np
import pytest

from engine.drives.driven import CAM, equal_angles, hand, with_drives
from engine.mechanisms import Builder, four_bar
from engine.test_scene_fuzz import mutate_data, outcome
from redmax import io
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.drives import Drive, DriveInput, Follower
from redmax.examples import EXAMPLES
from redmax.tables import Table


def scene(*drives, **joint):
    """A chain: hinge 'pin' with body 'bar' (with the given fields), hinge 'knee', ball 'ball', all moving."""
    b = Builder("chain")
    for k, name in enumerate(("bar", "shin", "end")):
        b.bar(name, (float(k), 0.0, 0.0), (k + 1.0, 0.0, 0.0))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), **joint)
    b.hinge("knee", "bar", "shin", (1.0, 0.0, 0.0))
    b.joint("spherical", "ball", "shin", "end", (2.0, 0.0, 0.0))
    return with_drives(b.scene, *drives)


def drive(*followers, name="d", **input_):
    return Drive(name=name, inputs=(DriveInput(**input_),), followers=followers)


def table(*y, kind="cubic", **fields):
    return Table(x=tuple(float(k) for k in range(len(y))), y=tuple((v,) for v in y), interpolation=kind, **fields)


PIN, KNEE = Follower(joint="pin"), Follower(joint="knee")
TWO = DriveInput(), DriveInput(joint="knee")
WRONG = [
    (drive(Follower(joint="pni")), {}, "joint is 'pni', but there is no joint of that name; did you mean 'pin'?"),
    (drive(PIN, joint="nkee"), {}, "joint is 'nkee', but there is no joint of that name; did you mean 'knee'?"),
    (drive(PIN, PIN), {}, "moves coordinate 0 of joint 'pin' twice; let one follower move it"),
    (drive(Follower(joint="pin", coordinate=1)), {}, "coordinate is 1, but joint 'pin' has 1 coordinate; give 0 to 0"),
    (drive(Follower(joint="ball")), {}, "joint 'ball', whose coordinates can be written in several ways; choose a"),
    (drive(KNEE, joint="ball"), {}, "joint 'ball', whose coordinates can be written in several ways; choose a"),
    (drive(PIN, joint="pin"), {}, "has joint 'pin' as input, which it moves itself; leave it out of the followers"),
    (drive(PIN), {"motion_type": "locked"}, "moves joint 'pin', which is locked; make the joint simulated, or make it"),
    (drive(PIN), {"motion_type": "animated", "animation": table(0.0, 1.0)}, "moves joint 'pin', which is animated"),
    (drive(Follower(joint="pin", ratio=0.0)), {}, "has ratio 0, so that nothing moves it; give a ratio"),
    (drive(Follower(joint="pin", ratio=(1.0, 2.0))), {}, "has 2 ratios for 1 inputs; give one ratio for each input"),
    (drive(Follower(joint="pin", table=table(0.0, 1.0, 3.0, kind="linear"))), {},
     "table has a corner at 0, where the joint would change its speed in no time; use cubic interpolation"),
    (drive(Follower(joint="pin", table=table(0.0, 1.0, kind="step"))), {}, "has steps, so that the joint would jump"),
    (drive(Follower(joint="pin", table=table(0.0, 1.0, kind="hermite", slopes=((0.0,), (1.0,))))), {},
     "corner at 1, where the joint would change its speed in no time; give equal slopes on both sides"),
    (drive(Follower(joint="pin", table=table(1.0, 1.0))), {}, "has one value everywhere, so that nothing moves"),
    (drive(Follower(joint="pin", table=Table(x=(0.0, 1.0), y=((0.0, 1.0), (1.0, 2.0)), interpolation="cubic"))), {},
     "table has 2 columns of values; give one column"),
    (drive(Follower(joint="pin", table=CAM), q=9.0), {},
     "starts at x = 9 of the table of joint 'pin', which goes from -4 to 4; start the inputs within the table"),
    (drive(Follower(joint="pin", table=table(0.0, 1.0, kind="hermite", slopes=((0.0,), (0.0,))))), {},
     "starts where no joint moves with its input, so that nothing resists it; start elsewhere"),
    (drive(PIN, q=0.2), {"q": 0.3}, "starts joint 'pin' with q = 0.2, but the joint says 0.3; leave q of the joint"),
    (drive(PIN, qdot=0.2), {"qdot": 0.3}, "with qdot = 0.2, but the joint says 0.3; leave qdot of the joint out"),
    (drive(PIN, q=0.7), {"upper": 0.5}, "starts joint 'pin' at 0.7, beyond its limits (-inf to 0.5); start the inputs"),
    (drive(PIN, joint="knee", stiffness=2.0), {},
     "is joint 'knee', so that stiffness cannot act on it; give them to the joint itself"),
    (drive(PIN, coordinate=1), {}, "coordinate is 1, but it names no joint; give the joint, or leave it out"),
    (drive(PIN, lower=1.0, upper=0.0), {}, "has a lower limit above its upper limit; swap them"),
    (drive(PIN, motion_type="animated"), {}, "is animated but has no animation; give an animation table"),
    (drive(PIN, armature=-1.0), {}, "armature is -1"),
    (Drive(name="d", inputs=(TWO[1], TWO[1]), followers=(Follower(joint="pin"),)), {},
     "has coordinate 0 of joint 'knee' as input 2 times; give it once"),
    (Drive(name="d", inputs=(), followers=(PIN,)), {}, "give a list of at least 1 objects"),
    (Drive(name="d", followers=()), {}, "give a list of at least 1 objects"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "joint", "said"), WRONG, ids=lambda value: value if isinstance(value, str) else "")
def test_each_mistake_is_one_message_with_the_name(wrong, joint, said):
    found = [str(problem) for problem in find_problems(scene(wrong, **joint))]
    assert len(found) == 1, found
    assert found[0].startswith("drive 'd'")
    assert said in found[0]


def test_a_joint_that_two_drives_move_names_both():
    (found,) = find_problems(scene(drive(PIN, name="first"), drive(PIN, name="second")))
    assert "drive 'second': moves coordinate 0 of joint 'pin', which drive 'first' moves too" in str(found)


def test_a_drive_upon_a_drive_says_how_to_write_it():
    (found,) = find_problems(scene(drive(PIN, name="first"), drive(KNEE, name="second", joint="pin")))
    assert "drive 'second': has joint 'pin' as input, which drive 'first' moves; let drive 'first' move" in str(found)


def test_a_joint_that_closes_a_loop_cannot_follow():
    made = four_bar()
    closing = compile_scene(made).loops[0].joint.name
    (found,) = find_problems(with_drives(made, drive(Follower(joint=closing))))
    assert f"drive 'd': refers to joint '{closing}', which closes a loop, so that nothing else" in str(found)


def test_names_are_unique_among_drives():
    (found,) = find_problems(scene(drive(PIN), drive(KNEE)))
    assert str(found).startswith("drive 'd': is the name of 2 elements")


@pytest.mark.parametrize("made", [equal_angles(3, lower=-1.0, stiffness=2.0), hand()], ids=["chain", "hand"])
def test_json_gives_back_the_same_scene_and_model(made):
    again = io.loads(io.dumps(made))
    assert again == dataclasses.replace(made, joints=again.joints, bodies=again.bodies)
    assert again.drives == made.drives
    ours, theirs = compile_scene(made), compile_scene(again)
    np.testing.assert_array_equal(ours.q0, theirs.q0)
    np.testing.assert_array_equal(ours.followers.ratio, theirs.followers.ratio)


def test_what_is_left_out_of_json_is_a_coordinate_of_its_own():
    text = json.loads(io.dumps(scene(drive(PIN))))
    assert text["drives"] == [{"name": "d", "followers": [{"joint": "pin"}]}]
    assert io.loads(json.dumps(text)).drives == [drive(PIN)]


def test_one_broken_field_of_a_drive_is_one_message():
    text = json.loads(io.dumps(scene(drive(PIN))))
    text["drives"][0]["followers"][0] = {"joint": "pin", "ratios": 2.0}
    _, problems = io.read(json.dumps(text))
    assert len(problems) == 1
    assert "has an unknown field 'ratios'; did you mean 'ratio'?" in str(problems[0])
    text["drives"] = {"name": "d"}
    _, problems = io.read(json.dumps(text))
    assert [str(problem) for problem in problems] == ['scene: drives is not a list; give "drives": [ ... ]']


def test_mutated_drives_end_in_a_named_error_or_a_model():
    text = io.dumps(hand(lower=-0.6, torque_table=table(1.0, 2.0)))
    seen = set()
    for seed in range(100):
        data, rng = json.loads(text), random.Random(seed)
        part = {"drives": data["drives"]}
        for _ in range(rng.choice((1, 1, 2))):
            if part:
                mutate_data(part, rng)
        seen.add(outcome(json.dumps({name: value for name, value in data.items() if name != "drives"} | part)))
    assert seen == {"model", "error"}


def test_an_example_shows_drives():
    assert any(io.load(example.path).drives for example in EXAMPLES)
