# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that no longer stand where their joints were fitted to them, as when a body was moved by hand.

The modelled pose is q = 0, whatever it is: nothing else would notice. What a joint allows is no damage (a crank turned
about its pin), nor is moving a joint's empty (the pin is where the artist puts it), moving or scaling the whole
mechanism, applying transforms or editing a mesh. After all of these the joints are recorded anew, silently.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...._engine import arrays, pose, traits
from ....properties import joint as joint_properties
from ...core import coordinate_fit
from ...core.findings import Finding
from ...objects import joint_fits, joint_objects, movers, units
from ...objects.joint_fits import Ends, Fits
from ...objects.named_objects import local_object

if TYPE_CHECKING:
    from ...core.mechanisms import Mechanism
    from ...extract.extraction import Extraction

Array = arrays.Array

OFF = 1e-3
"""Distances up to this part of the bodies' size are rounding."""

TURNED = math.radians(0.5)
"""Angles up to this are rounding [rad]."""

CHORD = 2.0 * math.sqrt(2.0) * math.sin(0.5 * TURNED)
"""Frobenius norm of the difference of two rotations that angle apart."""

SAME_POINT = 1e-5
"""Difference of an anchor's coordinates, as a part of them, that is rounding."""

MOST_NAMED = 2
"""Joints that a sentence names; of more it gives the number."""

MANY = 3
"""Joints of a mechanism that nobody tears off one by one: it was mirrored or stretched as a whole."""

WORLD = None
Node = str | None
"""Name of a body, or the world."""


@dataclass(frozen=True, eq=False)
class TornPart:
    """Bodies that were moved together, away from their joints.

    element: the body to name, or the joint where only that was left behind. bodies: moved, empty for a joint. joints:
    names of those it was torn from. angle [rad], distance [Blender units]: what one of them does not allow; a distance
    of 0 is one that cannot be seen. T: (4, 4) motion in the world [Blender units] that brings it back.
    """

    element: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    angle: float
    distance: float
    T: Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """parts: torn off. outdated: joints that fit, but whose record is missing or tells another story."""

    parts: tuple[TornPart, ...]
    outdated: Fits


def findings(extraction: Extraction) -> list[Finding]:
    """What is to be said of torn parts."""
    return [_finding(part, extraction.length) for part in compare(extraction).parts]


def record_outdated(extraction: Extraction) -> None:
    """Record every joint that fits, where the record is missing or old. Writes to the file."""
    joint_fits.record(compare(extraction).outdated)


def compare(extraction: Extraction) -> Comparison:
    """Every joint as it stands beside what was recorded of it."""
    now = joint_fits.present(extraction)
    rows, records = joint_fits.recorded(now)
    known = now.taken(rows)
    records = _with_other_origins(known, records)
    changed = dict(zip(known.names, _changed(known, records).tolist(), strict=True))
    outdated = [row for row, name in enumerate(now.names) if name not in changed]
    parts: list[TornPart] = []
    if any(changed.values()):
        place = {name: row for row, name in enumerate(known.names)}
        for mechanism in extraction.mechanisms:
            own = [place[name] for name in mechanism.joints if name in place]
            if mechanism.enabled and any(changed[known.names[row]] for row in own):
                torn = _Look(extraction, mechanism, known.taken(own), records.taken(own)).parts
                parts.extend(torn)
                # While a part is off, the other joints keep telling where it belongs.
                outdated += [] if torn else [rows[row] for row in own if changed[known.names[row]]]
    return Comparison(tuple(parts), now.taken(outdated))


def _with_other_origins(now: Fits, records: Fits) -> Fits:
    """The records with bodies whose origin alone was moved seen from where that is now."""
    sizes = now.sizes

    def corrected(new: Ends, old: Ends) -> Ends:
        other = (
            _differ(new.E_bj, old.E_bj, sizes)
            & ~_same_points(new, old)
            & (np.abs(new.placed - old.placed).max(axis=(1, 2)) <= OFF * sizes)
        )[:, None, None]
        return Ends(*(np.where(other, a, b) for a, b in zip(_arrays(new), _arrays(old), strict=True)))

    return replace(records, parent=corrected(now.parent, records.parent), child=corrected(now.child, records.child))


