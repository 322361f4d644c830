# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation computed, as arrays over samples; saved and loaded without pickle."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from . import npz
from .arrays import Array, frozen
from .errors import RedMaxError
from .spatial import pose
from .spatial.relative_motion import RelativeMotion, WorldMotion, seen_from

Status: TypeAlias = Literal["complete", "stopped", "failed"]
STATUSES: tuple[Status, ...] = ("complete", "stopped", "failed")
FORMAT = "redmax-trajectory"
VERSION = 1

MOST_BYTES = 8 * 10**9
"""Largest trajectory that is read, unpacked: 1000 bodies over 20 000 frames."""

LARGEST = 1e30
"""Largest coordinate, position or velocity; scenes have no larger numbers either."""

UNIT = 1e-6
"""What the length of a quaternion may differ from 1."""

SHAPES: dict[str, tuple[int | str, ...]] = {
    "twist": ("n", 6),
    "acceleration": ("n", 6),
    "qddot": ("nr",),
    "chart": ("n",),
    "kinetic": (),
    "potential": (),
    "energy": (),
    "work": (),
    "loss": (),
    "reaction": ("n", 6),
    "torque": ("nr",),
    "motor": ("nr",),
    "motor_power": ("nr",),
    "friction": ("nr",),
    "loop_reaction": ("l", 6),
    "constraint": ("m",),
    "gap": ("l", 2),
    "center_of_mass": (3,),
    "momentum": (6,),
    "drive": ("nr",),
    "input": ("i", 3),
    "nodes": ("s", 3),
    "surface_force": ("surfaces", 3),
    "impact": ("surfaces",),
    "friction_loss": (),
    "impact_loss": (),
}
"""Of each channel that simulations write, the shape of one sample: n bodies, nr coordinates, l loops."""

FACTS = {"body_names": list, "joint_names": list, "status": str, "message": str, "meta": dict}
"""Entries of the header and what JSON makes of them."""

DIMENSIONS = {"t": 1, "q": 2, "qdot": 2, "position": 3, "rotation": 3}
"""Arrays that every trajectory has."""

WORLD = "world"
"""The observer that stands still."""

CHANNEL = "channel:"
"""What the names of channels begin with in a file."""

CONTACT = "contact:"
"""What the names of arrays of `Contacts` begin with in a file."""


class TrajectoryError(RedMaxError):
    """A trajectory whose parts do not fit, or a file that is not one."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Every point at which surfaces push each other at f samples, one after another: k points in all. World's axes, SI
    units, read-only.

    offsets: (f + 1,) points of sample j are offsets[j] : offsets[j + 1]. surfaces: (k, 2) numbers of the two that meet,
    in the order of `meta["surfaces"]`. point: (k, 3). normal: (k, 3) from the second to the first. normal_force: (k,)
    [N]. friction: (k, 3) force on the first [N]. slip: (k, 3) velocity of the first's skin relative to the second's
    [m/s]. penetration: (k,) [m], negative where a gap is left.
    """

    offsets: Array
    surfaces: Array
    point: Array
    normal: Array
    normal_force: Array
    friction: Array
    slip: Array
    penetration: Array

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, frozen(getattr(self, each.name)))

    def at(self, sample: int) -> slice:
        """Where the points of a sample stand."""
        return slice(int(self.offsets[sample]), int(self.offsets[sample + 1]))

    def check(self, samples: int, surfaces: int | None) -> None:
        """TrajectoryError unless all arrays fit so many samples and surfaces; None where nobody knows how many."""
        k = len(self.point) if self.point.ndim else 0
        shapes = {name: (k, *shape) for name, shape in CONTACT_SHAPES.items()}
        for name, shape in {"offsets": (samples + 1,), **shapes}.items():
            if getattr(self, name).shape != shape:
                raise TrajectoryError(f"contact {name} has shape {getattr(self, name).shape}, expected {shape}")
        offsets, named = self.offsets, self.surfaces
        if offsets[0] != 0 or offsets[-1] != k or (np.diff(offsets) < 0).any() or (offsets % 1.0).any():
            raise TrajectoryError("contact offsets do not count its points")
        most = np.inf if surfaces is None else surfaces
        if ((named < 0) | (named >= most) | (named % 1.0 != 0.0)).any():
            raise TrajectoryError("contact surfaces are not those of the run")


