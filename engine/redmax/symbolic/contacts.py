# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces and curves in contact, as the texts of joints: the families of SG13 section 1.

Two surfaces touch where their frames have opposite normals in one point, Q = E1(u1, v1) Rx(twist) Rz(pi) E2(u2, v2)^-1,
so that their tangent planes are the same.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from .surfaces import BACK_FROM_X, CURVES, ONTO_X, SURFACES, Triple, normal, polar
from .written import Chart, Texts

Sized = tuple[str, tuple[float, ...]]
"""A surface or curve and its sizes [m]."""

Points = tuple[tuple[float, float], tuple[float, float]]
"""u and v on either surface where coordinates are 0."""

AT_ZERO: Points = ((0.0, 0.0), (0.0, 0.0))

EULER_CHARTS = (
    ("euler_xyz", "atan2(-r23, r33); atan2(r13, sqrt(r11**2 + r12**2)); atan2(-r12, r11)"),
    ("euler_zxz", "atan2(r13, -r23); atan2(sqrt(r13**2 + r23**2), r33); atan2(r31, r32)"),
)
"""Two orders of angles, of which one is always far from gimbal lock, and the angles of a rotation in them."""


def _permuted(values: Triple) -> Triple:
    """A vector whose components are given with the poles on z, of a surface turned by ONTO_X."""
    return values[2], values[0], values[1]


