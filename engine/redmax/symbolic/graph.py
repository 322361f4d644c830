# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas as a graph in which equal parts are one node: simplified while they are built, and differentiated exactly.

A node is found by its operation and its operands, so common subexpressions are shared from the start, and sums with 0,
products with 0 and 1 and operations on constants never come into being.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import IntEnum

from ..errors import RedMaxError

MOST_NODES = 60_000
"""Formulas of one joint beyond this are refused: they would take seconds to derive."""


DUST = 2.0**-53
"""Sines and cosines of constants above 1 rad that are smaller than this times the angle are 0."""


class Op(IntEnum):
    """What a node computes from its operands a and b; CONSTANT and INPUT have none. Numbers are those of tapes."""

    CONSTANT = 0
    INPUT = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    NEGATE = 6
    SINE = 7
    COSINE = 8
    SQUARE_ROOT = 9
    EXPONENTIAL = 10
    LOGARITHM = 11
    POWER = 12
    ARC_TANGENT = 13


BINARY = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER, Op.ARC_TANGENT)

VALUES: dict[Op, Callable[..., float]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
    Op.DIVIDE: lambda a, b: a / b,
    Op.NEGATE: lambda a: -a,
    Op.SINE: math.sin,
    Op.COSINE: math.cos,
    Op.SQUARE_ROOT: math.sqrt,
    Op.EXPONENTIAL: math.exp,
    Op.LOGARITHM: math.log,
    Op.POWER: math.pow,
    Op.ARC_TANGENT: math.atan2,
}


class FormulaError(RedMaxError):
    """A formula that has no value, or is too long."""


class Node:
    """A number that depends on inputs; arithmetic on nodes makes nodes."""

    __slots__ = ("a", "b", "graph", "index", "op", "value")

    def __init__(self, graph: Graph, index: int, op: Op, a: Node | None, b: Node | None, value: float) -> None:
        self.graph, self.index, self.op, self.a, self.b, self.value = graph, index, op, a, b, value

    @property
    def operands(self) -> tuple[Node, ...]:
        return tuple(each for each in (self.a, self.b) if each is not None)

    @property
    def is_constant(self) -> bool:
        return self.op == Op.CONSTANT

    def equals(self, value: float) -> bool:
        return self.op == Op.CONSTANT and self.value == value

    def __add__(self, other: Node | float) -> Node:
        return self.graph.add(self, self.graph.node(other))

    def __radd__(self, other: float) -> Node:
        return self.graph.add(self.graph.node(other), self)

    def __sub__(self, other: Node | float) -> Node:
        return self.graph.subtract(self, self.graph.node(other))

    def __rsub__(self, other: float) -> Node:
        return self.graph.subtract(self.graph.node(other), self)

    def __mul__(self, other: Node | float) -> Node:
        return self.graph.multiply(self, self.graph.node(other))

    def __rmul__(self, other: float) -> Node:
        return self.graph.multiply(self.graph.node(other), self)

    def __truediv__(self, other: Node | float) -> Node:
        return self.graph.divide(self, self.graph.node(other))

    def __rtruediv__(self, other: float) -> Node:
        return self.graph.divide(self.graph.node(other), self)

    def __neg__(self) -> Node:
        return self.graph.negate(self)


