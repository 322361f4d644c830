# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre and inertia of a body from its pieces, and what keeps them from being right, in the artist's words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..._engine import errors, fields, hull, inertia, route, solids
from ...properties import body as body_properties
from ...properties import from_specs
from ..core.findings import Finding
from . import mesh
from .mesh import Bulk, Measured
from .parts import Piece

STAND_IN = "set Approximation to Hull or Box, or enter the mass"
WRONG = "its mass would be wrong"
TEXTS = {
    "open": (f"is not closed; {WRONG}", f"fill its holes, {STAND_IN}"),
    "unmerged": (f"is not closed; {WRONG}", f"use Merge by Distance, {STAND_IN}"),
    "non_manifold": (f"has edges with more than two faces; {WRONG}", f"delete its inner faces, {STAND_IN}"),
    "miswound": (f"has faces that point in opposite directions; {WRONG}", f"use Recalculate Outside, {STAND_IN}"),
    "inverted_shell": (f"has pieces that point inwards; {WRONG}", f"use Recalculate Outside, {STAND_IN}"),
    "collapsed": (f"has faces with a repeated vertex; {WRONG}", f"use Degenerate Dissolve, {STAND_IN}"),
    "duplicate_face": (f"has faces that lie on each other; {WRONG}", f"delete the copies, {STAND_IN}"),
    "flat": ("encloses no volume, so it has no mass", "give it thickness (Solidify), or enter the mass"),
    "empty": ("has no faces, so it has no mass", "choose another shape, such as Box"),
    "bad_index": ("has faces without vertices", "repair the mesh (Mesh > Clean Up)"),
    "non_finite": ("has vertices that are not finite", "repair the mesh (Mesh > Clean Up)"),
}
OVERLAPS = {
    "doubled": "has a piece inside another one; it counts twice",
    "crossing": "has pieces that overlap; the overlap counts twice",
}
"""Findings of the engine's mesh check that leave a mass, though perhaps not the one meant."""

STAND_INS = ("USE_HULL", "USE_BOX", "ENTER_MASS")
WITHOUT_HULL = STAND_INS[1:]

_known: OrderedDict[Any, inertia.MassProperties] = OrderedDict()
"""Mass properties of bodies about which there is nothing to say, by everything they depend on."""


def body_mass(obj: bpy.types.Object, pieces: list[Piece], length: float, findings: list[Finding]) -> Any | None:
    """Mass properties [SI] in the body's frame, None where there are none; what is wrong is added to findings."""
    settings: Any = obj.redmax.body
    entered = settings.mass_source != "DENSITY"
    tensor = body_properties.entered_tensor(settings)
    amount = body_properties.entered_mass(settings, length) if entered else float(settings.density)
    shape, parameters = settings.shape, body_properties.shape_parameters(settings, length)
    key = (
        (shape, *parameters.items(), entered, amount, None if tensor is None else tensor.tobytes()),
        tuple((piece.owner != obj.name, piece.geometry.key, piece.B.tobytes()) for piece in pieces),
    )
    known = _known.get(key)
    if known is not None:
        _known.move_to_end(key)
        return known
    found: list[Finding] = []
    properties = _weighed(obj, pieces, shape, parameters, amount, entered=entered, findings=found)
    if tensor is not None and properties is not None:
        properties = inertia.MassProperties(properties.mass, properties.center, tensor)
    findings.extend(found)
    if properties is not None and not found:  # findings name the object, so they are never remembered
        _known[key] = properties
        if len(_known) > mesh.REMEMBERED:
            _known.popitem(last=False)
    return properties


def _weighed(
    obj: bpy.types.Object,
    pieces: list[Piece],
    shape: str,
    parameters: dict[str, Any],
    amount: float,
    *,
    entered: bool,
    findings: list[Finding],
) -> Any | None:
    """What `body_mass` gives, worked out. findings: empty before."""
    if not (np.isfinite(amount) and amount > 0.0):
        what = f"mass {amount:g} kg" if entered else f"density {amount:g} kg/m^3"
        findings.append(Finding(obj.name, f"'{obj.name}' has {what}", "enter a number above 0"))
    bulks: list[Bulk] = []
    if shape != body_properties.MESH:
        bulks.extend(_primitive(obj, shape, parameters, findings))
    approximation = parameters.get("approximation", "none")
    bulks.extend(_piece_bulks(obj, pieces, approximation, entered=entered, findings=findings))
    if any(finding.severity == "ERROR" for finding in findings):
        return None
    if not bulks:
        text = f"'{obj.name}' has nothing that gives it mass"
        hint = "choose a shape such as Box or Sphere, or parent meshes to it"
        findings.append(Finding(obj.name, text, hint, fixes=("USE_BOX",)))
        return None
    findings.extend(_compound(obj, pieces))
    return _together(obj, bulks, amount, entered=entered, findings=findings)


def _together(
    obj: bpy.types.Object, bulks: list[Bulk], amount: float, *, entered: bool, findings: list[Finding]
) -> Any | None:
    volume = sum(bulk.volume for bulk in bulks)
    if volume > 0.0:
        density = amount / volume if entered else amount
        solid = [bulk.with_mass(density * bulk.volume) for bulk in bulks if bulk.volume > 0.0]
        whole = solid[0] if len(solid) == 1 else inertia.combine(solid)
        return inertia.MassProperties(amount, whole.center, whole.inertia) if entered else whole
    if entered and len(bulks) == 1:
        return bulks[0].with_mass(amount)  # a thin plate
    text, hint = TEXTS["flat"]
    findings.append(Finding(obj.name, f"'{obj.name}' {text}", hint, fixes=("USE_BOX",)))
    return None


