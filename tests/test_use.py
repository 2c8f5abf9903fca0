"""Texts that are printed before any call: right for numbers and arrays alike, and plain where only numbers will do."""

from __future__ import annotations

import importlib
import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, grad, jvp, value_and_grad
from s2sad.dispatch import variants_of


def quotient(x, y):
    return x * x * y + 3 * x - y / x


def sigmoid(x, y):
    return y / (1.0 + np.exp(-x))


def logistic(x, y):
    for _ in range(5):
        x = y * x * (1 - x)
    return x


def newton(x, y):
    z = x
    while abs(z * z - x) > 1e-12:
        z = 0.5 * (z + x / z)
    return z * y


def price(x, y):
    d = (math.log(x / 2.0) + y**2 / 2) / y
    return x * (0.5 * (1 + math.erf(d / math.sqrt(2)))) - y


def either(x, y):
    return np.exp(x) * y if y > 0 else x - y


def only_one(x, y):
    return np.sum(x * x) if np.ndim(x) else x * y


def total(x, y):
    return np.sum(np.tanh(-x) * 2.0 - x * y)


def average(x, y):
    return np.mean((np.sqrt(1.0 + x * x) - y) ** 2)


def penalised(x, y):
    z = np.exp(-x)
    return np.sum(np.log(1.0 + z) / (2.0 + z)) + y * np.sum(x**2)


def carried(x, y):
    h = x
    for _ in range(3):
        h = np.tanh(-h + y * h)
    return np.sum(h * h)


def rows(x, y):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + y * (1 - x[:-1]) ** 2)


FUNCTIONS = (
    *(quotient, sigmoid, logistic, newton, price, either, only_one),
    *(total, average, penalised, carried, rows),
)

ARGUMENTS: dict[str, Any] = {
    "float": 0.7,
    "float32": np.float32(0.7),
    "0-d": np.array(0.7),
    "empty": np.zeros(0),
    "one": np.array([0.7]),
    "vector": np.array([0.5, 0.7, 0.9]),
    "column": np.array([[0.5], [0.9]]),
    "matrix": np.array([[0.5, 0.7, 0.9], [1.1, 1.3, 1.5]]),
    "float32 matrix": np.array([[0.5, 0.7, 0.9], [1.1, 1.3, 1.5]], dtype=np.float32),
    "complex": 0.7 + 0.1j,
}


def printed(f: Callable[..., Any], operator: Callable[..., Any], wrt: Any) -> Callable[..., Any]:
    """What the text of a derivative defines."""
    namespace: dict[str, Any] = {}
    exec(operator(f, wrt=wrt).source, namespace)
    return namespace[f"{f.__name__}_{operator.__name__}"]


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or the class of what it raises."""
    with np.errstate(all="ignore"):
        try:
            return f(*args)
        except (S2sadError, TypeError, ValueError, IndexError, ZeroDivisionError) as error:
            return type(error)


@pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning", "ignore:Mean of empty slice")
@pytest.mark.parametrize("operator", [grad, value_and_grad])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_text_for_any_kinds_gives_what_the_operator_gives(
    f: Callable[..., Any], operator: Callable[..., Any]
) -> None:
    by_both, text = operator(f, wrt=(0, 1)), printed(f, operator, (0, 1))
    ran = 0
    for a, b in itertools.product(ARGUMENTS, repeat=2):
        expected, found = (outcome(g, ARGUMENTS[a], ARGUMENTS[b]) for g in (by_both, text))
        if isinstance(expected, type):
            assert isinstance(found, type) or "complex" in (a, b), (a, b)
            continue
        ran += 1
        values = zip(flat(expected), flat(found), strict=True)
        for e, g in values:
            assert np.shape(e) == np.shape(g), (a, b)
            np.testing.assert_allclose(g, e, rtol=1e-4 if "float32" in a + b else 1e-12, err_msg=f"{a}, {b}")
    assert ran >= 9


@pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning", "ignore:Mean of empty slice")
@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_tangent_in_a_text_for_any_kinds_is_like_what_it_is_of(f: Callable[..., Any]) -> None:
    text, function = forward(f)
    ran = 0
    for a, b in itertools.product(ARGUMENTS, repeat=2):
        primals = ARGUMENTS[a], ARGUMENTS[b]
        tangents = tuple(map(halved, primals))
        expected = outcome(jvp, f, primals, tangents)
        if isinstance(expected, type):
            continue
        ran += 1
        found = outcome(function, *primals, *tangents)
        for e, g in zip(expected, found, strict=True):
            assert np.shape(e) == np.shape(g) and np.asarray(e).dtype == np.asarray(g).dtype, (a, b)
            np.testing.assert_allclose(g, e, rtol=1e-4 if "float32" in a + b else 1e-12, err_msg=f"{a}, {b}")
    assert ran >= 9
    assert "_unbroadcast" not in text, text


def forward(f: Callable[..., Any]) -> tuple[str, Callable[..., Any]]:
    """The text of a function's forward derivative, and what it defines."""
    namespace: dict[str, Any] = {}
    text = variants_of(f, "jvp").get((0, 1), None).text()
    exec(text, namespace)
    return text, namespace[f"{f.__name__}_jvp"]


