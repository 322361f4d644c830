# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden scene files (format of the golden README) as scenes of ours.

`load_scene` keeps the golden's own numbers, so that a "metre" of the result is a centimetre and a
"kilogram" a gram; `scaled` turns such a scene into SI. The body frame is the golden's
principal frame, where the inertia is the given diagonal. What the engine cannot express yet raises
`MissingFeature`, which names it; unknown kinds raise ValueError, so nothing is dropped silently.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import golden_constraints
from redmax.fields import Pose
from redmax.forces import Force
from redmax.forces.cable import Cable
from redmax.forces.lines.points import PathPoint
from redmax.forces.point_force import PointForce
from redmax.forces.point_to_point import PointToPoint
from redmax.forces.spring_damper import SpringDamper
from redmax.geometry.solids import Box, Cylinder, Solid, Sphere
from redmax.joints import JOINTS, Joint, euler_charts
from redmax.joints.base import ANIMATED
from redmax.joints.friction import Friction
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import pose, quaternion
from redmax.strands import Attachment, Strand
from redmax.tables import Table
from redmax.tracks import Sheet, Track

JOINT_KINDS = {
    "JointFixed": "fixed",
    "JointRevolute": "revolute",
    "JointPrismatic": "prismatic",
    "JointPlanar": "planar",
    "JointTranslational": "translational",
    "JointUniversal": "universal",
    "JointSphericalExp": "spherical",
    "JointSpherical": "spherical_euler",
    "JointFree": "free",
    "JointFree2D": "free_2d",
    "JointComposite": "composite",
    "JointSplineCurve": "spline_curve",
    "JointSplineSurface": "spline_surface",
}
FREE3D_KINDS = {"scene": "free_translation_rotation", "diff": "free_translation_euler"}
"""Free3D is (translation, rotation vector) in scenes 0..35 and (translation, Euler XYZ) in the diff scenes."""

BODY_KINDS = ("BodyComposite", "BodyCuboid", "BodyCylinder", "BodyMeshObj", "BodySphere")
OTHER_KINDS = {
    "constraints": (
        "ConstraintAttachSpring",
        "ConstraintFloor",
        "ConstraintJointLimit",
        "ConstraintLoop",
        "ConstraintMultQ",
        "ConstraintPrescBody",
        "ConstraintPrescJoint",
        "ConstraintPrescJointM",
    ),
    "deformables": ("DeformableSpring",),
    "forces": ("ForceCable", "ForcePointPoint", "ForceSpringDamper"),
    "springs": ("SpringDamper", "SpringPointDirection", "SpringPointPoint"),
}
FORCE_KINDS = {
    "SpringDamper": "spring_damper",
    "SpringPointDirection": "point_force",
    "SpringPointPoint": "point_to_point",
    "ForceCable": "cable",
    "ForcePointPoint": "point_to_point",
    "ForceSpringDamper": "spring_damper",
}
STRAND_KINDS = ("DeformableSpring", "ConstraintAttachSpring")
"""A strand, and the rows by which the reference ties its ends to bodies; ours are mass on them."""
FLOOR = "ConstraintFloor"
"""The ground below a sphere, which is no element of a scene; see `golden_friction`."""
NO_LIMIT = 1e7
"""The reference writes 1e8 where there is no limit."""


class MissingFeature(Exception):  # noqa: N818  (named in the brief of the goldens)
    """The scene is sound, but the engine cannot express a part of it yet; the text names that part."""


def read(path: str | Path) -> dict[str, Any]:
    """The content of a golden file, plain (.json) or compressed (.json.gz)."""
    raw = Path(path).read_bytes()
    data: dict[str, Any] = json.loads(gzip.decompress(raw) if Path(path).suffix == ".gz" else raw)
    return data


def load_scene(path: str | Path, *, shapes: bool = False) -> Scene:
    """The scene in a golden file, in the golden's own units; see `convert`."""
    return convert(read(path), diff="scene_diff" in Path(path).name, shapes=shapes)


