# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepare the fast solver ahead of the first simulation, and delete what is kept of it."""

from typing import Any

import bpy

from ..bridge.results import preparation
from ..bridge.run import live
from ..properties import full_zip

INTERVAL = 0.1
"""Seconds between two looks at the worker thread."""


def _is_compiled(cls: Any) -> bool:
    """Whether there is anything to prepare; says why not."""
    if not preparation.solver().compiled:
        cls.poll_message_set(f"Plain numpy computes here: {preparation.solver().note}")
        return False
    if live.running() or preparation.current() is not None:
        cls.poll_message_set("It is in use; wait until the simulation or the preparation has ended")
        return False
    return True


class REDMAX_OT_warm_up(bpy.types.Operator):
    """Compile the fast solver now, so that the first simulation starts at once. A computer needs this once"""

    bl_idname = "redmax.warm_up"
    bl_label = "Warm Up"
    bl_options = {"REGISTER"}

    _timer: Any = None
    _preparation: Any = None

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return _is_compiled(cls)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All at once, for scripts and background use."""
        self._preparation = preparation.Preparation()
        self._preparation.work()
        return self._tell(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Beside the artist's work."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        preparation.retry()
        self._preparation = preparation.begin()
        self._timer = context.window_manager.event_timer_add(INTERVAL, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "ESC" and event.value == "PRESS":
            self._preparation.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if not self._preparation.finished:
            message = preparation.text(self._preparation.part)
            context.window_manager.redmax.message = message
            context.workspace.status_text_set(f"RedMax: {message}    ESC: stop, what is done is kept")
            _redraw(context)
            return {"PASS_THROUGH"}
        self._clean_up(context)
        return self._tell(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator, as when its window is closed."""
        preparation.abandon()
        self._clean_up(context)

    def _clean_up(self, context: bpy.types.Context) -> None:
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        _redraw(context)

    def _tell(self, context: bpy.types.Context) -> set[str]:
        done = self._preparation
        preparation.settle()
        level: live.Level = "ERROR" if done.failure else "INFO"
        ready = f"The fast solver is ready, {done.seconds:.1f} s"
        text = done.failure or (ready if done.complete else "Stopped; what is compiled is kept")
        context.window_manager.redmax.message = text
        self.report({level}, text)
        return {"FINISHED"} if done.complete else {"CANCELLED"}


class REDMAX_OT_clear_kernels(bpy.types.Operator):
    """Delete the compiled solver from the disk. It is compiled again when it is needed"""

    bl_idname = "redmax.clear_kernels"
    bl_label = "Clear"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return _is_compiled(cls)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            preparation.clear()
        except OSError as error:
            self.report({"ERROR"}, f"'{error.filename}' cannot be deleted: {error.strerror or error}")
            return {"CANCELLED"}
        self.report({"INFO"}, "The compiled solver is deleted")
        return {"FINISHED"}


class REDMAX_OT_full_zip_told(bpy.types.Operator):
    """Do not say this again"""

    bl_idname = "redmax.full_zip_told"
    bl_label = "Got It"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.window_manager.redmax.full_zip_told = True
        kept = full_zip.preferences(context)
        if kept is not None:
            kept.full_zip_told = True
            context.preferences.is_dirty = True  # so that Blender saves it with its preferences
        return {"FINISHED"}


def _redraw(context: bpy.types.Context) -> None:
    """Let panels and preferences show what has changed."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PROPERTIES", "PREFERENCES"}:
                area.tag_redraw()


CLASSES = (REDMAX_OT_warm_up, REDMAX_OT_clear_kernels, REDMAX_OT_full_zip_told)
