# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate as a window drives it: begun by its button, then events one by one. Background Blender has none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy

from redmax_blender.bridge.run import live
from redmax_blender.ops import simulate

TICK = SimpleNamespace(type="TIMER", value="NOTHING", is_repeat=False)
ESC = SimpleNamespace(type="ESC", value="PRESS", is_repeat=False)
MOUSE = SimpleNamespace(type="MOUSEMOVE", value="NOTHING", is_repeat=False)

RUNNING = ({"PASS_THROUGH"}, {"RUNNING_MODAL"})


class _Instead:
    """Some attributes instead of the real ones."""

    def __init__(self, real: Any, **others: Any) -> None:
        self.__dict__.update(others, _real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class Window:
    """A window in which Simulate was pressed. reports: (level, text). status: the line in the status bar."""

    bl_label = simulate.REDMAX_OT_simulate.bl_label
    again = False
    _begin, modal, _tick, cancel, _show_progress, _tell, _refuse, _reused = (
        simulate.REDMAX_OT_simulate.__dict__[name]
        for name in ("_begin", "modal", "_tick", "cancel", "_show_progress", "_tell", "_refuse", "_reused")
    )

    def __init__(self) -> None:
        self.reports: list[tuple[str, str]] = []
        self.status: str | None = None
        self.handlers: list[Any] = []

    def report(self, level: set[str], text: str) -> None:
        self.reports.append((*level, text))

    @property
    def context(self) -> Any:
        window_manager = _Instead(bpy.context.window_manager, modal_handler_add=self.handlers.append)
        workspace = _Instead(bpy.context.workspace, status_text_set=lambda text: setattr(self, "status", text))
        return _Instead(bpy.context, window_manager=window_manager, workspace=workspace)

    def press(self) -> set[str]:
        """Press Simulate."""
        result: set[str] = simulate.readiness.attempt(self, self.context, lambda: self._begin(self.context))
        return result

    def send(self, event: Any) -> set[str]:
        result: set[str] = self.modal(self.context, event)
        return result

    def is_clean(self) -> bool:
        """Whether nothing is left of a run that has ended."""
        state = bpy.context.window_manager.redmax
        return not (live.running() or simulate._timers or state.running or state.progress or self.status)
