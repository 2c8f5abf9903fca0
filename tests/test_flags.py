"""Arguments, and names outside, that choose what a function gives."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import s2sad

X = np.array([0.4, 1.1, -0.7])


def measured(x: Any, full: Any = False, norm: Any = "max") -> Any:
    total = np.sum(x**3)
    if not full:
        return total
    size = {"max": np.max(x)} if norm == "max" else np.sum(x * x)
    return total, size


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_flag_picks_one_result_or_two(backend: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    slope = s2sad.grad(measured, backend=backend)
    for _ in range(2):
        np.testing.assert_allclose(slope(X), 3.0 * X**2)
        np.testing.assert_allclose(slope(X, False, "sum"), 3.0 * X**2)
        for norm, more in (("max", [0.0, 1.0, 0.0]), ("sum", 2.0 * X)):
            value, pullback = s2sad.vjp(measured, X, True, norm, backend=backend)
            assert type(value) is tuple and value[0] == pytest.approx(np.sum(X**3))
            given = {"max": 2.0} if norm == "max" else 2.0
            np.testing.assert_allclose(pullback((1.0, given))[0], 3.0 * X**2 + 2.0 * np.array(more))
            _, tangent = s2sad.jvp(measured, (X, True, norm), (X, None, None), backend=backend)
            assert tangent[0] == pytest.approx(3.0 * np.sum(X**3))
    with pytest.raises(TypeError, match="scalar"):
        slope(X, True)
    np.testing.assert_allclose(s2sad.hvp(measured, backend=backend)(X, np.ones(3)), 6.0 * X)
    np.testing.assert_allclose(s2sad.hessian(measured, backend=backend)(X), np.diag(6.0 * X))
    np.testing.assert_allclose(s2sad.jacobian(measured, mode="reverse", backend=backend)(X), 3.0 * X**2)
    np.testing.assert_allclose(s2sad.jacobian(measured, mode="forward", backend=backend)(X), 3.0 * X**2)
    s2sad.check_grads(measured, backend=backend)(X, True)
    assert "if" not in slope.source_for(X, False).split("def _")[0]


def test_a_flag_that_a_partial_binds() -> None:
    value, _ = s2sad.vjp(functools.partial(measured, full=True, norm="sum"), X)
    assert value == pytest.approx((np.sum(X**3), np.sum(X * X)))
    np.testing.assert_allclose(s2sad.grad(functools.partial(measured, full=False))(X), 3.0 * X**2)


def radiated(tilt: Any, sky: Any, parts: Any = False) -> Any:
    total = sky * (1.0 + np.cos(tilt)) * 0.5
    if parts:
        return total, sky
    return total


def test_a_flag_picks_a_number_or_a_pair_at_second_order() -> None:
    curve = -0.5 * np.cos(0.4) * 3.0
    for backend in ("python", "numba"):
        if backend == "numba":
            pytest.importorskip("numba")
        assert s2sad.hessian(radiated, backend=backend)(0.4, 3.0) == pytest.approx(curve)
        found = s2sad.hvp(radiated, wrt=(0, 1), backend=backend)(0.4, 3.0, (2.0, 1.0))
        assert found == pytest.approx((2.0 * curve - 0.5 * np.sin(0.4), -0.5 * np.sin(0.4) * 2.0))
        assert s2sad.jvp(s2sad.grad(radiated), (0.4, 3.0), (1.0, 0.0), backend=backend)[1] == pytest.approx(curve)
    assert s2sad.grad(s2sad.grad(radiated))(0.4, 3.0) == pytest.approx(curve)
    with pytest.raises(TypeError, match="scalar"):
        s2sad.hessian(radiated)(0.4, 3.0, True)


class Measure:
    def __init__(self, full: bool) -> None:
        self.full = full

    def __call__(self, x: Any) -> Any:
        return (np.sum(x), x) if self.full else np.sum(x)


def test_a_flag_in_an_object() -> None:
    measure = Measure(False)
    slope = s2sad.grad(measure)
    np.testing.assert_allclose(slope(X), np.ones(3))
    measure.full = True
    with pytest.raises(TypeError, match="scalar"):
        slope(X)
    assert type(s2sad.vjp(measure, X)[0]) is tuple


FULL = False


def by_a_global(x: Any) -> Any:
    return (np.sum(x), x) if FULL else np.sum(x * x)


def test_a_flag_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = s2sad.grad(by_a_global)
    np.testing.assert_allclose(slope(X), 2.0 * X)
    monkeypatch.setitem(by_a_global.__globals__, "FULL", True)
    with pytest.raises(TypeError, match="scalar"):
        slope(X)
    assert s2sad.vjp(by_a_global, X)[0][0] == np.sum(X)
    monkeypatch.setitem(by_a_global.__globals__, "FULL", False)
    np.testing.assert_allclose(slope(X), 2.0 * X)
    assert s2sad.vjp(by_a_global, X)[0] == pytest.approx(np.sum(X * X))


def in_options(x: Any, options: dict[str, Any]) -> Any:
    return (np.sum(x), x) if options["full"] else options["scale"] * np.sum(x * x)


def test_a_flag_among_options() -> None:
    np.testing.assert_allclose(s2sad.grad(in_options)(X, {"full": False, "scale": 2.0}), 4.0 * X)
    assert type(s2sad.vjp(in_options, X, {"full": True, "scale": 2.0})[0]) is tuple
    by_both = s2sad.grad(in_options, wrt=(0, 1))(X, {"full": False, "scale": 2.0})
    assert by_both[1]["scale"] == pytest.approx(np.sum(X * X))


def by_the_run(x: Any) -> Any:
    return (np.sum(x), x) if np.sum(x) > 0.0 else np.sum(x * x)


def test_what_only_a_run_tells_is_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="the result is one of two things") as caught:
        s2sad.vjp(by_the_run, X)
    assert "test_flags.py" in str(caught.value)


def test_one_variant_serves_where_a_flag_changes_no_structure() -> None:
    def scaled(x: Any, twice: bool) -> Any:
        return np.sum(x) * 2.0 if twice else np.sum(x)

    slope = s2sad.grad(scaled)
    assert slope.source_for(X, True) == slope.source_for(X, False)


def padded(x: Any, option: Any) -> Any:
    return np.sum(np.pad(x, 2, mode=option)[1:] ** 2)


def sized(x: Any, option: Any) -> Any:
    return np.linalg.norm(np.outer(x, x) + np.diag(x), option)


def solved(x: Any, option: Any) -> Any:
    a = np.outer(x, x) + 2.0 * np.eye(3)
    return np.sum(scipy.linalg.solve_triangular(a, x, lower=option) ** 2)


def transformed(x: Any, option: Any) -> Any:
    return np.sum(np.abs(np.fft.rfft(x, norm=option)) ** 3)


def found(x: Any, option: Any) -> Any:
    return np.sum(x[np.searchsorted(np.arange(3), np.arange(3), side=option) % 3] * x)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (padded, ("reflect", "wrap", "constant")),
        (sized, ("fro", "nuc")),
        (solved, (True, False)),
        (transformed, ("ortho", "forward")),
        (found, ("left", "right")),
    ],
)
def test_options_of_functions_are_compiled_for_those_at_hand(
    function: Any, options: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    v = np.array([0.3, -0.6, 0.2])
    for option in options:
        slope = s2sad.grad(function, backend="numba")(X, option)
        ends = [function(X + h * v, option) for h in (1e-6, -1e-6)]
        assert slope @ v == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
        value, tangent = s2sad.jvp(function, (X, option), (v, None), backend="numba")
        assert (value, tangent) == pytest.approx((function(X, option), slope @ v), rel=1e-12)


def chosen_late(x: Any) -> Any:
    return np.linalg.norm(np.outer(x, x), "fro" if x[0] > 0.0 else "nuc")


def test_an_option_that_only_a_run_tells_is_refused() -> None:
    pytest.importorskip("numba")
    with pytest.raises(s2sad.CompileError, match=r"`numpy\.linalg\.norm` with an option that only a run tells"):
        s2sad.grad(chosen_late, backend="numba")(X)


def of_rank(rank: int) -> Any:
    def batched(x: Any) -> Any:
        shape = () if x.ndim == rank else x.shape[:-rank]
        return np.sum(np.reshape(np.sin(x), shape + (3,)))

    return batched


WIDTH = 2


def of_many(x: Any, *others: Any) -> Any:
    parts = (x, *others)
    return parts if len(parts) > WIDTH else np.sum(x * x)


def test_an_integer_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    np.testing.assert_allclose(s2sad.grad(of_rank(1))(X), np.cos(X))
    np.testing.assert_allclose(s2sad.grad(of_rank(1))(np.stack((X, 2.0 * X))), np.cos([X, 2.0 * X]))
    np.testing.assert_allclose(s2sad.grad(of_many)(X, X), 2.0 * X)
    monkeypatch.setitem(of_many.__globals__, "WIDTH", 1)
    with pytest.raises(TypeError, match="scalar"):
        s2sad.grad(of_many)(X, X)
    assert len(s2sad.vjp(of_many, X, X)[0]) == 2
    monkeypatch.setitem(of_many.__globals__, "WIDTH", 2)
    np.testing.assert_allclose(s2sad.grad(of_many)(X, X), 2.0 * X)


def called_with(function: Any, place: int) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        if len(args) > place:
            args = (*args[:place], float, *args[place + 1 :])
        elif options.get("dtype") is None:
            options["dtype"] = float
        return function(*args, **options)

    return call


zeros = called_with(np.zeros, 1)


@pytest.mark.parametrize("given", [(), (None,), (np.int64,)])
def test_options_that_are_put_in_where_an_integer_outside_says(given: tuple[Any, ...]) -> None:
    def filled(x: Any) -> Any:
        out = zeros(3, *given)
        out[1] = x
        return np.sum(out * out)

    assert s2sad.grad(filled)(1.5) == 3.0


@pytest.mark.parametrize("present", [lambda p: [q for q in p if q is not None], lambda p: list(filter(is_there, p))])
def test_how_many_items_a_list_has(present: Any) -> None:
    def batch_shape(*points: Any) -> Any:
        there = present(points)
        return () if len(there) == 0 else there[0].shape[:-1]

    def total(x: Any, y: Any = None) -> Any:
        return np.sum(np.reshape(np.sin(x), batch_shape(x, y) + (3,)))

    rows = np.stack((X, 2.0 * X))
    for args in ((rows, rows), (rows,), (X, X)):
        np.testing.assert_allclose(s2sad.grad(total)(*args), np.cos(args[0]))


def is_there(x: Any) -> bool:
    return x is not None
