# SPDX-License-Identifier: GPL-3.0-or-later
"""How the bodies' frames lay in their objects when a result was made: kept in its meta, so that it can be shown after a
reload without extracting the scene again. What is read comes from a file, and may be anything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._engine import fields, scene, trajectory
from ...properties.scene import FURTHEST_FRAME
from ..extract import extraction as extract
from ..extract.bodies import BodyFrame
from .result_channels import ENERGIES

Trajectory = trajectory.Trajectory

FRAMES = "blender"
"""Entry of a result's meta."""

NEEDED = frozenset(
    {"twist", "chart", "qddot", "torque", "motor", "reaction", "loop_reaction", "gap", *ENERGIES.values()}
)
"""Channels that showing or baking a result may ask for."""


def with_frames(result: Trajectory, extraction: extract.Extraction) -> Trajectory:
    """The result together with the frames of its bodies."""
    frames = {
        "frame_start": extraction.frame_start,
        "fps": extraction.fps,
        "length": extraction.length,
        "bodies": [
            [body.name, np.asarray(body.E_wb).tolist(), np.asarray(body.A).tolist(), body.mass, bool(body.static)]
            for body in (*extraction.bodies, *extraction.scenery)
        ],
    }
    return result.with_facts(meta={**result.meta, FRAMES: frames})


def stored_extraction(result: Trajectory) -> extract.Extraction:
    """The bodies as they were when the result was made; the mechanism itself is not needed to show it.

    Raises TrajectoryError for a result that Simulate has not written.
    """
    if not len(result):
        raise trajectory.TrajectoryError("it has no frames")
    missing = sorted(NEEDED - set(result.channels))
    if missing:
        raise trajectory.TrajectoryError(f"it has no channel '{missing[0]}'")
    stored = result.meta.get(FRAMES)
    try:
        bodies = tuple(map(_body, stored["bodies"]))
        length, fps = _positive(stored["length"]), _positive(stored["fps"])
        first = _frame(stored["frame_start"])
        _frame(first + len(result) - 1)
        if _positive(result.meta["fps"]) != fps or not {body.name for body in bodies} >= set(result.body_names):
            raise ValueError("they are those of another result")
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise trajectory.TrajectoryError(f"the frames of its bodies cannot be read ({error})") from None
    return extract.Extraction(
        scene=scene.Scene(),
        bodies=bodies,
        joint_objects={},
        length=length,
        fps=fps,
        frame_start=first,
        frame_end=first + len(result) - 1,
        findings=(),
        mechanisms=(),
    )


def _body(row: Any) -> BodyFrame:
    name, E_wb, A, mass, static = row
    if not isinstance(name, str) or not isinstance(static, bool):
        raise ValueError("a body has no name")
    return BodyFrame(name=name, E_wb=_matrix(E_wb), A=_matrix(A), mass=_number(mass), static=static)


def _matrix(rows: Any) -> Any:
    matrix = np.array(rows, np.float64)
    if matrix.shape != (4, 4) or not (np.abs(matrix) <= fields.LARGEST).all():
        raise ValueError("a matrix is not of 4 x 4 numbers")
    return matrix


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def _positive(value: Any) -> float:
    if not _number(value) > 0.0:
        raise ValueError(f"{value!r} is not above 0")
    return float(value)


def _frame(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > FURTHEST_FRAME:
        raise ValueError(f"{value!r} is no frame")
    return value