def convert(data: Mapping[str, Any], *, diff: bool, shapes: bool = False) -> Scene:
    """A golden scene as a scene of ours, in the golden's own units.

    diff: it belongs to the fully implicit (matlab-diff) folder. shapes: bodies get their shapes
    where they have any, instead of the stored inertia.
    """
    missing = sorted(set(_missing(data, diff=diff)))
    if missing:
        raise MissingFeature("; ".join(missing))
    data = {**data, "bodies": _uniquely_named(data["bodies"]), "joints": _uniquely_named(data["joints"])}
    bodies = [_body(entry, shapes=shapes) for entry in data["bodies"]]
    joints = [_joint(data, index, diff=diff) for index in range(len(data["joints"]))]
    if not diff and data["sceneID"] == 5:
        joints = [_with_torques_of_scene_5(joint, index) for index, joint in enumerate(joints)]
    if not diff and data["sceneID"] == 9 and not data.get("constraints"):
        joints[0] = _with_motion_of_scene_9(joints[0])
    forces = [
        _force(entry, f"{list_name} {index}")
        for list_name in ("springs", "forces")
        for index, entry in enumerate(data.get(list_name) or ())
    ]
    constraints = [
        golden_constraints.converted(data, entry)
        for entry in data.get("constraints") or ()
        if entry["type"] in golden_constraints.KINDS
    ]
    paths = [path for entry in data["joints"] for path in _paths(entry, entry["name"])]
    return Scene(
        tracks=[path for path in paths if isinstance(path, Track)],
        sheets=[path for path in paths if isinstance(path, Sheet)],
        name=data["name"],
        gravity=tuple(data["gravity"]),
        bodies=bodies,
        joints=joints,
        forces=forces,
        strands=[_strand(entry) for entry in data.get("deformables") or ()],
        constraints=constraints,
    )


def _missing(data: Mapping[str, Any], *, diff: bool) -> list[str]:
    """Names of everything in the scene that the engine cannot express."""
    missing = []
    for name, entries in data.items():
        elements = isinstance(entries, list) and any(isinstance(entry, Mapping) for entry in entries)
        if elements and name not in ("bodies", "joints", *OTHER_KINDS):
            raise ValueError(f"unknown list of elements {name}")
    for entry in data["joints"]:
        for part in _with_parts(entry):
            if _joint_kind(part["type"], diff=diff) not in JOINTS:
                missing.append(f"joints: {part['type']}")
        if entry.get("prescribed") and not _prescribing(data, entry["name"]):
            missing.append("joints: motion prescribed with Baumgarte feedback")
    for body in data["bodies"]:
        if body["type"] not in BODY_KINDS:
            raise ValueError(f"unknown kind of body {body['type']}")
    for list_name, kinds in OTHER_KINDS.items():
        for entry in data.get(list_name) or ():
            if entry["type"] not in kinds:
                raise ValueError(f"unknown kind in {list_name}: {entry['type']}")
            if entry["type"] not in (*FORCE_KINDS, *STRAND_KINDS, *golden_constraints.KINDS, FLOOR):
                missing.append(f"{list_name}: {entry['type']}")
    return missing


def _prescribing(data: Mapping[str, Any], joint: str) -> bool:
    """Whether a constraint moves the joint."""
    return any(entry.get("joint") == joint for entry in data.get("constraints") or ())


