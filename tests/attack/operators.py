# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequences of the add-on's operators between an artist's own steps; runs in a Blender environment.

`python -m tests.attack.operators --seed 7 --steps 60` builds a random scene and goes on from there: operators with
random settings on random selections, edits, deletions, renames, undo, redo, other frames, saving and opening. One line
of JSON is said before each step.

After every operator of the add-on must hold: no error that nobody foresaw, all numbers finite, no scene left over, the
same frame; and what the artist keyed, or changed without a key, on things outside of mechanisms is untouched.
"""

import argparse
import json
import logging
import os
import random
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import bpy
import numpy as np

ROOT = Path(__file__).parents[2]
for _folder in ("engine", "addon"):
    if str(ROOT / _folder) not in sys.path:
        sys.path.insert(0, str(ROOT / _folder))

import redmax_blender  # noqa: E402  (the paths are set above)
from redmax.simulate import Recorder  # noqa: E402
from redmax_blender import compat  # noqa: E402

LEFT_ALONE = {"warm_up", "clear_kernels", "open_documentation", "save_material", "save_joint_feel", "save_accuracy"}
"""Operators that act on the computer and not on the file."""

FRAMES = 12
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
NAMES = ("Arm", "Ärmel", "a.001", "x" * 63, "🦾", "Scene", "''", "{0}", "../up")


class BrokenError(Exception):
    """Something that must hold does not."""


class Unforeseen(logging.Handler):
    """Keeps what the add-on logs as errors that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


