# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled parts of `integrators.extrapolation`: M, K and D as sparse matrices, and a whole attempt at a step."""

from __future__ import annotations

import math

from ...solvers import sparse_factors
from .. import tasks
from ..cache.jit import compiled, inner
from ..cache.same_text import compiled_text
from ..core import run
from ..layout.declaration import Vector
from ..layout.views import addresses, arrays_of, numbers_of, packed_rows, rows_of
from .stages import slope

factorise = compiled_text(sparse_factors.factorise)
solve = compiled_text(sparse_factors.solve)
add_product = compiled_text(sparse_factors.add_product)
add_products = compiled_text(sparse_factors.add_products)

ROWS, ACCEPTED, BROKEN, STUCK, WORST, VIBRATES = range(6)
"""What an attempt tells: how many rows it computed; whether the last is accurate enough; whether it went nowhere; the
body at whose joint nothing resists, or -1; the component of y whose error was the largest; whether nearly all of the
error of the last row is of what vibrates faster than a calm step."""
RESULTS = 6

OF_ROW, OF_STEP = range(2)
"""Factors that an attempt keeps: of the small steps of one row, and of the whole step, by which errors of what vibrates
faster than steps are left out."""

JUDGED = 2
"""As `integrators.extrapolation.JUDGED`, which a test compares."""

OF_VIBRATIONS = 10.0
"""As `integrators.extrapolation.OF_VIBRATIONS`, which a test compares."""

RIGHT_SIDE, ACCELERATION, VELOCITY, SCRATCH, MOMENTUM = range(5)
WORK = 5
"""Rows of `work`: those of n numbers in the order of elimination."""


@inner
def felt(force, free, followed, pushing, k):
    """What free coordinate k feels of forces along all coordinates."""
    total = force[free[k]]
    for i in range(followed.shape[0]):
        total += pushing[i, k] * force[followed[i]]
    return total


@compiled
def linearise(
    address,
    ints,
    floats,
    q,
    qdot,
    t,
    x,
    free,
    followed,
    pushing,
    nearly_taut,
    group_starts,
    members,
    entry_starts,
    entries,
    entry_rows,
    M,
    K,
    D,
):
    """M, K and D at (q, qdot) by their entries, K and D as implicit steps use them, a group of columns at a time.

    nearly_taut: see `tree.forces.force_product`. followed, pushing: (k,) coordinates that drives move, and (k, f) how
    much each moves with every free one. What acts on them is felt by those.

    A(h) = M - h D - h^2 K is what kernels multiply with: M = A(0), K and D are the even and the odd part of A(1).
    """
    head, numbers = packed_rows(ints, floats)
    vectors = arrays_of(head, rows_of(head, numbers)).vectors
    product = tasks.MULTIPLY | tasks.NEARLY_TAUT if nearly_taut else tasks.MULTIPLY
    x[:] = 0.0
    run(address, ints, floats, q, qdot, x, t, tasks.PLACE | tasks.LOADS | tasks.INVERSE)
    result = vectors[Vector.FORCE]
    for group in range(group_starts.shape[0] - 1):
        x[:] = 0.0
        for k in range(group_starts[group], group_starts[group + 1]):
            x[free[members[k]]] = 1.0
            for i in range(followed.shape[0]):
                x[followed[i]] += pushing[i, members[k]]
        first, end = entry_starts[group], entry_starts[group + 1]
        run(address, ints, floats, q, qdot, x, 0.0, product)
        for e in range(first, end):
            M[entries[e]] = felt(result, free, followed, pushing, entry_rows[e])
        run(address, ints, floats, q, qdot, x, 1.0, product)
        for e in range(first, end):
            D[entries[e]] = felt(result, free, followed, pushing, entry_rows[e])
        run(address, ints, floats, q, qdot, x, -1.0, product)
        for e in range(first, end):
            place = entries[e]
            ahead, back = D[place], felt(result, free, followed, pushing, entry_rows[e])
            D[place] = 0.5 * (back - ahead)
            K[place] = M[place] - 0.5 * (ahead + back)


@inner
def factorise_rows(below, rows, L, diagonal, G, W, S):
    """Lines of W: A^-1 times the lines of G. S: factors L D L^T of G A^-1 G^T, of independent lines."""
    m, n = G.shape
    for i in range(m):
        for k in range(n):
            W[i, k] = G[i, k]
        solve(below, rows, L, diagonal, W[i])
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += G[i, k] * W[j, k]
            S[i, j] = total
    for i in range(m):
        for j in range(i):
            for k in range(j):
                S[i, j] -= S[i, k] * S[j, k] * S[k, k]
            S[i, j] /= S[j, j]
        for k in range(i):
            S[i, i] -= S[i, k] * S[i, k] * S[k, k]


