"""Arrays of one number, numbers repeated along axes, and arrays made with nothing in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import Fill, NotLowered, View, newaxis, pointed
from s2sad.loops.common import array, axes_of, dtype_of, literal
from s2sad.loops.elements import CASTS, LITERALS, dtype_name
from s2sad.loops.index import Lin
from s2sad.loops.model import Dim
from s2sad.loops.state import Rule, State

__all__ = ["broadcast", "like_another", "of_shape", "spread", "uninitialised"]


def like_another(value: Any) -> Rule:
    """``np.zeros_like(a)`` and its like; ``value`` None takes the second operand."""

    def rule(state: State, op: Op) -> None:
        if any(k not in ("dtype", "subok") for k, _ in op.kwargs) or len(op.args) > 2:
            raise NotLowered
        like = op.args[0]
        if not array(like):
            raise NotLowered
        number = Const(value) if value is not None else op.args[1]
        constant(state, op, state.describe(like).dims, number)

    return rule


def of_shape(value: Any) -> Rule:
    """``np.zeros(shape)`` and its like."""

    def rule(state: State, op: Op) -> None:
        if any(k != "dtype" for k, _ in op.kwargs) or len(op.args) > (2 if value is None else 1):
            raise NotLowered
        number = Const(value) if value is not None else op.args[1]
        assert op.target is not None
        constant(state, op, made(state, op.target, op.args[0]), number)

    return rule


def made(state: State, target: Var, shape: Atom) -> tuple[Dim, ...]:
    """The axes of an array made with a shape."""
    assert isinstance(target.kind, Array) and target.kind.rank is not None
    if isinstance(shape, Const) or isinstance(shape.kind, Scalar):
        sizes: tuple[Atom, ...] = (shape,)
    else:
        maker = state.scopes.makers.get(shape) if isinstance(shape, Var) else None
        if maker is None or maker.fn not in (prims.make_tuple, np.shape):
            raise NotLowered
        if maker.fn is np.shape:
            return state.describe(maker.args[0]).dims
        sizes = maker.args
    if len(sizes) != target.kind.rank:
        raise NotLowered
    return tuple(sized(state, target, k, s) for k, s in enumerate(sizes))


def sized(state: State, target: Var, k: int, size: Atom) -> Dim:
    """An axis of this length."""
    if isinstance(size, Const):
        if type(size.value) is not int:
            raise NotLowered
        return Dim(size.value, size)
    if not isinstance(size.kind, Scalar) or not isinstance(size, Var):
        raise NotLowered
    return state.scopes.sized(state.key(target, k), lambda: size)


def constant(state: State, op: Op, dims: tuple[Dim, ...], number: Atom) -> None:
    """An array of one number: none at all, if nobody stores into it."""
    target = op.target
    assert target is not None
    dtype = dtype_of(target)
    if dtype == "bool" and dtype_name(number) != "bool":
        raise NotLowered
    if array(number):
        raise NotLowered
    if dtype_name(number).startswith("complex") and dtype != "complex128":
        raise NotLowered
    if isinstance(number, Const) and dtype in LITERALS:
        number = Const(LITERALS[dtype](number.value))
    elif isinstance(number, Const) and dtype == "int64":
        number = Const(int(number.value))
    elif dtype_name(number) not in (dtype, {"float64": "float", "int64": "int", "complex128": "complex"}.get(dtype)):
        number = state.scopes.op(CASTS[dtype], number, kind=Scalar(dtype))
    if state.keeps(target):
        state.name(target, Fill(number, dims), op)
        return
    if not dims:
        raise NotLowered
    state.result(target, dims, lambda idx, e: number, op)


def uninitialised(state: State, op: Op) -> None:
    """``np.empty`` and its like."""
    target = op.target
    assert target is not None
    if any(k != "dtype" for k, _ in op.kwargs):
        raise NotLowered
    dims = state.describe(op.args[0]).dims if op.fn is np.empty_like else made(state, target, op.args[0])
    state.fresh(target, dims, op)


def spread(state: State, op: Op) -> None:
    """``spread(x, like, axis, keepdims)``: the operand repeated along axes."""
    x, like, *rest = op.args
    given = dict(op.kwargs)
    axis = rest[0] if rest else given.get("axis", Const(None))
    keep = rest[1] if len(rest) > 1 else given.get("keepdims", Const(False))
    target = op.target
    assert target is not None
    found, dims = state.describe(x), state.describe(like).dims
    if array(x) and dtype_of(x) != dtype_of(target):
        raise NotLowered
    if not found.dims:
        constant(state, op, dims, x)
        return
    axes = axes_of(literal(state, axis), len(dims))
    if keep == Const(False):
        for k in sorted(axes):
            found = newaxis(found, k)
    elif keep != Const(True):
        raise NotLowered
    if len(found.dims) != len(dims):
        raise NotLowered
    for k, (a, b) in enumerate(zip(found.dims, dims, strict=True)):
        if k in axes:
            found = pointed(found, k, Lin()) if isinstance(found, View) else found
        elif not state.agree(a, b):
            raise NotLowered
    found = View(found.base, found.axes, dims) if isinstance(found, View) else Fill(found.value, dims)
    if state.keeps(target) and (isinstance(found, Fill) or state.keeps(found.base)):
        state.name(target, found, op)
        return
    final = found
    state.result(target, dims, lambda idx, e: state.element(final, dims, idx, e))


def broadcast(state: State, op: Op) -> None:
    """``np.broadcast_to(x, shape)``: the operand repeated along axes of length one, and along new ones."""
    target = op.target
    if target is None or len(op.args) != 2 or op.kwargs or not array(op.args[0]):
        raise NotLowered
    found, dims = state.describe(op.args[0]), made(state, target, op.args[1])
    for _ in range(len(dims) - len(found.dims)):
        found = newaxis(found, 0)
    for k, (a, b) in enumerate(zip(found.dims, dims, strict=True)):
        if a.key == 1:
            found = pointed(found, k, Lin()) if isinstance(found, View) else found
        elif not state.agree(a, b):
            raise NotLowered
    state.name(target, replace(found, dims=dims), op)
