# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo takes back a fix, whatever it changed, in one step; redo does it again."""

from __future__ import annotations

import math

import bpy
import by_hand
import pytest
import swinging


def snapshot():
    """Everything that a fix may change, as plain values."""
    state = {}
    for obj in bpy.data.objects:
        body, joint = obj.redmax.body, obj.redmax.joint
        state[obj.name] = (
            *(tuple(getattr(obj, name)) for name in ("location", "rotation_euler", "scale", "delta_location")),
            [tuple(vertex.co) for vertex in obj.data.vertices] if obj.type == "MESH" else (),
            [constraint.mute for constraint in obj.constraints],
            obj.animation_data is not None,
            obj.redmax.muted,
            obj.redmax.mechanism.enabled,
            (body.root, body.keep_free, body.shape, body.mesh.approximation, body.mass_source, body.mass),
            (joint.kind, joint.motion_type, joint.coordinate_angle_1, tuple(joint.upper_angle)),
            [other.name if other is not None else "" for other in (joint.parent, joint.child)],
        )
    return state, bpy.context.scene.redmax.accuracy


def unattached(objects):
    objects["Post"].redmax.body.root = "FREE"


def no_child(objects):
    objects["Elbow"].redmax.joint.child = None


def uneven(objects):
    objects["Upper"].scale = (1.0, 2.0, 1.0)


def opened(objects):
    objects["Upper"].data = by_hand.mesh("Open", faces=by_hand.FACES[:-1])


def constrained(objects):
    objects["Lower"].constraints.new("LIMIT_LOCATION").use_min_z = True


def outside(objects):
    joint = objects["Elbow"].redmax.joint
    joint.use_upper[0], joint.upper_angle[0], joint.coordinate_angle_1 = True, 0.1, math.pi / 8


def unkeyed(objects):
    objects["Shoulder"].redmax.joint.motion_type = "animated"


CASES = [
    (unattached, "LOCK_ACTIVE", "Post"),
    (unattached, "KEEP_FREE", "Post"),
    (no_child, "PICK", "Elbow"),
    (uneven, "APPLY_SCALE", "Upper"),
    (opened, "USE_BOX", "Upper"),
    (opened, "ENTER_MASS", "Upper"),
    (constrained, "MUTE", "Lower"),
    (outside, "WIDEN", "Elbow"),
    (outside, "MOVE", "Elbow"),
    (unkeyed, "KEY", "Shoulder"),
    (unkeyed, "SET_SIMULATED", "Shoulder"),
    (unkeyed, "ACCURACY_HIGH", ""),
]


def undone(press):
    """What is changed by pressing a button, by undo after it, and by redo after that."""
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Before")
    before = snapshot()
    assert press() == {"FINISHED"}
    after = snapshot()
    bpy.ops.ed.undo()
    back = snapshot()
    bpy.ops.ed.redo()
    return before, after, back, snapshot()


@pytest.mark.parametrize(("broken", "fix", "element"), CASES, ids=[case[1] for case in CASES])
def test_undo_takes_back_a_fix_in_one_step(broken, fix, element):
    swinging.build(frames=(1, 5))
    broken(bpy.data.objects)
    operators = bpy.ops.redmax

    def press():
        if fix == "ENTER_MASS":
            return operators.enter_mass("EXEC_DEFAULT", True, element=element, mass=3.0)
        return operators.fix("EXEC_DEFAULT", True, fix=fix, element=element)

    before, after, back, again = undone(press)
    assert after != before
    assert back == before
    assert again == after


def test_undo_takes_back_everything_that_fix_all_did():
    swinging.build(frames=(1, 5))
    for broken in (unattached, no_child, opened, constrained, unkeyed):
        broken(bpy.data.objects)
    bpy.ops.redmax.check()
    before, after, back, again = undone(lambda: bpy.ops.redmax.fix_all("EXEC_DEFAULT", True))
    assert sum(before[0][name] != after[0][name] for name in before[0]) == 5
    assert back == before
    assert again == after
