# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is written into a formula, it is a named error within a second, and nothing of it is run."""

from __future__ import annotations

import builtins
import json
import os
import time

import numpy as np
import pytest

from redmax import io
from redmax.errors import SceneError
from redmax.joints import Custom
from redmax.symbolic.written import Chart, Texts, WrittenError, written

ATTRIBUTES = [
    *(
        "q1.__class__",
        "q1.real",
        "().__class__",
        "''.join",
        "pi.__add__(1)",
        "sin.__globals__",
        "(1).__class__.__mro__",
    ),
    *("q1.__class__.__base__.__subclasses__()", "cos.__code__", "q1 .x", "sin(q1).a", "1.0.real", "1..imag", "q1.q1"),
    *("(q1).real", "pi.real", "sqrt.__call__(4)", "f'{q1}'.x", "T.__init__", "Rz.__class__", "q1.__dict__"),
]
CALLS = [
    *("__import__('os').system('touch owned')", "eval('1')", "exec('1')", "open('owned', 'w')", "print(q1)", "input()"),
    *("compile('1', '', 'eval')", "globals()", "locals()", "vars()", "dir()", "getattr(q1, 'x')", "type(q1)", "id(q1)"),
    *("breakpoint()", "exit()", "quit()", "help()", "abs(q1)", "max(q1, 1)", "min(1, q1)", "sum(q1)", "range(10)"),
    *(
        "sin()",
        "sin(q1, q1)",
        "sin(x=q1)",
        "sin(*q1)",
        "sin(**q1)",
        "atan2(q1)",
        "sin(q1)(q1)",
        "q1(1)",
        "pi()",
        "1(2)",
    ),
    *("(sin)(q1)(2)", "sin sin q1", "Rz(q1)", "Tx(1)", "lambda: 1", "(lambda x: x)(q1)", "sin", "atan2", "sqrt + 1"),
    *(
        "os.system('touch owned')",
        "subprocess.run('touch owned')",
        "__builtins__",
        "__name__",
        "__file__",
        "exec",
        "str(1)",
    ),
]
SYNTAX = [
    *("", " ", "\t", "+", "q1 +", "* q1", "q1 q1", "(q1", "q1)", "()", "((", "q1 ** ", "/ 2", "q1 // 2", "q1 % 2"),
    *("q1 @ q1", "q1 & 1", "q1 | 1", "q1 ^ 2", "~q1", "q1 << 1", "q1 >> 1", "not q1", "q1 and 1", "q1 or 1", "q1 < 1"),
    *("q1 == 1", "q1 != 1", "q1 is 1", "q1 in 1", "1 if q1 else 2", "[q1]", "{q1}", "{1: q1}", "(q1, 1)", "q1, 1"),
    *("q1[0]", "q1[:]", "[x for x in q1]", "{x for x in q1}", "(x for x in q1)", "q1 = 1", "q1 := 1", "(q1 := 1)"),
    *("'text'", '"text"', "b'text'", "f'{q1}'", "r'x'", "None", "True", "False", "...", "yield q1", "await q1"),
    *(
        "import os",
        "from os import *",
        "del q1",
        "pass",
        "return q1",
        "raise q1",
        "assert q1",
        "global q1",
        "class A: 1",
    ),
    *(
        "def f(): 1",
        "while 1: 1",
        "for x in q1: 1",
        "with q1: 1",
        "try: 1",
        "q1\nq1",
        "q1\r\n+1",
        "q1 # comment",
        "q1\\",
    ),
    *(
        "q1; __import__('os')",
        "1_000",
        "0x10",
        "0b1",
        "0o7",
        "1j",
        "q1 + 2j",
        "1e",
        "e1e1",
        "1.2.3",
        "1..2",
        ".",
        "0777",
    ),
    *(
        "$q1",
        "q1?",
        "@q1",
        "`q1`",
        "!q1",
        "q1!",
        "q2",
        "q0",
        "Q1",
        "unknown",
        "_",
        "__",
        "_q1",
        "q1_",
        "x",
        "r11",
        "m1",
    ),
]
UNICODE = [
    *(
        "q１",
        "ｑ1",
        "π",
        "q1 × 2",
        "q1 − 1",
        "½",
        "²",
        "q1²",
        "∞",
        "ｓｉｎ(q1)",
        "\u202eq1",
        "q1\u200b",
        "é",
        "𝑞1",
        "٣",
    ),
    *("q1\x00", "\x07", "q1\x1b[2J", "\ufeffq1", "q1\u2028q1", "日本", "sin（q1）", "q1\xa0+ 1", "\ud800", "😀"),
]
HUGE = [
    *("9**9**9**9", "10**1000", "q1**1000", "q1**65", "2**(2**100)", "1e400", "1e308 * 10", "exp(1000)", "9" * 3999),
    *(
        "q1**q1",
        "2**q1",
        "q1**-65",
        "(1e300)**2",
        "sqrt(-1)",
        "log(0)",
        "log(-1)",
        "1 / 0",
        "q1 / 0",
        "0 / 0",
        "1 / (1 - 1)",
    ),
    *("acos(2)", "asin(-2)", "0**-1", "(-1)**0.5", "q1**(1/0)", "tan(1e308 * 1e308)", "exp(exp(exp(9)))", "cosh(1000)"),
]
DEEP = [
    *("(" * 31 + "q1" + ")" * 31, "(" * 3000, "-" * 3000 + "q1", "-" * 9 + "q1", "+" * 2000 + "1", "sin(" * 900 + "q1"),
    *(
        "sin(" * 40 + "q1" + ")" * 40,
        "q1**" * 900 + "1",
        "q1**" * 40 + "1",
        "q1+" * 3000 + "q1",
        "[" * 500,
        "((((" * 400,
    ),
    *(
        "not " * 900 + "q1",
        "q1" * 2500,
        "q1 if " * 400 + "1",
        "- -" * 1000 + "q1",
        ")" * 4000,
        "," * 4000,
        "a." * 1500 + "b",
    ),
]
TEXTS = [*ATTRIBUTES, *CALLS, *SYNTAX, *UNICODE, *HUGE, *DEEP]


