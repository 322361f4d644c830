# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene as bodies, conditions between their points and axes, coordinates of joints, and forces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import solids
from .functions import Pieces
from .rotations import across, from_vector, matrices, turn, vector_rates
from .solids import CannotError

Array = Any
X, Y, Z = np.eye(3)
FIELDS = ("torque", "stiffness", "rest", "damping", "limit_stiffness", "limit_damping")


@dataclass
class Frame:
    """A place on a body: index (-1 for the world), point (3,) from the body's frame, axes (3, 3) in it."""

    body: int
    point: Array
    axes: Array


@dataclass
class Load:
    """What acts along a coordinate. x: the coordinate's name for people."""

    torque: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    limit_stiffness: float = 0.0
    limit_damping: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    torque_table: Pieces | None = None
    stiffness_table: Pieces | None = None

    @property
    def acts(self) -> bool:
        numbers = (self.torque, self.stiffness, self.damping, self.limit_stiffness)
        return any(numbers) or self.torque_table is not None or self.stiffness_table is not None

    @property
    def soft(self) -> bool:
        return self.limit_stiffness > 0.0


@dataclass
class Coordinate:
    """A plain number between two bodies. rows: one distance row, or (sine, cosine) rows of an angle. sign: of it.

    wrapped: an angle within half a turn of its rest, as loops have it; others are counted on through full turns.
    """

    rows: tuple[int, ...]
    load: Load
    sign: float = 1.0
    wrapped: bool = False
    start: float = 0.0


@dataclass
class Ball:
    """Three coordinates of a rotation vector between two bodies, on which only loads act."""

    parent: Frame
    child: Frame
    loads: list[Load]


@dataclass
class Mechanism:
    """Everything the equations of motion need. Bodies: n; the world is index -1.

    dots, points: rows of primitives (see `rows`); fixed: indices of primitive rows that are held at 0.
    combinations: (target, offset, [(coordinate, factor)], table): q_target = offset + table(sum) is held.
    prescribed: coordinate -> function of time (Pieces).
    stops: (coordinate, side, value, restitution).
    """

    names: list[str]
    mass: Array
    center: Array
    inertia: Array
    damping: Array
    gravity: Array
    dots: list[tuple[int, Array, int, Array]] = field(default_factory=list)
    points: list[tuple[int, Array, Array, int, Array]] = field(default_factory=list)
    fixed: list[int] = field(default_factory=list)
    coordinates: list[Coordinate] = field(default_factory=list)
    balls: list[Ball] = field(default_factory=list)
    combinations: list[tuple[int, float, list[tuple[int, float]], Pieces | None]] = field(default_factory=list)
    prescribed: dict[int, Pieces] = field(default_factory=dict)
    stops: list[tuple[int, int, float, float]] = field(default_factory=list)
    forces: list[dict[str, Any]] = field(default_factory=list)
    shown: int = 0
    R0: Array = None
    x0: Array = None
    v0: Array = None
    w0: Array = None
    size: float = 1.0
    nodes: list[tuple[int, Array]] = field(default_factory=list)


