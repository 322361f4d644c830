# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings surfaces that have come into each other apart again: positions change by the least, and velocities by as
little as pays for the height that this takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array
from ...state import State
from .moment import Moment
from .problem import ROWS, ContactRows, constraint_blocks, tied
from .trees import trees

if TYPE_CHECKING:
    from .stepper import ContactStepper

PAYS = 1e-3
"""A tree pays for its lift if that is no more than this part of twice its kinetic energy. What rolls comes down by the
error of each step and is lifted again: it would gain energy by that."""

RATE = 1.0
"""What is inside comes out by so many of the smallest body's sizes in the time that gravity moves it by its size."""


def recovered(run: ContactStepper, moment: Moment, h: float) -> Moment:
    """The moment with what has come into each other farther apart, after a step of h [s]; else the same object."""
    points = moment.points(run.zero_margins)
    of_body = moment.model.once(trees).of_body
    inside = points.gap < -run.touch
    stops = run.stops(moment) if run.passes_stops else None
    if not inside.any() and (stops is None or not (stops.room < -run.touch).any()):
        return moment
    touching = (of_body[points.bodies] >= 0).any(axis=1)
    points = points.only(touching)
    placed, L = moment.placed, run.detection.length
    most = RATE * L / run.time * h
    rows = ContactRows(placed, points)
    b = np.zeros((len(points), ROWS))
    b[:, 0] = np.minimum(-points.gap, most)
    blocks = rows.blocks(b + rows.moved, np.zeros(len(points)), L)
    blocks = [block._replace(friction=(0.0, 0.0, 0.0)) for block in blocks]
    contacts = len(blocks)
    if run.constraints is not None:
        held = run.constraints.rows(placed.kin, moment.state.t)
        near = np.zeros(len(held.rate), np.bool_) if stops is None else stops.room <= run.closed
        wanted = np.where(held.one_sided, -held.error, 0.0)
        moved = held.G @ placed.state.qdot - placed.freedoms.columns(held.G) @ placed.state.qdot[placed.freedoms.free]
        more = constraint_blocks(placed, held, ~held.one_sided | near, wanted + moved, L)
        blocks += more
    if not blocks:
        return moment
    which = tied(blocks, contacts, len(moment.model.once(trees).members))
    blocks = [block for block, is_tied in zip(blocks, which, strict=True) if is_tied]
    still = np.zeros(len(placed.freedoms.free))
    begin = np.zeros(sum(len(block.b) for block in blocks))
    solution, unknowns = run.solver.velocities(placed, blocks, still, begin, 0.1 * run.touch, 0.0, 0.0)
    if not np.isfinite(solution.residual):
        return moment
    change = np.zeros(len(placed.freedoms.free))
    change[unknowns] = solution.v
    state = moment.state
    q = state.q + placed.freedoms.spread(change)
    end = moment.changed(run.placed_state(State(state.t, q, state.qdot, state.chart)))
    run.account.work += run.potential(end) - run.potential(moment)
    if run.constraints is not None or moment.model.prescribed.any():
        return end
    qdot, paid = _paid(moment, end)
    run.account.work -= paid
    return moment.changed(State(state.t, end.state.q, qdot, state.chart))


def _paid(before: Moment, after: Moment) -> tuple[Array, float]:
    """Velocities (nr,) after every tree that was lifted has paid for it, if it can, and how much they paid [J]. All
    velocities of a tree become slower alike, so that what rolls does so without slipping."""
    model, placed = before.model, before.placed
    taken = -(model.inertia[:, 3, None] * model.gravity * (after.placed.center - placed.center)[:-1]).sum(axis=1)
    known, free = model.once(trees), placed.freedoms.free
    M = placed.freedoms.reduced(placed.mass_matrix)
    qdot, paid = after.state.qdot.copy(), 0.0
    for tree, members in enumerate(known.members):
        lift, columns = float(taken[known.of_body[:-1] == tree].sum()), free[members]
        twice = float(qdot[columns] @ M[np.ix_(members, members)] @ qdot[columns])
        if 0.0 < abs(lift) <= PAYS * twice:
            qdot[columns] *= np.sqrt(1.0 - 2.0 * lift / twice)
            paid += lift
    return qdot, paid
