# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh checks and volume integration of a million triangles: seconds, peak memory, and trimesh beside it.

Needs: checks + integration in under 0.5 s and 500 MB. trimesh does less: its numbers are for the integrals and the
watertight and winding tests, without shells, nesting, duplicates and places.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import trimesh

from redmax.geometry.mass_properties import mass_properties
from redmax.geometry.mesh import Mesh

from .measure import Options, Row, interleaved


def torus(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """2 n m triangles around the z axis, n m vertices."""
    u, v = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(m) / m, indexing="ij")
    ring = 2.0 + 0.5 * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), 0.5 * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    i1, j1 = (i + 1) % n, (j + 1) % m
    a, b, c, d = i * m + j, i1 * m + j, i1 * m + j1, i * m + j1
    return vertices, np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)


def shuffled(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same mesh with vertices and faces in random order: nothing near in space is near in memory."""
    rng = np.random.default_rng(0)
    names = rng.permutation(len(vertices))
    moved = np.empty_like(vertices)
    moved[names] = vertices
    return moved, names[faces][rng.permutation(len(faces))]


def copies(vertices: np.ndarray, faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """`count` shells in a row."""
    shift = 10.0 * np.arange(count)[:, None, None] * [1.0, 0, 0]
    names = np.arange(count)[:, None, None] * len(vertices)
    return (vertices + shift).reshape(-1, 3), (faces + names).reshape(-1, 3)


def peak_megabytes(work: Callable[[], Any]) -> float:
    """Peak of the memory a call allocates [MB]."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def trimesh_properties(vertices: np.ndarray, faces: np.ndarray) -> Any:
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    return mesh.mass_properties


def meshes(triangles: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Vertices and faces of meshes of about so many triangles."""
    n = max(int(np.sqrt(triangles / 8)), 3)
    whole = torus(4 * n, n)
    small = max(int(np.sqrt(triangles / 8 / 100)), 3)
    return {
        "torus": whole,
        "torus, shuffled": shuffled(*whole),
        "100 tori": copies(*torus(4 * small, small), 100),
    }


def run(options: Options) -> list[Row]:
    """Seconds and peak memory of checks + integration per mesh, beside trimesh; quick: a tenth of the triangles."""
    triangles = 100_000 if options.quick else 1_000_000
    size = f"{triangles:,} triangles".replace(",", " ")
    rows = []
    for name, part in meshes(triangles).items():
        mesh = Mesh.from_faces(*part)
        ours, theirs = partial(mass_properties, mesh, density=1.0), partial(trimesh_properties, *part)
        times = interleaved({"ours": ours, "trimesh": theirs}, options.rounds)
        rows.append(
            Row(
                size,
                name,
                times["ours"][0],
                "s",
                "trimesh",
                times["trimesh"][0],
                times["ours"][1],
                limit=None if options.quick else 0.5,
                their_spread=times["trimesh"][1],
            )
        )
        peaks = peak_megabytes(ours), peak_megabytes(theirs)
        rows.append(Row(f"{size}, memory", name, peaks[0], "MB", "trimesh", peaks[1], limit=500.0))
    return rows
