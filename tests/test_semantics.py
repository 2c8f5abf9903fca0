"""Semantics that are easy to get wrong: one section for each row of the table in the design.

Where nothing else is said the gradient is checked against the closed form, and forward
mode against reverse.
"""

from __future__ import annotations

import collections
import heapq
import importlib.util
import linecache
import logging
import math
import operator
import queue
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import NotDifferentiable, S2sadError, UnsupportedSyntax, check_grads, grad, jvp, value_and_grad, vjp


def both_modes(f: Any, *args: Any) -> tuple[np.ndarray, np.ndarray]:
    """The gradient for the first argument, by reverse mode and by forward mode entry by entry."""
    x = args[0]
    reverse = grad(f)(*args)
    zeros = tuple(np.zeros_like(a) if isinstance(a, np.ndarray) else 0.0 for a in args[1:])
    if not isinstance(x, np.ndarray):
        return np.asarray(reverse), np.asarray(jvp(f, args, (1.0, *zeros))[1])
    forward = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        unit = np.zeros_like(x)
        unit[k] = 1.0
        forward[k] = jvp(f, args, (unit, *zeros))[1]
    return reverse, forward


def assert_gradient(f: Any, args: tuple[Any, ...], expected: Any) -> None:
    """Both modes give ``expected`` for the first argument."""
    reverse, forward = both_modes(f, *args)
    assert np.shape(reverse) == np.shape(args[0])
    np.testing.assert_allclose(reverse, expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(forward, expected, rtol=1e-13, atol=1e-13)


# ---- repeated indices: contributions accumulate


def test_repeated_indices_accumulate_in_a_load() -> None:
    def f(x):
        return np.sum(x[[0, 0, 2, 0]] * np.array([1.0, 2.0, 4.0, 8.0]))

    assert_gradient(f, (np.array([1.0, 2.0, 3.0]),), [11.0, 0.0, 4.0])


def test_repeated_indices_accumulate_from_an_index_array() -> None:
    def f(x, rows, columns):
        return np.sum(x[rows, columns] ** 2)

    x = np.arange(1.0, 7.0).reshape(2, 3)
    gradient = grad(f)(x, np.array([0, 0, 1]), np.array([1, 1, 2]))
    np.testing.assert_allclose(gradient, [[0.0, 8.0, 0.0], [0.0, 0.0, 12.0]])


def test_repeated_indices_in_a_loop() -> None:
    def f(x, order):
        s = 0.0
        for i in order:
            s += x[i] * x[i]
        return s

    np.testing.assert_allclose(grad(f)(np.array([1.0, 3.0]), np.array([1, 1, 0, 1])), [2.0, 18.0])


def test_repeated_indices_in_a_store_keep_the_last() -> None:
    def f(x):
        y = np.zeros(2)
        y[[0, 0]] = x
        return np.sum(y * np.array([5.0, 7.0]))

    assert_gradient(f, (np.array([1.0, 2.0]),), [0.0, 5.0])


# ---- size-1 axes broadcast: summed back, shape kept


@pytest.mark.parametrize("shape", [(1,), (3,), (1, 3), (2, 1), (1, 1), (1, 2, 3), (2, 3)])
def test_size_one_axes_are_summed_back(shape: tuple[int, ...]) -> None:
    def f(x, y):
        return np.sum(x * y)

    y = np.arange(6.0).reshape(2, 3)
    x = np.ones(shape)
    expected = np.zeros(shape)
    for k in np.ndindex(shape):
        unit = np.zeros(shape)
        unit[k] = 1.0
        expected[k] = np.sum(unit * y)
    assert_gradient(f, (x, y), expected)


def test_size_one_axes_of_both_operands() -> None:
    def f(x, y):
        return np.sum((x + y) ** 2)

    x, y = np.array([[1.0], [2.0]]), np.array([[3.0, 4.0, 5.0]])
    gx, gy = grad(f, wrt=(0, 1))(x, y)
    assert gx.shape == (2, 1) and gy.shape == (1, 3)
    np.testing.assert_allclose(gx, [[30.0], [36.0]])
    np.testing.assert_allclose(gy, [[18.0, 22.0, 26.0]])


def test_size_one_axes_in_a_store() -> None:
    def f(x):
        y = np.zeros((2, 3))
        y[:] = x
        y *= x
        return np.sum(y)

    assert_gradient(f, (np.array([[2.0], [3.0]]),), [[12.0], [18.0]])


# ---- points without a derivative: forward equals reverse


def _tied_max(x):
    return np.max(x)


def _tied_max_axis(x):
    return np.sum(np.max(x.reshape(2, 2), axis=1))


def _tied_min(x):
    return np.min(x)


def _tied_maximum(x):
    return np.sum(np.maximum(x, x[0]))


def _tied_builtin_max(x):
    return max(x[0], x[1], x[2])


def _tied_sort(x):
    return np.sum(np.sort(x) * np.arange(1.0, 5.0))


def _abs_at_zero(x):
    return np.sum(np.abs(x - x[0]))


def _clip_at_its_end(x):
    return np.sum(np.clip(x, 1.0, 2.0))


@pytest.mark.parametrize(
    "f",
    [
        _tied_max,
        _tied_max_axis,
        _tied_min,
        _tied_maximum,
        _tied_builtin_max,
        _tied_sort,
        _abs_at_zero,
        _clip_at_its_end,
    ],
)
def test_ties_forward_equals_reverse(f: Any) -> None:
    reverse, forward = both_modes(f, np.array([1.0, 1.0, 1.0, 0.5]))
    np.testing.assert_allclose(reverse, forward)
    assert np.all(np.isfinite(reverse))


def test_ties_in_max_share_one_unit() -> None:
    gradient = grad(_tied_max)(np.array([1.0, 3.0, 3.0]))
    assert gradient.sum() == 1.0 and gradient[0] == 0.0


def _scalar_abs(x):
    return abs(x) * 3.0


def _array_abs(x):
    return np.sum(np.abs(x))


def _array_sqrt(x):
    return np.sum(np.sqrt(x))


def _norm(x):
    return np.linalg.norm(x)


def _zero_to_power(x):
    return np.sum(x**2.5)


def _zero_to_one(x):
    return np.sum(x**1.0)


def _zero_squared(x):
    return np.sum(x**2)


def _negative_base(x):
    return np.sum((x - 2.0) ** 3)


def _negative_base_of_power(x):
    return np.sum(np.power(x - 2.0, 3.0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "f",
    [
        _array_abs,
        _array_sqrt,
        _norm,
        _zero_to_power,
        _zero_to_one,
        _zero_squared,
        _negative_base,
        _negative_base_of_power,
    ],
)
def test_zero_points_forward_equals_reverse(f: Any) -> None:
    """At the origin the two modes give one answer, NaN and infinity included."""
    x = np.zeros(1)
    reverse = grad(f)(x)
    forward = jvp(f, (x,), (np.ones(1),))[1]
    np.testing.assert_allclose(reverse[0], forward, equal_nan=True)


def test_abs_at_zero_is_zero() -> None:
    assert grad(_scalar_abs)(0.0) == 0.0
    assert grad(_array_abs)(np.zeros(2)).tolist() == [0.0, 0.0]


def test_zero_squared_and_zero_to_one() -> None:
    assert grad(_zero_squared)(np.zeros(2)).tolist() == [0.0, 0.0]
    assert grad(_zero_to_one)(np.zeros(2)).tolist() == [1.0, 1.0]
    assert grad(_zero_to_power)(np.zeros(2)).tolist() == [0.0, 0.0]


def test_negative_base_has_the_power_rule() -> None:
    def f(x, n):
        return x**n

    assert grad(f)(-2.0, 3) == 12.0
    np.testing.assert_allclose(grad(_negative_base)(np.array([0.5])), [6.75])
    np.testing.assert_allclose(grad(_negative_base_of_power)(np.array([0.5])), [6.75])


# ---- where with a NaN in the branch not taken: no NaN leaks


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_leaks_no_nan() -> None:
    def f(x):
        return np.sum(np.where(x > 0.0, x * 2.0, np.nan))

    assert_gradient(f, (np.array([1.0, 2.0]),), [2.0, 2.0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_with_nan_values_in_the_other_branch() -> None:
    def f(x, y):
        return np.sum(np.where(x > 0.0, x * x, y * 3.0))

    x, y = np.array([1.0, -2.0, 3.0]), np.array([np.nan, 1.0, np.inf])
    gx, gy = grad(f, wrt=(0, 1))(x, y)
    assert gx.tolist() == [2.0, 0.0, 6.0]
    assert gy.tolist() == [0.0, 3.0, 0.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_masked_store_passes_nothing_back() -> None:
    def f(x):
        y = x * 1.0
        y[x < 0.0] = 0.0
        return np.sum(y)

    gradient = grad(f)(np.array([1.0, -1.0, 2.0]))
    assert gradient.tolist() == [1.0, 0.0, 1.0]


# ---- integer inputs: adjoints are always floating


def test_a_python_int_counts_as_a_float() -> None:
    def f(x):
        return x * x / 2

    gradient = grad(f)(3)
    assert gradient == 3.0 and isinstance(gradient, float)


def test_an_integer_array_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"float"):
        grad(np.sum)(np.array([1, 2, 3]))


def test_adjoints_of_integer_buffers_are_floating() -> None:
    def f(x, counts):
        weights = np.zeros_like(counts) + 0.5
        scale = np.ones_like(counts) * x
        return np.sum(weights * x) + np.sum(scale * counts)

    gradient = grad(f)(2.0, np.array([1, 2, 3]))
    assert gradient == pytest.approx(1.5 + 6.0)
    assert isinstance(float(gradient), float)


def test_integers_mixed_with_floats_stay_exact() -> None:
    def f(x, k):
        return np.sum(x * k) + np.sum(x // 1) * 0 + np.sum(x / 4)

    gradient = grad(f)(np.array([1.5, 2.5]), np.array([1, 2]))
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, [1.25, 2.25])


def test_float32_stays_float32() -> None:
    def f(x):
        return np.sum(np.sin(x) * x)

    x = np.array([0.5, 1.0], dtype=np.float32)
    assert grad(f)(x).dtype == np.float32


# ---- names: rebound, shadowed, reused; no collision


def test_a_variable_rebound() -> None:
    def f(x):
        x = x * 2.0
        x = np.sin(x)
        x = x + x
        return x

    assert_gradient(f, (0.3,), 4.0 * math.cos(0.6))


def test_a_variable_rebound_to_another_kind() -> None:
    def f(x):
        y = x * 3.0
        y = np.array([y, x])
        y = y @ y
        return y

    assert_gradient(f, (2.0,), 40.0)


def test_a_parameter_shadowed_in_a_nested_function() -> None:
    def f(x):
        def g(x):
            x = x * x
            return x

        return g(x + 1.0) * x

    assert_gradient(f, (2.0,), 2 * 3.0 * 2.0 + 9.0)


def test_a_loop_variable_reused() -> None:
    def f(x):
        i = x * 2.0
        for i in range(3):
            x = x * i + 1.0
        for i in [x, 2.0 * x]:
            x = x + i
        return x * i

    # x -> 0*x + 1 = 1, -> 2, -> 5: a constant.
    def g(x):
        for x in [x, x * x]:
            pass
        return x

    assert_gradient(f, (2.0,), 0.0)
    assert_gradient(g, (3.0,), 6.0)


def test_user_names_like_the_generated_ones() -> None:
    def f(bx, dx, d, ct, result, tape, by, x_1, x):
        bx_1 = bx * dx
        dbx = d * ct
        b = result * tape
        bb = by * x_1
        i = x
        y = bx_1 * dbx + b * bb * i
        return y

    values = tuple(1.0 + 0.1 * k for k in range(9))
    gradients = grad(f, wrt=tuple(range(9)))(*values)
    bx, dx, d, ct, result, tape, by, x_1, x = values
    first, second = bx * dx * d * ct, result * tape * by * x_1 * x
    expected = [first / v for v in values[:4]] + [second / v for v in values[4:]]
    np.testing.assert_allclose(gradients, expected, rtol=1e-14)
    tangents = tuple(0.5 - 0.1 * k for k in range(9))
    assert jvp(f, values, tangents)[1] == pytest.approx(np.dot(expected, tangents), rel=1e-13)


def test_a_user_variable_called_np() -> None:
    def f(x):
        np = x * 2.0
        math = np * x
        return math * np

    assert_gradient(f, (1.5,), 3 * 4.0 * 1.5**2)


def test_a_user_variable_called_np_beside_the_module() -> None:
    def inner(np):
        return np * np

    def f(x):
        return inner(x) + np.sin(x)

    assert_gradient(f, (0.5,), 1.0 + math.cos(0.5))


def test_builtins_names_and_names_that_are_not_ascii() -> None:
    def f(sum, λ, range):
        len = sum * λ
        float = len + range
        return float * len

    gradients = grad(f, wrt=(0, 1, 2))(2.0, 3.0, 5.0)
    np.testing.assert_allclose(gradients, [51.0, 34.0, 6.0])


bx = 3.0
dx = 0.25


def test_a_global_that_a_generated_name_would_shadow() -> None:
    def f(x):
        y = x * bx
        for _ in range(2):
            y = y * x + dx
        return y * bx

    def closed(x: float) -> float:
        return 3.0 * (9.0 * x**2 + 0.25)

    assert_gradient(f, (1.2,), closed(1.2))


def test_swaps() -> None:
    def f(a, b):
        a, b = b, a + b
        a, b = b, a * b
        return a * b

    a, b = 1.3, 0.7
    # a' = a + b, b' = b * (a + b)
    expected = (2 * b * (a + b), (a + b) ** 2 + 2 * b * (a + b))
    np.testing.assert_allclose(grad(f, wrt=(0, 1))(a, b), expected)


# ---- value-dependent short cuts: never folded away


def test_zero_times_infinity_is_not_folded() -> None:
    def f(x):
        return np.sum(0.0 * x * x)

    with np.errstate(all="ignore"):
        value, gradient = value_and_grad(f)(np.array([np.inf, 1.0]))
        _, tangent = jvp(f, (np.array([np.inf, 1.0]),), (np.array([1.0, 0.0]),))
    assert math.isnan(value)
    assert math.isnan(gradient[0]) and gradient[1] == 0.0
    assert math.isnan(tangent)


def test_a_factor_that_is_zero_at_the_first_call() -> None:
    def f(x, a):
        return a * x * x

    gradient = grad(f)
    assert gradient(3.0, 0.0) == 0.0
    assert gradient(3.0, 2.0) == 12.0


def test_an_adjoint_that_is_zero_at_the_first_call() -> None:
    _, pullback = vjp(lambda x: np.sin(x) * x, np.array([0.5, 1.0]))
    assert pullback(np.zeros(2))[0].tolist() == [0.0, 0.0]
    x = np.array([0.5, 1.0])
    np.testing.assert_allclose(pullback(np.ones(2))[0], np.sin(x) + x * np.cos(x))


# ---- closures and globals changed after decoration: data read live

RATE = 2.0
TABLE = np.array([1.0, 2.0])


def _uses_global(x):
    return RATE * x * x + TABLE[0] * x


COUNTS = np.arange(3, 6)
LARGEST = float("inf")


def _with_literals(x):
    return min(COUNTS[int(x)] * x * x, LARGEST)


def test_literals_that_alone_mention_a_module_or_a_builtin() -> None:
    namespace: dict[str, Any] = {}
    exec(grad(_with_literals).source_for(1.5), namespace)
    assert namespace["_with_literals_grad"](1.5) == grad(_with_literals)(1.5) == 12.0


def test_a_global_is_read_live() -> None:
    global RATE, TABLE
    gradient = grad(_uses_global)
    assert gradient(3.0) == 13.0
    before = RATE, TABLE
    try:
        RATE, TABLE = 5.0, np.array([10.0])
        assert gradient(3.0) == 40.0
        TABLE[0] = 20.0
        assert gradient(3.0) == 50.0
    finally:
        RATE, TABLE = before


def test_a_global_that_changes_its_type() -> None:
    global RATE
    gradient = grad(_uses_global)
    assert gradient(3.0) == 13.0
    try:
        RATE = 2
        assert gradient(3.0) == 13.0
        RATE = np.float64(4.0)
        assert gradient(3.0) == 25.0
    finally:
        RATE = 2.0


PAIR, NAMED, ROW = (2.0, 3.0), {"a": 2.0}, [2.0]


def _uses_containers(x):
    scale = sum(NAMED[k] for k in NAMED)
    return np.sum(x * PAIR[0]) + np.sum(x * scale) + np.sum(x * ROW[0])


def test_containers_in_globals_that_change_what_they_hold() -> None:
    global PAIR, NAMED, ROW
    gradient = grad(_uses_containers)
    before = PAIR, NAMED, ROW
    try:
        assert gradient(1.0) == 6.0
        PAIR = (np.ones(3), 3.0)
        assert gradient(1.0) == 7.0
        NAMED = {"a": 2.0, "b": np.ones(2)}
        assert gradient(1.0) == 11.0
        NAMED["c"] = 1.0
        assert gradient(1.0) == 13.0
        ROW[0] = np.ones(4)
        assert gradient(1.0) == 15.0
        PAIR, NAMED = before[:2]
        assert gradient(1.0) == 8.0
    finally:
        PAIR, NAMED, ROW = before[0], before[1], [2.0]


GENERATOR = np.random.RandomState(5)


def _uses_generators(x, own):
    return np.sum(GENERATOR.randn(3) * x) + np.sum(own.normal(size=3) * x * x)


def test_the_generator_drawn_from_is_the_one_that_a_name_stands_for() -> None:
    global GENERATOR
    x, own = np.ones(3), np.random.default_rng(2)

    def f(x):
        return _uses_generators(x, own)

    gradient = grad(f)
    try:
        for seed in (5, 6):
            GENERATOR, own = np.random.RandomState(seed), np.random.default_rng(seed)
            expected = np.random.RandomState(seed).randn(3) + 2.0 * np.random.default_rng(seed).normal(size=3)
            assert np.array_equal(gradient(x), expected)
    finally:
        GENERATOR = np.random.RandomState(5)


def test_a_closure_is_read_live() -> None:
    scale = 2.0

    def f(x):
        return scale * x * x

    gradient = grad(f)
    assert gradient(3.0) == 12.0
    scale = 10.0
    assert gradient(3.0) == 60.0


def test_closures_of_one_definition_are_distinct() -> None:
    def make(scale):
        def f(x):
            return scale * x

        return f

    assert [grad(make(k))(1.0) for k in (2.0, 3.0, 4.0)] == [2.0, 3.0, 4.0]
    two, three = grad(make(2.0)), grad(make(3.0))
    assert (two(1.0), three(1.0), two(1.0)) == (2.0, 3.0, 2.0)


def test_lambdas_in_a_loop_see_the_last_value() -> None:
    functions = [lambda x: k * x for k in (2.0, 3.0)]
    assert [grad(f)(1.0) for f in functions] == [3.0, 3.0]
    bound = [lambda x, k=k: k * x for k in (2.0, 3.0)]
    assert [grad(f)(1.0) for f in bound] == [2.0, 3.0]


# ---- same-named functions from two modules: distinct


def _module(path: Path, name: str, source: str) -> ModuleType:
    file = path / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_same_named_functions_of_two_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, factor in (("first_semantics", 2.0), ("second_semantics", 5.0)):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
        _module(
            tmp_path,
            name,
            f"RATE = {factor}\ndef helper(x):\n    return RATE * x * x\ndef f(x):\n    return helper(x)\n",
        )
    first, second = sys.modules["first_semantics"], sys.modules["second_semantics"]

    def both(x):
        return first.helper(x) + 10.0 * second.helper(x)

    assert grad(first.f)(3.0) == 12.0
    assert grad(second.f)(3.0) == 30.0
    assert grad(both)(3.0) == 312.0
    assert jvp(both, (3.0,), (1.0,))[1] == 312.0


# ---- print, assert, raise in the primal: once, in order, in the forward sweep


def _layered(p: Any) -> Any:
    h = p["x"]
    for layer in p["layers"]:
        z = h @ layer["W"] + layer["b"]
        h = np.tanh(z) if layer["act"] == "tanh" else z
    return np.sum(h**2)


def _unlayered(x: Any, w: Any, b: Any, v: Any, c: Any) -> Any:
    return np.sum((np.tanh(x @ w + b) @ v + c) ** 2)


def test_parameters_beside_text_in_dicts() -> None:
    rng = np.random.default_rng(3)
    x, w, b, v, c = (rng.normal(size=shape) for shape in (2, (2, 3), 3, (3, 1), 1))
    layers = [{"W": w, "b": b, "act": "tanh"}, {"W": v, "b": c, "act": "none"}]
    found = grad(_layered)({"x": x, "layers": layers})
    expected = grad(_unlayered, wrt=(0, 1, 2, 3, 4))(x, w, b, v, c)
    first, second = found["layers"]
    for own, other in zip((found["x"], first["W"], first["b"], second["W"], second["b"]), expected, strict=True):
        np.testing.assert_allclose(own, other)


def _noisy(x):
    print("start")
    s = 0.0
    for i in range(3):
        print("step", i)
        s += x * i
    assert s < 100.0, "too large"
    print(f"end {s:.1f}")
    return s


NOISE = ["start", "step 0", "step 1", "step 2", "end 6.0"]


def test_prints_happen_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert value_and_grad(_noisy)(2.0) == (6.0, 3.0)
    assert capsys.readouterr().out.split("\n")[:-1] == NOISE
    assert jvp(_noisy, (2.0,), (1.0,)) == (6.0, 3.0)
    assert capsys.readouterr().out.split("\n")[:-1] == NOISE
    assert grad(_noisy)(2.0) == 3.0
    assert capsys.readouterr().out.split("\n")[:-1] == NOISE


def test_the_pullback_does_not_print_again(capsys: pytest.CaptureFixture[str]) -> None:
    y, pullback = vjp(_noisy, 2.0)
    assert capsys.readouterr().out.split("\n")[:-1] == NOISE
    assert (y, pullback(1.0), pullback(2.0)) == (6.0, (3.0,), (6.0,))
    assert capsys.readouterr().out == ""


def test_an_assertion_fails_in_the_gradient_too() -> None:
    with pytest.raises(AssertionError, match="too large"):
        grad(_noisy)(50.0)
    with pytest.raises(AssertionError, match="too large"):
        jvp(_noisy, (50.0,), (1.0,))


def test_a_raise_comes_after_what_precedes_it(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x):
        print("before")
        if x > 1.0:
            raise ValueError(f"x is {x}")
        print("after")
        return x * x

    assert grad(f)(0.5) == 1.0
    assert capsys.readouterr().out == "before\nafter\n"
    with pytest.raises(ValueError, match=r"x is 2\.0"):
        grad(f)(2.0)
    assert capsys.readouterr().out == "before\n"


def test_calls_without_a_derivative_happen_once() -> None:
    seen: list[float] = []

    def f(x):
        seen.append(x)
        y = x * x
        seen.append(y)
        return y

    try:
        assert grad(f)(3.0) == 6.0
    except S2sadError:
        pytest.skip("effects on captured lists are refused")
    assert seen == [3.0, 9.0]


# ---------------------------------------------------------------- complex numbers


def complex_constant(x):
    return np.sum(np.real((x + 1.0j) ** 2))


def complex_function(x):
    return np.sum(np.abs(np.exp(1j * x) + 2.0))


def complex_buffer(x):
    z = np.zeros(3, dtype=complex)
    z[:] = x
    z *= 1j
    return np.sum(np.abs(z) ** 2)


def complex_list(x):
    return np.sum(np.abs(x * [1j, 2.0, 3.0]))


@pytest.mark.parametrize("f", [complex_constant, complex_function, complex_buffer, complex_list])
def test_a_derivative_passes_through_complex_numbers(f: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    check_grads(f)(x)
    assert grad(f)(x).dtype == float


def test_complex_numbers_beside_the_derivative_are_left_alone() -> None:
    def f(x):
        z = np.exp(1j * 0.5)
        return np.sum(x) * abs(z) + np.sum(x) * z.real

    assert np.allclose(grad(f)(np.ones(2)), 1.0 + math.cos(0.5))


# ---- calls of which nothing is known, that change what they are given


def merged_squares(x):
    return next(heapq.merge([x[0] ** 2], [x[1] ** 2])) * x[2]


def set_by_an_operator(x):
    items = [0.0, 0.0]
    operator.setitem(items, 0, x[0])
    return items[0] ** 2


def queue_of_squares(x):
    waiting = queue.SimpleQueue()
    for v in x:
        waiting.put(v**2)
    return waiting.get() * waiting.get()


def counted(x):
    sums = collections.Counter()
    for k in range(3):
        sums[k % 2] += x[k]
    return sums[0] * sums[1]


@pytest.mark.parametrize("f", [merged_squares, set_by_an_operator, queue_of_squares, counted])
def test_a_derivative_lost_in_an_unknown_call_is_refused(f: Any) -> None:
    x = np.array([0.5, 1.2, -0.7])
    for derivative in (lambda: grad(f)(x), lambda: jvp(f, (x,), (x,))):
        with pytest.raises(S2sadError, match=Path(__file__).name):
            derivative()


def test_unknown_calls_may_have_what_carries_no_derivative() -> None:
    def f(x):
        queue = collections.deque([2, 0])
        seen = collections.Counter()
        total = 0.0
        while queue:
            k = int(queue.popleft())
            seen[k] += 1
            total += x[k] ** 2
            logging.getLogger("none").debug("%s", total)
        return total * seen[2]

    assert_gradient(f, (np.array([1.0, 2.0, 3.0]),), [2.0, 0.0, 6.0])


def test_an_object_outside_with_two_names_is_not_changed() -> None:
    def f(x):
        OBJECT.field = x**2
        return SAME_OBJECT.field * x

    with pytest.raises(UnsupportedSyntax, match="two names"):
        grad(f)(2.0)


OBJECT = SAME_OBJECT = SimpleNamespace(field=1.0)


def test_a_list_of_integers_may_hold_truth_values() -> None:
    def f(x, counts):
        chosen = []
        for i in range(len(x)):
            chosen.append(i if counts else x[i] > 0.0)
        return np.sum(x[chosen] ** 2)

    assert_gradient(lambda x: f(x, False), (np.array([0.5, -1.2, 0.7]),), [1.0, 0.0, 1.4])
    assert_gradient(lambda x: f(x, False), (np.array([]),), [])
    assert_gradient(lambda x: f(x, True), (np.array([0.5, -1.2, 0.7]),), [1.0, -2.4, 1.4])


# ---- who owns what


def test_a_pullback_leaves_a_nested_cotangent_alone() -> None:
    def f(x):
        y = x.copy()
        y[0] = y[1] * y[0]
        return {"parts": (y,)}

    _, pullback = vjp(f, np.array([2.0, 3.0]))
    cotangent = {"parts": (np.array([1.0, 10.0]),)}
    for _ in range(2):
        np.testing.assert_array_equal(pullback(cotangent)[0], [3.0, 12.0])
    np.testing.assert_array_equal(cotangent["parts"][0], [1.0, 10.0])


class _Both(NamedTuple):
    whole: np.ndarray
    first: float


@dataclass
class _Record:
    whole: np.ndarray
    first: float


@pytest.mark.parametrize("cls", [_Both, _Record])
def test_a_pullback_leaves_a_cotangent_with_fields_alone(cls: Any) -> None:
    def f(x):
        y = x * 2.0
        y[0] *= x[1]
        return cls(y, y[0])

    _, pullback = vjp(f, np.array([1.0, 2.0]))
    cotangent = cls(np.array([1.0, 10.0]), 3.0)
    for _ in range(2):
        np.testing.assert_array_equal(pullback(cotangent)[0], [16.0, 28.0])
    np.testing.assert_array_equal(cotangent.whole, [1.0, 10.0])


def test_the_real_part_is_a_view() -> None:
    def f(x):
        y = x.copy()
        y.real[0] = x[1]
        return np.sum(y**2)

    assert_gradient(f, (np.array([1.0, 2.0]),), [0.0, 8.0])


# ---- what no rule covers


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.polyfit(x, x, 1, full=True)[0] * x[:2]),
        lambda x: np.quantile(x, 0.3, method="averaged_inverted_cdf"),
        lambda x: np.max(x, where=x > 2.0),
        lambda x: np.min(x, axis=0, where=x > 2.0),
        lambda x: np.sum(np.pad(x, 1, mode="mean") * 2.0) if x[0] > 0 else 0.0,
    ],
)
def test_an_operation_whose_rule_is_known_to_fail_is_refused(f: Any) -> None:
    with pytest.raises(S2sadError, match=Path(__file__).name):
        grad(f)(np.array([1.0, 2.0, 4.0]))


def test_changes_without_a_rule_are_refused_in_both_modes() -> None:
    def f(x):
        y = np.array([0.1, 0.2, 0.4])
        y += np.histogram2d(y, y, bins=3, weights=x)[0][0]
        return np.sum(y**2)

    x = np.array([0.5, 1.2, -0.7])
    for derivative in (lambda: grad(f)(x), lambda: jvp(f, (x,), (x,))):
        with pytest.raises(S2sadError, match=Path(__file__).name):
            derivative()


def test_a_function_made_by_exec_needs_no_module_name() -> None:
    namespace: dict[str, Any] = {"np": np, "scale": 2.0}
    source = "def f(x):\n    return scale * np.sin(x)\n"
    filename = "<made by exec>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)
    derivative = grad(namespace["f"])
    assert derivative(0.0) == 2.0
    namespace["scale"] = 3.0
    assert derivative(0.0) == 3.0


def test_a_pullback_is_that_at_the_primals_it_was_made_for() -> None:
    x, p = np.array([1.0, 2.0]), {"w": [np.array([3.0, 4.0])]}
    _, pullback = vjp(lambda x, p: np.sum(x**2 * p["w"][0]), x, p)
    x[0] = 100.0
    p["w"][0] *= 0.0
    bx, bp = pullback(1.0)
    np.testing.assert_array_equal(bx, [6.0, 16.0])
    np.testing.assert_array_equal(bp["w"][0], [1.0, 4.0])


def test_the_gradient_of_a_function_that_returns_nothing_is_refused() -> None:
    def forgetful(x):
        x**2

    with pytest.raises(TypeError, match="returns None"):
        grad(forgetful)(2.0)


# ---- what is outside changes between a function and its pullback


class _Settings:
    def __init__(self) -> None:
        self.scale = 3.0
        self.shift = np.ones(3)
        self.pair = (np.full(3, 2.0), 5.0)
        self.table = {"a": np.ones(3), "b": 4.0}
        self.rows = [np.ones(3), np.full(3, 0.5)]


_settings = _Settings()


def _reads_settings(x):
    s = _settings.scale * np.sum(_settings.shift * np.sin(x)) + _settings.pair[1] * np.sum(_settings.pair[0] * x**2)
    for row in _settings.rows:
        s += np.sum(row * np.exp(x)) * _settings.table["b"]
    part = _settings.shift[1:]
    return s + np.sum(part * x[:2] ** 3) * np.sum(_settings.table["a"] * x)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_pullback_is_that_of_what_was_outside(backend: str) -> None:
    _settings.__init__()  # type: ignore[misc]
    x = np.array([0.3, 0.8, -0.5])
    _, pullback = vjp(_reads_settings, x, backend=backend)
    expected = grad(_reads_settings)(x)
    _settings.scale = 7.0
    _settings.shift[:] = 9.0
    _settings.pair[0][:] = 3.0
    _settings.pair = (np.zeros(3), 1.0)
    _settings.table["a"][:] = 6.0
    _settings.table["b"] = 1.0
    _settings.rows[0][:] = 8.0
    _settings.rows[1] = np.zeros(3)
    np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-13)
    assert not np.allclose(grad(_reads_settings)(x), expected)


def test_sorted_floats_are_floats() -> None:
    def f(x):
        s = sorted(x.tolist())
        s.sort()
        return s

    y, dy = jvp(f, (np.array([0.7, 0.3]),), (np.array([1.0, 2.0]),))
    assert y == [0.3, 0.7] and dy == [2.0, 1.0]
    assert {type(v) for v in (*y, *dy)} == {float}


def test_what_fails_in_a_branch_raises_where_it_is_reached() -> None:
    def f(x, options, n):
        total = 0.0
        for i in range(n):
            if i == 2:
                total = total + options["b"]
            total = total + x[i] * options["k"]
        return total

    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(grad(f)(x, {"k": 2.0}, 2), [2.0, 2.0, 0.0])
    with pytest.raises(KeyError, match="no key 'b'"):
        grad(f)(x, {"k": 2.0}, 3)
    with pytest.raises(UnsupportedSyntax, match="no key 'b'"):
        grad(lambda x, options: x * options["b"])(1.0, {"k": 2.0})


@pytest.mark.parametrize("width", [np.float32, np.float16])
def test_gradients_of_narrow_numbers_are_as_narrow(width: type) -> None:
    x, y = width(2.0), width(0.5)
    functions: list[Any] = [
        lambda x, y: 3.0,
        lambda x, y: np.floor(x) + y,
        lambda x, y: x * x if x > 3.0 else y,
        lambda x, y: math.sin(x) * np.float64(2.0),
        lambda x, y: x * x * y,
    ]
    for f in functions:
        assert [type(g) for g in grad(f, wrt=(0, 1))(x, y)] == [width, width]
        assert type(vjp(f, x, y)[1](1.0)[0]) is width
    assert type(grad(lambda p: p["x"] * 1.0)({"x": x, "y": y})["y"]) is width


def through_new_axes(x: float, v: Any) -> Any:
    y = np.ones(3) * x
    y[:, None] += v
    return np.sum(y * y)


@pytest.mark.parametrize("shape", [(3, 1), (1, 1), (3, 4), (1, 3), (2, 1)])
def test_stores_through_new_axes_fit_or_fail(shape: tuple[int, int]) -> None:
    v = np.ones(shape)
    derivative = value_and_grad(through_new_axes)
    if shape[0] != 2 and shape[1] == 1:
        assert derivative(2.0, v) == (through_new_axes(2.0, v), 18.0)
        return
    for f in (through_new_axes, derivative):
        with pytest.raises(ValueError, match="broadcast"):
            f(2.0, v)


def variance_of_a_sample(x):
    return np.var(x, ddof=1) * x[0]


def variances_of_columns(x):
    return np.sum(np.var(x, axis=0, ddof=1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("f", "shape"), [(variance_of_a_sample, (1,)), (variances_of_columns, (1, 3))], ids=["sample", "columns"]
)
def test_a_variance_without_degrees_of_freedom_is_none(f: Any, shape: tuple[int, ...]) -> None:
    x = np.ones(shape)
    value, gradient = value_and_grad(f)(x)
    assert math.isnan(f(x)) and math.isnan(value) and np.all(np.isnan(gradient))
    assert math.isnan(jvp(f, (x,), (x,))[1])


def factor_of_a_tall_matrix(a):
    from scipy import linalg

    return np.sum(linalg.qr(a)[1] ** 2)


def root_of_a_matrix(a):
    from scipy import linalg

    return np.sum(np.abs(linalg.sqrtm(a)) ** 2)


@pytest.mark.parametrize(
    ("f", "a", "cause"),
    [
        (factor_of_a_tall_matrix, np.array([[1.0, 2.0], [0.3, 1.5], [0.7, -0.4]]), "tall matrix"),
        (root_of_a_matrix, np.array([[-1.0, 0.2], [0.3, -2.0]]), "is complex"),
    ],
    ids=["tall", "complex"],
)
def test_what_only_the_matrix_shows_is_refused_at_its_line(f: Any, a: Any, cause: str) -> None:
    pytest.importorskip("scipy")
    with pytest.raises(NotDifferentiable, match=cause) as caught:
        grad(f)(a)
    assert caught.value.lineno == f.__code__.co_firstlineno + 3 and "help: " in str(caught.value)


def with_what_nothing_reads(x):
    y = math.log(x)  # noqa: F841
    return x * x


def with_a_check(x):
    if x < 0.0:
        raise ValueError("negative")
    return x * x


def test_what_nothing_reads_is_left_out_and_what_is_raised_stays() -> None:
    assert grad(with_what_nothing_reads)(-1.0) == -2.0
    with pytest.raises(ValueError, match="negative"):
        grad(with_a_check)(-1.0)
