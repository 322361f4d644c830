# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that come with the engine, and how to run them. The scenes are JSON files beside this one.

They are made by tools/make_examples.py, most of them from the golden scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Example:
    """name: file without .json. duration [s] that shows the scene; integrator that suits it, and its settings."""

    name: str
    duration: float
    integrator: str = "dop853"
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The scene file."""
        return Path(__file__).parent / f"{self.name}.json"


_STIFF = {"h": 1.0 / 240.0}

EXAMPLES = (
    Example("pendulum", 2.0),
    Example("double_pendulum", 2.0),
    Example("serial_chain", 2.0),
    Example("hinge_axes", 2.0),
    Example("branching", 1.0),
    Example("universal_joints", 2.0),
    Example("ball_joints", 3.0),
    Example("ball_joints_euler", 1.0),
    Example("sliders", 1.0),
    Example("planar_joint", 1.0),
    Example("translational_joint", 2.0),
    Example("turning_slider", 2.0),
    Example("composite_body", 2.0),
    Example("thrown_box", 7.0),
    Example("thrown_box_euler", 6.0),
    Example("thrown_plate", 10.0),
    Example("thrown_plate_fast", 0.4),
    Example("joint_torques", 10.0),
    Example("springs_and_dampers", 5.0, "radau"),
    Example("stiff_hinge", 1.0, "radau"),
    Example("soft_limits", 1.0, "bdf2", _STIFF),
    Example("animated_joint", 10.0),
    Example("spring_and_cable", 4.0),
    Example("muscle_arm", 2.0),
    Example("four_bar", 4.0),
    Example("slider_crank", 4.0),
    Example("scissor_lift", 3.0),
    Example("curling_arm", 4.0),
    Example("torus_chain", 5.0),
    Example("windmill", 5.0),
    Example("torus_chain_on_a_curve", 5.0),
    Example("board_on_a_surface", 6.0),
    Example("knee", 3.0),
    Example("shoulder_blade", 4.0),
    Example("rope", 3.0, "linearly_implicit_euler", {"h": 1.0 / 480.0}),
)
