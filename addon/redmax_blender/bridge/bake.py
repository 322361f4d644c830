# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake to Keyframes and Remove Bake. Everything is computed and checked before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from .. import compat
from .._engine import trajectory
from . import actions, bake_checks, bake_plan, changes, kept, keys, preview
from .bake_options import BakeOptions, BakeReport
from .bake_plan import Owner
from .findings import BridgeError
from .transactions import Transaction, transaction

if TYPE_CHECKING:
    from .extract import Extraction

Trajectory = trajectory.Trajectory

__all__ = ["BakeOptions", "BakeReport", "bake", "remove_bake"]


def bake(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    extraction: Extraction,
    result: Trajectory,
    options: BakeOptions,
) -> BakeReport:
    """Write the result as keys on the bodies' objects, in place of an earlier bake.

    A mechanism that is switched off keeps the bake it has.
    Bodies of an earlier bake are baked anew even if they are not selected: half a bake would be no motion at all.
    Raises BridgeError with everything that is in the way, and then nothing was written.
    """
    preview.hide(scene)
    plan = bake_plan.make_plan(scene, view_layer, extraction, result, options)
    off = {name for mechanism in extraction.mechanisms if not mechanism.enabled for name in mechanism.members}
    former = [owner for owner in _removable(scene) if owner == scene or owner.name not in off]
    touched = [owner.data_block for owner in plan.owners.values()]
    with changes.ours(), transaction([*touched, *(owner for owner in former if owner not in touched)]) as writing:
        for owner in former:
            actions.restore(owner, writing)
        shared: dict[str, bpy.types.Action] = {}
        times = keys.Times(plan.frames)
        for owner in plan.owners.values():
            _write(owner, times, options, writing, shared)
    return BakeReport(
        frame_start=int(plan.frames[0]),
        frame_end=int(plan.frames[-1]),
        objects=sum(isinstance(owner.data_block, bpy.types.Object) for owner in plan.owners.values()),
        keys=sum(channel.keys for owner in plan.owners.values() for channel in (*owner.place, *owner.results)),
        notes=tuple(plan.notes),
    )


def remove_bake(scene: bpy.types.Scene) -> int:
    """Bring back what was there before the bake; returns how many objects that were.

    Raises BridgeError with everything that is in the way, and then nothing was changed.
    """
    owners = _removable(scene)
    with changes.ours(), transaction(owners) as writing:
        for owner in owners:
            actions.restore(owner, writing)
    return sum(isinstance(owner, bpy.types.Object) for owner in owners)


def _removable(scene: bpy.types.Scene) -> list[Any]:
    """What carries a bake, if all of it can be given back."""
    owners = actions.baked_owners(scene)
    findings = [finding for owner in owners for finding in bake_checks.tweak_findings(owner)]
    if findings:
        raise BridgeError(findings)
    return owners


def _write(
    owner: Owner,
    times: keys.Times,
    options: BakeOptions,
    writing: Transaction,
    shared: dict[str, bpy.types.Action],
) -> None:
    data_block = owner.data_block
    paths = [channel.data_path for channel in (*owner.place, *owner.results)]
    if owner.artists:
        _keep(data_block, owner.artists)
    if owner.takes_new_action(options):
        # One action holds a slot for each object of a mechanism; before slots each object has its own.
        name = owner.mechanism if compat.HAS_SLOTS else f"{owner.mechanism} {data_block.name}"
        if name not in shared:
            shared[name] = writing.new_action(name)
        curves = actions.begin_new(data_block, shared[name], paths)
    else:
        curves = actions.begin_current(data_block, writing, data_block.name, paths)
    for name, value in owner.start.items():
        actions.add_property(data_block, name, value)
    keys.write(curves, times, [*owner.place, *owner.results])


def _keep(obj: bpy.types.Object, channels: dict[str, tuple[float, ...]]) -> None:
    """Put the artist's channels aside as they are at the first frame, where the mechanism is modelled."""
    kept.keep(obj)
    for name, values in channels.items():
        setattr(obj.redmax.kept, name, values)
