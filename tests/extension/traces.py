# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything an add-on can leave behind in a running Blender, as plain data to compare.

What Blender lists is read (classes, properties, handlers, menus, key maps); what it does not list (timers, draw
callbacks, command-line commands, message-bus subscriptions) is counted inside `watching`.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import bpy

Snapshot = dict[str, set[str]]

_held: dict[str, dict[int, tuple[object, str]]] = {
    "timers": {},
    "draw callbacks": {},
    "commands": {},
    "message bus": {},
}


@contextlib.contextmanager
def watching() -> Iterator[None]:
    """Count what Blender cannot list; its functions are put back at the end, or Blender 4.5 hangs at exit."""
    with contextlib.ExitStack() as replaced:
        _count(replaced, "timers", bpy.app.timers, "register", "unregister", of_function=True)
        _count(replaced, "commands", bpy.utils, "register_cli_command", "unregister_cli_command")
        for name in dir(bpy.types):
            space = getattr(bpy.types, name)
            # Class methods that every editor inherits: each gets its own pair, bound to it; the base is no editor.
            if isinstance(space, type) and issubclass(space, bpy.types.Space) and space is not bpy.types.Space:
                _count(replaced, "draw callbacks", space, "draw_handler_add", "draw_handler_remove")
        _count(replaced, "message bus", bpy.msgbus, "subscribe_rna", "clear_by_owner", of_keyword="owner")
        yield


def _count(
    replaced: contextlib.ExitStack,
    what: str,
    owner: Any,
    add: str,
    remove: str,
    *,
    of_function: bool = False,
    of_keyword: str | None = None,
) -> None:
    """Replace a pair of functions by ones that remember what is held: the function or keyword given, or the handle."""
    original_add: Callable[..., Any] = getattr(owner, add)
    original_remove: Callable[..., Any] = getattr(owner, remove)

    def counted_add(*arguments: Any, **keywords: Any) -> Any:
        handle = original_add(*arguments, **keywords)
        held = keywords[of_keyword] if of_keyword else arguments[0] if of_function else handle
        _held[what][id(held)] = (held, _name(keywords.get("notify") or arguments[0]))
        return handle

    def counted_remove(handle: Any, *arguments: Any) -> Any:
        _held[what].pop(id(handle), None)
        return original_remove(handle, *arguments)

    for name, function in ((add, counted_add), (remove, counted_remove)):
        own = vars(owner).get(name)
        setattr(owner, name, function)
        replaced.callback(*((delattr, owner, name) if own is None else (setattr, owner, name, own)))


def snapshot() -> Snapshot:
    _held["timers"] = {k: v for k, v in _held["timers"].items() if bpy.app.timers.is_registered(v[0])}
    types = {name: getattr(bpy.types, name) for name in dir(bpy.types)}
    return {
        "classes": set(types) | {cls.__name__ for cls in _registered(bpy.types.bpy_struct)},
        "properties": {
            f"{n}.{p}" for n, t in types.items() if hasattr(t, "bl_rna") for p in _names(t.bl_rna.properties)
        },
        "attributes": {f"{n}.{a}" for n, t in types.items() for a in getattr(t, "__dict__", ())},
        "operators": {f"{module}.{name}" for module in dir(bpy.ops) for name in dir(getattr(bpy.ops, module))},
        "menus": set(_drawn(types)),
        "handlers": set(_handlers()),
        "key maps": set(_keys()),
        "loggers": {f"{name}: {handler!r}" for name, handler in _log_handlers()},
        "threads": {thread.name for thread in threading.enumerate()},
        "import path": set(sys.path),
        "importers": {repr(finder) for finder in sys.meta_path},
        **{what: {text for _, text in held.values()} for what, held in _held.items()},
    }


def difference(before: Snapshot, after: Snapshot) -> dict[str, list[str]]:
    """What was added or lost, by kind; empty when the two are equal."""
    changes = {}
    for what in before:
        changed = [f"+ {one}" for one in sorted(after[what] - before[what])]
        changed += [f"- {one}" for one in sorted(before[what] - after[what])]
        if changed:
            changes[what] = changed
    return changes


def _registered(base: type) -> Iterator[type]:
    """Also the classes that `bpy.types` does not list, such as property groups."""
    for cls in base.__subclasses__():
        if "bl_rna" in vars(cls):
            yield cls
        yield from _registered(cls)


def _name(function: Any) -> str:
    """Without the address in memory, which differs from one enabling to the next."""
    return f"{function.__module__}.{function.__qualname__}" if callable(function) else repr(function)


def _names(properties: Any) -> list[str]:
    return list(map(str, properties.keys()))


def _drawn(types: dict[str, Any]) -> Iterator[str]:
    """Functions that were appended to menus, panels and headers; the first one is the class's own."""
    for name, cls in types.items():
        for function in getattr(getattr(cls, "draw", None), "_draw_funcs", ())[1:]:
            yield f"{name}: {_name(function)}"


def _handlers() -> Iterator[str]:
    for name in dir(bpy.app.handlers):
        functions = getattr(bpy.app.handlers, name)
        if isinstance(functions, list):
            for index, function in enumerate(functions):
                yield f"{name}[{index}]: {_name(function)}"


def _keys() -> Iterator[str]:
    for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps:
        for item in keymap.keymap_items:
            yield f"{keymap.name}: {item.idname} {item.to_string()}"


def _log_handlers() -> Iterator[tuple[str, logging.Handler]]:
    for name in ["", *logging.root.manager.loggerDict]:
        for handler in logging.getLogger(name).handlers:
            yield name, handler