class Graph:
    """Nodes over `inputs` inputs. most: how many there may be."""

    def __init__(self, inputs: int, *, most: int = MOST_NODES) -> None:
        self._most = most
        self._known: dict[tuple[object, ...], Node] = {}
        self.inputs = [self._made(Op.INPUT, key=(Op.INPUT, k)) for k in range(inputs)]
        self.zero, self.one = self.constant(0.0), self.constant(1.0)

    def __len__(self) -> int:
        return len(self._known)

    def constant(self, value: float) -> Node:
        value = float(value) + 0.0  # one zero, without a sign
        if not math.isfinite(value):
            raise FormulaError("a constant part of the formula is not a finite number")
        return self._made(Op.CONSTANT, value=value, key=(Op.CONSTANT, value))

    def node(self, value: Node | float) -> Node:
        return value if isinstance(value, Node) else self.constant(value)

    def _made(
        self, op: Op, a: Node | None = None, b: Node | None = None, *, value: float = 0.0, key: tuple[object, ...] = ()
    ) -> Node:
        key = key or (op, -1 if a is None else a.index, -1 if b is None else b.index)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self._most:
                raise FormulaError(f"it has more than {self._most} operations; make it shorter")
            found = self._known[key] = Node(self, len(self._known), op, a, b, value)
        return found

    def _folded(self, op: Op, *operands: Node) -> Node:
        """The node, or its value where all operands are constants."""
        if not all(each.is_constant for each in operands):
            return self._made(op, *operands)
        values = [each.value for each in operands]
        try:
            return self.constant(VALUES[op](*values))
        except (ValueError, ArithmeticError):
            name, shown = op.name.lower().replace("_", " "), ", ".join(f"{value:g}" for value in values)
            raise FormulaError(f"{name} of {shown} is not a finite number") from None

    def add(self, a: Node, b: Node) -> Node:
        if a.equals(0.0):
            return b
        if b.equals(0.0):
            return a
        if b.op == Op.NEGATE and b.a is not None:
            return self.subtract(a, b.a)
        if a.op == Op.NEGATE and a.a is not None:
            return self.subtract(b, a.a)
        return self._folded(Op.ADD, *sorted((a, b), key=_index))

    def subtract(self, a: Node, b: Node) -> Node:
        if b.equals(0.0):
            return a
        if a is b:
            return self.zero
        if a.equals(0.0):
            return self.negate(b)
        if b.op == Op.NEGATE and b.a is not None:
            return self.add(a, b.a)
        if a.op == Op.NEGATE and a.a is not None:
            return self.negate(self.add(a.a, b))
        if not (a.is_constant and b.is_constant) and b.index < a.index:  # a - b and b - a are one node
            return self._made(Op.NEGATE, self._made(Op.SUBTRACT, b, a))
        return self._folded(Op.SUBTRACT, a, b)

    def multiply(self, a: Node, b: Node) -> Node:
        if a.equals(0.0) or b.equals(0.0):
            return self.zero
        if a.equals(1.0):
            return b
        if b.equals(1.0):
            return a
        if a.op == Op.NEGATE and a.a is not None:
            return self.negate(self.multiply(a.a, b))
        if b.op == Op.NEGATE and b.a is not None:
            return self.negate(self.multiply(a, b.a))
        if a.is_constant and not b.is_constant and a.value < 0.0:
            return self.negate(self.multiply(self.constant(-a.value), b))
        if b.is_constant and not a.is_constant and b.value < 0.0:
            return self.negate(self.multiply(a, self.constant(-b.value)))
        return self._folded(Op.MULTIPLY, *sorted((a, b), key=_index))

    def divide(self, a: Node, b: Node) -> Node:
        if b.equals(0.0):
            raise FormulaError("it divides by 0")
        if a.equals(0.0):
            return self.zero
        if a is b:
            return self.one
        if b.is_constant:
            inverse = self._folded(Op.DIVIDE, self.one, b)
            return self._folded(Op.DIVIDE, a, b) if a.is_constant else self.multiply(a, inverse)
        if a.op == Op.NEGATE and a.a is not None:
            return self.negate(self.divide(a.a, b))
        if b.op == Op.NEGATE and b.a is not None:
            return self.negate(self.divide(a, b.a))
        return self._folded(Op.DIVIDE, a, b)

    def negate(self, a: Node) -> Node:
        return a.a if a.op == Op.NEGATE and a.a is not None else self._folded(Op.NEGATE, a)

    def sine(self, a: Node) -> Node:
        if a.op == Op.NEGATE and a.a is not None:
            return self.negate(self.sine(a.a))
        return self._without_dust(self._folded(Op.SINE, a), a)

    def cosine(self, a: Node) -> Node:
        return self._without_dust(self._folded(Op.COSINE, a.a if a.op == Op.NEGATE and a.a is not None else a), a)

    def _without_dust(self, value: Node, angle: Node) -> Node:
        """0 for a constant that is no more than the rounding of its angle, such as sin(pi)."""
        is_dust = value.is_constant and angle.is_constant and abs(value.value) <= DUST * abs(angle.value)
        return self.zero if is_dust and abs(angle.value) > 1.0 else value

    def square_root(self, a: Node) -> Node:
        return self._folded(Op.SQUARE_ROOT, a)

    def exponential(self, a: Node) -> Node:
        return self._folded(Op.EXPONENTIAL, a)

    def logarithm(self, a: Node) -> Node:
        return self._folded(Op.LOGARITHM, a)

    def arc_tangent(self, y: Node, x: Node) -> Node:
        return self._folded(Op.ARC_TANGENT, y, x)

    def power(self, a: Node, exponent: float) -> Node:
        """a to a constant power: products for whole ones up to 16, a root for a half."""
        if a.is_constant:
            return self._folded(Op.POWER, a, self.constant(exponent))
        if exponent == 0.0:
            return self.one
        if exponent < 0.0:
            return self.divide(self.one, self.power(a, -exponent))
        if exponent == 0.5:
            return self.square_root(a)
        if exponent > 16.0 or exponent != math.floor(exponent):
            return self._folded(Op.POWER, a, self.constant(exponent))
        whole, result, square = int(exponent), self.one, a
        while whole:
            if whole & 1:
                result = self.multiply(result, square)
            whole >>= 1
            if whole:
                square = self.multiply(square, square)
        return result


