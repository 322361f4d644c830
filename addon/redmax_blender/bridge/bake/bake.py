# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake to Keyframes and Remove Bake. Everything is computed and checked before anything is written."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import bpy

from ... import compat
from ..._engine import arrays, trajectory
from ...properties import result_names
from ..core.findings import BridgeError, Finding
from ..objects import animated_values, changes, kept
from ..results import preview, strand_curves
from . import actions, bake_checks, bake_measure, bake_plan, keys, outer_keys, rope_caches, strand_keys
from .bake_options import BakeOptions, BakeReport, shown
from .bake_plan import Owner
from .outer_keys import OuterKeys
from .transactions import RESULTS, Transaction, transaction

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array
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
    with _writing([*touched, *(owner for owner in former if owner not in touched)]) as writing:
        for owner in former:
            actions.restore(owner, writing)
        shared: dict[str, bpy.types.Action] = {}
        times = keys.Times(plan.frames)
        for owner in plan.owners.values():
            _write(owner, times, options, writing, shared)
        objects = {name: owner.data_block for name, owner in plan.owners.items()}
        errors = None if plan.judge is None else bake_measure.measured(plan.judge, objects, plan.frames)
    missed: list[Finding] = []
    approximate = plan.approximate
    if errors is not None and options.keys == "FEWER":  # what is measured to keep to the bound needs no warning
        missed = list(_missed(errors, options))
        named = {finding.element for finding in missed}
        approximate = [finding for finding in approximate if finding.element in named]
    kept_apart = [Finding("", note, "", "WARNING") for note in dict.fromkeys(writing.notes)]
    notes = [*plan.notes, *approximate, *missed, *kept_apart]
    return BakeReport(
        frame_start=int(plan.frames[0]),
        frame_end=int(plan.frames[-1]),
        objects=sum(not isinstance(owner.data_block, bpy.types.Scene) for owner in plan.owners.values()),
        keys=sum(owner.keys for owner in plan.owners.values()),
        keys_every=plan.keys_every,
        distance=None if errors is None else float(errors.distance.max()),
        angle=None if errors is None else float(errors.angle.max()),
        notes=tuple(notes),
        again=plan.again,
        caches=sum(owner.rope is not None for owner in plan.owners.values()),
    )


def _missed(errors: bake_measure.Errors, options: BakeOptions) -> Iterator[Finding]:
    """Objects that keep to the bound with no keys on frames, however many; the worst first."""
    found = zip(errors.distance, errors.angle, errors.names, strict=True)
    for off, turned, name in sorted(found, reverse=True):
        if off > 1e-3 * options.distance or turned > options.angle:
            by = f"{shown(1e3 * off)} mm, {shown(math.degrees(turned))} degrees"
            text = (
                f"'{name}' is off by up to {by}, which is more than you allow: keys on frames cannot follow it closer"
            )
            hint = "use more frames per second, or allow more"
            yield Finding(name, text, hint, "WARNING", code="off_by_more_than_allowed")


def remove_bake(scene: bpy.types.Scene) -> int:
    """Bring back what was there before the bake; returns how many objects that were.

    Raises BridgeError with everything that is in the way, and then nothing was changed.
    """
    owners = _removable(scene)
    with _writing(owners) as writing:
        for owner in owners:
            actions.restore(owner, writing)
    strand_curves.rest(scene.objects, bpy.context.evaluated_depsgraph_get())
    return sum(not isinstance(owner, bpy.types.Scene) for owner in owners)


@contextmanager
def _writing(owners: list[Any]) -> Iterator[Transaction]:
    """All or nothing; and of the owners nothing changes but what a bake writes."""
    with changes.ours(), animated_values.unchanged(owners, _is_written), transaction(owners) as writing:
        yield writing


