# SPDX-License-Identifier: GPL-3.0-or-later
"""500 mutated scene files: each ends in a named error or a valid model, never a traceback."""

from __future__ import annotations

import copy
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.errors import SceneError

EXAMPLE = Path(__file__).parent / "scenes" / "example.json"
WILD = (
    *(None, True, False, 0, -1, 1, 3, 1e308, -1e-308, 10**400, math.nan, math.inf, -math.inf),
    *("", "Tower", "box", "revolute", "\u0000", "\u20ac" * 30),
    *([], {}, [[]], [None], [0, 0, 0], [1, 2], [[1, 2, 3]] * 3, ["a", "b", "c"], [[[[0]]]]),
    *({"kind": "box"}, {"position": [0, 0, 0]}, [1e200, 1e200, 1e200], [1e-200, 1e-200, 1e-200]),
)


def places(data, path=()):
    """Every (container, key) below data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(items):
        yield data, key
        yield from places(value, (*path, key))


def mutate_data(data, rng):
    container, key = rng.choice(list(places(data)))
    kind = rng.randrange(6)
    if kind == 0:
        del container[key]
    elif kind == 1:
        container[key] = copy.deepcopy(rng.choice(WILD))
    elif kind == 2 and isinstance(container, dict):
        container[rng.choice(["extra", "nam", "kind", "parent", "q"])] = copy.deepcopy(rng.choice(WILD))
    elif kind == 3 and isinstance(container, list):
        container.insert(key, rng.choice([container[key], copy.deepcopy(rng.choice(WILD))]))
    elif kind == 4:
        other, other_key = rng.choice(list(places(data)))
        container[key] = json.loads(json.dumps(other[other_key]))
    elif isinstance(container[key], int | float) and not isinstance(container[key], bool):
        container[key] = container[key] * rng.choice([-1, 0, 1e30, 1e-30])


def mutate_text(text, rng):
    at = rng.randrange(len(text))
    kind = rng.randrange(3)
    if kind == 0:
        return text[:at] + text[at + rng.randrange(1, 20) :]
    if kind == 1:
        return text[:at] + rng.choice('{}[]",:0123456789eE.-tfn\\ \x00\u20ac') + text[at:]
    return text[:at]


def compiled(text):
    """A model, or the problems why there is none."""
    try:
        return compile_scene(io.loads(text)), ()
    except SceneError as error:
        return None, error.problems


def outcome(text):
    """'model' or 'error'; anything else raises."""
    model, problems = compiled(text)
    if model is None:
        assert problems
        assert all(problem.element and problem.what for problem in problems)
        return "error"
    for name in ("E_pj0", "E_ji", "E_ib", "inertia", "q0", "qdot0", "gravity"):
        assert np.isfinite(getattr(model, name)).all(), name
    return "model"


def fuzz(seeds):
    source = EXAMPLE.read_text(encoding="utf-8")
    outcomes = {"model": 0, "error": 0}
    for seed in seeds:
        rng = random.Random(seed)
        data = json.loads(source)
        for _ in range(rng.randrange(1, 4)):
            mutate_data(data, rng)
            if not data:
                break
        text = json.dumps(data)
        if rng.random() < 0.3:
            text = mutate_text(text, rng)
        try:
            outcomes[outcome(text)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed} ended in {error!r} for\n{text}") from error
    return outcomes


def test_500_mutated_scenes_end_in_a_named_error_or_a_valid_model():
    outcomes = fuzz(range(500))
    assert min(outcomes.values()) > 20  # the mutations reach both ends


@pytest.mark.slow
def test_20_000_mutated_scenes_end_in_a_named_error_or_a_valid_model():
    fuzz(range(1_000, 21_000))