def _index(node: Node) -> int:
    return node.index


def reached(roots: Sequence[Node]) -> list[Node]:
    """All nodes that the roots depend on, operands before what uses them."""
    found: dict[int, Node] = {}
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node.index not in found:
            found[node.index] = node
            pending.extend(node.operands)
    return [found[index] for index in sorted(found)]


class Derivative:
    """Derivative along a direction: the inputs change at given rates. rates: of each input, a node or 0.

    With unit rates of one input this is the partial derivative, with qdot as rates the one with respect to time.
    """

    def __init__(self, graph: Graph, rates: Sequence[Node | float]) -> None:
        self._graph = graph
        self._found = {node.index: graph.node(rate) for node, rate in zip(graph.inputs, rates, strict=True)}

    def __call__(self, node: Node) -> Node:
        if node.index not in self._found:
            for each in reached([node]):
                if each.index not in self._found:
                    self._found[each.index] = self._of(each)
        return self._found[node.index]

    def _of(self, node: Node) -> Node:
        g, a, b = self._graph, node.a, node.b
        if a is None:
            return g.zero
        da = self._found[a.index]
        if b is None:
            return g.zero if da.equals(0.0) else _chain(g, node, a, da)
        db = self._found[b.index]
        if da.equals(0.0) and db.equals(0.0):
            return g.zero
        match node.op:
            case Op.ADD:
                return da + db
            case Op.SUBTRACT:
                return da - db
            case Op.MULTIPLY:
                return da * b + a * db
            case Op.DIVIDE:
                return (da - node * db) / b
            case Op.POWER:  # the exponent is a constant
                return b * g.power(a, b.value - 1.0) * da
            case Op.ARC_TANGENT:  # atan2(a, b)
                return (da * b - a * db) / (a * a + b * b)
        raise AssertionError(node.op)


def _chain(g: Graph, node: Node, a: Node, da: Node) -> Node:
    """Derivative of a function of one operand a, which changes at the rate da."""
    match node.op:
        case Op.NEGATE:
            return -da
        case Op.SINE:
            return g.cosine(a) * da
        case Op.COSINE:
            return -(g.sine(a) * da)
        case Op.SQUARE_ROOT:
            return da / (2.0 * node)
        case Op.EXPONENTIAL:
            return node * da
        case Op.LOGARITHM:
            return da / a
    raise AssertionError(node.op)
