# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands where in the arrays of compiled frames with contact."""

from __future__ import annotations

(
    GRAVITY,  # size of gravity [m/s^2]
    TOUCH,  # gaps below this are none [m]
    CLOSED,  # surfaces nearer than this touch [m]
    RESIDUAL,  # of contact problems [m/s]
    SETTLING,  # slower impacts are none [m/s]
    STICKING,  # slower slip is none [m/s]
    LENGTH,  # of the smallest body that can move [m]
    SCALE_OF_TIME,  # in which gravity moves it by its size [s]
    TOLERANCE,  # error of a step, as part of the size of each body
    LONGEST,  # longest and shortest step of what touches [s]
    SHORTEST,
    EVENT,  # a step that ends at an impact may be so short [s]
    MAX_TURN,  # of a joint with a singularity, in a step [rad]
    EXCHANGES,  # 1 where forces or motors exchange energy
    SINGULAR,  # 1 where a joint has a singularity
    SLOW,  # impacts slower than this do not bounce [m/s]
    MOST_BOUNCES,  # impacts in a frame beyond which slow ones do not bounce, ever less slow ones
    LOSS,  # losses of a whole step and of its halves may differ by this [J]; 0 for any
    LINGERING,  # what pushed in the step before touches still with a gap up to this [m]
) = range(19)
PARAMETERS = 19

(
    TIME,  # where the run stands [s]
    STEP,  # the next step of what touches [s]
    STEPS,  # so far
    WORK,  # what forces put in and took out in free motion so far [J]
    TAKEN,
    CONTACT_WORK,  # what moved surfaces put in, and what friction and impacts took out [J]
    FRICTION_LOSS,
    IMPACT_LOSS,
    SOLVED,  # contact problems, those that missed their tolerance, and the largest residual [m/s]
    MISSED,
    WORST_RESIDUAL,
    WORST_A,  # surfaces of the last that was missed
    WORST_B,
    IMPACTS,
    COARSE,  # steps that are longer than their error allows, because they would be too short
    LAST_STEP,  # length of the last step [s]; 0 where nothing touched in it
    MISSED_AT_ONCE,
    BOUNCES,  # in this frame
    WHERE,  # body or coordinate that stopped the run
    PLAIN,  # steps that are to be taken whole before the next one whose error is looked at
) = range(20)
CLOCK = 20

DONE, TOO_MANY, STUCK, NOT_FINITE, HOPELESS = range(5)
"""How a call ends."""

X, NORMAL, GAP, TANGENT, TANGENT_2, END_A, END_B, CONVEYOR, MATERIAL = 0, 3, 6, 7, 10, 13, 16, 19, 22
POINT = 28
"""Numbers of a contact point: midway between both surfaces; unit normal from the second to the first; gap; two
tangents; the points of both surfaces; velocity of the first skin relative to its body less that of the second; the
material of the pair, in the order of `surfaces.materials.Pair`."""

CENTER, VELOCITY, OMEGA = 0, 3, 6
RATES = 9
"""Of a body: centre of mass, its velocity, angular velocity, along the world's axes."""

TURN, SHIFT, ORIGIN = 0, 3, 6
COLUMN = 9
"""Of a coordinate, along the world's axes and per unit of its velocity: angular velocity, velocity of the joint frame's
origin, and where that is."""

ROW_ERROR, ROW_RATE, ROW_SPEED, ROW_IS_STOP, ROW_METRES, ROW_BOUNCE, ROW_LINE = range(7)
"""Of a row of a loop, a coupling or a stop: error or room; the rate that is prescribed; its left side with the present
velocities; 1 for stops; 1 where its error is in metres; restitution; from ROW_LINE on the row on all coordinates."""
