# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels are compiled, and kept on disk. Imported only where numba is; `route` decides that.

numba's own files on disk are pickles, which run whatever is in them, and break where two processes write them at once,
where one of them is damaged, and whenever the package is moved. Here each compiled function is one file of machine code
and plain facts (`machine_code`), named by what it is, in a folder that is right by its name (`cache_folder`) and that
nobody else can have filled (`trusted_folder`). A file that cannot be read or written costs time, and never a run.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import caching, sigutils
from numba.core.ccallback import CFunc
from numba.core.registry import CPUDispatcher

from .. import route
from . import cache_folder, machine_code
from .kernel_file import MalformedError
from .linked_parts import PartCompiler, set_environments
from .trusted_folder import Folder, UntrustedError

log = logging.getLogger(__name__)

Watcher = Callable[[str, bool], None]
"""Called with the name of a function, when it begins to be compiled (False) and when that is done (True)."""

OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
"""Products and sums may be contracted (a * b + c rounded once), nothing else of fastmath: sums keep their order, and
NaN stays NaN."""
if route.is_checked():
    OPTIONS["boundscheck"] = True

sizes: dict[str, int] = {}
"""Every compiled function of the engine, and how long its bytecode is: about as long it takes to compile."""

kept_functions: dict[str, Callable[..., Any]] = {}
"""Those of them whose machine code is kept on disk."""

_watchers: list[tuple[int, Watcher]] = []
_said: list[object] = []


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code, compiled at its first call and kept on disk."""
    dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True, **OPTIONS)(function)
    dispatcher._cache = _Kept(function)
    if route.is_checked():
        dispatcher.__class__ = _Checked
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
            return dispatcher  # numba calls what it gets with the arguments

        dispatcher._compile_for_args = at_first
        return dispatcher

    return decorate


def inner(function: Callable[..., Any], *, counted: bool = True) -> Any:
    """A function that only compiled functions call, as a part of them (`linked_parts`).

    counted: whether it is one that every warm-up compiles.
    """
    return _inner(function, {}, counted)


def inlined(function: Callable[..., Any], *, counted: bool = True) -> Any:
    """A function of a few lines, which take the place of calls; counted: see `inner`.

    Not in checked kernels: errors raised in code that was inlined by force made LLVM 20 store values that it took for
    undefined, which the rod of docs/adding_a_constraint.md shows.
    """
    return _inner(function, {} if route.is_checked() else {"forceinline": True}, counted)


def _inner(function: Callable[..., Any], options: dict[str, Any], counted: bool) -> Any:
    dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, **OPTIONS, **options)(function)
    dispatcher._cache = _Unkept(function)
    if counted:
        sizes[dispatcher._cache._name] = len(function.__code__.co_code)

    def refuse(*_: Any, **__: Any) -> Any:
        raise TypeError(f"{function.__name__} is compiled for other kernels and cannot be called from Python")

    def add_overload(result: Any) -> None:
        known = result._replace(entry_point=object())  # to callers, who find it by this, but not to Python
        dispatcher.overloads[tuple(result.signature.args)] = known
        dispatcher.targetctx.insert_user_function(known.entry_point, known.fndesc, known.library.with_callees)

    # One form for all integers: numba would compile another one for every constant that is handed over.
    template = dispatcher.get_call_template

    def without_constants(arguments: Any, named: Any) -> Any:
        plain = {name: numba.types.unliteral(kind) for name, kind in named.items()}
        return template(tuple(numba.types.unliteral(kind) for kind in arguments), plain)

    dispatcher.get_call_template = without_constants
    dispatcher._compile_for_args, dispatcher.add_overload = refuse, add_overload
    dispatcher._compiler.pipeline_class = PartCompiler
    return dispatcher


def callback(signature: Any, *, kept: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """The function for one signature, to be called by its `address`: it is compiled when that is first asked for.

    kept: whether machine code is kept on disk; its source must then be one of those that name the folder.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        called = _Callback(function, sigutils.normalize_signature(signature), {}, dict(OPTIONS))
        called._cache = _Kept(function) if kept else _Unkept(function)
        return called

    return decorate


