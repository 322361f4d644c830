# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh bounds a solid, and if not, what is wrong and where.

Found: empty meshes, indices out of range, coordinates that are not finite, faces with repeated vertices or without
area, duplicated faces, open edges, edges with more than two faces, faces that turn against their neighbour, flat
shells, shells that face the wrong way, lie in another facing the same way, coincide or cross.
Not found: a single shell that runs through itself, and shells that cross in a region smaller than the sampling of
`shells.relations` resolves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..fields import LARGEST
from .edges import EdgeSurvey, connected_components, survey_edges
from .mesh import Mesh
from .mesh_report import MeshReport, Shell
from .shells import Relation, relations, shell_geometry
from .triangulate import Triangulation, triangulate
from .volume_moments import TriangleMeasures, volume_moments

# A face or shell is flat when its extent across is below this fraction of the mesh; round-off is near 1e-16.
FLATNESS = 1e-12
# Vertices closer than this fraction of the mesh count as one in the search for seams that were never merged.
MERGE_FRACTION = 1e-6


def diagnose(mesh: Mesh) -> MeshReport:
    """Examine a mesh. Never raises on what the mesh contains; the report says whether to trust its moments."""
    sizes = mesh.sizes
    bad_index_faces, unused = _index_findings(mesh, sizes)
    used_mask = None
    if len(unused):
        used_mask = np.ones(len(mesh.vertices), dtype=bool)
        used_mask[unused] = False
    lower, upper, non_finite = _bounds(mesh.vertices, used_mask)
    if len(bad_index_faces) or len(non_finite) or mesh.polygon_count == 0:
        return _unusable(mesh, bad_index_faces, non_finite, unused)

    size = float(np.linalg.norm(upper - lower))
    reference = 0.5 * (lower + upper)
    resolution = mesh.precision * float(np.maximum(np.abs(lower), np.abs(upper)).max())
    columns = np.ascontiguousarray(mesh.vertices.T)
    columns -= reference[:, None]

    collapsed = _collapsed_faces(mesh, sizes)
    filled = sizes > 0
    if filled.all():
        survey = survey_edges(mesh.corners, mesh.starts, len(mesh.vertices))
        shell_of = connected_components(mesh.polygon_count, survey.link_a, survey.link_b)
    else:
        survey, shell_of = _survey_without_empty(mesh, filled)
    shell_count = int(shell_of.max()) + 1
    duplicates = _duplicate_faces(mesh, survey, shell_of, shell_count)

    cut = triangulate(mesh)
    moments, measures = volume_moments(columns, cut.triangles, reference)
    thickness = FLATNESS * size + resolution
    zero_area = _zero_area_faces(columns, cut, measures, size, resolution)

    sound = survey.is_closed and len(collapsed) == 0 and len(duplicates) == 0
    nesting = _nesting(columns, cut, measures, shell_of, shell_count, thickness, sound=sound)
    merge_pairs, merging_closes = np.zeros((0, 2), dtype=np.int64), False
    if len(survey.open_edges):
        merge_pairs, merging_closes = _seams(mesh, survey.open_edges, max(MERGE_FRACTION * size, 4.0 * resolution))
    return MeshReport(
        vertex_count=len(mesh.vertices),
        polygon_count=mesh.polygon_count,
        triangle_count=len(cut.triangles),
        size=size,
        bad_index_faces=bad_index_faces,
        non_finite_vertices=non_finite,
        unused_vertices=unused,
        collapsed_faces=collapsed,
        zero_area_faces=zero_area,
        uncut_faces=cut.uncut,
        duplicate_faces=duplicates,
        open_edges=survey.open_edges,
        non_manifold_edges=survey.non_manifold_edges,
        miswound_edges=survey.miswound_edges,
        merge_pairs=merge_pairs,
        merging_closes=merging_closes,
        shells=nesting.shells,
        inverted_shells=nesting.inverted,
        doubled_shells=nesting.doubled,
        crossing_shells=nesting.crossing,
        is_inverted=nesting.is_inverted,
        area=float(measures.area.sum()),
        moments=moments,
    )


