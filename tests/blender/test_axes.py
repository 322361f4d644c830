# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes that Make Mechanism and Connect choose, through the operators, wherever the machine stands."""

from __future__ import annotations

import itertools
import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix
from test_build import box, empty, joint_objects, parent_to, select, world

from redmax_blender.bridge.core import axis_choice, joint_rings
from redmax_blender.bridge.core.boxes import Extent
from redmax_blender.bridge.core.part_shapes import PartShape
from redmax_blender.properties import joint as joint_properties

STANDS = {
    "upright": (Matrix(), 1.0),
    "lying": (Euler((math.pi / 2, 0.0, 0.0)).to_matrix().to_4x4(), 0.01),
    "tilted": (Matrix.Translation((3.0, -7.0, 2.0)) @ Euler((0.4, 1.1, -2.0)).to_matrix().to_4x4(), 30.0),
}
"""Where a machine stands, and how large it is; each is modelled in the xz plane, of the size of some metres."""


def stand(how):
    """Bring everything in the scene there; what y has become, and all axes. Empties keep the world's axes."""
    place, size = STANDS[how]
    bpy.context.view_layer.update()
    there = {obj: place @ Matrix.Scale(size, 4) @ obj.matrix_world for obj in bpy.context.scene.objects}
    for obj in sorted(there, key=lambda obj: obj.parent is not None):
        if obj.type == "EMPTY" or obj.parent is None:
            obj.matrix_world = Matrix.Translation(there[obj].translation) if obj.type == "EMPTY" else there[obj]
            bpy.context.view_layer.update()
    return np.array(place)[:3, 1], np.array(place)[:3, :3]


def along(obj):
    """Axis of a joint in the world."""
    z = world(obj)[:3, 2]
    return z / np.linalg.norm(z)


def is_parallel(axis, other):
    return np.linalg.norm(np.cross(axis, other)) < 1e-5


def link(name, start, end, width=(0.1, 0.1)):
    """A bar from one pin to another in the xz plane, with its origin at the first and its own x along it."""
    start, end = np.array(start, float), np.array(end, float)
    length = float(np.linalg.norm(end - start))
    obj = box(name, start, (length, *width))
    obj.rotation_euler = (0.0, -math.atan2(end[2] - start[2], end[0] - start[0]), 0.0)
    return obj


def message():
    return bpy.context.window_manager.redmax.message


def freedoms():
    bpy.ops.redmax.check()
    (mechanism,) = bpy.context.window_manager.redmax.mechanisms
    return mechanism.dofs


# --- rings -----------------------------------------------------------------------------------

CORNERS = {"A": (0.0, 0.0, 0.0), "B": (0.3, 0.0, 1.0), "C": (2.5, 0.0, 1.6), "D": (2.0, 0.0, 0.0)}
SECTIONS = {"rods": (0.1, 0.1), "plates": (0.05, 0.2), "boards": (0.6, 0.05)}


def four_bar(width, depth=(0.0, 0.0, 0.0, 0.0)):
    """Ground, crank, coupler and rocker with pins at the corners; depth: y of each pin."""
    points = list(CORNERS.values())
    bars = [
        link(name, points[a], points[b], width)
        for name, a, b in (("Ground", 0, 3), ("Crank", 0, 1), ("Coupler", 1, 2), ("Rocker", 3, 2))
    ]
    pins = [empty(f"Pin {name}", (x, y, z)) for (name, (x, _, z)), y in zip(CORNERS.items(), depth, strict=True)]
    return bars, pins


@pytest.mark.parametrize("how", STANDS)
@pytest.mark.parametrize("section", SECTIONS)
def test_hinges_of_a_ring_are_square_to_it(section, how):
    """Boards are wide across the ring and thin in it: their thin directions differ, and the ring decides."""
    bars, pins = four_bar(SECTIONS[section])
    normal, _ = stand(how)
    select(*bars[1:], *pins, bars[0])
    bpy.ops.redmax.make_mechanism()
    assert len(joint_objects()) == 4
    assert all(is_parallel(along(pin), normal) for pin in pins)
    assert "axes guessed: 'Pin A', 'Pin B', 'Pin C' and 1 more along " in message()
    assert freedoms() == 1


