# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo from the empty file to the pictures; every step says in a line what it did."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from . import energy_plot, mechanism, modelling, pictures, pump, stage
from .quiet import console_to

MODULE = "bl_ext.user_default.redmax_blender"
FRAMES, FPS = 192, 24
SHEET = (1, 40, 64, 88, 108, 128, 148, 168, 186)
RIDE = (1, 36, 56, 68, 84, 110)
"""Frames of the roller coaster that are drawn."""

KNOCKS = (1, 8, 14, 20, 28, 36)
"""Frames of Newton's cradle that are drawn."""

STILL, FILM = (640, 360), (800, 450)
TITLE = "Crane and pump"


class Demo:
    """One run. out: the folder for everything it leaves."""

    def __init__(self, out: Path) -> None:
        self.out, self.log = out, out / "blender.log"
        self.log.unlink(missing_ok=True)
        self.blend = out / "demo.blend"
        self.begun = time.perf_counter()
        self.lines = 0

    def run(self, package: Path) -> None:
        self.install(package)
        self.author(*self.model())
        self.simulate()
        self.bake()
        self.plot_energy()
        self.take_pictures()
        self.ride()
        self.knock()
        seconds = time.perf_counter() - self.begun
        self.say(f"All of it took {seconds:.0f} s. Open {shown(self.blend)} in Blender, or {shown(self.out)}/demo.mp4")

    def say(self, text: str) -> None:
        self.lines += 1
        print(f"{self.lines:2}  {text}", flush=True)

    @contextmanager
    def working(self) -> Iterator[Callable[[], str]]:
        """What Blender says goes to the log; gives a function that tells the seconds since."""
        begun = time.perf_counter()
        with console_to(self.log):
            yield lambda: f"{time.perf_counter() - begun:.1f} s"

    def install(self, package: Path) -> None:
        with self.working():
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            bpy.context.preferences.filepaths.save_version = 0
            bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
        if MODULE not in bpy.context.preferences.addons:
            raise SystemExit(f"{package.name} could not be installed; {shown(self.log)} says why")
        self.say(f"Installed {package.name} into a clean profile of Blender {bpy.app.version_string}")

    def model(self) -> tuple[modelling.Crane, pump.Pump]:
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, FRAMES
        scene.render.fps, scene.render.fps_base = FPS, 1.0
        crane = modelling.model(scene.collection)
        nodding = pump.model(scene.collection)
        stage.build(scene, reach=7.6, look_from=(9.5, -20.0, 8.0), look_at=(0.6, 0.0, 4.7), lens=36.0)
        bpy.context.view_layer.update()
        self.say(f"Modelled a tower crane: {len(crane.bodies)} plain meshes, {len(crane.links)} of them chain links")
        self.say(f"Modelled an oil pump beside it: {len(nodding.bodies)} meshes of a four-bar linkage")
        return crane, nodding

    def author(self, crane: modelling.Crane, nodding: pump.Pump) -> None:
        with self.working():
            slew, travel = mechanism.author(crane)
            crank, closing = mechanism.author_pump(nodding)
            mechanism.press(bpy.ops.redmax.check)
        running: Any = bpy.context.window_manager.redmax
        errors = [problem.text for problem in running.problems if problem.severity == "ERROR"]
        if errors:
            raise SystemExit("Check found: " + "; ".join(errors))
        joints = sum(obj.redmax.is_joint for obj in bpy.data.objects)
        self.say(f"Made them bodies and connected them by {joints} joints, with RedMax's operators")
        self.say(f"Keyed the coordinates of '{slew}', '{travel}' and '{crank}', as an animator does")
        for found in running.mechanisms:
            loops = f", {found.loops} loop through '{closing}'" if found.loops else ""
            told = f"{found.bodies} bodies, {found.dofs} free coordinates{loops}, no errors"
            self.say(f"Checked mechanism '{found.root}': {told}")

    def simulate(self) -> None:
        with self.working():
            bpy.ops.wm.save_as_mainfile(filepath=str(self.blend), check_existing=False)
            mechanism.press(bpy.ops.redmax.simulate)
        self.say(bpy.context.window_manager.redmax.message)

    def bake(self) -> None:
        bpy.context.scene.redmax.bake.energy = True
        with self.working() as seconds:
            mechanism.press(bpy.ops.redmax.bake)
        told = f"{bpy.context.window_manager.redmax.message} in {seconds()}"
        with self.working():
            bpy.ops.wm.save_mainfile()
        self.say(f"{told}; saved {shown(self.blend)}")

    def plot_energy(self) -> None:
        """From the result that Simulate left beside the file."""
        trajectory = importlib.import_module(f"{MODULE}.redmax.trajectory")
        identifier = bpy.context.scene.redmax.result.identifier
        result = trajectory.load(self.blend.parent / "redmax_cache" / f"{identifier}.npz")
        path = self.out / "energy.png"
        energy_plot.draw(path, result.t, result.channels, title=f"{TITLE}: where the energy goes")
        work = np.abs(result.channels["work"]).max() / 1000.0
        worst = energy_plot.imbalance(result.channels).max()
        gap = np.abs(result.channels["gap"]).max()
        self.say(f"The loop of the pump stayed closed to {gap:.0e} m on every frame")
        self.say(f"Motors did up to {work:.0f} kJ of work; the books balance to {worst:.0e}: {shown(path)}")

    def take_pictures(self) -> None:
        scene = bpy.context.scene
        sheet, film = self.out / "demo.png", self.out / "demo.mp4"
        with self.working():
            stills = [
                pictures.still(scene, frame, self.out / f"frame_{frame:03}.png", size=STILL, samples="8")
                for frame in SHEET
            ]
            pictures.contact_sheet(
                sheet,
                stills,
                [f"frame {frame}" for frame in SHEET],
                title=f"{TITLE}: jib, trolley and crank follow keys; chain, load and beam are simulated",
                subtitle="RedMax for Blender: authored, simulated and baked by its operators, drawn by Workbench",
            )
            for frame in SHEET:
                (self.out / f"frame_{frame:03}.png").unlink()
            pictures.film(scene, film, size=FILM, samples="FXAA")
        self.say(f"Took pictures: {shown(sheet)} (contact sheet) and {shown(film)} ({FRAMES / FPS:g} s)")

    def ride(self) -> None:
        """A roller coaster in a file of its own: added from the menu, simulated, baked and drawn."""
        path, sheet = self.out / "coaster.blend", self.out / "coaster.png"
        with self.working() as seconds:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            scene = bpy.context.scene
            scene.frame_end = RIDE[-1]
            scene.render.fps, scene.render.fps_base = FPS, 1.0
            mechanism.press(bpy.ops.redmax.add_coaster)
            bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
            mechanism.press(bpy.ops.redmax.simulate)
            mechanism.press(bpy.ops.redmax.bake)
            told = bpy.context.window_manager.redmax.message
            stage.build(scene, reach=26.0, look_from=(15.0, -46.0, 22.0), look_at=(-1.5, 5.5, 3.0), lens=44.0)
            bpy.ops.wm.save_mainfile()
            stills = [pictures.still(scene, frame, sheet, size=STILL, samples="8") for frame in RIDE]
            pictures.contact_sheet(
                sheet,
                stills,
                [f"frame {frame}" for frame in RIDE],
                title="Roller coaster: a train of four carts on one curve, with a loop and banked turns",
                subtitle="RedMax for Blender: Add > Mechanism > Roller Coaster, simulated and baked",
            )
        self.say(f"A roller coaster besides: {told}, all in {seconds()}: {shown(path)} and {shown(sheet)}")

    def knock(self) -> None:
        """Newton's cradle in a file of its own: balls that touch."""
        path, sheet = self.out / "cradle.blend", self.out / "cradle.png"
        with self.working() as seconds:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            scene = bpy.context.scene
            scene.frame_end = KNOCKS[-1]
            scene.render.fps, scene.render.fps_base = FPS, 1.0
            mechanism.press(bpy.ops.redmax.add_cradle)
            bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
            mechanism.press(bpy.ops.redmax.simulate)
            mechanism.press(bpy.ops.redmax.bake)
            told = bpy.context.window_manager.redmax.message
            stage.build(scene, reach=2.5, look_from=(1.9, -3.4, 1.5), look_at=(0.0, 0.0, 0.5), lens=50.0)
            bpy.ops.wm.save_mainfile()
            stills = [pictures.still(scene, frame, sheet, size=STILL, samples="8") for frame in KNOCKS]
            pictures.contact_sheet(
                sheet,
                stills,
                [f"frame {frame}" for frame in KNOCKS],
                title="Newton's cradle: five balls that touch, and lose nothing",
                subtitle="RedMax for Blender: Add > Mechanism > Newton's Cradle, simulated and baked",
            )
        self.say(f"Newton's cradle besides: {told}, all in {seconds()}: {shown(path)} and {shown(sheet)}")


def shown(path: Path) -> str:
    """A path as short as it can be said."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