class _Checked(CPUDispatcher):  # type: ignore[misc]
    """Raises what went wrong inside a `callback` too: there Python can only be told of it, and goes on."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        told: list[BaseException | None] = []
        before = sys.unraisablehook
        sys.unraisablehook = lambda lost: told.append(lost.exc_value)
        try:
            result = super().__call__(*arguments, **named)
        finally:
            sys.unraisablehook = before
        for error in told:
            if error is not None:
                raise error
        return result


class _Callback(CFunc):  # type: ignore[misc]
    @property
    def address(self) -> int:
        if self._wrapper_address is None:
            self.compile()
        return int(self._wrapper_address)


def size_with_parts(function: Callable[..., Any]) -> int:
    """Length of the bytecode of a function and of all parts that its machine code is made of."""
    found, new = {function}, [function]
    while new:
        one = new.pop()
        called = (one.__globals__.get(name) for name in one.__code__.co_names)
        parts = {each.py_func for each in called if isinstance(each, CPUDispatcher)} - found
        found |= parts
        new += parts
    return sum(len(one.__code__.co_code) for one in found)


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
        self._function = function
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        sizes[self._name] = len(function.__code__.co_code)
        kept_functions[self._name] = function

    @property
    def cache_path(self) -> str | None:
        folder = cache_folder.folder()
        return str(folder) if folder is not None else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for these types; None if it must be compiled.

        What the compiler prepares for itself, which takes longer than all the rest of a start, waits until something
        must be compiled.
        """
        for folder in cache_folder.readable():
            loaded = self._loaded(folder, sig, target_context)
            if loaded is not None:
                return loaded
        target_context.refresh()
        _tell(self._name, done=False)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; one that cannot be kept is compiled again in the next run, and the log says so."""
        set_environments(data.library)
        _tell(self._name, done=True)
        folder, shared = cache_folder.writable(), cache_folder.shared()
        if folder is None:
            return
        identity, file = self._identity(sig, data.codegen)
        try:
            folder.write(file, machine_code.to_bytes(data, identity))
        except ValueError as error:
            log.info("%s is compiled at every start: %s", self._name, error)
            return
        except OSError as error:
            _say_once(f"Compiled kernels cannot be kept in '{folder.path}' ({error.strerror or error})")
            return
        if shared is not None:
            _say_once(f"'{shared.path}' lacks a part of the fast solver, which is now kept in '{folder.path}'")

    def _loaded(self, folder: Folder, sig: Any, target_context: Any) -> Any:
        identity, file = self._identity(sig, target_context.codegen())
        try:
            args, _ = sigutils.normalize_signature(sig)
            return machine_code.from_bytes(folder.read(file), identity, self._function, args, target_context)
        except FileNotFoundError:
            return None
        except UntrustedError as error:
            _say_once(f"{error}, so it is not run but compiled anew, like all that is so in this folder", folder.path)
        except OSError as error:
            _say_once(f"'{folder.path / file}' cannot be read ({error.strerror or error})", folder.path)
        except MalformedError as error:
            log.warning("'%s' is damaged (%s) and made anew", folder.path / file, error)
        return None

    def _identity(self, sig: Any, codegen: Any) -> tuple[str, str]:
        """What a compiled form is, which stands in its file too, and the name of that file."""
        identity = repr((self._name, str(sig), codegen.magic_tuple()))
        return identity, f"{self._name}.{hashlib.sha256(identity.encode()).hexdigest()[:16]}.kernel"

    def enable(self) -> None:
        """Always enabled."""

    def disable(self) -> None:
        """Always enabled."""

    def flush(self) -> None:
        """Files are right by their name; `cache_folder.clear` deletes them."""


class _Unkept(_Kept):
    """Nothing on disk: for functions that come and go with a scene, whose source no folder is named by, or that are
    part of others."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ARG002
        target_context.refresh()
        _tell(self._name, done=False)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ARG002
        set_environments(data.library)
        _tell(self._name, done=True)


def _tell(name: str, *, done: bool) -> None:
    watchers = [watcher for thread, watcher in _watchers if thread == threading.get_ident()]
    for watcher in watchers:
        watcher(name, done)
    if not watchers:
        _say_once(
            "RedMax compiles its fast solver, once for this computer: this takes some seconds. "
            "`python -m redmax warm-up` does it ahead of time"
        )


def _say_once(text: str, about: object = None) -> None:
    """Log it, unless it was said before; about: unless anything was said about this."""
    if (about or text) not in _said:
        _said.append(about or text)
        log.warning("%s", text)
