"""What the rules share: questions about operands."""

from __future__ import annotations

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import Fill, NotLowered, View
from s2sad.loops.state import State
from s2sad.optimise import shape_parts

__all__ = [
    "array",
    "axes_in_order",
    "axes_named",
    "axes_of",
    "base_dtype",
    "dtype_of",
    "literal",
    "parts_of",
    "result_of",
]


def array(a: Atom) -> bool:
    """Whether an operand is an array."""
    return isinstance(a, Var) and isinstance(a.kind, Array)


def dtype_of(a: Atom | None) -> str:
    """The dtype of a number or an array."""
    assert isinstance(a, Var) and isinstance(a.kind, Array | Scalar)
    return a.kind.dtype


def base_dtype(found: View | Fill) -> str:
    """The dtype of the memory that a view shows."""
    assert isinstance(found, View)
    return dtype_of(found.base)


def result_of(op: Op) -> Var:
    """The variable that an operation defines."""
    assert op.target is not None
    return op.target


def literal(state: State, a: Atom) -> Atom:
    """A tuple that is put together of constants as a constant."""
    maker = state.scopes.makers.get(a) if isinstance(a, Var) else None
    if maker is None or maker.fn is not prims.make_tuple or not all(isinstance(x, Const) for x in maker.args):
        return a
    return Const(tuple(x.value for x in maker.args if isinstance(x, Const)))


def axes_of(axis: Atom, rank: int) -> tuple[int, ...]:
    """The axes that an ``axis=`` names."""
    if not isinstance(axis, Const):
        raise NotLowered
    named = range(rank) if axis.value is None else axis.value if isinstance(axis.value, tuple) else (axis.value,)
    if not all(type(k) is int and -rank <= k < rank for k in named):
        raise NotLowered
    return tuple(sorted({k % rank for k in named}))


def axes_in_order(state: State, axes: Atom, rank: int) -> list[int]:
    """All axes, in the order in which a tuple names them."""
    found = axes_named(state, axes, rank)
    if len(found) != rank:
        raise NotLowered
    return found


def axes_named(state: State, axes: Atom, rank: int) -> list[int]:
    """The axes of an array that a number or a tuple names."""
    found = shape_parts.axes_named(state.scopes.makers, axes, rank)
    if found is None:
        raise NotLowered
    return [*found]


def parts_of(state: State, index: Atom) -> tuple[Atom, ...]:
    """The parts of a subscript."""
    if isinstance(index, Const):
        if isinstance(index.value, tuple):
            return tuple(map(Const, index.value))
        return (index,)
    if isinstance(index, Var) and isinstance(index.kind, Tuple | Other) and index.kind != Other(slice):
        maker = state.scopes.makers.get(index)
        if maker is None or maker.fn is not prims.make_tuple:
            raise NotLowered
        return maker.args
    return (index,)
