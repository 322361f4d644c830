# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact problem of one placing: rows of chosen points on the trees that they touch, and its solution.

Source: K16 (Kindr), M du - h dt = W P.
"""

from __future__ import annotations

import numpy as np

from ...solvers.contact import layout as lay
from ...solvers.contact import tasks as contact_tasks
from ...surfaces.materials import ROLLING, TORSIONAL
from ..cache.jit import callback, inner
from ..cache.same_text import compiled_text
from ..core import SIGNATURE, call
from ..layout.memory import integers_at, numbers_at
from ..layout.views import line
from . import numbers as at
from .placing import column_at
from .rows import touches_tree, unit_of

_defaults, _integer_count = compiled_text(lay.defaults), compiled_text(lay.integer_count)
_lay_out, _factor_room = compiled_text(lay.lay_out), compiled_text(lay.factor_room)
_run = compiled_text(contact_tasks.run)
ROWS = 6
"""Rows of a point: normal and two tangents of the relative velocity, then of the relative angular velocity."""


@callback(SIGNATURE)
def solve_at(ints_at, numbers_at_, ints_count, numbers_count, _unused, _time, task):
    """`solvers.contact.tasks.run` by its address, with the arguments of `core.call`."""
    return _run(task, line(integers_at(ints_at, ints_count), ints_count),
                line(numbers_at(numbers_at_, numbers_count), numbers_count))  # fmt: skip


@inner
def has_row(found, i, row):
    """Whether a row of point i counts."""
    if row < 3:
        return True
    return found[i, at.MATERIAL + (TORSIONAL if row == 3 else ROLLING)] > 0.0


@inner
def row_count(found, i):
    """How many rows of a point count."""
    count = 3
    if found[i, at.MATERIAL + TORSIONAL] > 0.0:
        count += 1
    if found[i, at.MATERIAL + ROLLING] > 0.0:
        count += 2
    return count


@inner
def axis_of(found, i, row):
    """The axis of a row along the world's axes."""
    axis = row % 3
    start = at.NORMAL if axis == 0 else (at.TANGENT if axis == 1 else at.TANGENT_2)
    return found[i, start], found[i, start + 1], found[i, start + 2]


@inner
def row_values(topology, surfaces, columns, ids, found, i, row, values):
    """Add the speed of a row of point i per unit of each velocity to values (nr,)."""
    parent, dof = topology[4], topology[5]
    bodies = surfaces[3]
    d0, d1, d2 = axis_of(found, i, row)
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        end = at.END_A if side == 0 else at.END_B
        x0, x1, x2 = found[i, end], found[i, end + 1], found[i, end + 2]
        b = bodies[ids[i, side]]
        if b == parent.shape[0]:
            continue
        while b >= 0:
            for k in range(dof[b], dof[b + 1]):
                if row < 3:
                    v0, v1, v2 = column_at(columns, k, x0, x1, x2)
                else:
                    v0, v1, v2 = columns[k, 0], columns[k, 1], columns[k, 2]
                values[k] += sign * (d0 * v0 + d1 * v1 + d2 * v2)
            b = parent[b]


@inner
def clear_path(topology, surfaces, ids, i, values):
    """Set values (nr,) to 0 where `row_values` may have written for point i."""
    parent, dof = topology[4], topology[5]
    bodies = surfaces[3]
    for side in range(2):
        b = bodies[ids[i, side]]
        if b == parent.shape[0]:
            continue
        while b >= 0:
            for k in range(dof[b], dof[b + 1]):
                values[k] = 0.0
            b = parent[b]


@inner
def speeds(topology, surfaces, columns, ids, found, i, x, speed):
    """Write the speeds (ROWS,) that velocities x (nr,) give all rows of point i."""
    parent, dof = topology[4], topology[5]
    bodies = surfaces[3]
    u0, u1, u2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        end = at.END_A if side == 0 else at.END_B
        x0, x1, x2 = found[i, end], found[i, end + 1], found[i, end + 2]
        b = bodies[ids[i, side]]
        if b == parent.shape[0]:
            continue
        while b >= 0:
            for k in range(dof[b], dof[b + 1]):
                v0, v1, v2 = column_at(columns, k, x0, x1, x2)
                r = sign * x[k]
                u0, u1, u2 = u0 + r * v0, u1 + r * v1, u2 + r * v2
                w0, w1, w2 = w0 + r * columns[k, 0], w1 + r * columns[k, 1], w2 + r * columns[k, 2]
            b = parent[b]
    for row in range(ROWS):
        d0, d1, d2 = axis_of(found, i, row)
        speed[row] = d0 * u0 + d1 * u1 + d2 * u2 if row < 3 else d0 * w0 + d1 * w1 + d2 * w2


