# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's units and the engine's: metres, seconds, and frames between them. Nothing else converts."""

from __future__ import annotations

import bpy
import numpy as np

from ..._engine import arrays

Array = arrays.Array


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """Metres that one Blender unit stands for, as the scene's unit settings say."""
    settings = scene.unit_settings
    return float(settings.scale_length) if settings.system != "NONE" else 1.0


def in_metres(M: Array, length: float) -> Array:
    """A rigid frame (..., 4, 4) given in Blender units, in metres. length: metres per Blender unit."""
    E = np.array(M, np.float64)
    E[..., :3, 3] *= length
    return E


def in_blender_units(E: Array, length: float) -> Array:
    """A rigid frame (..., 4, 4) given in metres, in Blender units."""
    M = np.array(E, np.float64)
    M[..., :3, 3] /= length
    return M


def per_coordinate(dof_unit: str, length: float) -> float:
    """SI units in one unit of a coordinate as Blender stores it: only distances ('m') follow the unit scale."""
    return length if dof_unit == "m" else 1.0


def shown(value: float, dof_unit: str) -> str:
    """A coordinate [SI] as people read it: '12 deg', '0.3 m', or '0.3' of a plain number."""
    if dof_unit == "rad":
        return f"{np.degrees(value):.4g} deg"
    return f"{value:.4g} m" if dof_unit == "m" else f"{value:.4g}"


def shown_length(scene: bpy.types.Scene, distance: float) -> str:
    """A distance [Blender units] as Blender shows lengths in this scene: '20 cm', or '2 m'."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return f"{distance:.4g}"
    return str(bpy.utils.units.to_string(settings.system, "LENGTH", distance * metres_per_unit(scene), precision=4))


def gravity(scene: bpy.types.Scene, length: float) -> tuple[float, float, float]:
    """Gravity [m/s^2]; Blender's is in its own units, and may be switched off."""
    factor = length if scene.use_gravity else 0.0
    x, y, z = (float(scene.gravity[axis]) * factor for axis in range(3))
    return x, y, z


def frames_per_second(scene: bpy.types.Scene) -> float:
    return float(scene.render.fps) / float(scene.render.fps_base)


def seconds(frame: float, frame_start: int, fps: float) -> float:
    """Time of a frame, 0 at the first one: the very number at which the engine takes its sample."""
    return (frame - frame_start) / fps