def _is_written(owner: Any, path: str) -> bool:
    """Whether a bake may write to a data path of an owner: bodies and points of ropes are placed, results are
    custom properties."""
    is_body = isinstance(owner, bpy.types.Object) and owner.redmax.is_body
    if isinstance(owner, bpy.types.Curve):
        return path.startswith(strand_keys.POINTS)
    return (is_body and path in kept.CHANNELS) or path.startswith(f'["{RESULTS}')


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
    data_block, frames = owner.data_block, (float(times.frames[0]), float(times.frames[-1]))
    if owner.rope is not None:
        rope_caches.write(owner.rope, frames[0], writing)
    if owner.artists:
        _keep(data_block, owner.artists)
    if owner.places or owner.left_over:
        _write_places(owner, times, options, writing, shared)
    if owner.start:
        action = _shared_action(f"{owner.mechanism or data_block.name} Results", writing, shared)
        _write_results(owner, times, action)
        actions.finish_results(data_block, writing, frames)


def _write_places(
    owner: Owner,
    times: keys.Times,
    options: BakeOptions,
    writing: Transaction,
    shared: dict[str, bpy.types.Action],
) -> None:
    """The motion of an object; what its action has on result channels makes room, as it would hide the results."""
    data_block, frames = owner.data_block, (float(times.frames[0]), float(times.frames[-1]))
    outer: dict[tuple[str, int], OuterKeys] = {}
    strip = owner.takes_strip(options)
    replaced = [*owner.places, *owner.left_over]
    if owner.takes_own(options):
        outer = outer_keys.outside(compat.curves_of(data_block) or (), owner.places, frames)
        curves = actions.begin_current(data_block, writing, data_block.name, replaced)
    else:
        action = _shared_action(owner.mechanism, writing, shared)  # with a slot for each object
        if strip:
            curves = actions.begin_nla(data_block, writing, action, replaced)
        else:
            curves = actions.begin_new(data_block, action, replaced)
    keys.write(curves, times, owner.place)
    for curve in owner.curves:
        curve.fill(curves.new(curve.data_path, curve.index, keys.GROUP))
    outer_keys.add(curves, outer)
    if options.loop and not outer:
        _repeat(curves, owner.places)
    if strip:
        actions.finish_nla(data_block, writing, owner.mechanism, frames)


def _shared_action(name: str, writing: Transaction, shared: dict[str, bpy.types.Action]) -> bpy.types.Action:
    if name not in shared:
        shared[name] = writing.new_action(name)
    return shared[name]


def _write_results(owner: Owner, times: keys.Times, action: bpy.types.Action) -> None:
    """Custom properties and their keys, in channel groups that name their units."""
    groups = {actions.property_path(name): name for name in owner.start}

    def group(path: str, index: int) -> str:
        name = groups[path]
        if name in owner.own:
            return result_names.own_group(name, owner.own[name].units[index : index + 1])
        return result_names.group(name, index, owner.units)

    curves = actions.begin_results(owner.data_block, action)
    for name, value in owner.start.items():
        own = owner.own.get(name)
        told = (
            result_names.tooltip(name, owner.units)
            if own is None
            else result_names.own_tooltip(name, own.units, own.seen_from)
        )
        actions.add_property(owner.data_block, name, value, told)
    record = owner.data_block.redmax.baked
    if owner.own:
        record.units = ";".join(f"{name}={','.join(channel.units)}" for name, channel in owner.own.items())
    keys.write(curves, times, owner.results, group)
    for curve in owner.result_curves:
        curve.fill(curves.new(curve.data_path, curve.index, group(curve.data_path, curve.index)))


def _repeat(curves: compat.Curves, paths: Collection[str]) -> None:
    """Let the motion go on before and after the baked frames."""
    for curve in curves:
        if curve.data_path in paths:
            curve.modifiers.new("CYCLES")


def _keep(obj: bpy.types.Object, channels: dict[str, tuple[float, ...]]) -> None:
    """Put the artist's channels aside as they are at the first frame, where the mechanism is modelled."""
    kept.keep(obj)
    for name, values in channels.items():
        setattr(obj.redmax.kept, name, values)