def _unusable(mesh: Mesh, bad_index_faces: IntArray, non_finite: IntArray, unused: IntArray) -> MeshReport:
    """The report of a mesh whose indices or coordinates stop any further look."""
    faces, edges = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    return MeshReport(
        vertex_count=len(mesh.vertices),
        polygon_count=mesh.polygon_count,
        triangle_count=0,
        size=0.0,
        bad_index_faces=bad_index_faces,
        non_finite_vertices=non_finite,
        unused_vertices=unused,
        collapsed_faces=faces,
        zero_area_faces=faces,
        uncut_faces=faces,
        duplicate_faces=faces,
        open_edges=edges,
        non_manifold_edges=edges,
        miswound_edges=edges,
        merge_pairs=edges,
        merging_closes=False,
        shells=(),
        inverted_shells=(),
        doubled_shells=(),
        crossing_shells=(),
        is_inverted=False,
        area=0.0,
        moments=None,
    )


def _index_findings(mesh: Mesh, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Faces with a vertex index out of range, and vertices that no face uses."""
    nothing = np.zeros(0, dtype=np.int64)
    if len(mesh.corners) == 0:
        return nothing, np.arange(len(mesh.vertices))
    if mesh.corners.min() < 0 or mesh.corners.max() >= len(mesh.vertices):
        bad = (mesh.corners < 0) | (mesh.corners >= len(mesh.vertices))
        return np.unique(np.repeat(np.arange(len(sizes)), sizes)[bad]), nothing
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[mesh.corners] = True
    return nothing, np.flatnonzero(~used)


def _bounds(vertices: Array, used: BoolArray | None) -> tuple[Array, Array, IntArray]:
    """Bounding box of the used vertices, and the used vertices that are not finite or absurdly far."""
    points = vertices if used is None else vertices[used]
    if len(points) == 0:
        return np.zeros(3), np.zeros(3), np.zeros(0, dtype=np.int64)
    with np.errstate(invalid="ignore"):
        lower = np.array([points[:, axis].min() for axis in range(3)])
        upper = np.array([points[:, axis].max() for axis in range(3)])
        far = ~(np.maximum(np.abs(lower), np.abs(upper)) <= LARGEST).all()
        if not far:
            return lower, upper, np.zeros(0, dtype=np.int64)
        bad = ~(np.abs(vertices) <= LARGEST).all(axis=1)
    return lower, upper, np.flatnonzero(bad if used is None else bad & used)


def _collapsed_faces(mesh: Mesh, sizes: IntArray) -> IntArray:
    """Faces with fewer than three corners or with a vertex that comes twice."""
    if sizes.min() == 3 == sizes.max():
        a, b, c = mesh.corners[0::3], mesh.corners[1::3], mesh.corners[2::3]
        return np.flatnonzero((a == b) | (b == c) | (c == a))
    found = [np.flatnonzero(sizes < 3)]
    for n in np.unique(sizes[sizes >= 3]):
        polygons = np.flatnonzero(sizes == n)
        loops = np.sort(mesh.corners[mesh.starts[polygons][:, None] + np.arange(n)], axis=1)
        found.append(polygons[(loops[:, 1:] == loops[:, :-1]).any(axis=1)])
    return np.sort(np.concatenate(found))


def _survey_without_empty(mesh: Mesh, filled: BoolArray) -> tuple[EdgeSurvey, IntArray]:
    """Edges and shells of a mesh in which some polygons have no corner at all."""
    kept = np.flatnonzero(filled)
    if len(kept) == 0:
        none, edges = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
        return EdgeSurvey(edges, edges, edges, none, none), np.arange(mesh.polygon_count)
    survey = survey_edges(mesh.corners, np.append(mesh.starts[kept], mesh.starts[-1]), len(mesh.vertices))
    link_a, link_b = kept[survey.link_a], kept[survey.link_b]
    survey = EdgeSurvey(survey.open_edges, survey.non_manifold_edges, survey.miswound_edges, link_a, link_b)
    return survey, connected_components(mesh.polygon_count, link_a, link_b)


def _duplicate_faces(mesh: Mesh, survey: EdgeSurvey, shell_of: IntArray, shell_count: int) -> IntArray:
    """Faces that repeat the corners of an earlier face, in the same or the opposite sense.

    Two copies share all their edges. Either these carry no third face, and the copies make up a shell of two, or
    an edge has more than two faces. Only such faces are compared.
    """
    suspect = np.zeros(mesh.polygon_count, dtype=bool)
    pairs = np.bincount(shell_of, minlength=shell_count) == 2
    if pairs.any():
        suspect |= pairs[shell_of]
    if len(survey.non_manifold_edges):
        vertex = np.zeros(len(mesh.vertices), dtype=bool)
        vertex[survey.non_manifold_edges] = True
        polygons = np.repeat(np.arange(mesh.polygon_count), mesh.sizes)
        suspect[polygons[vertex[mesh.corners]]] = True
    seen: set[tuple[int, ...]] = set()
    copies = []
    for k in np.flatnonzero(suspect):
        name = _cycle_name(mesh.polygon(int(k)))
        if name in seen:
            copies.append(k)
        seen.add(name)
    return np.array(copies, dtype=np.int64)


def _cycle_name(loop: IntArray) -> tuple[int, ...]:
    """The same tuple for every rotation and reversal of a loop of corners."""
    if len(loop) == 0:
        return ()
    starts = np.flatnonzero(loop == loop.min())
    forward = [tuple(np.roll(loop, -s).tolist()) for s in starts]
    backward = [tuple(np.roll(loop[::-1], s + 1 - len(loop)).tolist()) for s in starts]
    return min(forward + backward)


def _zero_area_faces(
    columns: Array, cut: Triangulation, measures: TriangleMeasures, size: float, resolution: float
) -> IntArray:
    """Polygons whose triangles all are thinner than round-off, measured against their own longest side."""
    # No side is longer than the mesh, which bounds the threshold and leaves few triangles to look at.
    few = np.flatnonzero(2.0 * measures.area <= (FLATNESS * size + resolution) * size)
    corners = columns[:, cut.triangles[few]]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=2), axis=0)
    longest = sides.max(axis=1) if len(few) else np.zeros(0)
    thin = few[2.0 * measures.area[few] <= (FLATNESS * longest + resolution) * longest]
    if len(thin) == 0:
        return np.zeros(0, dtype=np.int64)
    triangles_of = np.bincount(cut.polygons)
    thin_of = np.bincount(cut.polygons[thin], minlength=len(triangles_of))
    return np.flatnonzero((thin_of == triangles_of) & (triangles_of > 0))


@dataclass(frozen=True)
class _Nesting:
    shells: tuple[Shell, ...]
    inverted: tuple[int, ...]
    doubled: tuple[tuple[int, int], ...]
    crossing: tuple[tuple[int, int], ...]
    is_inverted: bool


def _nesting(
    columns: Array,
    cut: Triangulation,
    measures: TriangleMeasures,
    shell_of: IntArray,
    shell_count: int,
    thickness: float,
    *,
    sound: bool,
) -> _Nesting:
    """Volumes of the shells and how they lie in each other; the latter only when the mesh is closed.

    Just outside a shell the surface as a whole winds around a point as often as the containing shells say, each
    with the sign of its volume. A solid knows only 0 and 1: an outward shell needs 0 outside, a cavity needs 1.
    """
    polygon_count = np.bincount(shell_of, minlength=shell_count)
    first = np.empty(shell_count, dtype=np.int64)
    first[shell_of[::-1]] = np.arange(len(shell_of))[::-1]
    if shell_count == 1:
        volumes, areas = np.array([measures.volume.sum()]), np.array([measures.area.sum()])
    else:
        owner = shell_of[cut.polygons]
        volumes = np.bincount(owner, weights=measures.volume, minlength=shell_count)
        areas = np.bincount(owner, weights=measures.area, minlength=shell_count)
    flat = np.abs(volumes) <= areas * thickness
    sign = np.where(flat, 0, np.sign(volumes)).astype(int)

    containers: list[list[int]] = [[] for _ in range(shell_count)]
    doubled: list[tuple[int, int]] = []
    crossing: list[tuple[int, int]] = []
    if shell_count > 1 and sound:
        geometry = shell_geometry(columns, cut.triangles, shell_of[cut.polygons], shell_count)
        for (a, b), relation in sorted(relations(geometry, 2.0 * thickness).items()):
            if relation is Relation.INSIDE:
                containers[a].append(b)
            elif relation is Relation.ACROSS and (min(a, b), max(a, b)) not in crossing:
                crossing.append((min(a, b), max(a, b)))
            elif relation is Relation.COINCIDENT and (b, a) not in doubled:
                doubled.append((a, b))
    around = np.array([int(sign[inside].sum()) for inside in containers])
    inverted = [s for s in range(shell_count) if sound and sign[s] < 0 and around[s] <= 0]
    for s in range(shell_count):
        if sign[s] > 0 and around[s] > 0:
            same = [b for b in containers[s] if sign[b] > 0]
            doubled.append((s, min(same, key=lambda b: abs(volumes[b]))))
    # Turned over as a whole, the mesh would be sound: outward shells (now < 0) need 0 around, cavities (now > 0) -1.
    good_when_flipped = np.where(sign < 0, around == 0, np.where(sign > 0, around == -1, False))
    is_inverted = sound and not crossing and len(doubled) == 0 and bool(good_when_flipped.all())
    shells = tuple(
        Shell(
            index=s,
            first_polygon=int(first[s]),
            polygon_count=int(polygon_count[s]),
            volume=float(volumes[s]),
            depth=len(containers[s]),
            is_flat=bool(flat[s]),
            is_cavity=bool(sound and sign[s] < 0 and around[s] == 1),
        )
        for s in range(shell_count)
    )
    return _Nesting(shells, tuple(inverted), tuple(doubled), tuple(crossing), is_inverted)


def _seams(mesh: Mesh, open_edges: IntArray, tolerance: float) -> tuple[IntArray, bool]:
    """Vertex pairs on open edges that lie within `tolerance` [m], and whether merging them closes the mesh."""
    rim = np.unique(open_edges)
    pairs = rim[close_pairs(mesh.vertices[rim], tolerance)]
    if len(pairs) == 0:
        return pairs, False
    merged = connected_components(len(mesh.vertices), pairs[:, 0], pairs[:, 1])
    corners = merged[mesh.corners]
    filled = np.flatnonzero(mesh.sizes > 0)
    starts = np.append(mesh.starts[filled], mesh.starts[-1])
    following = np.empty_like(corners)
    following[:-1] = corners[1:]
    following[starts[1:] - 1] = corners[starts[:-1]]
    # Sides that merging shrinks to a point vanish, and faces left with fewer than three sides vanish with them.
    stays = corners != following
    sides = np.add.reduceat(stays.astype(np.int64), starts[:-1])
    stays &= np.repeat(sides >= 3, np.diff(starts))
    sides = sides[sides >= 3]
    if len(sides) == 0:
        return pairs, False
    survey = survey_edges(corners[stays], np.append(0, np.cumsum(sides)), int(merged.max()) + 1)
    return pairs, survey.is_closed


def close_pairs(points: Array, tolerance: float) -> IntArray:
    """Index pairs (k, 2), lower first, that join points (n, 3) closer than `tolerance` [m] into clusters.

    Sorted along a generic direction, close points are near each other in the order. Clusters of more than 64
    points are joined through neighbours in that order instead of pair by pair.
    """
    along: Array = points @ np.array([0.4367, 0.6931, 0.5734])
    order = np.argsort(along, kind="stable")
    along, points = along[order], points[order]
    left = np.arange(len(points))
    found = []
    for step in range(1, 65):
        left = left[left + step < len(points)]
        left = left[along[left + step] - along[left] <= tolerance]
        if len(left) == 0:
            break
        gap = points[left + step] - points[left]
        near = left[np.einsum("ni,ni->n", gap, gap) <= tolerance**2]
        found.append(np.sort(np.stack((order[near], order[near + step]), axis=1), axis=1))
    if not found:
        return np.zeros((0, 2), dtype=np.int64)
    pairs: IntArray = np.concatenate(found)
    ordered: IntArray = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return ordered
