# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's tab."""

from typing import Any, ClassVar


class SidebarPanel:
    """Where a panel of the sidebar belongs."""

    bl_space_type: ClassVar[Any] = "VIEW_3D"
    bl_region_type: ClassVar[Any] = "UI"
    bl_category = "RedMax"
