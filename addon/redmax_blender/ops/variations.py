# SPDX-License-Identifier: GPL-3.0-or-later
"""Variations: pick what varies, simulate all, look at them side by side and bake one."""

from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ..bridge.bake import bake as baking
from ..bridge.core import unexpected
from ..bridge.core.findings import RedMaxError, refuse
from ..bridge.extract import extraction as extract
from ..bridge.results import cache, preview
from ..bridge.run import live, many, variation_table
from ..properties import pictures
from ..properties import variations as properties
from ..properties.scene import has_bodies, integrator_of
from . import readiness, simulate

STALE = "The mechanism was changed since its variations were simulated"

_offered: list[tuple[str, str, str]] = []
"""Items of the list that is open: Blender needs them as long as it shows them."""


def _choices(_operator: Any, _context: Any) -> list[tuple[str, str, str]]:
    return _offered or [("NONE", "Nothing", "There is nothing that could vary")]


def _extraction(context: Any) -> Any:
    """The mechanisms of the scene, as they can be simulated. Raises BridgeError."""
    with preview.paused():
        extraction = extract.extract(context.scene, context.view_layer)
    extract.require_sound(extraction)
    return extraction


def _may_begin(cls: Any, context: Any) -> bool:
    if not readiness.idle(cls, context):
        return False
    if live.running() or many.running():
        cls.poll_message_set("A simulation is running; press ESC in the viewport to stop it")
        return False
    if not has_bodies(context.scene):
        cls.poll_message_set("There is no body in this scene; add one in the Physics tab or with Make Mechanism")
        return False
    return True


def _may_vary(cls: Any, context: Any) -> bool:
    if not _may_begin(cls, context):
        return False
    if not len(context.scene.redmax.variations.columns):
        cls.poll_message_set("No property varies yet; add one with the plus button")
        return False
    return True


def _has_rows(cls: Any, context: Any) -> bool:
    if not readiness.idle(cls, context):
        return False
    if not len(context.scene.redmax.variations.rows):
        cls.poll_message_set("No variation was simulated yet; press Simulate All first")
        return False
    return True


