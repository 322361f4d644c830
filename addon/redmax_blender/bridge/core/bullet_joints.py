# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid body constraints of Blender as joints: single motions one after another, with limits, springs and motors.

How Bullet measures was found by experiment in Blender 4.5 and 5.2 (tests/blender/test_bullet_facts.py): distances are
those of the second object along the axes of the first; angles of hinges and generic constraints are those by which the
first is turned in the second, angles of pistons the other way round; motors push the second object backwards. Three
angles at once are Rz Ry Rx from the first to the second.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

AXES = "xyz"
BALL_LIMIT = math.radians(85.0)
"""The middle one of three angles must stay within this, or the outer two become one."""

PARALLEL = 0.999
"""Cosine of the angle between a motor's axis and that of a joint that it drives."""

FULL_FORCE_WITHIN = 0.01
"""A motor pushes with all its force until this part of its speed is missing."""

QUICKEST = 1000.0
"""How fast a motor reaches its speed at most, as a rate [1/s]: what is stiffer only makes steps short."""


class Bound(NamedTuple):
    """A limit of Bullet's along or about one axis; one whose lower end is above its upper bounds nothing."""

    is_used: bool
    lower: float
    upper: float

    @property
    def is_locked(self) -> bool:
        return self.is_used and self.lower == self.upper

    @property
    def is_free(self) -> bool:
        return not self.is_used or self.lower > self.upper


class Spring(NamedTuple):
    is_used: bool
    stiffness: float
    damping: float


class Push(NamedTuple):
    """A motor of Bullet's: speed, and the most it pushes with, which Blender calls an impulse but is a force."""

    is_used: bool
    speed: float
    maximum: float


FREE = Bound(False, 0.0, 0.0)
NO_SPRING = Spring(False, 0.0, 0.0)


@dataclass(frozen=True)
class Constraint:
    """What Blender's settings say. linear, angular: by axis of the constraint's frame."""

    kind: str
    linear: tuple[Bound, Bound, Bound] = (FREE, FREE, FREE)
    angular: tuple[Bound, Bound, Bound] = (FREE, FREE, FREE)
    linear_springs: tuple[Spring, Spring, Spring] = (NO_SPRING, NO_SPRING, NO_SPRING)
    angular_springs: tuple[Spring, Spring, Spring] = (NO_SPRING, NO_SPRING, NO_SPRING)
    springs_as_of_old: bool = False


@dataclass(frozen=True)
class Motion:
    """One part of a joint, from the first object to the second. A ball has no axis, and springs by axis.

    target, maximum: of a motor; None without one.
    """

    does: Literal["slide", "turn", "ball"]
    axis: int = 2
    lower: float | None = None
    upper: float | None = None
    stiffness: tuple[float, ...] = (0.0,)
    damping: tuple[float, ...] = (0.0,)
    target: float | None = None
    maximum: float = 0.0

    @property
    def backwards(self) -> Motion:
        """The same motion seen from the second object."""
        lower = None if self.upper is None else -self.upper
        upper = None if self.lower is None else -self.lower
        return replace(self, lower=lower, upper=upper, target=None if self.target is None else -self.target)