def test_a_ring_of_cubes_turns_about_its_normal():
    """Cubes have no thin direction, and the ring is square to z, which nothing else would have chosen."""
    places = [(1.0, 1.0, 0.0), (-1.0, 1.0, 0.0), (-1.0, -1.0, 0.0), (1.0, -1.0, 0.0)]
    cubes = []
    for number, place in enumerate(places):
        bpy.ops.mesh.primitive_cube_add(size=2.0, location=place)
        bpy.context.object.name = f"Cube {number}"
        cubes.append(bpy.context.object)
    pins = [empty(f"Pin {k}", at) for k, at in enumerate(((0, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 0, 0)))]
    select(*cubes[1:], *pins, cubes[0])
    bpy.ops.redmax.make_mechanism()
    assert len(joint_objects()) == 4
    assert all(np.allclose(along(pin), (0, 0, 1), atol=1e-6) for pin in pins)
    assert freedoms() == 1


@pytest.mark.parametrize("section", ["rods", "plates"])
def test_links_side_by_side_turn_about_their_own_normal_and_not_about_that_of_their_pins(section):
    """Pins at different depths lie in a plane that leans; the links say which one is meant."""
    bars, pins = four_bar(SECTIONS[section], depth=(0.0, 0.1, 0.1, 0.0))
    normal, _ = stand("tilted")
    select(*bars[1:], *pins, bars[0])
    bpy.ops.redmax.make_mechanism()
    assert all(is_parallel(along(pin), normal) for pin in pins)


def test_a_pin_that_was_turned_decides_for_its_ring():
    bars, pins = four_bar(SECTIONS["rods"])
    pins[2].rotation_euler = (math.pi / 2, 0.0, 0.2)
    select(*bars[1:], *pins, bars[0])
    bpy.ops.redmax.make_mechanism()
    assert all(is_parallel(along(pin), along(pins[2])) for pin in pins)
    assert abs(along(pins[0])[0]) > 0.1
    assert "'Pin C'" not in message().partition("guessed")[2]
    assert "(as its neighbours)" in message()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)])
def test_connect_closes_a_ring_with_its_normal(order):
    """Boards alone would turn about other axes; the first two do, and the last two make rings of what is there."""
    bars, pins = four_bar(SECTIONS["boards"])
    normal, _ = stand("lying")
    ends = [(bars[1], bars[0]), (bars[2], bars[1]), (bars[2], bars[3]), (bars[3], bars[0])]
    for number in order[:3]:
        select(pins[number], *ends[number])
        bpy.ops.redmax.connect(axis="Z")
    select(pins[order[3]], *ends[order[3]])
    bpy.ops.redmax.connect()
    assert is_parallel(along(pins[order[3]]), (0, 0, 1)), "as the three that are there"
    for number in order[:3]:
        bpy.data.objects[pins[number].name].rotation_euler = (0.0, number + 0.3, number)
    for obj in joint_objects():
        obj.select_set(obj == pins[order[3]])
    bpy.context.view_layer.objects.active = pins[order[3]]
    assert bpy.ops.redmax.set_joint_axis(axis="AUTO") == {"FINISHED"}
    assert is_parallel(along(pins[order[3]]), normal), "the others disagree, so the ring decides"


def test_two_pins_of_a_door_make_one_axis():
    frame, leaf = box("Frame", (-0.1, 0, 0), (0.1, 0.1, 2.2)), box("Door", size=(0.9, 0.9, 2.0))
    pins = [empty(f"Hinge {z}", (0.0, 0.0, z)) for z in (-0.7, 0.8)]
    _, axes = stand("tilted")
    select(leaf, *pins, frame)
    bpy.ops.redmax.make_mechanism()
    assert all(is_parallel(along(pin), axes[:, 2]) for pin in pins)
    assert freedoms() == 1


def test_rings_in_different_planes_keep_their_own():
    """Two four-bars on one base share nothing but it, and each has its own normal."""
    bars, pins = four_bar(SECTIONS["boards"])
    others, other_pins = four_bar(SECTIONS["boards"])
    bpy.data.objects.remove(others[0])
    side = Matrix.Translation((2.0, 0.0, 0.0)) @ Euler((0.0, 0.0, math.pi / 2)).to_matrix().to_4x4()
    bpy.context.view_layer.update()
    for obj in (*others[1:], *other_pins):
        obj.matrix_world = side @ obj.matrix_world
    for pin in other_pins:
        pin.rotation_euler = (0.0, 0.0, 0.0)
    ground = box("Base", (-0.2, 0.0, -0.2), (2.6, 4.4, 0.2))
    bpy.data.objects.remove(bars[0])
    for bar, pin, parent, child in (
        (bars, pins, 0, 1), (bars, pins, 3, 3), (others, other_pins, 0, 1), (others, other_pins, 3, 3),
    ):  # fmt: skip
        parent_to(pin[parent], ground)
        parent_to(bar[child], pin[parent])
    select(*bars[1:], *others[1:], *pins, *other_pins, ground)
    bpy.ops.redmax.make_mechanism()
    assert all(is_parallel(along(pin), (0, 1, 0)) for pin in pins)
    assert all(is_parallel(along(pin), (1, 0, 0)) for pin in other_pins)


