# SPDX-License-Identifier: GPL-3.0-or-later
"""The one compiled function that holds all heavy code, and how other compiled functions call it.

Whatever a compiled function calls is compiled into it once more. So the heavy part is a function of its own, called
through its address: it is compiled once, whatever the number of integrators.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .cache.jit import callback, compiled, inner
from .joints.charts import recentre, turn_rate
from .joints.loads import joint_loads, put_prescribed
from .joints.place import place_all, velocities
from .layout import offsets as at
from .layout.memory import fixed, further, get, numbers_at, put, put3
from .layout.views import address_in, addresses, arrays_at, line, rows_of, whole
from .rows.constrained import forward_with_rows, look, project, set_forces
from .rows.row_kinds import world_poses
from .tree.articulated import eliminate, substitute
from .tree.forces import apply_forces
from .tree.inverse import joint_forces, solve_implicit
from .tree.planar import accelerate_flat
from .tree.power import powers
from .tree.products import multiply, pull

LOAD, LOAD_K, LOAD_D, ARMATURE, FORCE, RIGHT_SIDE = (
    at.LOAD,
    at.LOAD_K,
    at.LOAD_D,
    at.ARMATURE,
    at.FORCE,
    at.RIGHT_SIDE,
)
N_BODIES, N_DOFS, HAS_LOADS, HAS_DRAG = at.N_BODIES, at.N_DOFS, at.HAS_LOADS, at.HAS_DRAG
TAU, ACC, WORK, DOF_WORK, WORLD = at.TAU, at.ACC, at.WORK, at.DOF_WORK, at.WORLD
PLACE, LOADS, FORWARD, WRENCHES, INVERSE, IMPLICIT = (
    at.DO_PLACE,
    at.DO_LOADS,
    at.DO_FORWARD,
    at.WITH_WRENCHES,
    at.DO_INVERSE,
    at.DO_IMPLICIT,
)
POWERS, RATE, RECENTRE, PROJECT = at.WITH_POWERS, at.DO_TURN_RATE, at.DO_RECENTRE, at.DO_PROJECT
LOOK = at.DO_LOOK
BODIES, LINKS, NUMBERS, KINDS, CHARTS = at.BODIES, at.LINKS, at.NUMBERS, at.KINDS, at.CHARTS
BODY_WORK, COLUMNS, VECTORS, N_ROWS = at.BODY_WORK, at.COLUMNS, at.VECTORS, at.N_ROWS
N_FORCES, IS_FLAT = at.N_FORCES, at.IS_FLAT

SIGNATURE = types.int64(types.int64, types.int64, types.int64, types.int64, types.int64, types.float64, types.int64)


@inner
def forward_dynamics(n, nr, flat, bodies, links, work, columns, armature, force, qddot, wrenches):
    """qddot from what is placed and the forces in `FORCE`; at prescribed coordinates it is given instead, and `FORCE`
    gets what they need. Gives -1, or the body at whose joint nothing resists."""
    if flat and not wrenches and accelerate_flat(n, bodies, links, work, columns, force, qddot):
        return -1
    set_forces(nr, columns, force)
    stuck = eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, wrenches)
    if stuck < 0:
        substitute(n, links, work, columns, armature, qddot, force, wrenches)
    return stuck


@callback(SIGNATURE)
def compute(ints_at, floats_at, q_at, qdot_at, qddot_at, t, what):
    """Does what the flags of `layout` ask for, in their order. The arrays are given by their addresses.

    t: time, or for an implicit solve or its product, which goes to `FORCE`, the step.
    Gives -1; from forward dynamics the body at whose joint nothing resists; from recentring 1 if anything changed.
    """
    ints, floats = whole(ints_at, floats_at)
    n, nr, loaded = fixed(ints, N_BODIES), fixed(ints, N_DOFS), fixed(ints, HAS_LOADS) != 0
    q, qdot, qddot = numbers_at(q_at, nr), numbers_at(qdot_at, nr), numbers_at(qddot_at, nr)
    rows = rows_of(ints, floats)
    bodies, links, numbers, kinds, charts = rows[BODIES], rows[LINKS], rows[NUMBERS], rows[KINDS], rows[CHARTS]
    world, work, columns, vectors = rows[WORLD], rows[BODY_WORK], rows[COLUMNS], rows[VECTORS]
    constrained, count = fixed(ints, N_ROWS) > 0, fixed(ints, N_FORCES)
    armature, force, load = further(vectors, ARMATURE * nr), further(vectors, FORCE * nr), further(vectors, LOAD * nr)
    put3(work, ACC + 3 - WORK, -get(world, 0), -get(world, 1), -get(world, 2))
    result = -1
    if what & at.DO_PRESCRIBE:
        put_prescribed(arrays_at(ints, floats), t, line(q, nr), line(qdot, nr), line(qddot, nr))
    if what & RECENTRE:
        result = 1 if recentre(arrays_at(ints, floats), line(q, nr), line(qdot, nr)) else 0
    if what & PROJECT:
        result = project(ints, rows, q, qdot)
    if what & PLACE:
        place_all(n, bodies, links, numbers, kinds, charts, work, columns, q, qdot)
        if constrained or count > 0 or fixed(ints, HAS_DRAG) or what & (WRENCHES | LOOK):
            velocities(n, bodies, links, work, columns, qdot)
    if what & RATE:
        put(world, at.TURN_RATE, turn_rate(arrays_at(ints, floats), line(qdot, nr)))
    if what & LOADS:
        if loaded:
            joint_loads(arrays_at(ints, floats), line(q, nr), line(qdot, nr), t)
        for k in range(nr):
            put(force, k, get(load, k))
        if count > 0:
            world_poses(n, links, work, rows[at.POSES])
            apply_forces(count, rows, arrays_at(ints, floats), t)
    if what & FORWARD:
        wrenches = what & WRENCHES != 0
        if constrained:
            result = forward_with_rows(ints, rows, qddot, wrenches)
        else:
            flat = fixed(ints, IS_FLAT) != 0
            result = forward_dynamics(n, nr, flat, bodies, links, work, columns, armature, force, qddot, wrenches)
    if what & POWERS:
        put_in, taken = powers(arrays_at(ints, floats), loaded, line(qdot, nr), t)
        if count > 0:
            put_in, taken = put_in + get(world, at.FORCES_IN), taken + get(world, at.FORCES_OUT)
        put(world, at.PUT_IN, put_in)
        put(world, at.TAKEN, taken)
    if what & INVERSE:
        joint_forces(n, bodies, links, work, columns, qddot, force)
    K, D, right = further(vectors, LOAD_K * nr), further(vectors, LOAD_D * nr), further(vectors, RIGHT_SIDE * nr)
    if what & at.DO_MULTIPLY:
        multiply(n, nr, count, rows, K, D, t, qddot, force)
    if what & at.DO_PULL:
        pull(n, count, rows, t, qddot, force)
    if what & IMPLICIT:
        result = solve_implicit(n, nr, bodies, links, work, columns, armature, K, D, t, right, qddot)
    if what & LOOK:
        look(ints, rows)
    return result


@intrinsic
def call(
    typing_context: Any,
    address: Any,
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
        kind = ir.FunctionType(integer, [integer] * 5 + [number, integer])
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])

    return SIGNATURE.return_type(types.int64, *SIGNATURE.args), generate


@compiled
def run(address, ints, floats, q, qdot, qddot, t, what):
    """`compute` on arrays."""
    ints_at, floats_at = addresses(ints, floats)
    nr = ints[N_DOFS]
    return call(
        address, ints_at, floats_at, address_in(q, nr), address_in(qdot, nr), address_in(qddot, nr), t, what
    )  # fmt: skip


@compiled
def repeated(address, ints, floats, q, qdot, qddot, t, what, count):
    """`compute` `count` times; a call from Python costs about a microsecond."""
    result = -1
    for _ in range(count):
        result = run(address, ints, floats, q, qdot, qddot, t, what)
    return result