@inner
def solve_along_rows(below, rows, L, diagonal, G, W, S, multipliers, x):
    """Put A^-1 x, along the directions that the lines of G leave free, in the place of x."""
    solve(below, rows, L, diagonal, x)
    m, n = G.shape
    for i in range(m):
        total = 0.0
        for k in range(n):
            total += G[i, k] * x[k]
        for j in range(i):
            total -= S[i, j] * multipliers[j]
        multipliers[i] = total
    for i in range(m - 1, -1, -1):
        total = multipliers[i] / S[i, i]
        for j in range(i + 1, m):
            total -= S[j, i] * multipliers[j]
        multipliers[i] = total
    for i in range(m):
        for k in range(n):
            x[k] -= multipliers[i] * W[i, k]


@inner
def factorise_step(
    starts, columns, below, rows, before, across, M, K, D, h, values, L, diagonal, filled, work, G, W, S
):
    """Factors of M - h D - h^2 K, and of what it makes of the lines of G; False where there are none."""
    for e in range(values.shape[0]):
        values[e] = M[e] - h * (D[e] + h * K[e])
    if not factorise(starts, columns, below, rows, before, across, values, L, diagonal, filled, work):
        return False
    factorise_rows(below, rows, L, diagonal, G, W, S)
    return True


@inner
def add_row(k, table, y):
    """Row k of the extrapolation table, which begins with y, in the place of row k - 1."""
    size = y.shape[0]
    for i in range(size):
        table[k - 1, i] = y[i]
    for column in range(k - 1):
        part, above = 1.0 / ((k + 1.0) / (k - column) - 1.0), table[column]
        for i in range(size):
            entry = table[k - 1, i]
            table[k - 1, i] = entry + part * (entry - above[i])
            above[i] = entry


@inner
def kinetic(starts, columns, order, M, y, x, momentum):
    """Kinetic energy of the velocities in y."""
    n, energy = order.shape[0], 0.0
    for k in range(n):
        x[k], momentum[k] = y[n + order[k]], 0.0
    add_product(starts, columns, M, x, momentum)
    for k in range(n):
        energy += 0.5 * x[k] * momentum[k]
    return energy


