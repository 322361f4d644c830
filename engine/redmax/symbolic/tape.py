# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas as a tape: a straight line of operations that one compiled loop plays, whatever they are.

A tape is an array of numbers. Nothing is compiled for a new formula and no text of it is ever run. Operations of one
kind stand together in runs as long as their operands allow, so that what comes next seldom surprises the processor:
about a nanosecond for each operation.

Layout: registers, constants, runs and results are counted in the first numbers. Then come the constants; of each run
its operation, its length and one word per operation, which holds both operands; of each result one word with its slot
and its register. Registers are numbered: inputs, constants, then operations as they come.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..spatial.scalar import sine_cosine
from .graph import FormulaError, Graph, Node, Op, reached

HEADER = 5
"""Numbers before the constants: registers, inputs, constants, runs, results."""

SINE_COSINE = 14
"""An operation of tapes alone: both of one angle, into two registers."""

SHIFT = 26
MASK = (1 << SHIFT) - 1
"""A word is first operand << SHIFT | second: together 52 bits, which a floating-point number holds exactly."""

ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE = (int(op) for op in (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.NEGATE))
SQUARE_ROOT, EXPONENTIAL, LOGARITHM = int(Op.SQUARE_ROOT), int(Op.EXPONENTIAL), int(Op.LOGARITHM)
POWER, ARC_TANGENT = int(Op.POWER), int(Op.ARC_TANGENT)


def play(data: Array, start: int, registers: Array) -> int:
    """Fill the registers of the tape that begins at `start` of the data, the inputs being there already.

    Gives where the words of the results begin.
    """
    k, constants, runs = int(data[start + 1]), int(data[start + 2]), int(data[start + 3])
    place = start + HEADER
    for i in range(constants):
        registers[k + i] = data[place + i]
    k, place = k + constants, place + constants
    for _ in range(runs):
        operation, count = int(data[place]), int(data[place + 1])
        place += 2
        if operation == MULTIPLY:
            for i in range(count):
                word = int(data[place + i])
                registers[k + i] = registers[word >> SHIFT] * registers[word & MASK]
        elif operation == ADD:
            for i in range(count):
                word = int(data[place + i])
                registers[k + i] = registers[word >> SHIFT] + registers[word & MASK]
        elif operation == SUBTRACT:
            for i in range(count):
                word = int(data[place + i])
                registers[k + i] = registers[word >> SHIFT] - registers[word & MASK]
        elif operation == NEGATE:
            for i in range(count):
                registers[k + i] = -registers[int(data[place + i]) >> SHIFT]
        elif operation == SINE_COSINE:
            for i in range(count):
                s, c = sine_cosine(registers[int(data[place + i]) >> SHIFT])
                registers[k + 2 * i], registers[k + 2 * i + 1] = s, c
            k += count
        elif operation == DIVIDE:
            for i in range(count):
                word = int(data[place + i])
                registers[k + i] = float(registers[word >> SHIFT]) / float(registers[word & MASK])
        else:
            for i in range(count):
                word = int(data[place + i])
                registers[k + i] = rare(operation, registers[word >> SHIFT], registers[word & MASK])
        place, k = place + count, k + count
    return place


def rare(operation: int, a: float, b: float) -> float:
    """Operations that few formulas have."""
    if operation == SQUARE_ROOT:
        return math.sqrt(a)
    if operation == ARC_TANGENT:
        return math.atan2(a, b)
    if operation == EXPONENTIAL:
        return math.exp(a)
    if operation == LOGARITHM:
        return math.log(a)
    return math.pow(a, b)


def play_motion(data: Array, start: int, q: Array, qdot: Array, Q: Array, S: Array, Sdot: Array) -> None:
    """Q, S and Sdot of the motion whose tape begins at `start`; they arrive as the identity and as zeros."""
    n = q.shape[0]
    registers = np.empty(int(data[start]))
    for i in range(n):
        registers[i], registers[n + i] = q[i], qdot[i]
    place = play(data, start, registers)
    for i in range(int(data[start + 4])):
        word = int(data[place + i])
        slot, value = word >> SHIFT, registers[word & MASK]
        if slot < 12:
            Q[slot >> 2, slot & 3] = value
        elif slot < 12 + 6 * n:
            S[(slot - 12) // n, (slot - 12) % n] = value
        else:
            Sdot[(slot - 12 - 6 * n) // n, (slot - 12) % n] = value


def tape(graph: Graph, results: Sequence[Node], defaults: Sequence[float] | None = None) -> list[float]:
    """The tape that computes results from the inputs of a graph.

    defaults: what each result holds before; those that are constantly that are left out.
    """
    wanted = [
        (slot, node)
        for slot, node in enumerate(results)
        if defaults is None or not node.equals(defaults[slot])
    ]  # fmt: skip
    nodes = reached([node for _, node in wanted])
    constants = [node for node in nodes if node.is_constant]
    register = {node.index: k for k, node in enumerate([*graph.inputs, *constants])}
    runs = _runs(nodes, register)
    count = len(graph.inputs) + len(constants) + sum(len(words) * (1 + (op == SINE_COSINE)) for op, words in runs)
    if count > MASK:
        raise FormulaError("it is too long")
    numbers = [float(count), float(len(graph.inputs)), float(len(constants)), float(len(runs)), float(len(wanted))]
    numbers += [node.value for node in constants]
    for op, words in runs:
        numbers += [float(op), float(len(words)), *map(float, words)]
    return numbers + [float(slot << SHIFT | register[node.index]) for slot, node in wanted]


def operations(numbers: Sequence[float]) -> int:
    """How many operations a tape has."""
    return int(numbers[0] - numbers[1] - numbers[2])


def _runs(nodes: list[Node], register: dict[int, int]) -> list[tuple[int, list[int]]]:
    """Operations in an order in which equal ones follow each other for long; `register` gets their registers."""
    waiting = {node.index: node for node in nodes if node.operands}
    users: dict[int, list[Node]] = {}
    missing: dict[int, int] = {}
    for node in waiting.values():
        needed = {each.index for each in node.operands if each.index in waiting}
        missing[node.index] = len(needed)
        for index in needed:
            users.setdefault(index, []).append(node)
    ready: dict[int, list[Node]] = {}
    for node in waiting.values():
        if missing[node.index] == 0:
            ready.setdefault(_operation(node), []).append(node)
    pairs: dict[int, int] = {}  # angle -> register of its sine
    runs: list[tuple[int, list[int]]] = []
    free = len(register)

    def done(node: Node) -> None:
        for user in users.get(node.index, ()):
            missing[user.index] -= 1
            if missing[user.index] == 0:
                ready.setdefault(_operation(user), []).append(user)

    while ready:
        operation = max(ready, key=lambda op: len(ready[op]))
        words: list[int] = []
        while operation in ready:  # those that become ready meanwhile join the run
            for node in ready.pop(operation):
                a = node.operands[0].index
                if operation != SINE_COSINE:
                    words.append(register[a] << SHIFT | register[node.operands[-1].index])
                    register[node.index] = free
                    free += 1
                else:
                    if a not in pairs:
                        words.append(register[a] << SHIFT)
                        pairs[a] = free
                        free += 2
                    register[node.index] = pairs[a] + (node.op == Op.COSINE)
                done(node)
        if words:
            runs.append((operation, words))
    return runs


def _operation(node: Node) -> int:
    return SINE_COSINE if node.op in (Op.SINE, Op.COSINE) else int(node.op)
