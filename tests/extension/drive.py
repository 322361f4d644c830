# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in a Blender with the installed extension: everything an artist does, through operators and fields only.

Author, check, simulate, bake, undo, redo, save, reload, evaluate. Writes what was measured to facts.json;
`test_drive.py` judges it. Arguments: the extension's module, and a folder to save into.
"""

import importlib
import json
import math
import sys
from pathlib import Path

import bpy
import numpy as np

module, folder = sys.argv[1], Path(sys.argv[2])
engine = importlib.import_module(f"{module}.redmax")
trajectories = importlib.import_module(f"{module}.redmax.trajectory")

FPS, LAST = 24, 49
FINER = 4
"""Samples per frame of the run that tells what is right between frames."""

BLEND = folder / "driven.blend"


def press(operator, **settings):
    """Call an operator as a button does: with an undo step."""
    outcome = operator("EXEC_DEFAULT", True, **settings)
    assert outcome == {"FINISHED"}, f"{operator.idname()} gave {outcome}: {bpy.context.window_manager.redmax.message}"


def select(*names):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def box(name, size, centre, origin):
    """A plain mesh box of that size and centre whose object has its origin elsewhere: where it shall turn."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=centre)
    obj = bpy.context.object
    obj.name = name
    obj.scale = size
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    bpy.context.scene.cursor.location = origin
    bpy.ops.object.origin_set(type="ORIGIN_CURSOR")
    return obj.name