# --- engines ---------------------------------------------------------------------------------


def engine(*, angle=0.6, cylinder=True, closed=True):
    """Crank, rod and a piston three times as wide as it is tall, above it; a tube around the piston, or a mere block.

    The crank turns about y, the piston goes along z.
    """
    radius, reach = 0.5, 2.0
    pin = np.array([radius * math.sin(angle), 0.0, radius * math.cos(angle)])
    top = np.array([0.0, 0.0, pin[2] + math.sqrt(reach**2 - pin[0] ** 2)])
    crank, rod = link("Crank", (0, 0, 0), pin, (0.1, 0.3)), link("Rod", pin, top, (0.1, 0.2))
    piston = cylinder_mesh("Piston", 0.75, 0.5, top)
    if cylinder:
        base = tube("Cylinder", 0.8, 1.0, 1.2, top, closed=closed)
    else:
        base = box("Base", (-2.0, 0.0, -1.0), (4.0, 2.0, 0.4))
    pins = [empty(f"Pin {name}", at) for name, at in zip("ABC", ((0, 0, 0), pin, top), strict=True)]
    parent_to(pins[0], base)
    return base, crank, rod, piston, pins


def mesh_object(name, corners, faces, place):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = place
    return obj


def ring(radius, z, count=24):
    return [(radius * math.cos(math.tau * k / count), radius * math.sin(math.tau * k / count), z) for k in range(count)]


def bands(rows, count=24):
    """Quadrilaterals between consecutive rows of points."""
    return [
        (row * count + k, row * count + (k + 1) % count, (row + 1) * count + (k + 1) % count, (row + 1) * count + k)
        for row in range(rows - 1)
        for k in range(count)
    ]


def cylinder_mesh(name, radius, height, place):
    """A closed cylinder along z."""
    corners = [*ring(radius, -height / 2), *ring(radius, height / 2)]
    return mesh_object(name, corners, [*bands(2), tuple(range(24))[::-1], tuple(range(24, 48))], place)


def tube(name, inner, outer, height, place, *, closed):
    """A tube along z, its origin a little below the middle; closed: with a lid on top."""
    rows = [ring(inner, -height), ring(outer, -height), ring(outer, height), ring(0.0 if closed else inner, height)]
    rows += [ring(0.0, 0.9 * height), ring(inner, 0.9 * height)] if closed else []
    corners = [point for row in [*rows, rows[0]] for point in row]
    return mesh_object(name, corners, bands(len(rows) + 1), place)


@pytest.mark.parametrize("how", STANDS)
@pytest.mark.parametrize("bore", ["open", "lid", "none"])
def test_a_piston_wider_than_tall_goes_along_its_cylinder_or_toward_the_crank(bore, how):
    base, crank, rod, piston, pins = engine(cylinder=bore != "none", closed=bore == "lid")
    normal, axes = stand(how)
    select(crank, rod, piston, *pins, base)
    bpy.ops.redmax.make_mechanism()
    select(piston, base)
    bpy.ops.redmax.connect(kind="prismatic")
    (slider,) = [obj for obj in joint_objects() if obj.redmax.joint.kind == "prismatic"]
    assert is_parallel(along(slider), axes[:, 2])
    assert all(is_parallel(along(pin), normal) for pin in pins)
    assert f"({'toward the crank' if bore == 'none' else 'along the bore'})" in message()
    assert "axis guessed: 'Piston Slider' along " in message()
    assert freedoms() == 1


