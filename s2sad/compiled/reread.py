"""Machine code that is read back from disk, in a process that may never compile.

Numba loads all that it compiles with before it looks into its cache: its implementations of the language and of NumPy's
functions, SciPy's linear algebra among them, and every extension that is installed. That is most of what a second
process takes to its first gradient, and machine code needs none of it: only that the names it refers to are known to
LLVM. So they are kept with it, and where each is known already, nothing is loaded. Where one is not, all is, as Numba
does it. What is not in the cache is compiled, and Numba loads all of that then, as for every other function.

Requires: a dispatcher whose function is in a file that never changes. Ensures: functions that give what Numba's give.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import nrt

__all__ = ["read_back"]


def read_back(compiled: Any) -> Any:
    """The dispatcher, which keeps its machine code on disk and looks there first; where Numba is told to compile
    nothing (``NUMBA_DISABLE_JIT``), the function that it gives instead."""
    if isinstance(compiled, Dispatcher):
        own: Any = compiled
        own._cache = _Cache(own.py_func)
    return compiled


class _Kept(CompileResultCacheImpl):
    """What a file holds: machine code, and the names that it refers to."""

    def reduce(self, cres: Any) -> Any:
        """Both."""
        return _names_outside(cres.library._final_module), super().reduce(cres)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The code, once all names are known."""
        names, kept = payload
        address: Any = binding.address_of_symbol
        if not all(map(address, names)):
            target_context.refresh()
        return super().rebuild(target_context, kept)


class _Cache(FunctionCache):
    """Numba's cache of a function, which is read before anything else is loaded."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for these types; None if nothing was."""
        nrt.rtsys.initialize(target_context)  # which makes the names of the memory that Numba counts known
        found = None
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        return found


def _names_outside(module: Any) -> list[str]:
    """The names of functions and variables that a module uses and does not define, those of LLVM's own apart."""
    declared = [v.name for part in (module.functions, module.global_variables) for v in part if v.is_declaration]
    return [name for name in declared if not name.startswith("llvm.")]
