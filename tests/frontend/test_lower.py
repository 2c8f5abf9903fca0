"""Lowering: what is refused, where the error points, and what is known before any call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, stop_gradient
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.lower import lower
from s2sad.ir import kinds as K

seen: list[float] = []


def test_a_structure_that_changes_is_refused_where_it_is_read() -> None:
    def f(w: Any, n: int) -> Any:
        p = w[0]
        for k in range(n):
            t = p * 1.0
            p = (w[k], k)
        return t

    with pytest.raises(UnsupportedSyntax, match="`p` is one of two things") as caught:
        grad(f)(np.ones(3), 3)
    assert "t = p * 1.0" in str(caught.value)


def test_a_structure_that_changes_in_a_loop_is_refused_after_it() -> None:
    def f(w: Any) -> Any:
        p = w[0]
        for k in range(3):
            p = (w[k], k)
        return p

    with pytest.raises(UnsupportedSyntax, match="`p` is one of two things"):
        grad(f)(np.ones(3))


@pytest.fixture(autouse=True)
def _forget() -> None:
    seen.clear()


def test_appending_to_a_global_list_happens_once() -> None:
    def f(x: Any) -> Any:
        seen.append(x)
        for k in range(2):
            seen.extend([x * k])
        return x * x

    assert grad(f)(3.0) == 6.0
    assert seen == [3.0, 0.0, 3.0]
    assert jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
    assert seen == [3.0, 0.0, 3.0] * 2


def test_a_global_list_that_is_changed_and_read_is_refused() -> None:
    def reads(x: Any) -> Any:
        seen.append(x)
        return x * len(seen)

    def renames(x: Any) -> Any:
        s = seen
        s.append(x)
        return x

    def shrinks(x: Any) -> Any:
        y = seen[0] * x
        seen.pop()
        return y

    for f in (reads, renames, shrinks):
        with pytest.raises(UnsupportedSyntax, match="changes the list `seen`"):
            grad(f)(3.0)
    assert seen == []


def test_stop_gradient_is_in_the_printed_code() -> None:
    def f(x: float) -> float:
        return x * stop_gradient(x)

    derivative = grad(f)
    assert derivative(3.0) == 3.0
    namespace: dict[str, Any] = {}
    exec(derivative.source, namespace)
    assert namespace["f_grad"](3.0) == 3.0


def test_stop_gradient_of_a_structure() -> None:
    def f(w: Any) -> Any:
        c = stop_gradient({"a": w, "b": [w[0]]})
        return np.sum(w * c["a"]) * c["b"][0]

    w = np.array([2.0, 3.0])
    assert np.allclose(grad(f)(w), w * w[0])


def test_ranks_are_known_from_use() -> None:
    def f(A: Any, B: Any, c: Any, d: Any, e: Any, n: Any) -> Any:
        A[0, n] = B[1, 2] + B[n][0] + c[0] + e
        d[n] = A[n, 0]
        return A

    def kinds() -> list[K.Kind]:
        return [p.kind for p in lower(f, None).params]

    ranks = [K.rank_of(k) if isinstance(k, K.Array) else None for k in kinds()]
    assert ranks == [2, None, None, 1, None, None]


def scaled_by_all(x: Any, table: dict[str, float]) -> Any:
    for name in ("gain", "loss"):
        if name not in table:
            raise ValueError(f"no {name} is given")
        x = table[name] * x
    return x


def test_nothing_is_lowered_after_a_raise_that_is_reached() -> None:
    assert grad(scaled_by_all)(1.0, {"gain": 2.0, "loss": 0.5}) == 1.0
    with pytest.raises(ValueError, match="no loss is given"):
        grad(scaled_by_all)(1.0, {"gain": 2.0})
