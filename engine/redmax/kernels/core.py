# SPDX-License-Identifier: GPL-3.0-or-later
"""`compute`, the compiled function that holds all heavy code but that of rows, and how compiled functions call it.

Whatever a compiled function calls becomes part of its machine code. So the heavy part is a function of its own, called
through its address: it is compiled once, whatever the number of integrators. `rows.compute_rows` is another one, which
`compute` calls where a model has rows, and `bearings.compute_bearings` one for joints with friction.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import tasks
from .cache.jit import callback, compiled, inner
from .joints.charts import recentre, turn_rate
from .joints.drives import clear_led, put_drive_loads, put_followers, put_led
from .joints.loads import joint_loads, put_prescribed
from .joints.place import place_all, place_planar, velocities
from .layout.declaration import Active, Head, Vector, Work, World
from .layout.memory import fixed, further, get, get3, numbers_at, put, put3
from .layout.views import address_in, addresses, arrays_of, line, rows_of, whole
from .rows.constrained import power_of_rows, set_forces
from .rows.held_coordinates import can_be_held
from .tree.articulated import accelerate_led, eliminate, substitute
from .tree.forces import apply_forces
from .tree.inverse import joint_forces, solve_implicit
from .tree.planar import accelerate_planar
from .tree.power import powers
from .tree.products import multiply, stiffness_product
from .tree.world_poses import world_poses

SIGNATURE = types.int64(types.int64, types.int64, types.int64, types.int64, types.int64, types.float64, types.int64)


@inner
def forward_dynamics(n, nr, planar, bodies, links, work, columns, armature, force, qddot, wrenches):
    """qddot from the forces along the coordinates, after `place_all`; at prescribed ones the force from a given qddot.

    Gives -1, or the body at whose joint nothing resists.
    """
    if planar and not wrenches and accelerate_planar(n, bodies, links, work, columns, armature, force, qddot):
        return -1
    set_forces(nr, columns, force)
    stuck = eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, wrenches)
    if stuck < 0:
        substitute(n, links, work, columns, armature, qddot, force, wrenches)
    return stuck


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
    """A call of `compute`, or of a function with the same arguments, at an address."""
    integer, number = ir.IntType(64), ir.DoubleType()

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(integer, [integer] * 5 + [number, integer])
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])

    return SIGNATURE.return_type(types.int64, *SIGNATURE.args), generate


@callback(SIGNATURE)
def compute(ints_at, floats_at, q_at, qdot_at, qddot_at, t, what):
    """Do what the flags of `tasks` in `what` ask for, in their order. Arrays are given by their addresses.

    t: time [s]; for an implicit solve or a product with its matrix, which goes to `Vector.FORCE`, the step [s].
    Gives -1; from forward dynamics the body at whose joint nothing resists; from recentring 1 if anything changed.
    """
    ints, floats = whole(ints_at, floats_at)
    n, nr, loaded = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), fixed(ints, Head.HAS_LOADS) != 0
    q, qdot, qddot = numbers_at(q_at, nr), numbers_at(qdot_at, nr), numbers_at(qddot_at, nr)
    rows = rows_of(ints, floats)
    bodies, links = rows.bodies, rows.links
    world, work, columns, vectors = rows.world, rows.body_work, rows.columns, rows.vectors
    m, count = get(rows.active, Active.ROWS), fixed(ints, Head.FORCES)
    constrained, rows_function = m > 0, fixed(ints, Head.ROWS_FUNCTION)
    driven = fixed(ints, Head.FOLLOWERS) > 0
    bearings_function = fixed(ints, Head.BEARINGS_FUNCTION)
    are_held = bearings_function == 0 and what & tasks.WRENCHES == 0 and can_be_held(ints, rows)
    armature, force = further(vectors, Vector.ARMATURE * nr), further(vectors, Vector.FORCE * nr)
    load, right = further(vectors, Vector.LOAD * nr), further(vectors, Vector.RIGHT_SIDE * nr)
    K, D = further(vectors, Vector.LOAD_K * nr), further(vectors, Vector.LOAD_D * nr)
    g0, g1, g2 = get3(world, World.GRAVITY)
    put3(work, Work.ACC + 3 - Work.SIZE, -g0, -g1, -g2)
    result = -1
    if what & tasks.PRESCRIBE:
        put_prescribed(arrays_of(ints, rows), t, line(q, nr), line(qdot, nr), line(qddot, nr))
        if driven:
            put_followers(ints, rows, arrays_of(ints, rows), q, qdot)
    if what & tasks.RECENTRE:
        result = 1 if recentre(n, links, rows.parts, rows.joint_data, rows.charts, q, qdot) else 0
    if what & tasks.PROJECT:
        result = 0
        if rows_function != 0:
            result = call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.PROJECT)
        put_led(ints, rows, q, 1.0)
        put_led(ints, rows, qdot, 0.0)
    if what & tasks.PLACE:
        if fixed(ints, Head.IS_PLANAR):
            place_planar(n, rows, q, qdot)
        else:
            place_all(n, rows, q, qdot)
        moved = (constrained and not are_held) or count > 0 or what & (tasks.WRENCHES | tasks.ROW_ERRORS) != 0
        if moved or fixed(ints, Head.HAS_BODY_DAMPING):
            velocities(n, bodies, links, work, columns, qdot)
    if what & tasks.TURN_RATE:
        put(world, World.TURN_RATE, turn_rate(n, links, columns, qdot))
    if what & tasks.LOADS:
        if loaded:
            joint_loads(ints, rows, q, qdot, t)
        elif fixed(ints, Head.ROWS) > 0:  # which may add forces along coordinates
            for k in range(nr):
                put(load, k, 0.0)
        for k in range(nr):
            put(force, k, get(load, k))
        if driven:
            put_drive_loads(ints, rows)
        if count > 0:
            world_poses(n, links, work, rows.poses)
            apply_forces(count, rows, arrays_of(ints, rows), t)
    if what & tasks.FORWARD:
        wrenches = what & tasks.WRENCHES != 0
        if driven:
            clear_led(ints, rows, qddot)
        if bearings_function != 0:
            flags = tasks.FORWARD | what & tasks.WRENCHES
            result = call(bearings_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, flags)
        elif constrained and not are_held:
            flags = tasks.FORWARD | what & tasks.WRENCHES
            result = call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, flags)
        else:
            planar = fixed(ints, Head.IS_PLANAR) != 0
            if are_held:
                call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.HOLD)
            result = forward_dynamics(n, nr, planar, bodies, links, work, columns, armature, force, qddot, wrenches)
            if are_held:
                call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.RELEASE)
        if driven:
            accelerate_led(ints, rows, qddot, force, wrenches)
    if what & tasks.POWERS:
        put_in, taken = powers(arrays_of(ints, rows), loaded, line(qdot, nr), t)
        put_in += power_of_rows(m, rows.row_work)
        if count > 0:
            put_in, taken = put_in + get(world, World.FORCES_IN), taken + get(world, World.FORCES_OUT)
        if bearings_function != 0:
            taken += get(world, World.RUBBING_POWER)
        put(world, World.POWER_IN, put_in)
        put(world, World.POWER_OUT, taken)
    if what & tasks.INVERSE:
        joint_forces(n, bodies, links, work, columns, qddot, force)
    if what & tasks.MULTIPLY:
        multiply(n, nr, count, rows, K, D, t, qddot, force, what & tasks.NEARLY_TAUT != 0)
    if what & tasks.STIFFNESS_PRODUCT:
        stiffness_product(n, count, rows, t, qddot, force)
    if what & tasks.SOLVE_IMPLICIT:
        result = solve_implicit(n, nr, bodies, links, work, columns, armature, K, D, t, right, qddot)
    last = what & (tasks.TANGENT_BASIS | tasks.TANGENT_PART | tasks.ROW_ERRORS | tasks.ONE_ROW)
    if last and rows_function != 0:
        call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, last)
    elif last & tasks.ROW_ERRORS:
        world_poses(n, links, work, rows.poses)
    return result


@compiled
def run(address, ints, floats, q, qdot, qddot, t, what):
    """`compute` on arrays."""
    ints_at, floats_at = addresses(ints, floats)
    nr = ints[Head.DOFS]
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
