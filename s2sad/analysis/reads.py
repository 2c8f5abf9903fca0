"""Which objects' contents a statement reads, and which it changes."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

from s2sad.analysis.effects import WRITES, WRITES_DEEP, is_pure, read_atoms, writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Dict, Kind, List, Numeric, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Store, Var, kind_of
from s2sad.rules.aliasing import VIEWS
from s2sad.runtime import helpers

__all__ = [
    "classes_resized",
    "classes_written",
    "holds_references",
    "is_of_numbers",
    "op_reads",
    "store_reads",
    "structure_reads",
]


def holds_references(a: Atom) -> bool:
    """Whether a store into an object keeps a reference to the value: a list, say; an array copies numbers."""
    return isinstance(_kind(a), List | Dict | Tuple | Other)


def is_of_numbers(a: Atom) -> bool:
    """Whether what an object holds are numbers, which nothing changes in place."""
    match _kind(a):
        case Array() | List(Scalar()) | Dict(Scalar()):
            return True
    return False


def classes_written(memory: Memory, stmt: Op | Store) -> Iterator[Class]:
    """The classes whose contents a statement changes; of an opaque call, all that it can reach."""
    deep = False
    if isinstance(stmt, Store):
        deep = stmt.aug is not None and holds_references(stmt.obj) and not is_of_numbers(stmt.obj)
    elif isinstance(stmt.fn, Function) or not is_pure(stmt.fn):
        deep = True
    elif not stmt.kwargs and stmt.fn not in WRITES:
        return
    else:
        deep = stmt.fn in WRITES_DEEP
    for a in writes_of(stmt):
        if deep:
            yield from memory.reachable(a)
        elif (c := memory.of(a)) is not None:
            yield c


def classes_resized(memory: Memory, stmt: Stmt) -> Iterator[Class]:
    """The classes of which a statement may change how many items there are: not by a store into one item."""
    if isinstance(stmt, Op) or (isinstance(stmt, Store) and not isinstance(kind_of(stmt.index), Scalar)):
        yield from classes_written(memory, stmt)


def op_reads(memory: Memory, op: Op) -> Iterable[Class]:
    """The classes whose contents an operation reads.

    A view reads nothing yet: it is its own readers that do. What may be a view or a copy, as a run has it, reads.
    Packing an object in a tuple or a list does not read it.
    """
    if not op.kwargs:
        for a in op.args:
            if type(a) is not Const and type(a.kind) is not Scalar:  # type: ignore[union-attr]
                break
        else:
            return ()
    return _operands_read(memory, op)


def _operands_read(memory: Memory, op: Op) -> Iterator[Class]:
    fn = op.fn
    pure = not isinstance(fn, Function) and is_pure(fn)
    if pure and fn is operator.getitem:
        yield from _subscript_reads(memory, op)
        return
    if pure and fn in _SHALLOW:
        seen = op.args[1:] if fn is prims.list_extend else op.args[: _SHALLOW[fn]]
        for a in seen:
            if (c := memory.of(a)) is not None:
                yield c
        return
    own = memory.of(op.target) if pure and op.target is not None and not _may_copy(op) else None
    for a, metadata in read_atoms(op):
        if type(a) is Const or (type(a) is Var and type(a.kind) is Scalar):
            continue
        if metadata:
            yield from structure_reads(memory, a)
        elif own is None or memory.of(a) != own or _is_put_together(op, a):
            yield from memory.reachable(a)


def _may_copy(op: Op) -> bool:
    """Whether a result of the class of an operand may be made of what is there now."""
    if op.fn in _COPIES:
        return True
    return op.target is not None and isinstance(op.target.kind, Array | Numeric) and op.fn not in _SAME


def _is_put_together(op: Op, a: Atom) -> bool:
    """Whether a result is an array made of what a container holds, and no view, though a tuple may hold both."""
    made = op.target.kind if op.target is not None else None
    return isinstance(_kind(a), List | Dict | Tuple) and isinstance(made, Array | Numeric)


def _subscript_reads(memory: Memory, op: Op) -> Iterator[Class]:
    obj, index = op.args
    yield from memory.reachable(index)
    c = memory.of(obj)
    if c is None:
        return
    if isinstance(_kind(obj), Array | Numeric) and op.target is not None and memory.of(op.target) == c:
        return
    yield c


def store_reads(memory: Memory, store: Store) -> Iterator[Class]:
    """The classes whose contents a store reads (its own object's, when it augments, not included)."""
    if store.aug or not holds_references(store.obj):
        yield from memory.reachable(store.value)
    yield from memory.reachable(store.index)


def structure_reads(memory: Memory, a: Atom) -> Iterator[Class]:
    """The classes of nested containers, but of no array: what a length or a zero of the same structure needs."""
    c, kind = memory.of(a), _kind(a)
    while c is not None and not isinstance(kind, Array | Numeric | Scalar):
        yield c
        match kind:
            case List(item) | Dict(item):
                kind = item
            case Tuple(items) if all(isinstance(k, Array | Numeric | Scalar) for k in items):
                return
            case _:
                yield from memory.reachable(a)
                return
        c = memory.element(c)


def _kind(a: Atom) -> Kind:
    return Other(type(a.value)) if isinstance(a, Const) else a.kind


#: What gives an operand, or a view of it, in any run.
_SAME: set[Any] = VIEWS | {prims.identity, prims.getattr_}
#: What may give an operand, or new containers of what it holds.
_COPIES: set[Any] = {helpers.accumulate, helpers.map_leaves, helpers.copy_state}
#: Operations that look at the first so many operands only as containers, not at what those hold.
_SHALLOW: dict[Any, int] = {
    prims.make_tuple: 0,
    prims.make_list: 0,
    prims.make_dict: 0,
    prims.make_instance: 0,
    prims.make_slice: 0,
    prims.list_append: 0,
    prims.list_insert: 0,
    prims.list_reverse: 0,
    prims.list_pop: 1,
    prims.list_copy: 1,
    prims.list_extend: 0,
    prims.getattr_: 1,
    prims.dict_items: 1,
}
