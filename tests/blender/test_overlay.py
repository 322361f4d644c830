# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay of joints: which are drawn, where, in which colour, and when nothing is."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import bpy
import by_hand
import numpy as np
import pytest
import swinging
from by_hand import body, joint
from recording_layout import RecordingLayout

from redmax_blender import overlay
from redmax_blender.bridge.check import joint_rows
from redmax_blender.bridge.results import preview
from redmax_blender.overlay import drawing, joint_glyphs, layout, seen_joints
from redmax_blender.registration import Ledger
from redmax_blender.ui import overlays

WIDE = layout.View(np.diag([1.0, 1.0, 1.0, 1.0]), 100.0, 1.0)
"""An orthographic view of 100 pixels per unit."""


@pytest.fixture(autouse=True)
def _nothing_known():
    overlay.forget()
    yield
    overlay.forget()


@pytest.fixture
def viewport(monkeypatch):
    """A real viewport without a graphics card: `drawn()` gives what a redraw would put on the screen."""
    area = next(area for area in bpy.data.screens["Layout"].areas if area.type == "VIEW_3D")
    context = SimpleNamespace(
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
        space_data=area.spaces[0],
        region_data=area.spaces[0].region_3d,
        region=next(region for region in area.regions if region.type == "WINDOW"),
    )
    strokes, state = [], {"depth_test": "LESS", "blend": "NONE"}

    def stroke(batch, shader, size, width, colour):
        assert state == {"depth_test": "NONE", "blend": "ALPHA"}, "on top of everything"
        strokes.append((batch, shader, width, colour))

    monkeypatch.setattr(drawing, "_stroke", stroke)
    monkeypatch.setattr(drawing, "_batch", lambda lines: lines if len(lines.points) else None)
    fake = SimpleNamespace(
        depth_test_get=lambda: state["depth_test"],
        blend_get=lambda: state["blend"],
        depth_test_set=lambda value: state.update(depth_test=value),
        blend_set=lambda value: state.update(blend=value),
    )
    monkeypatch.setattr(drawing.gpu, "state", fake)

    def drawn():
        strokes.clear()
        bpy.context.view_layer.update()
        drawing._draw(context)
        assert state == {"depth_test": "LESS", "blend": "NONE"}, "as it was found"
        return [batch for batch, _, _, colour in strokes if colour is None]

    return SimpleNamespace(drawn=drawn, context=context, space=area.spaces[0], strokes=strokes)


def known():
    bpy.context.view_layer.update()
    return seen_joints.known(bpy.context.scene, bpy.context.view_layer)


def state_of(name):
    seen = known()
    uid = bpy.data.objects[name].session_uid
    return seen.states[seen.uid.tolist().index(uid)]


def place_of(name):
    """Where a joint is drawn."""
    seen = known()
    row = seen.uid.tolist().index(bpy.data.objects[name].session_uid)
    return seen_joints.matrices(seen, bpy.context.view_layer)[row]


def glyph_of(name):
    seen = known()
    row = seen.uid.tolist().index(bpy.data.objects[name].session_uid)
    return next(points for points, members in seen.glyphs if row in members)


def colours(batches):
    return {tuple(np.round(colour, 4).tolist()) for lines in batches for colour in lines.colours}


def rounded(colour):
    return tuple(np.round(np.array(colour, np.float32), 4).tolist())


def test_joints_are_found_and_bodies_are_not():
    swinging.build()
    uids = {bpy.data.objects[name].session_uid for name in ("Shoulder", "Elbow")}
    assert set(known().uid.tolist()) == uids


def test_a_glyph_shows_the_axis_that_is_simulated():
    """The axis is y here, though the empty's arrow points along z."""
    swinging.build()
    assert np.abs(glyph_of("Elbow") - (0.0, 1.0, 0.0)).max(axis=1).min() < 1e-6
    assert np.abs(glyph_of("Elbow") - (0.0, 0.0, 1.0)).max(axis=1).min() > 0.1


def test_edits_of_a_joint_are_seen():
    swinging.build()
    elbow = bpy.data.objects["Elbow"]
    assert known() is known(), "what is known is read once"
    before = glyph_of("Elbow")
    elbow.redmax.joint.kind = "prismatic"
    assert not np.array_equal(glyph_of("Elbow"), before)
    elbow.redmax.joint.motion_type = "locked"
    elbow.update_tag()
    assert state_of("Elbow").motion == "locked"
    elbow.redmax.is_joint = False
    assert known().uid.tolist() == [bpy.data.objects["Shoulder"].session_uid]
    bpy.data.objects.remove(bpy.data.objects["Shoulder"])
    assert len(known().uid) == 0
    joint("New", None, bpy.data.objects["Upper"])
    assert len(known().uid) == 1


