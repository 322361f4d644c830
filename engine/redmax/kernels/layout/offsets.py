# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each number of a mechanism stands in the few arrays that kernels read.

A call from Python pays for every array it hands over, and a body's numbers are read together: so there is one row
for each body, primitive and coordinate. Kernels treat these numbers as constants.
"""

from __future__ import annotations

# bodies, integers: one row per body
PARENT, DOF, NDOF, FIRST, LAST, PRESCRIBED, MODE, ROLE = range(8)
"""Parent body or -1; first coordinate and how many; primitives FIRST : LAST (FIRST < 0: known only in Python);
whether its joint is animated or locked; how its joint is computed; its place among other bodies."""
LEAF, LAST_CHILD, AT_REST, ON_REST = 1, 2, 4, 8
"""Roles, each a bit: nothing hangs on it; it is the last child of its parent, so the first to be eliminated; joints
without coordinates hold it in the world; what it hangs on is such a body, or the world."""
GENERAL, HINGE, BALL_ALONE, PARALLEL = range(4)
"""Modes. Kernels turn a hinge's joint frame so that it turns about z; see `TILT`. PARALLEL: a hinge on a hinge, about
the same direction."""
BODY_INTS = 8

# bodies, numbers
R0, P0 = 0, 9
"""Joint frame at q = 0 in the parent's joint frame."""
MASS, MOMENT, INERTIA = 12, 13, 16
"""Mass, mass times centre, and the inertia xx xy xz yy yz zz about the joint frame's origin, in the joint frame."""
CENTER, DAMPING = 22, 25
R_JB, P_JB = 26, 35
"""Described frame in the joint frame."""
TILT = 38
"""Rotation of the joint frame that kernels use in the model's: it brings a hinge's axis to z."""
BODY_NUMBERS = 48

# primitives, integers: one row per coordinate group
KIND, COORDINATE, SLOT, PLACE, OWN, SEPARATE = range(6)
"""Kind; its first coordinate; its joint's Euler slot or -1; which angle of the sequence; the joint's own axis of this
angle; 1 if loads act in coordinates that may have to be rewritten."""
SCREW, BALL, ANGLE = 0, 1, 2
"""ANGLE is one of three Euler angles, whose axis depends on the chart of its slot."""
PRIMITIVE_INTS = 8

# primitives, numbers
K0, K1, K2, TURN, ADVANCE, STEP = 0, 9, 18, 27, 30, 33
"""SCREW: R = K0 + cos(q) K1 + sin(q) K2, with the joint frame at q = 0 in it for a joint's first primitive;
the constant twist (TURN, ADVANCE); p grows by STEP per unit of q."""
PRIMITIVE_NUMBERS = 36

# coordinates, numbers
TORQUE, STIFFNESS, REST, JOINT_DAMPING, LOWER, UPPER, LIMIT_STIFFNESS, LIMIT_DAMPING = range(8)
DOF_NUMBERS = 8

# tables, integers: one row per table
TABLE_KIND, TABLE_DOF, TABLE_COLUMNS, TABLE_POINTS, TABLE_START = range(5)
ANIMATION, TORQUE_TABLE, SPRING_TABLE, FORCE_TABLE = range(4)
TABLE_INTS = 5

# world
PUT_IN, TAKEN, TURN_RATE, RANK, FORCES_IN, FORCES_OUT, FORCES_ENERGY = 3, 4, 5, 6, 7, 8, 9
WEAKEST, WEAKEST_ROW, LEAST_WEAK = 10, 11, 12
WORLD_NUMBERS = 13
"""Gravity; powers of motors and dampers [W], the fastest turn [rad/s] and how many rows of constraints do not depend on
others, as `core.compute` leaves them; what forces put in and take out [W] and their energy [J]. Every factorisation of
the rows has a weakest one: the part of it that no other row has, squared, relative to what it could move at most; the
least of these since somebody asked, which row that was, and the largest."""

# work space, one row per body
R, P, V, C, G, BIAS, IA, PA, ACC, F = 0, 9, 12, 18, 24, 27, 33, 54, 60, 66
"""Pose in the parent, twist, velocity products (C in the body's axes, G in the parent's), wrench that the motion
needs, what children give: articulated inertia (6 angular, 9 mixed, 6 linear) and bias wrench; acceleration, wrench of
the joint. The world has a row of its own before the first."""
WORK = 72

# work space, one row per coordinate
S, U, D, TAU = 0, 6, 12, 13
"""Column of S, its articulated column, one over its inertia, force less bias."""
DOF_WORK = 16

