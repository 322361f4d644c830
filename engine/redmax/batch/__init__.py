# SPDX-License-Identifier: GPL-3.0-or-later
"""Many variations of one scene: what varies, who simulates it, and what came out.

`property_paths` changes one value of a scene, `property_list` has all that may be varied, `variations` reads tables of
such changes, `work` simulates one variation, `schedulers` has several simulated at once, `results` is the folder in
which results are kept, `sheet` shows them side by side, `run_batch` does all of it.
"""

from .property_list import Variable, variables
from .property_paths import PathError, changed, value_at
from .results import ResultFolder, cards_of
from .run_batch import Batch, Progress, run_batch
from .schedulers import Dask, LocalProcesses, Scheduler, ThisProcess
from .variations import (
    Column,
    TableError,
    Variation,
    Variations,
    cell_text,
    cell_value,
    dumps_csv,
    load,
    loads_csv,
    loads_json,
)
from .work import Settings

__all__ = [
    "Batch",
    "Column",
    "Dask",
    "LocalProcesses",
    "PathError",
    "Progress",
    "ResultFolder",
    "Scheduler",
    "Settings",
    "TableError",
    "ThisProcess",
    "Variable",
    "Variation",
    "Variations",
    "cards_of",
    "cell_text",
    "cell_value",
    "changed",
    "dumps_csv",
    "load",
    "loads_csv",
    "loads_json",
    "run_batch",
    "value_at",
    "variables",
]
