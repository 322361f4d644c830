# SPDX-License-Identifier: GPL-3.0-or-later
"""Make engine/redmax/examples/*.json from golden scene files: python tools/make_examples.py [GOLDEN_FOLDER]

Those of forces and strands come from `force_examples.py`, those of loops from `loop_examples.py`, those
of general joints from `redmax.examples.general_joints` instead.

Units become SI (cm, g -> m, kg), names readable; notes say where the scene comes from.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[1]
sys.path[:0] = [str(REPOSITORY / "engine"), str(REPOSITORY / "tests"), str(REPOSITORY / "tools")]

import force_examples  # noqa: E402
import loop_examples  # noqa: E402
from golden_loader import convert, read, scaled  # noqa: E402
from redmax import io  # noqa: E402
from redmax.examples import EXAMPLES, general_joints  # noqa: E402
from redmax.joints import Joint  # noqa: E402
from redmax.scene import Scene  # noqa: E402
from redmax.tables import Table  # noqa: E402

MADE = force_examples.MADE | loop_examples.MADE | general_joints.SCENES

# Example: golden file, title, what it shows.
SOURCES = {
    "pendulum": ("scene_diff_m02", "Pendulum", "One box on a hinge."),
    "double_pendulum": ("scene_m01_REDMAX_EULER", "Double pendulum", "Two boxes on hinges."),
    "serial_chain": ("scene_000_REDMAX_EULER", "Serial chain", "Hinges and fixed joints alternate along a chain."),
    "hinge_axes": ("scene_001_REDMAX_EULER", "Hinges about different axes", "A chain of hinges about y, z and x."),
    "branching": ("scene_diff_002", "Branching tree", "Two arms hang from one hanging body."),
    "universal_joints": ("scene_014_REDMAX_EULER", "Universal joints", "A chain of universal joints."),
    "ball_joints": ("scene_003_REDMAX_EULER", "Ball joints", "Two balls in rotation vectors, which are recentred."),
    "ball_joints_euler": ("scene_diff_007", "Ball joints in Euler angles", "Charts change near gimbal lock."),
    "sliders": ("scene_diff_003", "Sliders", "Prismatic joints."),
    "planar_joint": ("scene_diff_004", "Planar joint", "A body that slides in a plane carries a pendulum."),
    "translational_joint": ("scene_017_REDMAX_EULER", "Translational joint", "Floats without turning."),
    "turning_slider": ("scene_019_REDMAX_EULER", "Turning slider", "One composite joint: a hinge, then a slider."),
    "composite_body": ("scene_025_REDMAX_EULER", "Body of two shapes", "A box and a cylinder are one body."),
    "thrown_box": ("scene_018_REDMAX_EULER", "Thrown box", "A free body tumbles."),
    "thrown_box_euler": ("scene_diff_009", "Thrown box in Euler angles", "A free body tumbles."),
    "thrown_plate": ("scene_035_REDMAX_EULER", "Thrown plate", "A free body in the plane carries another."),
    "thrown_plate_fast": ("scene_diff_006", "Plate in the plane", "A free body in the plane."),
    "joint_torques": ("scene_005_REDMAX_EULER", "Joint torques", "Torques switch at 3 s and 6 s; no gravity."),
    "springs_and_dampers": ("scene_011_REDMAX_EULER", "Springs and dampers", "Every hinge has a spring and a damper."),
    "stiff_hinge": ("scene_diff_m01", "Stiff hinge", "A stiff, damped spring holds a box against gravity."),
    "soft_limits": ("scene_diff_014", "Soft limits", "Hinges that stop at stiff springs."),
    "animated_joint": ("scene_009_RECURS_ODE45", "Animated joint", "The first hinge is animated; the rest follows."),
}


def example(golden: Path, name: str) -> Scene:
    """One example scene."""
    file, title, shows = SOURCES[name]
    data = read(next(golden.glob(f"{file}.json*")))
    if name == "animated_joint":
        data["joints"] = [entry | {"prescribed": False} for entry in data["joints"]]
    scene = convert(data, diff="diff" in file, shapes=True)
    if name == "animated_joint":
        scene.joints[0] = animated(scene.joints[0])
    scene = scaled(scene, length=1e-2, mass=1e-3)
    notes = f"{shows} Scene '{data['name']}' of the RedMax reference, from cm, g, s to m, kg, s."
    return readable(dataclasses.replace(scene, name=title, notes=notes))


def animated(joint: Joint) -> Joint:
    """The logistic curve b / (1 + exp(-a s)), s = 2 t / 7 - 1, a = 7, b = 1.5 pi, of scene 9, as a cubic table."""
    times = [0.25 * k for k in range(41)]
    angles = [1.5 * math.pi / (1.0 + math.exp(-7.0 * (2.0 * t / 7.0 - 1.0))) for t in times]
    table = Table(x=tuple(times), y=tuple((round(angle, 9),) for angle in angles), interpolation="cubic")
    return dataclasses.replace(joint, motion_type="animated", animation=table, q=round(angles[0], 9))


def readable(scene: Scene) -> Scene:
    """The scene with names such as 'Link 2' and 'Hinge 2' instead of 'body2' and 'body1-body2'."""
    bodies = {body.name: f"Link {index}" for index, body in enumerate(scene.bodies, start=1)}
    joints: list[Any] = []
    for index, joint in enumerate(scene.joints, start=1):
        parent = bodies[joint.parent] if joint.parent is not None else None
        names = {"name": f"{joint.label} {index}", "parent": parent, "child": bodies[joint.child]}
        relaxed = not joint.stiffness and joint.stiffness_table is None
        joints.append(dataclasses.replace(joint, **names, **({"rest": 0.0} if relaxed else {})))
    renamed = [dataclasses.replace(body, name=bodies[body.name]) for body in scene.bodies]
    return dataclasses.replace(scene, bodies=renamed, joints=joints)


def main() -> None:
    golden = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "tests" / "goldens"
    for entry in EXAMPLES:
        made = MADE.get(entry.name)
        io.save(made() if made else example(golden, entry.name), entry.path)
        print(f"{entry.path.relative_to(REPOSITORY)}")


if __name__ == "__main__":
    main()
