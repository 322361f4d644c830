# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutes what else moves a body, so that a bake is not overwritten, and brings it back exactly.

What moves a body is muted at once and not only while it bakes: the same body must stand at the same place for
Check, for the simulation and for the bake, or its result would be outdated as soon as it is made.
"""

from __future__ import annotations

import json
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ... import compat
from ...properties.scene import frame_range
from ..core.findings import refuse
from . import frames, kept, movers
from .editable import require_editable
from .modelled import as_modelled

Object = bpy.types.Object

MUTED = (*movers.PLACE, *movers.DELTA, *movers.SCALE)
"""Channels whose drivers are muted; of keys only those on DELTA: those on PLACE give way to the bake by themselves."""


def mute(context: bpy.types.Context, obj: Object) -> str:
    """Mute constraints, drivers and delta keys of a body; it stays where they put it at the first frame."""
    require_editable([obj])
    scene, settings = context.scene, obj.redmax
    what = {"constraints": _constraints(obj), "drivers": _drivers(obj), "curves": _delta_curves(obj)}
    if not any(what.values()):
        raise refuse(obj.name, f"Nothing that can be muted moves '{obj.name}'", "run Check again")
    first = frame_range(scene)[0]
    with as_modelled(scene, context.view_layer, first) as depsgraph:
        M = frames.modelled_matrix(obj, depsgraph)
        P = frames.parent_matrix(obj, depsgraph)
    own = kept.channels(obj)
    channels = {name: list(getattr(own, name)) for name in kept.CHANNELS}
    channels["scale"] = list(getattr(obj, "scale"))  # noqa: B009 (its type says that it is no sequence)
    deltas = {name: list(getattr(obj, name)) for name in movers.DELTA}
    settings.muted = json.dumps({**what, "channels": channels, "deltas": deltas})
    _set_mute(obj, what, mute=True)
    _place(obj, np.linalg.solve(P, M))
    obj.update_tag()
    context.view_layer.update()
    return f"Muted {described(what)} of '{obj.name}'"


def unmute(context: bpy.types.Context, obj: Object) -> str:
    """Bring back what `mute` muted, and the channels as they were; what is gone since is left alone."""
    require_editable([obj])
    remembered = read(obj)
    if remembered is None:
        raise refuse(obj.name, f"Nothing of '{obj.name}' is muted for the bake", "run Check again")
    _set_mute(obj, remembered, mute=False)
    own: Any = kept.channels(obj)
    for name, values in remembered["channels"].items():
        setattr(obj if name == "scale" else own, name, values)
    for name, values in remembered["deltas"].items():
        setattr(obj, name, values)
    obj.redmax.muted = ""
    obj.update_tag()
    context.view_layer.update()
    return f"Unmuted {described(remembered)} of '{obj.name}'"


def read(obj: Object) -> dict[str, Any] | None:
    """What is muted for the bake; None for nothing, and for text that no `mute` has written."""
    if not obj.redmax.muted:
        return None
    try:
        found = json.loads(obj.redmax.muted)
        parts = [found[name] for name in ("constraints", "drivers", "curves")]
        rows = [found[name] for name in ("channels", "deltas")]
    except (ValueError, KeyError, TypeError):
        return None
    sound = all(isinstance(part, list) for part in parts) and all(isinstance(row, dict) for row in rows)
    known = sound and {*rows[0]} <= {*kept.CHANNELS, "scale"} and {*rows[1]} <= {*movers.DELTA}
    remembered: dict[str, Any] = found
    return remembered if known else None


def described(what: dict[str, Any]) -> str:
    """'its constraint 'IK' and a driver', for a sentence."""
    parts = [f"its constraint '{name}'" for name in what["constraints"]]
    parts += [f"a driver on its {path}" for path in sorted({path for path, _ in what["drivers"]})]
    parts += [f"keys on its {path}" for path in sorted({path for path, _ in what["curves"]})]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _constraints(obj: Object) -> list[str]:
    return [c.name for c in obj.constraints if not c.mute and c.influence > 0.0]


def _drivers(obj: Object) -> list[tuple[str, int]]:
    data: Any = obj.animation_data
    if data is None:
        return []
    return [(d.data_path, d.array_index) for d in data.drivers if not d.mute and d.data_path in MUTED]


def _delta_curves(obj: Object) -> list[tuple[str, int]]:
    return [
        (curve.data_path, curve.array_index)
        for curve in compat.fcurves_of(obj)
        if curve.data_path in movers.DELTA and movers.is_active(curve) and movers.varies(curve)
    ]


def _set_mute(obj: Object, what: dict[str, Any], *, mute: bool) -> None:
    for name in what["constraints"]:
        constraint: Any = obj.constraints.get(name)
        if constraint is not None:
            constraint.mute = mute
    data: Any = obj.animation_data
    for curves, places in (
        ((data.drivers if data is not None else ()), what["drivers"]),
        (_curves(obj), what["curves"]),
    ):
        wanted = {(path, index) for path, index in places}
        for curve in curves:
            if (curve.data_path, curve.array_index) in wanted:
                curve.mute = mute


def _curves(obj: Object) -> list[bpy.types.FCurve]:
    return compat.fcurves_of(obj)


def _place(obj: Object, basis: Any) -> None:
    """Let the object's own channels give it a matrix relative to its parent; keys on them have the last word."""
    target: Any = kept.channels(obj)
    before = {name: tuple(getattr(obj, name)) for name in kept.CHANNELS}
    obj.matrix_basis = Matrix(basis.tolist())  # takes the deltas into account
    if target != obj:
        for name in kept.CHANNELS:
            setattr(target, name, getattr(obj, name))
            setattr(obj, name, before[name])


FIXERS = {"MUTE": mute, "UNMUTE": unmute}