def test_there_are_at_least_two_hundred():
    assert len(set(TEXTS)) >= 200


@pytest.fixture
def nothing_is_run(monkeypatch, tmp_path):
    def refused(*_, **__):
        raise AssertionError("text was run")

    monkeypatch.chdir(tmp_path)
    for name in ("eval", "exec", "open", "input", "print"):
        monkeypatch.setattr(builtins, name, refused)
    monkeypatch.setattr(os, "system", refused)
    yield
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:30].replace("/", "|"))
def test_a_hostile_text_is_an_error_by_name(text, nothing_is_run):
    for texts in (
        Texts("q1: rad", "", (Chart(f"Rz({text})"),)),
        Texts("q1: rad", "", (Chart(text),)),
        Texts("q1: rad", f"c = {text}", (Chart("Rz(q1)"),)),
        Texts(text, "", (Chart("Rz(q1)"),)),
    ):
        start = time.perf_counter()
        if texts.charts[0].transform == "Rz(q1)" and not text.strip() and texts.coordinates == "q1: rad":
            continue  # no text is no constant, which is right
        if texts.charts[0].transform in ("Rz(q1)", "Tx(1)") and not texts.constants and texts.coordinates == "q1: rad":
            continue  # a motion, which is right as a transform
        with pytest.raises(WrittenError) as error:
            written(texts)
        assert error.value.what
        assert error.value.hint
        assert time.perf_counter() - start < 1.0


