# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of each mechanism, as the list in the sidebar and the overlay read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._engine import joints
from ..core.mechanisms import Mechanism
from ..objects.named_objects import local_object
from .findings import loops

_version = [0]


def version() -> int:
    """Counts up when what is known of joints changes, for whoever remembers it."""
    return _version[0]


def changed() -> None:
    """Rows were written or removed."""
    _version[0] += 1


def labels(named: Sequence[tuple[str, str]]) -> list[str]:
    """Short names of a mechanism's joints, given their names and what their types are called; all different.

    Left out are words that all of them begin with, and their types, which stand beside them.
    """
    words = [_without_type(name, kind).split(" ") for name, kind in named]
    shared = 0
    while len(words) > 1 and all(len(name) > shared + 1 and name[shared] == words[0][shared] for name in words):
        shared += 1
    short = [" ".join(name[shared:]) for name in words]
    return short if len(set(short)) == len(short) else [name for name, _ in named]


def _without_type(name: str, kind: str) -> str:
    """'Rocker.001' of 'Rocker Hinge.001'."""
    before, found, after = name.rpartition(f" {kind}")
    return before + after if found and before else name


def _type_of(name: str) -> str:
    label: str = joints.JOINTS[local_object(name).redmax.joint.kind].label
    return label


def fill(row: Any, mechanism: Mechanism) -> None:
    """Write a mechanism's joints into its row of `window_manager.redmax.mechanisms`."""
    row.joints.clear()
    short = labels([(name, _type_of(name)) for name in mechanism.joints])
    for name, label in zip(mechanism.joints, short, strict=True):
        joint = row.joints.add()
        joint.name, joint.label = name, label
        joint.loop = name in mechanism.closers
        joint.gap = loops.said(mechanism.gaps[name]) if name in mechanism.gaps else ""
    changed()
