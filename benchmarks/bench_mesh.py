# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh checks and volume integration of a million triangles: seconds, peak memory, and trimesh beside it.

Needs: checks + integration in under 0.5 s and 500 MB. trimesh does less: its numbers are for the integrals and the
watertight and winding tests, without shells, nesting, duplicates and places.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh

from redmax.geometry.mass_properties import mass_properties
from redmax.geometry.mesh import Mesh

REPEATS = 5


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


def measure(work: Callable[[], Any]) -> dict[str, float]:
    """First and best wall time, best processor time [s] and peak of allocated memory [MB] of a call."""
    wall, processor = [], []
    for _ in range(REPEATS):
        begin, spent = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - begin)
        processor.append(time.process_time() - spent)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"first_s": wall[0], "best_s": min(wall), "cpu_s": min(processor), "peak_mb": peak / 1e6}


def trimesh_properties(vertices: np.ndarray, faces: np.ndarray) -> Any:
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    return mesh.mass_properties


def run(triangles: int = 1_000_000) -> list[dict[str, Any]]:
    """One row per mesh: our times and peak, trimesh's, their ratio, and the largest relative difference."""
    n = max(int(np.sqrt(triangles / 8)), 3)
    whole = torus(4 * n, n)
    small = max(int(np.sqrt(triangles / 8 / 100)), 3)
    rows = []
    for name, part in (
        ("torus", whole),
        ("torus, shuffled", shuffled(*whole)),
        ("100 tori", copies(*torus(4 * small, small), 100)),
    ):
        mesh = Mesh.from_faces(*part)
        ours = measure(lambda mesh=mesh: mass_properties(mesh, density=1.0))
        theirs = measure(lambda part=part: trimesh_properties(*part))
        a, b = mass_properties(mesh, density=1.0), trimesh_properties(*part)
        difference = max(
            abs(a.mass / b["mass"] - 1.0), np.abs(a.inertia - b["inertia"]).max() / np.abs(a.inertia).max()
        )
        rows.append(
            {
                "mesh": name,
                "triangles": len(part[1]),
                **ours,
                "trimesh_best_s": theirs["best_s"],
                "trimesh_peak_mb": theirs["peak_mb"],
                "times_trimesh": theirs["best_s"] / ours["best_s"],
                "difference": float(difference),
            }
        )
    return rows


def main() -> None:
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, numpy {np.__version__}, trimesh {trimesh.__version__}"
    )
    print("mesh              triangles  first s   best s    cpu s  peak MB  trimesh s  its MB   ratio  difference")
    for row in run():
        print(
            f"{row['mesh']:<16} {row['triangles']:>10} {row['first_s']:>8.3f} {row['best_s']:>8.3f}"
            f" {row['cpu_s']:>8.3f} {row['peak_mb']:>8.0f} {row['trimesh_best_s']:>10.3f}"
            f" {row['trimesh_peak_mb']:>7.0f} {row['times_trimesh']:>7.1f} {row['difference']:>11.1e}"
        )


if __name__ == "__main__":
    main()
