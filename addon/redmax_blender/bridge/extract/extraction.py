# SPDX-License-Identifier: GPL-3.0-or-later
"""From a Blender scene to the engine's: elements of every sort, with everything worth knowing about them.

The only reader of Blender's data. What comes out is plain numbers and names; no Blender object survives it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import bpy

from ..._engine import scene as engine_scene
from ..._engine import topology
from ...properties import sorts
from ...properties.mechanism_bodies import mechanism_bodies
from ...properties.scene import FURTHEST_FRAME, frame_range
from ..check.findings import (
    engine_findings,
    loops,
    mechanism_findings,
    pass_through,
    shearing,
    surface_findings,
    torn_parts,
)
from ..core import loop_choice, mechanisms, scene_digest, ties
from ..core.findings import BridgeError, Finding
from ..core.mechanisms import Mechanism, Structure
from ..objects import animated_values, changes, mechanism_switches, movers, units
from ..objects.modelled import Modelled, as_modelled, own_channels
from ..objects.named_objects import local_object
from ..objects.other_frames import other_frames
from . import animation, closed_start, element_reader, element_tables, guides, parts, surfaces
from .bodies import BodyFrame, Element, extract_body
from .joints import JointReader, root_joint

__all__ = ["BodyFrame", "Extraction", "Mechanism", "extract", "require_sound"]

SEVERITIES = ("ERROR", "WARNING", "INFO")


@dataclass(frozen=True, eq=False)
class Extraction:
    """A scene for the engine. joint_objects: engine's joint name -> object name, without joints that hold roots.

    length: metres per Blender unit. frame_start: the frame at t = 0. findings: errors first. With an error among
    them the scene is incomplete; see `require_sound`. scenery: bodies of the engine that are none of the artist's,
    because they only touch others while keys move them.
    """

    scene: engine_scene.Scene
    bodies: tuple[BodyFrame, ...]
    joint_objects: dict[str, str]
    length: float
    fps: float
    frame_start: int
    frame_end: int
    findings: tuple[Finding, ...]
    mechanisms: tuple[Mechanism, ...]
    scenery: tuple[BodyFrame, ...] = ()

    @cached_property
    def digest(self) -> bytes:
        """Of the engine's scene: the same for the same content, and for no other."""
        return scene_digest.digest(self.scene)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "ERROR")

    def body(self, name: str) -> BodyFrame:
        """The body of a name. Raises KeyError."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise KeyError(name)


def require_sound(extraction: Extraction) -> None:
    """Raises BridgeError with every error."""
    if extraction.errors:
        raise BridgeError(extraction.errors)


def extract(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Extraction:
    """The mechanisms of a scene as modelled at the first frame. Bad input gives findings, all at once."""
    view_layer.update()
    findings: list[Finding] = []
    length, fps = units.metres_per_unit(scene), units.frames_per_second(scene)
    clock = animation.Clock(fps, *frame_range(scene))
    findings.extend(_scene_findings(scene, clock))
    objects = _elements(scene, view_layer, findings)
    body_objects, joint_objects, surface_objects = objects["body"], objects["joint"], objects["surface"]
    others = [obj for sort in sorts.GENERATED for obj in objects[sort.name]]
    places = element_reader.sources([*joint_objects, *others])
    changes.note_sources(places)
    to_sample = [channel for obj in joint_objects for channel in animation.channels_to_sample(obj)]
    to_sample += [channel for obj in others for channel in element_tables.channels_to_sample(obj)]
    children = parts.children_of(scene)
    members = [part for obj in body_objects for part in parts.members_of(obj, children)]
    members += surface_objects
    moving = surfaces.moving_scenery(surface_objects)
    in_layer = {obj.name_full for obj in view_layer.objects}
    unhide = [part for part in members if parts.may_have_instances(part) and part.name_full in in_layer]
    read = None if _gravity_is_animated(scene) else [*members, *joint_objects, *others, *places]
    with ExitStack() as stack:
        elsewhere = stack.enter_context(other_frames(scene, view_layer))
        with own_channels(scene.objects if to_sample or moving else ()):
            samples = animation.sample(elsewhere, to_sample, clock)
            motions = surfaces.sample(elsewhere, moving, clock)
        depsgraph = stack.enter_context(
            as_modelled(scene, view_layer, clock.start, unhide, read=read, elsewhere=elsewhere)
        )
        modelled = Modelled(depsgraph, [*body_objects, *joint_objects])
        all_parts = parts.Parts(scene, modelled, length)
        extracted = [extract_body(obj, modelled, all_parts, length, findings) for obj in body_objects]
        found_bodies = [element for element in extracted if element is not None]
        bodies = {element.frame.name: element.frame for element in found_bodies}
        known = {obj.name_full for obj in body_objects}
        around = element_reader.Around(
            modelled,
            bodies,
            {"body": set(bodies)},
            {obj.name_full for obj in scene.objects} if others or joint_objects else set(),
            in_layer,
            length,
            clock,
            samples,
        )
        others_read = element_reader.ElementReader(around, findings)
        first = [sort for sort in sorts.GENERATED if sort.name in guides.SORTS]  # joints move along them
        listed: dict[str, Any] = {sort.listed: others_read.read(sort, objects[sort.name]) for sort in first}
        ways = guides.Guides(_guides(first, listed, objects, modelled, length), around.in_scene)
        reader = JointReader(modelled, bodies, known, length, clock, samples, ways)
        joints = reader.read(joint_objects, findings)
        around.known["joint"] = {joint.name for joint in joints}
        surface_reader = surfaces.SurfaceReader(modelled, all_parts, length, findings)
        touching = surface_reader.read(surface_objects, bodies, motions, clock)
        around.known["surface"] = {surface.name for surface in touching.surfaces}
        rest = [sort for sort in sorts.GENERATED if sort not in first]
        listed |= {sort.listed: others_read.read(sort, objects[sort.name]) for sort in rest}
        gravity = units.gravity(depsgraph.scene_eval, length)
    made = engine_scene.Scene(
        name=scene.name,
        gravity=gravity,
        bodies=[*(element.body for element in found_bodies), *touching.bodies],
        joints=[*_root_joints(bodies, joints, length), *joints, *touching.joints],
        surfaces=touching.surfaces,
        **listed,
    )
    named = {joint.name: joint.name for joint in joints}
    made = loop_choice.with_choice(made, named)
    findings.extend(shearing.findings(body_objects, made.joints))
    judged = _judged(scene, made, found_bodies, named, findings, clock, length)
    return replace(judged, scenery=tuple(touching.frames)) if touching.frames else judged


def _guides(
    having: list[sorts.Sort],
    listed: dict[str, list[Any]],
    objects: dict[str, list[bpy.types.Object]],
    modelled: Modelled,
    length: float,
) -> dict[tuple[str, str], guides.Guide]:
    """By sort and name, what joints move along, without what is not sound in itself. listed: the engine's elements."""
    found = {}
    for sort in having:
        by_name = {obj.name: obj for obj in objects[sort.name]}
        for element in listed[sort.listed]:
            if (known := guides.sound(element)) is not None:
                obj = by_name[element.name]
                E_wt = units.in_metres(modelled.rigid_part(obj)[0], length)
                found[sort.name, element.name] = guides.Guide(known, obj, E_wt)
    return found


