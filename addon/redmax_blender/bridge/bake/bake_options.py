# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist asks of a bake, and what it tells afterwards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ...properties import references
from ...properties.scene import CHANNELS, frame_range
from ..core.findings import Finding

SAME = (
    "selected_only",
    "target",
    "keys",
    "ropes",
    "every",
    "tangents",
    "loop",
    "loop_frames",
    *CHANNELS,
)
"""Options that are named alike in the Bake panel."""


@dataclass(frozen=True, kw_only=True)
class BakeOptions:
    """What to write. frame_start, frame_end: at most these frames. target: NEW action, NLA track or CURRENT action.

    keys: on EVERY frame, on every N-th (EVERY_N, `every`), or FEWER within distance [mm] and angle [rad] in the world.
    ropes: KEYS on their points, or a CACHE, one file for each rope, with every frame.
    tangents: EXACT (from the velocities) or LINEAR. loop: let the end meet the start over the last loop_frames frames.
    torque, reaction, energy, gap, forces, motion: result channels (`result_channels`, `element_channels`,
    `motion_channels`). seen_from: name of the body that motion is relative to, empty for the world.
    """

    frame_start: int | None = None
    frame_end: int | None = None
    selected_only: bool = False
    target: Literal["NEW", "NLA", "CURRENT"] = "NEW"
    keys: Literal["EVERY", "FEWER", "EVERY_N"] = "EVERY"
    ropes: Literal["KEYS", "CACHE"] = "KEYS"
    every: int = 2
    distance: float = 0.1
    angle: float = math.radians(0.05)
    tangents: Literal["EXACT", "LINEAR"] = "EXACT"
    loop: bool = False
    loop_frames: int = 12
    torque: bool = False
    reaction: bool = False
    energy: bool = False
    gap: bool = False
    forces: bool = False
    motion: bool = False
    seen_from: str = ""

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
        elif scene.redmax.pre_roll:
            first = frame_range(scene)[0] + scene.redmax.pre_roll
        return cls(
            frame_start=first,
            frame_end=last,
            distance=chosen.max_distance,
            angle=chosen.max_angle,
            seen_from=references.last_name(chosen, "seen_from"),
            **{name: getattr(chosen, name) for name in SAME},
        )


@dataclass(frozen=True)
class BakeReport:
    """What was written. keys_every: how many keys there would be on every frame. distance [m], angle [rad]: what the
    keys are off by at most, as measured after they were written; None where every frame has one. notes: what the
    artist should know. again: how many quick frames were simulated again to know the motion inside them. caches: ropes
    that were written to files."""

    frame_start: int
    frame_end: int
    objects: int
    keys: int
    keys_every: int
    distance: float | None
    angle: float | None
    notes: tuple[Finding, ...] = ()
    again: int = 0
    caches: int = 0

    @property
    def frames(self) -> int:
        return self.frame_end - self.frame_start + 1

    def __str__(self) -> str:
        objects = "1 object" if self.objects == 1 else f"{self.objects} objects"
        frames = "1 frame" if self.frames == 1 else f"{self.frames} frames"
        keys = f"{_grouped(self.keys)} keys"
        if self.keys != self.keys_every:
            keys += f" ({_grouped(self.keys_every)} every-frame)"
        caches = f", {self.caches} mesh cache{'s' * (self.caches > 1)}" if self.caches else ""
        said = [f"Baked {frames}, {objects}, {keys}{caches}{self.error}"]
        if self.again:
            said.append(f"{self.again} quick {'frame' if self.again == 1 else 'frames'} simulated again")
        return "; ".join([*said, *_told(self.notes)])

    @property
    def error(self) -> str:
        """What was measured, to be said after the number of keys."""
        if self.distance is None or self.angle is None:
            return ""
        return f", max error {shown(1e3 * self.distance)} mm, {shown(math.degrees(self.angle))} degrees"


def _told(notes: Iterable[Finding]) -> list[str]:
    """Each note; of those that say the same of several objects the first."""
    alike: dict[str, list[Finding]] = {}
    for note in notes:
        alike.setdefault(note.code or str(note), []).append(note)
    return [str(same[0]) + _others(len(same) - 1) for same in alike.values()]


def _others(count: int) -> str:
    if count == 0:
        return ""
    return " (and 1 other)" if count == 1 else f" (and {count} others)"


def shown(number: float) -> str:
    """A measured number with two digits, rounded up: what is said is never less than what is."""
    if number <= 0.0:
        return "0"
    digits = 1 - math.floor(math.log10(number))
    return f"{math.ceil(round(number * 10.0**digits, 6)) / 10.0**digits:.2g}"


def _grouped(number: int) -> str:
    """Thousands apart, as in 10 080."""
    return f"{number:,}".replace(",", " ") if number >= 10_000 else str(number)
