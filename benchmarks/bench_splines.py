# SPDX-License-Identifier: GPL-3.0-or-later
"""A train of carts on one closed track beside a chain of as many hinges: whole simulations of 10 s.

Neither MuJoCo nor pydrake can express the train: they have no joint along a curve.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from redmax.compile import compile as compile_scene
from redmax.drives import Drive, DriveInput, Follower
from redmax.fields import Pose
from redmax.forces import SpringDamper
from redmax.geometry.solids import Box
from redmax.integrators import Automatic
from redmax.joints import Revolute, SplineCurve
from redmax.kernels import route
from redmax.model import Model
from redmax.scene import Body, Scene
from redmax.simulate import simulate
from redmax.tracks import Track, frames_along, pose_of

from .measure import Options, Row, interleaved

CARTS, FRAMES, APART = 20, 200, 1.5
"""Carts, frames of the track, distance from cart to cart [m]."""
DURATION, FPS = 10.0, 24.0
LIMIT = 8.0
"""What a train may take, relative to a chain of as many hinges."""


def run(options: Options) -> list[Row]:
    if route.name() != route.NUMBA:
        options.skip(f"splines: only plain numpy computes here, because {route.why_numpy()}")
        return []
    options.note("splines: MuJoCo and pydrake have no joint along a curve")
    scenes = all_of_them()
    ways = {name: partial(simulated, compile_scene(scene)) for name, scene in scenes.items()}
    times = interleaved(ways, options.rounds)
    return [
        Row(
            f"splines, a simulation of {DURATION:g} s",
            f"{CARTS} carts on a track of {FRAMES} frames, {name}",
            1e3 * times[name][0],
            "ms",
            f"ours, {CARTS} hinges",
            1e3 * times["hinges"][0],
            times[name][1],
            ratio_limit=LIMIT,
            their_spread=times["hinges"][1],
        )
        for name in list(scenes)[1:]
    ]


def all_of_them() -> dict[str, Scene]:
    """What is timed, by what it is called: hinges first, then trains."""
    springs = [
        SpringDamper(
            name=f"bar {k}", body_a=f"cart {k}", body_b=f"cart {k + 1}", stiffness=2e4, damping=500.0, rest_length=APART
        )
        for k in range(CARTS - 1)
    ]
    followers = tuple(Follower(joint=f"wheels {k}", ratio=1.0, offset=APART * k) for k in range(1, CARTS))
    drive = Drive(name="train", inputs=(DriveInput(joint="wheels 0"),), followers=followers)
    return {
        "hinges": chain(),
        "with springs between carts": train(forces=springs),
        "that follow the tangent, with springs": train(orientation="tangent", forces=springs),
        "moved by one drive": train(drives=[drive]),
    }


def simulated(model: Model) -> None:
    for _ in simulate(model, integrator=Automatic(), fps=FPS, duration=DURATION):
        pass


def track(orientation: str = "frames") -> Track:
    """A closed track of about 190 m with hills and bends."""
    angle = 2.0 * np.pi * np.arange(FRAMES) / FRAMES
    x = np.stack([30.0 * np.cos(angle) + 6.0 * np.cos(3.0 * angle), 20.0 * np.sin(angle), 6.0 * np.sin(2.0 * angle)], 1)
    frames = tuple(map(pose_of, frames_along(x, cyclic=True)))
    return Track(name="rail", frames=frames, cyclic=True, orientation=orientation)


def train(orientation: str = "frames", **lists: Any) -> Scene:
    """Carts in a row at 5 m/s."""
    cart = Box(size=(1.0, 0.6, 0.4), density=500.0)
    return Scene(
        name="train",
        bodies=[Body(name=f"cart {k}", shapes=(cart,)) for k in range(CARTS)],
        joints=[
            SplineCurve(name=f"wheels {k}", parent=None, child=f"cart {k}", track="rail", q=APART * k, qdot=5.0)
            for k in range(CARTS)
        ],
        tracks=[track(orientation)],
        **lists,
    )


def chain() -> Scene:
    """Links of 1 m that hang from each other, let go bent by 0.1 rad at every hinge."""
    up, down = Pose(position=(0.0, 0.0, 0.5)), Pose(position=(0.0, 0.0, -0.5))
    return Scene(
        name="chain",
        bodies=[Body(name=f"link {k}", shapes=(Box(size=(0.1, 0.1, 1.0), density=500.0),)) for k in range(CARTS)],
        joints=[
            Revolute(
                name=f"pin {k}",
                parent=f"link {k - 1}" if k else None,
                child=f"link {k}",
                axis=(0.0, 1.0, 0.0),
                frame_in_parent=down if k else Pose(),
                frame_in_child=up,
                q=0.1,
            )
            for k in range(CARTS)
        ],
    )
