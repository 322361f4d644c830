# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot arm with four to six keyed hinges and a gripper: it fetches something and puts it aside."""

import math
from typing import Any

import numpy as np

from .._engine import arrays
from . import parameters, robot_parts
from .assembly import SIDEWAYS, Assembly, Object, Part, at, placed, scaled, turn
from .robot_parts import ALONG_X

Array = arrays.Array

NAME = "robot_arm"
LABEL = "Robot Arm"
DESCRIPTION = "Add a robot arm whose joints follow keys; the torques they need are computed"
ICON = "CON_KINEMATIC"

PARAMETERS: dict[str, Any] = {
    "size": parameters.length("Size", "About two thirds of the arm's reach", 1.0),
    "axes": parameters.count("Axes", "Hinges; rolls of forearm and hand come last", 6, least=4, most=6, soft=6),
    "with_gripper": parameters.switch("Gripper", "Fingers that close by keys", default=True),
    "swing": parameters.angle("Swing", "How far it turns to put things aside", math.radians(100.0)),
    "duration": parameters.seconds("Duration", "Time from fetching to being back", 6.0),
    "material": parameters.material("Material", "What the arm is made of", "ALUMINIUM"),
}

POSE = {"shoulder": math.radians(72.0), "elbow": math.radians(-92.0), "wrist": math.radians(-70.0)}
"""How the arm is modelled: angle of the upper arm above level, then the bends of elbow and wrist."""

_TIMES = (0.0, 0.14, 0.28, 0.52, 0.66, 0.80, 1.0)
_DEGREES = {
    "turret": (0, 0, 0, None, None, None, 0),
    "shoulder": (0, -20, 0, 6, -20, 0, 0),
    "elbow": (0, -8, 0, -4, -8, 0, 0),
    "roll": (0, 0, 12, 0, 0, -12, 0),
    "wrist": (0, 28, 0, -2, 28, 0, 0),
    "flange": (0, 0, 0, 90, 90, 45, 0),
}
"""Angles of the joints [degrees] at these parts of the whole time; None stands for the swing."""

_GRIP = ((0.0, 0.0), (0.14, 0.0), (0.20, 1.0), (0.66, 1.0), (0.72, 0.0), (1.0, 0.0))
"""Parts of the whole time, and how far the gripper is closed."""


def build(
    context: Any,
    *,
    size: float = 1.0,
    axes: int = 6,
    with_gripper: bool = True,
    swing: float = math.radians(100.0),
    duration: float = 6.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The robot with its foot at the 3D cursor. size in Blender units, swing in radians, duration in seconds."""
    made = Assembly(context, LABEL)
    parts = scaled(robot_parts.base(), size)
    foot = made.body("Robot Base", parts, at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    before = foot
    frame = np.eye(4)
    for name, (step, axis, parts) in _links(axes, with_gripper=with_gripper).items():
        frame = frame @ step
        placed_frame = _scaled_frame(frame, size)
        body = made.body(f"Robot {name.title()}", scaled(parts, size), placed_frame, material=material, turns=True)
        joint = made.joint(before, body, placed_frame @ at((0.0, 0.0, 0.0), axis), kind="revolute", size=0.16 * size)
        made.keys(joint, _angles(name, swing, duration))
        before = body
    if with_gripper:
        _add_fingers(made, before, _tool_frame(frame, axes), size, duration)
    return made.finish(foot)


def _links(axes: int, *, with_gripper: bool) -> dict[str, tuple[Array, Array, list[Part]]]:
    """Moving links by the name of their joint: the step from the frame before, the hinge's axes, and the parts.

    A roll that is left out joins what it would connect to one link.
    """
    bend = np.eye(3)
    tool = robot_parts.tool() if with_gripper else robot_parts.tool()[:1]
    forearm, tube = robot_parts.forearm(), robot_parts.forearm_tube()
    hand = robot_parts.hand()
    links = {
        "turret": (at((0.0, 0.0, robot_parts.BASE_HEIGHT)), bend, robot_parts.turret()),
        "shoulder": (at(robot_parts.SHOULDER, turn("Y", -POSE["shoulder"]) @ SIDEWAYS), bend, robot_parts.upper_arm()),
    }
    elbow = at((robot_parts.UPPER, 0.0, 0.0), turn("Z", POSE["elbow"]))
    roll = at((robot_parts.ROLL, 0.0, 0.0))
    if axes == 6:
        links["elbow"] = (elbow, bend, forearm)
        links["roll"] = (roll, ALONG_X, tube)
        to_wrist = robot_parts.WRIST - robot_parts.ROLL
    else:
        links["elbow"] = (elbow, bend, [*forearm, *placed(tube, roll)])
        to_wrist = robot_parts.WRIST
    wrist = at((to_wrist, 0.0, 0.0), turn("Z", POSE["wrist"]))
    flange = at((robot_parts.FLANGE, 0.0, 0.0))
    if axes >= 5:
        links["wrist"] = (wrist, bend, hand)
        links["flange"] = (flange, ALONG_X, tool)
    else:
        links["wrist"] = (wrist, bend, [*hand, *placed(tool, flange)])
    return links


def _tool_frame(frame: Array, axes: int) -> Array:
    """Frame of the tool; with four axes it is part of the hand."""
    return frame if axes >= 5 else frame @ at((robot_parts.FLANGE, 0.0, 0.0))


def _scaled_frame(frame: Array, size: float) -> Array:
    E = frame.copy()
    E[:3, 3] *= size
    return E


def _angles(name: str, swing: float, duration: float) -> list[tuple[float, float]]:
    values = [swing if degrees is None else math.radians(degrees) for degrees in _DEGREES[name]]
    return [(part * duration, value) for part, value in zip(_TIMES, values, strict=True)]


def _add_fingers(made: Assembly, tool: Object, frame: Array, size: float, duration: float) -> None:
    """Two fingers on sliders; a positive distance closes the gripper."""
    shape: Any = scaled(robot_parts.finger(), size)
    for label, half_turn in (("Left", 0.0), ("Right", np.pi)):
        facing = frame @ at((0.0, 0.0, 0.0), turn("X", half_turn)) @ at((robot_parts.FINGER, robot_parts.GRIP, 0.0))
        place = _scaled_frame(facing, size)
        finger = made.body(f"Robot Finger {label}", shape, place, material="STEEL", turns=True)
        shape = finger.data
        # z of the slider points from the finger to the middle, its -y.
        closing = place @ at((0.0, 0.0, 0.0), turn("X", 0.5 * np.pi))
        joint = made.joint(tool, finger, closing, kind="prismatic", size=0.06 * size)
        stroke = 0.018 * size
        made.keys(joint, [(part * duration, stroke * closed) for part, closed in _GRIP])
