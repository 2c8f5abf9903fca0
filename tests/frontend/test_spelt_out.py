"""Loops whose index is put into keys are spelt out, so that the keys are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import grad
from tests.texts import own_text

PARAMS = {f"W{k}": np.full((2, 2), 0.1 * k) for k in range(4)}


def text_of(f: Any, *args: Any) -> str:
    return grad(f).source_for(*args)


def test_the_keys_are_known() -> None:
    def f(params: Any, x: Any) -> Any:
        for k in range(1, 4, 2):
            x = np.sin(params[f"W{k}"] @ x)
        return np.sum(x)

    text = text_of(f, PARAMS, np.ones(2))
    assert 'params["W1"]' in text
    assert "for " not in own_text(text, "f_grad")


GATES = "ab"


def test_letters_are_known() -> None:
    def f(params: Any, x: Any) -> Any:
        total, a, b = 0.0, *GATES
        for power, g in enumerate("abc", start=1):
            gates = {key + g: params[key] * x for key in GATES}
            total += params[g] ** power * gates["a" + g] * gates["b" + g]
        return total * params[a] + params[b]

    params = {"a": 2.0, "b": 3.0, "c": 5.0}
    # total = 6 x ** 2 * (2 + 9 + 125)
    assert grad(f, wrt="x")(params, 2.0) == pytest.approx(2.0 * 6.0 * 136.0 * 2.0 * 2.0)
    assert grad(f, wrt="x", backend="numba")(params, 2.0) == pytest.approx(2.0 * 6.0 * 136.0 * 2.0 * 2.0)
    assert "    for " not in text_of(f, params, 2.0)


def test_text_outside_is_read_live(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(params: Any) -> Any:
        total = 1.0
        for g in GATES:
            total *= params[g]
        return total

    derivative = grad(f)
    assert derivative({"a": 2.0, "b": 3.0, "c": 5.0}) == {"a": 3.0, "b": 2.0, "c": 0.0}
    monkeypatch.setitem(globals(), "GATES", "ac")
    assert derivative({"a": 2.0, "b": 3.0, "c": 5.0}) == {"a": 5.0, "b": 0.0, "c": 2.0}


@pytest.mark.parametrize("count", [16, 17])
def test_so_many_iterations_at_most(count: int) -> None:
    def few(params: Any) -> Any:
        total = 0.0
        for k in range(16):
            total += params[f"a{k}"] ** 2
        return total

    def many(params: Any) -> Any:
        total = 0.0
        for k in range(17):
            total += params[f"a{k}"] ** 2
        return total

    params = {f"a{k}": 0.5 * k for k in range(count)}
    f = few if count == 16 else many
    assert ("for k in" in text_of(f, params)) is (count == 17)
    assert grad(f)(params) == {key: 2.0 * value for key, value in params.items()}


def test_messages_are_no_keys() -> None:
    def f(x: Any) -> Any:
        for k in range(3):
            if x[k] < 0.0:
                raise ValueError(f"item {k} is negative")
            assert x[k] < 9.0, f"item {k} is large"
            x = x * x[k]
        return np.sum(x)

    assert "for k in" in text_of(f, np.ones(3))


def test_loops_that_may_be_left_stay_loops() -> None:
    def f(params: Any, x: Any) -> Any:
        for k in range(4):
            x = params[f"W{k}"] @ x + x
            if np.sum(x) > 5.0:
                break
        return np.sum(x)

    x = np.ones(2)
    assert "for k in" in text_of(f, PARAMS, x)
    steps = [f(PARAMS, x + 1e-6 * d) - f(PARAMS, x - 1e-6 * d) for d in np.eye(2)]
    np.testing.assert_allclose(grad(f, wrt=1)(PARAMS, x), np.array(steps) / 2e-6, rtol=1e-7)


def test_formats() -> None:
    def f(params: Any) -> Any:
        total = 0.0
        for k in range(2):
            total += params[f"a{k:02d}"] * params["b%d" % k] * params["c{}".format(k)]  # noqa: UP031, UP032
        return total

    params = {name: 2.0 for name in ("a00", "a01", "b0", "b1", "c0", "c1")}
    assert grad(f)(params) == dict.fromkeys(params, 4.0)
    assert "for k in" not in text_of(f, params)


def test_a_format_that_does_not_fit_is_an_error_of_the_program() -> None:
    def f(params: Any) -> Any:
        total = 0.0
        for k in range(2):
            total += params[f"a{k:q}"]
        return total

    with pytest.raises(ValueError, match="format"):
        grad(f)({"a0": 1.0, "a1": 2.0})


def test_comprehensions_are_lists_written_down() -> None:
    def f(params: Any, x: Any) -> Any:
        weights = [params[f"W{k}"] for k in range(1, 4)]
        for w in weights:
            x = np.sin(w @ x)
        return np.sum(x)

    text = text_of(f, PARAMS, np.ones(2))
    assert "weights = [W1, W2, W3]" in text


def test_a_function_that_is_not_there() -> None:
    functions = {"sin": np.sin, "cos": np.cos}

    def f(x: Any, name: str) -> Any:
        return functions[name](x)

    assert grad(f)(0.5, "cos") == -np.sin(0.5)
    with pytest.raises(KeyError, match="tan"):
        grad(f)(0.5, "tan")


def test_more_functions_than_are_known() -> None:
    def f(x: float, n: int) -> float:
        return sum(g(x) for g in [lambda x, k=k: x**k for k in range(n)])

    with pytest.raises(s2sad.UnsupportedSyntax, match="exists only while compiling"):
        grad(f)(0.5, 3)


LAYERS = 3


def test_how_many_there_are_is_read_live(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(params: Any, x: Any) -> Any:
        for k in range(LAYERS):
            x = np.sin(params[f"W{k}"] @ x)
        return sum(np.sum(params[f"W{k}"]) for k in range(LAYERS)) * np.sum(x)

    derivative, params = grad(f), {**{k: w + 0.3 for k, w in PARAMS.items()}, "scale": 2.0}
    assert 'params["W2"]' in text_of(f, params, np.ones(2))
    assert np.all(derivative(params, np.ones(2))["W2"] != 0.0)
    monkeypatch.setitem(globals(), "LAYERS", 2)
    assert np.all(derivative(params, np.ones(2))["W2"] == 0.0)
    assert np.all(derivative(params, np.ones(2))["W1"] != 0.0)


def powers(count: int) -> Any:
    found = {}
    for k in range(count):
        found[k] = lambda x, k=k: x**k
    return found


def test_a_dict_of_functions_is_filled_in_a_loop() -> None:
    def f(x: Any) -> Any:
        by_power = powers(4)
        return sum(by_power[k](x) for k in range(4)) + by_power[2](x)

    assert grad(f)(2.0) == pytest.approx(1.0 + 4.0 + 12.0 + 4.0)
    assert grad(f, backend="numba")(2.0) == pytest.approx(1.0 + 4.0 + 12.0 + 4.0)


def flattened(value: Any) -> Any:
    """A vector of all that is in a structure, and what makes a leaf of such a vector again."""
    if isinstance(value, np.ndarray):
        shape = value.shape
        return np.ravel(value), lambda v: np.reshape(v, shape)
    if isinstance(value, float):
        return np.array([value]), lambda v: v[0]
    keys = sorted(value) if isinstance(value, dict) else range(len(value))
    parts = {k: flattened(value[k]) for k in keys}
    return np.concatenate([parts[k][0] for k in keys]), None


@pytest.mark.parametrize(
    "value",
    [
        (np.array([1.0, 2.0]), 3.0),
        ((np.array([1.0, 2.0]), np.eye(2)), (0.5, np.ones(3))),
        {"a": (2.0, np.ones((2, 1))), "b": {"c": 1.5, "d": np.arange(3.0)}},
    ],
)
def test_functions_of_a_structure_are_kept_by_its_places(value: Any) -> None:
    def f(value: Any) -> Any:
        v, _ = flattened(value)
        return np.sum(v**2)

    assert flattened(grad(f)(value))[0] == pytest.approx(2.0 * flattened(value)[0])


def test_the_keys_of_dicts_in_a_list_are_put_in_order() -> None:
    def f(layers: Any, x: Any) -> Any:
        for layer in layers:
            scaled = {k: (layer[k], lambda v, w=layer[k]: w * v) for k in sorted(layer, reverse=True)}
            x = scaled["a"][1](x) + scaled["b"][0]
        return x

    layers = [{"b": 2.0, "a": 3.0}, {"b": 5.0, "a": 7.0}]
    assert grad(f)(layers, 0.5) == [{"a": 3.5, "b": 7.0}, {"a": 3.5, "b": 1.0}]
    assert list(grad(f)(layers, 0.5)[0]) == ["b", "a"]
    assert "order_of" not in text_of(f, layers, 0.5)


def in_blocks(x: Any) -> Any:
    shape = x.shape[:1]
    for k in [0, 1]:
        shape += (x.shape[k + 1] // 2, 2)
    return np.sum(np.max(np.max(x.reshape(shape), axis=2), axis=3) ** 2)


def one_within_another(x: Any) -> Any:
    y = x
    for scale in [2.0 * x, x * x, x + 1.0]:
        y = (y, scale)
    return np.sum(y[0][0][1] * y[1])


def test_a_list_that_is_written_in_the_loop_where_names_change_what_they_are() -> None:
    x = np.arange(16.0).reshape(1, 4, 4)
    expected = np.zeros_like(x)
    expected[0, 1::2, 1::2] = 2.0 * x[0, 1::2, 1::2]
    np.testing.assert_array_equal(grad(in_blocks)(x), expected)
    np.testing.assert_array_equal(grad(one_within_another)(x), 4.0 * x + 2.0)


def test_a_list_that_is_written_in_the_loop_stays_one_elsewhere() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for k in [3, 1, 2]:
            total = np.sin(total) * x**k + x
        return total

    assert "for " in own_text(text_of(f, 0.5), "f_grad")


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("x", [0.7, 0.0])
@pytest.mark.parametrize(
    ("f", "slopes"),
    [
        (lambda x: (x + 2.0) * any((x, 2.0 * x)), (0.0, 1.0)),
        (lambda x: (x + 2.0) * all([x, x * x, 3.0 * x]), (0.0, 1.0)),
        (lambda x: x * (any([x]) + 1), (1.0, 2.0)),
    ],
)
def test_whether_any_or_all_hold_is_a_truth_value(f: Any, slopes: Any, x: float, backend: Any) -> None:
    assert s2sad.value_and_grad(f, backend=backend)(x) == (f(x), slopes[x != 0.0])
