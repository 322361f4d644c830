# SPDX-License-Identifier: GPL-3.0-or-later
"""Integers that stand for a choice in a packed model."""

from __future__ import annotations

GENERAL, HINGE, BALL, PARALLEL, TWIST, PARTICLE = range(6)
"""`Link.MODE`, how a joint is computed: by its own function, or as one of `joints.special.Form`. Kernels turn a hinge's
joint frame so that it turns about z (`Body.TILT`). PARALLEL: a hinge on a hinge, about the same direction. GENERAL and
TWIST differ only in how they are placed. PARTICLE: translates in the world, and carries nothing (`tree.particle`)."""

LEAF, LAST_CHILD, AT_REST, ON_REST = 1, 2, 4, 8
"""`Link.ROLE`, each a bit: nothing hangs on the body; it is the last child of its parent, so the first to be
eliminated; joints without coordinates hold it in the world; what it hangs on is such a body, or the world."""

ANIMATION, TORQUE_TABLE, SPRING_TABLE, FORCE_TABLE, ROW_TABLE, POSITION_TARGET, SPEED_TARGET = range(7)
"""`Table.KIND`. The last two are targets of motors."""

POINT, AXIS, COORDINATE, COMPONENT, FUNCTION, TURN_LIMIT, FOLLOWER = range(7)
"""`RowBodies.KIND`. POINT: NORMAL . (point B - point A) = 0, the normal fixed in A. AXIS: an axis fixed in A is
perpendicular to one fixed in B. COORDINATE: FACTOR_A q_a + FACTOR_B q_b = OFFSET. COMPONENT: the velocity of body B at
PLACE, or if IS_TURN its angular velocity, along DIRECTION, all in body B; its table has three columns in the world.
FUNCTION: what a function of the constraint's own says. TURN_LIMIT: the room that FRAME_B has, seen from FRAME_A, to a
limit of swing or twist (`spatial.swing_twist`). FOLLOWER: q_a is a function of other coordinates, see `Follower`."""

NO_TARGET, POSITION, VELOCITY, ACCELERATION = range(4)
"""`RowBodies.TARGET`: nothing changes over time, or what a table prescribes."""

KEPT, CHOSEN, LOCKED, STOPPED = range(1, 5)
"""`World.CHOICE`, what had to be chosen in a singular pose: at rest, the direction in which the mechanism came; at rest
from the start, the one that accelerations are nearest to; at rest, there is no direction to go in; a velocity that led
nowhere was taken away. The last of these that occurred counts."""
