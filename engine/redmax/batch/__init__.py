# SPDX-License-Identifier: GPL-3.0-or-later
"""Many variations of one scene: what varies, who simulates it, and what came out.

`property_paths` changes one value of a scene, `variations` reads tables of such changes, `work` simulates one
variation, `schedulers` has several simulated at once, `results` is the folder in which results are kept, `run_batch`
does all of it.
"""

from .property_paths import PathError, changed, value_at
from .results import ResultFolder
from .run_batch import Batch, Progress, run_batch
from .schedulers import Dask, LocalProcesses, Scheduler, ThisProcess
from .variations import Column, TableError, Variation, Variations, load, loads_csv, loads_json
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
    "Variation",
    "Variations",
    "changed",
    "load",
    "loads_csv",
    "loads_json",
    "run_batch",
    "value_at",
]
