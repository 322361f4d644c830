# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of defect, planted into a good mesh, is found, counted and located."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from closed_meshes import (
    L_OUTLINE,
    TETRAHEDRON_FACES,
    TETRAHEDRON_VERTICES,
    box,
    cube_triangles,
    icosphere,
    joined,
    moved,
    prism,
    random_rotation,
    torus,
    turned_over,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.errors import RedMaxError
from redmax.geometry import shells
from redmax.geometry.edges import connected_components, survey_edges
from redmax.geometry.mass_properties import NotSolidError, mass_properties
from redmax.geometry.mesh import Mesh
from redmax.geometry.mesh_check import diagnose


def report_of(part):
    return diagnose(Mesh.from_faces(*part))


def kinds(report):
    return [problem.kind for problem in report.problems]


def sphere():
    return icosphere(2)


GOOD = {
    "tetrahedron": lambda: (TETRAHEDRON_VERTICES, TETRAHEDRON_FACES),
    "cube": box,
    "L_prism": lambda: prism(L_OUTLINE, 2.0),
    "icosphere": sphere,
    "torus": lambda: torus(2.0, 0.5, 12, 8),
    "two_apart": lambda: joined(box(), box(center=(3, 0, 0))),
    "two_touching": lambda: joined(box(), box(center=(1, 0, 0))),
    "sphere_in_socket_box": lambda: joined(box((4, 4, 4)), turned_over(sphere())),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_meshes_have_no_problem(name):
    report = report_of(GOOD[name]())
    assert report.is_solid, report.text()
    assert report.is_closed
    assert report.text()


# Each entry: vertices, faces, the kind reported, the field that lists it, and what it must list.


def hole_in_sphere():
    vertices, faces = sphere()
    gone = sorted(faces[17].tolist())
    edges = [[gone[0], gone[1]], [gone[0], gone[2]], [gone[1], gone[2]]]
    return vertices, np.delete(faces, 17, axis=0), "open", "open_edges", edges


def open_quad():
    vertices, faces = box()
    a, b, c, d = faces[2]
    edges = sorted(sorted(e) for e in ((a, b), (b, c), (c, d), (d, a)))
    return vertices, faces[:2] + faces[3:], "open", "open_edges", edges


def fin_on_cube():
    vertices, faces = cube_triangles()
    a, b, _ = faces[0].tolist()
    fin = [[a, b, 8], [b, a, 9], [8, b, 9], [a, 8, 9]]
    vertices = np.r_[vertices, [[3.0, 3, 3], [3, 3, 4]]]
    return vertices, [*faces.tolist(), *fin], "non_manifold", "non_manifold_edges", [sorted((a, b))]


def two_cubes_on_one_edge():
    vertices, faces = box()
    far = vertices + np.array([1, 1, 0])
    number = {tuple(v): k for k, v in enumerate(vertices)}
    names, extra = [], []
    for v in far:
        if tuple(v) not in number:
            number[tuple(v)] = len(vertices) + len(extra)
            extra.append(v)
        names.append(number[tuple(v)])
    shared = sorted(k for k in names if k < 8)
    both = faces + [[names[i] for i in f] for f in faces]
    return np.r_[vertices, extra], both, "non_manifold", "non_manifold_edges", [shared]


def one_face_flipped():
    vertices, faces = sphere()
    faces = faces.copy()
    faces[30] = faces[30][::-1]
    a, b, c = sorted(faces[30].tolist())
    return vertices, faces, "miswound", "miswound_edges", [[a, b], [a, c], [b, c]]


def face_twice():
    vertices, faces = sphere()
    return vertices, np.r_[faces, np.roll(faces[5:6], 1, axis=1)], "duplicate_face", "duplicate_faces", [len(faces)]


def face_twice_backwards():
    vertices, faces = box()
    return vertices, [*faces, faces[4][::-1]], "duplicate_face", "duplicate_faces", [6]


def every_face_twice():
    vertices, faces = cube_triangles()
    return vertices, np.r_[faces, faces], "duplicate_face", "duplicate_faces", list(range(12, 24))


def pillow():
    return np.eye(3), [[0, 1, 2], [2, 1, 0]], "duplicate_face", "duplicate_faces", [1]


def repeated_vertex():
    vertices, faces = cube_triangles()
    faces = [*faces.tolist(), [3, 3, 7]]
    return vertices, faces, "collapsed", "collapsed_faces", [12]


def repeated_vertex_apart_in_ngon():
    vertices, faces = prism(L_OUTLINE, 1.0)
    faces[1] = [*faces[1], faces[1][2]]
    return vertices, faces, "collapsed", "collapsed_faces", [1]


def two_cornered_face():
    vertices, faces = box()
    return vertices, [*faces, [0, 1]], "collapsed", "collapsed_faces", [6]


def empty_face():
    vertices, faces = box()
    return vertices, [*faces[:3], [], *faces[3:]], "collapsed", "collapsed_faces", [3]


def index_too_large():
    vertices, faces = box()
    faces[2][1], faces[5][0] = 8, 1000
    return vertices, faces, "bad_index", "bad_index_faces", [2, 5]


def index_negative():
    vertices, faces = box()
    faces[1][3] = -1
    return vertices, faces, "bad_index", "bad_index_faces", [1]


def not_a_number():
    vertices, faces = sphere()
    vertices[[4, 9], [0, 2]] = np.nan, np.inf
    return vertices, faces, "non_finite", "non_finite_vertices", [4, 9]


def absurdly_far():
    vertices, faces = box()
    vertices[3, 1] = -1e200
    return vertices, faces, "non_finite", "non_finite_vertices", [3]


def unmerged_seam():
    vertices, faces = cube_triangles()
    top = [t for t in range(12) if (vertices[faces[t]][:, 2] > 0).all()]
    faces = faces.copy()
    faces[top] += 8
    edges = [[1, 3], [1, 5], [3, 7], [5, 7], [9, 11], [9, 13], [11, 15], [13, 15]]
    return np.r_[vertices, vertices], faces, "unmerged", "open_edges", edges


def polygon_soup():
    vertices, faces = cube_triangles()
    edges = sorted(sorted((3 * t + i, 3 * t + (i + 1) % 3)) for t in range(12) for i in range(3))
    return vertices[faces].reshape(-1, 3), np.arange(36).reshape(12, 3), "unmerged", "open_edges", edges


DEFECTS = [
    hole_in_sphere,
    open_quad,
    fin_on_cube,
    two_cubes_on_one_edge,
    one_face_flipped,
    face_twice,
    face_twice_backwards,
    every_face_twice,
    pillow,
    repeated_vertex,
    repeated_vertex_apart_in_ngon,
    two_cornered_face,
    empty_face,
    index_too_large,
    index_negative,
    not_a_number,
    absurdly_far,
    unmerged_seam,
    polygon_soup,
]


@pytest.mark.parametrize("plant", DEFECTS, ids=lambda f: f.__name__)
def test_planted_defect_is_found_where_it_is(plant):
    vertices, faces, kind, field, expected = plant()
    mesh = Mesh.from_faces(vertices, faces)
    report = diagnose(mesh)
    assert kind in kinds(report)
    assert getattr(report, field).tolist() == expected
    assert not report.is_closed
    with pytest.raises(NotSolidError) as caught:
        mass_properties(mesh, density=1.0)
    # The message has the count and the first place.
    assert str(len(expected)) in str(caught.value)
    assert str(np.ravel(expected)[0]) in str(caught.value)
    assert caught.value.report.problems


def test_message_says_what_where_and_what_to_do():
    vertices, faces, *_ = hole_in_sphere()
    with pytest.raises(
        NotSolidError, match=r"3 open edges, e\.g\. between vertices \d+ and \d+; .*convex hull.*box.*mass"
    ):
        mass_properties(Mesh.from_faces(vertices, faces), density=1.0)


@pytest.mark.parametrize("faces", [[], np.zeros((0, 3), dtype=int)])
def test_mesh_without_faces_is_empty(faces):
    for vertices in (np.zeros((0, 3)), np.ones((5, 3))):
        report = report_of((vertices, faces))
        assert kinds(report) == ["empty"]


def test_unused_vertices_are_noted_and_ignored_even_if_not_finite():
    vertices, faces = box()
    report = report_of((np.r_[vertices, [[np.nan, 0, 0]], [[1e300, 0, 0]]], faces))
    assert report.is_solid
    assert report.unused_vertices.tolist() == [8, 9]
    assert any("unused" in note for note in report.notes)
    assert report.shells[0].volume == pytest.approx(1.0, rel=1e-14)


def test_face_without_area_is_noted_but_harmless():
    # A corner on the middle of a side, stitched in by a triangle without area.
    vertices, faces = cube_triangles()
    a, b, c = faces[0].tolist()
    vertices = np.r_[vertices, [(vertices[a] + vertices[b]) / 2]]
    faces = [[a, b, 8], [a, 8, c], [8, b, c], *faces[1:].tolist()]
    report = report_of((vertices, faces))
    assert report.zero_area_faces.tolist() == [0]
    assert report.is_solid, report.text()
    assert report.shells[0].volume == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_flat_closed_mesh_encloses_no_volume(scale, dtype):
    rng = np.random.default_rng(1)
    vertices, faces = sphere()
    flat = scale * ((vertices * [1, 1, 0]) @ random_rotation(rng).T)
    report = report_of((flat.astype(dtype), faces))
    assert "flat" in kinds(report)
    thin = scale * ((vertices * [1, 1, 1e-4]) @ random_rotation(rng).T)
    assert report_of((thin.astype(dtype), faces)).is_solid


def test_all_faces_in_one_point_are_flat():
    _, faces = box()
    assert "flat" in kinds(report_of((np.ones((8, 3)), faces)))


def test_merging_would_not_close_a_real_hole():
    vertices, faces, *_ = unmerged_seam()
    report = report_of((vertices, faces[:-1]))
    assert kinds(report) == ["open"]
    assert len(report.merge_pairs) > 0
    assert not report.merging_closes


def test_merging_survives_vertices_apart_by_round_off():
    rng = np.random.default_rng(0)
    vertices, faces, *_ = polygon_soup()
    report = report_of(((vertices + 1e-8 * rng.normal(size=vertices.shape)), faces))
    assert report.merging_closes


# ---- shells


def test_inverted_mesh_is_reported_as_a_whole():
    report = report_of(turned_over(sphere()))
    assert report.is_inverted
    assert kinds(report) == ["inverted"]
    report = report_of(turned_over(joined(box((4, 4, 4)), turned_over(sphere()))))
    assert report.is_inverted
    assert kinds(report) == ["inverted"]


def test_one_of_two_shells_inverted_is_named():
    report = report_of(joined(box(), turned_over(box(center=(3, 0, 0)))))
    assert kinds(report) == ["inverted_shell"]
    assert report.inverted_shells == (1,)
    assert not report.is_inverted
    assert "face 6" in str(report.problems[0])


def test_nested_shells_alternate_between_solid_and_cavity():
    nested = joined(*(p if k % 2 == 0 else turned_over(p) for k, p in enumerate(box((s, s, s)) for s in (8, 6, 4, 2))))
    report = report_of(nested)
    assert report.is_solid, report.text()
    assert [shell.depth for shell in report.shells] == [0, 1, 2, 3]
    assert [shell.is_cavity for shell in report.shells] == [False, True, False, True]


def test_how_many_points_are_compared_at_a_time_changes_nothing(monkeypatch):
    mesh = joined(box((4, 4, 4)), sphere(), box(center=(2.0, 0.1, 0.2)), turned_over(box((6, 6, 6))), sphere())
    expected = report_of(mesh)
    for block in (1, 12 * 7, 80 * 31):  # one point at a time, and more that do not divide them evenly
        monkeypatch.setattr(shells, "_PAIR_BLOCK", block)
        found = report_of(mesh)
        assert found.text() == expected.text()
        assert [shell.depth for shell in found.shells] == [shell.depth for shell in expected.shells]
        assert found.crossing_shells


def test_same_facing_shell_inside_another_counts_twice():
    report = report_of(joined(box((4, 4, 4)), sphere()))
    assert kinds(report) == ["doubled"]
    assert report.doubled_shells == ((1, 0),)


def test_copy_of_a_shell_on_itself_counts_twice():
    report = report_of(joined(sphere(), sphere()))
    assert kinds(report) == ["doubled"]
    assert report.doubled_shells == ((0, 1),)


@pytest.mark.parametrize("shift", [(0.5, 0.5, 0.5), (0.9, 0.0, 0.0), (0.3, 0.2, 0.0)])
def test_shells_across_each_other_are_named(shift):
    report = report_of(joined(box(), box(center=shift)))
    assert "crossing" in kinds(report)
    assert report.crossing_shells == ((0, 1),)


def test_bars_that_cross_without_a_vertex_inside_are_named():
    report = report_of(joined(box((5, 1, 1)), box((1, 5, 1.2), center=(0.1, 0, 0.05))))
    assert "crossing" in kinds(report)


def test_cavity_that_pokes_out_is_named():
    report = report_of(joined(box((4, 4, 4)), turned_over(moved(sphere(), (1.7, 0, 0)))))
    assert "crossing" in kinds(report)


@pytest.mark.parametrize("vertex", [0, 7, 100, 300, 600])
def test_single_spike_out_of_the_solid_is_named(vertex):
    # Six triangles of 1280 reach out, fewer than the sampling would meet.
    vertices, faces = icosphere(3)
    vertices[vertex] *= 20.0
    report = report_of(joined(box((4, 4, 4)), turned_over((vertices, faces))))
    assert "crossing" in kinds(report)


def test_touching_bricks_are_a_solid_in_any_pose():
    rng = np.random.default_rng(8)
    wall = joined(*(box((2, 1, 1), center=(2 * i + (k % 2), 0, k)) for i in range(3) for k in range(3)))
    for dtype in (np.float64, np.float32):
        vertices = (wall[0] @ random_rotation(rng).T + rng.normal(size=3)).astype(dtype)
        report = report_of((vertices, wall[1]))
        assert report.is_solid, report.text()
        assert len(report.shells) == 9


def test_ball_beside_a_torus_and_in_its_hole_is_outside_it():
    # Inside the bounding box of the torus, outside its solid.
    report = report_of(joined(torus(3.0, 0.8, 24, 12), sphere()))
    assert report.is_solid, report.text()
    assert [shell.depth for shell in report.shells] == [0, 0]


def test_shells_that_touch_in_one_vertex_are_told_apart():
    vertices, faces = joined(
        (TETRAHEDRON_VERTICES, TETRAHEDRON_FACES), turned_over((-TETRAHEDRON_VERTICES, TETRAHEDRON_FACES))
    )
    faces = [[0 if i == 4 else i for i in f] for f in faces]
    report = report_of((vertices, faces))
    assert len(report.shells) == 2
    assert report.is_solid, report.text()
    flipped = report_of((vertices, [*faces[:4], *(f[::-1] for f in faces[4:])]))
    assert flipped.inverted_shells == (1,)


def test_many_shells_are_all_found():
    parts = [
        moved((TETRAHEDRON_VERTICES, TETRAHEDRON_FACES), (2.0 * i, 2.0 * j, 0)) for i in range(20) for j in range(20)
    ]
    report = report_of(joined(*parts))
    assert len(report.shells) == 400
    assert report.is_solid


# ---- edges and components


def brute_force_edges(faces):
    uses = {}
    for face in faces:
        for a, b in zip(face, [*face[1:], face[0]], strict=True):
            if a != b:
                uses.setdefault((min(a, b), max(a, b)), []).append(a < b)
    return {
        "open_edges": sorted(e for e, u in uses.items() if len(u) == 1),
        "non_manifold_edges": sorted(e for e, u in uses.items() if len(u) > 2),
        "miswound_edges": sorted(e for e, u in uses.items() if len(u) == 2 and u[0] == u[1]),
    }


@given(seed=st.integers(0, 2**32 - 1), vertex_count=st.integers(3, 8), face_count=st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_edge_survey_equals_counting_by_hand(seed, vertex_count, face_count):
    rng = np.random.default_rng(seed)
    faces = [rng.integers(0, vertex_count, size=rng.integers(1, 6)).tolist() for _ in range(face_count)]
    if rng.random() < 0.5:
        faces += [f[::-1] for f in faces]
    mesh = Mesh.from_faces(np.zeros((vertex_count, 3)), faces)
    survey = survey_edges(mesh.corners, mesh.starts, vertex_count)
    for name, expected in brute_force_edges(faces).items():
        assert [tuple(e) for e in getattr(survey, name).tolist()] == expected


def test_edges_that_are_short_and_in_excess_do_not_cancel():
    # A quadrilateral over two far edges of a closed mesh: as many half-edges run up as down, but not edge by edge.
    vertices, faces = icosphere(1)
    edges = sorted({tuple(sorted((f[k], f[k - 1]))) for f in faces.tolist() for k in range(3)})
    quads = [
        [a, c, b, d]
        for b, c in edges
        for a, d in edges
        if a < b < min(c, d) and c != d and (a, c) not in edges and (b, d) not in edges
    ]
    assert len(quads) > 100
    for quad in quads[:: len(quads) // 100]:
        damaged = [*faces.tolist(), quad]
        mesh = Mesh.from_faces(vertices, damaged)
        survey = survey_edges(mesh.corners, mesh.starts, len(vertices))
        for name, expected in brute_force_edges(damaged).items():
            assert [tuple(e) for e in getattr(survey, name).tolist()] == expected


def test_hub_with_thousands_of_spokes_is_closed():
    # All spokes share their lower vertex, so that the near slots of the matching overflow.
    n = 5000
    angle = 2 * np.pi * np.arange(n) / n
    vertices = np.r_[[[0, 0, 1.0]], np.c_[np.cos(angle), np.sin(angle), 0 * angle], [[0, 0, -1.0]]]
    k = np.arange(n)
    faces = np.r_[np.c_[0 * k, 1 + k, 1 + (k + 1) % n], np.c_[0 * k + n + 1, 1 + (k + 1) % n, 1 + k]]
    report = report_of((vertices, faces))
    assert report.is_solid, report.text()


@given(seed=st.integers(0, 2**32 - 1), nodes=st.integers(1, 60), link_count=st.integers(0, 80))
@settings(max_examples=100, deadline=None)
def test_components_equal_a_search_by_hand(seed, nodes, link_count):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, nodes, size=(2, link_count))
    expected = np.arange(nodes)
    for _ in range(nodes):
        for x, y in zip(a, b, strict=True):
            expected[expected == max(expected[x], expected[y])] = min(expected[x], expected[y])
    found = connected_components(nodes, a, b)
    np.testing.assert_array_equal(found, np.unique(expected, return_inverse=True)[1])


@pytest.mark.parametrize("order", ["up", "down", "shuffled", "star"])
def test_components_of_a_long_strip_are_one(order):
    n = 100_000
    names = {"up": np.arange(n), "down": np.arange(n)[::-1], "shuffled": np.random.default_rng(0).permutation(n)}
    a, b = (names[order][:-1], names[order][1:]) if order != "star" else (np.full(n - 1, n - 1), np.arange(n - 1))
    assert connected_components(n, a, b).max() == 0


# ---- never silently wrong


@given(seed=st.integers(0, 2**32 - 1), vertex_count=st.integers(0, 8), face_count=st.integers(0, 16))
@settings(max_examples=200, deadline=None)
def test_random_face_soup_is_a_solid_or_a_named_error(seed, vertex_count, face_count):
    rng = np.random.default_rng(seed)
    vertices = rng.choice([rng.normal(size=(vertex_count, 3)), rng.integers(0, 2, size=(vertex_count, 3))])
    if vertex_count and rng.random() < 0.1:
        vertices[rng.integers(vertex_count), 0] = rng.choice([np.nan, np.inf, -1e308, 1e-320])
    spill = int(rng.random() < 0.2)
    faces = [
        rng.integers(-spill, vertex_count + spill + (vertex_count == 0), size=rng.integers(0, 6)).tolist()
        for _ in range(face_count)
    ]
    mesh = Mesh.from_faces(vertices, faces)
    # Anything else than a named error fails the test by itself.
    with contextlib.suppress(RedMaxError):
        found = mass_properties(mesh, density=1.0)
        assert not any(brute_force_edges(faces).values())
        assert found.problems() == []


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_damaged_solid_is_reported_or_unharmed(seed):
    rng = np.random.default_rng(seed)
    vertices, faces = icosphere(1)
    faces = faces.tolist()
    for _ in range(rng.integers(1, 4)):
        k = int(rng.integers(len(faces)))
        damage = rng.integers(5)
        if damage == 0:
            del faces[k]
        elif damage == 1:
            faces[k] = faces[k][::-1]
        elif damage == 2:
            faces.append(faces[k])
        elif damage == 3:
            faces[k][rng.integers(3)] = int(rng.integers(len(vertices)))
        else:
            faces.append(rng.integers(len(vertices), size=3).tolist())
    report = report_of((vertices, faces))
    closed = not any(brute_force_edges(faces).values()) and all(len(set(f)) == 3 for f in faces)
    # Two faults can undo each other; otherwise the damage must show.
    assert report.is_closed == closed
    assert report.is_solid <= closed
