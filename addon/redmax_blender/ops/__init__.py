# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each polls, gathers, calls one function of the bridge and reports."""

from pathlib import Path
from typing import TYPE_CHECKING

from . import (
    add_couplings,
    add_lines,
    add_loads,
    bake,
    build,
    check,
    elements,
    files,
    fixes,
    follow,
    joint_formulas,
    joint_kind,
    mechanisms,
    presets,
    rigid_bodies,
    simulate,
    surface_contacts,
    surfaces,
    templates,
    tracks,
    variations,
    warm_up,
)

if TYPE_CHECKING:
    from ..registration import Ledger


def register(ledger: "Ledger") -> None:
    ledger.add_preset_path(str(Path(__file__).parents[1]))
    for module in (
        *(
            build,
            check,
            elements,
            add_lines,
            add_couplings,
            add_loads,
            files,
            fixes,
            follow,
            joint_formulas,
            joint_kind,
            mechanisms,
            presets,
        ),
        *(simulate, bake, rigid_bodies, surfaces, surface_contacts, templates, tracks, variations, warm_up),
    ):
        ledger.add_classes(module.CLASSES)
    ledger.on_undo(variations.forget)
    ledger.on_undo(simulate.clean_up)  # Blender ends a running operator of a class that goes, and tells it nothing
