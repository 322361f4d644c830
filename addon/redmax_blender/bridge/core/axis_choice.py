# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of new joints as a mechanic would choose them, with the whole mechanism at hand.

Hinges of a ring are parallel: like those that are known already, else square to the plane of the ring. In an open chain
a plate turns in its own plane, and rods and blocks, which have none, follow their neighbours or the plane of the chain.
A slider goes along the bore that it slides in, else between the pins that push it, as a piston goes to its
crank. Only where nothing of this helps do a part's own proportions decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays
from . import joint_rings
from .part_shapes import PartShape, positive
from .straight_axes import angles

Array = arrays.Array

AGREE = np.radians(10.0)
"""Axes that differ by less are meant to be parallel."""

SNAP_PLATE, SNAP_PART = np.radians(30.0), np.radians(15.0)
"""How far the plane of the pins may be from a plate, or from a side of another part, that is in it: pins of links that
lie side by side are not in one plane."""

SNAP_SLIDE = np.radians(20.0)
"""How far the direction to the crank may be from a side of the piston that slides along it: a crank may be offset."""

SQUARE = np.radians(70.0)
"""A rod turns about an axis that makes at least this angle with it."""

STRAIGHT_RING, STRAIGHT_CHAIN = 0.02, 0.1
"""Pins that are less wide than this fraction of their length lie on a line, which defines no plane."""

FLAT = 0.1
"""Pins whose height over their plane is less than this fraction of their width are in it."""

LOOP, LIKE, PLANE, PLATE, BORE, CRANK, LENGTH, THROUGH = (
    "square to the loop",
    "as its neighbours",
    "square to the chain",
    "across the part",
    "along the bore",
    "toward the crank",
    "along the part",
    "through the hinges",
)
"""Why an axis was chosen, in the words of a report."""


class Role(NamedTuple):
    """What a joint does in a mechanism.

    is_hinge: its axis is square to the plane in which a flat mechanism moves. is_pin: it is a hinge, or holds a point
    of one body at a point of the other. is_slider: it slides along its axis. is_lengthwise: its axis runs along what it
    carries, a piston, a bolt or a shaft; others turn a flat link.
    """

    is_hinge: bool
    is_pin: bool
    is_slider: bool
    is_lengthwise: bool


def role_of(traits: Any) -> Role:
    """The role of a joint by what its motion says of it (`redmax.joints.traits`)."""
    is_hinge = traits.plane is not None
    is_pin = is_hinge or (traits.holds_origin and traits.ndof > 0)
    advances = traits.line is not None and not is_hinge
    return Role(is_hinge, is_pin, traits.is_slider, traits.is_slider or traits.is_universal or advances)


@dataclass(frozen=True, eq=False)
class AxisJoint:
    """A joint of a mechanism. ends: the bodies, parent first; what stands still is GROUND. origin: (3,) in the world.

    axis: unit vector (3,) in the world, None if it is to be chosen or the joint has none. is_new: to be chosen.
    holder: shape of the parent, also where that stands still; None for the world.
    """

    ends: tuple[Hashable, Hashable]
    role: Role
    origin: Array
    axis: Array | None = None
    is_new: bool = False
    holder: PartShape | None = None

    @property
    def is_open(self) -> bool:
        return self.is_new and self.axis is None


class Bore(NamedTuple):
    """What a slider slides in. is_open: with an end that is not closed."""

    axis: Array
    is_open: bool


class Choice(NamedTuple):
    """axis: unit vector (3,) in the world. why: one of the words above."""

    axis: Array
    why: str


GROUND = None


def choose(
    joints: Sequence[AxisJoint],
    shapes: Mapping[Hashable, PartShape],
    bore_of: Callable[[AxisJoint], Bore | None] = lambda _joint: None,
) -> dict[int, Choice]:
    """Axis of every joint that is open, by its number. shapes: of all bodies that are an end of a joint, but GROUND."""
    return _Chooser(joints, shapes, bore_of).chosen


