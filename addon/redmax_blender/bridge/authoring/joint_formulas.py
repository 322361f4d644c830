# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas of Custom joints: all of them set at once, and the list of charts edited."""

from __future__ import annotations

from typing import Any

import bpy

from ..._engine import fields, joints
from ...properties import formulas
from ...properties import joint as joint_properties
from ..core.findings import refuse
from ..objects.editable import require_editable

Object = bpy.types.Object

KIND = joints.Custom.kind
CLASS: Any = joints.JOINTS[KIND]
TEXTS = formulas.texts_of(CLASS)
CHARTS = "charts"
CHART_TEXTS = tuple(fields.specs(fields.specs(CLASS)[CHARTS].record))
NAMES = (*TEXTS, CHARTS)
"""What a preset of formulas may say; a chart is its texts in the order of CHART_TEXTS."""

MOST_CHARTS = 16


def texts_of(obj: Object) -> dict[str, Any]:
    """Everything that is written of a Custom joint."""
    group = _custom(obj.redmax.joint, obj)
    charts = [tuple(getattr(entry, name) for name in CHART_TEXTS) for entry in group.charts]
    return {**{name: getattr(group, name) for name in TEXTS}, CHARTS: charts}


def set_texts(obj: Object, values: dict[str, Any]) -> None:
    """Make a joint a Custom one with these texts; what is not given is as in a new one. Raises ValueError for values
    that are no texts, and then nothing was set."""
    require_editable([obj])
    wanted = {name: values.get(name, "") for name in TEXTS}
    charts = [tuple(chart) for chart in values.get(CHARTS, ())]
    if not all(isinstance(each, str) for each in (*wanted.values(), *(text for chart in charts for text in chart))):
        raise ValueError("formulas are texts")
    if any(len(chart) != len(CHART_TEXTS) for chart in charts):
        raise ValueError(f"a chart has {len(CHART_TEXTS)} texts")
    joint: Any = obj.redmax.joint
    joint.kind = KIND
    group = _custom(joint, obj)
    group.charts.clear()
    for name, text in wanted.items():
        setattr(group, name, text)
    for chart in charts:
        entry = group.charts.add()
        for name, text in zip(CHART_TEXTS, chart, strict=True):
            setattr(entry, name, text)
    joint_properties.note_formulas(joint)
    joint_properties.show_type(joint)
    obj.update_tag()


def edit_charts(obj: Object, action: str, *, part: bool) -> None:
    """ADD a chart, REMOVE the active one, or move it UP or DOWN. part: of the active part of a composite."""
    require_editable([obj])
    joint: Any = obj.redmax.joint
    group = _custom(joint.parts[joint.active_part] if part and joint.parts else joint, obj)
    index = group.active_charts
    if action == "ADD":
        if len(group.charts) + 1 >= MOST_CHARTS:
            raise refuse(
                obj.name, f"Joint '{obj.name}' has {MOST_CHARTS} charts", "remove one first: there may be no more"
            )
        group.charts.add().transform = group.transform
        group.active_charts = len(group.charts) - 1
    elif not 0 <= index < len(group.charts):
        raise refuse(obj.name, f"No chart of joint '{obj.name}' is active", "click one in the list")
    elif action == "REMOVE":
        group.charts.remove(index)
        group.active_charts = max(min(index, len(group.charts) - 1), 0)
    else:
        other = index + (1 if action == "DOWN" else -1)
        if 0 <= other < len(group.charts):
            group.charts.move(index, other)
            group.active_charts = other
    joint_properties.note_formulas(joint)
    obj.update_tag()


def _custom(joint: Any, obj: Object) -> Any:
    if joint.kind != KIND:
        raise refuse(obj.name, f"Joint '{obj.name}' is not a Custom one", "set its type to Custom first")
    return joint_properties.own_group(joint)
