# SPDX-License-Identifier: GPL-3.0-or-later
"""In Blender: a chain of 100 links beside Blender's own rigid bodies (Bullet), and how fast keys are written.

Runs `blender_chain.py` in the Blender environment that `make setup-blender` prepares.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import util
from pathlib import Path

from .measure import Options, Row

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-blender-4.5" / "bin" / "python"
LIMIT = 0.5
"""Seconds that extract + bake of 100 bodies and 250 frames may take."""


RATIOS = {"defaults": 1.0, "defaults, keys": 1.0, "60/60": 0.1}
"""Of our seconds and those of Bullet, at Blender's default steps and at 60 steps and iterations."""
PEERS = {
    "defaults": "Bullet, defaults, cache only",
    "defaults, keys": "Bullet, defaults, cache and keys",
    "60/60": "Bullet, 60/60 steps, cache only",
}
CLOSED = 0.01
"""Centimetres that hinges of ours may come apart: keys are kept in single precision."""


def run(options: Options) -> list[Row]:
    if options.quick:
        options.skip("blender: takes minutes; run it alone with `make bench NAMES=blender`")
        return []
    if not PYTHON.exists():
        options.skip(f"blender: there is no {PYTHON.relative_to(ROOT)}; run `make setup-blender` first")
        return []
    command = [str(PYTHON), str(Path(__file__).with_name("blender_chain.py"))]
    with tempfile.TemporaryDirectory() as folder:
        lend_numba(Path(folder))
        ours = os.pathsep.join([str(ROOT / "engine"), str(ROOT / "addon"), folder])
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ours}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout.strip().splitlines()[-1])
    options.note(
        f"Blender {result['blender']}, ours on the route {result['route']}; what it compiles once for a computer is "
        "compiled before. Bullet gets the same links, hinges and no damping. Ours always writes keys; Bullet's own "
        "bake fills a cache inside the physics, and Bake Action makes keys of it."
    )
    return rows(result)


def lend_numba(folder: Path) -> None:
    """Links to numba and llvmlite of this environment: Blender's has none, the full zip brings them."""
    numba = util.find_spec("numba")
    if numba is None or numba.origin is None or sys.version_info[:2] != (3, 11):
        return
    for part in Path(numba.origin).parents[1].iterdir():
        if part.name.startswith(("numba", "llvmlite")):
            (folder / part.name).symlink_to(part)


def rows(result: dict) -> list[Row]:
    chain, keys = result["chain"], result["keys"]
    ours = chain["redmax"]
    made = []
    for name, peer in PEERS.items():
        case = "100 links, 120 frames"
        made.append(
            Row(
                "chain in Blender: simulate + bake",
                case,
                ours["seconds"],
                "s",
                peer,
                chain[name]["seconds"],
                ours["spread"],
                ratio_limit=RATIOS[name],
                their_spread=chain[name]["spread"],
            )
        )
        if name == "defaults, keys":
            continue  # the same motion again
        gaps = [100.0 * chain[way]["separation"] for way in ("redmax", name)]
        made.append(Row("chain in Blender: joints come apart by", case, gaps[0], "cm", peer, gaps[1], limit=CLOSED))
        parts = [gap / result["link"] for gap in gaps]
        made.append(Row("chain in Blender: the same, of a link", case, parts[0], "%", peer, parts[1]))
    for part, seconds in ours["parts"].items():
        made.append(Row("chain in Blender: parts of it", part, seconds, "s"))
    bake, theirs = keys["bake"], keys["bake action"]
    case = "100 bodies, 250 frames"
    made.append(
        Row("extract + bake", case, bake["seconds"], "s", "Bake Action", theirs["seconds"], bake["spread"], LIMIT)
    )
    for name, key in (("extract + bake over an earlier bake", "bake again"), ("extract alone", "extract")):
        made.append(Row(name, case, keys[key]["seconds"], "s", spread=keys[key]["spread"]))
    return made
