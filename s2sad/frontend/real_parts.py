"""Functions that make a real number of a complex one, of what a power of Python's floats may have made complex.

``(-8.0) ** 0.5`` is complex, and its kind is that of a float. The derivative of what is real about it is not that of a
float, so it is refused where the run shows one.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Iterable, Iterator

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Store, Var, While, With, kind_of
from s2sad.ir.rewrite import map_stmts, uses_of, walk
from s2sad.runtime import helpers

__all__ = ["check_real_parts", "may_turn_complex"]

_POWERS = (operator.pow, builtins.pow)
_PARTS = (np.real, np.imag, np.angle, np.absolute, builtins.abs, operator.abs, np.conjugate, np.sign, np.vdot)
_SIZES = (np.linalg.norm, np.var, np.std)
_CHECKED = frozenset((*_PARTS, *_SIZES))
#: Functions that take no complex numbers, or give none.
_REAL = frozenset((*filter(callable, vars(math).values()), *_PARTS[:6], *_SIZES, float, int, len, bool))


def check_real_parts(body: Block, given: Iterable[Var] = (), powers: bool = False) -> Block:
    """The body with checks of what functions make real, where that is made of powers.

    With ``powers``, what is ``given`` to the body may be, too.

    >>> x, y, r = (Var(name, K.FLOAT) for name in "xyr")
    >>> root = Op(y, operator.pow, (x, Const(0.5)))
    >>> [s.fn.__name__ for s in check_real_parts(Block((root, Op(r, np.real, (y,))), (r,))).stmts]
    ['pow', 'need_real', 'real']
    >>> [s.fn.__name__ for s in check_real_parts(Block((root, Op(r, np.real, (x,))), (r,))).stmts]
    ['pow', 'real']
    """
    if not powers and not any(map(may_turn_complex, walk(body))):
        return body
    suspects = _made_of(body, set(given) if powers else set())

    def change(s: Stmt) -> Stmt | tuple[Stmt, ...]:
        if not isinstance(s, Op) or s.fn not in _CHECKED:
            return s
        checks = [Op(None, helpers.need_real, (a,), (), s.origin) for a in s.args if a in suspects]
        return (*checks, s) if checks else s

    return map_stmts(body, change)


def may_turn_complex(s: object) -> bool:
    """Whether this is a power that may be one of Python's floats, which of a negative one to a fraction is complex."""
    if not isinstance(s, Op) or s.fn not in _POWERS or s.target is None:
        return False
    match s.args[1]:
        case Const(int()):
            return False
        case Const(float() as exponent):
            return not exponent.is_integer() and _is_python(s.target)
    return kind_of(s.args[1]) != K.INT and _is_python(s.target)


def _made_of(body: Block, found: set[Var]) -> set[Var]:
    """The variables that may hold what a power has made complex, and those that are given."""
    made: dict[Atom, list[Var]] = {}
    put: set[Atom] = set()  # into lists and dicts: if one of these is found, what these hold may be it
    taken: set[Var] = set()
    for s in walk(body):
        for v, of in _flows(s):
            if of is None:
                found.add(v)
            else:
                made.setdefault(of, []).append(v)
                taken.update((v,) if _is_container(of) else ())
        if any(map(_is_container, _holders(s))):
            put.update(uses_of(s))
    _follow(found, made)
    if not found.isdisjoint(put):
        found |= taken
        _follow(found, made)
    return found


def _follow(found: set[Var], made: dict[Atom, list[Var]]) -> None:
    """Add what is made of what has been found."""
    work = list(found)
    while work:
        new = [v for v in made.get(work.pop(), ()) if v not in found]
        found.update(new)
        work += new


def _flows(s: Stmt) -> Iterator[tuple[Var, Atom | None]]:
    """What a statement gives, with what it may be made of; None where a power makes it."""
    match s:
        case Op(target=Var() as target) if s.fn not in _REAL and _may_be_complex(target):
            yield from ((target, a) for a in (*uses_of(s), *((None,) if may_turn_complex(s) else ())))
        case If(then=then, orelse=orelse, results=results):
            yield from (pair for b in (then, orelse) for pair in zip(results, b.outs, strict=True))
        case For(params=params, inits=inits, body=body, results=results) | While(
            params=params, inits=inits, body=body, results=results
        ):
            yield from (pair for held in (inits, body.outs) for pair in zip(params, held, strict=False))
            yield from zip(results, params, strict=True)
        case With(body=body, results=results):
            yield from zip(results, body.outs, strict=True)


def _holders(s: Stmt) -> tuple[Atom, ...]:
    """What a statement puts things into."""
    match s:
        case Store(obj=obj):
            return (obj,)
        case Op(target=None, args=(xs, *_)) | Op(target=Var() as xs):
            return (xs,)
    return ()


def _may_be_complex(v: Var) -> bool:
    return not isinstance(v.kind, K.Scalar | K.Array | K.Numeric) or v.kind.dtype in ("float", "any", "float64")


def _is_python(v: Var) -> bool:
    """Whether this may be a number of Python, as NumPy's powers are not complex."""
    return not isinstance(v.kind, K.Scalar | K.Array) or v.kind in (K.FLOAT, K.Scalar("any"))


def _is_container(a: Atom) -> bool:
    return isinstance(kind_of(a), K.List | K.Dict | K.Tuple)