class Fuzz:
    """One sequence of steps."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.folder = folder
        self.unforeseen = Unforeseen()
        logging.getLogger("redmax_blender").addHandler(self.unforeseen)
        self.path = folder / "fuzz.blend"
        self.broken: dict[str, str] = {}
        self.simulated = False

    # --- the scene ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, FRAMES
        rng = self.rng
        for k in range(rng.randrange(0, 6)):
            self.box(f"Box {k}")
        if rng.random() < 0.6:
            templates = [
                name for name in dir(bpy.ops.redmax) if name.startswith("add_") and name not in ("add_body", "add_part")
            ]
            self.press(rng.choice(templates))
            scene.frame_end = FRAMES
        self.witnesses()
        scene.frame_set(rng.randrange(1, FRAMES))
        self.touch()
        bpy.ops.ed.undo_push(message="begin")

    def box(self, name: str) -> None:
        rng = self.rng
        corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(corners, [], FACES if rng.random() < 0.9 else FACES[:-1])
        obj = bpy.data.objects.new(name, mesh)
        obj.location = [rng.uniform(-2.0, 2.0) for _ in range(3)]
        bpy.context.scene.collection.objects.link(obj)

    def witnesses(self) -> None:
        """Things of the artist's that no mechanism has: a keyed empty, a keyed camera, a keyed material."""
        empty = bpy.data.objects.new("Witness", None)
        camera = bpy.data.objects.new("Witness Camera", bpy.data.cameras.new("Witness Lens"))
        for obj in (empty, camera):
            bpy.context.scene.collection.objects.link(obj)
            for frame, x in ((1, 0.0), (FRAMES, 3.0)):
                obj.location.x = x
                obj.keyframe_insert("location", frame=frame)
        camera.data.keyframe_insert("lens", frame=1)
        material = bpy.data.materials.new("Witness Paint")
        material.keyframe_insert("roughness", frame=1)

    def touch(self) -> None:
        """The artist changes values without keying them."""
        for obj in (bpy.data.objects.get("Witness"), bpy.data.objects.get("Witness Camera")):
            if obj is not None:
                obj.location = [self.rng.uniform(-5.0, 5.0) for _ in range(3)]
        if bpy.data.cameras.get("Witness Lens"):
            bpy.data.cameras["Witness Lens"].lens = self.rng.uniform(20.0, 80.0)
        if bpy.data.materials.get("Witness Paint"):
            bpy.data.materials["Witness Paint"].roughness = self.rng.random()
        bpy.context.view_layer.update()

    def picture(self) -> dict:
        """What the add-on must leave alone."""
        found: dict = {
            "scenes": sorted(s.name for s in bpy.data.scenes),
            "frame": bpy.context.scene.frame_current_final,
        }
        for name in ("Witness", "Witness Camera"):
            obj = bpy.data.objects.get(name)
            if obj is not None:
                found[name] = (tuple(obj.location), tuple(obj.rotation_euler), tuple(obj.scale), keys_of(obj))
        lens, paint = bpy.data.cameras.get("Witness Lens"), bpy.data.materials.get("Witness Paint")
        found["lens"] = lens and (lens.lens, keys_of(lens))
        found["paint"] = paint and (paint.roughness, keys_of(paint))
        return found

    # --- steps ----------------------------------------------------------------------------------------------------

    def step(self) -> str:
        """Does one thing; what it was."""
        rng = self.rng
        if rng.random() < 0.6:
            names = [name for name in dir(bpy.ops.redmax) if name not in LEFT_ALONE and not name.startswith("__")]
            if len(bpy.data.objects) > 40:  # templates on templates only take time
                names = [name for name in names if not name.startswith("add_")]
            weights = [
                6.0 if name in ("simulate", "bake", "check", "connect", "make_mechanism") else 1.0 for name in names
            ]
            name = rng.choices(names, weights)[0]
            if self.simulated and rng.random() < 0.6:  # results are baked while they are fresh
                name = rng.choice(["bake", "bake", "show_result", "clear_result"])
            self.select()
            say(presses=name)
            before = self.picture()
            told = self.press(name)
            after = self.picture()
            self.simulated = "FINISHED" in told if name == "simulate" else self.simulated and name != "bake"
            self.hold(name, before, after)
            return f"redmax.{name}: {told}"
        own = (self.move, self.key, self.delete, self.rename, self.frame, self.undo, self.redo, self.save_and_open)
        action = rng.choice((*own, self.edit, self.new, self.touch, self.parent))
        say(does=action.__name__)
        action()
        return action.__name__

    def hold(self, name: str, before: dict, after: dict) -> None:
        for key in before.keys() | after.keys():
            if before.get(key) != after.get(key):
                what = f"WRONG: redmax.{name} changed {key}: {before.get(key)!r} -> {after.get(key)!r}"
                self.broken.setdefault(f"{name} {key}", what)

    def sound(self) -> None:
        """What holds after every step."""
        if self.unforeseen.said:
            raise BrokenError("TRACEBACK: " + self.unforeseen.said[0])
        bpy.context.view_layer.update()
        for obj in bpy.context.scene.objects:
            if not np.isfinite(np.array(obj.matrix_world)).all():
                raise BrokenError(f"WRONG: '{obj.name}' stands where no place is")
        if bpy.context.window_manager.redmax.running:
            raise BrokenError("WRONG: a simulation is said to run, and none does")

    def press(self, name: str) -> str:
        operator = getattr(bpy.ops.redmax, name)
        settings = self.settings(operator)
        try:
            if not operator.poll():
                return "grey"
            return str(sorted(operator("EXEC_DEFAULT", True, **settings)))
        except RuntimeError as error:
            text = str(error)
            if "Traceback (most recent call last)" in text:
                raise BrokenError(f"TRACEBACK: redmax.{name}: {text}") from None
            return text.strip()[:150]
        except TypeError as error:  # an enum that has no such item now
            return f"not possible: {str(error)[:100]}"

    def settings(self, operator) -> dict:
        """Random values for some of an operator's properties."""
        rng, chosen = self.rng, {}
        for prop in operator.get_rna_type().properties:
            name = prop.identifier
            if name == "rna_type":
                continue
            if name == "filepath":
                chosen[name] = str(self.folder / "scene.json")
            elif name == "element":
                chosen[name] = rng.choice([obj.name for obj in bpy.context.scene.objects] or [""])
            elif rng.random() < 0.5:
                continue
            elif prop.type == "ENUM" and not prop.is_enum_flag:
                items = [item.identifier for item in prop.enum_items]
                if items:
                    chosen[name] = rng.choice(items)
            elif prop.type == "BOOLEAN" and not prop.is_array:
                chosen[name] = rng.random() < 0.5
            elif prop.type == "INT" and not prop.is_array:
                chosen[name] = rng.randrange(max(prop.hard_min, -3), min(prop.hard_max, 8) + 1)
            elif prop.type == "FLOAT" and not prop.is_array:
                chosen[name] = rng.choice([prop.hard_min, prop.hard_max, rng.uniform(0.0, 2.0)])
                if abs(chosen[name]) > 1e6:
                    chosen[name] = 1.0
        return chosen

    def objects(self) -> list:
        return [obj for obj in bpy.context.scene.objects if not obj.name.startswith("Witness")]

    def one(self):
        return self.rng.choice(self.objects()) if self.objects() else None

    def select(self) -> None:
        objects = self.objects()
        count = self.rng.randrange(0, 1 + min(4, len(objects)))
        chosen = self.rng.sample(objects, count)
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj in chosen)
        if self.rng.random() < 0.9:
            bpy.context.view_layer.objects.active = chosen[-1] if chosen else None

    def move(self) -> None:
        if obj := self.one():
            obj.location = [self.rng.uniform(-3.0, 3.0) for _ in range(3)]
            if self.rng.random() < 0.2:
                obj.scale = [self.rng.choice([0.0, -1.0, 1.0, 2.0, 1e-6, 1e6]) for _ in range(3)]

    def key(self) -> None:
        if obj := self.one():
            path = "location"
            if obj.redmax.is_joint and self.rng.random() < 0.6:
                path = "redmax.joint.coordinate_angle_1"
                obj.redmax.joint.motion_type = "animated"
            obj.keyframe_insert(path, frame=self.rng.randrange(1, FRAMES))

    def delete(self) -> None:
        if (obj := self.one()) and len(self.objects()) > 2:
            bpy.data.objects.remove(obj)

    def rename(self) -> None:
        if obj := self.one():
            obj.name = self.rng.choice(NAMES)

    def frame(self) -> None:
        bpy.context.scene.frame_set(self.rng.randrange(-2, FRAMES + 5), subframe=self.rng.choice([0.0, 0.0, 0.25]))

    def undo(self) -> None:
        try_operator(bpy.ops.ed.undo)

    def redo(self) -> None:
        try_operator(bpy.ops.ed.redo)

    def save_and_open(self) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(self.path), check_existing=False)
        if self.rng.random() < 0.7:
            bpy.ops.wm.open_mainfile(filepath=str(self.path))

    def edit(self) -> None:
        """Something in the panels."""
        obj, rng = self.one(), self.rng
        if obj is None:
            return
        joint = obj.redmax.joint
        what = rng.randrange(7)
        if what == 0:
            joint.kind = rng.choice([item.identifier for item in joint.bl_rna.properties["kind"].enum_items])
        elif what == 1:
            joint.parent, joint.child = rng.choice([None, *self.objects()]), rng.choice([None, *self.objects()])
        elif what == 2:
            joint.motion_type = rng.choice(["simulated", "animated", "locked"])
        elif what == 3:
            joint.stiffness = [rng.choice([0.0, 1.0, 1e3])] * 6
        elif what == 4:
            obj.redmax.is_body = not obj.redmax.is_body
        elif what == 5:
            bpy.context.scene.redmax.accuracy = rng.choice(["DRAFT", "STANDARD", "HIGH"])
        else:
            obj.redmax.body.root = rng.choice(["FREE", "LOCKED"])

    def new(self) -> None:
        if self.rng.random() < 0.5:
            self.box("New")
        else:
            bpy.context.scene.collection.objects.link(bpy.data.objects.new("Empty", None))

    def parent(self) -> None:
        child, parent = self.one(), self.one()
        if child is None or child == parent or parent in child.children_recursive:
            return
        child.parent = parent


