# SPDX-License-Identifier: GPL-3.0-or-later
"""`scene.redmax.variations`: what varies and how, and what came of it."""

import math
from typing import Any

import bpy

from . import from_specs
from .from_specs import OVERRIDABLE, STATIC

UNKNOWN = -1.0
"""In place of a number that a variation does not have; all that are shown are 0 or above."""

SOURCES = {
    "VALUES": ("values", ()),
    "RANGE": ("range", ("from", "to")),
    "UNIFORM": ("uniform", ("from", "to")),
    "LOG_UNIFORM": ("log_uniform", ("from", "to")),
    "NORMAL": ("normal", ("mean", "deviation")),
}
"""By source of a column's values, its name in tables and what its two numbers are called there."""

NUMBERS = {
    "energy_drift": "Energy Drift",
    "worst_gap": "Worst Gap",
    "peak_torque": "Peak Torque or Force",
    "peak_speed": "Peak Speed",
}
"""Numbers of a result that lists can be sorted by, with their words."""

UNITS = {"energy_drift": " %", "worst_gap": " m", "peak_torque": "", "peak_speed": " m/s"}
"""Behind numbers. The largest of torques [N m] and forces [N] has none."""

UNSEEN = {"energy_drift": 5e-7, "worst_gap": 1e-9}
"""Numbers below are rounding, and shown as 0."""


def shown_number(name: str, value: float) -> str:
    """A number of a result as lists show it, with its unit; a dash where it is not known."""
    if value < 0.0:
        return "-"
    value = 0.0 if value < UNSEEN.get(name, 0.0) else value
    return f"{100.0 * value if name == 'energy_drift' else value:.3g}{UNITS[name]}"


def _enum(name: str, description: str, items: list[tuple[str, str, str, int]], default: str) -> Any:
    return bpy.props.EnumProperty(
        name=name, description=description, items=items, default=default, options=STATIC, override=OVERRIDABLE
    )


def _number(name: str, description: str, default: float = 0.0) -> Any:
    return bpy.props.FloatProperty(
        name=name, description=description, default=default, precision=4, options=STATIC, override=OVERRIDABLE
    )


def _count(name: str, description: str, default: int, *, least: int = 1) -> Any:
    return bpy.props.IntProperty(
        name=name,
        description=description,
        default=default,
        min=least,
        max=1_000_000,
        options=STATIC,
        override=OVERRIDABLE,
    )


REDMAX_PG_varied = from_specs.make_group(
    "REDMAX_PG_varied",
    {
        "path": bpy.props.StringProperty(name="Path", description="What varies, as tables name it"),
        "label": bpy.props.StringProperty(name="Property", description="What varies"),
        "unit": bpy.props.StringProperty(name="Unit", description="What its values are measured in"),
        "change": _enum(
            "Change",
            "How values are meant",
            [
                ("SET", "Set", "Instead of the mechanism's own value", 0),
                ("TIMES", "Times", "Factors of the mechanism's own value", 1),
                ("PLUS", "Plus", "Added to the mechanism's own value", 2),
            ],
            "SET",
        ),
        "source": _enum(
            "Values",
            "Where values come from",
            [
                ("VALUES", "List", "Values one by one, separated by commas", 0),
                ("RANGE", "Range", "Evenly from the first to the last", 1),
                ("UNIFORM", "Random", "Drawn between two numbers, all equally likely", 2),
                ("LOG_UNIFORM", "Random Magnitude", "Drawn between two numbers, all magnitudes equally likely", 3),
                ("NORMAL", "Bell Curve", "Drawn around a mean with a deviation", 4),
            ],
            "RANGE",
        ),
        "values": bpy.props.StringProperty(
            name="List", description="Values separated by commas; nothing between two commas leaves the own value"
        ),
        "first": _number("From", "First value, least value, or the mean", 0.0),
        "last": _number("To", "Last value, largest value, or the deviation", 1.0),
        "count": _count("Steps", "Values of the range", 5),
    },
    "One property that varies.",
)

