# SPDX-License-Identifier: GPL-3.0-or-later
"""In Blender: reading bodies, joints and springs, and drawing a panel. Runs `blender_elements.py` in the Blender
environment that `make setup-blender` prepares; processor time, least of 20."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from .bench_blender import PYTHON, ROOT
from .measure import Options, Row

PANEL = 1e-3
"""Seconds that the panels of a spring may take to draw: Blender draws them with every redraw."""


def run(options: Options) -> list[Row]:
    if not PYTHON.exists():
        options.skip(f"elements: there is no {PYTHON.relative_to(ROOT)}; run `make setup-blender` first")
        return []
    ours = os.pathsep.join([str(ROOT / "engine"), str(ROOT / "addon")])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ours}
    command = [str(PYTHON), str(Path(__file__).with_name("blender_elements.py"))]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout.strip().splitlines()[-1])
    return [
        Row("extract", "200 bodies, 200 joints", result["bodies and joints"], "s"),
        Row("extract", "200 bodies, 200 joints, 100 springs", result["with springs"], "s"),
        Row("draw the panels of a spring", "one spring", result["panels"], "s", limit=PANEL),
    ]