def _arrays(end: Ends) -> tuple[Array, Array, Array]:
    return end.E_bj, end.own, end.placed


def _same_points(new: Ends, old: Ends) -> Any:
    """Whether anchors have the coordinates they had, in their bodies (n,)."""
    return np.abs(new.own - old.own).max(axis=(1, 2)) <= SAME_POINT * np.abs(old.own).max(axis=(1, 2))


def _changed(now: Fits, records: Fits) -> Any:
    """Joints whose record tells another story (n,)."""
    sizes = now.sizes
    pairs = ((now.E_wj, records.E_wj), (now.parent.E_bj, records.parent.E_bj), (now.child.E_bj, records.child.E_bj))
    moved = np.any([_differ(new, old, sizes) for new, old in pairs], axis=0)
    edited = ~(_same_points(now.parent, records.parent) & _same_points(now.child, records.child))
    return moved | edited


def _differ(E: Array, F: Array, size: Any) -> Any:
    """Whether frames (..., 4, 4) are apart by more than rounding."""
    D = E - F
    return (np.linalg.norm(D[..., :3, 3], axis=-1) > OFF * size) | (
        np.linalg.norm(D[..., :3, :3], axis=(-2, -1)) > CHORD
    )


class _Look:
    """One mechanism of which a joint tells another story than its record. parts: what was torn off."""

    def __init__(self, extraction: Extraction, mechanism: Mechanism, now: Fits, before: Fits) -> None:
        self.extraction, self.mechanism, self.now, self.before = extraction, mechanism, now, before
        self.sizes = now.sizes
        torn = self._torn()
        if torn and (scaled := self._as_scaled()) is not None:
            self.before = scaled
            less = self._torn()
            self.before, torn = (scaled, less) if len(less) < len(torn) else (before, torn)
        self.parts = () if self._is_whole(torn) else (*self._parts(torn), *self._left_behind(torn))

    def _torn(self) -> dict[int, tuple[float, float]]:
        """By row: angle [rad] and distance [Blender units] by which a joint is torn, beyond what it allows."""
        found = {}
        replaced = _differ(self.now.E_wj, self.before.E_wj, self.sizes)
        for row in np.flatnonzero(self._is_parted()).tolist():
            if self.now.parents[row] is WORLD and replaced[row]:
                continue  # the pin itself was moved, alone or with everything
            if self._is_moved_otherwise(row):
                continue
            angle, distance = self._not_allowed(row)
            if angle > TURNED or distance > OFF * self.sizes[row]:
                found[row] = (angle, distance if distance > OFF * self.sizes[row] else 0.0)
        return found

    def _is_parted(self) -> Array:
        """Whether the two bodies of each joint stand to each other in another way than recorded (n,)."""
        parted: Array = _differ(self._parting(), np.eye(4), self.sizes)
        return parted

    def _parting(self) -> Array:
        """Joints as recorded on the child, seen from them as recorded on the parent; 1 where nothing moved."""
        E_jp = pose.inverse(self.before.parent.E_bj)
        E_pc = self.now.parent.E_bj @ pose.inverse(self.now.child.E_bj)
        parting: Array = E_jp @ E_pc @ self.before.child.E_bj
        return parting

    def _not_allowed(self, row: int) -> tuple[float, float]:
        length, name = self.extraction.length, self.now.names[row]
        joint = next(j for j in self.extraction.scene.joints if self.extraction.joint_objects.get(j.name) == name)
        Q = units.in_metres(self._parting()[row], length) @ traits.of(joint).Q0
        found = coordinate_fit.fit(joint, Q[None], float(self.sizes[row]) * length)
        return float(found.angle[0]), float(found.distance[0]) / length

    def _is_moved_otherwise(self, row: int) -> bool:
        """Whether keys, drivers or constraints place one of the bodies: it is not the artist's hand that does."""
        for name in (self.now.parents[row], self.now.children[row]):
            obj: Any = None if name is None else local_object(name)
            if obj is not None and any(movers.motion_of(each) for each in (obj, *joint_objects.ancestors(obj))):
                return True
        return False

    def _as_scaled(self) -> Fits | None:
        """The records with all lengths times the factor by which the mechanism as a whole has grown, if it has."""
        held = np.array([name is not WORLD for name in self.now.parents], bool)
        arms = [
            (np.linalg.norm(new.E_bj[rows][:, :3, 3], axis=1), np.linalg.norm(old.E_bj[rows][:, :3, 3], axis=1))
            for new, old, rows in (
                (self.now.parent, self.before.parent, held),
                (self.now.child, self.before.child, np.ones_like(held)),
            )
        ]
        new, old = (np.concatenate(each) for each in zip(*arms, strict=True))
        long = old > OFF * float(self.sizes.max())
        factor = float(np.median(new[long] / old[long])) if long.any() else 1.0
        if abs(factor - 1.0) <= OFF:
            return None
        by = np.where(held, factor, 1.0)
        return replace(
            self.before,
            parent=_scaled(self.before.parent, by),
            child=_scaled(self.before.child, np.full(len(by), factor)),
        )

    def _is_whole(self, torn: dict[int, tuple[float, float]]) -> bool:
        """Whether every joint is torn, and by more than one body's move: a mirrored or stretched mechanism."""
        if len(torn) < max(MANY, len(self.now.names)):
            return False
        return sum(self._has_moved([body]) for body in self.mechanism.bodies) > 1

    # --- who was moved -----------------------------------------------------------------------

    def _parts(self, torn: dict[int, tuple[float, float]]) -> Iterator[TornPart]:
        group = self._together()
        by_part: dict[frozenset[Node], list[int]] = {}
        for row in torn:
            by_part.setdefault(frozenset(self._moved_side(row, group)), []).append(row)
        for bodies, rows in by_part.items():
            first = max(rows, key=lambda row: torn[row][::-1])
            body = self.now.children[first] if self.now.children[first] in bodies else self.now.parents[first]
            assert body is not None
            moved = tuple(name for name in self.mechanism.bodies if name in bodies)
            joints = tuple(self.now.names[row] for row in rows)
            yield TornPart(body, moved, joints, *torn[first], self._way_back(body, first))

    def _together(self) -> dict[Node, set[Node]]:
        """Bodies that still stand to each other as recorded, and the world with those that are held by it."""
        group: dict[Node, set[Node]] = {name: {name} for name in (WORLD, *self.mechanism.bodies)}

        def unite(a: Node, b: Node) -> None:
            if group[a] is not group[b]:
                group[a] |= group[b]
                for member in list(group[b]):
                    group[member] = group[a]

        for row in np.flatnonzero(~self._is_parted()).tolist():
            unite(self.now.parents[row], self.now.children[row])
        for body in self.mechanism.bodies:
            obj = local_object(body)
            if body not in self.now.children and obj is not None and obj.redmax.body.root == "LOCKED":
                unite(WORLD, body)
        return group

    def _moved_side(self, row: int, group: dict[Node, set[Node]]) -> set[Node]:
        """Of the two sides of a torn joint the one that went away from the rest of the mechanism."""
        above, below = group[self.now.parents[row]], group[self.now.children[row]]
        if above is below:  # other joints say that nothing moved: recorded at different times
            return {self.now.children[row]}
        if WORLD in above:
            return below
        if WORLD in below:
            return above
        return above if self._has_moved(above) and not self._has_moved(below) else below

    def _has_moved(self, bodies: Iterable[Node]) -> bool:
        """Whether one of the bodies moved relative to what the mechanism hangs from."""
        for body in bodies:
            row = self._row_of(body)
            if body is WORLD or row is None:
                continue
            E_then = self._reference() @ self._stands(body, row, self.before)
            if _differ(self._stands(body, row, self.now), E_then, self.sizes[row]):
                return True
        return False

    def _row_of(self, body: Node) -> int | None:
        """A joint of a body, rather one that carries it."""
        for names in (self.now.children, self.now.parents):
            if body in names:
                return names.index(body)
        return None

    @staticmethod
    def _stands(body: Node, row: int, fits: Fits) -> Array:
        """Frame of a body in the world, seen through a joint."""
        end = fits.child if fits.children[row] == body else fits.parent
        E: Array = fits.E_wj[row] @ pose.inverse(end.E_bj[row])
        return E

    def _reference(self) -> Array:
        """How the mechanism as a whole has moved in the world since: what it hangs from."""
        if WORLD in self.now.parents:
            row = self.now.parents.index(WORLD)
            whole: Array = self.now.E_wj[row] @ pose.inverse(self.before.E_wj[row])
            return whole
        first = self._row_of(self.mechanism.root)
        if first is None:
            return np.eye(4)
        E_then = self._stands(self.mechanism.root, first, self.before)
        root: Array = self._stands(self.mechanism.root, first, self.now) @ pose.inverse(E_then)
        return root

    def _way_back(self, body: str, row: int) -> Array:
        """Motion of a body in the world to where it stood, seen from the mechanism as a whole."""
        E_now = self._stands(body, row, self.now)
        if body != self.mechanism.root and self._has_moved([body]):
            E_then: Array = self._reference() @ self._stands(body, row, self.before)
        else:  # the others are measured by it: back to the joint
            is_child = self.now.children[row] == body
            here, there = (
                (self.before.child, self.before.parent) if is_child else (self.before.parent, self.before.child)
            )
            other = self.now.parents[row] if is_child else self.now.children[row]
            E_wo = np.eye(4) if other is WORLD else self._stands(other, row, self.now)
            E_then = E_wo @ there.E_bj[row] @ pose.inverse(here.E_bj[row])
        back: Array = E_then @ pose.inverse(E_now)
        return back

    def _left_behind(self, torn: Iterable[int]) -> Iterator[TornPart]:
        """Joints whose two bodies went away together."""
        now, before = self.now, self.before
        left = (
            _differ(now.parent.E_bj, before.parent.E_bj, self.sizes)
            & _differ(now.child.E_bj, before.child.E_bj, self.sizes)
            & ~_differ(now.E_wj, before.E_wj, self.sizes)
        )
        for row in np.flatnonzero(left).tolist():
            if row not in torn and now.parents[row] is not WORLD and not self._is_moved_otherwise(row):
                E_wp = now.E_wj[row] @ pose.inverse(now.parent.E_bj[row])
                T = E_wp @ before.parent.E_bj[row] @ pose.inverse(now.E_wj[row])
                yield TornPart(now.names[row], (), (now.names[row],), 0.0, 0.0, T)