# rows of loops, integers: one line per row
ROW_KIND, BODY_A, BODY_B, LOOP = range(4)
"""Kind; the bodies it holds together, -1 for the world; which loop of the model it belongs to."""
POINT, AXIS = range(2)
"""POINT: NORMAL . (point B - point A) = 0, the normal fixed in A. AXIS: an axis of A is across one of B.

The first N_ROWS lines are kept. After them come those that say nothing new whatever the pose, which are looked at where
a run begins and in samples; and last, as AXIS rows, axes that must not point opposite ways: their error is near 1."""
ROW_INTS = 4

# rows, numbers; in the bodies' joint frames
NORMAL, POINT_A, POINT_B = 0, 3, 6
AXIS_A, AXIS_B = 0, 3
ROW_NUMBERS = 9

# rows, work space: what each does to its bodies per unit of multiplier, error, how much it could move at most, what
# acceleration the motion gives it already, right side, multiplier, and which row is solved for at this place
ON_A, ON_B, ERROR, MOST, PRODUCT, WANTED, MULTIPLIER, ORDER = 0, 6, 12, 13, 14, 15, 16, 17
ROW_WORK = 18
POSE = 12
"""Numbers of a body's pose in the world: nine of the rotation, three of the position."""

# ways of rows to the root, integers: one line per body, then pairs (first, how many)
FIRST_RANGE, MEETINGS, RANGES = range(3)
"""Where a body's pairs begin: first rows whose two ways meet there, then ways that pass. Way i is that of row i from
body A, and from both once they have met; m + i is that from body B. The world has no way."""
WAY_INTS = 3
AXIS_NUMBERS, WRENCH = 12, 6
"""Work space: a coordinate in the world's axes, S and what it takes of a wrench; a wrench on its way."""

# forces, integers: one line per force
FORMULA, FORCE_POINTS, FIRST_POINT, FORCE_START, FORCE_TABLE_ROW = range(5)
"""Formula (`forces.base.Formula`); how many points it has and which is the first; where in the pool its numbers begin,
first work space of its own, then three of each point in the body's joint frame; row of its table or -1. Points have
one integer, their body."""
FORCE_INTS = 5
TENSION, TENSION_SLOPE, TENSION_RATE, LENGTH, LENGTH_RATE = range(5)
FORCE_WORK = 5
"""Of a path, as `forces.apply_forces` leaves it: tension and its derivatives by length and rate; length and rate."""

# vectors over all coordinates
OWN_Q, OWN_QDOT, LOAD, LOAD_K, LOAD_D, ARMATURE, FORCE, START, RIGHT_SIDE = range(9)
"""Coordinates and velocities in which loads are meant, loads and their derivatives, what is added to a coordinate's
inertia, whole force along a coordinate, where it starts, right side of an implicit solve."""
VECTOR_ROWS = 9

# what `arrays_of` gives
BODIES, LINKS, NUMBERS, KINDS, DOFS, TABLES, POOL, WORLD, GIVEN, CHARTS, BODY_WORK, COLUMNS, VECTORS = range(13)
# and further rows
ROWS, ROW_VALUES, ROW_SPACE, POSES, REACH, DELASSUS, FORCES, POINTS = range(13, 21)
WAYS, CARRIED, AXES, SUMS, SOLUTION = range(21, 26)

# head of the integers: how many bodies, primitives, tables, pool numbers, prescribed ones, Euler slots; whether
# anything acts on coordinates, whether any body is damped; how long both arrays are; how many coordinates there are,
# rows of constraints, forces and their points; all lines of rows, idle ones included, and integers of
# their ways; whether it is simulated in a plane, see `planar`
N_BODIES, N_PRIMITIVES, N_TABLES, N_POOL, N_GIVEN, N_SLOTS, HAS_LOADS, HAS_DRAG, N_INTS, N_FLOATS, N_DOFS, N_ROWS = (
    range(12)
)
N_FORCES, N_POINTS, N_LINES, N_WAYS, IS_FLAT = 12, 13, 14, 15, 16
HEAD = 17

# what `core.compute` is asked to do, in this order
DO_RECENTRE, DO_PLACE, DO_TURN_RATE, DO_LOADS, DO_FORWARD = 1, 2, 4, 8, 16  # DO_PROJECT comes after DO_RECENTRE
WITH_WRENCHES, WITH_POWERS, DO_INVERSE, DO_IMPLICIT, DO_PROJECT, DO_MULTIPLY = 32, 64, 128, 256, 512, 1024
DO_PRESCRIBE = 2048  # comes before all others
DO_PULL = 4096  # comes after DO_MULTIPLY
DO_LOOK = 8192  # comes last: poses in the world, errors of all lines of rows and, as WANTED, their rates
ACCELERATE = DO_PLACE | DO_LOADS | DO_FORWARD

# methods of `fixed_steps`
SEMI_IMPLICIT, RUNGE_KUTTA, LINEARLY_IMPLICIT, CONJUGATE_GRADIENTS = range(4)
