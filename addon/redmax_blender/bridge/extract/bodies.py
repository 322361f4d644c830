# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of a scene: which objects they are, their frames, and their mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from ..._engine import arrays
from ..._engine import scene as engine_scene
from ...properties import body as body_properties
from ..core.findings import Finding
from ..objects import frames, movers, muting, units
from ..objects.modelled import Modelled
from ..objects.other_frames import holder
from . import mass
from .parts import Parts

Array = arrays.Array


@dataclass(frozen=True, eq=False)
class BodyFrame:
    """A body as modelled.

    E_wb: (4, 4) its frame in the world [m]. A: (4, 4) scale, shear or mirror, without translation: the modelled
    world matrix [Blender units] is in_blender_units(E_wb) @ A. mass: [kg], 0 where it could not be measured.
    static: nothing can move it.
    """

    name: str
    E_wb: Array
    A: Array
    mass: float
    static: bool

    def as_static(self, *, static: bool) -> BodyFrame:
        """The same body, known to stand still or not."""
        return BodyFrame(self.name, self.E_wb, self.A, self.mass, static)


@dataclass(frozen=True, eq=False)
class Element:
    """A body for the engine, with its frame. measured: False where its mass could not be found."""

    body: Any
    frame: BodyFrame
    measured: bool


def refused_as(obj: bpy.types.Object, word: str) -> Finding | None:
    """Why an object cannot be a body or joint at all."""
    if obj.library is not None:
        text = f"'{obj.name}' is linked from another file, so it cannot be a {word} here"
        return Finding(obj.name, text, "make a library override of it (Object > Library Override > Make)")
    return None


def _shown_scale(scale: tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:g}' for number in scale)})"


def _remarks(obj: bpy.types.Object) -> Iterator[Finding]:
    """What is handled as it is, but worth knowing: what was muted for the bake."""
    muted = muting.read(obj)
    if muted is not None:
        text = f"'{obj.name}' would also be driven by {muting.described(muted)}, muted for the bake"
        yield Finding(obj.name, text, "", "INFO", ("UNMUTE",))


def extract_body(
    obj: bpy.types.Object, modelled: Modelled, parts: Parts, length: float, findings: list[Finding]
) -> Element | None:
    """One body; None if it has no frame. What is wrong is added to findings."""
    refused = refused_as(obj, "body")
    if refused is not None:
        findings.append(refused)
        return None
    moved = list(movers.body_findings(obj))
    if not any(finding.severity == "ERROR" for finding in moved):
        moved.extend(movers.uncomputed(obj, modelled.depsgraph))
    findings.extend(moved)
    scale = tuple(holder(obj, modelled.depsgraph).scale)
    try:
        E_wb, A = modelled.rigid_part(obj)
    except frames.FrameError as error:
        hint = f"its scale is {_shown_scale(scale)}; give it a size"
        lost = 0.0 in scale
        findings.append(Finding(obj.name, f"'{obj.name}' {error}", hint, fixes=("RESET_SCALE",) * lost))
        return None
    findings.extend(_remarks(obj))
    settings: Any = obj.redmax.body
    with_own = settings.shape == body_properties.MESH
    found: list[Finding] = []
    pieces = list(parts.pieces(obj, E_wb, A, found, with_own=with_own))
    findings.extend(found)
    sound = not any(finding.severity == "ERROR" for finding in found)
    properties = mass.body_mass(obj, pieces, length, findings) if sound else None
    inertia = None
    if properties is not None:
        inertia = engine_scene.Inertia(
            mass=properties.mass,
            center=tuple(properties.center.tolist()),
            tensor=tuple(map(tuple, properties.inertia.tolist())),
        )
    body = engine_scene.Body(name=obj.name, inertia=inertia, damping=float(settings.damping))
    weight = 0.0 if properties is None else float(properties.mass)
    frame = BodyFrame(obj.name, units.in_metres(E_wb, length), A, weight, static=False)
    return Element(body, frame, properties is not None)
