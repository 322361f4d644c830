# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate, show or hide the result, and clear it."""

import sys
from dataclasses import replace
from typing import Any

import bpy

from .._engine import preparing
from ..bridge.core import unexpected
from ..bridge.core.findings import BridgeError, RedMaxError
from ..bridge.results import cache, preparation, preview, result_history
from ..bridge.run import live, many, simulation
from ..properties.scene import has_bodies
from . import readiness

KEYS = "    ESC: stop and keep what is done"
AGAIN = "Simulate once more, although nothing has changed since the last time"

INTERVAL = 0.1
"""Seconds between two looks at a running simulation: smooth to watch, and little time taken from computing."""


_timers: list[Any] = []
"""Of the running operator, which may end without being asked: when another file is opened, or the add-on disabled."""


def _nothing_runs(cls: Any) -> bool:
    """Also true of runs that a script has begun, of which the window knows nothing."""
    if live.running() or many.running():
        cls.poll_message_set("A simulation is running; press ESC in the viewport to stop it")
        return False
    return True


class REDMAX_OT_simulate(bpy.types.Operator):
    """Compute how the mechanisms of this scene move. It plays as it computes; ESC stops and keeps what is done"""

    bl_idname = "redmax.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    again: bpy.props.BoolProperty(
        name="Again",
        description=AGAIN,
        options={
            "SKIP_SAVE",
            "HIDDEN",
        },  # not in the panel of the last operation, which would hold Blender until it is done
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        return AGAIN if properties.again else str(cls.__doc__)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not _nothing_runs(cls):
            return False
        if not has_bodies(context.scene):
            cls.poll_message_set("There is no body in this scene; add one in the Physics tab or with Make Mechanism")
            return False
        return True

    @readiness.refusing
    def execute(self, context: bpy.types.Context) -> set[str]:
        """All at once, for scripts and background use."""
        scene, window_manager = context.scene, context.window_manager
        try:
            extraction, integrator = live.prepare(scene, context.view_layer)
        except RedMaxError as error:
            return self._refuse(context, error)
        if (outcome := self._reused(context, extraction, integrator)) is not None:
            return self._tell(context, outcome)
        run = simulation.Run(extraction, integrator)
        window_manager.progress_begin(0, run.frames_total)
        told = preparing.Percent(sys.stderr)  # a computer does this once, and it takes a while
        try:
            run.work(lambda done, _total: window_manager.progress_update(done), told.show)
        finally:
            told.end()
            window_manager.progress_end()
        outcome = live.keep(scene, run)
        preview.show(scene)
        return self._tell(context, outcome)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Beside the artist's work, with a picture of every frame."""
        if bpy.app.background or context.window is None:
            result: set[str] = self.execute(context)
            return result
        return readiness.attempt(self, context, lambda: self._begin(context))

    def _begin(self, context: bpy.types.Context) -> set[str]:
        try:
            extraction, integrator = live.prepare(context.scene, context.view_layer)
        except RedMaxError as error:
            return self._refuse(context, error)
        if (outcome := self._reused(context, extraction, integrator)) is not None:
            return self._tell(context, outcome)
        preparation.ensure()
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        window_manager = context.window_manager
        try:
            run = live.begin(context.scene, extraction, integrator)
            window_manager.redmax.running = True
            window_manager.progress_begin(0, run.frames_total)
            watch(context)
            window_manager.modal_handler_add(self)
            return {"RUNNING_MODAL"}
        except BaseException:  # nobody would come to finish the run
            live.abandon()
            clean_up(context)
            raise

    def _reused(self, context: bpy.types.Context, extraction: Any, integrator: Any) -> live.Outcome | None:
        """What to tell where the scene's result is what a simulation would give again; None where it is not."""
        outcome = None if self.again else live.unchanged(context.scene, extraction, integrator)
        if outcome is not None:
            preview.show(context.scene)
        return outcome

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Whatever is raised in a tick, the run is finished: Blender would end the operator and leave the run alone."""
        try:
            return self._tick(context, event)
        except Exception as error:
            text = unexpected.told("Showing the simulation", error)
            outcome = live.rescue()
            clean_up(context)
            said = f"{text}. {outcome.text}" if outcome.text else text
            return self._tell(context, replace(outcome, level="ERROR", text=said))

    def _tick(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not live.running():  # given up: another file was opened, or the add-on disabled
            clean_up(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            live.stop()
            self._show_progress(context)
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if live.scene_of_run() is None:
            live.stop()
        if not (live.finished() or live.overdue()):  # a frame that takes long is not waited for
            live.show_newest()
            self._show_progress(context)
            return {"PASS_THROUGH"}
        outcome = live.finish()
        clean_up(context)
        return self._tell(context, outcome)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator, as when its window is closed."""
        outcome = live.rescue() if live.running() else None
        clean_up(context)
        if outcome is not None:
            context.window_manager.redmax.message = outcome.text

    def _show_progress(self, context: bpy.types.Context) -> None:
        done, total, frame = live.progress()
        window_manager, part = context.window_manager, live.preparing()
        keys = KEYS
        if live.stopping():
            window_manager.redmax.message = "Stopping"
            keys = ""
        elif part is None:
            window_manager.redmax.progress = done / total
            last = frame - max(done - 1, 0) + total - 1
            said = (f"Simulating frame {frame} of {last}", live.remaining(), live.by_numpy())
            window_manager.redmax.message = ", ".join(filter(None, said))
        else:
            window_manager.redmax.progress = part
            window_manager.redmax.message = preparation.text(part)
        window_manager.progress_update(done)
        context.workspace.status_text_set(f"RedMax: {window_manager.redmax.message}{keys}")
        _redraw(window_manager)

    def _tell(self, context: bpy.types.Context, outcome: live.Outcome) -> set[str]:
        state = context.window_manager.redmax
        state.message, state.failure = outcome.text, "" if outcome.kept or outcome.level != "ERROR" else outcome.text
        readiness.list_result(self, context)
        self.report({outcome.level}, outcome.text)
        return {"FINISHED"} if outcome.kept else {"CANCELLED"}

    def _refuse(self, context: bpy.types.Context, error: RedMaxError) -> set[str]:
        """The first finding in the status bar; Check lists them all."""
        text = str(error)
        if isinstance(error, BridgeError) and len(error.findings) > 1:
            text = f"{error.findings[0]} (and {len(error.findings) - 1} more, listed in Check)"
        context.window_manager.redmax.message = text
        self.report({"ERROR"}, text)
        return {"CANCELLED"}


