# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface pairs in Blender: two surfaces with a friction of their own, found on the panel of both."""

from __future__ import annotations

import bpy
import by_hand
import pytest
from railed import select
from touching import crate, ground

from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.ui import surface as panel


def two_crates():
    below = ground()
    return crate("Crate", (0.0, 0.0, 0.5)), crate("Other", (3.0, 0.0, 0.5)), below


def paired(first, second, **options):
    select(first, second)
    assert bpy.ops.redmax.add_surface_pair(**options) == {"FINISHED"}
    return bpy.context.object


def pairs():
    return by_hand.extract().scene.surface_pairs


def test_a_pair_is_that_of_the_engine_and_stands_on_both_panels():
    one, other, below = two_crates()
    made = paired(one, below, friction=0.1, bounce=0.3)
    (found,) = pairs()
    assert {found.first, found.second} == {"Crate", "Ground"}
    assert found.friction == pytest.approx(0.1)
    assert found.bounce == pytest.approx(0.3)
    assert found.kinetic_friction is found.rolling_friction is None
    assert not found.whole_groups
    scene = bpy.context.scene
    assert panel.pairs_of(scene, one) == panel.pairs_of(scene, below) == [made]
    assert not panel.pairs_of(scene, other)
    select(other)
    assert bpy.ops.redmax.select_element(name=made.name) == {"FINISHED"}
    assert bpy.context.object == made
    select(one)
    assert not bpy.ops.redmax.add_surface_pair.poll()


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_lengths_of_a_pair_are_in_metres(unit):
    one, _, below = two_crates()
    bpy.context.scene.unit_settings.scale_length = unit
    settings = paired(one, below).redmax.surface_pair
    settings.use_rolling_friction, settings.rolling_friction = True, 2.0
    settings.use_bounce_above, settings.bounce_above = True, 3.0
    (found,) = pairs()
    assert found.rolling_friction == pytest.approx(2.0 * unit)
    assert found.bounce_above == pytest.approx(3.0 * unit)


def test_a_pair_that_lost_a_surface_says_so_and_gets_another():
    one, other, below = two_crates()
    made = paired(one, below)
    bpy.data.objects.remove(one)
    (error,) = by_hand.extract().errors
    assert "has lost its" in error.text
    assert "'Crate'" in error.text
    assert not pairs()
    select(other, made)
    assert "PICK_END" in error.fixes
    fixes.apply(bpy.context, "PICK_END", error.element)
    (found,) = pairs()
    assert {found.first, found.second} == {"Other", "Ground"}


def test_a_crate_that_is_no_surface_any_more_is_named():
    one, _, below = two_crates()
    paired(one, below)
    select(one)
    bpy.ops.redmax.remove_surface()
    (error,) = by_hand.extract().errors
    assert "is not a RedMax surface" in error.text


def test_two_pairs_of_the_same_surfaces_are_told():
    one, _, below = two_crates()
    first, second = paired(one, below), paired(below, one)
    (error,) = by_hand.extract().errors
    assert error.element == second.name
    assert first.name in error.text


def test_what_leaves_with_a_switched_off_mechanism_takes_its_pairs_along():
    one, other, below = two_crates()
    paired(one, below)
    paired(other, below)
    assert len(pairs()) == 2
    one.redmax.mechanism.enabled = False
    left = by_hand.extract()
    assert not left.errors
    assert [{each.first, each.second} for each in left.scene.surface_pairs] == [{"Other", "Ground"}]
