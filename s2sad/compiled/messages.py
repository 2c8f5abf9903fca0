"""What Numba says of what it cannot compile, said of the program.

>>> told("Unknown attribute 'rfft' of type Module(<module 'numpy.fft' from ...>)").cause
'machine code has no `numpy.fft.rfft`'
>>> told("Cannot unify array(float64, 1d, C) and array(complex128, 1d, C) for 'y.1.3', defined at m.py (4)").cause
'`y` would be of two types here, an array of float64 with 1 axis and an array of complex128 with 1 axis'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Told", "told"]


@dataclass(frozen=True)
class Told:
    """What is the cause, in the middle of a sentence, and what helps."""

    cause: str
    help: str


_ELSE = "use backend='python' for this function"
_WRITE = f"{_ELSE}, or write the statement in a form that Numba compiles."
_ONE_TYPE = f"make it of one type on all paths, or {_ELSE}."
_FILLED = f"begin the list with what it holds, or {_ELSE}."

#: How operators are written that Python calls by these names.
_OPERATORS = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"},
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "neg": "-", "is_": "is", "contains": "in"},
    **{"isub": "-=", "iadd": "+=", "imul": "*=", "itruediv": "/=", "getitem": "[...]", "setitem": "[...] ="},
}


def told(said: str) -> Told | None:
    """What a message of Numba's means; None where it is not known."""
    for pattern, tell in _MEANINGS:
        found = re.search(pattern, said, re.DOTALL)
        if found is not None:
            return tell(found)
    return None


def _fixed(cause: str, help: str) -> Callable[[re.Match[str]], Told]:
    return lambda found: Told(cause, help)


def _unknown_function(found: re.Match[str]) -> Told:
    return Told(f"machine code has no `{found[2]}.{found[1]}`", _WRITE)


def _unsupported_function(found: re.Match[str]) -> Told:
    return Told(f"machine code has no `{found[1]}`, or not of such arguments", _WRITE)


def _no_form(found: re.Match[str]) -> Told:
    name = found[1]
    what = f"`{_OPERATORS[name]}`" if name in _OPERATORS else f"`{name}`"
    return Told(f"machine code has no {what} for values of these types", _WRITE)


def _two_types(found: re.Match[str]) -> Told:
    name = found[3].partition(".")[0]
    return Told(f"`{name}` would be of two types here, {_type(found[1])} and {_type(found[2])}", _ONE_TYPE)


def _several_types(found: re.Match[str]) -> Told:
    one, other = _type(found[1]), _type(found[2])
    types = f"{one} and {other}" if one != other else f"{one} and another that is made of other items"
    return Told(f"a list has items of several types here, {types}", f"use a tuple or two lists, or {_ELSE}.")


def _type(said: str) -> str:
    """A type of Numba's in words."""
    array = re.fullmatch(r"(?:readonly )?[aA]rray\((\w+), (\d)d, .*\)", said.strip())
    if array is not None:
        return f"an array of {array[1]} with {array[2]} {'axis' if array[2] == '1' else 'axes'}"
    for start, words in _TYPES.items():
        if said.strip().startswith(start):
            return words
    return said.strip()


_TYPES = {
    "unicode_type": "text",
    "Literal[str]": "text",
    "int": "an integer",
    "Literal[int]": "an integer",
    "float": "a float",
    "complex": "a complex number",
    "bool": "a truth value",
    "Literal[bool]": "a truth value",
    "none": "None",
    "UniTuple": "a tuple",
    "Tuple": "a tuple",
    "list": "a list",
    "reflected list": "a list",
}

_MEANINGS: tuple[tuple[str, Callable[[re.Match[str]], Told]], ...] = (
    (r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", _unknown_function),
    (r"Use of unsupported NumPy function '([\w.]+)'", _unsupported_function),
    (
        r"of type undefined|unpack undefined|undefined variable|is not defined",
        _fixed("a value is read here that no path to it gives", f"bind it before, or {_ELSE}."),
    ),
    (
        r"literal_list_banned",
        _fixed("a list that changes holds values of several types", f"use one list for each type, or {_ELSE}."),
    ),
    (r"No implementation of function Function\(<(?:built-in )?(?:function|class|ufunc) '?([\w.]+)'?", _no_form),
    (r"Cannot unify (.+?) and (.+?) for '([^']+)'", _two_types),
    (r"heterogeneous list: (.+?) != (.+?)\.?$", _several_types),
    (r"list\(undefined\)|empty list", _fixed("nothing tells of what type the items of an empty list are", _FILLED)),
    (
        r"non-precise type pyobject",
        _fixed("an argument, or a part of one, is of a type that machine code has not", f"pass its parts, or {_ELSE}."),
    ),
    (r"domain change", _fixed("the eigenvalues of a matrix of real numbers may be complex", f"{_ELSE}.")),
    (
        r"runaway recursion|return type of function|type inference failed.*recursi",
        _fixed("the type of what a function gives that calls itself is not known before", _ONE_TYPE),
    ),
    (
        r"Type of variable '.*' cannot be determined|Cannot infer the type of variable",
        _fixed("the type of a value is not known here", _ONE_TYPE),
    ),
)
