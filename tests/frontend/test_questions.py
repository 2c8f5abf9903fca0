"""Questions for classes and attributes of functions, classes and iterators, answered as Python does, or refused."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, UnsupportedSyntax, grad

X = np.array([0.5, 2.0])


class Scale:
    """A class with a class variable, and objects that are called."""

    rate = 2.0

    def of(self, x: Any) -> Any:
        return x

    def __call__(self, x: Any) -> Any:
        return x


def marked(x: Any) -> Any:
    return x


marked.mark = True  # type: ignore[attr-defined]
SCALE = Scale()
DOUBLED = functools.partial(np.multiply, 2.0)
PART = slice(0, 1)


def of_what_is_outside(x: Any) -> Any:
    answers = (
        isinstance(Scale, type),
        isinstance(Scale, types.FunctionType),
        isinstance(marked, types.FunctionType),
        isinstance(np.sin, np.ufunc),
        isinstance(np.sin, types.FunctionType),
        isinstance(len, types.BuiltinFunctionType),
        isinstance(DOUBLED, functools.partial),
        isinstance(SCALE.of, types.MethodType),
        isinstance(PART, slice),
        hasattr(Scale, "rate"),
        hasattr(Scale, "of"),
        hasattr(marked, "mark"),
        hasattr(np.sin, "nin"),
        hasattr(SCALE.of, "__self__"),
        hasattr(DOUBLED, "func"),
        type(marked) is types.FunctionType,
        type(Scale) is type,
        getattr(Scale, "offset", 0.0) == 0.0,
    )
    return sum(answer * 2.0**k for k, answer in enumerate(answers)) * np.sum(x)


def of_what_is_inside(x: Any) -> Any:
    scale, inner = Scale(), lambda v: v
    doubled = functools.partial(inner, 2.0)
    either = inner if x[0] > 0.0 else marked
    part, rows, items = slice(0, 1), {"a": 1.0}, (v for v in x)
    answers = (
        isinstance(scale.of, types.MethodType),
        isinstance(inner, types.FunctionType),
        isinstance(doubled, functools.partial),
        isinstance(doubled, types.FunctionType),
        isinstance(either, types.FunctionType),
        isinstance(part, slice),
        isinstance(part, types.FunctionType),
        hasattr(scale.of, "__self__"),
        hasattr(inner, "__self__"),
        hasattr(doubled, "func"),
        type(inner) is types.FunctionType,
        isinstance(zip(x, x), list),
        isinstance(items, (list, tuple, np.ndarray)),
        isinstance(rows.items(), list),
        hasattr(rows.items(), "__len__"),
        hasattr(zip(x, x), "__iter__"),
        callable(part),
        callable(either),
    )
    return sum(answer * 2.0**k for k, answer in enumerate(answers)) * np.sum(x)


class Walked:
    """Which is gone through by its items."""

    def __getitem__(self, k: int) -> float:
        return (1.0, 2.0)[k]


def of_iteration(x: Any) -> Any:
    items = (v for v in x)
    answers = (
        np.iterable(x),
        np.iterable(x[0]),
        np.iterable(np.zeros(())),
        np.iterable([x]),
        np.iterable((x, x)),
        np.iterable({"a": x}),
        np.iterable("text"),
        np.iterable(None),
        np.iterable(items),
        np.iterable(range(2)),
        np.iterable(marked),
        np.iterable(Scale()),
        np.isscalar([x]),
        np.isscalar("text"),
        np.isscalar(None),
        np.isscalar({"a": x}),
        np.isscalar(True),
        np.isscalar(Scale()),
    )
    return sum(answer * 2.0**k for k, answer in enumerate(answers)) * np.sum(x)


@pytest.mark.parametrize("f", [of_what_is_outside, of_what_is_inside, of_iteration])
def test_answers_are_those_of_python(f: Any) -> None:
    np.testing.assert_array_equal(grad(f)(X), [f(np.array([1.0, 0.0]))] * 2)


def test_whether_an_object_is_iterable_is_not_asked_of_its_methods() -> None:
    def f(x: Any) -> Any:
        return np.sum(x) if np.iterable(Walked()) else 0.0

    with pytest.raises(UnsupportedSyntax, match="an object of class Walked"):
        grad(f)(X)


def number_or_list(x: Any, k: Any) -> Any:
    if not np.iterable(k):
        k = [k]
    k = list(k) + [3.0]
    return x[0] * k[0] + x[1] * len(k)


@pytest.mark.parametrize("k", [(2.0,), [2.0], np.array([2.0])])
def test_only_numbers_are_put_in_a_list(k: Any) -> None:
    np.testing.assert_array_equal(grad(number_or_list)(X, k), [2.0, 2.0])
    np.testing.assert_array_equal(grad(number_or_list)(X, 2.0), [2.0, 2.0])


def of_a_generator(x: Any) -> Any:
    items = (v for v in x)
    return np.sum(x) if isinstance(items, types.GeneratorType) else 0.0


def of_a_zip(x: Any) -> Any:
    return np.sum(x) if isinstance(zip(x, x), zip) else 0.0


def of_its_type(x: Any) -> Any:
    return np.sum(x) if type(zip(x, x)) is not list else 0.0


@pytest.mark.parametrize("f", [of_a_generator, of_a_zip, of_its_type])
def test_of_which_class_an_iterator_is_is_refused(f: Any) -> None:
    with pytest.raises(UnsupportedSyntax, match="of which class this is depends on how it was made") as caught:
        grad(f)(X)
    assert caught.value.lineno is not None


def summed(items: Any) -> Any:
    return sum(items)


def summed_twice(items: Any) -> Any:
    return sum(items) + 3.0 * sum(items)


def begun_again(items: Any) -> Any:
    total = 0.0
    for v in items:
        total += v
        break
    for v in items:
        total += 10.0 * v
    return total


def summed_unless_a_list(items: Any) -> Any:
    return 3.0 * sum(items) if isinstance(items, list) else sum(items)


def test_a_generator_that_is_passed_is_gone_through_once() -> None:
    np.testing.assert_array_equal(grad(lambda x: summed(v * v for v in x))(X), 2.0 * X)
    np.testing.assert_array_equal(grad(lambda x: summed(items=(v * v for v in x)))(X), 2.0 * X)


@pytest.mark.parametrize("f", [summed_twice, begun_again, summed_unless_a_list])
def test_a_generator_that_is_passed_and_may_be_used_up_is_refused(f: Any) -> None:
    """A list of its items would begin anew each time, and would be one."""
    for g in (lambda x: f(v for v in x), lambda x: f(items=(v for v in x))):
        with pytest.raises(UnsupportedSyntax, match="may be used up"):
            grad(g)(X)


def truth_of_an_array(x: Any) -> Any:
    return x * 2.0 if isinstance(x[0] > 0.0, bool) else x * x


def truth_by_its_attribute(x: Any) -> Any:
    return x * x if hasattr(np.any(x > 0.0), "dtype") else x * 2.0


def truth_by_pattern(x: Any) -> Any:
    match np.isnan(x[0]):
        case bool():
            return x * 2.0
        case _:
            return x * x


def sum_of_truths(x: Any) -> Any:
    t = x[0] > 0.0
    return x * 2.0 if isinstance(t + t, int) else x * x


def product_of_a_truth(x: Any) -> Any:
    t = (x > 0.0)[0]
    return x * x if hasattr(t * 2.0, "dtype") else x * 2.0


def truth_of_a_branch(x: Any) -> Any:
    t = x[0] > 0.0 if x[1] > 0.0 else 2
    return x * 2.0 if isinstance(t + 1, int) else x * x


COMPUTED = [sum_of_truths, product_of_a_truth, truth_of_a_branch]


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [truth_of_an_array, truth_by_its_attribute, truth_by_pattern, *COMPUTED])
def test_a_truth_value_of_numpy_is_no_bool(f: Any, backend: str) -> None:
    try:
        found = grad(lambda x: np.sum(f(x)), backend=backend)(X)
    except CompileError:
        assert backend == "numba" and f in COMPUTED
    else:
        assert np.array_equal(found, 2.0 * X)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("held", [lambda flag: flag, lambda flag: (flag, 1.0), lambda flag: {"on": flag}])
def test_a_truth_value_that_is_passed_is_of_its_class(held: Any, backend: str) -> None:
    def f(x: Any, options: Any) -> Any:
        flag = options
        if isinstance(options, tuple):
            flag = options[0]
        if isinstance(options, dict):
            flag = options["on"]
        return x * 3.0 if isinstance(flag, bool) else x * x

    derivative = grad(f, backend=backend)
    for _ in range(2):
        assert [derivative(5.0, held(flag)) for flag in (True, np.True_, np.False_, False)] == [3.0, 10.0, 10.0, 3.0]


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_defaults_of_attributes_that_numbers_lack(backend: str) -> None:
    def f(x: Any, a: Any) -> Any:
        lengths = len(getattr(a, "shape", (1, 2))), len(getattr(x[0], "shape", (1, 2)))
        return np.sum(x) * (lengths[0] + 10.0 * lengths[1] + getattr(x, "nothing", 100.0))

    derivative = grad(f, backend=backend)
    assert list(derivative(X, 2.5)) == [102.0, 102.0]
    assert list(derivative(X, X)) == [101.0, 101.0]


def test_attributes_of_what_may_be_of_two_classes() -> None:
    def f(x: Any) -> Any:
        v = x[0] if x[1] > 0.0 else 1.5
        return np.sum(x) * (getattr(v, "ndim", 2) + 1.0)

    assert [list(grad(f)(s * X)) for s in (1.0, -1.0)] == [[1.0, 1.0], [3.0, 3.0]]


def test_methods_of_text_that_give_no_text() -> None:
    """A count is a number and what is split a list: such questions were answered as if they were text."""

    def f(x: float, name: str) -> float:
        parts, place = name.split("_"), name.find("_")
        y = x * len(parts) if isinstance(parts, list) and not isinstance(place, str) else x * 100.0
        return y * y if isinstance(name.count("a"), int) and isinstance(name.upper(), str) else -y

    assert f(2.0, "a_b") == 16.0
    assert grad(f)(2.0, "a_b") == 16.0
