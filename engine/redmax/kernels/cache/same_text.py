# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain functions of the engine as compiled ones: Python and kernels run the same text.

A compiled function can call compiled functions only. So a plain function is compiled as a copy of itself, in whose
globals every plain function that it calls is replaced by that function's own compiled copy. Functions must be imported
by name for that (`from ..spatial.scalar import product`); constants may be read through their module.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from ...spatial.scalar import SMALL
from . import jit
from .cache_folder import READ_OUTSIDE

ENGINE = Path(__file__).parents[2]
KNOWN = [ENGINE / f"{name}.py" for name in READ_OUTSIDE]
"""Sources outside of kernels and joints whose machine code may be kept."""

_compiled: weakref.WeakKeyDictionary[FunctionType, Any] = weakref.WeakKeyDictionary()


def compiled_text(function: Any) -> Any:
    """A plain function, compiled for other kernels to call; the same object at every call."""
    found = _compiled.get(function)
    if found is None:
        how = jit.inlined if function in SMALL else jit.inner
        found = _compiled[function] = how(rebound(function), counted=is_known(function))
    return found


def replace_text(function: Any, by: Any) -> None:
    """Let kernels call another function where the text calls this one, such as one by its address."""
    _compiled[function] = jit.inner(by)


def rebound(function: FunctionType) -> FunctionType:
    """A copy of a function that calls compiled functions where the original calls plain ones."""
    names = _names(function.__code__)
    surroundings = {
        name: compiled_text(value) if isinstance(value, FunctionType) else value
        for name, value in function.__globals__.items()
        if name in names
    }
    surroundings |= {"__name__": function.__module__, "__builtins__": function.__globals__["__builtins__"]}
    copy = FunctionType(function.__code__, surroundings, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy


def is_known(function: Any) -> bool:
    """Whether machine code of a function may be kept: its source, and those of all that it calls, are among those that
    name the cache's folder, and its name tells it from all others, as that of a function made by another does not."""
    source = Path(function.__code__.co_filename)
    if source.parent != ENGINE / "joints" and ENGINE / "kernels" not in source.parents and source not in KNOWN:
        return False
    called = (function.__globals__.get(name) for name in _names(function.__code__))
    return function.__closure__ is None and all(is_known(each) for each in called if isinstance(each, FunctionType))


def _names(code: CodeType) -> set[str]:
    """Global names that a function's code uses, also inside functions of its own."""
    nested = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*nested)
