# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision detection: microseconds per pair of shapes that touch, beside MuJoCo's on the same poses, and the growth of
detection with the number of bodies in a heap.

Pairs touch at random orientations, half a per cent deep, and are far from each other. One call looks at all of them, so
that the times are those of whole detection, broad phase included, per pair.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from redmax.arrays import Array
from redmax.kernels import route
from redmax.kernels.contact.detection import Finder
from redmax.surfaces import BoxSurface, CapsuleSurface, CylinderSurface, HullSurface, PlaneSurface, SphereSurface
from redmax.surfaces.packed import packed
from redmax.surfaces.surface import Surface

from .measure import Options, Row, interleaved_calls

COPIES = 50
"""Pairs of each kind in a scene, far from each other."""
APART = 40.0
DEPTH = 0.005
MARGIN = 1e-3
KINDS = ("sphere", "capsule", "box", "cylinder", "hull")
HEAPS = (125, 500, 2000)
CORNERS = 0.6 * np.random.default_rng(7).normal(size=(12, 3))


def run(options: Options) -> list[Row]:
    if route.name() != route.NUMBA:
        options.skip(f"contact_pairs: only plain numpy computes here, because {route.why_numpy()}")
        return []
    pairs = [("plane", kind) for kind in KINDS] + [(a, b) for k, a in enumerate(KINDS) for b in KINDS[k:]]
    rows = [row for pair in pairs for row in pair_rows(options, *pair)]
    return rows + heap_rows(options)


def shape(kind: str, name: str) -> Surface:
    match kind:
        case "plane":
            return PlaneSurface(name=name)
        case "sphere":
            return SphereSurface(name=name, radius=0.7)
        case "capsule":
            return CapsuleSurface(name=name, radius=0.4, height=1.3)
        case "box":
            return BoxSurface(name=name, size=(1.0, 1.6, 0.7))
        case "cylinder":
            return CylinderSurface(name=name, radius=0.8, height=0.9)
    return HullSurface(name=name, vertices=CORNERS.tolist())


def finder(surfaces: list[Surface]) -> Finder:
    """Surfaces of bodies of their own."""
    bodies = np.arange(len(surfaces))
    frames = np.tile(np.eye(4), (len(surfaces), 1, 1))
    return Finder(packed(surfaces, bodies, frames, bodies, [[] for _ in surfaces], [False] * len(surfaces)))


def touching(first: str, second: str) -> Array:
    """Poses (COPIES, 2, 4, 4) of pairs that touch; a plane is the same for all."""
    rng = np.random.default_rng(1)
    pair = finder([shape(first, "a"), shape(second, "b")])
    poses = np.tile(np.eye(4), (COPIES, 2, 1, 1))
    for k, E in enumerate(poses):
        if first != "plane":
            E[0, :3, :3] = turned(rng)
        E[1, :3, :3], E[1, :3, 3] = turned(rng), (0.1, 0.2, 5.0)
        found = pair.find(E, 100.0)
        at = int(found.gaps.argmin())
        E[1, :3, 3] += (found.gaps[at] + DEPTH) * found.normals[at]
        if first != "plane":
            E[:, 0, 3] += APART * k
        else:
            E[1, 0, 3] += APART * k
    return poses


def turned(rng: np.random.Generator) -> Array:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(Q * np.sign(np.linalg.det(Q)))


