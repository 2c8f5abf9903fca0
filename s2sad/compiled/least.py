"""The least that integers can be, in Numba's IR of one function: which indices are not negative.

>>> from numba import int64, njit
>>> def f(n):
...     for i in range(1, n):
...         for j in range(i, -1, -1):
...             k = i + j - 2
...     return n
...
>>> compiled = njit(f)
>>> _ = compiled.compile((int64,))
>>> ir = compiled.overloads[int64,].type_annotation
>>> least = Least(ir.blocks, ir.typemap)
>>> least.of("i"), least.of("j"), least.of("k"), least.of("n")
(1, 0, -1, -inf)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

from numba.core import ir, types

__all__ = ["Least"]

#: How far definitions are followed.
_DEPTH = 12
UNKNOWN = -math.inf


class Least:
    """Answers for the variables of a function."""

    def __init__(self, blocks: Mapping[int, Any], typemap: Mapping[str, Any]) -> None:
        self.typemap = typemap
        self.definitions: dict[str, list[Any]] = {}
        self.known: dict[str, float] = {}
        for block in blocks.values():
            for s in block.body:
                if isinstance(s, ir.Assign):
                    self.definitions.setdefault(s.target.name, []).append(s.value)

    def of_index(self, name: str, count: int) -> list[float]:
        """The least of an index along each axis."""
        if not isinstance(self.typemap[name], types.BaseTuple):
            return [self.of(name)]
        made = self.definition(name)
        if made is None or made.op != "build_tuple":
            return [UNKNOWN] * count
        return [self.of(item.name) for item in made.items]

    def of(self, name: str, depth: int = 0) -> float:
        """The least that a variable can be; minus infinity where it cannot be told."""
        if name not in self.known:
            ty = self.typemap.get(name)
            if isinstance(ty, types.IntegerLiteral):
                self.known[name] = ty.literal_value
            elif not isinstance(ty, types.Integer) or depth > _DEPTH or name not in self.definitions:
                return UNKNOWN
            else:
                self.known[name] = UNKNOWN  # what goes round in a loop cannot be told
                self.known[name] = min(self._of_value(d, depth + 1) for d in self.definitions[name])
        return self.known[name]

    def definition(self, name: str) -> Any:
        """The expression that alone defines a variable, by way of others that are the same; or None."""
        for _ in range(_DEPTH):
            match self.definitions.get(name):
                case [ir.Var() as other]:
                    name = other.name
                case [ir.Expr() as expr]:
                    return expr
                case _:
                    return None
        return None

    def step(self, call: Any) -> int | None:
        """The step of a range that is called for, where it is written down."""
        if call.kws or call.vararg or len(call.args) > 3:
            return None
        if len(call.args) < 3:
            return 1
        ty = self.typemap[call.args[2].name]
        return int(ty.literal_value) if isinstance(ty, types.IntegerLiteral) else None

    def _of_value(self, value: Any, depth: int) -> float:
        if isinstance(value, ir.Const):
            return value.value if type(value.value) is int else UNKNOWN
        if isinstance(value, ir.Var):
            return self.of(value.name, depth)
        if not isinstance(value, ir.Expr):
            return UNKNOWN
        match value.op:
            case "pair_first":
                return self._of_next(value.value.name, depth)
            case "binop" | "inplace_binop":
                return self._of_operation(value, depth)
            case "static_getitem" if self._is_shape(value.value.name):
                return 0
            case "call" if getattr(self.typemap[value.func.name], "typing_key", None) is len:
                return 0
            case "cast" if isinstance(self.typemap[value.value.name], types.Integer):
                return self.of(value.value.name, depth)
        return UNKNOWN

    def _of_next(self, name: str, depth: int) -> float:
        """What an iterator gives, if it goes over a range: not less than where that begins, or ends if it goes down."""
        after = self.definition(name)
        begun = self.definition(after.value.name) if after is not None and after.op == "iternext" else None
        if begun is None or begun.op != "getiter" or self.typemap[begun.value.name] is not types.range_state64_type:
            return UNKNOWN
        call = self.definition(begun.value.name)
        step = self.step(call) if call is not None and call.op == "call" else None
        if step is None:
            return UNKNOWN
        if step < 0:
            return self.of(call.args[1].name, depth) + 1
        return self.of(call.args[0].name, depth) if len(call.args) > 1 else 0

    def _is_shape(self, name: str) -> bool:
        """Whether a tuple is the shape of an array."""
        made = self.definition(name)
        if made is not None and made.op == "exhaust_iter":
            made = self.definition(made.value.name)
        return made is not None and made.op == "getattr" and made.attr == "shape"

    def _of_operation(self, value: Any, depth: int) -> float:
        fn = value.fn if value.op == "binop" else value.immutable_fn
        left, right = (self.of(v.name, depth) for v in (value.lhs, value.rhs))
        if fn is operator.add:
            return left + right
        if fn is operator.mul and left >= 0 and right >= 0:
            return left * right
        right_type = self.typemap[value.rhs.name]
        if fn is operator.sub and isinstance(right_type, types.IntegerLiteral):
            return left - right_type.literal_value
        return UNKNOWN
