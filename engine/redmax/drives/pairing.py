# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with drives and the joints they name, taken together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..arrays import Array
from ..constraints.base import coordinate_problem
from ..fields import per_dof_values
from ..joints import Joint
from ..joints.base import ANIMATED, SIMULATED
from .drive import Drive, DriveInput, Follower

START_AGREES = 1e-9
"""Start values of a joint that differ by less from where its drive puts it are the same."""


def pairing_problems(drives: Sequence[Drive], joints: Mapping[str, Joint]) -> Iterator[tuple[Drive, str, str]]:
    """(drive, what, hint) of drives whose joints exist, have coordinates in the tree and are sound."""
    movers: dict[tuple[str, int], Drive] = {}
    movable: list[Drive] = []
    for drive in drives:
        found = [*_inputs(drive, joints), *_followers(drive, joints, movers)]
        for what, hint in found:
            yield drive, what, hint
        if not found:
            movable.append(drive)
    for drive in movable:
        chained = [given for given in drive.inputs if given.joint is not None and _place(given) in movers]
        for given in chained:
            other = movers[_place(given)]
            whose, hint = "it moves itself", "leave it out of the followers"
            if other is not drive:
                whose = f"drive '{other.name}' moves"
                hint = f"let drive '{other.name}' move what is to follow it, with the product of both ratios"
            yield drive, f"has joint '{given.joint}' as input, which {whose}", hint
        if not chained:
            for what, hint in _start(drive, joints):
                yield drive, what, hint


def _place(given: DriveInput) -> tuple[str, int]:
    return str(given.joint), given.coordinate


def _inputs(drive: Drive, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
    for number, given in enumerate(drive.inputs):
        if given.joint is not None:
            problem = coordinate_problem(joints[given.joint], given.coordinate, f"inputs[{number}], coordinate")
            if problem is not None:
                yield problem


def _followers(
    drive: Drive, joints: Mapping[str, Joint], movers: dict[tuple[str, int], Drive]
) -> Iterator[tuple[str, str]]:
    for number, follower in enumerate(drive.followers):
        joint = joints[follower.joint]
        problem = coordinate_problem(joint, follower.coordinate, f"followers[{number}], coordinate")
        if problem is not None:
            yield problem
            continue
        if joint.motion_type != SIMULATED:
            yield (
                f"moves joint '{joint.name}', which is {joint.motion_type}",
                "make the joint simulated, or make it an input of the drive instead of a follower",
            )
        place = (follower.joint, follower.coordinate)
        if place in movers:
            other = movers[place]
            who = " twice" if other is drive else f", which drive '{other.name}' moves too"
            yield (
                f"moves coordinate {follower.coordinate} of joint '{joint.name}'{who}",
                "let one follower move it; a sum of inputs is one follower with a ratio for each",
            )
        movers.setdefault(place, drive)


def _start(drive: Drive, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
    """Where the drive puts its followers at the start, against what they say themselves."""
    y, ydot = _input_motion(drive, joints)
    moved = np.zeros(len(y))
    for follower in drive.followers:
        ratio = np.array(follower.ratios(len(y)))
        x, slope = float(ratio @ y), 1.0
        q = follower.offset + x
        if follower.table is not None:
            points = np.asarray(follower.table.x, np.float64)
            if not points[0] <= x <= points[-1]:
                yield (
                    f"starts at x = {x:g} of the table of joint '{follower.joint}', "
                    f"which goes from {points[0]:g} to {points[-1]:g}",
                    "start the inputs within the table, or give it more points",
                )
                moved = np.where(ratio != 0.0, np.inf, moved)  # nothing is concluded from there
                continue
            value, derivative, _ = follower.table.motion(x)
            q, slope = follower.offset + float(value[0]), float(derivative[0])
        moved = np.maximum(moved, np.abs(slope * ratio))
        yield from _against_joint(follower, joints[follower.joint], q, slope * float(ratio @ ydot))
    for number, given in enumerate(drive.inputs):
        still = given.joint is None and given.armature == 0.0 and given.motion_type == SIMULATED
        if still and moved[number] == 0.0:
            yield (
                f"starts where no joint moves with {_said(drive, number)}, so that nothing resists it",
                "start elsewhere, change the tables there, or give the input an armature",
            )


def _against_joint(follower: Follower, joint: Joint, q: float, qdot: float) -> Iterator[tuple[str, str]]:
    k = follower.coordinate
    for name, value in (("q", q), ("qdot", qdot)):
        own = per_dof_values(getattr(joint, name), joint.ndof)[k]
        if own != 0.0 and abs(own - value) > START_AGREES * (1.0 + abs(own)):
            yield (
                f"starts joint '{joint.name}' with {name} = {value:g}, but the joint says {own:g}",
                f"leave {name} of the joint out: a drive's inputs say where its joints start",
            )
    for number, lower, upper in joint.hard_limits():
        low, high = -np.inf if lower is None else lower, np.inf if upper is None else upper
        if number == k and not low - START_AGREES <= q <= high + START_AGREES:
            yield (
                f"starts joint '{joint.name}' at {q:g}, beyond its limits ({low:g} to {high:g})",
                "start the inputs elsewhere, or move the limits",
            )


def _input_motion(drive: Drive, joints: Mapping[str, Joint]) -> tuple[Array, Array]:
    """Coordinates and velocities of the inputs at the start."""
    motion = []
    for given in drive.inputs:
        source: DriveInput | Joint = given if given.joint is None else joints[given.joint]
        k = given.coordinate
        count = 1 if isinstance(source, DriveInput) else source.ndof
        if source.motion_type == ANIMATED and source.animation is not None:
            q, qdot, _ = source.animation.motion(0.0)
            motion.append((float(q[k]), float(qdot[k])))
        else:
            moving = source.motion_type == SIMULATED
            qdot_k = per_dof_values(source.qdot, count)[k] if moving else 0.0
            motion.append((per_dof_values(source.q, count)[k], qdot_k))
    y, ydot = np.array(motion).T
    return y, ydot


def _said(drive: Drive, number: int) -> str:
    return "its input" if len(drive.inputs) == 1 else f"inputs[{number}]"
