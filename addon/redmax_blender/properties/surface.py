# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of a surface, with which a body or scenery touches others. Its size and place are those of its object."""

import math
from typing import Any

import bpy

from .._engine import convex_pieces, fields, surfaces
from .._engine import surface_materials as materials
from . import from_specs
from .from_specs import OVERRIDABLE, STATIC

PLANE, HULL, MESH = surfaces.PlaneSurface.kind, surfaces.HullSurface.kind, surfaces.MeshSurface.kind
HEIGHTFIELD, PIECES = surfaces.HeightfieldSurface.kind, surfaces.PiecesSurface.kind

CUSTOM = "by_hand"
NUMBERS = {
    "steel": 1,
    "oiled_steel": 2,
    "aluminium": 3,
    "rubber": 4,
    "wood": 5,
    "glass": 6,
    "ice": 7,
    "stone": 8,
    "plastic": 9,
    "leather": 10,
}
"""What .blend files store of a material; only append."""

PRESETS = {preset.name: preset for preset in materials.PRESETS if preset.name in NUMBERS}

SPECS = fields.specs(surfaces.Surface)
DEFAULTS = fields.defaults(surfaces.Surface)
GRID_SPECS = fields.specs(surfaces.HeightfieldSurface)
GROUPS = 20
"""Groups that an artist sees, as many as Blender's own rigid bodies have."""

MOST_CORNERS = 64
"""Corners of the hull of a mesh, and of each convex piece, unless the artist wants more."""

MOST_PIECES = 64
"""Convex pieces that an artist may ask for."""

SAME = 1e-6
"""Numbers that differ by less than this part are those of the material."""


def _use_preset(group: Any, _context: Any) -> None:
    """A material brings its numbers."""
    preset = PRESETS.get(group.material)
    if preset is None or _has_numbers_of(group, preset):
        return
    group.use_kinetic_friction = preset.kinetic_friction < preset.friction
    group.friction, group.kinetic_friction, group.bounce = preset.friction, preset.kinetic_friction, preset.bounce
    group.material = preset.name


def _forget_preset(group: Any, _context: Any) -> None:
    """Numbers typed by hand are no longer those of the chosen material."""
    preset = PRESETS.get(group.material)
    if preset is not None and not _has_numbers_of(group, preset):
        group.material = CUSTOM


def _has_numbers_of(group: Any, preset: Any) -> bool:
    kinetic = group.kinetic_friction if group.use_kinetic_friction else group.friction
    pairs = ((group.friction, preset.friction), (kinetic, preset.kinetic_friction), (group.bounce, preset.bounce))
    return all(math.isclose(a, b, rel_tol=SAME, abs_tol=SAME) for a, b in pairs)


def _material_items() -> list[tuple[str, str, str, int]]:
    shown = [
        (name, each.label, f"{each.label} on itself: friction {each.friction:g}, bounce {each.bounce:g}", NUMBERS[name])
        for name, each in PRESETS.items()
    ]
    return [(CUSTOM, "Custom", "Friction and bounce of your own", 0), *shown]


MATERIAL_ITEMS = _material_items()


def kind_items() -> list[tuple[str, str, str, int]]:
    """Shapes as menus list them."""
    order = {cls.kind: cls.menu_order for cls in surfaces.SURFACES}
    return sorted(from_specs.kind_items(surfaces.SURFACES), key=lambda item: order[item[0]])


def called(kind: str) -> str:
    """A shape in a sentence: "a box", "an ellipsoid", "convex pieces"."""
    label = str(surfaces.SURFACES[kind].label).lower()
    if kind == PIECES:
        return label
    return f"an {label}" if label[0] in "aeiou" else f"a {label}"


def _number(field: str, **more: Any) -> Any:
    return from_specs.to_property(field, SPECS[field], DEFAULTS[field], **more)


