# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the archive of a version: python tests/archive/make.py NAME

With Blender's Python it writes NAME/blender-X.Y/*.blend and NAME/blender.json.gz, with another one NAME/scenes/*.json
and NAME/scenes.json.gz; NAME is the version, such as 0.1.0.
What is there already is never written over: an archive that changes is none.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(ROOT / "addon"), str(ROOT / "tests")]

try:
    import bpy
except ImportError:
    bpy = None

import redmax  # noqa: E402
from archive import motion  # noqa: E402  (the path is set above)
from redmax import io  # noqa: E402
from redmax.kernels import route  # noqa: E402

NEUTRAL = Path(tempfile.gettempdir()) / "redmax_archive"
"""Where files are written first, so that no folder of this computer gets into a file that links another."""

FPS = 24.0
ENGINE_SAMPLES, BLENDER_SAMPLES = 2, 6


def expected_motion(scene: Any, *, fps: float, intervals: int, samples: int) -> dict[str, Any]:
    """The run at High, and how far the other accuracies of this version are from it."""
    described = motion.describe(motion.run(scene, accuracy="high", fps=fps, intervals=intervals), samples=samples)
    if described["status"] != "complete":
        raise RuntimeError(f"'{scene.name}' does not run to its end")
    others = {name: motion.run(scene, accuracy=name, fps=fps, intervals=intervals) for name in ("draft", "standard")}
    errors = {name: float(f"{motion.distance(result, described):.2g}") for name, result in others.items()}
    return {**described, "errors": errors}


def lines(content: dict[str, Any]) -> str:
    """JSON with a line for every entry."""
    entries = (f'"{name}": {json.dumps(value, separators=(",", ":"))}' for name, value in content.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def write(path: Path, content: dict[str, Any]) -> None:
    """Compressed JSON, the same bytes for the same content."""
    path.write_bytes(gzip.compress(lines(content).encode(), mtime=0))


def made_by() -> dict[str, str]:
    return {"redmax": redmax.__version__, "route": route.name()}


def write_scenes(folder: Path) -> None:
    """Every scene of the engine, and its motion."""
    from archive import engine_scenes

    folder.mkdir(parents=True)
    expected: dict[str, Any] = {"made_by": made_by()}
    for name, scene, seconds in engine_scenes.all_scenes():
        (folder / f"{name}.json").write_text(lines(io.plain(scene)), encoding="utf-8")
        io.load(folder / f"{name}.json")
        intervals = round(FPS * seconds)
        facts = expected_motion(scene, fps=FPS, intervals=intervals, samples=ENGINE_SAMPLES)
        expected[name] = {"fps": FPS, "intervals": intervals, **facts}
    write(folder.parent / "scenes.json.gz", expected)


# --- Blender ---------------------------------------------------------------------------------


def write_blends(folder: Path) -> None:
    """Two files, one of which links the other, and what is in them."""
    import redmax_blender

    redmax_blender.register()
    from archive import blend_scenes

    if folder.exists():
        raise FileExistsError(f"'{folder}' is there already")
    shutil.rmtree(NEUTRAL, ignore_errors=True)
    NEUTRAL.mkdir()
    whole, overrides = NEUTRAL / "mechanisms.blend", NEUTRAL / "overrides.blend"
    start_file()
    save(whole)
    first = bpy.context.scene
    for name, fill in blend_scenes.AUTHORED.items():
        new_scene(name)
        fill()
    bpy.data.scenes.remove(first)
    bpy.context.window.scene = bpy.data.scenes["Simulated"]
    bpy.data.orphans_purge(do_recursive=True)
    save(whole)
    start_file()
    first = bpy.context.scene
    new_scene("Overridden")
    bpy.data.scenes.remove(first)
    save(overrides)
    blend_scenes.overridden(str(whole))
    save(overrides)
    expected: dict[str, Any] = {"made_by": made_by()}
    for path in (whole, overrides):
        bpy.ops.wm.open_mainfile(filepath=str(path))
        for scene in bpy.data.scenes:
            if scene.library is None:
                expected[scene.name] = {"file": path.name, **facts_of(scene)}
    shutil.move(NEUTRAL, folder)
    known = folder.parent / "blender.json.gz"
    if known.exists():  # by another Blender: the same scenes mean the same
        expected.pop("made_by")
        different = motion.differences(*map(motion.with_every_field, (expected, motion.expectations(known))))
        print("\n".join(different) or f"{folder.name} agrees with {known.name}")
    else:
        write(known, expected)
    redmax_blender.unregister()


def start_file() -> None:
    """Nothing but a scene and a window."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    window = bpy.context.window
    bpy.data.batch_remove([other for other in bpy.data.workspaces if other != window.workspace])


def new_scene(name: str) -> None:
    """An empty scene, open in the window."""
    scene = bpy.data.scenes.new(name)
    scene.render.filepath = "//"
    bpy.context.window.scene = scene


def save(path: Path) -> None:
    bpy.context.preferences.filepaths.file_preview_type = "NONE"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True, relative_remap=True)
    path.with_name(f"{path.name}1").unlink(missing_ok=True)


def facts_of(scene: Any) -> dict[str, Any]:
    """What a scene means to the engine and how it moves, and what was baked in it."""
    from redmax_blender.bridge.extract import extraction as extract
    from redmax_blender.properties.scene import integrator_of

    bpy.context.window.scene = scene
    found = extract.extract(scene, bpy.context.view_layer)
    extract.require_sound(found)
    intervals = found.frame_end - found.frame_start
    return {
        "frames": [found.frame_start, found.frame_end],
        "fps": found.fps,
        "length": found.length,
        "integrator": integrator_of(scene).kind,
        "accuracy": scene.redmax.accuracy,
        "baked": sorted(obj.name for obj in scene.objects if obj.redmax.baked.active),
        "mechanisms": [[each.root, each.enabled] for each in found.mechanisms],
        "extracted": json.loads(io.dumps(found.scene)),
        **expected_motion(found.scene, fps=found.fps, intervals=intervals, samples=BLENDER_SAMPLES),
    }


if __name__ == "__main__":
    (name,) = sys.argv[1:]
    if bpy is None:
        write_scenes(HERE / name / "scenes")
    else:
        write_blends(HERE / name / f"blender-{bpy.app.version[0]}.{bpy.app.version[1]}")
