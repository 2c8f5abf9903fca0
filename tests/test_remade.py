"""Functions that are made again: the derivative is that of what is in their cells now, and is seldom derived anew."""

from __future__ import annotations

import gc
import importlib.util
import linecache
import traceback
import weakref
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, grad, hessian, hvp, jacobian, jvp, pipeline, remade, value_and_grad, vjp

BACKENDS = ["python", *(["numba"] if importlib.util.find_spec("numba") else [])]
X = np.array([0.3, -0.7, 1.1])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(remade, "_closures", OrderedDict())


class Count:
    """How often something is derived."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        derived = pipeline.derived

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.times += 1
            return derived(*args, **kwargs)

        monkeypatch.setattr(pipeline, "derived", counted)


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Count:
    return Count(monkeypatch)


def scaled(k: Any) -> Callable[..., Any]:
    return lambda x: np.sum(np.sin(x) * k)


MODES: list[Callable[..., Any]] = [
    lambda f, b: grad(f, backend=b)(X),
    lambda f, b: value_and_grad(f, backend=b)(X)[1],
    lambda f, b: vjp(f, X, backend=b)[1](1.0),
    lambda f, b: jvp(f, (X,), (np.ones(3),), backend=b)[1],
    lambda f, b: hvp(f, backend=b)(X, np.ones(3)),
    lambda f, b: hessian(f, backend=b)(X),
    lambda f, b: jacobian(lambda x, f=f: f(x) * np.cos(x), backend=b)(X),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mode", MODES)
def test_each_has_the_derivative_of_what_is_in_its_cells(mode: Callable[..., Any], backend: str) -> None:
    for k in (1.0, 2.0, -3.0):
        fresh = {1.0: lambda x: np.sum(np.sin(x) * 1.0), 2.0: lambda x: np.sum(np.sin(x) * 2.0)}
        expected = mode(fresh.get(k, lambda x: np.sum(np.sin(x) * -3.0)), backend)
        np.testing.assert_allclose(mode(scaled(k), backend), expected, rtol=1e-14)


@pytest.mark.parametrize("backend", BACKENDS)
def test_it_is_derived_once(count: Count, backend: str) -> None:
    for k in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(grad(scaled(k), backend=backend)(X), k * np.cos(X), rtol=1e-14)
    assert count.times == 1
    np.testing.assert_allclose(grad(scaled(X), backend=backend)(X), X * np.cos(X), rtol=1e-14)
    assert count.times == 2


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mode", MODES[:-1])
def test_no_mode_derives_it_twice(mode: Callable[..., Any], count: Count, backend: str) -> None:
    mode(scaled(1.0), backend)
    known = count.times
    for k in (2.0, 3.0):
        mode(scaled(k), backend)
    assert count.times == known


def noisy(rng: np.random.Generator) -> Callable[..., Any]:
    return lambda x: x * rng.normal(size=3)


def test_generators_in_cells() -> None:
    for seed in (1, 2, 3):
        drawn = np.random.default_rng(seed).normal(size=3)
        found = jacobian(noisy(np.random.default_rng(seed)), mode="forward")(X)
        np.testing.assert_allclose(found, np.diag(drawn))


def repeated(n: int) -> Callable[..., Any]:
    def f(x):
        for _ in range(n):
            x = x * x
        return x

    return f


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_that_count(backend: str) -> None:
    for n in (0, 1, 3, 2):
        assert grad(repeated(n), backend=backend)(1.5) == pytest.approx(2**n * 1.5 ** (2**n - 1))


def by_function(g: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: np.sum(g(x) * x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_in_cells(count: Count, backend: str) -> None:
    for g, slope in ((np.sin, np.cos), (np.exp, np.exp), (np.sinh, np.cosh)):
        np.testing.assert_allclose(grad(by_function(g), backend=backend)(X), g(X) + X * slope(X), rtol=1e-13)
    assert count.times == 3


def test_several_of_one_code_by_turns(count: Count) -> None:
    functions = {np.sin: np.cos, np.exp: np.exp, np.sinh: np.cosh}
    for _ in range(3):
        for g, slope in functions.items():
            np.testing.assert_allclose(grad(by_function(g))(X), g(X) + X * slope(X), rtol=1e-13)
    assert count.times == 3


def test_what_is_in_the_cells_of_many_is_let_go() -> None:
    held = []
    for k in range(30):
        data = np.full(3, float(k))
        held.append(weakref.ref(data))
        assert np.array_equal(grad(lambda x, data=data: np.sum(x * data))(X), data)
        assert np.array_equal(grad(by_array(data))(X), data)
        del data
    gc.collect()
    assert sum(ref() is not None for ref in held) <= 20


def by_array(data: np.ndarray) -> Callable[..., Any]:
    return lambda x: np.sum(x * data)


def power(k: float) -> Callable[..., Any]:
    def to_the(x):
        return x**2 * k

    return to_the


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_in_cells_that_are_made_again_too(count: Count, backend: str) -> None:
    for k in (1.0, -2.0, 5.0):
        np.testing.assert_allclose(grad(by_function(power(k)), backend=backend)(X), 3.0 * k * X**2, rtol=1e-13)
    assert count.times == 1


def pair(shared: bool) -> Callable[..., Any]:
    """A function that stores into a cell which another reads, or which only looks like the other's."""
    rate = 2.0

    def reader(apart: bool) -> Callable[..., Any]:
        own = rate

        def read():
            return rate

        def read_own():
            return own

        return read_own if apart else read

    read = reader(not shared)

    def f(x):
        return rate * read() * x

    return f


