# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequences of the add-on's operators between an artist's own steps; runs in a Blender environment.

`python -m tests.attack.operators --seed 7 --steps 60` builds a random scene and goes on from there: operators with
random settings on random selections, edits, deletions, renames, undo, redo, other frames, saving and opening. One line
of JSON is said before each step.

After every operator of the add-on must hold: no error that nobody foresaw, all numbers finite, no scene left over, the
same frame; and what the artist keyed, or changed without a key, on things outside of mechanisms is untouched.
What must hold of mechanisms is in `operators_hold`.
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

from tests.attack import operators_artist as artist  # noqa: E402
from tests.attack import operators_hold as hold  # noqa: E402
from tests.attack.operators_artist import FRAMES  # noqa: E402

import redmax_blender  # noqa: E402  (the paths are set above)
from redmax.simulate import Recorder  # noqa: E402
from redmax_blender.bridge.bake import actions  # noqa: E402
from redmax_blender.bridge.results import keyed_pose  # noqa: E402
from redmax_blender.bridge.run import simulation  # noqa: E402
from redmax_blender.ui import menus  # noqa: E402

LEFT_ALONE = {"warm_up", "clear_kernels", "open_documentation", "save_material", "save_joint_feel", "save_accuracy"}
"""Operators that act on the computer and not on the file."""

SHOWS_ONLY = {
    "check",
    "simulate",
    "show_result",
    "clear_result",
    "clear_results",
    "bring_back",
    "follow_coordinates",
    "full_zip_told",
    "select_element",
    "export_scene",
}
"""Operators that compute, show or forget: they change neither the artist's file nor what is simulated."""

MOVES = {"edit_track", "fix", "fix_all", "set_joint_axis", "bake", "remove_bake", "remove_joint", "swap_joint"}
"""Operators that may write to transform channels of objects that were there."""

KEYS = {
    *("bake", "remove_bake", "key_coordinate", "coordinate_from_motion", "fix", "fix_all"),
    *("remove_joint", "swap_joint", "move_part", "remove_part"),
}
"""Operators that may write, move or remove keys of objects that were there."""

OFTEN = {"simulate": 6.0, "bake": 4.0, "check": 4.0, "connect": 6.0, "make_mechanism": 6.0, "fix": 5.0}
OFTEN |= {"add_spring": 4.0, "add_gear": 4.0, "add_element": 6.0, "edit_list": 3.0, "remove_element": 1.0}
OFTEN |= {"add_track": 4.0, "add_sheet": 3.0, "edit_track": 2.0, "add_train": 2.0}
OFTEN |= {"add_surface": 4.0, "add_ground": 1.5, "remove_surface": 1.0, "add_surface_pair": 1.5}
OFTEN |= {"set_joint_axis": 4.0, "follow_coordinates": 2.0, "set_kind": 2.0, "bring_back": 2.0}


ELEMENTS = tuple(name for group in menus.INTENTS for name, _ in group)
"""Operators that add an element of some sort to what is selected."""

OFTEN |= dict.fromkeys(set(ELEMENTS) - OFTEN.keys(), 2.0)
ADDS_LITTLE = ("add_body", "add_part", "add_shape", "add_surface", *ELEMENTS)


class BrokenError(Exception):
    """Something that must hold does not."""


