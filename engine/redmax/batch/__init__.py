# SPDX-License-Identifier: GPL-3.0-or-later
"""Many variations of one scene: what varies, who simulates it, and what came out.

`property_paths` changes one value of a scene, `property_list` has all that may be varied, `variations` reads tables of
such changes, `work` simulates one variation, `schedulers` has several simulated at once, `results` is the folder in
which results are kept, `sheet` shows them side by side, `run_batch` does all of it.
"""

from .property_list import Variable, variables
from .property_paths import PathError, changed, value_at
from .results import ResultFolder, cards_of, finite, table_csv
from .run_batch import Batch, Progress, keys_of, run_batch
from .schedulers import Dask, LocalProcesses, Scheduler, ThisProcess
from .sheet import Card, contact_sheet, in_order, show
from .variations import (
    MOST_BYTES,
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
from .work import Result, Settings, Task, measures, simulated

__all__ = [
    "MOST_BYTES",
    "Batch",
    "Card",
    "Column",
    "Dask",
    "LocalProcesses",
    "PathError",
    "Progress",
    "Result",
    "ResultFolder",
    "Scheduler",
    "Settings",
    "TableError",
    "Task",
    "ThisProcess",
    "Variable",
    "Variation",
    "Variations",
    "cards_of",
    "cell_text",
    "cell_value",
    "changed",
    "contact_sheet",
    "dumps_csv",
    "finite",
    "in_order",
    "keys_of",
    "load",
    "loads_csv",
    "loads_json",
    "measures",
    "run_batch",
    "show",
    "simulated",
    "table_csv",
    "value_at",
    "variables",
]
