# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the window for each picture of the interface. Runs inside Blender with the extension enabled.

The environment variable REDMAX_SHOT names the picture; `take.py` starts one Blender for each.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import sys

import bmesh
import bpy
import mathutils

PICTURES = {}


def picture(function):
    PICTURES[function.__name__] = function
    return function


def area_of(kind):
    return next(area for area in bpy.context.window.screen.areas if area.type == kind)


def region_of(area, kind="WINDOW"):
    return next(region for region in area.regions if region.type == kind)


def in_viewport():
    """Operators of the viewport run there, as if the artist had pressed their buttons."""
    area = area_of("VIEW_3D")
    return bpy.context.temp_override(area=area, region=region_of(area))


def later(seconds, function, repeats=1):
    """Blender must have drawn once before a tab can be chosen or a menu opened."""
    for number in range(repeats):
        bpy.app.timers.register(functools.partial(function), first_interval=seconds + 0.5 * number)


def show_sidebar():
    area = area_of("VIEW_3D")
    area.spaces.active.show_region_ui = True

    def choose_tab():
        region_of(area, "UI").active_panel_category = "RedMax"
        area.tag_redraw()

    later(1.5, choose_tab, repeats=4)


def show_properties(tab):
    area_of("PROPERTIES").spaces.active.context = tab


def open_closed_panels(*names):
    """Show panels open that an artist finds closed."""
    module = next(module for name, module in sys.modules.items() if name.endswith("redmax_blender.ui"))
    for part in (module.body, module.joint, module.scene, module.sidebar):
        if not set(names) & {cls.__name__ for cls in part.CLASSES}:
            continue
        for cls in part.CLASSES:
            bpy.utils.unregister_class(cls)
        for cls in part.CLASSES:
            if cls.__name__ in names:
                cls.bl_options = set()
            bpy.utils.register_class(cls)


def empty_scene():
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)


def activate(obj):
    for other in bpy.context.view_layer.objects:
        other.select_set(False)
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def frame_view():
    with in_viewport():
        bpy.ops.view3d.view_all()


def open_menu(name):
    bpy.context.preferences.view.show_tooltips = False  # the pointer rests on the first entry

    def show():
        with in_viewport():
            bpy.ops.wm.call_menu(name=name)

    later(2.0, show)


def crane():
    """The crane of Add > Mechanism, checked."""
    empty_scene()
    with in_viewport():
        bpy.ops.redmax.add_crane()
        bpy.ops.redmax.check()
    frame_view()


def open_up(mesh):
    """Take a face away."""
    solid = bmesh.new()
    solid.from_mesh(mesh)
    solid.faces.ensure_lookup_table()
    solid.faces.remove(solid.faces[0])
    solid.to_mesh(mesh)
    solid.free()


def joints():
    return [obj for obj in bpy.context.scene.objects if obj.redmax.is_joint]


def bodies():
    return [obj for obj in bpy.context.scene.objects if obj.redmax.is_body]


@picture
def overlay_joints():
    """A four-bar from the side of its crank: every way of moving has its colour, and the loop joint is selected."""
    open_closed_panels("REDMAX_PT_joints")
    empty_scene()
    with in_viewport():
        bpy.ops.redmax.add_four_bar()
    mechanism = bpy.context.window_manager.redmax.mechanisms[0]
    row = next(row for row in mechanism.joints if row.loop)
    activate(bpy.data.objects[row.name])
    frame_view()
    show_sidebar()


