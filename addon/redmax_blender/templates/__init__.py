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
    cradle,
    crane,
    desk_lamp,
    dice,
    dominoes,
    double_pendulum,
    drawbridge,
    driven_lift,
    excavator,
    four_bar,
    gear_train,
    jansen_leg,
    knee,
    marionette,
    muscle_finger,
    peaucellier,
    pendulum,
    robot_arm,
    scissor_lift,
    slider_crank,
    suspension,
    torus_chain,
    wheel,
    windmill,
    wrecking_ball,
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
    driven_lift,
    gear_train,
    desk_lamp,
    suspension,
    crane,
    excavator,
    drawbridge,
    robot_arm,
    muscle_finger,
    marionette,
    coaster,
    cable_car,
    bowl,
    cam,
    dominoes,
    cradle,
    wrecking_ball,
    dice,
    wheel,
    torus_chain,
    windmill,
    knee,
)
