# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of a body: what gives it mass, and how it starts when no joint carries it."""

import math
from typing import Any

import bpy
import numpy as np

from .._engine import arrays, fields, scene, solids
from . import from_specs, materials
from .from_specs import OVERRIDABLE, STATIC

Array = arrays.Array

COMMON = fields.specs(solids.Solid)
MESH = solids.MeshSolid.kind
DENSITY_DIGITS = 1e-6


def _set_density(body: Any, _context: Any) -> None:
    """A material brings its density."""
    density = materials.DENSITY.get(body.material)
    if density is not None and not math.isclose(body.density, density, rel_tol=DENSITY_DIGITS):
        body.density = density


def _forget_material(body: Any, _context: Any) -> None:
    """A density typed by hand is no longer that of the chosen material."""
    density = materials.DENSITY.get(body.material)
    if density is not None and not math.isclose(body.density, density, rel_tol=DENSITY_DIGITS):
        body.material = materials.CUSTOM


def _shape_groups() -> dict[str, Any]:
    groups = {}
    for cls in solids.SHAPES:
        made = from_specs.group_annotations(cls, leave_out=tuple(COMMON))
        if made:
            name = f"REDMAX_PG_shape_{cls.kind}"
            groups[cls.kind] = from_specs.make_group(name, made, f"Parameters of a {cls.label} shape.")
    return groups


SHAPE_GROUPS = _shape_groups()


def _moments(name: str, description: str, default: float) -> Any:
    return bpy.props.FloatVectorProperty(
        name=name,
        description=f"{description} [kg m\u00b2]",
        size=3,
        default=(default,) * 3,
        subtype="XYZ",
        precision=5,
        options=STATIC,
        override=OVERRIDABLE,
    )


def _body_annotations() -> dict[str, Any]:
    body_specs = fields.specs(scene.Body)
    return {
        "mass_source": bpy.props.EnumProperty(
            name="Mass From",
            description="Where the mass comes from",
            items=[
                ("DENSITY", "Density", "Density times the volume of the shape", 0),
                ("MASS", "Mass", "A mass you enter; the shape only distributes it", 1),
                (
                    "INERTIA",
                    "Inertia",
                    "Mass and inertia you enter; the shape only says where the center of mass is",
                    2,
                ),
            ],
            default="DENSITY",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "material": bpy.props.EnumProperty(
            name="Material",
            description="What the body is made of; sets the density",
            items=materials.ITEMS,
            default=materials.DEFAULT,
            update=_set_density,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "density": from_specs.to_property(
            "density",
            fields.Spec("number", COMMON["density"].doc, unit=COMMON["density"].unit, positive=True),
            materials.DENSITY[materials.DEFAULT],
            update=_forget_material,
        ),
        "mass": from_specs.to_property(
            "mass", fields.Spec("number", "Mass of the body", unit="kg", positive=True), 1.0
        ),
        "moments": _moments("Moments of Inertia", "About the body's own X, Y and Z through its center of mass", 0.1),
        "products": _moments(
            "Products of Inertia", "XY, XZ and YZ about its center of mass, with the tensor's sign", 0.0
        ),
        "shape": bpy.props.EnumProperty(
            name="Shape",
            description="Solid whose volume gives mass and inertia",
            items=from_specs.kind_items(solids.SHAPES),
            default=MESH,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        **{
            kind: bpy.props.PointerProperty(type=group, name=solids.SHAPES[kind].label, override=OVERRIDABLE)
            for kind, group in SHAPE_GROUPS.items()
        },
        "damping": from_specs.to_property("damping", body_specs["damping"], 0.0),
        "root": bpy.props.EnumProperty(
            name="Without a Joint",
            description="What holds the body when it is not the child of any joint",
            items=[
                ("FREE", "Free", "Nothing holds it: it falls", 0),
                ("LOCKED", "Locked", "It stands still in the world", 1),
            ],
            default="FREE",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "keep_free": bpy.props.BoolProperty(
            name="Meant to Fall",
            description="Check does not warn that nothing holds the mechanism",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "velocity": bpy.props.FloatVectorProperty(
            name="Velocity",
            description="Velocity of the body's origin at the start, in the world; only for a free body",
            size=3,
            subtype="XYZ",
            unit="VELOCITY",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "spin": bpy.props.FloatVectorProperty(
            name="Spin (\u00b0/s)",
            description="Rotation per second at the start, about the world's axes; only for a free body",
            size=3,
            subtype="XYZ",
            unit="ROTATION",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "measured_mass": bpy.props.FloatProperty(
            name="Measured Mass",
            description="Mass found the last time the mechanism was checked; negative when not known",
            unit="MASS",
            default=-1.0,
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }


REDMAX_PG_body = from_specs.make_group("REDMAX_PG_body", _body_annotations(), "A rigid body.")

CLASSES = (*SHAPE_GROUPS.values(), REDMAX_PG_body)


def shape_parameters(body: Any, length: float) -> dict[str, Any]:
    """The chosen shape's own parameters in SI units. length: metres per Blender unit."""
    if body.shape not in SHAPE_GROUPS:
        return {}
    return from_specs.read_group(getattr(body, body.shape), solids.SHAPES[body.shape], length)


def entered_tensor(body: Any) -> Array | None:
    """(3, 3) inertia about the centre of mass along the body's axes [kg m^2], None where the shape gives it."""
    if body.mass_source != "INERTIA":
        return None
    (xx, yy, zz), (xy, xz, yz) = body.moments, body.products
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], np.float64)


def entered_mass(body: Any, length: float) -> float:
    """The mass field in kg, as Blender shows it: it scales masses by the third power of the unit scale."""
    return float(body.mass) * length**3
