"""Unpack: a tuple that is only taken apart is assigned to the names of its items.

::

    shape = np.shape(x)
    n = shape[0]             =>      n, m = x.shape
    m = shape[1]
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from s2sad.ir import prims
from s2sad.ir.kinds import Tuple
from s2sad.ir.nodes import Const, Op, Stmt, Var
from s2sad.names import is_temporary

__all__ = ["taken_apart"]


def taken_apart(op: Op, stmts: Sequence[Stmt], start: int, counts: Mapping[Var, int]) -> list[Op]:
    """The statements from ``start`` that read each item of what ``op`` gives, in order, if nothing else reads it."""
    target = op.target
    if target is None or type(target.kind) is not Tuple or target.kind.cls is not None:
        return []
    n = len(target.kind.items)
    if n < 2 or counts.get(target) != n or op.fn is prims.make_tuple:
        return []
    items = [s for s in stmts[start : start + n] if type(s) is Op and s.fn is operator.getitem]
    if [s.args for s in items] != [(target, Const(k)) for k in range(n)]:
        return []
    named = [s.target for s in items if s.target is not None and counts.get(s.target)]
    speaking = op.fn is prims.list_pop or not any(is_temporary(v.hint) for v in named)
    return items if len(named) == n and speaking else []