def test_moving_a_body_reads_nothing_anew(viewport):
    swinging.build()
    before = known()
    bpy.data.objects["Upper"].location.x += 1.0
    bpy.context.view_layer.update()
    assert known() is before


def test_a_composite_joint_shows_its_parts():
    obj = joint("Shaft", None, body("Wheel"), kind="composite")
    for kind in ("prismatic", "revolute"):
        obj.redmax.joint.parts.add().kind = kind
    obj.update_tag()
    turning = joint_glyphs.points(("revolute", (("axis", (0.0, 0.0, 1.0)),)), dashed=False)
    sliding = joint_glyphs.points(("prismatic", (("axis", (0.0, 0.0, 1.0)),)), dashed=False)
    drawn = glyph_of("Shaft")
    assert np.array_equal(drawn[-len(sliding) :], sliding)
    assert len(drawn) == len(turning) + len(sliding)
    obj.redmax.joint.parts[1].revolute.axis = (1.0, 0.0, 0.0)
    obj.update_tag()
    assert not np.array_equal(glyph_of("Shaft"), drawn)


def test_a_joint_moves_with_its_parent_body_though_its_empty_stays():
    scene = swinging.build()
    at_start = np.linalg.inv(swinging.world("Upper")) @ place_of("Elbow")
    assert np.allclose(place_of("Elbow"), swinging.world("Elbow"))
    swinging.simulate()
    scene.frame_set(10)
    still = swinging.world("Elbow")
    assert np.allclose(still[:3, 3], (1.0, 0.0, 2.0)), "nothing moves the empty itself"
    assert np.linalg.norm(place_of("Elbow")[:3, 3] - still[:3, 3]) > 0.1
    assert np.allclose(np.linalg.inv(swinging.world("Upper")) @ place_of("Elbow"), at_start, atol=1e-5)
    # The pin of the lower arm: the joint as the child has it is there too.
    end = swinging.world("Lower") @ np.array([-0.5, 0.0, 0.0, 1.0])
    assert np.allclose(place_of("Elbow")[:3, 3], end[:3], atol=1e-5)
    assert np.allclose(place_of("Shoulder"), swinging.world("Shoulder")), "its parent stands"
    preview.hide(scene)
    assert np.allclose(place_of("Elbow"), still)


def test_a_joint_whose_empty_follows_a_body_is_where_the_empty_is():
    scene = swinging.build()
    elbow, upper = bpy.data.objects["Elbow"], bpy.data.objects["Upper"]
    bpy.context.view_layer.update()
    elbow.parent = upper
    elbow.matrix_parent_inverse = upper.matrix_world.inverted()
    swinging.simulate()
    scene.frame_set(10)
    assert known().loose == [known().uid.tolist().index(bpy.data.objects["Shoulder"].session_uid)]
    assert np.allclose(place_of("Elbow"), swinging.world("Elbow"))
    end = swinging.world("Lower") @ np.array([-0.5, 0.0, 0.0, 1.0])
    assert np.allclose(place_of("Elbow")[:3, 3], end[:3], atol=1e-5)


def test_baked_bodies_carry_their_joints_too():
    scene = swinging.build()
    swinging.simulate()
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.redmax.clear_result()
    scene.frame_set(10)
    end = swinging.world("Lower") @ np.array([-0.5, 0.0, 0.0, 1.0])
    assert np.allclose(place_of("Elbow")[:3, 3], end[:3], atol=1e-4)


def test_colours_are_those_of_the_motions_and_loops_are_dashed(viewport):
    bpy.ops.redmax.add_four_bar()
    names = {obj.name: obj for obj in bpy.data.objects if obj.redmax.is_joint}
    (closing,) = [name for name in names if state_of(name).loop]
    (crank,) = [name for name in names if state_of(name).motion == "animated"]
    locked = next(name for name in names if name not in (closing, crank))
    names[locked].redmax.joint.motion_type = "locked"
    names[locked].update_tag()
    for obj in bpy.context.view_layer.objects.selected[:]:
        obj.select_set(False)
    expected = [(*rgb, 1.0) for rgb in (*layout.COLOURS.values(), layout.LOOP)]
    assert colours(viewport.drawn()) == {rounded(colour) for colour in expected}
    own = (("axis", tuple(names[closing].redmax.joint.revolute.axis)),)
    assert np.array_equal(glyph_of(closing), joint_glyphs.points(("revolute", own), dashed=True))
    assert np.array_equal(glyph_of(crank), joint_glyphs.points(("revolute", own), dashed=False))
    names[closing].redmax.joint.motion_type = "locked"
    names[closing].update_tag()
    assert layout.colour(state_of(closing), selected=False) == (*layout.COLOURS["locked"], 1.0)


