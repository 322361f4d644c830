# SPDX-License-Identifier: GPL-3.0-or-later
"""In Blender: ten pins and a ball, and a wall of 30 boxes, beside Blender's own rigid bodies (Bullet).

Runs `blender_contact.py` in the Blender environment that `make setup-blender` prepares.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from .bench_blender import PYTHON, ROOT, lend_numba
from .measure import Options, Row

PEERS = {"defaults": "Bullet, defaults", "60/60": "Bullet, 60/60 steps"}
RATIO, AIM = 5.0, 1.0
"""Of our seconds and those of Bullet at its defaults: what may be, and what is wanted."""

ROUNDING = 1e-6
"""Metres, and parts of the momentum, below which an error is not seen: keys are kept in single precision."""

ERRORS = {"penetration": "m", "drift": "m", "momentum": "of it at the start"}


def run(options: Options) -> list[Row]:
    if options.quick:
        options.skip("blender_contact: takes a minute; run it alone with `make bench NAMES=blender_contact`")
        return []
    if not PYTHON.exists():
        options.skip(f"blender_contact: there is no {PYTHON.relative_to(ROOT)}; run `make setup-blender` first")
        return []
    command = [str(PYTHON), str(Path(__file__).with_name("blender_contact.py"))]
    with tempfile.TemporaryDirectory() as folder:
        lend_numba(Path(folder))
        ours = os.pathsep.join([str(ROOT / "engine"), str(ROOT / "addon"), folder])
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ours}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout.strip().splitlines()[-1])
    options.note(
        f"Blender {result['blender']}, ours on the route {result['route']} at Accuracy Standard, kernels compiled "
        "before; processor time. Bullet gets the same meshes, masses, frictions and starts, no damping and no "
        "deactivation. Ours writes keys, Bullet fills its cache. Errors are read off the objects that Blender shows at "
        "each frame, by the same code for both: drift of what nothing has struck, momentum along the oiled lane until "
        "two pins meet."
    )
    return rows(result)


def rows(result: dict) -> list[Row]:
    """Ours is asked to be less wrong than Bullet at either setting, or right to what keys can hold."""
    made = []
    for case in [name for name, value in result.items() if isinstance(value, dict)]:
        ours = result[case]["redmax"]
        for name, peer in PEERS.items():
            theirs = result[case][name]
            limits = {"ratio_limit": RATIO, "aim": AIM} if name == "defaults" else {}
            what = "contact in Blender: simulate + bake"
            made.append(Row(what, case, ours["seconds"], "s", peer, theirs["seconds"], **limits))
            made += [
                Row(
                    f"contact in Blender: {error}", case, ours[error], unit, peer, theirs[error],
                    limit=max(ROUNDING, theirs[error]),
                )
                for error, unit in ERRORS.items()
                if error in ours
            ]  # fmt: skip
    return made
