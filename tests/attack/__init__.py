# SPDX-License-Identifier: GPL-3.0-or-later
"""A lasting attack on the engine and the add-on: generated cases, an independent reference, a judge.

Run it with `python -m tests.attack --minutes 60`; see docs/attack.md.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The engine's sources, and `engine.mechanisms` and others of the engine's tests, wherever this was started from.
for _folder in ("engine", "tests"):
    if str(ROOT / _folder) not in sys.path:
        sys.path.append(str(ROOT / _folder))