def test_what_check_finds_of_a_joint_is_drawn_at_once():
    swinging.build()
    bpy.ops.redmax.check()
    assert not state_of("Elbow").loop
    (mechanism,) = by_hand.extract().mechanisms
    (row,) = bpy.context.window_manager.redmax.mechanisms
    joint_rows.fill(row, replace(mechanism, closers=("Elbow",)))
    assert state_of("Elbow").loop
    assert len(glyph_of("Elbow")) != len(glyph_of("Shoulder"))


def test_selected_joints_are_brighter_and_bolder(viewport):
    swinging.build()
    bpy.data.objects["Elbow"].select_set(True)
    plain, selected = viewport.drawn()
    assert colours([selected]).isdisjoint(colours([plain]))
    assert selected.colours[:, :3].min() > plain.colours[:, :3].min()
    widths = [width for _, _, width, colour in viewport.strokes if colour is None]
    assert widths == [drawing.LINE, drawing.SELECTED_LINE]
    below = [(shader, width) for _, shader, width, colour in viewport.strokes if colour is not None]
    assert below == [("POLYLINE_UNIFORM_COLOR", width + drawing.HALO) for width in widths]


def test_a_mechanism_that_is_off_is_faint(viewport):
    swinging.build()
    bpy.data.objects["Post"].redmax.mechanism.enabled = False
    bpy.ops.redmax.check()
    (lines,) = viewport.drawn()
    assert np.allclose(lines.colours[:, 3], layout.OFF)


def test_glyphs_have_the_size_of_their_empties_within_bounds_on_the_screen():
    M = np.tile(np.eye(4), (3, 1, 1))
    size, in_front = layout.sizes(M, np.array([0.3, 1e-3, 1e3]), WIDE)
    assert in_front.all()
    assert np.allclose(size, [0.3, layout.SMALLEST / 100.0, layout.LARGEST / 100.0])
    doubled, _ = layout.sizes(M, np.array([0.3, 1e-3, 1e3]), WIDE._replace(pixel=2.0, magnification=200.0))
    assert np.allclose(doubled, size), "the same share of a screen of twice the resolution"
    M[0, :3, :3] *= 1.2
    assert np.isclose(layout.sizes(M, np.array([0.3, 1.0, 1.0]), WIDE)[0][0], 0.36)


def test_what_is_behind_the_viewer_is_not_drawn():
    perspective = np.eye(4)
    perspective[3] = (0.0, 0.0, -1.0, 0.0)  # looks along -z from the origin
    M = np.tile(np.eye(4), (2, 1, 1))
    M[:, 2, 3] = (-2.0, 2.0)
    size, in_front = layout.sizes(M, np.array([1e-9, 1e-9]), layout.View(perspective, 100.0, 1.0))
    assert in_front.tolist() == [True, False]
    assert np.isclose(size[0], 2.0 * layout.SMALLEST / 100.0), "twice as far, twice as large"


def test_glyphs_keep_their_shape_in_scaled_and_mirrored_empties():
    swinging.build()
    elbow = bpy.data.objects["Elbow"]
    elbow.scale = (1.0, -3.0, 0.2)
    bpy.context.view_layer.update()
    seen = known()
    M = seen_joints.matrices(seen, bpy.context.view_layer)
    count = len(seen.uid)
    ones = np.ones(count)
    made = layout.lines(seen, M, ones, np.ones(count, bool), np.ones((count, 4), np.float32))
    row = seen.uid.tolist().index(elbow.session_uid)
    ends = made.points.reshape(count, -1, 3)[seen.glyphs[0][1].tolist().index(row)] - M[row, :3, 3]
    assert np.allclose(np.linalg.norm(ends, axis=1), np.linalg.norm(seen.glyphs[0][0], axis=1), atol=1e-5)


def test_a_flattened_empty_is_left_out(viewport):
    swinging.build()
    (both,) = viewport.drawn()
    bpy.data.objects["Elbow"].scale = (1.0, 0.0, 1.0)
    (one,) = viewport.drawn()
    assert len(one.points) == len(both.points) // 2


@pytest.mark.parametrize("how", ["overlays", "switch", "render"])
def test_nothing_is_drawn_where_nothing_is_to_be_seen(viewport, how):
    scene = swinging.build()
    assert viewport.drawn()
    if how == "overlays":
        viewport.space.overlay.show_overlays = False
    elif how == "switch":
        scene.redmax.show_joints = False
    else:
        preview.set_rendering(on=True)
    try:
        assert viewport.drawn() == []
    finally:
        viewport.space.overlay.show_overlays = True
        preview.set_rendering(on=False)