class Reader:
    """Reads a scene; chains of simple joints stand for those with several angles, with bodies without mass between."""

    def __init__(self, scene: dict[str, Any]) -> None:
        self.scene = scene
        self.index: dict[str, int] = {}
        self.bodies: list[tuple[float, Array, Array]] = []
        self.damping: list[float] = []
        self.dots: list[tuple[int, Array, int, Array]] = []
        self.points: list[tuple[int, Array, Array, int, Array]] = []
        self.rows: list[tuple[str, int]] = []
        self.fixed: list[int] = []
        self.coordinates: list[Coordinate] = []
        self.of_joint: dict[str, list[int]] = {}
        self.balls: list[Ball] = []
        self.prescribed: dict[int, Pieces] = {}
        self.stops: list[tuple[int, int, float, float]] = []
        self.place: dict[int, tuple[Array, Array, Array, Array]] = {-1: (np.eye(3), *np.zeros((3, 3)))}
        self.screws: list[tuple[int, int, float]] = []

    # --- primitives -------------------------------------------------------------------------------------------------

    def dot(self, a: Frame, u: Array, b: Frame, w: Array) -> int:
        """Row u . w of an axis u of one frame and an axis w of another."""
        self.rows.append(("dot", len(self.dots)))
        self.dots.append((a.body, a.axes @ u, b.body, b.axes @ w))
        return len(self.rows) - 1

    def distance(self, a: Frame, u: Array, b: Frame) -> int:
        """Row u . (origin of b - origin of a), u an axis of a."""
        self.rows.append(("point", len(self.points)))
        self.points.append((a.body, a.point, a.axes @ u, b.body, b.point))
        return len(self.rows) - 1

    def hold_point(self, P: Frame, C: Frame, *axes: Array) -> None:
        self.fixed += [self.distance(P, u, C) for u in axes]

    def hold_rotation(self, P: Frame, C: Frame) -> None:
        self.fixed += [self.dot(P, u, C, w) for u, w in ((X, Y), (Y, Z), (Z, X))]

    def hold_axis(self, P: Frame, C: Frame, axis: Array) -> None:
        self.fixed += [self.dot(P, axis, C, e) for e in across(axis)]

    def angle(self, P: Frame, C: Frame, axis: Array, load: Load, **options: Any) -> int:
        """How far the child has turned about an axis that both share."""
        first, second = across(axis)
        rows = (self.dot(P, second, C, first), self.dot(P, first, C, first))
        return self.coordinate(rows, load, **options)

    def coordinate(self, rows: tuple[int, ...], load: Load, **options: Any) -> int:
        self.coordinates.append(Coordinate(rows, load, **options))
        return len(self.coordinates) - 1

    # --- joints -----------------------------------------------------------------------------------------------------

    def frame(self, body: int, data: dict[str, Any] | None) -> Frame:
        data = data or {}
        return Frame(
            body,
            np.array(data.get("position", (0, 0, 0)), float),
            matrices(np.array(data.get("rotation", (1, 0, 0, 0)), float)),
        )

    def joint(self, data: dict[str, Any], *, loop: bool) -> None:
        parent = -1 if data["parent"] is None else self.index[data["parent"]]
        P, C = (
            self.frame(parent, data.get("frame_in_parent")),
            self.frame(self.index[data["child"]], data.get("frame_in_child")),
        )
        n = dofs(data)
        loads = read_loads(data, n)
        q, qdot = numbers(data.get("q", 0.0), n), numbers(data.get("qdot", 0.0), n)
        motion = data.get("motion_type", "simulated")
        functions: list[Pieces] | None = None
        if motion == "animated" and n:
            functions = [Pieces(data["animation"], k) for k in range(n)]
            if functions[0].jumps:
                raise CannotError("an animation that jumps")
            q, qdot = np.array([f.at(0.0)[0] for f in functions]), np.array([f.at(0.0)[1] for f in functions])
        if motion == "locked":
            R, x = forward(data, q)[:2]
            P = Frame(P.body, P.point + P.axes @ x, P.axes @ R)
            data, loads = {"kind": "fixed"}, []
            q = qdot = np.zeros(0)
        if not loop:
            self.put(P, C, data, q, qdot)
        made = self.conditions(data, P, C, loads, loop=loop, q=q, qdot=qdot)
        if len(made) == n and not loop:
            self.of_joint[data.get("name", "")] = made
        for k, (index, load) in enumerate(zip(made, loads, strict=False)):
            if motion != "locked":
                self.coordinates[index].start = float(q[k])
            if functions is not None:
                self.prescribed[index] = functions[k]
            if not load.soft and not loop:
                self.stops += [
                    (index, side, x, 0.0) for side, x in ((1, load.lower), (-1, load.upper)) if np.isfinite(x)
                ]
        if functions is not None and len(made) < n:
            raise CannotError("an animated ball")

    def put(self, P: Frame, C: Frame, data: dict[str, Any], q: Array, qdot: Array) -> None:
        """Where the child stands and how it moves at the start: rotation, place, angular velocity, velocity."""
        R_w, x_w, w_w, v_w = self.place[P.body]
        R, x, w, v = forward(data, q, qdot)
        R_P, x_P = R_w @ P.axes, x_w + R_w @ P.point
        R_C, arm = R_P @ R, R_P @ x
        spin = w_w + R_P @ w
        speed = v_w + np.cross(w_w, R_w @ P.point + arm) + R_P @ v
        R_b = R_C @ C.axes.T
        back = -R_b @ C.point
        self.place[C.body] = (R_b, x_P + arm + back, spin, speed + np.cross(spin, back))

    def conditions(
        self, data: dict[str, Any], P: Frame, C: Frame, loads: list[Load], *, loop: bool, q: Array, qdot: Array
    ) -> list[int]:
        """Adds what the joint holds; the indices of its coordinates, none for those of balls."""
        kind = data["kind"]
        if kind == "fixed":
            self.hold_point(P, C, X, Y, Z)
            self.hold_rotation(P, C)
            return []
        if kind == "revolute":
            a = unit(data.get("axis", (0, 0, 1)))
            self.hold_point(P, C, X, Y, Z)
            self.hold_axis(P, C, a)
            return [self.angle(P, C, a, loads[0], wrapped=loop)]
        if kind == "prismatic":
            a = unit(data.get("axis", (0, 0, 1)))
            self.hold_point(P, C, *across(a))
            self.hold_rotation(P, C)
            return [self.coordinate((self.distance(P, a, C),), loads[0])]
        if kind == "screw":
            a = unit(data.get("axis", (0, 0, 1)))
            self.hold_point(P, C, *across(a))
            self.hold_axis(P, C, a)
            angle = self.angle(P, C, a, loads[0], wrapped=False)
            self.screws.append((angle, self.distance(P, a, C), float(data["pitch"]) / (2.0 * np.pi)))
            return [angle]
        if kind == "universal":
            self.hold_point(P, C, X, Y, Z)
            self.fixed.append(self.dot(P, X, C, Y))
            first = (self.dot(P, Z, C, Y), self.dot(P, Y, C, Y))
            second = (self.dot(P, X, C, Z), self.dot(P, X, C, X))
            return [self.coordinate(rows, load, wrapped=loop) for rows, load in ((first, loads[0]), (second, loads[1]))]
        if kind in ("planar", "translational"):
            free = (X, Y) if kind == "planar" else (X, Y, Z)
            if kind == "planar":
                self.hold_point(P, C, Z)
            self.hold_rotation(P, C)
            return [self.coordinate((self.distance(P, u, C),), load) for u, load in zip(free, loads, strict=True)]
        if kind == "free_2d":
            self.hold_point(P, C, Z)
            self.hold_axis(P, C, Z)
            slides = [self.coordinate((self.distance(P, u, C),), loads[k]) for k, u in enumerate((X, Y))]
            return [*slides, self.angle(P, C, Z, loads[2], wrapped=loop)]
        if kind in ("spherical", "free", "free_translation_rotation"):
            turning, sliding = {"spherical": (0, None), "free": (0, 3), "free_translation_rotation": (3, 0)}[kind]
            if sliding is None:
                self.hold_point(P, C, X, Y, Z)
            elif kind == "free":  # its translation is along the child's axes
                for k, u in enumerate((X, Y, Z)):
                    self.coordinate((self.distance(C, u, P),), loads[sliding + k], sign=-1.0)
                    self.coordinates[-1].start = float(q[sliding + k])
            else:
                for k, u in enumerate((X, Y, Z)):
                    self.coordinate((self.distance(P, u, C),), loads[sliding + k])
                    self.coordinates[-1].start = float(q[sliding + k])
            own = loads[turning : turning + 3]
            if any(load.acts for load in own):
                self.balls.append(Ball(P, C, own))
            return []
        chain = chain_of(data)
        if loop:
            raise CannotError(f"a loop closed by {kind}")
        return self.chain(chain, P, C, loads, q, qdot)

    def chain(
        self, parts: list[dict[str, Any]], P: Frame, C: Frame, loads: list[Load], q: Array, qdot: Array
    ) -> list[int]:
        """Parts in a row with bodies without mass between them."""
        made: list[int] = []
        at = 0
        for number, part in enumerate(parts):
            n = dofs(part)
            last = number == len(parts) - 1
            if last:
                end = C
            else:
                end = Frame(self.body((0.0, np.zeros(3), np.zeros((3, 3)))), np.zeros(3), np.eye(3))
                self.put(P, end, part, q[at : at + n], qdot[at : at + n])
            own = self.conditions(
                part, P, end, loads[at : at + n], loop=False, q=q[at : at + n], qdot=qdot[at : at + n]
            )
            for k, index in enumerate(own):
                self.coordinates[index].start = float(q[at + k])
            made += own
            at += n
            P = end
        return made

    def body(self, properties: tuple[float, Array, Array], damping: float = 0.0) -> int:
        self.bodies.append(properties)
        self.damping.append(damping)
        return len(self.bodies) - 1

    # --- the whole --------------------------------------------------------------------------------------------------

    def read(self) -> Mechanism:
        scene = self.scene
        for data in scene.get("bodies", ()):
            self.index[data["name"]] = self.body(solids.body(data), float(data.get("damping", 0.0)))
        shown = len(self.bodies)
        self.drives()
        joints = scene.get("joints", [])
        tree, loops = spanning(joints)
        for k in tree:
            self.joint(joints[k], loop=False)
        for k in loops:
            self.joint(joints[k], loop=True)
        nodes = self.strands()
        m = Mechanism(
            [*self.index],
            np.array([b[0] for b in self.bodies]),
            np.array([b[1] for b in self.bodies]),
            np.array([b[2] for b in self.bodies]),
            np.array(self.damping),
            np.array(scene.get("gravity", (0.0, 0.0, -9.81)), float),
            self.dots,
            self.points,
            [],
            self.coordinates,
            self.balls,
            [],
            self.prescribed,
            self.stops,
            [],
            shown,
        )
        n = len(self.bodies)
        start = [self.place[b] for b in range(n)]
        m.R0, origin = np.array([s[0] for s in start]), np.array([s[1] for s in start])
        arm = np.einsum("nij,nj->ni", m.R0, m.center)
        m.x0, m.w0 = origin + arm, np.array([s[2] for s in start])
        m.v0 = np.array([s[3] for s in start]) + np.cross(m.w0, arm)
        self.renumber(m)
        m.forces = [self.force(f, m) for f in [*scene.get("forces", ()), *self.segments]]
        m.nodes = nodes
        self.constraints(m)
        m.size = self.size(m, origin)
        return m

    def renumber(self, m: Mechanism) -> None:
        """Rows as they are computed: all dots, then all distances, with the points counted from the mass centres."""
        first = len(self.dots)
        where = {k: (i if kind == "dot" else first + i) for k, (kind, i) in enumerate(self.rows)}
        m.fixed = [where[k] for k in self.fixed]
        for coordinate in m.coordinates:
            coordinate.rows = tuple(where[k] for k in coordinate.rows)
        self.screws = [(angle, where[row], k) for angle, row, k in self.screws]

        def from_center(body: int, x: Array) -> Array:
            return x if body < 0 else x - m.center[body]

        m.points = [(i, from_center(i, a), u, j, from_center(j, b)) for i, a, u, j, b in m.points]
        for ball in m.balls:
            for f in (ball.parent, ball.child):
                f.point = from_center(f.body, f.point)
        for angle, row, k in self.screws:
            m.coordinates.append(Coordinate((row,), Load()))
            m.combinations.append((len(m.coordinates) - 1, 0.0, [(angle, k)], None))

    def size(self, m: Mechanism, origin: Array) -> float:
        """About how large the mechanism is [m]."""
        reach = [np.linalg.norm(p[1]) for p in m.points] + [np.linalg.norm(p[4]) for p in m.points if p[3] >= 0]
        apart = float(np.ptp(origin[: max(1, m.shown)], axis=0).max()) if len(origin) else 0.0
        gyration = [np.sqrt(np.trace(I) / mass) for mass, I in zip(m.mass, m.inertia, strict=True) if mass > 0]
        return max([apart, *(reach or [0.0]), *(gyration or [0.0]), 1e-12])

    def drives(self) -> None:
        """Inputs of their own become hinges in the world that carry an armature; followers start where inputs say."""
        self.followers: list[tuple[str, int, float, list[tuple[str, int, float]], Pieces | None]] = []
        joints = {j["name"]: j for j in self.scene.get("joints", ())}
        for drive in self.scene.get("drives", ()):
            inputs: list[tuple[str, int]] = []
            values: list[tuple[float, float]] = []
            for number, given in enumerate(drive.get("inputs", [{}])):
                if given.get("joint") is not None:
                    j, k = joints[given["joint"]], given.get("coordinate", 0)
                    inputs.append((given["joint"], k))
                    if j.get("motion_type", "simulated") != "simulated":
                        raise CannotError("a drive whose input is no simulated joint")
                    values.append((numbers(j.get("q", 0.0), dofs(j))[k], numbers(j.get("qdot", 0.0), dofs(j))[k]))
                    continue
                if given.get("motion_type", "simulated") == "locked":
                    raise CannotError("a drive whose own input is locked")
                name = f"{drive['name']}\0{number}"
                armature = float(given.get("armature", 0.0))
                self.index[name] = self.body((0.0, np.zeros(3), armature * np.eye(3)))
                own = {k: v for k, v in given.items() if k not in ("joint", "coordinate", "armature")}
                data = {"kind": "revolute", "name": name, "parent": None, "child": name, **own}
                self.joint(data, loop=False)
                inputs.append((name, 0))
                start = Pieces(given["animation"], 0).at(0.0)[:2] if given.get("motion_type") == "animated" else None
                values.append(start or (float(given.get("q", 0.0)), float(given.get("qdot", 0.0))))
            for follower in drive["followers"]:
                ratio = numbers(follower.get("ratio", 1.0), len(inputs))
                table = Pieces(follower["table"], 0) if follower.get("table") else None
                x = float(sum(r * v[0] for r, v in zip(ratio, values, strict=True)))
                rate = float(sum(r * v[1] for r, v in zip(ratio, values, strict=True)))
                value, slope = (x, 1.0) if table is None else table.at(x)[:2]
                j, k = joints[follower["joint"]], follower.get("coordinate", 0)
                n = dofs(j)
                q, qdot = numbers(j.get("q", 0.0), n), numbers(j.get("qdot", 0.0), n)
                q[k], qdot[k] = follower.get("offset", 0.0) + value, slope * rate
                j["q"], j["qdot"] = q.tolist(), qdot.tolist()
                terms = [(name, c, float(r)) for (name, c), r in zip(inputs, ratio, strict=True)]
                self.followers.append((follower["joint"], k, float(follower.get("offset", 0.0)), terms, table))

    def constraints(self, m: Mechanism) -> None:
        def of(joint: str, k: int) -> int:
            if joint not in self.of_joint:
                raise CannotError(f"a condition on joint '{joint}'")
            return self.of_joint[joint][k]

        for joint, k, offset, terms, table in self.followers:
            m.combinations.append((of(joint, k), offset, [(of(name, c), r) for name, c, r in terms], table))
        first = len(m.dots)
        for data in self.scene.get("constraints", ()):
            kind = data["kind"]
            if kind == "coupling":
                leader = of(data["leader"], data.get("leader_coordinate", 0))
                follower = of(data["follower"], data.get("follower_coordinate", 0))
                terms = [(leader, float(data.get("ratio", 1.0)))]
                m.combinations.append((follower, float(data.get("offset", 0.0)), terms, None))
            elif kind == "joint_limit":
                index = of(data["joint"], data.get("coordinate", 0))
                for side, name in ((1, "lower"), (-1, "upper")):
                    if data.get(name) is not None:
                        m.stops.append((index, side, float(data[name]), float(data.get("restitution", 0.0))))
            elif kind == "joint_motion" and data.get("quantity", "position") == "position":
                pieces = Pieces(data["table"], 0)
                if pieces.jumps:
                    raise CannotError("a prescribed motion that jumps")
                m.prescribed[of(data["joint"], data.get("coordinate", 0))] = pieces
            elif kind == "pin":
                a, b = self.index[data["body"]], -1 if data.get("other") is None else self.index[data["other"]]
                x, y = (np.array(data.get(name, (0, 0, 0)), float) for name in ("point", "other_point"))
                axes = np.eye(3) if data.get("axis") is None else across(unit(data["axis"]))
                for u in axes:
                    m.points.append((a, x - m.center[a], u, b, y - m.center[b] if b >= 0 else y))
                    m.fixed.append(first + len(m.points) - 1)
            else:
                raise CannotError(f"constraint {kind}")

    def strands(self) -> list[tuple[int, Array]]:
        """Free nodes become point masses that do not turn; attached ones mass on their bodies."""
        nodes: list[tuple[int, Array]] = []
        self.segments: list[dict[str, Any]] = []
        for strand in self.scene.get("strands", ()):
            X0 = np.array(strand["nodes"], float)
            lengths = strand.get("rest_lengths")
            lengths = np.linalg.norm(np.diff(X0, axis=0), axis=1) if lengths is None else np.array(lengths, float)
            masses = strand.get("node_masses")
            if masses is None:
                share = np.zeros(len(X0))
                share[:-1] += lengths
                share[1:] += lengths
                masses = 0.5 * strand["mass"] * share / lengths.sum()
            velocities = np.array(strand.get("velocities") or np.zeros_like(X0), float)
            held = {a["node"]: a["body"] for a in strand.get("attachments", ())}
            ends: list[tuple[int, Array]] = []
            for k, mass in enumerate(masses):
                if k in held:
                    b = -1 if held[k] is None else self.index[held[k]]
                    R, x = self.place[b][:2]
                    point = R.T @ (X0[k] - x)
                    if b >= 0:
                        self.bodies[b] = solids.together([self.bodies[b], (float(mass), point, np.zeros((3, 3)))])
                else:
                    b, point = self.body((float(mass), np.zeros(3), np.zeros((3, 3)))), np.zeros(3)
                    self.place[b] = (np.eye(3), X0[k], np.zeros(3), velocities[k])
                    self.hold_rotation(Frame(-1, np.zeros(3), np.eye(3)), Frame(b, np.zeros(3), np.eye(3)))
                ends.append((b, point))
                if strand.get("drag", 0.0) and b >= 0:
                    self.segments.append({"kind": "drag", "at": [(b, point)], "linear": strand["drag"]})
            for k, rest in enumerate(lengths):
                law = {key: strand.get(key, 0.0) for key in ("stiffness", "damping")}
                kind = "cable" if strand.get("pulls_only") else "spring_damper"
                path = {"kind": kind, "at": ends[k : k + 2], "rest_length": float(rest), "measure": "strain", **law}
                if ends[k][0] != ends[k + 1][0]:
                    self.segments.append(path)
            nodes += ends
        return nodes

    def force(self, data: dict[str, Any], m: Mechanism) -> dict[str, Any]:
        """A force with its points counted from the mass centres, and its rest length known."""
        kind, f = data["kind"], dict(data)

        def place(body: str | None, x: Any) -> tuple[int, Array]:
            return (-1 if body is None else self.index[body]), np.array(x, float)

        if "at" not in f:
            if kind in ("spring_damper", "point_to_point"):
                f["at"] = [place(data[f"body_{s}"], data.get(f"point_{s}", (0, 0, 0))) for s in "ab"]
            elif kind == "cable":
                f["at"] = [place(p["body"], p.get("point", (0, 0, 0))) for p in data["points"]]
            elif kind in ("point_force", "wrench", "drag"):
                f["at"] = [place(data["body"], data.get("point", (0, 0, 0)))]
            else:
                raise CannotError(f"force {kind}")
        f["at"] = [(b, x if b < 0 else x - m.center[b]) for b, x in f["at"]]
        if kind == "point_to_point":
            f["rest_length"] = 0.0
        elif kind in ("spring_damper", "cable") and f.get("rest_length") is None:
            ends = np.array([x if b < 0 else m.x0[b] + m.R0[b] @ x for b, x in f["at"]])
            f["rest_length"] = float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum())
        for name in ("force_table", "table"):
            if f.get(name):
                f[name] = [Pieces(f[name], k) for k in range(len(f[name]["y"][0]))]
        return f


