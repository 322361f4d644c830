# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies and joints made directly from data, so that extraction is tested without the operators that author them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
WATER = 1000.0


def mesh(name: str, corners: Any = CORNERS, faces: Any = FACES) -> bpy.types.Mesh:
    data = bpy.data.meshes.new(name)
    data.from_pydata(np.asarray(corners).tolist(), [], faces)
    return data


def add(name: str, data: Any = None, collection: Any = None) -> bpy.types.Object:
    """An object in the scene; an Empty without data."""
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    return obj


def cube(name: str, size: Any = (1.0, 1.0, 1.0), at: Any = (0.0, 0.0, 0.0), **more: Any) -> bpy.types.Object:
    """A box of the given sides about its origin; not a body."""
    obj = add(name, mesh(name, CORNERS * np.asarray(size)), **more)
    obj.location = at
    return obj


def body(name: str, size: Any = (1.0, 1.0, 1.0), at: Any = (0.0, 0.0, 0.0), *, root: str = "FREE") -> Any:
    """A box of water."""
    obj = cube(name, size, at)
    obj.redmax.is_body = True
    obj.redmax.body.root = root
    return obj


def joint(name: str, parent: Any, child: Any, kind: str = "revolute", at: Any = (0.0, 0.0, 0.0)) -> Any:
    obj = add(name)
    obj.location = at
    obj.redmax.is_joint = True
    settings = obj.redmax.joint
    settings.kind, settings.parent, settings.child = kind, parent, child
    return obj


def extract() -> Any:
    from redmax_blender.bridge.extract.extraction import extract as extract_scene

    return extract_scene(bpy.context.scene, bpy.context.view_layer)


def inertia_of(extraction: Any, name: str) -> Any:
    """(mass, centre, tensor) that the engine gets for a body."""
    found = next(body for body in extraction.scene.bodies if body.name == name).inertia
    return found.mass, np.array(found.center), np.array(found.tensor)


def said(extraction: Any, severity: str | None = None) -> list[str]:
    return [str(finding) for finding in extraction.findings if severity in (None, finding.severity)]


def box_tensor(mass: float, sides: Any) -> Any:
    a, b, c = (float(side) ** 2 for side in sides)
    return mass / 12.0 * np.diag([b + c, a + c, a + b])


def solid_tensor(mass: float, L: Any) -> Any:
    """Inertia of the image of a unit cube under a linear map L: its spread is L L^T / 12."""
    S = np.asarray(L) @ np.asarray(L).T / 12.0
    return mass * (np.trace(S) * np.eye(3) - S)
