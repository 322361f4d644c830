# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of bodies as animated custom properties of their objects, as seen from another body or from the world.

redmax_position, redmax_velocity, redmax_acceleration   of the body's origin [m, m/s, m/s^2]
redmax_rotation                                         quaternion w x y z, without jumps of sign
redmax_angular_velocity, redmax_angular_acceleration    [rad/s, rad/s^2]

All along the axes of the body it is seen from, for somebody who turns with that one and takes it to stand still. SI
units, like all results.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..._engine import pose, quaternion, trajectory
from ...properties import result_names
from ..core.findings import Finding, refuse
from .element_channels import Channels, ElementChannel

Trajectory = trajectory.Trajectory


def motion_channels(result: Trajectory, bodies: Iterable[str], observer: str) -> tuple[Channels, list[Finding]]:
    """By body and custom property; and whose accelerations are left out because no force determines them.

    observer: name of the body that they are seen from, empty for the world.
    """
    if observer and observer not in result.body_names:
        text = f"'{observer}' is not one of the simulated bodies, so no motion can be seen from it"
        raise refuse(observer, text, "pick a body under Seen From, or nothing for the world")
    found: Channels = {}
    left_out: list[Finding] = []
    for name in bodies:
        if name == observer or name not in result.body_names:
            continue
        seen = result.seen_from(name, observer or None)
        turn = trajectory.continuous_quaternions(quaternion.from_matrix(pose.rotation(seen.pose)))
        values = {
            "position": (pose.position(seen.pose), "m"),
            "rotation": (turn, "1"),
            "velocity": (seen.twist[:, 3:], "m/s"),
            "angular_velocity": (seen.twist[:, :3], "rad/s"),
            "acceleration": (seen.acceleration[:, 3:], "m/s^2"),
            "angular_acceleration": (seen.acceleration[:, :3], "rad/s^2"),
        }
        known = {key: (array, unit) for key, (array, unit) in values.items() if np.isfinite(array).all()}
        found[name] = {
            f"{result_names.PREFIX}{key}": ElementChannel(array, (unit,) * array.shape[1], observer or "the world")
            for key, (array, unit) in known.items()
        }
        if len(known) < len(values):
            text = f"Accelerations of '{name}' are not written: nothing determines them, as some bodies have no mass"
            left_out.append(Finding(name, text, "give them a mass", "WARNING", code="undetermined_forces"))
    return found, left_out
