"""A name that has no value where it is read raises UnboundLocalError, in the derivative as in the function."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, jvp, value_and_grad
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.dead import dead_code
from s2sad.transform import bound
from tests.ir.reader import read

X = 1.5


def example(word: str) -> str:
    m = re.search(rf"^{word}::\n\n((?:    .*\n|\n)+)", inspect.getdoc(bound) or "", re.MULTILINE)
    assert m
    return textwrap.dedent(m[1]).strip()


def test_the_example_in_the_docstring() -> None:
    function = verify(bound.ask_before_reading(read(example("Before"))))
    assert show(function) == example("After")
    assert verify(dead_code(function)).body.stmts


def of_a_loop(x, n):
    for i in range(n):
        y = x * i
    return y


def of_a_loop_backwards(x, n):
    for i in range(n, 0, -1):
        y = x * i
    return y * y


def of_a_while_loop(x, n):
    while n > 0:
        y = x * n
        n -= 1
    return y + x


def of_a_branch(x, n):
    if n > 1:
        y = 2.0 * x
    return y * x


def of_what_is_no_float(x, n):
    if n > 1:
        k = 3
    return x * k


def of_an_index(x, n):
    for i in range(n):
        pass
    return x * i


def of_a_list(x, n):
    if n > 1:
        items = [x, x * x]
    return items[0]


def of_what_is_deleted(x, n):
    if n < 2:
        del n
    return x * n


def of_one_branch_of_two(x, n):
    if n > 3:
        y = x * x
    if n != 1:
        return y
    return x


def of_an_iteration_before(x, n):
    total = 0.0
    for k in range(3):
        if k < n:
            last = x * k
        else:
            total += last
    return total


def of_a_search(x, n):
    for k in range(5):
        if k > 3 * n:
            continue
        if k > 2 * n:
            found = x * k
            break
    return found


def of_a_branch_and_a_loop(x, n):
    if n > 0:
        y = 2.0 * x
    for k in range(n - 1):
        y = x * k
    return y


def of_a_context(x, n):
    with np.errstate(all="ignore"):
        if n > 1:
            y = x * 3.0
    return y


def of_a_function_in_it(x, n):
    def inner(z):
        if n > 1:
            w = z * z
        return w

    return inner(x)


UNBOUND: dict[Callable[..., Any], tuple[int, int]] = {  #: with what there is no value, and with what there is
    of_a_loop: (0, 3),
    of_a_loop_backwards: (-1, 3),
    of_a_while_loop: (0, 2),
    of_a_branch: (1, 2),
    of_what_is_no_float: (0, 2),
    of_an_index: (0, 2),
    of_a_list: (0, 2),
    of_what_is_deleted: (1, 3),
    of_one_branch_of_two: (3, 4),
    of_an_iteration_before: (0, 2),
    of_a_search: (2, 1),
    of_a_branch_and_a_loop: (0, 1),
    of_a_context: (0, 2),
    of_a_function_in_it: (0, 2),
}


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", UNBOUND, ids=lambda f: f.__name__)
def test_a_name_without_a_value(
    f: Callable[..., Any], backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    without, given = UNBOUND[f]
    check_grads(f, wrt=0, backend=backend)(X, given)
    with pytest.raises(UnboundLocalError):
        f(X, without)
    derivatives: tuple[Callable[[], Any], ...] = (
        lambda: grad(f, backend=backend)(X, without),
        lambda: value_and_grad(f, backend=backend)(X, without),
        lambda: jvp(f, (X, without), (1.0, None), backend=backend),
    )
    for derivative in derivatives:
        with pytest.raises(UnboundLocalError, match="where it is not associated with a value"):
            derivative()


def returned_early(x: float, n: int) -> float:
    for k in range(n):
        z = x * k
        if z > 2.0:
            return z * k
    return z * x


def returned_from_an_inner_loop(x: float, n: int) -> float:
    for k in range(3):
        y = x + k
        for j in range(n):
            if y > j:
                return y * j
            x = x + 0.1
    return y


def until_it_ends(x: float, n: int) -> float:
    while True:
        y = x * n
        n -= 1
        if n < 2:
            break
    return y


def of_a_hundred(x: float, n: int) -> float:
    for k in range(100):
        y = x * k
        if math.fabs(y) > n:
            break
    return y


def begun_in_both_branches(x: float, n: int) -> float:
    y = x if n > 3 else 2.0 * x
    if n > 1:
        z = y
    else:
        z = y * y
    return z


@pytest.mark.parametrize("f", [until_it_ends, of_a_hundred, begun_in_both_branches, returned_from_an_inner_loop])
def test_nothing_is_asked_where_there_is_a_value(f: Callable[..., Any]) -> None:
    assert "UnboundLocalError" not in grad(f).source
    check_grads(f, wrt=0)(X, 4)


def test_what_tells_already_is_asked() -> None:
    source = grad(returned_early).source
    assert source.count("UnboundLocalError") == 1
    assert "_bound =" not in source
    with pytest.raises(UnboundLocalError):
        grad(returned_early)(X, 0)
    check_grads(returned_early, wrt=0)(X, 3)


def of_loops_in_loops(x: float, n: int) -> float:
    for k in range(n):
        for j in range(k + 1):
            y = x * (j + 1)
        x = x * y
    return y**3 * x


def of_the_iteration_before(x: float, n: int) -> float:
    for k in range(n):
        if k % 2:
            continue
        if k > 1:
            y = x * k * y + z  # noqa: F821  (it has a value from the iteration before)
        else:
            y = x * x
        z = y * x
    return y * z


def of_a_list_that_is_filled_later(x: float, n: int) -> float:
    items = []
    for k in range(n):
        if k:
            items.append(y * x)  # noqa: F821  (likewise)
        y = x**2 + k
    return sum(items) * y


AGAIN = [*UNBOUND, of_loops_in_loops, of_the_iteration_before, of_a_list_that_is_filled_later]


@pytest.mark.parametrize("f", AGAIN, ids=lambda f: f.__name__)
def test_derivatives_of_derivatives_ask_no_more(f: Callable[..., Any]) -> None:
    given = UNBOUND[f][1] if f in UNBOUND else 4
    first, second = grad(f), grad(grad(f))
    check_grads(first, wrt=0)(X, given)
    check_grads(second, wrt=0)(X, given)
    if f in UNBOUND:
        with pytest.raises(UnboundLocalError):
            second(X, UNBOUND[f][0])


def of_arrays_in_loops(x: Any, m: Any) -> Any:
    x = x.copy()
    for row in m:
        for other in m:
            y = other * x[0]
            z = y - row
        x[0] *= y[0] ** 2
    return np.sum(z**2)


def test_adjoints_of_arrays_that_have_no_value_yet() -> None:
    x, m = np.array([0.3, -0.7, 1.2]), np.arange(6.0).reshape(2, 3) / 7 + 0.1
    check_grads(of_arrays_in_loops, wrt=(0, 1))(x, m)
    check_grads(grad(of_arrays_in_loops), wrt=(0, 1))(x, m)


def test_compiled_derivatives_of_derivatives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    found = grad(grad(of_the_iteration_before), backend="numba")(X, 4)
    assert found == pytest.approx(grad(grad(of_the_iteration_before))(X, 4), rel=1e-13)