def _judged(
    scene: bpy.types.Scene,
    made: Any,
    elements: list[Element],
    joint_objects: dict[str, str],
    findings: list[Finding],
    clock: animation.Clock,
    length: float,
) -> Extraction:
    """The extraction with what the engine and the whole of a mechanism have to say."""
    tree = mechanisms.structure(made)
    own = {element.frame.name for element in elements}  # scenery that moves is no mechanism
    found = tuple(each for each in mechanisms.find_mechanisms(made, tree, joint_objects) if own & set(each.bodies))
    off = mechanism_switches.switched_off(found)
    if off:
        made, elements, joint_objects, findings = _without(off, made, elements, joint_objects, findings)
        tree = mechanisms.structure(made)
        running = tuple(mechanism for mechanism in found if mechanism not in off)
        found = tuple(replace(mechanism, enabled=mechanism in running) for mechanism in found)
    else:
        running = found
    incomplete = [element.body for element in elements if not element.measured]
    is_whole = not any(finding.severity == "ERROR" for finding in findings)
    digest = scene_digest.digest(made)
    if made.bodies:
        findings.extend(engine_findings.find(made, digest, incomplete))
    elif off:
        text = "Every mechanism is switched off"
        findings.append(Finding("", text, "switch one on in the list of mechanisms", fixes=("ENABLE",)))
    elif is_whole:
        scenery = any(obj.redmax.is_surface for obj in scene.objects)
        hint = "select what should move and use Add Body" if scenery else "select objects and use Make Mechanism"
        findings.append(Finding("", "The scene has no RedMax bodies", hint))
    if is_whole:
        findings.extend(mechanism_findings.mechanism_findings(made, tree, running))
    findings.extend(_locked_in_vain(tree, joint_objects))
    holding = tree.loops or any(getattr(made, listed) for listed in ties.HOLDING)
    if holding and not any(finding.severity == "ERROR" for finding in findings):
        closed = closed_start.with_closed_starts(made, running)
        if closed is not made:
            made, digest = closed, scene_digest.digest(closed)
        counted, said = loops.with_loops(made, running, reactions=scene.redmax.bake.reaction)
        findings.extend(said)
        found = tuple(next((m for m in counted if m.root == mechanism.root), mechanism) for mechanism in found)
    static = mechanisms.static_bodies(tree)
    extraction = Extraction(
        scene=made,
        bodies=tuple(element.frame.as_static(static=element.frame.name in static) for element in elements),
        joint_objects=joint_objects,
        length=length,
        fps=clock.fps,
        frame_start=clock.start,
        frame_end=clock.end,
        findings=in_order(dict.fromkeys(findings)),
        mechanisms=found,
    )
    vars(extraction)["digest"] = digest  # worked out already
    more = [
        *torn_parts.findings(extraction),
        *pass_through.findings(extraction, tree, scene),
        *surface_findings.findings(extraction, scene),
    ]
    return replace(extraction, findings=in_order((*extraction.findings, *more))) if more else extraction


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors first."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def _without(
    off: tuple[Mechanism, ...],
    made: Any,
    elements: list[Element],
    joint_objects: dict[str, str],
    findings: list[Finding],
) -> tuple[Any, list[Element], dict[str, str], list[Finding]]:
    """The same without mechanisms that are switched off, and without what was found about them."""
    bodies = {name for mechanism in off for name in mechanism.bodies}
    hanging = {obj.name for mechanism in off for obj in mechanism_bodies(_object(mechanism.root))}
    left = ties.restricted(made, {body.name for body in made.bodies if body.name not in bodies})
    return (
        left,
        [element for element in elements if element.frame.name not in bodies],
        {joint.name: joint_objects[joint.name] for joint in left.joints if joint.name in joint_objects},
        [finding for finding in findings if hanging.isdisjoint(mechanism_switches.concerned(finding.element))],
    )


