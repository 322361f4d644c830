# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames as plain data: exact there and back, and clear words for anything that is not a frame."""

import json

import numpy as np
import pytest
from exact_motion import Curve
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.errors import RedMaxError
from redmax.spatial import quaternion
from redmax.spatial.frame import Frame
from redmax.spatial.frame_checks import FrameError
from redmax.spatial.moving_frame import MovingFrame, frame_from_dict

numbers = st.floats(-1e3, 1e3)
names = st.none() | st.text(min_size=1, max_size=5) | st.integers()


@settings(max_examples=60, deadline=None)
@given(
    v=st.lists(numbers, min_size=12, max_size=12),
    turn=st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3),
    origin=names,
    base=names,
)
def test_json_gives_back_every_bit(v, turn, origin, base):
    rdot, omega, rddot, alpha = np.reshape(v, (4, 3))
    moving = MovingFrame.from_rates(
        (0.1, -0.0, 1e-300), quaternion.exp(turn), rdot, rddot, omega_local=omega, alpha_local=alpha,
        origin=origin, base=base,
    )  # fmt: skip
    for frame in (moving, moving.frame, ~moving, moving >> ~moving):
        again = type(frame).from_dict(json.loads(json.dumps(frame.to_dict())))
        assert again == frame
        assert frame_from_dict(frame.to_dict()) == frame
        for field in frame._FIELDS:
            assert getattr(again, field).tobytes() == getattr(frame, field).tobytes()


def test_the_data_are_tagged_and_plain():
    data = Frame((1, 2, 3), origin="hand", base=0).to_dict()
    assert data == {
        "type": "Frame",
        "version": 1,
        "r": [1.0, 2.0, 3.0],
        "q": [1.0, 0.0, 0.0, 0.0],
        "origin": "hand",
        "base": 0,
    }
    assert list(MovingFrame().to_dict()) == ["type", "version", "r", "q", "rdot", "qdot", "rddot", "qddot"]


def good() -> dict:
    return MovingFrame(**Curve.from_seed(0).fields(0.2), origin="a", base="b").to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": None}, "'type'.*None.*must be 'MovingFrame'"),
        ({"type": "Frame"}, "'type'.*'Frame'.*must be 'MovingFrame'"),
        ({"version": 2}, "'version'.*2.*must be 1"),
        ({"version": True}, "'version'.*True.*must be 1"),
        ({"r": [1.0, 2.0]}, r"'r'.*\(2,\).*give 3 numbers"),
        ({"r": 1.0}, r"'r'.*\(\).*give 3 numbers"),
        ({"r": [[1.0, 2.0, 3.0]]}, r"'r'.*\(1, 3\).*give 3 numbers"),
        ({"r": [1.0, float("nan"), 3.0]}, "'r'.*entry 1 is nan.*finite"),
        ({"rdot": [1.0, 2.0, float("inf")]}, "'rdot'.*entry 2 is inf.*finite"),
        ({"rddot": ["1", "2", "3"]}, "'rddot'.*real numbers"),
        ({"rddot": [True, False, True]}, "'rddot'.*real numbers"),
        ({"rddot": [10**400, 0, 0]}, "'rddot'.*real numbers"),
        ({"r": None}, "'r'.*real numbers"),
        ({"r": [1.0, [2.0], 3.0]}, "'r'.*real numbers"),
        ({"q": [2.0, 0.0, 0.0, 0.0]}, r"'q': length is 2\.0.*unit quaternion"),
        ({"q": [0.0, 0.0, 0.0, 0.0]}, r"'q': length is 0\.0.*unit quaternion"),
        ({"qdot": [1.0, 1.0, 1.0, 1.0]}, r"'qdot': q \. qdot is .*needs 0"),
        ({"qddot": [0.0, 0.0, 0.0, 0.0]}, r"'qddot': q \. qddot.*needs 0"),
        ({"origin": 1.5}, "'origin'.*1.5.*string"),
        ({"base": ""}, "'base'.*non-empty"),
        ({"omega": [0.0, 0.0, 0.0]}, "'omega': unknown; the fields are .*qddot"),
        ({7: 0}, "field 7: unknown"),
    ],
)
def test_broken_data_name_the_field_and_what_would_be_right(change, message):
    with pytest.raises(FrameError, match=message):
        MovingFrame.from_dict(good() | change)


@pytest.mark.parametrize("field", ["type", "version", "r", "q", "rdot", "qdot", "rddot", "qddot"])
def test_a_missing_field_is_named(field):
    data = good()
    del data[field]
    with pytest.raises(RedMaxError, match=f"'{field}': missing"):
        MovingFrame.from_dict(data)


def test_names_may_be_missing():
    data = good()
    del data["origin"], data["base"]
    assert MovingFrame.from_dict(data).names == (None, None)


@pytest.mark.parametrize("data", [None, [], "Frame", 3])
def test_data_of_another_kind_are_refused(data):
    with pytest.raises(FrameError, match="not a mapping"):
        Frame.from_dict(data)
    with pytest.raises(FrameError, match="not a mapping"):
        frame_from_dict(data)


@pytest.mark.parametrize("tag", ["Body", None, 3, ["Frame"]])
def test_an_unknown_type_tag_is_refused(tag):
    with pytest.raises(FrameError, match=r"'type'.*'Frame' or 'MovingFrame'"):
        frame_from_dict({"type": tag})
