# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of an archived scene as plain numbers, and how far another version may be from it."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.integrators import Automatic
from redmax.simulate import record, simulate

HERE = Path(__file__).parent
DIGITS = 12
"""Significant digits of archived numbers: far finer than any bound below."""

SAME = 1e-5
"""Difference, relative to the larger of a number and 1, of what Blender holds in single precision: slopes of curves
that are sampled frame by frame lose two of its seven digits."""

BOUND = {"draft": 1e-3, "standard": 1e-4, "high": 1e-6}
"""Largest distance, in parts of the size, and angle [rad] from the archived motion.

They are what docs/simulating.md promises: a thousandth of the size; too small to see, which is what Fewer Keys may be
off by unless told otherwise (0.1 mm of a metre); energies to many digits, of which six are asked for. A method may be
replaced by another within these, and an archived motion is itself a run at High.
"""

OWN_ERROR = {("0.1.0", "example_rope"): 1.1e-4}
"""What an archived motion itself is off by, where that is more: 0.1.0 stepped over the moments at which segments of a
rope become taut. Against DOP853 at 1e-13, whose places in that version and in later ones agree to 3e-12 m, it is off by
2e-5, and its energy books by 1e-4; those of later versions balance."""


def versions() -> list[Path]:
    """A folder per version that was archived."""
    return sorted(path for path in HERE.iterdir() if path.is_dir() and (path / "scenes").is_dir())


def expectations(path: Path) -> dict[str, Any]:
    """What is known of the scenes of a version, by name; see README.md."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        known: dict[str, Any] = json.load(stream)
    known.pop("made_by")
    return known


def run(scene: Any, *, accuracy: str, fps: float, intervals: int) -> Any:
    """The trajectory of a scene of the engine, with one sample more than there are frame intervals."""
    model = compile_scene(scene)
    integrator = Automatic(accuracy=accuracy)
    samples = simulate(model, integrator=integrator, fps=fps, duration=intervals / fps)
    return record(model, samples, integrator=integrator, fps=fps)


def describe(result: Any, *, samples: int) -> dict[str, Any]:
    """A run for the archive: so many samples (the last one among them), the size of the mechanism [m], poses of each
    body (position [m] and quaternion), energies [J] and how much of them goes to and fro."""
    rows = [round(index) for index in np.linspace(0, len(result) - 1, samples + 1)[1:]]
    poses = np.concatenate([result.position, result.rotation], axis=2)[rows]
    books = {name: result.channels[name] for name in ("energy", "work", "loss")}
    described = {
        "status": result.status,
        "samples": rows,
        "size": rounded(size_of(result)),
        "energy_scale": rounded(energy_scale(result)),
        "bodies": {name: rounded(poses[:, index]) for index, name in enumerate(result.body_names)},
        **{name: rounded(values[rows]) for name, values in books.items()},
    }
    if "nodes" in result.channels:
        described["nodes"] = rounded(result.channels["nodes"][-1])
    return described


def size_of(result: Any) -> float:
    """Diagonal of the box that the bodies' origins move in, at least a tenth of a metre [m]."""
    places = result.position.reshape(-1, 3)
    return max(0.1, float(np.linalg.norm(np.ptp(places, axis=0))))


def energy_scale(result: Any) -> float:
    """The largest of the changes of kinetic and potential energy, work and loss [J]."""
    return max(float(np.ptp(result.channels[name])) for name in ("kinetic", "potential", "work", "loss"))


def rounded(values: Any) -> Any:
    """Numbers for JSON, to `DIGITS` significant digits."""
    if np.ndim(values):
        return [rounded(value) for value in values]
    return float(f"{float(values):.{DIGITS}g}")


def distance(result: Any, expected: dict[str, Any]) -> float:
    """How far a run is from an archived one: the largest of the distances in parts of the size and the angles [rad]."""
    assert sorted(result.body_names) == sorted(expected["bodies"])
    rows, worst = expected["samples"], 0.0
    for index, name in enumerate(result.body_names):
        poses = np.array(expected["bodies"][name])
        apart = np.linalg.norm(result.position[rows, index] - poses[:, :3], axis=1) / expected["size"]
        worst = max(worst, float(apart.max()), angle_between(result.rotation[rows, index], poses[:, 3:]))
    if "nodes" in expected:
        apart = np.linalg.norm(result.channels["nodes"][-1] - np.array(expected["nodes"]), axis=1)
        worst = max(worst, float(apart.max()) / expected["size"])
    return worst


def energy_distance(result: Any, expected: dict[str, Any]) -> float:
    """Largest difference of energy, work and loss, in parts of the energies that go to and fro."""
    rows = expected["samples"]
    apart = [np.abs(result.channels[name][rows] - expected[name]).max() for name in ("energy", "work", "loss")]
    return float(max(apart)) / max(expected["energy_scale"], 1e-9)


def content(element: Any) -> Any:
    """A scene of the engine, or a part of it, as JSON with every field, also those at their defaults."""
    if dataclasses.is_dataclass(element):
        fields = {field.name: content(getattr(element, field.name)) for field in dataclasses.fields(element)}
        return {"class": type(element).__name__, **fields}
    if isinstance(element, list | tuple | np.ndarray):
        return [content(part) for part in element]
    return element


def with_every_field(known: dict[str, Any]) -> dict[str, Any]:
    """Facts of scenes by name, with all fields of what was extracted from them."""
    return {name: {**facts, "extracted": content(extracted(facts))} for name, facts in known.items()}


def extracted(facts: dict[str, Any]) -> Any:
    """The engine's scene that Blender's was."""
    return io.loads(json.dumps(facts["extracted"]))


def differences(found: Any, expected: Any, at: str = "") -> list[str]:
    """Where two JSON contents differ, numbers beyond `SAME`; one line for each place."""
    if isinstance(found, dict) and isinstance(expected, dict):
        lost = [f"{at}: {key} is only in one of them" for key in found.keys() ^ expected.keys()]
        both = [key for key in found if key in expected]
        return [*lost, *(line for key in both for line in differences(found[key], expected[key], f"{at}/{key}"))]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [
            line for k, pair in enumerate(zip(found, expected, strict=True)) for line in differences(*pair, f"{at}/{k}")
        ]
    if isinstance(found, float) and isinstance(expected, float | int):
        same = abs(found - expected) <= SAME * max(1.0, abs(expected))
    else:
        same = found == expected
    return [] if same else [f"{at}: {found} instead of {expected}"]


def angle_between(found: Any, expected: Any) -> float:
    """Largest angle between two rows of unit quaternions [rad]; exact for small ones too."""
    signs = np.sign(np.sum(found * expected, axis=-1, keepdims=True))
    half = 0.5 * np.linalg.norm(found - signs * expected, axis=-1)
    return float(4.0 * np.arcsin(np.clip(half, 0.0, 1.0)).max())