CONTACT_SHAPES: dict[str, tuple[int, ...]] = {
    "surfaces": (2,),
    "point": (3,),
    "normal": (3,),
    "normal_force": (),
    "friction": (3,),
    "slip": (3,),
    "penetration": (),
}
"""Shape of each array of `Contacts` for one point."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """f samples of n bodies with nr degrees of freedom; read-only arrays, SI units.

    t: (f,) [s], increasing. q, qdot: (f, nr).
    position: (f, n, 3) [m] and rotation: (f, n, 4) unit quaternions (w, x, y, z) of the bodies' described
    frames in the world; consecutive quaternions never flip sign.
    channels: further results by name, each with f along its first axis.
    status: "complete", "stopped" (by the user) or "failed"; message says why and where.
    meta: plain facts about the run (engine version, integrator, route ...), JSON values only.
    contacts: where surfaces push each other; None for a scene without surfaces.
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
    contacts: Contacts | None = None

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
        if self.contacts is not None:
            self.contacts.check(f, len(self.meta["surfaces"]) if "surfaces" in self.meta else None)
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

    def seen_from(self, body: str | None, observer: str | None = None) -> RelativeMotion:
        """How a body moves as seen from another, along that one's axes: pose, twist and acceleration of its frame.

        None is the world on either side, and so is "world" unless a body has that name: seen from the world a body
        moves as it does, seen from a body the world moves, too. Twist and acceleration are those of somebody who turns
        with the observer and takes it to stand still (`RelativeMotion`).
        """
        moving, watching = self._world_motion(body), self._world_motion(observer)
        return RelativeMotion(body or WORLD, observer or WORLD, *seen_from(moving, watching))

    def _world_motion(self, name: str | None) -> WorldMotion:
        if name is None or (name == WORLD and name not in self.body_names):
            return WorldMotion.at_rest(len(self))
        index = self.body(name)
        for channel in ("twist", "acceleration"):
            if channel not in self.channels:
                raise TrajectoryError(f"trajectory has no channel '{channel}'; simulate again")
        E = pose.from_quaternion(self.position[:, index], self.rotation[:, index])
        return WorldMotion.of_twists(E, self.channels["twist"][:, index], self.channels["acceleration"][:, index])

    def save(self, path: str | Path, *, compressed: bool = True) -> None:
        """Write everything to one .npz file, whole or not at all. Compressing takes most of the time."""
        npz.write(Path(path), self._entries(), compressed=compressed)

    def content(self) -> bytes:
        """What `save` would write, without compressing."""
        stream = io.BytesIO()
        npz.write_to(stream, self._entries(), compressed=False)
        return stream.getvalue()

    def _entries(self) -> dict[str, Any]:
        header = {
            "format": FORMAT,
            "version": VERSION,
            "body_names": self.body_names,
            "joint_names": self.joint_names,
            "status": self.status,
            "message": self.message,
            "meta": dict(self.meta),
        }
        arrays = {name: getattr(self, name) for name in DIMENSIONS}
        channels: dict[str, Any] = {f"{CHANNEL}{name}": values for name, values in self.channels.items()}
        contacts = (
            {} if self.contacts is None else {f"{CONTACT}{name}": value for name, value in vars(self.contacts).items()}
        )
        return {"header": np.array(json.dumps(header)), **arrays, **channels, **contacts}


def load(path: str | Path) -> Trajectory:
    """The trajectory in an .npz file written by `Trajectory.save`. Raises TrajectoryError for anything else.

    Whoever gets one may rely on it: names differ, shapes fit, times increase, poses are finite and rigid.
    """
    try:
        return _sound(npz.read(Path(path), MOST_BYTES))
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except MemoryError:
        reason = "cannot be read: it needs more memory than there is"
    except npz.ArchiveError as error:
        reason = f"is not a trajectory, or is damaged ({error})"
    except TrajectoryError as error:
        reason = str(error)
    raise TrajectoryError(f"file '{path}' {reason}")


