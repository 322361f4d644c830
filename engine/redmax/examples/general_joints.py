# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanisms of Si and Guenter's paper on general joints, and the two that it suggests, of any size.

Source: SG13 section 5 (Table 1 and figures 1 to 4) and section 6 (knee and shoulder blade). Sizes and masses are ours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..fields import Pose
from ..geometry.solids import Box, Capsule
from ..joints import Composite, Custom, Fixed, Joint, Revolute, SplineCurve, SurfaceContact, Universal
from ..scene import Body, Inertia, Scene
from ..tracks import Track

RING, TUBE = 0.1, 0.015
"""Radii of the tori of a chain [m]."""
DENSITY = 2700.0
HALF = math.sqrt(0.5)
QUARTER_X, QUARTER_Y = (HALF, HALF, 0.0, 0.0), (HALF, 0.0, HALF, 0.0)
"""A quarter of a turn about x and about y."""


def torus(name: str, ring: float = RING, tube: float = TUBE) -> Body:
    """A torus about z. Its moments of inertia are m (R^2 + 3/4 r^2) about z and m (R^2 / 2 + 5/8 r^2) across."""
    mass = 2.0 * math.pi**2 * ring * tube**2 * DENSITY
    about, across = mass * (ring**2 + 0.75 * tube**2), mass * (0.5 * ring**2 + 0.625 * tube**2)
    return Body(name=name, inertia=Inertia(mass=mass, tensor=((across, 0, 0), (0, across, 0), (0, 0, about))))


def ellipsoid(name: str, a: float, b: float, c: float) -> Body:
    """A solid ellipsoid with the radii a, b and c along x, y and z; a ball where they are equal."""
    mass = 4.0 / 3.0 * math.pi * a * b * c * DENSITY
    x, y, z = (0.2 * mass * (p * p + q * q) for p, q in ((b, c), (a, c), (a, b)))
    return Body(name=name, inertia=Inertia(mass=mass, tensor=((x, 0, 0), (0, y, 0), (0, 0, z))))


def revolute_chain(n: int) -> Scene:
    """n links on hinges, each across the one before."""
    frame = Pose((0.1, 0.0, 0.0), QUARTER_X)
    bodies = [Body(name=f"link {k}", shapes=(Box(size=(0.1, 0.02, 0.02), density=DENSITY),)) for k in range(n)]
    joints: list[Joint] = [
        Revolute(
            name=f"hinge {k}",
            parent=f"link {k - 1}" if k else None,
            child=f"link {k}",
            frame_in_parent=Pose((0.05 if k else 0.0, 0.0, 0.0), frame.rotation),
            frame_in_child=Pose((-0.05, 0.0, 0.0)),
            q=0.1,
        )
        for k in range(n)
    ]
    return Scene(name=f"Chain of {n} hinges", bodies=bodies, joints=joints)


def linked(name: str, parent: str, child: str, **fields: Any) -> SurfaceContact:
    """Two tori of a chain: the lowest point inside the upper one lies in the highest point inside the lower one."""
    sizes = (RING, TUBE, TUBE)
    return SurfaceContact(
        name=name,
        parent=parent,
        child=child,
        first="torus",
        first_size=sizes,
        second="torus",
        second_size=sizes,
        twist=0.5 * math.pi,
        q=(-0.5 * math.pi, math.pi, 0.5 * math.pi, math.pi),
        **fields,
    )


