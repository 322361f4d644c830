# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that reach outside their rows on purpose, for a process with REDMAX_CHECKED=1.

`python -m engine.kernels.out_of_bounds [counts]` prints one line of JSON per case: its name, whether it reaches
outside, and the error, empty for none.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from numba import types

from engine.mechanisms import four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.kernels.cache.jit import callback, compiled
from redmax.kernels.core import call
from redmax.kernels.layout.declaration import Head
from redmax.kernels.layout.memory import further, get, get6, integers_at, numbers_at, part, put, put_all
from redmax.kernels.layout.views import address_in, line, numbers_of


@compiled
def read(x, k):
    return get(numbers_of(x), k)


@compiled
def read_six(x, k):
    return get6(numbers_of(x), k)[5]


@compiled
def write(x, k):
    put(numbers_of(x), k, 7.0)


@compiled
def write_three(x, k):
    put_all(numbers_of(x), k, (7.0, 7.0, 7.0))


@compiled
def read_further_on(x, k):
    return get(further(further(numbers_of(x), k), -1), 1)


@compiled
def read_part(x, k):
    """Of the last four numbers, and one before them."""
    return get(part(further(numbers_of(x), x.size - 4), 1, 4), k)


@compiled
def take_part(x, k):
    return get(part(numbers_of(x), 0, k), 0)


@compiled
def view(x, k):
    return line(numbers_of(x), k)[0]


@compiled
def address(x, k):
    return address_in(x, k)


@compiled
def index(x, k):
    return x[k]


@callback(types.int64(*[types.int64] * 5, types.float64, types.int64))
def called(ints_at, floats_at, q_at, qdot_at, qddot_at, t, what):
    """In place of `core.compute`: element `what` of the numbers, of which the integers say how many there are."""
    return int(get(numbers_at(floats_at, get(integers_at(ints_at, 1), 0)), what))


@compiled
def call_at(address, x, k):
    ints, unused = np.array([x.size]), np.zeros(1)
    a = unused.ctypes.data
    return call(address, ints.ctypes.data, x.ctypes.data, a, a, a, 0.0, k)


def through_an_address(x, k):
    return call_at(called.address, x, k)


INSIDE_AND_OUTSIDE = {
    read: ((0, 7), (-1, 8)),
    read_six: ((0, 2), (-1, 3)),
    write: ((0, 7), (-1, 8)),
    write_three: ((0, 5), (-1, 6)),
    read_further_on: ((0, 7), (-1, 8)),
    read_part: ((-1, 3), (-2, 4)),
    take_part: ((1, 8), (0, 9, -1)),
    view: ((2, 8), (9, 10)),
    address: ((0, 8), (9,)),
    index: ((0, 7), (8,)),
    through_an_address: ((0, 7), (-1, 8)),
}
"""What may be asked of each with eight numbers, and what may not."""


def said(function, k):
    """The error of a call with eight numbers in the middle of others; these must stay as they are."""
    around = np.arange(24.0)
    try:
        function(around[8:16], k)
    except IndexError as error:
        text = str(error)
    else:
        text = ""
    untouched = (np.delete(around, np.s_[8:16]) == np.delete(np.arange(24.0), np.s_[8:16])).all()
    return text if untouched else "CORRUPTED"


def wrong_counts():
    """Name and error of every count of a packed model that is made too large."""
    model = compile_scene(four_bar())
    for count in (Head.BODIES, Head.DOFS, Head.ROWS, Head.ALL_ROWS, Head.PATHS, Head.POOL, Head.INTS, Head.FLOATS):
        tree = fast.constrained_tree(model)
        tree.ints[count] += 1000
        text = ""
        try:
            tree.repeat(model.q0.copy(), model.qdot0.copy(), 1)
        except IndexError as error:
            text = str(error)
        yield f"count {count}", text


if __name__ == "__main__":
    if sys.argv[1:] == ["counts"]:
        for name, text in wrong_counts():
            print(json.dumps([name, True, text]), flush=True)
    else:
        for function, (inside, outside) in INSIDE_AND_OUTSIDE.items():
            for k in (*inside, *outside):
                print(json.dumps([f"{function.__name__} {k}", k in outside, said(function, k)]), flush=True)
