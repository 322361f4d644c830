# SPDX-License-Identifier: GPL-3.0-or-later
"""`scene.redmax`: accuracy, frame range, the last result and bake options."""

import math
from typing import Any

import bpy

from .._engine import fields, integrators
from . import element, from_specs, references, rigid_bodies, variations
from .from_specs import OVERRIDABLE, STATIC

ACCURACY = {name.upper(): ("automatic", {"accuracy": name}) for name in ("draft", "standard", "high")}
"""Integrator and settings of each accuracy: the engine chooses method and steps, so nobody else has to."""

CUSTOM = "CUSTOM"

CHANNELS = ("torque", "reaction", "energy", "gap", "forces", "motion")
"""Switches of the results that a bake can write as F-curves."""


def _integrator_groups() -> dict[str, Any]:
    return {
        cls.kind: from_specs.make_group(
            f"REDMAX_PG_integrator_{cls.kind}", from_specs.group_annotations(cls), f"Settings of {cls.label}."
        )
        for cls in integrators.INTEGRATORS
    }


INTEGRATOR_GROUPS = _integrator_groups()


def _switch(name: str, description: str, *, default: bool = False) -> Any:
    return bpy.props.BoolProperty(
        name=name, description=description, default=default, options=STATIC, override=OVERRIDABLE
    )


FURTHEST_FRAME: int = getattr(bpy.types.Scene.bl_rna.properties["frame_end"], "hard_max")  # noqa: B009 (untyped)
"""Largest number of a frame in Blender, and least with a minus."""


def _frame(name: str, description: str, default: int) -> Any:
    return bpy.props.IntProperty(
        name=name,
        description=description,
        default=default,
        min=-FURTHEST_FRAME,
        max=FURTHEST_FRAME,
        options=STATIC,
        override=OVERRIDABLE,
    )


def _enum(name: str, description: str, items: list[tuple[str, str, str, int]], default: str) -> Any:
    return bpy.props.EnumProperty(
        name=name, description=description, items=items, default=default, options=STATIC, override=OVERRIDABLE
    )


REDMAX_PG_result = from_specs.make_group(
    "REDMAX_PG_result",
    {
        "identifier": bpy.props.StringProperty(description="Hash of what was simulated; names the cache file"),
        "status": bpy.props.StringProperty(description="complete, stopped or failed"),
        "message": bpy.props.StringProperty(description="What happened, with the element's name"),
        "element": bpy.props.StringProperty(description="Body or joint at which a run failed"),
        "remark": bpy.props.StringProperty(description="What should be known of a result that is complete"),
        "stalled": bpy.props.StringProperty(description="Joint whose motor stalled first; empty if none did"),
        "stalled_frame": bpy.props.IntProperty(description="Frame at which it stalled"),
        "stalled_coordinate": bpy.props.IntProperty(description="Coordinate along which it stalled, counted from 0"),
        "stalled_torque": bpy.props.FloatProperty(description="What it would have needed there [N m, N or J]"),
        "frame_start": bpy.props.IntProperty(),
        "frame_end": bpy.props.IntProperty(description="Last frame that was computed"),
        "seconds": bpy.props.FloatProperty(description="Time the simulation took"),
        "route": bpy.props.StringProperty(description="What computed it, such as numba 0.62.1 or numpy 2.3.4"),
        "changed": bpy.props.BoolProperty(description="The scene was changed since the simulation"),
    },
    "The last simulation of this scene; the numbers are in the cache.",
)

