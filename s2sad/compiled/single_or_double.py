"""Arrays that are of single precision on one path and of double on another.

::

    def f(x: float32[1], n: int):
        for k in range(0, n) carrying (y: float64[1] = x):   # float32 in the first iteration
            z: float64[1] = y * np.float64(0.5)
            next z
        -> w: float64[1]                                     # float32 where n is 0
        ...

The kind that covers both is that of double precision, so kinds do not tell: what they are known to be is found by the
operations that give them.
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import free_vars, targets_of
from s2sad.rules.infer import result_kind

__all__ = ["becomes_double", "is_of", "may_be_single", "of_two_precisions", "to_be_told"]


def is_of(a: Atom, *dtypes: str) -> bool:
    """Whether a value is an array with axes, of one of these dtypes."""
    kind = kind_of(a)
    return isinstance(kind, K.Array) and kind.dtype in dtypes and bool(kind.rank)


def of_two_precisions(branch: If) -> set[Var]:
    """The results of a branch that are of single precision on one side and of double on the other."""
    sides = zip(branch.results, branch.then.outs, branch.orelse.outs, strict=True)
    return {r for r, *outs in sides if {"float32", "float64"} == {d for a in outs for d in _DTYPES if is_of(a, d)}}


def becomes_double(loop: For | While) -> bool:
    """Whether a loop begins with an array of single precision, and has one of double after each iteration."""
    carried = list(zip(loop.params, loop.inits, loop.body.outs, strict=False))
    begun = {p for p, a, _ in carried if is_of(a, "float32") and is_of(p, "float64", "any")}
    if not begun:
        return False
    unsure = begun | may_be_single(loop.body.stmts, begun)
    return any(p in begun and is_of(b, "float64", "any") and b not in unsure for p, _, b in carried)


def may_be_single(stmts: Iterable[Stmt], unsure: set[Var]) -> set[Var]:
    """The arrays that statements give which may be of single precision if these are."""
    found: set[Var] = set()
    for s in stmts:
        if isinstance(s, If) and (given := of_two_precisions(s)):
            found |= given
        elif not (unsure | found).isdisjoint(free_vars(Block((s,)))) and not _is_double(s, unsure | found):
            found |= {v for v in targets_of(s) if is_of(v, "float64", "any")}
    return found


def to_be_told(kind: K.Kind) -> K.Kind:
    """The kind of what may be of single precision, until it is known."""
    return K.Array("any", kind.rank) if isinstance(kind, K.Array) and kind.dtype == "float64" else K.without_shape(kind)


_DTYPES = ("float32", "float64")


def _is_double(s: Stmt, unsure: set[Var]) -> bool:
    """Whether an operation gives double precision though such operands are of single."""
    if not isinstance(s, Op) or isinstance(s.fn, Function):
        return False
    args = tuple(_single(a, unsure) for a in s.args)
    return K.dtype_of(result_kind(s.fn, args, [(k, _single(a, unsure)) for k, a in s.kwargs])) == "float64"


def _single(a: Atom, unsure: set[Var]) -> Atom:
    if not isinstance(a, Var) or a not in unsure or not isinstance(a.kind, K.Array):
        return a
    return Var(a.hint, K.Array("float32", a.kind.rank))
