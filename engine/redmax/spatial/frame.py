# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame as one value: position and rotation, with the operators of the T(T, >) algebra.

`Frame` is chi_{a,(b)} without rates: where frame a (its origin) stands in frame b (its base, "the parent").
`MovingFrame` (moving_frame.py) adds velocity and acceleration and inherits every operator from here.

==========  =======================  =================================================================
operator    equals                   meaning
==========  =======================  =================================================================
a >> b      b * a                    chain, left to right: chi_a,(m) >> chi_m,(b) = chi_a,(b)
b * a       a >> b                   chain, right to left: chi_m,(b) * chi_a,(m) = chi_a,(b)
~a          a.inverse()              the parent seen from the frame (C++ `!a`)
a << b      a >> ~b                  remove b from the root end: chi_a,(m) << chi_b,(m) = chi_a,(b)
a % b       ~a * b, also b << a      b seen from a: chi_a,(m) % chi_b,(m) = chi_b,(a)
v >> a      a * v                    point from the frame's coordinates to the parent's
v << a      a % v                    point from the parent's coordinates to the frame's
==========  =======================  =================================================================

`<<` and `%` never build the inverse. Python, like C++, evaluates operators of equal precedence from left to right,
and `*`, `%` bind tighter than `>>`, `<<`: put parentheses where both kinds meet. `<<` is not associative.

Frames are immutable values. `a >>= b` (and `*=`, `<<=`, `%=`) rebinds the name `a` to the result of `a >> b`. That is
what the C++ in-place forms do to a variable that holds a frame by value, without the surprise that a second Python
name for the same frame would change too; and the cached rotation matrix can never be stale.

Source: CHRONO16 (Tasora, Kinematics of moving frames in Chrono::Engine) Tables 1 and 2, eqs. 1-6, 19, 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np

from ..arrays import Array, ArrayLike, frozen
from . import quaternion
from .frame_checks import (
    FrameError,
    Name,
    checked_name,
    checked_numbers,
    checked_unit,
    checked_vectors,
    position_and_rotation,
    read_only,
)
from .frame_names import FrameNames, Operator, chained_names
from .moving_point import MovingPoint

if TYPE_CHECKING:
    from .moving_frame import MovingFrame

SERIAL_VERSION = 1

IDENTITY_ROTATION = (1.0, 0.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)


