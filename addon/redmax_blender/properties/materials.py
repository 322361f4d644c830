# SPDX-License-Identifier: GPL-3.0-or-later
"""Densities of common materials. Numbers are stored in .blend files: only append."""

from typing import NamedTuple

CUSTOM = "CUSTOM"


class Material(NamedTuple):
    """density in kg/m^3, of the solid material."""

    identifier: str
    label: str
    density: float
    number: int


MATERIALS = (
    Material("STEEL", "Steel", 7850.0, 1),
    Material("ALUMINIUM", "Aluminium", 2700.0, 2),
    Material("BRASS", "Brass", 8500.0, 3),
    Material("TITANIUM", "Titanium", 4500.0, 4),
    Material("LEAD", "Lead", 11340.0, 5),
    Material("GOLD", "Gold", 19300.0, 6),
    Material("CONCRETE", "Concrete", 2400.0, 7),
    Material("STONE", "Stone", 2650.0, 8),
    Material("GLASS", "Glass", 2500.0, 9),
    Material("WATER", "Water", 1000.0, 10),
    Material("ICE", "Ice", 917.0, 11),
    Material("OAK", "Oak", 720.0, 12),
    Material("PINE", "Pine", 500.0, 13),
    Material("PLASTIC", "Plastic (ABS)", 1050.0, 14),
    Material("RUBBER", "Rubber", 1150.0, 15),
    Material("FOAM", "Foam", 30.0, 16),
    Material("FLESH", "Flesh", 1050.0, 17),
)

DEFAULT = "WATER"
DENSITY = {material.identifier: material.density for material in MATERIALS}
ITEMS = [
    (CUSTOM, "Custom", "A density of your own", 0),
    *((m.identifier, m.label, f"{m.label}, {m.density:g} kg/m^3", m.number) for m in MATERIALS),
]
