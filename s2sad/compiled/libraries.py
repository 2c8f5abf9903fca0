"""What Numba does with a function's instructions once they are put down: as it does, but less of it.

Numba puts each function through LLVM's optimisations of functions by itself, at their highest level, before it does
so with all that the function calls. For the first time the lowest level is enough, which takes half as long: what comes
out in the end is as large, and as fast. (Without any optimisation of loops by then it is three times as large, where
array programs are long.) And it makes machine code of each function: of a helper as well, whose instructions are in the
functions that call it by then, and which nobody else calls. Here none is made of those.

Requires: the methods of Numba's library; of a version that has others, its library is taken.
Ensures: functions that give what Numba's give.

>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> @njit(pipeline_class=DerivativeCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)
... def double(x):
...     return 2.0 * x
...
>>> @njit(pipeline_class=DerivativeCompiler)
... def quadruple(x):
...     return double(double(x))
...
>>> quadruple(1.5)
6.0
>>> [type(f.overloads[f.signatures[0]].library).__name__ for f in (double, quadruple)]
['Part', 'Whole']
"""

from __future__ import annotations

from copy import copy
from functools import cache
from itertools import islice
from typing import Any

from llvmlite import binding
from numba.core import codegen
from numba.core.environment import lookup_environment

__all__ = ["library_for", "set_environments"]

#: What the global variables are called that hold what Numba keeps of functions for calls of Python.
_ENVIRONMENT = "_ZN08NumbaEnv"


#: The names of functions by which Python and C call others begin with these.
_WRAPPERS = ("_ZN7cpython", "cfunc.", "_ZN5cfunc")
#: How many instructions a function has that is put in the place of calls.
SMALL = 1000


class Whole(codegen.JITCodeLibrary):
    """A function that is called from outside, with all that it calls."""

    put_in_place = True  #: of calls of other functions, if it is small

    def _optimize_functions(self, ll_module: Any) -> None:
        """Simplify each function by itself, at the lowest level."""
        ll_module.data_layout = self._codegen._data_layout
        generator: Any = self._codegen
        passes, builder = generator._function_pass_manager(opt=1)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _get_module_for_linking(self) -> Any:
        """The module for functions that call this one; where it is small, it is put in the place of each call.

        A call has some thirty words to hand over for three arrays, and references to count that are none in place.
        """
        library: Any = super()
        module = library._get_module_for_linking()
        own: Any = self._final_module
        for function in own.functions if self.put_in_place else ():
            is_outer = not function.is_declaration and function.linkage == binding.Linkage.external
            if is_outer and not function.name.startswith(_WRAPPERS) and _is_small(function):
                module.get_function(function.name).add_function_attribute("alwaysinline")
        return module


def _is_small(function: Any) -> bool:
    """Whether a function has few instructions."""
    return sum(1 for _ in islice((i for block in function.blocks for i in block.instructions), SMALL + 1)) <= SMALL


class Part(Whole):
    """A function that only compiled functions call: they have it with them, and LLVM puts it in place or not."""

    put_in_place = False

    def _finalize_specific(self) -> None:
        """Nothing: no machine code is made."""

    def get_pointer_to_function(self, name: str) -> int:
        """No address, but the library is ready for those that call the function."""
        library: Any = super()
        library._ensure_finalized()
        return 0


class _Apart(codegen.JITCPUCodegen):
    """Numba's code generator, which adds nothing to the process."""

    def _add_module(self, module: Any) -> None:
        pass

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing: there is no variable for it yet."""


def library_for(state: Any) -> Any:
    """The library for a function that is being compiled; None for Numba's own."""
    generator = state.targetctx.codegen()
    if type(generator) is not codegen.JITCPUCodegen or not _are_there():
        return None
    is_part = state.flags.no_cpython_wrapper and state.flags.no_cfunc_wrapper
    name = state.func_id.func_qualname
    make: Any = Part if is_part else Whole
    library = make(_apart(generator) if is_part else generator, name)
    library.enable_object_caching()
    return library


def set_environments(library: Any) -> None:
    """Let a function have what Numba keeps of those that it has with it: their variables for it are there only now."""
    if isinstance(library, Part):
        return
    find: Any = lookup_environment
    for name in (variable.name for variable in library._final_module.global_variables):
        if name.startswith(_ENVIRONMENT) and (known := find(name)) is not None:
            library.codegen.set_env(name, known)


@cache
def _are_there() -> bool:
    """Whether this Numba has the methods that are others here."""
    library = (
        *("_optimize_functions", "_finalize_specific", "get_pointer_to_function"),
        *("_ensure_finalized", "_get_module_for_linking"),
    )
    generator = ("_add_module", "set_env", "_function_pass_manager")
    return all(hasattr(codegen.JITCodeLibrary, n) for n in library) and all(
        hasattr(codegen.JITCPUCodegen, n) for n in generator
    )


@cache
def _apart(generator: Any) -> Any:
    other = copy(generator)
    other.__class__ = _Apart
    return other
