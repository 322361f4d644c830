# SPDX-License-Identifier: GPL-3.0-or-later
"""The one compiled function that holds all heavy code, and how other compiled functions call it.

Whatever a compiled function calls is compiled into it once more. So the heavy part is a function of its own, called
through its address: it is compiled once, whatever the number of integrators.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from . import layout as at
from .articulated import begin_body, bias_wrench, eliminate, substitute
from .charts import recentre, turn_rate
from .inverse import joint_forces, solve_implicit
from .jit import callback, compiled, inner
from .loads import joint_loads
from .place import place
from .power import powers
from .views import arrays_of

BODIES, LINKS, NUMBERS, KINDS, WORLD, CHARTS = at.BODIES, at.LINKS, at.NUMBERS, at.KINDS, at.WORLD, at.CHARTS
BODY_WORK, COLUMNS, VECTORS = at.BODY_WORK, at.COLUMNS, at.VECTORS
LOAD, ARMATURE, FORCE, RIGHT_SIDE, PA, TAU = at.LOAD, at.ARMATURE, at.FORCE, at.RIGHT_SIDE, at.PA, at.TAU
PLACE, LOADS, FORWARD, WRENCHES, INVERSE, IMPLICIT = (
    at.DO_PLACE,
    at.DO_LOADS,
    at.DO_FORWARD,
    at.WITH_WRENCHES,
    at.DO_INVERSE,
    at.DO_IMPLICIT,
)
POWERS, RATE, RECENTRE = at.WITH_POWERS, at.DO_TURN_RATE, at.DO_RECENTRE


@inner
def forward_dynamics(tree, qddot, wrenches):
    """qddot from what is placed and the forces in `FORCE`; at prescribed coordinates it is given instead, and `FORCE`
    gets what they need. Gives -1, or the body at whose joint nothing resists."""
    bodies, work, columns, vectors = tree[BODIES], tree[BODY_WORK], tree[COLUMNS], tree[VECTORS]
    force = vectors[FORCE]
    for j in range(work.shape[0]):
        begin_body(bodies, work, j, 0.0)
        b = bias_wrench(bodies, work, j)
        work[j, PA], work[j, PA + 1], work[j, PA + 2] = b[0], b[1], b[2]
        work[j, PA + 3], work[j, PA + 4], work[j, PA + 5] = b[3], b[4], b[5]
    for k in range(columns.shape[0]):
        columns[k, TAU] = force[k]
    stuck = eliminate(tree[LINKS], work, columns, vectors[ARMATURE], qddot, wrenches)
    if stuck < 0:
        substitute(tree[LINKS], work, columns, vectors[ARMATURE], tree[WORLD], qddot, force, wrenches)
    return stuck


@intrinsic
def _pointer(typing_context: Any, address: Any) -> Any:
    """An address as a pointer to numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.int64), generate


@intrinsic
def _integer_pointer(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int64)(types.int64), generate


SIGNATURE = types.int64(
    types.int64, types.int64, types.int64, types.int64, types.int64, types.int64, types.float64, types.int64
)


@callback(SIGNATURE)
def compute(sizes, ints_at, floats_at, q_at, qdot_at, qddot_at, t, what):
    """Does what the flags of `layout` ask for, in their order. The arrays are given by their addresses.

    sizes: address of the lengths of ints, floats and q. t: time, or for an implicit solve the step.
    Gives -1; from forward dynamics the body at whose joint nothing resists; from recentring 1 if anything changed.
    """
    lengths = carray(_integer_pointer(sizes), (3,))
    ints, floats = carray(_integer_pointer(ints_at), (lengths[0],)), carray(_pointer(floats_at), (lengths[1],))
    nr = lengths[2]
    q, qdot = carray(_pointer(q_at), (nr,)), carray(_pointer(qdot_at), (nr,))
    qddot = carray(_pointer(qddot_at), (nr,))
    tree = arrays_of(ints, floats)
    loaded, vectors = ints[at.HAS_LOADS] != 0, tree[VECTORS]
    result = -1
    if what & RECENTRE:
        result = 1 if recentre(tree, q, qdot) else 0
    if what & PLACE:
        bodies, links, numbers, kinds, charts = tree[BODIES], tree[LINKS], tree[NUMBERS], tree[KINDS], tree[CHARTS]
        for j in range(links.shape[0]):
            place(j, bodies, links, numbers, kinds, charts, q, qdot, tree[BODY_WORK], tree[COLUMNS])
    if what & RATE:
        tree[WORLD][at.TURN_RATE] = turn_rate(tree, qdot)
    if what & LOADS:
        force, load = vectors[FORCE], vectors[LOAD]
        if loaded:
            joint_loads(tree, q, qdot, t)
        for k in range(nr):
            force[k] = load[k]
    if what & FORWARD:
        result = forward_dynamics(tree, qddot, what & WRENCHES != 0)
    if what & POWERS:
        put_in, taken = powers(tree, loaded, qdot, t)
        tree[WORLD][at.PUT_IN], tree[WORLD][at.TAKEN] = put_in, taken
    if what & INVERSE:
        joint_forces(tree, qddot, vectors[FORCE])
    if what & IMPLICIT:
        result = solve_implicit(tree, t, vectors[RIGHT_SIDE], qddot)
    return result


@intrinsic
def _call(
    typing_context: Any,
    address: Any,
    sizes: Any,
    ints: Any,
    floats: Any,
    q: Any,
    qdot: Any,
    qddot: Any,
    t: Any,
    what: Any,
) -> Any:
    """A call of `compute` at an address."""
    integer, number = ir.IntType(64), ir.DoubleType()

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(integer, [integer] * 6 + [number, integer])
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])

    return SIGNATURE.return_type(types.int64, *SIGNATURE.args), generate


@compiled
def run(address, ints, floats, q, qdot, qddot, t, what):
    """`compute` on arrays."""
    sizes = ints[at.HEAD - 3 : at.HEAD]
    return _call(
        address, sizes.ctypes.data, ints.ctypes.data, floats.ctypes.data, q.ctypes.data, qdot.ctypes.data,
        qddot.ctypes.data, t, what,
    )  # fmt: skip


@compiled
def repeated(address, ints, floats, q, qdot, qddot, t, what, count):
    """`compute` `count` times; a call from Python costs about a microsecond."""
    result = -1
    for _ in range(count):
        result = run(address, ints, floats, q, qdot, qddot, t, what)
    return result
