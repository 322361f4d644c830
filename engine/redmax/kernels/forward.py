# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forward and inverse dynamics of a whole tree, on the arrays of `packing`."""

from __future__ import annotations

from . import layout as at
from .articulated import begin_body, bias_wrench, eliminate, substitute
from .jit import compiled
from .loads import joint_loads
from .place import place
from .power import powers

HEAD, BODY_INTS, PRIMITIVE_INTS, TABLE_INTS = at.HEAD, at.BODY_INTS, at.PRIMITIVE_INTS, at.TABLE_INTS
BODY_NUMBERS, PRIMITIVE_NUMBERS, DOF_NUMBERS = at.BODY_NUMBERS, at.PRIMITIVE_NUMBERS, at.DOF_NUMBERS
WORLD_NUMBERS, VECTOR_ROWS, WORK, DOF_WORK = at.WORLD_NUMBERS, at.VECTOR_ROWS, at.WORK, at.DOF_WORK
N_BODIES, N_PRIMITIVES, N_DOFS, N_TABLES = at.N_BODIES, at.N_PRIMITIVES, at.N_DOFS, at.N_TABLES
N_POOL, N_GIVEN, N_SLOTS, HAS_LOADS = at.N_POOL, at.N_GIVEN, at.N_SLOTS, at.HAS_LOADS
BODIES, LINKS, NUMBERS, KINDS, WORLD, CHARTS = at.BODIES, at.LINKS, at.NUMBERS, at.KINDS, at.WORLD, at.CHARTS
BODY_WORK, COLUMNS, VECTORS = at.BODY_WORK, at.COLUMNS, at.VECTORS
LOAD, ARMATURE, FORCE, PA, TAU = at.LOAD, at.ARMATURE, at.FORCE, at.PA, at.TAU


@compiled
def arrays_of(ints, floats):
    """The parts of a packed model, in the order of `layout`; they share its memory."""
    n, m, nr, tables = ints[N_BODIES], ints[N_PRIMITIVES], ints[N_DOFS], ints[N_TABLES]
    a = HEAD
    b = a + n * BODY_INTS
    c = b + m * PRIMITIVE_INTS
    d = c + tables * TABLE_INTS
    e = d + ints[N_GIVEN]
    links, kinds = ints[a:b].reshape((n, BODY_INTS)), ints[b:c].reshape((m, PRIMITIVE_INTS))
    table_ints, given, charts = ints[c:d].reshape((tables, TABLE_INTS)), ints[d:e], ints[e : e + ints[N_SLOTS]]
    f = n * BODY_NUMBERS
    g = f + m * PRIMITIVE_NUMBERS
    h = g + nr * DOF_NUMBERS
    i = h + ints[N_POOL]
    j = i + WORLD_NUMBERS
    k = j + VECTOR_ROWS * nr
    o = k + n * WORK
    return (
        floats[0:f].reshape((n, BODY_NUMBERS)),
        links,
        floats[f:g].reshape((m, PRIMITIVE_NUMBERS)),
        kinds,
        floats[g:h].reshape((nr, DOF_NUMBERS)),
        table_ints,
        floats[h:i],
        floats[i:j],
        given,
        charts,
        floats[k:o].reshape((n, WORK)),
        floats[o : o + nr * DOF_WORK].reshape((nr, DOF_WORK)),
        floats[j:k].reshape((VECTOR_ROWS, nr)),
    )


@compiled
def place_all(tree, q, qdot):
    """Every joint's pose, twist, velocity product and S."""
    bodies, links, numbers, kinds, charts = tree[BODIES], tree[LINKS], tree[NUMBERS], tree[KINDS], tree[CHARTS]
    for j in range(links.shape[0]):
        place(j, bodies, links, numbers, kinds, charts, q, qdot, tree[BODY_WORK], tree[COLUMNS])


@compiled
def dynamics_of_placed(tree, qddot, wrenches):
    """qddot from what `place_all` left and the forces in `FORCE`; at prescribed coordinates it is given instead,
    and `FORCE` gets what they need. Gives -1, or the body at whose joint nothing resists."""
    bodies, work, columns, vectors = tree[BODIES], tree[BODY_WORK], tree[COLUMNS], tree[VECTORS]
    force = vectors[FORCE]
    for j in range(work.shape[0]):
        begin_body(bodies, work, j, 0.0)
        b = bias_wrench(bodies, work, j)
        work[j, PA], work[j, PA + 1], work[j, PA + 2] = b[0], b[1], b[2]
        work[j, PA + 3], work[j, PA + 4], work[j, PA + 5] = b[3], b[4], b[5]
    for k in range(columns.shape[0]):
        columns[k, TAU] = force[k]
    stuck = eliminate(tree[LINKS], work, columns, vectors[ARMATURE], qddot, wrenches, True)
    if stuck < 0:
        substitute(tree[LINKS], work, columns, tree[WORLD], qddot, force, wrenches, True)
    return stuck


@compiled
def forces(tree, loaded, q, qdot, t):
    """Loads along the coordinates into `FORCE`."""
    vectors = tree[VECTORS]
    force, load = vectors[FORCE], vectors[LOAD]
    if loaded:
        joint_loads(tree, q, qdot, t)
        for k in range(force.shape[0]):
            force[k] = load[k]
    else:
        for k in range(force.shape[0]):
            force[k] = 0.0


@compiled
def accelerations(ints, floats, q, qdot, t, qddot):
    """Forward dynamics from coordinates to accelerations; see `dynamics_of_placed`."""
    tree = arrays_of(ints, floats)
    place_all(tree, q, qdot)
    forces(tree, ints[HAS_LOADS] != 0, q, qdot, t)
    return dynamics_of_placed(tree, qddot, False)


@compiled
def repeated(ints, floats, q, qdot, t, qddot, count):
    """The same `count` times in one compiled loop, for benchmarks."""
    stuck = -1
    tree = arrays_of(ints, floats)
    for _ in range(count):
        place_all(tree, q, qdot)
        forces(tree, ints[HAS_LOADS] != 0, q, qdot, t)
        stuck = dynamics_of_placed(tree, qddot, False)
    return stuck


@compiled
def motion_and_powers(ints, floats, q, qdot, t, qddot, power):
    """`accelerations`, and the powers of motors, torques and dampers (2,) [W]."""
    tree = arrays_of(ints, floats)
    loaded = ints[HAS_LOADS] != 0
    place_all(tree, q, qdot)
    forces(tree, loaded, q, qdot, t)
    stuck = dynamics_of_placed(tree, qddot, False)
    power[0], power[1] = powers(tree, loaded, qdot, t)
    return stuck
