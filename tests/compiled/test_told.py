"""Errors with values in their text: both tiers raise the same.

PYTEST_DONT_REWRITE: functions with ``assert`` are differentiated as they stand.
"""

# ruff: noqa: UP030, UP031, UP032  (all ways to put text together are what is tested)

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hessian, value_and_grad, vjp

pytest.importorskip("numba")


class Diverged(ArithmeticError):
    """An error of the user's."""


class Stopped(Exception):
    """One that is made of numbers."""

    def __init__(self, step, residual):
        super().__init__(f"stopped in step {step} at {residual:.2e}")
        self.step = step


def told(f: Callable[..., Any], *args: Any, make: Callable[..., Any] = grad) -> None:
    """Both tiers raise an error of one class, with the same text."""
    errors = []
    for backend in ("python", "numba"):
        with pytest.raises(Exception) as caught:
            make(f, backend=backend)(*args)
        errors.append((type(caught.value), caught.value.args))
    assert errors[0] == errors[1]
    assert errors[0][0] is not CompileError


def checked(x, a, n):
    assert x < 9.0, f"at {n}: {x:.3f} {{}}"
    if a.shape != (3,):
        raise ValueError("bad %d %s %r %+7.2f%%, %05d" % (n, a.shape, a.shape[0], x, n))
    if n == 0:
        raise ValueError("bad {1} {0:>4}{{".format(n, a.shape))
    if n == 1:
        raise RuntimeError("x" + str(n) + " of " + repr(n) + f", {format(x, '.1f')}")
    if n == 2:
        raise ValueError("bad", a.shape)
    if n == 3:
        raise Diverged(f"{a[0]} and {a[1]:>10}; {a}, {n!r:>5} {{")
    if n == 4:
        raise Diverged
    if n == 5:
        raise Diverged()
    if n == 6:
        raise Stopped(n, x)
    if n == 7:
        raise np.linalg.LinAlgError(f"singular {x}")
    if n == 8:
        raise ZeroDivisionError("no {0}{1}{0}".format(n, x)) from None
    if n == 9:
        raise Diverged("{}")
    return x * x * np.sum(a)


@pytest.mark.parametrize("n", range(10))
def test_texts(n: int) -> None:
    told(checked, 1.5, np.arange(3.0), n)


def test_texts_of_checks() -> None:
    told(checked, 10.5, np.arange(3.0), 10)
    told(checked, 1.5, np.arange(4.0), 10)
    assert value_and_grad(checked, backend="numba")(2.0, np.ones(3), 10) == (12.0, 12.0)


def sweep(x, n):
    message = f"began at {x:.2f}"
    for k in range(n):
        x = x * x - 0.5
        if x > 2.0:
            raise Diverged(f"{message}, in step {k} at {x:g}")
        assert x < 1.5, message
    return x


@pytest.mark.parametrize("make", [grad, hessian, lambda f, backend: lambda *args: vjp(f, *args, backend=backend)])
@pytest.mark.parametrize("x", [1.42, 1.8])
def test_texts_in_loops(make: Callable[..., Any], x: float) -> None:
    told(sweep, x, 5, make=make)


def test_fields_of_an_error() -> None:
    def f(x, n):
        if x > 1.0:
            raise Stopped(n, x)
        return x

    with pytest.raises(Stopped) as caught:
        grad(f, backend="numba")(2.5, 3)
    assert caught.value.step == 3


def test_numbers_are_pythons() -> None:
    def f(x):
        if x[0] > 1.0:
            raise ValueError(f"{x[0]!r}")
        return x[0]

    with pytest.raises(ValueError, match=r"^2.5$"):
        grad(f, backend="numba")(np.array([2.5]))


def of_a_list(x, xs):
    if x > 1.0:
        raise ValueError(f"{xs}")
    return x


def of_what_changes(x, a):
    a = a.copy()
    message = f"{a}"
    a[0] = x
    if x > 1.0:
        raise ValueError(message)
    return x * a[0]


def of_single_precision(x, a):
    if x > 1.0:
        raise ValueError(f"{a[0]}")
    return x


def padded(x, n):
    if x > 1.0:
        raise ValueError("%-5d|" % n)
    return x


@pytest.mark.parametrize(
    ("f", "other"),
    [
        (of_a_list, [1.0, 2.0]),
        (of_what_changes, np.zeros(2)),
        (of_single_precision, np.ones(2, np.float32)),
        (padded, 3),
    ],
)
def test_what_would_be_another_text_is_refused(f: Callable[..., Any], other: Any) -> None:
    with pytest.raises(CompileError):
        grad(f, backend="numba")(2.0, other)


def test_errors_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code that is read from the cache raises classes of the program that runs."""
    script = tmp_path / "script.py"
    script.write_text(
        "from s2sad import grad\n"
        "class Mine(ValueError):\n    pass\n"
        "def f(x):\n    if x > 1.0:\n        raise Mine(f'{x:.2f}')\n    return x\n"
        "try:\n    grad(f, backend='numba')(2.0)\n"
        "except Mine as error:\n    print('caught', error)\n"
    )
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
        assert ran.stdout == "caught 2.00\n"
