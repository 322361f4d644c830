# SPDX-License-Identifier: GPL-3.0-or-later
"""mypy plugin: the attribute `redmax` that registration gives to classes of Blender.

Type stubs of Blender cannot know `object.redmax`; without this every use of it would need a `type: ignore`, or the
check for misspelt attributes of Blender would have to go. The settings are generated from the engine's registries, so
they are `Any` to mypy.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import MDEF, SymbolTableNode, Var
from mypy.plugin import ClassDefContext, Plugin
from mypy.types import AnyType, TypeOfAny

OWNERS = {f"bpy.types.{name}" for name in ("Object", "PoseBone", "Scene", "WindowManager")}


class BlenderPlugin(Plugin):
    def get_customize_class_mro_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        return add_redmax if fullname in OWNERS else None


def add_redmax(context: ClassDefContext) -> None:
    info = context.cls.info
    attribute = Var("redmax", AnyType(TypeOfAny.explicit))
    attribute.info = info
    attribute._fullname = f"{info.fullname}.redmax"
    info.names["redmax"] = SymbolTableNode(MDEF, attribute)


def plugin(_version: str) -> type[Plugin]:
    return BlenderPlugin