REDMAX_PG_variation = from_specs.make_group(
    "REDMAX_PG_variation",
    {
        "key": bpy.props.StringProperty(description="Hash of what was simulated; names its files"),
        "status": bpy.props.StringProperty(description="complete or failed; empty for one that was not simulated"),
        "message": bpy.props.StringProperty(description="What happened"),
        "changes": bpy.props.StringProperty(description="What varies, with its value, as JSON"),
        "shown": bpy.props.StringProperty(description="The same for people"),
        "end": bpy.props.StringProperty(description="Where the last body is at the end [m]"),
        **{
            name: bpy.props.FloatProperty(name=title, description=f"{title}; {UNKNOWN:g} if unknown", default=UNKNOWN)
            for name, title in NUMBERS.items()
        },
    },
    "A variation that was simulated.",
)

REDMAX_PG_variations = from_specs.make_group(
    "REDMAX_PG_variations",
    {
        "columns": bpy.props.CollectionProperty(type=REDMAX_PG_varied, override=OVERRIDABLE),
        "active_column": bpy.props.IntProperty(name="Active Property", description="The property edited below"),
        "combine": _enum(
            "Combine",
            "How the values of several properties are combined",
            [
                ("ROWS", "Side by Side", "The first values of all, then the second, and so on", 0),
                ("GRID", "All With All", "Every value with every other", 1),
            ],
            "ROWS",
        ),
        "count": _count("Draws", "How many values are drawn for each random property", 10),
        "seed": bpy.props.IntProperty(
            name="Seed",
            description="The same seed gives the same draws on every computer",
            min=0,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "names": bpy.props.StringProperty(description="Names of the variations of an imported table, as JSON"),
        "rows": bpy.props.CollectionProperty(type=REDMAX_PG_variation),
        "active_row": bpy.props.IntProperty(name="Active Variation", description="The variation that is baked"),
        "base": bpy.props.StringProperty(description="Hash of the mechanism that was varied"),
        "changed": bpy.props.BoolProperty(description="The mechanism was changed since they were simulated"),
        "order": _enum(
            "Sort By",
            "Order of the list and of the contact sheet",
            [
                ("TABLE", "Table", "As in the table", 0),
                *(
                    (name.upper(), title, f"By {title.lower()}, smallest first", k)
                    for k, (name, title) in enumerate(NUMBERS.items(), start=1)
                ),
            ],
            "TABLE",
        ),
        "descending": bpy.props.BoolProperty(name="Descending", description="Largest first", options=STATIC),
        "only_complete": bpy.props.BoolProperty(
            name="Only Complete", description="Leave out variations that failed", options=STATIC
        ),
        "use_limit": bpy.props.BoolProperty(
            name="Limit", description="Leave out variations whose number to sort by is larger", options=STATIC
        ),
        "limit": bpy.props.FloatProperty(
            name="At Most", description="Largest number that is listed", default=1.0, precision=4, options=STATIC
        ),
    },
    "Variations of the mechanisms of a scene.",
)

CLASSES = (REDMAX_PG_varied, REDMAX_PG_variation, REDMAX_PG_variations)


def is_listed(settings: Any, row: Any) -> bool:
    """Whether the filter leaves a variation in."""
    if settings.only_complete and row.status != "complete":
        return False
    if not settings.use_limit or settings.order == "TABLE":
        return True
    return bool(0.0 <= getattr(row, settings.order.lower()) <= settings.limit)


def in_order(settings: Any) -> list[int]:
    """Numbers of the rows in the order asked for; those without the number come last."""
    indices = list(range(len(settings.rows)))
    if settings.order == "TABLE":
        return indices[::-1] if settings.descending else indices
    numbers = [getattr(row, settings.order.lower()) for row in settings.rows]
    sign = -1.0 if settings.descending else 1.0
    return sorted(indices, key=lambda k: (sign * numbers[k] if numbers[k] >= 0.0 else math.inf, k))


def random_columns(settings: Any) -> bool:
    """Whether anything is drawn."""
    return any(column.source in ("UNIFORM", "LOG_UNIFORM", "NORMAL") for column in settings.columns)