def halved(x: Any) -> Any:
    return np.array(0.5 * x) if isinstance(x, np.ndarray) else type(x)(0.5 * x)


def flat(x: Any) -> list[Any]:
    """The numbers and arrays in nested tuples."""
    return [leaf for item in x for leaf in flat(item)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize("f", [quotient, sigmoid, logistic, newton, price, either])
def test_nothing_is_made_to_fit_where_only_numbers_will_do(f: Callable[..., Any]) -> None:
    text = grad(f, wrt=(0, 1)).source
    assert not any(helper in text for helper in ("_unbroadcast", "_zeros_like", "_as_result", "_unit_seed")), text


def test_a_result_that_must_be_a_number_is_checked_to_be_one() -> None:
    text = printed(quotient, grad, 0)
    with pytest.raises(TypeError, match="shape \\(3,\\)"):
        text(np.array([0.5, 0.7, 0.9]), 1.0)
    with pytest.raises(TypeError, match="complex"):
        text(0.5 + 1j, 1.0)
    assert "_need_number" not in grad(price).source  # math.log takes nothing else


def test_what_an_array_may_be_is_fitted_once() -> None:
    assert grad(penalised).source.count("_unbroadcast(") <= 12
    text = grad(lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)).source
    assert "_unbroadcast" not in text and "_spread" not in text and "np.ones_like" not in text, text


class Pendulum:
    def __init__(self, mass, length: float, gravity=9.81):
        self.mass = mass
        self.length = length
        self.gravity = gravity
        self.calls = 0
        self.unit = 1.0

    def energy(self, angle, speed):
        kinetic = 0.5 * self.mass * self.length**2 * speed**2
        return kinetic - self.mass * self.gravity * self.length * math.cos(angle) * self.unit


@dataclass
class Spring:
    stiffness: float
    rest: np.ndarray

    def energy(self, x):
        return 0.5 * self.stiffness * np.sum((x - self.rest) ** 2)


def test_the_object_of_a_method_is_what_its_class_makes() -> None:
    object_ = Pendulum(1.5, 2.0)
    text = grad(Pendulum.energy, wrt=("angle", "speed")).source
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    found = namespace["energy_grad"](object_, 0.3, 0.7)
    np.testing.assert_allclose(found, grad(object_.energy, wrt=(0, 1))(0.3, 0.7))
    assert "_unbroadcast" not in text and "self.mass" in text


def test_the_fields_of_a_dataclass_have_gradients_too() -> None:
    spring, x = Spring(2.0, np.array([0.5, 1.0])), np.array([1.0, 3.0])
    namespace: dict[str, Any] = {}
    exec(grad(Spring.energy, wrt=("self", "x")).source, namespace)
    own, by_x = namespace["energy_grad"](spring, x)
    expected, expected_by_x = grad(Spring.energy, wrt=("self", "x"))(spring, x)
    np.testing.assert_allclose(own.stiffness, expected.stiffness)
    np.testing.assert_allclose(own.rest, expected.rest)
    np.testing.assert_allclose(by_x, expected_by_x)


def network(params, x):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return np.sum((x @ w + b) ** 2)


