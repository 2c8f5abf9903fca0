"""What transforms ask of operations: the memory of results, what a change replaces, the kinds and zeros of adjoints."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.analysis.sharing import shared_operands
from s2sad.analysis.widths import NARROW
from s2sad.frontend.lower import Lowerer
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Stmt, Var
from s2sad.rules.lookup import holds_complex
from s2sad.runtime import helpers

__all__ = [
    "MAKERS",
    "MAYBE_VIEWS",
    "OWN_MAYBE_VIEWS",
    "VIEWS",
    "copies_items",
    "floating",
    "in_width",
    "item_kind",
    "items_made",
    "reading_order",
    "view_base",
    "written_index",
    "zero_like",
]


def item_kind(kind: K.Kind, index: Atom) -> K.Kind:
    """The kind of what a subscript gives."""
    from s2sad.rules.infer_arrays import getitem
    from s2sad.rules.standins import UNKNOWN

    known = index.value if isinstance(index, Const) else UNKNOWN
    return getitem((kind, UNKNOWN), (kind_of(index), known))


#: Functions whose result is always a view of their first operand, an array.
VIEWS: set[Any] = {
    np.transpose,
    np.squeeze,
    np.expand_dims,
    np.swapaxes,
    np.matrix_transpose,
    np.moveaxis,
    np.rollaxis,
    np.flip,
    np.fliplr,
    np.flipud,
    np.rot90,
    np.real,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    prims.identity,
    operator.getitem,
    helpers.shadow_view,
}
#: Helpers of derivatives whose result may be the first argument, or a view of it.
OWN_MAYBE_VIEWS: set[Any] = {
    helpers.unbroadcast,
    helpers.cast,
    helpers.undiag,
    helpers.flatten_axes,
    helpers.unflatten_axes,
}
#: Functions whose result may be a view or a copy: which, only the array's layout tells.
MAYBE_VIEWS: set[Any] = {np.reshape, np.ravel, np.asarray, np.ascontiguousarray, np.asanyarray}


def copies_items(op: Op) -> bool:
    """Whether the result is a new list of items of the first operand."""
    if op.fn is helpers.kept_item:
        return True
    if op.fn is operator.getitem:
        base, index = op.args
        return isinstance(getattr(base, "kind", None), K.List) and getattr(index, "kind", None) == K.SLICE
    return op.fn in prims.COPIES


def reading_order(op: Op) -> Atom:
    """In which order an operation that may give a view, or a copy, takes the items of its first operand."""
    if op.fn not in (np.reshape, np.ravel):
        return Const("C")
    place = 2 if op.fn is np.reshape else 1
    return op.args[place] if len(op.args) > place else dict(op.kwargs).get("order", Const("C"))


def written_index(op: Op) -> Atom | None:
    """Where a helper changes its first operand by replacing items; None where it does something else."""
    match op.fn:
        case helpers.add_at | helpers.add_items | helpers.put_back:
            return op.args[1]
        case helpers.add_repeats:
            return Const(slice(None))
        case helpers.add_back:
            return Const(...)
    return None


#: Which operands of the primitives that make containers are what these hold.
MAKERS: dict[Any, Callable[[int], range]] = {
    prims.make_list: range,
    prims.make_dict: lambda n: range(1, n, 2),
    prims.make_tuple: range,
    prims.make_instance: lambda n: range(2, n),
}


def view_base(op: Op) -> Var | None:
    """The array that an operation's result shares its memory with; None where it has its own."""
    base = op.args[0] if op.args else None
    if not isinstance(base, Var) or op.fn not in VIEWS | MAYBE_VIEWS or not isinstance(base.kind, K.Array | K.Numeric):
        return None
    return base if base in shared_operands(op) else None


#: What makes numbers of a width, by the dtype in their kinds.
WIDTHS: dict[str, Any] = {"float16": np.float16, "float32": np.float32, "float64": np.float64, "float": float}
COMPLEX_WIDTHS: dict[str, Any] = {"complex64": np.complex64, "complex128": np.complex128, "complex": complex}


def zero_like(v: Atom, kind: K.Kind) -> tuple[list[Stmt], Atom]:
    """Statements and the atom of a zero with the structure of a value."""
    if isinstance(kind, K.Scalar):
        return [], Const(0j if kind.dtype.startswith("complex") else 0.0)
    out = Var("zero", floating(kind))
    if isinstance(kind, K.Array) and K.is_float(kind) and kind.dtype != "any":
        # what counts as complex may be real in a run, and what is added to its adjoint complex all the same
        dtype = (("dtype", Const(getattr(np, kind.dtype))),) if kind.dtype.startswith("complex") else ()
        return [Op(out, np.zeros_like, (v,), dtype)], out
    if isinstance(kind, K.List) and isinstance(kind.item, K.Scalar):
        (_, zero), n = zero_like(v, kind.item), Var("", K.INT)
        cast: list[Stmt] = []
        if kind.item.dtype in NARROW and kind.item.dtype in WIDTHS:
            cast, zero = [Op(narrow := Var("", kind.item), WIDTHS[kind.item.dtype], (zero,))], narrow
        unit = Var("", K.List(kind_of(zero)))
        return [
            *cast,
            Op(n, len, (v,)),
            Op(unit, prims.make_list, (zero,)),
            Op(out, prims.list_repeat, (unit, n)),
        ], out
    made = helpers.complex_zeros if isinstance(kind, K.List | K.Dict) and holds_complex(kind) else helpers.zeros_like
    return [Op(out, made, (v,))], out


def items_made(op: Op | None) -> tuple[Atom, ...] | None:
    """What a tuple or a record is made of; None where the operation makes neither."""
    match op:
        case Op(fn=prims.make_tuple, args=args):
            return args
        case Op(fn=prims.make_instance, args=(_, _, *args)):
            return tuple(args)
    return None


def floating(kind: K.Kind) -> K.Kind:
    """The kind of an adjoint of a value of this kind."""
    match kind:
        case K.Scalar(dtype) if not dtype.startswith(("float", "complex", "any")):
            return K.FLOAT
        case K.Array(dtype, rank, shape) if not dtype.startswith(("float", "complex", "any")):
            return K.Array("float64", rank, shape)
        case K.List(item):
            return K.List(floating(item))
        case K.Dict(item):
            return K.Dict(floating(item))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(floating(i) for i in items), cls)
    return kind


def in_width(lo: Lowerer, derivative: Atom, kind: K.Kind, certain: bool = True) -> Atom:
    """A number as the tangent or adjoint of one of this kind, in its width: what is made of it relies on that.

    A number of Python's takes the width of what it meets, and stays beside a narrow one. Where it is not ``certain``
    that the derivative is in a run what it is counted as (a zero and the seed are Python's, and a factor of one is
    dropped), it is converted in any case.
    """
    like = kind_of(derivative)
    if not isinstance(like, K.Scalar) or not isinstance(kind, K.Scalar):
        return derivative
    widths = WIDTHS if kind.dtype in WIDTHS else COMPLEX_WIDTHS
    if kind.dtype not in widths or like.dtype not in widths:
        return derivative
    if certain:
        others = (*NARROW, "float64", "complex128") if kind.dtype in NARROW else NARROW
        if like.dtype == kind.dtype or like.dtype not in others:
            return derivative
    return lo.emit(widths[kind.dtype], derivative, kind=kind)
