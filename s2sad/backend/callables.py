"""Where a library's callable is found: the module and attributes that emitted code names.

``__module__`` and ``__qualname__`` do not tell (a ufunc has neither, most of NumPy says
``numpy`` whatever the submodule), so the namespaces themselves are searched.
"""

from __future__ import annotations

import builtins
import cmath
import math
import operator
import sys
from functools import cache
from types import MethodType, ModuleType
from typing import Any

import numpy as np

__all__ = ["is_library", "locate"]

Location = tuple[ModuleType, tuple[str, ...]]

#: Searched in this order; modules that are not loaded hold nothing a program could use.
_SEARCHED: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (builtins, ()),
    (math, ()),
    (np, ()),
    (np, ("linalg",)),
    (np, ("fft",)),
    (np, ("random",)),
    (np, ("lib", "stride_tricks")),
    (cmath, ()),
    (operator, ()),
)
_LATE = ("scipy.special", "scipy.linalg", "scipy.fft", "scipy.stats", "scipy.signal", "scipy.ndimage")
#: Names preferred over ``__name__`` where NumPy has several for one object.
_PREFERRED = {"absolute": "abs"}


def is_library(name: str) -> bool:
    """Whether a module is one that emitted text may import: it is there wherever the text is run."""
    return name.partition(".")[0] in _LIBRARIES


_LIBRARIES = {"builtins", "cmath", "math", "numpy", "operator", "scipy", "numba"} | set(sys.stdlib_module_names)


@cache
def _table() -> dict[int, Location]:
    """Locations by object identity."""
    table: dict[int, Location] = {}
    for root, path in _SEARCHED:
        namespace: Any = root
        for name in path:
            namespace = getattr(namespace, name)
        _enter(table, root, path, vars(namespace))
    return table


@cache
def _late_table(names: tuple[str, ...]) -> dict[int, Location]:
    table: dict[int, Location] = {}
    for name in names:
        module = sys.modules[name]
        _enter(table, module, (), {k: vars(module)[k] for k in getattr(module, "__all__", ())})
    return table


def _enter(table: dict[int, Location], root: ModuleType, path: tuple[str, ...], namespace: dict[str, Any]) -> None:
    for name, value in namespace.items():
        if name.startswith("_") or not callable(value):
            continue
        known = table.get(id(value))
        own = getattr(value, "__name__", name)
        if known is None or (known[0] is root and known[1][:-1] == path and name == _PREFERRED.get(own, own)):
            table[id(value)] = (root, (*path, name))


def locate(fn: Any) -> Location | None:
    """The module and attribute path of a library callable, None for anything else."""
    found = _table().get(id(fn))
    if found is not None:
        return found
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):  # np.add.at, np.maximum.accumulate: a new object each time
        found = _table().get(id(owner))
        return found and (found[0], (*found[1], fn.__name__))
    if "scipy" not in sys.modules:
        return None
    table = _late_table(tuple(m for m in _LATE if m in sys.modules))
    if isinstance(fn, MethodType):  # of a distribution
        found = table.get(id(owner))
        return found and (found[0], (*found[1], fn.__name__))
    return table.get(id(fn))
