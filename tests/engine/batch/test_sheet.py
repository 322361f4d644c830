# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact sheet: well-formed whatever names are, in the order asked for, and with pictures where there are any."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from engine.batch.test_run_batch import SETTINGS, TEXT, chain_scene, run
from redmax import io
from redmax.__main__ import main
from redmax.batch import ResultFolder, ThisProcess, cards_of, dumps_csv, loads_csv, loads_json, run_batch
from redmax.batch.sheet import Card, SheetError, contact_sheet, in_order

SVG = "{http://www.w3.org/2000/svg}"


def texts(document: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(document).iter(f"{SVG}text")]


def test_every_variation_has_a_card_with_its_values_and_numbers(tmp_path):
    batch = run(tmp_path)
    variations = loads_csv(TEXT)
    cards = cards_of(variations, batch.keys, batch.records)
    path = ResultFolder(tmp_path).write_sheet(chain_scene(3), cards)
    said = texts(path.read_text(encoding="utf-8"))
    for row in variations.rows:
        assert row.name in said
        assert f"{row.values[0]:.3g}" in said
    drift = batch.records[batch.keys[0]]["energy_drift"]
    assert f"drift {drift:.3g}" in said


def test_order_is_that_of_a_column_and_what_has_no_number_comes_last():
    cards = [Card("a", {}, {"gap": 2.0}), Card("b", {}, {"gap": None}), Card("c", {}, {"gap": 1.0})]
    assert [card.name for card in in_order(cards, "gap")] == ["c", "a", "b"]
    assert [card.name for card in in_order(cards, "gap", descending=True)] == ["a", "c", "b"]
    with pytest.raises(SheetError, match="no column 'gop'; did you mean 'gap'"):
        in_order(cards, "gop")


def test_hostile_names_stay_text():
    name = "<script>alert(1)</script>&\x00"
    document = contact_sheet(name, [Card(name, {name: name}, {"status": name, "message": name})], chain_scene(2))
    root = ElementTree.fromstring(document)
    assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_bodies_are_drawn_where_they_end():
    """Two links side by side along x are two circles side by side; ends that are not known are not drawn."""
    ends = {"end.Link 0.x": 0.0, "end.Link 0.z": 1.0, "end.Link 0.y": 0.0}
    other = {"end.Link 1.x": 2.0, "end.Link 1.z": 1.0, "end.Link 1.y": 0.0}
    document = contact_sheet("two", [Card("a", {}, {**ends, **other}), Card("b", {}, ends)], chain_scene(2))
    groups = list(ElementTree.fromstring(document).iter(f"{SVG}g"))
    circles = [[node for node in group.iter(f"{SVG}circle") if node.get("r") == "4"] for group in groups]
    assert [len(found) for found in circles] == [2, 1]
    x = [float(node.get("cx")) for node in circles[0]]
    assert x[0] < x[1]
    assert np.isclose(float(circles[1][0].get("cx")), x[0])
    assert [len(list(group.iter(f"{SVG}line"))) for group in groups] == [1, 0]


def test_the_command_writes_it_sorted(tmp_path, capsys):
    io.save(chain_scene(3), tmp_path / "scene.json")
    (tmp_path / "table.csv").write_text(TEXT, encoding="utf-8")
    given = ["batch", str(tmp_path / "scene.json"), str(tmp_path / "table.csv"), "--out", str(tmp_path / "out")]
    more = ["--duration", str(SETTINGS.duration), "--jobs", "1", "--sort", "joints.j0.damping", "--descending"]
    assert main([*given, *more]) == 0, capsys.readouterr()
    said = texts((tmp_path / "out" / "sheet.svg").read_text(encoding="utf-8"))
    assert said.index("v5") < said.index("v0")


def test_a_part_of_the_rows_and_then_the_rest_gives_the_same_table(tmp_path):
    table = loads_csv(TEXT)
    for rows in ((1, 2), (3, 5), (6, 9), None):
        folder = ResultFolder(tmp_path / "parts")
        batch = run_batch(chain_scene(3), table, folder, settings=SETTINGS, scheduler=ThisProcess(), rows=rows)
    run(tmp_path / "whole")
    assert batch.skipped == len(table.rows)
    assert (tmp_path / "parts" / "table.csv").read_bytes() == (tmp_path / "whole" / "table.csv").read_bytes()


def test_a_table_written_as_csv_is_read_back():
    fields = '"seed": 3, "count": 4, "columns": [{"path": "joints.a.q", "uniform": {"from": 0, "to": 1}}]'
    drawn = loads_json(f'{{"format": "redmax-variations", "version": 1, {fields}}}')
    assert loads_csv(dumps_csv(drawn), drawn.source) == drawn
    table = loads_csv(TEXT)
    assert loads_csv(dumps_csv(table)) == table