class _Chooser:
    """One mechanism while its axes are chosen."""

    def __init__(
        self,
        joints: Sequence[AxisJoint],
        shapes: Mapping[Hashable, PartShape],
        bore_of: Callable[[AxisJoint], Bore | None],
    ) -> None:
        self.joints, self.shapes = joints, shapes
        self.edges = [joint.ends for joint in joints]
        self.chosen: dict[int, Choice] = {}
        self.bores = {k: bore_of(joint) for k, joint in enumerate(joints) if joint.is_open and joint.role.is_slider}
        in_ring: set[int] = set()
        for block in joint_rings.blocks(self.edges):
            in_ring.update(block)
            if any(joints[k].is_open for k in block):
                self._block(block)
        tree = [k for k in range(len(joints)) if k not in in_ring and joints[k].role.is_hinge]
        for chain in joint_rings.chains(self.edges, tree, GROUND):
            if any(joints[k].is_open for k in chain):
                self._chain(chain)
        for k, joint in enumerate(joints):
            if joint.is_open and k not in self.chosen:
                self.chosen[k] = self._alone(k)

    def _axis(self, k: int) -> Array | None:
        return self.chosen[k].axis if k in self.chosen else self.joints[k].axis

    # --- rings -------------------------------------------------------------------------------

    def _block(self, block: list[int]) -> None:
        """Hinges and sliders of rings that share bodies."""
        hinges = [k for k in block if self.joints[k].role.is_hinge]
        if len({frozenset(self.edges[k]) for k in block}) == 1 and len(hinges) == len(block):
            self._bundle(block)
            return
        choice = self._ring_normal(block, whole=True)
        for k in hinges:
            if self.joints[k].is_open:
                own = choice or self._ring_normal(joint_rings.shortest_ring(self.edges, k), whole=False)
                if own is not None:
                    self.chosen[k] = own
        for k in block:
            if self.joints[k].is_open and self.joints[k].role.is_slider:
                ring = joint_rings.shortest_ring(self.edges, k)
                normal = choice or self._ring_normal(ring, whole=False)
                self.chosen[k] = self._slide(k, ring, None if normal is None else normal.axis)

    def _bundle(self, block: list[int]) -> None:
        """Several hinges between the same two bodies, as those of a door: they have one axis."""
        known = _common(self._known(block))
        if known is None:
            points = np.array([self.joints[k].origin for k in block])
            line = points[np.linalg.norm(points - points[0], axis=1).argmax()] - points[0]
            if np.linalg.norm(line) > 0.0:
                self._take(block, Choice(positive(line / np.linalg.norm(line)), THROUGH))
        else:
            self._take(block, Choice(known, LIKE))

    def _take(self, members: Iterable[int], choice: Choice) -> None:
        self.chosen.update({k: choice for k in members if self.joints[k].is_open and k not in self.chosen})

    def _known(self, members: Iterable[int]) -> list[Array]:
        return [axis for k in members if self.joints[k].role.is_hinge and (axis := self._axis(k)) is not None]

    def _ring_normal(self, members: list[int], *, whole: bool) -> Choice | None:
        """Common direction of the hinges of a ring, or of all rings of a block (whole).

        None for a block that is not flat, where each ring has its own; or if nothing tells.
        """
        known = _common(self._known(members))
        if known is not None:
            return Choice(known, LIKE)
        pins = np.array([self.joints[k].origin for k in members if self.joints[k].role.is_pin]).reshape(-1, 3)
        sliders = [k for k in members if self.joints[k].role.is_slider]
        slid = {end for k in sliders for end in self.edges[k]}
        bodies = list(dict.fromkeys(end for k in members for end in self.edges[k] if end in self.shapes))
        links = [self.shapes[body] for body in bodies if body not in slid]
        plates = [normal for link in links if (normal := link.plate_normal) is not None]
        unanimous = _common(plates) if len(plates) > 1 else None
        if unanimous is not None and not self._are_coaxial(members, unanimous):
            return Choice(positive(unanimous), LOOP)
        plane = _plane(pins, STRAIGHT_RING)
        if plane is None and len(pins) < 3:
            plane = _plane(np.array([self.joints[k].origin for k in members]), STRAIGHT_RING)
        if plane is not None:
            nodes = {end for k in members for end in self.edges[k]}
            if whole and plane.height > FLAT and len(members) > len(nodes):
                return None
            return Choice(positive(_snapped(plane.normal, [self.shapes[body] for body in bodies])), LOOP)
        return self._normal_of_line(members, pins, links, [self.shapes[body] for body in bodies])

    def _are_coaxial(self, members: Iterable[int], axis: Array) -> bool:
        """Whether a body would have several hinges about one line."""
        pins: dict[Hashable, list[Array]] = defaultdict(list)
        for k in members:
            if self.joints[k].role.is_pin:
                for end in self.edges[k]:
                    pins[end].append(self.joints[k].origin)
        for points in pins.values():
            arms = np.array(points) - points[0]
            beside = np.linalg.norm(arms - np.outer(arms @ axis, axis), axis=1)
            if (beside[1:] <= STRAIGHT_RING * np.linalg.norm(arms[1:], axis=1)).any():
                return True
        return False

    def _normal_of_line(
        self, members: list[int], pins: Array, links: list[PartShape], parts: list[PartShape]
    ) -> Choice | None:
        """Pins on a line: what most plates say, else the most usual direction square to the line."""
        line = pins[np.linalg.norm(pins - pins[0], axis=1).argmax()] - pins[0] if len(pins) else np.zeros(3)
        slides = [axis for k in members if self.joints[k].role.is_slider and (axis := self._slide_known(k)) is not None]
        lines = [line, *slides]

        def may_be(axis: Array) -> bool:
            return all(
                np.linalg.norm(each) == 0.0 or angles(axis, each / np.linalg.norm(each)) > SQUARE for each in lines
            )

        for shapes in (links, parts):
            votes = [axis for shape in shapes if (axis := shape.plate_normal) is not None and may_be(axis)]
            if votes:
                return Choice(max(votes, key=lambda axis: int((angles(np.array(votes), axis) < AGREE).sum())), LOOP)
        votes = [axis for shape in (links or parts) for axis in (shape.thinnest, *shape.axes) if may_be(axis)]
        return Choice(positive(votes[0]), LOOP) if votes else None

    def _slide_known(self, k: int) -> Array | None:
        bore = self.bores.get(k)
        return bore.axis if bore is not None and bore.is_open else self.joints[k].axis

    # --- sliders -----------------------------------------------------------------------------

    def _slide(self, k: int, ring: list[int], normal: Array | None) -> Choice:
        """Along an open bore, else between the two pins that the ring has beside the slider."""
        bore = self.bores[k]
        if bore is not None and bore.is_open:
            return Choice(positive(_in_plane(bore.axis, normal)), BORE)
        before, after = (self.joints[ring[0]], self.joints[ring[-2]])
        if before.role.is_pin and after.role.is_pin:
            size = max(float(np.linalg.norm(self.joints[a].origin - self.joints[ring[0]].origin)) for a in ring)
            for start in (after.origin, self.joints[k].origin):
                line = _across(before.origin - start, normal)
                if np.linalg.norm(line) > STRAIGHT_RING * size:
                    return Choice(positive(self._along_side(k, line / np.linalg.norm(line), normal)), CRANK)
        return self._alone(k, normal)

    def _along_side(self, k: int, line: Array, normal: Array | None) -> Array:
        """The side of what slides, or of what it slides on, that is nearest to a line; the line if none is near."""
        sides = np.array([axis for end in self.edges[k] if end in self.shapes for axis in self.shapes[end].axes])
        if normal is not None and len(sides):
            sides = sides[angles(sides, normal) > np.pi / 2 - AGREE]
        if not len(sides) or angles(sides, line).min() > SNAP_SLIDE:
            return line
        return _in_plane(sides[angles(sides, line).argmin()], normal)

    # --- open chains -------------------------------------------------------------------------

    def _chain(self, chain: list[int]) -> None:
        """Hinges that follow each other without a ring."""
        shape = {k: self._carried(k) for k in chain}
        plane = self._chain_plane(chain)
        plates = {k: shape[k].plate_normal for k in chain if self.joints[k].is_open}
        if plane is not None:
            links = [shape[k] for k in chain]
            for k, normal in plates.items():
                if normal is None or angles(normal, plane) < SNAP_PLATE or shape[k].is_centred(self.joints[k].origin):
                    continue
                if _votes(links, plane) > max(1, _votes(links, normal, plates_only=True)):
                    plates[k] = plane
        for k in plates:
            holder = self._holder_normal(k, shape[k], common=_common(self._known(chain)), plane=plane)
            if holder is not None:
                self.chosen[k] = holder
                plates[k] = None
        for k, normal in plates.items():
            if normal is not None:
                self.chosen[k] = Choice(normal, PLANE if normal is plane else PLATE)
        common = _common(self._known(chain))
        for k in plates:
            if k in self.chosen:
                continue
            if common is not None and _turns_about(shape[k], common):
                self.chosen[k] = Choice(common, PLANE if plane is not None and (common == plane).all() else LIKE)
            elif plane is not None and _turns_about(shape[k], plane):
                self.chosen[k] = Choice(plane, PLANE)

    def _holder_normal(self, k: int, carried: PartShape, *, common: Array | None, plane: Array | None) -> Choice | None:
        """Axis by the link that holds a wheel-like part in its middle, if both disagree: as a rod holds a piston.

        None where they agree, or the part is on a block or on a post that stands still, as a turntable is.
        """
        holder = self.joints[k].holder
        normal = carried.plate_normal
        if holder is None or normal is None or not carried.is_centred(self.joints[k].origin):
            return None
        if holder.plate_normal is not None:
            return None if angles(holder.plate_normal, normal) < SNAP_PLATE else Choice(holder.plate_normal, LIKE)
        if self.edges[k][0] is GROUND or holder.rod_direction is None or _turns_about(holder, normal):
            return None
        for axis, why in ((common, LIKE), (plane, PLANE), (holder.thinnest, LIKE)):
            if axis is not None and _turns_about(holder, axis):
                return Choice(axis, why)
        return None

    def _carried(self, k: int) -> PartShape:
        """Shape of what a joint carries; of its parent if it carries the base."""
        parent, child = self.edges[k]
        return self.shapes[child if child in self.shapes else parent]

    def _chain_plane(self, chain: list[int]) -> Array | None:
        """Normal of the plane of the pins and of the middle of the bodies at the ends of a chain."""
        count: dict[Hashable, int] = defaultdict(int)
        for edge in self.edges:
            for end in edge:
                count[end] += 1
        bodies = dict.fromkeys(end for k in chain for end in self.edges[k] if end in self.shapes)
        tips = [self.shapes[body].extent.centre for body in bodies if count[body] == 1]
        plane = _plane(np.array([*(self.joints[k].origin for k in chain), *tips]), STRAIGHT_CHAIN)
        if plane is None or plane.height > FLAT:
            return None
        return positive(_snapped(plane.normal, [self.shapes[body] for body in bodies]))

    # --- without any help --------------------------------------------------------------------

    def _alone(self, k: int, normal: Array | None = None) -> Choice:
        """What proportions say: a hinge across what it carries, a slider along it, in the plane of its ring."""
        shape = self._carried(k)
        bore = self.bores.get(k)
        if bore is not None and (normal is None or angles(bore.axis, normal) > SQUARE):
            return Choice(positive(bore.axis), BORE)
        if not self.joints[k].role.is_lengthwise:
            return Choice(shape.thinnest, PLATE)
        if normal is not None and angles(shape.longest, normal) <= SQUARE:
            sides = np.flatnonzero(angles(shape.axes, normal) > SQUARE)
            if len(sides):
                longest = shape.axes[sides[shape.extent.lengths[sides].argmax()]]
                return Choice(positive(_in_plane(longest, normal)), LENGTH)
        return Choice(shape.longest, LENGTH)


