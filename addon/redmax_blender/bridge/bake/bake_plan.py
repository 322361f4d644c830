# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a bake is going to write, computed and checked, while nothing is changed yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ... import compat
from ..._engine import arrays, trajectory
from ...properties import scene as scene_properties
from ..core import dense_motion, fewer_keys, rotation_channels
from ..core.bake_accuracy import Judge
from ..core.findings import BridgeError, Finding, refuse
from ..objects import kept, modelled
from ..objects.frames import channels as own_channels
from ..objects.named_objects import local_object
from ..results import element_channels, motion_channels, placement, result_channels, shown, strand_curves
from ..results.element_channels import ElementChannel
from . import actions, bake_checks, bake_fit, body_corners, frames_anew, key_curves, loop_ends, strand_keys
from .bake_options import BakeOptions
from .key_curves import Curve
from .keys import Channel
from .rope_caches import Rope

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

RESULTS = 1e-3
"""Part of its largest number by which a result channel may be off between fewer keys."""


@dataclass(eq=False)
class Owner:
    """An object, or the scene, that gets keys. place, results: its transform channels and its custom properties, with a
    key on every frame. curves, result_curves: the same with fewer keys."""

    data_block: Any
    mechanism: str = ""
    place: list[Channel] = field(default_factory=list)
    results: list[Channel] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    result_curves: list[Curve] = field(default_factory=list)
    units: tuple[str, ...] = ()
    """Of the joint's coordinates, where it is a joint."""
    own: dict[str, ElementChannel] = field(default_factory=dict)
    """Custom properties that know their own units: of bodies, forces and the like."""
    rope: Rope | None = None
    """What goes to a file, for the curve of a rope."""
    start: dict[str, Any] = field(default_factory=dict)
    artists: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """start: custom properties and first values. artists: the artist's own channels at the first frame."""

    @property
    def places(self) -> list[str]:
        """Data paths of the keys that place the object."""
        return _paths([*self.place, *self.curves])

    @property
    def result_paths(self) -> list[str]:
        """Data paths of the keys on custom properties."""
        return _paths([*self.results, *self.result_curves])

    @property
    def keys(self) -> int:
        on_every_frame = sum(channel.keys for channel in (*self.place, *self.results))
        return on_every_frame + sum(curve.keys for curve in (*self.curves, *self.result_curves))

    @property
    def left_over(self) -> list[str]:
        """Data paths of results that the owner's action has keys on, left from a bake of which nothing else is there:
        an action goes before the NLA, so they would hide the results."""
        action, slot = actions.own_action(self.data_block)
        curves = compat.curves_in(action, slot) if action is not None else None
        return [path for path in self.result_paths if any(curve.data_path == path for curve in curves or ())]

    def takes_new_action(self, options: BakeOptions) -> bool:
        return options.target == "NEW" and bool(self.places)

    def takes_strip(self, options: BakeOptions) -> bool:
        return options.target == "NLA" and bool(self.places)

    def takes_own(self, options: BakeOptions) -> bool:
        """Whether the action that the owner has is written to; for results alone it is not."""
        apart = self.takes_new_action(options) or self.takes_strip(options)
        return not apart and bool(self.places or self.left_over)


def _paths(written: Iterable[Channel | Curve]) -> list[str]:
    return list(dict.fromkeys(each.data_path for each in written))


@dataclass(eq=False)
class Plan:
    """frames: numbers (f,) of the frames to write. owners: by object name. notes: what to tell the artist.
    approximate: what to tell of objects whose rotation mode cannot follow them, unless they are measured and right.
    judge: knows where the bodies should be, at `bake_fit.PER_FRAME` samples in each frame; none where every frame gets
    a key, which states no bound and would take twice as long. keys_every: keys there would be on every frame.
    again: how many frames were simulated again."""

    frames: Array
    owners: dict[str, Owner]
    notes: list[Finding]
    approximate: list[Finding]
    judge: Judge | None
    keys_every: int
    again: int = 0


