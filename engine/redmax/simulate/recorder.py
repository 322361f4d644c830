# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects the samples of a run into a trajectory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .. import __version__, fast
from ..arrays import Array
from ..energy_books import energy_books
from ..fields import specs
from ..integrators import Integrator
from ..model import Model
from ..motor_stalls import motor_stalls
from ..outcome import Outcome, remark
from ..shared_loads import shared_load
from ..singular_poses import choice_made, singular_pose
from ..spatial import quaternion
from ..trajectory import CONTACT_SHAPES, Contacts, Status, Trajectory
from .run import Samples, SimulationError
from .sample import PER_BODY, PER_COORDINATE, Sample


class Recorder:
    """Collects samples; `trajectory` can be asked for at any time and holds what was added so far.

    Trajectories have the scene's own bodies and joints; strands are in the channel `nodes`, and `meta["strands"]` says
    how many nodes each has.
    """

    def __init__(self, model: Model, *, integrator: Integrator, fps: float) -> None:
        self.model = model
        self.meta: dict[str, Any] = {
            "engine": __version__,
            "scene": model.name,
            "fps": fps,
            "route": fast.describe(model),
            "integrator": integrator.kind,
            **{name: getattr(integrator, name) for name in specs(type(integrator))},
            **({"loops": [loop.joint.name for loop in model.loops]} if model.loops else {}),
            **({"inputs": list(model.followers.titles)} if model.followers is not None else {}),
            **({"surfaces": list(model.surfaces.names)} if model.surfaces is not None else {}),
            **({"strands": {s.name: len(s.owners) for s in model.strands}} if model.strands else {}),
        }
        self.samples: list[Sample] = []

    def own_part(self, channel: str) -> slice | tuple[()]:
        """The part of a channel that belongs to the scene's own bodies and joints."""
        if channel in PER_BODY:
            return slice(self.model.shown)
        return slice(int(self.model.dof[self.model.shown])) if channel in PER_COORDINATE else ()

    def add(self, sample: Sample) -> None:
        """Take one more sample; one with the index of the last replaces it."""
        if self.samples and self.samples[-1].index == sample.index:
            self.samples.pop()
        self.samples.append(sample)

    def trajectory(self) -> Trajectory:
        """Everything so far; "stopped" unless the last sample says how the run ended."""
        f, n, nr = len(self.samples), self.model.shown, int(self.model.dof[self.model.shown])
        last = self.samples[-1] if self.samples else None
        status: Status = "stopped" if last is None or last.status == "running" else last.status
        message = last.message if last is not None else ""
        if status == "stopped":
            message = f"Stopped after frame {last.index}" if last is not None else "Stopped before the first frame"
        E_wb = np.array([sample.E_wb[:n] for sample in self.samples]).reshape(f, n, 4, 4)
        channels = {
            name: np.array([sample.channels[name][self.own_part(name)] for sample in self.samples])
            for name in (self.samples[0].channels if self.samples else ())
        }
        return Trajectory(
            body_names=self.model.body_names[:n],
            joint_names=self.model.joint_names[:n],
            t=np.array([sample.t for sample in self.samples]),
            q=np.array([sample.state.q[:nr] for sample in self.samples]).reshape(f, nr),
            qdot=np.array([sample.state.qdot[:nr] for sample in self.samples]).reshape(f, nr),
            position=E_wb[:, :, :3, 3],
            rotation=quaternion.from_matrix(E_wb[:, :, :3, :3]),
            channels=channels,
            status=status,
            message=message,
            meta={**self.meta, **self._facts(last, channels)},
            contacts=self._contacts(),
        )

    def _contacts(self) -> Contacts | None:
        """Where surfaces pushed each other, sample by sample."""
        if self.model.surfaces is None:
            return None
        found = [sample.contact for sample in self.samples if sample.contact is not None]
        counts = [len(contact.normal_force) for contact in found]
        arrays = {
            name: np.concatenate([np.zeros((0, *shape)), *(getattr(contact, name) for contact in found)])
            for name, shape in CONTACT_SHAPES.items()
        }
        return Contacts(offsets=np.concatenate([[0], np.cumsum(counts)]), **arrays)

    def _facts(self, last: Sample | None, channels: Mapping[str, Array]) -> dict[str, Any]:
        """What there is to say of a run that ended with this sample."""
        if last is None:
            return {}
        t = np.array([sample.t for sample in self.samples])
        steps = np.array([sample.steps for sample in self.samples])
        books, found = energy_books(self.model, t, channels, last.energy_promise, steps=steps)
        stalls = motor_stalls(self.model, [sample.state for sample in self.samples])
        shared = shared_load(self.model, t.tolist(), channels["reaction"]) if "reaction" in channels else None
        remarks = [each for each in (found, *self._singular_poses(), *stalls, shared) if each is not None]
        note = "; ".join([*([] if last.note is None else [str(last.note)]), *map(remark, remarks)])
        facts: dict[str, Any] = {"energy_books": books}
        if last.note is not None:
            frame = int(np.searchsorted(t, last.note.t, side="right")) - 1
            facts["notes"] = [dataclasses.replace(last.note, frame=frame).as_dict()]
        if remarks:
            facts["remarks"] = [each.as_dict() for each in remarks]
        if note:
            facts["note"] = note
        if last.contact is not None:
            facts["contact"] = dict(last.contact.quality)
        if last.outcome is not None:
            facts["outcome"] = last.outcome.as_dict()
        return facts

    def _singular_poses(self) -> tuple[Outcome | None, Outcome | None]:
        states, strengths = [sample.state for sample in self.samples], [sample.strength for sample in self.samples]
        return singular_pose(self.model, states, strengths), choice_made(self.model, states, strengths)


def record(
    model: Model, samples: Iterable[Sample], *, integrator: Integrator | None = None, fps: float | None = None
) -> Trajectory:
    """Drain the samples of `simulate` into a trajectory.

    integrator, fps: what samples were computed with; only needed where they do not come from `simulate` itself.
    """
    if isinstance(samples, Samples):
        integrator, fps = integrator or samples.integrator, fps or samples.fps
    if integrator is None or fps is None:
        raise SimulationError("samples that do not come from simulate: give the integrator and fps they were made with")
    recorder = Recorder(model, integrator=integrator, fps=fps)
    for sample in samples:
        recorder.add(sample)
    return recorder.trajectory()