@pytest.mark.parametrize("how", STANDS)
def test_an_engine_of_bars_side_by_side_turns_about_their_common_side(how):
    """A bar of 16 x 20 cm is a rod, and the plane of pins that lie one behind another is not that of the rods."""
    block = cube("Block", (0.0, 0.0, 0.0), (1.6, 0.2, 0.4))
    crank = cube("Crank", (0.3, -0.25, 0.0), (0.8, 0.2, 0.2))
    rod = cube("Rod", (0.3, -0.5, 1.0), (0.16, 0.2, 2.3), (0.0, -0.2915, 0.0))
    piston = cylinder_mesh("Piston", 0.6, 0.5, (0.0, -0.5, 2.0))
    places = ((0.0, -0.125, 0.0), (0.6, -0.375, 0.0), (0.0, -0.5, 2.0))
    pins = [empty(f"Pin {place}", place) for place in places]
    y, axes = stand(how)
    select(crank, rod, piston, *pins, block)
    bpy.ops.redmax.make_mechanism()
    assert [is_parallel(along(pin), y) for pin in pins] == [True] * 3
    select(piston, block)
    bpy.ops.redmax.connect(kind="prismatic")
    (slider,) = (obj for obj in joint_objects() if obj.redmax.joint.kind == "prismatic")
    assert is_parallel(along(slider), axes[:, 2])
    assert freedoms() == 1


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1::2])
def test_an_engine_is_the_same_in_any_order(order):
    """Connected one by one, slider in between or first; no cylinder but a base."""
    base, crank, rod, piston, pins = engine(cylinder=False)
    steps = [(pins[0], crank, base), (pins[1], rod, crank), (pins[2], piston, rod)]
    for number in order:
        select(*steps[number])
        bpy.ops.redmax.connect()
    select(piston, base)
    bpy.ops.redmax.connect(kind="prismatic")
    slider = bpy.data.objects["Piston Slider"]
    assert is_parallel(along(slider), (0, 0, 1))
    assert all(is_parallel(along(pin), (0, 1, 0)) for pin in pins)
    assert freedoms() == 1


def test_a_slider_made_before_the_engine_goes_along_its_bore_or_else_along_itself():
    base, _crank, _rod, piston, _pins = engine(closed=False)
    piston.location = base.location
    select(piston, base)
    bpy.ops.redmax.connect(kind="prismatic")
    assert is_parallel(along(bpy.data.objects["Piston Slider"]), (0, 0, 1))
    assert "along Z (along the bore)" in message()
    lone = box("Drawer", (0, 9, 0), (0.2, 1.0, 0.3))
    select(lone, base)
    bpy.ops.redmax.connect(kind="prismatic")
    assert is_parallel(along(bpy.data.objects["Drawer Slider"]), (0, 1, 0))


def test_at_dead_centre_pins_on_a_line_take_the_plates_word():
    base, crank, rod, piston, pins = engine(angle=0.0, cylinder=False)
    normal, axes = stand("tilted")
    select(crank, rod, piston, *pins, base)
    bpy.ops.redmax.make_mechanism()
    select(piston, base)
    bpy.ops.redmax.connect(kind="prismatic")
    assert all(is_parallel(along(pin), normal) for pin in pins)
    assert is_parallel(along(bpy.data.objects["Piston Slider"]), axes[:, 2])


def test_a_hydraulic_cylinder_slides_between_its_pins():
    """Barrel and rod of a jack, which hang on pins of their own, are pushed along the line between these."""
    base = box("Base", (-1, 0, 0), (4, 0.2, 0.2))
    boom = link("Boom", (0, 0, 0), (3, 0, 1.5))
    barrel, plunger = link("Barrel", (1, 0, 0), (1.4, 0, 0.4)), link("Plunger", (1.5, 0, 0.5), (2, 0, 1))
    pins = [empty("Foot", (0, 0, 0)), empty("Low", (1, 0, 0)), empty("High", (2, 0, 1))]
    for obj in (boom, barrel):
        parent_to(obj, base)
    ends = [(boom, base), (barrel, base), (plunger, boom)]
    for pin, pair in zip(pins, ends, strict=True):
        select(pin, *pair)
        bpy.ops.redmax.connect()
    select(plunger, barrel)
    bpy.ops.redmax.connect(kind="prismatic")
    slider = next(obj for obj in joint_objects() if obj.redmax.joint.kind == "prismatic")
    assert is_parallel(along(slider), np.array((1, 0, 1)) / math.sqrt(2.0))
    assert freedoms() == 1


