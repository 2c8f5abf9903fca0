"""The first iteration apart, where a loop begins with an array of single precision and goes on in double.

Before::

    def f(x: float32[1], y: float64[1]):
        for k in range(0, 3) carrying (h: float64[1] = x):
            a: float64[1] = h * 0.5
            b: float64[1] = a + y
            next b
        -> z: float64[1]
        return z

After::

    def f(x, y):
        a = x * 0.5
        b = a + y
        t = 0 + 1
        for k in range(t, 3) carrying (h = b):
            a_1 = h * 0.5
            b_1 = a_1 + y
            next b_1
        -> z
        z_1 = identity(z)
        return z_1

A variable has one type in machine code, and the product is of single precision once.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, by the same operations in the same order. Loops of which it is not written down that they have
iterations are left: :mod:`s2sad.compiled.either` tells them apart where what they give is only used in its block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from s2sad.compiled.first_rounds import first_round
from s2sad.compiled.settle import resettled
from s2sad.compiled.single_or_double import is_of, to_be_told
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_stmts, walk, with_body
from s2sad.transform.assemble import retold

__all__ = ["begun_in_single", "tell_begun_in_single"]

#: How many statements a function may have in the end, for each that it has, and besides.
_GROWTH, _SMALL = 3, 300

#: How deep loops are within one another in which that is looked for.
_DEPTH = 3


def tell_begun_in_single(lowered: Lowered) -> Lowered:
    """:func:`begun_in_single` of a function with its templates, if that does not make it several times as long."""
    if not any(K.dtype_of(v.kind) == "float32" for v in all_vars(lowered.function)):
        return lowered
    most = _GROWTH * _size(lowered.function) + _SMALL
    for _ in range(_DEPTH):
        function, renamed = begun_in_single(lowered.function)
        if function is lowered.function or _size(function) > most:
            break
        lowered = replace(lowered, function=function, result=retold(lowered.result, renamed))
    return lowered


def begun_in_single(function: Function) -> tuple[Function, Mapping[Var, Atom]]:
    """The function with the first iterations of such loops before them, and what variables go by now."""
    if not any(isinstance(s, For) and _becomes_double(s) for s in walk(function)):
        return function, {}
    return resettled(with_body(function, map_stmts(function.body, _apart)), {})


def _size(function: Function) -> int:
    return sum(1 for _ in walk(function))


def _becomes_double(loop: For) -> bool:
    """Whether a loop that has iterations carries arrays of double precision, and begins with one of single."""
    match loop:
        case For(start=Const(int(start)), stop=Const(int(stop)), step=Const(int(step))) if range(start, stop, step):
            pairs = zip(loop.params, loop.inits, strict=True)
            return any(is_of(p, "float64", "any") and is_of(a, "float32") for p, a in pairs)
    return False


def _apart(s: Stmt) -> Stmt | list[Stmt]:
    if not isinstance(s, For) or not _becomes_double(s):
        return s
    first = first_round(s, to_be_told)
    given = zip(s.results, first.outs, strict=True)
    return [*first.stmts, *(Op(r, prims.identity, (a,), (), s.origin) for r, a in given)]
