# SPDX-License-Identifier: GPL-3.0-or-later
"""In Blender: a chain of 100 links beside Blender's own rigid bodies (Bullet), and how fast keys are written.

Runs `blender_chain.py` in the Blender environment that `make setup-blender` prepares.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from .measure import Options, Row

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-blender-4.5" / "bin" / "python"
LIMIT = 0.5
"""Seconds that extract + bake of 100 bodies and 250 frames may take."""


def run(options: Options) -> list[Row]:
    if options.quick:
        options.skip("blender: takes minutes; run it alone with `make bench NAMES=blender`")
        return []
    if not PYTHON.exists():
        options.skip(f"blender: there is no {PYTHON.relative_to(ROOT)}; run `make setup-blender` first")
        return []
    ours = os.pathsep.join(str(ROOT / folder) for folder in ("engine", "addon"))
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ours}
    command = [str(PYTHON), str(Path(__file__).with_name("blender_chain.py"))]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return rows(json.loads(done.stdout.strip().splitlines()[-1]))


def rows(result: dict) -> list[Row]:
    chain, keys = result["chain"], result["keys"]
    ours = chain["redmax"]
    made = []
    for name in ("defaults", "60/60"):
        peer = f"Bullet, {name if name == 'defaults' else name + ' steps'}"
        case = "100 links, 120 frames"
        made.append(
            Row("chain: simulate + bake", case, ours["seconds"], "s", peer, chain[name]["seconds"], ours["spread"])
        )
        gaps = [100.0 * chain[way]["separation"] for way in ("redmax", name)]
        made.append(Row("chain: joints come apart by", case, gaps[0], "cm", peer, gaps[1]))
        parts = [gap / result["link"] for gap in gaps]
        made.append(Row("chain: the same, of a link", case, parts[0], "%", peer, parts[1]))
    bake, theirs = keys["bake"], keys["bake action"]
    case = "100 bodies, 250 frames"
    made.append(
        Row("extract + bake", case, bake["seconds"], "s", "Bake Action", theirs["seconds"], bake["spread"], LIMIT)
    )
    for name, key in (("extract + bake over an earlier bake", "bake again"), ("extract alone", "extract")):
        made.append(Row(name, case, keys[key]["seconds"], "s", spread=keys[key]["spread"]))
    return made