class _Side:
    """One of two surfaces in contact in one of its charts. number: 1 or 2. turned: whether the poles are on x.

    point: u and v on the surface where its coordinates are 0, with the poles on z; other charts count from 0.
    """

    def __init__(
        self, kind: str, number: int, *, turned: bool, held: bool, point: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        self.surface, self.turned = SURFACES[kind], turned
        self.number = number
        shifts = (0.0, 0.0) if turned else point
        self.shifts = [f"point{number}{letter}" if x else "" for letter, x in zip("uv", shifts, strict=True)]
        u, v = (
            f"({letter}{number} + {shift})" if shift else f"{letter}{number}"
            for letter, shift in zip("uv", self.shifts, strict=True)
        )
        self.u, self.v = u, "0" if held else v
        sizes = [f"size{number}{letter}" for letter in "abc"[: len(self.surface.sizes)]]
        self.sizes = [sizes[1], sizes[2], sizes[0]] if turned and len(sizes) == 3 else sizes
        self.held = held

    @property
    def names(self) -> tuple[str, ...]:
        return (f"u{self.number}",) if self.held else (f"u{self.number}", f"v{self.number}")

    @property
    def units(self) -> tuple[str, ...]:
        return self.surface.units[: len(self.names)]

    @property
    def frame(self) -> str:
        found = self.surface.frame(self.u, self.v, *self.sizes)
        return f"{ONTO_X} * {found}" if self.turned else found

    @property
    def back(self) -> str:
        found = self.surface.back(self.u, self.v, *self.sizes)
        return f"{found} * {BACK_FROM_X}" if self.turned else found

    @property
    def marks(self) -> tuple[str, ...]:
        """What another chart needs to know: the normal, or the coordinates where there is only this one."""
        if not self.surface.poles:
            return (self.u,) if self.held else (self.u, self.v)
        return _permuted(normal(self.u, self.v)) if self.turned else normal(self.u, self.v)

    def coordinates(self, marks: list[str]) -> tuple[str, ...]:
        """Coordinates from the marks of any chart."""
        if not self.surface.poles:
            found = tuple(marks)
        else:
            x, y, z = marks
            found = polar(y, z, x) if self.turned else polar(x, y, z)
        return tuple(f"{value} - {shift}" if shift else value for value, shift in zip(found, self.shifts, strict=False))

    @property
    def axes(self) -> tuple[Triple, Triple]:
        y, z = self.surface.axes(self.u, self.v)
        return (_permuted(y), _permuted(z)) if self.turned else (y, z)


def _sizes(first: Sized, second: Sized) -> str:
    """Sizes of both as constants."""
    return "; ".join(
        f"size{number}{letter} = {size!r}"
        for number, (_, sizes) in enumerate((first, second), start=1)
        for letter, size in zip("abc", sizes, strict=False)
    )


def _shifts(points: Points) -> str:
    """Points where coordinates are 0 as constants, those that are not 0."""
    return "".join(
        f"; point{number}{letter} = {x!r}"
        for number, point in enumerate(points, start=1)
        for letter, x in zip("uv", point, strict=True)
        if x
    )


def _sides(first: str, second: str, turned: tuple[bool, bool], points: Points = AT_ZERO) -> tuple[_Side, _Side]:
    """A cylinder touches a plane in a line, along which its own coordinate would say nothing new."""
    flat = {first, second} == {"plane", "cylinder"}
    a, b = (
        _Side(kind, k + 1, turned=turned[k], held=flat and kind == "cylinder", point=points[k])
        for k, kind in enumerate((first, second))
    )
    return a, b


def contact_sides(first: str, second: str, *, spin: bool, points: Points = AT_ZERO) -> list[tuple[_Side, _Side]]:
    """The two surfaces in each chart of their contact; with spin, those with poles have two."""
    variants = [(False, True) if spin and SURFACES[kind].poles else (False,) for kind in (first, second)]
    return [_sides(first, second, (turned[0], turned[1]), points) for turned in product(*variants)]


def contact_coordinates(first: str, second: str, *, spin: bool) -> str:
    """Coordinates of two surfaces in contact; see `written.coordinates`."""
    sides = _sides(first, second, (False, False))
    listed = [f"{name}: {unit}" for side in sides for name, unit in zip(side.names, side.units, strict=True)]
    return "; ".join([*listed, "spin: rad"] if spin else listed)


@lru_cache(maxsize=256)
def surface_contact(
    first: Sized, second: Sized, *, spin: bool, twist: float, inside: bool, points: Points = AT_ZERO
) -> Texts:
    """Texts of a joint between two surfaces, which touch in `points` where the coordinates are 0.

    spin: whether the second turns about the common normal, a fifth coordinate. twist: angle about the normal between
    their directions z [rad]. inside: the first surface is touched from within.
    Without spin the directions in the surfaces belong to the joint, so that there is one chart only.
    """
    kinds = first[0], second[0]
    flip = "" if inside else " * Rz(pi)"
    charts = []
    for a, b in contact_sides(*kinds, spin=spin, points=points):
        angle = "twist + spin" if spin else "twist"
        transform = f"{a.frame} * Rx({angle}){flip} * {b.back}"
        charts.append(Chart(transform, _from_pose(a, b), "; ".join((*a.marks, *b.marks))) if spin else Chart(transform))
    constants = f"{_sizes(first, second)}; twist = {twist!r}{_shifts(points)}".lstrip("; ")
    return Texts(contact_coordinates(*kinds, spin=spin), constants, tuple(charts) if len(charts) > 1 else (
        Chart(charts[0].transform),
    ))  # fmt: skip


def _from_pose(a: _Side, b: _Side) -> str:
    """Coordinates of a chart from the pose and the marks. Rx(angle) e_z = (0, -sin, cos) gives the spin."""
    marks = [f"m{k + 1}" for k in range(len(a.marks) + len(b.marks))]
    lines, names = [], (*a.names, *b.names)
    found = (*a.coordinates(marks[: len(a.marks)]), *b.coordinates(marks[len(a.marks) :]))
    lines += [f"{name} = {value}" for name, value in zip(names, found, strict=True)]
    _, (x, y, z) = b.axes
    lines += [f"d{i} = r{i}1 * {x} + r{i}2 * {y} + r{i}3 * {z}" for i in (1, 2, 3)]
    sine, cosine = (" + ".join(f"d{i + 1} * {axis[i]}" for i in range(3)) for axis in a.axes)
    return "; ".join([*lines, *names, f"atan2(-({sine}), {cosine}) - twist"])


def _point_of(kind: str, names: tuple[str, ...], sizes: list[str], *, turned: bool) -> Triple:
    if kind in CURVES:
        return CURVES[kind].point(*names, *sizes)
    sizes = [sizes[1], sizes[2], sizes[0]] if turned and len(sizes) == 3 else sizes
    found = SURFACES[kind].point(*names, *sizes)
    return _permuted(found) if turned else found


def point_coordinates(first: str, second: str) -> str:
    """Coordinates of a point on a curve or surface, or of two curves that meet."""
    units = [CURVES[first].unit] if first in CURVES else [*SURFACES[first].units]
    names = ["s1"] if first in CURVES else ["u1", "v1"]
    if second in CURVES:
        names, units = [*names, "s2"], [*units, CURVES[second].unit]
    listed = [f"{name}: {unit}" for name, unit in zip(names, units, strict=True)]
    return "; ".join([*listed, "angle1: rad", "angle2: rad", "angle3: rad"])


@lru_cache(maxsize=256)
def point_contact(first: Sized, second: Sized) -> Texts:
    """Texts of a joint that holds a point of a curve or surface on the parent and a point, or a point of a curve, on
    the child together, and turns in every way about it."""
    (kind, sizes), (other, other_sizes) = first, second
    own = [f"size1{letter}" for letter in "abc"[: len(sizes)]]
    names: tuple[str, ...] = ("s1",) if kind in CURVES else ("u1", "v1")
    has_poles = kind in SURFACES and SURFACES[kind].poles
    minus = ""
    if other in CURVES:
        x, y, z = CURVES[other].point("s2", *[f"size2{letter}" for letter in "abc"[: len(other_sizes)]])
        minus = f" * T(-({x}), -({y}), -({z}))"
    charts = []
    for turned, (order, angles) in product((False, True) if has_poles else (False,), EULER_CHARTS):
        x, y, z = _point_of(kind, names, own, turned=turned)
        transform = f"T({x}, {y}, {z}) * {order}(angle1, angle2, angle3){minus}"
        marks: tuple[str, ...] = (*names, *(("s2",) if other in CURVES else ()))
        found = [f"m{k + 1}" for k in range(len(marks))]
        if kind in SURFACES:
            marks, found = (), _place_on(kind, own, turned=turned)
        charts.append(Chart(transform, "; ".join([*found, angles]), "; ".join(marks)))
    return Texts(point_coordinates(kind, other), _sizes(first, second), tuple(charts))


def _place_on(kind: str, sizes: list[str], *, turned: bool) -> list[str]:
    """u and v of the point (x, y, z) of a pose."""
    if turned:
        sizes = [sizes[1], sizes[2], sizes[0]] if len(sizes) == 3 else sizes
        return [*SURFACES[kind].uv_of_point("y", "z", "x", *sizes)]
    return [*SURFACES[kind].uv_of_point("x", "y", "z", *sizes)]
