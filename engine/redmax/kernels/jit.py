# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels are compiled, and kept on disk. Imported only where numba is; `route` decides that.

numba's own files on disk break where two processes write them at once, where one of them is damaged, and whenever the
package is moved. Here each compiled function is one file, named by what it is and checked by its hash, in a folder
that is right by its name (`cache_folder`). A file that cannot be read or written costs time, and never a run.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, sigutils
from numba.core.ccallback import CFunc

from . import cache_folder, stored

log = logging.getLogger(__name__)

Watcher = Callable[[str, bool], None]
"""Called with the name of a function, when it begins to be compiled (False) and when that is done (True)."""

OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
"""Products and sums may be contracted (a * b + c rounded once), nothing else of fastmath: sums keep their order, and
NaN stays NaN."""

sizes: dict[str, int] = {}
"""Every compiled function of the engine, and how long its bytecode is: about as long it takes to compile."""

_watchers: list[tuple[int, Watcher]] = []
_said: list[str] = []


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code, compiled at its first call and kept on disk."""
    dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True, **OPTIONS)(function)
    dispatcher._cache = _Kept(function)
    return dispatcher


def compiled_for(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """The same for one signature alone, compiled at the first call. Arguments of other types are a TypeError, instead
    of seconds in which the function is compiled for them too."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = compiled(function)

        def at_first(*arguments: Any, **_: Any) -> Any:
            if dispatcher.overloads:
                listed = ", ".join(str(numba.typeof(argument)) for argument in arguments)
                raise TypeError(f"{function.__name__} takes {signature}, not ({listed})")
            dispatcher.compile(signature)
            return dispatcher(*arguments)

        dispatcher._compile_for_args = at_first
        return dispatcher

    return decorate


def inner(function: Callable[..., Any]) -> Any:
    """The same for what only compiled functions call: without a way in from Python it compiles in 3/4 of the time."""
    return _inner(function, {})


def inlined(function: Callable[..., Any]) -> Any:
    """The same for a few lines, which become part of whatever calls them."""
    return _inner(function, {"forceinline": True})


def _inner(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, **OPTIONS, **options)(function)
    dispatcher._cache = _Kept(function)

    def refuse(*_: Any, **__: Any) -> Any:
        raise TypeError(f"{function.__name__} is compiled for other kernels and cannot be called from Python")

    def add_overload(result: Any) -> None:
        dispatcher.overloads[tuple(result.signature.args)] = result  # known to callers, but not to Python

    dispatcher._compile_for_args, dispatcher.add_overload = refuse, add_overload
    return dispatcher


def callback(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """The function for one signature, to be called by its `address`: it is compiled when that is first asked for."""

    def decorate(function: Callable[..., Any]) -> Any:
        called = _Callback(function, sigutils.normalize_signature(signature), {}, dict(OPTIONS))
        called._cache = _Kept(function)
        return called

    return decorate


class _Callback(CFunc):  # type: ignore[misc]
    @property
    def address(self) -> int:
        if self._wrapper_address is None:
            self.compile()
        return int(self._wrapper_address)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Inside, `watcher` hears of everything that this thread compiles. Nobody watching, a line is logged once."""
    entry = (threading.get_ident(), watcher)
    _watchers.append(entry)
    try:
        yield
    finally:
        _watchers.remove(entry)


class _Kept(caching._Cache):  # type: ignore[misc]
    """The compiled forms of one function on disk; the part of numba's caches that its dispatchers use."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        sizes[self._name] = len(function.__code__.co_code)

    @property
    def cache_path(self) -> str | None:
        folder = cache_folder.folder()
        return str(folder) if folder is not None else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for these types; None if it must be compiled.

        What the compiler prepares for itself, which takes longer than all the rest of a start, waits until something
        must be compiled.
        """
        path = self._path(sig, target_context.codegen())
        loaded = _loaded(path, target_context) if path is not None else None
        if loaded is None:
            target_context.refresh()
            _tell(self._name, done=False)
        return loaded

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; one that cannot be kept is compiled again in the next run, and the log says so."""
        _tell(self._name, done=True)
        path = self._path(sig, data.codegen)
        if path is None or data.lifted or data.library.has_dynamic_globals:
            return
        content = stored.to_bytes(data)
        try:
            _write(path, hashlib.sha256(content).digest() + content)
        except OSError as error:
            _say_once(f"Compiled kernels cannot be kept in '{path.parent}' ({error.strerror or error})")

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        folder = cache_folder.folder()
        if folder is None:
            return None
        key = hashlib.sha256(repr((str(sig), codegen.magic_tuple())).encode()).hexdigest()
        return folder / f"{self._name}.{key[:16]}.kernel"

    def enable(self) -> None:
        """Always enabled."""

    def disable(self) -> None:
        """Always enabled."""

    def flush(self) -> None:
        """Files are right by their name; `cache_folder.clear` deletes them."""


def _loaded(path: Path, target_context: Any) -> Any:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        log.warning("'%s' is damaged and made anew", path)
        return None
    return stored.from_bytes(content[32:], target_context)


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, also where two processes write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(partial).replace(path)
    except OSError:
        Path(partial).unlink(missing_ok=True)
        raise


def _tell(name: str, *, done: bool) -> None:
    watchers = [watcher for thread, watcher in _watchers if thread == threading.get_ident()]
    for watcher in watchers:
        watcher(name, done)
    if not watchers:
        _say_once(
            "RedMax compiles its fast solver, once for this computer: this takes some seconds. "
            "`python -m redmax warm-up` does it ahead of time"
        )


def _say_once(text: str) -> None:
    if text not in _said:
        _said.append(text)
        log.warning("%s", text)