def test_hidden_joints_are_not_drawn(viewport):
    swinging.build()
    hidden = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(hidden)
    (both,) = viewport.drawn()
    elbow = bpy.data.objects["Elbow"]
    for hide, show in (
        (lambda: elbow.hide_set(True), lambda: elbow.hide_set(False)),
        (lambda: setattr(elbow, "hide_viewport", True), lambda: setattr(elbow, "hide_viewport", False)),
    ):
        hide()
        (one,) = viewport.drawn()
        assert len(one.points) == len(both.points) // 2
        show()
        assert len(viewport.drawn()[0].points) == len(both.points)
    hidden.objects.link(elbow)
    bpy.context.scene.collection.objects.unlink(elbow)
    bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True
    assert len(viewport.drawn()[0].points) == len(both.points) // 2
    viewport.space.show_object_viewport_empty = False
    assert viewport.drawn() == []
    viewport.space.show_object_viewport_empty = True


def test_what_was_sent_to_the_graphics_card_is_used_again_until_something_changes(viewport, monkeypatch):
    swinging.build()
    made = []
    monkeypatch.setattr(drawing, "_batch", lambda lines: made.append(lines) or lines)
    viewport.drawn()
    viewport.drawn()
    assert len(made) == 3, "tracks, joints that are not selected, and those that are"
    bpy.data.objects["Elbow"].location.x += 0.1
    viewport.drawn()
    assert len(made) == 6
    bpy.data.objects["Elbow"].empty_display_size = 0.01
    viewport.drawn()
    assert len(made) == 9


def test_an_error_is_told_once_and_never_raised(viewport, monkeypatch, caplog):
    def fail(_context):
        raise ValueError("no such thing")

    monkeypatch.setattr(drawing, "_draw", fail)
    state = bpy.context.window_manager.redmax
    drawing.draw()
    assert "no such thing" in state.message
    state.message = ""
    drawing.draw()
    assert state.message == ""
    assert len(caplog.records) == 1


def test_opening_a_file_and_undo_forget_what_was_known():
    swinging.build()
    bpy.context.view_layer.update()
    seen_joints.known(bpy.context.scene, bpy.context.view_layer)
    assert seen_joints._seen
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not seen_joints._seen
    handlers = bpy.app.handlers
    for listed in (handlers.undo_post, handlers.redo_post, handlers.load_post):
        assert overlay.forget in listed
        assert hasattr(overlay.forget, "_bpy_persistent")


def test_the_switch_stands_in_the_overlays_popover():
    panel = overlays.REDMAX_PT_overlays
    assert panel.is_registered
    assert (panel.bl_parent_id, panel.bl_space_type, panel.bl_region_type) == ("VIEW3D_PT_overlay", "VIEW_3D", "HEADER")
    assert hasattr(bpy.types, panel.bl_parent_id)
    recording = RecordingLayout()
    space = SimpleNamespace(overlay=SimpleNamespace(show_overlays=False))
    panel.draw(SimpleNamespace(layout=recording), SimpleNamespace(scene=bpy.context.scene, space_data=space))
    names = [name for name, _ in recording.properties()]
    assert names == ["show_joints", "show_forces", "show_contacts", "show_surfaces"]
    assert recording.attributes == {"active": False}
    assert bpy.context.scene.redmax.show_joints, "on in a new scene"


def test_switching_joints_off_changes_no_result():
    scene = swinging.build(frames=(1, 3))
    swinging.simulate()
    digest = by_hand.extract().digest
    scene.redmax.show_joints = False
    scene.update_tag()
    bpy.context.view_layer.update()
    assert not scene.redmax.result.changed
    assert by_hand.extract().digest == digest


def test_unregistering_leaves_no_handler(monkeypatch):
    drawn, real = [], bpy.types.SpaceView3D

    class Space:
        @staticmethod
        def draw_handler_add(callback, arguments, region, when):
            drawn.append((callback, arguments, region, when))
            return real.draw_handler_add(callback, arguments, region, when)

        @staticmethod
        def draw_handler_remove(handle, region):
            real.draw_handler_remove(handle, region)
            drawn.pop()

    monkeypatch.setattr(overlay, "bpy", SimpleNamespace(types=SimpleNamespace(SpaceView3D=Space), app=bpy.app))
    lists = (
        bpy.app.handlers.depsgraph_update_post,
        bpy.app.handlers.undo_post,
        bpy.app.handlers.redo_post,
        bpy.app.handlers.load_post,
    )
    before = [len(listed) for listed in lists]
    ledger = Ledger()
    overlay.register(ledger)
    assert drawn == [(drawing.draw, (), "WINDOW", "POST_VIEW")]
    assert [len(listed) for listed in lists] == [count + 1 for count in before]
    ledger.undo()
    assert drawn == []
    assert [len(listed) for listed in lists] == before
