# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout that draws nothing but refuses whatever Blender's own would refuse or silently leave out.

Blender without a window never calls draw(). This stands in for `UILayout`: every call is checked against Blender's own
description of that class (`bl_rna`), every property against the data it is asked of, every operator, menu and list
against what is registered. The calls are kept, so that a test can ask what an artist would see.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import bpy

FUNCTIONS = bpy.types.UILayout.bl_rna.functions
ATTRIBUTES = bpy.types.UILayout.bl_rna.properties
NESTED = ("row", "column", "box", "split", "grid_flow", "column_flow")


class Call(NamedTuple):
    """One thing that was drawn: what, about which data or operator, and with which arguments."""

    what: str
    arguments: dict[str, Any]

    @property
    def text(self) -> str:
        return self.arguments.get("text", "")


class OperatorSettings:
    """What `layout.operator` returns: takes only properties the operator has, with values they allow."""

    def __init__(self, idname: str) -> None:
        object.__setattr__(self, "_rna", operator_type(idname))
        object.__setattr__(self, "values", {})

    def __setattr__(self, name: str, value: Any) -> None:
        rna: Any = self._rna
        assert name in rna.properties, f"{rna.identifier} has no property '{name}'"
        check_enum(rna.properties[name], value, f"{rna.identifier}.{name}")
        self.values[name] = value


def operator_type(idname: str) -> Any:
    module, _, name = idname.partition(".")
    assert name in dir(getattr(bpy.ops, module)), f"no operator '{idname}'"
    return getattr(getattr(bpy.ops, module), name).get_rna_type()


def check_enum(prop: Any, value: Any, where: str) -> None:
    if prop.type == "ENUM" and prop.enum_items:
        assert value in prop.enum_items, f"{where}: no item '{value}'"


class RecordingLayout:
    """Stands in for `bpy.types.UILayout`; `calls` lists what was drawn in it and in the layouts nested in it."""

    def __init__(self, calls: list[Call] | None = None) -> None:
        object.__setattr__(self, "calls", [] if calls is None else calls)
        object.__setattr__(self, "attributes", {})

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in ATTRIBUTES, f"UILayout has no attribute '{name}'"
        assert not ATTRIBUTES[name].is_readonly, f"UILayout.{name} cannot be set"
        check_enum(ATTRIBUTES[name], value, f"UILayout.{name}")
        self.attributes[name] = value

    def __getattr__(self, name: str) -> Any:
        assert name in FUNCTIONS, f"UILayout has no function '{name}'"
        return lambda *args, **kwargs: self._call(name, args, kwargs)

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        function = FUNCTIONS[name]
        parameters = [parameter for parameter in function.parameters if not parameter.is_output]
        given = dict(zip((parameter.identifier for parameter in parameters), args, strict=False)) | kwargs
        assert len(given) == len(args) + len(kwargs), f"{name}: an argument is given twice"
        for key, value in given.items():
            assert key in function.parameters, f"UILayout.{name} has no argument '{key}'"
            parameter = function.parameters[key]
            check_enum(parameter, value, f"UILayout.{name}({key}=)")
            if parameter.type == "STRING":
                assert isinstance(value, str), f"{name}: {key} is {value!r}"
        for parameter in parameters:
            assert not parameter.is_required or parameter.identifier in given, f"{name}: {parameter.identifier} missing"
        self.calls.append(Call(name, given))
        check = getattr(type(self), f"_check_{name}", None)
        if check is not None:
            return check(self, **given)
        return RecordingLayout(self.calls) if name in NESTED else None

    def _check_prop(self, data: Any, property: str, **more: Any) -> None:
        assert data is not None, f"prop '{property}' of None"
        if property.startswith('["'):
            assert property[2:-2] in data, f"{data!r} has no custom property {property}"
            values = data[property[2:-2]]
            # Blender draws nothing useful for a vector without an index in a property split.
            assert hasattr(values, "__len__") == ("index" in more), f"{property}: index for vectors only"
            assert "index" not in more or 0 <= more["index"] < len(values), f"{property}[{more['index']}]"
            return
        assert property in data.bl_rna.properties, f"{data!r} has no property '{property}'"
        described = data.bl_rna.properties[property]
        if "index" in more:
            assert 0 <= more["index"] < described.array_length, f"{property}[{more['index']}]"
        assert more.get("text") or more.get("icon") or "text" in more or described.name, f"'{property}' has no label"
        assert described.description, f"'{property}' has no tooltip"

    def _check_operator(self, operator: str, **_more: Any) -> OperatorSettings:
        settings = OperatorSettings(operator)
        self.calls[-1].arguments["settings"] = settings.values
        return settings

    def _check_operator_menu_enum(self, operator: str, property: str, **_more: Any) -> OperatorSettings:
        rna = operator_type(operator)
        assert rna.properties[property].type == "ENUM"
        return OperatorSettings(operator)

    def _check_menu(self, menu: str, **_more: Any) -> None:
        assert hasattr(bpy.types, menu), f"no menu '{menu}'"

    def _check_progress(self, *, factor: float, **_more: Any) -> None:
        assert 0.0 <= factor <= 1.0

    def _check_template_list(
        self,
        listtype_name: str,
        list_id: str,
        dataptr: Any,
        propname: str,
        active_dataptr: Any,
        active_propname: str,
        **_more: Any,
    ) -> None:
        assert dataptr.bl_rna.properties[propname].type == "COLLECTION"
        assert active_dataptr.bl_rna.properties[active_propname].type == "INT"
        drawn = getattr(bpy.types, listtype_name)
        for index, item in enumerate(getattr(dataptr, propname)):
            count = drawn.draw_item.__code__.co_argcount - 1
            rest = (0, active_dataptr, active_propname, index, 0)[: count - 4]
            own = SimpleNamespace(list_id=list_id)
            drawn.draw_item(own, bpy.context, RecordingLayout(self.calls), dataptr, item, *rest)

    # What an artist would see.

    def texts(self) -> list[str]:
        """Labels and overridden texts, in order."""
        return [call.text for call in self.calls if call.text]

    def properties(self) -> list[tuple[str, int | None]]:
        """(identifier, index) of every property shown."""
        return [(c.arguments["property"], c.arguments.get("index")) for c in self.calls if c.what == "prop"]

    def menus(self) -> list[str]:
        return [c.arguments["menu"] for c in self.calls if c.what == "menu"]

    def operators(self) -> list[str]:
        return [c.arguments["operator"] for c in self.calls if c.what.startswith("operator")]
