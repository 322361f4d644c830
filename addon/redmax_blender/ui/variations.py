# SPDX-License-Identifier: GPL-3.0-or-later
"""Variations: what varies, what came of it, and the contact sheet."""

from typing import Any

import bpy

from ..properties import pictures
from ..properties import variations as properties
from . import popovers, text_lines
from .tab import SidebarPanel

LISTED_COLUMNS, LISTED_ROWS = 3, 5
STATUS_ICON: dict[str, Any] = {"complete": "CHECKMARK", "failed": "CANCEL"}
ACROSS, MOST_CARDS = 4, 48
"""Pictures in a row of the contact sheet, and how many it shows."""

PICTURE_SCALE, SHEET_WIDTH = 6.0, 34

TITLES, NAMES, SHOWN = 0.55, 0.42, 0.5
"""Parts of a line: the title of a number; the name of a listed variation, and its values of what is left."""


class REDMAX_UL_varied(bpy.types.UIList):
    """Properties that vary."""

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        row = layout.row(align=True)
        row.label(text=text_lines.short_name(item.label or item.path, max(16, text_lines.characters(context) - 8)))
        kind = row.row()
        kind.alignment = "RIGHT"
        kind.label(text=item.bl_rna.properties["source"].enum_items[item.source].name)


class REDMAX_UL_variations(bpy.types.UIList):
    """Variations that were simulated, sorted and filtered as the panel says."""

    def draw_item(
        self, _context: Any, layout: Any, data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        columns = layout.split(factor=NAMES)
        columns.label(text=item.name, icon=STATUS_ICON.get(item.status, "QUESTION"))
        values = columns.split(factor=SHOWN)
        values.label(text=item.shown)
        shown = listed_number(data)
        last = values.row()
        last.alignment = "RIGHT"
        last.label(text=properties.shown_number(shown, getattr(item, shown)))

    def filter_items(self, _context: Any, data: Any, _name: str) -> tuple[list[int], list[int]]:
        flags = [self.bitflag_filter_item if properties.is_listed(data, row) else 0 for row in data.rows]
        if self.filter_name:
            named = bpy.types.UI_UL_list.filter_items_by_name(
                self.filter_name, self.bitflag_filter_item, data.rows, "name"
            )
            flags = [flag & other for flag, other in zip(flags, named, strict=True)]
        places = [0] * len(data.rows)
        for place, index in enumerate(properties.in_order(data)):
            places[index] = place
        return flags, places


class REDMAX_PT_variations(SidebarPanel, bpy.types.Panel):
    """Below the steps, and closed: most mechanisms are simulated as they are."""

    bl_label = "Variations"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.redmax.variations
        row = layout.row()
        row.template_list(
            REDMAX_UL_varied.__name__,
            "",
            settings,
            "columns",
            settings,
            "active_column",
            rows=LISTED_COLUMNS,
            maxrows=LISTED_COLUMNS,
        )
        buttons = row.column(align=True)
        buttons.operator("redmax.add_variation", text="", icon="ADD")
        buttons.operator("redmax.remove_variation", text="", icon="REMOVE")
        buttons.operator("redmax.import_variations", text="", icon="IMPORT")
        buttons.operator("redmax.export_variations", text="", icon="EXPORT")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        if 0 <= settings.active_column < len(settings.columns):
            draw_column(column, settings.columns[settings.active_column])
        if len(settings.columns) > 1:
            column.prop(settings, "combine")
        if properties.random_columns(settings):
            column.prop(settings, "count")
            column.prop(settings, "seed")
        button = layout.row()
        button.scale_y = 1.5
        button.operator("redmax.simulate_variations", icon="PLAY")


def draw_column(layout: Any, column: Any) -> None:
    """How one property varies."""
    layout.label(text=f"{column.label} [{column.unit}]" if column.unit else column.label)
    layout.prop(column, "change")
    layout.prop(column, "source")
    if column.source == "VALUES":
        layout.prop(column, "values")
        return
    is_bell = column.source == "NORMAL"
    pair = layout.column(align=True)
    pair.prop(column, "first", text="Mean" if is_bell else "From")
    pair.prop(column, "last", text="Deviation" if is_bell else "To")
    if column.source == "RANGE":
        pair.prop(column, "count")


class REDMAX_PT_simulated_variations(SidebarPanel, bpy.types.Panel):
    bl_label = "Results"
    bl_parent_id = "REDMAX_PT_variations"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return len(context.scene.redmax.variations.rows) > 0

    def draw_header_preset(self, context: Any) -> None:
        self.layout.label(text=str(len(context.scene.redmax.variations.rows)))

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.redmax.variations
        order = layout.row(align=True)
        order.prop(settings, "order", text="")
        order.prop(settings, "descending", text="", icon="SORT_DESC" if settings.descending else "SORT_ASC")
        order.prop(settings, "only_complete", text="", icon="FILTER")
        if settings.order != "TABLE":
            limit = layout.row(align=True)
            limit.prop(settings, "use_limit", text="")
            value = limit.row()
            value.active = settings.use_limit
            value.prop(settings, "limit")
        draw_heads(layout, settings)
        layout.template_list(
            REDMAX_UL_variations.__name__, "", settings, "rows", settings, "active_row", rows=LISTED_ROWS
        )
        if 0 <= settings.active_row < len(settings.rows):
            draw_row(layout, context, settings.rows[settings.active_row])
        layout.popover(REDMAX_PT_contact_sheet.__name__, text="Contact Sheet", icon="IMGDISPLAY")
        row = layout.row(align=True)
        row.operator("redmax.draw_variations", icon="RENDER_STILL")
        row.operator("redmax.clear_variations", text="", icon="TRASH")
        bake = layout.row()
        bake.scale_y = 1.5
        bake.operator("redmax.bake_variation", icon="KEYFRAME_HLT")
        if settings.changed:
            text = "Settings changed since these were simulated; Simulate All, or bake as it was"
            text_lines.draw_text(layout, context, text, "ERROR")
            layout.operator("redmax.bake_variation", text="Bake Old Result").allow_stale = True


def draw_heads(layout: Any, settings: Any) -> None:
    """What the columns of the list below are."""
    heads = layout.split(factor=NAMES)
    heads.label(text="Variation")
    values = heads.split(factor=SHOWN)
    values.label(text="Values")
    last = values.row()
    last.alignment = "RIGHT"
    last.label(text=properties.NUMBERS[listed_number(settings)].split()[1])


def listed_number(settings: Any) -> str:
    """The number that the list shows: what it is sorted by."""
    return "energy_drift" if settings.order == "TABLE" else settings.order.lower()


def draw_row(layout: Any, context: Any, item: Any) -> None:
    """What came of one variation."""
    if icon := pictures.icon(item.key):
        layout.template_icon(icon_value=icon, scale=PICTURE_SCALE)
    if item.status != "complete":
        text_lines.draw_text(layout, context, item.message, "CANCEL")
    grid = layout.column(align=True)
    for name, title in properties.NUMBERS.items():
        line = grid.split(factor=TITLES)
        line.label(text=title)
        line.label(text=properties.shown_number(name, getattr(item, name)))
    if item.end:
        line = grid.split(factor=TITLES)
        line.label(text="Last Body Ends At")
        line.label(text=item.end)


class REDMAX_PT_contact_sheet(popovers.Popover, bpy.types.Panel):
    """All variations side by side; a click picks one."""

    bl_label = "Contact Sheet"
    bl_description = "How all listed variations end, side by side"
    bl_ui_units_x = SHEET_WIDTH

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.redmax.variations
        shown = [k for k in properties.in_order(settings) if properties.is_listed(settings, settings.rows[k])]
        head = layout.row()
        head.label(text=f"{len(shown)} of {len(settings.rows)} variations")
        head.operator("redmax.export_sheet", text="Export", icon="EXPORT")
        grid = layout.grid_flow(columns=ACROSS, even_columns=True, even_rows=True, row_major=True)
        for index in shown[:MOST_CARDS]:
            item = settings.rows[index]
            card = grid.box().column(align=True)
            if icon := pictures.icon(item.key):
                card.template_icon(icon_value=icon, scale=PICTURE_SCALE)
            pick = card.operator(
                "redmax.pick_variation",
                text=f"{item.name}: {item.shown}",
                icon=STATUS_ICON.get(item.status, "QUESTION"),
                depress=index == settings.active_row,
            )
            pick.index = index
            drift, gap, torque, speed = (
                properties.shown_number(name, getattr(item, name)) for name in properties.NUMBERS
            )
            card.label(text=f"energy off by {drift}, gap {gap}")
            card.label(text=f"torque {torque}, speed {speed}")


LISTS = (REDMAX_UL_varied, REDMAX_UL_variations)
PANELS = (REDMAX_PT_contact_sheet, REDMAX_PT_variations, REDMAX_PT_simulated_variations)
