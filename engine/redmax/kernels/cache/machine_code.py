# SPDX-License-Identifier: GPL-3.0-or-later
"""A compiled function as bytes and back, without pickle: machine code, and the plain facts that numba needs of it.

What the source says is taken from there: the function, its module, the types it was called with. The file has the type
of the result, names of symbols, and the few constants that machine code looks up.

numba's own caches also read again the bitcode of all they find, in case another function takes it in; import the module
of every function that was ever taken in, in case machine code asks for its globals; and compile a part of its runtime,
in case machine code calls it instead of having it in line. Together that is nine tenths of loading. Here bitcode waits
until it is asked for, and the other two are left out where machine code does without, which is seen when it is written.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from llvmlite import binding
from numba.core import compiler, typing
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.runtime import _nrt_python, rtsys

from .kernel_file import MalformedError, packed, unpacked
from .plain_types import constant_from_plain, constant_to_plain, from_plain, to_plain

T = TypeVar("T")


def to_bytes(result: Any, identity: str) -> bytes:
    """A compiled function as numba's compiler hands it over. identity: says which function and for which types.

    Raises ValueError where it needs more than machine code and plain facts: such a function is compiled every time.
    """
    library, described = result.library, result.fndesc
    if result.lifted or result.objectmode or result.reload_init or library.has_dynamic_globals:
        raise ValueError("it is not machine code alone")
    described.typemap = described.calltypes = None  # large, and of use to the compiler only
    ways_in = (described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name)
    there = {function.name for function in library.get_defined_functions()}
    facts = {
        "identity": identity,
        "library": library.name,
        "symbol": described.mangled_name,
        "defined": [name for name in ways_in if name in there],
        "inline": described.inline,
        "returns": to_plain(result.signature.return_type),
        "environment": described.env_name,
        "surroundings": [[each.env_name, *_plain_surroundings(each)] for each in _surroundings(result)],
        "needs runtime": _needs_runtime(library),
    }
    return packed(facts, (library._get_compiled_object(), library._get_module_for_linking().as_bitcode()))


def from_bytes(content: bytes, identity: str, function: Callable[..., Any], args: Any, target_context: Any) -> Any:
    """The function, compiled for these types and ready to be called, as numba's compiler would hand it over.

    The machine code will be run: only what this user or root wrote may come here. Raises MalformedError before
    anything has happened.
    """
    facts, parts = unpacked(content)
    try:
        machine_code, bitcode = parts
        if _checked(str, facts["identity"]) != identity:
            raise MalformedError("another function")
        symbol, library_name = _checked(str, facts["symbol"]), _checked(str, facts["library"])
        defined = {_checked(str, name) for name in _checked(list, facts["defined"])}
        inline, needs_runtime = _checked(bool, facts["inline"]), _checked(bool, facts["needs runtime"])
        returns, own = from_plain(facts["returns"]), _checked(str, facts["environment"])
        environments = {name: _environment(name, *rest) for name, *rest in _checked(list, facts["surroundings"])}
        environment = environments[own]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MalformedError(f"wrong facts ({type(error).__name__}: {error})") from None
    described = PythonFunctionDescriptor(
        native=True,
        modname=function.__module__,
        qualname=function.__qualname__,
        unique_name=symbol,
        doc="",
        typemap=None,
        restype=returns,
        calltypes=None,
        args=function.__code__.co_varnames[: function.__code__.co_argcount],
        kws=(),
        mangler=lambda *_, **__: symbol,
        argtypes=tuple(args),
        inline=inline,
        env_name=own,
    )
    if needs_runtime:
        rtsys.initialize(target_context)
    else:
        _name_helpers()
    library = _library(target_context.codegen(), library_name, machine_code, bitcode, defined)
    called = target_context.get_executable(library, described, environment)
    for name, each in environments.items():
        library.codegen.set_env(name, each)
    return compiler.CompileResult(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=called,
        typing_error=None,
        type_annotation="",
        signature=typing.signature(returns, *args),
        objectmode=False,
        lifted=(),
        fndesc=described,
        library=library,
        call_helper=None,
        environment=environment,
        metadata=None,
        reload_init=(),
        referenced_envs=tuple(environments.values()),
    )


def _library(codegen: Any, name: str, machine_code: bytes, bitcode: bytes, defined: set[str]) -> Any:
    """Machine code as numba knows it. defined: symbols in it that may be called from outside."""
    library = codegen.create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    codegen._engine._defined_symbols |= defined

    @cache
    def module_for_linking() -> Any:
        return binding.parse_bitcode(bitcode)

    library._get_module_for_linking = module_for_linking
    return library


# --- what machine code looks up outside itself -------------------------------------------------


def _surroundings(result: Any) -> list[Any]:
    """Where the function and those taken into it keep their globals and constants, as far as machine code asks."""
    named = Counter(re.findall(r"_ZN08NumbaEnv\w*", str(result.library._final_module)))
    asked_for = [name for name, count in named.items() if count != 1]  # 1: it is declared, and that is all
    found = (lookup_environment(name) for name in asked_for if name != result.fndesc.env_name)
    return [result.environment, *(each for each in found if each is not None)]


def _plain_surroundings(environment: Any) -> tuple[str, list[Any]]:
    """Its module and its constants. Raises ValueError for constants that are not plain."""
    module = environment.globals.get("__name__")
    if not isinstance(module, str):
        raise ValueError("it belongs to no module")
    return module, [constant_to_plain(each) for each in environment.consts]


def _environment(name: str, module: str, constants: list[Any]) -> Any:
    """The surroundings of that name. Their module is not imported for it: what calls a function has imported it."""
    if (known := lookup_environment(_checked(str, name))) is not None:
        return known
    made = Environment(vars(sys.modules[_checked(str, module)]))
    made.consts[:] = [constant_from_plain(each) for each in _checked(list, constants)]
    made.env_name = name
    Environment._memo[name] = made
    return made


def _needs_runtime(library: Any) -> bool:
    """Whether machine code calls functions of numba's runtime that are compiled at every start."""
    made = {function.name for function in rtsys.library.get_defined_functions()}
    return any(function.is_declaration and function.name in made for function in library._final_module.functions)


@cache
def _name_helpers() -> None:
    """Tell LLVM where those functions of numba's runtime are that came compiled, as `rtsys.initialize` does."""
    for name, address in _nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _checked(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise MalformedError(f"{value!r:.100} is no {kind.__name__}")
    return value
