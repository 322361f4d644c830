# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in a Blender with the installed extension: simulate and bake by operators, and print what computed, as JSON.

Arguments: the extension's module, and `clear` to delete the compiled solver first, as by the button.
"""

import importlib
import json
import sys
import time

import bpy
import no_network

module, *wishes = sys.argv[1:]


def engine(name):
    return importlib.import_module(f"{module}.redmax.{name}")


route, cache_folder, warm_up = engine("kernels.route"), engine("kernels.cache.cache_folder"), engine("warm_up")
preparation = importlib.import_module(f"{module}.bridge.results.preparation")
facts = {"loaded at start": sorted({"numba", "llvmlite"} & set(sys.modules)), "solver": preparation.solver()._asdict()}


def simulate_and_bake():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 25
    assert bpy.ops.redmax.add_chain(count=3, pitch=0.5, with_weight=False) == {"FINISHED"}
    begun = time.perf_counter()
    assert bpy.ops.redmax.simulate() == {"FINISHED"}, bpy.context.window_manager.redmax.message
    facts["seconds"] = time.perf_counter() - begun
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    cache = importlib.import_module(f"{module}.bridge.results.cache")
    result = cache.load(scene)
    facts["result"] = {"route": result.meta["route"], "status": result.status, "frames": len(result)}
    facts["place"] = result.position[-1].ravel().tolist()
    facts["baked"] = sum(obj.redmax.baked.active for obj in bpy.data.objects)


def simulate_meanwhile():
    """As a window does: the compiler has a process of its own, and a simulation begins at once."""
    live = importlib.import_module(f"{module}.bridge.run.live")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 25
    assert bpy.ops.redmax.add_chain(count=3, pitch=0.5, with_weight=False) == {"FINISHED"}
    no_network.allowed["compiler"] = True
    begun = time.perf_counter()
    preparation.ensure()
    process = preparation.current()
    run = live.begin(scene, *live.prepare(scene, bpy.context.view_layer))
    assert run.wait(300)
    facts["meanwhile"] = {"seconds": time.perf_counter() - begun, "text": live.finish().text}
    facts["meanwhile"]["route"] = scene.redmax.result.route
    facts["meanwhile"]["numba loaded"] = "numba" in sys.modules
    longest, last = 0.0, time.perf_counter()
    while not process.finished:
        time.sleep(0.005)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    facts["longest stall"], facts["warm-up seconds"] = longest, process.seconds
    facts["warm-up"] = [process.complete, process.failure]
    facts["compilers"] = len(no_network.compilers)
    cache = importlib.import_module(f"{module}.bridge.results.cache")
    facts["stale"] = cache.is_stale(scene, bpy.context.view_layer)
    facts["next route"] = preparation.route_now()


if "clear" in wishes:
    assert bpy.ops.redmax.clear_kernels() == {"FINISHED"}
    facts["ready after clear"] = cache_folder.is_ready(warm_up.READY)
compiled = []
if "clear" in wishes:
    simulate_meanwhile()
if route.name() == route.NUMBA:
    with engine("kernels.cache.jit").watched(lambda name, _done: compiled.append(name)):
        simulate_and_bake()
    facts["folder"] = str(cache_folder.folder())
else:
    simulate_and_bake()
facts["route"], facts["versions"], facts["compiled"] = route.name(), route.versions(), compiled
print(json.dumps(facts))