def make_plan(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    extraction: Extraction,
    result: Trajectory,
    options: BakeOptions,
) -> Plan:
    if extraction.errors:
        raise BridgeError(extraction.errors)
    frames, used = _frames(extraction, result, options)
    bodies = _bodies(scene, view_layer, extraction, result, options)
    channels, notes = result_channels.joint_channels(
        extraction, result, torque=options.torque, reaction=options.reaction, gap=options.gap
    )
    joints: dict[str, bpy.types.Object | None] = {name: _object(scene, name) for name in channels}
    own = element_channels.element_channels(extraction, result) if options.forces else {}
    if options.motion:
        watched = [name for name, obj in _wanted(scene, view_layer, extraction, options).items() if obj is not None]
        motion, undetermined = motion_channels.motion_channels(result, watched, options.seen_from)
        notes += undetermined
        own = {name: {**own.get(name, {}), **motion.get(name, {})} for name in {**own, **motion}}
    acting: dict[str, bpy.types.Object | None] = {name: _object(scene, name) for name in own}
    findings = [
        *(_missing(name) for name, obj in {**bodies, **joints, **acting}.items() if obj is None),
        *(_missing(name) for name in bodies if name not in result.body_names),
        *(finding for obj in bodies.values() if obj is not None for finding in bake_checks.body_findings(obj, bodies)),
    ]
    if findings:
        raise BridgeError(findings)
    mechanism_of = {name: m.root for m in extraction.mechanisms for name in (*m.bodies, *m.joints)}
    owners = {obj.name: Owner(obj, mechanism_of.get(obj.name, obj.name)) for obj in bodies.values()}
    if options.loop:
        result = loop_ends.matched(extraction, result, used, options.loop_frames)
    with modelled.as_modelled(scene, view_layer, extraction.frame_start) as depsgraph:
        places = placement.places_of(bodies.values(), extraction, result.body_names, depsgraph, moving=set(bodies))
        corners = None
        if options.keys != "EVERY":
            corners = body_corners.corners(scene, list(bodies), extraction, depsgraph)
        for name, obj in bodies.items():
            artists = own_channels(obj, depsgraph)
            owners[name].artists = {channel: tuple(getattr(artists, channel)) for channel in kept.CHANNELS}
    judge, anew = None, None
    motions = placement.motions_of(places, result, extraction.length, extraction.fps)
    approximate = [_singular(bodies[name]) for name, motion in motions.items() if not motion.resolved]
    if corners is None:
        for name, obj in bodies.items():
            owners[name].place = _place_channels(obj, motions[name], used, extraction.fps, options)
    else:
        dense = dense_motion.between(result, used, extraction.fps, bake_fit.PER_FRAME)
        if options.keys == "FEWER":
            bound = 1e-3 * options.distance, options.angle
            integrator = scene_properties.integrator_of(scene)
            anew = frames_anew.refined(dense, result, used, extraction, integrator, bake_fit.PER_FRAME, *bound)
            dense = anew.dense
            notes += _left_out(anew)
        judge = Judge(places, corners, dense, extraction.length)
        fitter = bake_fit.Fitter(judge, frames, extraction.fps, **_wanted_keys(len(frames), extraction, options))
        for name, curves in fitter.run().items():
            owners[name].curves += curves
    units = result_channels.coordinate_units(extraction)
    for joint, obj_name in extraction.joint_objects.items():
        if obj_name in channels:
            owner = owners.setdefault(obj_name, Owner(joints[obj_name], mechanism_of.get(joint, "")))
            owner.units = units.get(obj_name, ())
            _add_results(owner, channels[obj_name], used, frames, options)
    for obj_name, found in own.items():
        owner = owners.setdefault(obj_name, Owner(acting[obj_name], mechanism_of.get(obj_name, obj_name)))
        owner.own |= found
        _add_results(owner, {name: channel.values for name, channel in found.items()}, used, frames, options)
    ropes, unshown = strand_keys.owners(scene, view_layer, result, used, extraction, options)
    owners |= {f"curve of {name}": Owner(data, name, **written) for name, (data, written) in ropes.items()}
    if unshown:
        raise BridgeError(unshown)
    if options.loop:
        notes += [_once(data) for data, written in ropes.values() if "rope" in written]
    if options.energy:
        owners[""] = Owner(scene)
        _add_results(owners[""], result_channels.scene_channels(result), used, frames, options)
    findings = [finding for owner in owners.values() for finding in _owner_findings(owner, options)]
    if findings:
        raise BridgeError(findings)
    numbers = sum(3 + motions[name].rotation.shape[1] for name in bodies)
    numbers += sum(len(np.atleast_1d(first)) for owner in owners.values() for first in owner.start.values())
    numbers += sum(3 * len(data.splines[0].points) for data, written in ropes.values() if "rope" not in written)
    again = 0 if anew is None else anew.frames
    return Plan(frames, owners, notes, approximate, judge, len(frames) * numbers, again)


