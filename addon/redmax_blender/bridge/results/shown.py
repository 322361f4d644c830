# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that objects need to show a result at a frame: of a whole result, or of one that is being computed.

Every result is led in by the pose it was modelled in. Where a body has the same channels as there it is at rest, and
its object is left to the artist, who may have moved it since.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, quaternion, trajectory
from ..core.findings import BridgeError
from ..extract.extraction import Extraction
from . import line_tensions, placement, result_frames, strand_curves

if TYPE_CHECKING:
    from ..extract.bodies import BodyFrame
    from ..run.simulation import Run

Array = arrays.Array
Trajectory = trajectory.Trajectory


AT_REST = 1e-9
"""Difference of channels from those of the modelled pose [Blender units, rad] that is only round-off."""

STILL = 1e-9
"""Distance [rad, relative to metres] from the modelled pose that is only round-off."""


def stands_as_modelled(body: BodyFrame, result: Trajectory) -> bool:
    """Whether nothing can move a body and it stands where it was modelled; a Locked joint may hold it elsewhere."""
    if not body.static or body.name not in result.body_names:
        return False
    index = result.body(body.name)
    E = body.E_wb
    moved = np.abs(result.position[0, index] - E[:3, 3]).max()
    turned = np.abs(quaternion.to_matrix(result.rotation[0, index]) - E[:3, :3]).max()
    return bool(turned <= STILL and moved <= STILL * (1.0 + np.abs(E[:3, 3]).max()))


class Pose(NamedTuple):
    """Channels of an object at one frame. at_rest: they are those it was modelled with."""

    obj: bpy.types.Object
    location: list[float]
    rotation: list[float]
    at_rest: bool


class _Motion(NamedTuple):
    """Channels over all frames (f, 3), (f, k), and where they are those of the modelled pose (f,)."""

    location: Array
    rotation: Array
    at_rest: Any


