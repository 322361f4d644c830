# SPDX-License-Identifier: GPL-3.0-or-later
"""What a diagnosis of a mesh found, and how it is said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..arrays import IntArray
from ..fields import LARGEST
from .volume_moments import VolumeMoments

# Entries of a finding that a message spells out.
LISTED = 3


@dataclass(frozen=True)
class Shell:
    """One connected piece: polygons joined by shared edges.

    first_polygon names it. volume [m^3] is negative when it faces inwards and meaningless unless the mesh is
    closed. depth: how many other shells contain it. is_cavity: faces inwards, inside solid material, as it should.
    """

    index: int
    first_polygon: int
    polygon_count: int
    volume: float
    depth: int
    is_flat: bool
    is_cavity: bool


@dataclass(frozen=True)
class MeshProblem:
    """One reason why the mesh bounds no solid. kind: a stable word for code. what: with numbers. hint: what to do."""

    kind: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.what}; {self.hint}"


@dataclass(frozen=True, eq=False)
class MeshReport:
    """Everything `diagnose` found. Arrays list all findings; only messages are shortened.

    Edges are vertex pairs (k, 2), faces and vertices are indices (k,). moments: of the mesh as it faces, None when
    the indices or coordinates are unusable. Shell pairs are (inner or first, outer or second).
    """

    vertex_count: int
    polygon_count: int
    triangle_count: int
    size: float
    bad_index_faces: IntArray
    non_finite_vertices: IntArray
    unused_vertices: IntArray
    collapsed_faces: IntArray
    zero_area_faces: IntArray
    uncut_faces: IntArray
    duplicate_faces: IntArray
    open_edges: IntArray
    non_manifold_edges: IntArray
    miswound_edges: IntArray
    merge_pairs: IntArray
    merging_closes: bool
    shells: tuple[Shell, ...]
    inverted_shells: tuple[int, ...]
    doubled_shells: tuple[tuple[int, int], ...]
    crossing_shells: tuple[tuple[int, int], ...]
    is_inverted: bool
    area: float
    moments: VolumeMoments | None

    @property
    def is_closed(self) -> bool:
        """Every edge joins exactly two faces that turn the same way, and every face is sound."""
        edges = len(self.open_edges) + len(self.non_manifold_edges) + len(self.miswound_edges)
        faces = len(self.bad_index_faces) + len(self.collapsed_faces) + len(self.duplicate_faces)
        return self.polygon_count > 0 and edges + faces + len(self.non_finite_vertices) == 0

    @property
    def is_solid(self) -> bool:
        """Closed, facing outwards, and nothing counted twice: the moments are those of a solid."""
        return not self.problems

    @cached_property
    def problems(self) -> tuple[MeshProblem, ...]:
        """What keeps the mesh from bounding a solid, most basic first."""
        return tuple(_problems(self))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is unusual but changes no result."""
        found = []
        if len(self.unused_vertices):
            found.append(f"{_count(self.unused_vertices, 'unused vertex', 'unused vertices')}, ignored")
        if len(self.zero_area_faces):
            found.append(f"{_count(self.zero_area_faces, 'face', 'faces')} without area, adding nothing")
        if len(self.uncut_faces):
            found.append(f"{_count(self.uncut_faces, 'face', 'faces')} crossing itself, taken with signed area")
        cavities = [shell.index for shell in self.shells if shell.is_cavity]
        if cavities:
            found.append(f"{_plural(len(cavities), 'cavity', 'cavities')}, subtracted")
        return tuple(found)

    def text(self) -> str:
        """The findings in plain language, one per line."""
        head = (
            f"{self.vertex_count} vertices, {self.polygon_count} faces, {_plural(len(self.shells), 'shell', 'shells')}"
        )
        lines = [str(problem) for problem in self.problems] or ["a closed solid"]
        return "\n".join([head, *(f"- {line}" for line in lines), *(f"- note: {note}" for note in self.notes)])


_FALLBACK = "use the convex hull or bounding box, or enter the mass by hand"


