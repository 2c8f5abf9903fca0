"""Where the memory of arrays is made, in Numba's IR of one function: which accesses cannot be to the same memory.

What a function makes is apart from all other memory, but LLVM cannot see that: it reads the address of an array from a
structure like any other number. For each array this says of which statements the memory may be, by the names of what
they define (Andersen, *Program Analysis and Specialization for the C Programming Language*, 1994, chapter 4, without
order of statements and without fields). What is passed, what comes out of lists and tuples, and what a function not
known gives is :data:`OUTSIDE`; what was ever put where it may come out again counts as that too.

>>> import numpy as np
>>> from numba import float64, njit
>>> def f(x):
...     y, z, kept = np.empty(3), np.zeros(3), np.ones(3)
...     rows = [kept]
...     v = y[1:]
...     w = rows[0]
...     return v[0] + w[0] + x[0] + z[0]
...
>>> compiled = njit(f)
>>> _ = compiled.compile((float64[::1],))
>>> ir = compiled.overloads[float64[::1],].type_annotation
>>> sites = Sites(ir.blocks, ir.typemap, ir.calltypes)
>>> sites.of("y")[0] == sites.of("v")[0], sites.of("y")[0] & sites.of("z")[0], sites.of("w") == sites.of("x")
(True, frozenset(), True)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba.core import ir, types

from s2sad.compiled.room_parts import part_of_room

__all__ = ["OUTSIDE", "Sites"]

#: What is not made in the function, or may be reached in ways that are not followed.
OUTSIDE = ""
#: Functions whose results are in memory of their own.
_MAKING: frozenset[Any] = frozenset(
    {np.empty, np.zeros, np.ones, np.full, np.empty_like, np.zeros_like, np.ones_like, np.full_like, np.arange, np.copy}
    | {part_of_room}
)
#: Attributes and methods of an array that are in its memory, or in memory of their own.
_SHARING = frozenset({"T", "real", "imag", "reshape", "ravel", "flatten", "transpose", "view", "copy", "astype"})
#: Expressions whose results are in the memory of an array that they read, if they are arrays.
_OF_OPERAND = frozenset({"getitem", "static_getitem", "cast"})
#: Expressions that keep nothing of the arrays that they read, unless the result does.
_READING = _OF_OPERAND | {"binop", "inplace_binop", "unary", "arrayexpr"}
#: Attributes that say something about an array and are not in its memory.
_DESCRIBING = frozenset({"shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes"})
#: Types of what no array can be reached from.
_PLAIN = (types.Number, types.Boolean, types.NoneType)

#: The functions, with the types of arguments, that give an array in memory of its own; filled as they are compiled.
_givers: WeakKeyDictionary[FunctionType, set[tuple[Any, ...]]] = WeakKeyDictionary()


def _is_the_same(value: Any) -> bool:
    """Whether a value is that of another variable, as it is or as one of another type."""
    return isinstance(value, ir.Var) or (isinstance(value, ir.Expr) and value.op == "cast")


class Sites:
    """Answers for the arrays of a function, given its blocks, the types of its variables and of its calls."""

    def __init__(self, blocks: Mapping[int, Any], typemap: Mapping[str, Any], calltypes: Mapping[Any, Any]) -> None:
        self.typemap, self.calltypes = typemap, calltypes
        self.statements = [s for block in blocks.values() for s in block.body]
        self.definitions: dict[str, list[Any]] = {}
        for s in self.statements:
            if isinstance(s, ir.Assign):
                self.definitions.setdefault(s.target.name, []).append(s.value)
        self.users: dict[str, list[Any]] = {}
        self.called, self.handed = self._uses()
        found = self._found()
        shown = (self._shown(s) for s in self.statements)
        self.escaped = frozenset[str]().union(*(found[name] for names in shown for name in names if name in found))
        self.outside = self.escaped | {OUTSIDE}
        self.found = {name: s | self.escaped if OUTSIDE in s else s for name, s in found.items()}
        self.all = self.outside.union(*self.found.values())

    def of(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """The sites that the memory of an array may be of, and those that it is not of."""
        sites = self.found.get(name, self.outside)
        return sites, self.all - sites

    def definition(self, name: str) -> Any:
        """The expression that alone defines a variable, by way of others that are the same; or None."""
        match self.definitions.get(name):
            case [ir.Var() as other]:
                return self.definition(other.name)
            case [ir.Expr() as expr]:
                return expr
        return None

    def note_result(self, function: FunctionType, argtypes: tuple[Any, ...]) -> None:
        """Let callers know if this function, with arguments of these types, gives an array in memory of its own."""
        results = [s.value.name for s in self.statements if isinstance(s, ir.Return)]
        if results and all(name in self.found and not self.found[name] & self.outside for name in results):
            _givers.setdefault(function, set()).add(argtypes)

    def _uses(self) -> tuple[set[str], set[str]]:
        """The variables that are called, and those that are used in another way."""
        called: set[str] = set()
        handed: set[str] = set()
        for s in self.statements:
            names = [v.name for v in s.list_vars()]
            if isinstance(s, ir.Assign):
                names.remove(s.target.name)
                if isinstance(s.value, ir.Expr) and s.value.op == "call":
                    called.add(s.value.func.name)
                    names.remove(s.value.func.name)
            for name in names:
                self.users.setdefault(name, []).append(s)
            handed.update(() if isinstance(s, ir.Del) else names)
        return called, handed

    def _found(self) -> dict[str, frozenset[str]]:
        """The sites of each array, as a least fixpoint."""
        arrays = [name for name in self.definitions if self._is_array(name)]
        sources = {name: [self._source(name, d) for d in self.definitions[name]] for name in arrays}
        found: dict[str, frozenset[str]] = dict.fromkeys(arrays, frozenset())
        changed = True
        while changed:
            changed = False
            for name, given in sources.items():
                of = frozenset[str]().union(*(found.get(s, {OUTSIDE}) if by_name else {s} for s, by_name in given))
                changed |= of != found[name]
                found[name] = of
        return found

    def _source(self, name: str, value: Any) -> tuple[str, bool]:
        """The site of a value that an array is defined by, or the name of another array that it is of."""
        if isinstance(value, ir.Var):
            return value.name, True
        if isinstance(value, ir.Expr):
            match value.op:
                case "call" if (owner := self._owner(value)) is not None:
                    return owner, True
                case "call" if self._makes(value):
                    return name, False
                case "binop" if value.fn is operator.matmul:
                    return name, False
                case "arrayexpr":
                    return name, False
                case "getattr" if value.attr in _SHARING and self._is_array(value.value.name):
                    return value.value.name, True
                case "inplace_binop" if self._is_array(value.lhs.name):
                    return value.lhs.name, True
                case op if op in _OF_OPERAND and self._is_array(value.value.name):
                    return value.value.name, True
        return OUTSIDE, False

    def _makes(self, call: Any) -> bool:
        """Whether what a call gives is in memory of its own."""
        match self.typemap[call.func.name]:
            case types.Dispatcher() as ty:
                called_for = self.calltypes.get(call)
                return called_for is not None and called_for.args in _givers.get(ty.dispatcher.py_func, ())
            case types.Function() as ty:
                return ty.typing_key in _MAKING
        return False

    def _owner(self, call: Any) -> str | None:
        """The array whose method is called, if what it gives is in that array's memory or its own."""
        if not isinstance(self.typemap[call.func.name], types.BoundFunction):
            return None
        match self.definitions.get(call.func.name):
            case [ir.Expr() as bound] if bound.op == "getattr" and bound.attr in _SHARING:
                return bound.value.name if self._is_array(bound.value.name) else None
        return None

    def _shown(self, s: Any) -> Iterable[str]:
        """The arrays that a statement may keep where they can come out again as something that is not followed."""
        if isinstance(s, (ir.Del, ir.Return)):
            return ()
        if isinstance(s, (ir.SetItem, ir.StaticSetItem)) and self._is_array(s.target.name):
            return ()
        if isinstance(s, ir.Assign) and self._follows(s.target.name, s.value):
            return ()
        return [v.name for v in s.list_vars()]

    def _follows(self, target: str, value: Any) -> bool:
        """Whether an assignment keeps no array but as its target, which is followed."""
        plain = isinstance(self.typemap.get(target), _PLAIN)
        if isinstance(value, ir.Var):
            return plain or self._is_array(target)
        if not isinstance(value, ir.Expr):
            return isinstance(value, (ir.Const, ir.Global, ir.FreeVar, ir.Arg))
        if value.op == "getattr":
            shared = value.attr in _SHARING and (self._is_array(target) or self._is_only_called(target))
            return shared or value.attr in _DESCRIBING
        if value.op == "build_tuple" and self._is_only_returned(target):
            return True  # nothing is read after that
        if value.op != "call":
            return value.op in _READING and (plain or self._is_array(target))
        if self._owner(value) is not None or self._makes(value):
            return True
        # A function of nothing but arrays and numbers can put an array nowhere but in its result; a method may put it
        # in a list.
        others = [v.name for v in value.list_vars() if v.name != value.func.name]
        function = isinstance(self.typemap[value.func.name], (types.Dispatcher, types.Function))
        return function and plain and all(self._is_array(v) or isinstance(self.typemap[v], _PLAIN) for v in others)

    def _is_only_returned(self, name: str) -> bool:
        """Whether nothing is done with a variable but to return it, by this name or another."""
        names = [name]
        for name in names:  # which grow
            for s in self.users.get(name, ()):
                if isinstance(s, ir.Assign) and _is_the_same(s.value):
                    names.extend({s.target.name}.difference(names))
                elif not isinstance(s, (ir.Return, ir.Del)):
                    return False
        return True

    def _is_only_called(self, name: str) -> bool:
        """Whether a variable is a method of an array, the same one always, of which the calls are followed."""
        return len(self.definitions[name]) == 1 and name in self.called and name not in self.handed

    def _is_array(self, name: str) -> bool:
        return isinstance(self.typemap.get(name), types.Array)