class Frame:
    """Position and rotation of a frame in its parent; an immutable value.

    r: position of the frame's origin in the parent, shape (3,) [m, parent axes].
    q: rotation, unit quaternion (w, x, y, z), shape (4,); it turns the frame's coordinates into the parent's.
    origin, base: optional names of the frame and of its parent; named frames only chain where the names link up.

    The numbers are kept exactly as given. Source: CHRONO16 section 4 (ChFrame).
    """

    # numpy must not take `array >> frame` apart element by element; it hands the operator to this class instead.
    __array_ufunc__: ClassVar[None] = None
    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equality is by value, of floats

    _FIELDS: ClassVar[Mapping[str, int]] = {"r": 3, "q": 4}

    r: Array
    q: Array
    origin: Name | None
    base: Name | None

    def __init__(
        self,
        r: ArrayLike = ZERO,
        q: ArrayLike = IDENTITY_ROTATION,
        *,
        origin: Name | None = None,
        base: Name | None = None,
    ) -> None:
        self._set(origin=origin, base=base, r=r, q=q)

    # --- building --------------------------------------------------------------------------------------------------

    @classmethod
    def from_pose(cls, E: ArrayLike, *, origin: Name | None = None, base: Name | None = None) -> Self:
        """The frame (at rest) whose 4x4 pose in its parent is E.

        E: rigid motion [[A, r], [0, 1]], shape (4, 4) [m]; up to 1e-5 of scale or shear is rounding and is dropped.
        """
        r, q = position_and_rotation(E, owner=cls.__name__)
        return cls(r, q, origin=origin, base=base)

    @classmethod
    def promote(cls, frame: Frame) -> Self:
        """`frame` as this class. A frame without rates is a moving frame at rest."""
        if isinstance(frame, cls):
            return frame
        return cls._computed(frame.names, r=frame.r, q=frame.q)

    def replace(self, *, r: ArrayLike | None = None, q: ArrayLike | None = None) -> Self:
        """The same frame with another position and/or rotation; names are kept."""
        return type(self)(self.r if r is None else r, self.q if q is None else q, origin=self.origin, base=self.base)

    def named(self, *, origin: Name | None, base: Name | None) -> Self:
        """The same frame under other names; None takes a name away, and with it the check."""
        names = self._checked_names(origin, base)
        return self._computed(names, **{field: getattr(self, field) for field in self._FIELDS})

    def normalized(self) -> Self:
        """The nearest frame that meets the unit constraint to rounding.

        For chains of millions of in-place products, whose quaternion drifts off the unit sphere.
        """
        return self._computed(self.names, r=self.r, q=quaternion.normalize(self.q))

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> FrameNames:
        """The two subscripts of chi_{origin,(base)}."""
        return FrameNames(self.origin, self.base)

    @cached_property
    def A(self) -> Array:
        """Rotation matrix from the frame's coordinates to the parent's, shape (3, 3). Source: CHRONO16 eq. 5."""
        return read_only(quaternion.to_matrix(self.q))

    @property
    def E(self) -> Array:
        """Pose of the frame in its parent, [[A, r], [0, 1]], shape (4, 4) [m]."""
        E = np.eye(4)
        E[:3, :3] = self.A
        E[:3, 3] = self.r
        return E

    def __eq__(self, other: object) -> bool:
        """Same class, same names and the same numbers. q and -q are the same rotation but not equal frames."""
        if type(other) is not type(self):
            return NotImplemented
        return self.names == other.names and all(
            np.array_equal(getattr(self, field), getattr(other, field)) for field in self._FIELDS
        )

    def __repr__(self) -> str:
        numbers = ", ".join(f"{field}={getattr(self, field).tolist()}" for field in self._FIELDS)
        names = "".join(f", {side}={name!r}" for side, name in self.names._asdict().items() if name is not None)
        return f"{type(self).__name__}({numbers}{names})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name}: a {type(self).__name__} is a value and cannot change; use replace() or named()")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is a value and cannot lose its {name}")

    # --- transforming ----------------------------------------------------------------------------------------------

    @overload
    def transform(self, x: MovingFrame) -> MovingFrame: ...
    @overload
    def transform(self, x: Frame) -> Self: ...
    @overload
    def transform(self, x: MovingPoint) -> MovingPoint: ...
    @overload
    def transform(self, x: ArrayLike) -> Array: ...
    def transform(self, x: Frame | MovingPoint | ArrayLike) -> Any:
        """x, given in this frame, written in the parent: `self * x`, `x >> self`.

        x: a frame, a moving point, or points of shape (..., 3) [m]; the result is of the same kind.
        Source: CHRONO16 eqs. 4-6 ("Transform" of Table 1).
        """
        if isinstance(x, Frame):
            return self._chained("*", self, x)
        if isinstance(x, MovingPoint):
            return self._point_to_parent(x)
        return self.r + rows(self.A, checked_vectors(x, what="vectors to transform"))

    @overload
    def inverse_transform(self, x: MovingFrame) -> MovingFrame: ...
    @overload
    def inverse_transform(self, x: Frame) -> Self: ...
    @overload
    def inverse_transform(self, x: MovingPoint) -> MovingPoint: ...
    @overload
    def inverse_transform(self, x: ArrayLike) -> Array: ...
    def inverse_transform(self, x: Frame | MovingPoint | ArrayLike) -> Any:
        """x, given in the parent, written in this frame: `self % x`, `x << self`.

        x: a frame, a moving point, or points of shape (..., 3) [m]; the result is of the same kind.
        The inverse frame is not built. Source: CHRONO16 eqs. 4-6 solved for the child ("InvTransf" of Table 1).
        """
        if isinstance(x, Frame):
            return self._chained("%", self, x)
        if isinstance(x, MovingPoint):
            return self._point_to_local(x)
        return rows(self.A.T, checked_vectors(x, what="vectors to transform") - self.r)

    def direction_to_parent(self, v: ArrayLike) -> Array:
        """Free vectors (directions, forces, ...) turned from the frame's axes to the parent's, shape (..., 3)."""
        return rows(self.A, checked_vectors(v, what="vectors to transform"))

    def direction_to_local(self, v: ArrayLike) -> Array:
        """Free vectors turned from the parent's axes to the frame's, shape (..., 3)."""
        return rows(self.A.T, checked_vectors(v, what="vectors to transform"))

    def inverse(self) -> Self:
        """The parent seen from this frame; names are swapped. Source: CHRONO16 eqs. 19, 20."""
        # For a unit quaternion the inverse is the conjugate.
        return self._computed(self.names.swapped(), r=-rows(self.A.T, self.r), q=quaternion.conjugate(self.q))

    # --- operators -------------------------------------------------------------------------------------------------

    def __invert__(self) -> Self:
        """~a, Python's stand-in for the C++ `!a`."""
        return self.inverse()

    @overload
    def __rshift__(self, other: MovingFrame) -> MovingFrame: ...
    @overload
    def __rshift__(self, other: Frame) -> Self: ...
    def __rshift__(self, other: Any) -> Any:
        """a >> b: chain, left to right."""
        if isinstance(other, Frame):
            return self._chained(">>", self, other)
        return _refuse_vector(other, "frame >> vector", "vector >> frame")

    @overload
    def __lshift__(self, other: MovingFrame) -> MovingFrame: ...
    @overload
    def __lshift__(self, other: Frame) -> Self: ...
    def __lshift__(self, other: Any) -> Any:
        """a << b = a >> inverse(b)."""
        if isinstance(other, Frame):
            return self._chained("<<", self, other)
        return _refuse_vector(other, "frame << vector", "vector << frame")

    @overload
    def __mul__(self, other: MovingFrame) -> MovingFrame: ...
    @overload
    def __mul__(self, other: Frame) -> Self: ...
    @overload
    def __mul__(self, other: MovingPoint) -> MovingPoint: ...
    @overload
    def __mul__(self, other: ArrayLike) -> Array: ...
    def __mul__(self, other: Any) -> Any:
        """b * a: chain, right to left; or frame * points."""
        return self.transform(other) if _is_operand(other) else NotImplemented

    @overload
    def __mod__(self, other: MovingFrame) -> MovingFrame: ...
    @overload
    def __mod__(self, other: Frame) -> Self: ...
    @overload
    def __mod__(self, other: MovingPoint) -> MovingPoint: ...
    @overload
    def __mod__(self, other: ArrayLike) -> Array: ...
    def __mod__(self, other: Any) -> Any:
        """a % b = inverse(a) * b; or frame % points."""
        return self.inverse_transform(other) if _is_operand(other) else NotImplemented

    # The reflected forms only ever see points: two frames meet in the methods above.

    def __rrshift__(self, other: Any) -> Any:
        """points >> frame."""
        return self.transform(other) if _is_operand(other) else NotImplemented

    def __rlshift__(self, other: Any) -> Any:
        """points << frame."""
        return self.inverse_transform(other) if _is_operand(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return _refuse_vector(other, "vector * frame", "frame * vector")

    def __rmod__(self, other: Any) -> Any:
        return _refuse_vector(other, "vector % frame", "frame % vector")

    # In-place forms rebind the name (see the module docstring): Python turns `a >>= b` into `a = a >> b` by itself, and
    # `a <<= b` likewise, so the names follow the rows of `>>` and `<<` (Table 2 with its erratum, frame_names.py).
    # `*=` and `%=` are written out to refuse `frame *= points`, which would turn the frame into an array.

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]  # narrower than `*` on purpose
        """a *= b: a becomes a * b, the chain that starts at b's origin. Checks a.origin == b.base."""
        if isinstance(other, Frame):
            return self * other
        return _refuse_vector(other, "frame *= vector", "vector = frame * vector")

    def __imod__(self, other: Any) -> Any:  # type: ignore[misc]  # narrower than `%` on purpose
        """a %= b: a becomes a % b, b seen from a. Checks a.base == b.base."""
        if isinstance(other, Frame):
            return self % other
        return _refuse_vector(other, "frame %= vector", "vector = frame % vector")

    # --- the formulas of this class; MovingFrame has its own -------------------------------------------------------

    def _child_to_parent(self, child: Self) -> Mapping[str, Array]:
        """Fields of chi_a,(c) from self = chi_b,(c) and child = chi_a,(b). Source: CHRONO16 eqs. 5, 6."""
        return {"r": self.r + rows(self.A, child.r), "q": quaternion.multiply(self.q, child.q)}

    def _child_from_parent(self, whole: Self) -> Mapping[str, Array]:
        """Fields of chi_a,(b) from self = chi_b,(c) and whole = chi_a,(c): eqs. 5, 6 solved for the child."""
        return {
            "r": rows(self.A.T, whole.r - self.r),
            "q": quaternion.multiply(quaternion.conjugate(self.q), whole.q),
        }

    def _point_to_parent(self, p: MovingPoint) -> MovingPoint:
        return MovingPoint(self.r + rows(self.A, p.r), rows(self.A, p.rdot), rows(self.A, p.rddot))

    def _point_to_local(self, p: MovingPoint) -> MovingPoint:
        return MovingPoint(rows(self.A.T, p.r - self.r), rows(self.A.T, p.rdot), rows(self.A.T, p.rddot))

    @staticmethod
    def _chained(operator: Operator, left: Frame, right: Frame) -> Any:
        """`left operator right` in the richer of the two classes, with the names checked and passed on."""
        names = chained_names(operator, left.names, right.names)
        cls = type(right) if isinstance(right, type(left)) else type(left)
        # Of the two operands one is the frame that transforms, the other is what it is applied to.
        frame, x = (left, right) if operator in ("*", "%") else (right, left)
        frame, x = cls.promote(frame), cls.promote(x)
        fields = frame._child_to_parent(x) if operator in ("*", ">>") else frame._child_from_parent(x)
        return cls._computed(names, **fields)

    # --- storage ---------------------------------------------------------------------------------------------------

    def _set(self, *, origin: object, base: object, **fields: Any) -> None:
        """Check and store what a person gave."""
        owner = type(self).__name__
        names = self._checked_names(origin, base)
        numbers = {
            field: checked_numbers(fields[field], length, field=field, owner=owner)
            for field, length in self._FIELDS.items()
        }
        self._check_constraints(numbers)
        self.__dict__.update(numbers, origin=names.origin, base=names.base)

    @classmethod
    def _checked_names(cls, origin: object, base: object) -> FrameNames:
        return FrameNames(
            checked_name(origin, field="origin", owner=cls.__name__),
            checked_name(base, field="base", owner=cls.__name__),
        )

    @classmethod
    def _check_constraints(cls, numbers: Mapping[str, Array]) -> None:
        """The quaternion must be of unit length."""
        checked_unit(numbers["q"], owner=cls.__name__)

    @classmethod
    def _computed(cls, names: FrameNames, **fields: Array) -> Self:
        """A frame made of results of formulas; fields that are left out are zero. Nothing is checked again."""
        frame = cls.__new__(cls)
        frame.__dict__.update(
            {f: read_only(fields[f]) if f in fields else frozen(np.zeros(n)) for f, n in cls._FIELDS.items()},
            origin=names.origin,
            base=names.base,
        )
        return frame

    # --- serialisation ---------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: type, version, the numbers, and the names that are known. Exact: no digit is lost."""
        data: dict[str, Any] = {"type": type(self).__name__, "version": SERIAL_VERSION}
        data.update({field: getattr(self, field).tolist() for field in self._FIELDS})
        data.update({side: name for side, name in self.names._asdict().items() if name is not None})
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The frame that `to_dict` wrote. Raises FrameError that names the field and says what would be right."""
        owner = cls.__name__
        if not isinstance(data, Mapping):
            raise FrameError(f"{owner}: {type(data).__name__} is not a mapping; give what to_dict() returned")
        for field, expected in (("type", owner), ("version", SERIAL_VERSION)):
            if field not in data:
                raise FrameError(f"{owner} field '{field}': missing; it must be {expected!r}")
            if type(data[field]) is not type(expected) or data[field] != expected:
                raise FrameError(
                    f"{owner} field '{field}': {data[field]!r} cannot be read here; it must be {expected!r}"
                )
        known = ["type", "version", *cls._FIELDS, "origin", "base"]
        for field in data:
            if field not in known:
                raise FrameError(f"{owner} field {field!r}: unknown; the fields are {', '.join(known)}")
        for field, length in cls._FIELDS.items():
            if field not in data:
                raise FrameError(f"{owner} field '{field}': missing; give {length} numbers")
        frame = cls.__new__(cls)
        frame._set(**{field: data.get(field) for field in known[2:]})
        return frame

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles go through the exact serial form, so they are checked and read-only as well."""
        return type(self).from_dict, (self.to_dict(),)


def rows(A: Array, v: Array) -> Array:
    """A applied to every vector of v, shape (..., 3)."""
    return v @ A.T


def _is_operand(x: object) -> bool:
    return isinstance(x, Frame | MovingPoint | np.ndarray | list | tuple)


def _refuse_vector(other: object, written: str, meant: str) -> Any:
    """Say how it is written when a vector stands on the wrong side; leave every other type to Python."""
    if isinstance(other, np.ndarray | list | tuple | MovingPoint):
        raise TypeError(f"{written} has no meaning; write {meant}")
    return NotImplemented