class ResultOperator:
    """Acts on the result of the scene."""

    @classmethod
    def poll(cls: Any, context: bpy.types.Context) -> bool:
        if not _nothing_runs(cls):
            return False
        if not context.scene.redmax.result.identifier:
            cls.poll_message_set("There is no result yet; Simulate first")
            return False
        return True


class REDMAX_OT_show_result(ResultOperator, bpy.types.Operator):
    """Let the bodies follow the simulation while you scrub, or stand as you modelled them"""

    bl_idname = "redmax.show_result"
    bl_label = "Show Result"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def description(cls, context: Any, _properties: Any) -> str:
        """With what is to be known of the result: how it ended, how long it took and what computed it."""
        result = context.scene.redmax.result
        if not result.identifier:
            return cls.__doc__ or ""
        frames = f"Frames {result.frame_start} to {result.frame_end}"
        early = ", stopped early" if result.status != "complete" else ""
        by = f" by {result.route}" if result.route else ""
        return f"{cls.__doc__}.\n{frames}{early}, simulated in {result.seconds:.1f} s{by}"

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        scene.redmax.show_result = not scene.redmax.show_result
        preview.show(scene)
        if scene.redmax.show_result and (problem := cache.problem(scene)):
            self.report({"WARNING"}, problem)
        return {"FINISHED"}


class REDMAX_OT_clear_result(ResultOperator, bpy.types.Operator):
    """Delete the result of the simulation, in memory and on disk, also a whole one put aside. Baked keys stay"""

    bl_idname = "redmax.clear_result"
    bl_label = "Clear Result"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        preview.hide(context.scene)
        preview.forget(context.scene.redmax.result.identifier)
        preview.forget(context.scene.redmax.former.identifier)
        cache.forget(context.scene)
        preview.show(context.scene)  # where coordinates put the bodies
        readiness.list_result(self, context)
        text = f"Cleared the result of scene '{context.scene.name}'"
        context.window_manager.redmax.message = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_bring_back(bpy.types.Operator):
    """Return to the last result that reached its last frame, in place of the one that was stopped"""

    bl_idname = "redmax.bring_back"
    bl_label = "Bring Back Whole Result"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not _nothing_runs(cls):
            return False
        if not context.scene.redmax.former.identifier:
            cls.poll_message_set("No whole result was put aside by a run that was stopped")
            return False
        return True

    @readiness.refusing
    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        text = result_history.bring_back(scene)
        try:
            with preview.paused():
                cache.is_stale(scene, context.view_layer)
        except RedMaxError:  # a scene that cannot be simulated any more is not what it was
            scene.redmax.result.changed = True
        preview.show(scene)
        context.window_manager.redmax.message = text
        readiness.list_result(self, context)
        self.report({"INFO"}, text)
        return {"FINISHED"}


def watch(context: bpy.types.Context) -> None:
    """Let the running operator hear of time passing, until `clean_up`."""
    _timers.append(context.window_manager.event_timer_add(INTERVAL, window=context.window))


def show_progress(context: bpy.types.Context, done: int, total: int, text: str) -> None:
    """How far a run has come: in the panel, in the status bar and at the cursor."""
    state = context.window_manager.redmax
    state.progress, state.message = done / max(total, 1), text
    context.window_manager.progress_update(done)
    context.workspace.status_text_set(f"RedMax: {text}{KEYS}")
    _redraw(context.window_manager)


def clean_up(context: bpy.types.Context | None = None) -> None:
    """Nothing of a run is left in the window: no timer, no progress, no line in the status bar."""
    context = context or bpy.context
    window_manager, workspace = context.window_manager, context.workspace
    window_manager.redmax.running = False
    window_manager.redmax.progress = 0.0
    if _timers:
        window_manager.progress_end()
        if workspace is not None:  # only after a run: the call alone leaves its mark on Blender's status bar
            workspace.status_text_set(None)
    while _timers:
        window_manager.event_timer_remove(_timers.pop())
    _redraw(window_manager)


def _redraw(window_manager: bpy.types.WindowManager) -> None:
    """Let the panels show what has changed."""
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PROPERTIES"}:
                area.tag_redraw()


CLASSES = (REDMAX_OT_simulate, REDMAX_OT_show_result, REDMAX_OT_clear_result, REDMAX_OT_bring_back)
