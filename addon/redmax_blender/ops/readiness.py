# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators ask before they may run, whom they act on, and how they say what is refused.

Functions that take a class are for `poll`: they say why a button is grey.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import bpy

from ..bridge.check import check_report, live_check
from ..bridge.core import unexpected
from ..bridge.core.findings import RedMaxError
from ..properties import window_manager


def refusing(execute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """For `execute`: what RedMax refuses is reported in its own words and the operator cancelled; see `attempt`."""

    @functools.wraps(execute)
    def reporting(self: Any, context: Any) -> Any:
        return attempt(self, context, lambda: execute(self, context))

    return reporting


def building(execute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """For `execute` of what makes or removes bodies and joints: as `refusing`, and the lists show what is there now."""

    @functools.wraps(execute)
    def listing(self: Any, context: Any) -> Any:
        done = attempt(self, context, lambda: execute(self, context))
        if "FINISHED" in done:
            _list(self, context)
        return done

    return listing


def _list(operator: Any, context: Any) -> None:
    """Check the scene, unless that would take long."""
    if live_check.may_look(context.scene):
        list_anew(operator, context, lambda: check_report.keep_up(context))


def list_result(operator: Any, context: Any) -> None:
    """After an operator that made, replaced or removed a result: the lists say what is to be said of it now."""
    list_anew(operator, context, lambda: check_report.show_result(context.window_manager.redmax, context.scene))


def list_anew(operator: Any, context: Any, show: Callable[[], Any]) -> None:
    """Fill the lists after an operator. What it did stays done, whatever happens here."""
    try:
        show()
    except Exception as error:
        context.window_manager.redmax.message = unexpected.told(f"Check after {operator.bl_label}", error)


def attempt(operator: Any, context: Any, action: Callable[[], set[str]]) -> set[str]:
    """What an operator does; what RedMax refuses is reported in its own words and the operator cancelled.

    What nobody foresaw is said in a sentence instead of lines of Python; the console has those.
    """
    try:
        return action()
    except RedMaxError as error:
        text = str(error)
    except Exception as error:
        text = unexpected.told(operator.bl_label, error)
        context.window_manager.redmax.message = text
    operator.report({"ERROR"}, text)
    return {"CANCELLED"}


def idle(cls: Any, context: bpy.types.Context) -> bool:
    """No simulation running."""
    if window_manager.running(context):
        cls.poll_message_set("A simulation is running; press ESC to stop it")
        return False
    return True


def may_edit(cls: Any, context: bpy.types.Context) -> bool:
    """Object mode and no simulation running."""
    if context.mode != "OBJECT":
        cls.poll_message_set("Switch to Object Mode first")
        return False
    return idle(cls, context)


def may_use_selection(cls: Any, context: bpy.types.Context, text: str, *, least: int = 1) -> bool:
    """The same, with at least so many objects to act on. text: what to select."""
    if not may_edit(cls, context):
        return False
    if len(targets(context)) < least:
        cls.poll_message_set(text)
        return False
    return True


def may_edit_bodies(cls: Any, context: bpy.types.Context) -> bool:
    """The same, with a body among what is to be acted on."""
    if not may_edit(cls, context):
        return False
    if not bodies(context):
        cls.poll_message_set("Select a body first")
        return False
    return True


def may_edit_joint(cls: Any, context: bpy.types.Context) -> bool:
    """The same, with a joint as the active object."""
    if not may_edit(cls, context):
        return False
    if context.object is None or not context.object.redmax.is_joint:
        cls.poll_message_set("Select a joint first")
        return False
    return True


def in_order(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The targets by name, the active one last: of a gear it is the one that follows."""
    active = context.object
    found = sorted(targets(context), key=lambda obj: obj.name)
    return [obj for obj in found if obj != active] + [obj for obj in found if obj == active]


def bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Those of the targets that are bodies."""
    return [obj for obj in targets(context) if obj.redmax.is_body]


def targets(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Selected objects; only the active one if its own panel was used without selecting it, or nothing is selected."""
    active, selected = context.object, list(context.selected_objects)
    own_panel = context.area is not None and context.area.type == "PROPERTIES"
    if active is not None and active not in selected and (own_panel or not selected):
        return [active]
    return selected