def test_an_error_says_where_and_what_is_allowed():
    for transform, expected in {
        "Rz(q1) * Tx(lenght)": "has the unknown name 'lenght' at character 13 of 'Rz(q1) * Tx(lenght)'",
        "Rz(q1.real)": "has '.' at character 6",
        "Rz(q1) * Tx(abs(q1))": "calls 'abs' at character 13",
        "Rz(q1) + Tx(1)": "has a factor that is no motion at character 1",
        "Rz(q1) * Tx(1 / 0)": "has no value: it divides by 0 at character 13",
        "Rz(q1) * Tx((2 + q1)": "opens a parenthesis at character 12 of 'Rz(q1) * Tx((2 + q1)' and does not close it",
        "Rz(q1)) * Tx(1": "closes a parenthesis at character 7 of 'Rz(q1)) * Tx(1' that was not opened",
        "Rz(q1) *": "ends with '*' at character 8",
        "Rz(q1,": "ends with ',' at character 6",
        "Rz(q1, 2)": "gives Rz 2 arguments at character 1",
    }.items():
        with pytest.raises(WrittenError) as error:
            written(Texts("q1: rad", "", (Chart(transform),)))
        assert expected in str(error.value), transform
    assert "known functions are sin, cos" in str(_error("Rz(foo(q1))"))
    assert "known are q1, rise, pi" in str(_error("Rz(q2)", "rise = 1"))


def _error(transform, constants=""):
    with pytest.raises(WrittenError) as error:
        written(Texts("q1: rad", constants, (Chart(transform),)))
    return error.value


@pytest.mark.parametrize(
    ("coordinates", "expected"),
    {
        "": "has 0 coordinates",
        "a": "has a coordinate 'a' with the unit ''",
        "a: kg": "with the unit 'kg'",
        "a: rad; a: m": "names 'a' twice",
        "sin: rad": "has the name 'sin', which means something",
        "q2: rad": "calls coordinate 1 'q2'",
        "a: rad;; b: m": "has nothing between two semicolons",
        "; ".join(f"x{k}: m" for k in range(7)): "has 7 coordinates",
        "lambda: rad": "has the name 'lambda'",
    }.items(),
)
def test_coordinates_that_cannot_be(coordinates, expected):
    with pytest.raises(WrittenError) as error:
        written(Texts(coordinates, "", (Chart("Rz(1)"),)))
    assert error.value.where == "coordinates"
    assert expected in str(error.value)


def scene(**fields):
    body = {"name": "body", "shapes": [{"kind": "box", "size": [0.1, 0.2, 0.3], "density": 500.0}]}
    joint = {"kind": "custom", "name": "joint", "parent": None, "child": "body", **fields}
    return json.dumps({"format": "redmax-scene", "version": 1, "bodies": [body], "joints": [joint]})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"transform": "Rz(q1) * Tx(1 / q1)"}, "no pose at the start: a division by 0"),
        ({"transform": "Rz(q1) * Tx(sqrt(q1 - 1))"}, "no pose at the start: a root of a negative number"),
        (
            {"transform": "Rz(q1) * Tx(log(q1 - 1))"},
            "no pose at the start: a logarithm of a number that is not above 0",
        ),
        ({"transform": "Tx(q1**2)", "coordinates": "q1: m"}, "do not move it independently at the start"),
        ({"transform": "Rz(q1 + b)", "coordinates": "q1: rad; b: rad"}, "do not move it independently at the start"),
        ({"transform": "Rz(q1)", "coordinates": "q1: rad; b: rad"}, "does not move with the coordinate 'b'"),
        ({"transform": "Rz(1)"}, "does not move with the coordinate 'q1'"),
        ({"transform": 3}, "transform is 3"),
        ({"transform": "Rz(q1)", "charts": [{"transform": "Rz(q1)", "from_pose": ""}]}, "from_pose of chart 0"),
        ({"transform": "R(0, 0, 0, q1)"}, "the axis of R is zero"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_scene_says_what_is_wrong_with_a_joint(fields, expected):
    with pytest.raises(SceneError, match="joint 'joint'") as error:
        io.loads(scene(**fields))
    assert expected in str(error.value)


def test_a_half_typed_joint_answers_with_nan():
    """Panels ask joints while somebody types."""
    joint = Custom.part(transform="Rz(q1")
    assert joint.dof_names == ("q1",)
    assert np.isnan(joint.motion(np.zeros(1), np.zeros(1)).S).all()
    assert Custom.part(coordinates="a: ").dof_names == ()
