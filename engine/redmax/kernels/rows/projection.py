# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled projection onto the constraint rows: positions and velocities by the change of least kinetic metric.

Newton's method, in which the matrix of the rows is factorised once and used again while it still converges quickly.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..joints.place import place_all, velocities
from ..layout import codes
from ..layout.declaration import Active, Column, Head, Pose, RowBodies, RowVectors, RowWork, Vector, Work
from ..layout.memory import fixed, further, get, put, put3, put6
from ..tree.articulated import eliminate, substitute
from ..tree.world_poses import world_poses
from .constrained import factorise_rows, find_multipliers
from .delassus import apply_multipliers
from .row_kinds import evaluate_rows, row_at, row_product

CLOSED = 1e-15
"""Errors up to this, relative to the mechanism's size, are closed: positions have no more digits."""
ROUND_OFF_ERROR = 1e-14
"""An error below this is left as it is where closing it would move coordinates by more than LARGEST_RATIO times it."""
LARGEST_RATIO = 1e4
"""Change of coordinates over the error it closes, relative to the size; larger ones occur near singular poses only."""
ACCEPTED_ERROR = 1e-10
"""Errors below this may remain where iterations no longer make them smaller."""
SLOW_CONVERGENCE = 1e-3
"""Where an iteration leaves a larger part of the errors than this, the rows are factorised again."""
LEAST_CHANGE_TOLERANCE = 1e-11
"""How far a change of velocity [rad/s or m/s] may be from the least one, as estimated, for old factors to do."""
MAX_ITERATIONS = 12
OPEN = -2
"""Result of `project`: the rows cannot be closed near here."""


@inner
def project(ints, rows, arrays, q, qdot, t):
    """Bring q and then qdot onto all rows at time t, in place. Gives the number of iterations for q, or OPEN."""
    nr = fixed(ints, Head.DOFS)
    if get(rows.active, Active.ROWS) == 0:  # all rows are redundant, as of a door's second hinge: no work space for any
        return 0
    x = further(rows.vectors, Vector.RIGHT_SIDE * nr)
    evaluate_at(ints, rows, arrays, q, qdot, t)
    size = mechanism_size(ints, rows)
    last, steps, moved = 0.0, 0, -1.0
    while True:
        largest = ask_to_close(rows, size)
        small = not largest > CLOSED  # also if it is not a number, which the velocities will show
        if small or (steps > 1 and largest < ACCEPTED_ERROR and not largest < 0.25 * last):
            break
        if steps == MAX_ITERATIONS:
            return OPEN
        clear_motion(ints, rows, x)
        if steps == 0 or largest > SLOW_CONVERGENCE * last:
            if factorise_pose(ints, rows, x) >= 0:
                return OPEN
            moved = 0.0
        least_change(ints, rows, x)
        change = largest_of(nr, x)
        if largest < ROUND_OFF_ERROR and change > LARGEST_RATIO * largest:
            break
        add(nr, q, x)
        moved += change
        last = largest
        steps += 1
        evaluate_at(ints, rows, arrays, q, qdot, t)
    return steps if project_velocities(ints, rows, arrays, q, qdot, t, size, moved) else OPEN


@inner
def project_velocities(ints, rows, arrays, q, qdot, t, size, moved):
    """Take from qdot what opens the rows, after `evaluate_at`; False if that cannot be.

    moved: how far coordinates have moved since rows were factorised last; negative if they never were. Rows have turned
    by as much since, relative to what they move of the coordinates. Near a singular pose that is little: a row that
    moves nothing there has a direction of its own everywhere around.
    """
    nr, x = fixed(ints, Head.DOFS), further(rows.vectors, Vector.RIGHT_SIDE * fixed(ints, Head.DOFS))
    last = 0.0
    for step in range(MAX_ITERATIONS):
        largest = ask_to_stop(rows, qdot, size)
        too_far = moved < 0.0 or (step > 0 and largest > SLOW_CONVERGENCE * last)
        while True:
            clear_motion(ints, rows, x)
            if too_far:
                if factorise_pose(ints, rows, x) >= 0:
                    return False
                moved = 0.0
            least_change(ints, rows, x)
            change = largest_of(nr, x)
            too_far = moved * change * change > LEAST_CHANGE_TOLERANCE * largest
            if not too_far:
                break
        add(nr, qdot, x)
        if not moved * change > CLOSED:
            return True
        last = largest
        evaluate_at(ints, rows, arrays, q, qdot, t)
    return True


