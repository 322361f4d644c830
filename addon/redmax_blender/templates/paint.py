# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of the templates: what a material looks like, and a few paints."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy


class Paint(NamedTuple):
    """A look: linear RGB colour, metallic 0 or 1, roughness."""

    name: str
    colour: tuple[float, float, float]
    metallic: float = 0.0
    roughness: float = 0.45


STEEL = Paint("Steel", (0.52, 0.55, 0.60), 1.0, 0.35)
BRASS = Paint("Brass", (0.78, 0.50, 0.16), 1.0, 0.28)
GRAPHITE = Paint("Graphite", (0.035, 0.040, 0.048), 0.0, 0.5)
CONCRETE = Paint("Concrete", (0.40, 0.39, 0.37), 0.0, 0.9)
OAK = Paint("Oak", (0.36, 0.19, 0.075), 0.0, 0.6)
YELLOW = Paint("Safety Yellow", (0.90, 0.47, 0.02), 0.0, 0.4)
ORANGE = Paint("Robot Orange", (0.85, 0.16, 0.02), 0.0, 0.35)
IVORY = Paint("Ivory", (0.72, 0.68, 0.60), 0.0, 0.5)
GLASS = Paint("Cab Glass", (0.05, 0.16, 0.22), 0.0, 0.1)
RED = Paint("Signal Red", (0.55, 0.03, 0.02), 0.0, 0.4)
TEAL = Paint("Teal", (0.02, 0.30, 0.33), 0.0, 0.4)

MATERIAL = {
    "STEEL": STEEL,
    "ALUMINIUM": Paint("Aluminium", (0.62, 0.64, 0.66), 1.0, 0.35),
    "BRASS": BRASS,
    "TITANIUM": Paint("Titanium", (0.40, 0.38, 0.37), 1.0, 0.4),
    "LEAD": Paint("Lead", (0.13, 0.14, 0.17), 1.0, 0.6),
    "GOLD": Paint("Gold", (0.90, 0.56, 0.12), 1.0, 0.2),
    "CONCRETE": CONCRETE,
    "STONE": Paint("Stone", (0.28, 0.27, 0.26), 0.0, 0.9),
    "GLASS": Paint("Glass", (0.35, 0.60, 0.58), 0.0, 0.05),
    "WATER": Paint("Water", (0.05, 0.22, 0.45), 0.0, 0.05),
    "ICE": Paint("Ice", (0.55, 0.75, 0.85), 0.0, 0.1),
    "OAK": OAK,
    "PINE": Paint("Pine", (0.62, 0.40, 0.17), 0.0, 0.6),
    "PLASTIC": Paint("Plastic", (0.70, 0.10, 0.08), 0.0, 0.35),
    "RUBBER": Paint("Rubber", (0.02, 0.02, 0.022), 0.0, 0.8),
    "FOAM": Paint("Foam", (0.80, 0.76, 0.55), 0.0, 0.9),
    "FLESH": Paint("Flesh", (0.70, 0.38, 0.28), 0.0, 0.5),
}
"""Look of each material a body can be made of, by identifier."""


VIEWPORT_METALLIC = 0.35
"""Solid view lights metals without surroundings to mirror, so they would look black; renders use the full value."""


def blender_material(paint: Paint) -> bpy.types.Material:
    """The Blender material of a paint; one that a template made before is used again, as the artist left it."""
    name = f"RedMax {paint.name}"
    existing: bpy.types.Material | None = next(
        (material for material in bpy.data.materials if material.name == name and material.library is None), None
    )
    if existing is not None:
        return existing
    material: Any = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    material.diffuse_color = (*paint.colour, 1.0)
    material.metallic, material.roughness = VIEWPORT_METALLIC * paint.metallic, paint.roughness
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*paint.colour, 1.0)
    shader.inputs["Metallic"].default_value = paint.metallic
    shader.inputs["Roughness"].default_value = paint.roughness
    found: bpy.types.Material = material
    return found