def test_pistons_that_share_a_cylinder_made_by_a_modifier_go_along_it():
    """Blender lets go of the evaluated cylinder once the first joint has made a body of it."""
    cylinder = mesh_object("Cylinder", [*ring(0.8, -1.0), *ring(0.8, -0.9)], bands(2), (0.0, 0.0, 0.0))
    array = cylinder.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 40, (0.0, 0.0, 1.0)
    pistons = [cylinder_mesh(f"Piston {k}", 0.75, 0.3, (0.0, 0.0, k)) for k in range(3)]
    select(*pistons, cylinder)
    bpy.ops.redmax.connect(kind="prismatic")
    sliders = joint_objects()
    assert len(sliders) == 3
    assert all(is_parallel(along(slider), (0, 0, 1)) for slider in sliders)
    assert "along the part" not in message()


def test_a_sleeve_slides_along_the_rail_in_it():
    rail, sleeve = box("Rail", (0, 0, 0), (0.2, 4, 0.2)), tube("Sleeve", 0.2, 0.4, 0.1, (0.1, 0, 0), closed=False)
    sleeve.rotation_euler = (math.pi / 2, 0.0, 0.0)
    select(sleeve, rail)
    bpy.ops.redmax.connect(kind="prismatic")
    assert is_parallel(along(bpy.data.objects["Sleeve Slider"]), (0, 1, 0))
    assert "along the bore" in message()


# --- open chains -----------------------------------------------------------------------------


def cube(name, place, scale, rotation=(0.0, 0.0, 0.0)):
    """Blender's own cube, scaled as artists do."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, rotation=rotation, scale=scale)
    bpy.context.object.name = name
    return bpy.context.object


def lamp(turn):
    """A desk lamp of plain cubes whose arms lean in a vertical plane, turned about z, and its pins."""
    R = np.array(Euler((0.0, 0.0, turn)).to_matrix())
    base = cube("Foot", (0, 0, 0.05), (1.0, 1.0, 0.1), (0, 0, turn))
    elbow, neck = np.array([-0.5, 0.0, 1.1]), np.array([0.4, 0.0, 1.9])
    parts, pins, start = [], [], np.array([0.0, 0.0, 0.1])
    for name, end in (("Lower Arm", elbow), ("Upper Arm", neck)):
        lean = math.atan2(end[0] - start[0], end[2] - start[2])
        size = (0.06, 0.06, float(np.linalg.norm(end - start)))
        parts.append(cube(name, R @ (0.5 * (start + end)), size, (0.0, lean, turn)))
        pins.append(empty(f"{name} Pin", R @ start))
        start = end
    parts.append(cube("Head", R @ np.add(neck, (0.2, 0.0, 0.0)), (0.4, 0.4, 0.12), (0, 0, turn)))
    pins.append(empty("Head Pin", R @ neck))
    return base, parts, pins, R @ (0.0, 1.0, 0.0)


@pytest.mark.parametrize("turn", [0.0, math.pi / 2, 0.7])
def test_a_desk_lamp_of_plain_cubes_folds_in_its_plane(turn):
    """Arms are rods, and the head is a plate that lies flat: it tilts with the arms instead of turning like a table."""
    base, parts, pins, normal = lamp(turn)
    select(*parts, *pins, base)
    bpy.ops.redmax.make_mechanism()
    assert len(joint_objects()) == 3
    assert all(is_parallel(along(pin), normal) for pin in pins)
    assert freedoms() == 3


def test_rods_follow_the_plates_beside_them():
    base, plate = box("Base"), box("Plate", (1, 0, 0), (1, 0.4, 0.05))
    rods = [box("Rod", (2, 0, 0), (1, 0.05, 0.05)), box("Tip", (3, 0, 0), (1, 0.05, 0.05))]
    for child, parent in zip((plate, *rods), (base, plate, *rods), strict=False):
        parent_to(child, parent)
    select(*rods, plate, base)
    bpy.ops.redmax.make_mechanism()
    assert all(np.allclose(along(obj), (0, 0, 1), atol=1e-6) for obj in joint_objects())
    assert "(as its neighbours)" in message()


@pytest.mark.parametrize("how", STANDS)
def test_a_parented_arm_with_a_turntable(how):
    """The table turns about its own normal, which is not that of the arm on it."""
    base = box("Base", (-0.5, 0, 0), (1, 1, 0.4))
    table = box("Table", (-0.5, 0, 0.25), (1, 1, 0.1))
    table.data.transform(Matrix.Translation((-0.5, 0, 0)))
    table.location = (0, 0, 0.25)
    upper = link("Upper", (0, 0, 0.3), (0.6, 0, 1.3))
    lower = link("Lower", (0.6, 0, 1.3), (1.6, 0, 0.9))
    for child, parent in ((table, base), (upper, table), (lower, upper)):
        parent_to(child, parent)
    normal, axes = stand(how)
    select(table, upper, lower, base)
    bpy.ops.redmax.make_mechanism()
    assert is_parallel(along(bpy.data.objects["Table Hinge"]), axes[:, 2])
    assert is_parallel(along(bpy.data.objects["Upper Hinge"]), normal)
    assert is_parallel(along(bpy.data.objects["Lower Hinge"]), normal)


def test_legs_of_a_table_bend_outwards_each_in_its_plane():
    """Chains that start from one body do not speak for each other."""
    base, parts = box("Body", (-0.5, 0, 0), (1, 1, 0.2)), []
    for number in range(3):
        turn = Matrix.Rotation(math.tau * number / 3, 4, "Z")
        for name, start, end in (("Hip", (0.5, 0, 0), (1.2, 0, 0.5)), ("Knee", (1.2, 0, 0.5), (1.5, 0, -0.6))):
            part = link(f"{name} {number}", start, end)
            bpy.context.view_layer.update()
            part.matrix_world = turn @ part.matrix_world
            parent_to(part, base if name == "Hip" else parts[-1])
            parts.append(part)
    select(*parts, base)
    bpy.ops.redmax.make_mechanism()
    for number in range(3):
        normal = np.array(Matrix.Rotation(math.tau * number / 3, 3, "Z"))[:, 1]
        for name in ("Hip", "Knee"):
            assert is_parallel(along(bpy.data.objects[f"{name} {number} Hinge"]), normal)


# --- the choice itself, on numbers alone -------------------------------------------------------


def block(place):
    """Shape of a cube in the world's axes."""
    M = np.eye(4)
    M[:3, 3] = place
    return PartShape(Extent(np.full(3, -0.1), np.full(3, 0.1), M))