def _with_parts(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A joint and all joints inside it."""
    return [entry, *(inner for part in entry.get("composite_of", ()) for inner in _with_parts(part))]


def _uniquely_named(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The entries as they are, or numbered where names are missing or repeated."""
    names = [entry["name"] for entry in entries]
    if all(names) and len(set(names)) == len(names):
        return list(entries)
    return [
        {**entry, "name": f"{name} {index}"} for index, (name, entry) in enumerate(zip(names, entries, strict=True))
    ]


def _joint_kind(golden: str, *, diff: bool) -> str:
    if golden == "JointFree3D":
        return FREE3D_KINDS["diff" if diff else "scene"]
    if golden not in JOINT_KINDS:
        raise ValueError(f"unknown kind of joint {golden}")
    return JOINT_KINDS[golden]


def _pose(E: Any) -> Pose:
    E = np.asarray(E, np.float64)
    return Pose(tuple(E[:3, 3].tolist()), tuple(quaternion.from_matrix(E[:3, :3]).tolist()))


def _body(entry: Mapping[str, Any], *, shapes: bool) -> Body:
    solids = _solids(entry) if shapes else ()
    if solids:
        return Body(name=entry["name"], shapes=solids, damping=entry["damping_viscous"])
    diagonal = entry["inertia_diag_Ixyz_mmm"]
    inertia = Inertia(mass=diagonal[3], tensor=tuple(map(tuple, np.diag(diagonal[:3]).tolist())))
    return Body(name=entry["name"], inertia=inertia, damping=entry["damping_viscous"])


def _solids(entry: Mapping[str, Any], frame: Pose | None = None) -> tuple[Solid, ...]:
    """Shapes of a body, empty for a mesh file."""
    common: dict[str, Any] = {"density": entry["density"]} | ({} if frame is None else {"frame": frame})
    match entry["type"]:
        case "BodyCuboid":
            return (Box(size=tuple(entry["sides"]), **common),)
        case "BodyCylinder":
            return (Cylinder(radius=entry["radius"], height=entry["height"], **common),)
        case "BodySphere":
            return (Sphere(radius=entry["radius"], **common),)
        case "BodyComposite":
            parts = entry["composite_parts"]
            return tuple(solid for part in parts for solid in _solids(part, _pose(part["E_composite_part"])))
        case _:
            return ()


def _joint(data: Mapping[str, Any], index: int, *, diff: bool) -> Joint:
    entry = data["joints"][index]
    E_ji = np.asarray(data["bodies"][entry["body"]]["E_joint_body"])
    E_pj0 = np.asarray(entry["E_parentjoint_joint_q0"])
    parent = entry["parent_joint"]
    if parent < 0:
        parent_name, E_parent = None, E_pj0
    else:
        parent_body = data["bodies"][data["joints"][parent]["body"]]
        parent_name = parent_body["name"]
        E_parent = pose.inverse(np.asarray(parent_body["E_joint_body"])) @ E_pj0
    values: dict[str, Any] = {
        "name": entry["name"],
        "parent": parent_name,
        "child": data["bodies"][entry["body"]]["name"],
        "frame_in_parent": _pose(E_parent),
        "frame_in_child": _pose(pose.inverse(E_ji)),
        "q": tuple(entry["q_init"]),
        "qdot": tuple(entry["qdot_init"]),
        "rest": tuple(entry["q_rest"]),
        "stiffness": entry["stiffness"],
        "damping": entry["damping"],
    }
    mu = data["mu_internal_external"][0] if data.get("friction_on") and entry["ndof"] else None
    return _typed_joint(entry, values | _limits(entry), diff=diff, mu=mu)


def _typed_joint(entry: Mapping[str, Any], values: dict[str, Any], *, diff: bool, mu: float | None) -> Joint:
    """A joint of the right kind with the fields only that kind has. mu: of friction inside it, None without any."""
    if mu is not None:
        values["friction"] = _friction(entry, mu)
    return JOINTS[_joint_kind(entry["type"], diff=diff)](**values, **_own_fields(entry, entry["name"], diff=diff))


def _friction(entry: Mapping[str, Any], mu: float) -> Friction | None:
    """Friction of a joint of a scene that has some; None without sizes, where the reference has no contacts."""
    names = {"radius": "friction_geometry_radius", "height": "friction_geometry_height"}
    sizes = {ours: entry[golden] for ours, golden in names.items() if golden in entry}
    if "friction_geometry_sides" in entry:
        sizes["sides"] = tuple(entry["friction_geometry_sides"])
    return Friction(coefficient=mu, **sizes) if sizes else None


def _paths(entry: Mapping[str, Any], name: str) -> list[Track | Sheet]:
    """Tracks and sheets of a joint and of its parts, called as the joint is.

    The reference counts the segments of a closed B-spline of frames. Its surfaces are single patches without edges,
    whose first index belongs to the second coordinate; ours to the first.
    """
    found: list[Track | Sheet] = []
    if "control_frames_C" in entry:
        frames = tuple(_pose(C) for C in entry["control_frames_C"])
        found.append(Track(name=name, frames=frames, cyclic=True, coordinate="parameter"))
    if "control_values_cs_i1_i2_k" in entry:
        values = np.swapaxes(np.asarray(entry["control_values_cs_i1_i2_k"], np.float64), 0, 1)
        found.append(Sheet(name=name, positions=values[..., :3], angles=values[..., 3:], stops=False))
    for k, part in enumerate(entry.get("composite_of", ())):
        found += _paths(part, f"{name}, part {k}")
    return found


def _own_fields(entry: Mapping[str, Any], name: str, *, diff: bool) -> dict[str, Any]:
    own: dict[str, Any] = {}
    if entry["type"] == "JointSplineCurve":
        own["track"] = name
    if entry["type"] == "JointSplineSurface":
        own["sheet"] = name
    if "axis" in entry:
        own["axis"] = tuple(entry["axis"])
    if "chart" in entry:
        own["sequence"] = euler_charts.CHARTS[round(entry["chart"]) - 1]
    if "composite_of" in entry:
        own["parts"] = tuple(
            JOINTS[_joint_kind(part["type"], diff=diff)].part(**_own_fields(part, f"{name}, part {k}", diff=diff))
            for k, part in enumerate(entry["composite_of"])
        )
    return own


def _force(entry: Mapping[str, Any], name: str) -> Force:
    """A spring or force; its points are in the golden's body frames, which are ours. L = 0: the length at the start."""
    match FORCE_KINDS[entry["type"]]:
        case "point_force":
            return PointForce(
                name=name,
                body=entry["body"],
                point=tuple(entry["x_i"]),
                direction=tuple(entry["d_w"]),
                force=entry["stiffness"] * float(np.linalg.norm(entry["d_w"])),
            )
        case "cable":
            points = tuple(
                PathPoint(body=body or None, point=tuple(x))
                for body, x in zip(entry["bodies"], entry["xls"], strict=True)
            )
            return Cable(name=name, points=points, **_spring_numbers(entry))
        case "spring_damper":
            return SpringDamper(name=name, **_two_points(entry), **_spring_numbers(entry))
        case _:
            damping = {"damping": entry.get("damping") or 0.0}
            return PointToPoint(name=name, **_two_points(entry), stiffness=entry["stiffness"], **damping)


def _two_points(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "body_a": entry.get("body1") or None,
        "point_a": tuple(entry["x_1"]),
        "body_b": entry.get("body2") or None,
        "point_b": tuple(entry["x_2"]),
    }


def _spring_numbers(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "stiffness": entry["k"] if "k" in entry else entry["stiffness"],
        "damping": entry["d"] if "d" in entry else entry["damping"],
        "rest_length": entry["L"] or None,
        "measure": "strain",
    }


def _strand(entry: Mapping[str, Any]) -> Strand:
    """Nodes of equal mass; their springs have force K (l - L) / L^2 with the same L in a strand."""
    nodes = tuple(map(tuple, entry["nodesX"]))
    lengths = tuple(length for length in entry["nodesL"] if length != [])
    if max(lengths) - min(lengths) > 1e-12 * max(lengths):
        raise ValueError(f"strand {entry['name']}: segments of different lengths")
    ends = ((0, entry.get("body0")), (len(nodes) - 1, entry.get("body1")))
    return Strand(
        name=entry["name"],
        nodes=nodes,
        node_masses=(entry["mass"] / len(nodes),) * len(nodes),
        stiffness=entry["K"] / lengths[0],
        rest_lengths=lengths,
        drag=entry["damping"],
        attachments=tuple(Attachment(node=node, body=body or None) for node, body in ends),
    )


def _limits(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Soft limits of the diff scenes; nothing where both are far away."""
    if "qLimL" not in entry or (entry["qLimL"] < -NO_LIMIT and entry["qLimU"] > NO_LIMIT):
        return {}
    return {
        "lower": entry["qLimL"],
        "upper": entry["qLimU"],
        "limit_stiffness": entry["qLimK"],
        "limit_damping": entry["qLimD"],
    }


def _with_torques_of_scene_5(joint: Joint, index: int) -> Joint:
    """Scene 5 drives its joints: (0, 0, 100) until 3 s, (0, 100, -100) until 6 s, then (100, -100, 0)."""
    rows = ((0.0, 0.0, 100.0), (0.0, 100.0, -100.0), (100.0, -100.0, 0.0))
    table = Table(x=(0.0, 3.0, 6.0), y=tuple((row[index],) for row in rows), interpolation="step")
    return dataclasses.replace(joint, torque_table=table)


def logistic_of_scene_9(t: float) -> tuple[float, float, float]:
    """q, qdot and qddot of joint 0 in scene 9."""
    return golden_constraints.logistic(t, amplitude=1.5 * np.pi, duration=7.0, until=7.0)


def _with_motion_of_scene_9(joint: Joint) -> Joint:
    """Joint 0 follows `logistic_of_scene_9` by a spline; the jump of 4e-3 rad at 7 s is rounded off."""
    times = np.linspace(0.0, 10.0, 401).tolist()
    rows = tuple((logistic_of_scene_9(t)[0],) for t in times)
    return dataclasses.replace(
        joint, motion_type=ANIMATED, animation=Table(x=tuple(times), y=rows, interpolation="cubic")
    )


# --- units ---------------------------------------------------------------------------------------


def scaled(scene: Scene, *, length: float, mass: float) -> Scene:
    """The same mechanism in other units: one of its length units is `length` of the new ones, alike for mass.

    From the golden's units to SI: length=1e-2 (cm), mass=1e-3 (g). Time keeps its unit.
    """
    return dataclasses.replace(
        scene,
        gravity=_times(scene.gravity, length),
        bodies=[_scaled_body(body, length, mass) for body in scene.bodies],
        joints=[_scaled_joint(joint, length, mass) for joint in scene.joints],
    )


def _times(value: Any, factor: Any) -> Any:
    """value * factor as plain numbers; factor may be one number per entry (or per column)."""
    return _plain(np.asarray(value, np.float64) * np.asarray(factor))


def _plain(values: Any) -> Any:
    """Nested tuples of clean decimal numbers: 0.1, not 0.10000000000000002."""
    if np.ndim(values) == 0:
        return float(f"{float(values):.15g}") + 0.0
    return tuple(_plain(value) for value in values)


def _scaled_pose(p: Pose, length: float) -> Pose:
    return Pose(_times(p.position, length), p.rotation)


def _scaled_body(body: Body, length: float, mass: float) -> Body:
    if body.damping:
        raise ValueError(f"body '{body.name}': one damping number for rotation and translation cannot change its units")
    inertia = body.inertia
    if inertia is not None:
        center, tensor = _times(inertia.center, length), _times(inertia.tensor, mass * length**2)
        inertia = Inertia(mass=_times(inertia.mass, mass), center=center, tensor=tensor)
    shapes = tuple(_scaled_solid(solid, length, mass) for solid in body.shapes)
    return dataclasses.replace(body, inertia=inertia, shapes=shapes)


def _scaled_solid(solid: Solid, length: float, mass: float) -> Solid:
    factors = {"size": length, "radius": length, "height": length, "density": mass / length**3, "mass": mass}
    values = {name: getattr(solid, name, None) for name in factors}
    changes = {name: _times(value, factors[name]) for name, value in values.items() if value is not None}
    return dataclasses.replace(solid, frame=_scaled_pose(solid.frame, length), **changes)


def _scaled_joint(joint: Joint, length: float, mass: float) -> Joint:
    coordinate = np.array([length if unit == "m" else 1.0 for unit in joint.dof_units])
    energy = mass * length**2
    force = energy / coordinate
    factors = {
        "q": coordinate,
        "qdot": coordinate,
        "rest": coordinate,
        "lower": coordinate,
        "upper": coordinate,
        "torque": force,
        "stiffness": force / coordinate,
        "damping": force / coordinate,
        "limit_stiffness": force / coordinate,
        "limit_damping": force / coordinate,
    }
    changes: dict[str, Any] = {}
    for name, factor in factors.items():
        value = getattr(joint, name)
        if value is not None and np.any(value):
            changes[name] = _times(value, factor)
    for name, factor in (("animation", coordinate), ("torque_table", force)):
        table = getattr(joint, name)
        if table is not None:
            changes[name] = dataclasses.replace(table, y=_times(table.y, factor))
    if joint.stiffness_table is not None:
        raise ValueError(f"joint '{joint.name}': stiffness_table cannot change its units")
    frames = {name: _scaled_pose(getattr(joint, name), length) for name in ("frame_in_parent", "frame_in_child")}
    return dataclasses.replace(joint, **frames, **changes)
