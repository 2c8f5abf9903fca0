"""Exceptions that a function catches: compiled code goes the way that Python goes.

PYTEST_DONT_REWRITE: functions with ``assert`` are differentiated as they stand.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hessian, jvp, value_and_grad, vjp
from tests.compiled.corpus import MODES, compare

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


class Rejected(Exception):
    pass


SCALE = [2.0]


# ---------------------------------------------------------------- functions of numbers


def logarithms(x):
    s = 0.0
    for f in (math.log, math.log2, math.log10, math.log1p, math.sqrt):
        try:
            s += f(x)
        except ValueError:
            s += x * x
    return s


def inverse_functions(x):
    s = 0.0
    for f in (math.acos, math.asin, math.atanh, math.acosh):
        try:
            s += f(x)
        except ValueError:
            s += 0.3 * x
    return s


def growing(x):
    s = 0.0
    for f in (math.exp, math.expm1, math.cosh, math.sinh):
        try:
            s += math.log(f(x) + 2.0)
        except OverflowError:
            s += x * 3.0
        except ValueError:
            s += x * 5.0
    return s


def powers(x):
    s = 0.0
    for k in (-1.5, 2.0, 200.0):
        try:
            s += abs(x) ** k
        except ZeroDivisionError:
            s += 3.0 * x
        except OverflowError:
            s += 5.0 * x
    return s + x


def square(x):
    try:
        return 1e-300 * (x * 1e153) ** 2 + (x * 1e153) ** 2
    except OverflowError:
        return x * 3.0


def quotients(x):
    s = 0.0
    for k in range(-2, 3):
        try:
            s += x / k + (x - k) / (x - 1.0) + 7 // k + 7.5 % k
        except ZeroDivisionError:
            s += 3.0 * x * k
    return s


def waves(x):
    s = 0.0
    for scale in (1.0, 1e308):
        try:
            s += math.sin(x * scale * 10.0)
        except ValueError:
            s += 3.0 * x
    return s


def rounded(x):
    try:
        return x * int(x * 1e308 * 10.0)
    except OverflowError:
        return 2.0 * x
    except ValueError:
        return 3.0 * x


OF_NUMBERS = [logarithms, inverse_functions, growing, powers, square, quotients, waves, rounded]
AT = [-1.0, -0.4, 0.0, 0.4, 1.0, 1.7, -math.nextafter(1.0, 0.0), -2.0, 700.5, 710.2, 711.5, -710.2]


def same(f: Callable[..., Any], *args: Any) -> None:
    """Both tiers give one value and one derivative, in all modes."""
    at = tuple(range(len(args)))
    expected = value_and_grad(f, wrt=at)(*args)
    tangents = tuple(a * 0.0 + 1.0 for a in args)
    with np.errstate(all="ignore"):
        close(value_and_grad(f, wrt=at, backend="numba")(*args), expected)
        close(jvp(f, args, tangents, backend="numba"), jvp(f, args, tangents))
        y, pullback = vjp(f, *args, backend="numba")
        close((y, pullback(1.0)), expected)
        close((y, pullback(1.0)), expected)


def close(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            close(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", OF_NUMBERS, ids=lambda f: f.__name__)
def test_functions_of_numbers(f: Callable[..., Any]) -> None:
    compiled, slope = value_and_grad(f, backend="numba"), grad(f)
    for x in AT:
        y, dy = compiled(x)
        close(y, f(x))
        try:
            expected = slope(x)
        except (ZeroDivisionError, OverflowError):  # where there is no derivative
            continue
        close(dy, expected)
    same(f, 0.4)


# ---------------------------------------------------------------- items, lists, dicts, arrays


def items(x, n):
    xs, table, a = [x, x * x, 2.0 * x], {0: x, 2: x * x * x}, np.array([x, 3.0 * x])
    s = 0.0
    for f in (lambda: xs[n], lambda: table[n], lambda: a[n], lambda: a[-n], lambda: min(xs[n:]), lambda: xs[n:].pop()):
        try:
            s += f() * x
        except (IndexError, KeyError, ValueError):
            s += x
    return s


def items_of_a_matrix(A, n):
    try:
        return np.sum(A[n] * A[n, 1]) + A[0, -n]
    except IndexError:
        return np.sum(A * A)


def changed_in_the_body(x, n):
    try:
        kept, a = [], np.zeros(3)
        for k in range(n):
            kept.append(math.log(x - k))
            a[k] += kept[-1] * x
        s = sum(kept) + np.sum(a * a)
    except (ValueError, IndexError):
        s = x * n
    return s * x


def means(x, n):
    xs = [x * k for k in range(n)]
    try:
        return statistics.mean(xs) * x
    except statistics.StatisticsError:
        return x


@pytest.mark.parametrize("f", [items, changed_in_the_body, means], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", range(5))
def test_items(f: Callable[..., Any], n: int) -> None:
    same(lambda x: f(x, n), 2.3)
    close(value_and_grad(f, backend="numba")(2.3, n), value_and_grad(f)(2.3, n))


@pytest.mark.parametrize("n", range(4))
def test_items_of_a_matrix(n: int) -> None:
    A = np.arange(1.0, 7.0).reshape(3, 2)
    close(value_and_grad(items_of_a_matrix, backend="numba")(A, n), value_and_grad(items_of_a_matrix)(A, n))


def shapes(a, b):
    try:
        return np.sum(a * b) + np.sum(np.where(a > b, a, b))
    except ValueError:
        return np.sum(a) * np.sum(b)


def products(A, b):
    try:
        return np.sum(A @ b)
    except ValueError:
        return np.sum(A) * b[0]


def solved(A, b):
    try:
        x = np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        x = 0.5 * b
    return x @ x


def factored(A, b):
    for k in range(3):
        try:
            L = np.linalg.cholesky(A + k * np.eye(2))
            return np.sum(np.log(np.diag(L))) + b @ b
        except np.linalg.LinAlgError as e:
            if k == 1 and b[0] > 5.0:
                raise ValueError(f"no factor: {e}") from e
    return 0.0 * b[0]


@pytest.mark.parametrize(("n", "m"), [(3, 3), (3, 1), (1, 3), (3, 2)])
def test_shapes_that_do_not_go_together(n: int, m: int) -> None:
    same(shapes, np.arange(1.0, n + 1.0), 1.5 - np.arange(float(m)))


@pytest.mark.parametrize("m", [3, 2])
def test_products(m: int) -> None:
    same(products, np.arange(6.0).reshape(2, 3), 1.0 + np.arange(float(m)))


@pytest.mark.parametrize("f", [solved, factored], ids=lambda f: f.__name__)
@pytest.mark.parametrize("A", [[[2.0, 0.5], [0.5, 1.0]], [[1.0, 2.0], [2.0, 4.0]], [[0.5, 1.0], [1.0, 0.25]]])
def test_matrices(f: Callable[..., Any], A: Any) -> None:
    same(f, np.array(A), np.array([1.0, -2.0]))


# ---------------------------------------------------------------- what is raised, and where it goes


def by_class(x, y):
    try:
        try:
            if x > 3.0:
                raise Rejected("far")
            t = 1.0 / (x - 1.0) + math.log(y)
        except ZeroDivisionError:
            t = math.sqrt(y - 2.0)
        assert t < 30.0, "too large"
        z = t * x
    except ValueError:
        return x * y * SCALE[0]
    except (Rejected, AssertionError):
        z = y * y
    else:
        z = z * SCALE[0]
    finally:
        y = y * x
    return z * y


def test_classes() -> None:
    for x, y in [(1.0, 1.0), (1.0, 3.0), (2.0, -1.0), (2.0, 1.5), (4.0, 2.0), (1.01, 2.0)]:
        same(by_class, x, y)
    SCALE[0] = 3.0  # read live
    try:
        same(by_class, 2.0, 1.5)
    finally:
        SCALE[0] = 2.0


def again(x, n):
    try:
        if n == 0:
            raise Rejected("far")
        z = math.log(x) / n
    except (ValueError, Rejected):
        if n < 2:
            raise
        raise RuntimeError(f"step {n}")
    return z


@pytest.mark.parametrize(("x", "n"), [(1.0, 0), (-1.0, 1), (-1.0, 2)])
def test_what_is_raised_again(x: float, n: int) -> None:
    raised = []
    for backend in ("python", "numba"):
        with pytest.raises(Exception) as caught:
            grad(again, backend=backend)(x, n)
        raised.append((type(caught.value), caught.value.args))
    assert raised[0] == raised[1]


def test_the_text_of_what_is_caught() -> None:
    for backend in ("python", "numba"):
        with pytest.raises(ValueError, match="no factor: Matrix is not positive definite"):
            grad(factored, backend=backend)(np.array([[-9.0, 0.0], [0.0, 1.0]]), np.array([6.0, 1.0]))


def half_as_often(x):
    s = 0.0
    for k in range(6):
        try:
            s += math.sqrt(x - k)
        except ValueError:
            break
    return s * s


def test_differences() -> None:
    for x in (0.5, 2.5, 4.3):
        h = 1e-6
        slope = (half_as_often(x + h) - half_as_often(x - h)) / (2 * h)
        assert grad(half_as_often, backend="numba")(x) == pytest.approx(slope, rel=1e-7)
        assert hessian(half_as_often, backend="numba")(x) == pytest.approx(hessian(half_as_often)(x))


@pytest.mark.parametrize(
    "name", ["caught_by_helpers", "caught_in_loops", "caught_of_python", "caught_where_it_does_not_factor"]
)
@pytest.mark.parametrize("mode", MODES)
def test_programs(name: str, mode: str) -> None:
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


# ---------------------------------------------------------------- refused


def of_types(x):
    try:
        return math.log(x)
    except TypeError:
        return x


def of_floating_point(x):
    with np.errstate(all="raise"):
        try:
            z = np.log(x)
        except FloatingPointError:
            z = x
    return np.sum(z)


def of_either_kind(x, a, n):
    y = a[0] if n else x
    try:
        return 1.0 / y
    except ZeroDivisionError:
        return x


def of_joined_arrays(x, a):
    try:
        return np.sum(np.concatenate((a[None], np.zeros((1, 2))))) * x
    except ValueError:
        return x


def of_none(x, n):
    y = x if n else None
    try:
        return math.log(y)
    except Exception:
        return x


def of_items_told_before(x, n):
    memo = [None] * 3
    memo[0] = x * x
    v = memo[n]
    if v is None:
        v = 0.5 * x
    try:
        return math.log(v - 1.0)
    except ValueError:
        return x


@pytest.mark.parametrize("args", [(1.7, 0), (1.7, 1), (3.1, 2)])
def test_items_that_may_be_none_beside_what_is_caught(args: tuple[Any, ...]) -> None:
    found = value_and_grad(of_items_told_before, backend="numba")(*args)
    assert found == pytest.approx(value_and_grad(of_items_told_before)(*args), rel=1e-13)


def with_values_again(x):
    try:
        if x > 1.0:
            raise ValueError(f"too large: {x}")
        z = x * x
    except ValueError:
        raise
    return z


@pytest.mark.parametrize(
    ("f", "args", "said", "line"),
    [
        (of_types, (1.0,), "whether this raises `TypeError`", 1),
        (of_floating_point, (np.ones(2),), "whether NumPy raises `FloatingPointError`", 2),
        (of_either_kind, (1.0, np.ones(2), 1), "of Python or of NumPy", 3),
        (of_joined_arrays, (1.0, np.ones(2)), "whether `numpy.concatenate` raises here", 2),
        (of_none, (1.0, 0), "of a value that may be None", 2),
        (with_values_again, (1.0,), "with values in its text that is caught and raised again", 6),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], said: str, line: int) -> None:
    with pytest.raises(CompileError, match=said) as caught:
        grad(f, backend="numba")(*args)
    assert caught.value.lineno == f.__code__.co_firstlineno + line
    assert "backend='python'" in str(caught.value)
