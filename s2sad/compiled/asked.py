"""A question that can be answered before all else, answered before all else.

Before::

    def f(x: float64[1]#1, n: int):
        u: float = x[0]
        v: float = np.sin(u)
        y: float64[1] = np.empty(n)
        enough: bool = n >= 3
        if enough:
            give n
        else:
            give 0
        -> m: int
        for k: int in range(0, m) independently:
            y[k] = v
        t: (bool, float64[1]) = (enough, y)
        return t

After::

    def f(x, n):
        enough = n >= 3
        if enough:
            u = x[0]
            v = np.sin(u)
            y = np.empty(n)
            for k in range(0, n) independently:
                y[k] = v
            give y
        else:
            t = (0,)
            J = np.empty(t, dtype=np.float64)
            give J
        -> y_1
        t_1 = (enough, y_1)
        return t_1

Whether a Jacobian is taken by columns depends on lengths, and if it is not, nothing of what is computed for it is used.

Requires: nothing of the IR.
Ensures: the same where the question is answered by yes. Else arrays of the result are empty, and nothing is raised that
the answer does not need. A question whose answer takes loops or branches stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.compiled.expand import kind_of
from s2sad.compiled.leaves import Writer, room
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import definitions, substitute, targets_of, uses_of, with_body

__all__ = ["questions_first"]


def questions_first(function: Function) -> Function:
    """The function with the work of its independent loop done only if that is run at all."""
    stmts = function.body.stmts
    stops = {s.stop for s in stmts if isinstance(s, For) and s.independent == "directions"}
    test = next((s for s in stmts if isinstance(s, If) and len(s.results) == 1 and s.results[0] in stops), None)
    if test is None or test.orelse.outs != (Const(0),) or not isinstance(test.cond, Var):
        return function
    before, last = _needed(function, test.cond), _needed(function, function.body.outs[0], only=prims.make_tuple)
    if before is None or last is None:
        return function
    apart = {id(s) for s in (*before, *last, test)}
    rest = [s for s in stmts if id(s) not in apart]
    given = {v for s in rest for v in targets_of(s)}
    outs = [a for s in last for a in uses_of(s) if a in given]
    if not all(isinstance(kind_of(a), K.Array | K.Scalar) for a in outs):
        return function
    inner = substitute(Block(tuple(rest), tuple(outs)), {test.results[0]: test.then.outs[0]})
    results = {a: Var(a.hint, a.kind) for a in outs if isinstance(a, Var)}
    branch = If(test.cond, inner, _nothing(outs), tuple(results.values()), test.origin)
    end = substitute(Block(tuple(last), function.body.outs), results)
    return with_body(function, Block((*before, branch, *end.stmts), end.outs))


def _needed(function: Function, a: Atom, only: object = None) -> list[Stmt] | None:
    """The operations that a value is made by, in order, or of one sort only; None if there are other statements."""
    made = definitions(function)
    top = {id(s) for s in function.body.stmts}
    found: set[int] = set()
    todo = [a]
    while todo:
        s = made.get(todo.pop())  # type: ignore[arg-type]
        if s is None or id(s) in found or (only is not None and getattr(s, "fn", None) is not only):
            continue
        if not isinstance(s, Op) or id(s) not in top or _is_work(s):
            return None
        found.add(id(s))
        todo += uses_of(s)
    return [s for s in function.body.stmts if id(s) in found]


def _is_work(s: Op) -> bool:
    """Whether an operation does more than to look at lengths and to compute a number."""
    if not is_pure(s.fn) or writes_of(s):
        return True
    return s.fn is not prims.make_tuple and s.target is not None and not isinstance(s.target.kind, K.Scalar | K.Tuple)


def _nothing(outs: Sequence[Atom]) -> Block:
    """Empty arrays, and zeros, of the kinds of these."""
    w = Writer()
    given: list[Atom] = []
    for a in outs:
        match kind_of(a):
            case K.Array(dtype, int(rank)):
                given.append(room(w, dtype, (Const(0),) * rank))
            case _:
                given.append(Const(0.0))
    return Block(tuple(w.stmts), tuple(given))