@pytest.mark.parametrize("backend", BACKENDS)
def test_cells_that_functions_have_in_common(backend: str) -> None:
    for shared in (True, False, True):
        assert grad(pair(shared), backend=backend)(3.0) == 4.0


def beside_complex(*numbers: complex) -> Callable[..., Any]:
    held, named = [1.5, *numbers], {"first": 1.5, "rest": numbers}
    return lambda x: np.abs(x * held[1]) ** 2 * held[0] + np.abs(x * named["rest"][0]) ** 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_complex_numbers_in_containers(count: Count, backend: str) -> None:
    for z in (2j, 1.0 - 3j, 0.5j):
        assert grad(beside_complex(z), backend=backend)(0.7) == pytest.approx(2.5 * 1.4 * abs(z) ** 2)
    assert count.times == 1


def two_of(a: list[float], b: list[float]) -> Callable[..., Any]:
    def get() -> float:
        return b[0]

    def f(x):
        return a[0] * x * get()

    return f


@pytest.mark.parametrize("backend", BACKENDS)
def test_containers_in_cells(backend: str) -> None:
    same = [2.0]
    for a, b in (([2.0], [3.0]), (same, same), ([4.0], [5.0])):
        assert grad(two_of(a, b), backend=backend)(1.5) == a[0] * b[0]


