# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist asks of a bake, and what it tells afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import bpy

from .findings import Finding


@dataclass(frozen=True, kw_only=True)
class BakeOptions:
    """What to write. frame_start, frame_end: at most these frames. target: NEW or CURRENT action. tangents: EXACT
    (from the velocities) or LINEAR. torque, reaction, energy: result channels (`result_channels`)."""

    frame_start: int | None = None
    frame_end: int | None = None
    selected_only: bool = False
    target: Literal["NEW", "CURRENT"] = "NEW"
    tangents: Literal["EXACT", "LINEAR"] = "EXACT"
    torque: bool = False
    reaction: bool = False
    energy: bool = False

    @classmethod
    def from_scene(cls, scene: bpy.types.Scene) -> BakeOptions:
        """As the artist chose in the Bake panel."""
        chosen: Any = scene.redmax.bake
        first: int | None = None
        last: int | None = None
        if chosen.range == "CUSTOM":
            first, last = chosen.frame_start, chosen.frame_end
        elif chosen.range == "PREVIEW" and scene.use_preview_range:
            first, last = scene.frame_preview_start, scene.frame_preview_end
        same = ("selected_only", "target", "tangents", "torque", "reaction", "energy")
        return cls(frame_start=first, frame_end=last, **{name: getattr(chosen, name) for name in same})


@dataclass(frozen=True)
class BakeReport:
    """What was written. notes: what the artist should know."""

    frame_start: int
    frame_end: int
    objects: int
    keys: int
    notes: tuple[Finding, ...] = ()

    @property
    def frames(self) -> int:
        return self.frame_end - self.frame_start + 1

    def __str__(self) -> str:
        objects = "1 object" if self.objects == 1 else f"{self.objects} objects"
        frames = "1 frame" if self.frames == 1 else f"{self.frames} frames"
        return "; ".join([f"Baked {frames}, {objects}, {self.keys} keys", *map(str, self.notes)])