class Unforeseen(logging.Handler):
    """Keeps what the add-on logs as errors that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


class Fuzz(artist.Artist):
    """One sequence of steps."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.folder = folder
        self.unforeseen = Unforeseen()
        logging.getLogger("redmax_blender").addHandler(self.unforeseen)
        self.path = folder / "fuzz.blend"
        self.broken: dict[str, str] = {}
        self.simulated = False
        self.stop_after: int | None = None

    # --- the scene ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        keyed_pose.start_anew()
        keyed_pose.watch(on=self.rng.random() < 0.8)  # as in a window, where bodies follow coordinates
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, FRAMES
        rng = self.rng
        for k in range(rng.randrange(0, 6)):
            self.box(f"Box {k}")
        if rng.random() < 0.3:
            self.touching()
        elif rng.random() < 0.7:
            self.press(rng.choice([operator.bl_idname.partition(".")[2] for operator in menus.template_operators()]))
            scene.frame_end = FRAMES
        self.witnesses()
        scene.frame_set(rng.randrange(1, FRAMES))
        self.touch()
        bpy.ops.ed.undo_push(message="begin")

    def touching(self) -> None:
        """A body or two with surfaces above a ground: contact in Python takes its time, so there are no more."""
        for number in range(self.rng.randrange(1, 3)):
            name = f"Crate {number}"
            self.box(name)
            obj = bpy.data.objects[name]
            obj.location.z = 0.5 + 0.4 * number
            for other in bpy.context.view_layer.objects:
                other.select_set(other == obj)
            bpy.context.view_layer.objects.active = obj
            self.press("add_body")
            self.press("add_surface")
        if self.rng.random() < 0.3:
            self.terrain()
        else:
            self.press("add_ground")
        if self.rng.random() < 0.3:
            self.dented()

    def terrain(self) -> None:
        """Scenery that is a grid of heights; edits of its mesh make it none, which is a finding."""
        rng, n = self.rng, 4
        vertices = [(x - 1.5, y - 1.5, rng.uniform(-0.4, 0.0)) for y in range(n) for x in range(n)]
        faces = [(n * y + x, n * y + x + 1, n * y + n + x + 1, n * y + n + x) for y in range(3) for x in range(3)]
        self.made("Terrain", vertices, faces).redmax.surface.kind = "heightfield"

    def dented(self) -> None:
        """A body of loose parts that touches as convex pieces."""
        corners = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.1, 0.1)]
        vertices = [(x + side, y, z + 1.8) for side in (-0.4, 0.4) for x, y, z in corners]
        sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        obj = self.made("Dented", vertices, [tuple(8 * part + k for k in side) for part in range(2) for side in sides])
        obj.redmax.surface.kind = "pieces"
        obj.redmax.is_body = True

    def made(self, name: str, vertices: list, faces: list) -> bpy.types.Object:
        """An object with a surface."""
        data = bpy.data.meshes.new(name)
        data.from_pydata(vertices, [], faces)
        obj = bpy.data.objects.new(name, data)
        bpy.context.scene.collection.objects.link(obj)
        obj.redmax.is_surface = True
        return obj

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

    def picture(self) -> dict:
        """What the add-on must leave alone; of what is keyed, the keys come last."""
        found: dict = {
            "scenes": sorted(s.name for s in bpy.data.scenes),
            "frame": bpy.context.scene.frame_current_final,
        }
        for name in ("Witness", "Witness Camera"):
            obj = bpy.data.objects.get(name)
            if obj is not None:
                found[name] = (tuple(obj.location), tuple(obj.rotation_euler), tuple(obj.scale), hold.keys_of(obj))
        lens, paint = bpy.data.cameras.get("Witness Lens"), bpy.data.materials.get("Witness Paint")
        found["lens"] = lens and (lens.lens, hold.keys_of(lens))
        found["paint"] = paint and (paint.roughness, hold.keys_of(paint))
        return found

    # --- steps ----------------------------------------------------------------------------------------------------

    def step(self) -> str:
        """Does one thing; what it was."""
        rng = self.rng
        if rng.random() < 0.5:
            return self.operator()
        if rng.random() < 0.08:
            return self.bake_and_remove()
        name = rng.choice([*artist.SHOWS_ONLY, *artist.CHANGES])
        say(does=name)
        if name not in artist.SHOWS_ONLY:
            getattr(self, name)()
            return name
        before, digest = hold.artists_file(), hold.digest() if rng.random() < 0.4 else ""
        getattr(self, name)()
        self.nothing_changed(name, before, digest, leave_out=("actions",) if name == "save_and_open" else ())
        return name

    def operator(self) -> str:
        rng = self.rng
        names = [name for name in dir(bpy.ops.redmax) if name not in LEFT_ALONE and not name.startswith("__")]
        if len(bpy.data.objects) > 40:  # templates on templates only take time
            names = [name for name in names if not name.startswith("add_") or name in ADDS_LITTLE]
        if sum(obj.redmax.is_body for obj in self.objects()) > 16 and rng.random() < 0.8:  # and so do large ones
            names = [name for name in names if name not in ("simulate", "bake")]
        if self.touch_slowly():
            names = [name for name in names if name not in ("simulate", "bake")]
        name = rng.choices(names, [OFTEN.get(name, 1.0) for name in names])[0]
        if "simulate" in names and rng.random() < 0.2 and any(obj.redmax.is_surface for obj in self.objects()):
            name = "simulate"
        if self.simulated and "bake" in names and rng.random() < 0.5:  # results are baked while they are fresh
            name = rng.choice(["bake", "bake", "show_result", "clear_result"])
        self.select()
        say(presses=name)
        before, file = self.picture(), hold.artists_file()
        digest = hold.digest() if name in SHOWS_ONLY and rng.random() < 0.4 else ""
        self.stop_after = rng.randrange(1, FRAMES) if name == "simulate" and rng.random() < 0.25 else None
        told = self.press(name)
        self.stop_after = None
        self.hold(name, before, self.picture())
        self.simulated = "FINISHED" in told if name == "simulate" else self.simulated and name != "bake"
        if name in SHOWS_ONLY or told == "grey":
            self.nothing_changed(name, file, digest)
        else:
            self.others_stayed(name, file)
        return f"redmax.{name}: {told}"

    def touch_slowly(self) -> bool:
        """Whether surfaces would make a run take minutes per frame without compiled code: they do beside joints."""
        objects = self.objects()
        if not any(obj.redmax.is_surface for obj in objects):
            return False
        return any(obj.redmax.is_joint for obj in objects) or sum(obj.redmax.is_body for obj in objects) > 3

    def bake_and_remove(self) -> str:
        """Remove Bake leaves the file as it was before Bake."""
        scene = bpy.context.scene
        if actions.has_bake(scene) or not scene.redmax.result.identifier:
            return "nothing to bake"
        self.bake_options()
        self.select()
        say(does="bake_and_remove", target=scene.redmax.bake.target, keys=scene.redmax.bake.keys)
        before, digest = hold.artists_file(), hold.digest()
        told = self.press("bake")
        if "FINISHED" in told:
            if self.rng.random() < 0.5:
                self.scrub()
            told = self.press("remove_bake")
        self.nothing_changed("bake and remove_bake", before, digest)
        return f"bake_and_remove: {told}"

    def nothing_changed(self, name: str, before: dict, digest: str, leave_out: tuple[str, ...] = ()) -> None:
        after = hold.artists_file()
        found = hold.differences(*({k: v for k, v in each.items() if k not in leave_out} for each in (before, after)))
        if found:
            self.broken.setdefault(f"{name} file", f"WRONG: {name} changed {found[:4]}")
        if digest and (now := hold.digest()) != digest:
            self.broken.setdefault(f"{name} digest", f"WRONG: {name} changed what is simulated: {digest} -> {now}")

    def others_stayed(self, name: str, before: dict) -> None:
        """An operator leaves alone what it is not about: keys, and channels of objects, that were there before."""
        after = hold.artists_file()
        kinds = ["keys of "] * (name not in KEYS) + [f"{channel} of " for channel in hold.TRANSFORMS] * (
            name not in MOVES
        )
        both = [key for key in before.keys() & after.keys() if key.startswith(tuple(kinds))] if kinds else []
        if name in ("make_mechanism", "connect"):  # empties that become joints are turned
            joints = tuple(f"rotation_euler of {obj.name}" for obj in self.objects() if obj.redmax.is_joint)
            both = [key for key in both if key not in joints]
        found = hold.differences({key: before[key] for key in both}, {key: after[key] for key in both})
        if found:
            self.broken.setdefault(f"{name} others", f"WRONG: redmax.{name} changed {found[:4]}")

    def hold(self, name: str, before: dict, after: dict) -> None:
        if name == "fix" and before["frame"] != after["frame"]:  # Go to Frame: what is keyed stands elsewhere there
            before, after = (
                {k: v[-1] if isinstance(v, tuple) else v for k, v in each.items()} for each in (before, after)
            )
            del before["frame"], after["frame"]
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
        rules = [hold.wrong_now]
        if self.rng.random() < 0.5:
            rules.append(hold.wrong_of_elements)
        if self.rng.random() < 0.3:
            rules.append(hold.wrong_when_paused)
        if self.rng.random() < 0.5:
            rules.append(hold.wrong_of_result)
        for rule in rules:
            for text in rule():
                raise BrokenError(text)

    def press(self, name: str) -> str:
        operator = getattr(bpy.ops.redmax, name)
        settings = self.settings(operator)
        offered = [problem for problem in bpy.context.window_manager.redmax.problems if problem.fixes]
        if name == "fix" and offered and self.rng.random() < 0.8:  # a button that Check shows
            problem = self.rng.choice(offered)
            settings = {"fix": self.rng.choice(problem.fixes.split(",")), "element": problem.element}
        if name == "set_joint_axis" and (joint := self.joint()):
            self.only(joint)
        if name == "edit_list" and (element := self.element()):
            settings |= self.list_of(element)
            bpy.context.view_layer.objects.active = element
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
                chosen[name] = rng.choice([obj.name for obj in self.objects()] or [""])
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
    add, work = Recorder.add, simulation.Run.work
    fuzz: Fuzz

    def adding(self, sample) -> None:
        nonlocal heard
        if time.monotonic() - heard > 1.0:
            heard = time.monotonic()
            say(frame=sample.index)
        add(self, sample)
        if fuzz.stop_after is not None and sample.index >= fuzz.stop_after:
            runs[-1].cancel()  # as ESC does

    runs: list[simulation.Run] = []

    def working(self, *arguments) -> None:
        runs[:] = [self]
        work(self, *arguments)

    Recorder.add, simulation.Run.work = adding, working  # a run that makes progress does not hang
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
