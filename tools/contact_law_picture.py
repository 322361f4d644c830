# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of the contact laws for the docs: how high a block lifts off the ground on which it slides.

    PYTHONPATH=engine python -m tools.contact_law_picture docs/images

Needs the wheel daqp. Writes contact_laws.svg.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from redmax import files
from redmax.arrays import Array
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.integrators import ContactEuler
from redmax.joints import JOINTS
from redmax.plot_svg import line_plot
from redmax.scene import Body, Scene
from redmax.simulate import record, simulate
from redmax.surfaces import BoxSurface, PlaneSurface

SIZE, FRICTION, SPEED = (0.2, 0.2, 0.1), 0.5, 2.0
FPS, DURATION = 60.0, 0.5

LAWS = {
    "exact": "exact",
    "single_qp": "single_qp",
    "staggered": "staggered_cone",
    "contact_qp": "contact_qp",
}
"""Lines of the picture, and the law of each."""


def block() -> Scene:
    """A block that slides on the ground."""
    return Scene(
        name="Sliding block",
        bodies=[Body(name="block", shapes=(Box(size=SIZE, density=1000.0),))],
        joints=[
            JOINTS["free_translation_rotation"](
                name="free", parent=None, child="block", frame_in_parent=Pose((0.0, 0.0, 0.5 * SIZE[2])),
                qdot=(SPEED, 0.0, 0.0, 0.0, 0.0, 0.0),
            )
        ],
        surfaces=[
            PlaneSurface(name="ground", friction=FRICTION),
            BoxSurface(name="bottom", body="block", size=SIZE, friction=FRICTION),
        ],
    )  # fmt: skip


def heights(law: str) -> tuple[Array, Array]:
    """Times [s], and how high the block is above the ground [mm]."""
    model = compile_scene(block())
    found = record(model, simulate(model, duration=DURATION, integrator=ContactEuler(h=1.0 / FPS, law=law), fps=FPS))
    return found.t, 1e3 * np.asarray(found.position[:, 0, 2] - 0.5 * SIZE[2])


def picture() -> str:
    """The SVG document."""
    lines = {name: heights(law) for name, law in LAWS.items()}
    times = next(iter(lines.values()))[0]
    title = f"A block that slides at {SPEED:g} m/s, friction {FRICTION:g}, steps of 1/{FPS:.0f} s"
    series = {name: height for name, (_, height) in lines.items()}
    return line_plot(title, times, series, x_label="time [s]", y_label="height above the ground [mm]")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the picture is written")
    files.write_text(parser.parse_args().folder / "contact_laws.svg", picture())