def lengths(params, x):
    total = 0.0
    for a, b in params:
        total += np.sqrt(np.sum(a * a)) * np.sum(b) + np.sum(x)
    return total


@pytest.mark.parametrize("f", [network, lengths])
@pytest.mark.parametrize("pair", [tuple, list])
def test_a_list_of_pairs_may_be_taken_apart(f: Callable[..., Any], pair: Any) -> None:
    rng = np.random.default_rng(3)
    params = [pair((rng.normal(size=(n, m)), rng.normal(size=m))) for n, m in ((3, 4), (4, 2))]
    x = rng.normal(size=(5, 3))
    found, by_x = printed(f, grad, (0, 1))(params, x)
    expected, expected_by_x = grad(f, wrt=(0, 1))(params, x)
    np.testing.assert_allclose(by_x, expected_by_x)
    for p, q in zip(found, expected, strict=True):
        assert type(p) is type(q) is pair
        for a, b in zip(p, q, strict=True):
            np.testing.assert_allclose(a, b)
    if f is lengths:
        whole, _ = printed(f, grad, (0, 1))(np.ones((2, 2, 3)), x)
        np.testing.assert_allclose(whole, grad(f)(np.ones((2, 2, 3)), x))


def drawn(rng: random.Random, depth: int) -> str:
    """A random expression of x and y."""
    if depth == 0:
        return rng.choice(["x", "y", "x", "y", "2.0", "3"])
    inner, other = drawn(rng, depth - 1), drawn(rng, rng.randrange(depth))
    form = rng.choice(
        ("np.tanh({0})", "-({0})", "({0}) ** 2", "({0}) + ({1})", "({0}) - ({1})", "({0}) * ({1})")
        + ("({0}) / (2.0 + ({1}) ** 2)", "np.exp(-(({0}) ** 2))", "np.sum({0}) * ({1})", "np.mean(({0}) * ({1}))")
        + ("np.maximum({0}, {1})", "np.where({0} > {1}, {0}, {1})", "np.abs({0}) + ({1})")
    )
    return form.format(inner, other)


@pytest.mark.parametrize("seed", [1, 4, 6, 11])
def test_random_texts_for_any_kinds(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    lines = ["import numpy as np", ""]
    for k in range(6):
        body = f"    a = {drawn(rng, 3)}\n    b = {drawn(rng, 2)}\n"
        body += (
            f"    for _ in range(2):\n        a, b = {rng.choice(('b, a', 'a * b, np.tanh(a)', 'np.sin(a - b), b'))}\n"
        )
        if k % 2:
            other = rng.choice(("b * x", "y - b"))
            body += f"    if np.sum(a) > {rng.random():.2f}:\n        a, b = {other}, np.sin(a) * y\n"
        lines.append(f"def f{k}(x, y):\n{body}    return np.sum({drawn(rng, 2)} * a + b)\n\n")
    (tmp_path / f"drawn_{seed}.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(f"drawn_{seed}")
    names = ("float", "float32", "vector", "column", "matrix", "float32 matrix")
    for f in (getattr(module, f"f{k}") for k in range(6)):
        by_both, text = grad(f, wrt=(0, 1)), printed(f, grad, (0, 1))
        _, pushed = forward(f)
        for a, b in itertools.product(names, repeat=2):
            x, y = ARGUMENTS[a], 1.5 * ARGUMENTS[b]
            dx, dy = halved(x), halved(y)
            for e, g in zip(jvp(f, (x, y), (dx, dy)), pushed(x, y, dx, dy), strict=True):
                assert np.shape(e) == np.shape(g), (f, a, b)
                assert not np.ndim(e) or e.dtype == g.dtype, (f, a, b)  # a number counts as like Python's, in double
                np.testing.assert_allclose(g, e, rtol=2e-3 if "float32" in a + b else 1e-11, atol=1e-12, err_msg=str(f))
            for by, e, g in zip((x, y), by_both(x, y), text(x, y), strict=True):
                assert np.shape(e) == np.shape(g), (f, a, b)
                assert not isinstance(by, np.ndarray) or g.dtype == e.dtype == by.dtype, (f, a, b)
                np.testing.assert_allclose(g, e, rtol=2e-3 if "float32" in a + b else 1e-11, atol=1e-12, err_msg=str(f))