def _scaled(end: Ends, by: Array) -> Ends:
    """Lengths times a factor for each joint (n,)."""
    E = end.E_bj.copy()
    E[:, :3, 3] *= by[:, None]
    return Ends(E, end.own, end.placed * by[:, None, None])


def _finding(part: TornPart, length: float) -> Finding:
    joint: Any = local_object(part.joints[0])
    word = "pin" if joint_properties.traits_of(joint.redmax.joint).is_hinge else "joint"
    hint = "Reset puts it back; Re-fit lets its joints hold it as it stands"
    if not part.bodies:
        ends = f"'{joint.redmax.joint.child.name}' and '{joint.redmax.joint.parent.name}'"
        text = f"{ends} were moved away from their {word} '{part.element}'"
        hint = "Reset lets it follow them; Re-fit leaves it where it is"
    else:
        named = " and ".join(f"'{name}'" for name in part.joints[:MOST_NAMED])
        more = f" and {len(part.joints) - MOST_NAMED} more" if len(part.joints) > MOST_NAMED else ""
        away = f"stands {_shown(part.distance * length)} from"
        if part.distance == 0.0:
            away = f"is turned {math.degrees(part.angle):.2g} deg against"
        text = f"'{part.element}' {away} its {word}{'s' * (len(part.joints) > 1)} {named}{more}"
    return Finding(part.element, text, hint, "WARNING", ("RESET", "REFIT"))


def _shown(metres: float) -> str:
    return f"{metres * 1e3:.2g} mm" if metres < 0.1 else f"{metres:.3g} m"