@inner
def evaluate_at(ints, rows, arrays, q, qdot, t):
    """Place the bodies at q, qdot and evaluate the rows there."""
    n, work, columns = fixed(ints, Head.BODIES), rows.body_work, rows.columns
    place_all(n, rows, q, qdot)
    velocities(n, rows.bodies, rows.links, work, columns, qdot)
    world_poses(n, rows.links, work, rows.poses)
    evaluate_rows(0, get(rows.active, Active.ROWS), rows, arrays, q, qdot, t)


@inner
def mechanism_size(ints, rows):
    """Largest coordinate of a joint frame in the world, or of a row's point in its joint frame [m]."""
    size, poses = 1e-300, rows.poses
    for j in range(fixed(ints, Head.BODIES)):
        for k in range(Pose.P, Pose.SIZE):
            size = max(size, abs(get(poses, j * Pose.SIZE + k)))
    for i in range(get(rows.active, Active.ROWS)):
        row, vectors = row_at(i, rows)
        if fixed(row, RowBodies.KIND) == codes.POINT:
            for k in range(RowVectors.POINT_A, RowVectors.RESTITUTION):
                size = max(size, abs(get(vectors, k)))
    return size


@inner
def ask_to_close(rows, size):
    """Set the right sides to minus the errors; gives the largest, relative to the size."""
    largest = 0.0
    for i in range(get(rows.active, Active.ROWS)):
        error = get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR)
        largest = max(largest, set_right_side(i, rows, error, size))
    return largest


@inner
def ask_to_stop(rows, qdot, size):
    """Set the right sides to minus the rates of the errors; gives the largest, relative to the size."""
    largest = 0.0
    for i in range(get(rows.active, Active.ROWS)):
        rate = row_product(i, rows, Work.V, qdot) - get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)
        largest = max(largest, set_right_side(i, rows, rate, size))
    return largest


@inlined
def set_right_side(i, rows, value, size):
    """Set the right side of row i to minus a value; gives |value|, relative to the size where that is in metres."""
    put(rows.row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE, -value)
    return abs(value) / size if fixed(row_at(i, rows)[0], RowBodies.METRES) else abs(value)


@inner
def clear_motion(ints, rows, x):
    """Zero all that motion and loads have left in the work space, and x (nr,), for `least_change`."""
    n, nr, work, columns = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), rows.body_work, rows.columns
    for j in range(n):
        body = further(work, j * Work.SIZE)
        put6(body, Work.BIAS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put6(body, Work.C, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put3(body, Work.G, 0.0, 0.0, 0.0)
    for k in range(nr):
        put(columns, k * Column.SIZE + Column.TAU, 0.0)
        put(x, k, 0.0)


@inner
def factorise_pose(ints, rows, x):
    """Factors that `least_change` needs, after `clear_motion`; -1, or the body at whose joint nothing resists."""
    n, nr = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS)
    armature, no = further(rows.vectors, Vector.ARMATURE * nr), n < 0
    stuck = eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, x, 0.0, no)
    if stuck < 0:
        factorise_rows(ints, rows)
    return stuck


@inner
def least_change(ints, rows, x):
    """x (nr,) = M^-1 G^T multipliers: the change of least kinetic metric that gives every row its right side.

    After `clear_motion`, and `factorise_pose` here or nearby.
    """
    find_multipliers(rows)
    move_by_multipliers(ints, rows, x)


@inner
def move_by_multipliers(ints, rows, x):
    """x (nr,) = M^-1 G^T multipliers, after `clear_motion`, `eliminate` and `reach_of_rows`."""
    n, nr, m = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), get(rows.active, Active.ROWS)
    links, work, columns = rows.links, rows.body_work, rows.columns
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    no, yes = m < 0, m > 0
    apply_multipliers(n, m, links, rows.multipliers, columns, armature, rows.reach, yes)
    world = further(work, Work.ACC + 3 - Work.SIZE)
    a, b, c = get(world, 0), get(world, 1), get(world, 2)
    put3(world, 0, 0.0, 0.0, 0.0)
    substitute(n, links, work, columns, armature, x, further(rows.vectors, Vector.FORCE * nr), no)
    put3(world, 0, a, b, c)


@inner
def add(nr, q, x):
    """q += x, both of nr numbers."""
    for k in range(nr):
        put(q, k, get(q, k) + get(x, k))


@inner
def largest_of(nr, x):
    """Largest absolute value of nr numbers."""
    most = 0.0
    for k in range(nr):
        most = max(most, abs(get(x, k)))
    return most