def _primitive(obj: Any, shape: str, parameters: dict[str, Any], findings: list[Finding]) -> Iterator[Bulk]:
    """The chosen primitive: in the body's frame and in metres as entered, whatever the object's scale.

    Its numbers are lengths that the panel shows with their unit; scaling them by the object (for an Empty, a matter
    of display) would make them mean something else than they say.
    """
    cls: Any = solids.SHAPES[shape]
    solid = cls(**parameters, density=1.0)
    faults = list(fields.field_problems(solid)) or [errors.Fault(*found) for found in solid.problems()]
    for fault in faults:
        whose = f"whose {from_specs.title(fault.field)}" if fault.field else "that"
        findings.append(Finding(obj.name, f"'{obj.name}' has a {cls.label} shape {whose} {fault.what}", fault.hint))
    if not faults:
        unit = solid.own_mass_properties()
        spread = 0.5 * np.trace(unit.inertia) * np.eye(3) - unit.inertia
        yield Bulk(unit.mass, unit.center, spread / unit.mass)


def _piece_bulks(
    obj: Any, pieces: list[Piece], approximation: str, *, entered: bool, findings: list[Finding]
) -> Iterator[Bulk]:
    said: set[tuple[str, str]] = set()

    def say(piece: Piece, text: str, hint: str, severity: Any = "ERROR", fixes: tuple[str, ...] | None = None) -> None:
        whose = f" (part of '{obj.name}')" if piece.owner != obj.name else ""
        if fixes is None and severity == "ERROR":
            fixes = _offers(obj, piece)
        finding = Finding(piece.owner, f"'{piece.owner}'{whose} {text}", hint, severity, fixes or ())
        if (finding.text, severity) not in said:  # a hundred instances of one mesh are one defect
            said.add((finding.text, severity))
            findings.append(finding)

    for piece in pieces:
        measured = mesh.measure(piece.geometry)
        if abs(np.linalg.det(piece.B[:3, :3])) == 0.0:
            say(piece, "has a scale of zero and adds no mass", "give it a size", "WARNING", ("RESET_SCALE",))
            continue
        is_part = piece.owner != obj.name
        if is_part and measured.faces == 0:
            continue  # lines and points, such as a guide curve, are no matter
        if is_part and approximation != "none" and measured.extents < 3:
            say(piece, "is flat and adds no mass", "", "INFO")
            continue
        found = _piece_bulk(piece, measured, approximation, entered=entered, say=say)
        if found is not None:
            yield found.transformed(piece.B)


def has_hulls() -> bool:
    """Whether the wheel that hulls need is here."""
    return route.found("scipy") is not None


def _offers(obj: Any, piece: Piece) -> tuple[str, ...]:
    """Fixes for a piece that is no solid: what can stand for it, given how many sides it has and whose it is."""
    measured = mesh.measure(piece.geometry)
    if obj.redmax.body.shape != body_properties.MESH:
        return ("ENTER_MASS",)  # a stand-in would replace the shape that the artist chose
    if measured.extents == 3:
        return STAND_INS if has_hulls() else WITHOUT_HULL
    if piece.owner != obj.name:
        return ("ENTER_MASS",)
    return WITHOUT_HULL if measured.extents == 2 and measured.faces else ("USE_BOX",)


def _piece_bulk(piece: Piece, measured: Measured, approximation: str, *, entered: bool, say: Any) -> Bulk | None:
    """The solid that stands for a piece, in the piece's own coordinates."""
    if approximation == "hull":
        try:
            return mesh.hull_bulk(piece.geometry)
        except errors.MissingWheelError as error:
            say(piece, f"cannot be replaced by its hull: {error}", "set Approximation to Box", fixes=WITHOUT_HULL)
            return None
        except hull.FlatPointsError:
            measured = Measured(None, measured.box, min(measured.extents, 2), measured.faces)
        except errors.RedMaxError as error:
            say(piece, f"cannot be replaced by its hull: {error}", "set Approximation to Box", fixes=WITHOUT_HULL)
            return None
    if approximation != "none":
        if measured.box is not None and (measured.extents == 3 or (entered and measured.extents == 2)):
            return measured.box
        say(piece, *TEXTS["flat"])
        return None
    for problem in measured.problems:
        if problem.kind in OVERLAPS:
            say(piece, OVERLAPS[problem.kind], f"join them (Boolean Union), {STAND_IN}", "WARNING")
    if measured.is_inverted:
        text = "has faces that all point inwards; they are taken as if they pointed outwards"
        say(piece, text, "use Recalculate Outside", "INFO")
    if measured.bulk is not None:
        return measured.bulk
    if entered and measured.box is not None and measured.extents >= 2 and measured.faces:
        say(piece, "is not a closed solid; its mass is spread over its bounding box", "", "INFO")
        return measured.box
    for problem in measured.problems:
        if problem.kind not in OVERLAPS and problem.kind != "inverted":
            say(piece, *TEXTS.get(problem.kind, (f"is not a solid: {problem.what}; {WRONG}", STAND_IN)))
    return None


def _compound(obj: Any, pieces: list[Piece]) -> Iterator[Finding]:
    """Whose geometry is counted besides the body's own, so that no mass appears from nowhere."""
    owners = sorted({piece.owner for piece in pieces if piece.owner != obj.name})
    if owners:
        listed = ", ".join(f"'{name}'" for name in owners[:3]) + (f" and {len(owners) - 3} more" * (len(owners) > 3))
        yield Finding(obj.name, f"'{obj.name}' has the mass of its parts too: {listed}", "", "INFO")