def _left_out(anew: frames_anew.Anew) -> list[Finding]:
    """What to say of frames that there was no time to simulate again."""
    if not anew.left:
        return []
    what = "1 quick frame was" if anew.left == 1 else f"{anew.left} quick frames were"
    text = f"{what} not simulated again, as that took over {frames_anew.LONGEST:.0f} s; there keys may be off by more"
    return [Finding("", text, "bake fewer frames at a time, or a key on every frame", "WARNING")]


def _wanted_keys(count: int, extraction: Extraction, options: BakeOptions) -> dict[str, Any]:
    """What a fit must know of the options."""
    linear = options.tangents == "LINEAR"
    if options.keys == "FEWER":
        bound = bake_fit.Bound(1e-3 * options.distance / extraction.length, options.angle)
        return {"bound": bound, "chosen": None, "linear": linear}
    return {"bound": None, "chosen": _every_nth(count, options.every), "linear": linear}


def _every_nth(count: int, every: int) -> Any:
    """Indices of every n-th frame and of the last."""
    return np.unique(np.append(np.arange(0, count, max(1, every)), count - 1))


def _frames(extraction: Extraction, result: Trajectory, options: BakeOptions) -> tuple[Array, slice]:
    """Frame numbers to write, and which samples they are."""
    if not len(result):
        raise refuse("", "There is no simulated frame to bake", "simulate first")
    fps = result.meta.get("fps", extraction.fps)
    if abs(fps - extraction.fps) > 1e-9 * extraction.fps:
        text = f"The result was simulated at {fps:g} frames per second, the scene has {extraction.fps:g}"
        raise refuse("", text, "simulate again")
    numbers = extraction.frame_start + np.arange(len(result), dtype=np.float64)
    first = numbers[0] if options.frame_start is None else options.frame_start
    last = numbers[-1] if options.frame_end is None else options.frame_end
    used = slice(*np.searchsorted(numbers, (first, last + 0.5)).tolist())
    if not len(numbers[used]):
        simulated = f"frames {numbers[0]:.0f} to {numbers[-1]:.0f} are simulated"
        raise refuse("", f"The range {first:.0f} to {last:.0f} has no frame to bake", simulated)
    return numbers[used], used


def _bodies(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    extraction: Extraction,
    result: Trajectory,
    options: BakeOptions,
) -> dict[str, bpy.types.Object | None]:
    """Objects that get keys, by name. A body that stands still gets none, unless its parent would carry it off."""
    wanted = _wanted(scene, view_layer, extraction, options)
    if not wanted:
        raise refuse("", "No body is selected", "select bodies, or switch off Selected Only")
    still = {body.name for body in extraction.bodies if body.name in wanted and shown.stands_as_modelled(body, result)}
    while True:
        moving = wanted.keys() - still
        carried = {name for name in still if wanted[name] is not None and placement.carrier(wanted[name], moving)}
        if not carried:
            break
        still -= carried
    if not moving and not strand_curves.node_columns(result):
        raise refuse("", "None of these bodies moves, so there is nothing to bake", "free one of their joints")
    return {name: obj for name, obj in wanted.items() if name in moving}


