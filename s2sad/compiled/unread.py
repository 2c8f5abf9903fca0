"""Adjoints of arrays that no iteration reads as the one before left them.

Before::

    def f(x: float64[1], n: int):
        b: float64[1] = x * 2.0
        s = np.zeros_like(x)
        for _ in range(0, n) carrying (c: float64[*] = b):
            y: float64[1] = np.sin(x)
            t: float64[1] = unbroadcast(c, y)
            s[...] += t
            next 0.0
        -> r: float64[*]
        return s

After::

    def f(x, n):
        b = x * 2.0
        s = np.zeros_like(x)
        for _ in range(0, n) carrying (c = True):
            y = np.sin(x)
            if c:
                t = unbroadcast(b, y)
                give t
            else:
                t_1 = zeros_like(y)
                give t_1
            -> t_2
            s[...] += t_2
            next False
        -> r
        return s

The reverse sweep hands a zero to the iterations before, in no shape: that of what they made is known where they are
reversed. A variable has one type in machine code, so what is carried is whether it is the last iteration that is
reversed. Where the array is asked for behind the loop, the loop has had no iterations or the same holds there.

Requires: nothing of the IR.
Ensures: the same values; arrays where all uses of the carried value say which shape they mean and none may be missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import blocks_of, map_stmts, use_counts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["seeds_of_last_iterations"]

_Seeds = dict[Var, tuple[Var, Atom]]  #: by what is carried or given: whether it is still the array, and the array


def seeds_of_last_iterations(function: Function) -> Function:
    """The function where loops carry whether an array is still the one they began with, not the array or zero."""
    seeds = _seeds(function)
    if not seeds or _may_miss_arrays(function):
        return function

    def change(s: Stmt) -> Stmt:
        match s:
            case Op(fn=helpers.unbroadcast, args=(Var() as v, like), target=Var() as target) if v in seeds:
                return _chosen(target, *seeds[v], like, s)
            case For(params=params, results=results) if any(p in seeds for p in params):
                return _carrying(s, seeds, params, results)
        return s

    return with_body(function, map_stmts(function.body, change))


def _seeds(function: Function) -> _Seeds:
    """What loops carry as an array first, and then as zero, where all that asks for it says in which shape."""
    asked = Counter(s.args[0] for s in walk(function) if isinstance(s, Op) and _tells_shape(s))
    uses = use_counts(function)
    found: _Seeds = {}
    for s in walk(function):
        if not isinstance(s, For):
            continue
        for p, init, r, out in zip(s.params, s.inits, s.results, s.body.outs, strict=False):
            begins = isinstance(p.kind, K.Numeric) and bool(K.rank_of(kind_of(init))) and out == Const(0.0)
            if begins and all(asked[v] == uses.get(v, 0) for v in (p, r)):
                found |= {p: (Var(p.hint, K.BOOL), init), r: (Var(r.hint, K.BOOL), init)}
    return found


def _may_miss_arrays(function: Function) -> bool:
    """Whether what is to tell a shape may be an array that is not there: None, or not made yet by a loop around."""
    given = [
        (p, a) for s in walk(function) if isinstance(s, For | While) for p, a in zip(s.params, s.inits, strict=True)
    ]
    unmade = {p for p, a in given if a == UNDEF}
    outs = (a for s in walk(function) for b in blocks_of(s) for a in b.outs)
    return any(a in unmade for _, a in given) or Const(None) in (*(a for _, a in given), *outs)


def _tells_shape(op: Op) -> bool:
    return op.fn is helpers.unbroadcast and bool(K.rank_of(kind_of(op.args[1])))


def _chosen(target: Var, first: Var, seed: Atom, like: Atom, s: Op) -> If:
    """The array in a shape, or zeros."""
    taken, zeros = Var(target.hint, target.kind), Var(target.hint, target.kind)
    then = Block((Op(taken, helpers.unbroadcast, (seed, like), s.kwargs, s.origin),), (taken,))
    return If(first, then, Block((Op(zeros, helpers.zeros_like, (like,), (), s.origin),), (zeros,)), (target,))


def _carrying(loop: For, seeds: _Seeds, params: tuple[Var, ...], results: tuple[Var, ...]) -> For:
    """A loop that carries the truths."""
    hit = [p in seeds for p in params]
    n = len(params)
    rest = loop.body.outs[n:]
    outs = tuple(Const(False) if h else out for h, out in zip(hit, loop.body.outs[:n], strict=True))
    return replace(
        loop,
        params=tuple(seeds[p][0] if h else p for h, p in zip(hit, params, strict=True)),
        inits=tuple(Const(True) if h else a for h, a in zip(hit, loop.inits, strict=True)),
        body=Block(loop.body.stmts, (*outs, *rest)),
        results=tuple(seeds[r][0] if h else r for h, r in zip(hit, results, strict=True)),
    )