def try_operator(operator) -> None:
    if operator.poll():
        try:
            operator()
        except RuntimeError:
            return  # nothing to undo


def keys_of(item) -> list:
    """All keys of a thing, as numbers."""
    if item.animation_data is None or item.animation_data.action is None:
        return []
    return [[tuple(key.co) for key in curve.keyframe_points] for curve in compat.fcurves_of(item)]


def say(**line) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1, help="so many seeds one after the other")
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    redmax_blender.register()
    heard = time.monotonic()
    add = Recorder.add

    def adding(self, sample) -> None:
        nonlocal heard
        if time.monotonic() - heard > 1.0:
            heard = time.monotonic()
            say(frame=sample.index)
        add(self, sample)

    Recorder.add = adding  # a run that makes progress does not hang
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            say(seed=seed, blender=".".join(map(str, bpy.app.version)))
            fuzz = Fuzz(seed, Path(folder))
            done = "begin"
            try:
                fuzz.begin()
                for number in range(options.steps):
                    say(step=number)
                    done = fuzz.step()
                    say(did=done)
                    fuzz.sound()
                    bpy.ops.ed.undo_push(message=str(number))
            except BrokenError as error:
                say(end="broken", what=[str(error)[-3000:], *fuzz.broken.values()])
            except Exception as error:
                import traceback

                say(end="fuzz", what=[f"{done}: {error!r} {traceback.format_exc()[-1500:]}"])
            else:
                say(end="broken" if fuzz.broken else "ok", what=list(fuzz.broken.values()))
            logging.getLogger("redmax_blender").removeHandler(fuzz.unforeseen)
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 crashes at exit while the add-on's command is registered


if __name__ == "__main__":
    sys.exit(main())
