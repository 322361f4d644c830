# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons say why they are grey, and what they did to which object."""

from __future__ import annotations

import bpy
import pytest
import swinging

from redmax_blender.bridge.run import live


def operators():
    return [getattr(bpy.types, f"REDMAX_OT_{name}") for name in dir(bpy.ops.redmax)]


def why_grey(cls):
    """None if the button can be pressed, else what its tooltip says."""
    said = []
    spy = type("Spy", (cls,), {"poll_message_set": classmethod(lambda _cls, text, *_args: said.append(text))})
    return None if not hasattr(cls, "poll") or spy.poll(bpy.context) else "".join(said)


def empty(_monkeypatch):
    pass


def arms(_monkeypatch):
    swinging.build(frames=(1, 3))


def checked(monkeypatch):
    arms(monkeypatch)
    bpy.ops.redmax.check()


def a_body_is_active(monkeypatch):
    arms(monkeypatch)
    bpy.context.view_layer.objects.active = bpy.data.objects["Upper"]
    bpy.data.objects["Upper"].select_set(True)


def a_joint_is_active(monkeypatch):
    arms(monkeypatch)
    bpy.context.view_layer.objects.active = bpy.data.objects["Elbow"]
    bpy.data.objects["Elbow"].select_set(True)


def edit_mode(monkeypatch):
    a_body_is_active(monkeypatch)
    bpy.ops.object.mode_set(mode="EDIT")


def running(monkeypatch):
    arms(monkeypatch)
    bpy.context.window_manager.redmax.running = True
    monkeypatch.setattr(live, "running", lambda: True)


@pytest.mark.parametrize(
    "situation",
    [empty, arms, checked, a_body_is_active, a_joint_is_active, edit_mode, running],
    ids=lambda f: f.__name__,
)
def test_every_grey_button_says_why(situation, monkeypatch):
    situation(monkeypatch)
    try:
        grey = {}
        for cls in operators():
            reason = why_grey(cls)
            if reason is not None:
                grey[cls.bl_idname] = reason
        assert all(reason and not reason.endswith(".") and reason[0].isupper() for reason in grey.values()), grey
        assert grey or situation is not empty
    finally:
        bpy.context.window_manager.redmax.running = False
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")


def select(*names):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def test_operators_tell_what_they_did_to_whom(capfd):
    """In the background Blender prints what a report would show in the status bar."""
    swinging.build(frames=(1, 3))
    plain = swinging.box("Plain", (5.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    plain.redmax.is_body = False

    def says(operator, *words, **settings):
        capfd.readouterr()
        assert operator(**settings) == {"FINISHED"}
        out = capfd.readouterr().out
        assert all(word in out for word in words), out

    operators = bpy.ops.redmax
    select("Plain")
    says(operators.add_body, "Made 'Plain' a body")
    says(operators.set_root, "Locked 'Plain'", root="LOCKED")
    says(operators.set_root, "Freed 'Plain'", root="FREE")
    says(operators.remove_body, "No longer a body: 'Plain'")
    bpy.data.objects.remove(plain)
    select("Elbow")
    bpy.data.objects["Elbow"].redmax.joint.kind = "composite"
    says(operators.add_part, "Added a Hinge to 'Elbow'", kind="revolute")
    says(operators.add_part, "Added a Slider to 'Elbow'", kind="prismatic")
    says(operators.move_part, "Moved a part of 'Elbow' up", direction="UP")
    says(operators.remove_part, "'Elbow' has 1 part now")
    says(operators.key_coordinate, "of 'Elbow' at frame 1")
    says(operators.swap_joint, "'Lower' now carries 'Upper'")
    says(operators.swap_joint, "'Upper' now carries 'Lower'")
    says(operators.check, "degree")
    says(operators.simulate, "Simulated frames 1-3")
    says(operators.clear_result, "Cleared the result of scene 'Scene'")
    says(operators.remove_joint, "Removed 'Elbow'")
    select("Lower")
    says(operators.remove_body, "No longer a body: 'Lower'")
