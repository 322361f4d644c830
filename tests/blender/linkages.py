# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms of boxes and pins for tests of baking: a chain, a four-bar linkage and a slider-crank."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from bake_cases import box, engine_matrix, hinge, world_matrix

from redmax_blender import compat

AXIS = (0.0, 1.0, 0.0)
FRAMES = 240


def bar(name: str, start: Any, end: Any, *, mode: str = "XYZ") -> Any:
    """A bar in the xz plane from one pin to another, its own z axis along it."""
    start, end = np.array(start, float), np.array(end, float)
    along = end - start
    obj = box(name, tuple(0.5 * (start + end)), mode="XYZ", size=(0.02, 0.03, 0.5 * float(np.linalg.norm(along))))
    obj.rotation_euler = (0.0, math.atan2(along[0], along[2]), 0.0)
    if mode == "QUATERNION":
        quaternion = obj.rotation_euler.to_quaternion()
        obj.rotation_mode = mode
        obj.rotation_quaternion = quaternion
    obj.rotation_mode = mode
    return obj


def turned_by_keys(joint: Any, *keys: tuple[float, float]) -> None:
    """Let a hinge follow straight keys (frame, angle)."""
    joint.redmax.joint.motion_type = "animated"
    curve = compat.ensure_fcurves(joint).new("redmax.joint.coordinate_angle_1")
    for frame, angle in keys:
        curve.keyframe_points.insert(frame, angle).interpolation = "LINEAR"


def set_frames(count: int = FRAMES) -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, count


def chain(*, mode: str = "XYZ", links: int = 6, count: int = FRAMES) -> list[str]:
    """Links of a third of a metre with a little friction, let go from forty degrees."""
    set_frames(count)
    names, above, place = [], None, np.zeros(3)
    step = np.array([math.sin(math.radians(40.0)), 0.0, -math.cos(math.radians(40.0))]) / 3.0
    for number in range(links):
        link = bar(f"Link {number}", place, place + step, mode=mode)
        hinge(f"Pin {number}", above, link, tuple(place)).redmax.joint.damping = [0.02] * 6
        names.append(link.name)
        above, place = link, place + step
    return names


def four_bar(*, mode: str = "XYZ", turns: float = 2.0) -> list[str]:
    """A crank of 0.2 m turns evenly and lets a rocker of 0.45 m swing, 0.6 m away."""
    set_frames()
    crank_end, rocker_end = np.array([0.0, 0.0, 0.2]), np.array([0.6, 0.0, 0.45])
    crank = bar("Crank", (0.0, 0.0, 0.0), crank_end, mode=mode)
    coupler = bar("Coupler", crank_end, rocker_end, mode=mode)
    rocker = bar("Rocker", (0.6, 0.0, 0.0), rocker_end, mode=mode)
    drive = hinge("Pin A", None, crank, (0.0, 0.0, 0.0))
    turned_by_keys(drive, (1, 0.0), (bpy.context.scene.frame_end, turns * math.tau))
    hinge("Pin B", crank, coupler, tuple(crank_end))
    hinge("Pin C", None, rocker, (0.6, 0.0, 0.0))
    hinge("Pin D", coupler, rocker, tuple(rocker_end))
    return ["Crank", "Coupler", "Rocker"]


def slider_crank(*, mode: str = "XYZ", turns: float = 2.0) -> list[str]:
    """A crank of 0.15 m turns evenly and pushes a piston by a rod of 0.5 m."""
    set_frames()
    pin, end = np.array([0.0, 0.0, 0.15]), np.array([math.sqrt(0.25 - 0.15**2), 0.0, 0.0])
    crank = bar("Crank", (0.0, 0.0, 0.0), pin, mode=mode)
    rod = bar("Rod", pin, end, mode=mode)
    piston = box("Piston", tuple(end), mode=mode, size=(0.06, 0.05, 0.05))
    drive = hinge("Pin A", None, crank, (0.0, 0.0, 0.0))
    turned_by_keys(drive, (1, 0.0), (bpy.context.scene.frame_end, turns * math.tau))
    hinge("Pin B", crank, rod, tuple(pin))
    hinge("Guide", None, piston, tuple(end), axis=(1.0, 0.0, 0.0), kind="prismatic")
    hinge("Pin C", rod, piston, tuple(end))
    return ["Crank", "Rod", "Piston"]