@picture
def overlay_glyphs():
    """A joint of every type, in the order in which the page names them."""
    empty_scene()
    kinds = ("revolute", "prismatic", "screw", "universal", "spherical", "planar", "translational", "free_2d", "free")
    for number, kind in enumerate((*kinds, "fixed")):
        obj = bpy.data.objects.new(kind, None)
        bpy.context.scene.collection.objects.link(obj)
        obj.location = (1.0 * (number % 5), 0.0, -1.1 * (number // 5))
        obj.empty_display_size = 0.3
        obj.redmax.is_joint, obj.redmax.joint.kind = True, kind
    view = area_of("VIEW_3D").spaces.active
    view.overlay.show_floor = view.overlay.show_axis_x = view.overlay.show_axis_y = view.overlay.show_cursor = False
    view.overlay.show_extras = False  # the empties themselves
    view.region_3d.view_rotation = mathutils.Euler((math.radians(72.0), 0.0, math.radians(18.0))).to_quaternion()
    frame_view()


@picture
def panel_empty():
    empty_scene()
    show_sidebar()


@picture
def panel_baked():
    empty_scene()
    scene = bpy.context.scene
    scene.frame_end = 16
    with in_viewport():
        bpy.ops.redmax.add_double_pendulum()
        bpy.ops.redmax.simulate()
        scene.redmax.bake.keys = "FEWER"
        bpy.ops.redmax.bake()
    scene.frame_set(9)
    activate(bodies()[-1])
    show_sidebar()


@picture
def panel_stopped():
    """Diverged: steps far too long for a stiff spring."""
    empty_scene()
    scene = bpy.context.scene
    scene.frame_end = 48
    with in_viewport():
        bpy.ops.redmax.add_double_pendulum()
    for obj in joints():
        obj.redmax.joint.stiffness = (1e7,) * 6
    scene.redmax.accuracy, scene.redmax.integrator = "CUSTOM", "rk4"
    scene.redmax.rk4.h = 0.02
    with in_viewport():
        bpy.ops.redmax.check()
        with contextlib.suppress(RuntimeError):  # it is reported as an error
            bpy.ops.redmax.simulate()
    frame_view()
    activate(bodies()[-1])
    show_sidebar()


@picture
def panel_sidebar():
    crane()
    bpy.context.scene.frame_end = 16
    with in_viewport():
        bpy.ops.redmax.simulate()
    bpy.context.scene.frame_set(14)
    activate(next(obj for obj in joints() if obj.redmax.joint.motion_type == "animated"))
    show_sidebar()


@picture
def panel_check():
    crane()
    tower = max(bodies(), key=lambda obj: obj.redmax.body.measured_mass)
    open_up(tower.data)
    joints()[-1].redmax.joint.motion_type = "animated"
    with in_viewport():
        bpy.ops.redmax.add_pendulum()
        bpy.ops.redmax.check()
    show_sidebar()


@picture
def panel_body():
    crane()
    activate(max(bodies(), key=lambda obj: obj.redmax.body.measured_mass))
    show_properties("PHYSICS")


def solid(make, name, location, **options):
    """A mesh of Blender's own at a place."""
    make(location=location, **options)
    bpy.context.object.name = name
    return bpy.context.object


def select(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[-1]


def hanging():
    """A weight on a spring below a locked beam; returns both and the spring."""
    empty_scene()
    with in_viewport():
        beam = solid(bpy.ops.mesh.primitive_cube_add, "Beam", (0.0, 0.0, 2.0), size=0.5)
        weight = solid(bpy.ops.mesh.primitive_uv_sphere_add, "Weight", (0.0, 0.0, 0.6), radius=0.25)
        beam.scale = (3.0, 1.0, 0.3)
        select(beam)
        bpy.ops.redmax.add_body()
        beam.redmax.body.root = "LOCKED"
        select(beam, weight)
        bpy.ops.redmax.add_spring(frequency=1.5, rest=0.8)
    return beam, weight, bpy.context.object


@picture
def panel_spring():
    """A spring with its results baked."""
    scene = bpy.context.scene
    _beam, _weight, spring = hanging()
    scene.frame_end = 24
    scene.redmax.bake.forces = True
    with in_viewport():
        bpy.ops.redmax.simulate()
        bpy.ops.redmax.bake()
    scene.frame_set(12)
    activate(spring)
    show_properties("PHYSICS")
    show_sidebar()
    frame_view()


def standing():
    """Crates and a drum that stand on the ground, with their forces baked."""
    empty_scene()
    scene = bpy.context.scene
    scene.frame_end = 4
    places = {"Lower": (0.0, 0.0, 0.5), "Upper": (0.25, 0.1, 1.5)}
    with in_viewport():
        made = [solid(bpy.ops.mesh.primitive_cube_add, name, at, size=1.0) for name, at in places.items()]
        drum = solid(bpy.ops.mesh.primitive_cylinder_add, "Drum", (1.6, 0.0, 0.5), radius=0.4, depth=1.0)
        for obj in (*made, drum):
            activate(obj)
            bpy.ops.redmax.add_body()
            bpy.ops.redmax.add_surface(material="wood")
        activate(drum)
        scene.cursor.location = (0.0, 0.0, 0.0)
        drum.select_set(False)
        bpy.ops.redmax.add_ground(size=8.0)
        scene.redmax.bake.forces = True
        bpy.ops.redmax.simulate()
        bpy.ops.redmax.bake()
    scene.frame_set(4)
    return made


@picture
def panel_surface():
    """The surface of the ground with its results."""
    standing()
    activate(bpy.data.objects["Ground"])
    show_properties("PHYSICS")
    frame_view()


@picture
def contact_overlay():
    """Shapes that touch, and what they push with."""
    lower, upper = standing()
    bpy.context.scene.redmax.show_surfaces = "ALL"
    activate(lower)
    upper.select_set(True)
    view = area_of("VIEW_3D").spaces.active
    view.overlay.show_floor = view.overlay.show_axis_x = view.overlay.show_axis_y = view.overlay.show_cursor = False
    frame_view()


def two_wheels():
    """A pinion and a wheel on hinges."""
    empty_scene()
    with in_viewport():
        wheels = [
            solid(bpy.ops.mesh.primitive_cylinder_add, name, (x, 0.0, 0.0), radius=radius, depth=0.2)
            for name, x, radius in (("Pinion", 0.0, 0.3), ("Wheel", 0.9, 0.6))
        ]
        for wheel in wheels:
            select(wheel)
            bpy.ops.redmax.connect(kind="revolute")
    return wheels


@picture
def panel_inertia():
    """A body whose inertia is entered."""
    _beam, weight, _spring = hanging()
    weight.redmax.body.mass_source = "INERTIA"
    activate(weight)
    show_properties("PHYSICS")
    frame_view()


@picture
def panel_gear():
    """Two wheels and the gear between them."""
    wheels = two_wheels()
    with in_viewport():
        select(*wheels)
        bpy.ops.redmax.add_gear()
    show_properties("PHYSICS")
    show_sidebar()
    frame_view()


def at(name, location, parent=None):
    """An empty that may follow a body, staying where it is."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_size = 0.08
    bpy.context.scene.collection.objects.link(empty)
    empty.location = location
    if parent is not None:
        bpy.context.view_layer.update()
        empty.parent = parent
        empty.matrix_parent_inverse = parent.matrix_world.inverted()
    return empty


def simulated_and_baked(element, *, frames=16):
    """Results of an element in its panel, halfway through a short bake."""
    scene = bpy.context.scene
    scene.frame_end, scene.redmax.bake.forces = frames, True
    with in_viewport():
        bpy.ops.redmax.simulate()
        bpy.ops.redmax.bake()
    scene.frame_set(frames // 2)
    activate(element)
    show_properties("PHYSICS")
    frame_view()


def hung(name, **options):
    """A beam and a weight below it, what hangs between them, and the button that was pressed for it."""
    beam, weight, spring = hanging()
    bpy.data.objects.remove(spring)
    with in_viewport():
        select(beam, weight)
        getattr(bpy.ops.redmax, name)(**options)
    return bpy.context.object


@picture
def panel_damper():
    """A damper with its results baked."""
    simulated_and_baked(hung("add_damper"))


@picture
def panel_cable():
    """A cable over a pulley in the world."""
    beam, weight, spring = hanging()
    bpy.data.objects.remove(spring)
    pulley = at("Pulley", (1.2, 0.0, 3.0))
    with in_viewport():
        select(beam, pulley, weight)
        bpy.ops.redmax.add_cable()
    simulated_and_baked(bpy.context.object)


@picture
def panel_muscle():
    """A muscle whose activation is keyed."""
    simulated_and_baked(hung("add_muscle", keyed=True))


@picture
def panel_strand():
    """A rope between two beams, longer than their distance."""
    empty_scene()
    with in_viewport():
        beams = [
            solid(bpy.ops.mesh.primitive_cube_add, name, (x, 0.0, 2.0), size=0.3)
            for name, x in (("Left Beam", -1.0), ("Right Beam", 1.0))
        ]
        for beam in beams:
            select(beam)
            bpy.ops.redmax.add_body()
            bpy.ops.redmax.set_root(root="LOCKED")
        select(*beams)
        bpy.ops.redmax.add_strand(segments=8, slack=1.3, density=2.0, stretch=0.05)
    activate(bpy.context.object)
    show_properties("PHYSICS")
    frame_view()


@picture
def panel_drive():
    """A slider that moves two joints."""
    wheels = two_wheels()
    with in_viewport():
        select(*wheels)
        bpy.ops.redmax.add_drive(amount=1.5, alternate=True)
    simulated_and_baked(bpy.context.object)


@picture
def panel_force():
    """A force whose strength is keyed."""
    _beam, weight, spring = hanging()
    with in_viewport():
        select(weight)
        bpy.ops.redmax.add_force(keyed=True, direction=(1.0, 0.0, 0.0))
    force = bpy.context.object
    activate(spring)
    simulated_and_baked(force)


@picture
def panel_drag():
    """Drag in a wind."""
    _beam, weight, _spring = hanging()
    with in_viewport():
        select(weight)
        bpy.ops.redmax.add_drag(wind=(4.0, 0.0, 0.0))
    simulated_and_baked(bpy.context.object)


@picture
def panel_pin():
    """A body that is pinned at one of its corners."""
    _beam, weight, spring = hanging()
    bpy.data.objects.remove(spring)
    corner = at("Corner", (0.3, 0.3, 1.3))
    with in_viewport():
        select(corner, weight)
        bpy.ops.redmax.pin_to_world()
    simulated_and_baked(bpy.context.object)


@picture
def overlay_lines():
    """A spring with its coil, a cable over a pulley and a pair of wheels with the arrows of their gear."""
    wheels = two_wheels()
    with in_viewport():
        select(*wheels)
        bpy.ops.redmax.add_gear()
        wheels[0].redmax.body.mass_source = "MASS"
        joint = next(obj for obj in bpy.data.objects if obj.redmax.is_joint and obj.redmax.joint.child == wheels[0])
        joint.redmax.joint.torque_1 = 60.0
        for number, x in enumerate((-2.6, -1.2)):
            beam = solid(bpy.ops.mesh.primitive_cube_add, f"Beam {number}", (x, 0.0, 1.4), size=0.3)
            weight = solid(bpy.ops.mesh.primitive_cube_add, f"Weight {number}", (x, 0.0, 0.0), size=0.4)
            select(beam)
            bpy.ops.redmax.add_body()
            bpy.ops.redmax.set_root(root="LOCKED")
            if number == 0:
                select(beam, weight)
                bpy.ops.redmax.add_spring(frequency=1.5, shape=True)
            else:
                select(beam, at("Pulley", (x + 0.7, 0.0, 1.8)), weight)
                bpy.ops.redmax.add_cable(frequency=3.0)
        bpy.context.scene.frame_end = 12
        bpy.ops.redmax.simulate()
        bpy.ops.object.select_all(action="DESELECT")
    bpy.context.scene.frame_set(8)
    area = area_of("VIEW_3D")
    area.spaces.active.region_3d.view_rotation = mathutils.Euler((math.radians(72.0), 0.0, 0.25)).to_quaternion()
    frame_view()


@picture
def panel_lost():
    """A spring whose body was deleted."""
    _beam, weight, spring = hanging()
    bpy.data.objects.remove(weight)
    with in_viewport(), contextlib.suppress(RuntimeError):  # what is found is reported
        bpy.ops.redmax.check()
    activate(spring)
    show_properties("PHYSICS")
    show_sidebar()
    frame_view()


@picture
def panel_custom():
    """A Custom joint with the preset of a cam, and its charts."""
    custom_joint("Cam")
    open_closed_panels("REDMAX_PT_joint_charts")


def custom_joint(preset):
    """A follower on a joint with a preset of formulas, which is active; its group."""
    empty_scene()
    with in_viewport():
        follower = solid(bpy.ops.mesh.primitive_cylinder_add, "Follower", (0.0, 0.0, 0.0), radius=0.2, depth=0.5)
        select(follower)
        bpy.ops.redmax.connect(kind="revolute")
    joint = next(obj for obj in joints() if obj.redmax.joint.child == follower)
    activate(joint)
    folder = next(path for path in bpy.utils.preset_paths("redmax/formula") if os.path.exists(f"{path}/{preset}.py"))
    with in_viewport():
        bpy.ops.redmax.apply_preset(filepath=f"{folder}/{preset}.py")
    show_properties("PHYSICS")
    frame_view()
    return joint.redmax.joint.custom


@picture
def panel_custom_wrong():
    """What the panel says while a formula is typed."""
    custom_joint("Cam").transform = "Rz(angle) * Tz(rize * (1 - cos(angle)) / 2)"


@picture
def panel_surface_contact():
    """A ball that rolls on a ring."""
    empty_scene()
    with in_viewport():
        ring = solid(bpy.ops.mesh.primitive_torus_add, "Ring", (0.0, 0.0, 0.0), major_radius=1.0, minor_radius=0.25)
        ball = solid(bpy.ops.mesh.primitive_uv_sphere_add, "Ball", (1.0, 0.0, 0.6), radius=0.2)
        select(ball, ring)
        bpy.ops.redmax.add_surface_contact(rolling=True)
        ring.redmax.body.root = "LOCKED"
        bpy.ops.redmax.check()
    show_properties("PHYSICS")
    show_sidebar()
    frame_view()


@picture
def panel_joint():
    crane()
    obj = next(obj for obj in joints() if obj.redmax.joint.motion_type == "animated")
    activate(obj)
    open_closed_panels("REDMAX_PT_joint_limits", "REDMAX_PT_joint_spring")
    show_properties("PHYSICS")


def limited_rocker():
    """Settings of the rocker's hinge of a four-bar, which is active and turns between two limits."""
    empty_scene()
    with in_viewport():
        bpy.ops.redmax.add_four_bar(with_motor=False)
        bpy.ops.redmax.check()
    frame_view()
    obj = bpy.data.objects["Four-Bar Rocker Hinge"]
    activate(obj)
    settings = obj.redmax.joint
    settings.use_limits = True
    settings.lower_angle[0], settings.upper_angle[0] = math.radians(-30.0), math.radians(20.0)
    return settings


@picture
def panel_joint_limits():
    """The rocker of a four-bar between a spring and two soft stops."""
    settings = limited_rocker()
    settings.limit_type, settings.limit_stiffness[0] = "SOFT", 500.0
    settings.stiffness[0], settings.damping[0] = 40.0, 1.5
    open_closed_panels("REDMAX_PT_joint_limits", "REDMAX_PT_joint_spring")
    show_properties("PHYSICS")


@picture
def panel_motor():
    """A crank with a speed motor, and limits that bounce."""
    settings = limited_rocker()
    settings.use_motor = True
    settings.restitution[0] = 0.4
    open_closed_panels("REDMAX_PT_joint_limits", "REDMAX_PT_joint_motor")
    show_properties("PHYSICS")


@picture
def panel_loops():
    """What Check says of loops: a driven lift, and a four-bar whose loop does not close."""
    empty_scene()
    with in_viewport():
        bpy.ops.redmax.add_scissor_lift()
        bpy.context.scene.cursor.location.x = 2.6
        bpy.ops.redmax.add_four_bar(with_motor=False)
        bpy.data.objects["Four-Bar Crank Hinge"].redmax.joint.coordinate_angle_1 = 0.1
        bpy.ops.redmax.check()
    frame_view()
    show_sidebar()


@picture
def panel_joint_ball():
    crane()
    obj = joints()[-1]
    obj.redmax.joint.kind = "spherical"
    activate(obj)
    show_properties("PHYSICS")


@picture
def panel_composite():
    crane()
    obj = joints()[-1]
    activate(obj)
    obj.redmax.joint.kind = "composite"
    with in_viewport():
        for kind in ("revolute", "prismatic", "screw"):
            bpy.ops.redmax.add_part(kind=kind)
    show_properties("PHYSICS")


@picture
def panel_world():
    crane()
    bpy.context.scene.redmax.accuracy = "CUSTOM"
    open_closed_panels("REDMAX_PT_world")
    show_properties("SCENE")


@picture
def panel_simulating():
    empty_scene()
    bpy.context.scene.frame_end = 240
    with in_viewport():
        bpy.ops.redmax.add_chain()
    frame_view()
    show_sidebar()

    def start():
        with in_viewport():
            bpy.ops.redmax.simulate("INVOKE_DEFAULT")

    later(1.0, start)


@picture
def panel_results():
    crane()
    scene = bpy.context.scene
    scene.frame_end = 24
    scene.redmax.bake.torque = scene.redmax.bake.reaction = True
    with in_viewport():
        bpy.ops.redmax.simulate()
        bpy.ops.redmax.bake()
    scene.frame_set(12)
    activate(next(obj for obj in joints() if obj.redmax.joint.motion_type == "animated"))
    show_properties("PHYSICS")
    show_sidebar()


def rigid_box(name, size, at, **settings):
    """A rigid body of Blender's, scaled to a size and with the scale applied."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=at)
    obj = bpy.context.object
    obj.name, obj.scale = name, size
    bpy.ops.object.transform_apply(location=False, rotation=False)
    bpy.ops.rigidbody.object_add()
    for key, value in settings.items():
        setattr(obj.rigid_body, key, value)
    return obj


def rigid_tie(kind, first, second, at, turned=(0.0, 0.0, 0.0), **settings):
    bpy.ops.object.empty_add(location=at, rotation=turned)
    bpy.ops.rigidbody.constraint_add(type=kind)
    constraint = bpy.context.object.rigid_body_constraint
    constraint.object1, constraint.object2 = first, second
    for key, value in settings.items():
        setattr(constraint, key, value)


@picture
def panel_rigid_bodies():
    """A swing of Blender's rigid bodies above a crate, converted: what is not as in Bullet."""
    empty_scene()
    with in_viewport():
        rigid_box("Ground", (4.0, 4.0, 0.2), (0.0, 0.0, -0.1), type="PASSIVE", collision_shape="BOX")
        beam = rigid_box("Beam", (0.3, 1.4, 0.1), (0.0, 0.0, 2.2), type="PASSIVE", collision_shape="BOX")
        swing = rigid_box("Swing", (0.1, 1.0, 1.3), (0.65, 0.0, 1.6), mass=3.0, collision_shape="BOX")
        swing.rotation_euler.y = -0.785
        rigid_box("Crate", (0.5, 0.5, 0.5), (-0.6, 0.0, 0.25), use_deactivation=True, collision_shape="BOX")
        about_y = (-0.5 * math.pi, 0.0, 0.0)
        rigid_tie("HINGE", beam, swing, (0.16, 0.0, 2.05), about_y, use_breaking=True)
        bpy.ops.redmax.convert_rigid_bodies()
    module = next(module for name, module in sys.modules.items() if name.endswith("redmax_blender.ui"))
    for cls in module.rigid_bodies.CLASSES:
        bpy.utils.unregister_class(cls)
    open_closed_panels("REDMAX_PT_world")
    for cls in module.rigid_bodies.CLASSES:
        bpy.utils.register_class(cls)
    activate(swing)
    frame_view()
    show_properties("SCENE")


@picture
def panel_add_menu():
    empty_scene()
    open_menu("REDMAX_MT_add_mechanism")


@picture
def panel_elements_menu():
    """What acts on bodies and joints."""
    hanging()
    open_menu("REDMAX_MT_elements")


@picture
def panel_object_menu():
    crane()
    open_menu("REDMAX_MT_object")


PICTURES[os.environ["REDMAX_SHOT"]]()
