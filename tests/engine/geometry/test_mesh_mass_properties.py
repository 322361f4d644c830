# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre and inertia of meshes against trimesh, closed forms, and the symmetries of the integrals."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import trimesh
from closed_meshes import (
    COMB_OUTLINE,
    L_OUTLINE,
    STAR_OUTLINE,
    TETRAHEDRON_FACES,
    TETRAHEDRON_VERTICES,
    box,
    cone,
    cylinder,
    hull,
    icosphere,
    joined,
    moved,
    prism,
    random_rotation,
    torus,
    triangles_of,
    turned_over,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.geometry.mass_properties import NotSolidError, mass_properties
from redmax.geometry.mesh import Mesh, MeshError
from redmax.geometry.mesh_check import diagnose
from redmax.geometry.triangulate import triangulate
from redmax.spatial.inertia import MassProperties, combine

# Sums of up to a few thousand rounded terms of order one; measured errors are below 1e-14.
ROUND_OFF = 1e-12

MESHES = {
    "tetrahedron": lambda: (TETRAHEDRON_VERTICES, TETRAHEDRON_FACES),
    "box": lambda: box((1, 2, 3), (4, 5, 6)),
    "L_prism": lambda: prism(L_OUTLINE, 0.5),
    "star_prism": lambda: prism(STAR_OUTLINE, 0.8),
    "comb_prism": lambda: prism(COMB_OUTLINE, 2.0),
    "icosphere": lambda: icosphere(3, 0.7),
    "torus": lambda: torus(2.0, 0.6, 30, 17),
    "cone": lambda: cone(1.0, 2.0, 13),
    "hull": lambda: hull(0),
    "hollow_box": lambda: joined(box((4, 4, 4)), turned_over(moved(icosphere(2), (0.3, 0.2, -0.1)))),
    "three_shells": lambda: joined(box(), moved(hull(4), (9, 0, 0)), moved(torus(2.0, 0.5, 12, 8), (0, 8, 0))),
}


def properties_of(part, **options):
    return mass_properties(Mesh.from_faces(*part), **(options or {"density": 1.0}))


def assert_same(found: MassProperties, expected: MassProperties, *, rel=ROUND_OFF):
    assert found.mass == pytest.approx(expected.mass, rel=rel)
    size = np.sqrt(np.abs(expected.inertia).max() / expected.mass)
    np.testing.assert_allclose(found.center, expected.center, atol=rel * size + rel * np.abs(expected.center).max())
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=rel * np.abs(expected.inertia).max())


def trimesh_properties(part, density):
    mesh = Mesh.from_faces(*part)
    oracle = trimesh.Trimesh(mesh.vertices, triangulate(mesh).triangles, process=False)
    oracle.density = density
    found = oracle.mass_properties
    return MassProperties(found["mass"], found["center_mass"], found["inertia"])


@pytest.mark.parametrize("name", MESHES)
def test_mass_center_and_inertia_equal_trimesh(name):
    # trimesh integrates from the origin, which costs it the square of distance over size: about three digits here.
    assert_same(properties_of(MESHES[name](), density=700.0), trimesh_properties(MESHES[name](), 700.0), rel=1e-11)


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(4, 60))
@settings(max_examples=25, deadline=None)
def test_random_hulls_equal_trimesh(seed, count):
    part = hull(seed, count)
    # Hulls of four random points can be slivers; see above for the origin.
    assert_same(properties_of(part), trimesh_properties(part, 1.0), rel=1e-9)


# ---- closed forms


def test_tetrahedron_is_exact():
    found = properties_of((TETRAHEDRON_VERTICES, TETRAHEDRON_FACES))
    # Over the corner tetrahedron int x^2 = 1/60 and int x y = 1/120; about the centroid each loses V / 16 = 1/96.
    second = (4 * np.eye(3) - 1) / 480
    assert_same(found, MassProperties(1 / 6, np.full(3, 0.25), np.trace(second) * np.eye(3) - second), rel=1e-14)


def test_box_is_exact():
    a, b, c = 1.5, 2.5, 0.5
    expected = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12 * 3.0
    assert_same(
        properties_of(box((a, b, c), (7, -3, 2)), mass=3.0), MassProperties(3.0, [7, -3, 2], expected), rel=1e-14
    )


def sphere_form():
    return MassProperties(4 / 3 * np.pi, np.zeros(3), np.eye(3) * 4 / 3 * np.pi * 0.4)


def torus_form(R=2.0, r=0.5):
    m = 2 * np.pi**2 * R * r * r
    about, across = m * (R * R + 0.75 * r * r), m * (4 * R * R + 5 * r * r) / 8
    return MassProperties(m, np.zeros(3), np.diag([across, across, about]))


def cylinder_form(r=0.5, h=2.0):
    m = np.pi * r * r * h
    across = m * (3 * r * r + h * h) / 12
    return MassProperties(m, [0, 0, h / 2], np.diag([across, across, m * r * r / 2]))


