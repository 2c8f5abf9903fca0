"""What a gradient gives for an argument has the argument's own structure."""

from __future__ import annotations

from typing import Any

import pytest

import s2sad
from s2sad import grad, vjp


def stored(d: dict[str, float], x: float) -> float:
    if x > 0.0:
        d["w"] = x * d["u"]
    return sum(d.values())


def met(d: dict[str, float], x: float) -> float:
    for _ in range(2):
        if x > 0.0:
            d.setdefault("w", x * d["u"])
    return sum(d.values())


def within(rows: list[dict[str, float]], x: float) -> float:
    for row in rows:
        if x > 0.0:
            row["w"] = x * row["u"]
    return sum(sum(row.values()) for row in rows)


@pytest.mark.parametrize("f", [stored, met])
def test_a_dict_that_gains_a_key(f) -> None:
    d = {"u": 0.5, "v": 0.3}
    assert grad(f, wrt=(0, 1))(d, 0.7) == ({"u": 1.7, "v": 1.0}, 0.5)
    assert grad(f, wrt=(0, 1))(d, -0.7) == ({"u": 1.0, "v": 1.0}, 0.0)
    _, pullback = vjp(f, d, 0.7)
    assert pullback(1.0) == pullback(1.0) == ({"u": 1.7, "v": 1.0}, 0.5)
    assert d == {"u": 0.5, "v": 0.3}


def test_a_dict_that_a_list_holds() -> None:
    rows = [{"u": 0.5, "v": 0.3}, {"u": 1.5, "w": 0.1}]
    assert grad(within, wrt=(0, 1))(rows, 0.7) == ([{"u": 1.7, "v": 1.0}, {"u": 1.7, "w": 0.0}], 2.0)


def least_beyond(xs: Any, t: float) -> Any:
    best = None
    for x in xs:
        if x > t and (best is None or x * x < best):
            best = x * x
    return best


def nothing_below_one(x: Any) -> Any:
    if x > 1.0:
        return x * x
    return None


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_result_that_is_none_at_times_has_no_gradient_then(backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    slopes = s2sad.grad(least_beyond, backend=backend)
    assert slopes([3.0, 2.0], 0.5) == [0.0, 4.0]
    with pytest.raises(TypeError, match="returned None"):
        slopes([1.0, 2.0], 5.0)
    assert s2sad.grad(nothing_below_one, backend=backend)(3.0) == 6.0
    with pytest.raises(TypeError, match="returned None"):
        s2sad.grad(nothing_below_one, backend=backend)(0.5)


def test_nor_has_one_that_is_taken_inside() -> None:
    assert s2sad.value_and_grad(nothing_below_one)(3.0) == (9.0, 6.0)
    with pytest.raises(TypeError, match="returned None"):
        s2sad.value_and_grad(nothing_below_one)(0.5)

    def step(x: Any) -> Any:
        return x - 0.1 * s2sad.grad(nothing_below_one)(x)

    assert s2sad.grad(step)(3.0) == 0.8
    with pytest.raises(TypeError, match="returned None"):
        s2sad.grad(step)(0.5)