def _sound(arrays: dict[str, Any]) -> Trajectory:
    """The trajectory in an archive's arrays. Raises TrajectoryError with what is wrong."""
    header = _header(arrays.pop("header", None))
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        found = f"{header.get('format')!r} version {header.get('version')!r}"
        raise TrajectoryError(f"is {found}, expected {FORMAT!r} version {VERSION}")
    try:
        _require_facts(header)
        _require_numbers(arrays)
        result = Trajectory(
            **{name: header[name] for name in FACTS},
            **{name: arrays[name] for name in DIMENSIONS},
            channels={key.removeprefix(CHANNEL): arrays[key] for key in arrays if key.startswith(CHANNEL)},
            contacts=_contacts(arrays),
        )
        _require_channels(result)
    except TrajectoryError as error:
        raise TrajectoryError(f"is damaged: {error}") from None
    return result


def _contacts(arrays: dict[str, Any]) -> Contacts | None:
    """The contacts in an archive's arrays; None if it has none."""
    found = {key.removeprefix(CONTACT): arrays[key] for key in arrays if key.startswith(CONTACT)}
    if not found:
        return None
    if set(found) != {each.name for each in fields(Contacts)}:
        raise TrajectoryError("some arrays of contacts are missing, or unknown")
    return Contacts(**found)


def _header(stored: Any) -> dict[str, Any]:
    """The JSON object in the text that is stored as an array."""
    if stored is not None and stored.shape == () and stored.dtype.kind == "U":
        try:
            header = json.loads(str(stored))
        except (ValueError, RecursionError):
            header = None
        if isinstance(header, dict):
            return header
    raise TrajectoryError("is not a trajectory; give an .npz written by RedMax")


def _require_facts(header: dict[str, Any]) -> None:
    for name, sort in FACTS.items():
        if not isinstance(header.get(name), sort):
            raise TrajectoryError(f"{name} is {str(header.get(name))[:40]!r}")
    for name in ("body_names", "joint_names"):
        names = header[name]
        if not all(isinstance(item, str) for item in names) or len(set(names)) < len(names):
            raise TrajectoryError(f"{name} are not different names")


def _require_numbers(arrays: dict[str, Any]) -> None:
    """Converts all arrays to double precision."""
    for name, values in arrays.items():
        if values.dtype.kind == "U":
            raise TrajectoryError(f"{name} is text")
        arrays[name] = values.astype(np.float64, copy=False)
    for name, dimensions in DIMENSIONS.items():
        if name not in arrays or arrays[name].ndim != dimensions:
            raise TrajectoryError(f"{name} is missing, or is no array of {dimensions} dimensions")
    for name in (*DIMENSIONS, f"{CHANNEL}twist", f"{CHANNEL}chart"):
        if name in arrays and not (np.abs(arrays[name]) <= LARGEST).all():
            raise TrajectoryError(f"{name.removeprefix(CHANNEL)} has a number that is not finite or beyond {LARGEST:g}")
    if (np.diff(arrays["t"]) <= 0.0).any():
        raise TrajectoryError("its times do not increase")
    if (np.abs(np.linalg.norm(arrays["rotation"], axis=-1) - 1.0) > UNIT).any():
        raise TrajectoryError("rotation has quaternions that are not of length 1")


def _require_channels(result: Trajectory) -> None:
    """Samples of known channels have their shapes; letters mean the same number everywhere."""
    sizes: dict[str, int] = {"n": len(result.body_names), "nr": result.q.shape[1]}
    for name, values in result.channels.items():
        found = values.shape[1:]
        shape = SHAPES.get(name, found)
        if len(shape) == len(found):
            letters = zip(shape, found, strict=True)
            if all(n == (sizes.setdefault(d, n) if isinstance(d, str) else d) for d, n in letters):
                continue
        raise TrajectoryError(f"channel '{name}' has the shape {found} in each sample")


def continuous_quaternions(q: Array) -> Array:
    """q (f, ..., 4) with signs chosen so that consecutive samples lie on the same side."""
    if len(q) < 2:
        return q
    flips = np.where((q[1:] * q[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    signs = np.cumprod(flips, axis=0)[..., None]
    return np.concatenate([q[:1], q[1:] * signs])
