# SPDX-License-Identifier: GPL-3.0-or-later
"""Q, S and Sdot of a product of motions, as nodes of one graph. Source: SG13 eq. 6-12.

The product grows from the parent to the child. A motion appended to it moves the twists so far into its own frame,
S <- Ad(E^-1) S, and adds its own; Sdot follows by d/dt Ad(E^-1) = -ad(twist) Ad(E^-1) (SG13 eq. 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .grammar import Motion
from .graph import Derivative, FormulaError, Graph, Node

Triple = tuple[Node, Node, Node]
Rotation = tuple[Triple, Triple, Triple]


class Pose:
    """A pose that depends on n coordinates q, inputs of a graph, whose rates qdot are inputs as well.

    R: rows of the rotation. p: position. S, Sdot: of each coordinate a turn and a slide, seen from the moved frame.
    """

    def __init__(self, graph: Graph, q: Sequence[Node], qdot: Sequence[Node]) -> None:
        g = self.graph = graph
        self.n, self.qdot = len(q), qdot
        rate = {coordinate.index: speed for coordinate, speed in zip(q, qdot, strict=True)}
        self._by = [Derivative(g, [float(each is coordinate) for each in g.inputs]) for coordinate in q]
        self._dot = Derivative(g, [rate.get(each.index, 0.0) for each in g.inputs])
        zero: Triple = (g.zero, g.zero, g.zero)
        self.R: Rotation = ((g.one, g.zero, g.zero), (g.zero, g.one, g.zero), (g.zero, g.zero, g.one))
        self.p: Triple = zero
        self.S: list[tuple[Triple, Triple]] = [(zero, zero)] * self.n
        self.Sdot: list[tuple[Triple, Triple]] = [(zero, zero)] * self.n

    def rates(self, node: Node) -> list[tuple[Node, Node]]:
        """Of each coordinate the partial derivative of a node, and the derivative of that with respect to time."""
        partial = [by(node) for by in self._by]
        return [(each, self._dot(each)) for each in partial]

    def rate(self, node: Node) -> Node:
        """Derivative of a node with respect to time."""
        return self._dot(node)

    def append(self, motions: Iterable[Motion]) -> None:
        for name, arguments in motions:
            match name:
                case "Tx" | "Ty" | "Tz":
                    self.move(_along("xyz".index(name[1]), arguments[0], self.graph.zero))
                case "T":
                    self.move((arguments[0], arguments[1], arguments[2]))
                case "Rx" | "Ry" | "Rz":
                    self.turn("xyz".index(name[1]), arguments[0])
                case "R":
                    self.turn_about((arguments[0], arguments[1], arguments[2]), arguments[3])
                case _:
                    for letter, angle in zip(name.removeprefix("euler_"), arguments, strict=True):
                        self.turn("xyz".index(letter), angle)

    def move(self, d: Triple) -> None:
        """Append a translation by d, in the axes so far."""
        self.p = added(self.p, applied(self.R, d))
        ddot: Triple = (self._dot(d[0]), self._dot(d[1]), self._dot(d[2]))
        each = [self.rates(x) for x in d]
        for k in range(self.n):
            (w, v), (wdot, vdot) = self.S[k], self.Sdot[k]
            own = (each[0][k][0], each[1][k][0], each[2][k][0])
            own_dot = (each[0][k][1], each[1][k][1], each[2][k][1])
            self.S[k] = w, added(added(v, cross(w, d)), own)
            self.Sdot[k] = wdot, added(added(vdot, added(cross(wdot, d), cross(w, ddot))), own_dot)

    def turn(self, axis: int, angle: Node) -> None:
        """Append a rotation about an axis of the frame so far."""
        g = self.graph
        c, s, o, i = g.cosine(angle), g.sine(angle), g.zero, g.one
        R: Rotation = (
            ((i, o, o), (o, c, -s), (o, s, c)),
            ((c, o, s), (o, i, o), (-s, o, c)),
            ((c, -s, o), (s, c, o), (o, o, i)),
        )[axis]
        turns = [(_along(axis, d, o), _along(axis, ddot, o)) for d, ddot in self.rates(angle)]
        self._rotate(R, turns)

    def turn_about(self, axis: Triple, angle: Node) -> None:
        """Append a rotation by an angle about a direction, which may itself depend on the coordinates."""
        g = self.graph
        square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]
        if square.equals(0.0):
            raise FormulaError("the axis of R is zero; give a direction such as R(0, 0, 1, q1)")
        for i, along in enumerate(axis):
            if all(each.equals(0.0) for each in (*axis[:i], *axis[i + 1 :])) and along.is_constant:
                self.turn(i, angle if along.value > 0.0 else -angle)
                return
        size = g.square_root(square)
        n: Triple = (axis[0] / size, axis[1] / size, axis[2] / size)
        c, s = g.cosine(angle), g.sine(angle)
        x, y, z = n
        k = 1.0 - c
        R: Rotation = (
            (c + k * x * x, k * x * y - s * z, k * x * z + s * y),
            (k * x * y + s * z, c + k * y * y, k * y * z - s * x),
            (k * x * z - s * y, k * y * z + s * x, c + k * z * z),
        )
        # R^T dR = [n da + sin a dn - (1 - cos a) n x dn]
        turns = []
        of_axis = [self.rates(each) for each in n]
        for m, (da, _) in enumerate(self.rates(angle)):
            dn: Triple = (of_axis[0][m][0], of_axis[1][m][0], of_axis[2][m][0])
            across = cross(n, dn)
            w: Triple = (
                x * da + s * dn[0] - k * across[0],
                y * da + s * dn[1] - k * across[1],
                z * da + s * dn[2] - k * across[2],
            )
            turns.append((w, (self._dot(w[0]), self._dot(w[1]), self._dot(w[2]))))
        self._rotate(R, turns)

    def _rotate(self, R: Rotation, turns: Sequence[tuple[Triple, Triple]]) -> None:
        """Append a rotation R whose angular velocity per unit of each coordinate, and its derivative, are `turns`."""
        back = transposed(R)
        rate: Triple = (self.graph.zero,) * 3
        for (own, _), qdot in zip(turns, self.qdot, strict=True):
            rate = added(rate, (own[0] * qdot, own[1] * qdot, own[2] * qdot))
        self.R = product(self.R, R)
        for k, (own, own_dot) in enumerate(turns):
            w, v = (applied(back, each) for each in self.S[k])
            wdot, vdot = (applied(back, each) for each in self.Sdot[k])
            self.S[k] = added(w, own), v
            self.Sdot[k] = added(added(wdot, cross(w, rate)), own_dot), added(vdot, cross(v, rate))

    @property
    def results(self) -> list[Node]:
        """Q (12, rows of R and p), S (6, n) and Sdot (6, n), row by row."""
        (a, b, c), p = self.R, self.p
        found = [*a, p[0], *b, p[1], *c, p[2]]
        for twists in (self.S, self.Sdot):
            found += [twist[half][k] for half in range(2) for k in range(3) for twist in twists]
        return found


def _along(axis: int, value: Node, zero: Node) -> Triple:
    x, y, z = (value if k == axis else zero for k in range(3))
    return x, y, z


def added(a: Triple, b: Triple) -> Triple:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def applied(R: Rotation, v: Triple) -> Triple:
    x, y, z = (row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in R)
    return x, y, z


def transposed(R: Rotation) -> Rotation:
    a, b, c = R
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def product(A: Rotation, B: Rotation) -> Rotation:
    columns = transposed(B)
    x, y, z = (applied(A, column) for column in columns)
    return transposed((x, y, z))