def cone_form(r=0.5, h=2.0):
    m = np.pi * r * r * h / 3
    across = m * (3 / 20 * r * r + 3 / 80 * h * h)
    return MassProperties(m, [0, 0, h / 4], np.diag([across, across, 0.3 * m * r * r]))


REFINED = {
    "sphere": (lambda k: icosphere(k + 2), sphere_form()),
    "torus": (lambda k: torus(2.0, 0.5, 24 * 2**k, 12 * 2**k), torus_form()),
    "cylinder": (lambda k: cylinder(0.5, 2.0, 16 * 2**k), cylinder_form()),
    "cone": (lambda k: cone(0.5, 2.0, 16 * 2**k), cone_form()),
}


@pytest.mark.parametrize("name", REFINED)
def test_error_to_the_closed_form_falls_at_second_order(name):
    make, form = REFINED[name]
    errors = []
    for k in range(3):
        found = properties_of(make(k))
        errors.append(
            [
                abs(found.mass - form.mass) / form.mass,
                np.abs(found.inertia - form.inertia).max() / np.abs(form.inertia).max(),
            ]
        )
        # The refined shapes are symmetric, so the centre is exact at every step.
        np.testing.assert_allclose(found.center, form.center, atol=ROUND_OFF)
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    # Halving the step divides the error of an inscribed facet by four; the next term of the expansion is O(h^2) = 2 %.
    np.testing.assert_allclose(order, 2.0, atol=0.05)


# ---- cavities and shells


def test_cavity_subtracts_its_mass():
    outer, inner = icosphere(3, 2.0), moved(icosphere(3, 0.8), (0.5, 0.3, -0.4))
    hollow = properties_of(joined(outer, turned_over(inner)), density=3.0)
    assert_same(combine([hollow, properties_of(inner, density=3.0)]), properties_of(outer, density=3.0))


def test_separate_shells_add_up():
    parts = [box(), moved(hull(1), (20, 0, 0)), moved(icosphere(2), (0, 9, 0))]
    assert_same(properties_of(joined(*parts)), combine([properties_of(p) for p in parts]))


def test_cut_in_two_halves_the_whole_is_their_sum():
    whole = properties_of(box((2, 1, 1)))
    halves = [properties_of(box(center=(x, 0, 0))) for x in (-0.5, 0.5)]
    assert_same(combine(halves), whole)
    assert_same(properties_of(joined(box(center=(-0.5, 0, 0)), box(center=(0.5, 0, 0)))), whole)


# ---- invariance


@pytest.mark.parametrize("name", MESHES)
def test_rotation_turns_the_inertia(name):
    R = random_rotation(np.random.default_rng(2))
    vertices, faces = MESHES[name]()
    before, after = properties_of((vertices, faces)), properties_of((vertices @ R.T, faces))
    assert_same(after, MassProperties(before.mass, R @ before.center, R @ before.inertia @ R.T))


@pytest.mark.parametrize("name", ["box", "torus", "hull", "hollow_box"])
def test_translation_by_a_million_metres_keeps_the_inertia(name):
    vertices, faces = MESHES[name]()
    # Powers of two keep the coordinates exact where they can be; others are rounded to 2^-52 * 1e6 = 2e-10 m, which
    # enters the inertia relatively to the size (about 1 m) and a few times.
    far = np.array([2.0**20, -(2.0**19), 2.0**20])
    before, after = properties_of((vertices, faces)), properties_of((vertices + far, faces))
    assert_same(after, MassProperties(before.mass, before.center + far, before.inertia), rel=2e-9)
    # The rounded mesh itself, brought back exactly, is integrated to full precision: nothing is lost on the way.
    assert_same(after, properties_of(((vertices + far) - far, faces)).transformed(_shift(far)), rel=ROUND_OFF)


def _shift(d):
    E = np.eye(4)
    E[:3, 3] = d
    return E


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("name", ["L_prism", "torus", "hollow_box"])
def test_scaling_multiplies_the_inertia_by_the_fifth_power(name, scale):
    vertices, faces = MESHES[name]()
    before, after = properties_of((vertices, faces)), properties_of((vertices * scale, faces))
    assert_same(after, MassProperties(before.mass * scale**3, before.center * scale, before.inertia * scale**5))


@pytest.mark.parametrize("name", MESHES)
def test_order_of_vertices_faces_and_corners_does_not_matter(name):
    rng = np.random.default_rng(6)
    vertices, faces = MESHES[name]()
    names = rng.permutation(len(vertices))
    shuffled = np.empty_like(vertices)
    shuffled[names] = vertices
    turned = [np.roll(names[np.asarray(f)], rng.integers(len(f))).tolist() for f in faces]
    again = [turned[k] for k in rng.permutation(len(turned))]
    assert_same(properties_of((shuffled, again)), properties_of((vertices, faces)))


@pytest.mark.parametrize("name", MESHES)
def test_polygons_equal_their_triangles(name):
    vertices, faces = MESHES[name]()
    triangles = triangulate(Mesh.from_faces(vertices, faces)).triangles
    assert_same(properties_of((vertices, triangles)), properties_of((vertices, faces)))


