"""What must share no memory for a derivative to be right.

A derivative follows what shares memory within the function. Arguments, and arrays and containers found outside, are
taken to be apart from each other: where the function stores into one of them, that must be so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType

from s2sad.analysis.held import Apart, Held
from s2sad.analysis.memory import Memory, is_immutable
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, List, Numeric, Scalar, Tuple
from s2sad.ir.nodes import Function, Op, Ref, Var

__all__ = ["held_of", "to_be_apart"]


def to_be_apart(function: Function, refs: Sequence[Ref] = (), inner: Sequence[Held] = ()) -> Apart:
    """What must be apart: no objects at all, unless the function stores into one of them.

    Requires: a lowered function, the references that it relies on, and what derivatives taken in it need apart.
    Ensures: where what an object is or holds is stored into, all objects that may share it are there.

    >>> import numpy as np
    >>> from s2sad.frontend.lower import lower
    >>> from s2sad.frontend.specs import Leaf
    >>> from s2sad.ir.kinds import INT, Array
    >>> def f(x, y, n):
    ...     x[n] = y[0]
    ...     return np.sum(x * y)
    >>> specs = Leaf(Array("float64", 1)), Leaf(Array("float64", 1)), Leaf(INT)
    >>> [(h.name, h.arrays) for h in to_be_apart(lower(f, specs).function).held]
    [('x', True), ('y', False)]
    """
    memory = Memory(function)
    if not memory.foreign and not inner:
        return Apart()
    arrays, containers = memory.foreign_by(_may_be_array), memory.foreign_by(_may_be_container)
    read = {s.args[0]: s.target for s in function.body.stmts if type(s) is Op and s.fn is prims.identity}
    within = {(h.is_argument, h.position): h for h in inner}

    def held(a: Var | Ref, position: int) -> Held:
        reached = {c for b in (a, read.get(a)) if b is not None for c in memory.reachable(b)}
        also = within.get((isinstance(a, Var), position))
        written = bool(reached & arrays), bool(reached & containers)
        if also is not None:
            written = written[0] or also.arrays, written[1] or also.containers
        return held_of(a, position, *written, () if also is None else also.classes)

    data: list[Var | Ref] = [*function.params, *refs]
    positions = [*range(len(function.params)), *range(len(refs))]
    found = [held(a, k) for a, k in zip(data, positions, strict=True) if _may_change(a.kind) and _is_data(a)]
    return Apart(tuple(found), function.origin) if any(h.is_written for h in found) else Apart()


def held_of(a: Var | Ref, position: int, arrays: bool, containers: bool, classes: Iterable[str] = ()) -> Held:
    """An argument or an object outside that is written into, or not."""
    is_array = isinstance(a.kind, Array)
    has_items = not is_array and not (isinstance(a.kind, List) and isinstance(a.kind.item, Scalar))
    return Held(_name(a), position, isinstance(a, Var), arrays, containers, has_items, is_array, tuple(sorted(classes)))


def _may_change(kind: Kind) -> bool:
    """Whether something in a value of this kind can change: items, or the fields of an object."""
    if isinstance(kind, Tuple):
        return not issubclass(kind.cls or tuple, tuple) or any(map(_may_change, kind.items))
    return not is_immutable(kind)


def _is_data(a: Var | Ref) -> bool:
    return isinstance(a, Var) or not callable(a.value)


def _name(a: Var | Ref) -> str:
    """What the user calls it."""
    if isinstance(a, Var):
        return a.hint
    path = a.path[1:] if isinstance(a.root, ModuleType) else a.path
    return ".".join(part for part in path if part != "cell_contents")


def _may_be_array(kind: Kind) -> bool:
    return not isinstance(kind, List | Scalar)


def _may_be_container(kind: Kind) -> bool:
    return not isinstance(kind, Array | Numeric | Scalar)
