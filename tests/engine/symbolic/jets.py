# SPDX-License-Identifier: GPL-3.0-or-later
"""Jets: numbers with their first and second derivatives, an oracle for Q, S and Sdot of its own.

Texts of the tests themselves are evaluated by Python with jets in place of numbers. Nothing else is.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np


class Jet:
    """value, gradient (n,) and Hessian (n, n) of a function of n coordinates."""

    def __init__(self, value, gradient, hessian):
        self.value, self.gradient, self.hessian = value, gradient, hessian

    def _of(self, f0, f1, f2):
        g = self.gradient
        return Jet(f0, f1 * g, f1 * self.hessian + f2 * np.outer(g, g))

    def _made(self, other):
        if isinstance(other, Jet):
            return other
        return Jet(float(other), 0.0 * self.gradient, 0.0 * self.hessian)

    def __add__(self, other):
        other = self._made(other)
        return Jet(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)

    def __mul__(self, other):
        o = self._made(other)
        crossed = np.outer(self.gradient, o.gradient)
        return Jet(
            self.value * o.value,
            self.gradient * o.value + self.value * o.gradient,
            self.hessian * o.value + crossed + crossed.T + self.value * o.hessian,
        )

    def __pow__(self, p):
        x = self.value
        return self._of(x**p, p * x ** (p - 1), p * (p - 1) * x ** (p - 2))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + (-self._made(other))

    def __rsub__(self, other):
        return self._made(other) - self

    def __truediv__(self, other):
        return self * self._made(other) ** -1

    def __rtruediv__(self, other):
        return self._made(other) * self**-1

    __radd__, __rmul__ = __add__, __mul__


def lifted(f0, f1, f2):
    """A function of a number or of a jet, from its value and its derivatives."""
    return lambda x: x._of(f0(x.value), f1(x.value), f2(x.value)) if isinstance(x, Jet) else f0(x)


sin = lifted(math.sin, math.cos, lambda x: -math.sin(x))
cos = lifted(math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x))
exp = lifted(math.exp, math.exp, math.exp)
log = lifted(math.log, lambda x: 1.0 / x, lambda x: -1.0 / x**2)
sqrt = lifted(math.sqrt, lambda x: 0.5 / math.sqrt(x), lambda x: -0.25 * x**-1.5)
tan = lifted(math.tan, lambda x: 1.0 + math.tan(x) ** 2, lambda x: 2.0 * math.tan(x) * (1.0 + math.tan(x) ** 2))
atan = lifted(math.atan, lambda x: 1.0 / (1.0 + x * x), lambda x: -2.0 * x / (1.0 + x * x) ** 2)
asin = lifted(math.asin, lambda x: (1.0 - x * x) ** -0.5, lambda x: x * (1.0 - x * x) ** -1.5)
acos = lifted(math.acos, lambda x: -((1.0 - x * x) ** -0.5), lambda x: -x * (1.0 - x * x) ** -1.5)
sinh = lifted(math.sinh, math.cosh, math.sinh)
cosh = lifted(math.cosh, math.sinh, math.cosh)
tanh = lifted(math.tanh, lambda x: 1.0 - math.tanh(x) ** 2, lambda x: -2.0 * math.tanh(x) * (1.0 - math.tanh(x) ** 2))


def atan2(y, x):
    """By atan of the quotient, turned to the right quadrant."""
    value = math.atan2(*(each.value if isinstance(each, Jet) else each for each in (y, x)))
    found = atan(y / x) if abs(math.cos(value)) > 0.5 else -atan(x / y)
    return found + (value - (found.value if isinstance(found, Jet) else found))


def T(x, y, z):
    return np.array([[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]], dtype=object)


def R(x, y, z, a):
    size = sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    c, s = cos(a), sin(a)
    k = 1 - c
    rows = [
        [c + k * x * x, k * x * y - s * z, k * x * z + s * y, 0],
        [k * x * y + s * z, c + k * y * y, k * y * z - s * x, 0],
        [k * x * z - s * y, k * y * z + s * x, c + k * z * z, 0],
        [0, 0, 0, 1],
    ]
    return np.array(rows, dtype=object)


def along(make, axis):
    return lambda a: make(*(a if k == axis else 0 for k in range(3)))


def about(axis):
    return lambda a: R(*(float(k == axis) for k in range(3)), a)


class Factor:
    """A matrix whose product is written with *."""

    def __init__(self, matrix):
        self.matrix = matrix

    def __mul__(self, other):
        return Factor(self.matrix.dot(other.matrix))


def factor(make):
    return lambda *arguments: Factor(make(*arguments))


NAMES = {f"T{letter}": factor(along(T, k)) for k, letter in enumerate("xyz")}
NAMES |= {f"R{letter}": factor(about(k)) for k, letter in enumerate("xyz")}
NAMES |= {"T": factor(T), "R": factor(R), "pi": math.pi}
NAMES |= {f.__name__: f for f in (atan2,)}
NAMES |= {"sin": sin, "cos": cos, "exp": exp, "log": log, "sqrt": sqrt, "tan": tan, "atan": atan, "asin": asin}
NAMES |= {"acos": acos, "sinh": sinh, "cosh": cosh, "tanh": tanh}
for a, b, c in ((a, b, c) for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c):
    axes = ["xyz".index(letter) for letter in (a, b, c)]
    NAMES[f"euler_{a}{b}{c}"] = lambda *angles, axes=axes: reduce(
        Factor.__mul__, (Factor(about(k)(angle)) for k, angle in zip(axes, angles, strict=True))
    )


def motion(texts, names, chart, q, qdot):
    """Q (4, 4), S (6, n) and Sdot (6, n) of a chart of a joint's texts."""
    n = len(q)
    known = dict(NAMES)
    for part in filter(None, texts.constants.split(";")):
        name, value = part.split("=")
        known[name.strip()] = eval(value.strip(), {}, known)
    for k, name in enumerate(names):
        known[name] = known[f"q{k + 1}"] = Jet(q[k], np.eye(n)[k], np.zeros((n, n)))
    matrix = eval(texts.charts[chart].transform, {}, known).matrix
    jets = [
        [each if isinstance(each, Jet) else Jet(float(each), np.zeros(n), np.zeros((n, n))) for each in row]
        for row in matrix
    ]
    Q = np.array([[each.value for each in row] for row in jets])
    dQ = np.array([[each.gradient for each in row] for row in jets])
    ddQ = np.array([[each.hessian for each in row] for row in jets]) @ qdot  # (4, 4, n) rates of dQ
    inverse = np.linalg.inv(Q)
    Qdot = dQ @ qdot
    inverse_dot = -inverse @ Qdot @ inverse
    body = np.einsum("ij,jkn->ikn", inverse, dQ)
    body_dot = np.einsum("ij,jkn->ikn", inverse_dot, dQ) + np.einsum("ij,jkn->ikn", inverse, ddQ)
    return Q, vee(body), vee(body_dot)


def vee(B):
    return np.array([B[2, 1], B[0, 2], B[1, 0], B[0, 3], B[1, 3], B[2, 3]])
