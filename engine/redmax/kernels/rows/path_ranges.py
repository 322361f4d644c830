# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled paths of the present constraint rows to the root, body by body, as `path_to_root` follows them."""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout.declaration import Active, Link, Path, RowBodies
from ..layout.memory import fixed, further, get, put


@inlined
def ends(row):
    """Bodies at which the first and the second path of a row begin; -1 for none. The world has no path."""
    a, b = fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B)
    return (a, b) if a >= 0 else (b, a)


@inner
def common_ancestor(links, a, b, mark):
    """Body at which the paths from a and b to the root join; -1 where they never do. mark: (n,) integers, all 0."""
    body = a
    while body >= 0:
        put(mark, body, 1)
        body = fixed(links, body * Link.SIZE + Link.PARENT)
    common = b
    while common >= 0 and get(mark, common) == 0:
        common = fixed(links, common * Link.SIZE + Link.PARENT)
    body = a
    while body >= 0:
        put(mark, body, 0)
        body = fixed(links, body * Link.SIZE + Link.PARENT)
    return common


@inlined
def append(ranges, path, count_at, number, cut):
    """Add a number to the last of a body's ranges, or begin a new one; none goes on across the cut."""
    count, first = get(path, count_at), get(path, Path.FIRST_RANGE)
    if count_at == Path.PASSING:
        first += get(path, Path.JOINING)
    last = further(ranges, 2 * (first + count - 1))
    if count > 0 and number != cut and get(last, 0) + get(last, 1) == number:
        put(last, 1, get(last, 1) + 1)
        return
    put(last, 2, number)
    put(last, 3, 1)
    put(path, count_at, count + 1)


@inner
def put_ranges(n, m, rows):
    """Write the paths of the first m rows: a `Path` per body, then ranges (first, count) of the numbers of paths."""
    links, paths = rows.links, rows.paths
    mark, room = rows.path_work, further(rows.path_work, n)
    ranges = further(paths, n * Path.SIZE)
    for j in range(n):
        path = further(paths, j * Path.SIZE)
        put(path, Path.JOINING, 0)
        put(path, Path.PASSING, 0)
        put(room, j, 0)
        put(mark, j, 0)
    for i in range(m):  # how many ranges each body has at most
        a, b = ends(further(rows.row_bodies, get(rows.order, i) * RowBodies.SIZE))
        common = common_ancestor(links, a, b, mark)
        if common >= 0:
            put(room, common, get(room, common) + 1)
        body = a
        while body >= 0:
            put(room, body, get(room, body) + 1)
            body = fixed(links, body * Link.SIZE + Link.PARENT)
        body = b
        while body != common:
            put(room, body, get(room, body) + 1)
            body = fixed(links, body * Link.SIZE + Link.PARENT)
    first = 0
    for j in range(n):
        put(paths, j * Path.SIZE + Path.FIRST_RANGE, first)
        first += get(room, j)
    for i in range(m):
        a, b = ends(further(rows.row_bodies, get(rows.order, i) * RowBodies.SIZE))
        common = common_ancestor(links, a, b, mark)
        if common >= 0:
            append(ranges, further(paths, common * Path.SIZE), Path.JOINING, i, m)
    for i in range(m):
        body, _ = ends(further(rows.row_bodies, get(rows.order, i) * RowBodies.SIZE))
        while body >= 0:
            append(ranges, further(paths, body * Path.SIZE), Path.PASSING, i, m)
            body = fixed(links, body * Link.SIZE + Link.PARENT)
    for i in range(m):
        a, b = ends(further(rows.row_bodies, get(rows.order, i) * RowBodies.SIZE))
        common = common_ancestor(links, a, b, mark)
        while b != common:
            append(ranges, further(paths, b * Path.SIZE), Path.PASSING, m + i, m)
            b = fixed(links, b * Link.SIZE + Link.PARENT)
    put(rows.active, Active.PATHS_KNOWN, 1)
