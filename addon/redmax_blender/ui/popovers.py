# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that a button of the sidebar opens, so that they take no room in it."""

from typing import Any, ClassVar


class Popover:
    """Where such a panel belongs: one of a header is in no tab."""

    bl_space_type: ClassVar[Any] = "VIEW_3D"
    bl_region_type: ClassVar[Any] = "HEADER"
    bl_options: ClassVar[Any] = {"INSTANCED"}
