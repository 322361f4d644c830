# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces and curves as texts of the grammar: their points, and frames on them, by coordinates u and v.

A frame on a surface has x along the outward normal, y along growing u and z along growing v. Surfaces with poles, where
u says nothing, have two charts: with the poles on z, and turned so that they are on x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

ONTO_X, BACK_FROM_X = "Rz(pi / 2) * Rx(pi / 2)", "Rx(-pi / 2) * Rz(-pi / 2)"
"""Turns x to y, y to z, z to x, and back: poles on z come to lie on x."""


Triple = tuple[str, str, str]


def _tilted_axes(u: str, v: str) -> tuple[Triple, Triple]:
    """Axes y and z of a frame turned by Rz(u) Ry(-v)."""
    return (f"(-sin({u}))", f"cos({u})", "0"), (f"(-sin({v}) * cos({u}))", f"(-sin({v}) * sin({u}))", f"cos({v})")


def _upright_axes(u: str, v: str) -> tuple[Triple, Triple]:  # noqa: ARG001  (v only moves the frame)
    return (f"(-sin({u}))", f"cos({u})", "0"), ("0", "0", "1")


def _level_axes(u: str, v: str) -> tuple[Triple, Triple]:  # noqa: ARG001  (both only move the frame)
    return ("1", "0", "0"), ("0", "1", "0")


class Surface(NamedTuple):
    """sizes: names of its sizes [m]. units: of u and v. poles: whether it has a second chart.

    The functions take the names of u, v and of the sizes. frame, back: factors of the frame and of its inverse, with
    the poles on z. point: x, y, z. uv_of_point: u and v of the point with given coordinates, poles on z.
    """

    sizes: tuple[str, ...]
    units: tuple[str, str]
    poles: bool
    frame: Callable[..., str]
    back: Callable[..., str]
    point: Callable[..., Triple]
    uv_of_point: Callable[..., tuple[str, str]]
    axes: Callable[[str, str], tuple[Triple, Triple]] = _tilted_axes
    """Axes y and z of the frame, poles on z."""


def normal(u: str, v: str) -> Triple:
    """Outward normal of a surface whose frame is turned by Rz(u) Ry(-v)."""
    return f"cos({v}) * cos({u})", f"cos({v}) * sin({u})", f"sin({v})"


def _scaled(n: Triple, a: str, b: str, c: str) -> Triple:
    return f"{a} * {n[0]}", f"{b} * {n[1]}", f"{c} * {n[2]}"


def _support(u: str, v: str, a: str, b: str, c: str, sign: str) -> str:
    """Translation to where an ellipsoid has the normal n: (a^2 nx, b^2 ny, c^2 nz) / |(a nx, b ny, c nz)|."""
    x, y, z = normal(u, v)
    size = f"sqrt(({a} * {x})**2 + ({b} * {y})**2 + ({c} * {z})**2)"
    return f"T({sign}{a}**2 * {x} / {size}, {sign}{b}**2 * {y} / {size}, {sign}{c}**2 * {z} / {size})"


def polar(x: str, y: str, z: str) -> tuple[str, str]:
    """Angles u and v of a direction, poles on z."""
    return f"atan2({y}, {x})", f"atan2({z}, sqrt(({x})**2 + ({y})**2))"


SURFACES: dict[str, Surface] = {
    "sphere": Surface(
        ("radius",),
        ("rad", "rad"),
        True,
        lambda u, v, r: f"Rz({u}) * Ry(-{v}) * Tx({r})",
        lambda u, v, r: f"Tx(-{r}) * Ry({v}) * Rz(-{u})",
        lambda u, v, r: _scaled(normal(u, v), r, r, r),
        lambda x, y, z, _r: polar(x, y, z),
    ),
    "ellipsoid": Surface(
        ("radius x", "radius y", "radius z"),
        ("rad", "rad"),
        True,
        lambda u, v, a, b, c: f"{_support(u, v, a, b, c, '')} * Rz({u}) * Ry(-{v})",
        lambda u, v, a, b, c: f"Ry({v}) * Rz(-{u}) * {_support(u, v, a, b, c, '-')}",
        lambda u, v, a, b, c: _scaled(normal(u, v), a, b, c),
        lambda x, y, z, a, b, c: polar(f"{x} / {a}", f"{y} / {b}", f"{z} / {c}"),
    ),
    "torus": Surface(
        ("ring radius", "tube radius"),
        ("rad", "rad"),
        False,
        lambda u, v, R, r: f"Rz({u}) * Tx({R}) * Ry(-{v}) * Tx({r})",
        lambda u, v, R, r: f"Tx(-{r}) * Ry({v}) * Tx(-{R}) * Rz(-{u})",
        lambda u, v, R, r: (
            f"({R} + {r} * cos({v})) * cos({u})", f"({R} + {r} * cos({v})) * sin({u})", f"{r} * sin({v})",
        ),
        lambda x, y, z, R, _r: (f"atan2({y}, {x})", f"atan2({z}, sqrt({x}**2 + {y}**2) - {R})"),
    ),
    "cylinder": Surface(
        ("radius",),
        ("rad", "m"),
        False,
        lambda u, v, r: f"Rz({u}) * T({r}, 0, {v})",
        lambda u, v, r: f"T(-{r}, 0, -{v}) * Rz(-{u})",
        lambda u, v, r: (f"{r} * cos({u})", f"{r} * sin({u})", v),
        lambda x, y, z, _r: (f"atan2({y}, {x})", z),
        _upright_axes,
    ),
    "plane": Surface(
        (),
        ("m", "m"),
        False,
        lambda u, v: f"T({u}, {v}, 0) * {BACK_FROM_X}",
        lambda u, v: f"{ONTO_X} * T(-{u}, -{v}, 0)",
        lambda u, v: (u, v, "0"),
        lambda x, y, _z: (x, y),
        _level_axes,
    ),
}  # fmt: skip


class Curve(NamedTuple):
    """sizes: names of its sizes [m]. unit: of its coordinate s. point: x, y, z by s and the sizes."""

    sizes: tuple[str, ...]
    unit: str
    point: Callable[..., Triple]


CURVES: dict[str, Curve] = {
    "line": Curve((), "m", lambda s: ("0", "0", s)),
    "circle": Curve(("radius",), "rad", lambda s, r: (f"{r} * cos({s})", f"{r} * sin({s})", "0")),
    "ellipse": Curve(("radius x", "radius y"), "rad", lambda s, a, b: (f"{a} * cos({s})", f"{b} * sin({s})", "0")),
    "helix": Curve(
        ("radius", "pitch"), "rad", lambda s, r, h: (f"{r} * cos({s})", f"{r} * sin({s})", f"{h} * {s} / (2 * pi)")
    ),
}
