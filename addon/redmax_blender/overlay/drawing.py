# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws joints, tracks, forces and surfaces on top of a 3D Viewport. Blender calls `draw` in redraws, never in renders.

It never raises, and remembers what it sent to the graphics card while view and joints stay as they were.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import bpy
import gpu
import numpy as np

from ..bridge.core import unexpected
from ..bridge.results import preview
from . import layout, seen_contacts, seen_joints, seen_lines, seen_surfaces, seen_tracks

LINE, SELECTED_LINE = 1.6, 2.4
"""Width of lines [pixels at a resolution scale of 1]."""

HALO, HALO_COLOUR = 2.2, (0.02, 0.02, 0.03, 0.55)
"""How much wider the dark line below is, without which a glyph would be lost in front of something bright."""

_told: set[str] = set()
"""Errors that were told: a redraw that fails once fails every time."""


class Picture(NamedTuple):
    """What was drawn in a region: of which state, and the batches of tracks and forces, of joints
    that are not selected, and of those that are."""

    state: tuple[Any, ...]
    batches: tuple[Any, ...]


_pictures: dict[int, Picture] = {}
"""By address of the region."""


def draw() -> None:
    """Draw the joints of the region that Blender draws now."""
    try:
        _draw(bpy.context)
    except Exception as error:
        if repr(error) not in _told:
            _told.add(repr(error))
            bpy.context.window_manager.redmax.message = unexpected.told("Drawing the joints", error)


def forget() -> None:
    """Let go of everything on the graphics card."""
    _pictures.clear()
    _told.clear()


def is_wanted(context: bpy.types.Context) -> bool:
    """Whether the viewport shows overlays, and something of ours among them; a render shows none."""
    space: Any = context.space_data
    settings: Any = context.scene.redmax
    ours = settings.show_joints or settings.show_forces or settings.show_surfaces != "NONE" or settings.show_contacts
    return bool(space.overlay.show_overlays and ours and not preview.rendering())


def _draw(context: Any) -> None:
    if not is_wanted(context):
        return
    shown, place = context.scene.redmax, (context.scene, context.view_layer)
    seen = seen_joints.known(*place) if shown.show_joints else seen_joints.NONE
    ways: list[Any] = [*(seen_tracks.known(*place) if shown.show_joints else ()), *shown_surfaces(context)]
    acting = seen_lines.known(*place) if shown.show_forces else []
    if not len(seen.index) and not ways and not acting and not _has_contacts(context.scene):
        return
    pixel = context.preferences.system.ui_scale
    rails = track_lines(ways, context.view_layer, context.space_data)
    rails = joined(rails, seen_lines.placed(acting, *place, context.space_data))
    picture = _picture(context, seen, rails, pixel)
    size = (float(context.region.width), float(context.region.height))
    depth_test: Any = gpu.state.depth_test_get()
    blend: Any = gpu.state.blend_get()
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("ALPHA")
    try:
        for batch, width in zip(picture.batches, (LINE, LINE, SELECTED_LINE), strict=True):
            if batch is not None:
                _stroke(batch, "POLYLINE_UNIFORM_COLOR", size, (width + HALO) * pixel, HALO_COLOUR)
                _stroke(batch, "POLYLINE_SMOOTH_COLOR", size, width * pixel, None)
    finally:
        gpu.state.depth_test_set(depth_test)
        gpu.state.blend_set(blend)


def _has_contacts(scene: Any) -> bool:
    """Whether there may be contacts to draw."""
    return bool(scene.redmax.show_contacts and preview.wanted(scene))


def shown_surfaces(context: Any) -> list[seen_surfaces.Skin]:
    """Surfaces that the artist wants to see: those of selected objects, or all."""
    wanted = context.scene.redmax.show_surfaces
    found = seen_surfaces.known(context.scene, context.view_layer) if wanted != "NONE" else []
    if wanted != "SELECTED":
        return found
    objects = context.view_layer.objects
    return [skin for skin in found if objects[skin.place].select_get(view_layer=context.view_layer)]


