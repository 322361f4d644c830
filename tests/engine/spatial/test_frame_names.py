# SPDX-License-Identifier: GPL-3.0-or-later
"""CHRONO16 Table 2 (with its errata): how names pass through the operators, and which chains are refused."""

import numpy as np
import pytest

from redmax.errors import RedMaxError
from redmax.spatial.frame import Frame
from redmax.spatial.frame_names import FrameChainError, FrameNames
from redmax.spatial.moving_frame import MovingFrame

kinds = pytest.mark.parametrize("kind", [Frame, MovingFrame])


def test_rshift_links_base_to_origin_and_keeps_the_outer_names():
    assert (Frame(origin="c", base="b") >> Frame(origin="b", base="a")).names == ("c", "a")


def test_mul_links_origin_to_base_and_keeps_the_outer_names():
    assert (Frame(origin="b", base="a") * Frame(origin="c", base="b")).names == ("c", "a")


def test_lshift_links_the_bases():
    assert (Frame(origin="c", base="a") << Frame(origin="b", base="a")).names == ("c", "b")


def test_mod_links_the_bases():
    assert (Frame(origin="b", base="a") % Frame(origin="c", base="a")).names == ("c", "b")


@kinds
def test_the_inverse_swaps_the_names(kind):
    assert (~kind(origin="a", base="b")).names == ("b", "a")


@kinds
def test_lshift_and_mod_name_the_result_as_the_composed_form_does(kind):
    a, b = kind(origin="a", base="m"), kind(origin="b", base="m")
    assert (a << b).names == (a >> ~b).names == ("a", "b")
    assert (a % b).names == (~a * b).names == ("b", "a")


def test_in_place_rshift_checks_base_against_origin_and_takes_the_base_of_the_operand():
    # Erratum: Table 2 prints Res.base == Op.base and Res.base = Op.origin, which is the rule of <<=.
    chain = Frame(origin="c", base="b")
    chain >>= Frame(origin="b", base="a")
    assert chain.names == ("c", "a")
    with pytest.raises(FrameChainError):
        chain >>= Frame(origin="b", base="a")
    assert chain.names == ("c", "a")


def test_in_place_mul_checks_origin_against_base_and_takes_the_origin_of_the_operand():
    chain = Frame(origin="b", base="a")
    chain *= Frame(origin="c", base="b")
    assert chain.names == ("c", "a")
    with pytest.raises(FrameChainError):
        chain *= Frame(origin="c", base="b")


def test_in_place_lshift_and_mod_check_the_bases():
    chain = Frame(origin="c", base="a")
    chain <<= Frame(origin="b", base="a")
    assert chain.names == ("c", "b")
    with pytest.raises(FrameChainError):
        chain <<= Frame(origin="b", base="a")
    chain = Frame(origin="b", base="a")
    chain %= Frame(origin="c", base="a")
    assert chain.names == ("c", "b")
    with pytest.raises(FrameChainError):
        chain %= Frame(origin="c", base="a")


@pytest.mark.parametrize(
    ("operation", "rule"),
    [
        (lambda a, b: a >> b, r"base of the left frame is 'world' but the origin of the right frame is 'hand'.*>>"),
        (lambda a, b: a * b, r"origin of the left frame is 'cup' but the base of the right frame is 'arm'.*\*"),
        (lambda a, b: a << b, r"base of the left frame is 'world' but the base of the right frame is 'arm'.*<<"),
        (lambda a, b: a % b, r"base of the left frame is 'world' but the base of the right frame is 'arm'.*%"),
    ],
    ids=[">>", "*", "<<", "%"],
)
@kinds
def test_a_wrong_chain_names_both_frames_and_the_rule(kind, operation, rule):
    cup, hand = kind(origin="cup", base="world"), Frame(origin="hand", base="arm")
    with pytest.raises(FrameChainError, match=rule) as caught:
        operation(cup, hand)
    message = str(caught.value)
    assert "'cup' in 'world'" in message
    assert "'hand' in 'arm'" in message
    assert "rule chi_" in message
    assert isinstance(caught.value, RedMaxError)


@kinds
def test_unnamed_frames_chain_with_anything(kind):
    named, unnamed = kind(origin="a", base="b"), kind()
    assert (named >> unnamed).names == ("a", None)
    assert (unnamed >> named).names == (None, "b")
    assert (unnamed * named).names == ("a", None)
    assert (named << unnamed).names == ("a", None)
    assert (named % unnamed).names == (None, "a")
    assert (unnamed >> unnamed).names == (None, None)
    assert (kind(origin="c") >> kind(base="d")).names == ("c", "d")


def test_numbers_name_frames_and_zero_is_a_name():
    assert (Frame(origin=2, base=0) >> Frame(origin=0, base=1)).names == (2, 1)
    with pytest.raises(FrameChainError, match="0"):
        Frame(origin=2, base=0) >> Frame(origin=1, base=3)
    with pytest.raises(FrameChainError):
        Frame(base="1") >> Frame(origin=1)


def test_names_can_be_given_and_taken_away_without_touching_the_numbers():
    frame = MovingFrame.from_rates((1, 2, 3), omega_local=(1, 0, 0))
    named = frame.named(origin="a", base="b")
    assert named.names == FrameNames("a", "b")
    assert named.named(origin=None, base=None) == frame
    assert named.frame.names == MovingFrame.promote(named.frame).names == ("a", "b")
    np.testing.assert_array_equal(named.qdot, frame.qdot)


def test_names_read_as_a_sentence():
    assert str(FrameNames("tool", 5)) == "'tool' in 5"
    assert str(FrameNames()) == "? in ?"
