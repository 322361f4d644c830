# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies stand where the coordinates of joints put them, as long as no result is shown.

Coordinates are read as they are at present, so what is typed but not keyed counts, and so do drivers. Bodies are moved
by `preview`, as a result moves them. A mechanism that has changed is built anew outside of Blender's handlers, by
`prepare`, which a timer or a script calls; until then it is shown as it was built last.
In the background nobody looks, and nothing is done unless `watch` is called.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays, quaternion, trajectory
from ...properties import from_specs, sorts
from ...properties import joint as joint_properties
from ..core.findings import RedMaxError
from ..core.loop_following import Followed
from ..extract import extraction as extract
from ..extract.keyed_model import KeyedMechanism, keyed_mechanisms
from ..objects import changes, frames, kept, movers, units
from .shown import Pose, Source

Array = arrays.Array
Trajectory = trajectory.Trajectory

TOLD_DIFFERENCE = {"rad": np.radians(0.01), "m": 1e-5, "1": 1e-5}
"""A coordinate that is off by more than this [rad, m, 1] gets a note in its panel."""


class Keyed(Source):
    """The scene's mechanisms at their present coordinates."""

    def __init__(self, extraction: extract.Extraction) -> None:
        super().__init__(extraction)
        self.mechanisms = keyed_mechanisms(extraction)
        built = {name for mechanism in self.mechanisms for name in mechanism.follower.model.body_names}
        self.moving = [name for name in self.moving if name in built]  # what cannot be built carries nothing along
        self._asked: list[Array] = []

    def has_moved(self) -> bool:
        """Whether a coordinate has changed since poses were last asked for."""
        now = [mechanism.wish() for mechanism in self.mechanisms]
        return len(now) != len(self._asked) or not all(map(np.array_equal, now, self._asked))

    def poses(self, _frame: float, depsgraph: bpy.types.Depsgraph) -> Iterator[Pose]:
        self.notes, self._asked = {}, [mechanism.wish() for mechanism in self.mechanisms]
        names: list[str] = []
        E_wb: list[Array] = []
        for mechanism, wish in zip(self.mechanisms, self._asked, strict=True):
            reached = mechanism.follower.follow(wish)
            self.notes |= dict(_notes(mechanism, wish, reached))
            names += mechanism.follower.model.body_names
            E_wb += list(mechanism.follower.body_poses())
        here = [obj for obj in self.objects(depsgraph) if obj.name in names]
        motions = self.motions(here, _still(tuple(names), np.array(E_wb).reshape(-1, 4, 4)), depsgraph, samples=1)
        for obj in here:
            if motion := motions.get(obj.name):
                yield Pose(obj, motion.location[0].tolist(), motion.rotation[0].tolist(), bool(motion.at_rest[0]))


def _still(names: tuple[str, ...], E_wb: Array) -> Trajectory:
    """Bodies at rest as a result of one sample, which is what objects are placed by."""
    return Trajectory(
        body_names=names,
        joint_names=(),
        t=np.zeros(1),
        q=np.zeros((1, 0)),
        qdot=np.zeros((1, 0)),
        position=E_wb[None, :, :3, 3],
        rotation=quaternion.from_matrix(E_wb[None, :, :3, :3]),
        channels={"twist": np.zeros((1, len(names), 6))},
    )


def _notes(mechanism: KeyedMechanism, wish: Array, reached: Followed) -> Iterator[tuple[str, str]]:
    """By name of a joint, why its coordinate is not where it was put."""
    for name in mechanism.closers:
        yield name, "It closes a loop: its motion is seen after Simulate"
    if not reached.blocked:
        return
    missed: dict[str, list[str]] = {}
    for coordinate in (each for each in mechanism.coordinates if each.held):
        shown, unit = float(reached.q[coordinate.column]), coordinate.dof.unit
        if abs(wish[coordinate.column] - shown) > TOLD_DIFFERENCE[unit]:
            text = f"{np.degrees(shown):.1f}°" if unit == "rad" else units.shown(shown, unit)
            missed.setdefault(coordinate.joint, []).append(text)
    for name, texts in missed.items():
        yield name, f"Shown at {', '.join(texts)}: the loop through '{reached.blocked}' cannot follow"


# --- which scenes, and when ------------------------------------------------------------------

_built: dict[int, Keyed | None] = {}
"""By session_uid of the scene: its mechanisms as they were built last; None where they cannot be built."""

_content: dict[int, dict[int, Any]] = {}
"""By session_uid of the scene and of the object: what the mechanisms were built from."""

_own: dict[int, dict[int, tuple[tuple[float, ...], ...]]] = {}
"""By session_uid of the scene and of the object: the artist's own channels when the mechanisms were built."""

_stale: set[int] = set()
_state = {"watching": not bpy.app.background, "seconds": 0.0}


