# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared fields and registries: the one place where a kind is described."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import redmax.constraints
import redmax.forces
import redmax.integrators
import redmax.joints
from redmax.fields import (
    Element,
    array,
    expected,
    field_problems,
    flag,
    integer,
    number,
    per_dof,
    per_dof_values,
    specs,
)  # fmt: skip
from redmax.geometry.solids import SHAPES
from redmax.io import REGISTRIES
from redmax.registry import Registry
from redmax.scene import Body, Inertia, Scene


@dataclass(frozen=True, kw_only=True)
class Sample(Element):
    kind: ClassVar[str] = "sample"
    size: object = number(1.0, doc="Size", unit="m", positive=True)
    count: object = integer(1, doc="Count", minimum=0)
    on: object = flag(True, doc="On")
    points: object = array(((0.0, 0.0),), doc="Points", shape=(None, 2), unit="m")
    gains: object = per_dof(doc="Gains", minimum=0.0)


def said(ndof=2, **values):
    return [f"{fault.sentence}; {fault.hint}" for fault in field_problems(Sample(**values), ndof)]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"size": 2},
        {"size": np.float32(2)},
        {"count": np.int32(3)},
        {"on": np.bool_(False)},
        {"points": np.ones((5, 2))},
        {"points": [[1, 2], [3, 4]]},
        {"gains": 3},
        {"gains": np.array(3.0)},
        {"gains": (1.0, 2.0)},
    ],
    ids=str,
)
def test_values_of_the_declared_form_pass(values):
    assert said(**values) == []


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"size": True}, "size is True, not a number; give a finite number above 0 in m"),
        ({"size": None}, "size is missing"),
        ({"size": np.complex128(1j)}, "size is 1j, not a number"),
        ({"size": 1e31}, "size is 1e+31"),
        ({"size": 1e-31}, "size is 1e-31"),
        ({"count": 1.5}, "count is 1.5, not a whole number; give a whole number of at least 0"),
        ({"count": -1}, "count is -1"),
        ({"on": 1}, "on is 1; give true or false"),
        ({"points": [1, 2]}, "points has shape 2; give n x 2 finite numbers in m"),
        ({"points": np.array(["a"])}, "not a list of numbers"),
        ({"points": ()}, "points is empty"),
        ({"gains": (1.0,)}, "gains has shape 1; give 2 finite numbers of at least 0"),
        ({"gains": (1.0, -1.0)}, "gains has a number below 0"),
        ({"gains": -1}, "gains is -1"),
    ],
    ids=str,
)
def test_other_values_are_named_with_what_would_be_right(values, what):
    (found,) = said(**values)
    assert what in found


def test_a_single_number_serves_every_degree_of_freedom():
    np.testing.assert_array_equal(per_dof_values(2.0, 3), [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(per_dof_values((1.0, 2.0), 2), [1.0, 2.0])
    assert per_dof_values(2.0, 0) == []


def test_none_stands_for_no_value_of_a_coordinate():
    assert per_dof_values((None, 2.0), 2, missing=-1.0) == [-1.0, 2.0]
    assert per_dof_values(None, 2, missing=-1.0) == [-1.0, -1.0]


def test_numbers_and_kinds_are_never_reused():
    registry = Registry("sample")
    registry.add(1, Sample)
    with pytest.raises(ValueError, match="registered already"):
        registry.add(2, Sample)
    twin = dataclass(frozen=True, kw_only=True)(type("Twin", (Sample,), {"kind": "twin"}))
    with pytest.raises(ValueError, match="number 1 is taken"):
        registry.add(1, twin)
    registry.add(2, twin)
    assert registry.kinds == ("sample", "twin")
    assert registry.number("twin") == 2
    assert registry.hint("twn") == "did you mean 'twin'?"
    registry.remove("twin")
    assert "twin" not in registry


EVERY_CLASS = [Scene, Body, Inertia, *(cls for registry in REGISTRIES.values() for cls in registry)]


@pytest.mark.parametrize("cls", EVERY_CLASS, ids=lambda cls: cls.__name__)
def test_every_field_has_a_sentence_and_says_what_it_wants(cls):
    assert specs(cls)
    for name, spec in specs(cls).items():
        assert spec.doc, name
        assert not spec.doc.endswith("."), f"{name}: tooltips end without a period"
        assert expected(spec, 1)


@pytest.mark.parametrize(
    ("package", "registry"),
    [
        (redmax.joints, redmax.joints.JOINTS),
        (redmax.forces, redmax.forces.FORCES),
        (redmax.constraints, redmax.constraints.CONSTRAINTS),
    ],
)
def test_every_file_of_a_kind_is_registered(package, registry):
    """A kind lives in the file of its name; other files hold what several kinds share."""
    files = {path.stem: path.read_text() for path in Path(package.__file__).parent.glob("*.py")}
    declared = {stem for stem, text in files.items() if re.search(r"^    kind: ClassVar\[str\] = ", text, re.M)}
    assert declared == set(registry.kinds)


@pytest.mark.parametrize("package", [redmax.joints, redmax.forces, redmax.constraints, redmax.integrators])
def test_packages_export_the_class_of_every_kind(package):
    (registry,) = (value for value in vars(package).values() if isinstance(value, Registry))
    for cls in registry:
        assert getattr(package, cls.__name__) is cls
        assert cls.__name__ in package.__all__


def test_shape_kinds_are_the_documented_ones():
    assert SHAPES.kinds == ("box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "mesh")
