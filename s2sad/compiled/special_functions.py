"""Functions of ``scipy.special`` in machine code: real ones are called at the addresses that SciPy gives of them.

``scipy.special.cython_special`` has for each function of real numbers one or several routines of the C language, with
their types; NumPy's own resolution of a ufunc says which of them is meant by a call. What a routine computes is what
the ufunc computes, so that compiled code has the same numbers.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from s2sad.ir import kinds as K

__all__ = ["function_named", "letters_for", "place_of", "real_functions", "routine"]

#: What routines take, by the names of types in C, as the letters of NumPy.
_LETTERS = {"double": "d", "long": "l", "Py_ssize_t": "l"}
_SPECIAL = "scipy.special"
_SYMBOL = "s2sad_special_"  # with what follows it, the names by which machine code finds routines


def real_functions() -> dict[Any, str]:
    """The ufuncs of ``scipy.special`` that give one number, and their names there; none before it is imported."""
    module = sys.modules.get(_SPECIAL)
    found = {} if module is None else vars(module)
    return {fn: name for name, fn in found.items() if isinstance(fn, np.ufunc) and fn.nout == 1}


def function_named(name: str) -> Any:
    """The ufunc of this name."""
    return getattr(sys.modules[_SPECIAL], name)


def letters_for(fn: Any, kinds: Sequence[K.Kind]) -> str | None:
    """The letters of the types that a call takes its arguments as, where a routine does; None where none does.

    >>> from scipy import special
    >>> letters_for(special.gammainc, (K.FLOAT, K.INT)), letters_for(special.expn, (K.INT, K.FLOAT))
    ('dd', 'ld')
    """
    if len(kinds) != fn.nin or not all(_is_known(k) for k in kinds):
        return None
    try:
        loop = fn.resolve_dtypes((*[np.dtype(_DTYPES[K.dtype_of(k)]) for k in kinds], None))
    except TypeError:  # no loop takes such arguments
        return None
    letters = "".join([dtype.char for dtype in loop])
    name = real_functions()[fn]
    return letters[:-1] if letters[-1] == "d" and letters[:-1] in _addresses().get(name, ()) else None


def _is_known(kind: K.Kind) -> bool:
    """Whether this is of numbers, or of arrays of so many axes, that routines take."""
    match kind:
        case K.Scalar(dtype) | K.Array(dtype, int()):
            return dtype in _DTYPES
    return False


_DTYPES = {"float": "d", "float64": "d", "int": "l", "int64": "l"}


@cache
def routine(name: str, letters: str) -> Any:
    """The routine that takes these types, as Numba calls it: its last argument, 0, asks for no method of Python's."""
    from llvmlite import binding
    from numba import types

    taken: dict[str, Any] = {"d": types.float64, "l": types.intp}
    signature: Any = types.float64
    symbol = f"{_SYMBOL}{name}_{letters}"
    add: Any = binding.add_symbol
    add(symbol, _addresses()[name][letters])
    external: Any = types.ExternalFunction(symbol, signature(*[taken[c] for c in letters], types.intc))
    external.__name__ = name
    return external


def place_of(value: Any) -> tuple[str, str] | None:
    """The name and the letters by which :func:`routine` gives this object; None of any other."""
    symbol = getattr(value, "symbol", None)
    if not isinstance(symbol, str) or not symbol.startswith(_SYMBOL):
        return None
    name, _, letters = symbol.removeprefix(_SYMBOL).rpartition("_")
    return (name, letters) if value is routine(name, letters) else None


@cache
def _addresses() -> dict[str, dict[str, int]]:
    """The addresses of all routines that give a real number, by name and by the letters of what they take."""
    from scipy.special import cython_special

    found: dict[str, dict[str, int]] = {}
    for key, capsule in cython_special.__pyx_capi__.items():
        name, letters = key.removeprefix("__pyx_fuse_").lstrip("0123456789_"), _taken(capsule)
        if letters is not None:
            found.setdefault(name, {})[letters] = _pointer(capsule)
    return found


def _taken(capsule: Any) -> str | None:
    """The letters of a routine's arguments, None if it takes or gives anything else than real numbers."""
    result, _, rest = _signature(capsule).partition(" (")
    *taken, last = rest.removesuffix(")").split(", ")
    if result != "double" or last != "int __pyx_skip_dispatch" or not all(t in _LETTERS for t in taken):
        return None
    return "".join([_LETTERS[t] for t in taken])


def _signature(capsule: Any) -> str:
    of_name = ctypes.pythonapi.PyCapsule_GetName
    of_name.restype, of_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    name: bytes = of_name(capsule)
    return name.decode()


def _pointer(capsule: Any) -> int:
    of_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    of_pointer.restype, of_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address: int = of_pointer(capsule, _signature(capsule).encode())
    return address
