# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers the add-on and takes everything back: a ledger remembers each step and undoes it in reverse."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import bpy

from . import cli, handlers, ops, overlay, preferences, properties, ui, wheels
from .bridge.results import preparation

log = logging.getLogger(__package__)


class Ledger:
    """What was registered, so that nothing is left behind."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def add_class(self, cls: Any) -> None:
        bpy.utils.register_class(cls)
        self.on_undo(lambda: bpy.utils.unregister_class(cls))

    def add_classes(self, classes: tuple[Any, ...]) -> None:
        for cls in classes:
            self.add_class(cls)

    def add_property(self, owner: Any, name: str, prop: Any) -> None:
        setattr(owner, name, prop)
        self.on_undo(lambda: delattr(owner, name))

    def append_to_menu(self, menu: Any, draw: Callable[..., None]) -> None:
        menu.append(draw)
        self.on_undo(lambda: menu.remove(draw))

    def add_handler(self, handlers_list: Any, handler: Callable[..., None]) -> None:
        handlers_list.append(handler)
        self.on_undo(lambda: handlers_list.remove(handler))

    def add_preset_path(self, path: str) -> None:
        """A folder that has a folder `presets`, searched beside the user's own."""
        bpy.utils.register_preset_path(path)

        def take_back() -> None:
            bpy.utils.unregister_preset_path(path)

        self.on_undo(take_back)

    def on_undo(self, step: Callable[[], None]) -> None:
        self._undo.append(step)

    def undo(self) -> None:
        """Take back every step, newest first; a step that fails is logged and the rest goes on."""
        while self._undo:
            step = self._undo.pop()
            try:
                step()
            except (RuntimeError, ValueError, AttributeError) as error:
                log.error("RedMax could not take back a registration: %s", error)


_ledger = Ledger()


def register() -> None:
    """Register all parts; if one fails, nothing stays registered."""
    for problem in wheels.problems():
        log.warning("RedMax: %s", problem)
    try:
        for part in (preparation, preferences, properties, ops, ui, handlers, overlay, cli):
            part.register(_ledger)
    except BaseException:
        _ledger.undo()
        raise


def unregister() -> None:
    _ledger.undo()