def torus_chain(n: int) -> Scene:
    """n tori hanging in each other, the first from a universal joint: 4 n - 2 degrees of freedom (SG13 figure 1)."""
    top = Universal(
        name="hook",
        parent=None,
        child="torus 0",
        frame_in_parent=Pose((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
        frame_in_child=Pose((0.0, RING, 0.0), QUARTER_X),
        qdot=(1.0, 1.5),
    )
    rest = [linked(f"contact {k}", f"torus {k - 1}", f"torus {k}") for k in range(1, n)]
    return Scene(
        name=f"Chain of {n} tori",
        notes="Every joint is a torus that slides and rolls in a torus. Units are m, kg, s.",
        bodies=[torus(f"torus {k}") for k in range(n)],
        joints=[top, *rest],
    )


SHAPES = {"sphere": (0.06, 0.06, 0.06), "ellipsoid": (0.1, 0.07, 0.05), "torus": (0.07, 0.02, 0.02)}
ARMS = (
    (("sphere", "sphere"), ("sphere", "ellipsoid"), ("ellipsoid", "torus")),
    (("sphere", "torus"), ("torus", "torus"), ("torus", "ellipsoid")),
)


def windmill(arms: int = 6) -> Scene:
    """A wheel on a hinge whose arms are made of all five pairs of surfaces of SG13 figure 2.

    Each arm has three contacts of four coordinates: six of them make 73 degrees of freedom. Springs hold it in shape.
    """
    hub = Revolute(name="axle", parent=None, child="hub", frame_in_parent=Pose((0.0, 0.0, 1.0), QUARTER_X), qdot=3.0)
    bodies = [ellipsoid("hub", 0.15, 0.15, 0.15)]
    joints: list[Joint] = [hub]
    for arm in range(arms):
        parent, angle, hub_size = "hub", 2.0 * math.pi * arm / arms, (0.15, 0.15, 0.15)
        for k, (first, second) in enumerate(ARMS[arm % 2]):
            name = f"arm {arm} part {k}"
            bodies.append(torus(name, *SHAPES["torus"][:2]) if second == "torus" else ellipsoid(name, *SHAPES[second]))
            q = (angle if k == 0 else math.pi, 0.3, 0.0, -0.3)
            joints.append(
                SurfaceContact(
                    name=f"{name} contact",
                    parent=parent,
                    child=name,
                    first=first,
                    first_size=hub_size if k == 0 else SHAPES[first],
                    second=second,
                    second_size=SHAPES[second],
                    q=q,
                    rest=q,
                    stiffness=60.0,
                    damping=0.02,
                )
            )
            parent = name
    notes = (
        "All five pairs of surfaces in contact of SG13 figure 2, 73 degrees of freedom, held in shape by springs. "
        "Units are m, kg, s."
    )
    return Scene(name=f"Windmill of {arms} arms", notes=notes, bodies=bodies, joints=joints)


def torus_chain_on_a_curve(n: int = 6) -> Scene:
    """A chain of n tori, the first of which runs along a Bezier curve of 7 points through its centre, its axis along
    the tangent (SG13 figure 3)."""
    left = ((-1.2, 0.3, 0.5), (-0.8, 0.4, 0.1), (-0.4, 0.2, -0.1))
    right = tuple((-x, -y, z) for x, y, z in reversed(left))
    points = (*left, (0.0, 0.0, -0.1), *right)  # two cubics whose curvatures agree where they meet
    rail = Track(name="rail", frames=tuple(Pose(point) for point in points), basis="bezier", orientation="tangent")
    parts: tuple[Joint, ...] = (SplineCurve.part(track="rail"), Revolute.part(axis=(1.0, 0.0, 0.0)))
    # x of the joint, along the rail, is the axis z of the torus; y of the torus points up
    first = Composite(
        name="runner",
        parent=None,
        child="torus 0",
        parts=parts,
        frame_in_child=Pose((0.0, 0.0, 0.0), (0.5, -0.5, -0.5, -0.5)),
        q=(0.3, 0.0),
        lower=(0.0, None),
        upper=(2.8, None),
        limit_stiffness=2e3,
    )
    rest = [linked(f"contact {k}", f"torus {k - 1}", f"torus {k}") for k in range(1, n)]
    bodies = [torus(f"torus {k}") for k in range(n)]
    notes = (
        "The first torus runs along a Bezier curve of 7 points through its centre (SG13 figure 3). Units are m, kg, s."
    )
    return Scene(name="Chain of tori on a curve", notes=notes, bodies=bodies, joints=[first, *rest], tracks=[rail])


HEIGHTS = (
    (0.60, 0.45, 0.40, 0.45, 0.60),
    (0.45, 0.10, 0.05, 0.10, 0.45),
    (0.40, 0.05, -0.30, 0.05, 0.40),
    (0.45, 0.10, 0.05, 0.10, 0.45),
    (0.60, 0.45, 0.40, 0.45, 0.60),
)
"""Heights of the 25 control points of a Bezier patch [m]; they stand in a square grid."""


def _polynomial(rows: Any) -> str:
    """Text of sum a_ik u^i v^k in Horner's form."""

    def along(values: Any, name: str) -> str:
        found = str(values[-1])
        for value in reversed(values[:-1]):
            found = f"({value} + {name} * {found})"
        return found

    return along([along([f"({round(float(x), 12)!r})" for x in row], "v") for row in rows], "u")


def board_on_a_surface() -> Scene:
    """A board that stays in the tangent plane of a Bezier surface of 25 points, with a pole on it (SG13 figure 4).

    u and v run from -1 to 1. One custom joint says it all: to the point, and turned to the tangent plane there.
    """
    basis = np.zeros((5, 5))  # row i: Bernstein polynomial i of degree 4 in powers of t
    for i in range(5):
        for k in range(i, 5):
            basis[i, k] = math.comb(4, i) * math.comb(4 - i, k - i) * (-1) ** (k - i)
    shift = np.array([[math.comb(k, m) / 2**k for m in range(5)] for k in range(5)])  # t = (u + 1) / 2
    to_u = (basis @ shift).T  # Bernstein heights -> coefficients of powers of u
    a = to_u @ np.array(HEIGHTS) @ to_u.T
    by_u = np.arange(1, 5)[:, None] * a[1:]
    by_v = np.arange(1, 5)[None, :] * a[:, 1:]
    z, zu, zv = (_polynomial(each) for each in (a, by_u, by_v))
    board = Custom(
        name="glide",
        parent=None,
        child="board",
        coordinates="u: m; v: m; heading: rad",
        transform=f"T(u, v, {z}) * Ry(-atan({zu})) * Rx(atan({zv} / sqrt(1 + ({zu})**2))) * Rz(heading)",
        frame_in_child=Pose((0.0, 0.0, -0.02)),
        q=(0.6, 0.3, 0.4),
        qdot=(0.0, 0.6, 0.0),
    )
    pole = Universal(
        name="pole joint",
        parent="board",
        child="pole",
        frame_in_parent=Pose((0.0, 0.0, 0.02)),
        frame_in_child=Pose((0.0, 0.0, -0.15)),
        stiffness=3.0,
    )
    bodies = [
        Body(name="board", shapes=(Box(size=(0.3, 0.12, 0.02), density=700.0),)),
        Body(name="pole", shapes=(Capsule(radius=0.02, height=0.3, density=700.0),)),
    ]
    notes = "A board slides and turns on a Bezier surface of 25 points. Units are m, kg, s."
    return Scene(name="Board on a Bezier surface", notes=notes, bodies=bodies, joints=[board, pole])


KNEE = {"a": 0.028, "b": 0.020, "c": 0.030, "d": 0.022, "tilt": 0.75}
"""Lengths of the four bars of a knee [m]: one ligament, the shin's bar, the other ligament, the thigh's bar; and the
angle of the thigh's bar to the first ligament of a straight leg [rad]."""


def knee_texts(size: float = 1.0) -> dict[str, str]:
    """Texts of a custom joint that bends as a four-bar linkage of two crossed ligaments does (SG13 section 6).

    The ligament a turns by `bend` about its end on the thigh; the law of cosines, twice, gives how the shin's bar turns
    at its other end, so that the centre of rotation moves as it does in a knee. size: in times of a grown-up's.
    """

    def turn(bend: str) -> str:
        far = f"sqrt(a**2 + d**2 - 2 * a * d * cos({bend} + tilt))"
        seen, opened = f"(a**2 + {far}**2 - d**2) / (2 * a * {far})", f"(b**2 + {far}**2 - c**2) / (2 * b * {far})"
        return f"acos({seen}) - acos({opened})"

    lengths = {name: value if name == "tilt" else round(value * size, 12) for name, value in KNEE.items()}
    return {
        "coordinates": "bend: rad",
        "constants": "; ".join([*(f"{name} = {value}" for name, value in lengths.items()), f"straight = {turn('0')}"]),
        "transform": f"Ry(bend) * Tz(-a) * Ry({turn('bend')} - straight)",
    }


def knee() -> Scene:
    """A leg whose knee is a four-bar linkage, in one coordinate (SG13 section 6)."""
    texts = knee_texts()
    joint = Custom(
        name="knee",
        parent="thigh",
        child="shin",
        coordinates=texts["coordinates"],
        constants=texts["constants"],
        transform=texts["transform"],
        frame_in_parent=Pose((0.0, 0.0, -0.2)),
        frame_in_child=Pose((0.0, 0.0, 0.2)),
        lower=-0.2,
        upper=0.5,
        limit_stiffness=200.0,
    )
    hip = Revolute(
        name="hip", parent=None, child="thigh", axis=(0.0, 1.0, 0.0), frame_in_child=Pose((0.0, 0.0, 0.2)), q=-0.6
    )
    bodies = [
        Body(name="thigh", shapes=(Capsule(radius=0.06, height=0.4, density=1000.0),)),
        Body(name="shin", shapes=(Capsule(radius=0.045, height=0.4, density=1000.0),)),
    ]
    notes = "A knee whose axis moves as that of a four-bar linkage does, written as a formula. Units are m, kg, s."
    return Scene(name="Four-bar knee", notes=notes, bodies=bodies, joints=[hip, joint])


def shoulder_blade() -> Scene:
    """A flat shoulder blade that glides and turns on an ellipsoidal rib cage, with an upper arm (SG13 section 6)."""
    chest = Fixed(name="stand", parent=None, child="chest")
    q = (0.5 * math.pi, 0.5, 0.0, 0.0, 0.0)
    glide = SurfaceContact(
        name="glide",
        parent="chest",
        child="blade",
        first="ellipsoid",
        first_size=(0.15, 0.11, 0.25),
        second="plane",
        second_size=(0.1, 0.1, 0.1),
        spin=True,
        q=q,
        rest=q,
        stiffness=(40.0, 40.0, 400.0, 400.0, 4.0),
        damping=(0.5, 0.5, 1.0, 1.0, 0.05),
    )
    arm = Universal(
        name="shoulder",
        parent="blade",
        child="arm",
        frame_in_parent=Pose((0.08, 0.0, 0.02)),
        frame_in_child=Pose((0.0, 0.0, 0.15)),
        damping=0.02,
    )
    bodies = [
        ellipsoid("chest", 0.15, 0.11, 0.25),
        Body(name="blade", shapes=(Box(size=(0.1, 0.14, 0.01), density=1200.0),)),
        Body(name="arm", shapes=(Capsule(radius=0.04, height=0.3, density=1000.0),)),
    ]
    notes = "A shoulder blade glides on an ellipsoid, the chest. Units are m, kg, s."
    return Scene(name="Shoulder blade", notes=notes, bodies=bodies, joints=[chest, glide, arm])


SCENES = {
    "torus_chain": lambda: torus_chain(10),
    "windmill": windmill,
    "torus_chain_on_a_curve": torus_chain_on_a_curve,
    "board_on_a_surface": board_on_a_surface,
    "knee": knee,
    "shoulder_blade": shoulder_blade,
}
"""By the name of their file beside this one."""
