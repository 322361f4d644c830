# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of variations: what they say, and what is said of those that cannot be used."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.batch.test_property_paths import pendulum
from redmax.batch import TableError, load, loads_csv, loads_json


def table(**fields):
    return json.dumps({"format": "redmax-variations", "version": 1, **fields})


def test_a_table_of_cells():
    text = "name,joints.Ball.damping,gravity[2] (times),joints.Pin.motion_type\nsoft,1,0.5,locked\n,2.5,,\n"
    found = loads_csv(text)
    assert [(column.path, column.change) for column in found.columns] == [
        ("joints.Ball.damping", "set"),
        ("gravity[2]", "times"),
        ("joints.Pin.motion_type", "set"),
    ]
    assert [(row.name, row.values) for row in found.rows] == [("soft", (1, 0.5, "locked")), ("2", (2.5, None, None))]
    found.require_fit(pendulum())
    first, second = (found.scene(pendulum(), row) for row in found.rows)
    assert (first.joints[0].damping, first.gravity[2], first.joints[2].motion_type) == (1, -9.81 * 0.5, "locked")
    assert (second.joints[0].damping, second.gravity, second.joints[2]) == (
        2.5,
        pendulum().gravity,
        pendulum().joints[2],
    )


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_and_byte_order_marks(tmp_path, delimiter):
    path = tmp_path / "table.csv"
    path.write_text(delimiter.join(["gravity[0]", "gravity[1]"]) + "\r\n" + delimiter.join("12"), encoding="utf-8-sig")
    assert load(path).rows[0].values == (1, 2)


def test_columns_are_combined_by_rows_or_as_a_grid():
    columns = [
        {"path": "gravity[0]", "values": [1, 2, 3]},
        {"path": "gravity[1]", "range": {"from": 0, "to": 1, "count": 3}},
    ]
    assert [row.values for row in loads_json(table(columns=columns)).rows] == [(1, 0.0), (2, 0.5), (3, 1.0)]
    grid = loads_json(table(columns=columns, combine="grid"))
    assert len(grid.rows) == 9
    assert grid.rows[5].values == (2, 1.0)


def test_draws_follow_from_the_seed_and_from_nothing_else():
    column = {"path": "gravity[0]", "uniform": {"from": 2, "to": 3}}
    other = {"path": "gravity[1]", "normal": {"mean": 5, "deviation": 0.1}}
    third = {"path": "gravity[2]", "log_uniform": {"from": 1e-3, "to": 1e3}}
    text = table(columns=[column, other, third], count=500, seed=4)
    first = np.array([row.values for row in loads_json(text).rows])
    assert (first == np.array([row.values for row in loads_json(text).rows])).all()
    alone = [row.values[0] for row in loads_json(table(columns=[column], count=500, seed=4)).rows]
    assert alone == first[:, 0].tolist()  # a further column changes no other
    another = [row.values[0] for row in loads_json(table(columns=[column], count=500, seed=5)).rows]
    assert alone != another
    assert ((first[:, 0] >= 2) & (first[:, 0] < 3)).all()
    # Means of 500 draws lie within four of their standard errors.
    assert abs(first[:, 0].mean() - 2.5) < 4 * 0.29 / 500**0.5
    assert abs(first[:, 1].mean() - 5.0) < 4 * 0.1 / 500**0.5
    assert abs(np.log10(first[:, 2]).mean()) < 4 * 1.74 / 500**0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gravity[2]\n", "it has no rows below its headings"),
        ("gravity[2],\n1,2\n", "column 2: it has no heading"),
        ("gravity[2]\n1,2\n", "row 1: it has 2 cells, the first row has 1"),
        ("gravity[2]\nnan\n", r"row 1, column 1 (gravity[2]): nan is no finite number"),
        ("gravity[2],gravity[2]\n1,2\n", "columns 1 and 2 both change 'gravity[2]'"),
        ("name\nA\n", "it has no column of values"),
        ('gravity[2]\n"1\n', "it is no CSV table"),
    ],
)
def test_tables_that_cannot_be_used_say_where(text, said):
    with pytest.raises(TableError) as caught:
        loads_csv(text, "cases.csv")
    assert str(caught.value).startswith("cases.csv: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "it has no columns"),
        ({"columns": [{"path": "gravity[0]"}]}, "column 1: it has no values"),
        ({"columns": [{"values": [1]}]}, "column 1: it has no path"),
        ({"columns": [{"path": "a", "values": [1], "chnge": "times"}]}, "column 1: it has an unknown field 'chnge'"),
        ({"columns": [{"path": "a", "values": [1], "change": "eval"}]}, "column 1: change is 'eval'"),
        ({"columns": [{"path": "a", "uniform": {"from": 0, "to": 1}}]}, 'random values need "count"'),
        ({"columns": [{"path": "a", "uniform": {"from": 0}}], "count": 3}, "uniform wants from, to"),
        ({"columns": [{"path": "a", "normal": {"mean": 0, "deviation": -1}}], "count": 3}, "deviation is -1"),
        ({"columns": [{"path": "a", "log_uniform": {"from": 0, "to": 1}}], "count": 3}, "numbers above 0"),
        ({"columns": [{"path": "a", "range": {"from": 0, "to": 1, "count": 2.5}}]}, "count is 2.5"),
        ({"columns": [{"path": "a", "values": [1]}], "count": 10**9}, "count is 1000000000"),
        ({"columns": [{"path": "a", "values": [1]}, {"path": "b", "values": [1, 2]}]}, "columns have 1, 2 values"),
        ({"columns": [{"path": c, "values": [1] * 200} for c in "abc"], "combine": "grid"}, "8000000 variations"),
        ({"columns": [{"path": "a", "values": [1]}], "combine": "zip"}, "combine is 'zip'"),
        ({"columns": [{"path": "a", "values": [1]}], "sed": 1}, "unknown field 'sed'; did you mean 'seed'?"),
        ({"columns": [{"path": "a", "values": [1]}], "names": ["a", "b"]}, "names are not 1 texts"),
    ],
)
def test_json_tables_that_cannot_be_used_say_where(fields, said):
    with pytest.raises(TableError, match="problem") as caught:
        loads_json(table(**fields))
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": "redmax-scene", "version": 1}', "[" * 100_000])
def test_what_is_no_table(text):
    with pytest.raises(TableError):
        loads_json(text)


def test_values_that_do_not_fit_are_named_by_row_and_column():
    text = "joints.Ball.damping,bodies.Arm.inertia.mass,joints.Pin.motion_type\n1,1,simulated\n-2,heavy,sideways\n"
    with pytest.raises(TableError) as caught:
        loads_csv(text, "cases.csv").require_fit(pendulum())
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "row 2, column 1 (joints.Ball.damping)",
        "row 2, column 2 (bodies.Arm.inertia.mass)",
        "row 2, column 3 (joints.Pin.motion_type)",
    ]
    with pytest.raises(
        TableError, match=r"column 1: 'joints.Bal.damping': there is no such joint; did you mean 'Ball'"
    ):
        loads_csv("joints.Bal.damping\n1\n").require_fit(pendulum())


HOSTILE = ["=cmd|' /C calc'!A0", "__import__('os').system('true')", "${HOME}", "../../etc/passwd", "{{7*7}}", "1e999"]


@pytest.mark.parametrize("cell", HOSTILE)
def test_hostile_cells_are_text_or_refused(cell):
    quoted = cell.replace('"', '""')
    text = f'name,joints.Ball.damping\n"{quoted}","{quoted}"\n'
    with pytest.raises(TableError, match="row 1, column 1"):
        loads_csv(text).require_fit(pendulum())