def _stroke(batch: Any, shader_name: str, size: tuple[float, float], width: float, colour: Any) -> None:
    shader = gpu.shader.from_builtin(shader_name)
    shader.bind()
    shader.uniform_float("viewportSize", size)
    shader.uniform_float("lineWidth", width)
    if colour is not None:
        shader.uniform_float("color", colour)
    batch.draw(shader)


class Look(NamedTuple):
    """Joints at this instant, n of them: world matrices (n, 4, 4), which are shown and selected, sizes of empties."""

    M: Any
    shown: Any
    selected: Any
    empty_sizes: Any


def look_at(seen: seen_joints.Seen, view_layer: bpy.types.ViewLayer, space: Any) -> Look:
    """Everything about the joints that can change without an edit of theirs."""
    objects = view_layer.objects[:]
    found = [objects[index] for index in seen.index.tolist()]
    return Look(
        M=seen_joints.matrices(seen, view_layer),
        shown=np.array([obj.visible_in_viewport_get(space) for obj in found], bool),
        selected=np.array([obj.select_get(view_layer=view_layer) for obj in found], bool),
        empty_sizes=np.array([obj.empty_display_size for obj in found]),
    )


def _picture(context: Any, seen: seen_joints.Seen, rails: layout.Lines, pixel: float) -> Picture:
    """The batches to draw; those of the last redraw if nothing has changed."""
    region = context.region
    look = look_at(seen, context.view_layer, context.space_data)
    perspective = np.array(context.region_data.perspective_matrix, np.float64)
    magnification = 0.5 * region.width * math.hypot(*context.region_data.window_matrix[0][:3])
    view = layout.View(perspective, magnification, pixel)
    rails = layout.joined(rails, seen_contacts.lines(context.scene, view))
    state = (
        seen,
        rails.points.tobytes(),
        rails.colours.tobytes(),
        *(part.tobytes() for part in look),
        perspective.tobytes(),
        magnification,
        pixel,
    )
    known = _pictures.get(region.as_pointer())
    if known is not None and known.state == state:
        return known
    batches = tuple(_batch(lines) for lines in (rails, *pictured(seen, look, view)))
    picture = _pictures[region.as_pointer()] = Picture(state, batches)
    return picture


def joined(a: layout.Lines, b: layout.Lines) -> layout.Lines:
    """Lines of both."""
    return layout.Lines(np.concatenate([a.points, b.points]), np.concatenate([a.colours, b.colours]))


def track_lines(ways: list[seen_tracks.Way], view_layer: bpy.types.ViewLayer, space: Any) -> layout.Lines:
    """Lines of tracks and sheets as they stand now; none of those whose objects are hidden."""
    objects = view_layer.objects[:]
    found = [objects[way.place] for way in ways]
    M = np.array([obj.matrix_world for obj in found], np.float64).reshape(-1, 4, 4)
    shown = [obj.visible_in_viewport_get(space) for obj in found]
    return seen_tracks.placed(ways, M, shown, [obj.select_get(view_layer=view_layer) for obj in found])


def pictured(seen: seen_joints.Seen, look: Look, view: layout.View) -> tuple[layout.Lines, layout.Lines]:
    """Lines of the joints that are not selected, and of those that are."""
    size, in_front = layout.sizes(look.M, look.empty_sizes, view)
    states = zip(seen.states, look.selected.tolist(), strict=True)
    colours = np.array([layout.colour(state, selected=chosen) for state, chosen in states], np.float32)
    shown = look.shown & in_front
    halves = [shown & ~look.selected, shown & look.selected]
    plain, chosen = (layout.lines(seen, look.M, size, half, colours) for half in halves)
    return plain, chosen


def _batch(lines: layout.Lines) -> Any:
    if not len(lines.points):
        return None
    form = gpu.types.GPUVertFormat()
    form.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    form.attr_add(id="color", comp_type="F32", len=4, fetch_mode="FLOAT")
    vertices: Any = gpu.types.GPUVertBuf(form, len(lines.points))
    vertices.attr_fill("pos", lines.points)
    vertices.attr_fill("color", lines.colours)
    return gpu.types.GPUBatch(type="LINES", buf=vertices)