def _problems(report: MeshReport) -> list[MeshProblem]:
    found: list[MeshProblem] = []

    def add(kind: str, what: str, hint: str) -> None:
        found.append(MeshProblem(kind, what, hint))

    if report.polygon_count == 0:
        vertices = _plural(report.vertex_count, "vertex", "vertices")
        add("empty", f"the mesh has no faces ({vertices})", f"give it a closed surface, {_FALLBACK}")
    if len(report.bad_index_faces):
        faces = _count(report.bad_index_faces, "face", "faces")
        last = report.vertex_count - 1
        add(
            "bad_index",
            f"{faces} naming a vertex that does not exist",
            f"use 0 to {last}; validate the mesh",
        )
    if len(report.non_finite_vertices):
        vertices = _count(report.non_finite_vertices, "vertex", "vertices")
        add("non_finite", f"{vertices} not finite or beyond {LARGEST:g} m", "give finite coordinates")
    if found:
        return found

    if len(report.collapsed_faces):
        faces = _count(report.collapsed_faces, "face", "faces")
        add("collapsed", f"{faces} with a repeated vertex or fewer than 3 corners", "run Degenerate Dissolve")
    if len(report.duplicate_faces):
        faces = _count(report.duplicate_faces, "face", "faces")
        add("duplicate_face", f"{faces} lying on another face with the same vertices", "delete the copies")
    if len(report.open_edges):
        edges = _edges(report.open_edges, "open edge", "open edges")
        if report.merging_closes:
            pairs = _plural(len(report.merge_pairs), "pair", "pairs")
            add("unmerged", f"{edges}, but {pairs} of vertices coincide", "Merge by Distance would close the mesh")
        else:
            add("open", edges, f"close the holes (Fill, Grid Fill), {_FALLBACK}")
    if len(report.non_manifold_edges):
        edges = _edges(report.non_manifold_edges, "edge", "edges")
        add("non_manifold", f"{edges}, with more than two faces", f"remove inner faces, {_FALLBACK}")
    if len(report.miswound_edges):
        edges = _edges(report.miswound_edges, "edge", "edges")
        add("miswound", f"{edges}, whose two faces turn against each other", "Recalculate Normals Outside")
    if found:
        return found

    flat = [shell for shell in report.shells if shell.is_flat]
    if flat:
        where = _shells(report, [shell.index for shell in flat])
        add("flat", f"{where} encloses no volume", f"give it thickness (Solidify), {_FALLBACK}")
    if report.is_inverted:
        volume = sum(shell.volume for shell in report.shells)
        add(
            "inverted",
            f"all faces point inwards (volume {volume:.6g} m^3)",
            "Recalculate Normals Outside, or flip the mesh",
        )
    elif report.inverted_shells:
        where = _shells(report, report.inverted_shells)
        add("inverted_shell", f"{where} points inwards without lying in solid material", "Recalculate Normals Outside")
    if report.doubled_shells:
        where = _shell_pairs(report, report.doubled_shells, "lies in or on")
        add("doubled", f"{where} and is no cavity, so it counts twice", "flip it if it should be one, else delete it")
    if report.crossing_shells:
        where = _shell_pairs(report, report.crossing_shells, "crosses")
        add("crossing", f"{where}, so the overlap counts twice", f"join them (Boolean Union), {_FALLBACK}")
    if not found and sum(shell.volume for shell in report.shells) <= 0.0:
        add("flat", "the mesh encloses no volume", f"check its cavities, {_FALLBACK}")
    return found


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _count(indices: IntArray, one: str, many: str) -> str:
    """'4 faces (e.g. 3, 7, 9)', or '1 face (3)'."""
    listed = ", ".join(str(i) for i in indices[:LISTED].tolist())
    return f"{_plural(len(indices), one, many)} ({'e.g. ' if len(indices) > LISTED else ''}{listed})"


def _edges(pairs: IntArray, one: str, many: str) -> str:
    """'12 open edges, e.g. between vertices 3 and 7'."""
    a, b = pairs[0].tolist()
    return f"{_plural(len(pairs), one, many)}, {'e.g. ' if len(pairs) > 1 else ''}between vertices {a} and {b}"


def _shell(report: MeshReport, index: int) -> str:
    return f"shell {index} (with face {report.shells[index].first_polygon})"


def _shells(report: MeshReport, indices: tuple[int, ...] | list[int]) -> str:
    if len(report.shells) == 1:
        return "the mesh"
    more = f" and {len(indices) - 1} more" if len(indices) > 1 else ""
    return f"{_shell(report, indices[0])}{more}"


def _shell_pairs(report: MeshReport, pairs: tuple[tuple[int, int], ...], verb: str) -> str:
    a, b = pairs[0]
    more = f" ({len(pairs)} such pairs)" if len(pairs) > 1 else ""
    return f"{_shell(report, a)} {verb} {_shell(report, b)}{more}"
