"""Arrays whose dtype is not one of floats, or one of two that only the run tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


def stored_among_objects(x: float, n: int) -> Any:
    T = np.zeros(2, dtype=object)
    T[0] = np.sin(x)
    return T[0] * x


def summed_objects(x: float, n: int) -> Any:
    T = np.array([x, 2.0 * x], dtype=object)
    return T.sum() * x


def objects_on_one_path(x: float, n: int) -> Any:
    T = np.zeros(2, dtype="O") if n > 3 else np.zeros(2)
    T[0] = np.sin(x)
    return T[0] * x


@pytest.mark.parametrize("f", [stored_among_objects, summed_objects, objects_on_one_path])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_derivative_through_objects_is_refused(f: Callable[..., Any], mode: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="array of objects") as caught:
        s2sad.jvp(f, (0.5, 2), (1.0, None)) if mode == "forward" else s2sad.vjp(f, 0.5, 2)
    assert "test_dtypes.py" in str(caught.value)


def integers_on_one_path(x: float, n: int) -> Any:
    T = np.zeros(2, dtype=int) if n > 3 else np.zeros(2)
    T[0] = 3.0 * np.sin(x)
    return T[0] * x


def integers_before_the_loop(x: float, n: int) -> Any:
    T = np.zeros(2, dtype=int)
    for _ in range(n):
        T[0] = 3.0 * np.sin(x)
        T = T + 0.5
    return T[0] * x


def view_of_integers_on_one_path(x: float, n: int) -> Any:
    T = np.zeros((2, 2), dtype=bool) if n > 3 else np.zeros((2, 2))
    T[0][1] += np.sin(x)
    return T[0, 1] * x


def list_of_integers_on_one_path(x: float, n: int) -> Any:
    q = [1, 2]
    if n > 3:
        q.append(0.5)
    a = np.array(q)
    a[0] = 3.0 * np.sin(x)
    return a[0] * x


def list_of_integers_before_the_loop(x: float, n: int) -> Any:
    q = [0] * 2
    p = q[:]
    for _ in range(n):
        p.insert(0, x)
    a = np.asarray(p)
    a[1] += np.sin(x)
    return np.sum(a)


REFUSED = (integers_on_one_path, integers_before_the_loop, view_of_integers_on_one_path)


@pytest.mark.parametrize("f", [*REFUSED, list_of_integers_on_one_path, list_of_integers_before_the_loop])
def test_a_store_that_may_cut_off_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="one of integers") as caught:
        s2sad.vjp(f, 0.5, 2)
    assert "test_dtypes.py" in str(caught.value)


def integers_then_floats(x: float, n: int) -> Any:
    T = np.arange(1, 4)
    for _ in range(n):
        T = T * x
        T = T + 0.5
        T[0] = T[1] * x
    return np.sum(T)


def test_integers_that_become_floats_are_stored_into() -> None:
    found = s2sad.grad(integers_then_floats)(0.5, 2)
    step = 1e-6
    expected = (integers_then_floats(0.5 + step, 2) - integers_then_floats(0.5 - step, 2)) / (2 * step)
    assert found == pytest.approx(expected, rel=1e-8)


def lists_with_floats(x: float, n: int) -> Any:
    a, q = np.array([0, x]), [0.0]
    a[0] = np.sin(x)
    for _ in range(n):
        q.append(q[-1] + x)
    b = np.array(q)
    b[0] = np.cos(x)
    c = np.array([1, *q][:1], dtype=float)
    c[0] = x * x
    return np.sum(a) * np.sum(b) + c[0]


@pytest.mark.parametrize("n", [0, 3])
def test_lists_that_hold_a_float_are_arrays_of_floats(n: int) -> None:
    step = 1e-6
    expected = (lists_with_floats(0.5 + step, n) - lists_with_floats(0.5 - step, n)) / (2 * step)
    assert s2sad.grad(lists_with_floats)(0.5, n) == pytest.approx(expected, rel=1e-8)


def through_an_item(x):
    a = np.empty(2, dtype=object)
    a[0] = x * 2.0
    return a[0] * 3.0


def through_items_in_a_loop(x):
    total = 0.0
    for item in np.array([x, x * x], dtype=object):
        total += item
    return total


@pytest.mark.parametrize("function", [through_an_item, through_items_in_a_loop])
def test_derivatives_do_not_get_lost_in_arrays_of_objects(function) -> None:
    for derive in (s2sad.grad(function), lambda x: s2sad.jvp(function, (x,), (1.0,))):
        with pytest.raises(s2sad.UnsupportedSyntax, match="array of objects"):
            derive(1.5)


def test_items_of_arrays_of_objects_are_numbers_where_no_derivative_is_lost() -> None:
    def first_weight(x, weights):
        return x * weights[0] + weights[1]

    assert s2sad.value_and_grad(first_weight)(1.5, np.array([2.0, 3.0], dtype=object)) == (6.0, 2.0)


SORT = "int"


def of_a_sort_outside(x):
    a = np.zeros(2, dtype=SORT)
    a[0] = x
    return a[0] * 1.0


def of_a_sort_outside_by_position(x):
    a = np.zeros(2, SORT)
    a[0] = x
    return a[0] * 1.0


def converted_to_a_sort_outside(x):
    return np.sum((x * np.ones(1)).astype(SORT))


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("function", [of_a_sort_outside, of_a_sort_outside_by_position, converted_to_a_sort_outside])
def test_dtypes_that_are_text_outside_are_known(monkeypatch, function, backend) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    kept = s2sad.grad(function, backend=backend)
    for sort, expected in (("int", 0.0), ("float64", 1.0), ("int64", 0.0), ("float32", 1.0)):
        monkeypatch.setitem(function.__globals__, "SORT", sort)
        assert kept(1.5) == expected
        assert s2sad.grad(function, backend=backend)(1.5) == expected  # not what the cache has for another sort


def of_a_sort(x, sort):
    a = np.zeros(2, sort)
    a[0] = x
    return a[0] * 1.0


def converted_to_a_sort(x, sort):
    return np.sum((x * np.ones(1)).astype(sort))


@pytest.mark.parametrize("function", [of_a_sort, converted_to_a_sort])
def test_dtypes_that_are_text_at_run_time_are_refused_where_a_derivative_passes(function) -> None:
    def told_by_the_run(x, sorts, k):
        return function(x, sorts[k])

    at = (1.5, ["int", "float64"], 0)
    for derive in (s2sad.grad(told_by_the_run), lambda *at: s2sad.jvp(told_by_the_run, at, (1.0, None, None))):
        with pytest.raises(s2sad.UnsupportedSyntax, match="dtype is text") as caught:
            derive(*at)
        assert "test_dtypes.py" in str(caught.value)


@pytest.mark.parametrize("function", [of_a_sort, converted_to_a_sort])
def test_dtypes_that_are_text_that_is_passed_are_known(function) -> None:
    kept = s2sad.grad(function)
    for sort, expected in (("int", 0.0), ("float64", 1.0), ("int64", 0.0), ("float32", 1.0)):
        assert kept(1.5, sort) == expected
        assert s2sad.jvp(function, (1.5, sort), (1.0, None))[1] == expected


def test_dtypes_that_are_text_at_run_time_are_fine_elsewhere() -> None:
    def steps(x, sort):
        return x * np.sum(np.arange(3, dtype=sort) + np.ones(3, dtype=sort))

    assert s2sad.grad(steps)(1.5, "int") == 6.0


def of_the_class_of_its_dtype(x):
    scale = x.dtype.type(3)
    return scale * x + np.zeros(2, x.dtype.type)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_class_of_a_dtype_is_known(dtype) -> None:
    x = np.array([0.5, 2.0], dtype)
    y, dy = s2sad.jvp(of_the_class_of_its_dtype, (x,), (x,))
    assert y.dtype == dy.dtype == dtype
    assert np.array_equal(dy, 3 * x)
    assert np.array_equal(s2sad.vjp(of_the_class_of_its_dtype, x)[1](x)[0], 3 * x)


WIDER = {"e": np.float32, "f": np.float32, "d": np.float64}


def floating(dtype: Any) -> Any:
    """The dtype to compute in: as libraries look it up."""
    if isinstance(dtype, tuple):
        return np.result_type(*(floating(d) for d in dtype))
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        raise ValueError("complex numbers are not handled")
    return WIDER.get(dtype.char, np.float64)


def in_one_or_another(x: Any, y: Any) -> Any:
    wanted = floating(x.dtype)
    if wanted == np.float32:
        return np.sum(x.astype(wanted) ** 3)
    return np.sum(x.astype(wanted) ** 2)


def in_that_of_both(x: Any, y: Any) -> Any:
    wanted = floating((x.dtype, y.dtype))
    return np.sum(x.astype(wanted) ** 2 * y) if wanted == np.float64 else np.sum(x**3)


def told_by_name(x: Any, y: Any) -> Any:
    power = 2.0 if np.dtype("float64") == np.result_type(x.dtype, y.dtype) else 3.0
    return np.sum(x**power)


@pytest.mark.parametrize("function", [in_one_or_another, in_that_of_both, told_by_name])
@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("f4", "f8"), ("f4", "f4")])
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_what_is_looked_up_by_a_dtype_is_known(function: Callable[..., Any], dtypes: Any, backend: str) -> None:
    x, y = (np.array([1.0, 2.0], dtype=d) for d in dtypes)
    single = "f8" not in dtypes if function is not in_one_or_another else dtypes[0] == "f4"
    wanted = 3.0 * x**2 if single else 2.0 * x * (y if function is in_that_of_both else 1.0)
    value, gradient = s2sad.value_and_grad(function, backend=backend)(x, y)
    assert (value, gradient.dtype) == (function(x, y), x.dtype)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6)


PAIR = np.dtype([("u", float), ("v", float)])
PAIRS = np.array([(1.0, 2.0), (3.0, 4.0)], dtype=PAIR)


def stored_in_a_field(x: float) -> Any:
    pairs = np.zeros(2, dtype=PAIR)
    pairs["u"] = x
    return pairs["u"].sum()


def with_its_fields_written_down(x: float) -> Any:
    pairs = np.zeros(2, dtype=[("u", float), ("v", float)])
    pairs["u"] = x
    return pairs["u"].sum()


def with_its_fields_in_a_dict(x: float) -> Any:
    pairs = np.zeros(2, {"names": ["u", "v"], "formats": [float, float]})
    pairs["u"] = x
    return pairs["u"].sum()


def made_with_fields_written_down(x: float) -> Any:
    return np.array([(x, 2.0)], dtype=[("u", float), ("v", float)])["u"][0]


def made_a_record(x: float) -> Any:
    return np.array([(x, 2.0)], dtype=PAIR)["u"][0]


RECORDS = [
    stored_in_a_field,
    with_its_fields_written_down,
    with_its_fields_in_a_dict,
    made_with_fields_written_down,
    made_a_record,
]


@pytest.mark.parametrize("f", RECORDS)
def test_a_derivative_through_records_is_refused(f: Callable[..., Any]) -> None:
    for derivative in (s2sad.grad(f), lambda x: s2sad.jvp(f, (x,), (1.0,))):
        with pytest.raises(s2sad.UnsupportedSyntax, match="array of records"):
            derivative(0.7)


def test_records_that_do_not_change_are_read() -> None:
    assert s2sad.grad(lambda x: x * PAIRS["u"].sum() * PAIRS["v"][0])(0.7) == 8.0