def test_an_engine_with_two_cylinders_turns_about_the_crank():
    """Rings side by side are not in one plane: each has its own, and the crank that they share makes them agree."""
    joints, shapes = [], {"Crank": block((0, 1.5, 0))}
    ground = axis_choice.GROUND

    def joint(parent, child, kind, *at):
        shapes.setdefault(child, block(at))
        role = axis_choice.role_of(joint_properties.new_traits(kind))
        joints.append(axis_choice.AxisJoint((parent, child), role, np.array(at, float), is_new=True))

    joint(ground, "Crank", "revolute", 0, 0, 0)
    for number, (y, sign) in enumerate(((0.0, 1.0), (3.0, -1.0))):
        joint("Crank", f"Rod {number}", "revolute", 0.5 * sign, y, 0.2)
        joint(f"Rod {number}", f"Piston {number}", "revolute", 0, y, 2.0)
        joint(ground, f"Piston {number}", "prismatic", 0, y, 2.0)
    chosen = axis_choice.choose(joints, shapes)
    assert sorted(chosen) == list(range(len(joints)))
    for number, each in enumerate(joints):
        expected = (0, 0, 1) if each.role.is_slider else (0, 1, 0)
        assert is_parallel(chosen[number].axis, expected), (each.ends, chosen[number])


@pytest.mark.parametrize("seed", range(20))
def test_blocks_are_the_joints_that_share_a_ring(seed):
    """Against the definition: two joints share a ring if no single body parts them, found by trying all rings."""
    rng = np.random.default_rng(seed)
    edges = [tuple(int(n) for n in rng.choice(7, 2, replace=False)) for _ in range(9)]
    together = {frozenset(pair) for block in joint_rings.blocks(edges) for pair in itertools.combinations(block, 2)}
    assert together == {frozenset(pair) for ring in simple_rings(edges) for pair in itertools.combinations(ring, 2)}


def simple_rings(edges):
    """Numbers of the joints of every ring that passes no body twice."""
    found = set()

    def walk(start, node, bodies, passed):
        for number, (a, b) in enumerate(edges):
            if number in passed or node not in (a, b):
                continue
            other = b if node == a else a
            if other == start and passed:
                found.add(frozenset((*passed, number)))
            elif other not in bodies:
                walk(start, other, bodies | {other}, (*passed, number))

    for start in range(7):
        walk(start, start, {start}, ())
    return found