def watch(*, on: bool) -> None:
    """Follow coordinates, or leave objects alone."""
    _state["watching"] = on


def source(scene: bpy.types.Scene) -> Keyed | None:
    """What there is to show of a scene without a result; None if its objects stand as modelled."""
    if not _state["watching"] or not scene.redmax.follow_coordinates:
        return None
    return _built.get(scene.session_uid)


def wants_look(scene: bpy.types.Scene) -> bool:
    """Whether the scene's mechanisms should be built anew."""
    if not _state["watching"] or scene.library is not None or not scene.redmax.follow_coordinates:
        return False
    uid = scene.session_uid
    return uid in _stale or (uid not in _built and _worth_following(scene))


def is_stale(scene: bpy.types.Scene) -> bool:
    """Whether the mechanisms have changed since they were built."""
    return scene.session_uid in _stale


def pause_before_look() -> float:
    """Seconds to wait for the next edit: longer where building takes long."""
    return 3.0 * _state["seconds"]


def prepare(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
    """Build the scene's mechanisms if that is wanted; not for handlers, as Blender evaluates the scene meanwhile."""
    if not wants_look(scene):
        return
    begun = time.perf_counter()
    uid = scene.session_uid
    _stale.discard(uid)
    _built.pop(uid, None)
    if _worth_following(scene):
        _built[uid] = None
        with suppress(RedMaxError):  # Check says what is wrong; objects stand as modelled
            _built[uid] = Keyed(extract.extract(scene, view_layer))
    depsgraph = view_layer.depsgraph
    objects = [obj for obj in scene.objects if _matters(obj)]
    _content[uid] = {obj.session_uid: _content_of(obj, depsgraph) for obj in objects}
    _own[uid] = {obj.session_uid: _channels(kept.channels(obj)) for obj in objects}
    _state["seconds"] = time.perf_counter() - begun


def put_back(scene: bpy.types.Scene, objects: Any) -> None:
    """A body that shows coordinates was moved and goes back: so does what was moved along with it and shows none.

    Else selecting everything and moving it would leave joints elsewhere than their bodies.
    """
    uid = scene.session_uid
    for obj in objects if uid not in _stale else ():
        own = _own.get(uid, {}).get(obj.session_uid)
        if own is None or obj.redmax.kept.active or own == _channels(obj) or movers.motion_of(obj):
            continue
        with changes.ours(evaluate=False):
            for name, values in zip(kept.CHANNELS, own, strict=True):
                setattr(obj, name, values)


def _channels(holder: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(getattr(holder, name)) for name in kept.CHANNELS)


def note_edit(scene: bpy.types.Scene, objects: Any, depsgraph: bpy.types.Depsgraph) -> None:
    """Some objects of mechanisms were edited: find out whether more than coordinates has changed."""
    uid = scene.session_uid
    known = _content.get(uid)
    if known is None or any(known.get(obj.session_uid) != _content_of(obj, depsgraph) for obj in objects):
        _stale.add(uid)


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Something else has changed, as by undo: compare everything, or build anew where nothing can be compared."""
    uid = scene.session_uid
    known = _content.get(uid)
    now = [obj for obj in scene.objects if _matters(obj)]
    if depsgraph is None or known is None or set(known) != {obj.session_uid for obj in now}:
        _stale.add(uid)
    else:
        note_edit(scene, now, depsgraph)


def start_anew() -> None:
    """Another file is open."""
    _built.clear()
    _content.clear()
    _own.clear()
    _stale.clear()


def _matters(obj: bpy.types.Object) -> bool:
    return sorts.is_element(obj.redmax)


def _worth_following(scene: bpy.types.Scene) -> bool:
    """Whether a joint is Animated, or starts or is locked elsewhere than modelled."""
    for obj in scene.objects:
        if obj.redmax.is_joint:
            joint: Any = obj.redmax.joint
            dofs = joint_properties.dofs(joint)[: from_specs.MOST_DOFS]
            if dofs and (joint.motion_type == "animated" or any(joint_properties.value(joint, "q", d) for d in dofs)):
                return True
    return False


def _content_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Any:
    """What the pose of a mechanism depends on, besides coordinates."""
    settings: Any = obj.redmax
    joint = settings.joint if settings.is_joint else None
    return (
        obj.name,
        settings.is_body and (settings.body.root, settings.mechanism.enabled),
        joint
        and (
            joint.kind,
            joint.motion_type,
            joint.parent and joint.parent.session_uid,
            joint.child and joint.child.session_uid,
            repr(joint_properties.own_parameters(joint, 1.0)),
        ),
        [sorts.content(sort.own_group(getattr(settings, sort.name))) for sort in sorts.generated_sorts(settings)],
        frames.modelled_matrix(obj, depsgraph).astype(np.float32).tobytes(),
    )
