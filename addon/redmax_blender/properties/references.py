# SPDX-License-Identifier: GPL-3.0-or-later
"""What an element refers to: an object, or a bone of it, that stays the same when it is renamed.

Each reference NAME is four properties: the pointer NAME, which Blender keeps through renaming, duplicating, appending
and overriding; NAME_bone with NAME_bone_id, as Blender refers to bones by their names alone; and NAME_known, the name
that the object had when it was last seen, so that one that was deleted is not taken for the world.
"""

import uuid
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import bpy

from .from_specs import OVERRIDABLE, STATIC, title

BONE, BONE_ID, KNOWN = "_bone", "_bone_id", "_known"
ENDS = (BONE, BONE_ID, KNOWN)
"""What the names of the other properties of a reference end with."""


class Target(NamedTuple):
    """What a reference means. bone: its name, empty for the object itself."""

    object: Any
    bone: str


def annotations(name: str, label: str, description: str, poll: Callable[[Any, Any], bool] | None) -> dict[str, Any]:
    """The four properties of a reference. poll: which objects may be picked."""
    hidden: dict[str, Any] = {"options": {"HIDDEN"}, "override": OVERRIDABLE}
    more = {} if poll is None else {"poll": poll}
    return {
        name: bpy.props.PointerProperty(
            type=bpy.types.Object,
            name=label,
            description=description,
            update=_picked(name),
            override=OVERRIDABLE,
            **more,
        ),
        f"{name}{BONE}": bpy.props.StringProperty(
            name=f"{label} Bone",
            description="Bone of the armature that is meant, empty for the object itself",
            update=_bone_picked(name),
            options=STATIC,
            override=OVERRIDABLE,
        ),
        f"{name}{BONE_ID}": bpy.props.StringProperty(description="Which bone is meant, whatever its name", **hidden),
        f"{name}{KNOWN}": bpy.props.StringProperty(description="Name of the object when it was last seen", **hidden),
    }


def of_sort(sort: str) -> Callable[[Any, Any], bool]:
    """Whether an object, or a bone of it, is an element of a sort."""
    flag = f"is_{sort}"

    def poll(_group: Any, obj: Any) -> bool:
        if getattr(obj.redmax, flag):
            return True
        return obj.pose is not None and any(getattr(bone.redmax, flag) for bone in obj.pose.bones)

    return poll


def label_of(name: str) -> str:
    """'body_a' as people read it: 'Body A'."""
    return title(name)


def _picked(name: str) -> Callable[[Any, Any], None]:
    def update(group: Any, _context: Any) -> None:
        obj = getattr(group, name)
        setattr(group, f"{name}{KNOWN}", "" if obj is None else obj.name)
        if getattr(group, f"{name}{BONE}") and (obj is None or obj.pose is None):
            setattr(group, f"{name}{BONE}", "")

    return update


def _bone_picked(name: str) -> Callable[[Any, Any], None]:
    def update(group: Any, _context: Any) -> None:
        obj, wanted = getattr(group, name), getattr(group, f"{name}{BONE}")
        bone = obj.pose.bones.get(wanted) if obj is not None and obj.pose is not None and wanted else None
        setattr(group, f"{name}{BONE_ID}", "" if bone is None else identifier(bone))

    return update


def identifier(bone: Any) -> str:
    """A bone's own, which no renaming changes; given when it is first referred to. A linked bone may have none."""
    if not bone.redmax.identifier and bone.id_data.library is None:
        bone.redmax.identifier = uuid.uuid4().hex
    found: str = bone.redmax.identifier
    return found


def target(group: Any, name: str) -> Target | None:
    """What a reference means now; None if it is empty. A renamed bone is found by its identifier."""
    obj = getattr(group, name)
    if obj is None:
        return None
    bone = getattr(group, f"{name}{BONE}", "")
    return Target(obj, _present_name(obj, bone, getattr(group, f"{name}{BONE_ID}")) if bone else "")


def _present_name(obj: Any, bone: str, wanted: str) -> str:
    bones = obj.pose.bones if obj.pose is not None else {}
    found = bones.get(bone)
    if not wanted or (found is not None and found.redmax.identifier == wanted):
        return bone
    return next((other.name for other in bones if other.redmax.identifier == wanted), bone)


def is_lost(group: Any, name: str) -> bool:
    """Whether something was picked that is no longer in the file, or a bone that its armature no longer has."""
    obj = getattr(group, name)
    if obj is None:
        return bool(getattr(group, f"{name}{KNOWN}"))
    bone = getattr(group, f"{name}{BONE}")
    if not bone:
        return False
    return obj.pose is None or _present_name(obj, bone, getattr(group, f"{name}{BONE_ID}")) not in obj.pose.bones


def lost_name(group: Any, name: str) -> str:
    """What to call that which a reference has lost."""
    found = target(group, name)
    bone = "" if found is None else found.bone
    known: str = getattr(group, f"{name}{KNOWN}")
    return bone or (known if found is None else found.object.name)


def last_name(group: Any, name: str) -> str:
    """Name of the object that is referred to, also of one that was deleted since; empty if none ever was."""
    obj = getattr(group, name)
    known: str = getattr(group, f"{name}{KNOWN}")
    return known if obj is None else str(obj.name)


def clear(group: Any, name: str) -> None:
    """Refer to nothing, on purpose."""
    setattr(group, name, None)
    for end in (BONE, BONE_ID, KNOWN):
        setattr(group, f"{name}{end}", "")


def repair(pairs: Iterable[tuple[Any, str]]) -> None:
    """Write down the present names of objects and bones, given groups and names of references. Writes only what has
    changed."""
    for group, name in pairs:
        found = target(group, name)
        if found is None:
            continue
        if getattr(group, f"{name}{KNOWN}") != found.object.name:
            setattr(group, f"{name}{KNOWN}", found.object.name)
        if found.bone != getattr(group, f"{name}{BONE}"):
            setattr(group, f"{name}{BONE}", found.bone)