def read(scene: dict[str, Any]) -> Mechanism:
    """The mechanism of a scene as parsed JSON. Raises CannotError for what the reference does not know."""
    import copy

    return Reader(copy.deepcopy(scene)).read()


# --- words of the scene format ----------------------------------------------------------------------------------------


def unit(a: Any) -> Array:
    a = np.array(a, float)
    a = a / np.abs(a).max()
    return a / np.linalg.norm(a)


def numbers(value: Any, n: int) -> Array:
    """(n,) from one number for all, or a list."""
    return np.full(n, float(value)) if np.isscalar(value) else np.array(value, float)


def spanning(joints: list[dict[str, Any]]) -> tuple[list[int], list[int]]:
    """The joints that make the tree, each as soon as its parent hangs, always the first in the list; and the rest."""
    hanging, tree, left = {None}, [], list(range(len(joints)))
    loops: list[int] = []
    while True:
        k = next((k for k in left if joints[k]["parent"] in hanging), None)
        if k is None:
            return tree, sorted(loops)
        left.remove(k)
        if joints[k]["child"] in hanging:
            loops.append(k)
        else:
            hanging.add(joints[k]["child"])
            tree.append(k)


DOFS = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "planar": 2,
    "universal": 2,
    "translational": 3,
    "spherical": 3,
    "spherical_euler": 3,
    "free_2d": 3,
    "free": 6,
    "free_translation_rotation": 6,
    "free_translation_euler": 6,
}