class _Plane(NamedTuple):
    """normal: unit vector (3,). height: of the points over the plane, relative to their width in it."""

    normal: Array
    height: float


def _plane(points: Array, straight: float) -> _Plane | None:
    """The plane of best fit, None for points on a line."""
    if len(points) < 3:
        return None
    _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
    if sizes[0] == 0.0 or sizes[1] <= straight * sizes[0]:
        return None
    return _Plane(axes[2], float(sizes[2] / sizes[1]) if len(points) > 3 else 0.0)


def _common(axes: Sequence[Array]) -> Array | None:
    """The direction that all axes nearly have: that of the first. None if they differ, or there are none."""
    if not axes or (angles(np.array(axes), axes[0]) > AGREE).any():
        return None
    return axes[0]


def _snapped(normal: Array, parts: Sequence[PartShape]) -> Array:
    """The nearest direction in which a part is thin, if it is near: a plate before rods and blocks."""
    plates = [axis for part in parts if (axis := part.plate_normal) is not None]
    square = _square_to_rods(parts)
    others = [axis for part in parts if part.plate_normal is None for axis in part.axes[part.is_thin]]
    for candidates, near in ((plates, SNAP_PLATE), (square, SNAP_PLATE), (others, SNAP_PART)):
        if candidates:
            apart = angles(np.array(candidates), normal)
            if apart.min() < near:
                return candidates[int(apart.argmin())]
    return normal