def crossed() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Two functions of the same code, the cells of the second taken by another that stays."""
    out = []
    for _ in range(2):
        out.append(step_by(2.0))
    return out[0], out[1]


def step_by(rate: float) -> Callable[..., Any]:
    def f(x):
        return rate * x

    return f


def test_a_cell_that_changes_later() -> None:
    first, second = crossed()
    assert grad(first)(1.0) == grad(second)(1.0) == 2.0
    derivative = grad(second)
    assert derivative(1.0) == 2.0
    second.__closure__[0].cell_contents = 7.0  # type: ignore[index]
    assert (derivative(1.0), grad(second)(1.0), grad(first)(1.0)) == (7.0, 7.0, 2.0)
    second.__closure__[0].cell_contents = X  # type: ignore[index]
    assert np.array_equal(grad(by_function(second))(X), 2.0 * X * X)


def recursive(scale: float) -> Callable[..., Any]:
    def f(x, n):
        return scale * x if n == 0 else x * f(x, n - 1)

    return f


def test_a_function_that_calls_itself() -> None:
    for scale in (1.0, 2.5):
        assert grad(recursive(scale))(2.0, 2) == pytest.approx(scale * 12.0)


def with_default(k: float) -> Callable[..., Any]:
    def f(x, by=k):
        return k * by * x

    return f


def with_attribute(k: float) -> Callable[..., Any]:
    def g():
        return g.rate * k  # type: ignore[attr-defined]

    g.rate = 10.0 + k  # type: ignore[attr-defined]
    return lambda x: g() * x


@pytest.mark.parametrize("backend", BACKENDS)
def test_defaults(count: Count, backend: str) -> None:
    for k in (2.0, 3.0, 5.0):
        f = grad(with_default(k), backend=backend)
        assert f(1.0) == k * k
        assert f(1.0, 4.0) == 4.0 * k
    assert count.times == 1


def test_defaults_in_a_loop(count: Count) -> None:
    for k in (2.0, 3.0):
        assert grad(lambda x, k=k: k * x)(1.0) == k
        assert grad(lambda x, *, k=k: k * x)(1.0) == k
    assert count.times == 2
    assert np.array_equal(grad(lambda x, k=X: np.sum(k * x))(X), X)
    sources = [grad(lambda x, k=k: np.sum(k * x)).source for k in (2.0, 3)]
    assert "k=2.0" in sources[0] and "k=3" in sources[1]


def calling_itself(k: float) -> Callable[..., Any]:
    def f(x, n=2, by=k):
        return by * x if n == 0 else x * f(x, n - 1)

    return f


def test_defaults_of_functions_that_call_themselves() -> None:
    for k in (1.0, 2.5):
        assert grad(calling_itself(k))(2.0) == pytest.approx(k * 12.0)


def defaults_within(k: float) -> Callable[..., Any]:
    def g(x, by=k):
        return by * x

    return lambda x: g(x)


def test_defaults_of_other_functions_and_attributes() -> None:
    for k in (2.0, 3.0):
        assert grad(defaults_within(k))(1.0) == k
        assert grad(with_attribute(k))(1.0) == k * (10.0 + k)


def undefined(give: bool) -> Callable[..., Any]:
    if give:
        k = 2.0
    return lambda x: k * x


def test_a_cell_that_is_empty() -> None:
    assert grad(undefined(True))(1.0) == 2.0
    with pytest.raises(UnsupportedSyntax, match="has no value"):
        grad(undefined(False))(1.0)
    assert grad(undefined(True))(1.0) == 2.0


def stored(table: np.ndarray) -> Callable[..., Any]:
    def f(x):
        table[0] = x[0]
        return np.sum(table * x)

    return f


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_that_a_function_stores_into_are_apart_from_its_arguments(backend: str) -> None:
    for k in (1.0, 2.0):
        expected = [2.0 * X[0], k, k]
        np.testing.assert_allclose(grad(stored(np.full(3, k)), backend=backend)(X.copy()), expected)
    x = X.copy()
    with pytest.raises(ValueError, match="share memory"):
        grad(stored(x), backend=backend)(x)


def broadcast(a: np.ndarray) -> Callable[..., Any]:
    return lambda x: np.sum((a * x) ** 2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_lengths(backend: str) -> None:
    for a in (X, np.array([2.0]), np.ones((2, 3)), np.ones((4, 1)), X):
        expected = np.sum(2.0 * X * np.broadcast_to(a**2, np.broadcast_shapes(a.shape, X.shape)).reshape(-1, 3), axis=0)
        np.testing.assert_allclose(grad(broadcast(a), backend=backend)(X), expected, rtol=1e-13)


def test_sources_and_lines_are_its_own() -> None:
    first = grad(scaled(2.0))
    first(X)
    second = grad(scaled(5.0))
    second(X)
    assert "5.0" in second.source and "2.0" not in second.source
    assert second.source_for(X).count("cos") == 1


def failing(k: np.ndarray) -> Callable[..., Any]:
    def f(x):
        y = x * 2.0
        return np.sum(k @ y)

    return f


def test_lines_are_told_of_errors_once_the_first_is_gone() -> None:
    f = grad(failing(np.ones((2, 3))))
    f(X)
    del f
    again = grad(failing(np.ones((2, 4))))
    gc.collect()
    with pytest.raises(ValueError) as caught:
        again(X)
    assert any(__file__ in note for note in caught.value.__notes__)
    files = [frame.filename for frame in traceback.extract_tb(caught.tb)]
    assert linecache.getlines(next(name for name in files if name.startswith("<s2sad f_grad")))