class REDMAX_OT_add_variation(bpy.types.Operator):
    """Pick a property of the mechanism that varies, from the list of all that it has"""

    bl_idname = "redmax.add_variation"
    bl_label = "Vary Property"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "choice"

    path: bpy.props.StringProperty(
        name="Path", description="What varies, as tables name it; for scripts", options={"SKIP_SAVE", "HIDDEN"}
    )
    choice: bpy.props.EnumProperty(name="Property", description="What varies", items=_choices, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _may_begin(cls, context)

    def invoke(self, context: Any, _event: Any) -> set[str]:
        return readiness.attempt(self, context, lambda: self._offer(context))

    def _offer(self, context: Any) -> set[str]:
        variables = variation_table.choices(_extraction(context).scene)
        active = context.object.name if context.object is not None else ""
        variables.sort(key=lambda each: each.element != active)  # what is selected comes first
        _offered[:] = [
            (each.path, f"{variation_table.label(each)}{f' [{each.unit}]' if each.unit else ''}", each.doc)
            for each in variables
        ]
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        wanted = self.path or self.choice
        known = variation_table.choices(_extraction(context).scene)
        found = next((each for each in known if each.path == wanted), None)
        if found is None:
            raise refuse("", f"The mechanism has no property '{wanted}'", "pick one from the list")
        column = variation_table.add(context.scene.redmax.variations, found)
        self.report({"INFO"}, f"'{column.label}' varies now")
        return {"FINISHED"}


class REDMAX_OT_remove_variation(bpy.types.Operator):
    """Let the active property have the mechanism's own value again"""

    bl_idname = "redmax.remove_variation"
    bl_label = "Remove Property"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not len(context.scene.redmax.variations.columns):
            cls.poll_message_set("No property varies")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        settings = context.scene.redmax.variations
        index = min(max(settings.active_column, 0), len(settings.columns) - 1)
        label = settings.columns[index].label
        settings.columns.remove(index)
        settings.active_column = max(0, index - 1)
        settings.names = ""
        self.report({"INFO"}, f"'{label}' no longer varies")
        return {"FINISHED"}


class REDMAX_OT_import_variations(bpy.types.Operator, ImportHelper):  # type: ignore[misc]  # Blender's own way
    """Read a table of variations from a CSV or JSON file in place of the one in the panel"""

    bl_idname = "redmax.import_variations"
    bl_label = "Import Variations"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: bpy.props.StringProperty(default="*.csv;*.json", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _may_begin(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        path = Path(bpy.path.abspath(getattr(self, "filepath")))  # noqa: B009 (untyped)
        count = variation_table.load(context.scene.redmax.variations, path, _extraction(context).scene)
        self.report({"INFO"}, f"Read {count} variations from '{path.name}'")
        return {"FINISHED"}


class REDMAX_OT_export_variations(bpy.types.Operator, ExportHelper):  # type: ignore[misc]  # Blender's own way
    """Write the table of variations as CSV or JSON, which the command line simulates too"""

    bl_idname = "redmax.export_variations"
    bl_label = "Export Variations"
    bl_options = {"REGISTER"}

    filename_ext = ".csv"
    check_extension = None
    filter_glob: bpy.props.StringProperty(default="*.csv;*.json", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _may_vary(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        path = Path(bpy.path.abspath(getattr(self, "filepath")))  # noqa: B009 (untyped)
        count = variation_table.save(context.scene.redmax.variations, path)
        self.report({"INFO"}, f"Wrote {count} variations to '{path.name}'")
        return {"FINISHED"}


class REDMAX_OT_simulate_variations(bpy.types.Operator):
    """Simulate every variation that has no result yet, beside your work; ESC stops and keeps what is done"""

    bl_idname = "redmax.simulate_variations"
    bl_label = "Simulate All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _may_vary(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        """All at once, for scripts and background use."""
        run = many.prepared(context.scene, _extraction(context), integrator_of(context.scene))
        window_manager = context.window_manager
        window_manager.progress_begin(0, len(run.table.rows))
        try:
            run.work(lambda progress: window_manager.progress_update(progress.done))
        finally:
            window_manager.progress_end()
        return self._tell(context, many.listed(context.scene, run))

    def invoke(self, context: Any, _event: Any) -> set[str]:
        if bpy.app.background or context.window is None:
            result: set[str] = self.execute(context)
            return result
        return readiness.attempt(self, context, lambda: self._begin(context))

    def _begin(self, context: Any) -> set[str]:
        run = many.begin(context.scene, _extraction(context), integrator_of(context.scene))
        window_manager = context.window_manager
        try:
            window_manager.redmax.running = True
            window_manager.progress_begin(0, len(run.table.rows))
            simulate.watch(context)
            window_manager.modal_handler_add(self)
            return {"RUNNING_MODAL"}
        except BaseException:  # nobody would come to finish the run
            many.abandon()
            simulate.clean_up(context)
            raise

    def modal(self, context: Any, event: Any) -> set[str]:
        try:
            return self._tick(context, event)
        except RedMaxError as error:
            text = str(error)
        except Exception as error:
            text = unexpected.told("Showing the variations", error)
        many.abandon()
        simulate.clean_up(context)
        context.window_manager.redmax.message = text
        self.report({"ERROR"}, text)
        return {"CANCELLED"}

    def _tick(self, context: Any, event: Any) -> set[str]:
        run = many.current()
        if run is None:  # given up: another file was opened, or the add-on disabled
            simulate.clean_up(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            run.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if run.finished or run.cancelled:
            text = many.finish()
            simulate.clean_up(context)
            return self._tell(context, text)
        done = run.progress.done if run.progress is not None else 0
        simulate.show_progress(context, done, len(run.table.rows), run.text())
        return {"PASS_THROUGH"}

    def cancel(self, context: Any) -> None:
        """Blender ends the operator, as when its window is closed."""
        many.abandon()
        simulate.clean_up(context)

    def _tell(self, context: Any, text: str) -> set[str]:
        context.window_manager.redmax.message = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_bake_variation(bpy.types.Operator):
    """Write the motion of the active variation as keyframes; the setup keeps its own values"""

    bl_idname = "redmax.bake_variation"
    bl_label = "Bake Variation"
    bl_options = {"REGISTER", "UNDO"}

    allow_stale: bpy.props.BoolProperty(
        name="Bake Old Result",
        description="Bake the variation although the mechanism was changed since it was simulated",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _has_rows(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        scene, view_layer = context.scene, context.view_layer
        settings = scene.redmax.variations
        row = settings.rows[min(max(settings.active_row, 0), len(settings.rows) - 1)]
        if row.status != "complete" and not row.end:
            raise refuse("", f"Variation '{row.name}' failed: {row.message}", "pick another")
        try:
            preview.hide(scene)
            extraction = extract.extract(scene, view_layer)
            extract.require_sound(extraction)
            settings.changed = cache.fingerprint(extraction, integrator_of(scene)) != settings.base
            if settings.changed and not self.allow_stale:
                raise refuse("", STALE, "press Simulate All, or bake the old result")
            result = many.result_of(row)
            changed = many.extraction_of(row, extraction)
            report = baking.bake(scene, view_layer, changed, result, baking.BakeOptions.from_scene(scene))
        finally:
            preview.show(scene)
        text = f"Variation '{row.name}': {report}"
        context.window_manager.redmax.message = text
        self.report({"WARNING"} if report.notes else {"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_draw_variations(bpy.types.Operator):
    """Draw how each variation ends, for the contact sheet"""

    bl_idname = "redmax.draw_variations"
    bl_label = "Draw Pictures"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _has_rows(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        with preview.paused():
            count = many.draw_pictures(context.scene, _extraction(context))
        self.report({"INFO"}, f"Drew {count} variations")
        return {"FINISHED"}


class REDMAX_OT_export_sheet(bpy.types.Operator, ExportHelper):  # type: ignore[misc]  # Blender's own way
    """Write the contact sheet of the listed variations as an SVG file, with the pictures that were drawn"""

    bl_idname = "redmax.export_sheet"
    bl_label = "Export Contact Sheet"
    bl_options = {"REGISTER"}

    filename_ext = ".svg"
    filter_glob: bpy.props.StringProperty(default="*.svg", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _has_rows(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        settings = context.scene.redmax.variations
        order = [k for k in properties.in_order(settings) if properties.is_listed(settings, settings.rows[k])]
        path = Path(bpy.path.abspath(getattr(self, "filepath")))  # noqa: B009 (untyped)
        try:
            many.write_sheet(context.scene, order, path)
        except OSError as error:
            raise refuse("", f"'{path}' cannot be written: {error.strerror or error}", "give another name") from None
        self.report({"INFO"}, f"Wrote {len(order)} variations to '{path.name}'")
        return {"FINISHED"}


class REDMAX_OT_pick_variation(bpy.types.Operator):
    """Make this the active variation, which Bake Variation bakes"""

    bl_idname = "redmax.pick_variation"
    bl_label = "Pick Variation"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty(name="Number", description="Of the variation in the table, from 0", min=0)

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _has_rows(cls, context)

    def execute(self, context: Any) -> set[str]:
        settings = context.scene.redmax.variations
        settings.active_row = min(self.index, len(settings.rows) - 1)
        self.report({"INFO"}, f"Picked variation '{settings.rows[settings.active_row].name}'")
        return {"FINISHED"}


class REDMAX_OT_clear_variations(bpy.types.Operator):
    """Empty the list of simulated variations; their files stay and are found again by Simulate All"""

    bl_idname = "redmax.clear_variations"
    bl_label = "Clear Variations"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _has_rows(cls, context)

    def execute(self, context: Any) -> set[str]:
        settings = context.scene.redmax.variations
        count = len(settings.rows)
        settings.rows.clear()
        settings.base, settings.changed = "", False
        self.report({"INFO"}, f"Cleared the list of {count} variations")
        return {"FINISHED"}


def forget() -> None:
    """The add-on is disabled."""
    many.abandon()
    pictures.forget()


CLASSES = (
    REDMAX_OT_add_variation,
    REDMAX_OT_remove_variation,
    REDMAX_OT_import_variations,
    REDMAX_OT_export_variations,
    REDMAX_OT_simulate_variations,
    REDMAX_OT_bake_variation,
    REDMAX_OT_draw_variations,
    REDMAX_OT_export_sheet,
    REDMAX_OT_pick_variation,
    REDMAX_OT_clear_variations,
)
