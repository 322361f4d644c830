# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms on tracks and sheets whose motion is known: a coaster, a cycloid, a bowl.

Import as `from engine.spline_scenes import coaster`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.geometry.solids import Box
from redmax.joints import SplineCurve, SplineSurface
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import pose
from redmax.tracks import Sheet, Track, frames_along, frames_through, pose_of

GRAVITY = 9.81


def track_of(E: np.ndarray, **fields: Any) -> Track:
    return Track(**({"name": "track"} | fields), frames=tuple(map(pose_of, E)))


def cart_on(track: Track, *, q: float = 0.0, qdot: float = 0.0, **fields: Any) -> Scene:
    """A box of 120 kg, 0.3 m above the track on which it runs."""
    box = Box(size=(1.0, 0.6, 0.4), density=500.0)
    joint = SplineCurve(
        name="wheels",
        parent=None,
        child="cart",
        track="track",
        q=(q,),
        qdot=(qdot,),
        frame_in_child=pose_of(pose.make(np.eye(3), (0.0, 0.0, -0.3))),
        **fields,
    )
    return Scene(bodies=[Body(name="cart", shapes=(box,))], joints=[joint], tracks=[track])


def coaster_track(**fields: Any) -> Track:
    """Closed, 121 m long: a hill, a vertical loop of 5 m radius and two turns with bank."""
    loop = 2.0 * np.pi * np.arange(1, 12) / 12
    straight = [(x, 0.0, 0.0) for x in np.arange(-8.0, 0.1, 2.0)]
    looping = [(5.0 * np.sin(a), 3.0 * a / (2.0 * np.pi), 5.0 - 5.0 * np.cos(a)) for a in loop]
    out = [(x, 3.0, 0.0) for x in np.arange(0.0, 8.1, 2.0)]
    turn = np.pi * np.arange(1, 12) / 12
    back = [(8.0 + 8.0 * np.sin(a), 11.0 - 8.0 * np.cos(a), 0.0) for a in turn]
    hill = [(x, 19.0, 4.0 * np.sin(np.pi * (8.0 - x) / 16.0) ** 2) for x in np.arange(8.0, -8.1, -2.0)]
    home = [(-8.0 - 9.5 * np.sin(a), 9.5 + 9.5 * np.cos(a), 0.0) for a in turn]
    x = np.array([*straight, *looping, *out, *back, *hill, *home])
    bank = np.zeros(len(x))
    first, second = len(straight) + len(looping) + len(out), len(x) - len(home)
    bank[first : first + len(back)] = -0.6 * np.sin(turn) ** 2  # inwards, to the left
    bank[second:] = -0.6 * np.sin(turn) ** 2
    return track_of(
        frames_along(x, cyclic=True), **({"cyclic": True, "orientation": "tangent", "bank": tuple(bank)} | fields)
    )


def cycloid_track(a: float = 1.0, *, count: int = 401) -> tuple[Track, float]:
    """x = a (phi + sin phi), z = a (1 - cos phi) for |phi| < 3 rad, and where its lowest point is.

    Along it s = 4 a sin(phi / 2) and z = s^2 / (8 a), so that every swing takes 4 pi sqrt(a / g).
    """
    phi = np.linspace(-3.0, 3.0, count)
    x = np.stack([a * (phi + np.sin(phi)), 0.0 * phi, a * (1.0 - np.cos(phi))], 1)
    E = frames_through(pose.make(np.eye(3), x), cyclic=False)
    track = track_of(E, endpoints=True)
    return track, track.nearest((0.0, 0.0, 0.0))[0]


def bowl(*, count: int = 120, rings: int = 24, **fields: Any) -> Sheet:
    """The surface z = r^2 / 4 with r from 0.4 m to 2 m, closed along u, which goes round."""
    angle = 2.0 * np.pi * np.arange(count) / count
    r = np.linspace(0.4, 2.0, rings)
    x = np.stack(
        [np.outer(np.cos(angle), r), np.outer(np.sin(angle), r), np.outer(np.ones(count), 0.25 * r**2)], axis=-1
    )
    return Sheet(name="bowl", positions=x, cyclic_u=True, **({"orientation": "normal"} | fields))


def puck_in(sheet: Sheet, *, q: tuple[float, float], qdot: tuple[float, float], **fields: Any) -> Scene:
    """A disc of 0.2 kg that slides on a sheet, its middle 1 cm above it."""
    puck = Body(name="puck", inertia=Inertia(mass=0.2, tensor=np.diag([1e-4, 1e-4, 2e-4]), center=(0.0, 0.0, 0.01)))
    joint = SplineSurface(name="ice", parent=None, child="puck", sheet="bowl", q=q, qdot=qdot, **fields)
    return Scene(bodies=[puck], joints=[joint], sheets=[sheet])