@inner
def solved(solver, task, tolerance, relative, slow, par, topology, surfaces, columns, M, v_free, wanted, mu, bounce,
           warm, ids, found, rubs, held, x, v):  # fmt: skip
    """Solve the problem of k points. wanted: (k, ROWS) sigma = G v - wanted, with G on free coordinates. v_free: (nr,)
    velocities without impulses, of which those of other trees are left as they are. warm: (k, ROWS) impulses to begin
    with. rubs: whether there is friction. held: the table of other rows (`rows.put_rows`), which of them count, what
    they want, their restitution, and their impulses, which are those to begin with before and the solution after.
    relative: see RELATIVE of `solvers.contact.layout`. Writes impulses x (k, ROWS) and velocities v (nr,).

    Gives the code of the solver, the residual, the point that has it, and the change of energy in impacts.
    """
    tree_of_body, tree_start, _place_of, dof_at, _, _ = topology
    table, chosen, row_wanted, row_bounce, row_x = held
    bodies, count = surfaces[3], ids.shape[0]
    trees_all = tree_start.shape[0] - 1
    local = np.full(trees_all, -1, np.int64)
    used = np.empty(trees_all, np.int64)
    trees, coordinates, mass, rows, parts, jacobian, blocks_all = 0, 0, 0, 0, 0, 0, count
    for r in range(table.shape[0]):
        if not chosen[r]:
            continue
        rows, blocks_all = rows + 1, blocks_all + 1
        for tree in range(trees_all):
            if touches_tree(topology, table, r, tree):
                size = tree_start[tree + 1] - tree_start[tree]
                parts, jacobian = parts + 1, jacobian + size
                if local[tree] < 0:
                    local[tree] = trees
                    used[trees] = tree
                    trees, coordinates, mass = trees + 1, coordinates + size, mass + size * size
    for i in range(count):
        own = row_count(found, i)
        rows += own
        before = -1
        for side in range(2):
            tree = tree_of_body[bodies[ids[i, side]]]
            if tree < 0 or tree == before:
                continue
            before = tree
            size = tree_start[tree + 1] - tree_start[tree]
            parts, jacobian = parts + 1, jacobian + own * size
            if local[tree] < 0:
                local[tree] = trees
                used[trees] = tree
                trees, coordinates, mass = trees + 1, coordinates + size, mass + size * size
    room = _factor_room(trees, coordinates)
    values = np.zeros(v_free.shape[0])
    while True:
        ints = np.zeros(_integer_count(trees, blocks_all, parts), np.int64)
        numbers = np.zeros(_lay_out(ints, trees, coordinates, blocks_all, rows, parts, mass, jacobian, room))
        starts, masses, blocks = ints[lay.TREE_START], ints[lay.MASS_START], ints[lay.BLOCK]
        place, place_mass = 0, 0
        for t in range(trees):
            ints[starts + t], ints[masses + t] = place, place_mass
            first, size = tree_start[used[t]], tree_start[used[t] + 1] - tree_start[used[t]]
            for i in range(size):
                numbers[ints[lay.V_FREE] + place + i] = v_free[dof_at[first + i]]
                for j in range(size):
                    numbers[ints[lay.MASS] + place_mass + i * size + j] = M[dof_at[first + i], dof_at[first + j]]
            place, place_mass = place + size, place_mass + size * size
        ints[starts + trees], ints[masses + trees] = place, place_mass
        row, part, value = 0, 0, 0
        for i in range(count):
            own = row_count(found, i)
            block = blocks + lay.BLOCK_FIELDS * i
            ints[block], ints[block + 1], ints[block + 2], ints[block + 3] = lay.CONTACT, row, own, part
            friction = ints[lay.FRICTION] + lay.FRICTIONS * i
            if rubs:
                numbers[friction] = mu[i]
                numbers[friction + 1] = found[i, at.MATERIAL + TORSIONAL]
                numbers[friction + 2] = found[i, at.MATERIAL + ROLLING]
            numbers[ints[lay.RESTITUTION] + i] = bounce[i]
            first_part, before = part, -1
            for side in range(2):
                tree = tree_of_body[bodies[ids[i, side]]]
                if tree < 0 or tree == before:
                    continue
                before = tree
                ints[ints[lay.PART] + 2 * part], ints[ints[lay.PART] + 2 * part + 1] = local[tree], value
                value += own * (tree_start[tree + 1] - tree_start[tree])
                part += 1
            ints[block + 4] = part - first_part
            k = 0
            for r in range(ROWS):
                if not has_row(found, i, r):
                    continue
                row_values(topology, surfaces, columns, ids, found, i, r, values)
                for p in range(first_part, part):
                    tree = used[ints[ints[lay.PART] + 2 * p]]
                    first, size = tree_start[tree], tree_start[tree + 1] - tree_start[tree]
                    into = ints[lay.JACOBIAN] + ints[ints[lay.PART] + 2 * p + 1] + k * size
                    for c in range(size):
                        numbers[into + c] = values[dof_at[first + c]]
                clear_path(topology, surfaces, ids, i, values)
                numbers[ints[lay.B] + row + k] = wanted[i, r]
                numbers[ints[lay.UNIT] + row + k] = 1.0 if r < 3 else par[at.LENGTH]
                numbers[ints[lay.IMPULSE] + row + k] = warm[i, r]
                k += 1
            row += own
        b = count
        for r in range(table.shape[0]):
            if not chosen[r]:
                continue
            block, first_part = blocks + lay.BLOCK_FIELDS * b, part
            kind = lay.ONE_SIDED if table[r, at.ROW_IS_STOP] != 0.0 else lay.EQUATION
            ints[block], ints[block + 1], ints[block + 2], ints[block + 3] = kind, row, 1, part
            for tree in range(trees_all):
                if touches_tree(topology, table, r, tree):
                    first, size = tree_start[tree], tree_start[tree + 1] - tree_start[tree]
                    ints[ints[lay.PART] + 2 * part], ints[ints[lay.PART] + 2 * part + 1] = local[tree], value
                    into = ints[lay.JACOBIAN] + value
                    for c in range(size):
                        numbers[into + c] = table[r, at.ROW_LINE + dof_at[first + c]]
                    value += size
                    part += 1
            ints[block + 4] = part - first_part
            numbers[ints[lay.B] + row] = row_wanted[r]
            numbers[ints[lay.UNIT] + row] = unit_of(par, table, r)
            numbers[ints[lay.RESTITUTION] + b] = row_bounce[r]
            numbers[ints[lay.IMPULSE] + row] = row_x[r]
            row += 1
            b += 1
        _defaults(numbers[ints[lay.OPTIONS] : ints[lay.OPTIONS] + lay.OPTION_COUNT], tolerance)
        numbers[ints[lay.OPTIONS] + lay.SLOW] = slow
        numbers[ints[lay.OPTIONS] + lay.RELATIVE] = relative
        if rubs and task == contact_tasks.SOLVE:
            numbers[ints[lay.OPTIONS] + lay.SPARE] = lay.SPARING * tolerance
        code = call(solver, ints.ctypes.data, numbers.ctypes.data, ints.size, numbers.size, 0, 0.0, task)
        report = ints[lay.REPORT]
        if code != lay.MORE_SPACE:
            break
        room = int(numbers[report + lay.FACTOR_NEEDED])
    row = 0
    for i in range(count):
        for r in range(ROWS):
            x[i, r] = 0.0
            if has_row(found, i, r):
                x[i, r] = numbers[ints[lay.IMPULSE] + row]
                row += 1
    for r in range(table.shape[0]):
        row_x[r] = 0.0
        if chosen[r]:
            row_x[r] = numbers[ints[lay.IMPULSE] + row]
            row += 1
    place = 0
    for t in range(trees):
        first, size = tree_start[used[t]], tree_start[used[t] + 1] - tree_start[used[t]]
        for i in range(size):
            v[dof_at[first + i]] = numbers[ints[lay.V] + place + i]
        place += size
    residual = numbers[report + lay.RESIDUAL]
    worst = int(numbers[report + lay.WORST_BLOCK])
    return code, residual, min(max(worst, 0), max(count - 1, 0)), numbers[report + lay.ENERGY]