def _scene_findings(scene: bpy.types.Scene, clock: animation.Clock) -> list[Finding]:
    found = []
    if clock.end <= clock.start:
        text = f"Frames {clock.start} to {clock.end} are no range to simulate"
        found.append(Finding("", text, "set the last frame after the first"))
    if clock.start < -FURTHEST_FRAME:
        text = f"The Pre-Roll begins at frame {clock.start}, but Blender's frames begin at {-FURTHEST_FRAME}"
        found.append(Finding("", text, "use a shorter Pre-Roll"))
    if scene.render.frame_map_old != scene.render.frame_map_new:
        text = "Time Stretching is on, so frames and keys do not agree"
        found.append(Finding("", text, "set Old and New of Time Stretching to the same number (Output properties)"))
    return found


def _gravity_is_animated(scene: bpy.types.Scene) -> bool:
    return not {"gravity", "use_gravity"}.isdisjoint(animated_values.paths_of(scene) | movers.driven_paths(scene))


def _elements(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, findings: list[Finding]
) -> dict[str, list[bpy.types.Object]]:
    """By sort, the elements of the view layer in order of name; what is not simulated is said."""
    in_layer = {obj.name_full for obj in view_layer.objects}
    found: dict[str, list[bpy.types.Object]] = {name: [] for name in sorts.SORTS}
    for obj in sorted(scene.objects, key=lambda obj: obj.name_full):
        having = sorts.names_of(obj.redmax)
        if having and obj.name_full not in in_layer:
            text = f"'{obj.name}' is in an excluded collection; it is left out"
            findings.append(Finding(obj.name, text, "include the collection to simulate it", "INFO"))
            continue
        for name in having:
            found[name].append(obj)
        for bone in obj.pose.bones if obj.pose is not None else ():
            if sorts.is_element(bone.redmax):
                text = f"Bone '{bone.name}' of '{obj.name}' is marked for RedMax; bones are not simulated yet"
                findings.append(Finding(obj.name, text, "use an object or an empty instead"))
    return found


def _root_joints(bodies: dict[str, BodyFrame], joints: list[Any], length: float) -> list[Any]:
    """Joints that hold bodies no joint carries, and one Locked body of every cycle that nothing else holds."""
    carried = {joint.child for joint in joints}
    roots = [name for name in bodies if name not in carried]
    names = list(bodies)
    number = {name: index for index, name in enumerate(names)}
    parents = [topology.WORLD if joint.parent is None else number[joint.parent] for joint in joints]
    children = [number[joint.child] for joint in joints]
    while True:
        world = [topology.WORLD] * len(roots)
        held = topology.spanning_forest(len(names), [*world, *parents], [*(number[name] for name in roots), *children])
        locked = [names[body] for body in held.unreached if _object(names[body]).redmax.body.root == "LOCKED"]
        if not locked:
            break
        roots.append(locked[0])
    taken = {joint.name for joint in joints}
    return [root_joint(_object(name), bodies[name], _free_name(name, taken), length) for name in sorted(roots)]


def _free_name(name: str, taken: set[str]) -> str:
    """A root joint is named after its body; an object that is body and joint at once has used the name up."""
    while name in taken:
        name += ".root"
    return name


def _object(name: str) -> Any:
    return local_object(name)


def _locked_in_vain(tree: Structure, joint_objects: dict[str, str]) -> list[Finding]:
    """Bodies whose lock has no effect because a joint carries them: mostly a joint the wrong way round."""
    found = []
    for name, joint in tree.carried_by.items():
        if joint.name in joint_objects and _object(name).redmax.body.root == "LOCKED":
            text = f"Joint '{joint.name}' carries '{name}', so that body's lock has no effect"
            hint = f"swap parent and child of '{joint.name}'" if joint.parent else f"set '{joint.name}' to Locked"
            fix = "SWAP" if joint.parent else "LOCK_JOINT"
            found.append(Finding(joint.name, text, hint, "WARNING", (fix,)))
    return found
