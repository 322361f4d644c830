# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation computed, as arrays over samples; saved and loaded without pickle."""

from __future__ import annotations

import json
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from . import files
from .arrays import Array, frozen
from .errors import RedMaxError

Status: TypeAlias = Literal["complete", "stopped", "failed"]
STATUSES: tuple[Status, ...] = ("complete", "stopped", "failed")
FORMAT = "redmax-trajectory"
VERSION = 1


DAMAGE = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    EOFError,
    SyntaxError,
    OverflowError,
    MemoryError,
    RuntimeError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a damaged archive raises: zip, deflate, the header of an array, or the JSON header may be broken."""


class TrajectoryError(RedMaxError):
    """A trajectory whose parts do not fit, or a file that is not one."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """f samples of n bodies with nr degrees of freedom; read-only arrays, SI units.

    t: (f,) [s], increasing. q, qdot: (f, nr).
    position: (f, n, 3) [m] and rotation: (f, n, 4) unit quaternions (w, x, y, z) of the bodies' described
    frames in the world; consecutive quaternions never flip sign.
    channels: further results by name, each with f along its first axis.
    status: "complete", "stopped" (by the user) or "failed"; message says why and where.
    meta: plain facts about the run (engine version, integrator, route ...), JSON values only.
    """

    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    t: Array
    q: Array
    qdot: Array
    position: Array
    rotation: Array
    channels: Mapping[str, Array] = field(default_factory=dict)
    status: Status = "complete"
    message: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("t", "q", "qdot", "position"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        object.__setattr__(self, "rotation", frozen(continuous_quaternions(np.asarray(self.rotation, np.float64))))
        channels = {name: frozen(values) for name, values in self.channels.items()}
        object.__setattr__(self, "channels", MappingProxyType(channels))
        object.__setattr__(self, "meta", MappingProxyType(dict(self.meta)))
        object.__setattr__(self, "body_names", tuple(self.body_names))
        object.__setattr__(self, "joint_names", tuple(self.joint_names))
        self._check()

    def _check(self) -> None:
        f, n = self.t.shape[0] if self.t.ndim == 1 else -1, len(self.body_names)
        wanted: dict[str, tuple[int, ...]] = {
            "t": (f,),
            "q": (f, *self.q.shape[1:2]),
            "qdot": self.q.shape,
            "position": (f, n, 3),
            "rotation": (f, n, 4),
        }
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape:
                raise TrajectoryError(f"trajectory: {name} has shape {getattr(self, name).shape}, expected {shape}")
        for name, values in self.channels.items():
            if values.shape[:1] != (f,):
                raise TrajectoryError(f"trajectory: channel '{name}' has {values.shape[:1]} samples, expected {f}")
        if self.status not in STATUSES:
            raise TrajectoryError(f"trajectory: status is {self.status!r}; give one of {', '.join(STATUSES)}")

    def with_facts(
        self, *, status: Status | None = None, message: str | None = None, meta: Mapping[str, Any] | None = None
    ) -> Trajectory:
        """The same samples with other facts about the run; None for those that stay. Nothing is copied."""
        changed = copy(self)
        given = {"status": status, "message": message, "meta": None if meta is None else MappingProxyType(dict(meta))}
        for name, value in given.items():
            if value is not None:
                object.__setattr__(changed, name, value)
        changed._check()
        return changed

    def __len__(self) -> int:
        """Number of samples."""
        return int(self.t.shape[0])

    def body(self, name: str) -> int:
        """Index of a body by name."""
        try:
            return self.body_names.index(name)
        except ValueError:
            known = ", ".join(self.body_names[:10])
            raise TrajectoryError(f"trajectory has no body '{name}'; its bodies are: {known}") from None

    def save(self, path: str | Path, *, compressed: bool = True) -> None:
        """Write everything to one .npz file, whole or not at all. Compressing takes most of the time."""
        header = {
            "format": FORMAT,
            "version": VERSION,
            "body_names": self.body_names,
            "joint_names": self.joint_names,
            "status": self.status,
            "message": self.message,
            "meta": dict(self.meta),
        }
        arrays = {"t": self.t, "q": self.q, "qdot": self.qdot, "position": self.position, "rotation": self.rotation}
        channels: dict[str, Any] = {f"channel:{name}": values for name, values in self.channels.items()}
        entries = {"header": np.array(json.dumps(header)), **arrays, **channels}
        method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
        # What np.savez writes; but that forgets to close its archive where the disk is full, and complains later.
        with files.replacing(Path(path)) as partial, zipfile.ZipFile(partial, "w", method) as archive:
            for name, values in entries.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.save(entry, values, allow_pickle=False)


def load(path: str | Path) -> Trajectory:
    """The trajectory in an .npz file written by `Trajectory.save`. Raises TrajectoryError for anything else."""
    try:
        # Opened here, because np.load leaves the file open when it finds a damaged archive.
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            if not isinstance(data, np.lib.npyio.NpzFile):
                raise TrajectoryError(f"file '{path}' is not a trajectory; give an .npz written by RedMax")
            header = json.loads(str(data["header"]))
            if header.get("format") != FORMAT or header.get("version") != VERSION:
                found = f"{header.get('format')!r} version {header.get('version')!r}"
                raise TrajectoryError(f"file '{path}' is {found}, expected {FORMAT!r} version {VERSION}")
            return Trajectory(
                body_names=tuple(header["body_names"]),
                joint_names=tuple(header["joint_names"]),
                channels={key[8:]: data[key] for key in data.files if key.startswith("channel:")},
                status=header["status"],
                message=header["message"],
                meta=header["meta"],
                **{name: data[name] for name in ("t", "q", "qdot", "position", "rotation")},
            )
    except OSError as error:
        raise TrajectoryError(f"file '{path}' cannot be read: {error.strerror or error}") from None
    except DAMAGE as error:
        raise TrajectoryError(f"file '{path}' is not a trajectory, or is damaged ({error})") from None


def continuous_quaternions(q: Array) -> Array:
    """q (f, ..., 4) with signs chosen so that consecutive samples lie on the same side."""
    if len(q) < 2:
        return q
    flips = np.where((q[1:] * q[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    signs = np.cumprod(flips, axis=0)[..., None]
    return np.concatenate([q[:1], q[1:] * signs])
