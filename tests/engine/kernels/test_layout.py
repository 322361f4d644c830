# SPDX-License-Identifier: GPL-3.0-or-later
"""The declaration of the memory layout, and the views that follow from it in numpy and in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import four_bar
from redmax.compile import compile as compile_scene
from redmax.kernels import route
from redmax.kernels.layout.arrays import COUNTS, Sections, assembled
from redmax.kernels.layout.declaration import FLOATS, INTS, Body, Head, RowVectors
from redmax.kernels.layout.packing import pack
from redmax.kernels.layout.records import Place, Record, Section, places

needs_numba = pytest.mark.skipif(route.name() != route.NUMBA, reason="kernels need numba")


@pytest.fixture(scope="module")
def packed():
    return pack(compile_scene(four_bar()))


def test_a_field_begins_where_the_one_before_it_ends():
    record = Record("Example", A=3, B=1, C=2)
    assert (record.A, record.B, record.C, record.SIZE) == (0, 3, 4, 6)
    assert record.span("C") == slice(4, 6)


def test_fields_that_share_elements():
    assert (RowVectors.POINT_B, RowVectors.AXIS_A, RowVectors.AXIS_B, RowVectors.RESTITUTION) == (6, 0, 3, 9)


def test_sections_follow_each_other_without_gaps():
    lines = Record("Line", A=3, B=2)
    declared = (
        Section("first", ("MANY", lines)),
        Section("with_world", ("FEW", lines), world_first=True),
        Section("absent", (7,), only_with="NONE"),
        Section("last", ("MANY", "FEW")),
    )
    found = places(declared, {"MANY": 4, "FEW": 2, "NONE": 0})
    assert found == {
        "first": Place(0, 20, (4, 5), 0),
        "with_world": Place(25, 35, (2, 5), 5),
        "absent": Place(35, 35, (0,), 0),
        "last": Place(35, 43, (4, 2), 0),
    }


def test_every_element_of_a_packed_model_belongs_to_one_section(packed):
    for sections, array in ((INTS, packed.ints), (FLOATS, packed.floats)):
        counts = {name: int(packed.ints[getattr(Head, name)]) for name in Head.fields}
        owners = np.zeros(len(array), np.int64)
        for place in places(sections, counts).values():
            owners[place.start - place.before : place.end] += 1
        assert (owners == 1).all()


def test_views_share_memory(packed):
    ints, floats = packed.ints.copy(), packed.floats.copy()
    Sections(ints, floats).bodies[1, Body.MASS] = 7.0
    assert Sections(ints, floats).bodies[1, Body.MASS] == 7.0


def test_a_section_of_the_wrong_size_is_named(packed):
    counts = {name: int(packed.ints[getattr(Head, name)]) for name in COUNTS}
    with pytest.raises(ValueError, match=r"section 'bodies' has 144 elements, not 1$"):
        assembled(counts, {"bodies": np.zeros(1)})
    with pytest.raises(KeyError, match="missing or unknown: WHEELS"):
        assembled({**counts, "WHEELS": 4}, {})


@needs_numba
def test_compiled_views_are_where_those_of_numpy_are(packed):
    """Every section as a row, and those that are arrays too."""
    from redmax.kernels.cache.jit import compiled
    from redmax.kernels.layout import memory, views

    rows = "".join(f"memory.address_of(rows.{name}, 0), " for name in views.ROWS.kinds)
    arrays = "".join(f"arrays.{name}.ctypes.data, " for name in views.ARRAYS.kinds)
    source = (
        "def addresses(ints, floats):\n"
        "    head, numbers = views.packed_rows(ints, floats)\n"
        "    rows = views.rows_of(head, numbers)\n"
        "    arrays = views.arrays_of(head, rows)\n"
        f"    return ({rows}), ({arrays})\n"
    )
    names = {"memory": memory, "views": views, "__name__": __name__}
    exec(source, names)
    ints, floats = packed.ints.copy(), packed.floats.copy()
    of_rows, of_arrays = compiled(names["addresses"])(ints, floats)
    of_rows = dict(zip(views.ROWS.kinds, of_rows, strict=True))
    of_arrays = dict(zip(views.ARRAYS.kinds, of_arrays, strict=True))
    for name in views.ROWS.kinds:
        array = getattr(Sections(ints, floats), name)
        if array.size:  # numpy does not say where an empty array is
            assert of_rows[name] == array.ctypes.data
            assert of_arrays.get(name, array.ctypes.data) == array.ctypes.data