def test_splitting_every_triangle_changes_nothing():
    vertices, faces = hull(3)
    centres = vertices[faces].mean(axis=1)
    names = len(vertices) + np.arange(len(faces))
    split = np.concatenate([np.c_[faces[:, [k, (k + 1) % 3]], names] for k in range(3)])
    assert_same(properties_of((np.r_[vertices, centres], split)), properties_of((vertices, faces)))


def test_concave_polygons_equal_their_convex_pieces():
    whole = properties_of(prism(L_OUTLINE, 0.5))
    pieces = combine(
        [properties_of(box((3, 1, 0.5), (1.5, 0.5, 0.25))), properties_of(box((1, 1, 0.5), (0.5, 1.5, 0.25)))]
    )
    assert_same(whole, pieces)


def test_single_precision_and_blender_arrays_are_accepted():
    vertices, faces = box((1, 2, 3))
    flat = np.concatenate(faces).astype(np.int32)
    mesh = Mesh.from_loops(
        vertices.astype(np.float32).ravel(), flat, np.arange(0, 24, 4, dtype=np.int32), np.full(6, 4)
    )
    # Halves of small integers are exact in single precision.
    assert_same(mass_properties(mesh, density=1.0), properties_of((vertices, faces)), rel=1e-14)


def test_principal_frame_of_a_turned_box():
    R = random_rotation(np.random.default_rng(12))
    vertices, faces = box((1, 2, 3))
    found = properties_of((vertices @ R.T + [1, 2, 3], faces), mass=12.0)
    E_bi, diagonal = found.principal()
    assert sorted(diagonal[:3]) == pytest.approx([5, 10, 13], rel=ROUND_OFF)
    np.testing.assert_allclose(
        E_bi[:3, :3] @ np.diag(diagonal[:3]) @ E_bi[:3, :3].T, found.inertia, atol=ROUND_OFF * 13
    )


# ---- options


def test_density_and_mass_agree():
    vertices, faces = hull(2)
    by_density = properties_of((vertices, faces), density=4.0)
    assert_same(properties_of((vertices, faces), mass=by_density.mass), by_density)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"density": 1.0, "mass": 1.0},
        {"density": 0.0},
        {"density": -1.0},
        {"mass": np.nan},
        {"mass": 0.0},
        {"density": np.inf},
    ],
)
def test_unphysical_density_or_mass_is_named(options):
    with pytest.raises(MeshError, match=r"density|mass"):
        mass_properties(Mesh.from_faces(*box()), **options)


def test_inverted_mesh_needs_consent():
    part = joined(box((4, 4, 4)), turned_over(icosphere(2)))
    inverted = Mesh.from_faces(*turned_over(part))
    with pytest.raises(NotSolidError, match="point inwards"):
        mass_properties(inverted, density=1.0)
    assert_same(mass_properties(inverted, density=1.0, fix_inverted=True), properties_of(part))
    assert_same(mass_properties(inverted.flipped(), density=1.0), properties_of(part))
    # Consent does not harm a mesh that faces outwards.
    assert_same(properties_of(part, density=1.0, fix_inverted=True), properties_of(part))


def test_consent_to_invert_does_not_cover_other_defects():
    vertices, faces = turned_over(box())
    with pytest.raises(NotSolidError, match="open edges"):
        mass_properties(Mesh.from_faces(vertices, faces[:-1]), density=1.0, fix_inverted=True)
    mixed = joined(box(), turned_over(box(center=(3, 0, 0))))
    with pytest.raises(NotSolidError, match="shell 1"):
        mass_properties(Mesh.from_faces(*mixed), density=1.0, fix_inverted=True)


def test_overlaps_need_consent_and_then_count_as_separate_bodies():
    parts = [box(), box(center=(0.5, 0.5, 0.5))]
    with pytest.raises(NotSolidError, match="counts twice"):
        properties_of(joined(*parts))
    assert_same(properties_of(joined(*parts), density=1.0, allow_overlaps=True), combine(map(properties_of, parts)))


def test_report_at_hand_is_used():
    mesh = Mesh.from_faces(*box())
    assert_same(mass_properties(mesh, density=1.0, report=diagnose(mesh)), mass_properties(mesh, density=1.0))


def test_inputs_are_not_modified():
    vertices, faces = icosphere(2)
    before = vertices.copy(), faces.copy()
    mass_properties(Mesh.from_faces(vertices, faces), density=1.0)
    np.testing.assert_array_equal(vertices, before[0])
    np.testing.assert_array_equal(faces, before[1])


# ---- size


def test_a_hundred_thousand_triangles_agree_with_trimesh_within_a_bounded_memory():
    vertices, faces = torus(2.0, 0.5, 500, 100)
    part = vertices, triangles_of(faces)
    mesh = Mesh.from_faces(*part)
    tracemalloc.start()
    try:
        found = mass_properties(mesh, density=1.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert_same(found, trimesh_properties(part, 1.0), rel=1e-11)
    # 500 MB per million triangles would be 50 MB; scratch arrays of fixed size add a few.
    assert peak < 40e6
