# SPDX-License-Identifier: GPL-3.0-or-later
"""Broken .npz files: truncated, with bytes changed, entries missing, of other shapes, or with numbers that are none."""

from __future__ import annotations

import base64
import io as streams
import json
import zipfile
from typing import Any

import numpy as np

N, F = 2, 5


def generate(rng: np.random.Generator) -> dict[str, Any]:
    entries = sound()
    how = int(rng.integers(6))
    if how == 0:
        del entries[str(rng.choice(list(entries)))]
    elif how == 1:
        name = str(rng.choice(["t", "q", "qdot", "position", "rotation", "channel:energy"]))
        shape = tuple(int(k) for k in rng.integers(0, 4, int(rng.integers(0, 4))))
        entries[name] = np.zeros(shape, dtype=str(rng.choice(["f8", "i4", "U3", "?", "c16"])))
    elif how == 2:
        name = str(rng.choice(["t", "position", "rotation"]))
        entries[name] = np.full_like(entries[name], float(rng.choice([np.nan, np.inf, 1e300, 0.0, -1.0])))
    elif how == 3:
        entries["header"] = np.array(header(rng))
    data = archive(entries)
    if how == 4:
        data = data[: int(rng.integers(len(data)))]
    elif how == 5:
        data = bytearray(data)
        for _ in range(int(rng.integers(1, 20))):
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
    return {"op": "result", "data": base64.b64encode(bytes(data)).decode()}


def sound() -> dict[str, Any]:
    """The entries of a sound result with two bodies and five samples."""
    head = {
        "format": "redmax-trajectory",
        "version": 1,
        "body_names": ["a", "b"],
        "joint_names": ["j", "k"],
        "status": "complete",
        "message": "",
        "meta": {"fps": 24.0},
    }
    return {
        "header": np.array(json.dumps(head)),
        "t": np.arange(F) / 24.0,
        "q": np.zeros((F, N)),
        "qdot": np.zeros((F, N)),
        "position": np.zeros((F, N, 3)),
        "rotation": np.tile([1.0, 0.0, 0.0, 0.0], (F, N, 1)),
        "channel:energy": np.zeros(F),
    }


def header(rng: np.random.Generator) -> str:
    head = json.loads(str(sound()["header"]))
    wild = (None, [], {}, 3, "x", [1, 2], {"a": 1}, float("nan"), -1, "a" * 10_000, ["a"], [None, None], "\u0000")
    head[str(rng.choice(list(head)))] = wild[int(rng.integers(len(wild)))]
    return json.dumps(head)


def archive(entries: dict[str, Any]) -> bytes:
    stream = streams.BytesIO()
    with zipfile.ZipFile(stream, "w") as out:
        for name, values in entries.items():
            # A fixed date: the same seed gives the same bytes.
            with out.open(zipfile.ZipInfo(f"{name}.npy", date_time=(2000, 1, 1, 0, 0, 0)), "w") as entry:
                np.save(entry, values, allow_pickle=False)
    return stream.getvalue()
