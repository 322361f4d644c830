# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that only compiled functions call, as parts that these link and optimise.

numba optimises a function with all that it calls and makes machine code of the whole, for every function anew: what
lies eight calls deep is compiled eight times. A part stays intermediate code, and what is called from outside links
every part below it once, optimises the whole and makes machine code of it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import lookup_environment


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code of one function, without that of the functions it calls."""

    def _optimize_functions(self, module: Any) -> None:
        """Make it short, so that it is linked quickly. The rest is done to the whole."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                builder, passes = self._codegen._pass_builder(), binding.create_new_function_pass_manager()
                passes.add_sroa_pass()
                passes.add_simplify_cfg_pass()
                passes.add_instruction_combine_pass()
                passes.run(function, builder)

    def finalize(self) -> None:
        """No machine code."""
        self._finalized = True

    @property
    def with_callees(self) -> list[Any]:
        """The part and all below it, each once: what a caller has to link."""
        return list(dict.fromkeys((self, *self._linking_libraries)))


class PartCompiler(compiler.Compiler):  # type: ignore[misc]
    """numba's compiler up to intermediate code."""

    def compile_extra(self, function: Any) -> Any:
        """The function as a `Part`."""
        self.state.library = Part(self.state.targetctx.codegen(), function.__qualname__)
        self.state.flags.no_compile = True
        return super().compile_extra(function)


def set_environments(library: Any) -> None:
    """Tell machine code where the globals and constants of the parts in it are, which it may ask for."""
    if isinstance(library, Part):
        return
    library._ensure_finalized()
    for variable in library._final_module.global_variables:
        environment = lookup_environment(variable.name)
        if environment is not None:
            library.codegen.set_env(variable.name, environment)
