# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels and menus; draw() reads properties and computes nothing."""

from typing import TYPE_CHECKING

from . import (
    axis_buttons,
    body,
    elements,
    joint,
    kinds,
    lists,
    menus,
    overlays,
    physics,
    presets,
    rigid_bodies,
    scene,
    sidebar,
    solver_rows,
    surface,
    variations,
)

if TYPE_CHECKING:
    from ..registration import Ledger


def register(ledger: "Ledger") -> None:
    ledger.add_classes(variations.LISTS)
    # Lists before the panels that show them, parents before their sub-panels.
    for module in (
        lists,
        kinds,
        presets,
        body,
        joint,
        surface,
        elements,
        scene,
        rigid_bodies,
        solver_rows,
        sidebar,
        axis_buttons,
        menus,
        overlays,
    ):
        ledger.add_classes(module.CLASSES)
    for menu, draw in (*physics.APPENDED, *menus.APPENDED, *rigid_bodies.APPENDED):
        ledger.append_to_menu(menu, draw)
