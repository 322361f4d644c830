# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check offers to do about a problem: the words on the buttons. `bridge.check.fixes.fixes` does it.

Numbers are those of an operator's enum; only append.
"""

from typing import Any, NamedTuple


class Fix(NamedTuple):
    """label: on the button. text: tooltip. in_fix_all: whether Fix All may do it without asking."""

    label: str
    text: str
    icon: str
    number: int
    in_fix_all: bool = True


FIXES = {
    "LOCK_ACTIVE": Fix(
        "Lock Active",
        "Let the mechanism stand in the world: lock the active body if it is one of it that no joint carries, "
        "else the body it hangs from",
        "LOCKED",
        0,
    ),
    "KEEP_FREE": Fix("Keep Free", "It is meant to fall: do not warn of it any more", "UNLOCKED", 1),
    "PICK": Fix(
        "Pick",
        "Let the joint carry the body that is selected besides it, or else the one it stands at",
        "EYEDROPPER",
        2,
    ),
    "APPLY_SCALE": Fix("Apply Scale", "Put the object's scale into its mesh, so that it is 1", "CON_SIZELIMIT", 3),
    "RESET_SCALE": Fix("Reset Scale", "Set every scale of the object that is zero to 1", "LOOP_BACK", 4),
    "USE_HULL": Fix("Use Hull", "Weigh the body by the convex hull of its mesh", "MESH_ICOSPHERE", 5),
    "USE_BOX": Fix("Use Box", "Weigh the body by a box around its mesh", "MESH_CUBE", 6),
    "ENTER_MASS": Fix("Enter Mass", "Give the mass yourself; the shape only distributes it", "GREASEPENCIL", 7, False),
    "WIDEN": Fix("Widen", "Move the limit to where the joint starts", "ARROW_LEFTRIGHT", 8),
    "MOVE": Fix("Move to Limit", "Let the joint start at its limit", "TRACKING_FORWARDS_SINGLE", 9),
    "KEY": Fix("Key", "Insert a key on every coordinate of the joint at the current frame", "KEY_HLT", 10),
    "SET_SIMULATED": Fix("Set Simulated", "Let the joint move freely", "PLAY", 11),
    "SELECT_REDUNDANT": Fix(
        "Select Redundant", "Select the joints that keep the mechanism from moving", "RESTRICT_SELECT_OFF", 12, False
    ),
    "MUTE": Fix(
        "Mute for Bake",
        "Mute the constraints, drivers and offset keys that also move the body; it stays where it stands, and Unmute "
        "brings them back",
        "HIDE_ON",
        13,
    ),
    "UNMUTE": Fix("Unmute", "Let what was muted for the bake move the body again", "HIDE_OFF", 14, False),
    "REMOVE_RIGID_BODY": Fix(
        "Remove Rigid Body", "Take the object out of Blender's own rigid-body physics", "RIGID_BODY", 15
    ),
    "SWAP": Fix("Swap", "Exchange parent and child of the joint", "UV_SYNC_SELECT", 16),
    "LOCK_JOINT": Fix("Set Locked", "Let the joint stand at its coordinate", "LOCKED", 17),
    "GO_TO_FRAME": Fix("Go to Frame", "Show the last frame that was computed", "FRAME_NEXT", 18, False),
    "ACCURACY_HIGH": Fix("Accuracy High", "Compute with the smallest errors from now on", "ADD", 19, False),
    "SIMULATE": Fix("Simulate", "Compute the motion anew", "FILE_REFRESH", 20, False),
    "ENABLE": Fix("Switch On", "Switch every mechanism on", "CHECKBOX_HLT", 21),
    "CLOSE_LOOP": Fix(
        "Close Loop", "Let the simulated joints start where the loop closes, as near as possible", "LINKED", 22
    ),
    "ALIGN_AXES": Fix(
        "Align Axes",
        "Turn hinges and sliders whose axes keep a loop from moving, and hinges that are nearly parallel to the others",
        "ORIENTATION_NORMAL",
        23,
    ),
    "MAKE_BALL": Fix("Make Ball", "Make the joint that closes the loop a ball, which holds less", "SPHERE", 24, False),
    "MAKE_SOFT": Fix("Make Soft", "Let springs and dampers push the joint back beyond its limits", "MOD_CAST", 25),
    "RESET": Fix("Reset", "Put the part back where its joints were fitted to it", "LOOP_BACK", 26, False),
    "REFIT": Fix("Re-fit", "Leave the part where it is and fit its joints to it anew", "CON_PIVOT", 27, False),
    "IGNORE": Fix("Ignore", "Bodies of this scene may pass through each other: do not mention it again", "HIDE_ON", 28),
    "PICK_END": Fix(
        "Pick", "Refer to what is selected besides it, instead of what was lost or is missing", "EYEDROPPER", 29, False
    ),
    "USE_WORLD": Fix("Use World", "Let the world hold the end whose body was lost", "WORLD", 30, False),
    "CLEAR_PLACE": Fix(
        "Use Coordinates", "Take the point from its own coordinates, not from the object that was lost", "CURSOR", 31
    ),
    "REMOVE_ELEMENT": Fix("Remove", "Remove what refers to something that is gone", "X", 32, False),
    "GO_TO_STALL": Fix("Go to Frame", "Show the frame at which the motor stalled", "FRAME_NEXT", 33, False),
    "RAISE_MOTOR": Fix("Raise", "Let the motor push half as hard again as it needed to there", "TRIA_UP", 34, False),
    "REMOVE_FRAMES": Fix("Remove Frames", "Take frames out of the list whose objects are gone, or are bodies", "X", 35),
    "ADD_FRAMES": Fix("Add Frames", "Add frames between those that the track has", "ADD", 36),
    "CLEAR_PARENT": Fix("Clear Parent", "Let the frame follow its track; it stays where it is", "CON_CHILDOF", 37),
    "FREEZE": Fix(
        "Freeze",
        "Remove the keys, drivers and constraints that move it; it stays where it stands at the first frame",
        "FREEZE",
        38,
        False,
    ),
    "UNIT_SCALE": Fix("Scale to One", "Set the scale to 1; an empty is shown as large as before", "CON_SIZELIMIT", 39),
    "KEEP_SPLINE": Fix("Keep Longest", "Remove all splines but the one with the most points", "CURVE_DATA", 40, False),
    "MINIMUM_TWIST": Fix("Minimum Twist", "Let the curve twist as little as possible", "MOD_SCREW", 41),
    "USE_CARRIER": Fix("Use Carrier", "Fix the joint to the body that its track goes with", "CON_FOLLOWPATH", 42),
    "MOVE_ONTO_TRACK": Fix("Move to Track", "Move the body to the nearest place of its track", "SNAP_ON", 43, False),
    "ADD_SURFACES": Fix(
        "Add Surface", "Let bodies without a surface touch others: a shape is fitted to each", "MOD_PHYSICS", 44, False
    ),
    "FIT_SURFACE": Fix("Fit", "Use the shape that fits the object best", "SHADING_BBOX", 45),
    "USE_HULL_SURFACE": Fix("Use Hull", "Let it touch as the convex hull of its mesh", "MESH_ICOSPHERE", 46),
    "USE_BOX_SURFACE": Fix("Use Box", "Let it touch as a box", "MESH_CUBE", 47),
    "USE_MESH_SURFACE": Fix("Use Mesh", "Let it touch with the faces of its mesh, as scenery can", "MESH_GRID", 48),
    "REMOVE_SURFACE": Fix("Remove Surface", "Let it touch nothing", "X", 49, False),
    "SEPARATE": Fix("Separate", "Move the body out of what it starts inside of", "MOD_EXPLODE", 50, False),
    "IGNORE_PAIR": Fix("Let Overlap", "Put it into a group that does not touch the other", "HIDE_ON", 51, False),
    "KEY_SLIDER": Fix("Key", "Insert a key on the slider at the current frame", "KEY_HLT", 52),
    "USE_PIECES_SURFACE": Fix(
        "Use Convex Pieces", "Let it touch as several convex hulls, which keep its dents", "MOD_EXPLODE", 53
    ),
}

ITEMS = [(name, fix.label, fix.text, fix.number) for name, fix in FIXES.items()]


def remark_fixes(result: Any) -> tuple[str, ...]:
    """What helps against what is said of a result that is complete. result: `scene.redmax.result`."""
    return ("GO_TO_STALL", "RAISE_MOTOR") if result.stalled else ("ACCURACY_HIGH",)
