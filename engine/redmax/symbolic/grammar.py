# SPDX-License-Identifier: GPL-3.0-or-later
"""What people may write in a formula, and how it is read: never run, only looked at.

A text is split into words that are all known to be harmless, parsed by Python's `ast`, and walked: numbers, names,
+ - * / **, and the functions of FUNCTIONS become nodes of a graph. Everything else is an error that says where.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .graph import FormulaError, Graph, Node

LONGEST_TEXT = 4000
DEEPEST = 30
"""Parentheses within each other."""
MOST_SIGNS = 8
"""Signs before a number, one after another, as in --x."""
LARGEST_POWER = 64.0

WORD = re.compile(
    r"[ \t]*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/(),]))"
)
ALLOWED = "write numbers, names, + - * / ** and parentheses"


def _tangent(g: Graph, a: Node) -> Node:
    return g.sine(a) / g.cosine(a)


def _hyperbolic_sine(g: Graph, a: Node) -> Node:
    return 0.5 * (g.exponential(a) - g.exponential(-a))


def _hyperbolic_cosine(g: Graph, a: Node) -> Node:
    return 0.5 * (g.exponential(a) + g.exponential(-a))


def _hyperbolic_tangent(g: Graph, a: Node) -> Node:
    return 1.0 - 2.0 / (g.exponential(2.0 * a) + 1.0)


def _arc_sine(g: Graph, a: Node) -> Node:
    return g.arc_tangent(a, g.square_root((1.0 - a) * (1.0 + a)))


def _arc_cosine(g: Graph, a: Node) -> Node:
    return g.arc_tangent(g.square_root((1.0 - a) * (1.0 + a)), a)


FUNCTIONS: dict[str, tuple[int, Callable[..., Node]]] = {
    "sin": (1, Graph.sine),
    "cos": (1, Graph.cosine),
    "tan": (1, _tangent),
    "asin": (1, _arc_sine),
    "acos": (1, _arc_cosine),
    "atan": (1, lambda g, a: g.arc_tangent(a, g.one)),
    "atan2": (2, Graph.arc_tangent),
    "sqrt": (1, Graph.square_root),
    "exp": (1, Graph.exponential),
    "log": (1, Graph.logarithm),
    "sinh": (1, _hyperbolic_sine),
    "cosh": (1, _hyperbolic_cosine),
    "tanh": (1, _hyperbolic_tangent),
}
"""Functions of formulas with their number of arguments; all are smooth, as the motion of a joint has to be."""

CONSTANTS = {"pi": math.pi}


class Motion(NamedTuple):
    """One factor of a transform: its name, such as Rz, and its arguments."""

    name: str
    arguments: tuple[Node, ...]


EULER = tuple(f"euler_{a}{b}{c}" for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c)

MOTIONS: dict[str, int] = {"Tx": 1, "Ty": 1, "Tz": 1, "T": 3, "Rx": 1, "Ry": 1, "Rz": 1, "R": 4} | dict.fromkeys(
    EULER, 3
)
"""Factors of a transform with their number of arguments: translations along x, y, z or all three, rotations about x, y,
z or by axis and angle, and three angles in the order of their axes."""

RESERVED = frozenset((*FUNCTIONS, *MOTIONS, *CONSTANTS, *keyword.kwlist))


class GrammarError(FormulaError):
    """A text that is no formula. what: in words, with the place in the text. hint: what would be right."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what, self.hint = what, hint


def at(text: str, position: int) -> str:
    """A place in a text, in words."""
    return f"at character {position + 1} of '{text if len(text) <= 60 else text[:57] + '...'}'"


def formula(graph: Graph, names: Mapping[str, Node], text: str) -> Node:
    """The value of a text. names: what it may refer to. Raises GrammarError or FormulaError."""
    return _Reader(graph, names, text).value(_parsed(text))


