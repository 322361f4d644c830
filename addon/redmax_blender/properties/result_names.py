# SPDX-License-Identifier: GPL-3.0-or-later
"""What result channels are called where an artist meets them, with units: channel groups and tooltips."""

from __future__ import annotations

from collections.abc import Sequence

PREFIX = "redmax_"
"""What the names of all custom properties of results begin with."""

POWER = f"{PREFIX}motor_power"
"""What the motor of a joint puts in."""

FRICTION = f"{PREFIX}friction"
"""What rubs in the bearings of a joint."""

HOLDING = f"{PREFIX}holding"
"""What a constraint does to hold its conditions."""

TRACK = "RedMax Results"
"""NLA track of the results of an object or scene, apart from the artist's own action."""

ENERGIES = {
    "redmax_kinetic": "Kinetic Energy",
    "redmax_potential": "Potential Energy",
    "redmax_energy": "Energy",
    "redmax_work": "Work",
    "redmax_loss": "Loss",
}
FORCES = {"rad": ("Torque", "N m"), "m": ("Force", "N")}
"""What acts along a coordinate, by the coordinate's unit."""

OTHERWISE = ("Generalised Force", "J")
"""What acts along a coordinate that is a plain number, as that of a curve: energy per unit of it."""

TORQUES = 3
"""Components of a reaction that are torques; the forces come after."""

WHAT = {
    "redmax_torque": "What acts along each coordinate of the joint",
    "redmax_motor": "What its motor pushes with, or what it needs to follow its keys, beside torques and springs",
    POWER: "What its motor puts in along each coordinate [W]",
    FRICTION: "What rubs in its bearings along each coordinate, and what holds where they stick",
    "redmax_reaction": "What the joint passes on to its child, in the joint's frame: torque [N m] and force [N]",
    "redmax_gap": "What the loop is open by at this joint: angle [rad] and distance [m]",
    "redmax_tension": "How much it pulls, negative where it pushes",
    "redmax_length": "How long it is",
    "redmax_elastic_energy": "Energy that it has stored and gives back",
    "redmax_activation": "How much the muscle is told to pull, 0 to 1",
    "redmax_wrench": "What acts on its first body, along the world's axes: torque and force",
    HOLDING: "What it does to hold each of its conditions",
    "redmax_normal_force": "How hard it is pressed by all that it touches",
    "redmax_friction_force": "How hard friction of all that it touches pulls at it, taken together",
    "redmax_slip": "How fast it slides over what it touches, at the fastest point",
    "redmax_impact": "Impulse of the hardest impact since the frame before, for sounds",
    "redmax_input": "Coordinate, velocity and force of each input",
    "redmax_position": "Where the body's origin is",
    "redmax_rotation": "How the body is turned, as a quaternion W X Y Z",
    "redmax_velocity": "How fast the body's origin moves",
    "redmax_angular_velocity": "How fast the body turns",
    "redmax_acceleration": "How fast the velocity of the body's origin changes",
    "redmax_angular_acceleration": "How fast the angular velocity of the body changes",
    "redmax_kinetic": "Kinetic energy of all mechanisms [J]",
    "redmax_potential": "Potential energy of all mechanisms [J]",
    "redmax_energy": "Kinetic and potential energy of all mechanisms [J]",
    "redmax_work": "Energy that motors and torques have put in since the start [J]",
    "redmax_loss": "Energy that damping and friction have taken out since the start [J]",
}


SHORT = {"redmax_elastic_energy": "Energy"}
"""Titles where the property's own name is too long for the label of a field."""


def own_title(name: str) -> str:
    """What a result of a body, a force or the like is called: 'Tension' of 'redmax_tension'."""
    if name in SHORT:
        return SHORT[name]
    return name.removeprefix(PREFIX).replace("_", " ").title()


def own_tooltip(name: str, units: Sequence[str], seen_from: str = "") -> str:
    """What such a result is, with the units of its numbers. seen_from: what a motion is relative to."""
    seen = f", seen from {seen_from} and along its axes" if seen_from else ""
    return f"{WHAT.get(name, own_title(name))}{seen}{_listed(units, '[]')}"


def own_group(name: str, units: Sequence[str]) -> str:
    """Title of such a result with the units of its numbers, or of one of them: 'Tension (N)'."""
    return f"{own_title(name)}{_listed(units, '()')}"


def _listed(units: Sequence[str], brackets: str) -> str:
    """Units, each once, to be said after what is measured; nothing of plain numbers."""
    named = ", ".join(dict.fromkeys(unit for unit in units if unit != "1"))
    return f" {brackets[0]}{named}{brackets[1]}" if named else ""


def group(name: str, index: int, units: Sequence[str] = ()) -> str:
    """Channel group of a component of a property, with its unit. units: of the joint's coordinates."""
    if name in ENERGIES:
        what = ENERGIES[name]
    elif name == "redmax_gap":
        what = "Gap Distance" if index else "Gap Angle"
    elif name == POWER:
        what = "Motor Power"
    elif name == "redmax_reaction":
        what = "Reaction Force" if index >= TORQUES else "Reaction Torque"
    else:
        of = {"redmax_motor": "Motor ", FRICTION: "Friction "}.get(name, "")
        what = f"{of}{_along(units, index)[0]}"
    return f"{what} ({unit(name, index, units)})"


def unit(name: str, index: int, units: Sequence[str] = ()) -> str:
    """Unit of a component of a property. units: of the joint's coordinates."""
    if name in ENERGIES:
        return "J"
    if name == POWER:
        return "W"
    if name == "redmax_gap":
        return "m" if index else "rad"
    if name == "redmax_reaction":
        return "N" if index >= TORQUES else "N m"
    return _along(units, index)[1]


def tooltip(name: str, units: Sequence[str] = ()) -> str:
    """What the property is, with its units."""
    if name in ("redmax_torque", "redmax_motor", FRICTION):
        listed = dict.fromkeys(_along(units, index)[1] for index in range(len(units)))
        return f"{WHAT[name]} [{', '.join(listed)}]"
    return WHAT[name]


def along(unit: str) -> tuple[str, str]:
    """What acts along a coordinate of a unit ('rad', 'm' or '1'), and its own unit."""
    return FORCES.get(unit, OTHERWISE)


def _along(units: Sequence[str], index: int) -> tuple[str, str]:
    return along(units[index] if index < len(units) else "")