@dataclass(frozen=True)
class Plan:
    """motions: one after another; none of a fixed constraint. notes: what is not as in Bullet."""

    motions: tuple[Motion, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def backwards(self) -> Plan:
        """The joint from the second object to the first: the inverse of a product has its factors in reverse."""
        return replace(self, motions=tuple(each.backwards for each in reversed(self.motions)))

    @property
    def is_free(self) -> bool:
        """Whether nothing is held at all: six freedoms in any order."""
        slides = sum(each.does == "slide" and each.lower is None and each.upper is None for each in self.motions)
        return slides == 3 and any(each.does == "ball" for each in self.motions)


def plan(constraint: Constraint) -> Plan:
    """The joint of a constraint, from its first object to its second. A motor alone holds nothing: all is free."""
    kind, linear, angular = constraint.kind, constraint.linear, constraint.angular
    if kind == "FIXED":
        return Plan()
    if kind == "POINT":
        return Plan((ball(),))
    if kind == "HINGE":
        return Plan((turn(2, _turned(angular[2])),))
    if kind == "SLIDER":
        return _single(slide(0, linear[0]), linear[0])
    if kind == "PISTON":
        notes = [*_offset(linear[0]), *_offset(angular[0])]
        made = [slide(0, linear[0])] * (not linear[0].is_locked) + [turn(0, angular[0])] * (not angular[0].is_locked)
        return Plan(tuple(made), tuple(notes))
    if kind == "MOTOR":
        return Plan((*(slide(axis, FREE) for axis in range(3)), ball()))
    return _generic(constraint)


def slide(axis: int, bound: Bound, spring: Spring = NO_SPRING) -> Motion:
    return Motion("slide", axis, *_ends(bound), *_of(spring))


def turn(axis: int, bound: Bound, spring: Spring = NO_SPRING) -> Motion:
    return Motion("turn", axis, *_ends(bound), *_of(spring))


def ball(springs: Sequence[Spring] = (NO_SPRING,) * 3) -> Motion:
    of = [_of(spring) for spring in springs]
    return Motion("ball", stiffness=tuple(k[0] for k, _ in of), damping=tuple(c[0] for _, c in of))


def _ends(bound: Bound) -> tuple[float | None, float | None]:
    return (None, None) if bound.is_free else (bound.lower, bound.upper)


def _of(spring: Spring) -> tuple[tuple[float], tuple[float]]:
    return ((spring.stiffness,), (spring.damping,)) if spring.is_used else ((0.0,), (0.0,))


def _turned(bound: Bound) -> Bound:
    """Limits of the angle of the second object in the first, from those that Bullet means."""
    return Bound(bound.is_used, -bound.upper, -bound.lower)


def _single(motion: Motion, bound: Bound) -> Plan:
    return Plan((), tuple(_offset(bound))) if bound.is_locked else Plan((motion,))


def _offset(bound: Bound) -> Iterable[str]:
    if bound.is_locked and bound.lower != 0.0:
        yield "is locked away from where its objects stand; it is locked where they are"


def _generic(constraint: Constraint) -> Plan:
    notes: list[str] = []
    motions: list[Motion] = []
    springs = constraint.kind == "GENERIC_SPRING"
    damped = not constraint.springs_as_of_old

    def of(spring: Spring) -> Spring:
        if not springs or not spring.is_used:
            return NO_SPRING
        return spring if damped else spring._replace(damping=0.0)

    for axis, bound in enumerate(constraint.linear):
        notes += _offset(bound)
        if not bound.is_locked:
            motions.append(slide(axis, bound, of(constraint.linear_springs[axis])))
    turned = [_turned(bound) for bound in constraint.angular]
    by_axis = [of(spring) for spring in constraint.angular_springs]
    for bound in turned:
        notes += _offset(bound)
    free = [axis for axis in (2, 1, 0) if not turned[axis].is_locked]
    if len(free) < 3:
        motions += [turn(axis, turned[axis], by_axis[axis]) for axis in free]
    elif all(bound.is_free for bound in turned):
        motions.append(ball(by_axis))
    else:
        middle = next((axis for axis in (1, 0, 2) if _is_narrow(turned[axis])), None)
        if middle is None:
            notes.append("limits angles about several axes, but none to less than 85 degrees: a ball without limits")
            motions.append(ball(by_axis))
        else:
            outer = [axis for axis in (2, 1, 0) if axis != middle]
            order = (outer[0], middle, outer[1])
            motions += [turn(axis, turned[axis], by_axis[axis]) for axis in order]
    if springs and not damped and any(spring.is_used and spring.damping < 1.0 for spring in _all(constraint)):
        notes.append("has springs of Blender 2.7, whose damping is a factor per step; they are without damping")
    return Plan(tuple(motions), tuple(notes))


def _all(constraint: Constraint) -> tuple[Spring, ...]:
    return (*constraint.linear_springs, *constraint.angular_springs)


def _is_narrow(bound: Bound) -> bool:
    return not bound.is_free and max(abs(bound.lower), abs(bound.upper)) <= BALL_LIMIT


def speed_gain(push: Push, inertia: float) -> float:
    """Force per missing speed of a motor: all of it until nearly there, but no quicker than is of use.

    inertia: of what it moves, at most [kg or kg m^2].
    """
    speed = abs(push.speed)
    quickest = QUICKEST * inertia
    return min(push.maximum / (FULL_FORCE_WITHIN * speed), quickest) if speed > 0.0 else quickest