class Source(ABC):
    """Something to show. moving: names of the bodies that may move. problem: what cannot be shown, and why.

    notes: by name of a joint, why it is not where its coordinate was put.
    """

    def __init__(self, extraction: Extraction) -> None:
        self.extraction = extraction
        self.moving = [body.name for body in extraction.bodies]
        self.problem = ""
        self.notes: dict[str, str] = {}

    def leave_alone(self, result: Trajectory) -> None:
        """Do not move bodies that stand as modelled in all of a result."""
        self.moving = [body.name for body in self.extraction.bodies if not stands_as_modelled(body, result)]

    @abstractmethod
    def poses(self, frame: float, depsgraph: bpy.types.Depsgraph) -> Iterator[Pose]:
        """Channels of all objects that are to be moved, at a frame."""

    def nodes(self, frame: float) -> dict[str, Array]:  # noqa: ARG002 (what shows no result has none)
        """By strand, where its nodes are in the world at a frame (n, 3) [Blender units]; none without a result."""
        return {}

    def tensions(self, frame: float) -> dict[str, float]:  # noqa: ARG002 (as above)
        """By spring, cable, muscle or strand, its tension at a frame as a part, -1 to 1, of its greatest in the run."""
        return {}

    def objects(self, depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
        """The bodies to move. Baked ones have their own keys; what is no body of the scene any more is left alone."""
        here = {obj.session_uid for obj in depsgraph.scene.objects}
        return [obj for obj in self._bodies() if obj.session_uid in here and not obj.redmax.baked.active]

    def _bodies(self) -> list[Any]:
        found: list[Any] = [bpy.data.objects.get((name, None)) for name in self.moving]
        return [obj for obj in found if obj is not None and obj.redmax.is_body]

    def motions(
        self, objects: list[bpy.types.Object], result: Trajectory, depsgraph: bpy.types.Depsgraph, *, samples: int
    ) -> dict[str, _Motion]:
        """Channels over the first samples of `result`. Objects that cannot be moved are left out from now on."""
        if not objects:
            return {}
        moving = {obj.name for obj in self._bodies()}
        led_in = self._led_in(result, samples)
        try:
            made = placement.channel_motions(objects, self.extraction, led_in, depsgraph, moving=moving)
        except BridgeError as error:
            refused = {finding.element for finding in error.findings}
            if not refused & {obj.name for obj in objects}:
                raise
            self.problem = str(error)
            self.moving = [name for name in self.moving if name not in refused]
            others = [obj for obj in objects if obj.name not in refused]
            return self.motions(others, result, depsgraph, samples=samples)
        return {name: _motion(motion) for name, motion in made.items()}

    def _led_in(self, result: Trajectory, samples: int) -> Trajectory:
        """The first samples of the result after one of the modelled pose, at which nothing moves."""
        frames = {body.name: body.E_wb for body in (*self.extraction.bodies, *self.extraction.scenery)}
        E_wb = np.array([frames[name] for name in result.body_names]).reshape(-1, 4, 4)
        still = np.zeros((1, len(result.body_names), 6))
        t, q, qdot = (values[:samples] for values in (result.t, result.q, result.qdot))
        return Trajectory(
            body_names=result.body_names,
            joint_names=result.joint_names,
            t=np.concatenate([t[:1] - 1.0, t]),
            q=np.concatenate([q[:1], q]),
            qdot=np.concatenate([qdot[:1], qdot]),
            position=np.concatenate([E_wb[None, :, :3, 3], result.position[:samples]]),
            rotation=np.concatenate([quaternion.from_matrix(E_wb[None, :, :3, :3]), result.rotation[:samples]]),
            channels={"twist": np.concatenate([still, result.channels["twist"][:samples]])},
        )


class Recorded(Source):
    """A result. Channels are computed once for all frames; before and after them its ends are held.

    As long as only the first frame is asked for, as between Simulate and Bake, the others are not computed.
    """

    def __init__(self, result: Trajectory) -> None:
        super().__init__(result_frames.stored_extraction(result))
        self.leave_alone(result)
        self.result = result
        self._modes: dict[str, str] = {}
        self._motions: dict[str, _Motion] = {}
        self._computed = 0

    def poses(self, frame: float, depsgraph: bpy.types.Depsgraph) -> Iterator[Pose]:
        objects = self.objects(depsgraph)
        modes: dict[str, str] = {obj.name: obj.rotation_mode for obj in objects}
        at = min(max(frame - self.extraction.frame_start, 0.0), len(self.result) - 1.0)
        index = int(at)
        part = at - index
        if modes != self._modes or at > self._computed - 1.0:
            self._computed = 1 if at == 0.0 else len(self.result)
            self._motions = self.motions(objects, self.result, depsgraph, samples=self._computed)
            self._modes = modes
        for obj in objects:
            if motion := self._motions.get(obj.name):
                location, rotation = (_between(values, index, part) for values in (motion.location, motion.rotation))
                yield Pose(obj, location, rotation, bool(motion.at_rest[index : index + (2 if part else 1)].all()))

    def nodes(self, frame: float) -> dict[str, Array]:
        at = min(max(frame - self.extraction.frame_start, 0.0), len(self.result) - 1.0)
        return strand_curves.nodes_at(self.result, at, self.extraction.length)

    def tensions(self, frame: float) -> dict[str, float]:
        at = min(max(round(frame) - self.extraction.frame_start, 0), len(self.result) - 1)
        return line_tensions.parts_at(self.result, at)

    def forget_motions(self) -> None:
        """Objects were edited: their channels are computed anew when they are asked for."""
        self._modes = {}


class Growing(Source):
    """A run that is computing: its frames so far, one at a time; the newest where a frame is not there yet."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.extraction)
        self.run = run
        self._begun = False

    def poses(self, frame: float, depsgraph: bpy.types.Depsgraph) -> Iterator[Pose]:
        index = max(int(frame) - self.extraction.frame_start, 0)
        one = self.run.single(min(index, self.run.frames_done - 1))
        if one is None:
            return
        if not self._begun:
            self.leave_alone(one)
            self._begun = True
        objects = self.objects(depsgraph)
        motions = self.motions(objects, one, depsgraph, samples=1)
        for obj in objects:
            if motion := motions.get(obj.name):
                yield Pose(obj, motion.location[0].tolist(), motion.rotation[0].tolist(), bool(motion.at_rest[0]))

    def nodes(self, frame: float) -> dict[str, Array]:
        one = self.run.single(min(max(int(frame) - self.extraction.frame_start, 0), self.run.frames_done - 1))
        if one is None or "nodes" not in one.channels:
            return {}
        found, first = {}, 0
        for strand in self.extraction.scene.strands:
            found[strand.name] = one.channels["nodes"][0, first : first + len(strand.nodes)] / self.extraction.length
            first += len(strand.nodes)
        return found


def _motion(made: placement.ChannelMotion) -> _Motion:
    """Channels without the sample that leads in, and where they are the same as there."""
    channels = np.concatenate([made.location, made.rotation], axis=1)
    at_rest = (np.abs(channels[1:] - channels[0]) <= AT_REST * np.maximum(1.0, np.abs(channels[0]))).all(axis=1)
    return _Motion(made.location[1:], made.rotation[1:], at_rest)


def _between(values: Array, index: int, part: float) -> list[float]:
    """Values at a frame; between frames straight on, which only slow motion and motion blur ask for."""
    at = values[index] if part == 0.0 else (1.0 - part) * values[index] + part * values[index + 1]
    numbers: list[float] = at.tolist()
    return numbers
