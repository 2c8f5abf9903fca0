"""What is taken off a list in the block that put it there.

Before::

    def f(c: bool, x: float):
        tape: list[float] = []
        if c:
            t = x * x
            list_append(tape, t)
            s = math.sin(x)
            u: float = list_pop(tape, -1)
            v = u * s
            give v
        else:
            give x
        -> y
        return y

After::

    def f(c, x):
        if c:
            t = x * x
            s = math.sin(x)
            v = t * s
            give v
        else:
            give x
        -> y
        return y

So it is with what a branch records for its reversal, where that is in the same place.

Requires: nothing of the IR. Only of lists that are used for nothing but to append and to take from the end.
Ensures: the same values, by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_blocks, blocks_of, map_stmts, substitute, use_counts, uses_of, walk, with_body

__all__ = ["take_at_hand"]


def take_at_hand(function: Function) -> Function:
    """Use what was put on a list instead of what is taken off it, where that is the same."""
    lists = _stacks(function)
    gone: set[int] = set()
    known: dict[Var, Atom] = {}
    for block in all_blocks(function) if lists else ():
        _pair(block.stmts, lists, gone, known)
    if not gone:
        return function
    left = {a for s in walk(function) if isinstance(s, Op) and id(s) not in gone for a in s.args}
    gone |= {id(s) for s in walk(function) if isinstance(s, Op) and s.target in lists and s.target not in left}
    body = map_stmts(function.body, lambda s: () if id(s) in gone else s)
    for v, a in known.items():  # what was taken may have been put on another
        while isinstance(a, Var) and a in known:
            a = known[a]
        known[v] = a
    body = substitute(body, known)
    assert isinstance(body, Block)
    return with_body(function, body)


def _stacks(function: Function) -> set[Var]:
    """The lists that are made empty, appended to and taken from at the end, by these names only."""
    made: set[Var] = set()
    found: Counter[Var] = Counter()
    for s in walk(function):
        match s:
            case Op(target=Var() as xs, fn=prims.make_list, args=()):
                made.add(xs)
            case Op(fn=prims.list_append, args=(Var() as xs, value)) if value is not xs:
                found[xs] += 1
            case Op(fn=prims.list_pop, args=(Var() as xs, Const(-1))):
                found[xs] += 1
    uses = use_counts(function) if made else {}
    return {xs for xs in made if found[xs] == uses.get(xs, 0)}


def _pair(stmts: Sequence[Stmt], lists: set[Var], gone: set[int], known: dict[Var, Atom]) -> None:
    """Note the appends and pops of a block that belong together, and what the pops give."""
    waiting: dict[Var, list[Op]] = {}
    for s in stmts:
        xs = s.args[0] if isinstance(s, Op) and s.args and s.args[0] in lists else None
        match s:
            case Op(fn=prims.list_append) if isinstance(xs, Var):
                waiting.setdefault(xs, []).append(s)
            case Op(target=target, fn=prims.list_pop) if isinstance(xs, Var):
                if waiting.get(xs):
                    append = waiting[xs].pop()
                    gone.update((id(append), id(s)))
                    if target is not None:
                        known[target] = append.args[1]
            case _ if waiting and blocks_of(s):
                for inner in walk(Block((s,))):
                    for a in uses_of(inner):
                        waiting.pop(a, None)  # type: ignore[arg-type]