def _wanted(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, extraction: Extraction, options: BakeOptions
) -> dict[str, bpy.types.Object | None]:
    """Objects of the bodies that the artist means, by name."""
    return {
        body.name: _object(scene, body.name)
        for body in extraction.bodies
        if not options.selected_only or _is_chosen(_object(scene, body.name), view_layer)
    }


def _object(scene: bpy.types.Scene, name: str) -> bpy.types.Object | None:
    """The scene's object of a name. A linked one of the same name is another object, unless there is no local one."""
    return (local_object(name) or scene.objects.get(name)) if name in scene.objects else None


def _is_chosen(obj: bpy.types.Object | None, view_layer: bpy.types.ViewLayer) -> bool:
    return obj is not None and (actions.is_baked(obj) or obj.select_get(view_layer=view_layer))


def _place_channels(
    obj: bpy.types.Object, motion: placement.ChannelMotion, used: slice, fps: float, options: BakeOptions
) -> list[Channel]:
    exact = options.tangents == "EXACT"
    return [
        Channel(data_path, values[used], rates[used] / fps if exact else None)
        for data_path, values, rates in (
            ("location", motion.location, motion.location_rate),
            (rotation_channels.path(obj.rotation_mode), motion.rotation, motion.rotation_rate),
        )
    ]


def _add_results(owner: Owner, channels: dict[str, Array], used: slice, frames: Array, options: BakeOptions) -> None:
    for name, values in channels.items():
        path, own = actions.property_path(name), values[used]
        if options.keys == "EVERY":
            owner.results.append(Channel(path, own, None))
        else:
            owner.result_curves += _reduced(path, own.T, frames, options)
        # The scene's energies are numbers, a joint's channels are vectors even with a single coordinate.
        owner.start[name] = float(own[0, 0]) if isinstance(owner.data_block, bpy.types.Scene) else own[0].tolist()


def _reduced(path: str, values: Array, frames: Array, options: BakeOptions) -> list[Curve]:
    """Straight lines between fewer keys, within a thousandth of the largest number of the property."""
    flat = np.zeros((2, *values.shape))
    if options.keys == "FEWER":
        tolerance = np.full(len(values), RESULTS * max(float(np.abs(values).max()), 1e-30))
        fitted = fewer_keys.fit(values, flat, tolerance, 1, linear=True)
    else:
        fitted = fewer_keys.at_frames(values, flat, _every_nth(len(frames), options.every), 1, linear=True)
    return [
        key_curves.from_fit(path, index, frames, values[index], flat[:, index], found, linear=True)
        for index, found in enumerate(fitted)
    ]


def _owner_findings(owner: Owner, options: BakeOptions) -> list[Finding]:
    data_block = owner.data_block
    ours = actions.names_of(data_block.redmax.baked.channels)
    return [
        *bake_checks.owner_findings(
            data_block,
            in_place=owner.takes_own(options),
            on_track=owner.takes_strip(options) or bool(owner.start),
            results=bool(owner.start) and not owner.takes_strip(options),
        ),
        *bake_checks.property_findings(data_block, owner.start, ours),
    ]


def _singular(obj: bpy.types.Object) -> Finding:
    where, code = "gimbal lock", "near_gimbal_lock"
    if obj.rotation_mode == rotation_channels.AXIS_ANGLE:
        where, code = "no rotation", "near_no_rotation"
    text = f"'{obj.name}' comes close to {where}, where its motion between frames is only approximate"
    if obj.rotation_mode == rotation_channels.QUATERNION:
        text = f"'{obj.name}' turns too fast for its frames, so its motion between them is only approximate"
        return Finding(obj.name, text, "use more frames per second", "WARNING", code="turns_too_fast")
    return Finding(obj.name, text, "set its rotation mode to Quaternion and bake again", "WARNING", code=code)


def _once(data: Any) -> Finding:
    text = f"'{data.name}' has a mesh cache, which is not repeated before and after the baked frames"
    return Finding("", text, "bake ropes as keyed points", "WARNING", code="mesh_cache_once")


def _missing(name: str) -> Finding:
    return Finding(name, f"The result and the scene do not fit: '{name}' is only in one of them", "simulate again")