def author():
    """A linkage from plain meshes by Make Mechanism, with an animated first joint; and a chain by a template."""
    boxes = [
        box("Base", (0.6, 0.6, 0.2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        box("Upper Arm", (0.9, 0.12, 0.1), (0.45, 0.0, 0.2), (0.0, 0.0, 0.2)),
        box("Lower Arm", (0.7, 0.1, 0.1), (1.25, 0.0, 0.2), (0.9, 0.0, 0.2)),
    ]
    # Children follow parents; their own axes differ, so that nothing is right by chance.
    for child, parent in ((2, 1), (1, 0)):
        select(boxes[child], boxes[parent])
        bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    bpy.data.objects["Lower Arm"].rotation_mode = "QUATERNION"
    select(*reversed(boxes))
    before = set(bpy.data.objects.keys())
    bpy.ops.ed.undo_push(message="Modelled")
    press(bpy.ops.redmax.make_mechanism)
    made = sorted(set(bpy.data.objects.keys()) - before)
    bpy.context.scene.cursor.location = (0.0, 3.0, 0.0)
    press(bpy.ops.redmax.add_chain, count=2, pitch=0.5, with_weight=False)
    return boxes, made


def key_first_joint(child, last):
    """Let the joint that carries `child` follow keys on its coordinate."""
    (name,) = [o.name for o in bpy.data.objects if o.redmax.is_joint and o.redmax.joint.child.name == child]
    select(name)
    joint = bpy.data.objects[name].redmax.joint
    joint.motion_type = "animated"
    for frame, angle in ((1, 0.0), (last // 2, 1.2), (last, -0.4)):
        bpy.context.scene.frame_set(frame)
        joint.coordinate_angle_1 = angle
        press(bpy.ops.redmax.key_coordinate)
    bpy.context.scene.frame_set(1)
    return name


def bodies():
    return sorted(obj.name for obj in bpy.data.objects if obj.redmax.is_body)


def evaluated(frames):
    """World matrices (frames, bodies, 4, 4) as a render would see them."""
    scene, names = bpy.context.scene, bodies()
    poses = []
    for frame in frames:
        whole = math.floor(frame)
        scene.frame_set(whole, subframe=frame - whole)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        poses.append([np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world) for name in names])
    return np.array(poses, np.float64)


def expected(result, frames):
    """World matrices that the engine's samples mean; frames: how the bodies' frames lie in their objects."""
    rows = {row[0]: row for row in frames["bodies"]}
    poses = []
    for name in bodies():
        k = result.body(name)
        E = np.tile(np.eye(4), (len(result), 1, 1))
        E[:, :3, :3] = rotation_matrices(result.rotation[:, k])
        E[:, :3, 3] = result.position[:, k] / frames["length"]
        poses.append(E @ np.array(rows[name][2]))
    return np.stack(poses, axis=1)


def rotation_matrices(q):
    """Of unit quaternions (w, x, y, z); written out here so that the engine does not judge itself."""
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def difference(found, right):
    """Largest distance of positions and largest difference of matrix entries."""
    places = np.linalg.norm(found[..., :3, 3] - right[..., :3, 3], axis=-1)
    return {"place": float(places.max()), "matrix": float(np.abs(found - right)[..., :3, :3].max())}


def finer_run():
    """The same scene by the engine alone, with samples between frames."""
    path = folder / "scene.json"
    press(bpy.ops.redmax.export_scene, filepath=str(path))
    io, compiling, simulate = (
        importlib.import_module(f"{module}.redmax.{name}") for name in ("io", "compile", "simulate")
    )
    integrator = importlib.import_module(f"{module}.redmax.integrators").INTEGRATORS["dop853"](rtol=1e-11, atol=1e-11)
    model = compiling.compile(io.load(path))
    fps = FPS * FINER
    samples = simulate.simulate(model, integrator=integrator, fps=fps, duration=(LAST - 1) / FPS)
    return simulate.record(model, samples, integrator=integrator, fps=fps)


def baked():
    return [name for name in bodies() if bpy.data.objects[name].redmax.baked.active]


def keyed():
    return [name for name in bodies() if getattr(bpy.data.objects[name].animation_data, "action", None) is not None]


def main():
    facts = {}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, LAST, FPS
    scene.redmax.accuracy = "HIGH"
    boxes, made = author()
    facts["plain meshes"], facts["made"], facts["bodies"] = boxes, made, bodies()
    modelled = set(bpy.data.objects.keys())
    bpy.ops.ed.undo()
    facts["undo of the template leaves"] = sorted(set(bpy.data.objects.keys()) - set(made))
    bpy.ops.ed.redo()
    facts["redo of the template"] = set(bpy.data.objects.keys()) == modelled
    facts["animated"] = key_first_joint("Upper Arm", LAST)
    bpy.context.scene.frame_set(1)
    rest = evaluated([1])

    press(bpy.ops.redmax.check)
    facts["errors"] = [p.text for p in bpy.context.window_manager.redmax.problems if p.severity == "ERROR"]
    press(bpy.ops.redmax.simulate)
    press(bpy.ops.redmax.bake)
    facts["message"] = bpy.context.window_manager.redmax.message
    facts["baked"] = baked()

    bpy.ops.ed.undo()
    facts["undo"] = {"baked": baked(), "keyed": keyed()}
    bpy.ops.ed.redo()
    facts["redo"] = {"baked": baked(), "keyed": keyed()}

    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(BLEND))
    result_of_scene = bpy.context.scene.redmax.result
    facts["result"] = {name: getattr(result_of_scene, name) for name in ("status", "frame_start", "frame_end")}
    cached = trajectories.load(folder / "redmax_cache" / f"{result_of_scene.identifier}.npz")
    frames = cached.meta["blender"]
    at_frames = range(1, LAST + 1)
    facts["size"] = float(np.abs(cached.position).max())
    facts["moved"] = float(np.ptp(cached.position, axis=0).max())
    facts["at frames"] = difference(evaluated(at_frames), expected(cached, frames))

    between = np.linspace(1.0, LAST, (LAST - 1) * FINER + 1)
    truth = expected(finer_run(), frames)
    facts["truth at frames"] = difference(expected(cached, frames), truth[::FINER])
    facts["exact tangents"] = difference(evaluated(between), truth)
    bpy.context.scene.redmax.bake.tangents = "LINEAR"
    press(bpy.ops.redmax.bake)
    facts["linear keys"] = difference(evaluated(between), truth)

    press(bpy.ops.redmax.remove_bake)
    press(bpy.ops.redmax.clear_result)
    facts["removed"] = {"baked": baked(), "keyed": keyed(), **difference(evaluated([1]), rest)}
    (folder / "facts.json").write_text(json.dumps(facts, indent=1))


main()