def pair_rows(options: Options, first: str, second: str) -> list[Row]:
    poses = touching(first, second)
    listed = [shape(kind, f"{kind} {k} {side}") for k in range(COPIES) for side, kind in enumerate((first, second))]
    E = poses.reshape(-1, 4, 4)
    if first == "plane":
        listed, E = [listed[0], *listed[1::2]], np.concatenate([E[:1], E[1::2]])
    all_pairs = finder(listed)
    ways: dict[str, Callable[[], object]] = {"ours": partial(all_pairs.find, E, MARGIN)}
    ways |= mujoco_way(options, first, second, E)
    times = interleaved_calls(ways, options.rounds, at_least=options.seconds(0.05, 0.01))
    found = {tuple(pair) for pair in all_pairs.find(E, MARGIN).surfaces.tolist()}
    if len(found) != COPIES:
        raise RuntimeError(f"{first} and {second}: {len(found)} of {COPIES} pairs touch")
    peer = 1e6 * times["mujoco"].median / COPIES if "mujoco" in times else None
    return [
        Row(
            "contact, detection per pair",
            f"{first} and {second}",
            1e6 * times["ours"].median / COPIES,
            "us",
            "mujoco" if peer is not None else "",
            peer,
            times["ours"].spread,
            their_spread=times["mujoco"].spread if peer is not None else None,
        )
    ]


def mujoco_way(options: Options, first: str, second: str, E: Array) -> dict[str, Callable[[], object]]:
    try:
        import mujoco  # noqa: PLC0415  (a peer, which need not be here)
    except ImportError:
        options.skip("mujoco is not installed")
        return {}
    asset = " ".join(f"{x:.17g}" for x in CORNERS.ravel())
    geoms = {
        "plane": 'type="plane" size="50 50 1"',
        "sphere": 'type="sphere" size="0.7"',
        "capsule": 'type="capsule" size="0.4 0.65"',
        "box": 'type="box" size="0.5 0.8 0.35"',
        "cylinder": 'type="cylinder" size="0.8 0.45"',
        "hull": 'type="mesh" mesh="hull"',
    }
    kinds = [first, *[second] * COPIES] if first == "plane" else [first, second] * COPIES
    bodies = ""
    for kind, X in zip(kinds, E, strict=True):
        free = "" if kind == "plane" else "<freejoint/>"
        position, axes = " ".join(map(str, X[:3, 3])), " ".join(map(str, X[:3, :2].T.ravel()))
        bodies += (
            f'<body pos="{position}" xyaxes="{axes}">{free}<geom {geoms[kind]} mass="1" margin="{MARGIN}"/></body>'
        )
    assets = f'<asset><mesh name="hull" vertex="{asset}" inertia="convex"/></asset>'
    flags = '<option><flag multiccd="enable"/></option>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{flags}{assets}<worldbody>{bodies}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    if data.ncon < COPIES:
        options.note(f"MuJoCo finds {data.ncon} points for {COPIES} pairs of {first} and {second}")
    return {"mujoco": partial(mujoco.mj_collision, model, data)}


def heap(count: int) -> tuple[Finder, Array]:
    """Boxes in a cube, each near its six neighbours, above a plane, and their poses (count + 1, 4, 4)."""
    surfaces: list[Surface] = [BoxSurface(name=str(k), size=(1.0, 1.0, 1.0)) for k in range(count)]
    side = round(count ** (1.0 / 3.0))
    E = np.tile(np.eye(4), (count + 1, 1, 1))
    k = np.arange(count)
    E[:count, :3, 3] = np.column_stack([k % side, k // side % side, k // side**2]) * 1.0005 + [0.0, 0.0, 0.5]
    return finder([*surfaces, PlaneSurface(name="ground")]), E


def heap_rows(options: Options) -> list[Row]:
    """Boxes in a cubic heap, each near its six neighbours, above a plane."""
    finders, poses = {}, {}
    for count in HEAPS[:2] if options.quick else HEAPS:
        finders[count], poses[count] = heap(count)
    ways = {str(n): partial(finders[n].find, poses[n], MARGIN) for n in finders}
    times = interleaved_calls(ways, options.rounds, at_least=options.seconds(0.05, 0.01))
    return [
        Row("contact, detection of a heap of boxes", f"{n} boxes, per box", 1e6 * times[str(n)].median / n, "us",
            spread=times[str(n)].spread)
        for n in finders
    ]  # fmt: skip
