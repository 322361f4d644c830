# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of golden scenes as constraints of ours, with the inputs that the golden README gives in formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from redmax.arrays import Array
from redmax.constraints import BodyMotion, Constraint, Coupling, Instant, JointLimit, JointMotion, Pin, Rows
from redmax.fields import number, reference
from redmax.tables import Table

KINDS = (
    "ConstraintJointLimit",
    "ConstraintLoop",
    "ConstraintMultQ",
    "ConstraintPrescBody",
    "ConstraintPrescJoint",
    "ConstraintPrescJointM",
)


def converted(data: Mapping[str, Any], entry: Mapping[str, Any]) -> Constraint:
    """One constraint of a golden scene, in the golden's own units."""
    name, scene = entry["name"], data["sceneID"]
    match entry["type"]:
        case "ConstraintLoop":
            body = next(k for k, body in enumerate(data["bodies"]) if body["name"] == entry["bodyA"])
            axis = next(joint["axis"] for joint in data["joints"] if joint["body"] == body)
            points = {"point": tuple(entry["xA"]), "other_point": tuple(entry["xB"])}
            return Pin(name=name, body=entry["bodyA"], other=entry["bodyB"], axis=tuple(axis), **points)
        case "ConstraintMultQ":
            return Coupling(name=name, leader=entry["jointA"], follower=entry["jointB"], ratio=entry["factor"])
        case "ConstraintJointLimit":
            return JointLimit(name=name, joint=entry["joint"], lower=entry["ql"], upper=entry["qu"])
        case "ConstraintPrescJoint" if scene in LOGISTICS:
            amplitude, duration, until = LOGISTICS[scene]
            return LogisticMotion(name=name, joint=entry["joint"], amplitude=amplitude, duration=duration, until=until)
        case "ConstraintPrescJointM" if scene in RATES:
            table = Table(x=(0.0,), y=((RATES[scene],),))
            return JointMotion(name=name, joint=entry["joint"], quantity="velocity", table=table)
        case "ConstraintPrescBody" if scene in (13, 20):
            rows = [round(row) - 1 for row in entry["prows"]]
            components = tuple(float(k in rows) for k in range(6))
            return BodyMotion(name=name, body=entry["body"], components=components, table=BODY_MOTION)
        case _:
            raise ValueError(f"constraint '{name}': the README does not say how scene {scene} moves it")


LOGISTICS = {9: (1.5 * np.pi, 7.0, 7.0), 20: (0.5 * np.pi, 10.0, 11.0)}
"""Amplitude [rad], duration [s] and time of the jump to the amplitude [s] of the prescribed joints.

Scene 20 ends at its duration. The reference adds its time up step by step, which is 9.99999999999998 s there, so that
the jump has not come yet."""

RATES = {32: 4.0 * np.pi, 33: -4.0 * np.pi}
"""Rates [rad/s] that the reference realises."""

BODY_MOTION = Table(
    x=(0.0, 2.0, 4.0, 6.0, 8.0),
    y=tuple((0.0, turn, 0.0, x, 0.0, 0.0) for turn, x in ((0, 0), (-2, 0), (0, 0), (2, -4), (0, 0))),
)
"""Velocity of the last body in scenes 13 and 20."""


def logistic(t: float, *, amplitude: float, duration: float, until: float) -> tuple[float, float, float]:
    """q, qdot and qddot of b / (1 + exp(-a s)), a = 7, s from -1 to 1 over the duration; b from `until` on."""
    a, b = 7.0, amplitude
    if t >= until:
        return b, 0.0, 0.0
    rate = 2.0 * a / duration
    y = 1.0 / (1.0 + np.exp(-a * (2.0 * t / duration - 1.0)))
    slope = y * (1.0 - y)
    return b * y, b * rate * slope, b * rate**2 * slope * (1.0 - 2.0 * y)


@dataclass(frozen=True, kw_only=True)
class LogisticMotion(Constraint):
    """A hinge that follows `logistic`, which jumps at its end."""

    kind: ClassVar[str] = "logistic_motion"

    joint: str = reference(doc="Joint that is moved", refers_to="joint")
    amplitude: float = number(doc="Last angle", unit="rad")
    duration: float = number(doc="How long the curve takes", unit="s")
    until: float = number(doc="When it jumps to its last angle", unit="s")

    def rows(self, at: Instant) -> Rows:
        joint = at.joint(self.joint)
        q, qdot, qddot = logistic(at.t, amplitude=self.amplitude, duration=self.duration, until=self.until)
        return Rows(np.array([qdot]), np.array([qddot]), joint.q - q, (False,), joints=((joint.number, np.eye(1)),))

    @property
    def prescribes(self) -> bool:
        return True

    def breakpoints(self) -> Array:
        return np.array([self.until])
