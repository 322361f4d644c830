# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by kind and seed. Each file has one `generate(rng)` that returns a case; the same seed gives the same case.

A case is plain JSON: what is done ("simulate" a scene, "read" a text or an .npz), and with which settings.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from . import (
    bad_files,
    bad_results,
    couplings,
    held,
    limits,
    linkages,
    ropes,
    same_pair,
    scales,
    singular,
    spinning,
    tables,
    trees,
)

Case = dict[str, Any]

KINDS: dict[str, Callable[[np.random.Generator], Case]] = {
    "trees": trees.generate,
    "linkages": linkages.generate,
    "same_pair": same_pair.generate,
    "limits": limits.generate,
    "couplings": couplings.generate,
    "held": held.generate,
    "singular": singular.generate,
    "tables": tables.generate,
    "ropes": ropes.generate,
    "scales": scales.generate,
    "spinning": spinning.generate,
    "bad_files": bad_files.generate,
    "bad_results": bad_results.generate,
}


def case(kind: str, seed: int) -> Case:
    """The case of a kind with a seed, as JSON would hold it."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    return json.loads(json.dumps({"kind": kind, "seed": seed, **KINDS[kind](rng)}))