def _annotations() -> dict[str, Any]:
    shared: dict[str, Any] = {"options": STATIC, "override": OVERRIDABLE}
    return {
        "kind": bpy.props.EnumProperty(
            name="Shape",
            description="Shape with which it touches others; it is fitted to the object's geometry",
            items=kind_items(),
            default=surfaces.BoxSurface.kind,
            **shared,
        ),
        "corners": bpy.props.IntProperty(
            name="Corners",
            description="Most corners that a hull may have; fewer are faster",
            default=MOST_CORNERS,
            min=8,
            max=256,
            **shared,
        ),
        "most_pieces": bpy.props.IntProperty(
            name="Most Pieces",
            description="Most convex pieces that the mesh is made of; fewer are faster",
            default=convex_pieces.MOST,
            min=1,
            max=MOST_PIECES,
            **shared,
        ),
        "concavity": bpy.props.FloatProperty(
            name="Concavity",
            description="How deep dents may be that are filled, as a part of half the size of the mesh",
            default=convex_pieces.CONCAVITY,
            min=convex_pieces.SHALLOWEST,
            max=convex_pieces.DEEPEST,
            subtype="FACTOR",
            **shared,
        ),
        "depth": from_specs.to_property(
            "depth", GRID_SPECS["depth"], fields.defaults(surfaces.HeightfieldSurface)["depth"], min=1e-6
        ),
        "two_sided": bpy.props.BoolProperty(
            name="Both Sides",
            description="Faces are touched from both sides, as those of a sheet without thickness",
            **shared,
        ),
        "only_touches": bpy.props.BoolProperty(
            name="Only Touches",
            description="The object is there for contact alone: it adds no mass to the body above it",
            **shared,
        ),
        "material": bpy.props.EnumProperty(
            name="Material",
            description="What the surface is made of; sets friction and bounce",
            items=MATERIAL_ITEMS,
            default=CUSTOM,
            update=_use_preset,
            **shared,
        ),
        "friction": _number("friction", soft_max=2.0, update=_forget_preset),
        "use_kinetic_friction": bpy.props.BoolProperty(
            name="Use Sliding Friction",
            description="Friction is less while it slides than while it sticks",
            update=_forget_preset,
            **shared,
        ),
        "kinetic_friction": from_specs.to_property(
            "kinetic_friction",
            SPECS["kinetic_friction"],
            SPECS["kinetic_friction"].first,
            update=_forget_preset,
            name="Sliding Friction",
        ),
        "bounce": _number("bounce", max=1.0, subtype="FACTOR", update=_forget_preset),
        "bounce_above": _number("bounce_above"),
        "rolling_friction": _number("rolling_friction"),
        "torsional_friction": _number("torsional_friction", name="Spinning Friction"),
        "conveyor": bpy.props.FloatVectorProperty(
            name="Conveyor",
            description="Velocity of its skin along the object's own axes, as that of a belt or an escalator",
            size=3,
            subtype="XYZ",
            unit="VELOCITY",
            **shared,
        ),
        "group": bpy.props.IntProperty(
            name="Group", description="Group of surfaces that it belongs to", min=0, max=GROUPS - 1, **shared
        ),
        "touches": bpy.props.BoolVectorProperty(
            name="Touches",
            description="Groups that it touches; both surfaces must agree",
            size=GROUPS,
            subtype="LAYER",
            default=(True,) * GROUPS,
            **shared,
        ),
        "touches_neighbours": bpy.props.BoolProperty(
            name="Touches Neighbors",
            description="It also touches bodies that a joint connects with its own",
            **shared,
        ),
    }


REDMAX_PG_surface = from_specs.make_group("REDMAX_PG_surface", _annotations(), "A surface of a body, or scenery.")

CLASSES = (REDMAX_PG_surface,)

SHARED = (
    "friction",
    "bounce",
    "bounce_above",
    "rolling_friction",
    "torsional_friction",
    "group",
    "touches_neighbours",
)
"""Fields of the engine's surfaces that are properties of the same name."""


def shared_values(group: Any, length: float) -> dict[str, Any]:
    """What all shapes have, in SI units, but for body, frame and conveyor. length: metres per Blender unit."""
    values: dict[str, Any] = {}
    for name in SHARED:
        value = getattr(group, name)
        factor = length ** from_specs.POWER_OF_LENGTH.get(SPECS[name].unit, 0)
        values[name] = float(value) * factor if SPECS[name].sort == "number" else value
    slides = min(float(group.kinetic_friction), float(group.friction))  # what slides is never held more
    values["kinetic_friction"] = slides if group.use_kinetic_friction else None
    beyond = DEFAULTS["touches"] & ~(2**GROUPS - 1)  # groups that Blender does not show
    values["touches"] = beyond + sum(2**bit for bit, on in enumerate(group.touches) if on)
    return values
