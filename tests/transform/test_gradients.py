"""What a gradient gives for an argument has the argument's own structure."""

from __future__ import annotations

import pytest

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
