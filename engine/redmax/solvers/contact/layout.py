# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a contact problem and its work space stand in one array of integers and one of numbers.

The head of `ints` has the counts, then where each section begins: first those of `ints` itself, then those of
`numbers`. A section ends where the next begins. `lay_out` writes the head; `integers` and `numbers_of` give sections
as views. The caller fills the sections of the problem; the rest is work space and holds nothing between calls.

Sections of the problem, integers:
    TREE_START   (trees + 1)  first coordinate of each tree
    MASS_START   (trees + 1)  where the n x n mass matrix of each tree begins in MASS
    BLOCK        (blocks, 5)  KIND, first row, number of rows, first part, number of parts
    PART         (parts, 2)   tree, and where the values of the block's rows on that tree begin in JACOBIAN
Numbers:
    MASS         mass matrices, row by row, both triangles
    V_FREE       (coordinates) velocities without impulses
    JACOBIAN     for each part a table (rows of the block, coordinates of the tree), row by row
    B            (rows) sigma = G v - b
    LO, HI       (rows) bounds of the impulses of boxed rows; not read for others
    UNIT         (rows) metres per unit of the row, so that speeds of all rows are compared in m/s: 1 for rows in m/s,
                 a length of the mechanism for rows in rad/s
    FRICTION     (blocks, 3) mu, radius of torsional and of rolling friction [m] of contacts
    RESTITUTION  (blocks) of contacts and one-sided rows, 0 to 1; read by impacts alone
    OPTIONS      TOLERANCE [m/s] and so on, see below; `lay_out` does not write them, `defaults` does
    IMPULSE      (rows) warm start before, or zeros; the solution after
    V            (coordinates) the solution
    REPORT       what was done, see below