@compiled
def attempt(
    address, ints, floats, exchanges, free, starts, columns, below, rows, before, across, order, M, K, D, G, calm, h,
    t, t_new, until, most, wanted, rtol, atol, of_velocities, y0, table, errors, results, values, L, diagonal, filled,
    work, W, S, multipliers, y, dy, motion,
):  # fmt: skip
    """A step of length h from t to t_new by up to `most` rows; the last row of `table` that was computed is its end.

    y0: free coordinates, their velocities, work, loss. errors: of every row, over what is allowed. wanted: rows below
    this number are not accepted. of_velocities: part by which errors of velocities count.
    Step for step as `integrators.extrapolation.LinearlyImplicitExtrapolation`.
    """
    ints_at, floats_at = addresses(ints, floats)
    core = (address, ints_at, floats_at)
    n, size = order.shape[0], y0.shape[0]
    results[ROWS], results[ACCEPTED], results[BROKEN], results[STUCK], results[WORST] = 0, 0, 0, -1, 0
    results[VIBRATES] = 0
    right, acc, vel = work[RIGHT_SIDE], work[ACCELERATION], work[VELOCITY]
    scratch, momentum = work[SCRATCH], work[MOMENTUM]
    if calm and not factorise_step(
        starts, columns, below, rows, before, across, M, K, D, h, values, L[OF_STEP], diagonal[OF_STEP], filled,
        scratch, G, W[OF_STEP], S[OF_STEP],
    ):  # fmt: skip
        results[BROKEN] = 1
        return
    energy = kinetic(starts, columns, order, M, y0, vel, momentum)
    for k in range(n):
        energy += atol * M[starts[k + 1] - 1]
    previous, error = math.inf, math.inf
    for row in range(1, most + 1):
        count = row + 1
        part = h / count
        if not factorise_step(
            starts, columns, below, rows, before, across, M, K, D, part, values, L[OF_ROW], diagonal[OF_ROW], filled,
            scratch, G, W[OF_ROW], S[OF_ROW],
        ):  # fmt: skip
            results[BROKEN] = 1
            return
        for i in range(size):
            y[i] = y0[i]
        for step in range(1, count + 1):
            now = t_new if step == count else t + step * part
            stuck = slope(core, exchanges, free, min(now, until), numbers_of(y), motion, numbers_of(dy), 0)
            if stuck >= 0:
                results[STUCK] = stuck
                return
            for k in range(n):
                place = n + order[k]
                acc[k], vel[k], right[k] = dy[place], y[place] + part * dy[place], 0.0
            add_products(starts, columns, D, acc, K, vel, right)
            for k in range(n):
                right[k] *= part * part
            solve_along_rows(
                below, rows, L[OF_ROW], diagonal[OF_ROW], G, W[OF_ROW], S[OF_ROW], multipliers, right
            )  # fmt: skip
            for i in range(2 * n, size):
                y[i] += part * dy[i]
            if calm and exchanges:  # the impulse of dampers in this small step, times the mean velocity
                for k in range(n):
                    vel[k] += right[k]
                    acc[k], momentum[k], right[k] = vel[k] + 2.0 * y[n + order[k]], 0.0, 0.0
                add_product(starts, columns, D, acc, momentum)
                for k in range(n):
                    y[size - 1] -= 0.5 * part * (vel[k] - y[n + order[k]]) * momentum[k]
            for k in range(n):
                place, velocity = order[k], vel[k] + right[k]
                y[place] += part * velocity
                y[n + place] = velocity
        add_row(row, table, y)
        results[ROWS] = row
        if row < max(2, wanted + 1 - JUDGED):
            errors[row] = math.inf
            continue
        previous = error
        error, whole = 0.0, 0.0
        worst = -1.0
        for half in range(2):
            for k in range(n):
                place = half * n + order[k]
                right[k] = table[row - 1, place] - table[row - 2, place]
            if calm:
                for k in range(n):
                    place = half * n + order[k]
                    ratio = right[k] / (atol + rtol * max(abs(y0[place]), abs(table[row - 1, place])))
                    if half == 1:
                        ratio *= of_velocities
                    whole += ratio * ratio
                for _ in range(2):
                    for k in range(n):
                        momentum[k] = 0.0
                    add_product(starts, columns, M, right, momentum)
                    for k in range(n):
                        right[k] = momentum[k]
                    solve_along_rows(
                        below, rows, L[OF_STEP], diagonal[OF_STEP], G, W[OF_STEP], S[OF_STEP], multipliers, right
                    )  # fmt: skip
            for k in range(n):
                place = half * n + order[k]
                ratio = abs(right[k]) / (atol + rtol * max(abs(y0[place]), abs(table[row - 1, place])))
                if half == 1:
                    ratio *= of_velocities
                error += ratio * ratio
                if not ratio <= worst:
                    worst = ratio
                    results[WORST] = place
        error = math.sqrt(error / (2 * n))
        change, apart = 0.0, 0.0
        for i in range(2 * n, size):
            change = max(change, abs(table[row - 1, i] - y0[i]))
            apart = max(apart, abs(table[row - 1, i] - table[row - 2, i]))
        in_play = energy + kinetic(starts, columns, order, M, table[row - 1], vel, momentum)
        of_energy = apart / (math.sqrt(rtol) * (in_play + change))
        error = max(error, of_energy)
        errors[row] = error
        results[VIBRATES] = math.sqrt(whole / (2 * n)) > OF_VIBRATIONS * error
        if not math.isfinite(error) or (row > 2 and error > max(1.0, 4.0 * previous)):
            results[BROKEN] = 1
            return
        if row >= wanted and error <= 1.0:
            results[ACCEPTED] = 1
            return
        # Hopeless: the rows still to come cannot bring the error down far enough.
        left = 0.5 * (most + 1)
        if row > wanted and error > left * left:
            return


@compiled
def diagonal_of_inverse(starts, columns, below, rows, before, across, M, which, L, diagonal, filled, work, found):
    """Entries of M^-1 on its diagonal, at some places in the order of elimination; False where there is none."""
    if not factorise(starts, columns, below, rows, before, across, M, L, diagonal, filled, work):
        return False
    for i in range(which.shape[0]):
        work[:] = 0.0
        work[which[i]] = 1.0
        solve(below, rows, L, diagonal, work)
        found[i] = work[which[i]]
    return True


@compiled
def solve_with(starts, columns, below, rows, before, across, M, L, diagonal, filled, work, X):
    """Put M^-1 times each line of X (m, n) in its place; False where M is singular."""
    if not factorise(starts, columns, below, rows, before, across, M, L, diagonal, filled, work):
        return False
    for i in range(X.shape[0]):
        solve(below, rows, L, diagonal, X[i])
    return True