LINKAGES = {"chain": chain, "four-bar": four_bar, "slider-crank": slider_crank}


# --- where they must be ----------------------------------------------------------------------


def bar_matrix(start: Any, end: Any) -> np.ndarray:
    """World matrix of a bar between two points (x, z)."""
    along = np.subtract(end, start)
    angle = math.atan2(along[0], along[1])
    M = np.eye(4)
    M[0, 0] = M[2, 2] = math.cos(angle)
    M[0, 2], M[2, 0] = math.sin(angle), -math.sin(angle)
    M[[0, 2], 3] = 0.5 * np.add(start, end)
    return M


def closed_form(kind: str, part: float, *, turns: float = 2.0) -> dict[str, np.ndarray]:
    """World matrices of a linkage when a part (0 to 1) of its crank's turns is done: plane geometry, no solver."""
    angle = turns * math.tau * part
    unit = np.array([math.sin(angle), math.cos(angle)])
    if kind == "four-bar":
        pin, pivot = 0.2 * unit, np.array([0.6, 0.0])
        coupler, rocker = math.hypot(0.6, 0.25), 0.45
        gap = pivot - pin
        length = math.hypot(*gap)
        along = (coupler**2 - rocker**2 + length**2) / (2.0 * length)
        aside = math.sqrt(coupler**2 - along**2)
        end = pin + along * gap / length + aside * np.array([-gap[1], gap[0]]) / length
        return {
            "Crank": bar_matrix((0.0, 0.0), pin),
            "Coupler": bar_matrix(pin, end),
            "Rocker": bar_matrix(pivot, end),
        }
    pin = 0.15 * unit
    end = np.array([pin[0] + math.sqrt(0.25 - pin[1] ** 2), 0.0])
    piston = np.eye(4)
    piston[0, 3] = end[0]
    return {"Crank": bar_matrix((0.0, 0.0), pin), "Rod": bar_matrix(pin, end), "Piston": piston}


def worst(extraction: Any, truth: Any, names: list[str], per_frame: int) -> tuple[float, float]:
    """`largest_errors` against the solver's own samples, `per_frame` in each frame."""

    def wanted(sample: int) -> dict[str, np.ndarray]:
        return {name: engine_matrix(extraction, truth, name, sample) for name in names}

    return largest_errors(wanted, len(truth), per_frame, length=extraction.length, first=extraction.frame_start)


def largest_errors(
    wanted: Callable[[int], dict[str, np.ndarray]], count: int, per_frame: int, *, length: float = 1.0, first: int = 1
) -> tuple[float, float]:
    """Largest distance [mm] of a corner and largest angle [degrees] between Blender's evaluated scene and the matrices
    that are wanted at `count` samples, `per_frame` in each frame."""
    distance = angle = 0.0
    corners = {name: np.c_[np.array(bpy.data.objects[name].bound_box), np.ones(8)].T for name in wanted(0)}
    for sample in range(count):
        frame, part = divmod(sample, per_frame)
        bpy.context.scene.frame_set(first + frame, subframe=part / per_frame)
        for name, there in wanted(sample).items():
            found = world_matrix(name)
            gaps = np.linalg.norm(((found - there) @ corners[name])[:3], axis=0)
            turns = [each[:3, :3] / np.linalg.norm(each[:3, :3], axis=0) for each in (there, found)]
            size = np.linalg.norm(turns[1] - turns[0])
            distance = max(distance, 1e3 * length * float(gaps.max()))
            angle = max(angle, math.degrees(2.0 * math.asin(min(1.0, size / math.sqrt(8.0)))))
    return distance, angle
