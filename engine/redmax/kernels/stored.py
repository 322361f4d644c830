# SPDX-License-Identifier: GPL-3.0-or-later
"""A compiled function as bytes and back: what numba's own caches do, without what most starts have no use for.

numba reads again the bitcode of all it finds, in case another function takes it in; imports the module of every
function that was ever taken in, in case machine code asks for its globals; and compiles a part of its runtime, in case
machine code calls it instead of having it in line. Together that is nine tenths of loading. Here bitcode waits until
it is asked for, and the other two are left out where machine code does without, which is seen when it is written.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from llvmlite import binding
from numba import cloudpickle
from numba.core import compiler, serialize
from numba.core.runtime import _nrt_python, rtsys


def to_bytes(result: Any) -> bytes:
    """A compiled function as numba's compiler hands it over."""
    (name, kind, (machine_code, bitcode)), *others, environments = result._reduce()
    named = Counter(re.findall(r"_ZN08NumbaEnv\w*", str(result.library._final_module)))
    asked_for = tuple(each for each in environments if named[each.env_name] != 1)  # 1: it is declared, and that is all
    reduced = ((name, kind, (machine_code, _outline(result))), *others, asked_for)
    return bytes(serialize.dumps((_needs_runtime(result.library), bitcode, reduced)))


def from_bytes(content: bytes, target_context: Any) -> Any:
    """The same function, ready to be called. The bytes are run: only what this program wrote may come here."""
    needs_runtime, bitcode, reduced = cloudpickle.loads(content)
    if needs_runtime:
        rtsys.initialize(target_context)
    else:
        _name_helpers()
    result = compiler.CompileResult._rebuild(target_context, *reduced)

    @cache
    def module_for_linking() -> Any:
        return binding.parse_bitcode(bitcode)

    result.library._shared_module = None  # the outline, which has nothing that another function could take in
    result.library._get_module_for_linking = module_for_linking
    return result


def _outline(result: Any) -> bytes:
    """Bitcode that defines the names of what may be called from outside, and nothing else: numba looks there whether
    machine code has them."""
    described = result.fndesc
    ways_in = (described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name)
    there = {function.name for function in result.library.get_defined_functions()}
    lines = [f'@"{name}" = global i8 0' for name in ways_in if name in there]
    return bytes(binding.parse_assembly("\n".join(lines)).as_bitcode())


def _needs_runtime(library: Any) -> bool:
    """Whether machine code calls functions of numba's runtime that are compiled at every start."""
    made = {function.name for function in rtsys.library.get_defined_functions()}
    return any(function.is_declaration and function.name in made for function in library._final_module.functions)


@cache
def _name_helpers() -> None:
    """Tell LLVM where those functions of numba's runtime are that came compiled, as `rtsys.initialize` does."""
    for name, address in _nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
