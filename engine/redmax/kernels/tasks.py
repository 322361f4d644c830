# SPDX-License-Identifier: GPL-3.0-or-later
"""What `core.compute` is asked to do: a sum of flags, which it goes through in the order of this file."""

from __future__ import annotations

PRESCRIBE = 1 << 11
"""Coordinates, velocities and accelerations of animated and locked joints at time t."""
RECENTRE = 1 << 0
"""Coordinates away from singularities; the result is 1 if any changed."""
PROJECT = 1 << 9
"""Positions and velocities onto all rows by the least change."""
PLACE = 1 << 1
"""Poses, velocities, velocity products and S of all joints."""
TURN_RATE = 1 << 2
"""The fastest turn of joints that have a singularity, into `World.TURN_RATE`."""
LOADS = 1 << 3
"""What acts along coordinates and on bodies."""
FORWARD = 1 << 4
"""Accelerations."""
WRENCHES = 1 << 5
"""With FORWARD: wrenches of all joints. With PLACE: linear velocities."""
POWERS = 1 << 6
"""Powers of motors and dampers, into `World.POWER_IN` and `World.POWER_OUT`."""
INVERSE = 1 << 7
"""Whole forces along the coordinates that give the accelerations."""
MULTIPLY = 1 << 10
"""(M - h D - h^2 K) x."""
NEARLY_TAUT = 1 << 18
"""With MULTIPLY: cables between two points that are slack by a little resist as if they were taut."""
STIFFNESS_PRODUCT = 1 << 12
"""-h^2 K x of the forces on bodies alone."""
SOLVE_IMPLICIT = 1 << 8
"""x with (M - h D - h^2 K) x = b."""
ROW_ERRORS = 1 << 13
"""Poses in the world, errors of all rows and, as `RowWork.RIGHT_SIDE`, their rates."""
ONE_ROW = 1 << 18
"""With ROW_ERRORS: of the row at the place `World.ONE_ROW` alone."""
TANGENT_BASIS = 1 << 14
"""What rows hold at (q, qdot), as an orthonormal basis; see `rows.weak_rows`."""
TANGENT_PART = 1 << 15
"""Of a change of coordinates or velocities, given in place of accelerations: the part that rows allow, after
TANGENT_BASIS."""

HOLD = 1 << 16
RELEASE = 1 << 17
"""Of `rows.compute_rows` alone, before and after forward dynamics: see `rows.held_coordinates`."""

ACCELERATE = PLACE | LOADS | FORWARD
