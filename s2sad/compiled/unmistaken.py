"""Names of variables that Numba tells from its own.

Numba calls what it reads a variable into by the variable's name and the place in the bytecode: ``shape0`` at 2178 and
``shape02`` at 178 are both ``$shape02178``, and then it finds no type for one of them. That a name ends in a digit is
seen in the text alone, which keeps it; in the function that Numba is given an underscore comes after it.

Requires: a function that is called by position.
Ensures: the same function, of whose own variables none has a name that ends in a digit.

>>> def total(x1, x12):
...     x2 = x1 + x12
...     return x2 * x2
...
>>> unmistaken(total).__code__.co_varnames
('x1_', 'x12_', 'x2_')
>>> total(1, 2)
9
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

__all__ = ["unmistaken"]


def unmistaken(function: FunctionType) -> FunctionType:
    """The function, with such names; itself where functions within it share its variables."""
    code = function.__code__
    if not code.co_cellvars and not code.co_freevars:
        function.__code__ = code.replace(co_varnames=tuple(_renamed(code.co_varnames)))
    return function


def _renamed(names: Sequence[str]) -> list[str]:
    taken, renamed = set(names), []
    for name in names:
        new = name
        while new[-1].isdigit() or (new != name and new in taken):
            new += "_"
        taken.add(new)
        renamed.append(new)
    return renamed