def dofs(joint: dict[str, Any]) -> int:
    if joint["kind"] == "composite":
        return sum(dofs(part) for part in joint.get("parts", ()))
    if joint["kind"] not in DOFS:
        raise CannotError(f"joint {joint['kind']}")
    return DOFS[joint["kind"]]


def chain_of(joint: dict[str, Any]) -> list[dict[str, Any]]:
    """A joint of several motions one after the other, as simple joints."""
    kind = joint["kind"]
    if kind == "composite":
        return list(joint.get("parts", ())) or [{"kind": "fixed"}]
    hinges = [
        {"kind": "revolute", "axis": np.eye(3)["xyz".index(letter)].tolist()} for letter in joint.get("sequence", "xyz")
    ]
    if kind == "spherical_euler":
        return hinges
    if kind == "free_translation_euler":
        return [{"kind": "translational"}, *hinges]
    raise CannotError(f"joint {kind}")


def forward(joint: dict[str, Any], q: Array, qdot: Array | None = None) -> tuple[Array, Array, Array, Array]:
    """Rotation (3, 3) and place (3,) of the child's joint frame in the parent's, angular velocity and velocity there,
    all in the parent's joint frame."""
    kind = joint["kind"]
    qdot = np.zeros(len(q)) if qdot is None else qdot
    none = np.zeros(3)
    if kind == "fixed":
        return np.eye(3), none, none, none
    if kind in ("revolute", "screw"):
        a = unit(joint.get("axis", (0, 0, 1)))
        advance = float(joint["pitch"]) / (2.0 * np.pi) if kind == "screw" else 0.0
        return turn(a, q[0]), advance * q[0] * a, a * qdot[0], advance * qdot[0] * a
    if kind == "prismatic":
        a = unit(joint.get("axis", (0, 0, 1)))
        return np.eye(3), a * q[0], none, a * qdot[0]
    if kind in ("planar", "translational"):
        fill = (0.0,) if kind == "planar" else ()
        return np.eye(3), np.array([*q, *fill]), none, np.array([*qdot, *fill])
    if kind == "universal":
        R = turn(X, q[0])
        return R @ turn(Y, q[1]), none, X * qdot[0] + R @ Y * qdot[1], none
    if kind == "free_2d":
        return turn(Z, q[2]), np.array([q[0], q[1], 0.0]), Z * qdot[2], np.array([qdot[0], qdot[1], 0.0])
    if kind in ("spherical", "free", "free_translation_rotation"):
        r, rdot = (q[3:], qdot[3:]) if kind == "free_translation_rotation" else (q[:3], qdot[:3])
        R = from_vector(r)
        w = R @ np.linalg.solve(vector_rates(r), rdot)
        if kind == "spherical":
            return R, none, w, none
        if kind == "free":
            return R, R @ q[3:], w, R @ qdot[3:] + np.cross(w, R @ q[3:])
        return R, q[:3], w, qdot[:3]
    R, x, w, v, at = np.eye(3), none, none, none, 0
    for part in chain_of(joint):
        n = dofs(part)
        dR, dx, dw, dv = forward(part, q[at : at + n], qdot[at : at + n])
        v = v + np.cross(w, R @ dx) + R @ dv
        x, w, R = x + R @ dx, w + R @ dw, R @ dR
        at += n
    return R, x, w, v


def read_loads(joint: dict[str, Any], n: int) -> list[Load]:
    """What acts along each coordinate."""
    given = {name: numbers(joint.get(name, 0.0), n) for name in FIELDS}
    loads = [Load(**{name: float(values[k]) for name, values in given.items()}) for k in range(n)]
    for k, load in enumerate(loads):
        for name in ("lower", "upper"):
            value = joint.get(name)
            value = value[k] if isinstance(value, list | tuple) else value
            if value is not None:
                setattr(load, name, float(value))
        for name in ("torque_table", "stiffness_table"):
            if joint.get(name) is not None:
                setattr(load, name, Pieces(joint[name], k))
    return loads
