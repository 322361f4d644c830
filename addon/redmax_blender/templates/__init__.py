# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms to add and play with. A new one is a file here and a line below; operator, menu entry and tests follow.

A template module has NAME (of its operator), LABEL, DESCRIPTION, ICON, PARAMETERS (Blender properties by name) and
`build(context, **parameters) -> list of objects`, which can be called from Python directly.
"""

from types import ModuleType

from . import (
    bowl,
    cable_car,
    cam,
    chain,
    coaster,
    crane,
    desk_lamp,
    double_pendulum,
    four_bar,
    gear_train,
    jansen_leg,
    knee,
    peaucellier,
    pendulum,
    robot_arm,
    scissor_lift,
    slider_crank,
    torus_chain,
    windmill,
)

TEMPLATES: tuple[ModuleType, ...] = (
    pendulum,
    double_pendulum,
    chain,
    four_bar,
    slider_crank,
    peaucellier,
    jansen_leg,
    scissor_lift,
    gear_train,
    desk_lamp,
    crane,
    robot_arm,
    coaster,
    cable_car,
    bowl,
    cam,
    torus_chain,
    windmill,
    knee,
)