def transform(graph: Graph, names: Mapping[str, Node], text: str) -> list[Motion]:
    """The factors of a text such as 'Rz(q1) * Tx(length)', from the parent to the child."""
    tree, reader = _parsed(text), _Reader(graph, names, text)
    factors: list[ast.expr] = []
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        factors.append(tree.right)
        tree = tree.left
    return [reader.motion(factor) for factor in (tree, *reversed(factors))]


def statements(text: str) -> list[str]:
    """The parts of a text between semicolons; none is empty but the last."""
    parts = [part.strip() for part in text.split(";")]
    if not parts[-1]:
        parts.pop()
    if not all(parts):
        raise GrammarError("has nothing between two semicolons", "write one formula between them")
    return parts


def check_name(name: str, taken: Mapping[str, object] | set[str]) -> None:
    """Raises GrammarError where a name cannot be given to something new."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,30}", name):
        raise GrammarError(f"has the name {name[:40]!r}", "give a word of at most 31 letters and digits")
    if name in RESERVED:
        raise GrammarError(f"has the name '{name}', which means something in formulas", "give another name")
    if name in taken:
        raise GrammarError(f"names '{name}' twice", "give different names")


def _parsed(text: str) -> ast.expr:
    """The text as a tree, once every word of it is known to be harmless."""
    if len(text) > LONGEST_TEXT:
        raise GrammarError(f"has {len(text)} characters", f"write at most {LONGEST_TEXT}")
    if not text.strip():
        raise GrammarError("is empty", "write a formula")
    _check_words(text)
    try:
        return ast.parse(text.strip(" \t"), mode="eval").body
    except SyntaxError as error:
        offset = len(text) - len(text.lstrip(" \t"))
        raise GrammarError(f"cannot be read {at(text, offset + max(0, (error.offset or 1) - 1))}", ALLOWED) from None
    except (ValueError, MemoryError, RecursionError, OverflowError):
        raise GrammarError("is too long or too deep", "make it shorter, with constants for its parts") from None


def _check_words(text: str) -> None:
    place, signs, powers, was_sign, word = 0, 0, 0, True, ""
    opened: list[int] = []  # places of parentheses that are not closed yet
    end = len(text.rstrip(" \t"))
    while place < end:
        found = WORD.match(text, place)
        if found is None:
            start = place + len(text[place:]) - len(text[place:].lstrip(" \t"))
            raise GrammarError(f"has {text[start]!r} {at(text, start)}", ALLOWED)
        start, place = found.start(found.lastgroup or 0), found.end()
        word = found.group(found.lastgroup or 0)
        if found["name"] and keyword.iskeyword(word):
            raise GrammarError(f"has the word '{word}' {at(text, start)}", ALLOWED)
        if found["sign"] is None and not was_sign:
            raise GrammarError(f"has two words without a sign between them {at(text, start)}", ALLOWED)
        was_sign = found["sign"] is not None
        if word == "(":
            opened.append(start)
        elif word == ")" and opened:
            opened.pop()
        elif word == ")":
            raise GrammarError(f"closes a parenthesis {at(text, start)} that was not opened", "take it away")
        signs = signs + 1 if word in ("+", "-") else 0
        powers += word == "**"
        if len(opened) > DEEPEST or signs > MOST_SIGNS or powers > DEEPEST:
            raise GrammarError(f"is nested too deep {at(text, start)}", "write it with fewer parentheses and signs")
    if was_sign and word not in ("(", ")"):
        raise GrammarError(f"ends with '{word}' {at(text, start)}", "write what comes after it")
    if opened:
        raise GrammarError(f"opens a parenthesis {at(text, opened[-1])} and does not close it", "close it with )")


class _Reader:
    """Walks the tree of a text."""

    def __init__(self, graph: Graph, names: Mapping[str, Node], text: str) -> None:
        self._graph, self._names, self._text = graph, names, text

    def _refused(self, node: ast.expr, what: str, hint: str = ALLOWED) -> GrammarError:
        offset = len(self._text) - len(self._text.lstrip(" \t"))
        return GrammarError(f"{what} {at(self._text, offset + node.col_offset)}", hint)

    def value(self, node: ast.expr) -> Node:
        later: list[tuple[ast.BinOp, ast.expr]] = []
        while isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Pow):  # a long sum leans to the left
            later.append((node, node.right))
            node = node.left
        result = self._term(node)
        for operation, right in reversed(later):
            result = self._computed(operation, result, self.value(right))
        return result

    def _term(self, node: ast.expr) -> Node:
        match node:
            case ast.Constant(value=bool()):
                raise self._refused(node, f"has {node.value!r}")
            case ast.Constant(value=int() | float()):
                return self._number(node)
            case ast.Name():
                return self._named(node)
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(node.operand)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.value(node.operand)
            case ast.BinOp(op=ast.Pow()):
                return self._power(node)
            case ast.Call(func=ast.Name()):
                return self._called(node)
        raise self._refused(node, "has something that is no formula")

    def _number(self, node: ast.Constant) -> Node:
        try:
            return self._graph.constant(float(node.value))  # type: ignore[arg-type]
        except (OverflowError, FormulaError):
            raise self._refused(node, "has a number that is too large", "write a smaller one") from None

    def _named(self, node: ast.Name) -> Node:
        if node.id in self._names:
            return self._names[node.id]
        if node.id in CONSTANTS:
            return self._graph.constant(CONSTANTS[node.id])
        if node.id in FUNCTIONS:
            raise self._refused(node, f"has '{node.id}' without an argument", f"write {node.id}(...)")
        known = ", ".join((*self._names, *CONSTANTS))
        raise self._refused(node, f"has the unknown name '{node.id[:40]}'", f"known are {known}")

    def _computed(self, node: ast.BinOp, a: Node, b: Node) -> Node:
        try:
            match node.op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
        except FormulaError as error:
            raise self._refused(node, f"has no value: {error}", "change what is computed here") from None
        raise self._refused(node, "has an operation that formulas do not know")

    def _power(self, node: ast.BinOp) -> Node:
        base, exponent = self.value(node.left), self.value(node.right)
        if not exponent.is_constant:
            hint = "write exp(b * log(a)) for a ** b with a changing b"
            raise self._refused(node.right, "has a power that is no constant", hint)
        if abs(exponent.value) > LARGEST_POWER:
            raise self._refused(
                node.right, f"has the power {exponent.value:g}", f"write powers of at most {LARGEST_POWER:g}"
            )
        try:
            return self._graph.power(base, exponent.value)
        except FormulaError as error:
            raise self._refused(node, f"has no value: {error}", "change what is computed here") from None

    def _called(self, node: ast.Call) -> Node:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in MOTIONS:
            raise self._refused(node, f"has the motion {name} inside a formula", "write motions as factors only")
        if name not in FUNCTIONS:
            raise self._refused(node, f"calls '{name[:40]}'", f"known functions are {', '.join(FUNCTIONS)}")
        count, function = FUNCTIONS[name]
        arguments = self._arguments(node, name, count)
        try:
            return function(self._graph, *arguments)
        except FormulaError as error:
            raise self._refused(node, f"has no value: {error}", "change what is computed here") from None

    def _arguments(self, node: ast.Call, name: str, count: int) -> list[Node]:
        if node.keywords or len(node.args) != count:
            given = len(node.args) + len(node.keywords)
            raise self._refused(node, f"gives {name} {given} arguments", f"give it {count}")
        return [self.value(each) for each in node.args]

    def motion(self, node: ast.expr) -> Motion:
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if not isinstance(node, ast.Call) or name not in MOTIONS:
            hint = f"write a product of {', '.join(list(MOTIONS)[:8])} and {EULER[0]} or other orders"
            raise self._refused(node, "has a factor that is no motion", hint)
        return Motion(name, tuple(self._arguments(node, name, MOTIONS[name])))
