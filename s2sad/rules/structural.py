"""Rules of the helpers that only derivatives call, so that derivatives differentiate again."""

from __future__ import annotations

from typing import Any

from s2sad.rules.table import adjoint, linear, tangent, zero_derivative
from s2sad.runtime.helpers import (
    accumulate,
    as_index,
    as_result,
    combination_places,
    constant,
    copy_order,
    copy_state,
    copy_tree,
    laid_out,
    laid_out_leaves,
    last_stored,
    need_apart,
    need_array,
    need_filled,
    need_fractions,
    need_more_values,
    need_number,
    need_real,
    need_rows,
    need_several,
    need_square,
    need_values,
    need_variables,
    order_of,
    pack,
    permutation_places,
    place,
    place_of_max,
    place_of_min,
    same_sharing,
    shadow_view,
    unbroadcast,
    unit_seed,
    unpack,
)
from s2sad.runtime.stop import stop_gradient

__all__: list[str] = []


@linear(as_result, wrt="bx")
def as_result_(bx: Any, x: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, bx)


@linear(last_stored, wrt="target")
def last_stored_(target: Any, index: Any, *, ct: Any) -> Any:
    return place(ct, index, target)


@linear(place, wrt="x")
def place_(x: Any, index: Any, like: Any, *, ct: Any) -> Any:
    return unbroadcast(last_stored(ct, index), x)


@linear(pack, wrt="values")
def pack_(values: Any, like: Any, *, ct: Any) -> Any:
    return unpack(ct, values)


@linear(copy_tree, wrt="x")
def copy_tree_(x: Any, *, ct: Any) -> Any:
    return ct


@linear(copy_state, wrt="x")
def copy_state_(x: Any, memo: Any = None, *, ct: Any) -> Any:
    return ct


@linear(laid_out, laid_out_leaves, wrt="x")
def laid_out_(x: Any, like: Any, *, ct: Any) -> Any:
    return ct


@tangent(accumulate)
def accumulate_(a: Any, b: Any, *, da: Any = 0.0, db: Any = 0.0) -> Any:
    return accumulate(da, db)


@adjoint(accumulate, wrt=("a", "b"))
def accumulate_adjoint(a: Any, b: Any, *, ct: Any) -> Any:
    return ct, ct


@tangent(shadow_view)
def shadow_view_(view: Any, x: Any, base: Any, *, dview: Any, dx: Any = 0.0, dbase: Any = 0.0) -> Any:
    return shadow_view(dview, x, base)


@adjoint(shadow_view, wrt=("view", "x", "base"))
def shadow_view_adjoint(view: Any, x: Any, base: Any, *, ct: Any) -> Any:
    return shadow_view(ct, x, base), None, None


zero_derivative(as_index, unit_seed, constant, copy_order, stop_gradient, order_of, place_of_max, place_of_min)
zero_derivative(
    *(same_sharing, need_array, need_apart, need_square, need_fractions, need_number, need_real, need_rows),
    need_filled,
    need_several,
    need_values,
    need_more_values,
    need_variables,
    *(combination_places, permutation_places),
)