def _square_to_rods(parts: Sequence[PartShape]) -> list[Array]:
    """The thin direction that all rods have in common, which says as much as a plate; none if all are parallel."""
    rods = [part for part in parts if part.rod_direction is not None]
    if _common([rod.rod_direction for rod in rods if rod.rod_direction is not None]) is not None:
        return []
    shared = [axis for rod in rods[:1] for axis in rod.axes[rod.is_thin]]
    return [axis for axis in shared if all(angles(rod.axes[rod.is_thin], axis).min() < AGREE for rod in rods)]


def _votes(links: Iterable[PartShape], axis: Array, *, plates_only: bool = False) -> int:
    """How many links would turn about an axis by their shape: plates across it, and rods square to it."""
    count = 0
    for link in links:
        if link.plate_normal is not None:
            count += bool(angles(link.plate_normal, axis) < SNAP_PLATE)
        elif link.rod_direction is not None and not plates_only:
            count += _turns_about(link, axis)
    return count


def _turns_about(shape: PartShape, axis: Array) -> bool:
    """Whether a rod is square to an axis; a block may turn about any."""
    rod = shape.rod_direction
    return rod is None or bool(angles(rod, axis) > SQUARE)


def _across(line: Array, normal: Array | None) -> Array:
    """The part of a vector that is square to a direction."""
    return line if normal is None else line - (line @ normal) * normal


def _in_plane(axis: Array, normal: Array | None) -> Array:
    """A direction made square to a normal where it nearly is, so that the ring can move."""
    if normal is None or angles(axis, normal) < np.pi / 2 - AGREE:
        return axis
    across = _across(axis, normal)
    return across / float(np.linalg.norm(across))
