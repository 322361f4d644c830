# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene files that are broken, hostile or strange: each is read and either refused with a sentence or simulated."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from engine.test_scene_fuzz import mutate_data, mutate_text

from .. import ROOT

NAMES = (
    "\u0000",
    "\ud83d",
    "a" * 100_000,
    "../../etc/passwd",
    "\u202eevil",
    "'; DROP",
    "%s%n",
    "{0}",
    "\n\n",
    "🦾",
    "",
)
NUMBERS = (1e300, -1e300, 5e-324, 1e-300, 1e30, -0.0, 2**63, 10**40, 1e17, 4e-9)
EXAMPLES = sorted((ROOT / "engine" / "redmax" / "examples").glob("*.json"))


def generate(rng: np.random.Generator) -> dict[str, Any]:
    plain = random.Random(int(rng.integers(2**31)))
    text = EXAMPLES[rng.integers(len(EXAMPLES))].read_text(encoding="utf-8")
    make = (mutated, mutated, mutated, hostile_values, nested, long_lists, garbage)[rng.integers(7)]
    return {"op": "read", "text": make(plain, json.loads(text)), "accuracy": "draft", "fps": 24.0, "duration": 0.1}


def mutated(rng: random.Random, data: dict[str, Any]) -> str:
    for _ in range(rng.randrange(1, 5)):
        mutate_data(data, rng)
        if not data:
            break
    text = json.dumps(data)
    return mutate_text(text, rng) if rng.random() < 0.3 and text else text


def hostile_values(rng: random.Random, data: dict[str, Any]) -> str:
    """Numbers at the ends of what floats hold, names that are no names."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(item) for key, item in value.items()}
        if isinstance(value, list):
            return [change(item) for item in value]
        if isinstance(value, float) and rng.random() < 0.1:
            return rng.choice(NUMBERS)
        return value

    data = change(data)
    if rng.random() < 0.5:
        text = json.dumps(data)
        names = [item["name"] for item in data.get("bodies", []) if isinstance(item, dict)]
        if names:
            text = text.replace(json.dumps(rng.choice(names)), json.dumps(rng.choice(NAMES)))
        return text
    return json.dumps(data)


def nested(rng: random.Random, data: dict[str, Any]) -> str:
    """Composites within composites, or brackets without end."""
    depth = rng.choice([10, 100, 300, 1000, 100_000])
    if rng.random() < 0.3:
        return "[" * depth
    depth = min(depth, 900)
    part: Any = {"kind": "revolute"}
    for _ in range(depth):
        part = {"kind": "composite", "parts": [part]}
    part |= {"name": "deep", "parent": None, "child": data["bodies"][0]["name"]}
    data["joints"][0] = part
    try:
        return json.dumps(data)
    except RecursionError:
        return "[" * depth


def long_lists(rng: random.Random, data: dict[str, Any]) -> str:
    """A table of very many points, or points as close as floats allow."""
    count = rng.choice([1000, 30_000, 300_000])
    step = rng.choice([1e-9, 1e-3, 1.0])
    joint = data["joints"][0]
    joint |= {
        "motion_type": "animated",
        "animation": {"x": [k * step for k in range(count)], "y": [[0.001 * (k % 3)] for k in range(count)]},
    }
    if rng.random() < 0.5:
        joint["animation"]["interpolation"] = "cubic"
    return json.dumps(data)


def garbage(rng: random.Random, data: dict[str, Any]) -> str:
    text = json.dumps(data)
    return rng.choice(
        ["", "\x00" * 100, text * 2, text[: len(text) // 2], "NaN", "\ufeff" + text, text[::-1], "{}" * 9]
    )
