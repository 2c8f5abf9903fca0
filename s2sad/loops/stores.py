"""Stores of more than one item."""

from __future__ import annotations

from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Const, Op, Store, Var
from s2sad.loops.arrays import Fill, NotLowered, View, drop_axis
from s2sad.loops.common import array, base_dtype, dtype_of, parts_of
from s2sad.loops.elements import LITERALS, Elements, dtype_name
from s2sad.loops.model import Guard, Put
from s2sad.loops.state import State
from s2sad.loops.views import gathered, subscripted

__all__ = ["add_at", "lower_store"]

_REAL = {"float64", "float32", "int64", "float", "int", "bool"}
#: What an array takes of other dtypes than its own.
_STORED = {"float64": _REAL, "complex128": {*_REAL, "complex", "complex128"}}


def lower_store(state: State, store: Store) -> bool:
    """Lower a store into an array, if it stores more than one item."""
    obj = store.obj
    try:
        if not isinstance(obj, Var) or not isinstance(obj.kind, Array) or store.aug not in (None, "+", "-", "*", "/"):
            return False
        found = state.describe(obj)
        parts = parts_of(state, store.index)
        if len(parts) == 1 and array(parts[0]):
            return masked(state, store, found, parts[0])
        if any(map(array, parts)):
            return False
        view = subscripted(state, found, store.index)
        if not isinstance(view, View):
            return False
        put(state, store, view)
    except NotLowered:
        return False
    return True


def put(state: State, store: Store, view: View) -> None:
    """A store of a value broadcast to a view."""
    value = state.describe(store.value)
    dtype = base_dtype(view)
    rounds = bool(view.dims) and (dtype, dtype_name(store.value), store.aug) == ("float32", "float64", None)
    if not rounds:
        check_cast(store, dtype)
    while len(value.dims) > len(view.dims) and value.dims[0].key == 1:
        value = drop_axis(value, 0)
    scales = state.fitted(value, view.dims)
    same = isinstance(value, View) and not any(scales.values())
    if isinstance(value, View) and state.deps.class_of(value.base) == state.deps.class_of(view.base):
        value = value if same and value.base is view.base and value.axes == view.axes else kept(state, value)
    final = value
    if not view.dims:
        if isinstance(value, View):
            raise NotLowered
        state.add(Put(view.base, state.subs(view, (), ()), value.value, store.aug))
        return

    def body(idx: list[Var], e: Elements) -> None:
        v = state.element(final, view.dims, idx, e, scales)
        if isinstance(v, Const) and dtype in LITERALS:
            v = Const(LITERALS[dtype](v.value))
        elif rounds:  # here, for what reads it there may take the number that was stored
            v = e.cast(v, dtype)
        e.items.append(Put(view.base, state.subs(view, view.dims, idx), v, store.aug))

    state.add(state.nest(view.dims, body))


def check_cast(store: Store, dtype: str) -> None:
    """Leave to NumPy what it may refuse."""
    name = dtype_name(store.value)
    if name in _STORED.get(dtype, ()):
        return
    if name not in (dtype, {"float32": "float", "int64": "int"}.get(dtype)) or (dtype == "bool" and store.aug):
        raise NotLowered


def kept(state: State, value: View) -> View:
    """A copy of a view, made before what it shows is changed."""
    dtype = base_dtype(value)
    target = state.temp(value, value.dims, dtype)
    state.add(state.filling(target, value.dims, lambda idx, e: state.element(value, value.dims, idx, e)))
    found = state.known[target]
    assert isinstance(found, View)
    return found


def masked(state: State, store: Store, found: View | Fill, mask: Atom) -> bool:
    """``a[mask] = number``"""
    shown = state.describe(mask)
    if dtype_of(mask) != "bool" or not isinstance(found, View) or isinstance(shown, Fill):
        return False
    value = state.describe(store.value)
    if isinstance(value, View) or len(shown.dims) != len(found.dims):
        return False
    if not all(map(state.agree, shown.dims, found.dims)):
        return False
    check_cast(store, base_dtype(found))
    number = value.value

    def body(idx: list[Var], e: Elements) -> None:
        cond = state.element(shown, found.dims, idx, e)
        put = Put(found.base, state.subs(found, found.dims, idx), number, store.aug)
        e.items.append(Guard(cond, (put,)))

    state.add(state.nest(found.dims, body))
    return True


def add_at(state: State, op: Op) -> None:
    """``add_at(target, index, value)``: an index that repeats counts each time."""
    obj, index, value = op.args
    if not array(obj) or op.kwargs:
        raise NotLowered
    found, added = state.describe(obj), state.describe(value)
    if isinstance(found, Fill) or not any(array(p) for p in parts_of(state, index)):
        raise NotLowered
    if isinstance(added, View) and state.deps.class_of(added.base) == state.deps.class_of(found.base):
        added = kept(state, added)
    dims, subs = gathered(state, found, index)
    scales = state.fitted(added, dims)
    dtype, name = base_dtype(found), dtype_name(value)
    if name != dtype and name not in _STORED.get(dtype, ()):
        raise NotLowered

    def body(idx: list[Var], e: Elements) -> None:
        v = state.element(added, dims, idx, e, scales)
        e.items.append(Put(found.base, subs(idx, e), v, "+"))

    state.add(state.nest(dims, body))