A block names a tree once: where both sides of a contact belong to one tree the caller adds up their values. Contacts
have three rows, normal and two tangents; 4 with a torsional row behind them, 5 with two rolling ones, 6 with both.
"""

from __future__ import annotations

from ...arrays import Array, IntArray

EQUATION, ONE_SIDED, BOXED, CONTACT = range(4)
"""Kinds of blocks. Those of the first three have any number of rows, each by itself."""

KIND, ROW, COUNT, FIRST_PART, PART_COUNT = range(5)
BLOCK_FIELDS = 5

PART_TREE, PART_VALUES = range(2)
PART_FIELDS = 2

MU, TORSIONAL, ROLLING = range(3)
FRICTIONS = 3

SIGNORINI_COULOMB, RELAXED, PYRAMID = range(3)
"""Laws of friction. SIGNORINI_COULOMB: the circular cone, exactly. RELAXED: the convex relaxation, in which what slides
also lifts (mu times the sliding speed); PYRAMID: as the first, but each tangent is bounded by itself."""

(
    TOLERANCE,
    LAW,
    MOST_OUTER,
    MOST_NEWTON,
    MOST_ADMM,
    MOST_SWEEPS,
    FIRST_SOFTNESS,
    SLOW,
    MOST_ROUNDS,
    RELATIVE,
    GOAL,
    SPARE,
) = range(12)
OPTION_COUNT = 12
"""Options. TOLERANCE [m/s] of the residual, LAW, most iterations of each method (of Newton's in each outer one),
softness with which iterations begin; SLOW [m/s]: slower impacts do not bounce; MOST_ROUNDS of impacts before all act
together; RELATIVE: the residual of trees that touch each other may be this part of the one that they begin with, if
that is more than TOLERANCE. GOAL [m/s]: of the island at work, written by the solver. SPARE [m/s]: a residual
of this is good enough where Newton's method comes no nearer."""

SPARING = 100.0
"""Steps take a residual so many times what it should be where Newton's method comes no nearer. Slower methods and
shorter steps seldom help there, and what is lacking moves nothing that anyone sees."""

RESIDUAL, WORST_BLOCK, OUTER, NEWTON, ADMM, SWEEPS, ISLAND_COUNT, MISSED, FACTOR_NEEDED, ROUNDS, ENERGY = range(11)
REPORT_COUNT = 11
"""Report. RESIDUAL [m/s], the block that has it (-1: none), iterations of all islands together, number of islands, of
those that missed the tolerance, numbers that factors need; impacts: rounds, and the change of kinetic energy [J]."""

SOLVED, MISSES, MORE_SPACE, UNFIT = range(4)
"""Results. MISSES: the residual is above the tolerance; the best that was found stands there, and is finite.
MORE_SPACE: factors need FACTOR_NEEDED numbers. UNFIT: a mass matrix is not positive definite or a number is not
finite."""

TREES, COORDINATES, BLOCKS, ROWS, PARTS, FACTOR_ROOM, ISLANDS = range(7)
"""Head: counts."""

(
    TREE_START,
    MASS_START,
    BLOCK,
    PART,
    ISLAND_TREE_START,
    ISLAND_TREES,
    ISLAND_BLOCK_START,
    ISLAND_BLOCKS,
    LOCAL,
    DEGREE,
    ORDER,
    POSITION,
    COLUMN_START,
    COLUMN_TREES,
    PLACE,
    IS_NEAR,
    LISTED,
    INTEGERS_END,
) = range(7, 25)
"""Head: beginnings of sections of `ints`. LOCAL, POSITION: of each tree in its island and in the order of elimination;
ORDER: the tree at each position; COLUMN_TREES: trees below the diagonal in each column of the factor; PLACE: (n, n) of
an island's trees, where their block stands in FACTOR, or NOWHERE."""

(
    MASS,
    V_FREE,
    JACOBIAN,
    B,
    LO,
    HI,
    UNIT,
    FRICTION,
    RESTITUTION,
    OPTIONS,
    IMPULSE,
    V,
    REPORT,
    MASS_FACTOR,
    INVERSE,
    OWN,
    DELASSUS,
    SOFTNESS,
    SIGMA,
    SHIFT,
    SHIFTS,
    PROJECTED,
    GRADIENT,
    STEP,
    CORRECTION,
    ROW_STEP,
    REACHED,
    Y,
    TRIAL,
    BEST,
    KEPT_B,
    KEPT_DELASSUS,
    KEPT_V,
    TOTAL,
    BLOCKED,
    CONE,
    WEIGHT,
    WEIGHTED,
    START,
    WAY,
    START_OF_V,
    WAY_OF_V,
    FACTOR,
    NUMBERS_END,
) = range(25, 69)
"""Head: beginnings of sections of `numbers`. Work space: MASS_FACTOR, Cholesky factors; INVERSE,
M^-1 G^T in the order of JACOBIAN; OWN, G M^-1 G^T of each contact by itself; DELASSUS, diagonal of G M^-1 G^T;
SOFTNESS, R of each row; SIGMA, speeds at V; SHIFT, De Saxce's, of each block; SHIFTS, of earlier iterations;
PROJECTED, new impulses; GRADIENT, STEP of Newton's method; CORRECTION, from V to the velocities that PROJECTED gives;
ROW_STEP = G STEP; REACHED, speeds that PROJECTED gives; Y, before projection; TRIAL, in the line search and the
residual; BEST impulses so far. KEPT_B to BLOCKED: of impacts. START, WAY, START_OF_V, WAY_OF_V: impulses and
velocities before a sweep, and the directions in which sweeps go on."""

HEAD = 69
NOWHERE, EDGE = -1, -2
"""In PLACE: trees that share no block; trees that do, before it has its place."""

CONE_NUMBERS = 32
SHIFT_MEMORY = 6
"""How many earlier shifts `shifts` remembers."""
MOST_CONTACT_ROWS = 6


def lay_out(
    ints: IntArray,
    trees: int,
    coordinates: int,
    blocks: int,
    rows: int,
    parts: int,
    mass: int,
    jacobian: int,
    room: int,
) -> int:
    """Write the head, HEAD integers; returns how many numbers the problem takes. How many integers: ints[INTEGERS_END].

    mass, jacobian: how many numbers MASS and JACOBIAN hold. room: numbers for factors, see `factor_room`.
    """
    ints[TREES] = trees
    ints[COORDINATES] = coordinates
    ints[BLOCKS] = blocks
    ints[ROWS] = rows
    ints[PARTS] = parts
    ints[FACTOR_ROOM] = room
    ints[ISLANDS] = 0
    for section in range(TREE_START, HEAD):
        ints[section] = 0
    ints[TREE_START] = HEAD
    ints[MASS_START] = ints[TREE_START] + trees + 1
    ints[BLOCK] = ints[MASS_START] + trees + 1
    ints[PART] = ints[BLOCK] + BLOCK_FIELDS * blocks
    ints[ISLAND_TREE_START] = ints[PART] + PART_FIELDS * parts
    ints[ISLAND_TREES] = ints[ISLAND_TREE_START] + trees + 1
    ints[ISLAND_BLOCK_START] = ints[ISLAND_TREES] + trees
    ints[ISLAND_BLOCKS] = ints[ISLAND_BLOCK_START] + trees + 1
    ints[LOCAL] = ints[ISLAND_BLOCKS] + blocks
    ints[DEGREE] = ints[LOCAL] + trees
    ints[ORDER] = ints[DEGREE] + trees
    ints[POSITION] = ints[ORDER] + trees
    ints[COLUMN_START] = ints[POSITION] + trees
    ints[COLUMN_TREES] = ints[COLUMN_START] + trees + 1
    ints[PLACE] = ints[COLUMN_TREES] + trees * (trees - 1) // 2
    ints[IS_NEAR] = ints[PLACE] + trees * trees
    ints[LISTED] = ints[IS_NEAR] + blocks
    ints[INTEGERS_END] = ints[LISTED] + blocks

    ints[MASS] = 0
    ints[V_FREE] = mass
    ints[JACOBIAN] = ints[V_FREE] + coordinates
    ints[B] = ints[JACOBIAN] + jacobian
    ints[LO] = ints[B] + rows
    ints[HI] = ints[LO] + rows
    ints[UNIT] = ints[HI] + rows
    ints[FRICTION] = ints[UNIT] + rows
    ints[RESTITUTION] = ints[FRICTION] + FRICTIONS * blocks
    ints[OPTIONS] = ints[RESTITUTION] + blocks
    ints[IMPULSE] = ints[OPTIONS] + OPTION_COUNT
    ints[V] = ints[IMPULSE] + rows
    ints[REPORT] = ints[V] + coordinates
    ints[MASS_FACTOR] = ints[REPORT] + REPORT_COUNT
    ints[INVERSE] = ints[MASS_FACTOR] + mass
    ints[OWN] = ints[INVERSE] + jacobian
    ints[DELASSUS] = ints[OWN] + MOST_CONTACT_ROWS * MOST_CONTACT_ROWS * blocks
    ints[SOFTNESS] = ints[DELASSUS] + rows
    ints[SIGMA] = ints[SOFTNESS] + rows
    ints[SHIFT] = ints[SIGMA] + rows
    ints[SHIFTS] = ints[SHIFT] + blocks
    ints[PROJECTED] = ints[SHIFTS] + (2 * SHIFT_MEMORY + 2) * blocks
    ints[GRADIENT] = ints[PROJECTED] + rows
    ints[STEP] = ints[GRADIENT] + coordinates
    ints[CORRECTION] = ints[STEP] + coordinates
    ints[ROW_STEP] = ints[CORRECTION] + coordinates
    ints[REACHED] = ints[ROW_STEP] + rows
    ints[Y] = ints[REACHED] + rows
    ints[TRIAL] = ints[Y] + rows
    ints[BEST] = ints[TRIAL] + rows
    ints[KEPT_B] = ints[BEST] + rows
    ints[KEPT_DELASSUS] = ints[KEPT_B] + rows
    ints[KEPT_V] = ints[KEPT_DELASSUS] + rows
    ints[TOTAL] = ints[KEPT_V] + coordinates
    ints[BLOCKED] = ints[TOTAL] + rows
    ints[CONE] = ints[BLOCKED] + rows
    ints[WEIGHT] = ints[CONE] + CONE_NUMBERS
    ints[WEIGHTED] = ints[WEIGHT] + MOST_CONTACT_ROWS * MOST_CONTACT_ROWS
    ints[START] = ints[WEIGHTED] + MOST_CONTACT_ROWS * coordinates
    ints[WAY] = ints[START] + rows
    ints[START_OF_V] = ints[WAY] + rows
    ints[WAY_OF_V] = ints[START_OF_V] + coordinates
    ints[FACTOR] = ints[WAY_OF_V] + coordinates
    ints[NUMBERS_END] = ints[FACTOR] + room
    return int(ints[NUMBERS_END])


def integer_count(trees: int, blocks: int, parts: int) -> int:
    """How many integers a problem takes."""
    own = 2 * (trees + 1) + BLOCK_FIELDS * blocks + PART_FIELDS * parts
    islands = 2 * (trees + 1) + trees + blocks
    order = 5 * trees + 1 + trees * (trees - 1) // 2 + trees * trees
    return HEAD + own + islands + order + 2 * blocks


def factor_room(trees: int, coordinates: int) -> int:
    """Numbers for factors that are enough for up to 40 trees, and for larger problems that are not too entangled: the
    solver asks for more (MORE_SPACE) where they are not."""
    return coordinates * coordinates * min(trees, 40) // max(trees, 1)


def integers(ints: IntArray, section: int) -> IntArray:
    """A section of `ints`."""
    return ints[ints[section] : ints[section + 1]]


def numbers_of(ints: IntArray, numbers: Array, section: int) -> Array:
    """A section of `numbers`."""
    return numbers[ints[section] : ints[section + 1]]


def defaults(options: Array, tolerance: float) -> None:
    """Usual options. tolerance: of the residual [m/s], 1e-6 of the speeds that matter, such as gravity times the
    step."""
    options[TOLERANCE] = tolerance
    options[LAW] = SIGNORINI_COULOMB
    options[MOST_OUTER] = 40
    options[MOST_NEWTON] = 60
    options[MOST_ADMM] = 500
    options[MOST_SWEEPS] = 500
    options[FIRST_SOFTNESS] = 3e-2
    options[SLOW] = 100.0 * tolerance
    options[MOST_ROUNDS] = 100
    options[RELATIVE] = 0.0
    options[GOAL] = tolerance
    options[SPARE] = tolerance
