"""Functions that call themselves, made ready to be differentiated as what calls them is.

Before::

    def steps(k: int, y: float, x: float64[1]):
        v = x[k]
        ...

After::

    def steps(k, y, x):
        shape = np.shape(x)
        length = shape[0]
        need_places(k, k, length)
        v = x[k]
        ...

What a lowered function calls may serve for the Python tier as well, so these are functions of their own, of which no
derivative is made yet.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; each function that is called has checks of its subscripts (:mod:`s2sad.compiled.within`), and
powers of integers that are floats where only floats meet them. What only tells what is raised in the body of a ``try``,
and what a helper calls, is as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from s2sad.compiled.powers import powers_as_floats
from s2sad.compiled.settle import resettled
from s2sad.compiled.within import check_places
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Callee, Const, Function, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.transform.asking import called, note_what_raises

__all__ = ["prepare_called"]

_NUMBER = K.Scalar("any")
_FLOATS = (K.FLOAT, K.Scalar("float64"))


def prepare_called(function: Function) -> Function:
    """The function, calling functions with checks of their subscripts, of which it is told whether they give floats."""
    bodies = {callee: callee.function for callee in called(function) if callee.function is not None}
    if not bodies:
        return function
    new = {callee: body if body.catches or callee.varies else _ready(body) for callee, body in bodies.items()}
    floats = _that_give_floats(new)
    new = {callee: _told(body, floats) for callee, body in new.items()}
    if all(new[callee] is body for callee, body in bodies.items()):
        return function
    made = {callee: replace(callee, function=None, derived={}) for callee in bodies}
    for callee, body in new.items():
        made[callee].function = _calling(body, made)
        made[callee].base = None if callee.base is None else made.get(callee.base, callee.base)
    note_what_raises(made.values())
    return _calling(_told(function, floats), made)


def _ready(function: Function) -> Function:
    """A function that is called, made ready."""
    return check_places(powers_as_floats(function)[0])


def _that_give_floats(bodies: Mapping[Callee, Function]) -> set[Callee]:
    """Those of some functions that give a float if those that they call do: of which it was not known."""
    found = {callee for callee, body in bodies.items() if kind_of(body.result) == _NUMBER and not callee.updates}
    while True:
        wrong = {callee for callee in found if kind_of(_told(bodies[callee], found).result) not in _FLOATS}
        if not wrong:
            return found
        found -= wrong


def _told(function: Function, floats: Set[Callee]) -> Function:
    """The function knowing of calls that they give floats, and of what is made of these."""
    ops = [s for s in walk(function) if isinstance(s, Op) and isinstance(s.fn, Callee) and s.fn in floats]
    targets = {s.target: Var(s.target.hint, K.FLOAT) for s in ops if s.target is not None}
    if not targets:
        return function
    body = map_stmts(
        function.body,
        lambda s: replace(s, target=targets[s.target]) if isinstance(s, Op) and s.target in targets else s,
    )
    return resettled(with_body(function, body), targets)[0]


def _calling(function: Function, made: dict[Callee, Callee]) -> Function:
    """The function with others in the place of those that it calls or hands on."""

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, Op):
            return s
        fn = made.get(s.fn, s.fn) if isinstance(s.fn, Callee) else s.fn
        args = tuple(
            Const(made.get(a.value, a.value)) if isinstance(a, Const) and isinstance(a.value, Callee) else a
            for a in s.args
        )
        return s if fn is s.fn and args == s.args else replace(s, fn=fn, args=args)

    return with_body(function, map_stmts(function.body, change))