REDMAX_PG_bake_options = from_specs.make_group(
    "REDMAX_PG_bake_options",
    {
        "range": _enum(
            "Range",
            "Frames to write keys for",
            [
                ("SCENE", "Scene", "All frames that were simulated, without the pre-roll", 0),
                ("PREVIEW", "Preview", "The part of them inside the preview range", 1),
                ("CUSTOM", "Custom", "The part of them inside a range of your own", 2),
            ],
            "SCENE",
        ),
        "frame_start": _frame("Start", "First frame to write", 1),
        "frame_end": _frame("End", "Last frame to write", 250),
        "selected_only": _switch("Selected Only", "Write keys only for selected bodies"),
        "target": _enum(
            "To",
            "Where the keys go",
            [
                ("NEW", "New Action", "A new action named after the mechanism; yours is kept and can be restored", 0),
                ("NLA", "NLA Track", "A strip on a track of its own, named after the mechanism; other tracks stay", 2),
                (
                    "CURRENT",
                    "Current Action",
                    "The action the object has; its other channels stay, and so do its keys outside the range",
                    1,
                ),
            ],
            "NEW",
        ),
        "keys": _enum(
            "Keys",
            "On which frames keys are written",
            [
                ("EVERY", "Every Frame", "A key on every frame", 0),
                (
                    "FEWER",
                    "Fewer",
                    "As few keys as possible with which every object stays within the bound below. "
                    "Frames with quick motion are simulated again, for a minute at most",
                    1,
                ),
                ("EVERY_N", "Every N", "A key on every N-th frame and on the last one", 2),
            ],
            "EVERY",
        ),
        "ropes": _enum(
            "Ropes",
            "How curves that show ropes are moved",
            [
                ("KEYS", "Keyed Points", "Keys on every point, in the file itself", 0),
                (
                    "CACHE",
                    "Mesh Cache",
                    "One file for each rope beside the .blend file, read by a Mesh Cache modifier; for long ropes, "
                    "where keys would be many. Its folder belongs to the .blend file and moves with it",
                    1,
                ),
            ],
            "KEYS",
        ),
        "every": bpy.props.IntProperty(
            name="Step",
            description="Frames from key to key",
            default=2,
            min=1,
            max=FURTHEST_FRAME,
            soft_max=25,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "max_distance": bpy.props.FloatProperty(
            name="Max Distance",
            description="How many millimetres a corner of an object's bounding box may be from where it was simulated, "
            "at any time and in the world",
            default=0.1,
            min=1e-6,
            soft_min=1e-3,
            soft_max=100.0,
            precision=3,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "max_angle": bpy.props.FloatProperty(
            name="Max Angle",
            description="How far an object may be turned from how it was simulated, at any time and in the world",
            default=math.radians(0.05),
            min=math.radians(1e-5),
            soft_min=math.radians(1e-3),
            soft_max=math.radians(10.0),
            precision=3,
            subtype="ANGLE",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "loop": _switch(
            "Loop", "Let the end of the motion meet its start, and repeat it before and after the baked frames"
        ),
        "loop_frames": bpy.props.IntProperty(
            name="Blend",
            description="Last frames over which the motion is led back to its start",
            default=12,
            min=1,
            max=FURTHEST_FRAME,
            soft_max=100,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "tangents": _enum(
            "Tangents",
            "How the motion goes on between frames",
            [
                ("EXACT", "Exact", "Bezier handles from the velocities of the simulation", 0),
                ("LINEAR", "Linear", "Straight from key to key", 1),
            ],
            "EXACT",
        ),
        "torque": _switch("Torque", "Write the force along each coordinate as keys on the joint's custom properties"),
        "reaction": _switch("Reaction", "Write what each joint passes on as keys on the joint's custom properties"),
        "energy": _switch("Energy", "Write the energies as keys on the scene's custom properties"),
        "gap": _switch("Loop Gap", "Write what loop joints are open by as keys on the joint's custom properties"),
        "forces": _switch(
            "Springs, Gears and Contacts",
            "Write what forces, constraints, strands, drives and surfaces do, such as the tension of a spring, as keys "
            "on their custom properties",
        ),
        "motion": _switch(
            "Motion",
            "Write position, rotation, velocity and acceleration of each body as keys on its custom properties",
        ),
        **references.annotations(
            "seen_from",
            "Seen From",
            "Body from which the motion is seen, along its axes and turning with it; empty for the world",
            references.of_sort("body"),
        ),
    },
    "What Bake to Keyframes writes.",
)

REDMAX_PG_scene = from_specs.make_group(
    "REDMAX_PG_scene",
    {
        "version": bpy.props.IntProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "accuracy": _enum(
            "Accuracy",
            "How closely the simulation follows the laws of motion",
            [
                ("DRAFT", "Draft", "Quick look: errors of about a thousandth", 0),
                ("STANDARD", "Standard", "Errors too small to see", 1),
                ("HIGH", "High", "Errors too small to measure; for energy and torque read-outs", 2),
                (CUSTOM, "Custom", "Choose the integrator and its settings yourself", 3),
            ],
            "STANDARD",
        ),
        "integrator": bpy.props.EnumProperty(
            name="Integrator",
            description="Method of stepping through time",
            items=from_specs.kind_items(integrators.INTEGRATORS),
            default="dop853",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        **{
            kind: bpy.props.PointerProperty(type=group, override=OVERRIDABLE)
            for kind, group in INTEGRATOR_GROUPS.items()
        },
        "use_range": _switch("Custom Range", "Simulate other frames than the scene's"),
        "frame_start": _frame("Start", "First frame to simulate", 1),
        "frame_end": _frame("End", "Last frame to simulate", 250),
        "pre_roll": bpy.props.IntProperty(
            name="Pre-Roll",
            description="Frames to simulate before the first one, so that the motion is settled when it begins; "
            "the mechanism starts as modelled at the first of them",
            default=0,
            min=0,
            max=FURTHEST_FRAME,
            soft_max=250,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "show_result": _switch("Show Result", "Bodies follow the simulation while you scrub", default=True),
        "follow_coordinates": _switch(
            "Follow Coordinates",
            "Without a result to show, bodies stand where the coordinates of their joints put them",
            default=True,
        ),
        "show_joints": _switch("Joints", "Draw every joint on top of what it connects, in the viewport", default=True),
        "show_forces": _switch(
            "Forces",
            "Draw springs, cables, muscles and ropes as lines, colored by their tension where it is known, and "
            "arrows of forces and gears, in the viewport",
            default=True,
        ),
        "show_surfaces": bpy.props.EnumProperty(
            name="Surfaces",
            description="Draw the shapes with which bodies and scenery touch, in the viewport",
            items=[
                ("NONE", "None", "Draw no surface", 0),
                ("SELECTED", "Selected", "Draw the surfaces of selected objects", 1),
                ("ALL", "All", "Draw every surface", 2),
            ],
            default="SELECTED",
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "show_contacts": _switch(
            "Contacts", "Draw contact points and forces of the result at the current frame", default=True
        ),
        "live_check": _switch(
            "Check While Editing",
            "Check again whenever you pause, as long as that takes no noticeable time",
            default=True,
        ),
        "ignore_contact": _switch("Ignore Contact", "Check does not mention that bodies pass through each other"),
        "result": bpy.props.PointerProperty(type=REDMAX_PG_result),
        "former": bpy.props.PointerProperty(
            type=REDMAX_PG_result, description="The last whole result, while the newest one ended early"
        ),
        "bake": bpy.props.PointerProperty(type=REDMAX_PG_bake_options, override=OVERRIDABLE),
        "baked": bpy.props.PointerProperty(type=element.REDMAX_PG_baked),
        "variations": bpy.props.PointerProperty(type=variations.REDMAX_PG_variations, override=OVERRIDABLE),
        "rigid_bodies": bpy.props.PointerProperty(type=rigid_bodies.REDMAX_PG_rigid_bodies),
    },
    "RedMax settings of a scene.",
)

CLASSES = (*INTEGRATOR_GROUPS.values(), REDMAX_PG_result, REDMAX_PG_bake_options, REDMAX_PG_scene)


def integrator_of(scene: Any) -> Any:
    """The engine's integrator that the scene asks for."""
    settings = scene.redmax
    if settings.accuracy != CUSTOM:
        kind, values = ACCURACY[settings.accuracy]
        return integrators.INTEGRATORS[kind](**values)
    cls = integrators.INTEGRATORS[settings.integrator]
    group = getattr(settings, settings.integrator)
    return cls(**{name: getattr(group, name) for name in fields.specs(cls) if hasattr(group, name)})


def has_bodies(scene: Any) -> bool:
    """Whether there is anything to simulate, cheap enough for draw() and poll()."""
    return any(obj.redmax.is_body for obj in scene.objects)


def has_ropes(scene: Any) -> bool:
    """Whether a curve shows a strand, cheap enough for draw()."""
    shown = (obj.redmax.shows for obj in scene.objects if obj.type == "CURVE")
    return any(element is not None and element.redmax.is_strand for element in shown)


def frame_range(scene: Any) -> tuple[int, int]:
    """First and last frame to simulate, with the pre-roll."""
    owner = scene.redmax if scene.redmax.use_range else scene
    return owner.frame_start - scene.redmax.pre_roll, owner.frame_end
